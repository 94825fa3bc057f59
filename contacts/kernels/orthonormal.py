# mypy: disable-error-code="no-untyped-def, no-untyped-call"
"""Equations made orthonormal: rows of unit length, at right angles, that mean the same.

Gram-Schmidt, twice for rounding: row_i = Σ_k R_ik B_k. Rows that depend on those before them become
zero rows, as single points and pairs of points have them; each lane has its own.
"""

from __future__ import annotations

from .algebra import dot_wide
from .choices import choose, larger, root, size

_DEPENDENT = 1e-10  # of a row's length, or of one where that is less: what then is left is rounding
_ASKED = 1e-9  # what rows that no force enters may ask for


def orthonormal_rows(rows, pull, R, rest, first):
    """Make rows first … orthonormal in place, and `pull` with them.

    Args:
        rows: (m, n), becomes B.
        pull: (m,), of the equations rows x = pull; becomes that of B x.
        R: (m, m), is written, with 1/R_ii on its diagonal, zero for rows that depend on others.
        rest: (m,), is written: what such a row still asks for, which nothing can give.
        first: row to begin with.
    """
    for i in range(first, len(rows)):
        whole = larger(dot_wide(rows[i], rows[i]), 1.0)
        for k in range(len(rows)):
            R[i, k] = 0.0
        for _ in range(2):
            for k in range(first, i):
                part = dot_wide(rows[k], rows[i])
                R[i, k] = R[i, k] + part
                pull[i] = pull[i] - part * pull[k]
                for j in range(rows.shape[1]):
                    rows[i, j] = rows[i, j] - part * rows[k, j]
        left = dot_wide(rows[i], rows[i])
        stays = left - _DEPENDENT * _DEPENDENT * whole
        R[i, i] = choose(stays, 1.0 / root(left), 0.0)
        rest[i] = choose(stays, 0.0, pull[i])
        pull[i] = R[i, i] * pull[i]
        for j in range(rows.shape[1]):
            rows[i, j] = R[i, i] * rows[i, j]


def multipliers(R, y, first):
    """Turn multipliers y (m,) of the rows of B into those of the rows that they came from.

    Those of a row that depends on others are taken as they are.
    """
    last = len(R) - 1
    for j in range(last, first - 1, -1):
        total = y[j]
        for k in range(j + 1, len(R)):
            total = total - R[k, j] * y[k]
        y[j] = choose(R[j, j], total * R[j, j], y[j])


def asked_in_vain(rest, y):
    """Write the multiplier of the first row without forces that asks for something all the same.

    Returns more than zero where there is one: nothing helps. y may be `rest` itself.
    """
    asked = 0.0
    for i in range(len(y)):
        mine = choose(asked, 0.0, choose(size(rest[i]) - _ASKED, rest[i], 0.0))
        y[i] = choose(size(mine), -1.0 / mine, 0.0)
        asked = asked + size(mine)
    return asked
