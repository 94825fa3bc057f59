"""Iteration of a repair: steps that lessen objective and violations together, until none does.

    φ = objective + Σ ‖ṗ_i/u‖²/2 + ρ (Σ_k ‖r_k‖ + Σ max(g, 0)) + ρ_s Σ ‖p_i(q) − p_i‖

Each step is that of `StepProgram`, shortened until φ falls; where it does not, the next one is
damped more. (Sequential quadratic programming with an ℓ₁ merit function: J. Nocedal, S. Wright,
"Numerical optimization" (2006), §18.5; on a manifold, so that q ← q ⊕ x.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Array
from .iterate import Iterate
from .limits import Limits
from .objective import Objective
from .step import PRICE, StepProgram

_PLACES = 20.0  # price of a foot that is off its place, a centimetre in times of PRICE / 100
_SHORTEST = 1 / 16
_DAMPING = (1e-4, 1e6)
_FALL = 1e-3  # share of the objective below which a step, or what is left to pay, is little


class Progress(NamedTuple):
    """One step: φ, its parts, the share of the step that was taken."""

    merit: float
    objective: float
    lacking: float
    violation: float
    off: float
    length: float
    status: str


class Iteration:
    """The steps from one iterate on.

    Attributes:
        here: the best iterate.
        history: of all steps that were taken.
        steps: how many programs were solved.
    """

    def __init__(
        self,
        first: Iterate,
        objective: Objective,
        limits: Limits,
        window: slice,
        tick: Callable[[], Any] | None = None,
    ) -> None:
        self.here, self.objective, self.limits, self.window = first, objective, limits, window
        self.history: list[Progress] = []
        self.tick = tick
        self.damping, self.steps = 1e-2, 0

    def run(self, steps: int) -> str:
        """Take at most so many steps; return why it ended."""
        merit = self._merit(self.here)
        self._note(merit, 0.0, "begin")
        for _ in range(steps):
            step = StepProgram(
                self.here, self.objective, self.limits, self.damping, self.window
            ).solve()
            self.steps += 1
            if self.tick is not None:
                self.tick()
            if step.status not in ("optimal", "inaccurate"):
                if self.damping >= _DAMPING[1]:
                    return f"the solver ended with {step.status!r}"
                self.damping *= 30
                continue
            found, new, length = self._shortened(step.x, step.forces, merit.merit)
            if found is None:
                if self.damping >= 1e3:
                    return "no step lessens the violations"
                self.damping = max(self.damping * 10, 1.0)
                continue
            fallen = merit.merit - new.merit
            self.here, merit = found, new
            self._note(new, length, step.status)
            self.damping = max(self.damping / 10, _DAMPING[0]) if length == 1 else self.damping * 3
            paid = new.merit - new.objective  # for what is not kept
            if min(fallen, paid) < _FALL * max(1.0, new.objective) and length == 1:
                return "converged"
        return "steps used up"

    def _shortened(
        self, x: Array, forces: Array, best: float
    ) -> tuple[Iterate | None, Progress, float]:
        """Return the longest part of a step that lessens φ."""
        here, robot, length = self.here, self.here.problem.robot, 1.0
        new = self._merit(here)
        while length >= _SHORTEST:
            q = np.array([robot.integrate(a, length * b) for a, b in zip(here.q, x, strict=True)])
            there = Iterate(here.problem, q, here.forces + length * (forces - here.forces))
            new = self._merit(there)
            if new.merit < best:
                return there, new, length
            length /= 2
        return None, new, length

    def _merit(self, x: Iterate) -> Progress:
        second = lambda xi: x.problem.calm.derivatives(xi)[1]  # noqa: E731
        value = self.objective.value(x.q, second) + 0.5 * x.landing
        lacking, violation = float(x.lacking.sum()), self.limits.violation(x)
        off = float(np.linalg.norm(x.off, axis=2).sum()) * 100  # [cm]
        merit = value + PRICE * (lacking + violation) + _PLACES * off
        return Progress(merit, value, lacking, violation, off, 1.0, "")

    def _note(self, merit: Progress, length: float, status: str) -> None:
        self.history.append(merit._replace(length=length, status=status))
