# mypy: disable-error-code="no-untyped-def, no-untyped-call"
"""Lorentz's cones ‖(x_0, x_1)‖ ≤ x_2 side by side, and Nesterov and Todd's scaling of them.

For x and s inside, the scaling W = β W̄(w̄) is the symmetric one with W s = W⁻¹ x = λ, a β for each
cone; W² = β² (2 w̄ w̄ᵀ − J) with J = diag(−1, −1, 1).
"""

from __future__ import annotations

from .choices import choose, larger, root, smaller

FAR = 1e30  # no step is longer


def spread(a, b, i):
    """a_2 b_2 − a_0 b_0 − a_1 b_1 of the cone whose entries begin at i."""
    return a[i + 2] * b[i + 2] - a[i] * b[i] - a[i + 1] * b[i + 1]


def scaling(x, s, wbar, shares):
    """Write w̄ (3K,), and of each cone β and what others divide by: shares (5, K).

    These are β, 1/(1 + w̄_2), 1/(xᵀJx), 1/(sᵀJs), and 1/√(xᵀJx sᵀJs), which is 1/(λᵀJλ).
    """
    for k in range(shares.shape[1]):
        i = 3 * k
        xx, ss = root(spread(x, x, i)), root(spread(s, s, i))
        both = 1.0 / (xx * ss)
        of_x, of_s = both * ss, both * xx
        dots = x[i] * s[i] + x[i + 1] * s[i + 1] + x[i + 2] * s[i + 2]
        half = 0.5 / root(0.5 + 0.5 * (dots * both))
        wbar[i] = half * (x[i] * of_x - s[i] * of_s)
        wbar[i + 1] = half * (x[i + 1] * of_x - s[i + 1] * of_s)
        wbar[i + 2] = half * (x[i + 2] * of_x + s[i + 2] * of_s)
        shares[0, k] = xx * root(both)
        shares[1, k] = 1.0 / (1.0 + wbar[i + 2])
        shares[2, k] = of_x * of_x
        shares[3, k] = of_s * of_s
        shares[4, k] = both


def scaled(v, wbar, shares, out):
    """Write W v."""
    for k in range(shares.shape[1]):
        i, beta = 3 * k, shares[0, k]
        d = wbar[i] * v[i] + wbar[i + 1] * v[i + 1]
        along = v[i + 2] + d * shares[1, k]
        out[i] = beta * (v[i] + wbar[i] * along)
        out[i + 1] = beta * (v[i + 1] + wbar[i + 1] * along)
        out[i + 2] = beta * (wbar[i + 2] * v[i + 2] + d)


def twice_scaled(v, wbar, shares, out):
    """Write W² v; in place too."""
    for k in range(shares.shape[1]):
        i = 3 * k
        a, b, c = v[i], v[i + 1], v[i + 2]
        d = 2.0 * (wbar[i] * a + wbar[i + 1] * b + wbar[i + 2] * c)
        share = shares[0, k] * shares[0, k]
        out[i] = share * (d * wbar[i] + a)
        out[i + 1] = share * (d * wbar[i + 1] + b)
        out[i + 2] = share * (d * wbar[i + 2] - c)


def corrected(lam, z, target, shares, d):
    """Write −λ + r with λ∘r = target e + (λ + z)∘z, Jordan's (u_2 v_t + v_2 u_t, uᵀv) as ∘."""
    for k in range(shares.shape[1]):
        i = 3 * k
        a, b, c = lam[i] + z[i], lam[i + 1] + z[i + 1], lam[i + 2] + z[i + 2]
        r0 = c * z[i] + z[i + 2] * a
        r1 = c * z[i + 1] + z[i + 2] * b
        r2 = target + a * z[i] + b * z[i + 1] + c * z[i + 2]
        along = (lam[i + 2] * r2 - lam[i] * r0 - lam[i + 1] * r1) * shares[4, k]
        share = 1.0 / lam[i + 2]
        d[i] = (r0 - along * lam[i]) * share - lam[i]
        d[i + 1] = (r1 - along * lam[i + 1]) * share - lam[i + 1]
        d[i + 2] = along - lam[i + 2]


def shortest(v, dv, inverse):
    """Return the least 1/α, at least 1/FAR, with v + α dv in all cones.

    Args:
        v, dv: (3K,).
        inverse: (K,), 1/(vᵀJv).
    """
    most = 1.0 / FAR
    for k in range(len(inverse)):
        i = 3 * k
        a, b, c = spread(dv, dv, i), spread(v, dv, i), spread(v, v, i)
        under = (root(larger(b * b - a * c, 0.0)) - b) * inverse[k]  # b² ≥ ac, but for rounding
        most = larger(under, most)
    return most


def ahead(value, slope):
    """Return the largest α, at most FAR, with value + α slope ≥ 0."""
    return choose(-slope, smaller(value / choose(-slope, -slope, 1.0), FAR), FAR)
