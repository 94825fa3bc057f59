"""Riccati recursion of Newton's step of a predicted motion whose inputs act through a wrench.

    minimise  Σ_k ½ dx_kᵀQ_k dx_k + q_kᵀdx_k + Σ_b ½ du_bᵀH_b du_b − g_bᵀdu_b
    such that dx_{k+1} = A_k dx_k + B_k Σ_b G_b du_b,    dx_0 = 0

with Q_k diagonal and b the contacts of node k. A and B are those of a body that moves freely,
x = [c, v, σ, θ], during a time h,

    v' = v + h f,    c' = c + h (v + v')/2,    σ' = σ + h (m + s × c),    θ' = θ + h K (σ + σ')/2,

[f; m] = Σ G_b du_b. However many contact forces there are, they move x through these six rows
alone. With H_b = L_b L_bᵀ, and V U = L_b⁻¹G_bᵀ of a node's contacts one below the other, VᵀV = 1, U
an upper triangle, X = B Uᵀ, and y the costates,

    L_bᵀdu_b = L_b⁻¹g_b − V_b Xᵀy_{k+1},    y_{k+1} = P'A dx_k + r,    r = p + P'X v,
    v = Σ V_bᵀL_b⁻¹g_b − Xᵀp,    y_k = P_k dx_k + p_k,    P_k = Q_k + AᵀP'A,    p_k = q_k + Aᵀr,
    P' = P − ZᵀZ,    T Z = XᵀP,    T Tᵀ = 1 + XᵀP X,    XᵀP' = T⁻ᵀZ

with P = P_{k+1}, p = p_{k+1}. So a node costs as much for two points as for two soles.

S. Wright, "Applying new optimization algorithms to model predictive control" (1997).
"""

from __future__ import annotations

from ...contacts.kernels.algebra import add, dot
from ...dynamics.kernels.scalars import choose, roots

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


def free_back(h, s, K, y):
    """Write Aᵀy in the place of y."""
    a, b, c = _of_rates(h, K, y)
    for i in range(3):
        y[3 + i] = y[3 + i] + h * y[i]
    y[0] = y[0] + h * (b * s[2] - c * s[1])
    y[1] = y[1] + h * (c * s[0] - a * s[2])
    y[2] = y[2] + h * (a * s[1] - b * s[0])
    y[6] = 2.0 * a - y[6]
    y[7] = 2.0 * b - y[7]
    y[8] = 2.0 * c - y[8]


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


# --- the same of all columns of a matrix ----------------------------------------------------------


def free_back_rows(h, s, K, Y, n):
    """Write AᵀY in the place of Y (12, n)."""
    half = 0.5 * h
    for j in range(n):
        a = Y[6, j] + half * (K[0, 0] * Y[9, j] + K[1, 0] * Y[10, j] + K[2, 0] * Y[11, j])
        b = Y[7, j] + half * (K[0, 1] * Y[9, j] + K[1, 1] * Y[10, j] + K[2, 1] * Y[11, j])
        c = Y[8, j] + half * (K[0, 2] * Y[9, j] + K[1, 2] * Y[10, j] + K[2, 2] * Y[11, j])
        Y[3, j] = Y[3, j] + h * Y[0, j]
        Y[4, j] = Y[4, j] + h * Y[1, j]
        Y[5, j] = Y[5, j] + h * Y[2, j]
        Y[0, j] = Y[0, j] + h * (b * s[2] - c * s[1])
        Y[1, j] = Y[1, j] + h * (c * s[0] - a * s[2])
        Y[2, j] = Y[2, j] + h * (a * s[1] - b * s[0])
        Y[6, j] = 2.0 * a - Y[6, j]
        Y[7, j] = 2.0 * b - Y[7, j]
        Y[8, j] = 2.0 * c - Y[8, j]


