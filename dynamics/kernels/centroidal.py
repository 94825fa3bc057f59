# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# ruff: noqa: E741 (I is the letter of inertia)
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
from .places import axes_of, joint_axis, origin_of, outwards, place_body, place_root, root_origin
from .rows import DONE, MISFIT, fits, gather, scatter, valid
from .scalars import LANES, as_lanes, workspaces
from .spatial import add, cross, momentum, scale, sub


def place_all(bodies, q, places):
    """Place the root and every body, in world axes."""
    place_root(bodies[0], q, places)
    for i in range(1, len(bodies)):
        place_body(bodies[i], q, places, i)


def composites_at_root(bodies, places, composites):
    """h and I of each body and all after it, about the root's origin, in the axes of places."""
    for i in range(len(bodies)):
        body, axes, p = bodies[i], axes_of(places, i), origin_of(places, i)
        h = outwards(axes, body.h)
        I = add_symmetric(in_axes(axes[0], axes[1], axes[2], body.I), shift(body.mass, h, p))
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


def centroidal_map(bodies, q, A, places, composites):
    """Fill A (6, nv); workspace: places (n, 12), composites (n, 9)."""
    place_all(bodies, q, places)
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
    place_all(bodies, q, places)
    for i in range(len(bodies)):
        h = add(
            outwards(axes_of(places, i), bodies[i].h),
            scale(bodies[i].mass, origin_of(places, i)),
        )
        moments[i, 0], moments[i, 1], moments[i, 2] = h
    for i in range(len(bodies) - 1, 0, -1):
        for k in range(3):
            moments[bodies[i].parent, k] += moments[i, k]


def com(bodies, q, c, places, moments):
    """Fill c (3,); workspace: places (n, 12), moments (n, 3)."""
    first_moments(bodies, q, places, moments)
    origin, share = root_origin(bodies[0], q), 1.0 / bodies[0].subtree_mass
    for k in range(3):
        c[k] = origin[k] + share * moments[0, k]


def com_jacobian(bodies, q, J, places, moments):
    """Fill J (3, nv): (m_i v + ω × h_i)/m for each joint's S = (v, ω); workspace as for `com`."""
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
    """C[first:last] (N, 3); returns DONE, MISFIT, or the first of eight rows not all valid."""
    bodies = as_bodies(table)
    n, nq = len(bodies), bodies[0].nq
    if not (fits(Q, nq, C) and C.shape[1] == 3):
        return MISFIT
    q, c, violations, workspace = workspaces(memory, nq, 3, n + 1, 15 * n)
    workspace = as_lanes(workspace.reshape(n, 15, LANES))
    for start in range(first, last, LANES):
        gather(Q, start, last, q)
        if not valid(bodies, q, 0.0, violations):
            return start
        com(bodies, as_lanes(q), as_lanes(c), workspace[:, :12], workspace[:, 12:])
        scatter(c, start, last, C)
    return DONE


def com_jacobian_rows(table, Q, J, first, last, memory):
    """J[first:last] (N, 3, nv); returns as `com_rows`."""
    bodies = as_bodies(table)
    n, nq, nv = len(bodies), bodies[0].nq, bodies[0].nv
    if not (fits(Q, nq, J) and J.shape[1] == 3 and J.shape[2] == nv):
        return MISFIT
    q, one, violations, workspace = workspaces(memory, nq, 3 * nv, n + 1, 15 * n)
    workspace, flat = as_lanes(workspace.reshape(n, 15, LANES)), J.reshape(len(J), 3 * nv)
    for start in range(first, last, LANES):
        gather(Q, start, last, q)
        if not valid(bodies, q, 0.0, violations):
            return start
        lanes = as_lanes(one.reshape(3, nv, LANES))
        com_jacobian(bodies, as_lanes(q), lanes, workspace[:, :12], workspace[:, 12:])
        scatter(one, start, last, flat)
    return DONE


def centroidal_map_rows(table, Q, A, first, last, memory):
    """A[first:last] (N, 6, nv); returns as `com_rows`."""
    bodies = as_bodies(table)
    n, nq, nv = len(bodies), bodies[0].nq, bodies[0].nv
    if not (fits(Q, nq, A) and A.shape[1] == 6 and A.shape[2] == nv):
        return MISFIT
    q, one, violations, workspace = workspaces(memory, nq, 6 * nv, n + 1, 21 * n)
    workspace, flat = as_lanes(workspace.reshape(n, 21, LANES)), A.reshape(len(A), 6 * nv)
    for start in range(first, last, LANES):
        gather(Q, start, last, q)
        if not valid(bodies, q, 0.0, violations):
            return start
        lanes = as_lanes(one.reshape(6, nv, LANES))
        centroidal_map(bodies, as_lanes(q), lanes, workspace[:, :12], workspace[:, 12:])
        scatter(one, start, last, flat)
    return DONE
