"""Inverse dynamics τ = M a + vᵀCv − τ_g by recursive Newton-Euler.

Outward, from the root to the tips:     v_i = X v_λ + S q̇
                                        a_i = X a_λ + S q̈ + v_i × S q̇        (a_0 has −g in it)
                                        f_i = I a_i + v_i ×* I v_i
Inward, from the tips to the root:      τ_i = Sᵀ f_i + armature q̈,   f_λ += Xᵀ f_i

The armature of a free root is a mass and an inertia, but no weight: a (v̇ + ω × v), a ω̇.

Source: R. Featherstone (2008), table 5.1.
"""

from __future__ import annotations

from .body_table import FREE, as_bodies
from .rows import fill
from .spatial import (
    add,
    along_joint,
    cross,
    cross_force,
    cross_joint,
    force_to_parent,
    get,
    get_joint,
    gravity_at_root,
    joint_position,
    momentum,
    motion_to_child,
    plus,
    put,
    put_joint,
    root_motion,
    scale,
    sub,
    with_joint,
    with_velocity,
)


def net_force(body, twist, acceleration):
    """f = I a + v ×* I v."""
    h, I = body.h, body.I
    inertial = momentum(body.mass, h, I, acceleration)
    return plus(inertial, cross_force(twist, momentum(body.mass, h, I, twist)))


def rotor_force(root, twist, acceleration):
    """What the armature of a free root needs, a (v̇ + ω × v) and a ω̇, for v̇ without gravity."""
    linear = add(acceleration[0], cross(twist[1], twist[0]))
    return scale(root.armature, linear), scale(root.armature, acceleration[1])


def rnea(bodies, q, v, a, tau, work):
    """Fill tau (nv,); workspace (n + 1, 20)."""
    joints, twists, accelerations, forces = work[:, :2], work[:, 2:8], work[:, 8:14], work[:, 14:]
    root = bodies[0]
    twist, (linear, angular) = root_motion(root, v), root_motion(root, a)
    acceleration = sub(linear, gravity_at_root(root, q)), angular
    put(twists, 0, twist)
    put(accelerations, 0, acceleration)
    rotor = rotor_force(root, twist, (linear, angular))
    put(forces, 0, plus(net_force(root, twist, acceleration), rotor))
    for i in range(1, len(bodies)):
        body = bodies[i]
        joint = joint_position(body, q)
        put_joint(joints, i, joint)
        twist = with_velocity(body, motion_to_child(body, joint, get(twists, body.parent)), v)
        carried = motion_to_child(body, joint, get(accelerations, body.parent))
        turning = cross_joint(body, twist, v[body.v])
        acceleration = plus(with_joint(body, carried, a[body.v]), turning)
        put(twists, i, twist)
        put(accelerations, i, acceleration)
        put(forces, i, net_force(body, twist, acceleration))
    inward(bodies, joints, forces, tau)
    for i in range(1, len(bodies)):
        tau[bodies[i].v] += bodies[i].armature * a[bodies[i].v]


def inward(bodies, joints, forces, tau):
    """τ_i = Sᵀ f_i and f_λ += Xᵀ f_i, from the tips to the root."""
    for i in range(len(bodies) - 1, 0, -1):
        body, force = bodies[i], get(forces, i)
        tau[body.v] = along_joint(body, force)
        carried = force_to_parent(body, get_joint(joints, i), force)
        put(forces, body.parent, plus(get(forces, body.parent), carried))
    if bodies[0].kind == FREE:
        for k in range(6):
            tau[k] = forces[0, k]


def torques(bodies, x, tau, work):
    """τ of x = (q, v, a)."""
    nq, nv = bodies[0].nq, bodies[0].nv
    rnea(bodies, x[:nq], x[nq : nq + nv], x[nq + nv :], tau, work)


def inverse_dynamics_rows(table, Q, V, A, T, first, last, memory):
    """T[first:last] = τ (N, nv); returns as `rows.fill`."""
    nq, nv = as_bodies(table)[0].nq, as_bodies(table)[0].nv
    given = (Q, nq), (V, nv), (A, nv)
    return fill(torques, table, (), given, T, (nv,), 20, first, last, memory)


def bias_rows(table, Q, V, B, first, last, memory):
    """B[first:last] = b (N, nv); returns as `rows.fill`."""
    nq, nv = as_bodies(table)[0].nq, as_bodies(table)[0].nv
    given = (Q, nq), (V, nv)
    return fill(torques, table, (), given, B, (nv,), 20, first, last, memory, zeros=nv)  # a = 0


def inverse_dynamics_of(table, q, v, a, tau, memory):
    """τ (nv,) of one state; returns as the above."""
    rows = q.reshape(1, len(q)), v.reshape(1, len(v)), a.reshape(1, len(a))
    return inverse_dynamics_rows(table, *rows, tau.reshape(1, len(tau)), 0, 1, memory)


def bias_of(table, q, v, b, memory):
    """b (nv,) of one state; returns as the above."""
    rows = q.reshape(1, len(q)), v.reshape(1, len(v)), b.reshape(1, len(b))
    return bias_rows(table, *rows, 0, 1, memory)
