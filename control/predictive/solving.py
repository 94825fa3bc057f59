"""Solution of the subproblem: by the compiled interior-point method, or by cvxpy without it."""

from __future__ import annotations

import itertools
import math
import threading
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from ...arrays import Array, Index
from ...dynamics.kernels.scalars import LANES
from ...errors import SolverError
from ..kernels.newton import BOUNDS
from ..kernels.predictive import PREDICT, PREDICTIONS, Problems, answer_shapes, memory_size
from ..kernels.riccati import STATES
from .reference import by_cvxpy
from .subproblem import Sizes, Solution, Solutions, Subproblem, extents

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
    return _solved(kernel, 1, (problem.data,), problem.shared, tolerance).one(0)


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
    rows = [problem.data for problem in problems]
    found = solve_rows(rows, one.shared, tolerance)
    return [found.one(i) for i in range(len(problems))]


def _shared(problem: Subproblem) -> tuple[object, ...]:
    """What problems that are solved side by side have in common."""
    return problem.sizes, problem.first.tobytes(), problem.at.tobytes()


def solve_rows(
    rows: Sequence[Array], shared: tuple[Sizes, Index, Index], tolerance: float = TOLERANCE
) -> Solutions:
    """Return the minimisers of problems whose data are given, as `solve_batch`.

    Args:
        rows: the data of each, see `Subproblem`.
        shared: their sizes, `first` and `at`.
        tolerance: of residuals and gap, relative to the cost.

    Raises:
        SolverError: cvxpy did not solve one.
    """
    kernel = PREDICTIONS.select(len(rows))
    if kernel is not None:
        order = _nearest_first(rows, shared[0])
        sorted_rows = [rows[i] for i in order]
        return _solved(kernel, LANES, sorted_rows, shared, tolerance, np.argsort(order))
    with PREDICTIONS.uncompiled(len(rows)):
        each = [solve(Subproblem.of(data, *shared), tolerance) for data in rows]
        return Solutions(*map(np.array, zip(*each, strict=True)))


def _nearest_first(rows: Sequence[Array], sizes: Sizes) -> list[int]:
    """The order in which states are the farther from their reference, the later they come.

    Those need more iterations, and lanes wait for each other.
    """
    parts = dict(zip(Problems._fields, extents(sizes), strict=True))
    ends = parts["Q"][1], parts["target"][0] + STATES, parts["start"][1]  # of Q_N, x̂_0, x_0
    each = [[row[end - STATES : end] for row in rows] for end in ends]
    weights, wanted, now = np.array(each).reshape(3, -1, STATES)
    order: list[int] = np.argsort((weights * (now - wanted) ** 2).sum(axis=1)).tolist()
    return order


def _solved(
    kernel: Any,
    lanes: int,
    rows: Sequence[Array],
    shared: tuple[Sizes, Index, Index],
    tolerance: float,
    order: Index | None = None,
) -> Solutions:
    """What the kernel finds, for problems with the same contacts; of these in an order."""
    sizes, first, at = shared
    options = np.array([tolerance, START, ITERATIONS])
    needed, ends = _extents(sizes)
    memory = _memory(LANES * needed)  # uncompiled, one takes all lanes
    answers = np.empty((len(rows), ends[-1]))
    for start in range(0, len(rows), lanes):
        data = list(rows[start : start + lanes])
        data += data[-1:] * (lanes - len(data))
        found = answers[start : start + lanes]
        kernel(tuple(data), first, at, sizes, options, found, memory)
    answers = answers if order is None else answers[order]
    return _solutions(sizes, ends, answers)


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


def _solutions(sizes: Sizes, ends: list[int], answers: Array) -> Solutions:
    """The answers of problems, a row each, as solutions."""
    N, b, _, m, _, D, q = sizes
    count, shapes = len(answers), answer_shapes(*sizes)
    parts = zip(itertools.pairwise(ends), shapes, strict=True)
    u, w, x, y, eps, z, told = [answers[:, i:j].reshape(count, *s) for (i, j), s in parts]
    of_cones, of_rows = D * b * q, b * m
    cones = z[:, :of_cones].reshape(count, D, b, q).transpose(0, 2, 3, 1)
    rows = z[:, of_cones : of_cones + of_rows].reshape(count, b, m)
    bounds = z[:, of_cones + of_rows :][:, : (N + 1) * BOUNDS].reshape(count, N + 1, BOUNDS)
    cost, error, iterations, solved = told.T
    return Solutions(
        u, w, x, eps, y, rows, cones, bounds, cost, error, iterations.astype(int), solved > 0
    )
