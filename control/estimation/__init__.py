"""State estimation of legged robots: sensors, and the pose and velocity that follow from them.

To read: `sensors` (what a robot measures), `estimator` (what follows from it) and
`control.kernels.invariant` (the filter).
"""

from __future__ import annotations

from .estimator import Estimate, Estimator
from .sensors import Measurements, Readings, Sensors

__all__ = ["Estimator", "Estimate", "Sensors", "Readings", "Measurements"]
