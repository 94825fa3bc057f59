# mypy: disable-error-code="no-untyped-def, no-untyped-call"
"""Newton's steps of the interior-point kernel of `predictive`: residuals, factors, directions.

Of its equations, of x and ε, and of the slacks s with the multipliers z,

    (H + FᵀW²F) du = −r_u − Fᵀ(W d + W² r_s),   ds = −r_s − F du,   dz = W d − W² ds,

`residuals` are r, `build` factorises the matrix on the left, block by block and node by node, with
the ε of each row eliminated, and `solve` finds the step for the d that it is given.
"""

from __future__ import annotations

from typing import Any

from ...contacts.kernels.algebra import add, dot
from ...contacts.kernels.cones import scaled, twice_scaled
from ...dynamics.kernels.scalars import root
from .riccati import (
    STATES,
    WRENCH,
    add_back,
    add_times,
    backward,
    clear,
    costates,
    eliminate,
    orthogonalise,
    solve_lower,
    solve_upper,
)


def slack_sizes(N: Any, r: Any, b: Any, n: Any, m: Any, D: Any, q: Any) -> Any:
    """Return how many cones, half-lines and entries of s there are."""
    P = b * m + 2 * (N + 1) * r
    return b * q, P, D * b * q + P


def left_over(p, first, sizes, u, x, eps, given, out):
    """Write given [f, c, d, 0] − F [u, x, ε]: s itself for 1, and −F [du, dx, dε] for 0."""
    _A, _B, _e, _Q, _target, _start, _G, _R, _uref, F, f, C, c, E, bound, _rho = p
    N, r, b, n, m, D, q = sizes
    K, _P, _L = slack_sizes(N, r, b, n, m, D, q)
    for i in range(b):
        for j in range(q):
            for a in range(D):
                total = given * c[i, j, a]
                for k in range(n):
                    total = total + C[i, j, a, k] * u[i, k]
                out[a * K + i * q + j] = total
        for j in range(m):
            total = given * f[i, j]
            for k in range(n):
                total = total - F[i, j, k] * u[i, k]
            out[D * K + i * m + j] = total
    off = D * K + b * m
    for k in range(N + 1):
        for j in range(r):
            i = off + k * r + j
            out[i] = given * bound[k, j] - dot(E[k, j], x[k], STATES) + eps[k, j]
            out[i + (N + 1) * r] = eps[k, j]


def pulled(p, sizes, i, z, out):
    """Add what multipliers z of the limits of contact i are in its u (row i of `out`): Fᵀz."""
    _A, _B, _e, _Q, _target, _start, _G, _R, _uref, F, _f, C, _c, _E, _bound, _rho = p
    N, r, b, n, m, D, q = sizes
    K, _P, _L = slack_sizes(N, r, b, n, m, D, q)
    for j in range(q):
        for a in range(D):
            w = z[a * K + i * q + j]
            for k in range(n):
                out[i, k] = out[i, k] - w * C[i, j, a, k]
    for j in range(m):
        w = z[D * K + i * m + j]
        for k in range(n):
            out[i, k] = out[i, k] + w * F[i, j, k]


def residuals(p, first, sizes, found, work, s):
    """Write y, r_s, r_u and r_ε; return the cost."""
    A, B, _e, Q, target, _start, G, R, uref, _F, _f, _C, _c, E, _bound, rho = p
    N, r, b, n, m, D, q = sizes
    K, _P, L = slack_sizes(N, r, b, n, m, D, q)
    u, x, y, eps, z, _told = found
    vectors, _factors, motions, inputs, rows, _weights, _flags = work
    rs, ru, re, off, pushed = vectors[5], inputs[0], rows[0], motions[0, 0], motions[0, 1]
    left_over(p, first, sizes, u, x, eps, 1.0, rs)
    for i in range(L):
        rs[i] = s[i] - rs[i]
    value = 0.0
    for step_ in range(N + 1):
        k = N - step_
        for i in range(STATES):
            off[i] = x[k, i] - target[k, i]
        clear(y[k], STATES)
        add_times(Q[k], off, STATES, STATES, y[k])
        value = value + 0.5 * dot(off, y[k], STATES)
        for j in range(r):
            i = D * K + b * m + k * r + j
            add(y[k], z[i], E[k, j], STATES)
            re[k, j] = rho[k, j] - z[i] - z[i + (N + 1) * r]
            value = value + rho[k, j] * eps[k, j]
        if k == N:
            continue
        add_back(A[k], y[k + 1], STATES, STATES, y[k])
        clear(pushed, WRENCH)
        add_back(B[k], y[k + 1], STATES, WRENCH, pushed)
        for i in range(first[k], first[k + 1]):
            for j in range(n):
                away = u[i, j] - uref[i, j]
                ru[i, j] = R[i, j] * away
                value = value + 0.5 * R[i, j] * away * away
            add_back(G[i], pushed, WRENCH, n, ru[i])
            pulled(p, sizes, i, z, ru)
    return value


