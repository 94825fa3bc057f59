"""Least-norm contact forces inside Coulomb's cones, eight problems side by side.

    minimise ½ ‖f‖²  subject to  A f = w,  f_k ∈ K_k,  low ≤ G f ≤ high

The dual has one unknown a row, six for a floating base, however many contacts there are: with P the
projection on the cones, and C f ≤ d those inequalities that join when they are violated,

    f = P(Aᵀ λ − Cᵀ ν),      maximise wᵀλ − dᵀν − ½ ‖f‖²  subject to  ν ≥ 0

is solved by a projected semismooth Newton method: H d = (w, −d) − (A, −C) f with
H = (A, −C) (∂P) (A, −C)ᵀ, on all multipliers but those ν = 0 that would turn negative, and steps
that are cut short until the concave dual grows. Any multipliers give forces inside the cones,
and with A f = w and the complementary C f ≤ d the least ones: what is left of these is all that
there is to check. Where no forces balance w the dual has no bound and λ runs away; then it is left
to others.

L. Qi, J. Sun, "A nonsmooth version of Newton's method" (1993); J. Malick, "A dual approach to
semidefinite least-squares problems" (2004) for the dual; D. Bertsekas, "Projected Newton methods
for optimization problems with simple constraints" (1982).
"""

from __future__ import annotations

from ...dynamics.kernels.scalars import as_lanes, choose, root, size, smaller
from .algebra import add, any_lane, dot, factor, norm, solve_factored
from .inequalities import (
    ROUNDS,
    choose_violated,
    forget,
    gather_chosen,
    scatter_multipliers,
    violations,
)
from .orthonormal import multipliers, orthonormal_row, orthonormal_rows

_TOLERANCE = 1e-13  # of what is left of the rows, as a share of w
_VIOLATED = 1e-10  # violation from which an inequality becomes active
_FAR = 1e6  # ‖λ‖ in multiples of ‖w‖ beyond which the dual counts as unbounded
_STEPS = 50
_CUTS = 40  # most halvings of a step


