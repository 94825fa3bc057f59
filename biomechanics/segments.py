"""Segment chains: inverse dynamics of the measured motions of trees of rigid segments.

Two methods compute the joint wrenches over all frames of a trial at once: the block matrices of all
segments (`block_form`), and the recursion from the free ends (`recursion`). They agree to rounding.

With six equations per segment and six unknowns per joint, one wrench remains. It is that of an
unmeasured support of the root (the trunk on a thigh) or, when all external wrenches are measured,
the residual, which is zero for motions and forces without errors.
"""

from __future__ import annotations

from .block_form import block_form
from .chain_forces import ChainForces
from .recursion import recursion
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
        """Return the same as `solve`, by recursion from the free ends."""
        place = 0 if residual_on is None else self.index(residual_on)
        return recursion(self, motion, external, place)
