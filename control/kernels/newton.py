"""Newton's steps of the interior-point kernel of `predictive`: residuals, factors, directions.

Of its equations, of x and ε, and of the slacks s with the multipliers z, they are

    (H + FᵀW²F) du = −r_u − Fᵀ(W d − W² δ),   ds = δ − F du,   dz = W d − W² ds,

H the Hessian of the motion, W and d of `slacks`. `residuals` are r_u and r_ε, and `solve` finds the
step for the d that it is given; where W is new it factorises the matrix on the left first, block by
block and node by node, with the ε of each row eliminated.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ...contacts.kernels.algebra import add, dot, solve_lower, solve_upper
from ...dynamics.kernels.scalars import inverse, roots
from .riccati import (
    STATES,
    WRENCH,
    add_back,
    add_times,
    backward,
    carried,
    clear,
    eliminate,
    free,
    free_back,
    orthogonalise,
    push,
    push_back,
)

# E of x: of the height, the least and the largest, and of both tilts; one entry of x in each row
BOUNDS = 6
ENTRIES = 2, 2, 9, 9, 10, 10
SIGNS = -1.0, 1.0, 1.0, -1.0, 1.0, -1.0


class Vectors(NamedTuple):
    """Workspace of the slacks, and of a step.

    Attributes:
        flags: of lanes.
        s, d, lack, ds: s, d, what s lacked at the start, and ds (L,).
        wbar, lam, za, factors: `scales` of `slacks`, three of them (L,), the factors (5, K).
        t: what d comes to, see `slacks` (L,).
        dx: of the motion (N + 1, 12).
        costate: of the node that has its turn (12,).
        ru, du: r_u and the step of u (b, n).
        re, deps, ge: r_ε, the step of ε, and what that is without a motion (N + 1, 6).
        weights: 1/(W² of both slacks of a row) (N + 1, 6).
    """

    flags: Any
    s: Any
    wbar: Any
    lam: Any
    za: Any
    d: Any
    lack: Any
    t: Any
    ds: Any
    factors: Any
    dx: Any
    costate: Any
    ru: Any
    du: Any
    re: Any
    deps: Any
    ge: Any
    weights: Any


class Blocks(NamedTuple):
    """Workspace of the contacts.

    Attributes:
        H: the factors L of R + FᵀW²F, 1/L_aa on their diagonals (b, n, n).
        V: of each node L⁻¹Gᵀ, row by row (6 n b,).
        half: L⁻¹ of what u lacks (n b,).
        L, M, C: of the contact that has its turn (n, 6), (n + 2, ≥ r), (D, 2 D).
    """

    H: Any
    V: Any
    half: Any
    L: Any
    M: Any
    C: Any


class Nodes(NamedTuple):
    """Workspace of the nodes, see `riccati`.

    Attributes:
        U, R, pulled: (N, 6, 6), (N, 6, 12), (N, 6).
        P: of the node that has its turn (12, 12).
        D, T: (6, 12), (6, 6), of no meaning in between.
    """

    U: Any
    R: Any
    pulled: Any
    P: Any
    D: Any
    T: Any


def slack_sizes(N: Any, b: Any, n: Any, m: Any, r: Any, D: Any, q: Any) -> Any:
    """Return how many cones, half-lines and entries of s there are."""
    P = b * m + 2 * (N + 1) * BOUNDS
    return b * q, P, D * b * q + P


def left_over(p, at, sizes, start, end, u, given, share, out):
    """Write share given − F u, of contacts start … end − 1."""
    N, b, n, m, r, D, q = sizes
    K, _P, _L = slack_sizes(N, b, n, m, r, D, q)
    for i in range(start, end):
        for j in range(q):
            for a in range(D):
                k = a * K + i * q + j
                out[k] = share * given[k] + p.C[i, j, a] * u[i, at[i, j, a]]
        row = D * K + i * m
        for j in range(r):
            along = dot(p.F[i, j], u[i], n)
            out[row + j] = share * given[row + j] - along
            if j >= 2 * r - m:
                out[row + j + m - r] = share * given[row + j + m - r] + along


def left_of_rows(sizes, k, x, eps, given, share, out):
    """Write share given − F [x, ε], of the rows of x_k."""
    N, b, n, m, r, D, q = sizes
    K, _P, _L = slack_sizes(N, b, n, m, r, D, q)
    for j in range(BOUNDS):
        i = D * K + b * m + k * BOUNDS + j
        o = i + (N + 1) * BOUNDS
        out[i] = share * given[i] - SIGNS[j] * x[k, ENTRIES[j]] + eps[k, j]
        out[o] = share * given[o] + eps[k, j]


def pull(p, at, sizes, start, end, z, out):
    """Add what multipliers z of the limits of u are in it, Fᵀz, of contacts start … end − 1."""
    N, b, n, m, r, D, q = sizes
    K, _P, _L = slack_sizes(N, b, n, m, r, D, q)
    for i in range(start, end):
        own, F, row = out[i], p.F[i], D * K + i * m
        for j in range(0, r - 1, 2):
            x, y = both_sides(z, row, j, -1.0, m, r), both_sides(z, row, j + 1, -1.0, m, r)
            for a in range(n):
                own[a] = own[a] + (x * F[j, a] + y * F[j + 1, a])
        for j in range(r - r % 2, r):
            add(own, both_sides(z, row, j, -1.0, m, r), F[j], n)
        for j in range(q):
            for a in range(D):
                k = at[i, j, a]
                own[k] = own[k] - z[a * K + i * q + j] * p.C[i, j, a]


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
    ru, re, pushed = work.ru, work.re, work.costate
    value = 0.0
    for step_ in range(N + 1):
        k = N - step_
        if k == N:
            clear(y[k], STATES)
        else:
            for i in range(STATES):
                y[k, i] = y[k + 1, i]
            free_back(p.h[k], p.s[k], p.K[k], y[k])
            push_back(p.h[k], p.K[k], y[k + 1], pushed)
            for i in range(first[k], first[k + 1]):
                for j in range(n):
                    away = u[i, j] - p.u[i, j]
                    ru[i, j] = p.R[i, j] * away
                    value = value + 0.5 * p.R[i, j] * away * away
                add_back(p.G[i], pushed, WRENCH, n, ru[i])
            pull(p, at, sizes, first[k], first[k + 1], z, ru)
        for i in range(STATES):
            away = x[k, i] - p.target[k, i]
            y[k, i] = y[k, i] + p.Q[k, i] * away
            value = value + 0.5 * p.Q[k, i] * away * away
        for j in range(BOUNDS):
            i = off + k * BOUNDS + j
            y[k, ENTRIES[j]] = y[k, ENTRIES[j]] + SIGNS[j] * z[i]
            re[k, j] = p.rho[k, j] - z[i] - z[i + (N + 1) * BOUNDS]
            value = value + p.rho[k, j] * eps[k, j]
    return value


def factor_node(p, first, at, sizes, k, work, blocks, nodes):
    """Factor the Hessians of the contacts of node k, and go on from P_{k+1} to AᵀP'A."""
    n = sizes[2]
    H, L = blocks.H, blocks.L
    own, _, width = of_node(blocks.V, blocks.half, first, k, n)
    for i in range(first[k], first[k + 1]):
        given = p.R[i], p.F[i], p.C[i], at[i]
        block_factor(given, i, sizes, work.wbar, work.factors, H[i], blocks.M, blocks.C)
        for a in range(n):
            row, column = L[a], (i - first[k]) * n + a
            for j in range(WRENCH):
                row[j] = p.G[i, j, a]
            for c in range(a):
                add(row, -H[i, a, c], L[c], WRENCH)
            for j in range(WRENCH):
                row[j] = row[j] * H[i, a, a]
                own[j * width + column] = row[j]
    U, R, P = nodes.U[k], nodes.R[k], nodes.P
    orthogonalise(own, width, U)
    eliminate(p.h[k], p.K[k], U, P, R, nodes.T, nodes.D)
    carried(p.h[k], p.s[k], p.K[k], P)


