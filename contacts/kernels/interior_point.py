# mypy: disable-error-code="no-untyped-def, no-untyped-call"
"""An interior-point method for second-order cones, eight problems side by side.

    minimise cᵀx  subject to  B x = b,  x_k ∈ L;        maximise bᵀy,  s = c − Bᵀ y,  s_k ∈ L

with Lorentz's cone L = {‖(x_0, x_1)‖ ≤ x_2} and orthonormal rows B, some of which may be zero. It
works on the homogeneous self-dual embedding, which also ends at a proof when there is no x or no
bound:

    B x = b τ,   s = c τ − Bᵀ y,   κ = bᵀ y − cᵀ x

with Nesterov and Todd's scaling, a predictor and a corrector. Each step is one system of as many
equations as B has rows, five for a floating base. A lane that has ended waits for the others.

E. Andersen, C. Roos, T. Terlaky, "On implementing a primal-dual interior-point method for conic
quadratic optimization" (2003).
"""

from __future__ import annotations

from .algebra import back, combine, dot, dot_wide, factor, norm, norm_wide, solve_factored, times
from .choices import choose, larger, size, smaller
from .lorentz import ahead, corrected, scaled, scaling, shortest, twice_scaled
from .problems import any_lane

OPTIMAL, INFEASIBLE, UNBOUNDED, UNSOLVED = 0.0, 1.0, 2.0, 3.0  # how it ended, in each lane
WIDE, NARROW = 13, 5  # room for vectors of the columns, of the rows

_RUNNING = -1.0
_TOLERANCE = 1e-9  # asked for
_PROOF = 1e-10  # the same, of directions that prove that there is no x, or no bound
_ENOUGH = 1e-8  # accepted when nothing more can be had
_STEPS = 60


def solve(B, b, c, wide, narrow, square, shares, flags):
    """Return how it ended, and cᵀx; the best x is left in wide[0], y in narrow[0].

    Where there is no x, y is the proof of that: bᵀy = 1, and −Bᵀy in the cones. Where cᵀx has no
    bound, x is a direction along which it falls: B x = 0, cᵀx = −1.

    Args:
        B, b, c: (r, 3K), (r,), (3K,).
        wide, narrow, square, shares, flags: room, (WIDE, 3K), (NARROW, r), (r, r), (5, K), and
            floats (1, LANES).
    """
    x, s, across, y, primal = wide[1], wide[2], wide[3], narrow[1], narrow[2]
    begin(x, s, y)
    tau, kappa, best, value, ended = 1.0, 1.0, 1e300, 0.0, _RUNNING
    size_b, size_c = 1.0 + norm(b), 1.0 + norm_wide(c)
    for _ in range(_STEPS):
        cx, by = dot_wide(c, x), dot(b, y)
        times(B, x, primal)
        back(B, y, across)
        combine(across, -1.0, across, -1.0, s)
        running = choose(-ended, 1.0, 0.0)
        none = running * choose(by, choose(_PROOF * by - norm_wide(across), 1.0, 0.0), 0.0)
        keep_scaled(none, 1.0 / by, y, narrow[0])
        endless = running * choose(-cx, choose(-_PROOF * cx - norm(primal), 1.0, 0.0), 0.0)
        keep_scaled(endless, -1.0 / cx, x, wide[0])
        combine(primal, -1.0, primal, tau, b)
        combine(across, 1.0, across, tau, c)
        off = larger(norm(primal) / size_b, norm_wide(across) / size_c) / tau
        error = larger(off, size(cx - by) / (tau + size(cx)))
        better = running * (1.0 - none) * (1.0 - endless) * choose(best - error, 1.0, 0.0)
        best = choose(better, error, best)
        value = choose(better, 0.5 * (cx + by) / tau, value)
        keep_scaled(better, 1.0 / tau, y, narrow[0])
        keep_scaled(better, 1.0 / tau, x, wide[0])
        # enough, or worse and worse
        over = choose(_TOLERANCE - best, 1.0, choose(1e6 * (1.0 + best) - error, 0.0, 1.0))
        ended = choose(running * over, UNSOLVED, ended)
        ended = choose(none, INFEASIBLE, choose(endless, UNBOUNDED, ended))
        running = choose(-ended, 1.0, 0.0)
        if not any_lane(running, flags):
            break
        gap = kappa + cx - by
        tau, kappa = advance(B, b, c, wide, narrow, square, shares, tau, kappa, gap, running)
        alive = choose(tau, choose(kappa, 1.0, 0.0), 0.0)
        ended = choose(alive, ended, choose(running, UNSOLVED, ended))
        tau, kappa = choose(alive, tau, 1.0), choose(alive, kappa, 1.0)
    settled = choose(ended * (UNSOLVED - ended), ended, UNSOLVED)  # infeasible or unbounded
    return choose(settled - 2.5, choose(_ENOUGH - best, OPTIMAL, UNSOLVED), settled), value


