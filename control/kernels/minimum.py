# mypy: disable-error-code="no-untyped-def, misc, no-untyped-call"
"""Primal-dual active-set method for the reduced program, warm-started with the last working set.

    minimise ½ yᵀH y + gᵀy   such that   low ≤ C y ≤ high

Given a working set of rows C_w held at their bounds c, and the factor H = Uᵀ U, the conditions of
optimality are solved by the Schur complement (the range-space method):

    H y + g + C_wᵀ λ = 0,   C_w y = c      ⇒      (V Vᵀ) λ = C_w y₀ − c,    y = y₀ − U⁻¹ Vᵀ λ

with y₀ = −H⁻¹ g, the unconstrained minimum, and V = C_w U⁻ᵀ. y is the minimum when it satisfies all
other rows, and λ ≥ 0 at upper bounds, λ ≤ 0 at lower ones. If not, the rows with multipliers of the
wrong sign leave the working set; if there are none, the most violated row enters it. From the last
tick's working set this mostly ends after one or two iterations. It is a heuristic without a proof
of termination (several rows leave at once): after `ITERATIONS` a solver takes over.

J. Nocedal, S. Wright, "Numerical Optimization" (2006), 16.2 and 16.5; M. Hintermüller, K. Ito,
K. Kunisch, "The primal-dual active set strategy as a semismooth Newton method" (2002). Symbols as
in `reduction`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...dynamics.kernels.toolchain import Kernel
from .equations import solve_equations
from .reduction import cost

Array = NDArray[np.float64]
Index = NDArray[np.intp]

RANK_DEFICIENT, NOT_CONVERGED = -2, -1
ITERATIONS = 15
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


def point(J, columns, others, act, width, X, W, MX, y, a, w, tau):
    """Fill a, w and τ of [1; y]."""
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


def constraint_row(i, J, F, N, L, act, X, W, MX, row):
    """Fill row i of C, times [1; y], in the order of `qp.reduced`: F, N, torques, L, joints."""
    n = len(row)
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


def constraint_values(F, N, L, act, a, w, tau, x):
    """Fill the values of all rows: F w, N w, τ, L a and a."""
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


def multipliers(V, rhs, count, lam):
    """Solve (V Vᵀ) λ = rhs for the first `count` rows, into `lam`; whether they are independent."""
    S = np.empty((count, count))
    for i in range(count):
        for j in range(i + 1):
            S[i, j] = 0.0
            for c in range(1, V.shape[1]):
                S[i, j] += V[i, c] * V[j, c]
    for i in range(count):
        size = S[i, i]
        lam[i] = rhs[i]
        for j in range(i + 1):
            total = S[i, j]
            for k in range(j):
                total -= S[i, k] * S[j, k]
            if j < i:
                S[i, j] = total / S[j, j]
                lam[i] -= S[i, j] * lam[j]
            elif total > DEPENDENT * size:
                S[i, i] = np.sqrt(total)
            else:
                return False
        lam[i] /= S[i, i]
    for k in range(count):
        i = count - 1 - k
        for j in range(i + 1, count):
            lam[i] -= S[j, i] * lam[j]
        lam[i] /= S[i, i]
    return True


def solve_working_set(J, F, N, L, act, X, W, MX, E, U, low, high, working_set, y0, y, lam):
    """Fill y with the rows of the working set at their bounds, and λ; whether they are independent.

    Args:
        E: equations E [1; y] = 0, the first rows of λ.
        y0: the unconstrained minimum.
        working_set: of each row 1 at its upper bound, −1 at its lower one, else 0.
    """
    n, count = len(y), len(E)
    for i in range(len(working_set)):
        count += working_set[i] != 0
    for c in range(n):
        y[c] = y0[c]
    if count >= n:
        return False
    V, rhs, k = np.empty((count, n)), np.zeros(count), len(E)
    for i in range(len(E)):
        V[i] = E[i]
    for i in range(len(working_set)):
        if working_set[i] != 0:
            constraint_row(i, J, F, N, L, act, X, W, MX, V[k])
            rhs[k] = -(high[i] if working_set[i] > 0 else low[i])
            k += 1
    for k in range(count):
        for c in range(n):
            rhs[k] += V[k, c] * y0[c]
        solve_transposed_factor(U, V[k])
    if not multipliers(V, rhs, count, lam):
        return False
    step = np.zeros(n)  # U⁻¹ Vᵀ λ
    for k in range(count):
        for c in range(1, n):
            step[c] += lam[k] * V[k, c]
    solve_factor(U, step)
    for c in range(1, n):
        y[c] -= step[c]
    return True


def update_working_set(working_set, lam, k, x, low, high):
    """Remove rows of wrong multipliers, or add the most violated one; whether y is the minimum.

    The first k multipliers are those of equations. Comparisons are written so that nan counts as a
    wrong multiplier, and as a violation.
    """
    same, worst, excess = True, -1, FEASIBILITY
    for i in range(len(working_set)):
        if working_set[i] != 0:
            if not lam[k] * working_set[i] >= 0.0:
                working_set[i], same = 0, False
            k += 1
        elif not (x[i] - high[i] <= excess and low[i] - x[i] <= excess):
            worst, excess = i, max(x[i] - high[i], low[i] - x[i])
    if same and worst >= 0:
        working_set[worst] = 1 if x[worst] - high[worst] > low[worst] - x[worst] else -1
        same = False
    return same


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


def least_cost(data, entries, X, W, MX, E, K, low, high, working_set, y, x, solution):
    """Fill y, the least ½ [1; y]ᵀ K [1; y] within the bounds, the values x and the solution.

    Returns the iterations it took, or NOT_CONVERGED; K is overwritten.
    """
    columns, others, act = entries.columns, entries.others, entries.actuated
    J, F, N, L = data.J, data.F, data.N, data.L
    y0, lam = np.empty(len(y)), np.empty(len(y))
    y0[0] = 1.0
    for i in range(1, len(y)):
        y0[i] = -K[0, i]
    if not cholesky(K):
        return NOT_CONVERGED
    solve_transposed_factor(K, y0)
    solve_factor(K, y0)
    for step in range(ITERATIONS):
        if not solve_working_set(
            J, F, N, L, act, X, W, MX, E, K, low, high, working_set, y0, y, lam
        ):
            break
        point(
            J, columns, others, act, 1 + len(columns) - len(J), X, W, MX, y,
            solution.a, solution.w, solution.tau,
        )  # fmt: skip
        constraint_values(F, N, L, act, solution.a, solution.w, solution.tau, x)
        if update_working_set(working_set, lam, len(E), x, low, high):
            return step
    for i in range(len(working_set)):
        working_set[i] = 0
    return NOT_CONVERGED


def minimum(data, entries, rank, working_set, solution):
    """Fill the minimum; return the iterations it took, or RANK_DEFICIENT, or NOT_CONVERGED.

    Args:
        data: of the program.
        entries: of v.
        rank: least pivot of the equations, relative to the largest.
        working_set: of each row 1 at its upper bound, −1 at its lower one, else 0: the initial one,
            and that of the minimum.
        solution: is written.
    """
    columns, others, u = entries.columns, entries.others, entries.unactuated
    M, J = data.M, data.J
    full, X, W, MX, E = solve_equations(M, data.b, J, data.k, columns, others, u, rank)
    if not full:
        return RANK_DEFICIENT
    m, n = len(working_set), W.shape[1]  # n: size of [1; y]
    K, y = np.empty((n, n)), np.empty(n)
    x, low, high = np.empty(m), np.empty(m), np.empty(m)
    cost(
        data.A, data.r, data.weight, data.d, data.p, data.P, data.s, columns, others,
        1 + len(columns) - len(J), X, W, K,
    )  # fmt: skip
    constraint_bounds(data, low, high)
    return least_cost(data, entries, X, W, MX, E, K, low, high, working_set, y, x, solution)


MINIMUM = Kernel(minimum, 1, arrays=True, each=1e-3, seconds=10.0)
