# mypy: disable-error-code="no-untyped-def, no-untyped-call"
"""Least-norm contact forces inside Coulomb's cones, eight problems side by side.

    minimise ½ ‖f‖²  subject to  A f = w,  f_k ∈ K_k

The dual has one unknown a row, six for a floating base, however many contacts there are: with P the
projection on the cones,

    f = P(Aᵀ λ),      A P(Aᵀ λ) = w

is solved for λ by a semismooth Newton method, H d = w − A f with H = A (∂P) Aᵀ, and steps that
are cut short until the concave dual wᵀλ − ½ ‖P(Aᵀλ)‖² grows. Any λ gives forces inside the cones,
and with A f = w the least ones: what is left of these rows is all that there is to check. Where no
forces balance w the dual has no bound and λ runs away; then it is left to others.

L. Qi, J. Sun, "A nonsmooth version of Newton's method" (1993); J. Malick, "A dual approach to
semidefinite least-squares problems" (2004) for the dual.
"""

from __future__ import annotations

from ...dynamics.kernels.rows import scatter
from ...dynamics.kernels.scalars import LANES, as_lanes
from ...dynamics.kernels.toolchain import Kernel
from .algebra import dot, dot_wide, factor, norm, solve_factored
from .choices import choose, root, size, smaller
from .orthonormal import asked_in_vain, multipliers, orthonormal_rows
from .problems import any_lane, rooms, table, take

_TOLERANCE = 1e-13  # of what is left of the rows, as a share of w
_FAR = 1e6  # multiples of w: λ runs away
_STEPS = 50
_CUTS = 40  # the most that a step is halved


def room(m, K):
    """Return room for problems of m rows and K points."""
    return rooms((m, 3 * K), (7, m), (2, m, m), (K,), (3 * K,), (K, 6), (1,))


def least_norms(A, w, friction, f, velocity, first, last, room):
    """Solve problems first … last − 1; an array with a single entry serves all of them.

    Args:
        A: (N or 1, 3 m K), row by row (m, 3K): forces in contact axes (two tangents, normal), data
            near one in size.
        w: (N or 1, m).
        friction: (N or 1, K), finite.
        f: (N, 3K), is written: inside the cones, whether or not they balance w.
        velocity: (N, m), −λ, is written.
        first, last: which problems.
        room: see there.
    """
    matrix, rows, squares, mu, forces, slopes, flags = room
    m, K = matrix.shape[0], len(mu)
    for start in range(first, last, LANES):
        take(A, start, last, matrix.reshape(3 * m * K, LANES))
        take(w, start, last, rows[0])
        take(friction, start, last, mu)
        B, vectors, square = as_lanes(matrix), as_lanes(rows), as_lanes(squares)
        orthonormal_rows(B, vectors[0], square[0], vectors[1], 0)
        state = as_lanes(mu), as_lanes(forces), as_lanes(slopes)
        solve_dual(B, vectors[0], state, vectors[2:], square[1], flags)
        put_multipliers(vectors[1], square[0], vectors[2])
        scatter(forces, start, last, f)
        scatter(rows[2], start, last, velocity)


def put_multipliers(rest, R, length):
    """Turn λ into −λ of the rows as they were given, or of one that asks for what none can give."""
    hopeless = asked_in_vain(rest, rest)
    for i in range(len(length)):
        length[i] = choose(hopeless, rest[i], -length[i])
    multipliers(R, length, 0)


def solve_dual(B, b, state, vectors, H, flags):
    """Write f (3K,) for orthonormal rows B (m, 3K), some of which may be zero."""
    mu, f, D = state
    length, step, left = vectors[0], vectors[1], vectors[2]
    for i in range(len(b)):  # orthonormal rows: Bᵀ b are the least forces without any cones
        length[i] = b[i]
    whole = norm(b) + 1e-300
    value = dual(B, b, mu, length, f, D)
    for _ in range(_STEPS):
        share = remainder(B, b, f, left) / whole
        running = choose(share - _TOLERANCE, choose(_FAR * whole - norm(length), 1.0, 0.0), 0.0)
        if not any_lane(running, flags):
            break
        curvature(B, D, H)
        trace = 0.0
        for i in range(len(b)):
            trace = trace + H[i, i]
        extra = 1e-11 * trace + 1e-10 * smaller(1.0, share)
        for i in range(len(b)):
            H[i, i] = H[i, i] + extra
            step[i] = left[i]
        factor(H, 0.0, 1e150)
        solve_factored(H, step)
        value = climb(B, b, state, vectors, value, running, flags)


