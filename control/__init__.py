"""What to do about it: torques from states."""

from __future__ import annotations

from .joint import PD, PID, ComputedTorque, gravity_compensation

__all__ = ["PD", "PID", "ComputedTorque", "gravity_compensation"]
