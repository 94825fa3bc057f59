"""Block form of the Newton-Euler equations: one sparse system for all segments and frames.

    M [a; ω̇] = C + G + A [F; M_j] + E

Row pairs are segments: the force balance in world axes, the moment balance about the centre of mass
in the segment's axes. With R_i the rotation of segment i to the world,

    M   diag(m_i 1, I_i), constant; ω̇_i is the angular acceleration in segment axes
    C   (0, −ω_i × I_i ω_i), ω_i the angular velocity in segment axes
    G   (m_i g, 0)
    E   (Σ f, R_iᵀ Σ (m + (p − c_i) × f)), the external wrenches with their points p
    A   for every joint j of segment i, with s = +1 where i is the child and −1 where it is the
        parent: s 1 from F_j (world axes) to the force balance; s R_iᵀ [(p_j − c_i) ×] from F_j and
        s R_iᵀ R_j from M_j (in the axes of the joint's child j) to the moment balance

External wrenches such as ground reactions count about the centres of mass (`at_centres`).
Lever arm and force are rotated together: R_iᵀ (r × F), never (R_iᵀ r) × F. The systems of all
frames of a trial are the diagonal blocks of one sparse matrix. The equations are those of D.
Winter, Biomechanics and Motor Control of Human Movement (2009), chapter 7.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from ...arrays import Array
from ...dynamics.spatial import skew
from ...errors import ConfigurationError
from ...robots.values import instance
from ..series.vectors import cross, turn, turn_back
from ..series.wrenches import WrenchSeries
from .chain_forces import ChainForces
from .segment_motion import SegmentMotion
from .segment_tree import External, SegmentTree

_AT_ONCE = 1000  # frames factorised at once, to bound memory


@dataclass(frozen=True, eq=False, repr=False)
class BlockForm:
    """The matrices of M [a; ω̇] = C + G + A [F; M_j] + E for k segments and n frames.

    Attributes:
        chain: of the segments.
        motion: in the order of the chain.
        residual_on: index of the segment on which the residual wrench acts.
        M: (6k, 6k).
        acceleration: (n, 6k), [a; ω̇] of every segment.
        C: (n, 6k) gyroscopic moments.
        G: (n, 6k) weights.
        E: (n, 6k) external wrenches.
        A: sparse (6kn, 6kn), block-diagonal over the frames. Column pairs are joints, named after
            their child; the root's pair is the residual wrench.
    """

    chain: SegmentTree
    motion: SegmentMotion
    residual_on: int
    M: Array
    acceleration: Array
    C: Array
    G: Array
    E: Array
    A: Any

    def solve(self) -> ChainForces:
        """Return the wrenches of all joints and frames from sparse solves."""
        n, k = len(self.motion), len(self.chain.segments)
        right = self.acceleration @ self.M - self.C - self.G - self.E
        parts = [
            self._solve(first, right[first : first + _AT_ONCE]) for first in range(0, n, _AT_ONCE)
        ]
        x = np.concatenate(parts).reshape(n, k, 2, 3)
        axes = self.motion.R.copy()  # those in which the moments came out
        axes[:, 0] = self.motion.R[:, self.residual_on]
        return ChainForces.about_joints(
            self.chain, self.motion, self.residual_on, x[:, :, 0], turn(axes, x[:, :, 1])
        )

    def _solve(self, first: int, right: Array) -> Array:
        """Return A⁻¹ right for the frames from `first` on; frames are independent."""
        rows = 2 * len(self.chain.segments)  # 3 × 3 blocks per frame
        start, stop = first * rows, (first + len(right)) * rows
        begin, end = self.A.indptr[start], self.A.indptr[stop]
        frames = scipy.sparse.bsr_array(
            (
                self.A.data[begin:end],
                self.A.indices[begin:end] - start,
                self.A.indptr[start : stop + 1] - begin,
            ),
            shape=(3 * (stop - start),) * 2,
        )
        # the order of the tree makes A (almost) block-triangular: no pivoting, no fill
        factors = scipy.sparse.linalg.splu(
            frames.tocsc(), permc_spec="NATURAL", diag_pivot_thresh=0.0, options={"Equil": False}
        )
        return np.asarray(factors.solve(right.ravel()))


def block_form(
    chain: SegmentTree, motion: SegmentMotion, external: External | None, residual_on: int = 0
) -> BlockForm:
    """Return the matrices of a chain for a motion under external wrenches."""
    motion = instance(motion, "motion", SegmentMotion).ordered(chain.names)
    n, k = len(motion), len(chain.segments)
    omega = turn_back(motion.R, motion.omega)
    rates = turn_back(motion.R, motion.alpha)
    gyroscopic = -cross(omega, turn(chain.inertias, omega))
    forces, moments = at_centres(chain, motion, external)
    weights = np.broadcast_to(chain.masses[:, None] * chain.gravity, (n, k, 3))
    none = np.zeros((n, k, 3))
    return BlockForm(
        chain,
        motion,
        residual_on,
        M=_inertia_blocks(chain),
        acceleration=_pairs(motion.point_accelerations(chain.coms), rates),
        C=_pairs(none, gyroscopic),
        G=_pairs(weights, none),
        E=_pairs(forces, turn_back(motion.R, moments)),
        A=_joint_blocks(chain, motion, residual_on),
    )


def _pairs(linear: Array, angular: Array) -> Array:
    """Return (n, 6k) of two (n, k, 3)."""
    return np.stack([linear, angular], axis=2).reshape(len(linear), -1)


def _inertia_blocks(chain: SegmentTree) -> Array:
    k = len(chain.segments)
    M = np.zeros((k, 2, 3, k, 2, 3))
    for i in range(k):
        M[i, 0, :, i, 0] = chain.masses[i] * np.eye(3)
        M[i, 1, :, i, 1] = chain.inertias[i]
    return M.reshape(6 * k, 6 * k)


def _joint_blocks(chain: SegmentTree, motion: SegmentMotion, residual_on: int) -> Any:
    """Return A: three blocks (force; lever, moment) for every end of every joint."""

    n, k = len(motion), len(chain.segments)
    c, p = motion.points(chain.coms), motion.points(chain.joints)
    ends = [(i, i, 1.0) for i in range(1, k)]  # (segment, joint, sign)
    ends += [(chain.parents[j], j, -1.0) for j in range(1, k)]
    ends += [(residual_on, 0, 1.0)]
    rows, columns, blocks = [], [], []
    for i, j, sign in ends:
        child = residual_on if j == 0 else j
        R_T = sign * np.swapaxes(motion.R[:, i], 1, 2)
        rows += [2 * i, 2 * i + 1, 2 * i + 1]
        columns += [2 * j, 2 * j, 2 * j + 1]
        blocks += [
            np.broadcast_to(sign * np.eye(3), (n, 3, 3)),
            R_T @ skew(p[:, child] - c[:, i]),
            R_T @ motion.R[:, child],
        ]
    order = np.lexsort((columns, rows))
    data = np.stack(blocks, axis=1)[:, order].reshape(-1, 3, 3)
    starts = 2 * k * np.arange(n)[:, None]
    indices = (np.array(columns)[order] + starts).ravel()
    counts = np.tile(np.bincount(rows, minlength=2 * k), n)
    indptr = np.concatenate([[0], np.cumsum(counts)])
    return scipy.sparse.bsr_array((data, indices, indptr), shape=(6 * k * n, 6 * k * n))


def at_centres(
    chain: SegmentTree, motion: SegmentMotion, external: External | None
) -> tuple[Array, Array]:
    """Return the sums of forces and of moments about the centres of mass, each (n, k, 3), world.

    Raises:
        ConfigurationError: no such segment, no `WrenchSeries`, or one of another length.
    """
    if not isinstance(external or {}, Mapping):
        raise ConfigurationError(
            f"external: got {type(external).__name__}; expected {{segment: WrenchSeries}}"
        )
    centres = motion.points(chain.coms)
    forces, moments = np.zeros_like(centres), np.zeros_like(centres)
    for name, given in (external or {}).items():
        i = chain.index(name)
        for item in given if isinstance(given, (list, tuple)) else [given]:
            wrench = instance(item, f"external[{name!r}]", WrenchSeries)
            if len(wrench) not in (1, len(motion)):
                raise ConfigurationError(
                    f"external[{name!r}]: got {len(wrench)} frames; the motion has {len(motion)}"
                )
            moved = wrench.at(centres[:, i]) if len(wrench) > 1 else _spread(wrench, centres[:, i])
            forces[:, i] += moved.force
            moments[:, i] += moved.moment
    return forces, moments


def _spread(wrench: WrenchSeries, points: Array) -> WrenchSeries:
    """One frame: the same in every frame."""
    force, moment, point = (
        np.broadcast_to(x[0], points.shape) for x in (wrench.force, wrench.moment, wrench.point)
    )
    return WrenchSeries(force, moment, point).at(points)
