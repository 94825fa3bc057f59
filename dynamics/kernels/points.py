# mypy: disable-error-code="no-untyped-def, no-untyped-call"
"""Accelerations of points of bodies, from the motions of the joints that carry them.

With [v; ω] and [a; α] the twist and the spatial acceleration of a joint in its axes R, the point at
r moves with u = v + ω × r, and its classical acceleration is a + α × r + ω × u.
"""

from __future__ import annotations

import numpy as np

from .toolchain import Kernel


def point_accelerations(T, motions, joints, points, out):
    """Write the classical accelerations of points and the α of their bodies, world axes.

    Args:
        T: (joints, 3, 4), placements [R | p].
        motions: (joints, 2, 6), twists and spatial accelerations, in the joints' axes.
        joints: (K,), that carry the points.
        points: (K, 3), in the axes of their joint.
        out: (K, 2, 3), is written.
    """
    for k in range(len(joints)):
        i, x, y, z = joints[k], points[k, 0], points[k, 1], points[k, 2]
        p, q, r = motions[i, 0, 3], motions[i, 0, 4], motions[i, 0, 5]  # ω
        d, e, f = motions[i, 1, 3], motions[i, 1, 4], motions[i, 1, 5]  # α
        u = motions[i, 0, 0] + q * z - r * y
        v = motions[i, 0, 1] + r * x - p * z
        w = motions[i, 0, 2] + p * y - q * x
        a = motions[i, 1, 0] + e * z - f * y + q * w - r * v
        b = motions[i, 1, 1] + f * x - d * z + r * u - p * w
        c = motions[i, 1, 2] + d * y - e * x + p * v - q * u
        for j in range(3):
            out[k, 0, j] = T[i, j, 0] * a + T[i, j, 1] * b + T[i, j, 2] * c
            out[k, 1, j] = T[i, j, 0] * d + T[i, j, 1] * e + T[i, j, 2] * f


def _read(*shape, kind=float):
    """An array such as kernels read."""
    array = np.empty(shape, kind)
    array.setflags(write=False)
    return array


POINT_ACCELERATIONS = Kernel(
    point_accelerations,
    1,
    example=lambda: (
        *(_read(0, 3, 4), _read(0, 2, 6), _read(0, kind=np.intp), _read(0, 3)),
        np.empty((0, 2, 3)),
    ),
    each=1e-5,
    seconds=1.0,
)
