# mypy: disable-error-code="no-untyped-def, no-untyped-call"
"""Newton's steps of the interior-point kernel of `predictive`: residuals, factors, directions.

Of its equations, of x and ε, and of the slacks s with the multipliers z,

    (H + FᵀW²F) du = −r_u − Fᵀ(W d + W² r_s),   ds = −r_s − F du,   dz = W d − W² ds,

`residuals` are r, `build` factorises the matrix on the left, block by block and node by node, with
the ε of each row eliminated, and `solve` finds the step for the d that it is given.
"""

from __future__ import annotations

from typing import Any

from ...contacts.kernels.algebra import add, dot, norm
from ...contacts.kernels.cones import twice
from ...dynamics.kernels.scalars import root
from .riccati import (
    STATES,
    WRENCH,
    add_back,
    add_times,
    backward,
    carried,
    clear,
    costates,
    eliminate,
    free_back,
    orthogonalise,
    push,
    push_back,
    solve_lower,
    solve_upper,
)

# E of x: of the height, the least and the largest, and of both tilts; one entry of x in each row
BOUNDS = 6
ENTRIES = 2, 2, 9, 9, 10, 10
SIGNS = -1.0, 1.0, 1.0, -1.0, 1.0, -1.0


def slack_sizes(N: Any, b: Any, n: Any, m: Any, D: Any, q: Any) -> Any:
    """Return how many cones, half-lines and entries of s there are."""
    P = b * m + 2 * (N + 1) * BOUNDS
    return b * q, P, D * b * q + P


def left_over(p, first, sizes, u, x, eps, given, out):
    """Write given [f, c, d, 0] − F [u, x, ε]: s itself for 1, and −F [du, dx, dε] for 0."""
    N, b, n, m, D, q = sizes
    K, _P, _L = slack_sizes(N, b, n, m, D, q)
    for i in range(b):
        for j in range(q):
            for a in range(D):
                out[a * K + i * q + j] = given * p.c[i, j, a] + dot(p.C[i, j, a], u[i], n)
        for j in range(m):
            out[D * K + i * m + j] = given * p.f[i, j] - dot(p.F[i, j], u[i], n)
    off = D * K + b * m
    for k in range(N + 1):
        for j in range(BOUNDS):
            i = off + k * BOUNDS + j
            out[i] = given * p.d[k, j] - SIGNS[j] * x[k, ENTRIES[j]] + eps[k, j]
            out[i + (N + 1) * BOUNDS] = eps[k, j]


def pull(p, sizes, i, z, out):
    """Add what multipliers z of the limits of contact i are in its u: Fᵀz (n,)."""
    N, b, n, m, D, q = sizes
    K, _P, _L = slack_sizes(N, b, n, m, D, q)
    for j in range(q):
        for a in range(D):
            add(out, -z[a * K + i * q + j], p.C[i, j, a], n)
    for j in range(m):
        add(out, z[D * K + i * m + j], p.F[i, j], n)


def residuals(p, first, sizes, found, work, s):
    """Write y, r_s, r_u and r_ε; return the cost."""
    N, b, n, m, D, q = sizes
    K, _P, L = slack_sizes(N, b, n, m, D, q)
    u, _w, x, y, eps, z, _told = found
    vectors, _factors, motions, inputs, rows, _weights, _flags = work
    rs, ru, re, pushed = vectors[5], inputs[0], rows[0], motions[0, 0]
    left_over(p, first, sizes, u, x, eps, 1.0, rs)
    for i in range(L):
        rs[i] = s[i] - rs[i]
    value = 0.0
    for step_ in range(N + 1):
        k = N - step_
        if k == N:
            clear(y[k], STATES)
        else:
            free_back(p.h[k], p.s[k], p.K[k], y[k + 1], y[k])
            push_back(p.h[k], p.K[k], y[k + 1], pushed)
            for i in range(first[k], first[k + 1]):
                for j in range(n):
                    away = u[i, j] - p.u[i, j]
                    ru[i, j] = p.R[i, j] * away
                    value = value + 0.5 * p.R[i, j] * away * away
                add_back(p.G[i], pushed, WRENCH, n, ru[i])
                pull(p, sizes, i, z, ru[i])
        for i in range(STATES):
            off = x[k, i] - p.target[k, i]
            y[k, i] = y[k, i] + p.Q[k, i] * off
            value = value + 0.5 * p.Q[k, i] * off * off
        for j in range(BOUNDS):
            i = D * K + b * m + k * BOUNDS + j
            y[k, ENTRIES[j]] = y[k, ENTRIES[j]] + SIGNS[j] * z[i]
            re[k, j] = p.rho[k, j] - z[i] - z[i + (N + 1) * BOUNDS]
            value = value + p.rho[k, j] * eps[k, j]
    return value


