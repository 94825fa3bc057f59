"""An interior-point method for conic programs: Lorentz cones and linear inequalities.

    minimise cᵀx  subject to  B x = b,  x ∈ K;        maximise bᵀy,  s = c − Bᵀ y,  s ∈ K

with K the product of `cones` (its own dual): points' cones, and half-lines for the slacks of linear
inequalities. It works on the homogeneous self-dual embedding, which also ends at a proof when
there is no x or no bound:

    B x = b τ,   s = c τ − Bᵀ y,   κ = bᵀ y − cᵀ x,   x, s ∈ K,  τ, κ ≥ 0

With residuals p = b τ − B x, d = c τ − Bᵀ y − s, g = κ + cᵀx − bᵀy and Nesterov and Todd's
scaling W (W s = W⁻¹ x = λ), Newton's step keeps a share 1 − σ of the way to feasibility, and to
complementarity λ∘λ = σ μ e:

    B dx − b dτ = (1 − σ) p,     Bᵀdy + ds − c dτ = (1 − σ) d,     W⁻¹ dx + W ds = r

First σ = 0 (predictor); the step that it could make gives σ and Mehrotra's second-order term of r
(corrector). Eliminating dx and ds leaves the Schur complement B W² Bᵀ, as many equations as B has
rows: five for a floating base, one more for each linear inequality. A lane that has ended waits for
the others.

E. Andersen, C. Roos, T. Terlaky, "On implementing a primal-dual interior-point method for conic
quadratic optimization" (2003).
"""

from __future__ import annotations

from ...dynamics.kernels.scalars import choose, larger, size, smaller
from .algebra import add, any_lane, back, combine, dot, factor, keep, norm, solve_factored, times
from .cones import corrected, inverse_step, longest, scaled, scaling, set_identity, twice_scaled

OPTIMAL, INFEASIBLE, UNBOUNDED, UNSOLVED = 0.0, 1.0, 2.0, 3.0  # how it ended, in each lane
COLUMNS, ROWS = 13, 5  # vectors of workspace of as many entries as B has columns, rows

_RUNNING = -1.0
_TOLERANCE = 1e-9  # asked for, of residuals and gap
_PROOF = 1e-10  # the same, of directions that prove that there is no x, or no bound
_ENOUGH = 1e-8  # accepted where steps get no further
_STEPS = 60
_TO_BOUNDARY = 0.98  # of the way to the boundary of the cones that a step may go


def solve(B, b, c, cones, r, columns, rows, square, factors, flags):
    """Return how it ended, and cᵀx; the best x is left in columns[0], y in rows[0].

    Where there is no x, y is the proof of that: bᵀy = 1, and −Bᵀy in the cones. Where cᵀx has no
    bound, x is a direction along which it falls: B x = 0, cᵀx = −1.

    Args:
        B, b, c: (≥ r, ≥ n), (≥ r,), (≥ n,) with n = D K + P.
        cones: D, K, P.
        r: number of rows.
        columns, rows, square, factors, flags: workspace, (COLUMNS, ≥ n), (ROWS, ≥ r),
            (≥ r, ≥ r), (5, K), and floats (1, LANES).
    """
    x, s, dual, y, primal = columns[1], columns[2], columns[3], rows[1], rows[2]
    n = cones[0] * cones[1] + cones[2]
    set_identity(x, cones)
    set_identity(s, cones)
    for i in range(r):
        y[i] = 0.0
    tau, kappa, best, value, ended = 1.0, 1.0, 1e300, 0.0, _RUNNING
    size_b, size_c = 1.0 + norm(b, r), 1.0 + norm(c, n)
    for _ in range(_STEPS):
        cx, by = dot(c, x, n), dot(b, y, r)
        times(B, x, r, n, primal)
        back(B, y, r, n, dual)
        combine(dual, -1.0, dual, -1.0, s, n)
        running = choose(-ended, 1.0, 0.0)
        none = running * choose(by, choose(_PROOF * by - norm(dual, n), 1.0, 0.0), 0.0)
        keep(none, 1.0 / by, y, r, rows[0])
        endless = running * choose(-cx, choose(-_PROOF * cx - norm(primal, r), 1.0, 0.0), 0.0)
        keep(endless, -1.0 / cx, x, n, columns[0])
        combine(primal, -1.0, primal, tau, b, r)
        add(dual, tau, c, n)
        off = larger(norm(primal, r) / size_b, norm(dual, n) / size_c) / tau
        error = larger(off, size(cx - by) / (tau + size(cx)))
        better = running * (1.0 - none) * (1.0 - endless) * choose(best - error, 1.0, 0.0)
        best = choose(better, error, best)
        value = choose(better, 0.5 * (cx + by) / tau, value)
        keep(better, 1.0 / tau, y, r, rows[0])
        keep(better, 1.0 / tau, x, n, columns[0])
        # enough, or worse and worse
        over = choose(_TOLERANCE - best, 1.0, choose(1e13 * (1.0 + best) - error, 0.0, 1.0))
        ended = choose(running * over, UNSOLVED, ended)
        ended = choose(none, INFEASIBLE, choose(endless, UNBOUNDED, ended))
        running = choose(-ended, 1.0, 0.0)
        if not any_lane(running, flags):
            break
        gap = kappa + cx - by
        state = tau, kappa, gap, running
        tau, kappa = advance(B, b, c, cones, r, columns, rows, square, factors, state)
        alive = choose(tau, choose(kappa, 1.0, 0.0), 0.0)
        ended = choose(alive, ended, choose(running, UNSOLVED, ended))
        tau, kappa = choose(alive, tau, 1.0), choose(alive, kappa, 1.0)
    settled = choose(ended * (UNSOLVED - ended), ended, UNSOLVED)  # infeasible or unbounded
    return choose(settled - 2.5, choose(_ENOUGH - best, OPTIMAL, UNSOLVED), settled), value


