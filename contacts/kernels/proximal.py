"""A proximal method of multipliers for small conic programs, to rounding.

    minimise cᵀx  subject to  B x = b,  x ∈ K;        maximise bᵀy  subject to  c − Bᵀy ∈ K*

with K a product of Lorentz cones, half-lines (K* = K for both) and a space of free unknowns, where
K* = 0; `cones` are D, K, P as in `cones.py`, what comes after them is free. With P the projection
on K,

    y⁺ = argmin θ(y),   θ(y) = ½ ρ ‖y − ȳ‖² − bᵀy + ‖P(z)‖²/(2σ),   z = x + σ (Bᵀy − c)
    x⁺ = P(z),          ∇θ = ρ (y − ȳ) − b + B P(z),                ∇²θ = ρ + σ B (∂P) Bᵀ

θ is smooth and convex; a semismooth Newton method finds its minimum, as many equations as b has
entries, however many cones. A round of a program has ȳ = y and a small ρ, which keeps y where
several are optimal.

What proves an answer is checked in every round: B x = b, c − Bᵀy ∈ K*, and (c − Bᵀy)ᵀx = 0; x ∈ K
by construction. Rounding leaves 1e-16 σ of x, so that a program's σ is bounded.

R. T. Rockafellar, "Augmented Lagrangians and applications of the proximal point algorithm in convex
programming" (1976); L. Qi, J. Sun, "A nonsmooth version of Newton's method" (1993); X.-Y. Zhao,
D. Sun, K.-C. Toh, "A Newton-CG augmented Lagrangian method for semidefinite programming" (2010).
"""

from __future__ import annotations

from ...dynamics.kernels.scalars import arrays, choose, larger, root, size, smaller
from .algebra import any_lane, back, combine, dot, factor, norm, solve_factored, times

PROVEN = 1e-11  # what a proof may leave open
FASTMATH = ("contract", "nsz")  # sums in their order: rounding decides how far Newton's steps go

_SIGMA, _GROWTH, _LARGEST = 1e3, 10.0, 1e5  # σ of programs, larger where it converges slowly
_DAMPING = 1e-7  # their ρ
_ROUNDS, _STEPS, _HALVINGS = 8, 50, 40
_NEWTON, _DELTA = 5, 1e-5  # steps of `newton`, and its δ
_GRADIENT = 1e-14  # data are of size one: rounding
_ROUNDING = 1e-11  # of a gradient: a shorter step is no better
_FACES = 1e-10  # ∂P of boundaries, next to that of what is inside
_GOLDEN = 0.6180339887498949
_FLAT = 1e-8  # forces, speeds and curvatures below this are zero, for data of size one


def solve(program, y, active, work):
    """Improve x (n,) and y (m,) in place until they are proved; return what is left open."""
    x, before, first, flags = program[4], work[6], work[8], work[9]
    for i in range(len(program[1])):
        before[i] = 1.0 * y[i]
    for j in range(len(x)):
        first[j] = 1.0 * x[j]
    left = newton(program, y, active, work)
    active = choose(left - PROVEN, active, 0.0)
    if any_lane(active, flags):
        for i in range(len(program[1])):
            y[i] = choose(active, before[i], y[i])
        for j in range(len(x)):
            x[j] = choose(active, first[j], x[j])
        left = choose(active, rounds(program, y, active, work), left)
    return left


