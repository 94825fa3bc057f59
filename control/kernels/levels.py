"""Strict hierarchy of tasks on the solutions of the equations, by an active set; see `hierarchy`.

`lexicographic` solves the levels with the rows of a working set at their bounds. Such a row is
rightly at its bound when the first of its multipliers that is not zero, from level to level, has
the right sign.

From the last tick's working set this mostly ends after one or two rounds: all rows of wrong
multipliers leave, or the most violated one enters. Where it does not, as at degenerate vertices, a
primal active-set method goes on from the least weighted sum of all levels, found as in `minimum`:
towards the hierarchy's solution as far as the bounds hold, where the row that ends the way enters;
or, once there, the row of the most wrong multiplier leaves. No step makes a level worse, but in
favour of one above.

A. Escande, N. Mansard, P.-B. Wieber, "Hierarchical quadratic programming" (2014); J. Nocedal,
S. Wright, "Numerical Optimization" (2006), 16.5.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import Array, Index
from ...dynamics.kernels.toolchain import Kernel
from .equations import solve_equations
from .lexicographic import solve_levels
from .minimum import (
    FEASIBILITY,
    NOT_CONVERGED,
    RANK_DEFICIENT,
    constraint_bounds,
    constraint_row,
    constraint_values,
    least_cost,
    most_violated,
    point,
)
from .reduction import cost

ROUNDS = 3  # of several rows at a time, which mostly end after one or two
# most steps of one row at a time that follow, for each unknown: for each of them a row may enter,
# and rows leave and enter in turn
STEPS = 4
# weight of a level, relative to that of the one below it: larger ones come nearer to the hierarchy,
# but four levels and the cost below them are singular to rounding then
RATIO = 1e2
ARRIVED = -2  # at the minimum
ROUNDING = 1e-10  # how far a step may go beyond a bound, relative to the largest change of a row


class Levels(NamedTuple):
    """Rows B_a a + B_w w = e of all levels, the root of their weights, the end of each level."""

    on_a: Array
    on_w: Array
    e: Array
    root: Array
    ends: Index


def level_rows(levels, entries, space, T):
    """Fill T (m, n): the weighted residuals of all rows are T [1; y]."""
    (X, W, _, _), columns, others = space, entries.columns, entries.others
    width = 1 + len(columns) - len(W)
    for i in range(len(levels.e)):
        row, scale = T[i], levels.root[i]
        for c in range(len(row)):
            row[c] = 0.0
        for o in columns:
            factor = scale * levels.on_a[i, o]
            if factor != 0.0:
                for c in range(width):
                    row[c] += factor * X[o, c]
        for j in range(len(others)):
            row[width + j] += scale * levels.on_a[i, others[j]]
        for k in range(len(W)):
            factor = scale * levels.on_w[i, k]
            if factor != 0.0:
                for c in range(len(row)):
                    row[c] += factor * W[k, c]
        row[0] -= scale * levels.e[i]


def solve_held(data, entries, space, levels, bounds, working_set, y, x, lam, solution):
    """Fill y, the values x, λ and the solution with the working set's rows at their bounds.

    Returns whether these are independent; if not, those that follow from others leave it.
    """
    (B, ends, K), (low, high), E, equal = levels, bounds, space.E, len(space.E)
    for i in range(len(working_set)):
        equal += working_set[i] != 0
    T, k = np.empty((equal + len(B), len(y))), len(E)
    T[:k] = E
    T[equal:] = B
    for i in range(len(working_set)):
        if working_set[i] != 0:
            constraint_row(i, data, entries, space, T[k])
            T[k, 0] -= high[i] if working_set[i] > 0 else low[i]
            k += 1
    if not solve_levels(T, equal, ends, K, y, lam):
        remove_dependent(working_set, lam, len(E))
        return False
    point(data, entries, space, y, solution)
    constraint_values(data, entries, solution, x)
    return True


def remove_dependent(working_set, lam, k):
    """Remove the rows whose λ is nan; the first k are those of equations."""
    for i in range(len(working_set)):
        if working_set[i] != 0:
            if np.isnan(lam[k]):
                working_set[i] = 0
            k += 1


def update_working_set(working_set, lam, k, x, low, high):
    """Remove rows of wrong multipliers, or add the most violated one; whether y is the minimum.

    The first k multipliers are those of equations. nan counts as a wrong multiplier.
    """
    same = True
    for i in range(len(working_set)):
        if working_set[i] != 0:
            if not lam[k] * working_set[i] >= 0.0:
                working_set[i], same = 0, False
            k += 1
    worst = most_violated(working_set, x, low, high) if same else -1
    if worst >= 0:
        working_set[worst] = 1 if x[worst] - high[worst] > low[worst] - x[worst] else -1
        same = False
    return same


def longest_step(working_set, x, there, low, high):
    """How far from the values x towards others all bounds hold, in [0, 1]; the row that ends it."""
    share, blocking, farthest = 1.0, -1, 0.0
    for i in range(len(x)):
        farthest = max(farthest, abs(there[i] - x[i]))
    rounding = FEASIBILITY + ROUNDING * farthest
    for i in range(len(x)):
        if working_set[i] == 0:
            left = 1.0
            if there[i] - high[i] > rounding:
                left = max((high[i] - x[i]) / (there[i] - x[i]), 0.0)
            elif low[i] - there[i] > rounding:
                left = max((low[i] - x[i]) / (there[i] - x[i]), 0.0)
            if left < share:
                share, blocking = left, i
    return share, blocking


def remove_worst(working_set, lam, k, right):
    """Remove the row whose multiplier is wrong by most; return it, or −1.

    The first k multipliers are those of equations; rows that are `right` stay.
    """
    worst, most = -1, 0.0
    for i in range(len(working_set)):
        if working_set[i] != 0:
            if -lam[k] * working_set[i] > most and not right[i]:
                worst, most = i, -lam[k] * working_set[i]
            k += 1
    if worst >= 0:
        working_set[worst] = 0
    return worst


def primal_step(working_set, here, there, bounds, lam, k, removed, right):
    """Go from y and its values x as far towards others as all bounds hold.

    The row that ends the way enters, or where none does the one of the most wrong multiplier
    leaves. Returns the row that has left, −1 where one has entered, or ARRIVED.

    Args:
        working_set, bounds: as of `hierarchy`; low and high.
        here: y and x, are written.
        there: the hierarchy's solution with the working set's rows at their bounds, likewise.
        lam, k: their multipliers, of which the first k are those of equations.
        removed: the row that the last step removed, or −1.
        right: rows that stay although their multipliers look wrong, is written.
    """
    (y, x), (best, values), (low, high) = here, there, bounds
    share, blocking = longest_step(working_set, x, values, low, high)
    for c in range(len(y)):
        y[c] += share * (best[c] - y[c])
    for i in range(len(x)):
        x[i] += share * (values[i] - x[i])
    if removed >= 0:  # where it would be violated at once, its multiplier was but rounding
        right[:] = right & (share < ROUNDING)
        right[removed] = blocking == removed
    if blocking >= 0:
        working_set[blocking] = 1 if values[blocking] > high[blocking] else -1
        return -1
    worst = remove_worst(working_set, lam, k, right)
    return worst if worst >= 0 else ARRIVED


def weighted_cost(K, B, ends, cost):
    """Fill the upper triangle of `cost` (n, n), K + Σ ω BᵀB of all levels, ω rising by RATIO."""
    n, begin = len(K), 0
    cost[:] = K
    for level in range(len(ends)):
        longest = 0.0
        for i in range(begin, ends[level]):
            square = 0.0
            for c in range(1, n):
                square += B[i, c] * B[i, c]
            longest = max(longest, square)
        weight = RATIO ** (len(ends) - 1 - level) / longest if longest > 0.0 else 0.0
        for i in range(begin, ends[level]):
            for j in range(n):
                factor = weight * B[i, j]
                for c in range(j, n):
                    cost[j, c] += factor * B[i, c]
        begin = ends[level]


def hierarchy(data, entries, rank, working_set, levels, solution):
    """Fill the solution; return the iterations it took, or why there is none, as `minimum`.

    Args:
        data: of the program; its tasks are those that all levels leave.
        entries: of v.
        rank: least pivot of the equations, relative to the largest.
        working_set: as of `minimum`.
        levels: the rows.
        solution: is written.
    """
    full, space = solve_equations(data, entries, rank)
    if not full:
        return RANK_DEFICIENT
    n, m, equal = space.W.shape[1], len(working_set), len(space.E)
    K, B, ends = np.empty((n, n)), np.empty((len(levels.e), n)), levels.ends
    y, x, best, there = np.zeros(n), np.empty(m), np.zeros(n), np.empty(m)
    low, high, lam, near = np.empty(m), np.empty(m), np.empty(m + equal), np.empty((n, n))
    cost(data, entries, space, K)
    level_rows(levels, entries, space, B)
    constraint_bounds(data, low, high)
    bounds, rows = (low, high), (B, ends, K)
    removed, right = -1, np.zeros(m, dtype=np.bool_)
    best[0] = 1.0
    for step in range(STEPS * n):
        if step == ROUNDS:
            weighted_cost(K, B, ends, near)
            given = data, entries, space, near, bounds, working_set, y, x, solution
            if least_cost(*given) < 0:
                near[:] = K  # all are infeasible, or the sum is singular
                why = least_cost(*given)
                if why < 0:
                    return why
        if not solve_held(
            data, entries, space, rows, bounds, working_set, best, there, lam, solution
        ):
            continue
        if step < ROUNDS:
            if update_working_set(working_set, lam, equal, there, low, high):
                return step
            continue
        removed = primal_step(
            working_set, (y, x), (best, there), bounds, lam, equal, removed, right
        )
        if removed == ARRIVED:
            return step
    for i in range(m):
        working_set[i] = 0
    return NOT_CONVERGED


HIERARCHY = Kernel(hierarchy, 1, arrays=True, each=2e-3, seconds=20.0, inlined=150)
