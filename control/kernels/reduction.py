# mypy: disable-error-code="no-untyped-def, misc, no-untyped-call, untyped-decorator"
"""`null_space._by_structure` and `qp.reduced` in one compiled pass; symbols as there.

With the columns c of J that any contact moves, and o the others,

    a = a₀ + Z_a y,    Z_a = [Q₂ on c | 1 on o | 0],    a₀ = Q₁ R⁻ᵀ k
    w = w₀ + Z_w y,    Z_w = [G M_u Z_a | P₂],          w₀ = G (M_u a₀ + b_u),   G = P₁ S⁻ᵀ

where J_cᵀ = [Q₁ Q₂] [R; 0] and J_u = [P₁ P₂] [S; 0] by Householder's reflections. One file: Numba's
cache on disk does not see edits in another one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

_options: Any = {"error_model": "numpy", "nogil": True, "fastmath": {"contract", "reassoc", "nsz"}}


def compiled(function):
    """Compile, kept on disk where a folder for that can be written."""
    try:
        return njit(cache=True, **_options)(function)
    except RuntimeError:  # no such folder
        return njit(**_options)(function)


@compiled
def full_qr(A, rank):
    """Q (n, n) and R (m, m) of A (n, m); and whether the pivots are above `rank` of the largest."""
    n, m = A.shape
    R, Q = A.copy(), np.eye(n)
    x = np.empty(n)
    least, largest = np.inf, 0.0
    for j in range(m):
        norm = 0.0
        for i in range(j, n):
            x[i] = R[i, j]
            norm += x[i] * x[i]
        norm = np.sqrt(norm)
        least, largest = min(least, norm), max(largest, norm)
        if norm == 0.0:
            return False, Q, R
        x[j] += norm if x[j] >= 0 else -norm
        size = 0.0
        for i in range(j, n):
            size += x[i] * x[i]
        for c in range(j, m):
            dot = 0.0
            for i in range(j, n):
                dot += x[i] * R[i, c]
            dot *= 2.0 / size
            for i in range(j, n):
                R[i, c] -= dot * x[i]
        for r in range(n):
            dot = 0.0
            for i in range(j, n):
                dot += Q[r, i] * x[i]
            dot *= 2.0 / size
            for i in range(j, n):
                Q[r, i] -= dot * x[i]
    return least > rank * largest, Q, R


@compiled
def forward(R, B):
    """X (m, k) of Rᵀ X = B, R upper triangular."""
    m = B.shape[0]
    X = B.copy()
    for i in range(m):
        for j in range(i):
            factor = R[j, i]
            for c in range(X.shape[1]):
                X[i, c] -= factor * X[j, c]
        for c in range(X.shape[1]):
            X[i, c] /= R[i, i]
    return X


@compiled
def reduce(
    M, b, J, k, columns, others, u, act, A, r, weight, d, p, P, s, F, N, lower, upper, limits, rank
):
    """Whether the structure has full rank; a₀, w₀, Z_a, Z_w; H, g; C, low, high; T, t₀."""
    nv, dim, n_c, n_u = len(b), len(k), len(columns), len(u)
    n_null = n_c - dim
    n_a = n_null + len(others)
    n = n_a + dim - n_u
    a0, w0 = np.zeros(nv), np.zeros(dim)
    Za, Zw = np.zeros((nv, n)), np.zeros((dim, n))
    m_f, m_n, m_t = len(F), len(N), len(act)
    m = m_f + m_n + m_t
    C, low, high = np.empty((m, n)), np.empty(m), np.empty(m)
    T, t0, H, g = np.empty((m_t, n)), np.empty(m_t), np.empty((n, n)), np.empty(n)
    nothing = (False, a0, w0, Za, Zw, H, g, C, low, high, T, t0)
    # the contacts' equations
    moving = np.empty((n_c, dim))
    for i in range(n_c):
        for j in range(dim):
            moving[i, j] = J[j, columns[i]]
    full, Q, R = full_qr(moving, rank)
    if not full:
        return nothing
    y1 = forward(R, k.reshape(-1, 1))
    for i in range(n_c):
        total = 0.0
        for j in range(dim):
            total += Q[i, j] * y1[j, 0]
        a0[columns[i]] = total
        for j in range(n_null):
            Za[columns[i], j] = Q[i, dim + j]
    for i in range(len(others)):
        Za[others[i], n_null + i] = 1.0
    # M Z_a and M a₀ + b
    MZ = np.zeros((nv, n))
    Mc = np.empty((nv, n_c))
    for i in range(nv):
        for j in range(n_c):
            Mc[i, j] = M[i, columns[j]]
        for j in range(len(others)):
            MZ[i, n_null + j] = M[i, others[j]]
    MZ[:, :n_null] = np.dot(Mc, np.ascontiguousarray(Q[:, dim:]))
    Ma = np.dot(M, a0) + b
    # the equations of the rows without an actuator
    if n_u == 0:
        for i in range(dim):
            Zw[i, n_a + i] = 1.0
    else:
        G = np.empty((dim, n_u))
        right = np.empty((n_u, 1 + n_a))
        for i in range(n_u):
            for j in range(dim):
                G[j, i] = J[j, u[i]]
            right[i, 0] = Ma[u[i]]
            for j in range(n_a):
                right[i, 1 + j] = MZ[u[i], j]
        full, Q, R = full_qr(G, rank)
        if not full:
            return nothing
        forces = np.dot(np.ascontiguousarray(Q[:, :n_u]), forward(R, right))
        w0[:] = forces[:, 0]
        Zw[:, :n_a] = forces[:, 1:]
        Zw[:, n_a:] = Q[:, n_u:]
    # the objective
    AZ, PZ = np.dot(A, Za), np.dot(P, Zw)
    e, pull = weight * (np.dot(A, a0) - r), np.dot(P, w0) - s
    wAZ = np.empty_like(AZ)
    for i in range(len(r)):
        for j in range(n):
            wAZ[i, j] = weight[i] * AZ[i, j]
    H[:] = np.dot(AZ.T, wAZ) + np.dot(Zw.T, PZ)
    g[:] = np.dot(AZ.T, e) + np.dot(Zw.T, pull)
    for i in range(n_c):
        c = columns[i]
        away = d[c] * (a0[c] - p[c])
        for j in range(n_null):
            g[j] += Za[c, j] * away
            scaled = d[c] * Za[c, j]
            for i_null in range(n_null):
                H[j, i_null] += scaled * Za[c, i_null]
    for i in range(len(others)):
        o = others[i]
        H[n_null + i, n_null + i] += d[o]
        g[n_null + i] += d[o] * (a0[o] - p[o])
    # the constraints
    Ja = np.empty((dim, m_t))
    for i in range(m_t):
        for j in range(dim):
            Ja[j, i] = J[j, act[i]]
    JZ, Jw = np.dot(Ja.T, Zw), np.dot(Ja.T, w0)
    for i in range(m_t):
        t0[i] = Ma[act[i]] - Jw[i]
        for j in range(n):
            T[i, j] = MZ[act[i], j] - JZ[i, j]
    C[:m_f] = np.dot(F, Zw)
    C[m_f : m_f + m_n] = np.dot(N, Zw)
    C[m_f + m_n :] = T
    Fw, normal = np.dot(F, w0), np.dot(N, w0)
    for i in range(m_f):
        low[i], high[i] = -np.inf, -Fw[i]
    for i in range(m_n):
        low[m_f + i], high[m_f + i] = lower[i] - normal[i], upper[i] - normal[i]
    for i in range(m_t):
        low[m_f + m_n + i], high[m_f + m_n + i] = -limits[i] - t0[i], limits[i] - t0[i]
    return True, a0, w0, Za, Zw, H, g, C, low, high, T, t0
