# mypy: disable-error-code="no-untyped-def, no-untyped-call"
"""The margin of contacts with Coulomb's cones, and its proof, eight problems side by side.

    maximise ε  subject to  A f + ε n = w,  f_k ∈ K_k          (ε newtons of normal force to spare)
    minimise wᵀy  subject to  nᵀy = 1,  A_kᵀ y ∈ K_k*           (y: the motion it would fall along)

A reflection of the rows that turns n into (ℓ, 0, …) leaves one row for ε and the others without
it, and friction goes into the columns, so that the cones are Lorentz's. What remains is solved by
`interior_point`.
"""

from __future__ import annotations

from ...dynamics.kernels.rows import scatter
from ...dynamics.kernels.scalars import LANES, as_lanes
from ...dynamics.kernels.toolchain import Kernel
from .algebra import dot, norm
from .choices import choose, size
from .interior_point import INFEASIBLE, NARROW, OPTIMAL, UNBOUNDED, UNSOLVED, WIDE, solve
from .orthonormal import asked_in_vain, multipliers, orthonormal_rows
from .problems import rooms, table, take

INFINITE, NAN = 1e300, float("nan")  # stands for a margin without end


def room(m, K):
    """Return room for problems of m rows and K points."""
    return rooms(
        (m, 3 * K), (5, m), (m, m), (6, K), (WIDE, 3 * K), (NARROW, m - 1), (m - 1, m - 1), (1,)
    )


def margins(A, w, n, friction, margin, f, velocity, first, last, room):
    """Solve problems first … last − 1; an array with a single entry serves all of them.

    Args:
        A: (N or 1, 3 m K), row by row (m, 3K): forces in contact axes (two tangents, normal), data
            near one in size.
        w: (N or 1, m).
        n: (N or 1, m), not zero.
        friction: (N or 1, K), finite.
        margin: (N, 1), ε, is written: ∓INFINITE if infeasible or unbounded, nan if unsolved.
        f: (N, 3K), the forces that have it, are written; of unbounded ones A f = −n, a squeeze.
        velocity: (N, m), y, is written: of infeasible ones with nᵀy = 0 and wᵀy = −1.
        first, last: which problems.
        room: see there.
    """
    matrix, rows, R, points, wide, narrow, square, flags = room
    m, K = matrix.shape[0], points.shape[1]
    pull, normal, y, rest, shares = rows[0], rows[1], rows[2], rows[3], points[1:]
    for start in range(first, last, LANES):
        take(A, start, last, matrix.reshape(3 * m * K, LANES))
        take(w, start, last, pull)
        take(n, start, last, normal)
        take(friction, start, last, points[0])
        lanes = as_lanes(matrix), as_lanes(pull), as_lanes(normal), as_lanes(points[0])
        proof = as_lanes(y), as_lanes(R), as_lanes(rest)
        work = as_lanes(wide), as_lanes(narrow), as_lanes(square), as_lanes(shares)
        as_lanes(rows[4])[0] = margin_of(lanes, proof, work, flags)
        scatter(rows[4, :1], start, last, margin)
        scatter(wide[0], start, last, f)
        scatter(y, start, last, velocity)


def margin_of(problem, proof, work, flags):
    """Return ε of lanes; write y, and forces into the first row of `work`; spoil the problem."""
    rows, pull, normal, mu = problem
    y, R, rest = proof
    wide, narrow, square, shares = work
    into_columns(mu, rows)
    length = reflect(rows, pull, normal)
    orthonormal_rows(rows, pull, R, rest, 1)
    c = rows[0]
    for j in range(len(c)):
        c[j] = c[j] / length
    ended, value = solve(rows[1:], pull[1:], c, wide, narrow, square, shares, flags)
    y[0], rest[0] = 0.0, 0.0
    hopeless = asked_in_vain(rest, y)
    ended = choose(hopeless, INFEASIBLE, ended)
    for i in range(1, len(y)):
        y[i] = choose(hopeless, y[i], -narrow[0, i - 1])
    multipliers(R, y, 1)
    solved = choose(0.5 - size(ended - OPTIMAL), 1.0, 0.0)
    y[0] = choose(solved, 1.0 / length, 0.0)
    reflected(y, normal, length)
    for k in range(len(mu)):
        wide[0, 3 * k] = mu[k] * wide[0, 3 * k]
        wide[0, 3 * k + 1] = mu[k] * wide[0, 3 * k + 1]
    margin = choose(solved, pull[0] / length - value, 0.0)
    margin = choose(0.5 - size(ended - INFEASIBLE), -INFINITE, margin)
    margin = choose(0.5 - size(ended - UNBOUNDED), INFINITE, margin)
    return choose(0.5 - size(ended - UNSOLVED), NAN, margin)


def into_columns(mu, rows):
    """Make the columns those of (f_t/μ, f_n)."""
    for i in range(len(rows)):
        for k in range(len(mu)):
            rows[i, 3 * k] = mu[k] * rows[i, 3 * k]
            rows[i, 3 * k + 1] = mu[k] * rows[i, 3 * k + 1]


def reflect(rows, pull, normal):
    """Reflect the rows so that n becomes (ℓ, 0, …), in place; return ℓ = ±‖n‖."""
    length = choose(normal[0], -1.0, 1.0) * norm(normal)
    for j in range(rows.shape[1]):
        reflected(rows[:, j], normal, length)
    reflected(pull, normal, length)
    return length


def reflected(x, normal, length):
    """Householder's reflection x − 2 u uᵀx/uᵀu, u = n − ℓ e₁, in place; its own inverse."""
    half = length * (length - normal[0])  # uᵀu/2
    share = (dot(normal, x) - length * x[0]) / half
    for i in range(len(x)):
        x[i] = x[i] - share * normal[i]
    x[0] = x[0] + share * length


MARGINS = Kernel(
    margins, example=lambda: (*[table()] * 7, 0, 0, room(2, 1)), each=2e-3, seconds=8.0
)
