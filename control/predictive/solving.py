"""Solution of the subproblem: by the compiled interior-point method, or by cvxpy without it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...arrays import Array
from ...dynamics.kernels.scalars import LANES
from ...errors import SolverError
from ..kernels.newton import slack_sizes
from ..kernels.predictive import PREDICT, PREDICTIONS, Answers, Problems, memory_size
from .reference import by_cvxpy
from .subproblem import Solution, Subproblem

TOLERANCE = 1e-7  # of residuals and gap, relative to the cost
START = 0.1  # how far inside their cones slacks and multipliers begin, at least
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
    data = Problems(*[
        np.ascontiguousarray(getattr(problem, name)[None, ..., None]) for name in Problems._fields
    ])  # fmt: skip
    answers = _answers(problem.sizes, 1, 1)
    answers.u[:] = data.u
    _run(kernel, data, problem, answers, 1, tolerance)
    return _solution(problem, Answers(*[x[0, ..., 0] for x in answers]))


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
    for other in problems:
        if other.sizes != one.sizes or not np.array_equal(other.first, one.first):
            raise SolverError(
                f"problems: got sizes {other.sizes} and {one.sizes}, expected the same contacts "
                "at the same nodes"
            )
    kernel = PREDICTIONS.select(len(problems))
    if kernel is None:
        with PREDICTIONS.uncompiled(len(problems)):
            return [solve(problem, tolerance) for problem in problems]
    groups = -(-len(problems) // LANES)
    data = Problems(*[
        _in_lanes([getattr(p, name) for p in problems], groups) for name in Problems._fields
    ])  # fmt: skip
    answers = _answers(one.sizes, groups, LANES)
    answers.u[:] = data.u
    _run(kernel, data, one, answers, LANES, tolerance)
    return [
        _solution(p, Answers(*[x[i // LANES, ..., i % LANES] for x in answers]))
        for i, p in enumerate(problems)
    ]


def _in_lanes(arrays: list[Array], groups: int) -> Array:
    """(groups, …, LANES), the last problem again where there are no more."""
    filled = arrays + [arrays[-1]] * (groups * LANES - len(arrays))
    stacked = np.stack(filled).reshape(groups, LANES, *arrays[0].shape)
    return np.ascontiguousarray(np.moveaxis(stacked, 1, -1))


def _answers(sizes: tuple[int, ...], groups: int, lanes: int) -> Answers:
    N, r, b, n, m, D, q = sizes
    _, _, L = slack_sizes(N, r, b, n, m, D, q)
    shapes = (b, n), (N + 1, 12), (N + 1, 12), (N + 1, r), (L,), (4,)
    return Answers(*[np.zeros((groups, *shape, lanes)) for shape in shapes])


def _run(
    kernel: Any, data: Problems, problem: Subproblem, answers: Answers, lanes: int, tolerance: float
) -> None:
    options = np.array([tolerance, START, ITERATIONS])
    memory = np.empty(lanes * (memory_size(*problem.sizes) + 1))
    kernel(data, problem.first, problem.sizes, options, answers, memory)


def _solution(problem: Subproblem, found: Answers) -> Solution:
    N, r, b, n, m, D, q = problem.sizes
    _K, _, _L = slack_sizes(N, r, b, n, m, D, q)
    z, off = found.z, D * b * q
    cost, error, iterations, solved = map(float, found.told)
    cones = np.moveaxis(z[:off].reshape(D, b, q), 0, -1)
    rows = z[off : off + b * m].reshape(b, m)
    bounds = z[off + b * m : off + b * m + (N + 1) * r].reshape(N + 1, r)
    x, u, eps, y = (np.array(a) for a in (found.x, found.u, found.eps, found.y))
    return Solution(
        u, x, eps, y, rows, cones, bounds, cost, error, int(iterations), bool(solved > 0)
    )