def of_node(V, g, first, k, n):
    """What of V (6 n b,) and g (n b,) belongs to node k, and how many entries of g these are."""
    start, end = n * first[k], n * first[k + 1]
    return V[WRENCH * start : WRENCH * end], g[start:end], end - start


def stiffen(p, sizes, k, work, P):
    """Add Q_k and the curvature of the rows of x, their ε eliminated."""
    N, b, n, m, r, D, q = sizes
    K, _P, _L = slack_sizes(N, b, n, m, r, D, q)
    wbar, weights = work.wbar, work.weights
    for i in range(STATES):
        P[i, i] = P[i, i] + p.Q[k, i]
    for j in range(BOUNDS):
        i, at = D * K + b * m + k * BOUNDS + j, ENTRIES[j]
        one, two = wbar[i], wbar[i + (N + 1) * BOUNDS]
        weights[k, j] = inverse(one + two)
        P[at, at] = P[at, at] + one * two * weights[k, j]


def block_factor(given, i, sizes, wbar, factors, H, M, T):
    """Write the factor L of R + FᵀW²F = L Lᵀ of contact i into H, 1/L_aa on its diagonal.

    By orthogonal transformations of [√R; W C; W F], because W² has numbers so large, where a cone
    is met, that R would drown in their rounding: the columns of each cone with their √R, in
    T (D, 2 D), by Gram and Schmidt's method; then Householder's reflections of what that leaves, Lᵀ
    of a start, and of the columns of W F, one entry of it and one of these. F stands in the rows of
    M (n + 2, ≥ r), then W², and what that makes of a column: W itself is not needed.
    """
    R, F, scales, at = given
    N, b, n, m, r, D, q = sizes
    K, _P, _L = slack_sizes(N, b, n, m, r, D, q)
    off, count = D * K + i * m, M.shape[1]
    squares, weighed = M[n], M[n + 1]
    for j in range(r):
        squares[j] = both_sides(wbar, off, j, 1.0, m, r)
        for a in range(n):
            M[a, j] = F[j, a]
    for a in range(n):
        clear(H[a], a)
        H[a, a], _ = roots(R[a])
    for j in range(q):
        if D == 3:  # the usual ones: LLVM knows how long their loops are
            cone_factor(scales[j], at[j], 3, i * q + j, K, wbar, factors, H, T)
        else:
            cone_factor(scales[j], at[j], D, i * q + j, K, wbar, factors, H, T)
    for a in range(n):
        for j in range(count):
            weighed[j] = squares[j] * M[a, j]
        top = H[a, a]
        length, short = roots(top * top + dot(weighed, M[a], count))
        share = inverse(length + top)
        for c in range(a + 1, n):
            along = (top * H[c, a] + dot(weighed, M[c], count)) * short
            add(M[c], -(along + H[c, a]) * share, M[a], count)
            H[c, a] = along
        H[a, a] = short


