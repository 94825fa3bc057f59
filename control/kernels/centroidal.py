"""Data of the subproblem of predictive control, node by node and contact by contact.

The dynamics of `predictive.centroidal`, linearised about c̄ and f̄, with forces as accelerations,

    s = f̄/ρ²,    K = m ρ² I⁻¹,    I⁻¹ = R̂ I_b⁻¹ R̂ᵀ,
    e = [½h² p, h p, h r, ½h (ω_k + ω_{k+1}) + ½h² K r],
    p = g + F/m,     r = M/(m ρ²) − s × c̄,     ω = ω_legs − ω̂,

and the forces of `predictive.blocks`: of a contact at p̄ whose forces and moments are f u and τ u,

    G u = [g f u,  g/ρ² (τ u + (p̄ − c̄) × f u)].
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...dynamics.kernels.spatial import cross
from ...dynamics.kernels.toolchain import Kernel
from .newton import BOUNDS
from .predictive import Problems
from .riccati import STATES

FADING = 0.1  # time constant with which the unexplained part of ω_legs decays [s]
LEAST = 0.05  # least share of a torque limit that forces have, whatever the leg's own motion takes
FAR = 1e3  # stands for an infinite bound


class Rigid(NamedTuple):
    """The robot as one rigid body, see `predictive.centroidal.Body`."""

    mass: Any
    weight: Any
    square: Any
    gravity: Any
    com: Any
    momentum: Any
    rate: Any
    inertia: Any


class Targets(NamedTuple):
    """What is wanted at the nodes' ends, see `predictive.centroidal.Reference`; legs (N + 1, 3)."""

    com: Any
    velocity: Any
    rotation: Any
    rate: Any
    legs: Any


class Grid(NamedTuple):
    """The nodes, and what they are linearised about.

    Attributes:
        h: (N,), durations [s].
        stance: (N,), which one of the S stances.
        begin: (S + 1,): contacts begin[i] … begin[i + 1] − 1 carry in stance i.
        contact: (k,), which one of the robot's.
        poses: (k, 4, 4), T_world_contact.
        known: [F; M] (6,), M about the world's origin [N, N·m].
    """

    h: Any
    stance: Any
    begin: Any
    contact: Any
    poses: Any
    known: Any


class Nominal(NamedTuple):
    """The motion about which the dynamics are linearised.

    Attributes:
        times: (n + 1,), from now on [s].
        com: c̄ (n + 1, 3) at these [m].
        forces: f̄ (n, 3) between them, of all contacts together, as accelerations [m/s²].
    """

    times: Any
    com: Any
    forces: Any


class Blocks(NamedTuple):
    """Blocks of C contacts side by side, padded with rows and cones that always hold.

    Attributes:
        wrench: (C, 6, n).
        rows, bounds: (C, l, n), (C, l).
        cones, offsets, at: C, c, and which entries of u, (C, q, D) each.
        even: (C, n).
        joints: (C, j).
        scale, middle: (C, j), of the torques' bounds: 2/(upper − lower), (upper + lower)/2.
        lengths: (C,), of the legs up to which they carry [m].
    """

    wrench: Any
    rows: Any
    bounds: Any
    cones: Any
    offsets: Any
    at: Any
    even: Any
    joints: Any
    scale: Any
    middle: Any
    lengths: Any


class Legs(NamedTuple):
    """The robot's legs at one state.

    Attributes:
        jacobians: (C, 6, nv), of the contacts' centres, axes of the base.
        torques: (nv,), that its own weight and motion take [N·m].
        hips: (C, 3), from the centre of mass, axes of the base [m].
    """

    jacobians: Any
    torques: Any
    hips: Any


class Cost(NamedTuple):
    """Weights of the cost, see `predictive.Weights`, and the bounds of height and tilt."""

    states: Any
    force: Any
    last: Any
    excess: Any
    tilt: Any
    sink: Any
    rise: Any


def assemble(body, targets, grid, nominal, blocks, now, then, carries, cost, problem, first, at):
    """Write the subproblem.

    Args:
        body, targets, grid, nominal, blocks, cost: Rigid, Targets, Grid, Nominal, Blocks, Cost.
        now, then: Legs as they are, and as the robot stood.
        carries: (C,), which contacts carry now; the others' legs are taken to stand.
        problem: Problems, each array of a single one, is written, but for x_0.
        first, at: (N + 1,), (b, q, D), are written, see `Subproblem`.
    """
    wrench, com = np.empty((2, 6, blocks.even.shape[1])), np.empty((len(grid.h), 3))
    aims(body, targets, grid, cost, problem)
    dynamics(body, targets, grid, nominal, com, problem)
    heights(body, targets, grid, blocks, now, com, problem)
    row = 0
    for k in range(len(grid.h)):
        first[k] = row
        begin, end = grid.begin[grid.stance[k]], grid.begin[grid.stance[k] + 1]
        for i in range(begin, end):
            c = grid.contact[i]
            legs = now if carries[c] else then
            arm = grid.poses[i, :3, 3] - com[k]
            contact_rows(
                body, targets.rotation[k], grid, i, arm, blocks, legs, wrench, problem, at,
                row,
            )  # fmt: skip
            # points that share a force, Σ f_i = f, have a sum of squares of f²/n
            square = 0.0
            for a in range(blocks.even.shape[1]):
                square += blocks.even[c, a] ** 2
            weight = cost.force * grid.h[k] / (square if square > 0.0 else 1.0)
            for a in range(blocks.even.shape[1]):
                problem.R[row, a] = weight
                problem.u[row, a] = blocks.even[c, a] / (end - begin)
            row += 1
    first[len(grid.h)] = row


