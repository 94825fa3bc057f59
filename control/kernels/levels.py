# mypy: disable-error-code="no-untyped-def, misc, no-untyped-call"
"""Strict hierarchy of tasks on the solutions of the equations, by an active set; see `hierarchy`.

All rows are on [1; y], as in `minimum`: equations and the working set first, T₀ [1; y] = 0, then
the weighted residuals of level 1, 2, …, and last the definite cost of what all leave. Reflections
from the right make the rows triangular, block by block: y = Q z with

    [T₀; T₁; …] Q = [L₀ 0 0; × L₁ 0; × × L₂]

so each block determines the next entries of z, by least squares where it has dependent rows, and
changes nothing above. The multipliers λ of a level's minimum, Σ λ_k T_k + T_iᵀ(T_i [1; y]) = 0 over
the rows above it, follow by back substitution. Where the last level leaves nothing, its normal
equations are solved instead, in half of the time. A row of the working set is at its bound rightly
when the first of its multipliers that is not zero, from level to level, has the right sign.

From the last tick's working set this mostly ends after one or two rounds: all rows of wrong
multipliers leave, or the most violated one enters. Where it does not, as at degenerate vertices, a
primal active-set method goes on from the least weighted sum of all levels, found as in `minimum`:
towards the hierarchy's solution as far as the bounds hold, where the row that ends the way enters;
or, once there, the row of the most wrong multiplier leaves. No step makes a level worse, but in
favour of one above.

A. Escande, N. Mansard, P.-B. Wieber, "Hierarchical quadratic programming" (2014); D. Dimitrov,
A. Sherikov, P.-B. Wieber, "Efficient resolution of potentially conflicting linear constraints in
robotics" (2015); J. Nocedal, S. Wright, "Numerical Optimization" (2006), 16.5.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...dynamics.kernels.toolchain import Kernel
from .equations import solve_equations
from .minimum import (
    FEASIBILITY,
    NOT_CONVERGED,
    RANK_DEFICIENT,
    cholesky,
    constraint_bounds,
    constraint_row,
    constraint_values,
    least_cost,
    most_violated,
    point,
    solve_factor,
    solve_transposed_factor,
)
from .reduction import cost

Array = NDArray[np.float64]
Index = NDArray[np.intp]

# a row's length below which it follows from those before it, relative to the longest of its level
INDEPENDENT = 1e-8
ROUNDS = 3  # of several rows at a time, which mostly end after one or two
# and then of one row at a time, from a point within all bounds, for each unknown: up to one enters
# for each of them, and rows leave and enter in turn
STEPS = 4
# weight of a level, relative to that of the one below it: larger ones come nearer to the hierarchy,
# but four levels and the cost below them are singular to rounding then
RATIO = 1e2
ROUNDING = 1e-10  # beyond a bound, relative to the longest way of a row, that does not end a step
# least square of a pivot, relative to the longest row's, where a level's normal equations serve
WELL_CONDITIONED = 1e-4
NO_MULTIPLIER = 1e-9  # relative to the gradient of a residual as large as the level's targets


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


def reflected(row, v, scale, first):
    """row (n,) times 1 − scale v vᵀ, v zero before `first`."""
    dot = 0.0
    for c in range(first, len(row)):
        dot += row[c] * v[c]
    dot *= scale
    for c in range(first, len(row)):
        row[c] -= dot * v[c]


def triangularised(T, begin, end, pivots, V, scale, basis, tolerance):
    """Make the rows [begin, end) triangular from column 1 + `pivots` on; return all pivots then.

    Rows are not moved: `basis` has the independent ones, one each pivot. Later rows are reflected.
    """
    n, first = T.shape[1], 0.0
    used = np.zeros(end - begin, dtype=np.bool_)
    while 1 + pivots < n:
        best, most = -1, 0.0
        for i in range(begin, end):
            if not used[i - begin]:
                square = 0.0
                for c in range(1 + pivots, n):
                    square += T[i, c] * T[i, c]
                if square > most:
                    best, most = i, square
        norm, at = np.sqrt(most), 1 + pivots
        first = max(first, norm)
        if best < 0 or not norm > tolerance * max(1.0, first):
            return pivots
        v = V[pivots]
        for c in range(n):
            v[c] = T[best, c] if c >= at else 0.0
        scale[pivots] = 1.0 / (norm * (norm + abs(v[at])))
        v[at] += norm if v[at] >= 0 else -norm
        for i in range(begin, len(T)):
            if i >= end or not used[i - begin]:
                reflected(T[i], v, scale[pivots], at)
        used[best - begin], basis[pivots] = True, best
        pivots += 1
    return pivots


def normal_equations(T, begin, end, L):
    """Fill L (f, n), triangular rows of the rows [begin, end) in the last f columns.

    From Lᵀ L = Tᵀ T of these: L z = 0 is the least ‖T z‖, as T has their full rank. That takes a
    quarter of the reflections' time, but squares the condition number; returns whether it is small.
    """
    n, free = T.shape[1], len(L)
    first, longest = n - free, 0.0
    for i in range(begin, end):
        square = 0.0
        for c in range(1, n):
            square += T[i, c] * T[i, c]
        longest = max(longest, square)
    for k in range(free):
        for c in range(n):
            L[k, c] = 0.0
    for i in range(begin, end):
        for k in range(free):
            factor = T[i, first + k]
            for c in range(first + k + 1):
                L[k, c] += factor * T[i, c]
    for back in range(free):
        k = free - 1 - back
        if not L[k, first + k] > WELL_CONDITIONED * longest:
            return False
        scale = 1.0 / np.sqrt(L[k, first + k])
        for c in range(first + k + 1):
            L[k, c] *= scale
        for j in range(k):
            factor = L[k, first + j]
            for c in range(first + j + 1):
                L[j, c] -= factor * L[k, c]
    return True


def substitute(L, z):
    """Fill the last entries of z so that L z = 0."""
    first = len(z) - len(L)
    for k in range(len(L)):
        total = 0.0
        for c in range(first + k):
            total -= L[k, c] * z[c]
        z[first + k] = total / L[k, first + k]


def least_squares(T, begin, end, before, pivots, basis, z):
    """Fill z[1 + before : 1 + pivots], least ‖T z‖ of the rows [begin, end).

    With the independent rows L and the others K L, s = L z is f + Kᵀ (1 + K Kᵀ)⁻¹ (h − K f).
    """
    r, m = pivots - before, end - begin - (pivots - before)
    f, rest = np.empty(r), np.empty(m, dtype=np.int64)
    for k in range(r):
        f[k] = 0.0
        for c in range(1 + before):
            f[k] -= T[basis[before + k], c] * z[c]
    count = 0
    for i in range(begin, end):
        dependent = True
        for k in range(before, pivots):
            dependent = dependent and basis[k] != i
        if dependent:
            rest[count] = i
            count += 1
    K, S, h = np.empty((m, r)), np.zeros((1 + m, 1 + m)), np.zeros(1 + m)
    for i in range(m):
        for c in range(1 + before):
            h[1 + i] -= T[rest[i], c] * z[c]
        for k in range(r):
            j = r - 1 - k
            total = T[rest[i], 1 + before + j]
            for x in range(j + 1, r):
                total -= K[i, x] * T[basis[before + x], 1 + before + j]
            K[i, j] = total / T[basis[before + j], 1 + before + j]
        for k in range(r):
            h[1 + i] -= K[i, k] * f[k]
        for j in range(i + 1):
            S[1 + j, 1 + i] = 1.0 if i == j else 0.0
            for k in range(r):
                S[1 + j, 1 + i] += K[i, k] * K[j, k]
    cholesky(S)
    solve_transposed_factor(S, h)
    solve_factor(S, h)
    for k in range(r):
        for i in range(m):
            f[k] += K[i, k] * h[1 + i]
        for x in range(k):
            f[k] -= T[basis[before + k], 1 + before + x] * z[1 + before + x]
        z[1 + before + k] = f[k] / T[basis[before + k], 1 + before + k]


def gradient_of(T, begin, end, before, z, g):
    """Fill g (n,), the gradient of ½ ‖T z‖² of the rows [begin, end); return a size of it."""
    longest, largest = 0.0, 0.0
    for c in range(len(g)):
        g[c] = 0.0
    for i in range(begin, end):
        residual, square = 0.0, 0.0
        for c in range(len(g)):
            residual += T[i, c] * z[c]
            square += T[i, c] * T[i, c] if c > 0 else 0.0
        for c in range(1, 1 + before):
            g[c] += T[i, c] * residual
        longest, largest = max(longest, square), max(largest, abs(T[i, 0]))
    return np.sqrt(longest) * (1.0 + largest)


def take_multipliers(T, before, count, basis, g, size, lam):
    """The multipliers of a level on the rows above it: those of the first `count` into `lam`.

    A row keeps the first that is not zero: the sign of λ is that of its bound, if it is right.
    """
    own = np.empty(before)
    for k in range(before):
        j = before - 1 - k
        total = -g[1 + j]
        for x in range(j + 1, before):
            total -= own[x] * T[basis[x], 1 + j]
        own[j] = total / T[basis[j], 1 + j]
    for j in range(min(before, count)):
        i, pivot = basis[j], abs(T[basis[j], 1 + j])
        if lam[i] == 0.0 and not abs(own[j]) * pivot <= NO_MULTIPLIER * size:
            lam[i] = own[j]


def free_directions(V, scale, pivots, k, y):
    """y (n,) is Q times the unit vector 1 + pivots + k."""
    for c in range(len(y)):
        y[c] = 0.0
    y[1 + pivots + k] = 1.0
    unreflect(V, scale, pivots, y)


def unreflect(V, scale, pivots, y):
    """y becomes Q y."""
    for k in range(pivots):
        reflected(y, V[pivots - 1 - k], scale[pivots - 1 - k], 1 + pivots - 1 - k)


def times(K, y, out):
    """out = K y, K symmetric, its upper triangle filled."""
    n = len(y)
    for i in range(n):
        out[i] = 0.0
    for i in range(n):
        out[i] += K[i, i] * y[i]
        for j in range(i + 1, n):
            out[i] += K[i, j] * y[j]
            out[j] += K[i, j] * y[i]


def minimum_of_rest(K, V, scale, pivots, z, y, g):
    """Fill y = Q z with the rest of z at the least ½ yᵀK y, and g = Qᵀ K y; whether it is definite.

    Returns a size of the gradient too.
    """
    n = len(z)
    free = n - 1 - pivots
    Z, KZ = np.empty((free, n)), np.empty(n)
    S, x = np.empty((1 + free, 1 + free)), np.empty(1 + free)
    for c in range(n):
        y[c] = z[c] if c <= pivots else 0.0
    unreflect(V, scale, pivots, y)
    times(K, y, g)
    for k in range(free):
        free_directions(V, scale, pivots, k, Z[k])
    for k in range(free):
        times(K, Z[k], KZ)
        x[1 + k] = 0.0
        for c in range(1, n):
            x[1 + k] -= Z[k, c] * g[c]
        for j in range(k + 1):
            S[1 + j, 1 + k] = 0.0
            for c in range(1, n):
                S[1 + j, 1 + k] += Z[j, c] * KZ[c]
    if not cholesky(S):
        return False, 0.0
    solve_transposed_factor(S, x)
    solve_factor(S, x)
    for k in range(free):
        for c in range(1, n):
            y[c] += x[1 + k] * Z[k, c]
    times(K, y, g)
    size = 0.0
    for c in range(1, n):
        size = max(size, abs(K[0, c]) + K[c, c] * abs(y[c]))
    for k in range(pivots):
        reflected(g, V[k], scale[k], 1 + k)
    return True, size


def solve_levels(T, equal, ends, K, y, lam):
    """Fill y with the hierarchy's solution where the first `equal` rows are equations, and λ.

    Returns whether those are independent: if not, λ is nan for those that follow from others. The
    rows T are overwritten. Normal equations serve for a last level that leaves nothing, and has
    more rows than that takes.
    """
    n = T.shape[1]
    V, scale, basis = np.empty((n, n)), np.empty(n), np.empty(n, dtype=np.int64)
    z, g = np.zeros(n), np.empty(n)
    z[0] = 1.0
    for i in range(equal):
        lam[i] = 0.0
    pivots = triangularised(T, 0, equal, 0, V, scale, basis, INDEPENDENT)
    if pivots < equal:
        for i in range(equal):
            lam[i] = np.nan
        for k in range(pivots):
            lam[basis[k]] = 0.0
        return False
    for k in range(pivots):
        for c in range(1 + k):
            z[1 + k] -= T[basis[k], c] * z[c]
        z[1 + k] /= T[basis[k], 1 + k]
    begin = equal
    for level in range(len(ends)):
        end, before = equal + ends[level], pivots
        L = np.empty((n - 1 - before, n))
        last = level == len(ends) - 1 and end - begin > len(L) > 0
        last = last and normal_equations(T, begin, end, L)
        if last:
            substitute(L, z)
            pivots = n - 1
        else:
            pivots = triangularised(T, begin, end, before, V, scale, basis, INDEPENDENT)
            least_squares(T, begin, end, before, pivots, basis, z)
        size = gradient_of(T, begin, end, before, z, g)
        take_multipliers(T, before, equal, basis, g, size, lam)
        if last:  # the triangular rows, with no reflections
            for k in range(len(L)):
                T[begin + k], V[before + k], scale[before + k] = L[k], 0.0, 0.0
                basis[before + k] = begin + k
        begin = end
    definite, size = minimum_of_rest(K, V, scale, pivots, z, y, g)
    if definite:
        take_multipliers(T, pivots, equal, basis, g, size, lam)
    return definite


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
        share, blocking = longest_step(working_set, x, there, low, high)
        for c in range(n):
            y[c] += share * (best[c] - y[c])
        for i in range(m):
            x[i] += share * (there[i] - x[i])
        if removed >= 0:  # where it would be violated at once, its multiplier was but rounding
            right[:] = right & (share < ROUNDING)
            right[removed] = blocking == removed
        if blocking >= 0:
            working_set[blocking] = 1 if there[blocking] > high[blocking] else -1
            removed = -1
        else:
            removed = remove_worst(working_set, lam, equal, right)
            if removed < 0:
                return step
    for i in range(m):
        working_set[i] = 0
    return NOT_CONVERGED


HIERARCHY = Kernel(hierarchy, 1, arrays=True, each=2e-3, seconds=20.0, inlined=150)