def build(p, first, sizes, wbar, factors, weights, blocks, nodes):
    """Factor the Hessians of all contacts, and the recursion of P."""
    A, B, _e, _Q, _target, _start, G, _R, _uref, _F, _f, _C, _c, _E, _bound, _rho = p
    N, r, b, n, m, D, q = sizes
    _K, _P, _L = slack_sizes(N, r, b, n, m, D, q)
    H, V, M = blocks
    Pp, X, Z, T, _v, _forced, squares, small, _w = nodes
    for i in range(b):
        block_factor(p, sizes, i, wbar, factors, H, M)
        for j in range(WRENCH):
            for a in range(n):
                total = G[i, j, a]
                for k in range(a):
                    total = total - H[i, a, k] * V[0, j, i * n + k]
                total = total * H[i, a, a]
                V[0, j, i * n + a] = total
                V[1, j, i * n + a] = total
    stiffen(p, sizes, N, wbar, weights, squares[1])
    copy(squares[1], squares[0])
    for step_ in range(N):
        k = N - 1 - step_
        orthogonalise(V[1], first[k] * n, first[k + 1] * n, small)
        eliminate(B[k], small, squares[0], Pp[k], X[k], Z[k], T[k])
        stiffen(p, sizes, k, wbar, weights, squares[1])
        # the workspace of the product is that of P, which is not wanted any more
        product(A[k], Pp[k], squares)


def product(A, Pp, squares):
    """P_k = Q + AᵀP'A into squares[0], Q in squares[1]."""
    W = squares[0]
    for i in range(STATES):
        for j in range(STATES):
            W[i, j] = 0.0
        for k in range(STATES):
            a = Pp[i, k]
            for j in range(STATES):
                W[i, j] = W[i, j] + a * A[k, j]
    P = squares[1]
    for k in range(STATES):
        for i in range(STATES):
            a = A[k, i]
            for j in range(STATES):
                P[i, j] = P[i, j] + a * W[k, j]
    copy(P, W)


def copy(a, out):
    """Write a (12, 12)."""
    for i in range(STATES):
        for j in range(STATES):
            out[i, j] = a[i, j]


def stiffen(p, sizes, k, wbar, weights, out):
    """Write Q_k with the curvature of the rows of x, their ε eliminated."""
    _A, _B, _e, Q, _target, _start, _G, _R, _uref, _F, _f, _C, _c, E, _bound, _rho = p
    N, r, b, n, m, D, q = sizes
    K, _P, _L = slack_sizes(N, r, b, n, m, D, q)
    copy(Q[k], out)
    for j in range(r):
        i = D * K + b * m + k * r + j
        one, two = wbar[i] * wbar[i], wbar[i + (N + 1) * r] * wbar[i + (N + 1) * r]
        weights[k, j] = 1.0 / (one + two)
        both = one * two * weights[k, j]
        for a in range(STATES):
            add(out[a], both * E[k, j, a], E[k, j], STATES)


def block_factor(p, sizes, i, wbar, factors, H, M):
    """Write the factor L of R + FᵀW²F = L Lᵀ of contact i into H[i], 1/L_aa on its diagonal.

    By Gram and Schmidt's method on the columns [W F; √R] in M (n, …), because W² has numbers so
    large, where a cone is met, that R would drown in their rounding.
    """
    _A, _B, _e, _Q, _target, _start, _G, R, _uref, F, _f, C, _c, _E, _bound, _rho = p
    N, r, b, n, m, D, q = sizes
    K, _P, _L = slack_sizes(N, r, b, n, m, D, q)
    size = m + q * D + n
    for a in range(n):
        for j in range(m):
            M[a, j] = wbar[D * K + i * m + j] * F[i, j, a]
        for j in range(q):
            cone, at = i * q + j, m + j * D
            beta, along = factors[0, cone], 0.0
            for d in range(D - 1):
                along = along + wbar[d * K + cone] * C[i, j, d, a]
            top = C[i, j, D - 1, a] + along * factors[1, cone]
            for d in range(D - 1):
                M[a, at + d] = beta * (C[i, j, d, a] + wbar[d * K + cone] * top)
            own = wbar[(D - 1) * K + cone] * C[i, j, D - 1, a]
            M[a, at + D - 1] = beta * (own + along)
        for k in range(n):
            M[a, m + q * D + k] = 0.0
        M[a, m + q * D + a] = root(R[i, a])
    for a in range(n):
        square = 0.0
        for k in range(size):
            square = square + M[a, k] * M[a, k]
        inverse = 1.0 / root(square)
        H[i, a, a] = inverse
        for c in range(a + 1, n):
            along = 0.0
            for k in range(size):
                along = along + M[a, k] * M[c, k]
            along = along * inverse
            H[i, c, a] = along
            along = along * inverse
            for k in range(size):
                M[c, k] = M[c, k] - along * M[a, k]


