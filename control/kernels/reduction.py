# mypy: disable-error-code="no-untyped-def, misc, no-untyped-call, untyped-decorator"
"""`null_space._by_structure` and `qp.reduced` in one compiled pass; symbols as there.

With the columns c of J that any contact moves, and o the others,

    a = a₀ + Z_a y,    Z_a = [Q₂ on c | 1 on o | 0],    a₀ = Q₁ R⁻ᵀ k
    w = w₀ + Z_w y,    Z_w = [G M_u Z_a | P₂],          w₀ = G (M_u a₀ + b_u),   G = P₁ S⁻ᵀ

where J_cᵀ = [Q₁ Q₂] [R; 0] and J_u = [P₁ P₂] [S; 0] by Householder's reflections.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from ...dynamics.kernels.disk_cache import kept

_options: Any = {"error_model": "numpy", "nogil": True, "fastmath": {"contract", "reassoc", "nsz"}}


compiled = njit(**_options)


@compiled
def add_product(out, A, B):
    """out += A B, row by row, past the zeros of A: a foot's Jacobian has many."""
    for i in range(A.shape[0]):
        for k in range(A.shape[1]):
            factor = A[i, k]
            if factor != 0.0:
                for j in range(B.shape[1]):
                    out[i, j] += factor * B[k, j]


@compiled
def add_gram(out, A, B):
    """out += Aᵀ B."""
    for k in range(A.shape[0]):
        for i in range(A.shape[1]):
            factor = A[k, i]
            if factor != 0.0:
                for j in range(B.shape[1]):
                    out[i, j] += factor * B[k, j]


@compiled
def full_qr(At, rank):
    """Aᵀ = Q R of At = Aᵀ's rows (m, n): Qᵀ (n, n) by rows, Rᵀ (m, m) in the lower triangle of At.

    Also whether the pivots are above `rank` of the largest. Rows are contiguous, so all loops are.
    """
    m, n = At.shape
    V, sizes = np.zeros((m, n)), np.empty(m)
    least, largest = np.inf, 0.0
    for j in range(m):
        norm = 0.0
        for i in range(j, n):
            norm += At[j, i] * At[j, i]
        norm = np.sqrt(norm)
        least, largest = min(least, norm), max(largest, norm)
        if norm == 0.0:
            return False, V
        for i in range(j, n):
            V[j, i] = At[j, i]
        V[j, j] += norm if V[j, j] >= 0 else -norm
        size = 0.0
        for i in range(j, n):
            size += V[j, i] * V[j, i]
        sizes[j] = 2.0 / size
        for c in range(j, m):
            dot = 0.0
            for i in range(j, n):
                dot += V[j, i] * At[c, i]
            dot *= sizes[j]
            for i in range(j, n):
                At[c, i] -= dot * V[j, i]
    Qt = np.eye(n)
    for k in range(m):  # Qᵀ = (H₁ … H_m)ᵀ row by row, from the last reflection on
        j = m - 1 - k
        for r in range(j, n):
            dot = 0.0
            for i in range(j, n):
                dot += V[j, i] * Qt[r, i]
            dot *= sizes[j]
            for i in range(j, n):
                Qt[r, i] -= dot * V[j, i]
    return least > rank * largest, Qt


@compiled
def forward(L, B):
    """X (m, k) of L X = B, L lower triangular."""
    m = B.shape[0]
    X = B.copy()
    for i in range(m):
        for j in range(i):
            factor = L[i, j]
            for c in range(X.shape[1]):
                X[i, c] -= factor * X[j, c]
        for c in range(X.shape[1]):
            X[i, c] /= L[i, i]
    return X