def newton(program, y, active, work):
    """Newton's method on x = P(x − s), B x = b, for s = c − Bᵀy; return what is left open.

    With D = ∂P at x − s, δ added where it is the identity, and E = (1 + δ − D)⁻¹:

        dx = E (P − x + D Bᵀdy),      B E D Bᵀ dy = b − B x − B E (P − x)

    It ends in few steps where the interior-point method has told apart which forces are on the
    boundary of their cones.
    """
    B, b, c, cones, x = program
    left, step, _, H, z, p, _, row, _, flags = work
    m, n, k = len(b), len(x), 1.0 / (1.0 + _DELTA)
    running, proof = active, 1.0 / PROVEN + 0.0 * b[0]
    for trial in range(_NEWTON + 1):
        back(B, y, m, n, z)
        for j in range(n):
            z[j] = x[j] + z[j] - c[j]
        project(z, cones, n, p)
        off = larger(primal_violation(program, p, left), dual_violation(program, p, y, row))
        proof = choose(running, off, proof)
        done = running * choose(proof - PROVEN, 0.0, 1.0)
        for j in range(n):
            x[j] = choose(done, p[j], x[j])
        running = running - done
        if trial == _NEWTON or not any_lane(running, flags):
            break
        curvature(program, z, (0.0, k, k), 0.0, (H, row))
        factor(H, m, 0.0, 1e150)
        combine(p, 1.0, p, -1.0, x, n)
        apply_change(z, cones, (k, 0.0, k), p, p, n, 0.0)
        for j in range(n):
            x[j] = choose(running, x[j] + p[j], x[j])
        times(B, x, m, n, step)
        combine(step, 1.0, b, -1.0, step, m)
        solve_factored(H, m, step)
        back(B, step, m, n, p)
        apply_change(z, cones, (0.0, k, k), p, p, n, 0.0)
        for j in range(n):
            x[j] = choose(running, x[j] + p[j], x[j])
        for i in range(m):
            y[i] = choose(running, y[i] + step[i], y[i])
    return proof + 0.0 * (dot(x, x, n) + dot(y, y, m))  # nan is no proof


def rounds(program, y, active, work):
    """Improve x (n,) and y (m,) in place until they are proved; return what is left open."""
    b, x, centre, flags = program[1], program[4], work[6], work[9]
    running, sigma, proof = active, _SIGMA + 0.0 * b[0], 1.0 / PROVEN + 0.0 * b[0]
    for _ in range(_ROUNDS):
        for i in range(len(b)):
            centre[i] = 1.0 * y[i]
        minimise(program, (_DAMPING, centre, sigma), y, running, work)
        before = proof
        now = larger(primal_violation(program, x, work[0]), dual_violation(program, x, y, work[4]))
        proof = choose(running, now, proof)
        running = choose(proof - PROVEN, running, 0.0)
        if not any_lane(running, flags):
            break
        sigma = choose(proof - 0.1 * before, smaller(_GROWTH * sigma, _LARGEST), sigma)
    return proof + 0.0 * (dot(x, x, len(x)) + dot(y, y, len(b)))  # nan is no proof


def minimise(program, proximal, y, asked, work):
    """Newton's method on θ from y, which it overwrites; then x becomes P(z). Lanes asked for."""
    gradient, step, trial, H, z, p, _, _, _, flags = work
    m, (rho, _, sigma) = len(program[1]), proximal
    value = theta(program, proximal, y, z, p, gradient)
    left, active = norm(gradient, m), asked
    for _ in range(_STEPS):
        running = choose(left - _GRADIENT, active, 0.0)
        if not any_lane(running, flags):
            break
        curvature(program, z, (0.0, sigma, 0.0), 0.0, (H, p))
        for i in range(m):
            H[i, i] = H[i, i] + rho
        factor(H, m, 0.0, 1e150)
        combine(step, -1.0, gradient, 0.0, gradient, m)
        solve_factored(H, m, step)
        slope, share, grown, now = dot(gradient, step, m), 1.0 * running, value, left
        for _ in range(_HALVINGS):
            for i in range(m):
                trial[i] = y[i] + choose(share, share * step[i], 0.0)
            grown = theta(program, proximal, trial, z, p, gradient)
            now = norm(gradient, m)
            # near the minimum θ is flat to rounding, and its gradient is what still tells
            near = choose(value + 1e-9 * (1.0 + size(value)) - grown, 1.0, 0.0)
            near = choose(now - 0.9 * left, 0.0, near)
            short = choose(grown - value - 1e-4 * share * slope, running * (1.0 - near), 0.0)
            short = choose(left - _ROUNDING, short, 0.0)
            if not any_lane(short, flags):
                break
            share = choose(short, 0.5 * share, share)
        rounding = choose(value - 1e-15 * (1.0 + size(value)) - grown, 0.0, 1.0)
        moved = running * (1.0 - choose(left - now, 0.0, rounding))
        for i in range(m):
            y[i] = choose(moved, trial[i], y[i])
        value, left, active = choose(moved, grown, value), choose(moved, now, left), moved
    finish(program, proximal, y, asked, work)


