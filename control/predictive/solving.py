"""Solution of the subproblem: by the compiled interior-point method, or by cvxpy without it."""

from __future__ import annotations

import itertools
import math
import operator
import threading
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from ...arrays import Array
from ...dynamics.kernels.scalars import LANES
from ...errors import SolverError
from ..kernels.newton import BOUNDS
from ..kernels.predictive import (
    PREDICT,
    PREDICTIONS,
    Problems,
    answer_shapes,
    memory_size,
    problem_shapes,
)
from .reference import by_cvxpy
from .subproblem import Sizes, Solution, Subproblem

TOLERANCE = 1e-7  # of residuals and gap, relative to the cost
START = 0.02  # sᵀz, of each slack and its multiplier, where the method starts
ITERATIONS = 40


def solve(problem: Subproblem, tolerance: float = TOLERANCE) -> Solution:
    """Return the minimiser: by cvxpy, some 50 ms, while the kernel is not compiled.

    Args:
        problem: to solve.
        tolerance: of residuals and gap, relative to the cost.

    Raises:
        SolverError: cvxpy did not solve it.
    """
    kernel = PREDICT.select(1)
    if kernel is None:
        with PREDICT.uncompiled(1):
            return by_cvxpy(problem)
    return _solved(kernel, [problem], 1, tolerance)[0]


def solve_batch(problems: Sequence[Subproblem], tolerance: float = TOLERANCE) -> list[Solution]:
    """Return the minimisers of problems with the same contacts at the same nodes, side by side.

    Args:
        problems: of the same sizes, with the same `first`.
        tolerance: of residuals and gap, relative to the cost.

    Raises:
        SolverError: problems of different sizes; not solved, as `solve`.
    """
    if not problems:
        return []
    one = problems[0]
    shared = _shared(one)
    for other in problems:
        if _shared(other) != shared:
            raise SolverError(
                f"problems: got sizes {other.sizes} and {one.sizes}, expected the same contacts "
                "at the same nodes"
            )
    kernel = PREDICTIONS.select(len(problems))
    if kernel is None:
        with PREDICTIONS.uncompiled(len(problems)):
            return [solve(problem, tolerance) for problem in problems]
    return _solved(kernel, problems, LANES, tolerance)


def _shared(problem: Subproblem) -> tuple[object, ...]:
    """What problems that are solved side by side have in common."""
    return problem.sizes, problem.first.tobytes(), problem.at.tobytes()


def _solved(
    kernel: Any, problems: Sequence[Subproblem], lanes: int, tolerance: float
) -> list[Solution]:
    """What the kernel finds, for problems with the same contacts."""
    one, options = problems[0], np.array([tolerance, START, ITERATIONS])
    size, needed, ends = _extents(one.sizes)
    memory = _memory(lanes * size + LANES * needed)  # uncompiled, one takes all lanes
    given, found = memory[: lanes * size].reshape(lanes, size), list[Solution]()
    for start in range(0, len(problems), lanes):
        group = problems[start : start + lanes]
        for row, problem in zip(given, group, strict=False):
            np.concatenate(_arrays(problem), axis=None, out=row)
        answers = np.empty((len(group), ends[-1]))
        shared = one.first, one.at, one.sizes, options
        kernel(given[: len(group)], *shared, answers, memory[given.size :])
        found += [_solution(one.sizes, ends, row) for row in answers]
    return found


@cache
def _extents(sizes: Sizes) -> tuple[int, int, list[int]]:
    """How many numbers a problem has, and the kernel needs in a lane; where its answers begin."""
    ends = [0, *itertools.accumulate(map(math.prod, answer_shapes(*sizes)))]
    return sum(map(math.prod, problem_shapes(*sizes))), memory_size(*sizes) + 1, ends


def _memory(count: int) -> Array:
    """This thread's memory, of so many numbers: new pages take longer than some steps do."""
    memory: Array | None = getattr(_kept, "memory", None)
    if memory is None or len(memory) < count:
        memory = _kept.memory = np.empty(count)
    return memory[:count]


_kept = threading.local()
_arrays = operator.attrgetter(*Problems._fields)


def _solution(sizes: Sizes, ends: list[int], told: Array) -> Solution:
    N, b, _, m, _, D, q = sizes
    parts = zip(itertools.pairwise(ends), answer_shapes(*sizes), strict=True)
    u, w, x, y, eps, z, ending = [told[i:j].reshape(shape) for (i, j), shape in parts]
    of_cones, of_rows = D * b * q, b * m
    rows = z[of_cones : of_cones + of_rows].reshape(b, m)
    bounds = z[of_cones + of_rows :][: (N + 1) * BOUNDS].reshape(N + 1, BOUNDS)
    cones = z[:of_cones].reshape(D, b, q).transpose(1, 2, 0)
    cost, error, iterations, solved = ending.tolist()
    return Solution(u, w, x, eps, y, rows, cones, bounds, cost, error, int(iterations), solved > 0)
