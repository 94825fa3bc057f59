# mypy: disable-error-code="no-untyped-def, misc, no-untyped-call"
"""Least-norm contact forces inside Coulomb's cones, compiled.

    minimise ½ ‖f‖²  subject to  A f = w,  f_k ∈ K_k

The dual has one unknown a row, six for a floating base, however many contacts there are: with P the
projection on the cones,

    f = P(Aᵀ λ),      A P(Aᵀ λ) = w

is solved for λ by a semismooth Newton method, H d = w − A f with H = A (∂P) Aᵀ, and steps that
are cut short until the concave dual wᵀλ − ½ ‖P(Aᵀλ)‖² grows. Any λ gives forces inside the cones,
and with A f = w the least ones: what is left of these rows is all that there is to check.

L. Qi, J. Sun, "A nonsmooth version of Newton's method" (1993); J. Malick, "A dual approach to
semidefinite least-squares problems" (2004) for the dual.
"""

from __future__ import annotations

import math

import numpy as np

from .compiling import compiled


@compiled
def least_norms(A, w, friction, bilateral, first, last, steps, f, residual):
    """Solve problems first … last − 1; an array with a single entry serves all of them.

    Args:
        A: (N or 1, m, 3K), forces in contact axes (two tangents, normal), data near one in size.
        w: (N or 1, m).
        friction: (N or 1, K); inf keeps only f_n ≥ 0.
        bilateral: (K,), points without any cone.
        first, last: which problems.
        steps: the most that are taken.
        f: (N, K, 3), is written.
        residual: (N,), ‖A f − w‖, is written; inf where no f can be, by the rows alone.
    """
    m, n = A.shape[1], A.shape[2]
    B, b = np.empty((m, n)), np.empty(m)
    for i in range(first, last):
        mu = friction[i % len(friction)]
        rank, off = orthonormal_rows(A[i % len(A)], w[i % len(w)], B, b)
        left = solve(B[:rank], b[:rank], mu, bilateral, steps, f[i])
        residual[i] = math.hypot(left, off)


@compiled
def orthonormal_rows(A, w, B, b):
    """Write rows that mean the same equations, orthonormal; return how many, and what is left.

    Gram-Schmidt, twice for rounding; rows that depend on others are left out, with their w.
    """
    rank, off = 0, 0.0
    n = A.shape[1]
    for i in range(len(A)):
        size = 0.0
        for j in range(n):
            B[rank, j] = A[i, j]
            size += A[i, j] ** 2
        b[rank] = w[i]
        for _ in range(2):
            for k in range(rank):
                part = 0.0
                for j in range(n):
                    part += B[k, j] * B[rank, j]
                for j in range(n):
                    B[rank, j] -= part * B[k, j]
                b[rank] -= part * b[k]
        left = 0.0
        for j in range(n):
            left += B[rank, j] ** 2
        if left > 1e-20 * max(size, 1.0):
            scale = 1 / math.sqrt(left)
            for j in range(n):
                B[rank, j] *= scale
            b[rank] *= scale
            rank += 1
        else:
            off = math.hypot(off, b[rank])
    return rank, off


@compiled
def solve(B, b, mu, bilateral, steps, f):
    """Write f (K, 3) for orthonormal rows B (r, 3K); return ‖B f − b‖."""
    r, K = len(B), len(mu)
    length, trial, step = b.copy(), np.empty(r), np.empty(r)
    y, D = np.empty((K, 3)), np.empty((K, 3, 3))
    rest, H = np.empty(r), np.empty((r, r))
    size = norm(b) + 1e-300
    # orthonormal rows: Bᵀ b are the least forces without any cones
    value = dual(B, b, mu, bilateral, length, y, f, D)
    for _ in range(steps):
        left = remainder(B, b, f, rest)
        if left <= 1e-13 * size:
            break
        curvature(B, D, H)
        trace = 0.0
        for i in range(r):
            trace += H[i, i]
        for i in range(r):
            H[i, i] += 1e-11 * trace + 1e-10 * min(1.0, left / size)
        newton(H, rest, step)
        slope, share = 0.0, 1.0
        for i in range(r):
            slope += rest[i] * step[i]
        for _ in range(40):
            for i in range(r):
                trial[i] = length[i] + share * step[i]
            grown = dual(B, b, mu, bilateral, trial, y, f, D)
            if grown >= value + 1e-4 * share * slope - 1e-15 * abs(value):
                break
            share *= 0.5
        length[:] = trial
        value = grown
    return remainder(B, b, f, rest)


