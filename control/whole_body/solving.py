"""Solver of the programs of a controller's ticks: the compiled method first, then a fallback."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...arrays import Array
from ..kernels.joint_bounds import JOINT_BOUNDS
from ..program.hierarchy import cascade
from ..program.null_space import solutions
from ..program.qp import Outcome, Program, Reduced
from ..program.reduction import levels_kernel, minimum, reduced_program, update_working_set
from ..program.solvers import Answer, Clarabel, solver_named
from .formulation import Formulation

# largest violation by a solver's answer, relative to the largest force or acceleration
ACCEPTED = 1e-7
_INCONSISTENT = Outcome(None, "the contacts contradict each other")


class ProgramSolver:
    """Solves formulations, one after the other.

    Args:
        name: of the solver where the compiled method does not converge, see `solver_named`.
        strict: whether the tasks' levels are a strict hierarchy.
        regularisation: of all accelerations, in the null space of all levels.
    """

    def __init__(self, name: str | None, strict: bool, regularisation: float) -> None:
        self._solver, self._bounded = solver_named(name), solver_named(name)
        self._robust = Clarabel()
        self.strict, self.regularisation = strict, regularisation

    def __reduce__(self) -> tuple[type[ProgramSolver], tuple[str, bool, float]]:
        return ProgramSolver, (self.name, self.strict, self.regularisation)

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
        if of.joint_limits is not None:
            kernels.append(JOINT_BOUNDS.overload())
        for kernel in kernels:
            kernel.select(ticks)

    def reset(self) -> None:
        """Discard warm starts: the next program has other rows."""
        self._solver.reset()
        self._bounded.reset()

    def solve(self, of: Formulation) -> Outcome:
        """Solve; a solver gets the bounds on accelerations only where they would be violated."""
        if self.strict:
            return self._by_levels(of)
        found = minimum(of.program, of)
        if found is None:
            found = self._by_solver(of, accelerations=False)
            if found.point is not None and _too_fast(of.program, found.point[0]):
                found = self._by_solver(of, accelerations=True)
        return found

    def _by_levels(self, of: Formulation) -> Outcome:
        """Solve the levels one below the other."""
        program, levels = of.program, of.levels()
        rest = replace(
            program, A=program.A[:0], r=program.r[:0], weight=program.weight[:0],
            d=np.full(program.nv, max(self.regularisation, 1e-9)), p=np.zeros(program.nv),
        )  # fmt: skip
        if (solved := minimum(rest, of, levels)) is not None:
            return solved
        equations = solutions(program, of.columns)
        if equations is None:
            return _INCONSISTENT
        found = cascade(rest, equations, levels, self._bounded)
        if found.point is not None:
            update_working_set(of, program, found.point)
        return found

    def _by_solver(self, of: Formulation, accelerations: bool) -> Outcome:
        program = of.program
        small = reduced_program(program, of, accelerations)
        if small is None:
            return _INCONSISTENT
        solver = self._bounded if accelerations else self._solver
        data = (small.H, small.g, small.C, small.low, small.high)
        answer = _verified(program, small, solver(*data))
        if answer.y is None:  # an active-set method may fail where an interior-point one does not
            answer = _verified(program, small, self._robust(*data))
        if answer.y is None:
            return Outcome(None, answer.status, answer.iterations)
        point = small.point(answer.y)
        update_working_set(of, program, point)
        return Outcome(point, answer.status, answer.iterations)


def _too_fast(program: Program, a: Array) -> bool:
    """Whether joints are beyond the bounds of their accelerations."""
    joints = a[program.actuated]
    violation = np.maximum(program.slowest - joints, joints - program.fastest)
    return bool(violation.max(initial=0.0) > 1e-9)


def _verified(program: Program, small: Reduced, answer: Answer) -> Answer:
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
