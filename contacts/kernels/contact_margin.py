# mypy: disable-error-code="no-untyped-def, misc, no-untyped-call"
"""The margin of contacts with Coulomb's cones, and its proof, compiled.

    maximise ε  subject to  A f + ε n = w,  f_k ∈ K_k          (ε newtons of normal force to spare)
    minimise wᵀy  subject to  nᵀy = 1,  A_kᵀ y ∈ K_k*           (y: the motion it would fall along)

A reflection of the rows that turns n into (‖n‖, 0, …) leaves one row for ε and the others without
it, and friction goes into the columns, so that the cones are Lorentz's cone L = {‖x_t‖ ≤ x_n}:

    minimise cᵀx  subject to  B x = b,  x_k ∈ L;        maximise bᵀy,  s = c − Bᵀ y,  s_k ∈ L

These are solved by an interior-point method with Nesterov and Todd's scaling on the homogeneous
self-dual embedding, which also ends at a proof when there is no x or no bound:

    B x = b τ,   s = c τ − Bᵀ y,   κ = bᵀ y − cᵀ x

Each step is one system of as many equations as B has rows, five for a floating base.

E. Andersen, C. Roos, T. Terlaky, "On implementing a primal-dual interior-point method for conic
quadratic optimization" (2003).
"""

from __future__ import annotations

import math

import numpy as np

from .compiling import compiled

OPTIMAL, INFEASIBLE, UNBOUNDED, UNSOLVED = range(4)

_TOLERANCE = 1e-10  # asked for
_ENOUGH = 1e-8  # accepted when nothing more can be had
_STEPS = 60


@compiled
def margins(A, w, n, friction, first, last, status, margin, f, velocity):
    """Solve problems first … last − 1; an array with a single entry serves all of them.

    Args:
        A: (N or 1, m, 3K), forces in contact axes (two tangents, normal), data near one in size.
        w: (N or 1, m).
        n: (N or 1, m), not zero.
        friction: (N or 1, K), finite.
        first, last: which problems.
        status: (N,), is written.
        margin: (N,), ε, is written: −inf if infeasible, +inf if unbounded, nan if unsolved.
        f: (N, K, 3), the forces that have it, are written.
        velocity: (N, m), y, is written: of infeasible ones with nᵀy = 0 and wᵀy = −1.
    """
    m = A.shape[1]
    rows, pull = np.empty((m, A.shape[2])), np.empty(m)
    B, b, T = np.empty((m, A.shape[2])), np.empty(m), np.empty((m, m))
    space, found = np.empty((13, A.shape[2])), np.empty((5, m))
    for i in range(first, last):
        normal, y = n[i % len(n)], velocity[i]
        scaled(A[i % len(A)], friction[i % len(friction)], rows)
        pull[:] = w[i % len(w)]
        length = reflect(rows, pull, normal)
        rank, asked = orthonormal_rows(rows, pull, B, b, T)
        y[:] = 0.0
        if asked != 0:  # a row of zeros that asks for something: nothing helps
            status[i], margin[i] = INFEASIBLE, -math.inf
            for j in range(1, m):
                y[j] = -T[rank, j] / asked
        else:
            for j in range(rows.shape[1]):
                rows[0, j] /= length
            state = space, found[:, :rank]
            status[i], value = solve(B[:rank], b[:rank], rows[0], state)
            margin[i] = pull[0] / length - value
            unscaled(space[12], friction[i % len(friction)], f[i])
            y[0] = 1 / length if status[i] == OPTIMAL else 0.0
            for k in range(rank):
                for j in range(1, m):
                    y[j] -= found[0, k] * T[k, j]
        reflected(y, normal)


@compiled
def scaled(A, mu, rows):
    """Write the columns for x = (f_t/μ, f_n): first all of f_x, then f_y, then f_n.

    In this order loops over cones run on registers of several cones.
    """
    K = len(mu)
    for i in range(A.shape[0]):
        for k in range(K):
            rows[i, k] = mu[k] * A[i, 3 * k]
            rows[i, K + k] = mu[k] * A[i, 3 * k + 1]
            rows[i, 2 * K + k] = A[i, 3 * k + 2]


@compiled
def unscaled(x, mu, f):
    """Write the forces of x."""
    K = len(mu)
    for k in range(K):
        f[k, 0], f[k, 1], f[k, 2] = mu[k] * x[k], mu[k] * x[K + k], x[2 * K + k]


