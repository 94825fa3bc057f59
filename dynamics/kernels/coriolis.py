# mypy: disable-error-code="no-untyped-def, misc, no-untyped-call"
"""The Coriolis tensor by recursion over chain pairs, compiled.

Everything in the axes of the root: joint columns S (6, nv), composite inertias I. For i, j, k on
one branch, with the composite inertia of the deepest of their joints,

    C[i, j, k] = ½ S_i · (S_k ×* I S_j + S_j ×* I S_k ± I (S_k × S_j)),   + where k moves j's axis,

and zero across branches. For a deepest joint t of one degree of freedom the three entries with t in
them come from one product, X[b, a] = S_a · B S_b. Source: S. Echeandia, P. Wensing, "Numerical
methods to compute the Coriolis matrix and Christoffel symbols" (2021).
"""

from __future__ import annotations

import math

import numpy as np

from .body_table import (
    CONTINUOUS,
    FREE,
    PLANAR,
    PRISMATIC,
    REVOLUTE,
    SPHERICAL,
    TRANSLATION,
    as_bodies,
)
from .toolchain import Kernel, read_only


def cross(a, b):
    """a × b."""
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


def column(A, k, row):
    """Three entries of a column, from a row on."""
    return A[row, k], A[row + 1, k], A[row + 2, k]


def put(A, k, linear, angular):
    """A[:, k] = [linear; angular]."""
    for r in range(3):
        A[r, k] = linear[r]
        A[3 + r, k] = angular[r]


def momentum(Y, v, w):
    """I [v; w] for Y = m, m c (3), Ixx, Ixy, Iyy, Ixz, Iyz, Izz: (linear, angular)."""
    h = (Y[1], Y[2], Y[3])
    x, y = cross(w, h), cross(h, v)
    linear = (Y[0] * v[0] + x[0], Y[0] * v[1] + x[1], Y[0] * v[2] + x[2])
    angular = (
        Y[4] * w[0] + Y[5] * w[1] + Y[7] * w[2] + y[0],
        Y[5] * w[0] + Y[6] * w[1] + Y[8] * w[2] + y[1],
        Y[7] * w[0] + Y[8] * w[1] + Y[9] * w[2] + y[2],
    )
    return linear, angular


def turn(c, s, R):
    """R = rotation about z, from cos and sin, where R is the identity."""
    R[0, 0], R[0, 1] = c, -s
    R[1, 0], R[1, 1] = s, c


def joint_motion(kind, q, R, p):
    """R, p of a body whose joint is at q (its own entries), in the joint's frame at rest."""
    for r in range(3):
        p[r] = 0.0
        for k in range(3):
            R[r, k] = 1.0 if r == k else 0.0
    if kind == REVOLUTE:
        turn(math.cos(q[0]), math.sin(q[0]), R)
    elif kind == CONTINUOUS:  # cos, sin
        turn(q[0], q[1], R)
    elif kind == PRISMATIC:
        p[2] = q[0]
    elif kind == TRANSLATION:
        for r in range(3):
            p[r] = q[r]
    elif kind == SPHERICAL:  # quaternion x y z w
        x, y, z, w = q[0], q[1], q[2], q[3]
        R[0, 0], R[0, 1], R[0, 2] = (
            1 - 2 * (y * y + z * z),
            2 * (x * y - z * w),
            2 * (x * z + y * w),
        )
        R[1, 0], R[1, 1], R[1, 2] = (
            2 * (x * y + z * w),
            1 - 2 * (x * x + z * z),
            2 * (y * z - x * w),
        )
        R[2, 0], R[2, 1], R[2, 2] = (
            2 * (x * z - y * w),
            2 * (y * z + x * w),
            1 - 2 * (x * x + y * y),
        )
    elif kind == PLANAR:  # x, y, cos, sin
        p[0], p[1] = q[0], q[1]
        turn(q[2], q[3], R)
    # a free base stays where it is: C does not depend on where the base is, nor how it is turned


