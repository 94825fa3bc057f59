"""Gravity torques τ_g = Σ m J_comᵀ g: the weights of the bodies, summed from the tips to the root.

Outward:  g_i = the parent's g in the body's axes,   f_i = (m g_i, h × g_i)
Inward:   τ_i = Sᵀ f_i,   f_λ += Xᵀ f_i
"""

from __future__ import annotations

from .body_table import as_bodies
from .rnea import inward
from .rows import fill
from .spatial import cross, gravity_at_root, joint_position, put, put_joint, scale, to_child_axes


def weight(body, g):
    """(m g, h × g): the weight of a body at its origin."""
    return scale(body.mass, g), cross(body.h, g)


def gravity_torques(bodies, q, tau, work):
    """Fill tau (nv,); workspace (n + 1, 11)."""
    joints, directions, forces = work[:, :2], work[:, 2:5], work[:, 5:]
    g = gravity_at_root(bodies[0], q)
    directions[0, 0], directions[0, 1], directions[0, 2] = g
    put(forces, 0, weight(bodies[0], g))
    for i in range(1, len(bodies)):
        body = bodies[i]
        joint, above = joint_position(body, q), directions[body.parent]
        put_joint(joints, i, joint)
        g = to_child_axes(body, joint, above)
        directions[i, 0], directions[i, 1], directions[i, 2] = g
        put(forces, i, weight(body, g))
    inward(bodies, joints, forces, tau)


def gravity_torques_rows(table, Q, T, first, last, memory):
    """T[first:last] = τ_g (N, nv); returns as `rows.fill`."""
    root = as_bodies(table)[0]
    given = ((Q, root.nq),)
    return fill(gravity_torques, table, (), given, T, (root.nv,), 11, first, last, memory)
