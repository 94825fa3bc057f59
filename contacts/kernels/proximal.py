# mypy: disable-error-code="no-untyped-def, no-untyped-call"
"""A proximal method of multipliers for small conic programs, to rounding.

    minimise cᵀx  subject to  B x = b,  x ∈ K;        maximise bᵀy  subject to  c − Bᵀy ∈ K*

with K a product of Lorentz cones, half-lines (K* = K for both) and a space of free unknowns, where
K* = 0; `cones` are D, K, P as in `cones.py`, what comes after them is free. With P the projection
on K,

    y⁺ = argmin θ(y),   θ(y) = ½ ρ ‖y − ȳ‖² − bᵀy + ‖P(z)‖²/(2σ),   z = x + σ (Bᵀy − c)
    x⁺ = P(z),          ∇θ = ρ (y − ȳ) − b + B P(z),                ∇²θ = ρ + σ B (∂P) Bᵀ

θ is smooth and convex; a semismooth Newton method finds its minimum, as many equations as b has
entries, however many cones. A round of a program has ȳ = y and a small ρ, which keeps y where
several are optimal. With ȳ = 0, ρ = 1 and c = 0 the same rounds find the distance ‖y‖ of b from the
cone {B x : x ∈ K}: y is then b's projection on the polar cone {y : −Bᵀy ∈ K*} (J.-J. Moreau).

What proves an answer is checked in every round: B x = b, c − Bᵀy ∈ K*, and (c − Bᵀy)ᵀx = 0; x ∈ K
by construction. Rounding leaves 1e-16 σ of x, so that a program's σ is bounded.

R. T. Rockafellar, "Augmented Lagrangians and applications of the proximal point algorithm in convex
programming" (1976); L. Qi, J. Sun, "A nonsmooth version of Newton's method" (1993); X.-Y. Zhao,
D. Sun, K.-C. Toh, "A Newton-CG augmented Lagrangian method for semidefinite programming" (2010).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...dynamics.kernels.toolchain import Kernel
from .algebra import add, back, combine, dot, factor, norm, solve_factored, times
from .verdict import Program

_SIGMA, _GROWTH, _LARGEST = 1e3, 10.0, 1e5  # σ of programs, larger where it converges slowly
_DAMPING = 1e-7  # their ρ
_POLAR_FIRST, _POLAR_GROWTH, _POLAR_LAST = 1e3, 1e2, 1e9  # σ of projections, near from the start
_ROUNDS, _POLAR_ROUNDS, _STEPS, _HALVINGS = 8, 40, 50, 40
_GRADIENT = 1e-14  # data are of size one: rounding
_PROVEN = 1e-11
_VIOLATED = 1e-8  # by more than what verdicts leave of inequalities


def polar_projections(B, cones, W, Y, proofs):
    """Write the projection of each wrench on the polar of the cone {B x : x ∈ K}.

    Args:
        B: (m, n).
        cones: D, K, P.
        W: (N, m), of unit norm.
        Y: (N, m), is written.
        proofs: (N,), what its proof leaves open, is written.
    """
    m, n = B.shape
    c, nothing, x, y = np.zeros(n), np.zeros(m), np.zeros(n), np.zeros(m)
    for i in range(len(W)):
        sigma = _POLAR_FIRST
        x[:] = 0.0
        y[:] = W[i]
        for _ in range(_POLAR_ROUNDS):
            minimise(B, W[i], c, cones, 1.0, nothing, sigma, x, y)
            proofs[i] = dual_violation(B, c, cones, x, y)
            if proofs[i] <= _PROVEN:
                break
            sigma = min(sigma * _POLAR_GROWTH, _POLAR_LAST)
        Y[i] = y


def refine(program, sizes, f, y, nu):
    """Bring the saddle point of a margin from the accuracy of an interior-point method to rounding.

        maximise ε  subject to  A f + ε n = w,  f_k ∈ K_k,  low ≤ G f + ε g ≤ high

    Inequalities with a multiplier are part of the program, each with a slack; the others must hold.

    Args:
        program, sizes: as for `verdict.verdicts`, of one problem.
        f, y, nu: (D K,), (m,), (R,), forces and multipliers that `verdicts` found, are overwritten.

    Returns:
        ε, and the largest violation of what proves the answer.
    """
    m, D, K, R = sizes
    A, w, normal, units, G, g, low, high, _ = program
    chosen = np.flatnonzero(nu)
    n, met = D * K, len(chosen)
    last = n + met  # where ε is, after forces and slacks
    B, b, c = np.zeros((m + met, last + 1)), np.zeros(m + met), np.zeros(last + 1)
    x, dual = np.zeros(last + 1), np.zeros(m + met)
    c[last] = -1.0
    for i in range(m):
        B[i, :n], B[i, last], b[i], dual[i] = A[0, i * n : i * n + n], normal[0, i], w[0, i], -y[i]
    for p in range(met):
        i = chosen[p]
        sign, bound = (1.0, high[0, i]) if nu[i] > 0 else (-1.0, low[0, i])
        B[m + p, :n], B[m + p, last] = sign * G[0, i * n : i * n + n], sign * g[0, i]
        B[m + p, n + p], b[m + p], dual[m + p] = 1.0, sign * bound, -sign * nu[i]
    x[last] = -dot(b, dual, m + met)  # without a gap, the value of the dual
    for j in range(n):
        x[j] = f[j] / units[0, j] if units[0, j] > 0 else 0.0
    for p in range(met):
        x[n + p] = max(b[m + p] - dot(B[m + p], f, n) - B[m + p, last] * x[last], 0.0)
    for i in range(m + met):
        for j in range(n):
            B[i, j] *= units[0, j]
    proof = rounds(B, b, c, (D, K, met), x, dual)
    for j in range(n):
        f[j] = units[0, j] * x[j]
    y[:] = -dual[:m]
    for i in range(R):
        given = dot(G[0, i * n : i * n + n], f, n) + x[last] * g[0, i]
        over = max(given - high[0, i], low[0, i] - given)
        proof = max(proof, over if over > _VIOLATED else 0.0)
    for p in range(met):
        i = chosen[p]
        nu[i] = -dual[m + p] if nu[i] > 0 else dual[m + p]
    return x[last], proof


def rounds(B, b, c, cones, x, y):
    """Improve x (n,) and y (m,) in place until they are proved; return what is left open."""
    centre, proof, sigma = np.zeros(len(b)), np.inf, _SIGMA
    for _ in range(_ROUNDS):
        centre[:] = y
        minimise(B, b, c, cones, _DAMPING, centre, sigma, x, y)
        before = proof
        proof = max(primal_violation(B, b, x), dual_violation(B, c, cones, x, y))
        if proof <= _PROVEN:
            break
        if proof > 0.1 * before:
            sigma = min(_GROWTH * sigma, _LARGEST)
    return proof


def minimise(B, b, c, cones, rho, centre, sigma, x, y):
    """Newton's method on θ from y, which it overwrites; then x becomes P(z)."""
    m, n = B.shape
    gradient, step, trial, H = np.empty(m), np.empty(m), np.empty(m), np.empty((m, m))
    z, p, program = np.empty(n), np.empty(n), (B, b, c, cones, rho, centre, sigma, x)
    value = theta(program, y, z, p, gradient)
    left = norm(gradient, m)
    for _ in range(_STEPS):
        if left <= _GRADIENT:
            break
        hessian(B, cones, rho, sigma, z, p, H)
        factor(H, m, 0.0, 1e150)
        combine(step, -1.0, gradient, 0.0, gradient, m)
        solve_factored(H, m, step)
        slope, share, grown, now = dot(gradient, step, m), 1.0, value, left
        for _ in range(_HALVINGS):
            combine(trial, 1.0, y, share, step, m)
            grown = theta(program, trial, z, p, gradient)
            now = norm(gradient, m)
            # near the minimum θ is flat to rounding, and its gradient is what still tells
            near = now <= 0.9 * left and grown <= value + 1e-9 * (1.0 + abs(value))
            if near or grown <= value + 1e-4 * share * slope:
                break
            share *= 0.5
        if now >= left and grown >= value - 1e-15 * (1.0 + abs(value)):  # rounding
            break
        y[:] = trial
        value, left = grown, now
    theta(program, y, z, p, gradient)
    x[:] = p


