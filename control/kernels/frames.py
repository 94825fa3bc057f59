"""Frames of a tree at one state, from the columns of its joints in world axes.

J (nv, 6) has a row [J_v, J_ω] for each entry of v: the velocity that it gives to the point of its
body that is at the world's origin, and its angular velocity. A place (12,) is R row by row, then p.
"""

from __future__ import annotations

import numpy as np


def compose(T, local, out):
    """T_world_frame = T_world_joint T_joint_frame, as places."""
    for i in range(3):
        for j in range(3):
            total = 0.0
            for k in range(3):
                total += T[3 * i + k] * local[3 * k + j]
            out[3 * i + j] = total
        total = T[9 + i]
        for k in range(3):
            total += T[3 * i + k] * local[9 + k]
        out[9 + i] = total


def add_cross(out, at, a, i, b, j):
    """out[at:] += a[i:] × b[j:], three numbers each."""
    out[at] += a[i + 1] * b[j + 2] - a[i + 2] * b[j + 1]
    out[at + 1] += a[i + 2] * b[j] - a[i] * b[j + 2]
    out[at + 2] += a[i] * b[j + 1] - a[i + 1] * b[j]


def twist_and_drift(J, v, links, chain, opens, twist, drift):
    """J v and J̇ v (6,) of the last body of a chain, for the point at the world's origin.

    A joint's axes ride on the body before it: J̇ v = Σ (twist of that body) × (J_c v_c). So it is
    where they ride on the body after it, as a ball's do: what the joint adds to the twist is
    Σ J_c v_c over its own axes, whose product with itself is zero.

    Args:
        links: the part of `chain`, from links[1] to links[2], with the entries of v up to the body.
        opens: whether each is the first of its joint.
    """
    before, own = np.zeros(6), np.zeros(6)
    for i in range(6):
        twist[i], drift[i] = 0.0, 0.0
    for n in range(links[1], links[2]):
        c = chain[n]
        for i in range(6):
            own[i] = J[c, i] * v[c]
            if opens[n]:
                before[i] = twist[i]
        add_cross(drift, 0, before, 3, own, 0)
        add_cross(drift, 0, before, 0, own, 3)
        add_cross(drift, 3, before, 3, own, 3)
        for i in range(6):
            twist[i] += own[i]


def at_point(motion, place, out):
    """[v + ω × p, ω] at a place, of a motion given at the world's origin."""
    for i in range(6):
        out[i] = motion[i]
    add_cross(out, 0, motion, 3, place, 9)


def classical_at(drift, twist, place, moving, out):
    """The acceleration of the body's point at a place when a = 0, and α: drift + ω × v there."""
    at_point(drift, place, out)
    at_point(twist, place, moving)
    add_cross(out, 0, moving, 3, moving, 0)


def along(axes, x, vector, at):
    """Component x of three numbers in axes (9,), whose columns are unit vectors."""
    return axes[x] * vector[at] + axes[3 + x] * vector[at + 1] + axes[6 + x] * vector[at + 2]


def rotation_vector(R, goal, out):
    """log(goal Rᵀ) into out[3:] [rad], through the quaternion, so that any angle will do."""
    E = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            for k in range(3):
                E[i, j] += goal[3 * i + k] * R[3 * j + k]
    trace = E[0, 0] + E[1, 1] + E[2, 2]
    i = 0  # the largest of 1 + trace and 1 + 2 E_ii − trace is far from zero
    if E[1, 1] > E[0, 0]:
        i = 1
    if E[2, 2] > E[i, i]:
        i = 2
    j, k = (i + 1) % 3, (i + 2) % 3
    if trace > E[i, i]:
        w = 1.0 + trace
        out[3], out[4], out[5] = E[2, 1] - E[1, 2], E[0, 2] - E[2, 0], E[1, 0] - E[0, 1]
    else:
        w = E[k, j] - E[j, k]
        out[3 + i] = 1.0 + 2.0 * E[i, i] - trace
        out[3 + j] = E[j, i] + E[i, j]
        out[3 + k] = E[k, i] + E[i, k]
    size = np.sqrt(out[3] ** 2 + out[4] ** 2 + out[5] ** 2)
    if w < 0.0:
        w, size = -w, -size
    # the quaternion's vector is sin(angle / 2) times the axis
    factor = 2.0 * np.arctan2(abs(size), w) / size if abs(size) > 1e-12 * w else 2.0 / w
    for x in range(3):
        out[3 + x] *= factor
