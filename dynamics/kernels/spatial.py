"""Spatial vectors, and their transforms by one joint: the notation of all kernels.

A vector is a tuple of three numbers. A motion is a pair (v, ω), a force a pair (f, n), both at the
origin of a body, in its axes. Placements ᶜXₚ from a parent to its child come in two steps: the
fixed one of the table (R, p), and the joint, which turns about z or slides along it. Its position
is two pairs, (cos, sin) or (distance, 0) and nothing, or the quaternion of a ball joint. In arrays
a body has one pair: the second pair of a BALL is that of the AXIS after it.

Source: R. Featherstone, "Rigid Body Dynamics Algorithms" (2008), chapters 2 and 4, app. A.
"""

from __future__ import annotations

from .body_table import AXIS, BALL, CONTINUOUS, FREE, PRISMATIC, REVOLUTE
from .scalars import sincos

# --- vectors -------------------------------------------------------------------------------------


def add(a, b):
    """a + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def sub(a, b):
    """a − b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def scale(k, a):
    """k a."""
    return k * a[0], k * a[1], k * a[2]


def dot(a, b):
    """a · b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a, b):
    """a × b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def symmetric(I, a):
    """I a for I = xx, xy, yy, xz, yz, zz."""
    return (
        I[0] * a[0] + I[1] * a[1] + I[3] * a[2],
        I[1] * a[0] + I[2] * a[1] + I[4] * a[2],
        I[3] * a[0] + I[4] * a[1] + I[5] * a[2],
    )


# --- motions and forces --------------------------------------------------------------------------


def get(rows, i):
    """The pair in row i."""
    return (rows[i, 0], rows[i, 1], rows[i, 2]), (rows[i, 3], rows[i, 4], rows[i, 5])


def put(rows, i, pair):
    """Row i = the pair."""
    rows[i, 0], rows[i, 1], rows[i, 2] = pair[0]
    rows[i, 3], rows[i, 4], rows[i, 5] = pair[1]


def plus(x, y):
    """x + y of two motions or two forces."""
    return add(x[0], y[0]), add(x[1], y[1])


def minus(x, y):
    """x − y."""
    return sub(x[0], y[0]), sub(x[1], y[1])


def pairing(x, f):
    """x · f of a motion and a force: a power."""
    return dot(x[0], f[0]) + dot(x[1], f[1])


def cross_motion(x, y):
    """x × y of two motions: (ω × v' + v × ω', ω × ω')."""
    return add(cross(x[1], y[0]), cross(x[0], y[1])), cross(x[1], y[1])


def cross_force(x, y):
    """x ×* y of a motion and a force: (ω × f, ω × n + v × f)."""
    return cross(x[1], y[0]), add(cross(x[1], y[1]), cross(x[0], y[0]))


def momentum(mass, h, I, motion):
    """I x of a body of mass m, first moment h = m c and inertia I about the origin."""
    v, w = motion
    return add(scale(mass, v), cross(w, h)), add(symmetric(I, w), cross(h, v))


# --- the root ------------------------------------------------------------------------------------


def root_motion(root, x):
    """The root's motion in a tangent vector: its first six numbers; zero if it cannot move."""
    motion = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    if root.kind == FREE:
        motion = (x[0], x[1], x[2]), (x[3], x[4], x[5])
    return motion


def rotation(x, y, z, w):
    """Columns of the rotation of a unit quaternion."""
    return (
        (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)),
        (2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)),
        (2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)),
    )


def gravity_at_root(root, q):
    """g in the root's axes."""
    g = root.gravity
    x = g[0], g[1], g[2]
    if root.kind == FREE:
        R = rotation(q[3], q[4], q[5], q[6])
        x = dot(R[0], g), dot(R[1], g), dot(R[2], g)
    return x


# --- one joint -----------------------------------------------------------------------------------


def joint_position(body, q):
    """(cos, sin), (distance, 0) or, of a BALL in its axes, the pairs x y, z w of a quaternion."""
    k = body.q
    if body.kind == REVOLUTE:
        s, c = sincos(q[k])
        return (c, s), (0.0, 0.0)
    if body.kind == PRISMATIC:
        return (q[k], 0.0), (0.0, 0.0)
    if body.kind == CONTINUOUS:
        return (q[k], q[k + 1]), (0.0, 0.0)
    if body.kind == BALL:
        return (q[k + 1], q[k + 2]), (q[k], q[k + 3])
    return (q[k], q[k + 3]), (0.0, 0.0)  # of an AXIS, for the BALL before it


