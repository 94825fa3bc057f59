"""The Coriolis matrix C @ v, by composite bodies.

In the root's axes, with S_j the motion of joint j, Ṡ_j = v_j × S_j, and of body i and all after it
I_i and B_i, the sums of I and of B x = ½ (v ×* I x − I (v × x) + x ×* I v): for each joint j and
each i between it and the root (j too),

    C_ij = S_i · (I_j Ṡ_j + B_j S_j)          C_ji = Ṡ_i · I_j S_j + S_i · B_jᵀ S_j

Off one branch C is zero. v_j is the twist of the body: of a ball joint with all its velocities. The
armature of a free root is a mass and an inertia of it.

Source: S. Echeandia, P. Wensing, "Numerical methods to compute the Coriolis matrix and Christoffel
symbols" (2021), algorithm 1.
"""

from __future__ import annotations

from .body_table import AXIS, BALL, FREE, as_bodies
from .centroidal import joint_motion
from .coriolis_chains import put_root_motions, twist_map
from .crba import moment_and_inertia, store
from .inertia import add_symmetric, in_axes, plus_diagonal, shift
from .places import axes_of, origin_of, outwards, place_at_root, place_body
from .rows import fill
from .spatial import (
    add,
    cross,
    cross_motion,
    dot,
    get,
    momentum,
    pairing,
    plus,
    put,
    root_motion,
    scale,
)


def outward(bodies, q, v, places, twists, motions, rates):
    """Places, twists v_i, motions S and their rates Ṡ, all in the root's axes at its origin."""
    place_at_root(places)
    put(twists, 0, root_motion(bodies[0], v))
    for i in range(1, len(bodies)):
        body = bodies[i]
        place_body(body, q, places, i)
        S, twist = joint_motion(bodies, places, i), get(twists, body.parent)
        if body.kind == BALL:
            k = body.v  # as in `spatial.with_velocity`
            w = outwards(axes_of(places, i), (v[k + 1], v[k + 2], v[k]))
            twist = plus(twist, (cross(origin_of(places, i), w), w))
        elif body.kind != AXIS:
            twist = plus(twist, (scale(v[body.v], S[0]), scale(v[body.v], S[1])))
        put(twists, i, twist)
        put(motions, body.v, S)
        put(rates, body.v, cross_motion(twist, S))
    if bodies[0].kind == FREE:
        put_root_motions(motions)
        for k in range(6):
            put(rates, k, cross_motion(get(twists, 0), get(motions, k)))


def composites(bodies, places, twists, inertias, maps):
    """I (n, 9) and B (n, 36), column by column, of each body and all after it."""
    for i in range(len(bodies)):
        body, axes, p, twist = bodies[i], axes_of(places, i), origin_of(places, i), get(twists, i)
        h, mass = outwards(axes, body.h), body.mass
        I = add_symmetric(in_axes(axes, body.I), shift(mass, h, p))
        h = add(h, scale(mass, p))
        if i == 0:  # which lies in its own axes
            mass = mass + body.armature
            I = plus_diagonal(I, body.armature)
        store(inertias, i, h, I)
        carried = momentum(mass, h, I, twist)
        for k in range(3):
            e = 1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0
            zero = scale(0.0, e)
            put_column(maps, i, k, twist_map(mass, h, I, twist, carried, (e, zero)))
            put_column(maps, i, 3 + k, twist_map(mass, h, I, twist, carried, (zero, e)))
    for i in range(len(bodies) - 1, 0, -1):
        for k in range(9):
            inertias[bodies[i].parent, k] += inertias[i, k]
        for k in range(36):
            maps[bodies[i].parent, k] += maps[i, k]


def put_column(maps, i, k, force):
    """Column k of B_i."""
    for r in range(3):
        maps[i, 6 * k + r], maps[i, 6 * k + 3 + r] = force[0][r], force[1][r]


def map_times(B, x):
    """B x of one row of maps."""
    f = scale(x[0][0], (B[0], B[1], B[2])), scale(x[0][0], (B[3], B[4], B[5]))
    for k in range(1, 6):
        y = x[k // 3][k % 3]
        f = plus(
            f,
            (
                scale(y, (B[6 * k], B[6 * k + 1], B[6 * k + 2])),
                scale(y, (B[6 * k + 3], B[6 * k + 4], B[6 * k + 5])),
            ),
        )
    return f


def map_transposed_times(B, x):
    """Bᵀ x of one row of maps: a force, like B x."""
    return (
        (column_dot(B, 0, x), column_dot(B, 1, x), column_dot(B, 2, x)),
        (column_dot(B, 3, x), column_dot(B, 4, x), column_dot(B, 5, x)),
    )


def column_dot(B, k, x):
    """Column k of B times x."""
    upper = dot((B[6 * k], B[6 * k + 1], B[6 * k + 2]), x[0])
    return upper + dot((B[6 * k + 3], B[6 * k + 4], B[6 * k + 5]), x[1])


def forces_of(mass, inertias, maps, i, S, rate):
    """I Ṡ + B S, I S and Bᵀ S of one motion of body i and all after it."""
    h, I = moment_and_inertia(inertias, i)
    forward = plus(momentum(mass, h, I, rate), map_times(maps[i], S))
    return forward, momentum(mass, h, I, S), map_transposed_times(maps[i], S)


def coriolis_matrix(bodies, x, C, work):
    """Fill C (nv, nv) along branches, zero elsewhere before, of x = (q, v); workspace (·, 75)."""
    q, v = x[: bodies[0].nq], x[bodies[0].nq :]
    places, twists, inertias, maps = work[:, :12], work[:, 12:18], work[:, 18:27], work[:, 27:63]
    motions, rates = work[:, 63:69], work[:, 69:]
    outward(bodies, q, v, places, twists, motions, rates)
    composites(bodies, places, twists, inertias, maps)
    for j in range(1, len(bodies)):
        own, mass = bodies[j].v, bodies[j].subtree_mass
        S, rate = get(motions, own), get(rates, own)
        forward, carried, back = forces_of(mass, inertias, maps, j, S, rate)
        C[own, own] = pairing(S, forward)
        i = bodies[j].parent
        while i > 0:
            k = bodies[i].v
            C[k, own] = pairing(get(motions, k), forward)
            C[own, k] = pairing(get(rates, k), carried) + pairing(get(motions, k), back)
            i = bodies[i].parent
        if bodies[0].kind == FREE:
            for k in range(6):
                C[k, own] = forward[k // 3][k % 3]
                C[own, k] = pairing(get(rates, k), carried) + back[k // 3][k % 3]
    if bodies[0].kind == FREE:
        mass = bodies[0].subtree_mass + bodies[0].armature
        for j in range(6):
            S, rate = get(motions, j), get(rates, j)
            forward, _, _ = forces_of(mass, inertias, maps, 0, S, rate)
            for k in range(6):
                C[k, j] = forward[k // 3][k % 3]


def coriolis_matrix_rows(table, Q, V, C, first, last, memory):
    """C[first:last] (N, nv, nv); returns as `rows.fill`."""
    nq, nv = as_bodies(table)[0].nq, as_bodies(table)[0].nv
    given = (Q, nq), (V, nv)
    return fill(coriolis_matrix, table, (), given, C, (nv, nv), 75, first, last, memory)
