"""Motion of the base over a gait's cycle: the least with which contacts can hold the robot.

With the base upright and the centre of mass on its pendulum, legs that swing ask for moments that
two point feet, or one sole, cannot give. So the base turns and the centre of mass moves, together
y (6,) in the axes of the path, as little as contacts let them,

    minimise Σ_k h_k (‖y_k‖² + ρ ‖ÿ_k‖² + K ‖s_k‖ + K r_k) + ε λ
    subject to   w_k + Λ_k ÿ_k = (J_kᵀ f_k)_base + s_k,    f_k in its cones,    |τ_k| ≤ λ τ_max,
                 τ_k = S (M a + vᵀCv − τ_g + M (∂v/∂ẏ) ÿ_k − J_kᵀ f_k),
                 lower − r_k ≤ q_k + ∂q/∂y (y_k − y_k⁰) ≤ upper + r_k,
                 y and ẏ at the end as at the beginning,    |y| ≤ most,

with y⁰ that of the motion that it is linearised about, w the wrench about the centre of mass that
the motion asks of the ground and Λ = A_g ∂v/∂ẏ, legs following. ÿ is linear between two samples of
a phase, h_k a sample's share of the cycle. A leg that is too short by e has the base follow,
eᵀ(d + θ × (p − c)) ≥ (‖e‖ + δ − r_k ‖e‖) ‖e‖ for the turn θ and the way d of y − y⁰. What y does
to legs and lever arms is found by solving it again about the new motion.

H. Dai, A. Valenzuela, R. Tedrake, "Whole-body motion planning with centroidal dynamics and full
kinematics" (2014); D. Orin, A. Goswami, S.-H. Lee, "Centroidal dynamics of a humanoid robot"
(2013), of A_g.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array, Index
from ...contacts.conic_solver import Rows
from ...contacts.torque_limits import TorqueBounds
from ...dynamics import batch
from ..repairs.sparse_program import SparseProgram
from .postures import Legs, Motion

MOST = (0.25, 0.25, 0.25, 0.1, 0.1, 0.3)  # of y: turns, ways along the ground and down [rad, h]
EFFORT = 0.01  # ρ, of accelerations in units of ω²
EASE = 0.01  # ε, of the largest utilisation: turns of a degree are worth it at torque limits
MISSING = 10.0  # K
SLACK = 0.02  # δ, of legs that were too short: straight ones turn beyond measure [h]
NEAR = 0.3  # ends of ranges farther away than this are not constraints [rad]
TOLERANCE = 1e-8  # of the solver
SOLVED = "optimal", "inaccurate"


class BaseMotion(NamedTuple):
    """y, ẏ and ÿ (n, 6), in the axes of the path: turns [rad], then ways of the com [m]."""

    y: Array
    rate: Array
    second: Array

    @classmethod
    def none(cls, n: int) -> BaseMotion:
        """Return that of a base that stays upright and level."""
        return cls(*np.zeros((3, n, 6)))


class Demand(NamedTuple):
    """What a motion asks for, linear in the unknowns ÿ/ω² of its base, in radians and h.

    Attributes:
        a: (n, nv), its accelerations where ÿ = 0.
        follow: ∂v/∂ẏ (n, nv, 6).
        about: (n, 6, 6), from the base's generalised forces to their wrench about the com.
        wrench, wrench_more: (n, 6), (n, 6, 6), of the ground, in weights, moments by h.
        torques, torques_more: (n, na), (n, na, 6), of the joints without contacts [N·m].
    """

    a: Array
    follow: Array
    about: Array
    wrench: Array
    wrench_more: Array
    torques: Array
    torques_more: Array


class Balance(NamedTuple):
    """What contacts and torques make of a motion.

    Attributes:
        solved: whether the program was solved.
        base: how the base moves.
        acceleration: (n, nv), that of all joints with it.
        forces: of each sample, x of the `ContactLimits` of those contacts that stand [N].
        torques: (n, na) [N·m].
        lacking: (n,), ‖s_k‖, what contacts cannot give, in weights, moments by h.
        beyond: (n,), r_k, by how much joints stay beyond their ranges [rad], or legs too short, of
            what they were.
    """

    solved: bool
    base: BaseMotion
    acceleration: Array
    forces: list[Array]
    torques: Array
    lacking: Array
    beyond: Array


class BaseProgram:
    """The program of a robot on its feet.

    Args:
        legs: of its feet.
        height, omega: h of the centre of mass, and ω of its pendulum [m, 1/s].
        torques: T (na, nv), τ = T h by generalised forces.
    """

    def __init__(self, legs: Legs, height: float, omega: float, torques: Array) -> None:
        self.torques = torques
        self.legs, self.robot, self.omega = legs, legs.robot, omega
        self.weight = self.robot.weight
        self.size = np.array([1.0] * 3 + [height] * 3)
        self.unit = self.weight * self.size
        self._sets: dict[bytes, tuple[Index, Sequence[Rows]]] = {}

    def __call__(
        self,
        t: Array,
        active: NDArray[np.bool_],
        axes: Array,
        motion: Motion,
        base: BaseMotion,
        bounds: TorqueBounds,
    ) -> Balance:
        """Return what contacts and torques make of a motion in n samples.

        Args:
            t: (n,), from the beginning of the cycle to its end [s].
            active: (n, C), which contacts stand.
            axes: (n, 3, 3), of the path.
            motion: of the robot.
            base: y, ẏ and ÿ in it.
            bounds: of the torques.
        """
        n, demand = len(t), self._demand(motion, axes, base)
        program, share = SparseProgram(), _shares(t)
        y, rate, second = self._periodic(program, t)
        strain, lack, beyond = program.unknowns(1), program.unknowns(n, 7), program.unknowns(n)
        program.cost(strain, EASE)
        program.cost(lack[:, 0], MISSING * share)
        program.in_cones(lack.reshape(-1, 1), -np.ones((7 * n, 1)), np.zeros(7 * n), 7)
        program.cost(beyond, MISSING * share)
        positive = np.append(beyond, strain)[:, None]
        program.below.add(positive, -np.ones((n + 1, 1)), np.zeros(n + 1))
        x, given = self._contacts(program, motion.q, active)
        for k in np.flatnonzero(motion.reached).tolist():
            pushed = demand.about[k] @ given[k][:6] / self.unit[:, None]
            every = np.concatenate([x[k], second[k], lack[k, 1:]])
            rows = np.hstack([pushed, -demand.wrench_more[k], np.eye(6)])
            program.equal.add(np.tile(every, (6, 1)), rows, demand.wrench[k])
        self._within_torques(program, motion, demand, (x, given, second, strain), bounds)
        self._within_reach(program, motion, axes, demand.follow, base, y, beyond)
        status, z = program.solve(TOLERANCE)

        found = BaseMotion(
            *(z[of] * self.size * self.omega**i for i, of in enumerate((y, rate, second)))
        )
        a = demand.a + (demand.follow @ found.second[:, :, None])[:, :, 0]
        tau = demand.torques + (demand.torques_more @ z[second][:, :, None])[:, :, 0]
        own = self.robot.actuated_rows
        tau -= np.array([G[own] @ z[of] for G, of in zip(given, x, strict=True)])
        lacking = np.where(motion.reached, np.linalg.norm(z[lack[:, 1:]], axis=1), 0.0)
        forces = [z[of] * self.weight for of in x]
        return Balance(status in SOLVED, found, a, forces, tau, lacking, z[beyond])

    def _demand(self, motion: Motion, axes: Array, base: BaseMotion) -> Demand:
        """What a motion asks for without the accelerations of its base, and for those."""
        q, follow = motion.q, self.legs.following(motion.q, axes)
        a = motion.a - (follow @ base.second[:, :, None])[:, :, 0]
        needed = batch.inverse_dynamics(self.robot, q, motion.v, a)
        more = batch.mass_matrix(self.robot, q) @ follow * self.size * self.omega**2
        about, T = self._about_com(q), self.torques
        wrench = (about @ needed[:, :6, None])[:, :, 0] / self.unit
        wrench_more = about @ more[:, :6] / self.unit[:, None]
        return Demand(a, follow, about, wrench, wrench_more, needed @ T.T, T @ more)

    def _contacts(
        self, program: SparseProgram, q: Array, active: NDArray[np.bool_]
    ) -> tuple[list[Index], list[Array]]:
        """The unknown forces of each sample, in weights and within their limits, and what they do
        to the robot (nv, n_k)."""
        newtons, x, given = self.legs.newtons(q), list[Index](), list[Array]()
        for k, on in enumerate(active):
            entries, limits = self._standing(on)
            given.append(newtons[k][:, entries] * self.weight)
            x.append(program.unknowns(len(entries)))
            _limit(program, x[k], limits)
        return x, given

    def _within_torques(
        self,
        program: SparseProgram,
        motion: Motion,
        demand: Demand,
        unknowns: tuple[list[Index], list[Array], Index, Index],
        bounds: TorqueBounds,
    ) -> None:
        """Ask that |τ| ≤ λ τ_max of the legs' joints: forces change no other torques."""
        x, given, second, strain = unknowns
        finite = np.isfinite(np.atleast_2d(bounds.half)).all(axis=0)
        limited = np.flatnonzero(self.legs.legs[self.robot.actuated_rows] & finite)
        shape = demand.torques.shape
        half, middle = (np.broadcast_to(part, shape) for part in (bounds.half, bounds.middle))
        for k in np.flatnonzero(motion.reached).tolist():
            most = half[k, limited]
            G = given[k][self.robot.actuated_rows[limited]]
            rows = np.hstack([-G, demand.torques_more[k, limited]]) / most[:, None]
            rest = (demand.torques[k, limited] - middle[k, limited]) / most
            every = np.concatenate([x[k], second[k], strain])
            both = np.hstack([np.vstack([rows, -rows]), -np.ones((2 * len(rows), 1))])
            program.below.add(np.tile(every, (len(both), 1)), both, np.append(-rest, rest))

    def _within_reach(
        self,
        program: SparseProgram,
        motion: Motion,
        axes: Array,
        follow: Array,
        base: BaseMotion,
        y: Index,
        beyond: Index,
    ) -> None:
        """Ask that joints be in their ranges, and that the base follow legs that are too short."""
        legs, n = self.legs, len(motion.q)
        own = legs.in_v[np.isin(legs.in_v, legs.columns)]
        x = motion.q[:, legs.in_q[np.isin(legs.in_v, legs.columns)]]
        arms = legs.places(motion.q) - batch.com(self.robot, motion.q)[:, None]
        for k in range(n):
            every = np.append(y[k], beyond[k])
            for c in np.flatnonzero(np.linalg.norm(motion.missed[k], axis=1) > 1e-6):
                e = motion.missed[k, c]
                size = float(e @ e)
                row = np.concatenate([np.cross(arms[k, c], e) @ axes[k], e @ axes[k]]) / size
                right = -1.0 - SLACK * self.size[3] / np.sqrt(size) - row @ base.y[k]
                values = np.append(-row * self.size, -1.0)
                program.below.add(every[None], values[None], np.array([right]))
            if not motion.reached[k]:
                continue
            for side, end in ((1.0, legs.upper[own]), (-1.0, legs.lower[own])):
                near = np.isfinite(end) & (side * (end - x[k]) < NEAR)
                rows = side * follow[k, own[near]]
                right = side * (end - x[k])[near] + rows @ base.y[k]
                values = np.hstack([rows * self.size, -np.ones((len(rows), 1))])
                program.below.add(np.tile(every, (len(rows), 1)), values, right)

    def _standing(self, active: NDArray[np.bool_]) -> tuple[Index, Sequence[Rows]]:
        """Which entries of x are of the contacts that stand, and the rows that limit them."""
        found = self._sets.get(active.tobytes())
        if found is None:
            every = self.legs.contacts
            whole, some = every.limits, every.only(active.tolist()).limits
            points = np.flatnonzero(active[whole.owner])[:, None]
            soft = 3 * whole.point_count + np.flatnonzero(active[whole.soft])
            entries = np.append((3 * points + np.arange(3)).ravel(), soft)
            limits = some.scaled(force=1.0 / self.weight)
            found = entries, limits.solver_rows(np.zeros((limits.contact_count, 0)))
            self._sets[active.tobytes()] = found
        return found

    def _about_com(self, q: Array) -> Array:
        """(n, 6, 6), from the base's generalised forces to their wrench about the com."""
        R = batch.frame_placement(self.robot, q, self.robot.base_joint)[:, :3, :3]
        arm = batch.com(self.robot, q) - q[:, :3]
        found = np.zeros((len(q), 6, 6))
        found[:, :3, :3] = found[:, 3:, 3:] = R
        found[:, 3:, :3] = -np.cross(arm[:, :, None], R, axis=1)
        return found

    def _periodic(self, program: SparseProgram, t: Array) -> tuple[Index, Index, Index]:
        """Unknowns y, ẏ/ω, ÿ/ω² (n, 6), in radians and h, that are periodic, and their costs."""
        n, dt = len(t), np.diff(t) * self.omega
        y, rate, second = (program.unknowns(n, 6) for _ in range(3))
        before, after = np.arange(n - 1), np.arange(1, n)
        one = np.ones(n - 1)
        for i in range(6):
            of_rate = [rate[after, i], rate[before, i], second[before, i], second[after, i]]
            values = np.stack([one, -one, -dt / 2, -dt / 2], axis=1)
            program.equal.add(np.stack(of_rate, axis=1), values, np.zeros(n - 1))
            of_y = [y[after, i], y[before, i], *of_rate[1:]]
            values = np.stack([one, -one, -dt, -(dt**2) / 3, -(dt**2) / 6], axis=1)
            program.equal.add(np.stack(of_y, axis=1), values, np.zeros(n - 1))
            for x in (y, rate):
                program.equal.add(x[[[0, -1]], i], np.array([[1.0, -1.0]]), np.zeros(1))
        for side in (1.0, -1.0):
            program.below.add(y.reshape(-1, 1), np.full((6 * n, 1), side), np.tile(MOST, n))
        weight = np.sqrt(np.repeat(_shares(t), 6))[:, None]
        program.squares(y.reshape(-1, 1), weight, np.zeros(6 * n))
        program.squares(second.reshape(-1, 1), np.sqrt(EFFORT) * weight, np.zeros(6 * n))
        return y, rate, second


def _shares(t: Array) -> Array:
    """h_k, of the trapezoidal rule, that add up to one (n,)."""
    dt, found = np.diff(t), np.zeros(len(t))
    found[:-1] += dt / 2
    found[1:] += dt / 2
    return np.asarray(found / found.sum())


def _limit(program: SparseProgram, x: Index, limits: Sequence[Rows]) -> None:
    """Ask that x be in its limits."""
    zero, linear, cones = limits
    for rows, part in ((zero, program.equal), (linear, program.below)):
        if len(rows.b):
            part.add(np.tile(x, (len(rows.b), 1)), rows.A, rows.b)
    first = 0
    for size, same in groupby(cones.sizes):
        own = slice(first, first := first + size * len(list(same)))
        columns = np.tile(x, (own.stop - own.start, 1))
        program.in_cones(columns, cones.A[own], cones.b[own], size)