def cone_factor(scales, at, D, k, K, wbar, factors, H, T):
    """Write into H what the columns of W C of a cone are with their √R, on H's diagonal before."""
    cone_columns(scales, k, K, D, wbar, factors, T)
    for a in range(D):
        i = in_order(at, a, D)
        own = at[i]
        if own >= 0:
            T[i, D + i] = H[own, own]
            H[own, own], short = roots(dot(T[i], T[i], 2 * D))
            for c in range(a + 1, D):
                j = in_order(at, c, D)
                along = dot(T[i], T[j], 2 * D) * short
                H[at[j], own] = along
                add(T[j], -along * short, T[i], 2 * D)


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


def solve(p, first, at, sizes, share, work, blocks, nodes, new):
    """Write the step (du, dx, dε, ds) for the scaled complementarity in t, see `slacks`.

    Args:
        p, first, at, sizes, work, blocks, nodes: as of `predictive.minimise`.
        share: of what s lacked at the start that it lacks now.
        new: whether W is: then its factors are written before, node by node, as all is done that
            needs a node's numbers while these are in the processor's cache.
    """
    N, n = sizes[0], sizes[2]
    clear(work.costate, STATES)
    if new:
        for i in range(STATES):
            clear(nodes.P[i], STATES)
        for a in range(n + 2):
            clear(blocks.M[a], blocks.M.shape[1])  # beyond r it stays so
    for step_ in range(N + 1):
        k = N - step_
        if k < N:
            if new:
                factor_node(p, first, at, sizes, k, work, blocks, nodes)
            backward_pass(p, first, at, sizes, k, work, blocks, nodes)
        if new:
            stiffen(p, sizes, k, work, nodes.P)
        pull_of_rows(sizes, k, work)
    clear(work.dx[0], STATES)
    for k in range(N + 1):
        step_of_rows(sizes, k, share, work)
        if k < N:
            forward_pass(p, first, at, sizes, k, share, work, blocks, nodes)


