"""Slacks s, their multipliers z and Newton's steps of both, for the interior-point kernel.

They are those of cones and then of half-lines, see `contacts.kernels.cones`, with z in the place of
x there. With δ what s lacks, and F du what the inputs take of it,

    ds = δ − F du,    dz = W d − W² ds,    t = W d − W² δ,

t what `newton.solve` asks for. Of cones W is Nesterov and Todd's; d = −λ predicts, `corrected`
writes Mehrotra's d. Of half-lines W² = z/s, and steps are seen relative to what they change: with
q = ds/s and p = dz/z

    p + q = −1  predicts,    p + q = τ/(s z) − 1 + q̄ (1 + q̄)  corrects,

τ being what s z is to become, q̄ and p̄ = −1 − q̄ what was predicted; W d = z (p + q), and no d is
kept: dz = t + W² (δ − ds). That takes no root, and one division.
"""

from __future__ import annotations

from ...contacts.kernels.cones import FAR, corrected, hyperbolic, scaled, scaling, twice_scaled
from ...dynamics.kernels.scalars import choose, inverse, larger, roots, size

TINY = 1e-300  # keeps arguments of roots above zero


def predictor(z, s, r, share, cones, scales, t):
    """Write W and what else goes with s and z, and t of the predictor.

    Args:
        z, s, r, share: multipliers, slacks, and what these lack, δ = share r.
        cones: D, K, P.
        scales: w̄, the factors and λ of cones, and W ds; of half-lines W² and, in the place of
            W ds, 1/z.
        t: see the module.
    """
    wbar, factors, lam, za = scales
    D, K, P = cones
    only = D, K, 0
    scaling(z, s, only, wbar, factors)
    scaled(s, only, wbar, factors, lam)
    twice_scaled(r, only, wbar, factors, t)
    for j in range(D * K):
        t[j] = -z[j] - share * t[j]
    for j in range(D * K, D * K + P):
        both = inverse(s[j] * z[j])
        za[j] = s[j] * both
        wbar[j] = z[j] * (z[j] * both)
        t[j] = -z[j] - wbar[j] * (share * r[j])


def predicted(ds, cones, scales):
    """Return the least 1/α, at least 1/FAR, for which the predictor's step by α stays inside."""
    wbar, factors, lam, za = scales
    D, K, P = cones
    scaled(ds, (D, K, 0), wbar, factors, za)
    most = 1.0 / FAR
    for k in range(K):
        # b of −λ − W ds is −1 − b, and what is under the root the same
        a, b = quadratic(lam, za, factors[4, k], cones, k)
        half, _ = roots(larger(b * b - a, TINY))
        most = larger(half - b, most)
        most = larger(half + b + 1.0, most)
    for j in range(D * K, D * K + P):
        q = ds[j] * (wbar[j] * za[j])
        most = larger(-q, most)
        most = larger(1.0 + q, most)
    return most


def corrector(z, r, share, ds, target, cones, scales, d, t):
    """Write d of cones and t of the corrector, from the ds of the predictor."""
    wbar, factors, lam, za = scales
    D, K, P = cones
    only = D, K, 0
    corrected(lam, za, target, only, factors, d)
    along(d, r, share, only, wbar, factors, t)
    for j in range(D * K, D * K + P):
        inner = wbar[j] * za[j]  # 1/s
        q = ds[j] * inner
        t[j] = target * inner + z[j] * (q * (1.0 + q) - 1.0) - wbar[j] * (share * r[j])


def steps(r, share, ds, cones, scales, d, t):
    """Write dz over t; return the least 1/α, at least 1/FAR, for which steps by α stay inside."""
    wbar, factors, lam, za = scales
    D, K, P = cones
    only = D, K, 0
    scaled(ds, only, wbar, factors, za)
    along(d, ds, 1.0, only, wbar, factors, t)
    most = of_cones(lam, d, za, cones, factors[4])
    for j in range(D * K, D * K + P):
        t[j] = t[j] + wbar[j] * (share * r[j] - ds[j])
        most = larger(-ds[j] * (wbar[j] * za[j]), most)
        most = larger(-t[j] * za[j], most)
    return most


def take_step(s, z, ds, dz, length, count):
    """Take a step of a length in s and z; return sᵀz."""
    gap, far = 0.0, size(length)
    for i in range(count):
        s[i] = choose(far, s[i] + length * ds[i], s[i])
        z[i] = choose(far, z[i] + length * dz[i], z[i])
        gap = gap + s[i] * z[i]
    return gap


def add_step(x, length, dx, n):
    """Add length dx where that is not zero: what a lane that stands still has may be nan."""
    for j in range(n):
        x[j] = choose(size(length), x[j] + length * dx[j], x[j])


def along(d, r, share, cones, wbar, factors, out):
    """Write W d − share W² r of cones."""
    D, K, _ = cones
    last = (D - 1) * K
    for k in range(K):
        beta, one, two = factors[0, k], 0.0, 0.0
        for c in range(D - 1):
            j = c * K + k
            one = one + wbar[j] * d[j]
            two = two + wbar[j] * r[j]
        own = wbar[last + k]
        top = d[last + k] + one * factors[1, k]
        less = beta * share
        double = 2.0 * less * (two + own * r[last + k])
        for c in range(D - 1):
            j = c * K + k
            out[j] = beta * (d[j] + wbar[j] * (top - double) - less * r[j])
        out[last + k] = beta * (own * (d[last + k] - double) + one + less * r[last + k])


def of_cones(lam, d, ds, cones, inverses):
    """Return the least 1/α, at least 1/FAR, with λ + α ds and λ + α (d − ds) in all cones.

    Args:
        lam, d, ds: vectors, λ inside; d − ds is written over d.
        cones: D, K, P.
        inverses: (K,), 1/(λᵀJλ).
    """
    D, K, _ = cones
    most = 1.0 / FAR
    for k in range(K):
        a, b = quadratic(lam, ds, inverses[k], cones, k)
        half, _ = roots(larger(b * b - a, TINY))
        most = larger(half - b, most)
        for j in range(k, D * K, K):
            d[j] = d[j] - ds[j]
        a, b = quadratic(lam, d, inverses[k], cones, k)
        half, _ = roots(larger(b * b - a, TINY))
        most = larger(half - b, most)
    return most


def quadratic(lam, x, inverse, cones, k):
    """Return a and b of a α² + 2 b α + 1 = (λ + α x)ᵀJ(λ + α x)/(λᵀJλ), of the k-th cone.

    b² ≥ a, but for rounding; the smaller root is 1/(√(b² − a) − b).
    """
    return hyperbolic(x, x, cones, k) * inverse, hyperbolic(lam, x, cones, k) * inverse
