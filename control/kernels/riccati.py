# mypy: disable-error-code="no-untyped-def, no-untyped-call"
"""Riccati recursion of Newton's step of a predicted motion whose inputs act through a wrench.

    minimise  Σ_k ½ dx_kᵀQ_k dx_k + q_kᵀdx_k + Σ_b ½ du_bᵀH_b du_b − g_bᵀdu_b
    such that dx_{k+1} = A_k dx_k + B_k Σ_b G_b du_b,    dx_0 = 0

with Q_k diagonal and b the contacts of node k. A and B are those of a body that moves freely,
x = [c, v, σ, θ], during a time h,

    v' = v + h f,    c' = c + h (v + v')/2,    σ' = σ + h (m + s × c),    θ' = θ + h K (σ + σ')/2,

[f; m] = Σ G_b du_b. However many contact forces there are, they move x through these six rows
alone. With S = Σ G_b H_b⁻¹ G_bᵀ = L Lᵀ, v = Σ G_b H_b⁻¹ g_b, y the costates,

    du_b = H_b⁻¹ (g_b − G_bᵀB_kᵀy_{k+1}),       y_{k+1} = P' (A_k dx_k + B_k v) + p',
    y_k = P_k dx_k + p_k,   P_k = Q_k + A_kᵀP'A_k,   P' = P − Z Zᵀ,   Z Zᵀ = P X (1 + XᵀP X)⁻¹XᵀP

with P = P_{k+1} and X = B_k L. So a node costs as much for two points as for two soles.

S. Wright, "Applying new optimization algorithms to model predictive control" (1997).
"""

from __future__ import annotations

from ...contacts.kernels.algebra import add, dot, solve_lower
from ...dynamics.kernels.scalars import choose, root

STATES, WRENCH = 12, 6

# --- the free motion ------------------------------------------------------------------------------


def free(h, s, K, x, out):
    """Write A x."""
    for i in range(3):
        out[i] = x[i] + h * x[3 + i]
        out[3 + i] = x[3 + i]
    out[6] = x[6] + h * (s[1] * x[2] - s[2] * x[1])
    out[7] = x[7] + h * (s[2] * x[0] - s[0] * x[2])
    out[8] = x[8] + h * (s[0] * x[1] - s[1] * x[0])
    for i in range(3):
        total = 0.0
        for j in range(3):
            total = total + K[i, j] * (x[6 + j] + out[6 + j])
        out[9 + i] = x[9 + i] + 0.5 * h * total


def push(h, K, w, out):
    """Add B w."""
    half = 0.5 * h * h
    for i in range(3):
        total = 0.0
        for j in range(3):
            total = total + K[i, j] * w[3 + j]
        out[i] = out[i] + half * w[i]
        out[3 + i] = out[3 + i] + h * w[i]
        out[6 + i] = out[6 + i] + h * w[3 + i]
        out[9 + i] = out[9 + i] + half * total


def free_back(h, s, K, y, out):
    """Write Aᵀy."""
    a, b, c = _of_rates(h, K, y)
    out[0] = y[0] + h * (b * s[2] - c * s[1])
    out[1] = y[1] + h * (c * s[0] - a * s[2])
    out[2] = y[2] + h * (a * s[1] - b * s[0])
    for i in range(3):
        out[3 + i] = y[3 + i] + h * y[i]
        out[9 + i] = y[9 + i]
    out[6] = 2.0 * a - y[6]
    out[7] = 2.0 * b - y[7]
    out[8] = 2.0 * c - y[8]


def push_back(h, K, y, out):
    """Write Bᵀy."""
    a, b, c = _of_rates(h, K, y)
    for i in range(3):
        out[i] = h * (y[3 + i] + 0.5 * h * y[i])
    out[3] = h * a
    out[4] = h * b
    out[5] = h * c


def _of_rates(h, K, y):
    """y_σ + ½ h Kᵀy_θ, the costate of a σ that comes during the node."""
    half = 0.5 * h
    return (
        y[6] + half * (K[0, 0] * y[9] + K[1, 0] * y[10] + K[2, 0] * y[11]),
        y[7] + half * (K[0, 1] * y[9] + K[1, 1] * y[10] + K[2, 1] * y[11]),
        y[8] + half * (K[0, 2] * y[9] + K[1, 2] * y[10] + K[2, 2] * y[11]),
    )


# --- small matrices -------------------------------------------------------------------------------


