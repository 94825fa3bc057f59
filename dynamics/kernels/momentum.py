"""The centroidal momentum h_g = A_g v and its rate Ȧ_g v at a = 0, without the map.

Each body's momentum I_i v_i (or the force I_i a_i + v_i ×* I_i v_i of a motion with a = 0 and no
gravity) is summed inward to the root, as forces are in `rnea`, and moved to the centre of mass.
"""

from __future__ import annotations

from .body_table import PRISMATIC, as_bodies
from .places import HERE, axes_of, outwards, place_root
from .rnea import net_force
from .rows import fill
from .spatial import (
    add,
    cross,
    cross_joint,
    force_to_parent,
    get,
    get_joint,
    joint_position,
    momentum,
    motion_to_child,
    plus,
    put,
    put_joint,
    root_motion,
    scale,
    sub,
    to_parent_axes,
    with_velocity,
)


def total(bodies, rate, x, result, work):
    """Fill result (6,) of x = (q, v): momentum, or if `rate` its rate; workspace (n + 1, 35)."""
    q, v = x[: bodies[0].nq], x[bodies[0].nq :]
    joints, twists, accelerations = work[:, :2], work[:, 2:8], work[:, 8:14]
    forces, moments, places = work[:, 14:20], work[:, 20:23], work[:, 23:]
    put(twists, 0, root_motion(bodies[0], v))
    put(accelerations, 0, (HERE, HERE))
    for i in range(len(bodies)):
        body = bodies[i]
        if i > 0:
            joint = joint_position(body, q)
            put_joint(joints, i, joint)
            twist = with_velocity(body, motion_to_child(body, joint, get(twists, body.parent)), v)
            carried = motion_to_child(body, joint, get(accelerations, body.parent))
            put(twists, i, twist)
            put(accelerations, i, plus(carried, cross_joint(body, twist, v[body.v])))
        twist = get(twists, i)
        if rate:
            put(forces, i, net_force(body, twist, get(accelerations, i)))
        else:
            put(forces, i, momentum(body.mass, body.h, body.I, twist))
        for k in range(3):
            moments[i, k] = body.h[k]
    sum_inward(bodies, joints, forces, moments)
    at_com(bodies, q, forces, moments, places, result)


def sum_inward(bodies, joints, forces, moments):
    """Forces and first moments of all bodies, at the root."""
    for i in range(len(bodies) - 1, 0, -1):
        body, joint, parent = bodies[i], get_joint(joints, i), bodies[i].parent
        put(forces, parent, plus(get(forces, parent), force_to_parent(body, joint, get(forces, i))))
        # the first moment goes as a force's moment of mass would: h_λ += R h + m p
        along = 0.0 if body.kind != PRISMATIC else body.subtree_mass * joint[0][0]
        h = to_parent_axes(body, joint, (moments[i, 0], moments[i, 1], moments[i, 2] + along))
        h = add(h, scale(body.subtree_mass, body.p))
        for k in range(3):
            moments[parent, k] += h[k]


def at_com(bodies, q, forces, moments, places, result):
    """The root's total at the centre of mass, in world axes."""
    f, n = get(forces, 0)
    h = moments[0, 0], moments[0, 1], moments[0, 2]
    n = sub(n, cross(scale(1.0 / bodies[0].subtree_mass, h), f))
    place_root(bodies[0], q, places)
    axes = axes_of(places, 0)
    result[0], result[1], result[2] = outwards(axes, f)
    result[3], result[4], result[5] = outwards(axes, n)


def momentum_rows(table, rate, Q, V, H, first, last, memory):
    """H[first:last] (N, 6); returns as `rows.fill`."""
    given = (Q, as_bodies(table)[0].nq), (V, as_bodies(table)[0].nv)
    return fill(total, table, (rate,), given, H, (6,), 35, first, last, memory)
