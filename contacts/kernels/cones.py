"""Lorentz cones and half-lines side by side, and Nesterov and Todd's scaling of them.

A vector has the components of K cones ‖(x_0, …, x_{D−2})‖ ≤ x_{D−1}, component by component (entry
d K + k), and then P entries that are at least 0. For x and s inside, the scaling W = β W̄(w̄) is the
symmetric one with W s = W⁻¹ x = λ, a β for each cone; W² = β² (2 w̄ w̄ᵀ − J) with
J = diag(−1, …, −1, 1); of a half-line W = √(x/s).

Y. Nesterov, M. Todd, "Primal-dual interior-point methods for self-scaled cones" (1998).
"""

from __future__ import annotations

from ...dynamics.kernels.scalars import choose, inverse, larger, root, roots, smaller

FAR = 1e30  # no step is longer


def hyperbolic(a, b, cones, k):
    """aᵀJb of the k-th cone."""
    D, K, _ = cones
    i = (D - 1) * K + k
    total = a[i] * b[i]
    for d in range(D - 1):
        total = total - a[d * K + k] * b[d * K + k]
    return total


def euclidean(a, b, cones, k):
    """aᵀb of the k-th cone."""
    D, K, _ = cones
    total = 0.0
    for d in range(D):
        total = total + a[d * K + k] * b[d * K + k]
    return total


def set_identity(x, cones):
    """Write the identity element e of all cones: (0, …, 0, 1), and 1 of half-lines."""
    D, K, P = cones
    for j in range((D - 1) * K):
        x[j] = 0.0
    for j in range((D - 1) * K, D * K + P):
        x[j] = 1.0


def scaling(x, s, cones, wbar, factors):
    """Write w̄, of half-lines W itself, and what others divide by: factors (5, K).

    These are β, 1/(1 + w̄_{D−1}), 1/(xᵀJx), 1/(sᵀJs), and 1/√(xᵀJx sᵀJs), which is 1/(λᵀJλ).
    """
    D, K, P = cones
    for k in range(K):
        xx, ss = hyperbolic(x, x, cones, k), hyperbolic(s, s, cones, k)
        _, both = roots(xx * ss)
        square = xx * both  # β²: w̄ is x + β² J s, made hyperbolic of length 1
        _, share = roots(2.0 * (xx + square * euclidean(x, s, cones, k)))
        for d in range(D - 1):
            j = d * K + k
            wbar[j] = share * (x[j] - square * s[j])
        j = (D - 1) * K + k
        wbar[j] = share * (x[j] + square * s[j])
        factors[0, k], _ = roots(square)
        factors[1, k] = inverse(1.0 + wbar[j])
        factors[2, k] = ss * both * both
        factors[3, k] = xx * both * both
        factors[4, k] = both
    for j in range(D * K, D * K + P):
        _, both = roots(x[j] * s[j])
        wbar[j] = x[j] * both


def scaled(v, cones, wbar, factors, out):
    """Write W v."""
    D, K, P = cones
    last = (D - 1) * K
    for k in range(K):
        beta, along = factors[0, k], 0.0
        for d in range(D - 1):
            along = along + wbar[d * K + k] * v[d * K + k]
        top = v[last + k] + along * factors[1, k]
        for d in range(D - 1):
            j = d * K + k
            out[j] = beta * (v[j] + wbar[j] * top)
        out[last + k] = beta * (wbar[last + k] * v[last + k] + along)
    for j in range(D * K, D * K + P):
        out[j] = wbar[j] * v[j]


def twice_scaled(v, cones, wbar, factors, out):
    """Write W² v."""
    D, K, P = cones
    last = (D - 1) * K
    for k in range(K):
        twice = 2.0 * euclidean(wbar, v, cones, k)
        square = factors[0, k] * factors[0, k]
        for d in range(D - 1):
            j = d * K + k
            out[j] = square * (twice * wbar[j] + v[j])
        out[last + k] = square * (twice * wbar[last + k] - v[last + k])
    for j in range(D * K, D * K + P):
        out[j] = wbar[j] * wbar[j] * v[j]


def corrected(lam, z, target, cones, factors, d):
    """Write −λ + r with λ∘r = target e + (λ + z)∘z, where u∘v is (u_l v + v_l u, uᵀv), l = D − 1.

    That is Mehrotra's corrector: of scaled changes −λ − z and z the product is −(λ + z)∘z.
    """
    D, K, P = cones
    last = (D - 1) * K
    for k in range(K):
        top, below = z[last + k], lam[last + k] + z[last + k]
        product, along = target + below * top, 0.0
        for c in range(D - 1):
            j = c * K + k
            of_both = below * z[j] + top * (lam[j] + z[j])
            product = product + (lam[j] + z[j]) * z[j]
            along = along + lam[j] * of_both
            d[j] = of_both
        up = (lam[last + k] * product - along) * factors[4, k]
        share = inverse(lam[last + k])
        for c in range(D - 1):
            j = c * K + k
            d[j] = (d[j] - up * lam[j]) * share - lam[j]
        d[last + k] = up - lam[last + k]
    for j in range(D * K, D * K + P):
        d[j] = (target + (lam[j] + z[j]) * z[j]) / lam[j] - lam[j]


def inverse_step(v, dv, cones, inverse):
    """Return the least 1/α, at least 1/FAR, with v + α dv in all cones.

    Args:
        v, dv: vectors, v inside.
        cones: D, K, P.
        inverse: (K,), 1/(vᵀJv).
    """
    D, K, P = cones
    most = 1.0 / FAR
    for k in range(K):
        a = hyperbolic(dv, dv, cones, k)
        b = hyperbolic(v, dv, cones, k)
        c = hyperbolic(v, v, cones, k)
        # the smaller root of a α² + 2 b α + c; b² ≥ ac, but for rounding
        under = (root(larger(b * b - a * c, 0.0)) - b) * inverse[k]
        most = larger(under, most)
    for j in range(D * K, D * K + P):
        most = larger(-dv[j] / v[j], most)
    return most


def longest(value, slope):
    """Return the largest α, at most FAR, with value + α slope ≥ 0."""
    return choose(-slope, smaller(value / choose(-slope, -slope, 1.0), FAR), FAR)