def finish(program, proximal, y, asked, work):
    """Write x = P(z) of lanes that are asked for."""
    x, gradient, z, p = program[4], work[0], work[4], work[5]
    theta(program, proximal, y, z, p, gradient)
    for j in range(len(x)):
        x[j] = choose(asked, p[j], x[j])


def theta(program, proximal, y, z, p, gradient):
    """Return θ(y); write z, p = P(z) and the gradient."""
    B, b, c, cones, x = program
    rho, centre, sigma = proximal
    m, n = len(b), len(x)
    back(B, y, m, n, z)
    for j in range(n):
        z[j] = x[j] + sigma * (z[j] - c[j])
    project(z, cones, n, p)
    times(B, p, m, n, gradient)
    total = 0.5 * dot(p, p, n) / sigma - dot(b, y, m)
    for i in range(m):
        away = y[i] - centre[i]
        gradient[i] = gradient[i] + rho * away - b[i]
        total = total + 0.5 * rho * away * away
    return total


def project(z, cones, n, p):
    """Write P(z)."""
    D, K, P = cones
    for k in range(K):
        last, t = (D - 1) * K + k, tangent(z, cones, k)
        out = t - z[last]
        p[last] = choose(out, larger(0.5 * (z[last] + t), 0.0), z[last])
        share = choose(out, p[last] / choose(t, t, 1.0), 1.0)
        for d in range(D - 1):
            p[d * K + k] = share * z[d * K + k]
    for j in range(D * K, D * K + P):
        p[j] = larger(z[j], 0.0)
    for j in range(D * K + P, n):
        p[j] = 1.0 * z[j]


def apply_change(z, cones, rule, v, out, n, least):
    """Write g(D) v for D = ∂P at z, symmetric; forces of less than `least` count as none.

    g(d) = (a + b d)/(1 − k d) for a rule a, b, k. Of what is projected on a cone's boundary, with
    u = z_t/t, the eigenvectors are (u, 1) and (−u, 1), of 1 and 0, and those across, of
    ½ (1 + z_n/t).
    """
    (D, K, P), (a, b, k) = cones, rule
    whole = (a + b) / (1.0 - k)
    for i in range(K):
        last, t, along = (D - 1) * K + i, tangent(z, cones, i), 0.0
        normal = z[last] - least
        both = choose(t - normal, a, whole)
        boundary, over = choose(t - size(normal), 1.0, 0.0), 1.0 / choose(t, t, 1.0)
        for d in range(D - 1):
            along = along + z[d * K + i] * over * v[d * K + i]
        ray, other = 0.5 * whole * (v[last] + along), 0.5 * a * (v[last] - along)
        share = 0.5 * (1.0 + normal * over)
        across = (a + b * share) / (1.0 - k * share)
        for d in range(D - 1):
            j = d * K + i
            u = z[j] * over
            moved = across * (v[j] - u * along) + u * (ray - other)
            out[j] = choose(boundary, moved, both * v[j])
        out[last] = choose(boundary, ray + other, both * v[last])
    for j in range(D * K, D * K + P):
        out[j] = choose(z[j] - least, whole, a) * v[j]
    for j in range(D * K + P, n):
        out[j] = whole * v[j]


