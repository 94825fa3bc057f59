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

from ...arrays import Array
from ...dynamics.kernels.spatial import cross
from ...dynamics.kernels.toolchain import Kernel
from ...reprs import shapes
from .newton import BOUNDS
from .predictive import Problems
from .riccati import STATES

FADING = 0.1  # time constant with which the unexplained part of ω_legs decays [s]
LEAST = 0.05  # least share of a torque limit that forces have, whatever the leg's own motion takes
FAR = 1e3  # stands for an infinite bound


class Body(NamedTuple):
    """The robot now, with a base that turns while its feet do not.

    Of many rows, arrays but for gravity's have them as their first axis; so have those of
    Reference, Nominal and Legs, and the durations, poses and known wrenches of Grid.

    Attributes:
        mass, weight, gravity: [kg], [N], g (3,) [m/s²].
        square: ρ² of all bodies together [m²].
        com, velocity: (3,) [m, m/s].
        momentum: L (3,), about the centre of mass [N·m·s].
        inertia: I' (3, 3), of `predictive.legs`, axes of the base [kg·m²].
        rotation, rate: R (3, 3) and ω (3,) of the base, world axes.
    """

    mass: float
    weight: float
    gravity: Array
    square: Array
    com: Array
    velocity: Array
    momentum: Array
    inertia: Array
    rotation: Array
    rate: Array


class Reference(NamedTuple):
    """What a prediction should follow, at the beginning of its N nodes and at its end.

    Attributes:
        com, velocity: ĉ and its rate (N + 1, 3) [m, m/s].
        rotation: R̂ of the base (N + 1, 3, 3).
        rate: ω̂ (N + 1, 3), world axes [rad/s].
        legs: L_legs (N + 1, 3) of legs that move against the base, world axes [N·m·s]; None: of
            none that is known ahead.
    """

    com: Array
    velocity: Array
    rotation: Array
    rate: Array
    legs: Array | None = None

    def __repr__(self) -> str:
        return shapes(self)


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

    def __repr__(self) -> str:
        return shapes(self)