@compiled
def dual(B, b, mu, bilateral, length, y, f, D):
    """Write f = P(Bᵀλ) and its derivatives D; return bᵀλ − ½ ‖f‖²."""
    value = 0.0
    for k in range(len(mu)):
        for c in range(3):
            total = 0.0
            for i in range(len(B)):
                total += B[i, 3 * k + c] * length[i]
            y[k, c] = total
        project(y[k], mu[k], bilateral[k], f[k], D[k])
        value -= 0.5 * (f[k, 0] ** 2 + f[k, 1] ** 2 + f[k, 2] ** 2)
    for i in range(len(B)):
        value += b[i] * length[i]
    return value


@compiled
def project(y, mu, free, f, D):
    """Write the nearest force f of the cone ‖f_t‖ ≤ μ f_n, and its derivative D.

    Outside the cone and its polar f = a (μ u, 1) with u = y_t/‖y_t‖, a = (μ ‖y_t‖ + y_n)/(1 + μ²).
    """
    t = math.hypot(y[0], y[1])
    f[:], D[:] = 0.0, 0.0
    if free or (t <= mu * y[2] and y[2] >= 0):
        f[:] = y
        D[0, 0] = D[1, 1] = D[2, 2] = 1.0
    elif math.isinf(mu):  # y_n < 0: only the tangents are left
        f[0], f[1] = y[0], y[1]
        D[0, 0] = D[1, 1] = 1.0
    elif mu * t > -y[2]:
        share = 1 / (1 + mu * mu)
        a = (mu * t + y[2]) * share
        u, v = y[0] / t, y[1] / t
        f[0], f[1], f[2] = mu * a * u, mu * a * v, a
        around, along = mu * a / t, mu * mu * share
        D[0, 0] = around + (along - around) * u * u
        D[1, 1] = around + (along - around) * v * v
        D[0, 1] = D[1, 0] = (along - around) * u * v
        D[0, 2] = D[2, 0] = mu * share * u
        D[1, 2] = D[2, 1] = mu * share * v
        D[2, 2] = share


@compiled
def remainder(B, b, f, rest):
    """Write b − B f; return its norm."""
    for i in range(len(B)):
        total = b[i]
        for k in range(len(f)):
            for c in range(3):
                total -= B[i, 3 * k + c] * f[k, c]
        rest[i] = total
    return norm(rest)


@compiled
def curvature(B, D, H):
    """Write the lower half of H = Σ_k B_k D_k B_kᵀ."""
    r = len(B)
    H[:] = 0.0
    for k in range(len(D)):
        for i in range(r):
            for c in range(3):
                seen = 0.0
                for d in range(3):
                    seen += B[i, 3 * k + d] * D[k, d, c]
                for j in range(i + 1):
                    H[i, j] += seen * B[j, 3 * k + c]


@compiled
def newton(H, rest, step):
    """Write H⁻¹ rest by Cholesky's factors, in the place of H's lower half."""
    r = len(H)
    for i in range(r):
        for j in range(i + 1):
            total = H[i, j]
            for k in range(j):
                total -= H[i, k] * H[j, k]
            H[i, j] = math.sqrt(max(total, 1e-300)) if i == j else total / H[j, j]
    for i in range(r):
        total = rest[i]
        for k in range(i):
            total -= H[i, k] * step[k]
        step[i] = total / H[i, i]
    for i in range(r - 1, -1, -1):
        for k in range(i + 1, r):
            step[i] -= H[k, i] * step[k]
        step[i] /= H[i, i]


@compiled
def norm(x):
    """‖x‖."""
    total = 0.0
    for i in range(len(x)):
        total += x[i] ** 2
    return math.sqrt(total)
