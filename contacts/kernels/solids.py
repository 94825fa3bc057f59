"""The nearest of many half-spaces and boxes: signed distances of points, and outward normals.

With x = Rᵀ (p − o), a point in a solid's own axes, and half sides a,

    half-space: d = x_3;        box: e = |x| − a,    d = ‖max(e, 0)‖ + min(max_i e_i, 0).

The normal is ∂d/∂p: out of a box from its nearest point; inside, out of its nearest side.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...dynamics.kernels.toolchain import Kernel


class FlatSolids(NamedTuple):
    """Half-spaces and boxes.

    numbers: (n,), which solids of the terrain. placements: (n, 3, 4), [R | o] of the face or the
    middle. half: (n, 3), half sides [m]; inf of half-spaces.
    """

    numbers: NDArray[np.intp]
    placements: NDArray[np.float64]
    half: NDArray[np.float64]


def own_axes(T, p):
    """Return x."""
    a, b, c = p[0] - T[0, 3], p[1] - T[1, 3], p[2] - T[2, 3]
    return (
        T[0, 0] * a + T[1, 0] * b + T[2, 0] * c,
        T[0, 1] * a + T[1, 1] * b + T[2, 1] * c,
        T[0, 2] * a + T[1, 2] * b + T[2, 2] * c,
    )


def excess(x, half):
    """Return e."""
    return abs(x[0]) - half[0], abs(x[1]) - half[1], abs(x[2]) - half[2]


def distance(x, half):
    """Return d."""
    if half[0] == np.inf:
        return x[2]
    e, f, g = excess(x, half)
    a, b, c = max(e, 0.0), max(f, 0.0), max(g, 0.0)
    return math.sqrt(a * a + b * b + c * c) + min(max(e, f, g), 0.0)


def normal(x, half):
    """Return ∂d/∂x."""
    if half[0] == np.inf:
        return 0.0, 0.0, 1.0
    e, f, g = excess(x, half)
    a, b, c = max(e, 0.0), max(f, 0.0), max(g, 0.0)
    size = math.sqrt(a * a + b * b + c * c)
    if size == 0.0:
        size, inner = 1.0, max(e, f, g)
        a = 1.0 if e == inner else 0.0
        b = 1.0 if f == inner and a == 0.0 else 0.0
        c = 1.0 - a - b
    return (
        (-a if x[0] < 0 else a) / size,
        (-b if x[1] < 0 else b) / size,
        (-c if x[2] < 0 else c) / size,
    )


def nearest(points, solids, found, owner, normals):
    """Write of points (n, 3) the distances to the nearest solids (n,), their numbers, and normals.

    Of solids as near as each other the first.
    """
    for k in range(len(points)):
        best, first = np.inf, 0
        for i in range(len(solids.half)):
            d = distance(own_axes(solids.placements[i], points[k]), solids.half[i])
            if d < best:
                best, first = d, i
        found[k], owner[k], T = best, solids.numbers[first], solids.placements[first]
        n = normal(own_axes(T, points[k]), solids.half[first])
        for r in range(3):
            normals[k, r] = T[r, 0] * n[0] + T[r, 1] * n[1] + T[r, 2] * n[2]


def _example() -> tuple[Any, ...]:
    table, index = np.empty((0, 3)), np.empty(0, np.intp)
    points = table.copy()
    points.flags.writeable = False
    return points, FlatSolids(index, np.empty((0, 3, 4)), table), np.empty(0), index, table


NEAREST = Kernel(nearest, 1, example=_example, each=5e-6, seconds=2.0)
