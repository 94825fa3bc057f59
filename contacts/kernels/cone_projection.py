# mypy: disable-error-code="no-untyped-def, misc, no-untyped-call"
"""Projections of wrenches on the polar of a wrench cone: their distances from the cone.

A cone {Bᵀx : x ∈ K}, K Lorentz cones ‖(x_1, x_2, x_3)‖ ≤ x_0 side by side, is at the distance ‖y‖
from w, with y the projection of w on its polar {y : B y ∈ −K} (Moreau's decomposition):

    minimise ½ ‖y‖²  subject to  y + Bᵀx = w,  x ∈ K

By the proximal method of multipliers, x⁺ = P(x + σ B y) with P the projection on K and y the
minimum of a smooth convex function of six unknowns,

    ½ ‖y‖² + ‖P(x + σ B y)‖²/(2σ) − wᵀy,      gradient  y + Bᵀ P(x + σ B y) − w,

found by a semismooth Newton method with the Hessian 1 + σ Bᵀ(∂P)B. With σ growing a hundredfold two
or three rounds reach rounding. What proves the answer is cheap: x ∈ K by construction, and B y ∈ −K
and yᵀBᵀx = 0 are checked.

R. T. Rockafellar, "Augmented Lagrangians and applications of the proximal point algorithm in convex
programming" (1976); L. Qi, J. Sun, "A nonsmooth version of Newton's method" (1993).
"""

from __future__ import annotations

import math

import numpy as np

from .compiling import inlined, kept

_SIGMA, _GROWTH, _ROUNDS = 1e3, 1e2, 6
_STEPS, _HALVINGS = 50, 40
_GRADIENT = 1e-14  # of a unit wrench: rounding
_PROVEN = 1e-12


@kept
def polar_projections(B, free, W, Y, proofs):
    """Write the projection y of each wrench on the polar of the cone, and what its proof leaves.

    Args:
        B: (K, 4, n), what a unit of each x_k = (normal, three others) makes; unused rows zero.
        free: (K,), where x_k has no limits.
        W: (N, n), of unit norm.
        Y: (N, n), is written.
        proofs: (N,), the largest violation of B y ∈ −K and yᵀBᵀx = 0, is written.
    """
    n = B.shape[2]
    x, p = np.zeros((len(B), 4)), np.zeros((len(B), 4))
    y, trial, gradient, step = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n)
    H = np.zeros((n, n))
    for i in range(len(W)):
        w, sigma = W[i], _SIGMA
        x[:] = 0.0
        y[:] = w
        for _ in range(_ROUNDS):
            minimise(B, free, w, x, sigma, y, p, trial, gradient, step, H)
            x[:] = p
            proofs[i] = violation(B, free, x, y)
            if proofs[i] <= _PROVEN:
                break
            sigma *= _GROWTH
        Y[i] = y


@inlined
def minimise(B, free, w, x, sigma, y, p, trial, gradient, step, H):
    """Newton's method on the function above, from y: y and p = P(x + σ B y) are overwritten."""
    value = value_at(B, free, w, x, sigma, y, p, gradient)
    size = norm(gradient)
    for _ in range(_STEPS):
        if size <= _GRADIENT:
            return
        hessian(B, free, x, sigma, y, H)
        for i in range(len(y)):
            step[i] = -gradient[i]
        slope = solve(H, step, gradient)
        share = 1.0
        grown = value
        for _ in range(_HALVINGS):
            for i in range(len(y)):
                trial[i] = y[i] + share * step[i]
            grown = value_at(B, free, w, x, sigma, trial, p, gradient)
            if grown <= value + 1e-4 * share * slope + 1e-16 * abs(value):
                break
            share *= 0.5
        left = norm(gradient)
        y[:] = trial
        stuck = grown >= value and left >= size
        value, size = grown, left
        if stuck:  # rounding
            return


