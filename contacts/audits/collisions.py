"""Check of self-collision: how deep links of the robot lie in each other."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...dynamics.motions.motion import Motion
from ..postures.self_collision import self_collisions
from .check import Check


def collision_check(motion: Motion, limits: Mapping[str, float]) -> Check:
    """Return the deepest overlap of two links at each sample [m]; see `self_collisions`."""
    values = np.full(len(motion), np.nan)
    which, pairs = np.full(len(motion), -1), dict[str, int]()
    for i, q in enumerate(motion.q):
        if found := self_collisions(motion.robot, q):
            values[i] = -found[0].distance
            pair = " and ".join(found[0].links)
            which[i] = pairs.setdefault(pair, len(pairs))
    return Check("collision", limits["collision"], values, which, tuple(pairs))
