"""Null-space parametrisation of the equations: `null_space._by_structure`, compiled.

With the columns c of J that any contact moves, and o the others,

    a = a₀ + Z_a y,    Z_a = [Q₂ on c | 1 on o | 0],    a₀ = Q₁ R⁻ᵀ k
    w = w₀ + Z_w y,    Z_w = [G M_u Z_a | P₂],          w₀ = G (M_u a₀ + b_u),   G = P₁ S⁻ᵀ

where J_cᵀ = [Q₁ Q₂] [R; 0] and J_u = [P₁ P₂] [S; 0] by Householder reflections. An affine map is
one matrix, its constant in column 0: a = X [1; y] with X = [a₀ | Z_a], w = W [1; y] with
W = [w₀ | Z_w]; X has no columns for the last entries of y, those of P₂. Where J_u lacks rank, S has
its independent columns, and the other rows of the dynamics remain equations of y: E [1; y] = 0.

G. Golub, C. Van Loan, "Matrix Computations" (2013), 5.2; symbols as in `null_space`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import Array


class Parametrisation(NamedTuple):
    """All solutions of the equations: a = X [1; y] and w = W [1; y], where E [1; y] = 0.

    MX is (M X + [b | 0])ᵀ, a row for each column of X.
    """

    X: Array
    W: Array
    MX: Array
    E: Array


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


def longest_column(A, first):
    """The column of A, from `first` on, that is longest in the rows from `first` on; its length."""
    best, most = first, -1.0
    for c in range(first, A.shape[1]):
        square = 0.0
        for i in range(first, len(A)):
            square += A[i, c] * A[i, c]
        if square > most:
            best, most = c, square
    return best, np.sqrt(max(most, 0.0))


def triangular(A, V, scale, order, rank):
    """A Π = Q R (n, m): R takes A's place, Q is the product of 1 − scale_j v_j v_jᵀ, v_j rows of V.

    Π puts the longest of the remaining columns next. Returns the rank: how many pivots are more
    than `rank` times the first. The columns of R are those `order` of A.
    """
    n, m = A.shape
    dots, first = np.empty(m), 0.0
    for j in range(m):
        order[j] = j
    for j in range(min(n, m)):
        best, norm = longest_column(A, j)
        first = max(first, norm)
        if not norm > rank * first:
            return j
        order[j], order[best] = order[best], order[j]
        for i in range(n):
            A[i, j], A[i, best] = A[i, best], A[i, j]
        for i in range(j, n):
            V[j, i] = A[i, j]
        scale[j] = 1.0 / (norm * (norm + abs(A[j, j])))
        V[j, j] += norm if A[j, j] >= 0 else -norm
        reflect(V[j], scale[j], j, A, j, dots)
    return min(n, m)


def rotate(V, scale, count, B):
    """B becomes Q B, with the first `count` reflections."""
    dots = np.empty(B.shape[1])
    for k in range(count):
        j = count - 1 - k
        reflect(V[j], scale[j], j, B, 0, dots)


def solve_transposed(R, m, B, width):
    """The first columns of B (n, k) become R⁻ᵀ of them in the first m rows, R (m, m) upper."""
    for i in range(m):
        for j in range(i):
            factor = R[j, i]
            for c in range(width):
                B[i, c] -= factor * B[j, c]
        for c in range(width):
            B[i, c] /= R[i, i]


def motions(J, k, columns, others, rank):
    """Return X = [a₀ | Z_a], all accelerations with J a = k, and whether J has full rank."""
    dim, n_c = len(k), len(columns)
    width = 1 + n_c - dim
    X = np.zeros((J.shape[1], width + len(others)))
    R, V, scale = np.empty((n_c, dim)), np.zeros((dim, n_c)), np.empty(dim)
    order = np.empty(dim, dtype=np.int64)
    for i in range(n_c):
        for j in range(dim):
            R[i, j] = J[j, columns[i]]
    if triangular(R, V, scale, order, rank) < dim:
        return False, X
    B = np.zeros((n_c, width))  # Q times [R⁻ᵀ k, 0; 0, 1] is [a₀ | Q₂]
    for i in range(dim):
        B[i, 0] = k[order[i]]
    for i in range(1, width):
        B[dim + i - 1, i] = 1.0
    solve_transposed(R, dim, B, 1)
    rotate(V, scale, dim, B)
    for i in range(n_c):
        for c in range(width):
            X[columns[i], c] = B[i, c]
    for i in range(len(others)):
        X[others[i], width + i] = 1.0
    return True, X


def joint_forces(M, b, columns, others, width, X):
    """Return (M X + [b | 0])ᵀ, row by row of M, which is symmetric."""
    nv = len(b)
    MX = np.zeros((X.shape[1], nv))
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
    return MX


def forces(J, u, MX, rank):
    """Return W = [w₀ | Z_w], all forces with M_u a + b_u = J_uᵀ w, and E of E [1; y] = 0.

    The rows of E are what a must satisfy where J_u lacks rank, as on two points alone: about the
    line between them, forces have no moment.
    """
    dim, n_u, width = len(J), len(u), len(MX)
    R, V, scale = np.empty((dim, n_u)), np.zeros((n_u, dim)), np.empty(n_u)
    order = np.empty(n_u, dtype=np.int64)
    for i in range(dim):
        for j in range(n_u):
            R[i, j] = J[i, u[j]]
    r = triangular(R, V, scale, order, rank)
    W, E = np.zeros((dim, width + dim - r)), np.zeros((n_u - r, width + dim - r))
    for i in range(r):
        for c in range(width):
            W[i, c] = MX[c, u[order[i]]]
    solve_transposed(R, r, W, width)
    for j in range(n_u - r):
        for c in range(width):
            E[j, c] = MX[c, u[order[r + j]]]
        for i in range(r):
            factor = R[i, r + j]
            for c in range(width):
                E[j, c] -= factor * W[i, c]
    for i in range(dim - r):
        W[r + i, width + i] = 1.0
    rotate(V, scale, r, W)  # P times [S⁻ᵀ (M X)_u, 0; 0, 1] is [w₀ | Z_w]
    return W, E


def solve_equations(data, entries, rank):
    """Return whether J has full rank, and the Parametrisation, which is wrong where it has not."""
    J, k, columns, others = data.J, data.k, entries.columns, entries.others
    full, X = motions(J, k, columns, others, rank)
    MX = joint_forces(data.M, data.b, columns, others, 1 + len(columns) - len(k), X)
    W, E = forces(J, entries.unactuated, MX, rank)
    return full, Parametrisation(X, W, MX, E)
