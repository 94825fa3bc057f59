"""Robot models: descriptions (URDF, MJCF, xacro, SRDF) in, `Robot` out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import conventions
from .builders import block, double_pendulum, limb
from .catalogue import RobotInfo, available
from .diagnosis import diagnose
from .feet import Foot
from .feet_of_shapes import feet_of_shapes
from .findings import Finding
from .loading import load
from .robot import Robot

if TYPE_CHECKING:
    from .viewer import Viewer

__all__ = [
    "Finding",
    "Foot",
    "Robot",
    "RobotInfo",
    "Viewer",
    "available",
    "block",
    "conventions",
    "diagnose",
    "double_pendulum",
    "feet_of_shapes",
    "limb",
    "load",
]


def __getattr__(name: str) -> Any:
    """Import the viewer when it is first used (PEP 562): most programs draw nothing."""
    if name == "Viewer":
        from .viewer import Viewer

        return Viewer
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
