"""A strict hierarchy: lower levels move only in what higher ones leave free.

    level 0:  y₀ = arg min ‖B₀ y − e₀‖²_W                such that   low ≤ C y ≤ high
    level i:  y_i = y_{i−1} + Z_i u,  u = arg min ‖B_i y_i − e_i‖²_W,   Z_{i+1} = Z_i null(B_i Z_i)

All y_i keep the constraints and B_j y_i = B_j y_j for j < i: what a level has reached stays, to
rounding, whatever the weights. Weighted sums reach the same as their weights go apart. At the end
what is still free goes to even contact forces and small accelerations.

A. Escande, N. Mansard, P.-B. Wieber, "Hierarchical quadratic programming" (2014).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .null_space import Solutions
from .qp import Array, Program, Reduced, reduced
from .solvers import Answer, Clarabel, Solver

# singular values below this share of the largest are free directions
_RANK = 1e-7


class Stage(NamedTuple):
    """The tasks of one level: B_a a + B_w w = e, with the weights of its rows."""

    on_a: Array
    on_w: Array
    e: Array
    weight: Array


def cascade(
    program: Program, found: Solutions, stages: list[Stage], solver: Solver
) -> tuple[Array, Array, Array, Answer]:
    """Return a, w, τ and the solver's last answer, whose y is None when a level had none.

    Args:
        program: its constraints, and what to do with what all tasks leave free.
        found: the solutions of its equations.
        stages: the levels, the most important first.
        solver: of each level's program.
    """
    small = reduced(program, found, accelerations=True)
    y, Z, iterations = np.zeros(len(small.g)), np.eye(len(small.g)), 0
    for stage in stages:
        root = np.sqrt(stage.weight)[:, None]
        B = root * (stage.on_a @ small.Za + stage.on_w @ small.Zw)
        e = root[:, 0] * (stage.e - stage.on_a @ small.a0 - stage.on_w @ small.w0)
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
            return y, y, y, answer
        y, Z = y + Z @ (Vt.T @ u), Z @ Vt[rank:].T
    H, g = Z.T @ small.H @ Z, Z.T @ (small.g + small.H @ y)
    if Z.shape[1]:
        answer = _bounded(small, y, Z, H, g, solver)
        if answer.y is None:
            return y, y, y, answer
        y, iterations = y + Z @ answer.y, iterations + answer.iterations
    return *small.point(y), Answer(y, "optimal", iterations)


def _level(
    small: Reduced, y: Array, Z: Array, sizes: Array, pull: Array, solver: Solver
) -> tuple[Array | None, Answer]:
    """One level in the axes of its singular vectors: the first have a cost, the others are free.

    min ½ Σ sizes² u² − pull·u is the level's objective; the free directions only serve to keep the
    constraints, and as little of them as will do is used (a cost so small that the first do not
    feel it, taken back by solving again around the answer). A newton counts far less than a rad/s²:
    so the cost is some powers of ten below that of the least of the first.
    """
    n, rank = Z.shape[1], len(sizes)
    H, g = np.zeros((n, n)), np.zeros(n)
    H[range(rank), range(rank)] = sizes**2
    g[:rank] = -pull
    small_cost = max(1e-7 * float(sizes.min()) ** 2, 1e-12 * float(sizes.max()) ** 2)
    H[range(rank, n), range(rank, n)] = small_cost
    u = np.zeros(n)
    answer = Answer(None, "unsolved", 0)
    for _ in range(30):  # proximal steps: the free directions' cost is of the step alone
        shifted = g.copy()
        shifted[rank:] = -small_cost * u[rank:]
        answer = _bounded(small, y, Z, H, shifted, solver)
        if answer.y is None:
            return None, answer
        moved, u = float(np.abs(answer.y - u)[rank:].max(initial=0.0)), answer.y
        if moved <= 1e-9 * (1.0 + float(np.abs(u).max())):
            break
    return u, answer


def _bounded(small: Reduced, y: Array, Z: Array, H: Array, g: Array, solver: Solver) -> Answer:
    """Solve in u with the constraints on y + Z u, those of y being kept to rounding."""
    there = small.C @ y
    low, high = small.low - there, small.high - there
    if y.any():  # an earlier level's answer: beyond its bounds by rounding only
        low, high = np.minimum(low, 0.0), np.maximum(high, 0.0)
    rows = np.ascontiguousarray(small.C @ Z)
    answer = solver(H, g, rows, low, high)
    # at a vertex, where an earlier level ends, an active-set method can miss what there is
    return Clarabel()(H, g, rows, low, high) if answer.y is None else answer
