"""Projections in the metric of the mass matrix: Cholesky's factor and a rank-revealing one.

    M = L Lᵀ,      B = J L⁻ᵀ = U R Q

with U (k, r) and Qᵀ (nv, r) orthonormal and R (r, r) upper triangular, r the number of independent
rows of J. Rows are taken in the order of what is left of them (Gram and Schmidt's method, each
vector orthogonalised twice), so that J M⁻¹ Jᵀ is never formed and no condition number squared. Then

    minimise ½ (x − x₀)ᵀ M (x − x₀)  subject to  J x = t

has x = x₀ + L⁻ᵀ Qᵀ z with R z = Uᵀ (t − J x₀), and the least multipliers f = U R⁻ᵀ z.

Å. Björck, "Solving linear least squares problems by Gram-Schmidt orthogonalization" (1967);
L. Giraud, J. Langou, M. Rozložník, "The loss of orthogonality in the Gram-Schmidt
orthogonalization process" (2005): twice is enough.
"""

from __future__ import annotations

import math

import numpy as np

from .toolchain import Kernel, read_only


def factorised(M, J, tolerance):
    """Return (L, U, R, Q, singular): `singular` is the row of M without inertia of its own, or −1.

    Args:
        M: (nv, nv), its lower half is read.
        J: (k, nv).
        tolerance: what is left of a row of B below this share of the largest is rounding.
    """
    k, n = J.shape
    most = min(k, n)
    L = np.zeros((n, n))
    U, R, Q = np.zeros((k, most)), np.zeros((most, most)), np.zeros((most, n))
    singular = cholesky(M, L)
    if singular >= 0:
        return L, U[:, :0].copy(), R[:0, :0].copy(), Q[:0].copy(), singular
    B, T = np.empty((k, n)), np.zeros((k, most))
    for i in range(k):
        for j in range(n):
            B[i, j] = J[i, j]
        solve_lower(L, B[i])
    r = independent_rows(B, T, Q, tolerance)
    orthonormal_columns(T, r, U, R)
    return L, U[:, :r].copy(), R[:r, :r].copy(), Q[:r].copy(), singular


def nearest(J, L, U, R, Q, target, x, f):
    """Write the x with J x = target that is nearest to the x given, and its multipliers f from 0.

    The second pass takes out the rounding of the first. Where no x meets the target, x comes as
    near as the rows allow.
    """
    r, n = Q.shape
    k = len(J)
    z, y, missing = np.zeros(r), np.zeros(n), np.zeros(k)
    for _ in range(2):
        for i in range(k):
            missing[i] = target[i] - dot(J[i], x)
        for j in range(r):
            z[j] = 0.0
            for i in range(k):
                z[j] += U[i, j] * missing[i]
        for j in range(r - 1, -1, -1):  # R z
            for i in range(j + 1, r):
                z[j] -= R[j, i] * z[i]
            z[j] /= R[j, j]
        y[:] = 0.0
        for j in range(r):
            for i in range(n):
                y[i] += Q[j, i] * z[j]
        solve_upper(L, y)
        for i in range(n):
            x[i] += y[i]
        for j in range(r):  # Rᵀ z
            for i in range(j):
                z[j] -= R[i, j] * z[i]
            z[j] /= R[j, j]
        for i in range(k):
            for j in range(r):
                f[i] += U[i, j] * z[j]


def solve_mass(L, forces):
    """Return M⁻¹ forces (nv,)."""
    x = forces.copy()
    solve_lower(L, x)
    solve_upper(L, x)
    return x


def cholesky(M, L):
    """Write L; return the row of which rounding is all that is left, or −1.

    What is left of each inertia, once the motions before it give way, is L_ii².
    """
    n = len(M)
    largest = 0.0
    for i in range(n):
        largest = max(largest, M[i, i])
    for i in range(n):
        for j in range(i):
            total = M[i, j]
            for c in range(j):
                total -= L[i, c] * L[j, c]
            L[i, j] = total / L[j, j]
        left = M[i, i]
        for c in range(i):
            left -= L[i, c] * L[i, c]
        if not (left > 1e-12 * M[i, i] and left > 1e-13 * largest):
            return i
        L[i, i] = math.sqrt(left)
    return -1


def solve_lower(L, x):
    """Write L⁻¹ x in the place of x."""
    for i in range(len(x)):
        total = x[i]
        for c in range(i):
            total -= L[i, c] * x[c]
        x[i] = total / L[i, i]


def solve_upper(L, x):
    """Write L⁻ᵀ x in the place of x."""
    for i in range(len(x) - 1, -1, -1):
        x[i] /= L[i, i]
        for c in range(i):
            x[c] -= L[i, c] * x[i]


def independent_rows(B, T, Q, tolerance):
    """Write B = T Q with orthonormal rows Q (r, n), and T (k, r); return r. B is overwritten."""
    k, most = len(B), len(Q)
    largest = 0.0
    for r in range(most):
        longest, at = 0.0, 0
        for i in range(k):
            length = math.sqrt(dot(B[i], B[i]))
            if length > longest:
                longest, at = length, i
        largest = max(largest, longest)
        if not longest > tolerance * largest:
            return r
        q = Q[r]
        q[:] = B[at]
        for _ in range(2):
            for j in range(r):
                along = dot(Q[j], q)
                for c in range(len(q)):
                    q[c] -= along * Q[j, c]
        length = math.sqrt(dot(q, q))
        for c in range(len(q)):
            q[c] /= length
        for i in range(k):
            T[i, r] = dot(B[i], q)
            for c in range(len(q)):
                B[i, c] -= T[i, r] * q[c]
    return most


def orthonormal_columns(T, r, U, R):
    """Write T = U R, U (k, r) with orthonormal columns and R (r, r) upper triangular."""
    k = len(T)
    for j in range(r):
        for i in range(k):
            U[i, j] = T[i, j]
        for _ in range(2):
            for p in range(j):
                along = 0.0
                for i in range(k):
                    along += U[i, p] * U[i, j]
                R[p, j] += along
                for i in range(k):
                    U[i, j] -= along * U[i, p]
        length = 0.0
        for i in range(k):
            length += U[i, j] ** 2
        R[j, j] = math.sqrt(length)
        for i in range(k):
            U[i, j] /= R[j, j]


def dot(a, b):
    """aᵀb."""
    total = 0.0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


FACTORISED = Kernel(
    factorised,
    1,
    arrays=True,
    example=lambda: (read_only(2), read_only(2), 1e-10),
    each=2e-4,
)
NEAREST = Kernel(
    nearest,
    1,
    arrays=True,
    example=lambda: (read_only(2), *[np.empty((0, 0))] * 4, *[np.empty(0)] * 3),
    each=1e-4,
)
SOLVE_MASS = Kernel(
    solve_mass, 1, arrays=True, example=lambda: (np.empty((0, 0)), np.empty(0)), each=2e-5
)
