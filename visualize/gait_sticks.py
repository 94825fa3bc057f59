"""Stick figures of a walking subject's legs, for scenes and plots."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..biomechanics.gait import Gait


def leg_sticks(gait: Gait, side: str) -> Array:
    """Return (n, 6, 3): hip, knee, ankle, heel, toes and ankle again, in laboratory axes [m]."""
    motion, leg = gait.forces.motion, gait.names.legs[side]
    joints = [motion.origin[:, motion.index(f"{side} {s}")] for s in ("thigh", "shank", "foot")]
    markers = gait.trial.markers
    toes = (markers[leg["toe lateral"]] + markers[leg["toe medial"]]) / 2
    return np.stack([*joints, markers[leg["heel"]], toes, joints[-1]], axis=1)
