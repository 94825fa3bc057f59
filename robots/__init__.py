"""What the machine is: descriptions in, `Robot` out."""

from __future__ import annotations

from .feet import Foot
from .loading import load
from .robot import Robot

__all__ = ["Foot", "Robot", "load"]
