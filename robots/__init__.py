"""Robot models: descriptions (URDF, MJCF, xacro, SRDF) in, `Robot` out."""

from __future__ import annotations

from .. import registry
from . import conventions
from .builders import block, double_pendulum, limb
from .catalogue import RobotInfo, available
from .closures import JointCoupling, LoopClosure
from .diagnosis import diagnose
from .feet.foot import Foot
from .feet_of_shapes import feet_of_shapes
from .loading import load
from .motor import Motor
from .robot import Robot
from .xacro.expansion import Xacro

__all__ = [
    "Foot",
    "JointCoupling",
    "LoopClosure",
    "Motor",
    "Robot",
    "RobotInfo",
    "Xacro",
    "available",
    "block",
    "conventions",
    "diagnose",
    "double_pendulum",
    "feet_of_shapes",
    "limb",
    "load",
]

__getattr__ = registry.moved("robots")