def solve(p, first, sizes, work, blocks, nodes):
    """Write the step (du, dx, dε, ds, dz) for the scaled complementarity in d."""
    A, B, _e, _Q, _target, _start, G, _R, _uref, _F, _f, _C, _c, E, _bound, _rho = p
    N, r, b, n, m, D, q = sizes
    K, P, L = slack_sizes(N, r, b, n, m, D, q)
    cones = D, K, P
    vectors, factors, motions, inputs, rows, weights, _flags = work
    wbar, d, rs, t, ds, dz, more = (
        vectors[1], vectors[4], vectors[5], vectors[6], vectors[7], vectors[8], vectors[9],
    )  # fmt: skip
    ru, du, half = inputs[0], inputs[1], inputs[2]
    re, deps, ge = rows[0], rows[1], rows[2]
    dx, q_, y = motions[1], motions[2], motions[3]
    H, V, _M = blocks
    Pp, X, Z, T, v, forced, _squares, _small, w = nodes
    pnow, pushed, temporary = w[0], w[1], w[2]
    scaled(d, cones, wbar, factors, t)
    twice_scaled(rs, cones, wbar, factors, more)
    add(t, 1.0, more, L)
    for i in range(b):
        for a in range(n):
            half[i, a] = 0.0
        pulled(p, sizes, i, t, half)
        for a in range(n):
            half[i, a] = -ru[i, a] - half[i, a]
        solve_lower(H[i], n, half[i])
    for k in range(N + 1):
        clear(q_[k], STATES)
        for j in range(r):
            i = D * K + b * m + k * r + j
            ge[k, j] = t[i] + t[i + (N + 1) * r] - re[k, j]
            slope = t[i] - wbar[i] * wbar[i] * ge[k, j] * weights[k, j]
            add(q_[k], slope, E[k, j], STATES)
    for a in range(STATES):
        pnow[a] = q_[N, a]
    for step_ in range(N):
        k = N - 1 - step_
        for i in range(WRENCH):
            total = 0.0
            for block in range(first[k], first[k + 1]):
                for a in range(n):
                    total = total + V[0, i, block * n + a] * half[block, a]
            v[k, i] = total
        backward(A[k], B[k], v[k], Pp[k], X[k], Z[k], T[k], q_[k], pnow, forced[k], temporary)
    clear(dx[0], STATES)
    for k in range(N):
        costates(A[k], B[k], Pp[k], forced[k], dx[k], dx[k + 1], y[k], pushed)
        clear(temporary, WRENCH)
        for i in range(first[k], first[k + 1]):
            for a in range(n):
                du[i, a] = half[i, a]
            for j in range(WRENCH):
                for a in range(n):
                    du[i, a] = du[i, a] - pushed[j] * V[0, j, i * n + a]
            solve_upper(H[i], n, du[i])
            add_times(G[i], du[i], WRENCH, n, temporary)
        add_times(B[k], temporary, STATES, WRENCH, dx[k + 1])
    for k in range(N + 1):
        for j in range(r):
            i = D * K + b * m + k * r + j
            one = wbar[i] * wbar[i]
            deps[k, j] = (ge[k, j] + one * dot(E[k, j], dx[k], STATES)) * weights[k, j]
    left_over(p, first, sizes, du, dx, deps, 0.0, ds)
    add(ds, -1.0, rs, L)
    scaled(d, cones, wbar, factors, dz)
    twice_scaled(ds, cones, wbar, factors, more)
    add(dz, -1.0, more, L)
