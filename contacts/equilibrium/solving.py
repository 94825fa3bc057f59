"""Calls of cvxpy that return a status and raise no exception."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ..conic_solver import Solution

SOLVER = "CLARABEL"
# tighter than the defaults first: residuals are then small against a micronewton
_TOLERANCES = (1e-11, 1e-9, 1e-8)
_NAMES = ("tol_gap_abs", "tol_gap_rel", "tol_feas", "tol_ktratio")


def solve(problem: Any, variable: Any) -> Solution:
    """Solve a cvxpy problem and return the value of `variable`; no exception escapes."""
    status = "unsolved"
    for tolerance in _TOLERANCES:
        status = _attempt(problem, dict.fromkeys(_NAMES, tolerance))
        if status in ("optimal", "infeasible", "unbounded"):
            break
    if status != "optimal":
        sign = 1.0 if problem.objective.NAME == "maximize" else -1.0
        value = {"infeasible": -sign * np.inf, "unbounded": sign * np.inf}.get(status, np.nan)
        return Solution(status if np.isinf(value) else "unsolved", float(value))
    return Solution(status, float(problem.value), np.asarray(variable.value, dtype=float))


def _attempt(problem: Any, settings: dict[str, float]) -> str:
    import cvxpy as cp

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "inaccurate" is in the status, which is read
            problem.solve(solver=SOLVER, **settings)
    except (cp.SolverError, ArithmeticError, ValueError):
        return "unsolved"
    return str(problem.status)
