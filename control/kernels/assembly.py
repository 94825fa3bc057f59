"""Rows of contacts and tasks at one state, compiled; `reference_rows` is the same in NumPy.

Contacts have J a = k with k = −J̇ v − damping J v, tasks A a = r with r = ẍ* + damping (ẋ* − ẋ) +
gain (x* − x) − J̇ v. The base floats, so its rows of M and b determine the centre of mass c and the
centroidal momentum h: with R, p the placement of the base,

    m J_com = R M_v,     A_g = [R M_v; R (M_ω − c_b × M_v)],     ḣ (at a = 0) = [R b_v + m g; …]

where M_v, M_ω are the first and the next three rows, and c_b is read from the block m [c_b]× of M.
D. Orin, A. Goswami, S.-H. Lee, "Centroidal dynamics of a humanoid robot" (2013).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array, Index
from ...dynamics.kernels.toolchain import Kernel
from .frames import (
    add_cross,
    along,
    at_point,
    classical_at,
    compose,
    rotation_vector,
    twist_and_drift,
)


class Dynamics(NamedTuple):
    """M (nv, nv), b (nv,), J (nv, 6) and the placements (n, 12) of some joints, the base first."""

    M: Array
    b: Array
    J: Array
    joints: Array


class Parameters(NamedTuple):
    """Mass [kg], gravity (3,) [m/s²], damping of contacts [1/s], weight of all accelerations."""

    mass: float
    gravity: Array
    damping: float
    regularisation: float


class Frames(NamedTuple):
    """Rows (n, 3): joint in `Dynamics.joints`, and the part of `chain`; those of contacts first.

    local: (n, 12) T_joint_frame. chain, opens: entries of v from the root to the frame's joint, and
    whether each is the first of its joint.
    """

    rows: Index
    local: Array
    chain: Index
    opens: NDArray[np.bool_]


class Contacts(NamedTuple):
    """Rows (n, 3): first and last row, and whether `axes` (n, 9) do not turn with the robot.

    offsets: (n, 3) from the frames' origins to the ground. components: (dim,) of [f; m] of rows.
    """

    rows: Index
    axes: Array
    offsets: Array
    components: Index


class Tasks(NamedTuple):
    """Rows (n, 5): kind, frame, first and last row, and whether in the frame's own axes.

    targets: (n, 26), see GAIN. components: (m,) of the rows.
    """

    rows: Index
    targets: Array
    components: Index


class Postures(NamedTuple):
    """Of each row its task and its entry of v, and its weight.

    targets: (n, 3 nv) q* ⊖ q, v*, a* of each task. gains: (n, 2) gain and damping.
    """

    owner: Index
    entries: Index
    weight: Array
    targets: Array
    gains: Array


class Loads(NamedTuple):
    """Fractions (n,) that contacts bear of the weight [N]; P (dim, dim) of the cost of forces.

    Contacts bear it whose normal's vertical component is more than `facing_up`.
    """

    fractions: Array
    weight: float
    facing_up: float
    P: Array


class Rows(NamedTuple):
    """The program's data that a state determines, see `program.qp`, and the tasks' errors."""

    M: Array
    b: Array
    J: Array
    k: Array
    A: Array
    r: Array
    e: Array
    d: Array
    p: Array
    posture_r: Array
    posture_e: Array
    s: Array


COM, FRAME, MOMENTUM, DCM = 0, 1, 2, 3  # kinds of tasks
GAIN, DAMPING = 24, 25  # after a value (12,), a velocity (6,) and an acceleration (6,)
FEEDBACK, OMEGA = 18, 24  # k (3,) and ω of a divergent component, in their places


def contact_rows(
    J6, v, frame, chain, opens, place, axes, offset, contact, components, damping, workspace, J, k
):
    """Fill the rows of one contact, components `components` in its axes (9,).

    The point is at `offset` (world axes) from the place's origin, an arm that does not rotate with
    the body, as of a rolling ball: a = a_o + α × offset.
    """
    twist, drift, velocity, acceleration, column = (
        workspace[0],
        workspace[1],
        workspace[2],
        workspace[3],
        workspace[4],
    )
    twist_and_drift(J6, v, frame, chain, opens, twist, drift)
    classical_at(drift, twist, place, velocity, acceleration)
    add_cross(acceleration, 0, acceleration, 3, offset, 0)
    at_point(twist, place, velocity)
    add_cross(velocity, 0, velocity, 3, offset, 0)
    for i in range(contact[0], contact[1]):
        x, at = components[i] % 3, 3 * (components[i] // 3)
        k[i] = -along(axes, x, acceleration, at) - damping * along(axes, x, velocity, at)
    for n in range(frame[1], frame[2]):
        c = chain[n]
        at_point(J6[c], place, column)
        add_cross(column, 0, column, 3, offset, 0)
        for i in range(contact[0], contact[1]):
            J[i, c] = along(axes, components[i] % 3, column, 3 * (components[i] // 3))


def desired_acceleration(target, x, error, rate):
    """ẍ* + damping (ẋ* − ẋ) + gain (x* − x) of component x."""
    return target[18 + x] + target[DAMPING] * (target[12 + x] - rate) + target[GAIN] * error


def frame_rows(
    J6, v, frame, chain, opens, place, axes, task, components, target, workspace, A, r, e
):
    """Fill the rows of a frame's task, components `components` in some axes (9,)."""
    twist, drift, velocity, acceleration, column, error = (
        workspace[0], workspace[1], workspace[2], workspace[3], workspace[4], workspace[5],
    )  # fmt: skip
    twist_and_drift(J6, v, frame, chain, opens, twist, drift)
    classical_at(drift, twist, place, velocity, acceleration)
    at_point(twist, place, velocity)
    rotation_vector(place, target, error)
    for x in range(3):
        error[x] = target[9 + x] - place[9 + x]
    for x in range(6):
        acceleration[x] = desired_acceleration(target, x, error[x], velocity[x]) - acceleration[x]
    for i in range(task[2], task[3]):
        x, at = components[i] % 3, 3 * (components[i] // 3)
        r[i], e[i] = along(axes, x, acceleration, at), along(axes, x, error, at)
    for n in range(frame[1], frame[2]):
        c = chain[n]
        at_point(J6[c], place, column)
        for i in range(task[2], task[3]):
            A[i, c] = along(axes, components[i] % 3, column, 3 * (components[i] // 3))


def centroidal(M, b, v, base, mass, gravity, column, Ag, com, h, rate):
    """Fill A_g (6, nv), c, h = A_g v and its rate at a = 0."""
    x, y, z = M[1, 5] / mass, M[2, 3] / mass, M[0, 4] / mass  # c in the base's axes
    for i in range(3):
        com[i] = base[9 + i] + base[3 * i] * x + base[3 * i + 1] * y + base[3 * i + 2] * z
    for i in range(6):
        h[i] = 0.0
    for j in range(len(v)):
        at_com(M[0, j], M[1, j], M[2, j], M[3, j], M[4, j], M[5, j], x, y, z, base, column)
        for i in range(6):
            Ag[i, j] = column[i]
            h[i] += column[i] * v[j]
    at_com(b[0], b[1], b[2], b[3], b[4], b[5], x, y, z, base, rate)
    for i in range(3):
        rate[i] += mass * gravity[i]


def at_com(fx, fy, fz, mx, my, mz, x, y, z, base, out):
    """A wrench of the base, from its origin and axes to c and the axes of the world."""
    mx -= y * fz - z * fy
    my -= z * fx - x * fz
    mz -= x * fy - y * fx
    for i in range(3):
        out[i] = base[3 * i] * fx + base[3 * i + 1] * fy + base[3 * i + 2] * fz
        out[3 + i] = base[3 * i] * mx + base[3 * i + 1] * my + base[3 * i + 2] * mz


def com_rows(Ag, com, h, rate, mass, task, components, target, A, r, e):
    """Fill the rows of the centre of mass: J_com = A_g's first rows by the mass."""
    for i in range(task[2], task[3]):
        x = components[i]
        e[i] = target[x] - com[x]
        r[i] = desired_acceleration(target, x, e[i], h[x] / mass) - rate[x] / mass
        for j in range(A.shape[1]):
            A[i, j] = Ag[x, j] / mass


def dcm_rows(Ag, com, h, rate, mass, task, target, A, r, e):
    """Fill the rows of ξ = c + ċ/ω: J_com a = ω² (c − ξ*) + ω ξ̇* + ω (ω + k)(ξ* − ξ) − J̇_com v."""
    omega = target[OMEGA]
    for x in range(3):
        i = task[2] + x
        e[i] = target[x] - com[x] - h[x] / (mass * omega)
        r[i] = omega * omega * (com[x] - target[x]) + omega * target[12 + x]
        r[i] += omega * (omega + target[FEEDBACK + x]) * e[i] - rate[x] / mass
        for j in range(A.shape[1]):
            A[i, j] = Ag[x, j] / mass


def momentum_rows(Ag, h, rate, task, components, target, A, r, e):
    """Fill the rows of the momentum: A_g a = ḣ* + gain (h* − h) − Ȧ_g v."""
    for i in range(task[2], task[3]):
        x = components[i]
        e[i] = target[x] - h[x]
        r[i] = target[12 + x] + target[GAIN] * e[i] - rate[x]
        for j in range(A.shape[1]):
            A[i, j] = Ag[x, j]


def posture_rows(postures, v, regularisation, rows):
    """Fill d and p of the cost ½ Σ d (a − p)² of single accelerations, from all postures.

    Args:
        postures: their rows.
        v: (nv,).
        regularisation: weight of all accelerations, with target 0.
        rows: d, p, posture_r and posture_e are written.
    """
    nv, d, p, e = len(v), rows.d, rows.p, rows.posture_e
    targets, gains, weight = postures.targets, postures.gains, postures.weight
    for j in range(nv):
        d[j], p[j] = regularisation, 0.0
    for i in range(len(weight)):
        x, n = postures.entries[i], postures.owner[i]
        e[i] = targets[n, x]
        rate, ahead = targets[n, nv + x] - v[x], targets[n, 2 * nv + x]
        rows.posture_r[i] = gains[n, 0] * e[i] + gains[n, 1] * rate + ahead
        d[x] += weight[i]
        p[x] += weight[i] * rows.posture_r[i]
    for j in range(nv):
        p[j] /= max(d[j], 1e-300)


def nominal_forces(ups, fractions, weight, facing_up, contacts, P, w, s):
    """Fill s = P w, where w distributes the weight over contacts that face up, by `fractions`."""
    total = 1e-12
    for i in range(len(contacts)):
        total += fractions[i] if ups[i, 2] > facing_up else 0.0
    for i in range(len(s)):
        w[i], s[i] = 0.0, 0.0
    for i in range(len(contacts)):
        part = fractions[i] if ups[i, 2] > facing_up else 0.0
        for x in range(3):
            w[contacts[i, 0] + x] = weight * part / total * ups[i, x]
    for i in range(len(s)):
        for j in range(len(s)):
            s[i] += P[i, j] * w[j]


def copy(M_now, b_now, M, b):
    """Copy M and b."""
    for i in range(len(b)):
        b[i] = b_now[i]
        for j in range(len(b)):
            M[i, j] = M_now[i, j]


def finite(x):
    """Return whether all of x is finite."""
    total = 0.0
    for i in range(len(x)):
        total += x[i]
    return np.isfinite(total)


def assemble(v, dynamics, parameters, frames, contacts, tasks, postures, loads, rows):
    """Fill `rows` at a state with velocity v; return whether all is finite."""
    joints, J6, J, k = dynamics.joints, dynamics.J, rows.J, rows.k
    copy(dynamics.M, dynamics.b, rows.M, rows.b)
    place, world, work = np.empty(12), np.zeros(9), np.empty((6, 6))
    world[0] = world[4] = world[8] = 1.0
    ups, w = np.empty((len(contacts.rows), 3)), np.empty(len(rows.s))
    for i in range(len(contacts.rows)):
        frame, contact = frames.rows[i], contacts.rows[i]
        compose(joints[frame[0]], frames.local[i], place)
        axes = contacts.axes[i] if contact[2] else place
        ups[i] = axes[6:9]  # the world's vertical in its axes
        contact_rows(
            J6, v, frame, frames.chain, frames.opens, place, axes, contacts.offsets[i], contact,
            contacts.components, parameters.damping, work, J, k,
        )  # fmt: skip
    nominal_forces(
        ups, loads.fractions, loads.weight, loads.facing_up, contacts.rows, loads.P, w, rows.s
    )
    Ag, com, h, rate = np.empty((6, len(v))), np.empty(3), np.empty(6), np.empty(6)
    has_momentum = False
    for i in range(len(tasks.rows)):
        task, target = tasks.rows[i], tasks.targets[i]
        if task[0] == FRAME:
            frame = frames.rows[task[1]]
            compose(joints[frame[0]], frames.local[task[1]], place)
            frame_rows(
                J6, v, frame, frames.chain, frames.opens, place, place if task[4] else world,
                task, tasks.components, target, work, rows.A, rows.r, rows.e,
            )  # fmt: skip
            continue
        if not has_momentum:
            centroidal(
                rows.M, rows.b, v, joints[0], parameters.mass, parameters.gravity, work[0],
                Ag, com, h, rate,
            )  # fmt: skip
            has_momentum = True
        if task[0] == COM:
            com_rows(
                Ag, com, h, rate, parameters.mass, task, tasks.components, target,
                rows.A, rows.r, rows.e,
            )  # fmt: skip
        elif task[0] == DCM:
            dcm_rows(
                Ag, com, h, rate, parameters.mass, task, target, rows.A, rows.r, rows.e
            )  # fmt: skip
        else:
            momentum_rows(Ag, h, rate, task, tasks.components, target, rows.A, rows.r, rows.e)
    posture_rows(postures, v, parameters.regularisation, rows)
    return finite(k) and finite(rows.r) and finite(rows.p) and finite(rows.b)


ASSEMBLE = Kernel(assemble, 1, arrays=True, each=1e-3, seconds=10.0)
