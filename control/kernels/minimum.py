# mypy: disable-error-code="no-untyped-def, misc, no-untyped-call"
"""One tick's answer from the bounds that were active last, which mostly still are.

With rows C y = c held at their bounds, and H = Uᵀ U,

    H y + g + Cᵀ λ = 0,     C y = c        ⇒        (V Vᵀ) λ = C y₀ − c,    y = y₀ − U⁻¹ Vᵀ λ

where y₀ = −H⁻¹ g and V = C U⁻ᵀ. It is the minimum when λ pushes back into the bounds and all others
are kept. If not, rows whose λ pulls are let go, or the row farthest beyond its bound is held: a few
such steps mostly end there. Where they do not, a solver has the word. Letters as in `reduction`.

J. Nocedal, S. Wright, "Numerical Optimization" (2006), 16.5.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...dynamics.kernels.toolchain import Kernel
from .equations import sizes, solve_equations
from .reduction import cost

Array = NDArray[np.float64]
Index = NDArray[np.intp]

NO_RANK, IN_THE_WAY = -2, -1
STEPS = 15
SINGULAR = 1e-14
BEYOND = 1e-9  # what counts as beyond a bound [N, N·m, rad/s²], as for solvers


def factored(K):
    """H, in the upper triangle of K from row 1 on, becomes U with H = Uᵀ U; whether it can.

    What is left of a pivot must be more than rounding.
    """
    n = len(K)
    least = np.empty(n)
    for j in range(1, n):
        least[j] = SINGULAR * K[j, j]
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


def down(U, x):
    """x[1:] becomes U⁻ᵀ of it."""
    n = len(x)
    for i in range(1, n):
        x[i] /= U[i, i]
        for c in range(i + 1, n):
            x[c] -= U[i, c] * x[i]


def up(U, x):
    """x[1:] becomes U⁻¹ of it."""
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
    left = np.zeros(len(a))  # M a + b − Jᵀ w
    for c in range(width + len(others)):
        for j in range(len(a)):
            left[j] += y[c] * MX[c, j]
    for i in range(len(w)):
        for j in range(len(a)):
            left[j] -= w[i] * J[i, j]
    for i in range(len(act)):
        tau[i] = left[act[i]]


def limited_row(i, J, F, N, act, X, W, MX, row):
    """Fill what bound i is on, times [1; y], in the order of `qp.reduced`."""
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
        for c in range(n):
            row[c] = MX[c, act[i]]
        for k in range(len(W)):
            for c in range(n):
                row[c] -= J[k, act[i]] * W[k, c]
        return
    for c in range(n):
        row[c] = X[act[i - len(act)], c]


def values(F, N, act, a, w, tau, x):
    """Fill what all bounds are on."""
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
        x[at + i], x[at + len(act) + i] = tau[i], a[act[i]]


def all_bounds(F, lower, upper, limits, slowest, fastest, low, high):
    """Fill the bounds of all rows."""
    at = len(F)
    for i in range(at):
        low[i], high[i] = -np.inf, 0.0
    for i in range(len(lower)):
        low[at + i], high[at + i] = lower[i], upper[i]
    at += len(lower)
    for i in range(len(limits)):
        low[at + i], high[at + i] = -limits[i], limits[i]
        low[at + len(limits) + i], high[at + len(limits) + i] = slowest[i], fastest[i]


def multipliers(V, gap, count, force):
    """Solve (V Vᵀ) λ = gap for the first `count` rows, into `force`; whether they have rank."""
    S = np.empty((count, count))
    for i in range(count):
        for j in range(i + 1):
            S[i, j] = 0.0
            for c in range(1, V.shape[1]):
                S[i, j] += V[i, c] * V[j, c]
    for i in range(count):
        size = S[i, i]
        force[i] = gap[i]
        for j in range(i + 1):
            total = S[i, j]
            for k in range(j):
                total -= S[i, k] * S[j, k]
            if j < i:
                S[i, j] = total / S[j, j]
                force[i] -= S[i, j] * force[j]
            elif total > 1e-10 * size:
                S[i, i] = np.sqrt(total)
            else:
                return False
        force[i] /= S[i, i]
    for k in range(count):
        i = count - 1 - k
        for j in range(i + 1, count):
            force[i] -= S[j, i] * force[j]
        force[i] /= S[i, i]
    return True


def hold(J, F, N, act, X, W, MX, U, low, high, active, start, y, force):
    """Fill y with the active rows at their bounds, and their λ; whether they have rank.

    Args:
        start: y₀, the minimum without bounds.
        active: of each row 1 at its upper bound, -1 at its lower one, or 0.
    """
    n, count = len(y), 0
    for i in range(len(active)):
        count += active[i] != 0
    for c in range(n):
        y[c] = start[c]
    if count >= n:
        return False
    V, gap, k = np.empty((count, n)), np.empty(count), 0
    for i in range(len(active)):
        if active[i] != 0:
            limited_row(i, J, F, N, act, X, W, MX, V[k])
            gap[k] = -(high[i] if active[i] > 0 else low[i])
            for c in range(n):
                gap[k] += V[k, c] * start[c]
            down(U, V[k])
            k += 1
    if not multipliers(V, gap, count, force):
        return False
    step = np.zeros(n)  # U⁻¹ Vᵀ λ
    for k in range(count):
        for c in range(1, n):
            step[c] += force[k] * V[k, c]
    up(U, step)
    for c in range(1, n):
        y[c] -= step[c]
    return True


def settled(active, force, x, low, high):
    """Let go what pulls, or hold what is farthest beyond; whether there was nothing to do.

    What is not a number is in no order: it neither pushes back nor keeps a bound.
    """
    same, k, worst, excess = True, 0, -1, BEYOND
    for i in range(len(active)):
        if active[i] != 0:
            if not force[k] * active[i] >= 0.0:
                active[i], same = 0, False
            k += 1
        elif not (x[i] - high[i] <= excess and low[i] - x[i] <= excess):
            worst, excess = i, max(x[i] - high[i], low[i] - x[i])
    if same and worst >= 0:
        active[worst] = 1 if x[worst] - high[worst] > low[worst] - x[worst] else -1
        same = False
    return same


class Data(NamedTuple):
    """The program's data, as in `control.qp.Program`."""

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
    limits: Array
    slowest: Array
    fastest: Array


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


