"""Looking at robots: `Viewer`. Draws what it is given; knows a Robot, a q and plain arrays."""

from __future__ import annotations

from .drawing import extent
from .errors import BrowserError, MeshWarning, ServerError, ViewerError
from .ramp import ColorRamp
from .viewer import Viewer

__all__ = [
    "Viewer",
    "ColorRamp",
    "extent",
    "BrowserError",
    "MeshWarning",
    "ServerError",
    "ViewerError",
]
