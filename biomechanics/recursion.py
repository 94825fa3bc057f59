"""Recursive inverse dynamics of a segment chain, from the free ends to the root.

For a segment with its centre of mass at c, everything in world axes,

    f = m (c̈ − g) − Σ f_ext                    n = I ω̇ + ω × I ω − Σ (m_ext + (p − c) × f_ext)

is the sum of its joint wrenches. Starting at the ends farthest from the segment with the residual
wrench, each segment determines the wrench of its one unknown joint. An independent alternative to
`block_form`; vectorised over the frames.
"""

from __future__ import annotations

import numpy as np

from .chain_forces import ChainForces
from .external import at_centres
from .segment_motion import SegmentMotion, ordered_motion
from .segment_tree import External, SegmentTree
from .series import cross, turn


def recursion(
    chain: SegmentTree, motion: SegmentMotion, external: External | None, residual_on: int = 0
) -> ChainForces:
    """Return the wrenches at all joints, parent on child, and the residual on a segment."""
    motion = ordered_motion(motion, chain.names)
    centres, joints = motion.points(chain.coms), motion.points(chain.joints)
    ext_force, ext_moment = at_centres(chain, motion, external)
    inertia = motion.R @ chain.inertias @ np.swapaxes(motion.R, -1, -2)
    weightless = motion.point_accelerations(chain.coms) - chain.gravity
    force = chain.masses[:, None] * weightless - ext_force
    moment = turn(inertia, motion.alpha) + cross(motion.omega, turn(inertia, motion.omega))
    moment = (
        moment - ext_moment + cross(centres, force)
    )  # about the world's origin, where wrenches add

    out_force, out_moment = np.zeros_like(force), np.zeros_like(moment)
    for i, joint, neighbour in _inwards(chain, residual_on):
        sign = 1.0 if joint == i else -1.0  # parent on child
        out_force[:, joint], out_moment[:, joint] = sign * force[:, i], sign * moment[:, i]
        force[:, neighbour] += force[:, i]
        moment[:, neighbour] += moment[:, i]
    out_force[:, 0], out_moment[:, 0] = force[:, residual_on], moment[:, residual_on]
    points = joints.copy()
    points[:, 0] = joints[:, residual_on]
    out_moment -= cross(points, out_force)
    return ChainForces.about_joints(chain, motion, residual_on, out_force, out_moment)


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