@inlined
def value_at(B, free, w, x, sigma, y, p, gradient):
    """Return the function at y; write p = P(x + σ B y) and the gradient."""
    total = 0.0
    for i in range(len(y)):
        gradient[i] = y[i] - w[i]
        total += y[i] * (0.5 * y[i] - w[i])
    for k in range(len(B)):
        for r in range(4):
            z = 0.0
            for i in range(len(y)):
                z += B[k, r, i] * y[i]
            p[k, r] = x[k, r] + sigma * z
        if not free[k]:
            t = math.sqrt(p[k, 1] ** 2 + p[k, 2] ** 2 + p[k, 3] ** 2)
            if t > p[k, 0]:
                a = max(0.5 * (p[k, 0] + t), 0.0)
                for r in range(1, 4):
                    p[k, r] *= a / t if t > 0 else 0.0
                p[k, 0] = a
        for r in range(4):
            total += p[k, r] ** 2 / (2.0 * sigma)
            for i in range(len(y)):
                gradient[i] += p[k, r] * B[k, r, i]
    return total


@inlined
def hessian(B, free, x, sigma, y, H):
    """Write the lower half of 1 + σ Bᵀ(∂P)B.

    On the boundary ∂P = ½ [1 uᵀ; u (1 + z_0/t)(1 − u uᵀ) + u uᵀ] with u = z_t/t: the unit outer
    products of (1, u)/√2, and of what is across both, times ½ (1 + z_0/t).
    """
    n = len(y)
    z, u, along = np.zeros(4), np.zeros(4), np.zeros((4, n))
    for i in range(n):
        for j in range(i + 1):
            H[i, j] = 1.0 if i == j else 0.0
    for k in range(len(B)):
        for r in range(4):
            z[r] = x[k, r]
            for i in range(n):
                z[r] += sigma * B[k, r, i] * y[i]
        t = math.sqrt(z[1] ** 2 + z[2] ** 2 + z[3] ** 2)
        if not free[k] and t <= -z[0]:
            continue
        inside = free[k] or t <= z[0]
        across = 0.5 * (1.0 + z[0] / t) if not inside else 1.0
        for r in range(4):
            u[r] = z[r] / t if not inside and r > 0 else 0.0
        u[0] = 1.0
        for i in range(n):  # (1, u)·B, u·B, then what ∂P makes of B
            flat = u[1] * B[k, 1, i] + u[2] * B[k, 2, i] + u[3] * B[k, 3, i]
            both = B[k, 0, i] + flat
            along[0, i] = B[k, 0, i] if inside else 0.5 * both
            for r in range(1, 4):
                along[r, i] = across * (B[k, r, i] - u[r] * flat) + 0.5 * u[r] * both
        for i in range(n):
            for j in range(i + 1):
                for r in range(4):
                    H[i, j] += sigma * along[r, i] * B[k, r, j]


@inlined
def solve(H, step, gradient):
    """Write H⁻¹ step in place by Cholesky's factors of the lower half; return gradientᵀ step."""
    n = len(step)
    for i in range(n):
        for j in range(i + 1):
            total = H[i, j]
            for k in range(j):
                total -= H[i, k] * H[j, k]
            H[i, j] = math.sqrt(total) if i == j else total / H[j, j]
    for i in range(n):
        for k in range(i):
            step[i] -= H[i, k] * step[k]
        step[i] /= H[i, i]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            step[i] -= H[k, i] * step[k]
        step[i] /= H[i, i]
    slope = 0.0
    for i in range(n):
        slope += gradient[i] * step[i]
    return slope


@inlined
def violation(B, free, x, y):
    """How far B y is from −K, and x from being complementary to it."""
    worst, both = 0.0, 0.0
    z = np.zeros(4)
    for k in range(len(B)):
        for r in range(4):
            z[r] = 0.0
            for i in range(len(y)):
                z[r] += B[k, r, i] * y[i]
            both += x[k, r] * z[r]
        t = math.sqrt(z[1] ** 2 + z[2] ** 2 + z[3] ** 2)
        worst = max(worst, math.sqrt(z[0] ** 2 + t * t) if free[k] else t + z[0])
    return max(worst, abs(both))


@inlined
def norm(v):
    """‖v‖."""
    total = 0.0
    for i in range(len(v)):
        total += v[i] ** 2
    return math.sqrt(total)
