# mypy: disable-error-code="no-untyped-def, no-untyped-call"
"""Slacks s, their multipliers z and Newton's steps of both, for the interior-point kernel.

They are those of cones and then of half-lines, see `contacts.kernels.cones`, with z in the place of
x there. With δ what s lacks, and F du what the inputs take of it,

    ds = δ − F du,    dz = W d − W² ds,    t = W d − W² δ,

t what `newton.solve` asks for. Of cones W is Nesterov and Todd's; d = −λ predicts, `corrected`
writes Mehrotra's d. Of half-lines W² = z/s, and steps are seen relative to what they change: with
q = ds/s and p = dz/z

    p + q = −1  predicts,    p + q = τ/(s z) − 1 + q̄ (1 + q̄)  corrects,

τ being what s z is to become, q̄ and p̄ = −1 − q̄ what was predicted; W d = z (p + q). That takes no
root, and one division.
"""

from __future__ import annotations

from ...contacts.kernels.cones import FAR, corrected, scaled, scaling, twice_scaled
from ...dynamics.kernels.scalars import larger, root


def predictor(z, s, r, cones, scales, d, t):
    """Write W and what else goes with s and z, d and t of the predictor.

    Args:
        z, s, r: multipliers, slacks, and δ, what these lack.
        cones: D, K, P.
        scales: w̄, the factors and λ of cones, and W ds; of half-lines W² and 1/s in the places of
            w̄ and λ, 1/z in that of W ds.
        d: of cones d, of half-lines W d, which the predictor does without.
        t: see the module.
    """
    wbar, factors, lam, za = scales
    D, K, P = cones
    only = D, K, 0
    scaling(z, s, only, wbar, factors)
    scaled(s, only, wbar, factors, lam)
    twice_scaled(r, only, wbar, factors, t)
    for j in range(D * K):
        d[j] = -lam[j]
        t[j] = -z[j] - t[j]
    for j in range(D * K, D * K + P):
        both = 1.0 / (s[j] * z[j])
        lam[j] = z[j] * both
        za[j] = s[j] * both
        wbar[j] = z[j] * lam[j]
        t[j] = -z[j] - wbar[j] * r[j]


def predicted(ds, cones, scales, d):
    """Return the least 1/α, at least 1/FAR, for which the predictor's step by α stays inside."""
    wbar, factors, lam, za = scales
    D, K, P = cones
    scaled(ds, (D, K, 0), wbar, factors, za)
    most = of_cones(lam, d, za, cones, factors[4])
    for j in range(D * K, D * K + P):
        q = ds[j] * lam[j]
        most = larger(-q, most)
        most = larger(1.0 + q, most)
    return most


def corrector(z, r, ds, target, cones, scales, d, t):
    """Write d and t of the corrector, from the ds of the predictor."""
    wbar, factors, lam, za = scales
    D, K, P = cones
    only = D, K, 0
    corrected(lam, za, target, only, factors, d)
    along(d, r, only, wbar, factors, t)
    for j in range(D * K, D * K + P):
        q = ds[j] * lam[j]
        d[j] = target * lam[j] + z[j] * (q * (1.0 + q) - 1.0)
        t[j] = d[j] - wbar[j] * r[j]


def steps(ds, cones, scales, d, dz):
    """Write dz; return the least 1/α, at least 1/FAR, for which the step by α stays inside."""
    wbar, factors, lam, za = scales
    D, K, P = cones
    only = D, K, 0
    scaled(ds, only, wbar, factors, za)
    most = of_cones(lam, d, za, cones, factors[4])
    along(d, ds, only, wbar, factors, dz)
    for j in range(D * K, D * K + P):
        dz[j] = d[j] - wbar[j] * ds[j]
        most = larger(-ds[j] * lam[j], most)
        most = larger(-dz[j] * za[j], most)
    return most


def gone(s, z, ds, dz, length, r, count):
    """Go a step; what s lacks is linear in it. Return sᵀz."""
    gap, left = 0.0, 1.0 - length
    for i in range(count):
        s[i] = s[i] + length * ds[i]
        z[i] = z[i] + length * dz[i]
        r[i] = left * r[i]
        gap = gap + s[i] * z[i]
    return gap


def along(d, r, cones, wbar, factors, out):
    """Write W d − W² r of cones."""
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
        double = 2.0 * beta * (two + own * r[last + k])
        for c in range(D - 1):
            j = c * K + k
            out[j] = beta * (d[j] + wbar[j] * (top - double) - beta * r[j])
        out[last + k] = beta * (own * (d[last + k] - double) + one + beta * r[last + k])


def of_cones(lam, d, ds, cones, inverse):
    """Return the least 1/α, at least 1/FAR, with λ + α ds and λ + α (d − ds) in all cones.

    Args:
        lam, d, ds: vectors, λ inside.
        cones: D, K, P.
        inverse: (K,), 1/(λᵀJλ).
    """
    D, K, _ = cones
    last = (D - 1) * K
    most = 1.0 / FAR
    for k in range(K):
        c, x, y = lam[last + k], ds[last + k], d[last + k] - ds[last + k]
        cc, xx, yy, xc, yc = c * c, x * x, y * y, x * c, y * c
        for i in range(D - 1):
            j = i * K + k
            c, x, y = lam[j], ds[j], d[j] - ds[j]
            cc, xx, yy, xc, yc = cc - c * c, xx - x * x, yy - y * y, xc - x * c, yc - y * c
        # the smaller roots of a α² + 2 b α + c; b² ≥ ac, but for rounding
        most = larger((root(larger(xc * xc - xx * cc, 0.0)) - xc) * inverse[k], most)
        most = larger((root(larger(yc * yc - yy * cc, 0.0)) - yc) * inverse[k], most)
    return most
