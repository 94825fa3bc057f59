"""Terrain: solids with flat faces, their union, and penetration of links."""

from .penetration import Penetration, penetrations
from .solids import Box, Face, Plane, Stairs, Wall
from .terrain import Terrain

__all__ = ["Box", "Face", "Penetration", "Plane", "Stairs", "Terrain", "Wall", "penetrations"]
