# mypy: disable-error-code="no-untyped-def, misc, no-untyped-call"
"""A proximal method of multipliers for small conic programs, to rounding.

    minimise cᵀx  subject to  Bᵀx = b,  x ∈ K;        maximise bᵀy  subject to  c − B y ∈ K*

with K a product of Lorentz cones ‖(x_1, x_2, x_3)‖ ≤ x_0, where K* = K, and of free vectors, where
K* = 0. With P the projection on K,

    y⁺ = argmin θ(y),   θ(y) = ½ ρ ‖y − ȳ‖² − bᵀy + ‖P(x + σ (B y − c))‖²/(2σ)
    x⁺ = P(x + σ (B y⁺ − c)),      ∇θ = ρ (y − ȳ) − b + BᵀP(x + σ (B y − c))

θ is smooth and convex; a semismooth Newton method with the Hessian ρ + σ Bᵀ(∂P)B finds its minimum,
as many equations as b has entries, however many cones. A round of the program has ȳ = y and a
small ρ. With ȳ = 0, ρ = 1 and c = 0 the same rounds find the distance ‖y‖ of b from the cone
{Bᵀx : x ∈ K}: y is then b's projection on the polar cone {y : −B y ∈ K*} (J.-J. Moreau).

Rounding leaves 1e-16 σ of x, so σ is bounded. What proves an answer is checked in every round:
Bᵀx = b, c − B y ∈ K*, and (c − B y)ᵀx = 0; x ∈ K by construction.

R. T. Rockafellar, "Augmented Lagrangians and applications of the proximal point algorithm in convex
programming" (1976); L. Qi, J. Sun, "A nonsmooth version of Newton's method" (1993); X.-Y. Zhao,
D. Sun, K.-C. Toh, "A Newton-CG augmented Lagrangian method for semidefinite programming" (2010).
"""

from __future__ import annotations

import math

import numpy as np

from ...dynamics.kernels.toolchain import Kernel

_FIRST, _GROWTH, _LAST = 10.0, 10.0, 1e3  # σ of the rounds of a program
_DAMPING = 1e-4  # σ ρ: enough for a Hessian where several y are optimal
_POLAR_FIRST, _POLAR_GROWTH = 1e3, 1e2  # and of a projection, whose y is near from the start
_ROUNDS, _STEPS, _HALVINGS = 40, 50, 40
_GRADIENT = 1e-14  # data are of size one: rounding
_PROVEN = 1e-11
_ROUGHLY = 1e-6
_VIOLATED = 1e-10  # inequalities that are violated by more join the program


def polar_projections(B, free, W, Y, proofs):
    """Write the projection of each wrench on the polar of the cone {Bᵀx : x ∈ K}.

    Args:
        B: (K, 4, m); unused components are zero.
        free: (K,), vectors without a cone.
        W: (N, m), of unit norm.
        Y: (N, m), is written.
        proofs: (N,), what its proof leaves open, is written.
    """
    m, c, nothing = B.shape[2], np.zeros((len(B), 4)), np.zeros(B.shape[2])
    x, y = np.zeros((len(B), 4)), np.zeros(m)
    work = np.zeros((4 + m, m))
    for i in range(len(W)):
        sigma = _POLAR_FIRST
        x[:] = 0.0
        y[:] = W[i]
        for _ in range(_ROUNDS):
            minimise(B, free, W[i], c, 1.0, nothing, sigma, x, y, work)
            proofs[i] = dual_violation(B, free, c, x, y)
            if proofs[i] <= _PROVEN:
                break
            sigma = min(sigma * _POLAR_GROWTH, 1e9)
        Y[i] = y