@compiled
def reflect(rows, pull, normal):
    """Reflect the rows so that n becomes (ℓ, 0, …), in place; return ℓ = ±‖n‖."""
    for j in range(rows.shape[1]):
        reflected(rows[:, j], normal)
    reflected(pull, normal)
    return (-1.0 if normal[0] > 0 else 1.0) * math.sqrt(dot(normal, normal))


@compiled
def reflected(x, normal):
    """Householder's reflection x − 2 u uᵀx/uᵀu, u = n − ℓ e₁, in place; its own inverse."""
    length = (-1.0 if normal[0] > 0 else 1.0) * math.sqrt(dot(normal, normal))
    half = length * (length - normal[0])  # uᵀu/2
    share = (dot(normal, x) - length * x[0]) / half
    for i in range(len(x)):
        x[i] -= share * normal[i]
    x[0] += share * length


@compiled
def orthonormal_rows(rows, pull, B, b, T):
    """Write B = T rows, orthonormal, and b = T pull, for all rows but the first; return how many.

    Gram-Schmidt, twice for rounding. Rows that depend on others are left out; one that asks for
    something all the same ends it: what it asks for is returned, its combination is the last of T.
    """
    rank = 0
    for i in range(1, len(rows)):
        t, row = T[rank], B[rank]
        t[:], row[:], b[rank] = 0.0, rows[i], pull[i]
        t[i] = 1.0
        size = dot(row, row)
        for _ in range(2):
            for k in range(rank):
                part = dot(B[k], row)
                b[rank] -= part * b[k]
                subtract(row, part, B[k])
                subtract(t, part, T[k])
        left = dot(row, row)
        if left > 1e-20 * max(size, 1.0):
            scale = 1 / math.sqrt(left)
            row *= scale
            t *= scale
            b[rank] *= scale
            rank += 1
        elif abs(b[rank]) > 1e-9:
            return rank, b[rank]
    return rank, 0.0


# --- the interior-point method -------------------------------------------------------------------


