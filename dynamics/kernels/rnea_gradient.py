"""Gradient of the power yᵀτ of inverse dynamics along q, v and a, without a matrix.

With the virtual velocities u of the bodies in a motion y, and forces w on links held,

    yᵀτ = Σ_i u_i·(I a_i + v_i ×* I v_i − w_i) + Σ armature y q̈

Outward, from the root to the tips, as recursive Newton-Euler, and   u_i = X u_λ + S y_i
Inward, from the tips to the root, what the power changes with u, a, v and the place of body i:

    F_i = I a_i + v_i ×* I v_i − w_i + Σ Xᵀ F       A_i = I u_i + Σ Xᵀ A
    B_i = I (u_i × v_i) − u_i ×* I v_i + S q̇ ×* A_i + Σ Xᵀ B            D_i = … + Σ Xᵀ D

    ∂/∂q̈ = S·A + armature y                        (that is M y)
    ∂/∂q̇ = S·(B − v ×* A)
    ∂/∂q = S·(D − v' ×* B − a' ×* A − u' ×* F),     x' = X x_λ: without the joint's own motion

All three velocities of a ball joint have their part in S q̇ and x − x', and their derivatives come
from the BALL. D has what the links' places do besides: a force that stays in the world as its link
turns or moves works along another velocity of it.

The adjoint of the recursion of R. Featherstone (2008), table 5.1; A. Griewank, A. Walther,
"Evaluating derivatives" (2008), chapter 3, for reverse sweeps.
"""

from __future__ import annotations

from typing import NamedTuple

from ...arrays import Array
from .body_table import AXIS, BALL, FREE, PRISMATIC, Integers, as_bodies
from .places import axes_of, inwards, origin_of, outwards, place_body, place_root, root_origin
from .rnea import net_force
from .rows import fill
from .spatial import (
    add,
    along_joint,
    cross,
    cross_force,
    cross_joint,
    cross_motion,
    force_to_parent,
    get,
    get_joint,
    gravity_at_root,
    joint_position,
    minus,
    momentum,
    motion_to_child,
    pairing,
    plus,
    put,
    put_joint,
    root_motion,
    scale,
    sub,
    with_joint,
    with_velocity,
)

TURNING, AT_BODY, AT_PLACE = range(3)


class Loads(NamedTuple):
    """Where forces act on links.

    Attributes:
        body: (L,), the bodies of the table; −1 for what moves no body.
        stays: (L,), TURNING: nothing, force and moment turn with the link, and are given in the
            axes of a frame on it; AT_BODY: force and moment stay in the world, at a point of the
            link; AT_PLACE: the point stays as well, and is the world's origin.
        place: (L, 12), R row by row, then p, of that frame or point on the body.
    """

    body: Integers
    stays: Integers
    place: Array


def outward(bodies, q, v, a, y, work):
    """Twists, accelerations and virtual velocities of all bodies, and what their own power does."""
    joints, twists, accelerations, virtual, places, _ = work
    root = bodies[0]
    linear, angular = root_motion(root, a)
    put(twists, 0, root_motion(root, v))
    put(accelerations, 0, (sub(linear, gravity_at_root(root, q)), angular))
    put(virtual, 0, root_motion(root, y))
    place_root(root, q, places)
    own_power(bodies[0], 0, work)
    for i in range(1, len(bodies)):
        body, up = bodies[i], bodies[i].parent
        joint = joint_position(body, q)
        put_joint(joints, i, joint)
        twist = with_velocity(body, motion_to_child(body, joint, get(twists, up)), v)
        carried = motion_to_child(body, joint, get(accelerations, up))
        turning = cross_joint(body, twist, v[body.v])
        carried = plus(with_joint(body, carried, a[body.v]), turning)
        put(twists, i, twist)
        put(accelerations, i, carried)
        carried = motion_to_child(body, joint, get(virtual, up))
        put(virtual, i, with_joint(body, carried, y[body.v]))
        place_body(body, q, places, i)
        own_power(body, i, work)


