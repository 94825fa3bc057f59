"""Touch of feet: accelerations that no command explains, from how their legs moved, see `touch`.

Of a leg L, M_LL = K Kᵀ, whose foot moves along its normal with n = (n·J)_L,

    x = M_LL⁻¹ n,    α = x·(M Δa)_L,    1/m = x·n.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array, Index
from ...dynamics.kernels.toolchain import Kernel, read_only
from .minimum import cholesky, solve_factor, solve_transposed_factor

LIGHTEST = 1e-9  # 1/m of a foot that its leg cannot move along the normal [1/kg]


class Legs(NamedTuple):
    """Feet at the ends of legs, one a row.

    joints: (n,) that carry them. points, arms: (n, 3), as of `dynamics.kernels.points`.
    normals: (n, 3), in the axes of the joint, or of the world where `fixed` (n,).
    first: (n + 1,), where each leg begins in `entries`, those of v.
    """

    joints: Index
    points: Array
    arms: Array
    normals: Array
    fixed: NDArray[np.bool_]
    first: Index
    entries: Index


def turned(T, joint, x, out):
    """Write R x, x (3,) in the axes of a joint."""
    for i in range(3):
        out[i] = T[joint, i, 0] * x[0] + T[joint, i, 1] * x[1] + T[joint, i, 2] * x[2]


def normal_column(S, c, p, n):
    """n·(v + ω × p) = n·v + (p × n)·ω of column c."""
    return (
        n[0] * S[0, c] + n[1] * S[1, c] + n[2] * S[2, c]
        + (p[1] * n[2] - p[2] * n[1]) * S[3, c]
        + (p[2] * n[0] - p[0] * n[2]) * S[4, c]
        + (p[0] * n[1] - p[1] * n[0]) * S[5, c]
    )  # fmt: skip


def unplanned(M, S, T, otherwise, legs, share, felt, mass):
    """Take α of feet into `felt` (n,), low-passed, and write m (n,); 0 without a leg of its own.

    Args:
        M: (nv, nv).
        S: (6, nv), columns of the joints about the world's origin, linear first.
        T: (joints, 3, 4), placements [R | p].
        otherwise: Δa (nv,), by how much the accelerations were not those planned.
        legs: the feet.
        share: of the new α in the filtered one.
        felt, mass: are written.
    """
    p, n = np.empty(3), np.empty(3)
    for k in range(len(legs.joints)):
        joint, begin, size = legs.joints[k], legs.first[k], legs.first[k + 1] - legs.first[k]
        mass[k] = 0.0
        if size == 0:
            continue
        turned(T, joint, legs.points[k], p)
        turned(T, joint, legs.normals[k], n)
        for i in range(3):
            p[i] += T[joint, i, 3] + legs.arms[k, i]
            n[i] = legs.normals[k, i] if legs.fixed[k] else n[i]
        K = np.empty((1 + size, 1 + size))  # row 0 is not used, see `cholesky`
        along, forces, x = np.empty(1 + size), np.empty(1 + size), np.empty(1 + size)
        for i in range(size):
            row = legs.entries[begin + i]
            along[1 + i] = normal_column(S, row, p, n)
            x[1 + i], forces[1 + i] = along[1 + i], 0.0
            for c in range(len(otherwise)):
                forces[1 + i] += M[row, c] * otherwise[c]
            for j in range(i, size):
                K[1 + i, 1 + j] = M[row, legs.entries[begin + j]]
        cholesky(K)
        solve_transposed_factor(K, x)
        solve_factor(K, x)
        alpha, mobility = 0.0, 0.0
        for i in range(1, 1 + size):
            alpha += x[i] * forces[i]
            mobility += x[i] * along[i]
        felt[k] += share * (alpha - felt[k])
        mass[k] = 1.0 / max(mobility, LIGHTEST)


def _example() -> tuple[Any, ...]:
    table, index = np.empty((0, 3)), np.empty(0, np.intp)
    given = read_only(2), read_only(2), read_only(3)  # a State's
    row = np.empty(0)
    legs = Legs(index, table, table, table, np.empty(0, np.bool_), index, index)
    return *given, row, legs, 1.0, row, row


UNPLANNED = Kernel(unplanned, 1, arrays=True, example=_example, each=3e-4, seconds=2.0)