def curvature(program, z, rule, least, work):
    """Write the lower half of B g(∂P) Bᵀ at z, see `apply_change`."""
    B, b, _, cones, x = program
    H, row = work
    m, n = len(b), len(x)
    for i in range(m):
        apply_change(z, cones, rule, B[i], row, n, least)
        for j in range(i + 1):
            H[i, j] = dot(row, B[j], n)


def tangent(z, cones, k):
    """‖z_t‖ of the k-th cone."""
    D, K, _ = cones
    total = 0.0
    for d in range(D - 1):
        total = total + z[d * K + k] * z[d * K + k]
    return root(total)


def unique(program, y, work):
    """Return more than 0 where no other multipliers go with x: B (∂P) Bᵀ at x − s is regular.

    Of the cones' boundaries their tangent planes are left of it, of their apices nothing (see F.
    Alizadeh, D. Goldfarb, "Second-order cone programming" (2003), section 4).
    """
    B, b, c, _, x = program
    H, z, m, n = work[3], work[4], len(b), len(x)
    back(B, y, m, n, z)
    for j in range(n):
        z[j] = x[j] + z[j] - c[j]
    curvature(program, z, (0.0, 1.0, 0.0), _FLAT, (H, work[5]))
    factor(H, m, _FLAT, 1.0 / _FLAT**2)
    least = 1.0 + 0.0 * b[0]
    for i in range(m):
        least = smaller(H[i, i], least)
    return least - _FLAT


def optimal_direction(program, y, work):
    """Write a direction d with B d = 0 along which x stays in the cones' faces, in work[7].

    That is where forces inside the cones go anywhere, those on a boundary along it, others nowhere.
    Any direction, projected, has a part along every one that there is.
    """
    B, b, c, cones, x = program
    step, H, z, p, d = work[1], work[3], work[4], work[5], work[7]
    m, n, k = len(b), len(x), 1.0 / (1.0 + _FACES)
    faces = 0.0, 1.0 - k, k
    back(B, y, m, n, z)
    for j in range(n):
        z[j] = x[j] + z[j] - c[j]
        d[j] = (j * _GOLDEN) % 1.0 - 0.5 + 0.0 * z[j]
    curvature(program, z, faces, _FLAT, (H, p))
    factor(H, m, _FLAT, 1.0 / _FLAT**2)
    apply_change(z, cones, faces, d, d, n, _FLAT)
    for _ in range(2):  # twice, for rounding
        times(B, d, m, n, step)
        solve_factored(H, m, step)
        back(B, step, m, n, p)
        apply_change(z, cones, faces, p, p, n, _FLAT)
        combine(d, 1.0, d, -1.0, p, n)


def primal_violation(program, x, left):
    """How far B x is from b."""
    B, b, off = program[0], program[1], 0.0
    times(B, x, len(b), len(x), left)
    for i in range(len(b)):
        off = larger(size(left[i] - b[i]), off)
    return off


def dual_violation(program, x, y, s):
    """How far s = c − Bᵀy is from K*, or from being complementary to x."""
    B, b, c, cones, _ = program
    (D, K, P), m, n = cones, len(b), len(x)
    back(B, y, m, n, s)
    combine(s, 1.0, c, -1.0, s, n)
    worst = size(dot(x, s, n))
    for k in range(K):
        worst = larger(tangent(s, cones, k) - s[(D - 1) * K + k], worst)
    for j in range(D * K, D * K + P):
        worst = larger(-s[j], worst)
    for j in range(D * K + P, n):
        worst = larger(size(s[j]), worst)
    return worst


def work_size(m, n):
    """Return how many numbers of workspace programs of m rows and n unknowns take, in each lane."""
    return m * m + 4 * m + 4 * n + 2


def work_of(memory, m, n):
    """Divide it: gradient, step, trial, H, z, P, centre, two vectors, and flags."""
    shapes = (m,), (m,), (m,), (m, m), (n,), (n,), (m,), (n,), (n,)
    return *arrays(memory, shapes), memory[len(memory) - 1 :]
