"""Iteration of a repair: steps that lessen objective and violations together, until none does.

    φ = objective + Σ ‖ṗ_i/u‖²/2 + ρ (Σ_k ‖r_k‖ + Σ max(g, 0)) + ρ_s Σ ‖p_i(q) − p_i‖

Each step is that of `StepProgram`, shortened until φ falls; where it does not, the next one is
damped more. Where steps bring nothing and something is still not kept, ρ grows. (Sequential
quadratic programming with an ℓ₁ merit function: J. Nocedal, S. Wright, "Numerical optimization"
(2006), §18.5; on a manifold, so that q ← q ⊕ x.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .iterate import Iterate
from .limits import Limits
from .objective import Objective
from .step import PRICE, Step, StepProgram

_PLACE = 20.0  # price ρ_s of a foot that is off its place by a centimetre
_SHORTEST = 1 / 16  # part of a step that is tried
_DAMPING, _LEAST_DAMPING, _MOST_DAMPING = 1e-2, 1e-4, 1e4
_DEAREST = 100 * PRICE
_LITTLE = 1e-3  # share of the objective


class Merit(NamedTuple):
    """φ, its parts, and the part of the step that led there."""

    merit: float
    objective: float
    lacking: float
    violation: float
    off: float
    length: float = 0.0


class Iteration:
    """The steps from one iterate on.

    Args:
        first: the iterate.
        objective, limits: what is to change least, what is to be kept.
        window: samples that may change.
        tick: called after each program.

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
        tick: Callable[[], Any] = lambda: None,
    ) -> None:
        self.here, self.objective, self.limits, self.window = first, objective, limits, window
        self.tick, self.damping, self.price, self.steps = tick, _DAMPING, PRICE, 0
        self.history = [self._merit(first)]

    def run(self, steps: int) -> str:
        """Take at most so many steps; return why it ended."""
        for _ in range(steps):
            step = self._solved()
            if step.status not in ("optimal", "inaccurate"):
                if self.damping >= _MOST_DAMPING:
                    return f"the solver ended with {step.status!r}"
                self.damping = max(30 * self.damping, 1.0)
            elif not self._advanced(step):
                if self.damping >= _MOST_DAMPING:
                    return "no step lessens what is not kept"
                self.damping = max(10 * self.damping, 1.0)
            elif end := self._settled():
                return end
        return "steps used up"

    def _solved(self) -> Step:
        program = StepProgram(
            self.here, self.objective, self.limits, self.damping, self.window, self.price
        )
        step = program.solve()
        self.steps += 1
        self.tick()
        return step

    def _advanced(self, step: Step) -> bool:
        """Take the longest part of a step that lessens φ; False where none does."""
        here, length, best = self.here, 1.0, self.history[-1].merit
        while length >= _SHORTEST:
            moves = zip(here.q, length * step.x, strict=True)
            q = np.array([here.problem.robot.integrate(a, x) for a, x in moves])
            there = Iterate(here.problem, q, here.forces + length * (step.forces - here.forces))
            new = self._merit(there)
            if new.merit < best:
                self.here = there
                self.history.append(new._replace(length=length))
                longer = max(self.damping / 10, _LEAST_DAMPING)
                self.damping = longer if length == 1 else 3 * self.damping
                return True
            length /= 2
        return False

    def _settled(self) -> str:
        """Return why the search is over, "" while it is not."""
        before, now = self.history[-2:]
        little = _LITTLE * max(1.0, now.objective)
        if now.length < 1:
            return ""
        if now.merit - now.objective < little:
            return "converged"
        if before.merit - now.merit < little:
            if self.price >= _DEAREST:
                return "converged to what cannot be kept"
            self.price *= 10
            self.history[-1] = self._merit(self.here)
        return ""

    def _merit(self, x: Iterate) -> Merit:
        calm = x.problem.calm
        value = self.objective.value(x.q, lambda xi: calm.derivatives(xi)[1]) + 0.5 * x.landing
        lacking, violation = float(x.lacking.sum()), self.limits.violation(x)
        off = float(np.linalg.norm(x.off, axis=2).sum()) * 100  # [cm]
        merit = value + self.price * (lacking + violation) + _PLACE * off
        return Merit(merit, value, lacking, violation, off)
