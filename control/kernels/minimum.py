"""Dual active-set method for the reduced program, warm-started with the last working set.

    minimise ½ yᵀH y + gᵀy   such that   low ≤ C y ≤ high

Given a working set of rows C_w held at their bounds c, signed so that C_w y ≤ c, and the factor
H = Uᵀ U, the conditions of optimality are solved by the Schur complement (the range-space method):

    H y + g + C_wᵀ λ = 0,   C_w y = c      ⇒      (V Vᵀ) λ = C_w y₀ − c,    y = y₀ − U⁻¹ Vᵀ λ

with y₀ = −H⁻¹ g, the unconstrained minimum, and V = C_w U⁻ᵀ. y is the minimum when it satisfies all
other rows, and λ ≥ 0. From the last working set, rows that depend on others leave first, and those
of negative multipliers until there are none. Then the most violated row enters, and λ goes to its
new solution, but no farther than to where a multiplier is zero: that row leaves, and λ goes on from
there. Where the row depends on those held, Σ r_k C_k, λ goes along −r until one leaves; if none
can, no y satisfies all rows. Each row that enters increases the least cost, so that the method
ends; from the last tick's working set mostly after one or two steps.

D. Goldfarb, A. Idnani, "A numerically stable dual method for solving strictly convex quadratic
programs" (1983); J. Nocedal, S. Wright, "Numerical Optimization" (2006), 16.2 and 16.5. Symbols as
in `reduction`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import Array, Index
from ...dynamics.kernels.toolchain import Kernel
from .equations import solve_equations
from .reduction import cost

INFEASIBLE, RANK_DEFICIENT, NOT_CONVERGED = -3, -2, -1
STEPS = 4  # most rows that enter for each unknown: rounding may keep the method from ending
# least pivot of H relative to its diagonal: below it is cancellation, H is singular to rounding
PIVOT = 1e-14
# least pivot of V Vᵀ relative to its diagonal: below it the rows of the working set are dependent
DEPENDENT = 1e-10
FEASIBILITY = 1e-9  # tolerance on bounds [N, N·m, rad/s²], the same as the solvers'


def cholesky(K):
    """Factor H = Uᵀ U in the upper triangle of K from row 1 on; return whether H is definite."""
    n = len(K)
    least = np.empty(n)
    for j in range(1, n):
        least[j] = PIVOT * K[j, j]
    for j in range(1, n):
        if not K[j, j] > least[j]:
            return False
        inverse = 1.0 / np.sqrt(K[j, j])
        for c in range(j, n):
            K[j, c] *= inverse
        for i in range(j + 1, n):
            factor = K[j, i]
            for c in range(i, n):
                K[i, c] -= factor * K[j, c]
    return True


def solve_transposed_factor(U, x):
    """x[1:] becomes U⁻ᵀ x[1:], by forward substitution."""
    n = len(x)
    for i in range(1, n):
        x[i] /= U[i, i]
        for c in range(i + 1, n):
            x[c] -= U[i, c] * x[i]


def solve_factor(U, x):
    """x[1:] becomes U⁻¹ x[1:], by back substitution."""
    n = len(x)
    for k in range(1, n):
        i = n - k
        for c in range(i + 1, n):
            x[i] -= U[i, c] * x[c]
        x[i] /= U[i, i]


def point(data, entries, space, y, solution):
    """Fill the solution, a, w and τ, of [1; y]."""
    columns, others, act, J = entries.columns, entries.others, entries.actuated, data.J
    (X, W, MX, _), (a, w, tau), width = space, solution, 1 + len(columns) - len(J)
    for i in range(len(columns)):
        o = columns[i]
        a[o] = 0.0
        for c in range(width):
            a[o] += X[o, c] * y[c]
    for i in range(len(others)):
        a[others[i]] = y[width + i]
    for i in range(len(w)):
        w[i] = 0.0
        for c in range(len(y)):
            w[i] += W[i, c] * y[c]
    generalised_force = np.zeros(len(a))  # M a + b − Jᵀ w
    for c in range(width + len(others)):
        for j in range(len(a)):
            generalised_force[j] += y[c] * MX[c, j]
    for i in range(len(w)):
        for j in range(len(a)):
            generalised_force[j] -= w[i] * J[i, j]
    for i in range(len(act)):
        tau[i] = generalised_force[act[i]]


def constraint_row(i, data, entries, space, row):
    """Fill row i of C, times [1; y], in the order of `qp.reduced`: F, N, torques, L, joints."""
    J, F, N, L, act = data.J, data.F, data.N, data.L, entries.actuated
    (X, W, MX, _), n = space, len(row)
    for c in range(n):
        row[c] = 0.0
    if i < len(F) + len(N):
        source, at = (F, i) if i < len(F) else (N, i - len(F))
        for k in range(len(W)):
            for c in range(n):
                row[c] += source[at, k] * W[k, c]
        return
    i -= len(F) + len(N)
    if i < len(act):
        for c in range(len(MX)):
            row[c] = MX[c, act[i]]
        for k in range(len(W)):
            for c in range(n):
                row[c] -= J[k, act[i]] * W[k, c]
        return
    i -= len(act)
    if i < len(L):
        for j in range(L.shape[1]):
            factor = L[i, j]
            if factor != 0.0:
                for c in range(X.shape[1]):
                    row[c] += factor * X[j, c]
        return
    for c in range(X.shape[1]):
        row[c] = X[act[i - len(L)], c]


def constraint_values(data, entries, solution, x):
    """Fill the values of all rows: F w, N w, τ, L a and a."""
    F, N, L, act, (a, w, tau) = data.F, data.N, data.L, entries.actuated, solution
    for i in range(len(F)):
        x[i] = 0.0
        for j in range(len(w)):
            x[i] += F[i, j] * w[j]
    at = len(F)
    for i in range(len(N)):
        x[at + i] = 0.0
        for j in range(len(w)):
            x[at + i] += N[i, j] * w[j]
    at += len(N)
    for i in range(len(act)):
        x[at + i], x[at + len(act) + len(L) + i] = tau[i], a[act[i]]
    at += len(act)
    for i in range(len(L)):
        x[at + i] = 0.0
        for j in range(len(a)):
            x[at + i] += L[i, j] * a[j]


def constraint_bounds(data, low, high):
    """Fill the bounds of all rows, in the same order."""
    lower, upper, slowest, fastest = data.lower, data.upper, data.slowest, data.fastest
    least, largest = data.torque_lower, data.torque_upper
    at = len(data.F)
    for i in range(at):
        low[i], high[i] = -np.inf, 0.0
    for i in range(len(lower)):
        low[at + i], high[at + i] = lower[i], upper[i]
    at += len(lower)
    na = len(least)
    for i in range(na):
        low[at + i], high[at + i] = least[i], largest[i]
    at += na
    for i in range(len(data.least)):
        low[at + i], high[at + i] = data.least[i], np.inf
    at += len(data.least)
    for i in range(na):
        low[at + i], high[at + i] = slowest[i], fastest[i]


def factor_row(V, L, k):
    """Fill row k of L, V Vᵀ = L Lᵀ, from those before it; return whether V[k] is independent."""
    size = total = 0.0
    for i in range(k + 1):
        total = 0.0
        for c in range(1, V.shape[1]):
            total += V[k, c] * V[i, c]
        size = total
        for j in range(i):
            total -= L[k, j] * L[i, j]
        if i < k:
            L[k, i] = total / L[i, i]
    if k == V.shape[1] - 1 or not total > DEPENDENT * size:  # so many rows are dependent
        return False
    L[k, k] = np.sqrt(total)
    return True


def multipliers(L, rhs, count, lam):
    """Solve L Lᵀ λ = rhs of the first `count` rows."""
    for i in range(count):
        lam[i] = rhs[i]
        for j in range(i):
            lam[i] -= L[i, j] * lam[j]
        lam[i] /= L[i, i]
    transposed(L, count, lam)


def transposed(L, count, x):
    """x becomes L⁻ᵀ x."""
    for back in range(count):
        i = count - 1 - back
        for j in range(i + 1, count):
            x[i] -= L[j, i] * x[j]
        x[i] /= L[i, i]


def enter(bound, sign, U, y0, V, rhs, L, k):
    """Hold row V[k] [1; y] of C at its bound; return whether it is independent of those before."""
    rhs[k] = -sign * bound
    for c in range(len(y0)):
        V[k, c] *= sign
        rhs[k] += V[k, c] * y0[c]
    solve_transposed_factor(U, V[k])
    return factor_row(V, L, k)


def leave(working_set, held, equal, count, V, rhs, L, lam):
    """Remove the held rows of negative multipliers, or none, but for the first `equal` ones.

    Returns how many are left, and whether the last one is independent.
    """
    k, independent = equal, True
    for i in range(equal, count):
        if lam[i] >= 0.0:
            if k < i:
                V[k], rhs[k], lam[k], held[k] = V[i], rhs[i], lam[i], held[i]
                independent = factor_row(V, L, k)
            k += 1
        else:
            working_set[held[i]] = 0
    return k, independent


def displacement(V, rhs, L, count, lam, more, z):
    """Fill z = −Vᵀ λ, so that V z = −rhs; refined once, for λ may be far larger than z."""
    for c in range(len(z)):
        z[c] = 0.0
    for k in range(count):
        for c in range(1, len(z)):
            z[c] -= lam[k] * V[k, c]
    for k in range(count):
        more[k] = rhs[k]
        for c in range(1, len(z)):
            more[k] += V[k, c] * z[c]
    multipliers(L, more, count, more)
    for k in range(count):
        for c in range(1, len(z)):
            z[c] -= more[k] * V[k, c]


def dual_step(L, rhs, equal, count, independent, lam, new):
    """Let λ go towards its solution; return the row that ends the way before, or −1.

    If the last row is not independent the way has no end: INFEASIBLE if no row ends it.
    """
    last = count - 1
    if independent:
        multipliers(L, rhs, count, new)
    else:
        for i in range(last):
            new[i] = L[last, i]
        transposed(L, last, new)
        for i in range(last):
            new[i] = lam[i] - new[i]
        new[last] = lam[last] + 1.0
    share, leaving = (1.0, -1) if independent else (np.inf, INFEASIBLE)
    for i in range(equal, last):
        falls = lam[i] - new[i]
        if falls > 0.0 and lam[i] < share * falls:
            share, leaving = lam[i] / falls, i
    for i in range(count):
        lam[i] = new[i] if leaving < 0 else lam[i] + share * (new[i] - lam[i])
    return leaving


def most_violated(working_set, x, low, high):
    """The row that is beyond a bound by most, or −1; nan counts as a violation."""
    worst, excess = -1, FEASIBILITY
    for i in range(len(working_set)):
        if working_set[i] == 0 and not (x[i] - high[i] <= excess and low[i] - x[i] <= excess):
            worst, excess = i, max(x[i] - high[i], low[i] - x[i])
    return worst


class Data(NamedTuple):
    """The program's data, as in `control.program.qp.Program`."""

    M: Array
    b: Array
    J: Array
    k: Array
    A: Array
    r: Array
    weight: Array
    d: Array
    p: Array
    P: Array
    s: Array
    F: Array
    N: Array
    lower: Array
    upper: Array
    torque_lower: Array
    torque_upper: Array
    slowest: Array
    fastest: Array
    L: Array
    least: Array


