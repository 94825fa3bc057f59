"""Ranges of joints, between which each entry of q may move, and limits of their velocities."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import Array
from .configuration import rows_q

ENDLESS = 1e6  # a limit so large is none: files write ±1e16 and the like


def ranges(model: Any) -> tuple[Array, Array]:
    """Return (lower, upper), each (nq,): the ends of the joints' ranges [rad or m].

    ±inf where there is no end: entries of unit quaternions and (cos, sin) pairs, the base, and
    joints with nothing between their ends (both are zero where a URDF gives none).
    """
    lower, upper = np.full(model.nq, -np.inf), np.full(model.nq, np.inf)
    for joint in list(model.joints)[1:]:
        if joint.nq == joint.nv:
            at = rows_q(joint)
            low, high = model.lowerPositionLimit[at], model.upperPositionLimit[at]
            lower[at] = np.where((low > -ENDLESS) & (low < high), low, -np.inf)
            upper[at] = np.where((high < ENDLESS) & (low < high), high, np.inf)
    return lower, upper


def velocity_limits(model: Any) -> Array:
    """Return the largest |v| (nv,), inf where there is none [rad/s or m/s]."""
    return magnitudes(model.upperVelocityLimit)


def magnitudes(limits: Array) -> Array:
    """Return limits of magnitudes, such as efforts, as infinite where they are none: zero too."""
    values = np.array(limits, dtype=float)
    return np.where((values > 0) & (values < ENDLESS), values, np.inf)