def theta(program, y, z, p, gradient):
    """Return θ(y); write z, p = P(z) and the gradient."""
    B, b, c, cones, rho, centre, sigma, x = program
    m, n = B.shape
    back(B, y, m, n, z)
    for j in range(n):
        z[j] = x[j] + sigma * (z[j] - c[j])
    project(z, cones, n, p)
    times(B, p, m, n, gradient)
    total = 0.5 * dot(p, p, n) / sigma - dot(b, y, m)
    for i in range(m):
        away = y[i] - centre[i]
        gradient[i] += rho * away - b[i]
        total += 0.5 * rho * away * away
    return total


def project(z, cones, n, p):
    """Write P(z)."""
    D, K, P = cones
    p[:n] = z[:n]
    for k in range(K):
        last, t = (D - 1) * K + k, tangent(z, cones, k)
        if t > z[last]:
            p[last] = max(0.5 * (z[last] + t), 0.0)
            for d in range(D - 1 if t > 0 else 0):
                p[d * K + k] *= p[last] / t
    for j in range(D * K, D * K + P):
        p[j] = max(z[j], 0.0)


def project_change(z, cones, v, out):
    """Write (∂P) v at z.

    Of what is projected on a cone's boundary, with u = z_t/t, that is
    ½ [1 uᵀ; u (1 + z_n/t)(1 − u uᵀ) + u uᵀ].
    """
    D, K, P = cones
    for k in range(K):
        last, t, along = (D - 1) * K + k, tangent(z, cones, k), 0.0
        inside, boundary = t <= z[last], abs(z[last]) < t
        for d in range(D):
            out[d * K + k] = v[d * K + k] if inside else 0.0
        if boundary:
            for d in range(D - 1):
                along += z[d * K + k] / t * v[d * K + k]
            both, across = 0.5 * (v[last] + along), 0.5 * (1.0 + z[last] / t)
            for d in range(D - 1):
                u = z[d * K + k] / t
                out[d * K + k] = across * (v[d * K + k] - u * along) + u * both
            out[last] = both
    for j in range(D * K, len(z)):
        out[j] = 0.0 if j < D * K + P and z[j] <= 0 else v[j]


