"""Forward dynamics a = M⁻¹ (τ + τ_g − vᵀCv) by articulated bodies.

Y_i is the inertia that body i shows at its origin, all after it hanging on free joints, and p_i the
force that it needs when it does not accelerate.

Outward:  v_i = X v_λ + S q̇,   c_i = v_i × S q̇,   Y_i = I_i,   p_i = v_i ×* I_i v_i
Inward:   U = Y S,   D = Sᵀ U + armature,   u = τ − Sᵀ p
          Y_λ += Xᵀ (Y − U Uᵀ/D) X,         p_λ += Xᵀ (p + (Y − U Uᵀ/D) c + U u/D)
Root:     a_0 = −Y⁻¹ p (gravity moves the root's frame, not the bodies); its armature a adds a 1 to
          Y, and to p what it has beside a a_0: a (g + ω × v), as it has no weight
Outward:  a' = X a_λ + c,   q̈ = (u − Uᵀ a')/D,   a_i = a' + S q̈

Source: R. Featherstone (2008), table 7.1.
"""

from __future__ import annotations

from .articulated import (
    articulated_to_parent,
    get_articulated,
    joint_column,
    plus_articulated,
    put_articulated,
    rigid,
    solve_root,
    times,
    with_rotor,
    without_joint,
)
from .body_table import FREE, as_bodies
from .places import HERE
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
    pairing,
    plus,
    put,
    put_joint,
    root_motion,
    scale,
    with_joint,
    with_velocity,
)


def outward(bodies, q, v, joints, twists, forces, inertias):
    """v_i, p_i and Y_i = I_i of every body."""
    put(twists, 0, root_motion(bodies[0], v))
    for i in range(len(bodies)):
        body = bodies[i]
        if i > 0:
            joint = joint_position(body, q)
            put_joint(joints, i, joint)
            moved = motion_to_child(body, joint, get(twists, body.parent))
            put(twists, i, with_velocity(body, moved, v))
        twist = get(twists, i)
        put(forces, i, cross_force(twist, momentum(body.mass, body.h, body.I, twist)))
        put_articulated(inertias, i, rigid(body))


def inward(bodies, v, tau, joints, twists, forces, inertias, drives):
    """Y and p of the root; U of each joint is left in forces, (u, 1/D) in drives."""
    for i in range(len(bodies) - 1, 0, -1):
        body, joint, force = bodies[i], get_joint(joints, i), get(forces, i)
        Y = get_articulated(inertias, i)
        U = joint_column(body, Y)
        u = tau[body.v] - along_joint(body, force)
        inverse = 1.0 / (along_joint(body, U) + body.armature)
        Y = without_joint(Y, U, inverse)
        c = cross_joint(body, get(twists, i), v[body.v])
        push = scale(u * inverse, U[0]), scale(u * inverse, U[1])
        force = force_to_parent(body, joint, plus(plus(force, times(Y, c)), push))
        drives[i, 0], drives[i, 1] = u, inverse
        put(forces, i, U)
        put(forces, body.parent, plus(get(forces, body.parent), force))
        above = get_articulated(inertias, body.parent)
        Y = articulated_to_parent(body, joint, Y)
        put_articulated(inertias, body.parent, plus_articulated(above, Y))


def accelerate(bodies, v, joints, twists, forces, drives, a):
    """q̈ of every joint; twists become accelerations on the way, that of the root is there."""
    for i in range(1, len(bodies)):
        body, joint, U = bodies[i], get_joint(joints, i), get(forces, i)
        c = cross_joint(body, get(twists, i), v[body.v])
        free = plus(motion_to_child(body, joint, get(twists, body.parent)), c)
        rate = (drives[i, 0] - pairing(free, U)) * drives[i, 1]
        a[body.v] = rate
        put(twists, i, with_joint(body, free, rate))


def aba(bodies, q, v, tau, a, work):
    """Fill a (nv,); workspace (n + 1, 37), of seven rows at least where the base is free."""
    joints, drives, twists, forces = work[:, :2], work[:, 2:4], work[:, 4:10], work[:, 10:16]
    inertias, system = work[:, 16:], work[1:7, 16:23]  # of the root, when no other inertia is read
    outward(bodies, q, v, joints, twists, forces, inertias)
    inward(bodies, v, tau, joints, twists, forces, inertias, drives)
    g = gravity_at_root(bodies[0], q)
    (v_0, w_0), (f, n), rotor = get(twists, 0), get(forces, 0), bodies[0].armature
    f = add(f, scale(rotor, add(g, cross(w_0, v_0))))
    put(twists, 0, (scale(-1.0, g), HERE))
    if bodies[0].kind == FREE:
        Y = with_rotor(get_articulated(inertias, 0), rotor)
        linear, angular = solve_root(Y, tau, (f, n), system)
        a[0], a[1], a[2] = add(linear, g)
        a[3], a[4], a[5] = angular
        put(twists, 0, (linear, angular))
    accelerate(bodies, v, joints, twists, forces, drives, a)


def accelerations(bodies, actuated, x, a, work):
    """Fill a (nv,) of x = (q, v, torques (na,), zeros (nv,))."""
    nq, nv = bodies[0].nq, bodies[0].nv
    torques, tau = x[nq + nv :], x[nq + nv + len(actuated) :]
    for k in range(len(actuated)):
        tau[actuated[k]] = torques[k]
    aba(bodies, x[:nq], x[nq : nq + nv], tau, a, work)


def forward_dynamics_rows(table, actuated, Q, V, T, A, first, last, memory):
    """A[first:last] = a (N, nv) for T (N, na), torques at v[actuated]; returns as `rows.fill`.

    In doubt are also rows where M is singular: with accelerations above 1e8.
    """
    nq, nv = as_bodies(table)[0].nq, as_bodies(table)[0].nv
    given, constants, shape = ((Q, nq), (V, nv), (T, len(actuated))), (actuated,), (nv,)
    return fill(accelerations, table, constants, given, A, shape, 37, first, last, memory, nv, True)


def forward_dynamics_of(table, actuated, q, v, tau, a, memory):
    """a (nv,) of one state; returns as the above."""
    rows = q.reshape(1, len(q)), v.reshape(1, len(v)), tau.reshape(1, len(tau))
    return forward_dynamics_rows(table, actuated, *rows, a.reshape(1, len(a)), 0, 1, memory)
