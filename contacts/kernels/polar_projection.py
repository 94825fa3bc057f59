"""Projections of wrenches on the polar {y : −Bᵀy ∈ K*} of a cone {B x : x ∈ K}.

By the proximal method of `proximal.py` with ȳ = 0, ρ = 1 and c = 0: its y is the projection, and
‖y‖ the distance of b from the cone (J.-J. Moreau).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...arrays import Array
from ...dynamics.kernels.scalars import LANES, as_lanes, workspaces
from ...dynamics.kernels.toolchain import Kernel
from .proximal import FASTMATH, PROVEN, dual_violation, minimise, work_of, work_size

_ACCEPTED = 1e-9  # what the proof of a unit wrench's projection may leave open
_FIRST, _GROWTH, _LAST = 1e3, 1e2, 1e9  # σ, near from the start
_ROUNDS = 40


def polar_size(m, n):
    """Return how many numbers of memory `polar_projections` needs, in each lane."""
    return m * n + 2 * n + 3 * m + work_size(m, n) + 2


def polar_projections(B, cones, W, Y, proofs, memory):
    """Write the projection of each wrench on the polar of the cone {B x : x ∈ K}.

    Args:
        B: (m, n).
        cones: D, K, P.
        W: (N, m), of unit norm.
        Y: (N, m), is written.
        proofs: (N,), what its proof leaves open, is written.
        memory: of `polar_size` numbers a lane.
    """
    m, n = B.shape
    rows, zeros, x_, y_, w_, proof, flat = workspaces(
        memory, m * n, n + m, n, m, m, 1, work_size(m, n)
    )
    matrix, x, y, w = as_lanes(rows.reshape(m, n, LANES)), as_lanes(x_), as_lanes(y_), as_lanes(w_)
    c, nothing, work = as_lanes(zeros)[:n], as_lanes(zeros)[n:], work_of(flat, m, n)
    program = matrix, w, c, cones, x
    zeros[:] = 0.0
    for i in range(m):
        for j in range(n):
            matrix[i, j] = B[i, j]
    for i in range(len(W)):
        sigma, left = _FIRST, 1.0
        for j in range(n):
            x[j] = 0.0
        for k in range(m):
            w[k] = W[i, k]
            y[k] = W[i, k]
        for _ in range(_ROUNDS):
            minimise(program, (1.0, nothing, sigma), y, 1.0, work)
            as_lanes(proof)[0] = dual_violation(program, x, y, work[4])
            left = proof[0, 0]
            if left <= PROVEN:
                break
            sigma = min(sigma * _GROWTH, _LAST)
        proofs[i] = left
        for k in range(m):
            Y[i, k] = y_[k, 0]


POLAR_PROJECTIONS = Kernel(
    polar_projections,
    1,
    example=lambda: (
        *[np.empty((1, 1)), (1, 1, 1)],
        *[np.empty((1, 1))] * 2,
        *[np.empty(1)] * 2,
    ),
    each=0.01,
    inlined=400,
    fastmath=FASTMATH,
)


def polar_parts(
    kernel: Callable[..., None], B: Array, cones: tuple[int, int, int], w: Array
) -> Array:
    """Return the projections (N, m) of unit wrenches on that polar; nan where one is not proved.

    Args:
        kernel: `polar_projections`, compiled or not.
        B, cones: (m, n), and D, K, P.
        w: (N, m).
    """
    numbers: Any = polar_size
    y, proofs = np.empty_like(w), np.empty(len(w))
    kernel(B, cones, w, y, proofs, np.empty(LANES * int(numbers(*B.shape))))
    y[~(proofs <= _ACCEPTED)] = np.nan
    return y