def orthogonalise(V, n, U):
    """Write U = Lᵀ (6, 6) with L Lᵀ = V Vᵀ, of V (6 n,), row by row, which is overwritten.

    By Gram and Schmidt's method on V, not by Cholesky's on S, whose squares would leave only half
    of the digits where forces are almost at their limits.
    """
    for j in range(WRENCH):
        row = V[j * n : j * n + n]
        size = root(dot(row, row, n))
        inverse = choose(size - 1e-150, 1.0 / choose(size - 1e-150, size, 1.0), 0.0)
        U[j, j] = size
        for i in range(j + 1, WRENCH):
            other = V[i * n : i * n + n]
            along = dot(other, row, n) * inverse
            U[j, i] = along
            add(other, -along * inverse, row, n)


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


def add_times(M, x, rows, columns, out):
    """Add M x."""
    for i in range(rows):
        total = out[i]
        for j in range(columns):
            total = total + M[i, j] * x[j]
        out[i] = total


def add_back(M, y, rows, columns, out):
    """Add Mᵀ y, two rows at a time: each waits for the sum that the last has written."""
    for i in range(0, rows - 1, 2):
        x, z = y[i], y[i + 1]
        for j in range(columns):
            out[j] = out[j] + (x * M[i, j] + z * M[i + 1, j])
    if rows % 2:
        add(out, y[rows - 1], M[rows - 1], columns)


def clear(x, n):
    """Write zeros."""
    for i in range(n):
        x[i] = 0.0


# --- the recursion --------------------------------------------------------------------------------


def eliminate(h, K, U, P, Pp, Z, T, D):
    """Write P' of one node into Pp, Zᵀ (6, 12) into Z and the factor of 1 + XᵀP X into T.

    P is P_{k+1}; D (≥ 7, 12) is workspace, of (P B)ᵀ.
    """
    w = D[WRENCH]
    for i in range(STATES):
        push_back(h, K, P[i], w)
        for j in range(WRENCH):
            D[j, i] = w[j]
    for j in range(WRENCH):
        clear(Z[j], STATES)
        for k in range(j, WRENCH):
            add(Z[j], U[j, k], D[k], STATES)
    for j in range(WRENCH):
        push_back(h, K, Z[j], w)
        for i in range(j, WRENCH):
            total = 0.0
            for k in range(i, WRENCH):
                total = total + U[i, k] * w[k]
            T[i, j] = total
        T[j, j] = T[j, j] + 1.0
    factor(T, WRENCH)
    for j in range(WRENCH):
        for k in range(j):
            add(Z[j], -T[j, k], Z[k], STATES)
        for i in range(STATES):
            Z[j, i] = Z[j, i] * T[j, j]
    for i in range(STATES):
        for j in range(i + 1):
            total = P[i, j]
            for k in range(WRENCH):
                total = total - Z[k, i] * Z[k, j]
            Pp[i, j] = total
            Pp[j, i] = total


def carried(h, s, K, Pp, P, W):
    """Write AᵀP'A into P; W (≥ 12, 12) is workspace."""
    for i in range(STATES):
        free_back(h, s, K, Pp[i], P[0])
        for j in range(STATES):
            W[j, i] = P[0, j]
    for i in range(STATES):
        free_back(h, s, K, W[i], P[i])


def backward(h, s, K, v, U, Pp, Z, T, q, p, forced, w):
    """Write p_k into p, from p_{k+1} there, and P' B v + p' into `forced`; w (≥ 12,) workspace."""
    push_back(h, K, p, forced)
    for j in range(WRENCH):
        w[j] = 0.0
        for k in range(j, WRENCH):
            w[j] = w[j] + U[j, k] * forced[k]
    solve_lower(T, WRENCH, w)
    for i in range(STATES):
        forced[i] = p[i]
    for j in range(WRENCH):
        add(forced, -w[j], Z[j], STATES)
    clear(w, STATES)
    push(h, K, v, w)
    add_times(Pp, w, STATES, STATES, forced)
    free_back(h, s, K, forced, p)
    add(p, 1.0, q, STATES)


def costates(h, s, K, Pp, forced, dx, after, y, pushed):
    """Write A_k dx_k into `after`, y_{k+1}, and B_kᵀy_{k+1} into `pushed`."""
    free(h, s, K, dx, after)
    for i in range(STATES):
        y[i] = forced[i]
    add_times(Pp, after, STATES, STATES, y)
    push_back(h, K, y, pushed)
