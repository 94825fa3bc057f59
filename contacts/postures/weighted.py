"""Weighted tasks of the inverse kinematics: least squares where all exact targets are met.

    minimise f = ½ Σ_k w_k e_k(q)²   subject to   r(q) = 0,  lower ≤ q ≤ upper

by steps along r(q) = 0 with damping λ, in units D of the tangent directions,

    min ½ xᵀB x + gᵀx + λ ‖x‖²/2   with   ∂r/∂q D x = −r,  lower ≤ q ⊕ D x ≤ upper

after each of which what is exact is met again (`inverse_kinematics`). A step is kept if it lowers
f, and λ follows by how much of what the model promises. B is AᵀA of A = √W ∂e/∂q D (Gauss-Newton)
as long as f falls fast, which is so where errors can vanish; where targets stay out of reach it is
corrected step by step (BFGS) by how the slope of f + νᵀr changes, that of e and r included.

M. Al-Baali, R. Fletcher, "Variational methods for non-linear least-squares" (1985); J. Nocedal,
S. Wright, "Numerical Optimization" (2006), chapters 10 and 18 (Powell's damping); H. Nielsen,
"Damping parameter in Marquardt's method" (1999).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...arrays import Array
from ...dynamics import State
from .inverse_kinematics import TILT, InverseKinematics, bounded_least_squares
from .motion_tasks import TaskRows

_FIRST, _LEAST, _MOST = 1e-4, 1e-9, 1e8  # λ, in units of the steepest task
_LONGER = 3  # times as many steps as meeting targets may take: curved valleys take many
_TRUST = 0.3  # the longest step of a joint, and of the base in robot sizes
_STILL = 1e-9  # a step that is shorter moves nothing [rad, robot sizes]
_FAST = 0.8  # a step leaves less than this share of the sum where Gauss-Newton does well
_FALL = 1e-14  # of the sum; what it would fall by less is rounding


class Model(NamedTuple):
    """The tasks and the goal at a state, in units: e ≈ e + A x, C x = d.

    Attributes:
        state: where.
        A, e: √W ∂e/∂q D (m, nv) and √W e (m,).
        C, d: of the goal, ∂r/∂q D and −r.
    """

    state: State
    A: Array
    e: Array
    C: Array
    d: Array

    @property
    def slope(self) -> Array:
        """g = Aᵀe (nv,)."""
        return np.asarray(self.A.T @ self.e)

    @property
    def cost(self) -> float:
        """f = ½ ‖e‖²."""
        return float(self.e @ self.e) / 2


@dataclass(frozen=True, eq=False)
class Descent:
    """Steps of weighted tasks along the configurations that meet a goal.

    Attributes:
        ik: what is exact, and the joint limits.
        tasks: whose weighted sum falls.
        tolerance, iterations: of meeting the goal again; here it may be `_LONGER` times as many.
    """

    ik: InverseKinematics
    tasks: TaskRows
    tolerance: float
    iterations: int

    def run(self, q: Array) -> tuple[Array, int, bool]:
        """Return the configuration reached, the steps tried, and whether no step lowers the sum."""
        here, damping = self._model(State(self.ik.robot, q)), _FIRST
        B, corrected = here.A.T @ here.A, False
        for k in range(_LONGER * self.iterations):
            x = self._step(here, B, damping)
            fall = -float(here.slope @ x + x @ B @ x / 2)
            still = bool(np.abs(x).max(initial=0.0) < _STILL)
            if still or fall <= _FALL * here.cost or damping > _MOST:
                if not corrected:
                    return here.state.q, k, True
                B, corrected, damping = here.A.T @ here.A, False, _FIRST
                continue
            there = self._met(self.ik.robot.integrate(here.state.q, x * self.ik.goal.step_units))
            if there is None or there.cost >= here.cost:
                damping *= 6
                continue
            share = (here.cost - there.cost) / fall
            damping = max(damping * max(1 / 8, 1 - (2 * share - 1) ** 3), _LEAST)
            corrected = there.cost > _FAST * here.cost
            B = self._corrected(B, here, there) if corrected else there.A.T @ there.A
            here = there
        return here.state.q, _LONGER * self.iterations, False

    def _model(self, state: State) -> Model:
        goal, roots, units = self.ik.goal, self.tasks.roots, self.ik.goal.step_units
        e = roots * self.tasks.error(state)
        A = roots[:, None] * self.tasks.error_jacobian(state) * units
        C = goal.jacobian(state) * units / goal.row_units[:, None]
        return Model(state, A, e, C, -goal.error(state) / goal.row_units)

    def _corrected(self, B: Array, here: Model, there: Model) -> Array:
        """B after a step: B x becomes the change of the slope of f + νᵀr along it."""
        moved = self.ik.robot.difference(here.state.q, there.state.q) / self.ik.goal.step_units
        nu = np.linalg.lstsq(there.C.T, -there.slope, rcond=1e-9)[0]
        y = there.A.T @ (there.A @ moved) + (there.A - here.A).T @ there.e
        y += (there.C - here.C).T @ nu
        Bx = B @ moved
        curvature, along = float(moved @ Bx), float(moved @ y)
        if not curvature > 0:
            return B
        if along < 0.2 * curvature:
            share = 0.8 * curvature / (curvature - along)
            y = share * y + (1 - share) * Bx
            along = float(moved @ y)
        return np.asarray(B + np.outer(y, y) / along - np.outer(Bx, Bx) / curvature)

    def _step(self, here: Model, B: Array, damping: float) -> Array:
        """The step x (nv,), in units."""
        goal, units, q = self.ik.goal, self.ik.goal.step_units, here.state.q
        sizes, axes = np.linalg.eigh(B)
        sizes = np.maximum(sizes, 0.0) + damping * max(float(sizes[-1]), 1e-300)
        R = np.sqrt(sizes)[:, None] * axes.T  # RᵀR = B + λ
        given = R, -(axes.T @ here.slope) / np.sqrt(sizes)
        down, up = (np.clip(side / units, -_TRUST, _TRUST) for side in self.ik.travel(q))
        x = bounded_least_squares(*given, down, up, here.C, here.d)
        if goal.tilt(self.ik.robot.integrate(q, x * units)) >= TILT:
            row, angle = goal.leaning(q)
            C, d = np.vstack([here.C, row * units]), np.append(here.d, angle)
            x = bounded_least_squares(*given, down, up, C, d)
        return x

    def _met(self, q: Array) -> Model | None:
        """The configuration next to q that meets the goal; None where none was found."""
        goal = self.ik.goal
        nearest = InverseKinematics(goal, q, self.ik.bounded)
        q, _ = nearest.run(q, min(self.tolerance, 1e-10), self.iterations)
        state = State(self.ik.robot, q)
        met = goal.reached(goal.error(state), self.tolerance) and goal.tilt(q) < TILT
        return self._model(state) if met else None
