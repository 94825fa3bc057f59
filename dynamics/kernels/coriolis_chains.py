"""The Coriolis tensor of many configurations, by chains.

As in `coriolis`, with joints of one degree of freedom: in the root's axes, with t a joint, B its
composite inertia's map B x = ½ (t ×* I x − I (t × x) + x ×* I t), and s_1 … s_d = t the motions of
its chain (those of the root, then each joint down to t),

    X_t[b, a] = s_a · B s_b

has every entry of C in which t is the last joint:

    C[a, b, t] = C[a, t, b] = X_t[b, a],    C[t, a, b] = −X_t[b, a] if b is not after a, −X_t[a, b].

With the block of the root, those squares are the whole tensor: for TALOS 4,212 numbers of 54,872,
the others being zero or copies.

Source: S. Echeandia, P. Wensing, "Numerical methods to compute the Coriolis matrix and Christoffel
symbols" (2021).
"""

from __future__ import annotations

from .body_table import FREE, as_bodies
from .centroidal import composites_at_root, joint_motion
from .crba import moment_and_inertia
from .inertia import plus_diagonal
from .places import place_at_root, place_body
from .rows import fill
from .spatial import (
    add,
    cross_force,
    cross_motion,
    dot,
    get,
    minus,
    momentum,
    pairing,
    plus,
    put,
    scale,
)


def composites_and_motions(bodies, q, places, composites, motions):
    """Composite inertias (n, 9) and motions S (nv, 6) about the root, in its axes."""
    place_at_root(places)
    for i in range(1, len(bodies)):
        place_body(bodies[i], q, places, i)
        put(motions, bodies[i].v, joint_motion(bodies, places, i))
    composites_at_root(bodies, places, composites)
    if bodies[0].kind == FREE:
        put_root_motions(motions)


def put_root_motions(motions):
    """The motions of a free root, in its own axes."""
    for k in range(6):
        for r in range(6):
            motions[k, r] = 1.0 if r == k else 0.0


def twist_map(mass, h, I, t, It, x):
    """B x = ½ (t ×* I x − I (t × x) + x ×* I t), given I t."""
    moved = plus(cross_force(t, momentum(mass, h, I, x)), cross_force(x, It))
    f, n = minus(moved, momentum(mass, h, I, cross_motion(t, x)))
    return scale(0.5, f), scale(0.5, n)


def square(mass, h, I, motions, chain, X):
    """X[b, a] = s_a · B s_b (d, d) of one joint, the last of its chain of velocities."""
    d = len(chain)
    t = get(motions, chain[d - 1])
    It = momentum(mass, h, I, t)
    for b in range(d):
        force = twist_map(mass, h, I, t, It, get(motions, chain[b]))
        for a in range(d):
            X[b * d + a] = pairing(get(motions, chain[a]), force)


def entry(mass, h, I, x, y, z, Iy, Iz, sign):
    """½ x · (z ×* I y + y ×* I z ± I (z × y)) of motions, given I y and I z."""
    turned = momentum(mass, h, I, cross_motion(z, y))
    f = plus(cross_force(z, Iy), cross_force(y, Iz))
    linear = add(f[0], scale(sign, turned[0]))
    return 0.5 * (dot(x[0], linear) + dot(x[1], add(f[1], scale(sign, turned[1]))))


def root_entry(mass, h, I, motions, i, j, k):
    """C[i, j, k] of three motions of the root."""
    x, y, z = get(motions, i), get(motions, j), get(motions, k)
    return entry(mass, h, I, x, y, z, momentum(mass, h, I, y), momentum(mass, h, I, z), 1.0)


def chain_squares(bodies, chains, starts, q, X, work):
    """Fill X: the root's block (216, if it moves), then the square of each joint in order."""
    places, composites, motions = work[:, :12], work[:, 12:21], work[:, 21:]
    composites_and_motions(bodies, q, places, composites, motions)
    at = 0
    if bodies[0].kind == FREE:
        h, I = moment_and_inertia(composites, 0)
        mass, I = bodies[0].subtree_mass + bodies[0].armature, plus_diagonal(I, bodies[0].armature)
        for e in range(216):
            i, j, k = e // 36, e // 6 % 6, e % 6
            X[e] = root_entry(mass, h, I, motions, i, j, k)
        at = 216
    for i in range(1, len(bodies)):
        chain = chains[starts[i - 1] : starts[i]]
        h, I = moment_and_inertia(composites, i)
        size = len(chain) * len(chain)
        square(bodies[i].subtree_mass, h, I, motions, chain, X[at : at + size])
        at += size


def entries(bodies, starts):
    """How many numbers the root's block and the squares have."""
    count = 216 if bodies[0].kind == FREE else 0
    for i in range(1, len(bodies)):
        count += (starts[i] - starts[i - 1]) ** 2
    return count


def chain_squares_rows(table, chains, starts, Q, X, first, last, memory):
    """X[first:last] (N, entries); returns as `rows.fill`."""
    bodies = as_bodies(table)
    given, shape = ((Q, bodies[0].nq),), (entries(bodies, starts),)
    return fill(chain_squares, table, (chains, starts), given, X, shape, 27, first, last, memory)