def generated(C, high, equations, free, c, x, y):
    """Solve min cᵀx over C x = high, in the other rows C x ≤ high; return what its proof leaves.

    Inequalities join the program, each with a slack, when an answer violates them.

    Args:
        C: (M, K, 4), high (M,): data of size one.
        equations: how many rows are equations.
        free: (K,), vectors without a cone.
        c: (K, 4).
        x: (K, 4), y: (M,): a start that is overwritten by the answer.

    Returns:
        The largest violation of what proves the answer, inequalities included.
    """
    M, K = len(C), len(free)
    chosen, inside = np.zeros(M, dtype=np.int64), np.zeros(M, dtype=np.bool_)
    count, proof, worst = 0, np.inf, 0.0
    for i in range(M):
        inside[i] = i < equations or y[i] != 0
        if inside[i]:
            chosen[count] = i
            count += 1
    for _ in range(M - equations + 1):
        slacks = count - equations
        B, cost = np.zeros((K + slacks, 4, count)), np.zeros((K + slacks, 4))
        at, loose = np.zeros((K + slacks, 4)), np.zeros(K + slacks, dtype=np.bool_)
        b, dual = np.zeros(count), np.zeros(count)
        for j in range(count):
            i = chosen[j]
            b[j], dual[j] = high[i], y[i]
            for k in range(K):
                for r in range(4):
                    B[k, r, j] = C[i, k, r]
            if j >= equations:
                B[K + j - equations, 0, j] = 1.0
                at[K + j - equations, 0] = max(high[i] - product(C[i], x), 0.0)
        cost[:K], at[:K], loose[:K] = c, x, free
        proof = rounds(B, loose, b, cost, at, dual)
        x[:] = at[:K]
        y[:] = 0.0
        for j in range(count):
            y[chosen[j]] = dual[j]
        worst, before = 0.0, count
        for _ in range(4):  # at most so many at once
            most, which = _VIOLATED, -1
            for i in range(M):
                over = product(C[i], x) - high[i] if not inside[i] else 0.0
                if over > most:
                    most, which = over, i
            if which < 0:
                break
            worst = max(worst, most)
            inside[which] = True
            chosen[count] = which
            count += 1
        if count == before:
            break
        if not proof <= _ROUGHLY:  # unbounded, perhaps: no start for the next program
            x[:] = 0.0
            y[:] = 0.0
    return max(proof, worst)


def rounds(B, free, b, c, x, y):
    """Improve x (K, 4) and y (m,) in place until they are proved; return what is left open."""
    m, sigma = len(b), _FIRST
    centre, work = np.zeros(m), np.zeros((4 + m, m))
    proof = np.inf
    for _ in range(_ROUNDS):
        centre[:] = y
        minimise(B, free, b, c, _DAMPING / sigma, centre, sigma, x, y, work)
        proof = max(primal_violation(B, b, x), dual_violation(B, free, c, x, y))
        if proof <= _PROVEN:
            break
        sigma = min(sigma * _GROWTH, _LAST)
    return proof


def minimise(B, free, b, c, rho, centre, sigma, x, y, work):
    """Newton's method on θ from y, which it overwrites; then x becomes P(x + σ (B y − c))."""
    trial, gradient, step, H = work[0], work[1], work[2], work[4:]
    p = np.zeros((len(B), 4))
    value = theta(B, free, b, c, rho, centre, sigma, x, y, p, gradient)
    size = norm(gradient)
    for _ in range(_STEPS):
        if size <= _GRADIENT:
            break
        hessian(B, free, c, rho, sigma, x, y, H)
        for i in range(len(y)):
            step[i] = -gradient[i]
        slope = solve(H, step, gradient)
        share, grown, left = 1.0, value, size
        for _ in range(_HALVINGS):
            for i in range(len(y)):
                trial[i] = y[i] + share * step[i]
            grown = theta(B, free, b, c, rho, centre, sigma, x, trial, p, gradient)
            left = norm(gradient)
            # near the minimum θ is flat to rounding, and its gradient is what still tells
            near = left <= 0.9 * size and grown <= value + 1e-9 * (1.0 + abs(value))
            if near or grown <= value + 1e-4 * share * slope:
                break
            share *= 0.5
        if left >= size and grown >= value - 1e-15 * abs(value):  # rounding
            break
        y[:] = trial
        value, size = grown, left
    theta(B, free, b, c, rho, centre, sigma, x, y, p, gradient)
    x[:] = p


def theta(B, free, b, c, rho, centre, sigma, x, y, p, gradient):
    """Return θ(y); write p = P(x + σ (B y − c)) and the gradient."""
    total = 0.0
    for i in range(len(y)):
        away = y[i] - centre[i]
        gradient[i] = rho * away - b[i]
        total += 0.5 * rho * away * away - b[i] * y[i]
    for k in range(len(B)):
        for r in range(4):
            z = -c[k, r]
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
            if p[k, r] != 0:
                total += p[k, r] ** 2 / (2.0 * sigma)
                for i in range(len(y)):
                    gradient[i] += p[k, r] * B[k, r, i]
    return total