def build(p, first, sizes, wbar, factors, weights, blocks, nodes):
    """Factor the Hessians of all contacts, and the recursion of P."""
    N, b, n, m, D, q = sizes
    _K, _P, _L = slack_sizes(N, b, n, m, D, q)
    H, V, X, M = blocks
    Pp, U, Z, T, _v, _forced, squares, _w = nodes
    P, W = squares[0], squares[1]
    for i in range(STATES):
        clear(P[i], STATES)
    stiffen(p, sizes, N, wbar, weights, P)
    for step_ in range(N):
        k = N - 1 - step_
        width = (first[k + 1] - first[k]) * n
        for i in range(first[k], first[k + 1]):
            block_factor(p, sizes, i, wbar, factors, H, M)
            for a in range(n):
                row, at = V[i, a], (i - first[k]) * n + a
                for j in range(WRENCH):
                    row[j] = p.G[i, j, a]
                for c in range(a):
                    add(row, -H[i, a, c], V[i, c], WRENCH)
                for j in range(WRENCH):
                    row[j] = row[j] * H[i, a, a]
                    X[j * width + at] = row[j]
        orthogonalise(X, width, U[k])
        eliminate(p.h[k], p.K[k], U[k], P, Pp[k], Z[k], T[k], W)
        carried(p.h[k], p.s[k], p.K[k], Pp[k], P, W)
        stiffen(p, sizes, k, wbar, weights, P)


def stiffen(p, sizes, k, wbar, weights, P):
    """Add Q_k and the curvature of the rows of x, their ε eliminated."""
    N, b, n, m, D, q = sizes
    K, _P, _L = slack_sizes(N, b, n, m, D, q)
    for i in range(STATES):
        P[i, i] = P[i, i] + p.Q[k, i]
    for j in range(BOUNDS):
        i, at = D * K + b * m + k * BOUNDS + j, ENTRIES[j]
        one, two = wbar[i] * wbar[i], wbar[i + (N + 1) * BOUNDS] * wbar[i + (N + 1) * BOUNDS]
        weights[k, j] = 1.0 / (one + two)
        P[at, at] = P[at, at] + one * two * weights[k, j]


