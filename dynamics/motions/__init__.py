"""Motions: configurations, velocities and accelerations along time, and the files they are in."""

from __future__ import annotations

from .motion import Motion, as_motion
from .reading import read_motion
from .smoothing import Smoothing

__all__ = ["Motion", "Smoothing", "as_motion", "read_motion"]