def hessian(B, free, c, rho, sigma, x, y, H):
    """Write the lower half of ρ + σ Bᵀ(∂P)B.

    On the boundary ∂P = ½ [1 uᵀ; u (1 + z_0/t)(1 − u uᵀ) + u uᵀ] with u = z_t/t.
    """
    n = len(y)
    z, u, along = np.zeros(4), np.zeros(4), np.zeros((4, n))
    for i in range(n):
        for j in range(i + 1):
            H[i, j] = rho if i == j else 0.0
    for k in range(len(B)):
        for r in range(4):
            z[r] = x[k, r] - sigma * c[k, r]
            for i in range(n):
                z[r] += sigma * B[k, r, i] * y[i]
        t = math.sqrt(z[1] ** 2 + z[2] ** 2 + z[3] ** 2)
        if not free[k] and t <= -z[0]:
            continue
        inside = free[k] or t <= z[0]
        across = 1.0 if inside else 0.5 * (1.0 + z[0] / t)
        for r in range(1, 4):
            u[r] = 0.0 if inside else z[r] / t
        for i in range(n):  # ∂P B
            slip = u[1] * B[k, 1, i] + u[2] * B[k, 2, i] + u[3] * B[k, 3, i]
            both = 0.5 * (B[k, 0, i] + slip)
            along[0, i] = B[k, 0, i] if inside else both
            for r in range(1, 4):
                along[r, i] = across * (B[k, r, i] - u[r] * slip) + u[r] * both
        for r in range(4):
            for i in range(n):
                if B[k, r, i] != 0:
                    for j in range(i + 1):
                        H[i, j] += sigma * B[k, r, i] * along[r, j]


def solve(H, step, gradient):
    """Write H⁻¹ step in place by Cholesky's factors of the lower half; return gradientᵀ step."""
    n = len(step)
    for i in range(n):
        for j in range(i + 1):
            total = H[i, j]
            for k in range(j):
                total -= H[i, k] * H[j, k]
            if i == j:
                H[i, i] = math.sqrt(max(total, 1e-300))
            else:
                H[i, j] = total / H[j, j]
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


def primal_violation(B, b, x):
    """How far Bᵀx is from b."""
    worst = 0.0
    for i in range(len(b)):
        left = -b[i]
        for k in range(len(B)):
            for r in range(4):
                left += B[k, r, i] * x[k, r]
        worst = max(worst, abs(left))
    return worst


def dual_violation(B, free, c, x, y):
    """How far s = c − B y is from K*, or from being complementary to x."""
    worst, both = 0.0, 0.0
    s = np.zeros(4)
    for k in range(len(B)):
        for r in range(4):
            s[r] = c[k, r]
            for i in range(len(y)):
                s[r] -= B[k, r, i] * y[i]
            both += x[k, r] * s[r]
        t = math.sqrt(s[1] ** 2 + s[2] ** 2 + s[3] ** 2)
        worst = max(worst, math.sqrt(s[0] ** 2 + t * t) if free[k] else t - s[0])
    return max(worst, abs(both))


def product(row, x):
    """Σ row · x."""
    total = 0.0
    for k in range(len(x)):
        for r in range(4):
            total += row[k, r] * x[k, r]
    return total


def norm(v):
    """‖v‖."""
    total = 0.0
    for i in range(len(v)):
        total += v[i] ** 2
    return math.sqrt(total)


_FASTMATH = ("contract", "nsz")  # sums in their order: rounding decides how far Newton's steps go

POLAR_PROJECTIONS = Kernel(
    polar_projections,
    1,
    arrays=True,
    fastmath=_FASTMATH,
    example=lambda: (
        *(np.empty((1, 4, 6)), np.empty(1, dtype=bool)),
        *(np.empty((1, 6)), np.empty((1, 6)), np.empty(1)),
    ),
    each=0.01,
)

GENERATED = Kernel(
    generated,
    1,
    arrays=True,
    fastmath=_FASTMATH,
    example=lambda: (
        *(np.empty((1, 1, 4)), np.empty(1), 1, np.empty(1, dtype=bool)),
        *(np.empty((1, 4)), np.empty((1, 4)), np.empty(1)),
    ),
    each=0.1,
)
