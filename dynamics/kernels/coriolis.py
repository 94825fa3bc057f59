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

from .toolchain import Kernel


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


def turn(axis, c, s, R):
    """R = rotation about a unit axis (Rodrigues), from cos and sin."""
    x, y, z = axis
    d = 1.0 - c
    R[0, 0], R[0, 1], R[0, 2] = c + d * x * x, d * x * y - s * z, d * x * z + s * y
    R[1, 0], R[1, 1], R[1, 2] = d * x * y + s * z, c + d * y * y, d * y * z - s * x
    R[2, 0], R[2, 1], R[2, 2] = d * x * z - s * y, d * y * z + s * x, c + d * z * z


def joint_motion(kind, axis, q, R, p):
    """Where a joint at q (its own entries) puts its link: R, p in the frame before it."""
    for r in range(3):
        p[r] = 0.0
        for k in range(3):
            R[r, k] = 1.0 if r == k else 0.0
    if kind == 0:  # hinge
        turn(axis, math.cos(q[0]), math.sin(q[0]), R)
    elif kind == 1:  # hinge without limits: cos, sin
        turn(axis, q[0], q[1], R)
    elif kind == 2:  # slider
        for r in range(3):
            p[r] = q[0] * axis[r]
    elif kind == 3:  # translation
        for r in range(3):
            p[r] = q[r]
    elif kind == 4:  # ball: quaternion x y z w
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
    elif kind == 5:  # planar: x, y, cos, sin
        p[0], p[1] = q[0], q[1]
        turn((0.0, 0.0, 1.0), q[2], q[3], R)
    # a free joint stays where it is: C does not depend on where the base is, nor how it is turned


def joint_columns(kind, axis, R, p, first, S):
    """The joint's motions, constant in the axes of its link (at R, p): columns of S."""
    zero, at = (0.0, 0.0, 0.0), (p[0], p[1], p[2])
    if kind <= 2:
        z = (
            R[0, 0] * axis[0] + R[0, 1] * axis[1] + R[0, 2] * axis[2],
            R[1, 0] * axis[0] + R[1, 1] * axis[1] + R[1, 2] * axis[2],
            R[2, 0] * axis[0] + R[2, 1] * axis[1] + R[2, 2] * axis[2],
        )
        if kind == 2:
            put(S, first, z, zero)
        else:
            put(S, first, cross(at, z), z)
        return
    k = first
    for r in range(3):  # sliding along the axes
        if kind == 3 or kind == 6 or (kind == 5 and r < 2):
            put(S, k, (R[0, r], R[1, r], R[2, r]), zero)
            k += 1
    for r in range(3):  # turning about them
        if kind == 4 or kind == 6 or (kind == 5 and r == 2):
            z = (R[0, r], R[1, r], R[2, r])
            put(S, k, cross(at, z), z)
            k += 1


def moved_inertia(link, R, p, Y):
    """Y = the link's inertia at R, p, about the origin: R I Rᵀ and Steiner's terms."""
    m, first = link[15], (link[16], link[17], link[18])
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
        x = link[19] * R[r, 0] + link[20] * R[r, 1] + link[22] * R[r, 2]
        y = link[20] * R[r, 0] + link[21] * R[r, 1] + link[23] * R[r, 2]
        z = link[22] * R[r, 0] + link[23] * R[r, 1] + link[24] * R[r, 2]
        for k in range(r + 1):
            Y[e] = x * R[k, 0] + y * R[k, 1] + z * R[k, 2]
            Y[e] -= p[r] * h[k] + h[r] * p[k] + m * p[r] * p[k]
            if k == r:
                Y[e] += trace
            e += 1


def kinematics(joints, links, q, S, Y):
    """Joint columns S (6, nv) and composite inertias Y (n, 10)."""
    n = len(joints)
    R, p = np.empty((n, 3, 3)), np.empty((n, 3))
    Rj, pj, Rb, pb = np.empty((3, 3)), np.empty(3), np.empty((3, 3)), np.empty(3)
    for i in range(n):
        kind, parent, first_q, first_v = joints[i, 0], joints[i, 1], joints[i, 2], joints[i, 3]
        link = links[i]
        axis = (link[12], link[13], link[14])
        joint_motion(kind, axis, q[first_q:], Rj, pj)
        for r in range(3):  # before the joint's motion: parent, then placement
            if parent < 0:
                pb[r] = link[9 + r]
                for k in range(3):
                    Rb[r, k] = link[3 * r + k]
            else:
                a, b, c = R[parent, r, 0], R[parent, r, 1], R[parent, r, 2]
                pb[r] = p[parent, r] + a * link[9] + b * link[10] + c * link[11]
                for k in range(3):
                    Rb[r, k] = a * link[k] + b * link[3 + k] + c * link[6 + k]
        for r in range(3):
            p[i, r] = pb[r] + Rb[r, 0] * pj[0] + Rb[r, 1] * pj[1] + Rb[r, 2] * pj[2]
            for k in range(3):
                R[i, r, k] = Rb[r, 0] * Rj[0, k] + Rb[r, 1] * Rj[1, k] + Rb[r, 2] * Rj[2, k]
        joint_columns(kind, axis, R[i], p[i], first_v, S)
        moved_inertia(link, R[i], p[i], Y[i])
    for i in range(n - 1, -1, -1):
        if joints[i, 1] >= 0:
            for e in range(10):
                Y[joints[i, 1], e] += Y[i, e]


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


def coriolis_tensor(joints, links, starts, chains, joint_of, q, C):
    """Fill the entries of C (nv, nv, nv) along branches; those across must be zero already."""
    n, nv = len(joints), len(C)
    S, Y, P = np.empty((6, nv)), np.empty((n, 10)), np.empty((6, nv))
    s, F, X = np.empty((6, nv)), np.empty(6), np.empty((nv, nv))
    kinematics(joints, links, q, S, Y)
    for joint in range(n):
        chain = chains[starts[joint] : starts[joint + 1]]
        d, own, inertia = len(chain), joints[joint, 4], Y[joint]
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
                    earlier = b <= a or joint_of[k] == joint_of[j]
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
                        moved = c <= b or joint_of[k] == joint_of[j]
                        C[i, j, k] = entry(S, P, inertia, i, j, k, moved)


def _example():
    q = np.empty(0)
    q.setflags(write=False)  # that of a State
    row = np.empty(0, np.int64)
    return np.empty((0, 5), np.int64), np.empty((0, 25)), row, row, row, q, np.empty((0, 0, 0))


# arrays of one tree are a few hundred numbers long: no bounds checks, sums in any order
CORIOLIS_TENSOR = Kernel(
    coriolis_tensor,
    1,
    arrays=True,
    fastmath=("contract", "nsz", "reassoc", "nnan", "ninf", "arcp"),
    example=_example,
    each=1e-3,
)
