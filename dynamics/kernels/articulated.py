"""Articulated-body inertias: Y = [[A, H], [Hᵀ, I]], with A and I symmetric.

A and I are xx, xy, yy, xz, yz, zz, H has nine entries row by row; a motion (v, ω) needs the force
(A v + H ω, Hᵀ v + I ω).
"""

from __future__ import annotations

from .body_table import PRISMATIC
from .inertia import add_symmetric, plus_diagonal, symmetric_to_parent_axes
from .spatial import add, cross, scale, sub, symmetric, to_parent_axes


def rigid(body):
    """Y of one rigid body: A = m 1, H = −[h]×, I."""
    m, h, I = body.mass, body.h, body.I
    A = m, 0.0, m, 0.0, 0.0, m
    H = (0.0, h[2], -h[1]), (-h[2], 0.0, h[0]), (h[1], -h[0], 0.0)
    return A, H, (I[0], I[1], I[2], I[3], I[4], I[5])


def get_articulated(inertias, i):
    """(A, H, I) of row i, (n, 21)."""
    Y = inertias[i]
    A = Y[0], Y[1], Y[2], Y[3], Y[4], Y[5]
    H = (Y[6], Y[7], Y[8]), (Y[9], Y[10], Y[11]), (Y[12], Y[13], Y[14])
    return A, H, (Y[15], Y[16], Y[17], Y[18], Y[19], Y[20])


def put_articulated(inertias, i, Y):
    """Row i = (A, H, I)."""
    A, H, I = Y
    for k in range(6):
        inertias[i, k] = A[k]
        inertias[i, 15 + k] = I[k]
    for r in range(3):
        inertias[i, 6 + 3 * r], inertias[i, 7 + 3 * r], inertias[i, 8 + 3 * r] = H[r]


def plus_articulated(Y, Z):
    """Y + Z."""
    H = add(Y[1][0], Z[1][0]), add(Y[1][1], Z[1][1]), add(Y[1][2], Z[1][2])
    return add_symmetric(Y[0], Z[0]), H, add_symmetric(Y[2], Z[2])


def rows_times(H, x):
    """H x."""
    return (
        H[0][0] * x[0] + H[0][1] * x[1] + H[0][2] * x[2],
        H[1][0] * x[0] + H[1][1] * x[1] + H[1][2] * x[2],
        H[2][0] * x[0] + H[2][1] * x[1] + H[2][2] * x[2],
    )


def transposed(H):
    """Hᵀ."""
    return (H[0][0], H[1][0], H[2][0]), (H[0][1], H[1][1], H[2][1]), (H[0][2], H[1][2], H[2][2])


def times(Y, motion):
    """The force Y x."""
    A, H, I = Y
    v, w = motion
    f = add(symmetric(A, v), rows_times(H, w))
    return f, add(rows_times(transposed(H), v), symmetric(I, w))


def joint_column(body, Y):
    """U = Y S."""
    A, H, I = Y
    if body.kind == PRISMATIC:
        return (A[3], A[4], A[5]), H[2]
    return (H[0][2], H[1][2], H[2][2]), (I[3], I[4], I[5])


def with_rotor(Y, a):
    """Y + a 1."""
    A, H, I = Y
    return plus_diagonal(A, a), H, plus_diagonal(I, a)


def without_joint(Y, U, inverse):
    """Y − U Uᵀ / D."""
    A, H, I = Y
    f, n = U
    sf, sn = scale(inverse, f), scale(inverse, n)
    return (
        minus_square(A, f, sf),
        (sub(H[0], scale(sf[0], n)), sub(H[1], scale(sf[1], n)), sub(H[2], scale(sf[2], n))),
        minus_square(I, n, sn),
    )


def minus_square(A, x, y):
    """A − x yᵀ where x yᵀ is symmetric."""
    return (
        A[0] - x[0] * y[0],
        A[1] - x[0] * y[1],
        A[2] - x[1] * y[1],
        A[3] - x[0] * y[2],
        A[4] - x[1] * y[2],
        A[5] - x[2] * y[2],
    )


def shifted(Y, r):
    """Y seen from an origin from which this one is at r: H + [r]× A…, as v here is v + ω × r."""
    A, H, I = Y
    G = (
        add(H[0], cross(r, (A[0], A[1], A[3]))),
        add(H[1], cross(r, (A[1], A[2], A[4]))),
        add(H[2], cross(r, (A[3], A[4], A[5]))),
    )
    s = add(G[0], H[0]), add(G[1], H[1]), add(G[2], H[2])
    # I + [r]× G + ([r]× H)ᵀ
    I = (
        I[0] + r[1] * s[2][0] - r[2] * s[1][0],
        I[1] + r[1] * G[2][1] - r[2] * G[1][1] + r[2] * H[0][0] - r[0] * H[2][0],
        I[2] + r[2] * s[0][1] - r[0] * s[2][1],
        I[3] + r[1] * G[2][2] - r[2] * G[1][2] + r[0] * H[1][0] - r[1] * H[0][0],
        I[4] + r[2] * G[0][2] - r[0] * G[2][2] + r[0] * H[1][1] - r[1] * H[0][1],
        I[5] + r[0] * s[1][2] - r[1] * s[0][2],
    )
    return A, G, I


def matrix_to_parent_axes(body, joint, H):
    """R H Rᵀ."""
    H = (
        to_parent_axes(body, joint, H[0]),
        to_parent_axes(body, joint, H[1]),
        to_parent_axes(body, joint, H[2]),
    )
    H = transposed(H)
    H = (
        to_parent_axes(body, joint, H[0]),
        to_parent_axes(body, joint, H[1]),
        to_parent_axes(body, joint, H[2]),
    )
    return transposed(H)


def articulated_to_parent(body, joint, Y):
    """Xᵀ Y X: the child's inertia at the parent's origin, in its axes."""
    if body.kind == PRISMATIC:
        Y = shifted(Y, (0.0, 0.0, joint[0][0]))
    A, H, I = Y
    A, I = symmetric_to_parent_axes(body, joint, A), symmetric_to_parent_axes(body, joint, I)
    return shifted((A, matrix_to_parent_axes(body, joint, H), I), body.p)


def solve_root(Y, tau, force, system):
    """x with Y x = τ − p for the six of the root, by elimination in system (6, 7)."""
    A, H, I = Y
    full_A, full_I = full(A), full(I)
    for r in range(3):
        for k in range(3):
            system[r, k], system[3 + r, 3 + k] = full_A[r][k], full_I[r][k]
            system[r, 3 + k], system[3 + k, r] = H[r][k], H[r][k]
        system[r, 6], system[3 + r, 6] = tau[r] - force[0][r], tau[3 + r] - force[1][r]
    for k in range(6):  # positive definite: no pivots
        inverse = 1.0 / system[k, k]
        for c in range(k + 1, 7):
            system[k, c] = system[k, c] * inverse
        for r in range(k + 1, 6):
            for c in range(k + 1, 7):
                system[r, c] -= system[r, k] * system[k, c]
    for k in range(5, 0, -1):
        for r in range(k):
            system[r, 6] -= system[r, k] * system[k, 6]
    return (system[0, 6], system[1, 6], system[2, 6]), (system[3, 6], system[4, 6], system[5, 6])


def full(A):
    """Rows of a symmetric matrix."""
    return (A[0], A[1], A[3]), (A[1], A[2], A[4]), (A[3], A[4], A[5])