def push_back_rows(h, K, Y, n, out):
    """Write BᵀY (6, n) of Y (12, n)."""
    half = 0.5 * h
    for j in range(n):
        out[0, j] = h * (Y[3, j] + half * Y[0, j])
        out[1, j] = h * (Y[4, j] + half * Y[1, j])
        out[2, j] = h * (Y[5, j] + half * Y[2, j])
        a = K[0, 0] * Y[9, j] + K[1, 0] * Y[10, j] + K[2, 0] * Y[11, j]
        b = K[0, 1] * Y[9, j] + K[1, 1] * Y[10, j] + K[2, 1] * Y[11, j]
        c = K[0, 2] * Y[9, j] + K[1, 2] * Y[10, j] + K[2, 2] * Y[11, j]
        out[3, j] = h * (Y[6, j] + half * a)
        out[4, j] = h * (Y[7, j] + half * b)
        out[5, j] = h * (Y[8, j] + half * c)


# --- small matrices -------------------------------------------------------------------------------


def orthogonalise(V, n, U):
    """Write V, VᵀV = 1, in the place of V U (n, 6), column by column in (6 n,), and U (6, 6).

    By Gram and Schmidt's method, not by Cholesky's on UᵀU, whose squares would leave only half of
    the digits where forces are almost at their limits.
    """
    for j in range(WRENCH):
        column = V[j * n : j * n + n]
        square = dot(column, column, n)
        some = square - 1e-300
        length, short = roots(choose(some, square, 1.0))
        U[j, j], short = choose(some, length, 0.0), choose(some, short, 0.0)
        for i in range(n):
            column[i] = column[i] * short
        for i in range(j + 1, WRENCH):
            other = V[i * n : i * n + n]
            U[j, i] = dot(other, column, n)
            add(other, -U[j, i], column, n)


def factor(L, n):
    """Write Cholesky's factor over the lower half of a definite matrix (n, n), 1/L_ii in it."""
    for j in range(n):
        for k in range(j):
            a = L[j, k]
            for i in range(j, n):
                L[i, j] = L[i, j] - L[i, k] * a
        _, inverse = roots(L[j, j])
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


def eliminate(h, K, U, P, R, T, D):
    """Write P' in the place of P, and XᵀP' (6, 12) into R, where XᵀP and Z stand before.

    T (6, 6) and D (6, 12) are workspace.
    """
    push_back_rows(h, K, P, STATES, D)
    for j in range(WRENCH):
        clear(R[j], STATES)
        for k in range(j, WRENCH):
            add(R[j], U[j, k], D[k], STATES)
    w = D[0]
    for j in range(WRENCH):
        push_back(h, K, R[j], w)
        for i in range(j, WRENCH):
            total = 0.0
            for k in range(i, WRENCH):
                total = total + U[i, k] * w[k]
            T[i, j] = total
        T[j, j] = T[j, j] + 1.0
    factor(T, WRENCH)
    for j in range(WRENCH):
        for k in range(j):
            add(R[j], -T[j, k], R[k], STATES)
        for i in range(STATES):
            R[j, i] = R[j, i] * T[j, j]
    for i in range(STATES):
        for j in range(i + 1):
            total = P[i, j]
            for k in range(WRENCH):
                total = total - R[k, i] * R[k, j]
            P[i, j] = total
            P[j, i] = total
    for step in range(WRENCH):
        j = WRENCH - 1 - step
        for k in range(j + 1, WRENCH):
            add(R[j], -T[k, j], R[k], STATES)
        for i in range(STATES):
            R[j, i] = R[j, i] * T[j, j]


def carried(h, s, K, P):
    """Write AᵀP A in the place of P."""
    for i in range(STATES):
        free_back(h, s, K, P[i])
    free_back_rows(h, s, K, P, STATES)


def backward(h, s, K, v, U, R, p, pulled, w):
    """Write p_k − q_k into p, from p_{k+1} there, and Xᵀr into `pulled`.

    Args:
        h, s, K, U, R: of the node, R = XᵀP'.
        v: Σ V_bᵀL_b⁻¹g_b; Xᵀp is taken from it.
        p, pulled, w: (12,), (6,), and workspace (≥ 6,).
    """
    push_back(h, K, p, w)
    for j in range(WRENCH):
        for k in range(j, WRENCH):
            v[j] = v[j] - U[j, k] * w[k]
    add_back(R, v, WRENCH, STATES, p)
    push_back(h, K, p, w)
    for j in range(WRENCH):
        total = 0.0
        for k in range(j, WRENCH):
            total = total + U[j, k] * w[k]
        pulled[j] = total
    free_back(h, s, K, p)
