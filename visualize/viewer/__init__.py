"""The viewer: a page of a robot and of plain arrays, and the server behind it."""

from __future__ import annotations

from ... import registry
from .viewer import Viewer

__all__ = ["Viewer"]

__getattr__ = registry.moved("visualize.viewer")