def least_norm_of(equations, inequalities, program, workspace, found, numbers, wanted, shift):
    """Write f (3K,), λ (m,), ν (R,) of lanes, for normal forces at all contacts less by `shift`.

    Args:
        equations: A (m, n), w (m,), n (m,), and newtons of each entry (n,), of which μ (K,).
        inequalities: G (R, n), g, low, high (R,), each of about unit size.
        program: as for the margin.
        workspace: H (m + MOST, m + MOST), vectors (4, m + MOST), ∂P (K, 6), and what each
            inequality lacks (R,).
        found: outcome (2,), of which the first is spoilt where it is given up; f (n,), λ (m,).
        numbers: as for the margin.
        wanted: where forces are asked for at all.
        shift: of n.
    """
    A, w, normal, units = equations
    B, b, _, R, rest, z = program
    H, vectors, D, lacking = workspace
    outcome, f, y = found
    flags = numbers[-1]
    m, n = len(w), len(units)
    mu = units[: n // 3]
    for i in range(m):
        b[i] = w[i] - shift * normal[i]
        for j in range(n):
            B[i, j] = 1.0 * A[i, j]
    orthonormal_rows(B, b, R, rest, 0, m, n)
    for i in range(m):  # orthonormal rows: Bᵀ b are the least forces without any cones
        z[i] = 1.0 * b[i]
    forget(numbers)
    outcome[0] = 0.0 * b[0]
    met, active = 0, wanted + 0.0 * b[0]
    for trial in range(ROUNDS):
        if trial > 0:
            violations(inequalities, f, shift, 0.0, active, _VIOLATED, lacking)
            before = met
            met = choose_violated(numbers)
            active = 1.0 * as_lanes(flags)[1]
            if not any_lane(active, flags):
                break
            for i in range(m + before, m + met):
                z[i] = 0.0 * b[0]
        gather_chosen(numbers, m, n, met)
        for i in range(m, m + met):
            put_inequality(B, b, R, shift, m, n, i)
        solve_dual(B, b, (mu, f, D), z, vectors, H, (m, met, n), active, flags)
    outcome[0] = choose(active, 3.0, outcome[0])
    for i in range(m, m + met):
        z[i] = z[i] * R[i, i]
        for k in range(m):
            z[k] = z[k] - z[i] * R[i, k]
    multipliers(R, z, 0, m)
    for i in range(m):
        y[i] = 1.0 * z[i]
    as_lanes(flags)[1] = 1.0 + 0.0 * b[0]
    scatter_multipliers(numbers, m, met)


def put_inequality(B, b, R, shift, m, n, i):
    """Make row i, ± (G f + shift g) ≤ ± bound, orthogonal to the equations and of unit length."""
    b[i] = b[i] - shift * R[i, 0]
    for k in range(m):
        R[i, k] = 0.0 * b[i]
    orthonormal_row(B, b, R, 0, m, i, n)


def solve_dual(B, b, state, z, vectors, H, counts, active, flags):
    """Write f (3K,) for rows B (m + met, n), of which the first m are orthonormal, or zero."""
    mu, f, D = state
    left, free = vectors[0], vectors[1]
    m, met, n = counts
    r = m + met
    whole = norm(b, m) + 1e-300
    value = dual(B, b, mu, z, f, D, r)
    for _ in range(_STEPS):
        remainder(B, b, f, z, left, free, m, r, n)
        share = norm(left, r) / whole
        near = choose(_FAR * whole - norm(z, r), 1.0, 0.0)
        running = active * choose(share - _TOLERANCE, near, 0.0)
        if not any_lane(running, flags):
            break
        curvature(B, D, free, H, r)
        trace = 0.0
        for i in range(r):
            trace = trace + H[i, i]
        extra = 1e-11 * trace + 1e-10 * smaller(1.0, share)
        for i in range(r):
            H[i, i] = H[i, i] + extra + (1.0 - free[i])
            vectors[2, i] = 1.0 * left[i]
        factor(H, r, 0.0, 1e150)
        solve_factored(H, r, vectors[2])
        value = climb(B, b, state, z, vectors, (m, r), value, running, flags)


def climb(B, b, state, z, vectors, counts, value, running, flags):
    """Take the step, as much of it as makes the dual grow; return the dual."""
    mu, f, D = state
    left, step, trial = vectors[0], vectors[2], vectors[3]
    m, r = counts
    length, grown = running, value
    for _ in range(_CUTS):
        slope = 0.0
        for i in range(r):
            trial[i] = z[i] + choose(length, length * step[i], 0.0)
            if i >= m:
                trial[i] = smaller(trial[i], 0.0)
            slope = slope + left[i] * (trial[i] - z[i])
        grown = dual(B, b, mu, trial, f, D, r)
        short = value + 1e-4 * slope - 1e-15 * size(value) - grown
        short = choose(short, running, 0.0)
        if not any_lane(short, flags):
            break
        length = choose(short, 0.5 * length, length)
    for i in range(r):
        z[i] = 1.0 * trial[i]
    return grown


def dual(B, b, mu, z, f, D, r):
    """Write f = P(Bᵀz) and its derivatives D (K, 6); return bᵀz − ½ ‖f‖²."""
    K = len(mu)
    for j in range(3 * K):
        f[j] = 0.0 * z[0]
    for i in range(r):
        add(f, z[i], B[i], 3 * K)
    for k in range(K):
        project(mu[k], f, D, k, K)
    return dot(b, z, r) - 0.5 * dot(f, f, 3 * K)


def project(mu, f, D, k, K):
    """Write the nearest force f_k of the cone ‖f_t‖ ≤ μ f_n, and its derivative, symmetric (6,).

    Outside the cone and its polar f = a (μ u, 1) with u = y_t/‖y_t‖, a = (μ ‖y_t‖ + y_n)/(1 + μ²).
    """
    y0, y1, y2 = 1.0 * f[k], 1.0 * f[K + k], 1.0 * f[2 * K + k]
    t = root(y0 * y0 + y1 * y1)
    inside = choose(y2, choose(mu * y2 - t, 1.0, 0.0), 0.0)
    edge = (1.0 - inside) * choose(mu * t + y2, 1.0, 0.0)
    share = 1.0 / (1.0 + mu * mu)
    a = edge * ((mu * t + y2) * share)
    over = 1.0 / choose(t, t, 1.0)
    u, v = y0 * over, y1 * over
    f[k] = choose(inside, y0, mu * a * u)
    f[K + k] = choose(inside, y1, mu * a * v)
    f[2 * K + k] = choose(inside, y2, a)
    around, along = mu * a * over, edge * (mu * mu * share)
    D[k, 0] = inside + around + (along - around) * u * u
    D[k, 1] = (along - around) * u * v
    D[k, 2] = inside + around + (along - around) * v * v
    D[k, 3] = edge * (mu * share) * u
    D[k, 4] = edge * (mu * share) * v
    D[k, 5] = inside + edge * share


def remainder(B, b, f, z, left, free, m, r, n):
    """Write b − B f of the free multipliers; those z = 0 that would turn positive are not free."""
    for i in range(r):
        left[i] = b[i] - dot(B[i], f, n)
        free[i] = 1.0 + 0.0 * left[i]
        if i >= m:
            free[i] = choose(-z[i], 1.0, choose(-left[i], 1.0, 0.0))
            left[i] = free[i] * left[i]


def curvature(B, D, free, H, r):
    """Write the lower half of H = Σ_k B_k D_k B_kᵀ over the free rows."""
    K = len(D)
    for i in range(r):
        for j in range(i + 1):
            H[i, j] = 0.0 * free[0]
    for k in range(K):
        for i in range(r):
            x, y, z = free[i] * B[i, k], free[i] * B[i, K + k], free[i] * B[i, 2 * K + k]
            u = x * D[k, 0] + y * D[k, 1] + z * D[k, 3]
            v = x * D[k, 1] + y * D[k, 2] + z * D[k, 4]
            w = x * D[k, 3] + y * D[k, 4] + z * D[k, 5]
            for j in range(i + 1):
                total = u * B[j, k] + v * B[j, K + k] + w * B[j, 2 * K + k]
                H[i, j] = H[i, j] + free[j] * total