@compiled
def solve(B, b, c, state):
    """Return (status, cᵀx) of min cᵀx, B x = b, x_k ∈ L, and write y: see above.

    `state` has room for vectors of the columns (13, 3K), the last one for x, and of the rows
    (5, r), the first one for y.
    """
    space, small = state
    x, s, across, y, primal = space[0], space[1], space[2], small[1], small[2]
    x[:], s[:], y[:], small[0] = 0.0, 0.0, 0.0, 0.0
    x[2 * len(x) // 3 :], s[2 * len(x) // 3 :] = 1.0, 1.0
    tau, kappa, best, value = 1.0, 1.0, math.inf, math.nan
    for _ in range(_STEPS):
        cx, by = dot(c, x), dot(b, y)
        times(B, x, primal)
        back(B, y, across)
        combine(across, -1.0, across, -1.0, s)
        if by > 0 and norm(across) <= _TOLERANCE * by:
            combine(small[0], 1 / by, y, 0.0, y)
            return INFEASIBLE, math.inf
        if cx < 0 and norm(primal) <= -_TOLERANCE * cx:
            return UNBOUNDED, -math.inf
        combine(primal, -1.0, primal, tau, b)
        combine(across, 1.0, across, tau, c)
        off = max(norm(primal) / (1 + norm(b)), norm(across) / (1 + norm(c))) / tau
        error = max(off, abs(cx - by) / (tau + abs(cx)))
        if error < best:
            best, value = error, 0.5 * (cx + by) / tau
            combine(small[0], 1 / tau, y, 0.0, y)
            combine(space[12], 1 / tau, x, 0.0, x)
        if best <= _TOLERANCE or not error <= 1e6 * (1 + best):
            break
        tau, kappa = advance(B, b, c, state, tau, kappa, kappa + cx - by)
        if not (tau > 0 and kappa > 0):
            break
    return (OPTIMAL, value) if best <= _ENOUGH else (UNSOLVED, math.nan)


@compiled
def advance(B, b, c, state, tau, kappa, gap):
    """Make one step of predictor and corrector, in place; return the new τ, κ.

    With v solving the rows for the part of the step that goes with dτ and u for the rest, W z the
    scaled change of s, the change of the embedding's last equation gives dτ.
    """
    space, small = state
    x, s, across, wbar, lam, z = space[0], space[1], space[2], space[3], space[4], space[5]
    d, p, P, q, Q, beta = space[6], space[7], space[8], space[9], space[10], space[11]
    y, primal, v, u = small[1], small[2], small[3], small[4]
    scaling(x, s, wbar, beta, lam)
    L = factor(B, wbar, beta, Q)
    squared(c, wbar, beta, Q)
    times(B, Q, v)
    combine(v, 1.0, v, 1.0, b)
    cholesky_solve(L, v)
    back(B, v, q)
    combine(q, -1.0, q, 1.0, c)
    squared(q, wbar, beta, Q)
    below = kappa / tau + dot(c, Q) + dot(b, v)
    mean = (dot(x, s) + tau * kappa) / (len(x) // 3 + 1)
    sigma, product, share, dtau, dkappa = 0.0, 0.0, 0.0, 0.0, 0.0
    for corrector in range(2):
        shifted(lam, z, sigma * mean, corrector == 1, d)
        # P = W d − W² ds and p = ds, but for what goes with dτ
        forth(d, wbar, beta, P)
        squared(across, wbar, beta, p)
        combine(p, 1 - sigma, p, -1.0, P)
        times(B, p, u)
        combine(u, 1.0, u, 1 - sigma, primal)
        cholesky_solve(L, u)
        back(B, u, d)
        combine(d, -1.0, d, 1 - sigma, across)
        squared(d, wbar, beta, p)
        combine(P, 1.0, P, -1.0, p)
        rest = sigma * mean - tau * kappa - product
        dtau = ((1 - sigma) * gap + rest / tau + dot(c, P) - dot(b, u)) / below
        dkappa = (rest - kappa * dtau) / tau
        combine(P, 1.0, P, -dtau, Q)
        combine(d, 1.0, d, dtau, q)
        share = min(longest(x, P), longest(s, d), ahead(tau, dtau), ahead(kappa, dkappa))
        if corrector == 0:
            sigma, product = (1 - min(share, 1.0)) ** 3, dtau * dkappa
            forth(d, wbar, beta, z)
    share = min(0.99 * share, 1.0)
    combine(x, 1.0, x, share, P)
    combine(s, 1.0, s, share, d)
    combine(y, 1.0, y, share, u)
    combine(y, 1.0, y, share * dtau, v)
    return tau + share * dtau, kappa + share * dkappa


@compiled
def scaling(x, s, wbar, beta, lam):
    """Write Nesterov and Todd's W = β W̄(w̄) with W s = W⁻¹ x = λ; a β for each cone."""
    K = len(x) // 3
    for k in range(K):
        xx, ss = math.sqrt(spread(x, x, k, K)), math.sqrt(spread(s, s, k, K))
        dots = x[k] * s[k] + x[K + k] * s[K + k] + x[2 * K + k] * s[2 * K + k]
        half = 0.5 / math.sqrt(0.5 * (1 + dots / (xx * ss)))
        wbar[k] = half * (x[k] / xx - s[k] / ss)
        wbar[K + k] = half * (x[K + k] / xx - s[K + k] / ss)
        wbar[2 * K + k] = half * (x[2 * K + k] / xx + s[2 * K + k] / ss)
        beta[k] = math.sqrt(xx / ss)
    forth(s, wbar, beta, lam)


@compiled
def spread(a, b, k, K):
    """a_n b_n − a_tᵀ b_t of the k-th of K cones."""
    return a[2 * K + k] * b[2 * K + k] - a[k] * b[k] - a[K + k] * b[K + k]


@compiled
def forth(v, wbar, beta, out):
    """Write W v."""
    K = len(v) // 3
    for k in range(K):
        d = wbar[k] * v[k] + wbar[K + k] * v[K + k]
        along = v[2 * K + k] + d / (1 + wbar[2 * K + k])
        out[k] = beta[k] * (v[k] + wbar[k] * along)
        out[K + k] = beta[k] * (v[K + k] + wbar[K + k] * along)
        out[2 * K + k] = beta[k] * (wbar[2 * K + k] * v[2 * K + k] + d)


@compiled
def squared(v, wbar, beta, out):
    """Write W² v = β² (2 w̄ w̄ᵀ − J) v, J = diag(−1, −1, 1); in place too."""
    K = len(v) // 3
    for k in range(K):
        d = 2 * (wbar[k] * v[k] + wbar[K + k] * v[K + k] + wbar[2 * K + k] * v[2 * K + k])
        scale = beta[k] ** 2
        out[k] = scale * (d * wbar[k] + v[k])
        out[K + k] = scale * (d * wbar[K + k] + v[K + k])
        out[2 * K + k] = scale * (d * wbar[2 * K + k] - v[2 * K + k])


@compiled
def shifted(lam, z, target, corrector, d):
    """Write d with λ∘d = target e − λ∘λ − (−λ − z)∘z, the last two terms for the corrector alone.

    ∘ is Jordan's product of the cone, (u_n v_t + v_n u_t, uᵀv).
    """
    K = len(lam) // 3
    for k in range(K):
        d[k], d[K + k], d[2 * K + k] = -lam[k], -lam[K + k], -lam[2 * K + k]
        if corrector:
            a, b, c = lam[k] + z[k], lam[K + k] + z[K + k], lam[2 * K + k] + z[2 * K + k]
            r0 = c * z[k] + z[2 * K + k] * a
            r1 = c * z[K + k] + z[2 * K + k] * b
            r2 = target + a * z[k] + b * z[K + k] + c * z[2 * K + k]
            along = (lam[2 * K + k] * r2 - lam[k] * r0 - lam[K + k] * r1) / spread(lam, lam, k, K)
            d[k] += (r0 - along * lam[k]) / lam[2 * K + k]
            d[K + k] += (r1 - along * lam[K + k]) / lam[2 * K + k]
            d[2 * K + k] += along


@compiled
def longest(v, dv):
    """The largest α with v + α dv in all cones."""
    least = math.inf
    K = len(v) // 3
    for k in range(K):
        a, b, c = spread(dv, dv, k, K), spread(v, dv, k, K), spread(v, v, k, K)
        inside = b * b - a * c
        if inside >= 0:
            under = math.sqrt(inside) - b
            if under > 0:
                least = min(least, max(c, 0.0) / under)
    return least


@compiled
def ahead(value, slope):
    """The largest α with value + α slope ≥ 0."""
    return -value / slope if slope < 0 else math.inf


# --- small linear algebra ------------------------------------------------------------------------


@compiled
def factor(B, wbar, beta, row):
    """Return Cholesky's factor of B W² Bᵀ; `row` is room for one row."""
    r = len(B)
    L = np.zeros((r, r))
    for i in range(r):
        squared(B[i], wbar, beta, row)
        for j in range(i + 1):
            L[i, j] = dot(row, B[j])
    for i in range(r):
        most = L[i, i]
        for j in range(i + 1):
            total = L[i, j]
            for k in range(j):
                total -= L[i, k] * L[j, k]
            if i != j:
                L[i, j] = total / L[j, j]
            else:  # what rounding leaves of a direction without curvature is held still
                L[i, i] = math.sqrt(total) if total > 1e-15 * most else 1e64
    return L


@compiled
def cholesky_solve(L, x):
    """Write (L Lᵀ)⁻¹ x in the place of x."""
    r = len(L)
    for i in range(r):
        for k in range(i):
            x[i] -= L[i, k] * x[k]
        x[i] /= L[i, i]
    for i in range(r - 1, -1, -1):
        for k in range(i + 1, r):
            x[i] -= L[k, i] * x[k]
        x[i] /= L[i, i]


@compiled
def times(B, x, out):
    """Write B x."""
    for i in range(len(B)):
        out[i] = dot(B[i], x)


@compiled
def back(B, y, out):
    """Write Bᵀ y."""
    out[:] = 0.0
    for i in range(len(B)):
        subtract(out, -y[i], B[i])


@compiled
def combine(out, a, x, b, y):
    """Write a x + b y; in place too."""
    for j in range(len(out)):
        out[j] = a * x[j] + b * y[j]


@compiled
def subtract(x, share, row):
    """x −= share row, in place."""
    for j in range(len(x)):
        x[j] -= share * row[j]


@compiled
def dot(a, b):
    """aᵀb."""
    total = 0.0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


@compiled
def norm(x):
    """‖x‖."""
    return math.sqrt(dot(x, x))