def begin(x, s, y):
    """The middle of all cones."""
    for j in range(len(x)):
        x[j] = 0.0
        s[j] = 0.0
    for i in range(2, len(x), 3):
        x[i] = 1.0
        s[i] = 1.0
    for i in range(len(y)):
        y[i] = 0.0


def keep_scaled(sign, share, x, out):
    """Write share x where sign > 0."""
    for j in range(len(out)):
        out[j] = choose(sign, share * x[j], out[j])


def advance(B, b, c, wide, narrow, square, shares, tau, kappa, gap, running):
    """Make one step of predictor and corrector, in place; return the new τ, κ.

    With v solving the rows for the part of the step that goes with dτ and u for the rest, W z the
    scaled change of s, the change of the embedding's last equation gives dτ.
    """
    x, s, across, wbar, lam, z = wide[1], wide[2], wide[3], wide[4], wide[5], wide[6]
    d, p, P, q, Q, weighed = wide[7], wide[8], wide[9], wide[10], wide[11], wide[12]
    y, primal, v, u = narrow[1], narrow[2], narrow[3], narrow[4]
    scaling(x, s, wbar, shares)
    scaled(s, wbar, shares, lam)
    weigh(B, wbar, shares, Q, square)
    factor(square, 1e-15, 1e64)
    twice_scaled(c, wbar, shares, Q)
    times(B, Q, v)
    combine(v, 1.0, v, 1.0, b)
    solve_factored(square, v)
    back(B, v, q)
    combine(q, -1.0, q, 1.0, c)
    twice_scaled(q, wbar, shares, Q)
    below = kappa / tau + dot_wide(c, Q) + dot(b, v)
    mean = (dot_wide(x, s) + tau * kappa) / (shares.shape[1] + 1.0)
    sigma, product, share, dtau, dkappa = 0.0, 0.0, 0.0, 0.0, 0.0
    twice_scaled(across, wbar, shares, weighed)
    for corrector in range(2):
        if corrector == 0:
            combine(P, -1.0, x, 0.0, x)  # d = −λ
        else:
            corrected(lam, z, sigma * mean, shares, d)
            scaled(d, wbar, shares, P)
        # P = W d − W² ds and p = ds, but for what goes with dτ
        combine(p, 1.0 - sigma, weighed, -1.0, P)
        times(B, p, u)
        combine(u, 1.0, u, 1.0 - sigma, primal)
        solve_factored(square, u)
        back(B, u, d)
        combine(d, -1.0, d, 1.0 - sigma, across)
        twice_scaled(d, wbar, shares, p)
        combine(P, 1.0, P, -1.0, p)
        rest = sigma * mean - tau * kappa - product
        dtau = ((1.0 - sigma) * gap + rest / tau + dot_wide(c, P) - dot(b, u)) / below
        dkappa = (rest - kappa * dtau) / tau
        combine(P, 1.0, P, -dtau, Q)
        combine(d, 1.0, d, dtau, q)
        share = 1.0 / larger(shortest(x, P, shares[2]), shortest(s, d, shares[3]))
        share = smaller(share, smaller(ahead(tau, dtau), ahead(kappa, dkappa)))
        if corrector == 0:
            left = 1.0 - smaller(share, 1.0)
            sigma, product = left * left, dtau * dkappa
            scaled(d, wbar, shares, z)
    share = smaller(0.98 * share, 1.0)
    combine(u, 1.0, u, dtau, v)
    step(x, share, P, running)
    step(s, share, d, running)
    step(y, share, u, running)
    return (
        choose(running, tau + share * dtau, tau),
        choose(running, kappa + share * dkappa, kappa),
    )


def weigh(B, wbar, shares, row, square):
    """Write the lower half of B W² Bᵀ; `row` is room for one row."""
    for i in range(len(B)):
        twice_scaled(B[i], wbar, shares, row)
        for j in range(i + 1):
            square[i, j] = dot_wide(row, B[j])


def step(x, share, dx, running):
    """Write x + share dx where it still runs."""
    for j in range(len(x)):
        x[j] = choose(running, x[j] + share * dx[j], x[j])
