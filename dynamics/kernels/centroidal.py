"""Centre of mass, its Jacobian, and the centroidal map A_g: all in world axes.

With m_i, h_i and I_i of body i and all after it about the root's origin, joint i at unit velocity
gives them the momentum (f, n) = I_i S_i there, (f, n − c × f) at the centre of mass c. That is
column i of A_g, and f/m that of J_com.

Source: D. Orin, A. Goswami, S.-H. Lee, "Centroidal dynamics of a humanoid robot" (2013).
"""

from __future__ import annotations

from .body_table import FREE, PRISMATIC, as_bodies
from .crba import moment_and_inertia, store
from .inertia import add_symmetric, in_axes, shift
from .places import axes_of, joint_axis, origin_of, outwards, place_bodies, root_origin
from .rows import fill
from .spatial import add, cross, momentum, scale, sub


def composites_at_root(bodies, places, composites):
    """h and I of each body and all after it, about the root's origin, in the axes of places."""
    for i in range(len(bodies)):
        body, axes, p = bodies[i], axes_of(places, i), origin_of(places, i)
        h = outwards(axes, body.h)
        I = add_symmetric(in_axes(axes, body.I), shift(body.mass, h, p))
        store(composites, i, add(h, scale(body.mass, p)), I)
    for i in range(len(bodies) - 1, 0, -1):
        if bodies[i].parent >= 0:
            for k in range(9):
                composites[bodies[i].parent, k] += composites[i, k]


def joint_motion(bodies, places, i):
    """S_i at the root's origin."""
    z = joint_axis(places, i)
    if bodies[i].kind == PRISMATIC:
        return z, scale(0.0, z)
    return cross(origin_of(places, i), z), z


def root_motions(places, k):
    """S of the root's k-th sliding and k-th turning."""
    z = places[0, k], places[0, 3 + k], places[0, 6 + k]
    return (z, scale(0.0, z)), (scale(0.0, z), z)


def centroidal_map(bodies, q, A, work):
    """Fill A (6, nv); workspace (n, 21)."""
    places, composites = work[:, :12], work[:, 12:]
    place_bodies(bodies, range(1, len(bodies)), q, places)
    composites_at_root(bodies, places, composites)
    moment, _ = moment_and_inertia(composites, 0)
    c = scale(1.0 / bodies[0].subtree_mass, moment)
    for i in range(1, len(bodies)):
        h, I = moment_and_inertia(composites, i)
        put_momentum(
            A, bodies[i].v, c, bodies[i].subtree_mass, h, I, joint_motion(bodies, places, i)
        )
    if bodies[0].kind == FREE:
        h, I = moment_and_inertia(composites, 0)
        for k in range(3):
            sliding, turning = root_motions(places, k)
            put_momentum(A, k, c, bodies[0].subtree_mass, h, I, sliding)
            put_momentum(A, 3 + k, c, bodies[0].subtree_mass, h, I, turning)


def put_momentum(A, k, c, mass, h, I, motion):
    """A[:, k] = I S, at c."""
    f, n = momentum(mass, h, I, motion)
    n = sub(n, cross(c, f))
    for r in range(3):
        A[r, k], A[3 + r, k] = f[r], n[r]


def first_moments(bodies, q, places, moments):
    """Places of all bodies and h (n, 3) of each body and all after it, about the root's origin."""
    place_bodies(bodies, range(1, len(bodies)), q, places)
    for i in range(len(bodies)):
        h = add(
            outwards(axes_of(places, i), bodies[i].h),
            scale(bodies[i].mass, origin_of(places, i)),
        )
        moments[i, 0], moments[i, 1], moments[i, 2] = h
    for i in range(len(bodies) - 1, 0, -1):
        for k in range(3):
            moments[bodies[i].parent, k] += moments[i, k]


def com(bodies, q, c, work):
    """Fill c (3,); workspace (n, 15)."""
    places, moments = work[:, :12], work[:, 12:]
    first_moments(bodies, q, places, moments)
    origin, share = root_origin(bodies[0], q), 1.0 / bodies[0].subtree_mass
    for k in range(3):
        c[k] = origin[k] + share * moments[0, k]


def com_jacobian(bodies, q, J, work):
    """Fill J (3, nv): (m_i v + ω × h_i)/m for each joint's S = (v, ω); workspace (n, 15)."""
    places, moments = work[:, :12], work[:, 12:]
    first_moments(bodies, q, places, moments)
    share = 1.0 / bodies[0].subtree_mass
    for i in range(1, len(bodies)):
        v, w = joint_motion(bodies, places, i)
        h = moments[i, 0], moments[i, 1], moments[i, 2]
        column = scale(share, add(scale(bodies[i].subtree_mass, v), cross(w, h)))
        J[0, bodies[i].v], J[1, bodies[i].v], J[2, bodies[i].v] = column
    if bodies[0].kind == FREE:
        h = moments[0, 0], moments[0, 1], moments[0, 2]
        for k in range(3):
            (sliding, _), (_, turning) = root_motions(places, k)
            J[0, k], J[1, k], J[2, k] = sliding
            J[0, 3 + k], J[1, 3 + k], J[2, 3 + k] = scale(share, cross(turning, h))


def com_rows(table, Q, C, first, last, memory):
    """C[first:last] (N, 3); returns as `rows.fill`."""
    given = ((Q, as_bodies(table)[0].nq),)
    return fill(com, table, (), given, C, (3,), 15, first, last, memory)


def com_jacobian_rows(table, Q, J, first, last, memory):
    """J[first:last] (N, 3, nv); returns as `rows.fill`."""
    given = ((Q, as_bodies(table)[0].nq),)
    shape = 3, as_bodies(table)[0].nv
    return fill(com_jacobian, table, (), given, J, shape, 15, first, last, memory)


def centroidal_map_rows(table, Q, A, first, last, memory):
    """A[first:last] (N, 6, nv); returns as `rows.fill`."""
    given = ((Q, as_bodies(table)[0].nq),)
    shape = 6, as_bodies(table)[0].nv
    return fill(centroidal_map, table, (), given, A, shape, 21, first, last, memory)