def backward_pass(p, first, at, sizes, k, work, blocks, nodes):
    """Write half = −L⁻¹(r_u + Fᵀt) of node k; turn the costate of x_{k+1} into that of x_k."""
    n, H, half, du = sizes[2], blocks.H, blocks.half, work.du
    own, g, width = of_node(blocks.V, half, first, k, n)
    for i in range(first[k], first[k + 1]):
        for a in range(n):
            du[i, a] = work.ru[i, a]
    pull(p, at, sizes, first[k], first[k + 1], work.t, du)
    for i in range(first[k], first[k + 1]):
        alone = half[i * n : i * n + n]
        for a in range(n):
            alone[a] = -du[i, a]
        solve_lower(H[i], n, alone)
    c, w = nodes.D[0], nodes.D[1]
    for j in range(WRENCH):
        c[j] = dot(own[j * width : j * width + width], g, width)
    U, R, pulled = nodes.U[k], nodes.R[k], nodes.pulled[k]
    backward(p.h[k], p.s[k], p.K[k], c, U, R, work.costate, pulled, w)


def pull_of_rows(sizes, k, work):
    """Add to the costate what the rows of x_k ask for, their ε eliminated."""
    N, b, _n, m, _r, D, _q = sizes
    K, _P, _L = slack_sizes(*sizes)
    wbar, t, ge, costate = work.wbar, work.t, work.ge, work.costate
    for j in range(BOUNDS):
        i = D * K + b * m + k * BOUNDS + j
        ge[k, j] = t[i] + t[i + (N + 1) * BOUNDS] - work.re[k, j]
        slope = t[i] - wbar[i] * ge[k, j] * work.weights[k, j]
        costate[ENTRIES[j]] = costate[ENTRIES[j]] + SIGNS[j] * slope


def step_of_rows(sizes, k, share, work):
    """Write dε of the rows of x_k, and ds."""
    _N, b, _n, m, _r, D, _q = sizes
    K, _P, _L = slack_sizes(*sizes)
    dx, deps = work.dx, work.deps
    for j in range(BOUNDS):
        i = D * K + b * m + k * BOUNDS + j
        along = work.ge[k, j] + work.wbar[i] * SIGNS[j] * dx[k, ENTRIES[j]]
        deps[k, j] = along * work.weights[k, j]
    left_of_rows(sizes, k, dx, deps, work.lack, share, work.ds)


def forward_pass(p, first, at, sizes, k, share, work, blocks, nodes):
    """Write du_k, the ds of its limits, and dx_{k+1}."""
    n, du, dx = sizes[2], work.du, work.dx
    own, g, width = of_node(blocks.V, blocks.half, first, k, n)
    free(p.h[k], p.s[k], p.K[k], dx[k], dx[k + 1])
    c, w = nodes.D[0], nodes.D[1]
    for j in range(WRENCH):
        c[j] = nodes.pulled[k, j] + dot(nodes.R[k, j], dx[k + 1], STATES)
    for i in range(width):
        total = g[i]
        for j in range(WRENCH):
            total = total - own[j * width + i] * c[j]
        g[i] = total
    clear(w, WRENCH)
    for i in range(first[k], first[k + 1]):
        for a in range(n):
            du[i, a] = blocks.half[i * n + a]
        solve_upper(blocks.H[i], n, du[i])
        add_times(p.G[i], du[i], WRENCH, n, w)
    push(p.h[k], p.K[k], w, dx[k + 1])
    left_over(p, at, sizes, first[k], first[k + 1], du, work.lack, share, work.ds)
