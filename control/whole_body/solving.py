"""Solver of the programs of a controller's ticks: the compiled method first, then a fallback."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...arrays import Array
from ..kernels.minimum import INFEASIBLE
from ..program.hierarchy import cascade
from ..program.null_space import solutions
from ..program.qp import Program, Reduced
from ..program.reduction import levels_kernel, minimum, reduced_program, update_working_set
from ..program.solvers import Answer, Clarabel, solver_named
from .formulation import Formulation

_NOTHING = np.zeros(0)
# largest violation by a solver's answer, relative to the largest force or acceleration
ACCEPTED = 1e-7
_INCONSISTENT = Answer(None, "the contacts contradict each other", 0)
_INFEASIBLE = _NOTHING, _NOTHING, _NOTHING, Answer(None, "infeasible", 0)


class ProgramSolver:
    """Solves formulations, one after the other.

    Args:
        name: of the solver where the compiled method does not converge, see `solver_named`.
        strict: whether the tasks' levels are a strict hierarchy.
        joint_limits: whether there are bounds on joint accelerations.
        regularisation: of all accelerations, in the null space of all levels.
    """

    def __init__(
        self, name: str | None, strict: bool, joint_limits: bool, regularisation: float
    ) -> None:
        self._solver, self._bounded = solver_named(name), solver_named(name)
        self._robust = Clarabel()
        self.strict, self.joint_limits = strict, joint_limits
        self.regularisation = regularisation

    def __reduce__(self) -> tuple[type[ProgramSolver], tuple[str, bool, bool, float]]:
        return ProgramSolver, (self.name, self.strict, self.joint_limits, self.regularisation)

    @property
    def name(self) -> str:
        """The solver's."""
        return self._solver.name

    def load(self, of: Formulation, ticks: int) -> None:
        """Load the kernels for `ticks` ticks from disk, or compile them where that is sooner."""
        kernels = [of.kernel]
        if self.strict:
            kernels.append(levels_kernel(of.program, of, of.levels()))
        if of.compiled_rows is not None:
            kernels.append(of.compiled_rows.kernel)
        for kernel in kernels:
            kernel.select(ticks)

    def reset(self) -> None:
        """Discard warm starts: the next program has other rows."""
        self._solver.reset()
        self._bounded.reset()

    def answer(self, of: Formulation) -> tuple[Array, Array, Array, Answer]:
        """Solve; a solver gets the bounds on accelerations only where they would be violated."""
        program = of.program
        if self.strict:
            return self._by_levels(of)
        found, steps = minimum(program, of)
        if found is not None:
            return *found, Answer(_NOTHING, "optimal", steps)
        if steps == INFEASIBLE:
            return _INFEASIBLE
        answer, small = self._with(of, accelerations=False)
        if answer.y is None or small is None:
            return _NOTHING, _NOTHING, _NOTHING, answer
        a, w, tau = small.point(answer.y)
        if self.joint_limits and self._violated(program, a[program.actuated]):
            answer, small = self._with(of, accelerations=True)
            if answer.y is not None and small is not None:
                a, w, tau = small.point(answer.y)
        return a, w, tau, answer

    def _violated(self, program: Program, joints: Array) -> bool:
        violation = np.maximum(program.slowest - joints, joints - program.fastest)
        return bool(violation.max(initial=0.0) > 1e-9)

    def _by_levels(self, of: Formulation) -> tuple[Array, Array, Array, Answer]:
        """Solve the levels one below the other."""
        program, levels = of.program, of.levels()
        rest = replace(
            program, A=program.A[:0], r=program.r[:0], weight=program.weight[:0],
            d=np.full(program.nv, max(self.regularisation, 1e-9)), p=np.zeros(program.nv),
        )  # fmt: skip
        solved, steps = minimum(rest, of, levels)
        if solved is not None:
            return *solved, Answer(_NOTHING, "optimal", steps)
        if steps == INFEASIBLE:
            return _INFEASIBLE
        found = solutions(program, of.columns)
        if found is None:
            return _NOTHING, _NOTHING, _NOTHING, _INCONSISTENT
        a, w, tau, answer = cascade(rest, found, levels, self._bounded)
        if answer.y is not None:
            update_working_set(of, program, (a, w, tau))
        return a, w, tau, answer

    def _with(self, of: Formulation, accelerations: bool) -> tuple[Answer, Reduced | None]:
        program = of.program
        small = reduced_program(program, of, accelerations)
        if small is None:
            return _INCONSISTENT, None
        solver = self._bounded if accelerations else self._solver
        data = (small.H, small.g, small.C, small.low, small.high)
        answer = self._verified(program, small, solver(*data))
        if answer.y is None:  # an active-set method may fail where an interior-point one does not
            answer = self._verified(program, small, self._robust(*data))
        if answer.y is not None:
            update_working_set(of, program, small.point(answer.y))
        return answer, small

    def _verified(self, program: Program, small: Reduced, answer: Answer) -> Answer:
        """The answer if it satisfies the constraints: without weights y may be huge."""
        if answer.y is None:
            return answer
        a, w, _ = small.point(answer.y)
        left, at = program.violations(a, w), small.C @ answer.y
        beyond = float(np.maximum(at - small.high, small.low - at).max(initial=0.0))
        forces = 1.0 + float(np.abs(program.b).max(initial=0.0))
        moved = 1.0 + float(np.abs(program.k).max(initial=0.0))
        worst = max(left["dynamics"] / forces, left["contacts"] / moved, beyond / forces)
        return answer if worst <= ACCEPTED else Answer(None, "unsolved", answer.iterations)