def block_factor(p, sizes, i, wbar, factors, H, M):
    """Write the factor L of R + FᵀW²F = L Lᵀ of contact i into H[i], 1/L_aa on its diagonal.

    By Gram and Schmidt's method on the columns [W F; √R] in M (n, …), because W² has numbers so
    large, where a cone is met, that R would drown in their rounding.
    """
    N, b, n, m, D, q = sizes
    K, _P, _L = slack_sizes(N, b, n, m, D, q)
    size = m + q * D + n
    for a in range(n):
        for j in range(m):
            M[a, j] = wbar[D * K + i * m + j] * p.F[i, j, a]
        for j in range(q):
            cone, at = i * q + j, m + j * D
            beta, along = factors[0, cone], 0.0
            for d in range(D - 1):
                along = along + wbar[d * K + cone] * p.C[i, j, d, a]
            top = p.C[i, j, D - 1, a] + along * factors[1, cone]
            for d in range(D - 1):
                M[a, at + d] = beta * (p.C[i, j, d, a] + wbar[d * K + cone] * top)
            own = wbar[(D - 1) * K + cone] * p.C[i, j, D - 1, a]
            M[a, at + D - 1] = beta * (own + along)
        for k in range(n):
            M[a, m + q * D + k] = 0.0
        M[a, m + q * D + a] = root(p.R[i, a])
    for a in range(n):
        inverse = 1.0 / norm(M[a], size)
        H[i, a, a] = inverse
        for c in range(a + 1, n):
            along = dot(M[a], M[c], size) * inverse
            H[i, c, a] = along
            add(M[c], -along * inverse, M[a], size)


def solve(p, first, sizes, work, blocks, nodes):
    """Write the step (du, dx, dε, ds) for the scaled complementarity in d."""
    N, b, n, m, D, q = sizes
    K, P, L = slack_sizes(N, b, n, m, D, q)
    cones = D, K, P
    vectors, factors, motions, inputs, rows, weights, _flags = work
    wbar, d, rs, t, ds = vectors[1], vectors[4], vectors[5], vectors[6], vectors[7]
    ru, du, half = inputs[0], inputs[1], inputs[2]
    re, deps, ge = rows[0], rows[1], rows[2]
    dx, q_, y = motions[1], motions[2], motions[3]
    H, V, _X, _M = blocks
    Pp, U, Z, T, v, forced, _squares, w = nodes
    pnow, pushed, temporary = w[0], w[1], w[2]
    twice(d, rs, 1.0, cones, wbar, factors, t)
    for i in range(b):
        for a in range(n):
            half[i, a] = 0.0
        pull(p, sizes, i, t, half[i])
        for a in range(n):
            half[i, a] = -ru[i, a] - half[i, a]
        solve_lower(H[i], n, half[i])
    for k in range(N + 1):
        clear(q_[k], STATES)
        for j in range(BOUNDS):
            i = D * K + b * m + k * BOUNDS + j
            ge[k, j] = t[i] + t[i + (N + 1) * BOUNDS] - re[k, j]
            slope = t[i] - wbar[i] * wbar[i] * ge[k, j] * weights[k, j]
            q_[k, ENTRIES[j]] = q_[k, ENTRIES[j]] + SIGNS[j] * slope
    for a in range(STATES):
        pnow[a] = q_[N, a]
    for step_ in range(N):
        k = N - 1 - step_
        clear(v[k], WRENCH)
        for i in range(first[k], first[k + 1]):
            add_back(V[i], half[i], n, WRENCH, v[k])
        backward(
            p.h[k], p.s[k], p.K[k], v[k], U[k], Pp[k], Z[k], T[k], q_[k], pnow, forced[k], temporary
        )
    clear(dx[0], STATES)
    for k in range(N):
        costates(p.h[k], p.s[k], p.K[k], Pp[k], forced[k], dx[k], dx[k + 1], y[k], pushed)
        clear(temporary, WRENCH)
        for i in range(first[k], first[k + 1]):
            for a in range(n):
                du[i, a] = half[i, a] - dot(V[i, a], pushed, WRENCH)
            solve_upper(H[i], n, du[i])
            add_times(p.G[i], du[i], WRENCH, n, temporary)
        push(p.h[k], p.K[k], temporary, dx[k + 1])
    for k in range(N + 1):
        for j in range(BOUNDS):
            i = D * K + b * m + k * BOUNDS + j
            one = wbar[i] * wbar[i]
            deps[k, j] = (ge[k, j] + one * SIGNS[j] * dx[k, ENTRIES[j]]) * weights[k, j]
    left_over(p, first, sizes, du, dx, deps, 0.0, ds)
    add(ds, -1.0, rs, L)