def put_joint(joints, i, joint):
    """Row i = the first pair of a joint's position."""
    joints[i, 0], joints[i, 1] = joint[0]


def get_joint(joints, i):
    """The position of a joint: row i, and the next, which has the second pair of a BALL."""
    return (joints[i, 0], joints[i, 1]), joints[i + 1]


def rotated(joint, sign, a):
    """R a of the rotation of a unit quaternion; Rᵀ a where the sign is −1."""
    u, w = (joint[0][0], joint[0][1], joint[1][0]), sign * joint[1][1]
    t = scale(2.0, cross(u, a))
    return add(add(a, scale(w, t)), cross(u, t))


def to_child_axes(body, joint, x):
    """A vector from the parent's axes to the child's: R(joint)ᵀ Rᵀ x."""
    R = body.R
    if body.turn == 0:
        y = x[0], x[1], x[2]
    elif body.turn == 1:
        y = x[1], x[2], x[0]
    elif body.turn == 2:
        y = x[2], x[0], x[1]
    else:
        y = (
            R[0] * x[0] + R[3] * x[1] + R[6] * x[2],
            R[1] * x[0] + R[4] * x[1] + R[7] * x[2],
            R[2] * x[0] + R[5] * x[1] + R[8] * x[2],
        )
        if body.kind == BALL:
            y = rotated(joint, -1.0, y)
    if body.kind < PRISMATIC:
        c, s = joint[0][0], joint[0][1]
        y = c * y[0] + s * y[1], c * y[1] - s * y[0], y[2]
    return y


def to_parent_axes(body, joint, y):
    """A vector from the child's axes to the parent's: R R(joint) y."""
    R = body.R
    x = y[0], y[1], y[2]
    if body.kind < PRISMATIC:
        c, s = joint[0][0], joint[0][1]
        x = c * y[0] - s * y[1], s * y[0] + c * y[1], y[2]
    if body.turn == 0:
        return x
    if body.turn == 1:
        return x[2], x[0], x[1]
    if body.turn == 2:
        return x[1], x[2], x[0]
    if body.kind == BALL:
        x = rotated(joint, 1.0, x)
    return (
        R[0] * x[0] + R[1] * x[1] + R[2] * x[2],
        R[3] * x[0] + R[4] * x[1] + R[5] * x[2],
        R[6] * x[0] + R[7] * x[1] + R[8] * x[2],
    )


def motion_to_child(body, joint, motion):
    """ᶜXₚ x: a motion of the parent, at the child's origin, in its axes."""
    v, w = motion
    v = to_child_axes(body, joint, sub(v, cross(body.p, w)))
    w = to_child_axes(body, joint, w)
    if body.kind == PRISMATIC:
        d = joint[0][0]
        v = v[0] + d * w[1], v[1] - d * w[0], v[2]
    return v, w


def force_to_parent(body, joint, force):
    """ᶜXₚᵀ f: a force on the child, at the parent's origin, in its axes."""
    f, n = force
    if body.kind == PRISMATIC:
        d = joint[0][0]
        n = n[0] - d * f[1], n[1] + d * f[0], n[2]
    f = to_parent_axes(body, joint, f)
    return f, add(to_parent_axes(body, joint, n), cross(body.p, f))


def along_joint(body, force):
    """Sᵀ f: the part of a force that the joint's motor feels."""
    return force[0][2] if body.kind == PRISMATIC else force[1][2]


def with_joint(body, motion, rate):
    """x + S q̇: a motion and the joint's own."""
    v, w = motion
    if body.kind == PRISMATIC:
        return (v[0], v[1], v[2] + rate), w
    return v, (w[0], w[1], w[2] + rate)


def with_velocity(body, motion, v):
    """A twist of the parent and the joint's own; all of a ball joint's is that of its BALL."""
    k = body.v
    if body.kind == BALL:  # its z is x of the joint
        return motion[0], add(motion[1], (v[k + 1], v[k + 2], v[k]))
    return motion if body.kind == AXIS else with_joint(body, motion, v[k])


def cross_joint(body, motion, rate):
    """x × S q̇: how the joint's motion turns with the body's."""
    v, w = motion
    if body.kind == PRISMATIC:
        return (w[1] * rate, -w[0] * rate, 0.0), (0.0, 0.0, 0.0)
    return (v[1] * rate, -v[0] * rate, 0.0), (w[1] * rate, -w[0] * rate, 0.0)
