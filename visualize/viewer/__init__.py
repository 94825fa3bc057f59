"""The viewer: a page of a robot and of plain arrays, and the server behind it."""

from __future__ import annotations

from .ramp import ColorRamp
from .series import Band, Series
from .viewer import Viewer

__all__ = ["Band", "ColorRamp", "Series", "Viewer"]
