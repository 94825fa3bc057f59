# mypy: disable-error-code="no-untyped-def, no-untyped-call"
"""Drifts of frames: J̇v, their acceleration at a = 0.

Outward along the chain, as in `rnea` but with no gravity and no q̈: v_i = X v_λ + S q̇ and
a_i = X a_λ + v_i × S q̇. That is the spatial acceleration; the classical one of the frame's origin
(LOCAL_WORLD_ALIGNED) adds ω × its velocity.
"""

from __future__ import annotations

from .body_table import as_bodies
from .jacobians import LOCAL, WORLD
from .places import axes_of, inwards, origin_of, outwards, place_body, place_root, root_origin
from .rows import DONE, MISFIT, finite, fits, gather, scatter, valid
from .scalars import LANES, as_lanes, workspaces
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
    with_joint,
)


def move_chain(bodies, chain, q, v, places, twists, accelerations):
    """Places, twists and spatial accelerations (a = 0) of the root and the bodies of a chain."""
    place_root(bodies[0], q, places)
    put(twists, 0, root_motion(bodies[0], v))
    put(accelerations, 0, ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)))
    for i in chain:
        body, joint = bodies[i], joint_position(bodies[i], q)
        place_body(body, q, places, i)
        twist = with_joint(body, motion_to_child(body, joint, get(twists, body.parent)), v[body.v])
        carried = motion_to_child(body, joint, get(accelerations, body.parent))
        put(twists, i, twist)
        put(accelerations, i, plus(carried, cross_joint(body, twist, v[body.v])))


def frame_drift(bodies, chain, place, reference, q, v, drift, places, twists, accelerations):
    """Fill drift (6,); workspace: places (n, 12), twists and accelerations (n, 6)."""
    move_chain(bodies, chain, q, v, places, twists, accelerations)
    i = chain[-1] if len(chain) > 0 else 0
    R, p = place, (place[9], place[10], place[11])
    axes = axes_of(places, i)
    (velocity, w), (linear, angular) = get(twists, i), get(accelerations, i)
    if reference == WORLD:
        linear, angular = outwards(axes, linear), outwards(axes, angular)
        origin = add(origin_of(places, i), root_origin(bodies[0], q))
        linear = add(linear, cross(origin, angular))
    else:
        linear = add(linear, cross(angular, p))
        if reference == LOCAL:
            own = (R[0], R[1], R[2]), (R[3], R[4], R[5]), (R[6], R[7], R[8])
            linear, angular = inwards(own, linear), inwards(own, angular)
        else:
            linear = add(linear, cross(w, add(velocity, cross(w, p))))
            linear, angular = outwards(axes, linear), outwards(axes, angular)
    drift[0], drift[1], drift[2] = linear
    drift[3], drift[4], drift[5] = angular


def frame_drift_rows(table, chain, place, reference, Q, V, D, first, last, memory):
    """D[first:last] (N, 6); returns DONE, MISFIT, or the first of eight rows not all valid."""
    bodies = as_bodies(table)
    n, nq, nv = len(bodies), bodies[0].nq, bodies[0].nv
    if not (fits(Q, nq, D) and fits(V, nv, D) and D.shape[1] == 6):
        return MISFIT
    q, v, drift, violations, workspace = workspaces(memory, nq, nv, 6, n + 1, 24 * n)
    workspace = as_lanes(workspace.reshape(n, 24, LANES))
    places, twists, accelerations = workspace[:, :12], workspace[:, 12:18], workspace[:, 18:]
    for start in range(first, last, LANES):
        gather(Q, start, last, q)
        gather(V, start, last, v)
        if not valid(bodies, q, finite(as_lanes(v)), violations):
            return start
        motion = as_lanes(q), as_lanes(v)
        frame_drift(
            bodies, chain, place, reference, *motion, as_lanes(drift), places, twists, accelerations
        )
        scatter(drift, start, last, D)
    return DONE
