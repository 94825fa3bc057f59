# mypy: disable-error-code="no-untyped-def, no-untyped-call"
"""Interior-point kernel of the convex subproblem of predictive control.

    minimise  Σ_k ½ (x_k − x̂_k)ᵀQ_k(x_k − x̂_k) + Σ_b ½ (u_b − û_b)ᵀR_b(u_b − û_b) + Σ ρ ε
    such that x_{k+1} = A_k x_k + B_k Σ_b G_b u_b + e_k,    x_0 given,
              F_b u_b + s = f_b,   −C_b u_b + s = c_b,   E x_k − ε + s = d_k,   −ε + s = 0,

slacks s in half-lines and Lorentz cones, z their multipliers. x follows from u, and the costates y
from x and z, so that what a step of Newton's leaves of these equations is nothing but rounding; it
is (W of Nesterov and Todd, see `contacts.kernels.cones`, with z in the place of x there)

    (H + FᵀW²F) du = −r_u − Fᵀ(W d + W² r_s),   ds = −r_s − F du,   dz = W d − W² ds,

H the Hessian of the motion. With the ε of each row eliminated this is the problem of `riccati`,
solved with d = −λ (Mehrotra's predictor), then with his corrector. It starts from the given u,
whose slacks are at least ROOM, with multipliers such that sᵀz is as large everywhere. Problems of a
batch lie side by side in lanes; a lane that has ended waits for the others.

L. Vandenberghe, "The CVXOPT linear and quadratic cone program solvers" (2010).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...contacts.kernels.algebra import add, any_lane, dot, norm
from ...contacts.kernels.cones import corrected, inverse_step, scaled, scaling
from ...contacts.kernels.conic import step
from ...dynamics.kernels.scalars import LANES, as_lanes, choose, larger, root, smaller, workspaces
from ...dynamics.kernels.toolchain import Kernel
from .newton import BOUNDS, ENTRIES, SIGNS, build, left_over, residuals, slack_sizes, solve
from .riccati import STATES, WRENCH, add_times, clear, free, push

VECTORS = 12  # of workspace, of as many entries as there are slacks
TO_BOUNDARY = 0.99  # of the way to the boundary of the cones that a step may go
# W²ds is a small number times a large one when limits are met: multipliers are less exact than the
# forces and the cost, which they move by the square of their own error
DUAL = 1e-2
ROOM = 0.5  # of slacks at the start: those of forces are in weights
ENOUGH = 1e2  # times the tolerance: accepted when nothing more can be had


class Problems(NamedTuple):
    """Problems of the same sizes, each array (groups, …, LANES); see the module for the symbols.

    Attributes:
        h, s, K, e: (N,), (N, 3), (N, 3, 3), (N, 12).
        Q, target: (N + 1, 12), the diagonal, and x̂.
        start: x_0 (12,).
        G: (b, 6, n), in the same order as the nodes.
        R, u: (b, n), the diagonal and û.
        F, f: (b, m, n), (b, m).
        C, c: (b, q, D, n), (b, q, D), of each cone the last entry bounds the others.
        d, rho: (N + 1, 6).
    """

    h: Any
    s: Any
    K: Any
    e: Any
    Q: Any
    target: Any
    start: Any
    G: Any
    R: Any
    u: Any
    F: Any
    f: Any
    C: Any
    c: Any
    d: Any
    rho: Any


class Answers(NamedTuple):
    """What was found, each array (groups, …, LANES).

    Attributes:
        u: (b, n), where the method starts, and the minimiser.
        w: (N, 6), [f; m] of the nodes.
        x, y: (N + 1, 12), the motion and its costates; those of x_0 too.
        eps: (N + 1, 6), by how much the rows of x are exceeded.
        z: (slacks,), multipliers: cones component by component, rows of u, rows of x, those of ε.
        told: (4,): the cost, the relative error, the iterations, 1 where it is solved.
    """

    u: Any
    w: Any
    x: Any
    y: Any
    eps: Any
    z: Any
    told: Any


def _counts(N, b, n, m, D, q):
    K, _, L = slack_sizes(N, b, n, m, D, q)
    xx, xw, ww = STATES * STATES, STATES * WRENCH, WRENCH * WRENCH
    vectors = VECTORS * L, 5 * K + 1, 4 * (N + 1) * STATES, 3 * b * n, 3 * (N + 1) * BOUNDS
    blocks = b * n * n, 2 * b * WRENCH * n, n * (m + q * D + n), (N + 1) * BOUNDS
    nodes = N * xx, N * ww, N * xw, N * ww, N * WRENCH, N * STATES
    return *vectors, *blocks, *nodes, 2 * xx, 3 * STATES, 1


def memory_size(N: int, b: int, n: int, m: int, D: int, q: int) -> int:
    """Return how many numbers of memory problems of these sizes need, in each lane."""
    return int(sum(_counts(N, b, n, m, D, q))) + 1


def predict(problems, first, sizes, options, answers, memory):
    """Solve all groups of problems, each LANES side by side.

    Args:
        problems: Problems.
        first: (N + 1,), the contacts of node k are first[k] … first[k + 1] − 1.
        sizes: N, b, n, m, D, q, as of the arrays.
        options: (3,): the tolerance, the complementarity sᵀz per entry at the start, and the most
            iterations.
        answers: Answers, is written; u is where it starts.
        memory: of `memory_size` numbers a lane.
    """
    N, b, n, m, D, q = sizes
    K, _P, L = slack_sizes(N, b, n, m, D, q)
    # fmt: off
    (
        vectors_, factors_, motions_, inputs_, rows_, H_, V_, M_, weights_,
        Pp_, U_, Z_, T_, v_, forced_, squares_, w_, flags_,
    ) = workspaces(memory, *_counts(N, b, n, m, D, q))
    # fmt: on
    work = (
        as_lanes(vectors_.reshape(VECTORS, L, LANES)),
        as_lanes(factors_[: 5 * K].reshape(5, K, LANES)),
        as_lanes(motions_.reshape(4, N + 1, STATES, LANES)),
        as_lanes(inputs_.reshape(3, b, n, LANES)),
        as_lanes(rows_.reshape(3, N + 1, BOUNDS, LANES)),
        as_lanes(weights_.reshape(N + 1, BOUNDS, LANES)),
        flags_,
    )
    blocks = (
        as_lanes(H_.reshape(b, n, n, LANES)),
        as_lanes(V_.reshape(2, WRENCH, b * n, LANES)),
        as_lanes(M_.reshape(n, m + q * D + n, LANES)),
    )
    nodes = (
        as_lanes(Pp_.reshape(N, STATES, STATES, LANES)),
        as_lanes(U_.reshape(N, WRENCH, WRENCH, LANES)),
        as_lanes(Z_.reshape(N, WRENCH, STATES, LANES)),
        as_lanes(T_.reshape(N, WRENCH, WRENCH, LANES)),
        as_lanes(v_.reshape(N, WRENCH, LANES)),
        as_lanes(forced_.reshape(N, STATES, LANES)),
        as_lanes(squares_.reshape(2, STATES, STATES, LANES)),
        as_lanes(w_.reshape(3, STATES, LANES)),
    )
    for g in range(len(problems.h)):
        p = Problems(
            as_lanes(problems.h[g]), as_lanes(problems.s[g]), as_lanes(problems.K[g]),
            as_lanes(problems.e[g]), as_lanes(problems.Q[g]), as_lanes(problems.target[g]),
            as_lanes(problems.start[g]),
            as_lanes(problems.G[g]), as_lanes(problems.R[g]), as_lanes(problems.u[g]),
            as_lanes(problems.F[g]), as_lanes(problems.f[g]),
            as_lanes(problems.C[g]), as_lanes(problems.c[g]),
            as_lanes(problems.d[g]), as_lanes(problems.rho[g]),
        )  # fmt: skip
        found = (
            as_lanes(answers.u[g]), as_lanes(answers.w[g]), as_lanes(answers.x[g]),
            as_lanes(answers.y[g]), as_lanes(answers.eps[g]), as_lanes(answers.z[g]),
            as_lanes(answers.told[g]),
        )  # fmt: skip
        minimise(p, first, sizes, options, found, work, blocks, nodes)


def minimise(p, first, sizes, options, found, work, blocks, nodes):
    """Solve one problem (of each lane)."""
    N, b, n, m, D, q = sizes
    K, P, L = slack_sizes(N, b, n, m, D, q)
    cones = D, K, P
    u, w, x, _y, eps, z, told = found
    vectors, factors, motions, inputs, rows, weights, flags = work
    s, wbar, lam, za, d, rs, _t, ds, dz = (
        vectors[0], vectors[1], vectors[2], vectors[3], vectors[4], vectors[5], vectors[6],
        vectors[7], vectors[8],
    )  # fmt: skip
    du, deps, dx = inputs[1], rows[1], motions[1]
    begin(p, first, sizes, options[1], found, work)
    told[3], ended = 0.0 * told[3], 0.0 * p.start[0]
    told[3] = ended
    told[2] = ended
    count = 1.0 * (K + P)
    running = ended + 1.0
    for iteration in range(int(options[2]) + 1):
        value = residuals(p, first, sizes, found, work, s)
        gap = dot(s, z, L)
        error = larger(gap / (1.0 + value), norm(rs, L))
        for i in range(b):
            for j in range(n):
                error = larger(error, DUAL * largest(inputs[0, i, j]))
        for k in range(N + 1):
            for j in range(BOUNDS):
                error = larger(error, DUAL * largest(rows[0, k, j]))
        told[0] = choose(running, value, told[0])
        told[1] = choose(running, error, told[1])
        told[2] = choose(running, 1.0 * iteration, told[2])
        running = choose(running, choose(error - options[0], 1.0, 0.0), 0.0)
        if not any_lane(running, flags) or iteration >= options[2]:
            break
        scaling(z, s, cones, wbar, factors)
        scaled(s, cones, wbar, factors, lam)
        build(p, first, sizes, wbar, factors, weights, blocks, nodes)
        for i in range(L):
            d[i] = -lam[i]
        solve(p, first, sizes, work, blocks, nodes)
        length = smaller(1.0, 1.0 / larger(
            inverse_step(z, dz, cones, factors[2]), inverse_step(s, ds, cones, factors[3])
        ))  # fmt: skip
        left = 1.0 - length
        scaled(ds, cones, wbar, factors, za)
        corrected(lam, za, left * left * left * gap / count, cones, factors, d)
        solve(p, first, sizes, work, blocks, nodes)
        length = TO_BOUNDARY / larger(
            inverse_step(z, dz, cones, factors[2]), inverse_step(s, ds, cones, factors[3])
        )
        length = choose(running, smaller(length, 1.0), 0.0)
        # a lane that stumbles over rounding keeps what it had
        length = choose(length, length, 0.0)
        running = choose(length - 1e-9, running, 0.0)
        step(z, length, dz, L)
        step(s, length, ds, L)
        for i in range(b):
            step(u[i], length, du[i], n)
        for k in range(N + 1):
            step(x[k], length, dx[k], STATES)
            step(eps[k], length, deps[k], BOUNDS)
    roll_out(p, first, sizes, u, w, x)
    told[3] = choose(ENOUGH * options[0] - told[1], 1.0, 0.0)


def largest(a):
    """|a|."""
    return larger(a, -a)


def begin(p, first, sizes, mean, found, work):
    """Write where it starts: at u, with slacks of at least ROOM, and z = mean s⁻¹."""
    N, b, n, m, D, q = sizes
    K, _P, _L = slack_sizes(N, b, n, m, D, q)
    u, w, x, _y, eps, z, _told = found
    s = work[0][0]
    roll_out(p, first, sizes, u, w, x)
    for k in range(N + 1):
        for j in range(BOUNDS):
            left = p.d[k, j] - SIGNS[j] * x[k, ENTRIES[j]]
            eps[k, j] = larger(-left, 0.0) + mean / p.rho[k, j]
    left_over(p, first, sizes, u, x, eps, 1.0, s)
    for i in range(K):
        square, last = 0.0, (D - 1) * K + i
        for j in range(i, last, K):
            square = square + s[j] * s[j]
        s[last] = larger(s[last], root(square) + ROOM)
        share = mean / (s[last] * s[last] - square)
        z[last] = share * s[last]
        for j in range(i, last, K):
            z[j] = -share * s[j]
    bounds = D * K + b * m
    for i in range(D * K, bounds):
        s[i] = larger(s[i], ROOM)
        z[i] = mean / s[i]
    for k in range(N + 1):
        for j in range(BOUNDS):
            i = bounds + k * BOUNDS + j
            s[i] = larger(s[i], ROOM)
            z[i] = smaller(mean / s[i], 0.9 * p.rho[k, j])
            z[i + (N + 1) * BOUNDS] = p.rho[k, j] - z[i]


def roll_out(p, first, sizes, u, w, x):
    """Write [f; m] of forces u, and their motion."""
    N, _b, n, _m, _D, _q = sizes
    for i in range(STATES):
        x[0, i] = p.start[i]
    for k in range(N):
        clear(w[k], WRENCH)
        for i in range(first[k], first[k + 1]):
            add_times(p.G[i], u[i], WRENCH, n, w[k])
        free(p.h[k], p.s[k], p.K[k], x[k], x[k + 1])
        push(p.h[k], p.K[k], w[k], x[k + 1])
        add(x[k + 1], 1.0, p.e[k], STATES)


def _given(axes: int) -> Any:
    return np.empty((0,) * axes)


def _example() -> tuple[Any, ...]:
    row, table = _given(3), _given(4)
    cube, tesseract = _given(5), _given(6)
    problems = Problems(
        row, table, cube, table, table, table, row, cube, table, table, cube, table, tesseract,
        cube, table, table,
    )  # fmt: skip
    answers = Answers(table, table, table, table, table, row, row)
    return problems, np.empty(0, np.intp), (0,) * 6, np.empty(3), answers, np.empty(0)


_options: dict[str, Any] = {
    "example": _example, "each": 0.2, "seconds": 40.0, "inlined": 400, "apart": True,
}  # fmt: skip
PREDICT = Kernel(predict, 1, fastmath=("contract", "nsz", "reassoc"), **_options)
PREDICTIONS = Kernel(predict, LANES, **_options)
