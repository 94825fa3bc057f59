"""What the robot stands on: solids of flat faces, the terrain they make, what lies inside it."""

from .penetration import Penetration, penetrations
from .solids import Box, Face, Plane, Stairs, Wall
from .terrain import Terrain

__all__ = ["Box", "Face", "Penetration", "Plane", "Stairs", "Terrain", "Wall", "penetrations"]
