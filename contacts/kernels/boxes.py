"""Broad phase of collision detection: pairs of oriented boxes that may be near each other.

Two boxes with half sizes a and b, R and t the axes and the middle of the second one in the axes of
the first, are apart by more than d where a direction shows it: of the faces of one of them, or
normal to an edge of each,

    |t_i| > a_i + Σ_j |R_ij| b_j + d,   |(Rᵀt)_j| > b_j + Σ_i |R_ij| a_i + d,   |(e_i × R_j)·t| > …

S. Gottschalk, M. Lin, D. Manocha, "OBBTree: a hierarchical structure for rapid interference
detection" (1996).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...dynamics.kernels.toolchain import Kernel

_PARALLEL = 1e-12  # tolerance: of parallel edges the cross product is but rounding


def near_boxes(T, link, local, half, pairs, keep, found):
    """Mark the pairs of boxes that may be nearer than `keep`.

    Args:
        T: (N, L, 4, 4), placements of links.
        link: (S,), that carries each box.
        local: (S, 3, 4), axes and middles of boxes in the link; half: (S, 3), their half sizes.
        pairs: (P, 2), of boxes; keep: (P,), distances.
        found: (N, P), is written.
    """
    count = len(link)
    middle, axes, R, t = (
        np.empty((count, 3)),
        np.empty((count, 3, 3)),
        np.empty((3, 3)),
        np.empty(3),
    )
    for s in range(len(T)):
        for i in range(count):
            place(T[s, link[i]], local[i], middle[i], axes[i])
        for p in range(len(pairs)):
            i, j = pairs[p]
            reach, gap = keep[p], 0.0
            for k in range(3):
                away = middle[j, k] - middle[i, k]
                gap += away * away
            most = reach + length(half[i]) + length(half[j])
            found[s, p] = gap < most * most
            if found[s, p]:
                relate(middle[i], axes[i], middle[j], axes[j], R, t)
                found[s, p] = not separated(R, t, half[i], half[j], reach)


def place(T, local, middle, axes):
    """Write where a box is."""
    for r in range(3):
        middle[r] = T[r, 3]
        for k in range(3):
            middle[r] += T[r, k] * local[k, 3]
        for c in range(3):
            axes[r, c] = 0.0
            for k in range(3):
                axes[r, c] += T[r, k] * local[k, c]


def length(x):
    """‖x‖ of three numbers."""
    return math.sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2])


def relate(p, A, q, B, R, t):
    """Write R = Aᵀ B and t = Aᵀ (q − p)."""
    for i in range(3):
        t[i] = 0.0
        for k in range(3):
            t[i] += A[k, i] * (q[k] - p[k])
        for j in range(3):
            R[i, j] = 0.0
            for k in range(3):
                R[i, j] += A[k, i] * B[k, j]


def separated(R, t, a, b, reach):
    """Whether a direction shows that the boxes are apart by more than `reach`."""
    for i in range(3):
        size, along, extent = a[i] + reach, 0.0, b[i] + reach
        for k in range(3):
            size += abs(R[i, k]) * b[k]
            along += R[k, i] * t[k]
            extent += abs(R[k, i]) * a[k]
        if abs(t[i]) > size or abs(along) > extent:
            return True
    for i in range(3):
        k, m = (i + 1) % 3, (i + 2) % 3
        for j in range(3):
            u, v = (j + 1) % 3, (j + 2) % 3
            size = a[k] * abs(R[m, j]) + a[m] * abs(R[k, j]) + b[u] * abs(R[i, v])
            size += b[v] * abs(R[i, u]) + reach + _PARALLEL
            if abs(t[m] * R[k, j] - t[k] * R[m, j]) > size:
                return True
    return False


def _example() -> tuple[Any, ...]:
    found, index = np.empty((0, 0), dtype=bool), np.empty(0, dtype=np.intp)
    boxes = np.empty((0, 0, 0)), np.empty((0, 0))
    return np.empty((0, 0, 0, 0)), index, *boxes, index.reshape(0, 1), np.empty(0), found


NEAR_BOXES = Kernel(near_boxes, 1, arrays=True, example=_example, each=2e-3, seconds=3.0)