def joint_columns(kind, R, p, first, S):
    """The joint's motions, constant in the axes of its body (at R, p): columns of S."""
    zero, at = (0.0, 0.0, 0.0), (p[0], p[1], p[2])
    k = first
    for r in range(3):  # sliding along the axes
        plane, z = kind == PLANAR and r < 2, kind == PRISMATIC and r == 2
        if kind in (TRANSLATION, FREE) or plane or z:
            put(S, k, (R[0, r], R[1, r], R[2, r]), zero)
            k += 1
    for r in range(3):  # turning about them
        about_z = kind in (REVOLUTE, CONTINUOUS, PLANAR)
        if kind in (SPHERICAL, FREE) or (about_z and r == 2):
            axis = (R[0, r], R[1, r], R[2, r])
            put(S, k, cross(at, axis), axis)
            k += 1


def moved_inertia(body, R, p, Y):
    """Y = the body's inertia at R, p, about the origin: R I Rᵀ and Steiner's terms."""
    m, first, about = body.mass, (body.h[0], body.h[1], body.h[2]), body.I
    h = (
        R[0, 0] * first[0] + R[0, 1] * first[1] + R[0, 2] * first[2],
        R[1, 0] * first[0] + R[1, 1] * first[1] + R[1, 2] * first[2],
        R[2, 0] * first[0] + R[2, 1] * first[1] + R[2, 2] * first[2],
    )
    Y[0] = m
    for r in range(3):
        Y[1 + r] = h[r] + m * p[r]
    trace = 2.0 * (p[0] * h[0] + p[1] * h[1] + p[2] * h[2])
    trace += m * (p[0] * p[0] + p[1] * p[1] + p[2] * p[2])
    e = 4
    for r in range(3):
        x = about[0] * R[r, 0] + about[1] * R[r, 1] + about[3] * R[r, 2]
        y = about[1] * R[r, 0] + about[2] * R[r, 1] + about[4] * R[r, 2]
        z = about[3] * R[r, 0] + about[4] * R[r, 1] + about[5] * R[r, 2]
        for k in range(r + 1):
            Y[e] = x * R[k, 0] + y * R[k, 1] + z * R[k, 2]
            Y[e] -= p[r] * h[k] + h[r] * p[k] + m * p[r] * p[k]
            if k == r:
                Y[e] += trace
            e += 1


def kinematics(bodies, q, S, Y):
    """Joint columns S (6, nv) and composite inertias Y (n, 10)."""
    n = len(bodies)
    R, p = np.empty((n, 3, 3)), np.empty((n, 3))
    Rj, pj, Rb, pb = np.empty((3, 3)), np.empty(3), np.empty((3, 3)), np.empty(3)
    for i in range(n):
        body, parent = bodies[i], bodies[i].parent
        joint_motion(body.kind, q[body.q :], Rj, pj)
        for r in range(3):  # before the joint's motion: parent, then placement
            if i == 0:
                pb[r] = 0.0
                for k in range(3):
                    Rb[r, k] = 1.0 if r == k else 0.0
            elif parent < 0:
                pb[r] = body.p[r]
                for k in range(3):
                    Rb[r, k] = body.R[3 * r + k]
            else:
                a, b, c = R[parent, r, 0], R[parent, r, 1], R[parent, r, 2]
                pb[r] = p[parent, r] + a * body.p[0] + b * body.p[1] + c * body.p[2]
                for k in range(3):
                    Rb[r, k] = a * body.R[k] + b * body.R[3 + k] + c * body.R[6 + k]
        for r in range(3):
            p[i, r] = pb[r] + Rb[r, 0] * pj[0] + Rb[r, 1] * pj[1] + Rb[r, 2] * pj[2]
            for k in range(3):
                R[i, r, k] = Rb[r, 0] * Rj[0, k] + Rb[r, 1] * Rj[1, k] + Rb[r, 2] * Rj[2, k]
        joint_columns(body.kind, R[i], p[i], body.v, S)
        moved_inertia(body, R[i], p[i], Y[i])
    for i in range(n - 1, 0, -1):
        parent = bodies[i].parent
        if parent >= 0:
            for e in range(10):
                Y[parent, e] += Y[i, e]


