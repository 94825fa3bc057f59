# mypy: disable-error-code="no-untyped-def, no-untyped-call"
"""Newton's steps of the interior-point kernel of `predictive`: residuals, factors, directions.

Of its equations, of x and ε, and of the slacks s with the multipliers z,

    (H + FᵀW²F) du = −r_u − Fᵀ(W d − W² δ),   ds = δ − F du,   dz = W d − W² ds,

with δ what s lacks. `residuals` are r_u and r_ε, `build` factorises the matrix on the left, block
by block and node by node, with the ε of each row eliminated, and `solve` finds the step for the d
that it is given.
"""

from __future__ import annotations

from typing import Any

from ...contacts.kernels.algebra import add, dot, norm, solve_lower, solve_upper
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
)

# E of x: of the height, the least and the largest, and of both tilts; one entry of x in each row
BOUNDS = 6
ENTRIES = 2, 2, 9, 9, 10, 10
SIGNS = -1.0, 1.0, 1.0, -1.0, 1.0, -1.0


def slack_sizes(N: Any, b: Any, n: Any, m: Any, r: Any, D: Any, q: Any) -> Any:
    """Return how many cones, half-lines and entries of s there are."""
    P = b * m + 2 * (N + 1) * BOUNDS
    return b * q, P, D * b * q + P


def left_over(p, at, sizes, u, x, eps, given, out):
    """Write given − F [u, x, ε]."""
    N, b, n, m, r, D, q = sizes
    K, _P, _L = slack_sizes(N, b, n, m, r, D, q)
    for i in range(b):
        for j in range(q):
            for a in range(D):
                k = a * K + i * q + j
                out[k] = given[k] + p.C[i, j, a] * u[i, at[i, j, a]]
        row = D * K + i * m
        for j in range(r):
            along = dot(p.F[i, j], u[i], n)
            out[row + j] = given[row + j] - along
            if j >= 2 * r - m:
                out[row + j + m - r] = given[row + j + m - r] + along
    off = D * K + b * m
    for k in range(N + 1):
        for j in range(BOUNDS):
            i = off + k * BOUNDS + j
            out[i] = given[i] - SIGNS[j] * x[k, ENTRIES[j]] + eps[k, j]
            out[i + (N + 1) * BOUNDS] = given[i + (N + 1) * BOUNDS] + eps[k, j]


def pull(F, C, at, sizes, z, out):
    """Add what multipliers z of the limits of u are in it: Fᵀz (b, n)."""
    N, b, n, m, r, D, q = sizes
    K, _P, _L = slack_sizes(N, b, n, m, r, D, q)
    for i in range(b):
        own, row = out[i], D * K + i * m
        for j in range(0, r - 1, 2):
            x, y = both_sides(z, row, j, -1.0, m, r), both_sides(z, row, j + 1, -1.0, m, r)
            for a in range(n):
                own[a] = own[a] + (x * F[i, j, a] + y * F[i, j + 1, a])
        for j in range(r - r % 2, r):
            add(own, both_sides(z, row, j, -1.0, m, r), F[i, j], n)
        for j in range(q):
            for a in range(D):
                k = at[i, j, a]
                own[k] = own[k] - z[a * K + i * q + j] * C[i, j, a]


def both_sides(z, row, j, sign, m, r):
    """What row j of F has in z: from above, and times a sign from below."""
    if j < 2 * r - m:
        return 1.0 * z[row + j]
    return z[row + j] + sign * z[row + j + m - r]


def residuals(p, first, at, sizes, found, work):
    """Write y, r_u and r_ε; return the cost."""
    N, b, n, m, r, D, q = sizes
    K, _P, _L = slack_sizes(N, b, n, m, r, D, q)
    off = D * K + b * m
    u, _w, x, y, eps, z, _told = found
    _vectors, _factors, motions, inputs, rows, _weights, _flags = work
    ru, re, pushed = inputs[0], rows[0], motions[0, 0]
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
        for i in range(STATES):
            away = x[k, i] - p.target[k, i]
            y[k, i] = y[k, i] + p.Q[k, i] * away
            value = value + 0.5 * p.Q[k, i] * away * away
        for j in range(BOUNDS):
            i = off + k * BOUNDS + j
            y[k, ENTRIES[j]] = y[k, ENTRIES[j]] + SIGNS[j] * z[i]
            re[k, j] = p.rho[k, j] - z[i] - z[i + (N + 1) * BOUNDS]
            value = value + p.rho[k, j] * eps[k, j]
    pull(p.F, p.C, at, sizes, z, ru)
    return value


def build(p, first, at, sizes, wbar, factors, weights, blocks, nodes):
    """Factor the Hessians of all contacts, and the recursion of P."""
    N, _b, n, _m, _r, _D, _q = sizes
    H, V, X, M, C = blocks
    Pp, U, Z, T, _v, _forced, squares, _w = nodes
    P, W = squares[0], squares[1]
    for i in range(STATES):
        clear(P[i], STATES)
    stiffen(p, sizes, N, wbar, weights, P)
    for step_ in range(N):
        k = N - 1 - step_
        width = (first[k + 1] - first[k]) * n
        for i in range(first[k], first[k + 1]):
            given = p.R[i], p.F[i], p.C[i], at[i]
            block_factor(given, i, sizes, wbar, factors, H[i], M, C)
            for a in range(n):
                row, column = V[i, a], (i - first[k]) * n + a
                for j in range(WRENCH):
                    row[j] = p.G[i, j, a]
                for c in range(a):
                    add(row, -H[i, a, c], V[i, c], WRENCH)
                for j in range(WRENCH):
                    row[j] = row[j] * H[i, a, a]
                    X[j * width + column] = row[j]
        orthogonalise(X, width, U[k])
        eliminate(p.h[k], p.K[k], U[k], P, Pp[k], Z[k], T[k], W)
        carried(p.h[k], p.s[k], p.K[k], Pp[k], P, W)
        stiffen(p, sizes, k, wbar, weights, P)


