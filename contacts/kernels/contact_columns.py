"""Columns of contact forces in the equations of motion, and the scaled program of a verdict.

Forces at K points are in contact axes, component by component: first tangents, second ones, of soft
points the moments about the normal /γ (D = 4, zero columns for hard ones), normals. A newton of
the d-th component of point k at r from its contact's centre gives Jᵀ [e_d; r × e_d], with J (6, nv)
the Jacobian of the centre, both in contact axes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array, Index
from .verdict import INFINITE


class ContactFrames(NamedTuple):
    """Frames and points of contacts in the axes of the joints that carry them.

    Attributes:
        carried: (joints, nv), 1 for the columns that move a joint.
        joint: (C,), that carries each contact.
        local: (C, 3, 4), axes and centre in that joint.
        turns: (C,), whether the axes turn with the joint; else they are the world's.
        lift: (C, 3), from the centre to where the ground is touched, world axes [m].
        points: (K, 3), in contact axes [m]; owner: (K,).
        torsion: (K,), γ of soft points, else 0 [m].
        presses: (C,), what of a newton of margin each contact loses.
    """

    carried: Array
    joint: Index
    local: Array
    turns: NDArray[np.bool_]
    lift: Array
    points: Array
    owner: Index
    torsion: Array
    presses: Array


def place(S, T, frames, R, J):
    """Write the axes R (C, 3, 3) and centre Jacobians J (C, 6, nv) of contacts in one state.

    Args:
        S: (6, nv), columns of the joints about the world's origin, linear first.
        T: (joints, 3, 4), their placements.
        frames: of the contacts.
        R, J: are written; J linear first, world axes.
    """
    carried, joint, local = frames.carried, frames.joint, frames.local
    turns, lift = frames.turns, frames.lift
    for c in range(len(joint)):
        i = joint[c]
        for a in range(3):
            for b in range(3):
                R[c, a, b] = local[c, a, b]
                if turns[c]:
                    R[c, a, b] = 0.0
                    for k in range(3):
                        R[c, a, b] += T[i, a, k] * local[c, k, b]
        x, y, z = T[i, 0, 3] + lift[c, 0], T[i, 1, 3] + lift[c, 1], T[i, 2, 3] + lift[c, 2]
        for k in range(3):
            x += T[i, 0, k] * local[c, k, 3]
            y += T[i, 1, k] * local[c, k, 3]
            z += T[i, 2, k] * local[c, k, 3]
        for j in range(S.shape[1]):
            if carried[i, j]:
                u, v, w = S[3, j], S[4, j], S[5, j]
                J[c, 0, j] = S[0, j] + v * z - w * y
                J[c, 1, j] = S[1, j] + w * x - u * z
                J[c, 2, j] = S[2, j] + u * y - v * x
                J[c, 3, j], J[c, 4, j], J[c, 5, j] = u, v, w
            else:
                for k in range(6):
                    J[c, k, j] = 0.0


def contact_columns(J, R, frames, columns, pulls):
    """Write what a newton of each force, and of the margin, does to the robot.

    Args:
        J: (N, C, 6, nv), of the centres, world axes.
        R: (N or 1, C, 3, 3), contact axes.
        frames: of the contacts.
        columns: (N, nv, D, K), is written.
        pulls: (N, nv), Σ_c J_cᵀ n_c presses_c, is written.
    """
    points, owner, torsion, presses = frames.points, frames.owner, frames.torsion, frames.presses
    N, C, _, nv = J.shape
    D, K = columns.shape[2], len(owner)
    for s in range(N):
        t = s if len(R) > 1 else 0
        for j in range(nv):
            pulls[s, j] = 0.0
            for c in range(C):
                if presses[c] > 0:
                    for a in range(3):
                        pulls[s, j] += presses[c] * R[t, c, a, 2] * J[s, c, a, j]
            previous, lx, ly, lz, ax, ay, az = -1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            for k in range(K):
                c = owner[k]
                if c != previous:
                    previous, lx, ly, lz, ax, ay, az = c, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
                    for a in range(3):
                        lx += R[t, c, a, 0] * J[s, c, a, j]
                        ly += R[t, c, a, 1] * J[s, c, a, j]
                        lz += R[t, c, a, 2] * J[s, c, a, j]
                        ax += R[t, c, a, 0] * J[s, c, a + 3, j]
                        ay += R[t, c, a, 1] * J[s, c, a + 3, j]
                        az += R[t, c, a, 2] * J[s, c, a + 3, j]
                x, y, z = points[k, 0], points[k, 1], points[k, 2]
                columns[s, j, 0, k] = lx + ay * z - az * y
                columns[s, j, 1, k] = ly + az * x - ax * z
                columns[s, j, D - 1, k] = lz + ax * y - ay * x
                if D == 4:
                    columns[s, j, 2, k] = torsion[k] * az


def scale_rows(columns, pulls, loads, bounds, constants, program):
    """Write the program of verdicts in weights, each row and inequality of about unit size.

    Args:
        columns, pulls, loads: (N or 1, nv, D K), (N or 1, nv), (N or 1, nv), what is balanced.
        bounds: (N or 1, R), limits of the torques of some joints, not more rows than of loads.
        constants: what all programs share.
        program: is written, with as many entries of A and G as columns have, of w and bounds as
            loads, of normals and g as pulls; but for its units. Its scales are 1/size of rows and
            inequalities: zeros are written, those of the first columns for all.
    """
    A, w, n, _, G, g, low, high, scales = program
    weight, joints, rows = constants.weight, constants.joints, constants.rows
    size, R, m = columns.shape[2], len(joints), len(rows)
    for kind in range(2 if scales[0, 0] == 0.0 else 0):
        for i in range(m if kind == 0 else R):
            row, most = rows[i] if kind == 0 else joints[i], 0.0
            for j in range(size):
                most = max(most, abs(columns[0, row, j]))
            # a row that no force reaches is rounding: scaling would blow it up to size one
            scales[kind, i] = 1.0 / most if most > 1e-9 else 1.0
    for s in range(len(columns)):
        for i in range(m):
            for j in range(size):
                A[s, i * size + j] = columns[s, rows[i], j] * scales[0, i]
        for i in range(R):
            for j in range(size):
                G[s, i * size + j] = columns[s, joints[i], j] * scales[1, i]
    for s in range(len(pulls)):
        for i in range(m):
            n[s, i] = pulls[s, rows[i]] * scales[0, i]
        for i in range(R):
            g[s, i] = pulls[s, joints[i]] * scales[1, i]
    for s in range(len(loads)):
        for i in range(m):
            w[s, i] = -loads[s, rows[i]] * (scales[0, i] / weight)
        t = s if len(bounds) > 1 else 0
        for i in range(R):
            if bounds[t, i] < INFINITE:
                low[s, i] = (-bounds[t, i] - loads[s, joints[i]]) * (scales[1, i] / weight)
                high[s, i] = (bounds[t, i] - loads[s, joints[i]]) * (scales[1, i] / weight)
            else:  # limited in other states
                low[s, i], high[s, i] = -INFINITE, INFINITE
    write_whole(constants.whole, R, size, program)


def write_whole(whole, first, size, program):
    """Write the inequalities that limit contacts as a whole, after those of torques."""
    _, _, _, _, G, g, low, high, _ = program
    for i in range(len(whole.high)):
        for s in range(len(G)):
            for j in range(size):
                G[s, (first + i) * size + j] = whole.G[i, j]
        for s in range(len(g)):
            g[s, first + i] = whole.g[i]
        for s in range(len(low)):
            low[s, first + i], high[s, first + i] = -INFINITE, whole.high[i]  # one-sided
