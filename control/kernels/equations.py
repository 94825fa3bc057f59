# mypy: disable-error-code="no-untyped-def, misc, no-untyped-call"
"""Null-space parametrisation of the equations: `null_space._by_structure`, compiled.

With the columns c of J that any contact moves, and o the others,

    a = a₀ + Z_a y,    Z_a = [Q₂ on c | 1 on o | 0],    a₀ = Q₁ R⁻ᵀ k
    w = w₀ + Z_w y,    Z_w = [G M_u Z_a | P₂],          w₀ = G (M_u a₀ + b_u),   G = P₁ S⁻ᵀ

where J_cᵀ = [Q₁ Q₂] [R; 0] and J_u = [P₁ P₂] [S; 0] by Householder reflections. An affine map is
one matrix, its constant in column 0: a = X [1; y] with X = [a₀ | Z_a], w = W [1; y] with
W = [w₀ | Z_w].

G. Golub, C. Van Loan, "Matrix Computations" (2013), 5.2; symbols as in `null_space`.
"""

from __future__ import annotations

import numpy as np


def sizes(columns, others, dim, n_u):
    """How many columns Q₂ has, how many of Z_a are not zero, and the size of y."""
    n_null = len(columns) - dim
    n_a = n_null + len(others)
    return n_null, n_a, n_a + dim - n_u


def reflect(v, scale, first, A, left, dots):
    """A (n, k) becomes (1 − scale v vᵀ) A from column `left` on; v is zero before `first`."""
    n, k = A.shape
    for c in range(left, k):
        dots[c] = 0.0
    for i in range(first, n):
        factor = v[i]
        for c in range(left, k):
            dots[c] += factor * A[i, c]
    for i in range(first, n):
        factor = scale * v[i]
        for c in range(left, k):
            A[i, c] -= factor * dots[c]


def triangular(A, V, scale):
    """A = Q R (n, m): R takes A's place, Q is the product of 1 − scale_j v_j v_jᵀ, v_j rows of V.

    Returns the smallest pivot relative to the largest.
    """
    n, m = A.shape
    dots = np.empty(m)
    least, largest = np.inf, 0.0
    for j in range(m):
        square = 0.0
        for i in range(j, n):
            V[j, i] = A[i, j]
            square += A[i, j] * A[i, j]
        norm = np.sqrt(square)
        if norm == 0.0:
            return 0.0
        least, largest = min(least, norm), max(largest, norm)
        scale[j] = 1.0 / (norm * (norm + abs(A[j, j])))
        V[j, j] += norm if A[j, j] >= 0 else -norm
        reflect(V[j], scale[j], j, A, j, dots)
    return least / largest


def rotate(V, scale, B):
    """B becomes Q B."""
    dots = np.empty(B.shape[1])
    for k in range(len(scale)):
        j = len(scale) - 1 - k
        reflect(V[j], scale[j], j, B, 0, dots)


def solve_transposed(R, B, width):
    """The first columns of B (n, k) become R⁻ᵀ of them in the first m rows, R (n, m) upper."""
    for i in range(R.shape[1]):
        for j in range(i):
            factor = R[j, i]
            for c in range(width):
                B[i, c] -= factor * B[j, c]
        for c in range(width):
            B[i, c] /= R[i, i]


def motions(J, k, columns, others, rank, X):
    """Fill X = [a₀ | Z_a], all accelerations with J a = k; whether J has full rank."""
    dim, n_c = len(k), len(columns)
    width = 1 + n_c - dim
    R, V, scale = np.empty((n_c, dim)), np.zeros((dim, n_c)), np.empty(dim)
    for i in range(n_c):
        for j in range(dim):
            R[i, j] = J[j, columns[i]]
    if not triangular(R, V, scale) > rank:
        return False
    B = np.zeros((n_c, width))  # Q times [R⁻ᵀ k, 0; 0, 1] is [a₀ | Q₂]
    for i in range(dim):
        B[i, 0] = k[i]
    for i in range(1, width):
        B[dim + i - 1, i] = 1.0
    solve_transposed(R, B, 1)
    rotate(V, scale, B)
    for i in range(len(X)):
        for c in range(X.shape[1]):
            X[i, c] = 0.0
    for i in range(n_c):
        for c in range(width):
            X[columns[i], c] = B[i, c]
    for i in range(len(others)):
        X[others[i], width + i] = 1.0
    return True


def joint_forces(M, b, columns, others, width, X, MX):
    """Fill (M X + [b | 0])ᵀ, row by row of M, which is symmetric."""
    nv = len(b)
    for c in range(len(MX)):
        for j in range(nv):
            MX[c, j] = 0.0
    for j in range(nv):
        MX[0, j] = b[j]
    for i in range(len(columns)):
        for c in range(width):
            factor = X[columns[i], c]
            for j in range(nv):
                MX[c, j] += factor * M[columns[i], j]
    for i in range(len(others)):
        for j in range(nv):
            MX[width + i, j] = M[others[i], j]


def forces(J, u, MX, width, rank, W):
    """Fill W = [w₀ | Z_w], all forces with M_u a + b_u = J_uᵀ w; whether J_u has full rank.

    Args:
        MX: as `joint_forces` gives it, whose first `width` rows are not zero.
    """
    dim, n_u = len(W), len(u)
    R, V, scale = np.empty((dim, n_u)), np.zeros((n_u, dim)), np.empty(n_u)
    for i in range(dim):
        for j in range(n_u):
            R[i, j] = J[i, u[j]]
    if n_u > 0 and not triangular(R, V, scale) > rank:
        return False
    for i in range(dim):
        for c in range(W.shape[1]):
            W[i, c] = 0.0
    for i in range(n_u):
        for c in range(width):
            W[i, c] = MX[c, u[i]]
    for i in range(dim - n_u):
        W[n_u + i, width + i] = 1.0
    solve_transposed(R, W, width)  # P times [S⁻ᵀ (M X)_u, 0; 0, 1] is [w₀ | Z_w]
    rotate(V, scale, W)
    return True


def solve_equations(M, b, J, k, columns, others, u, rank, X, W, MX):
    """Fill X, W and (M X + [b | 0])ᵀ; whether the structure has full rank."""
    n_null, n_a, _ = sizes(columns, others, len(k), len(u))
    if not motions(J, k, columns, others, rank, X):
        return False
    joint_forces(M, b, columns, others, 1 + n_null, X, MX)
    return forces(J, u, MX, 1 + n_a, rank, W)