def own_power(body, i, work):
    """F, A, B and D of a body's inertia alone."""
    _, twists, accelerations, virtual, _, (F, A, B, D) = work
    h, I, v, u = body.h, body.I, get(twists, i), get(virtual, i)
    put(F, i, net_force(body, v, get(accelerations, i)))
    put(A, i, momentum(body.mass, h, I, u))
    turned = momentum(body.mass, h, I, cross_motion(u, v))
    put(B, i, minus(turned, cross_force(u, momentum(body.mass, h, I, v))))
    zero = 0.0 * u[0][0], 0.0 * u[0][0], 0.0 * u[0][0]
    put(D, i, (zero, zero))


def put_loads(bodies, q, loads, wrenches, work, along):
    """Take forces (6 L,) from F, add to D; write the virtual velocities (6 L,) that they see.

    These are in the axes of the forces, and of the points where these act.
    """
    _, _, _, virtual, places, (F, _, _, D) = work
    zero = 0.0 * virtual[0, 0]
    for k in range(len(loads.body)):
        i, stays, P = loads.body[k], loads.stays[k], loads.place[k]
        if i < 0:
            put_six(along, 6 * k, (zero, zero, zero), (zero, zero, zero))
            continue
        u, axes = get(virtual, i), axes_of(places, i)
        r = zero + P[9], zero + P[10], zero + P[11]
        if stays == TURNING:
            axes = (
                (zero + P[0], zero + P[3], zero + P[6]),
                (zero + P[1], zero + P[4], zero + P[7]),
                (zero + P[2], zero + P[5], zero + P[8]),
            )
        elif stays == AT_PLACE:
            far = add(origin_of(places, i), root_origin(bodies[0], q))
            r = scale(-1.0, inwards(axes, far))
        w = wrenches[6 * k : 6 * k + 6]
        f, m = inwards(axes, (w[0], w[1], w[2])), inwards(axes, (w[3], w[4], w[5]))
        at = add(u[0], cross(u[1], r))
        put_six(along, 6 * k, outwards(axes, at), outwards(axes, u[1]))
        total = f, add(m, cross(r, f))
        put(F, i, minus(get(F, i), total))
        more = get(D, i)
        if stays == AT_PLACE:
            put(D, i, minus(more, cross_force(u, total)))
        elif stays == AT_BODY:
            put(D, i, (more[0], add(more[1], add(cross(f, at), cross(m, u[1])))))


def put_six(x, k, linear, angular):
    """x[k : k + 6] = (linear, angular)."""
    for r in range(3):
        x[k + r], x[k + 3 + r] = linear[r], angular[r]