class Blocks(NamedTuple):
    """Blocks of C contacts side by side, padded with rows and cones that always hold; or the block
    of one, without the first axis.

    Attributes:
        wrench: (C, 6, n), [force; moment] at the contact's centre by u, in its axes.
        rows, bounds: (C, l, n), (C, l), linear limits.
        cones, offsets, at: C, c, and which entries of u, −1: none, (C, q, D) each.
        even: (C, n), u of a unit of normal force.
        joints: (C, j), entries of v whose torques are limited.
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


class Space(NamedTuple):
    """Workspace.

    Attributes:
        com: c̄ (N, 3).
        world, local: [f; τ] of all contacts of the stances (k, 6, n), and of one (6, n).
        inverse: I_b⁻¹ (3, 3).
        vectors: (3, 3), of no meaning in between.
    """

    com: Any
    world: Any
    local: Any
    inverse: Any
    vectors: Any


class Cost(NamedTuple):
    """Weights of the cost, see `predictive.Weights`, and the bounds of height and tilt."""

    states: Any
    force: Any
    last: Any
    excess: Any
    tilt: Any
    sink: Any
    rise: Any


def assemble(
    bodies,
    targets,
    grids,
    nominal,
    blocks,
    now,
    then,
    carries,
    cost,
    sizes,
    ends,
    data,
    first,
    at,
    space,
):
    """Write the subproblems of M rows, with the same contacts at their nodes, but for x_0.

    Args:
        bodies, targets, grids, nominal: Body, Reference, Grid, Nominal of many rows.
        blocks, cost: Blocks, Cost.
        now, then: Legs as they are, of many rows, and as the robot stood.
        carries: (C,), which contacts carry now; the others' legs are taken to stand.
        sizes: N, b, n, m, r, D, q.
        ends: (17,), where each array of Problems begins in a row of data.
        data: (M, numbers), is written.
        first, at: (N + 1,), (b, q, D), are written, see `Subproblem`.
        space: Space.
    """
    com, world = space.com, space.world
    for i in range(len(data)):
        body = Body(
            bodies.mass, bodies.weight, bodies.gravity, bodies.square[i], bodies.com[i],
            bodies.velocity[i], bodies.momentum[i], bodies.inertia[i], bodies.rotation[i],
            bodies.rate[i],
        )  # fmt: skip
        wanted = Reference(
            targets.com[i], targets.velocity[i], targets.rotation[i], targets.rate[i],
            targets.legs[i],
        )  # fmt: skip
        grid = Grid(
            grids.h[i], grids.stance, grids.begin, grids.contact, grids.poses[i], grids.known[i]
        )
        about = Nominal(nominal.times[i], nominal.com[i], nominal.forces[i])
        legs = Legs(now.jacobians[i], now.torques[i], now.hips[i])
        problem = divided(data[i], ends, sizes)
        aims(body, wanted, grid, cost, problem)
        dynamics(body, wanted, grid, about, space, problem)
        heights(body, wanted, grid, blocks, legs, com, problem)
        for k in range(len(grid.contact)):
            in_world(grid.poses[k], blocks.wrench[grid.contact[k]], world[k])
        row = 0
        for k in range(len(grid.h)):
            first[k] = row
            begin, end = grid.begin[grid.stance[k]], grid.begin[grid.stance[k] + 1]
            for j in range(begin, end):
                c = grid.contact[j]
                forces(body, world[j], grid.poses[j], com[k], problem.G[row])
                limits(
                    body, wanted.rotation[k], world[j], c, blocks, legs if carries[c] else then,
                    space.local, problem, at, row,
                )  # fmt: skip
                shares(blocks.even[c], cost.force * grid.h[k], end - begin, problem, row)
                row += 1
        first[len(grid.h)] = row


def divided(row, ends, sizes):
    """The arrays of one problem (numbers,), as Problems."""
    N, b, n, m, r, D, q = sizes
    return Problems(
        row[ends[0] : ends[1]],
        row[ends[1] : ends[2]].reshape((N, 3)),
        row[ends[2] : ends[3]].reshape((N, 3, 3)),
        row[ends[3] : ends[4]].reshape((N, STATES)),
        row[ends[4] : ends[5]].reshape((N + 1, STATES)),
        row[ends[5] : ends[6]].reshape((N + 1, STATES)),
        row[ends[6] : ends[7]],
        row[ends[7] : ends[8]].reshape((b, 6, n)),
        row[ends[8] : ends[9]].reshape((b, n)),
        row[ends[9] : ends[10]].reshape((b, n)),
        row[ends[10] : ends[11]].reshape((b, r, n)),
        row[ends[11] : ends[12]].reshape((b, m)),
        row[ends[12] : ends[13]].reshape((b, q, D)),
        row[ends[13] : ends[14]].reshape((b, q, D)),
        row[ends[14] : ends[15]].reshape((N + 1, BOUNDS)),
        row[ends[15] : ends[16]].reshape((N + 1, BOUNDS)),
    )


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


def dynamics(body, targets, grid, nominal, space, problem):
    """Write h, s, K and e, and c̄ (N, 3) into space."""
    weighed, F, M, com = body.mass * body.square, grid.known[:3], grid.known[3:], space.com
    inverse, before, after, beyond = (
        space.inverse,
        space.vectors[0],
        space.vectors[1],
        space.vectors[2],
    )
    inverted(body.inertia, inverse)
    for i in range(3):
        after[i] = body.momentum[i] - targets.legs[0, i]
    rate, t = turned(targets.rotation[0], inverse, after), 0.0
    for i in range(3):
        beyond[i] = body.rate[i] - rate[i]
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
        away = com[k, 0] - body.com[0], com[k, 1] - body.com[1], com[k, 2] - body.com[2]
        spun, of_force = cross(problem.s[k], away), cross(com[k], F)
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


def in_world(T, wrench, out):
    """Write [f; τ] (6, n) in world axes, by a pose (4, 4) of the contact."""
    for part in range(0, 6, 3):
        for d in range(3):
            for a in range(wrench.shape[1]):
                out[part + d, a] = (
                    T[d, 0] * wrench[part, a]
                    + T[d, 1] * wrench[part + 1, a]
                    + T[d, 2] * wrench[part + 2, a]
                )


def forces(body, world, T, com, G):
    """Write G (6, n) of a contact with [f; τ] at a pose, for c̄."""
    g = body.weight / body.mass
    spin = g / body.square
    x, y, z = T[0, 3] - com[0], T[1, 3] - com[1], T[2, 3] - com[2]
    for a in range(world.shape[1]):
        fx, fy, fz = world[0, a], world[1, a], world[2, a]
        G[0, a], G[1, a], G[2, a] = g * fx, g * fy, g * fz
        G[3, a] = spin * (world[3, a] + y * fz - z * fy)
        G[4, a] = spin * (world[4, a] + z * fx - x * fz)
        G[5, a] = spin * (world[5, a] + x * fy - y * fx)


def limits(body, rotation, world, contact, blocks, legs, local, problem, at, row):
    """Write F, f, C and c of a contact that carries at a node.

    Args:
        rotation: of the base (3, 3), as it is wanted at the node.
        world: [f; τ] (6, n), world axes.
        legs: whose Jacobians its own has.
        local: (6, n), workspace: the same in the axes of the base.
        row: of the problem.
    """
    given, n = blocks.bounds.shape[1], world.shape[1]
    for part in range(0, 6, 3):
        for d in range(3):
            for a in range(n):
                local[part + d, a] = (
                    rotation[0, d] * world[part, a]
                    + rotation[1, d] * world[part + 1, a]
                    + rotation[2, d] * world[part + 2, a]
                )
    F, f = problem.F[row], problem.f[row]
    for i in range(given):
        f[i] = blocks.bounds[contact, i]
        for a in range(n):
            F[i, a] = blocks.rows[contact, i, a]
    for i in range(at.shape[1]):
        for a in range(at.shape[2]):
            problem.C[row, i, a] = blocks.cones[contact, i, a]
            problem.c[row, i, a] = blocks.offsets[contact, i, a]
            at[row, i, a] = blocks.at[contact, i, a]
    j, J = blocks.joints.shape[1], legs.jacobians[contact]
    for joint in range(j):
        entry, scale = blocks.joints[contact, joint], blocks.scale[contact, joint]
        up, down = given + joint, given + j + joint
        own = scale * (legs.torques[entry] - blocks.middle[contact, joint])
        f[up], f[down] = max(1.0 - own, LEAST), max(1.0 + own, LEAST)
        for a in range(n):
            total = 0.0
            for d in range(6):
                total += J[d, entry] * local[d, a]
            F[up, a] = -body.weight * scale * total


def shares(even, weight, count, problem, row):
    """Write R and û of one of the contacts that share the weight.

    Points that share a force, Σ f_i = f, have a sum of squares of f²/n.
    """
    square = 0.0
    for a in range(len(even)):
        square += even[a] ** 2
    for a in range(len(even)):
        problem.R[row, a] = weight / square if square > 0.0 else weight
        problem.u[row, a] = even[a] / count


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


def inverted(A, out):
    """Write A⁻¹: its cofactors, transposed, by its determinant."""
    for i in range(3):
        cofactors = cross(A[(i + 1) % 3], A[(i + 2) % 3])
        for j in range(3):
            out[j, i] = cofactors[j]
    determinant = A[0, 0] * out[0, 0] + A[0, 1] * out[1, 0] + A[0, 2] * out[2, 0]
    for i in range(3):
        for j in range(3):
            out[i, j] /= determinant


def _example():
    x, row, table, cube, four = 0.0, *(np.empty((0,) * axes) for axes in range(1, 5))
    own, mask, at = np.empty(0, np.intp), np.empty(0, bool), np.empty((0, 0, 0), np.intp)
    return (
        Body(x, x, row, row, table, table, table, cube, cube, table),
        Reference(cube, cube, four, cube, cube), Grid(table, own, own, own, four, table),
        Nominal(table, cube, cube),
        Blocks(
            cube, cube, table, cube, cube, at, table, own.reshape(0, 0), table, table, row,
        ),
        Legs(four, table, cube), Legs(cube, row, table), mask, Cost(row, x, x, x, x, x, x),
        (0,) * 7, own, table, own, at, Space(table, cube, table, table, table),
    )  # fmt: skip


ASSEMBLE = Kernel(assemble, 1, example=_example, each=2e-2, seconds=8.0, apart=True)
