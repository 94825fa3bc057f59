# mypy: disable-error-code="no-untyped-def, no-untyped-call"
"""Gravity torques τ_g = Σ m J_comᵀ g: the weights of the bodies, summed from the tips to the root.

Outward:  g_i = the parent's g in the body's axes,   f_i = (m g_i, h × g_i)
Inward:   τ_i = Sᵀ f_i,   f_λ += Xᵀ f_i
"""

from __future__ import annotations

from .body_table import as_bodies
from .rnea import inward
from .rows import DONE, MISFIT, fits, gather, scatter, valid
from .scalars import LANES, as_lanes, workspaces
from .spatial import cross, gravity_at_root, joint_position, put, scale, to_child_axes


def weight(body, g):
    """(m g, h × g): the weight of a body at its origin."""
    return scale(body.mass, g), cross(body.h, g)


def gravity_torques(bodies, q, tau, joints, directions, forces):
    """Fill tau (nv,); joints (n, 2), directions (n, 3) and forces (n, 6) are workspaces."""
    g = gravity_at_root(bodies[0], q)
    directions[0, 0], directions[0, 1], directions[0, 2] = g
    put(forces, 0, weight(bodies[0], g))
    for i in range(1, len(bodies)):
        body = bodies[i]
        joint, above = joint_position(body, q), directions[body.parent]
        joints[i, 0], joints[i, 1] = joint
        g = to_child_axes(body, joint, above)
        directions[i, 0], directions[i, 1], directions[i, 2] = g
        put(forces, i, weight(body, g))
    inward(bodies, joints, forces, tau)


def gravity_torques_rows(table, Q, T, first, last, memory):
    """T[first:last] = τ_g; returns DONE, MISFIT, or the first row of eight that are not valid."""
    bodies = as_bodies(table)
    n, nq, nv = len(bodies), bodies[0].nq, bodies[0].nv
    if not (fits(Q, nq, T) and T.shape[1] == nv):
        return MISFIT
    q, tau, violations, workspace = workspaces(memory, nq, nv, n + 1, 11 * n)
    workspace = as_lanes(workspace.reshape(n, 11, LANES))
    for start in range(first, last, LANES):
        gather(Q, start, last, q)
        if not valid(bodies, q, 0.0, violations):
            return start
        joints, directions, forces = workspace[:, :2], workspace[:, 2:5], workspace[:, 5:]
        gravity_torques(bodies, as_lanes(q), as_lanes(tau), joints, directions, forces)
        scatter(tau, start, last, T)
    return DONE
