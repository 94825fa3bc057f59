"""Ranges of joints: between which values each entry of q may move."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import Array

_FAR = 1e6  # an end so far away is none: files write ±1e16 and the like [rad or m]


def ranges(model: Any) -> tuple[Array, Array]:
    """Return (lower, upper), each (nq,): the ends of the joints' ranges [rad or m].

    ±inf where there is no end: entries of unit quaternions and (cos, sin) pairs, the base, and
    joints with nothing between their ends (both are zero where a URDF gives none).
    """
    lower, upper = np.full(model.nq, -np.inf), np.full(model.nq, np.inf)
    for joint in list(model.joints)[1:]:
        if joint.nq == joint.nv:
            at = slice(joint.idx_q, joint.idx_q + joint.nq)
            low, high = model.lowerPositionLimit[at], model.upperPositionLimit[at]
            lower[at] = np.where((low > -_FAR) & (low < high), low, -np.inf)
            upper[at] = np.where((high < _FAR) & (low < high), high, np.inf)
    return lower, upper