def entry(S, P, Y, i, j, k, moved):
    """½ S_i · (S_k ×* I S_j + S_j ×* I S_k ± I (S_k × S_j)) by its definition; P = I S."""
    vk, wk, vj, wj = column(S, k, 0), column(S, k, 3), column(S, j, 0), column(S, j, 3)
    fj, tj, fk, tk = column(P, j, 0), column(P, j, 3), column(P, k, 0), column(P, k, 3)
    a, b, c = cross(wk, fj), cross(wk, tj), cross(vk, fj)
    d, e, f = cross(wj, fk), cross(wj, tk), cross(vj, fk)
    x, y, w = cross(wk, vj), cross(vk, wj), cross(wk, wj)
    linear, angular = momentum(Y, (x[0] + y[0], x[1] + y[1], x[2] + y[2]), w)
    sign, total = 1.0 if moved else -1.0, 0.0
    for r in range(3):
        total += S[r, i] * (a[r] + d[r] + sign * linear[r])
        total += S[3 + r, i] * (b[r] + c[r] + e[r] + f[r] + sign * angular[r])
    return 0.5 * total


def products(s, Y, d, F, X):
    """X[b, a] = s_a · B s_b of s (6, d), with t its last column:

    B x = ½ (t ×* I x − I (t × x) + x ×* I t).
    """
    v, w = column(s, d - 1, 0), column(s, d - 1, 3)
    f, t = momentum(Y, v, w)
    for b in range(d):
        u, g = column(s, b, 0), column(s, b, 3)
        x, z = momentum(Y, u, g)
        y1, y2 = cross(w, u), cross(v, g)
        y = (y1[0] + y2[0], y1[1] + y2[1], y1[2] + y2[2])
        i, j = momentum(Y, y, cross(w, g))
        a1, a2, a3 = cross(w, x), cross(w, z), cross(v, x)
        c1, c2, c3 = cross(g, f), cross(g, t), cross(u, f)
        for r in range(3):
            F[r] = 0.5 * (a1[r] - i[r] + c1[r])
            F[3 + r] = 0.5 * (a2[r] + a3[r] - j[r] + c2[r] + c3[r])
        for a in range(d):
            X[b, a] = (
                F[0] * s[0, a]
                + F[1] * s[1, a]
                + F[2] * s[2, a]
                + F[3] * s[3, a]
                + F[4] * s[4, a]
                + F[5] * s[5, a]
            )


def coriolis_tensor(table, chains, starts, q, C):
    """Fill the entries of C (nv, nv, nv) along branches; those across must be zero already."""
    bodies = as_bodies(table)
    n, nv = len(bodies), len(C)
    S, Y, P = np.empty((6, nv)), np.empty((n, 10)), np.empty((6, nv))
    s, F, X = np.empty((6, nv)), np.empty(6), np.empty((nv, nv))
    kinematics(bodies, q, S, Y)
    owner = np.empty(nv, np.int64)  # the body whose joint has a velocity
    for i in range(n):
        for k in range(bodies[i].dofs):
            owner[bodies[i].v + k] = i
    for last in range(n):
        chain = chains[starts[last] : starts[last + 1]]
        d, own, inertia = len(chain), bodies[last].dofs, Y[last]
        if own == 1:
            t = chain[d - 1]
            for b in range(d):
                for r in range(6):
                    s[r, b] = S[r, chain[b]]
            products(s, inertia, d, F, X)
            for a in range(d):
                i = chain[a]
                for b in range(d):  # t moves nothing but itself
                    C[i, chain[b], t] = X[b, a]
                    C[i, t, chain[b]] = X[b, a]
            for a in range(d - 1):
                j = chain[a]
                for b in range(d - 1):
                    k = chain[b]
                    earlier = b <= a or owner[k] == owner[j]
                    C[t, j, k] = -X[b, a] if earlier else -X[a, b]
            continue
        for b in range(d):
            linear, angular = momentum(inertia, column(S, chain[b], 0), column(S, chain[b], 3))
            put(P, chain[b], linear, angular)
        for a in range(d):
            for b in range(d):
                for c in range(d):
                    if max(a, b, c) >= d - own:
                        i, j, k = chain[a], chain[b], chain[c]
                        moved = c <= b or owner[k] == owner[j]
                        C[i, j, k] = entry(S, P, inertia, i, j, k, moved)


def _example():
    row = np.empty(0, np.int64)
    return read_only(1, np.uint8), row, row, read_only(1), np.empty((0, 0, 0))


# arrays of one tree are a few hundred numbers long: no bounds checks, sums in any order
CORIOLIS_TENSOR = Kernel(
    coriolis_tensor,
    1,
    arrays=True,
    fastmath=("contract", "nsz", "reassoc", "nnan", "ninf", "arcp"),
    example=_example,
    each=1e-3,
)
