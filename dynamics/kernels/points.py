"""Jacobians and accelerations of points of bodies, from those of the joints that carry them.

The columns [v; ω] of all joints about the world's origin move a point at x with v + ω × x. With
[v; ω] and [a; α] the twist and the spatial acceleration of a joint in its axes R, the point at r
moves with u = v + ω × r, and its classical acceleration is a + α × r + ω × u.

A ball touches the ground at an arm from its middle that stays in the world as the ball turns: there
the body moves with u + ω × arm, and that velocity's rate is the middle's acceleration + α × arm.
"""

from __future__ import annotations

import numpy as np

from .toolchain import Kernel, read_only


def point_accelerations(T, motions, joints, points, arms, out):
    """Write the classical accelerations of points and the α of their bodies, world axes.

    Args:
        T: (joints, 3, 4), placements [R | p].
        motions: (joints, 2, 6), twists and spatial accelerations, in the joints' axes.
        joints: (K,), that carry the points.
        points: (K, 3), in the axes of their joint.
        arms: (K, 3), from there, world axes: they add α × arm.
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
        x, y, z = arms[k, 0], arms[k, 1], arms[k, 2]
        d, e, f = out[k, 1, 0], out[k, 1, 1], out[k, 1, 2]
        out[k, 0, 0] += e * z - f * y
        out[k, 0, 1] += f * x - d * z
        out[k, 0, 2] += d * y - e * x


def point_jacobians(S, T, carried, joints, points, arms, J):
    """Write [linear; angular] of points, world axes.

    Args:
        S: (6, nv), columns of the joints about the world's origin, linear first.
        T, joints, points, arms: as for `point_accelerations`.
        carried: (joints, nv), 1 for the columns that move a joint.
        J: (K, 6, nv), is written.
    """
    for k in range(len(joints)):
        i, x, y, z = joints[k], points[k, 0], points[k, 1], points[k, 2]
        p = T[i, 0, 0] * x + T[i, 0, 1] * y + T[i, 0, 2] * z
        q = T[i, 1, 0] * x + T[i, 1, 1] * y + T[i, 1, 2] * z
        r = T[i, 2, 0] * x + T[i, 2, 1] * y + T[i, 2, 2] * z
        p += T[i, 0, 3] + arms[k, 0]
        q += T[i, 1, 3] + arms[k, 1]
        r += T[i, 2, 3] + arms[k, 2]
        for j in range(S.shape[1]):
            moves, a, b, c = carried[i, j], S[3, j], S[4, j], S[5, j]
            J[k, 0, j] = moves * (S[0, j] + b * r - c * q)
            J[k, 1, j] = moves * (S[1, j] + c * p - a * r)
            J[k, 2, j] = moves * (S[2, j] + a * q - b * p)
            J[k, 3, j], J[k, 4, j], J[k, 5, j] = moves * a, moves * b, moves * c


POINT_ACCELERATIONS = Kernel(
    point_accelerations,
    1,
    example=lambda: (
        *(read_only(3), read_only(3), read_only(1, np.intp), read_only(2), read_only(2)),
        np.empty((0, 2, 3)),
    ),
    each=1e-5,
    seconds=1.0,
)
POINT_JACOBIANS = Kernel(
    point_jacobians,
    1,
    example=lambda: (
        *(read_only(2), read_only(3), read_only(2), read_only(1, np.intp)),
        *(read_only(2), read_only(2), np.empty((0, 6, 0))),
    ),
    each=1e-5,
    seconds=1.0,
)
