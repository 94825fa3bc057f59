"""Drifts of frames: J̇v, their acceleration at a = 0.

Outward along the chain, as in `rnea` but with no gravity and no q̈: v_i = X v_λ + S q̇ and
a_i = X a_λ + v_i × S q̇. That is the spatial acceleration; the classical one of the frame's origin
(LOCAL_WORLD_ALIGNED) adds ω × its velocity.
"""

from __future__ import annotations

from .body_table import as_bodies
from .jacobians import LOCAL, WORLD
from .places import (
    HERE,
    axes_of,
    inwards,
    origin_of,
    outwards,
    place_body,
    place_root,
    root_origin,
    rows_of,
)
from .rows import fill
from .spatial import (
    add,
    cross,
    cross_joint,
    get,
    joint_position,
    motion_to_child,
    plus,
    put,
    root_motion,
    with_velocity,
)


def move_chain(bodies, chain, q, v, places, twists, accelerations):
    """Places, twists and spatial accelerations (a = 0) of the root and the bodies of a chain."""
    place_root(bodies[0], q, places)
    put(twists, 0, root_motion(bodies[0], v))
    put(accelerations, 0, (HERE, HERE))
    for i in chain:
        body, joint = bodies[i], joint_position(bodies[i], q)
        place_body(body, q, places, i)
        twist = with_velocity(body, motion_to_child(body, joint, get(twists, body.parent)), v)
        carried = motion_to_child(body, joint, get(accelerations, body.parent))
        put(twists, i, twist)
        put(accelerations, i, plus(carried, cross_joint(body, twist, v[body.v])))


def frame_drift(bodies, chain, place, reference, x, drift, work):
    """Fill drift (6,) of x = (q, v); workspace (n, 24)."""
    q, v = x[: bodies[0].nq], x[bodies[0].nq :]
    places, twists, accelerations = work[:, :12], work[:, 12:18], work[:, 18:]
    move_chain(bodies, chain, q, v, places, twists, accelerations)
    i = chain[-1] if len(chain) > 0 else 0
    p = place[9], place[10], place[11]
    axes = axes_of(places, i)
    (velocity, w), (linear, angular) = get(twists, i), get(accelerations, i)
    if reference == WORLD:
        linear, angular = outwards(axes, linear), outwards(axes, angular)
        origin = add(origin_of(places, i), root_origin(bodies[0], q))
        linear = add(linear, cross(origin, angular))
    else:
        linear = add(linear, cross(angular, p))
        if reference == LOCAL:
            own = rows_of(place)
            linear, angular = inwards(own, linear), inwards(own, angular)
        else:
            linear = add(linear, cross(w, add(velocity, cross(w, p))))
            linear, angular = outwards(axes, linear), outwards(axes, angular)
    drift[0], drift[1], drift[2] = linear
    drift[3], drift[4], drift[5] = angular


def frame_drift_rows(table, chain, place, reference, Q, V, D, first, last, memory):
    """D[first:last] (N, 6); returns as `rows.fill`."""
    given = (Q, as_bodies(table)[0].nq), (V, as_bodies(table)[0].nv)
    constants = chain, place, reference
    return fill(frame_drift, table, constants, given, D, (6,), 24, first, last, memory)
