# mypy: disable-error-code="no-untyped-def, misc, no-untyped-call"
"""The rows that contacts and tasks ask for at one state: `Layout.program`, compiled.

Contacts ask J a = k with k = −J̇ v − damping J v, tasks A a = r with r = ẍ* + damping (ẋ* − ẋ) +
gain (x* − x) − J̇ v. The robot's base floats, and the base's rows of M and b say all that there is
to say of the centre of mass c and the momentum h: with R, p the place of the base,

    m J_com = R M_v,     A_g = [R M_v; R (M_ω − c_b × M_v)],     ḣ (at a = 0) = [R b_v + m g; …]

where M_v, M_ω are the first and the next three rows, and M has m [c_b]× in it.
"""

from __future__ import annotations

import numpy as np

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


def entry_rows(task_of, rows, weight, goals, gains, v, asked, e, usual, d, p):
    """Fill what postures ask of single accelerations: sums of d (a − p)² of all that do.

    Args:
        task_of, rows: whose entry each is, where it is in v.
        goals: (n, 3 nv) q* ⊖ q, v*, a* of each task; gains: gain, damping.
        usual: weight of all accelerations, whose target is 0.
    """
    nv = len(v)
    for j in range(nv):
        d[j], p[j] = usual, 0.0
    for i in range(len(rows)):
        x, n = rows[i], task_of[i]
        e[i] = goals[n, x]
        rate, ahead = goals[n, nv + x] - v[x], goals[n, 2 * nv + x]
        asked[i] = gains[n, 0] * e[i] + gains[n, 1] * rate + ahead
        d[x] += weight[i]
        p[x] += weight[i] * asked[i]
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


def assemble(
    v, M_now, b_now, J6, joints, mass, gravity, damping, usual,
    frames, locals_, chain, opens, contacts, axes, down, picks_J,
    tasks, goals, picks_A, task_of, entries, entry_weight, entry_goals, entry_gains,
    parts, weight, least_up, even,
    M, b, J, k, A, r, e, d, p, asked, entry_e, s,
):  # fmt: skip
    """Fill M, b, J, k, A, r, d, p, s, and the errors; whether all is finite.

    Args:
        joints: places of some joints (n, 12), the base first.
        frames: (n, 3) which of these a frame rides on, and its part of `chain`.
        locals_: T_joint_frame (n, 12) of frames; those of contacts are the first.
        contacts: (n, 3) rows, and whether their `axes` (n, 9) do not turn with the robot.
        down: from their origins to the ground (n, 3); picks_J: components of their rows.
        tasks: (n, 5) kind, frame, rows, if in the frame's axes; picks_A: components of the rows.
        entry_…: as for `entry_rows`.
        parts, weight, least_up, even: as for `even_share`.
    """
    copy(M_now, b_now, M, b)
    place, world, room = np.empty(12), np.zeros(9), np.empty((6, 6))
    world[0] = world[4] = world[8] = 1.0
    ups, w = np.empty((len(contacts), 3)), np.empty(len(s))
    for i in range(len(contacts)):
        compose(joints[frames[i, 0]], locals_[i], place)
        turned = axes[i] if contacts[i, 2] else place
        ups[i] = turned[6:9]  # the world's vertical in its axes
        contact_rows(
            J6, v, frames[i], chain, opens, place, turned, down[i], contacts[i], picks_J, damping,
            room, J, k,
        )  # fmt: skip
    even_share(ups, parts, weight, least_up, contacts, even, w, s)
    Ag, com, h, rate = np.empty((6, len(v))), np.empty(3), np.empty(6), np.empty(6)
    known = False
    for i in range(len(tasks)):
        kind, frame = tasks[i, 0], tasks[i, 1]
        if kind == FRAME:
            compose(joints[frames[frame, 0]], locals_[frame], place)
            frame_rows(
                J6, v, frames[frame], chain, opens, place, place if tasks[i, 4] else world,
                tasks[i], picks_A, goals[i], room, A, r, e,
            )  # fmt: skip
            continue
        if not known:
            centroidal(M, b, v, joints[0], mass, gravity, room[0], Ag, com, h, rate)
            known = True
        if kind == COM:
            com_rows(Ag, com, h, rate, mass, tasks[i], picks_A, goals[i], A, r, e)
        else:
            momentum_rows(Ag, h, rate, tasks[i], picks_A, goals[i], A, r, e)
    entry_rows(
        task_of, entries, entry_weight, entry_goals, entry_gains, v, asked, entry_e, usual, d, p
    )
    return finite(k) and finite(r) and finite(p) and finite(b)


ASSEMBLE = Kernel(assemble, 1, arrays=True, each=1e-3, seconds=10.0)