def inward(bodies, q, v, a, y, work, dq, dv, da):
    """The gradients (nv,), from the tips to the root."""
    joints, twists, accelerations, virtual, _, (F, A, B, D) = work
    for i in range(len(bodies) - 1, 0, -1):
        body, k, up = bodies[i], bodies[i].v, bodies[i].parent
        joint, rate, twist, u = get_joint(joints, i), v[k], get(twists, i), get(virtual, i)
        of_u, of_a, of_place = get(F, i), get(A, i), get(D, i)
        of_v = plus(get(B, i), joint_cross_force(body, rate, of_a))
        before = minus(get(accelerations, i), cross_joint(body, twist, rate))
        da[k] = body.armature * y[k]
        if body.kind == BALL:
            before, u = with_joint(body, before, -a[k]), with_joint(body, u, -y[k])
            carried = twist[0], sub(twist[1], (v[k + 1], v[k + 2], v[k]))
            moved = plus(cross_force(carried, of_v), cross_force(before, of_a))
            put_ball(da, k, add(of_a[1], (da[k + 1], da[k + 2], da[k])))
            put_ball(dv, k, minus(of_v, cross_force(twist, of_a))[1])
            put_ball(dq, k, minus(of_place, plus(moved, cross_force(u, of_u)))[1])
        elif body.kind != AXIS:
            da[k] += along_joint(body, of_a)
            turning = cross_joint(body, twist, 1.0)  # S × S = 0: x × S = x' × S
            dv[k] = along_joint(body, of_v) + pairing(turning, of_a)
            dq[k] = (
                along_joint(body, of_place)
                + pairing(turning, of_v)
                + pairing(cross_joint(body, before, 1.0), of_a)
                + pairing(cross_joint(body, u, 1.0), of_u)
            )
        put(F, up, plus(get(F, up), force_to_parent(body, joint, of_u)))
        put(A, up, plus(get(A, up), force_to_parent(body, joint, of_a)))
        put(B, up, plus(get(B, up), force_to_parent(body, joint, of_v)))
        put(D, up, plus(get(D, up), force_to_parent(body, joint, of_place)))
    if bodies[0].kind == FREE:
        of_a, of_place = get(A, 0), get(D, 0)
        turned = cross(gravity_at_root(bodies[0], q), of_a[0])  # a_0 has −g in it, which turns
        dq[0], dq[1], dq[2] = of_place[0]
        dq[3], dq[4], dq[5] = add(of_place[1], turned)
        for k in range(6):
            dv[k], da[k] = B[0, k], A[0, k] + bodies[0].armature * y[k]
        (linear, angular), (along, _) = get(twists, 0), get(virtual, 0)
        of_linear, of_angular = cross(along, angular), cross(linear, along)  # of y·(ω × v)
        for k in range(3):
            dv[k] += bodies[0].armature * of_linear[k]
            dv[3 + k] += bodies[0].armature * of_angular[k]


def put_ball(x, k, moment):
    """x[k : k + 3] of a ball joint = a moment in the axes of its BALL, whose z is the joint's x."""
    x[k + 1], x[k + 2], x[k] = moment


def joint_cross_force(body, rate, force):
    """S q̇ ×* f of a joint's motion and a force."""
    f, n = force
    still = 0.0 * rate
    if body.kind == PRISMATIC:
        return (still, still, still), (-f[1] * rate, f[0] * rate, still)
    return (-f[1] * rate, f[0] * rate, still), (-n[1] * rate, n[0] * rate, still)


def gradient(bodies, loads, x, found, m):
    """Fill found (3 nv + 6 L,) of x = (q, v, a, y, wrenches (6 L,)); workspace (n + 1, 56)."""
    nq, nv = bodies[0].nq, bodies[0].nv
    q, v, a = x[:nq], x[nq : nq + nv], x[nq + nv : nq + 2 * nv]
    y, wrenches = x[nq + 2 * nv : nq + 3 * nv], x[nq + 3 * nv :]
    adjoints = m[:, 32:38], m[:, 38:44], m[:, 44:50], m[:, 50:]
    work = m[:, :2], m[:, 2:8], m[:, 8:14], m[:, 14:20], m[:, 20:32], adjoints
    outward(bodies, q, v, a, y, work)
    put_loads(bodies, q, loads, wrenches, work, found[3 * nv :])
    inward(bodies, q, v, a, y, work, found[:nv], found[nv : 2 * nv], found[2 * nv : 3 * nv])


def inverse_dynamics_gradient_rows(table, loads, Q, V, A, Y, W, out, first, last, memory):
    """out[first:last] = ∂(yᵀτ)/∂q, /∂v, /∂a and what loads see, (3 nv + 6 L,), for W (N, 6 L).

    Returns as `rows.fill`.
    """
    nq, nv, L = as_bodies(table)[0].nq, as_bodies(table)[0].nv, len(loads.body)
    given, shape = ((Q, nq), (V, nv), (A, nv), (Y, nv), (W, 6 * L)), (3 * nv + 6 * L,)
    return fill(gradient, table, (loads,), given, out, shape, 56, first, last, memory)
