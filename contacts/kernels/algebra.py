# mypy: disable-error-code="no-untyped-def, no-untyped-call"
"""Vectors and small systems of equations, whose numbers are lanes."""

from __future__ import annotations

from .choices import choose, root


def dot(a, b):
    """aᵀb."""
    total = 0.0
    for j in range(len(a)):
        total = total + a[j] * b[j]
    return total


def dot_wide(a, b):
    """aᵀb (3K,), in three sums: a single one would wait at every term for the one before."""
    x, y, z = 0.0, 0.0, 0.0
    for k in range(len(a) // 3):
        i = 3 * k
        x = x + a[i] * b[i]
        y = y + a[i + 1] * b[i + 1]
        z = z + a[i + 2] * b[i + 2]
    return x + y + z


def norm(x):
    """‖x‖."""
    return root(dot(x, x))


def norm_wide(x):
    """‖x‖ (3K,)."""
    return root(dot_wide(x, x))


def times(B, x, out):
    """Write B x, of x (3K,)."""
    for i in range(len(B)):
        out[i] = dot_wide(B[i], x)


def back(B, y, out):
    """Write Bᵀ y (3K,)."""
    for k in range(len(out) // 3):
        j = 3 * k
        a, b, c = 0.0, 0.0, 0.0
        for i in range(len(B)):
            a = a + B[i, j] * y[i]
            b = b + B[i, j + 1] * y[i]
            c = c + B[i, j + 2] * y[i]
        out[j], out[j + 1], out[j + 2] = a, b, c


def combine(out, a, x, b, y):
    """Write a x + b y; in place too."""
    for j in range(len(out)):
        out[j] = a * x[j] + b * y[j]


def keep(sign, x, out):
    """Write x where sign > 0."""
    for j in range(len(out)):
        out[j] = choose(sign, x[j], out[j])


def factor(L, share, infinite):
    """Write Cholesky's factor over the lower half of a matrix, 1/L_ii on its diagonal.

    What rounding leaves of a direction without curvature, `share` of its entry on the diagonal, is
    held still: it gets `infinite` there.
    """
    for i in range(len(L)):
        most = L[i, i]
        for j in range(i + 1):
            total = L[i, j]
            for k in range(j):
                total = total - L[i, k] * L[j, k]
            if i == j:
                L[i, i] = choose(total - share * most, 1.0 / root(total), 1.0 / infinite)
            else:
                L[i, j] = total * L[j, j]


def solve_factored(L, x):
    """Write (L Lᵀ)⁻¹ x in the place of x."""
    r = len(L)
    for i in range(r):
        total = x[i]
        for k in range(i):
            total = total - L[i, k] * x[k]
        x[i] = total * L[i, i]
    for step in range(r):
        i = r - 1 - step
        total = x[i]
        for k in range(i + 1, r):
            total = total - L[k, i] * x[k]
        x[i] = total * L[i, i]
