# mypy: disable-error-code="no-untyped-def, no-untyped-call"
"""Forward dynamics a = M⁻¹ (τ + τ_g − vᵀCv) by articulated bodies.

Y_i is the inertia that body i shows at its origin, all after it hanging on free joints, and p_i the
force that it needs when it does not accelerate.

Outward:  v_i = X v_λ + S q̇,   c_i = v_i × S q̇,   Y_i = I_i,   p_i = v_i ×* I_i v_i
Inward:   U = Y S,   D = Sᵀ U + armature,   u = τ − Sᵀ p
          Y_λ += Xᵀ (Y − U Uᵀ/D) X,         p_λ += Xᵀ (p + (Y − U Uᵀ/D) c + U u/D)
Root:     a_0 = −Y⁻¹ p (gravity moves the root's frame, not the bodies)
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
    without_joint,
)
from .body_table import FREE, as_bodies
from .rows import DONE, MISFIT, UNIT, finite, fits, gather, negligible, scatter, valid
from .scalars import LANES, as_lanes, workspaces
from .spatial import (
    add,
    along_joint,
    cross_force,
    cross_joint,
    dot,
    force_to_parent,
    get,
    gravity_at_root,
    joint_position,
    momentum,
    motion_to_child,
    plus,
    put,
    root_motion,
    scale,
    sub,
    with_joint,
)


def outward(bodies, q, v, joints, twists, forces, inertias):
    """v_i, p_i and Y_i = I_i of every body."""
    put(twists, 0, root_motion(bodies[0], v))
    for i in range(len(bodies)):
        body = bodies[i]
        if i > 0:
            joint = joint_position(body, q)
            joints[i, 0], joints[i, 1] = joint
            moved = motion_to_child(body, joint, get(twists, body.parent))
            put(twists, i, with_joint(body, moved, v[body.v]))
        twist = get(twists, i)
        put(forces, i, cross_force(twist, momentum(body.mass, body.h, body.I, twist)))
        put_articulated(inertias, i, rigid(body))


def inward(bodies, v, tau, joints, twists, forces, inertias, drives):
    """Y and p of the root; U of each joint is left in forces, (u, 1/D) in drives."""
    for i in range(len(bodies) - 1, 0, -1):
        body, joint, force = bodies[i], (joints[i, 0], joints[i, 1]), get(forces, i)
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
        body, joint, U = bodies[i], (joints[i, 0], joints[i, 1]), get(forces, i)
        c = cross_joint(body, get(twists, i), v[body.v])
        free = plus(motion_to_child(body, joint, get(twists, body.parent)), c)
        rate = (drives[i, 0] - dot(U[0], free[0]) - dot(U[1], free[1])) * drives[i, 1]
        a[body.v] = rate
        put(twists, i, with_joint(body, free, rate))


def aba(bodies, q, v, tau, a, joints, drives, twists, forces, inertias, system):
    """Fill a (nv,); workspace: joints, drives (n, 2), twists, forces (n, 6), inertias (n, 21)."""
    outward(bodies, q, v, joints, twists, forces, inertias)
    inward(bodies, v, tau, joints, twists, forces, inertias, drives)
    g = gravity_at_root(bodies[0], q)
    zero = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    put(twists, 0, (sub(zero[0], g), zero[1]))
    if bodies[0].kind == FREE:
        linear, angular = solve_root(get_articulated(inertias, 0), tau, get(forces, 0), system)
        a[0], a[1], a[2] = add(linear, g)
        a[3], a[4], a[5] = angular
        put(twists, 0, (linear, angular))
    accelerate(bodies, v, joints, twists, forces, drives, a)


def bounded(a, violations):
    """Whether accelerations are finite and below 1e8, so that M cannot be singular."""
    violation = 0.0
    for k in range(len(a)):
        violation = violation + UNIT * ((1e-8 * a[k]) * (1e-8 * a[k]))
    as_lanes(violations)[0] = violation
    return negligible(violations, 1)


def forward_dynamics_rows(table, actuated, Q, V, T, A, first, last, memory):
    """A[first:last] = a for T (N, na), the torques at v[actuated]; returns as the other kernels."""
    bodies = as_bodies(table)
    n, nq, nv, na = len(bodies), bodies[0].nq, bodies[0].nv, len(actuated)
    if not (fits(Q, nq, A) and fits(V, nv, A) and fits(T, na, A) and A.shape[1] == nv):
        return MISFIT
    q, v, a, tau, torques, violations, system, workspace = workspaces(
        memory, nq, nv, nv, nv, na, n + 1, 42, 37 * n
    )
    workspace = as_lanes(workspace.reshape(n, 37, LANES))
    joints, drives, twists = workspace[:, :2], workspace[:, 2:4], workspace[:, 4:10]
    forces, inertias = workspace[:, 10:16], workspace[:, 16:]
    tau[:] = 0.0
    for start in range(first, last, LANES):
        gather(Q, start, last, q)
        gather(V, start, last, v)
        gather(T, start, last, torques)
        for k in range(len(actuated)):
            as_lanes(tau)[actuated[k]] = as_lanes(torques)[k]
        if not valid(bodies, q, finite(as_lanes(tau), finite(as_lanes(v))), violations):
            return start
        aba(
            bodies,
            as_lanes(q),
            as_lanes(v),
            as_lanes(tau),
            as_lanes(a),
            joints,
            drives,
            twists,
            forces,
            inertias,
            as_lanes(system.reshape(6, 7, LANES)),
        )
        if not bounded(as_lanes(a), violations):
            return start
        scatter(a, start, last, A)
    return DONE


def forward_dynamics_of(table, actuated, q, v, tau, a, memory):
    """a (nv,) of one state; returns as the above."""
    rows = q.reshape(1, len(q)), v.reshape(1, len(v)), tau.reshape(1, len(tau))
    return forward_dynamics_rows(table, actuated, *rows, a.reshape(1, len(a)), 0, 1, memory)
