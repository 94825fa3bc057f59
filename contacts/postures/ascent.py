"""Ascent of the margin along the configurations in which all contacts touch.

Each step solves the margin's own program with the first-order change of load and grasp in it,

    max ε − ρ ‖δ‖²   with   A x + ε N + h + ∂(A x̄ + ε̄ N + h)/∂q δ = 0,   x admissible,
                            J δ = 0,   lower ≤ q + δ ≤ upper,   |δ| ≤ trust

so that forces may change with the posture and kinks of the margin are no obstacle; the contacts are
then brought back to where they touch, and the step is kept if the margin has grown.

Source: R. Fletcher, "A model algorithm for composite nondifferentiable optimization problems"
(1982).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from ...dynamics import State, Wrench
from ...dynamics.link_forces import external_forces
from ..equilibrium.programs import Equilibrium
from ..equilibrium.saddle import Saddle, saddle_point
from ..equilibrium.solving import solve
from ..sensitivity.balance_derivative import balance_derivative
from ..torque_limits import TorqueBounds
from .inverse_kinematics import InverseKinematics

_FIRST_TRUST, _WIDEST, _NARROWEST = 0.1, 0.4, 1e-4  # of a step [rad, robot sizes]
_LEAST_GAIN = 1e-5  # of the weight: predicted gains below it end the ascent
_PROXIMAL = 1e-2  # ρ: cost of a radian, in weights; joints that do not change the margin stay


@dataclass(frozen=True, eq=False)
class Ascent:
    """What is maximised: the margin against these loads, with these torque limits.

    Attributes:
        ik: where the contacts should be, and the joint limits.
        external: {link: Wrench} besides the contacts.
        limits: bounds of the torques, at rest.
        tolerance, iterations: of bringing the contacts back.
    """

    ik: InverseKinematics
    external: Mapping[str, Wrench]
    limits: TorqueBounds
    tolerance: float
    iterations: int

    def run(self, q: Array, steps: int = 60) -> tuple[Array, tuple[float, ...]]:
        """Return the configuration reached, and the margins after each step, growing [N].

        An infinite margin, which has no slope, is left as it is.
        """
        margins, trust = [self.balance(q).margin().value], _FIRST_TRUST
        for _ in range(steps):
            if not np.isfinite(margins[-1]) or trust < _NARROWEST:
                break
            step, gain = self._step(q, trust)
            if not gain > _LEAST_GAIN * self.balance(q).weight:
                break
            there, ok = self._touching(self.ik.robot.integrate(q, step))
            reached = self.balance(there).margin().value if ok else -np.inf
            if reached > margins[-1] + 0.1 * gain:
                trust = min(2 * trust, _WIDEST) if reached > margins[-1] + 0.7 * gain else trust
                q = there
                margins.append(reached)
            else:
                trust /= 3
        return q, tuple(margins)

    def balance(self, q: Array) -> Equilibrium:
        """Return the balance at rest in q."""
        robot, zero = self.ik.robot, np.zeros(self.ik.robot.nv)
        state = State(robot, q, zero)
        h = -state.inverse_dynamics(zero, self.external)
        return Equilibrium.of(self.ik.goal.touching, state, h, self.limits)

    def _touching(self, q: Array) -> tuple[Array, bool]:
        nearest = InverseKinematics(self.ik.goal, q, self.ik.bounded)  # not to the start
        q, _ = nearest.run(q, self.tolerance, self.iterations)
        return q, self.ik.goal.reached(self.ik.goal.error(q), self.tolerance)

    def _step(self, q: Array, trust: float) -> tuple[Array, float]:
        """The best tangent step (nv,) by the linearised program, and the gain it predicts [N]."""
        import cvxpy as cp

        balance = self.balance(q)
        saddle = saddle_point(balance)
        units = self.ik.goal.step_units
        x, epsilon, delta = balance.variable(), cp.Variable(), cp.Variable(len(units))
        change = self._change(q, saddle, balance) * units / balance.weight
        given = balance.columns @ x + epsilon * balance.pull + change @ delta
        down, up = (np.clip(side / units, -trust, trust) for side in self.ik.travel(q))
        constraints = balance.admissible(x, given, epsilon * balance.limits.pulls)
        constraints += [delta >= down, delta <= up]
        rows = self.ik.goal.fixed_jacobian(q) * units
        if len(rows):
            constraints.append(_independent(rows) @ delta == 0)
        objective = cp.Maximize(epsilon - _PROXIMAL * cp.sum_squares(delta))
        solution = solve(cp.Problem(objective, constraints), delta)
        if solution.unknowns is None:
            return np.zeros(len(units)), 0.0
        gain = float(epsilon.value) * balance.weight - saddle.margin
        return solution.unknowns * units, gain

    def _change(self, q: Array, saddle: Saddle, balance: Equilibrium) -> Array:
        """∂(A x̄ + ε̄ N + h)/∂q (nv, nv)."""
        contacts, zero = self.ik.goal.touching, np.zeros(self.ik.robot.nv)
        inner = balance.inner(saddle.unknowns)
        wrenches = balance.limits.wrenches(saddle.unknowns, saddle.margin)
        state = State(self.ik.robot, q, zero)
        loads = external_forces(state, self.external)
        return balance_derivative(contacts, state, zero, wrenches, loads, inner)


def _independent(rows: Array) -> Array:
    """Rows that span the same space, none of them twice: solvers dislike redundant equations."""
    _, sizes, basis = np.linalg.svd(rows, full_matrices=False)
    return np.asarray(basis[sizes > 1e-9 * sizes[0]])
