"""Segment chains: inverse dynamics of the measured motions of trees of rigid segments.

Two methods compute the joint wrenches over all frames of a trial at once: the block matrices of all
segments (`block_form`), and the recursion from the free ends (`recurse`). They agree to rounding.

With six equations per segment and six unknowns per joint, one wrench remains. It is that of an
unmeasured support of the root (the trunk on a thigh) or, when all external wrenches are measured,
the residual, which is zero for motions and forces without errors.
"""

from __future__ import annotations

import numpy as np

from ...robots.values import instance
from ..series.vectors import cross, turn
from .block_form import at_centres, block_form
from .chain_forces import ChainForces
from .segment_motion import SegmentMotion
from .segment_tree import External, SegmentTree


class SegmentChain(SegmentTree):
    """A tree of segments under gravity, with its inverse dynamics.

    Attributes:
        segments: parents before children.
        gravity: (3,) [m/s²], world axes; laboratories often have y up: (0, −9.81, 0).

    Raises:
        ConfigurationError: no root or several, a name twice, a parent that does not exist, a loop.
    """

    def solve(
        self,
        motion: SegmentMotion,
        external: External | None = None,
        *,
        residual_on: str | None = None,
    ) -> ChainForces:
        """Return the wrenches at all joints, from the block matrices of all segments and frames.

        Args:
            motion: of the segments (others in it are ignored).
            external: {segment: wrench or wrenches of the environment on it}.
            residual_on: the segment on which the residual wrench acts; default the root.

        Raises:
            ConfigurationError: an unknown segment, one without motion, lengths that differ.
        """
        place = 0 if residual_on is None else self.index(residual_on)
        return block_form(self, motion, external, place).solve()

    def recurse(
        self,
        motion: SegmentMotion,
        external: External | None = None,
        *,
        residual_on: str | None = None,
    ) -> ChainForces:
        """Return the same as `solve`, by recursion from the free ends, in world axes.

        For a segment with its centre of mass at c,

            f = m (c̈ − g) − Σ f_ext              n = I ω̇ + ω × I ω − Σ (m_ext + (p − c) × f_ext)

        is the sum of its joint wrenches. Starting at the ends farthest from the segment with the
        residual wrench, each segment determines the wrench of its one unknown joint.
        """
        place = 0 if residual_on is None else self.index(residual_on)
        motion = instance(motion, "motion", SegmentMotion).ordered(self.names)
        ext_force, ext_moment = at_centres(self, motion, external)
        inertia = motion.R @ self.inertias @ np.swapaxes(motion.R, -1, -2)
        weightless = motion.point_accelerations(self.coms) - self.gravity
        force = self.masses[:, None] * weightless - ext_force
        moment = turn(inertia, motion.alpha) + cross(motion.omega, turn(inertia, motion.omega))
        # about the world's origin, where wrenches add
        moment += cross(motion.points(self.coms), force) - ext_moment
        forces, moments = np.zeros_like(force), np.zeros_like(moment)
        for i, joint, neighbour in _inwards(self, place):
            sign = 1.0 if joint == i else -1.0  # parent on child
            forces[:, joint], moments[:, joint] = sign * force[:, i], sign * moment[:, i]
            force[:, neighbour] += force[:, i]
            moment[:, neighbour] += moment[:, i]
        forces[:, 0], moments[:, 0] = force[:, place], moment[:, place]
        points = motion.points(self.joints)
        points[:, 0] = points[:, place]
        return ChainForces.about_joints(
            self, motion, place, forces, moments - cross(points, forces)
        )


def _inwards(chain: SegmentTree, last: int) -> list[tuple[int, int, int]]:
    """Return (segment, its joint towards `last`, the segment beyond), farthest ones first."""
    steps: list[tuple[int, int, int]] = []
    frontier, seen = [last], {last}
    while frontier:
        here = frontier.pop(0)
        children = [i for i, parent in enumerate(chain.parents) if parent == here]
        for there in [*children, chain.parents[here]]:
            if there >= 0 and there not in seen:
                seen.add(there)
                frontier.append(there)
                steps.append((there, there if chain.parents[there] == here else here, here))
    return steps[::-1]