def hessian(B, cones, rho, sigma, z, row, H):
    """Write the lower half of ρ + σ B (∂P) Bᵀ; `row` is workspace."""
    m, n = B.shape
    for i in range(m):
        project_change(z, cones, B[i], row)
        for j in range(i + 1):
            H[i, j] = sigma * dot(row, B[j], n)
        H[i, i] += rho


def tangent(z, cones, k):
    """‖z_t‖ of the k-th cone."""
    D, K, _ = cones
    total = 0.0
    for d in range(D - 1):
        total += z[d * K + k] * z[d * K + k]
    return math.sqrt(total)


def primal_violation(B, b, x):
    """How far B x is from b."""
    left = np.empty(len(b))
    times(B, x, len(b), len(x), left)
    add(left, -1.0, b, len(b))
    return np.abs(left).max()


def dual_violation(B, c, cones, x, y):
    """How far s = c − Bᵀy is from K*, or from being complementary to x."""
    (m, n), (D, K, P) = B.shape, cones
    s, worst = np.empty(n), 0.0
    back(B, y, m, n, s)
    combine(s, 1.0, c, -1.0, s, n)
    for k in range(K):
        worst = max(worst, tangent(s, cones, k) - s[(D - 1) * K + k])
    for j in range(D * K, n):
        worst = max(worst, -s[j] if j < D * K + P else abs(s[j]))
    return max(worst, abs(dot(x, s, n)))


_FASTMATH = ("contract", "nsz")  # sums in their order: rounding decides how far Newton's steps go
_options: dict[str, Any] = {"arrays": True, "fastmath": _FASTMATH}

POLAR_PROJECTIONS = Kernel(
    polar_projections,
    1,
    example=lambda: (*[np.empty((1, 1)), (1, 1, 1)], *[np.empty((1, 1))] * 2, np.empty(1)),
    each=0.01,
    **_options,
)
REFINE = Kernel(
    refine,
    1,
    example=lambda: (Program(*[np.empty((1, 1))] * 9), (1, 1, 1, 1), *[np.empty(1)] * 3),
    each=0.02,
    **_options,
)
