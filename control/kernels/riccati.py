# mypy: disable-error-code="no-untyped-def, no-untyped-call"
"""Riccati recursion of Newton's step of a predicted motion whose inputs act through a wrench.

    minimise  Σ_k ½ dx_kᵀQ_k dx_k + q_kᵀdx_k + Σ_b ½ du_bᵀH_b du_b − g_bᵀdu_b
    such that dx_{k+1} = A_k dx_k + B_k Σ_b G_b du_b,    dx_0 = 0

with b the contacts of node k. However many contact forces there are, they move x through the six
rows of their wrench alone. With S = Σ G_b H_b⁻¹ G_bᵀ = L Lᵀ, v = Σ G_b H_b⁻¹ g_b, y the costates,

    du_b = H_b⁻¹ (g_b − G_bᵀB_kᵀy_{k+1}),       y_{k+1} = P' (A_k dx_k + B_k v) + p',
    y_k = P_k dx_k + p_k,   P_k = Q_k + A_kᵀP'A_k,   P' = P − Z Zᵀ,   Z Zᵀ = P X (1 + XᵀP X)⁻¹XᵀP

with P = P_{k+1} and X = B_k L. So a node costs as much for two points as for two soles.

S. Wright, "Applying new optimization algorithms to model predictive control" (1997).
"""

from __future__ import annotations

from ...dynamics.kernels.scalars import choose, root

STATES, WRENCH = 12, 6


def orthogonalise(V, first, last, L):
    """Write L (6, 6) with L Lᵀ = S = V Vᵀ, of columns first … last − 1 of V (6, …), overwritten.

    By Gram and Schmidt's method on V, not by Cholesky's on S, whose squares would leave only half
    of the digits where forces are almost at their limits.
    """
    for j in range(WRENCH):
        for i in range(j):
            L[i, j] = 0.0
        square = 0.0
        for a in range(first, last):
            square = square + V[j, a] * V[j, a]
        size = root(square)
        inverse = choose(size - 1e-150, 1.0 / choose(size - 1e-150, size, 1.0), 0.0)
        L[j, j] = size
        for i in range(j + 1, WRENCH):
            along = 0.0
            for a in range(first, last):
                along = along + V[i, a] * V[j, a]
            along = along * inverse
            L[i, j] = along
            along = along * inverse
            for a in range(first, last):
                V[i, a] = V[i, a] - along * V[j, a]


def factor(L, n):
    """Write Cholesky's factor over the lower half of a definite matrix (n, n), 1/L_ii in it."""
    for j in range(n):
        for k in range(j):
            a = L[j, k]
            for i in range(j, n):
                L[i, j] = L[i, j] - L[i, k] * a
        inverse = 1.0 / root(L[j, j])
        for i in range(j + 1, n):
            L[i, j] = L[i, j] * inverse
        L[j, j] = inverse


def solve_lower(L, n, x):
    """Write L⁻¹ x in the place of x (n,)."""
    for i in range(n):
        total = x[i]
        for k in range(i):
            total = total - L[i, k] * x[k]
        x[i] = total * L[i, i]


def solve_upper(L, n, x):
    """Write L⁻ᵀ x in the place of x (n,)."""
    for step in range(n):
        i = n - 1 - step
        total = x[i]
        for k in range(i + 1, n):
            total = total - L[k, i] * x[k]
        x[i] = total * L[i, i]


def multiply(A, B, rows, inner, columns, out):
    """Write A B of the first entries."""
    for i in range(rows):
        for j in range(columns):
            out[i, j] = 0.0
        for k in range(inner):
            a = A[i, k]
            for j in range(columns):
                out[i, j] = out[i, j] + a * B[k, j]


def eliminate(B, L, P, Pp, X, Y, T):
    """Write P' of one node into Pp, Z into Y and the factor of 1 + XᵀP X into T; P is P_{k+1}."""
    multiply(B, L, STATES, WRENCH, WRENCH, X)
    multiply(P, X, STATES, STATES, WRENCH, Y)
    for i in range(WRENCH):
        for j in range(i + 1):
            T[i, j] = 0.0
        T[i, i] = T[i, i] + 1.0
    for k in range(STATES):
        for i in range(WRENCH):
            a = X[k, i]
            for j in range(i + 1):
                T[i, j] = T[i, j] + a * Y[k, j]
    factor(T, WRENCH)
    for i in range(STATES):
        solve_lower(T, WRENCH, Y[i])
    for i in range(STATES):
        for j in range(i + 1):
            total = P[i, j]
            for k in range(WRENCH):
                total = total - Y[i, k] * Y[j, k]
            Pp[i, j] = total
            Pp[j, i] = total


def add_times(M, x, rows, columns, out):
    """Add M x."""
    for i in range(rows):
        total = out[i]
        for j in range(columns):
            total = total + M[i, j] * x[j]
        out[i] = total


def add_back(M, y, rows, columns, out):
    """Add Mᵀ y."""
    for i in range(rows):
        a = y[i]
        for j in range(columns):
            out[j] = out[j] + a * M[i, j]


def clear(x, n):
    """Write zeros."""
    for i in range(n):
        x[i] = 0.0


def backward(A, B, v, Pp, X, Z, T, q, p, forced, w):
    """Write p_k into p, from p_{k+1} there, and P' B v + p' into `forced`; w (≥ 12,) workspace."""
    clear(w, WRENCH)
    add_back(X, p, STATES, WRENCH, w)
    solve_lower(T, WRENCH, w)
    for i in range(STATES):
        total = p[i]
        for k in range(WRENCH):
            total = total - Z[i, k] * w[k]
        forced[i] = total
    clear(w, STATES)
    add_times(B, v, STATES, WRENCH, w)
    add_times(Pp, w, STATES, STATES, forced)
    for i in range(STATES):
        p[i] = q[i]
    add_back(A, forced, STATES, STATES, p)


def costates(A, B, Pp, forced, dx, after, y, pushed):
    """Write A_k dx_k into `after`, y_{k+1}, and B_kᵀy_{k+1} into `pushed`."""
    clear(after, STATES)
    add_times(A, dx, STATES, STATES, after)
    for i in range(STATES):
        y[i] = forced[i]
    add_times(Pp, after, STATES, STATES, y)
    clear(pushed, WRENCH)
    add_back(B, y, STATES, WRENCH, pushed)