def minimum(data, entries, rank, active, solution):
    """Fill the minimum; return the steps it took, or NO_RANK, or IN_THE_WAY.

    Args:
        data: of the program.
        entries: of v.
        rank: the smallest pivot of the equations, as a share of the largest.
        active: of each bound 1 if the upper one is active, −1 the lower one, or 0: to begin with,
            and in the end.
        solution: is written.
    """
    columns, others, act, u = entries.columns, entries.others, entries.actuated, entries.unactuated
    M, b, J, F, N = data.M, data.b, data.J, data.F, data.N
    n_null, _, n = sizes(columns, others, len(data.k), len(u))
    X, MX = np.empty((len(b), 1 + n)), np.empty((1 + n, len(b)))
    W = np.empty((len(data.k), 1 + n))
    U, start, y = np.empty((1 + n, 1 + n)), np.empty(1 + n), np.empty(1 + n)
    m = len(active)
    x, low, high, force = np.empty(m), np.empty(m), np.empty(m), np.empty(m)
    if not solve_equations(M, b, J, data.k, columns, others, u, rank, X, W, MX):
        return NO_RANK
    cost(
        data.A, data.r, data.weight, data.d, data.p, data.P, data.s, columns, others, 1 + n_null,
        X, W, U,
    )  # fmt: skip
    start[0] = 1.0
    for i in range(1, 1 + n):
        start[i] = -U[0, i]
    if not factored(U):
        return IN_THE_WAY
    down(U, start)
    up(U, start)
    all_bounds(F, data.lower, data.upper, data.limits, data.slowest, data.fastest, low, high)
    for step in range(STEPS):
        if not hold(J, F, N, act, X, W, MX, U, low, high, active, start, y, force):
            break
        point(
            J, columns, others, act, 1 + n_null, X, W, MX, y,
            solution.a, solution.w, solution.tau,
        )  # fmt: skip
        values(F, N, act, solution.a, solution.w, solution.tau, x)
        if settled(active, force, x, low, high):
            return step
    for i in range(m):
        active[i] = 0
    return IN_THE_WAY


MINIMUM = Kernel(minimum, 1, arrays=True, each=1e-3, seconds=10.0)