def stiffen(p, sizes, k, wbar, weights, P):
    """Add Q_k and the curvature of the rows of x, their ε eliminated."""
    N, b, n, m, r, D, q = sizes
    K, _P, _L = slack_sizes(N, b, n, m, r, D, q)
    for i in range(STATES):
        P[i, i] = P[i, i] + p.Q[k, i]
    for j in range(BOUNDS):
        i, at = D * K + b * m + k * BOUNDS + j, ENTRIES[j]
        one, two = wbar[i], wbar[i + (N + 1) * BOUNDS]
        weights[k, j] = 1.0 / (one + two)
        P[at, at] = P[at, at] + one * two * weights[k, j]


def block_factor(given, i, sizes, wbar, factors, H, M, T):
    """Write the factor L of R + FᵀW²F = L Lᵀ of contact i into H, 1/L_aa on its diagonal.

    By orthogonal transformations of [√R; W C; W F], because W² has numbers so large, where a cone
    is met, that R would drown in their rounding: the columns of each cone with their √R, in
    T (D, 2 D), by Gram and Schmidt's method; then Householder's reflections of what that leaves, Lᵀ
    of a start, and of the columns of W F, one entry of it and one of these in M (n, 1 + r).
    """
    R, F, scales, at = given
    N, b, n, m, r, D, q = sizes
    K, _P, _L = slack_sizes(N, b, n, m, r, D, q)
    off = D * K + i * m
    for j in range(r):
        w = root(both_sides(wbar, off, j, 1.0, m, r))
        for a in range(n):
            M[a, 1 + j] = w * F[j, a]
    for a in range(n):
        clear(H[a], a)
        H[a, a] = root(R[a])
    for j in range(q):
        cone_columns(scales[j], i * q + j, K, D, wbar, factors, T)
        for a in range(D):
            k = in_order(at[j], a, D)
            own = at[j, k]
            if own >= 0:
                T[k, D + k] = H[own, own]
                length = norm(T[k], 2 * D)
                inverse, H[own, own] = 1.0 / length, length
                for c in range(a + 1, D):
                    o = in_order(at[j], c, D)
                    along = dot(T[k], T[o], 2 * D) * inverse
                    H[at[j, o], own] = along
                    add(T[o], -along * inverse, T[k], 2 * D)
    for a in range(n):
        M[a, 0] = H[a, a]
        length = norm(M[a], 1 + r)
        both = length + H[a, a]
        inverse = 1.0 / (length * both)
        inverse, share = inverse * both, inverse * length
        for c in range(a + 1, n):
            M[c, 0] = H[c, a]
            along = dot(M[a], M[c], 1 + r) * inverse
            add(M[c], -(along + H[c, a]) * share, M[a], 1 + r)
            H[c, a] = along
        H[a, a] = inverse


def in_order(at, a, D):
    """Which entry of a cone is the a-th in u: a moment comes after the normal force, its last."""
    if a >= D - 2 and at[D - 2] > at[D - 1]:
        return 2 * D - 3 - a
    return a


def cone_columns(scales, k, K, D, wbar, factors, T):
    """Write the columns of W C of the k-th cone, and zeros, into T."""
    for a in range(D):
        clear(T[a], 2 * D)
        scale = factors[0, k] * scales[a]
        along = scale * wbar[a * K + k]
        T[a, D - 1] = along
        if a < D - 1:
            for d in range(D - 1):
                T[a, d] = along * factors[1, k] * wbar[d * K + k]
            T[a, a] = T[a, a] + scale
        else:
            for d in range(D - 1):
                T[a, d] = scale * wbar[d * K + k]


def solve(p, first, at, sizes, work, blocks, nodes):
    """Write the step (du, dx, dε, ds) for the scaled complementarity in d."""
    N, b, n, m, r, D, q = sizes
    K, _P, _L = slack_sizes(N, b, n, m, r, D, q)
    off = D * K + b * m
    vectors, _factors, motions, inputs, rows, weights, _flags = work
    wbar, lack, t, ds = vectors[1], vectors[5], vectors[6], vectors[7]
    ru, du, half = inputs[0], inputs[1], inputs[2]
    re, deps, ge = rows[0], rows[1], rows[2]
    dx, q_, y = motions[1], motions[2], motions[3]
    H, V, _X, _M, _C = blocks
    Pp, U, Z, T, v, forced, _squares, w = nodes
    pnow, pushed, temporary = w[0], w[1], w[2]
    for i in range(b):
        for a in range(n):
            half[i, a] = ru[i, a]
    pull(p.F, p.C, at, sizes, t, half)
    for i in range(b):
        for a in range(n):
            half[i, a] = -half[i, a]
        solve_lower(H[i], n, half[i])
    for k in range(N + 1):
        clear(q_[k], STATES)
        for j in range(BOUNDS):
            i = off + k * BOUNDS + j
            ge[k, j] = t[i] + t[i + (N + 1) * BOUNDS] - re[k, j]
            slope = t[i] - wbar[i] * ge[k, j] * weights[k, j]
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
            i = off + k * BOUNDS + j
            along = ge[k, j] + wbar[i] * SIGNS[j] * dx[k, ENTRIES[j]]
            deps[k, j] = along * weights[k, j]
    left_over(p, at, sizes, du, dx, deps, lack, ds)
