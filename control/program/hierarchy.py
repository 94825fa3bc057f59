"""Hierarchical quadratic programs: each level is solved in the null space of those above it.

    level 0:  y₀ = arg min ‖B₀ y − e₀‖²_W                such that   low ≤ C y ≤ high
    level i:  y_i = y_{i−1} + Z_i u,  u = arg min ‖B_i y_i − e_i‖²_W,   Z_{i+1} = Z_i null(B_i Z_i)

All y_i satisfy the constraints and B_j y_i = B_j y_j for j < i: the residuals of a level stay the
same, to rounding, whatever the weights. Weighted sums converge to the same as the ratios of their
weights grow. The last null space serves evenly distributed contact forces and small accelerations.

`kernels.levels` has the same by one working set for all levels; here each level is a solver's, for
the ticks at which that does not converge.

A. Escande, N. Mansard, P.-B. Wieber, "Hierarchical quadratic programming" (2014).
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ...arrays import Array
from ..kernels.levels import Levels
from .null_space import Solutions
from .qp import Outcome, Program, Reduced, reduced
from .solvers import Answer, Clarabel, Solver

# singular values below this fraction of the largest count as zero
_RANK = 1e-7


def cascade(program: Program, found: Solutions, levels: Levels, solver: Solver) -> Outcome:
    """Return the hierarchy's solution, or the solver's word on the level that it did not solve.

    Args:
        program: the constraints, and the cost in the null space of all levels.
        found: the solutions of its equations.
        levels: the rows of the levels, the most important first.
        solver: of each level's program.
    """
    small = reduced(program, found, accelerations=True)
    y, Z, iterations = np.zeros(len(small.g)), np.eye(len(small.g)), 0
    root = levels.root[:, None]
    on_y = root * (levels.on_a @ small.Za + levels.on_w @ small.Zw)
    left = root[:, 0] * (levels.e - levels.on_a @ small.a0 - levels.on_w @ small.w0)
    for begin, end in pairwise([0, *levels.ends]):
        B, e = on_y[begin:end], left[begin:end]
        S = B @ Z
        _, sizes, Vt = np.linalg.svd(S)
        rank = int((sizes > _RANK * max(1.0, sizes.max(initial=0.0))).sum())
        if rank == 0:
            continue
        u, answer = _level(
            small, y, Z @ Vt.T, sizes[:rank], Vt[:rank] @ (S.T @ (e - B @ y)), solver
        )
        iterations += answer.iterations
        if u is None:
            return Outcome(None, answer.status, answer.iterations)
        y, Z = y + Z @ (Vt.T @ u), Z @ Vt[rank:].T
    H, g = Z.T @ small.H @ Z, Z.T @ (small.g + small.H @ y)
    if Z.shape[1]:
        answer = _constrained(small, y, Z, H, g, solver)
        if answer.y is None:
            return Outcome(None, answer.status, answer.iterations)
        y, iterations = y + Z @ answer.y, iterations + answer.iterations
    return Outcome(small.point(y), "optimal", iterations)


def _level(
    small: Reduced, y: Array, Z: Array, sizes: Array, gradient: Array, solver: Solver
) -> tuple[Array | None, Answer]:
    """Solve one level in the basis of its right singular vectors.

    The level's objective is ½ Σ σ² u² − gradient·u over the first `rank` of them; the others, its
    null space, only serve to satisfy the constraints. They get a small cost so that H is definite,
    which proximal steps then remove: each step charges only the change from the last solution.
    The cost is some powers of ten below the least σ², because the units of u differ: a newton
    counts far less than a rad/s².
    """
    n, rank = Z.shape[1], len(sizes)
    H, g = np.zeros((n, n)), np.zeros(n)
    H[range(rank), range(rank)] = sizes**2
    g[:rank] = -gradient
    small_cost = max(1e-7 * float(sizes.min()) ** 2, 1e-12 * float(sizes.max()) ** 2)
    H[range(rank, n), range(rank, n)] = small_cost
    u = np.zeros(n)
    answer = Answer(None, "unsolved", 0)
    for _ in range(30):  # proximal steps in the null space
        shifted = g.copy()
        shifted[rank:] = -small_cost * u[rank:]
        answer = _constrained(small, y, Z, H, shifted, solver)
        if answer.y is None:
            return None, answer
        moved, u = float(np.abs(answer.y - u)[rank:].max(initial=0.0)), answer.y
        if moved <= 1e-9 * (1.0 + float(np.abs(u).max())):
            break
    return u, answer


def _constrained(small: Reduced, y: Array, Z: Array, H: Array, g: Array, solver: Solver) -> Answer:
    """Solve for u with the constraints on y + Z u, where y satisfies them to rounding."""
    there = small.C @ y
    low, high = small.low - there, small.high - there
    if y.any():  # violated by rounding only: an earlier level's solution
        low, high = np.minimum(low, 0.0), np.maximum(high, 0.0)
    rows = np.ascontiguousarray(small.C @ Z)
    answer = solver(H, g, rows, low, high)
    # from a degenerate vertex, where an earlier level ends, an active-set method may cycle
    return Clarabel()(H, g, rows, low, high) if answer.y is None else answer
