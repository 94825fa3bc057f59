"""Jacobians of frames: J[:, k] is the frame's twist when joint k alone moves at unit velocity.

A hinge with axis z through p_k moves the point p at z × (p − p_k) and turns at z; a slider moves it
at z. The point is the frame's origin, or the world's for the reference WORLD; the axes are those
of the world, or the frame's own for LOCAL. Only joints between the root and the frame (its chain)
have a part.
"""

from __future__ import annotations

from .body_table import FREE, PRISMATIC, as_bodies
from .places import (
    axes_of,
    inwards,
    joint_axis,
    origin_of,
    outwards,
    place_bodies,
    put_place,
    root_origin,
    rows_of,
)
from .rows import fill
from .spatial import add, cross, scale, sub

LOCAL, WORLD, LOCAL_WORLD_ALIGNED = range(3)


def place_frame(place, places, i, frame):
    """Row `frame` of places: a frame fixed to body i, `place` (12,) being its R and p there."""
    R, body = rows_of(place), axes_of(places, i)
    axes = inwards(R, body[0]), inwards(R, body[1]), inwards(R, body[2])
    origin = add(origin_of(places, i), outwards(body, (place[9], place[10], place[11])))
    put_place(places, frame, axes, origin)


def put_column(J, k, linear, angular, reference, axes):
    """J[:, k], in the frame's axes if asked."""
    if reference == LOCAL:
        linear, angular = inwards(axes, linear), inwards(axes, angular)
    for r in range(3):
        J[r, k], J[3 + r, k] = linear[r], angular[r]


def frame_jacobian(bodies, chain, place, reference, q, J, places):
    """Fill J (6, nv) where the chain moves the frame, else zero; workspace: places (n + 1, 12)."""
    n = len(bodies)
    place_bodies(bodies, chain, q, places)
    place_frame(place, places, chain[-1] if len(chain) > 0 else 0, n)
    axes, point = axes_of(places, n), origin_of(places, n)
    if reference == WORLD:
        point = scale(-1.0, root_origin(bodies[0], q))
    for i in chain:
        z, arm = joint_axis(places, i), sub(point, origin_of(places, i))
        linear, angular = cross(z, arm), z
        if bodies[i].kind == PRISMATIC:
            linear, angular = z, scale(0.0, z)
        put_column(J, bodies[i].v, linear, angular, reference, axes)
    if bodies[0].kind == FREE:
        for k in range(3):
            z = places[0, k], places[0, 3 + k], places[0, 6 + k]
            put_column(J, k, z, scale(0.0, z), reference, axes)
            put_column(J, 3 + k, cross(z, point), z, reference, axes)


def frame_jacobian_rows(table, chain, place, reference, Q, J, first, last, memory):
    """J[first:last] (N, 6, nv); returns as `rows.fill`."""
    given, shape = ((Q, as_bodies(table)[0].nq),), (6, as_bodies(table)[0].nv)
    constants = chain, place, reference
    return fill(frame_jacobian, table, constants, given, J, shape, 12, first, last, memory)


def frame_placement(bodies, chain, place, q, T, places):
    """Fill T (4, 4), homogeneous; workspace: places (n + 1, 12)."""
    n = len(bodies)
    place_bodies(bodies, chain, q, places)
    place_frame(place, places, chain[-1] if len(chain) > 0 else 0, n)
    axes = axes_of(places, n)
    origin = add(origin_of(places, n), root_origin(bodies[0], q))
    for r in range(3):
        T[r, 0], T[r, 1], T[r, 2] = axes[r]
        T[r, 3] = origin[r]
    T[3, 3] = 1.0


def frame_placement_rows(table, chain, place, Q, T, first, last, memory):
    """T[first:last] (N, 4, 4); returns as `rows.fill`."""
    given, constants = ((Q, as_bodies(table)[0].nq),), (chain, place)
    return fill(frame_placement, table, constants, given, T, (4, 4), 12, first, last, memory)