@kept
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
    moving = np.empty((dim, n_c))
    for i in range(dim):
        for j in range(n_c):
            moving[i, j] = J[i, columns[j]]
    full, Qt = full_qr(moving, rank)
    if not full:
        return nothing
    y1 = forward(moving, k.copy().reshape(-1, 1))
    for i in range(n_c):
        total = 0.0
        for j in range(dim):
            total += Qt[j, i] * y1[j, 0]
        a0[columns[i]] = total
        for j in range(n_null):
            Za[columns[i], j] = Qt[dim + j, i]
    for i in range(len(others)):
        Za[others[i], n_null + i] = 1.0
    # M Z_a and M a₀ + b
    MZ, Ma = np.zeros((nv, n)), b.copy()
    for i in range(nv):
        for j in range(n_c):
            factor = M[i, columns[j]]
            if factor != 0.0:
                Ma[i] += factor * a0[columns[j]]
                for c in range(n_null):
                    MZ[i, c] += factor * Za[columns[j], c]
        for j in range(len(others)):
            MZ[i, n_null + j] = M[i, others[j]]
    # the equations of the rows without an actuator
    if n_u == 0:
        for i in range(dim):
            Zw[i, n_a + i] = 1.0
    else:
        G, right = np.empty((n_u, dim)), np.empty((n_u, 1 + n_a))
        for i in range(n_u):
            for j in range(dim):
                G[i, j] = J[j, u[i]]
            right[i, 0] = Ma[u[i]]
            for j in range(n_a):
                right[i, 1 + j] = MZ[u[i], j]
        full, Qt = full_qr(G, rank)
        if not full:
            return nothing
        forces = np.zeros((dim, 1 + n_a))
        add_gram(forces, Qt[:n_u], forward(G, right))
        for i in range(dim):
            w0[i] = forces[i, 0]
            for j in range(n_a):
                Zw[i, j] = forces[i, 1 + j]
            for j in range(dim - n_u):
                Zw[i, n_a + j] = Qt[n_u + j, i]
    # the objective
    AZ, PZ = np.zeros((len(r), n)), np.zeros((dim, n))
    for i in range(len(r)):
        for j in range(n_c):
            factor = A[i, columns[j]]
            for c in range(n_null):
                AZ[i, c] += factor * Za[columns[j], c]
        for j in range(len(others)):
            AZ[i, n_null + j] = A[i, others[j]]
    add_product(PZ, P, Zw)
    H[:], g[:] = 0.0, 0.0
    add_gram(H, Zw, PZ)
    for i in range(dim):
        pull = -s[i]
        for j in range(dim):
            pull += P[i, j] * w0[j]
        for j in range(n):
            g[j] += pull * Zw[i, j]
    for i in range(len(r)):
        lack = -r[i]
        for j in range(nv):
            lack += A[i, j] * a0[j]
        for j in range(n):
            scaled = weight[i] * AZ[i, j]
            g[j] += scaled * lack
            for c in range(n):
                H[j, c] += scaled * AZ[i, c]
    for i in range(n_c):
        o = columns[i]
        away = d[o] * (a0[o] - p[o])
        for j in range(n_null):
            g[j] += Za[o, j] * away
            scaled = d[o] * Za[o, j]
            for c in range(n_null):
                H[j, c] += scaled * Za[o, c]
    for i in range(len(others)):
        o = others[i]
        H[n_null + i, n_null + i] += d[o]
        g[n_null + i] += d[o] * (a0[o] - p[o])
    # the constraints
    C[:] = 0.0
    for i in range(m_t):
        t0[i] = Ma[act[i]]
        for j in range(n):
            T[i, j] = MZ[act[i], j]
        for j in range(dim):
            factor = J[j, act[i]]
            if factor != 0.0:
                t0[i] -= factor * w0[j]
                for c in range(n):
                    T[i, c] -= factor * Zw[j, c]
    add_product(C[:m_f], F, Zw)
    add_product(C[m_f : m_f + m_n], N, Zw)
    C[m_f + m_n :] = T
    Fw, normal = np.zeros(m_f), np.zeros(m_n)
    for j in range(dim):
        for i in range(m_f):
            Fw[i] += F[i, j] * w0[j]
        for i in range(m_n):
            normal[i] += N[i, j] * w0[j]
    for i in range(m_f):
        low[i], high[i] = -np.inf, -Fw[i]
    for i in range(m_n):
        low[m_f + i], high[m_f + i] = lower[i] - normal[i], upper[i] - normal[i]
    for i in range(m_t):
        low[m_f + m_n + i], high[m_f + m_n + i] = -limits[i] - t0[i], limits[i] - t0[i]
    return True, a0, w0, Za, Zw, H, g, C, low, high, T, t0


@kept
@compiled
def unbounded(H, g, C, low, high):
    """Whether y = −H⁻¹ g keeps all bounds, and y: then it is the answer. By H = L Lᵀ."""
    n = len(g)
    L, y = H.copy(), np.empty(n)
    for j in range(n):
        for k in range(j):
            L[j, j] -= L[j, k] * L[j, k]
        if not L[j, j] > 0.0:
            return False, y
        L[j, j] = np.sqrt(L[j, j])
        for i in range(j + 1, n):
            total = L[i, j]
            for k in range(j):
                total -= L[i, k] * L[j, k]
            L[i, j] = total / L[j, j]
    for i in range(n):
        total = -g[i]
        for k in range(i):
            total -= L[i, k] * y[k]
        y[i] = total / L[i, i]
    for k in range(n):
        i = n - 1 - k
        y[i] /= L[i, i]
        for j in range(i):
            y[j] -= L[i, j] * y[i]
    for i in range(len(low)):
        total = 0.0
        for j in range(n):
            total += C[i, j] * y[j]
        if total < low[i] or total > high[i]:
            return False, y
    return True, y