def aims(body, targets, grid, cost, problem):
    """Write x̂, its weights, and the bounds of the height and the tilt, of which now has none."""
    N = len(grid.h)
    for k in range(N + 1):
        span = 0.0 if k == 0 else grid.h[k - 1]
        span += cost.last if k == N else 0.0
        for i in range(STATES):
            problem.Q[k, i] = span * cost.states[i]
        spin = turned(targets.rotation[k], body.inertia, targets.rate[k])
        for i in range(3):
            problem.target[k, i] = targets.com[k, i] - body.com[i]
            problem.target[k, 3 + i] = targets.velocity[k, i]
            momentum = spin[i] + targets.legs[k, i]
            problem.target[k, 6 + i] = momentum / (body.mass * body.square)
            problem.target[k, 9 + i] = 0.0
        height = problem.target[k, 2]
        for j in range(BOUNDS):
            problem.rho[k, j] = cost.excess
            problem.d[k, j] = cost.tilt if k else FAR
        if k:
            problem.d[k, 0], problem.d[k, 1] = cost.sink - height, cost.rise + height


def dynamics(body, targets, grid, nominal, com, problem):
    """Write h, s, K and e, and c̄ (N, 3) into com."""
    weighed, F, M = body.mass * body.square, grid.known[:3], grid.known[3:]
    inverse = inverted(body.inertia)
    rate, beyond = (
        turned(targets.rotation[0], inverse, body.momentum - targets.legs[0]),
        np.empty(3),
    )
    for i in range(3):
        beyond[i] = body.rate[i] - rate[i]
    before, after, t = np.empty(3), np.empty(3), 0.0
    surplus(inverse, targets, 0, t, beyond, after)
    for k in range(len(grid.h)):
        h, R = grid.h[k], targets.rotation[k]
        recall(nominal, t, com[k], problem.s[k])
        t += h
        before, after = after, before
        surplus(inverse, targets, k + 1, t, beyond, after)
        problem.h[k] = h
        for i in range(3):
            problem.s[k, i] /= body.square
            for j in range(3):
                total = 0.0
                for a in range(3):
                    for b in range(3):
                        total += R[i, a] * inverse[a, b] * R[j, b]
                problem.K[k, i, j] = weighed * total
        spun, of_force = cross(problem.s[k], com[k] - body.com), cross(com[k], F)
        for i in range(3):
            pushed = body.gravity[i] + F[i] / body.mass
            r = (M[i] - of_force[i]) / weighed - spun[i]
            problem.e[k, i] = 0.5 * h * h * pushed
            problem.e[k, 3 + i] = h * pushed
            problem.e[k, 6 + i] = h * r
        for i in range(3):
            total = before[i] + after[i]
            for j in range(3):
                total += problem.K[k, i, j] * problem.e[k, 6 + j]
            problem.e[k, 9 + i] = 0.5 * h * total


def heights(body, targets, grid, blocks, legs, com, problem):
    """Bound the height where a node begins by the legs that carry before or after.

    A leg of the length l reaches from p̄ to a hip that is s higher or lower, s² = l² − d², with d
    from p̄ to the hip along the ground at c̄: so c_z lies within p̄_z − s … p̄_z + s, less what the
    hip is above c. It is never asked to be lower than it may sink: no height helps a leg whose foot
    is too far away along the ground.
    """
    for k in range(1, len(grid.h)):
        lowest = -problem.d[k, 0]
        for stance in (grid.stance[k - 1], grid.stance[k]):
            for i in range(grid.begin[stance], grid.begin[stance + 1]):
                c, p = grid.contact[i], grid.poses[i, :3, 3]
                hip = product(targets.rotation[k], legs.hips[c])
                x, y = com[k, 0] + hip[0] - p[0], com[k, 1] + hip[1] - p[1]
                reach = np.sqrt(max(blocks.lengths[c] ** 2 - x * x - y * y, 0.0))
                level = p[2] - hip[2] - body.com[2]
                problem.d[k, 0] = min(problem.d[k, 0], reach - level)
                problem.d[k, 1] = min(problem.d[k, 1], max(level + reach, lowest))


