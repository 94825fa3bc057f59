"""Solution of the subproblem: by the compiled interior-point method, or by cvxpy without it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from ...arrays import Array
from ...dynamics.kernels.scalars import LANES
from ...dynamics.workspace import KERNEL_MEMORY
from ..kernels.newton import BOUNDS
from ..kernels.predictive import PREDICT, PREDICTIONS, answer_shapes, memory_size
from ..kernels.riccati import STATES
from .reference import by_cvxpy
from .subproblem import (
    Extents,
    Sizes,
    Solution,
    Solutions,
    Subproblem,
    Subproblems,
    one_after_the_other,
)

TOLERANCE = 1e-7  # of residuals and gap, relative to the cost
START = 0.01  # least sᵀz of a slack and its multiplier where the method starts
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
    alone = Subproblems(problem.data[None], problem.sizes, problem.first, problem.at)
    return _solved(kernel, 1, alone, tolerance).one(0)


def solve_all(problems: Subproblems, tolerance: float = TOLERANCE) -> Solutions:
    """Return the minimisers, side by side; arguments and errors as of `solve`."""
    count = len(problems.data)
    kernel = PREDICTIONS.select(count)
    if kernel is not None:
        return _solved(kernel, LANES, problems, tolerance, _nearest_first(problems))
    with PREDICTIONS.uncompiled(count):
        each = [solve(problems.one(i), tolerance) for i in range(count)]
        return Solutions._make(map(np.array, zip(*each, strict=True)))


def _nearest_first(problems: Subproblems) -> list[int]:
    """The order in which states are the farther from their reference, the later they come.

    Those need more iterations, and lanes wait for each other.
    """
    weights, wanted = problems.part("Q")[:, -STATES:], problems.part("target")[:, :STATES]
    off = weights * (problems.part("start") - wanted) ** 2
    order: list[int] = np.argsort(off.sum(axis=1)).tolist()
    return order


def _solved(
    kernel: Any, lanes: int, problems: Subproblems, tolerance: float, order: Sequence[int] = ()
) -> Solutions:
    """What the kernel finds of problems that are taken in an order, or one after the other."""
    data, sizes, first, at = problems
    options = np.array([tolerance, START, ITERATIONS])
    count = LANES * _numbers(sizes)  # uncompiled, one takes all lanes
    memory = KERNEL_MEMORY.of(count)[:count]
    rows = [data[i] for i in order or range(len(data))]
    answers = np.empty((len(rows), _answers(sizes)[-1][1]))
    for start in range(0, len(rows), lanes):
        some = rows[start : start + lanes]
        some += some[-1:] * (lanes - len(some))
        kernel(tuple(some), first, at, sizes, options, answers[start : start + lanes], memory)
    return _solutions(sizes, answers[np.argsort(order)] if order else answers)


@cache
def _numbers(sizes: Sizes) -> int:
    """How many numbers the kernel needs in a lane."""
    return memory_size(*sizes) + 1


@cache
def _answers(sizes: Sizes) -> Extents:
    """Where the arrays of an answer are in what the kernel writes."""
    return one_after_the_other(answer_shapes(*sizes))


def _solutions(sizes: Sizes, answers: Array) -> Solutions:
    """The answers of problems, a row each, as solutions."""
    N, b, _, m, _, D, q = sizes
    count = len(answers)
    parts = [answers[:, i:j].reshape(count, *shape) for i, j, shape in _answers(sizes)]
    u, w, x, y, eps, z, told = parts
    of_cones, of_rows = D * b * q, b * m
    cones = z[:, :of_cones].reshape(count, D, b, q).transpose(0, 2, 3, 1)
    rows = z[:, of_cones : of_cones + of_rows].reshape(count, b, m)
    bounds = z[:, of_cones + of_rows :][:, : (N + 1) * BOUNDS].reshape(count, N + 1, BOUNDS)
    cost, error, iterations, solved = told.T
    numbers = cost, error, iterations.astype(int), solved > 0
    return Solutions._make((u, w, x, eps, y, rows, cones, bounds, *numbers))
