"""Solution of the subproblem: by the compiled interior-point method, or by cvxpy without it."""

from __future__ import annotations

import itertools
import math
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
    answer_shapes,
    memory_size,
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
    needed, ends = _extents(one.sizes)
    memory = _memory(LANES * needed)  # uncompiled, one takes all lanes
    shared, answers = (one.first, one.at, one.sizes, options), np.empty((len(problems), ends[-1]))
    for start in range(0, len(problems), lanes):
        data = [problem.data for problem in problems[start : start + lanes]]
        data += data[-1:] * (lanes - len(data))
        kernel(tuple(data), *shared, answers[start : start + lanes], memory)
    return _solutions(one.sizes, ends, answers)


@cache
def _extents(sizes: Sizes) -> tuple[int, list[int]]:
    """How many numbers the kernel needs in a lane; where each of a problem's answers begins."""
    ends = [0, *itertools.accumulate(map(math.prod, answer_shapes(*sizes)))]
    return memory_size(*sizes) + 1, ends


def _memory(count: int) -> Array:
    """This thread's memory, of so many numbers: new pages take longer than some steps do."""
    memory: Array | None = getattr(_kept, "memory", None)
    if memory is None or len(memory) < count:
        memory = _kept.memory = np.empty(count)
    return memory[:count]


_kept = threading.local()


def _solutions(sizes: Sizes, ends: list[int], answers: Array) -> list[Solution]:
    """The answers of problems, a row each, as solutions."""
    N, b, _, m, _, D, q = sizes
    count, shapes = len(answers), answer_shapes(*sizes)
    parts = zip(itertools.pairwise(ends), shapes, strict=True)
    u, w, x, y, eps, z, told = [answers[:, i:j].reshape(count, *s) for (i, j), s in parts]
    of_cones, of_rows = D * b * q, b * m
    cones = z[:, :of_cones].reshape(count, D, b, q).transpose(0, 2, 3, 1)
    rows = z[:, of_cones : of_cones + of_rows].reshape(count, b, m)
    bounds = z[:, of_cones + of_rows :][:, : (N + 1) * BOUNDS].reshape(count, N + 1, BOUNDS)
    cost, error, iterations, solved = told.T.tolist()
    of_all = u, w, x, eps, y, rows, cones, bounds, cost, error
    return list(map(Solution, *of_all, map(int, iterations), map(bool, solved)))
