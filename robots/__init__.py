"""What the machine is: descriptions in, `Robot` out."""

from __future__ import annotations

from .builders import block, double_pendulum, limb
from .catalogue import RobotInfo, available
from .feet import Foot
from .loading import load
from .robot import Robot

__all__ = [
    "Foot",
    "Robot",
    "RobotInfo",
    "available",
    "block",
    "double_pendulum",
    "limb",
    "load",
]
