"""Reference solution of the subproblem with cvxpy, to which the kernel is tested."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import SolverError
from ..kernels.newton import BOUNDS
from .subproblem import E, Solution, Subproblem


def by_cvxpy(problem: Subproblem) -> Solution:
    """Return the minimiser.

    Raises:
        SolverError: the problem was not solved.
    """
    import cvxpy as cp

    N, b, n, *_ = problem.sizes
    x, u = cp.Variable((N + 1, 12)), cp.Variable((b, n))
    eps = cp.Variable((N + 1, BOUNDS), nonneg=True)
    motion: list[Any] = [x[0] == problem.start]
    for k in range(N):
        own = range(problem.first[k], problem.first[k + 1])
        pushed = problem.B[k] @ sum((problem.G[i] @ u[i] for i in own), start=np.zeros(6))
        motion.append(x[k + 1] == problem.A[k] @ x[k] + pushed + problem.e[k])
    rows = [problem.rows[i] @ u[i] <= problem.f[i] for i in range(b)]
    cones = [_cones(problem, u, i) for i in range(b)]
    bounds = [E @ x[k] <= problem.d[k] + eps[k] for k in range(N + 1)]
    limits = motion + rows + bounds + [cone for each in cones for cone in each]
    found = cp.Problem(cp.Minimize(_cost(problem, x, u, eps)), limits)
    found.solve(solver="CLARABEL", tol_gap_abs=1e-11, tol_gap_rel=1e-11, tol_feas=1e-11)
    if found.status not in ("optimal", "optimal_inaccurate") or x.value is None:
        raise SolverError(f"the subproblem by cvxpy: {found.status}; expected optimal")
    stats = found.solver_stats
    duals = [np.array([limit.dual_value for limit in each]) for each in (rows, bounds)]
    of_cones = np.array([[_dual(cone) for cone in each] for each in cones])
    own_u, own_x = np.asarray(u.value), np.asarray(x.value)
    return Solution(
        own_u, problem.wrench(own_u), own_x, np.asarray(eps.value),
        problem.costates(own_x, duals[1]), duals[0].reshape(problem.f.shape),
        of_cones.reshape(problem.c.shape), duals[1], float(found.value), 0.0,
        int(stats.num_iters), found.status == "optimal",
    )  # fmt: skip


def _cost(problem: Subproblem, x: Any, u: Any, eps: Any) -> Any:
    import cvxpy as cp

    cost = 0.5 * cp.sum(cp.multiply(problem.R, cp.square(u - problem.u)))
    cost += 0.5 * cp.sum(cp.multiply(problem.Q, cp.square(x - problem.target)))
    return cost + cp.sum(cp.multiply(problem.rho, eps))


def _cones(problem: Subproblem, u: Any, i: int) -> list[Any]:
    """The cones of contact i."""
    import cvxpy as cp

    given = zip(problem.C[i], problem.at[i].tolist(), problem.c[i], strict=True)
    every = [cp.multiply(C, u[i][at]) + c for C, at, c in given]
    return [cp.SOC(v[-1], v[:-1]) for v in every]


def _dual(cone: Any) -> Any:
    """(D,), the last entry bounds the others."""
    last, others = cone.dual_value
    return np.append(np.ravel(others), last)
