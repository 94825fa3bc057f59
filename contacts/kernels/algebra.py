"""Linear algebra of vectors and small systems of equations, in lanes."""

from __future__ import annotations

from ...dynamics.kernels.scalars import LANES, as_lanes, choose, root


def dot(a, b, n):
    """aᵀb over n entries, in four sums: a single one would wait at every term for the last."""
    w, x, y, z = 0.0, 0.0, 0.0, 0.0
    for k in range(n // 4):
        j = 4 * k
        w = w + a[j] * b[j]
        x = x + a[j + 1] * b[j + 1]
        y = y + a[j + 2] * b[j + 2]
        z = z + a[j + 3] * b[j + 3]
    for j in range(n - n % 4, n):
        w = w + a[j] * b[j]
    return (w + x) + (y + z)


def norm(x, n):
    """‖x‖ over n entries."""
    return root(dot(x, x, n))


def times(B, x, r, n, out):
    """Write B x of the first r rows and n columns."""
    for i in range(r):
        out[i] = dot(B[i], x, n)


def back(B, y, r, n, out):
    """Write Bᵀ y of the first r rows and n columns."""
    for j in range(n):
        out[j] = 0.0
    for i in range(r):
        add(out, y[i], B[i], n)


def add(out, a, x, n):
    """Add a x."""
    for j in range(n):
        out[j] = out[j] + a * x[j]


def combine(out, a, x, b, y, n):
    """Write a x + b y; in place too."""
    for j in range(n):
        out[j] = a * x[j] + b * y[j]


def keep(sign, a, x, n, out):
    """Write a x where sign > 0."""
    for j in range(n):
        out[j] = choose(sign, a * x[j], out[j])


def factor(L, r, share, infinite):
    """Write Cholesky's factor over the lower half of a matrix (r, r), 1/L_ii on its diagonal.

    What rounding leaves of a direction without curvature, `share` of its entry on the diagonal, is
    held still: it gets `infinite` there.
    """
    for i in range(r):
        most = L[i, i]
        for j in range(i + 1):
            total = L[i, j]
            for k in range(j):
                total = total - L[i, k] * L[j, k]
            if i == j:
                L[i, i] = choose(total - share * most, 1.0 / root(total), 1.0 / infinite)
            else:
                L[i, j] = total * L[j, j]


def solve_factored(L, r, x):
    """Write (L Lᵀ)⁻¹ x in the place of x (r,)."""
    solve_lower(L, r, x)
    solve_upper(L, r, x)


def solve_lower(L, r, x):
    """Write L⁻¹ x in the place of x (r,)."""
    for i in range(r):
        total = x[i]
        for k in range(i):
            total = total - L[i, k] * x[k]
        x[i] = total * L[i, i]


def solve_upper(L, r, x):
    """Write L⁻ᵀ x in the place of x (r,)."""
    for step in range(r):
        i = r - 1 - step
        total = x[i]
        for k in range(i + 1, r):
            total = total - L[k, i] * x[k]
        x[i] = total * L[i, i]


def any_lane(x, flags):
    """Whether x > 0 in any lane; flags (1, LANES) are overwritten."""
    as_lanes(flags)[0] = x
    for lane in range(LANES):  # noqa: SIM110 (Numba knows no generators)
        if flags[0, lane] > 0:
            return True
    return False
