"""The Coriolis tensor by recursion over chain pairs, compiled.

Everything in the axes of the root: joint motions S (nv, 6), composite inertias I. For i, j, k on
one branch, with the composite inertia of the deepest of their joints,

    C[i, j, k] = ½ S_i · (S_k ×* I S_j + S_j ×* I S_k ± I (S_k × S_j)),   + where k moves j's axis,

and zero across branches. For a deepest joint t of one degree of freedom the three entries with t in
them come from one product, X[b, a] = S_a · B S_b (`coriolis_chains`); an axis of a ball joint moves
those of its body before it too, so that S_a · I (t × S_b) is added there. Source: S. Echeandia,
P. Wensing, "Numerical methods to compute the Coriolis matrix and Christoffel symbols" (2021).
"""

from __future__ import annotations

import math

import numpy as np

from .body_table import (
    AXIS,
    BALL,
    CONTINUOUS,
    FREE,
    PLANAR,
    PRISMATIC,
    REVOLUTE,
    as_bodies,
)
from .centroidal import composites_at_root
from .coriolis_chains import entry, twist_map
from .crba import moment_and_inertia
from .places import (
    HERE,
    LEVEL,
    axes_of,
    inwards,
    origin_of,
    outwards,
    place_at_root,
    put_place,
    rows_of,
    turned,
)
from .spatial import add, cross, cross_motion, get, momentum, pairing, put
from .toolchain import Kernel, read_only


def product(A, B):
    """A B of rotations, as rows."""
    return inwards(B, A[0]), inwards(B, A[1]), inwards(B, A[2])


def about_z(c, s):
    """The rotation about z, as rows."""
    return (c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0)


def joint_place(kind, q):
    """Axes, as rows, and origin of a body whose joint is at q, in those of the joint at rest.

    A free base stays where it is: C does not depend on where the base is, nor how it is turned.
    """
    axes, origin = LEVEL, HERE
    if kind == REVOLUTE:
        axes = about_z(math.cos(q[0]), math.sin(q[0]))
    elif kind == CONTINUOUS:  # cos, sin
        axes = about_z(q[0], q[1])
    elif kind == PRISMATIC:
        origin = 0.0, 0.0, q[0]
    elif kind == BALL:  # quaternion x y z w of the joint, whose x is z here
        axes = turned(q[1], q[2], q[0], q[3])
    elif kind == PLANAR:  # x, y, cos, sin
        axes, origin = about_z(q[2], q[3]), (q[0], q[1], 0.0)
    return axes, origin


def place_body(body, q, places, i):
    """Body i from its parent, or from the world."""
    axes, origin = rows_of(body.R), (body.p[0], body.p[1], body.p[2])
    if body.parent >= 0:
        above = axes_of(places, body.parent)
        origin = add(origin_of(places, body.parent), outwards(above, origin))
        axes = product(above, axes)
    turn, way = joint_place(body.kind, q[body.q :])
    put_place(places, i, product(axes, turn), add(origin, outwards(axes, way)))


def joint_motions(body, places, i, S):
    """The motions of a joint, constant in the axes of its body, about the root: rows of S."""
    kind, k, p, R = body.kind, body.v, origin_of(places, i), axes_of(places, i)
    for r in range(3):  # sliding along the axes
        axis = R[0][r], R[1][r], R[2][r]
        plane, z = kind == PLANAR and r < 2, kind == PRISMATIC and r == 2
        if kind == FREE or plane or z:
            put(S, k, (axis, HERE))
            k += 1
    for r in range(3):  # turning about them
        axis = R[0][r], R[1][r], R[2][r]
        about = kind in (REVOLUTE, CONTINUOUS, BALL, AXIS, PLANAR) and r == 2
        if kind == FREE or about:
            put(S, k, (cross(p, axis), axis))
            k += 1


def square(mass, h, I, S, chain, s, X):
    """X[b, a] = s_a · B s_b of the motions s (6, d) of a chain, side by side for vectors."""
    d = len(chain)
    for b in range(d):
        for r in range(6):
            s[r, b] = S[chain[b], r]
    t = get(S, chain[d - 1])
    It = momentum(mass, h, I, t)
    for b in range(d):
        f, n = twist_map(mass, h, I, t, It, get(S, chain[b]))
        for a in range(d):
            sliding = f[0] * s[0, a] + f[1] * s[1, a] + f[2] * s[2, a]
            X[b, a] = sliding + n[0] * s[3, a] + n[1] * s[4, a] + n[2] * s[5, a]


def coriolis_tensor(table, chains, starts, q, C):
    """Fill the entries of C (nv, nv, nv) along branches; those across must be zero already."""
    bodies = as_bodies(table)
    n, nv = len(bodies), len(C)
    places, composites = np.empty((n, 12)), np.empty((n, 9))
    S, P, s, X = np.empty((nv, 6)), np.empty((nv, 6)), np.empty((6, nv)), np.empty((nv, nv))
    owner = np.empty(nv, np.int64)  # the first body of the joint that has a velocity
    place_at_root(places)
    for i in range(n):
        if i > 0:
            place_body(bodies[i], q, places, i)
        joint_motions(bodies[i], places, i, S)
        first = i
        if bodies[i].kind == AXIS:  # comes after the BALL or another AXIS
            first = owner[bodies[bodies[i].parent].v]
        for k in range(bodies[i].dofs):
            owner[bodies[i].v + k] = first
    composites_at_root(bodies, places, composites)
    for last in range(n):
        chain, mass = chains[starts[last] : starts[last + 1]], bodies[last].subtree_mass
        h, I = moment_and_inertia(composites, last)
        d, own = len(chain), bodies[last].dofs
        if own == 1:
            t = chain[d - 1]
            square(mass, h, I, S, chain, s, X)
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
            for k in chain[:-1]:
                if owner[k] == owner[t]:  # which t moves
                    force = momentum(mass, h, I, cross_motion(get(S, t), get(S, k)))
                    for i in chain:
                        C[i, k, t] += pairing(get(S, i), force)
            continue
        for k in chain:
            put(P, k, momentum(mass, h, I, get(S, k)))
        for a in range(d):
            for b in range(d):
                for c in range(d):
                    if max(a, b, c) >= d - own:
                        i, j, k = chain[a], chain[b], chain[c]
                        sign = 1.0 if c <= b or owner[k] == owner[j] else -1.0
                        x, y, z = get(S, i), get(S, j), get(S, k)
                        C[i, j, k] = entry(mass, h, I, x, y, z, get(P, j), get(P, k), sign)


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
