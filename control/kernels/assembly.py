# mypy: disable-error-code="no-untyped-def, misc, no-untyped-call"
"""The rows that contacts and tasks ask for at one state: `Layout.program`, compiled.

Contacts ask J a = k with k = −J̇ v − damping J v, tasks A a = r with r = ẍ* + damping (ẋ* − ẋ) +
gain (x* − x) − J̇ v. The robot's base floats, and the base's rows of M and b say all that there is
to say of the centre of mass c and the momentum h: with R, p the place of the base,

    m J_com = R M_v,     A_g = [R M_v; R (M_ω − c_b × M_v)],     ḣ (at a = 0) = [R b_v + m g; …]

where M_v, M_ω are the first and the next three rows, and M has m [c_b]× in it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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

Array = NDArray[np.float64]
Index = NDArray[np.intp]


class Dynamics(NamedTuple):
    """M (nv, nv), b (nv,), J (nv, 6) and the places (n, 12) of some joints, the base first."""

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
    """The program's data that a state determines, see `control.qp`, and the tasks' errors."""

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


COM, FRAME, MOMENTUM = 0, 1, 2  # kinds of tasks
GAIN, DAMPING = 24, 25  # after a value (12,), a velocity (6,) and an acceleration (6,)


def contact_rows(
    J6, v, links, chain, opens, place, axes, down, contact, picks, damping, room, J, k
):
    """Fill the rows of one contact, components `picks` in its axes (9,).

    The point is `down` (world axes) from the place's origin and turns with no body, as where a ball
    touches: a = a_o + α × down.
    """
    twist, drift, here, fall, column = room[0], room[1], room[2], room[3], room[4]
    twist_and_drift(J6, v, links, chain, opens, twist, drift)
    classical_at(drift, twist, place, here, fall)
    add_cross(fall, 0, fall, 3, down, 0)
    at_point(twist, place, here)
    add_cross(here, 0, here, 3, down, 0)
    for i in range(contact[0], contact[1]):
        x, at = picks[i] % 3, 3 * (picks[i] // 3)
        k[i] = -along(axes, x, fall, at) - damping * along(axes, x, here, at)
    for n in range(links[1], links[2]):
        c = chain[n]
        at_point(J6[c], place, column)
        add_cross(column, 0, column, 3, down, 0)
        for i in range(contact[0], contact[1]):
            J[i, c] = along(axes, picks[i] % 3, column, 3 * (picks[i] // 3))


def pull(goal, x, error, rate):
    """ẍ* + damping (ẋ* − ẋ) + gain (x* − x) of component x."""
    return goal[18 + x] + goal[DAMPING] * (goal[12 + x] - rate) + goal[GAIN] * error


def frame_rows(J6, v, links, chain, opens, place, axes, task, picks, goal, room, A, r, e):
    """Fill the rows of a frame's task, components `picks` in some axes (9,)."""
    twist, drift, here, fall, column, error = (
        room[0], room[1], room[2], room[3], room[4], room[5],
    )  # fmt: skip
    twist_and_drift(J6, v, links, chain, opens, twist, drift)
    classical_at(drift, twist, place, here, fall)
    at_point(twist, place, here)
    rotation_vector(place, goal, error)
    for x in range(3):
        error[x] = goal[9 + x] - place[9 + x]
    for x in range(6):
        fall[x] = pull(goal, x, error[x], here[x]) - fall[x]
    for i in range(task[2], task[3]):
        x, at = picks[i] % 3, 3 * (picks[i] // 3)
        r[i], e[i] = along(axes, x, fall, at), along(axes, x, error, at)
    for n in range(links[1], links[2]):
        c = chain[n]
        at_point(J6[c], place, column)
        for i in range(task[2], task[3]):
            A[i, c] = along(axes, picks[i] % 3, column, 3 * (picks[i] // 3))


def centroidal(M, b, v, base, mass, gravity, column, Ag, com, h, rate):
    """Fill A_g (6, nv), c, h = A_g v and its rate at a = 0."""
    x, y, z = M[1, 5] / mass, M[2, 3] / mass, M[0, 4] / mass  # c in the base's axes
    for i in range(3):
        com[i] = base[9 + i] + base[3 * i] * x + base[3 * i + 1] * y + base[3 * i + 2] * z
    for i in range(6):
        h[i] = 0.0
    for j in range(len(v)):
        about(M[0, j], M[1, j], M[2, j], M[3, j], M[4, j], M[5, j], x, y, z, base, column)
        for i in range(6):
            Ag[i, j] = column[i]
            h[i] += column[i] * v[j]
    about(b[0], b[1], b[2], b[3], b[4], b[5], x, y, z, base, rate)
    for i in range(3):
        rate[i] += mass * gravity[i]


def about(fx, fy, fz, mx, my, mz, x, y, z, base, out):
    """A wrench of the base, at its origin in its axes, moved to c and turned into the world's."""
    mx -= y * fz - z * fy
    my -= z * fx - x * fz
    mz -= x * fy - y * fx
    for i in range(3):
        out[i] = base[3 * i] * fx + base[3 * i + 1] * fy + base[3 * i + 2] * fz
        out[3 + i] = base[3 * i] * mx + base[3 * i + 1] * my + base[3 * i + 2] * mz


def com_rows(Ag, com, h, rate, mass, task, picks, goal, A, r, e):
    """Fill the rows of the centre of mass: J_com = A_g's first rows by the mass."""
    for i in range(task[2], task[3]):
        x = picks[i]
        e[i] = goal[x] - com[x]
        r[i] = pull(goal, x, e[i], h[x] / mass) - rate[x] / mass
        for j in range(A.shape[1]):
            A[i, j] = Ag[x, j] / mass


def momentum_rows(Ag, h, rate, task, picks, goal, A, r, e):
    """Fill the rows of the momentum: A_g a = ḣ* + gain (h* − h) − Ȧ_g v."""
    for i in range(task[2], task[3]):
        x = picks[i]
        e[i] = goal[x] - h[x]
        r[i] = goal[12 + x] + goal[GAIN] * e[i] - rate[x]
        for j in range(A.shape[1]):
            A[i, j] = Ag[x, j]


def entry_rows(postures, v, usual, rows):
    """Fill what postures ask of single accelerations: sums of d (a − p)² of all that do.

    Args:
        postures: their rows.
        v: (nv,).
        usual: weight of all accelerations, whose target is 0.
        rows: d, p, posture_r and posture_e are written.
    """
    nv, d, p, e = len(v), rows.d, rows.p, rows.posture_e
    targets, gains, weight = postures.targets, postures.gains, postures.weight
    for j in range(nv):
        d[j], p[j] = usual, 0.0
    for i in range(len(weight)):
        x, n = postures.entries[i], postures.owner[i]
        e[i] = targets[n, x]
        rate, ahead = targets[n, nv + x] - v[x], targets[n, 2 * nv + x]
        rows.posture_r[i] = gains[n, 0] * e[i] + gains[n, 1] * rate + ahead
        d[x] += weight[i]
        p[x] += weight[i] * rows.posture_r[i]
    for j in range(nv):
        p[j] /= max(d[j], 1e-300)


def even_share(ups, parts, weight, least_up, contacts, even, w, s):
    """Fill s = even w, where the contacts that face up share out the robot's weight by `parts`."""
    total = 1e-12
    for i in range(len(contacts)):
        total += parts[i] if ups[i, 2] > least_up else 0.0
    for i in range(len(s)):
        w[i], s[i] = 0.0, 0.0
    for i in range(len(contacts)):
        part = parts[i] if ups[i, 2] > least_up else 0.0
        for x in range(3):
            w[contacts[i, 0] + x] = weight * part / total * ups[i, x]
    for i in range(len(s)):
        for j in range(len(s)):
            s[i] += even[i, j] * w[j]


def copy(M_now, b_now, M, b):
    """Take M and b over."""
    for i in range(len(b)):
        b[i] = b_now[i]
        for j in range(len(b)):
            M[i, j] = M_now[i, j]


def finite(x):
    """Whether all of x is."""
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
    even_share(
        ups, loads.fractions, loads.weight, loads.facing_up, contacts.rows, loads.P, w, rows.s
    )
    Ag, com, h, rate = np.empty((6, len(v))), np.empty(3), np.empty(6), np.empty(6)
    known = False
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
        if not known:
            centroidal(
                rows.M, rows.b, v, joints[0], parameters.mass, parameters.gravity, work[0],
                Ag, com, h, rate,
            )  # fmt: skip
            known = True
        if task[0] == COM:
            com_rows(
                Ag, com, h, rate, parameters.mass, task, tasks.components, target,
                rows.A, rows.r, rows.e,
            )  # fmt: skip
        else:
            momentum_rows(Ag, h, rate, task, tasks.components, target, rows.A, rows.r, rows.e)
    entry_rows(postures, v, parameters.regularisation, rows)
    return finite(k) and finite(rows.r) and finite(rows.p) and finite(rows.b)


ASSEMBLE = Kernel(assemble, 1, arrays=True, each=1e-3, seconds=10.0)