class Entries(NamedTuple):
    """Entries of v that move any contact (columns of J), the others; with and without a motor."""

    columns: Index
    others: Index
    actuated: Index
    unactuated: Index


class Solution(NamedTuple):
    """a (nv,), w (dim,), τ (na,): written."""

    a: Array
    w: Array
    tau: Array


def least_cost(data, entries, space, K, bounds, working_set, y, x, solution):
    """Fill y, the least ½ [1; y]ᵀ K [1; y] within the bounds, the values x and the solution.

    Returns the steps it took, or INFEASIBLE, or NOT_CONVERGED; K is overwritten.
    """
    (low, high), E = bounds, space.E
    n, count, leaving = len(y), len(E), 0
    y0, rhs, lam, new = np.empty(n), np.empty(n), np.zeros(n), np.empty(n)
    V, factor, held = np.empty((n, n)), np.empty((n, n)), np.empty(n, dtype=np.int64)
    y0[0] = 1.0
    for i in range(1, n):
        y0[i] = -K[0, i]
    if not cholesky(K):
        return NOT_CONVERGED
    solve_transposed_factor(K, y0)
    solve_factor(K, y0)
    for i in range(count):
        V[i] = E[i]
        if not enter(0.0, 1.0, K, y0, V, rhs, factor, i):
            return NOT_CONVERGED
    for i in range(len(working_set)):
        if working_set[i] != 0:
            sign, bound = float(working_set[i]), high[i] if working_set[i] > 0 else low[i]
            constraint_row(i, data, entries, space, V[count])
            if enter(bound, sign, K, y0, V, rhs, factor, count):
                held[count] = i
                count += 1
            else:
                working_set[i] = 0
    before = -1
    while count != before:
        before = count
        multipliers(factor, rhs, count, lam)
        count, _ = leave(working_set, held, len(E), count, V, rhs, factor, lam)
    for step in range(STEPS * n):
        displacement(V, rhs, factor, count, lam, new, y)
        solve_factor(K, y)
        for c in range(n):
            y[c] += y0[c]
        point(data, entries, space, y, solution)
        constraint_values(data, entries, solution, x)
        i = most_violated(working_set, x, low, high)
        if i < 0:
            return step
        sign, bound = (1.0, high[i]) if x[i] - high[i] > low[i] - x[i] else (-1.0, low[i])
        constraint_row(i, data, entries, space, V[count])
        independent = enter(bound, sign, K, y0, V, rhs, factor, count)
        working_set[i], held[count], lam[count], leaving = int(sign), i, 0.0, 0
        count += 1
        while leaving >= 0:
            leaving = dual_step(factor, rhs, len(E), count, independent, lam, new)
            if leaving >= 0:
                lam[leaving] = -1.0
                count, independent = leave(working_set, held, len(E), count, V, rhs, factor, lam)
        if leaving == INFEASIBLE:
            return INFEASIBLE
    return NOT_CONVERGED


def minimum(data, entries, rank, working_set, solution):
    """Fill the minimum; return the steps it took, or why there is none.

    INFEASIBLE, RANK_DEFICIENT, or NOT_CONVERGED.

    Args:
        data: of the program.
        entries: of v.
        rank: least pivot of the equations, relative to the largest.
        working_set: of each row 1 at its upper bound, −1 at its lower one, else 0: the initial one,
            and that of the minimum.
        solution: is written.
    """
    full, space = solve_equations(data, entries, rank)
    if not full:
        return RANK_DEFICIENT
    m, n = len(working_set), space.W.shape[1]  # n: size of [1; y]
    K, y = np.empty((n, n)), np.empty(n)
    x, low, high = np.empty(m), np.empty(m), np.empty(m)
    cost(data, entries, space, K)
    constraint_bounds(data, low, high)
    return least_cost(data, entries, space, K, (low, high), working_set, y, x, solution)


MINIMUM = Kernel(minimum, 1, arrays=True, each=1e-3, seconds=10.0)
