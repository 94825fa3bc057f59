"""Solutions of the program: by the compiled active-set method, or reduced to y for a solver.

By the null-space method: J. Nocedal, S. Wright, "Numerical Optimization" (2006), 16.2.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array, Index
from ...dynamics.kernels.toolchain import Overload
from ..kernels.levels import HIERARCHY, Levels
from ..kernels.minimum import INFEASIBLE, MINIMUM, Data, Entries, Solution
from .null_space import RANK, solutions
from .qp import Outcome, Program, Reduced, reduced

_ACTIVE = 1e-7  # distance from a bound that counts as at it: within a solver's tolerance


class Structure(Protocol):
    """Entries of v that move any contact, the others, and the last solution's working set.

    And the kernel for arrays such as these.
    """

    kernel: Overload
    levels_kernel: Overload | None
    columns: Index
    others: Index
    working_set: NDArray[np.int64]


def minimum(program: Program, structure: Structure, levels: Levels | None = None) -> Outcome | None:
    """Return the minimum, found from the last working set.

    With `levels`, that of the strict hierarchy, and the program's tasks are what these leave.
    None where a solver is needed: where the steps do not end, where contacts are redundant, where
    motors act against each other through closures, without Numba, or as long as it is not compiled.
    """
    if program.dim > len(structure.columns) or program.Q.size:  # not the kernel's structure
        return None
    overload = structure.kernel if levels is None else levels_kernel(program, structure, levels)
    kernel = overload.unchecked()
    if kernel is None:
        overload.record(1, overload.kernel.each)
        return None
    found = _solution(program)
    rows = () if levels is None else (levels,)
    iterations = kernel(*_arguments(program, structure), *rows, found)
    if iterations == INFEASIBLE:
        return Outcome(None, "infeasible")
    return Outcome(found, "optimal", iterations) if iterations >= 0 else None


def minimum_kernel(program: Program, structure: Structure) -> Overload:
    """Return the kernel for a program's arrays."""
    return MINIMUM.overload(*_arguments(program, structure), _solution(program))


def levels_kernel(program: Program, structure: Structure, levels: Levels) -> Overload:
    """Return the kernel of a strict hierarchy for a program's arrays."""
    if structure.levels_kernel is None:
        given = *_arguments(program, structure), levels, _solution(program)
        structure.levels_kernel = HIERARCHY.overload(*given)
    return structure.levels_kernel


def reduced_program(program: Program, structure: Structure, accelerations: bool) -> Reduced | None:
    """Return the program without its equations, or None when these are inconsistent."""
    found = solutions(program, structure.columns)
    return None if found is None else reduced(program, found, accelerations)


def update_working_set(structure: Structure, P: Program, found: tuple[Array, Array, Array]) -> None:
    """Take the bounds that a solver's (a, w, τ) is at as the next working set."""
    at, (low, high) = P.rows(*found), P.bounds()
    upper, lower = at >= high - _ACTIVE, at <= low + _ACTIVE
    structure.working_set[:] = upper.astype(int) - lower


def _solution(P: Program) -> Solution:
    return Solution(np.empty(P.nv), np.empty(P.dim), np.empty(len(P.actuated)))


def _arguments(P: Program, structure: Structure) -> tuple[Any, ...]:
    given = P.lower, P.upper, P.torque_lower, P.torque_upper, P.slowest, P.fastest
    bounds = [np.ascontiguousarray(x, float) for x in given]
    data = Data(
        P.M, P.b, P.J, P.k, P.A, P.r, P.weight, P.d, P.p, np.ascontiguousarray(P.P, float), P.s,
        P.F, P.N, bounds[0], bounds[1], bounds[2], bounds[3], bounds[4], bounds[5], P.L, P.least,
    )  # fmt: skip
    entries = Entries(structure.columns, structure.others, P.actuated, P.unactuated)
    return data, entries, RANK, structure.working_set