def advance(B, b, c, cones, r, columns, rows, square, factors, state):
    """Make one step of predictor and corrector, in place; return the new τ, κ.

    The step in x, s, y is dx − dτ Q, d + dτ q, u + dτ v, of which what goes with dτ is found once;
    the change of the embedding's last equation gives dτ.
    """
    x, s, dual, wbar = columns[1], columns[2], columns[3], columns[4]
    lam, z, d, p = columns[5], columns[6], columns[7], columns[8]
    dx, q, Q, weighed = columns[9], columns[10], columns[11], columns[12]
    y, primal, v, u = rows[1], rows[2], rows[3], rows[4]
    tau, kappa, gap, running = state
    n = cones[0] * cones[1] + cones[2]
    scaling(x, s, cones, wbar, factors)
    scaled(s, cones, wbar, factors, lam)
    schur_complement(B, cones, r, wbar, factors, Q, square)
    factor(square, r, 1e-15, 1e64)
    twice_scaled(c, cones, wbar, factors, Q)
    solve_rows(B, square, r, n, Q, 1.0, b, c, v, q)
    twice_scaled(q, cones, wbar, factors, Q)
    below = kappa / tau + dot(c, Q, n) + dot(b, v, r)
    mean = (dot(x, s, n) + tau * kappa) / (cones[1] + cones[2] + 1.0)
    sigma, product, length, dtau, dkappa = 0.0, 0.0, 0.0, 0.0, 0.0
    twice_scaled(dual, cones, wbar, factors, weighed)
    for corrector in range(2):
        if corrector == 0:
            combine(dx, -1.0, x, 0.0, x, n)  # W r = −W λ
        else:
            corrected(lam, z, sigma * mean, cones, factors, d)
            scaled(d, cones, wbar, factors, dx)
        # dx = W r − W² ds, but for what goes with dτ
        combine(p, 1.0 - sigma, weighed, -1.0, dx, n)
        solve_rows(B, square, r, n, p, 1.0 - sigma, primal, dual, u, d)
        twice_scaled(d, cones, wbar, factors, p)
        add(dx, -1.0, p, n)
        rest = sigma * mean - tau * kappa - product
        dtau = ((1.0 - sigma) * gap + rest / tau + dot(c, dx, n) - dot(b, u, r)) / below
        dkappa = (rest - kappa * dtau) / tau
        add(dx, -dtau, Q, n)
        add(d, dtau, q, n)
        within = larger(
            inverse_step(x, dx, cones, factors[2]), inverse_step(s, d, cones, factors[3])
        )
        length = smaller(1.0 / within, smaller(longest(tau, dtau), longest(kappa, dkappa)))
        if corrector == 0:
            left = 1.0 - smaller(length, 1.0)
            sigma, product = left * left, dtau * dkappa
            scaled(d, cones, wbar, factors, z)
    length = choose(running, smaller(_TO_BOUNDARY * length, 1.0), 0.0)
    add(u, dtau, v, r)
    step(x, length, dx, n)
    step(s, length, d, n)
    step(y, length, u, r)
    tau = choose(length, tau + length * dtau, tau)
    return tau, choose(length, kappa + length * dkappa, kappa)


def solve_rows(B, square, r, n, weighed, share, p, d, u, left):
    """Write u with B W² Bᵀ u = B w + share p, and share d − Bᵀu; `square` has the factors."""
    times(B, weighed, r, n, u)
    add(u, share, p, r)
    solve_factored(square, r, u)
    back(B, u, r, n, left)
    combine(left, -1.0, left, share, d, n)


def schur_complement(B, cones, r, wbar, factors, row, square):
    """Write the lower half of B W² Bᵀ; `row` is workspace for one row."""
    n = cones[0] * cones[1] + cones[2]
    for i in range(r):
        twice_scaled(B[i], cones, wbar, factors, row)
        for j in range(i + 1):
            square[i, j] = dot(row, B[j], n)


def step(x, length, dx, n):
    """Write x + length dx where length > 0."""
    for j in range(n):
        x[j] = choose(length, x[j] + length * dx[j], x[j])
