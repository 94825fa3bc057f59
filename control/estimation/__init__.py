"""State estimation of legged robots: sensors, and the motion and contact wrenches that follow.

To read: `sensors` (what a robot measures), `estimator` (pose and velocity of its base) and
`control.kernels.invariant` (the filter); `sensor_log`, `wrenches` (what the ground did), and how
that follows: `from_log`, `momentum_residual`, `wrench_fit`.
"""

from __future__ import annotations

from .estimator import Estimate, Estimator
from .from_log import contact_wrenches
from .sensor_log import SensorLog
from .sensors import Measurements, Readings, Sensors
from .wrenches import ContactWrenches

__all__ = [
    "Estimator",
    "Estimate",
    "Sensors",
    "Readings",
    "Measurements",
    "SensorLog",
    "contact_wrenches",
    "ContactWrenches",
]