def climb(B, b, state, vectors, value, running, flags):
    """Take the step, as much of it as makes the dual grow; return the dual."""
    mu, f, D = state
    length, step, left, trial = vectors[0], vectors[1], vectors[2], vectors[3]
    slope, share, grown = dot(left, step), running, value
    for _ in range(_CUTS):
        for i in range(len(b)):
            trial[i] = length[i] + choose(share, share * step[i], 0.0)
        grown = dual(B, b, mu, trial, f, D)
        short = value + 1e-4 * share * slope - 1e-15 * size(value) - grown
        short = choose(short, running, 0.0)
        if not any_lane(short, flags):
            break
        share = choose(short, 0.5 * share, share)
    for i in range(len(b)):
        length[i] = trial[i]
    return grown


def dual(B, b, mu, length, f, D):
    """Write f = P(Bᵀλ) and its derivatives D (K, 6); return bᵀλ − ½ ‖f‖²."""
    for k in range(len(mu)):
        y0, y1, y2 = 0.0, 0.0, 0.0
        for i in range(len(b)):
            y0 = y0 + B[i, 3 * k] * length[i]
            y1 = y1 + B[i, 3 * k + 1] * length[i]
            y2 = y2 + B[i, 3 * k + 2] * length[i]
        project(y0, y1, y2, mu[k], f, D, k)
    return dot(b, length) - 0.5 * dot_wide(f, f)


def project(y0, y1, y2, mu, f, D, k):
    """Write the nearest force f_k of the cone ‖f_t‖ ≤ μ f_n, and its derivative, symmetric (6,).

    Outside the cone and its polar f = a (μ u, 1) with u = y_t/‖y_t‖, a = (μ ‖y_t‖ + y_n)/(1 + μ²).
    """
    t = root(y0 * y0 + y1 * y1)
    inside = choose(y2, choose(mu * y2 - t, 1.0, 0.0), 0.0)
    edge = (1.0 - inside) * choose(mu * t + y2, 1.0, 0.0)
    share = 1.0 / (1.0 + mu * mu)
    a = edge * ((mu * t + y2) * share)
    over = 1.0 / choose(t, t, 1.0)
    u, v = y0 * over, y1 * over
    f[3 * k] = choose(inside, y0, mu * a * u)
    f[3 * k + 1] = choose(inside, y1, mu * a * v)
    f[3 * k + 2] = choose(inside, y2, a)
    around, along = mu * a * over, edge * (mu * mu * share)
    D[k, 0] = inside + around + (along - around) * u * u
    D[k, 1] = (along - around) * u * v
    D[k, 2] = inside + around + (along - around) * v * v
    D[k, 3] = edge * (mu * share) * u
    D[k, 4] = edge * (mu * share) * v
    D[k, 5] = inside + edge * share


def remainder(B, b, f, left):
    """Write b − B f; return its norm."""
    for i in range(len(b)):
        left[i] = b[i] - dot_wide(B[i], f)
    return norm(left)


def curvature(B, D, H):
    """Write the lower half of H = Σ_k B_k D_k B_kᵀ."""
    for i in range(len(H)):
        for j in range(i + 1):
            H[i, j] = 0.0
    for k in range(len(D)):
        for i in range(len(H)):
            x, y, z = B[i, 3 * k], B[i, 3 * k + 1], B[i, 3 * k + 2]
            u = x * D[k, 0] + y * D[k, 1] + z * D[k, 3]
            v = x * D[k, 1] + y * D[k, 2] + z * D[k, 4]
            w = x * D[k, 3] + y * D[k, 4] + z * D[k, 5]
            for j in range(i + 1):
                H[i, j] = H[i, j] + u * B[j, 3 * k] + v * B[j, 3 * k + 1] + w * B[j, 3 * k + 2]


LEAST_NORMS = Kernel(
    least_norms, example=lambda: (*[table()] * 5, 0, 0, room(2, 1)), each=2e-3, seconds=8.0
)
