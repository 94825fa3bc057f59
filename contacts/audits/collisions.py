"""Check of self-collision: how deep links of the robot lie in each other."""

from __future__ import annotations

from collections.abc import Mapping

from ...dynamics.motions.motion import Motion
from ..postures.collisions_along import self_collisions
from .check import Check


def collision_check(motion: Motion, limits: Mapping[str, float], threads: int = 1) -> Check:
    """Return the deepest overlap of two links at each sample [m]; see `self_collisions`."""
    found = self_collisions(motion.robot, motion.q, threads=threads)
    pairs = tuple(" and ".join(links) for links in found.links)
    return Check("collision", limits["collision"], -found.nearest, found.nearest_pair, pairs)