def recall(nominal, t, com, forces):
    """Write c̄ and f̄ at a time; before and after the motion, as in its first and last interval."""
    i = 0
    while i < len(nominal.forces) - 1 and nominal.times[i + 1] <= t:
        i += 1
    share = (t - nominal.times[i]) / (nominal.times[i + 1] - nominal.times[i])
    for j in range(3):
        com[j] = (1.0 - share) * nominal.com[i, j] + share * nominal.com[i + 1, j]
        forces[j] = nominal.forces[i, j]


def surplus(inverse, targets, k, t, beyond, out):
    """Write ω_legs − ω̂ at the beginning of node k, after a time t."""
    known = turned(targets.rotation[k], inverse, targets.legs[k])
    fade = np.exp(-t / FADING)
    for i in range(3):
        out[i] = fade * beyond[i] - known[i] - targets.rate[k, i]


def contact_rows(body, rotation, grid, i, arm, blocks, legs, wrench, problem, at, row):
    """Write G, F, f, C and c of a contact i that carries at a node.

    Args:
        rotation: of the base (3, 3), as it is wanted at the node.
        arm: p̄ − c̄ (3,).
        legs: whose Jacobians its own has.
        wrench: (2, 6, n), workspace: in world axes, and in those of the base.
        row: of the problem.
    """
    contact, R, n = grid.contact[i], grid.poses[i], blocks.even.shape[1]
    world, local = wrench[0], wrench[1]
    for part in range(0, 6, 3):
        for a in range(n):
            for d in range(3):
                world[part + d, a] = 0.0
                for e in range(3):
                    world[part + d, a] += R[d, e] * blocks.wrench[contact, part + e, a]
            for d in range(3):
                local[part + d, a] = 0.0
                for e in range(3):
                    local[part + d, a] += rotation[e, d] * world[part + e, a]
    g = body.weight / body.mass
    for a in range(n):
        moment = cross(arm, world[:3, a])
        for d in range(3):
            problem.G[row, d, a] = g * world[d, a]
            problem.G[row, 3 + d, a] = g / body.square * (world[3 + d, a] + moment[d])
    given, j = blocks.bounds.shape[1], blocks.joints.shape[1]
    problem.F[row, :given], problem.f[row, :given] = blocks.rows[contact], blocks.bounds[contact]
    problem.C[row], problem.c[row] = blocks.cones[contact], blocks.offsets[contact]
    at[row] = blocks.at[contact]
    for joint in range(j):
        at, scale = blocks.joints[contact, joint], blocks.scale[contact, joint]
        up, down = given + joint, given + j + joint
        own = scale * (legs.torques[at] - blocks.middle[contact, joint])
        problem.f[row, up], problem.f[row, down] = max(1.0 - own, LEAST), max(1.0 + own, LEAST)
        for a in range(n):
            total = 0.0
            for d in range(6):
                total += legs.jacobians[contact, d, at] * local[d, a]
            problem.F[row, up, a] = -body.weight * scale * total


def turned(R, A, x):
    """R A Rᵀ x of 3 × 3 matrices."""
    return product(R, product(A, product(R.T, x)))


def product(A, x):
    """A x."""
    return (
        A[0, 0] * x[0] + A[0, 1] * x[1] + A[0, 2] * x[2],
        A[1, 0] * x[0] + A[1, 1] * x[1] + A[1, 2] * x[2],
        A[2, 0] * x[0] + A[2, 1] * x[1] + A[2, 2] * x[2],
    )


def inverted(A):
    """A⁻¹: its cofactors, transposed, by its determinant."""
    out = np.empty((3, 3))
    for i in range(3):
        cofactors = cross(A[(i + 1) % 3], A[(i + 2) % 3])
        for j in range(3):
            out[j, i] = cofactors[j]
    determinant = A[0, 0] * out[0, 0] + A[0, 1] * out[1, 0] + A[0, 2] * out[2, 0]
    return out / determinant


def _example():
    x, row, table, cube = 0.0, *(np.empty((0,) * axes) for axes in range(1, 4))
    own, mask, at = np.empty(0, np.intp), np.empty(0, bool), np.empty((0, 0, 0), np.intp)
    legs = Legs(cube, row, table)
    return (
        Rigid(x, x, x, row, row, row, row, table), Targets(table, table, cube, table, table),
        Grid(row, own, own, own, cube, row), Nominal(row, table, table),
        Blocks(
            cube, cube, table, cube, cube, at, table, own.reshape(0, 0), table, table, row,
        ),
        legs, legs, mask, Cost(row, x, x, x, x, x, x),
        Problems(
            row, table, cube, table, table, table, row, cube, table, table, cube, table, cube, cube,
            table, table,
        ), own, at,
    )  # fmt: skip


ASSEMBLE = Kernel(assemble, 1, arrays=True, example=_example, each=2e-2, seconds=8.0, inlined=150)
