"""Solution of the subproblem: by the compiled interior-point method, or by cvxpy without it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...arrays import Array
from ...dynamics.kernels.scalars import LANES
from ...errors import SolverError
from ..kernels.newton import BOUNDS, slack_sizes
from ..kernels.predictive import PREDICT, PREDICTIONS, Answers, Problems, memory_size
from .reference import by_cvxpy
from .subproblem import Solution, Subproblem

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
    data = Problems(*[
        np.ascontiguousarray(getattr(problem, name))[None, ..., None] for name in Problems._fields
    ])  # fmt: skip
    found = _run(kernel, data, problem, 1, tolerance)
    return _solution(problem, Answers(*[x[0, ..., 0] for x in found]))


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
    found = _run(kernel, data, one, LANES, tolerance)
    each = [np.moveaxis(x, -1, 1).reshape(-1, *x.shape[1:-1]) for x in found]
    return [_solution(p, Answers(*own)) for p, *own in zip(problems, *each, strict=False)]


def _in_lanes(arrays: list[Array], groups: int) -> Array:
    """(groups, …, LANES), the last problem again where there are no more."""
    filled = arrays + [arrays[-1]] * (groups * LANES - len(arrays))
    rows = np.array(filled).reshape(groups, LANES, -1).swapaxes(1, 2)
    return np.ascontiguousarray(rows).reshape(groups, *arrays[0].shape, LANES)


def _run(kernel: Any, data: Problems, problem: Subproblem, lanes: int, tolerance: float) -> Answers:
    """What the kernel finds, for problems with the contacts of this one."""
    (N, b, n, _, _, _), L = problem.sizes, slack_sizes(*problem.sizes)[2]
    shapes = (b, n), (N, 6), (N + 1, 12), (N + 1, 12), (N + 1, BOUNDS), (L,), (4,)
    answers = Answers(*[np.empty((len(data.h), *shape, lanes)) for shape in shapes])
    answers.u[:] = data.u
    options = np.array([tolerance, START, ITERATIONS])
    memory = np.empty(lanes * (memory_size(*problem.sizes) + 1))
    kernel(data, problem.first, problem.sizes, options, answers, memory)
    return answers


def _solution(problem: Subproblem, found: Answers) -> Solution:
    N, b, _, m, D, q = problem.sizes
    off = D * b * q
    cones, rows = found.z[:off].reshape(D, b, q).transpose(1, 2, 0), found.z[off : off + b * m]
    bounds = found.z[off + b * m :][: (N + 1) * BOUNDS]
    cost, error, iterations, solved = found.told.tolist()
    return Solution(
        found.u, found.w, found.x, found.eps, found.y, rows.reshape(b, m), cones,
        bounds.reshape(N + 1, BOUNDS), cost, error, int(iterations), solved > 0,
    )  # fmt: skip
