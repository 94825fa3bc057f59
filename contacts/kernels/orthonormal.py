"""Orthonormalisation of systems of equations, and their multipliers.

Gram-Schmidt, twice for rounding: row_i = Σ_k R_ik B_k. Rows that depend on those before them become
zero rows, as single points and pairs of points have them; each lane has its own.
"""

from __future__ import annotations

from ...dynamics.kernels.scalars import choose, larger, root, size
from .algebra import add, dot, norm

_DEPENDENT = 1e-10  # of a row's length, or of one where that is less: what then is left is rounding
_IMPLIED = 1e-9  # what is left of an inequality's row of unit size that the equations imply
_INCONSISTENT = 1e-9  # largest right-hand side of rows without any force that counts as zero


def orthonormal_rows(rows, b, R, rest, first, m, n):
    """Make rows first … m − 1 orthonormal in place, and `b` with them.

    Args:
        rows: (≥ m, ≥ n), becomes B.
        b: (≥ m,), of the equations rows x = b; becomes that of B x.
        R: (≥ m, ≥ m), is written, with 1/R_ii on its diagonal, zero for rows that depend on others.
        rest: (≥ m,), is written: what such a row still asks for, which nothing can give.
        first: row to begin with.
        m, n: numbers of rows and columns.
    """
    for i in range(first, m):
        whole = larger(dot(rows[i], rows[i], n), 1.0)
        for k in range(m):
            R[i, k] = 0.0
        project_out(rows, b, R, first, i, i, n)
        left = dot(rows[i], rows[i], n)
        stays = left - _DEPENDENT * _DEPENDENT * whole
        R[i, i] = choose(stays, 1.0 / root(left), 0.0)
        rest[i] = choose(stays, 0.0, b[i])
        b[i] = R[i, i] * b[i]
        for j in range(n):
            rows[i, j] = R[i, i] * rows[i, j]


def project_out(rows, b, R, first, last, i, n):
    """Take from row i what lies along the orthonormal rows first … last − 1; add it to R."""
    for _ in range(2):
        for k in range(first, last):
            part = dot(rows[k], rows[i], n)
            R[i, k] = R[i, k] + part
            b[i] = b[i] - part * b[k]
            add(rows[i], -part, rows[k], n)


def orthonormal_row(rows, b, R, first, last, i, n):
    """Make row i orthonormal to those, and `b` with it; zero where they imply it."""
    project_out(rows, b, R, first, last, i, n)
    long = norm(rows[i], n)
    stays = long - _IMPLIED
    R[i, i] = choose(stays, 1.0 / long, 1.0)
    b[i] = R[i, i] * b[i]
    for j in range(n):
        rows[i, j] = choose(stays, R[i, i] * rows[i, j], 0.0)


def multipliers(R, y, first, m):
    """Turn multipliers y (m,) of the rows of B into those of the rows that they came from.

    Those of a row that depends on others are taken as they are.
    """
    for j in range(m - 1, first - 1, -1):
        total = y[j]
        for k in range(j + 1, m):
            total = total - R[k, j] * y[k]
        y[j] = choose(R[j, j], total * R[j, j], y[j])


def inconsistent(rest, y, first, m):
    """Write the multiplier of the first row without forces that asks for something all the same.

    Returns more than zero where there is one: the equations contradict each other. y may be `rest`.
    """
    total = 0.0
    for i in range(first, m):
        mine = choose(total, 0.0, choose(size(rest[i]) - _INCONSISTENT, rest[i], 0.0))
        y[i] = choose(size(mine), -1.0 / mine, 0.0)
        total = total + size(mine)
    return total
