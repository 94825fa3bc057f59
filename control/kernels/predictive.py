"""Interior-point kernel of the convex subproblem of predictive control.

With slacks the limits of `predictive.subproblem` are

    F_b u_b + s = f_b,   −C_b u_b + s = c_b,   E x_k − ε + s = d_k,   −ε + s = 0,

s in half-lines and Lorentz cones, z their multipliers. x follows from u, and the costates y from x
and z, so that what a step of Newton's (see `newton`) leaves of these equations is nothing but
rounding; δ is what s lacks of [f, c, d, 0] − F [u, x, ε]. With the ε of each row
eliminated this is the problem of `riccati`, solved with d = −λ (Mehrotra's predictor), then with
his corrector. It starts from û, whose slacks are at least ROOM, with multipliers such that sᵀz is
as large everywhere: in all a share of the cost of û's motion, so that the farther it is from its
target, the farther it starts from the boundary. Problems of a batch lie side by side in lanes; a
lane that has ended waits for the others.

L. Vandenberghe, "The CVXOPT linear and quadratic cone program solvers" (2010).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Array
from ...contacts.kernels.algebra import add, any_lane, dot, norm
from ...contacts.kernels.cones import FAR
from ...dynamics.kernels.rows import gather_each, scatter
from ...dynamics.kernels.scalars import (
    LANES,
    arrays,
    choose,
    inverse,
    larger,
    root,
    smaller,
    workspaces,
)
from ...dynamics.kernels.toolchain import Kernel
from .newton import (
    BOUNDS,
    ENTRIES,
    SIGNS,
    Blocks,
    Nodes,
    Vectors,
    left_of_rows,
    left_over,
    residuals,
    slack_sizes,
    solve,
)
from .riccati import STATES, WRENCH, add_times, clear, free, push
from .slacks import add_step, corrector, predicted, predictor, steps, take_step

TO_BOUNDARY = 0.99  # of the way to the boundary of the cones that a step may go
# W²ds is a small number times a large one when limits are met: multipliers are less exact than the
# forces and the cost, which they move by the square of their own error
DUAL = 1e-2
ROOM = 0.5  # of slacks at the start: those of forces are in weights
SHARE = 0.05  # sum of sᵀz at the start, as a share of the cost
ENOUGH = 1e2  # multiple of the tolerance that is accepted where steps get no further
WORSE = 3.0  # multiple of the last error that ends it there


class Problems(NamedTuple):
    """A problem's arrays, for `predict` one after the other; see the module for the symbols.

    Attributes:
        h, s, K, e: (N,), (N, 3), (N, 3, 3), (N, 12).
        Q, target: (N + 1, 12), the diagonal, and x̂.
        start: x_0 (12,).
        G: (b, 6, n), in the same order as the nodes.
        R, u: (b, n), the diagonal and û.
        F, f: (b, r, n), (b, m): the last m − r rows of F u are bounded from below too, by what
            comes last, f = [upper (r,), −lower (m − r,)].
        C, c: (b, q, D), (b, q, D), by what an entry of u is multiplied, and what is added; of each
            cone the last entry bounds the others.
        d, rho: (N + 1, 6).
    """

    h: Array
    s: Array
    K: Array
    e: Array
    Q: Array
    target: Array
    start: Array
    G: Array
    R: Array
    u: Array
    F: Array
    f: Array
    C: Array
    c: Array
    d: Array
    rho: Array


def problem_shapes(N: Any, b: Any, n: Any, m: Any, r: Any, D: Any, q: Any) -> Any:
    """Return the shape of each array of Problems."""
    of_nodes = (N,), (N, 3), (N, 3, 3), (N, STATES), (N + 1, STATES), (N + 1, STATES), (STATES,)
    of_contacts = (b, WRENCH, n), (b, n), (b, n), (b, r, n), (b, m), (b, q, D), (b, q, D)
    return *of_nodes, *of_contacts, (N + 1, BOUNDS), (N + 1, BOUNDS)


def answer_shapes(N: Any, b: Any, n: Any, m: Any, r: Any, D: Any, q: Any) -> Any:
    """Return the shapes of what is found, one array after the other.

    u (b, n), the minimiser; w (N, 6), [f; m] of the nodes; x and y (N + 1, 12), the motion and its
    costates, those of x_0 too; ε (N + 1, 6), by how much the rows of x are exceeded; z,
    multipliers: cones component by component, rows of u, rows of x, those of ε; and (4,): the cost,
    the relative error, the iterations, 1 where it is solved.
    """
    _, _, L = slack_sizes(N, b, n, m, r, D, q)
    motion = (N, WRENCH), (N + 1, STATES), (N + 1, STATES)
    return (b, n), *motion, (N + 1, BOUNDS), (L,), (4,)


def _shapes(N, b, n, m, r, D, q):
    """The shapes of Vectors but for the flags, of Blocks and of Nodes."""
    K, _, L = slack_sizes(N, b, n, m, r, D, q)
    slacks = (L,), (L,), (L,), (L,), (L,), (L,), (L,), (L,), (5, K)
    rows = (N + 1, BOUNDS), (N + 1, BOUNDS), (N + 1, BOUNDS), (N + 1, BOUNDS)
    moved = (N + 1, STATES), (STATES,), (b, n), (b, n)
    blocks = (b, n, n), (b * n * WRENCH,), (b * n,), (n, WRENCH), (n + 2, r + -r % 4), (D, 2 * D)
    turn = (STATES, STATES), (WRENCH, STATES), (WRENCH, WRENCH)
    nodes = (N, WRENCH, WRENCH), (N, WRENCH, STATES), (N, WRENCH), *turn
    return *slacks, *moved, *rows, *blocks, *nodes


def memory_size(N: int, b: int, n: int, m: int, r: int, D: int, q: int) -> int:
    """Return how many numbers of memory problems of these sizes need, in each lane."""
    sizes = N, b, n, m, r, D, q
    shapes = *problem_shapes(*sizes), *answer_shapes(*sizes), *_shapes(*sizes)
    return sum(map(math.prod, shapes)) + 2


def predict(problems, first, at, sizes, options, answers, memory):
    """Solve LANES problems, side by side.

    Args:
        problems: LANES arrays, each the numbers of Problems.
        first: (N + 1,), the contacts of node k are first[k] … first[k + 1] − 1.
        at: (b, q, D), of which entry of u each of a cone is a multiple; −1: of none.
        sizes: N, b, n, m, r, D, q, as of the arrays.
        options: (3,): the tolerance, the least complementarity sᵀz per entry at the start, and the
            most iterations.
        answers: (≤ LANES, numbers), is written, see `answer_shapes`.
        memory: of `memory_size` numbers a lane.
    """
    N, b, n, m, r, D, q = sizes
    size, found_size = len(problems[0]), answers.shape[1]
    rest = len(memory) // LANES - 2 - size - found_size
    given, written, others, flags = workspaces(memory, size, found_size, rest, 1)
    p = Problems(*arrays(given, problem_shapes(N, b, n, m, r, D, q)))
    found = arrays(written, answer_shapes(N, b, n, m, r, D, q))
    workspace = arrays(others, _shapes(N, b, n, m, r, D, q))
    work = Vectors(flags, *workspace[:17])
    blocks, nodes = Blocks(*workspace[17:23]), Nodes(*workspace[23:])
    gather_each(problems, given)
    if n == 3 and D == 3:  # of points: LLVM knows how long most loops are
        minimise(p, first, at, (N, b, 3, m, r, 3, q), options, found, work, blocks, nodes)
    else:
        minimise(p, first, at, sizes, options, found, work, blocks, nodes)
    scatter(written, 0, len(answers), answers)


def minimise(p, first, at, sizes, options, found, work, blocks, nodes):
    """Solve one problem (of each lane)."""
    N, b, n, m, r, D, q = sizes
    K, P, _L = slack_sizes(N, b, n, m, r, D, q)
    cones = D, K, P
    u, w, x, _y, _eps, z, told = found
    s, d, lack, t, ds = work.s, work.d, work.lack, work.t, work.ds
    scales = work.wbar, work.factors, work.lam, work.za
    gap, lacking = begin(p, first, at, sizes, options[1], found, work)
    count, none = 1.0 * (K + P), 0.0 * p.start[0]  # in each lane
    running, share = none + 1.0, none + 1.0
    before, length, returned = none + FAR, none, none
    for iteration in range(int(options[2]) + 1):
        value = residuals(p, first, at, sizes, found, work)
        error = larger(gap / (1.0 + value), share * lacking)
        error = larger(error, DUAL * largest_residual(sizes, work))
        # rounding of multipliers grows as the gap goes: from there a lane returns to where it was
        back = choose(
            ENOUGH * options[0] - before, choose(WORSE * before - error, 0.0, running), 0.0
        )
        if any_lane(back, work.flags):
            advance(sizes, -back * length, found, work)
            running, returned = choose(back, 0.0, running), larger(returned, back)
        told[0] = choose(running, value, told[0])
        told[1] = choose(running, error, told[1])
        told[2] = choose(running, 1.0 * iteration, told[2])
        before = error
        running = choose(running, choose(error - options[0], 1.0, 0.0), 0.0)
        if not any_lane(running, work.flags) or iteration >= options[2]:
            break
        predictor(z, s, lack, share, cones, scales, t)
        solve(p, first, at, sizes, share, work, blocks, nodes, True)
        length = smaller(1.0, 1.0 / predicted(ds, cones, scales))
        left = 1.0 - length
        target = left * left * left * gap / count
        corrector(z, lack, share, ds, target, cones, scales, d, t)
        solve(p, first, at, sizes, share, work, blocks, nodes, False)
        length = TO_BOUNDARY / steps(lack, share, ds, cones, scales, d, t)
        length = choose(running, smaller(length, 1.0), 0.0)
        # a lane that stumbles over rounding keeps what it had
        length = choose(length, length, 0.0)
        running = choose(length - 1e-9, running, 0.0)
        gap = advance(sizes, length, found, work)
        share = (1.0 - length) * share  # of what s lacks: linear in the step
    if any_lane(returned, work.flags):
        residuals(p, first, at, sizes, found, work)  # y of where they are
    roll_out(p, first, sizes, u, w, x)
    told[3] = choose(ENOUGH * options[0] - told[1], 1.0, 0.0)


def advance(sizes, length, found, work):
    """Take Newton's step, or a part of it of a length; return sᵀz."""
    N, b, n, m, r, D, q = sizes
    _, _, L = slack_sizes(N, b, n, m, r, D, q)
    for i in range(b):
        add_step(found[0][i], length, work.du[i], n)
    for k in range(N + 1):
        add_step(found[2][k], length, work.dx[k], STATES)
        add_step(found[4][k], length, work.deps[k], BOUNDS)
    return take_step(work.s, found[5], work.ds, work.t, length, L)


def largest_residual(sizes, work):
    """Return the largest of |r_u| and |r_ε|."""
    N, b, n = sizes[:3]
    most = 0.0 * work.re[0, 0]
    for i in range(b):
        for j in range(n):
            most = larger(most, larger(work.ru[i, j], -work.ru[i, j]))
    for k in range(N + 1):
        for j in range(BOUNDS):
            most = larger(most, larger(work.re[k, j], -work.re[k, j]))
    return most


def begin(p, first, at, sizes, least, found, work):
    """Write where it starts: at û, with slacks of at least ROOM, and z = mean s⁻¹.

    Return sᵀz, and the norm of what s lacks.
    """
    N, b, n, m, r, D, q = sizes
    K, P, L = slack_sizes(N, b, n, m, r, D, q)
    u, w, x, _y, eps, z, _told = found
    s, lack = work.s, work.lack
    for i in range(b):
        for j in range(n):
            u[i, j] = p.u[i, j]
    roll_out(p, first, sizes, u, w, x)
    cost = 0.0
    for k in range(N + 1):
        for i in range(STATES):
            away = x[k, i] - p.target[k, i]
            cost = cost + 0.5 * p.Q[k, i] * away * away
        for j in range(BOUNDS):
            eps[k, j] = larger(SIGNS[j] * x[k, ENTRIES[j]] - p.d[k, j], 0.0)
            cost = cost + p.rho[k, j] * eps[k, j]
    mean = larger(SHARE * cost / (K + P), least)
    for k in range(N + 1):
        for j in range(BOUNDS):
            eps[k, j] = eps[k, j] + mean / p.rho[k, j]
    constants(p, sizes, lack)
    left_over(p, at, sizes, 0, b, u, lack, 1.0, s)
    for k in range(N + 1):
        left_of_rows(sizes, k, x, eps, lack, 1.0, s)
    for i in range(K):
        square, last = 0.0, (D - 1) * K + i
        for j in range(i, last, K):
            square = square + s[j] * s[j]
            lack[j] = 0.0
        inside = larger(s[last], root(square) + ROOM)
        s[last], lack[last] = inside, s[last] - inside
        share = mean * inverse(s[last] * s[last] - square)
        z[last] = share * s[last]
        for j in range(i, last, K):
            z[j] = -share * s[j]
    bounds = D * K + b * m
    for i in range(D * K, L - (N + 1) * BOUNDS):
        inside = larger(s[i], ROOM)
        s[i], lack[i] = inside, s[i] - inside
        z[i] = mean * inverse(s[i])
    for k in range(N + 1):
        for j in range(BOUNDS):
            i = bounds + k * BOUNDS + j
            z[i] = smaller(z[i], 0.9 * p.rho[k, j])
            z[i + (N + 1) * BOUNDS], lack[i + (N + 1) * BOUNDS] = p.rho[k, j] - z[i], 0.0
    return dot(s, z, L), norm(lack, L)


def constants(p, sizes, out):
    """Write [f, c, d, 0] in the order of s."""
    N, b, _n, m, _r, D, q = sizes
    for i in range(b):
        for j in range(q):
            for a in range(D):
                out[(a * b + i) * q + j] = p.c[i, j, a]
        for j in range(m):
            out[D * q * b + i * m + j] = p.f[i, j]
    off = D * q * b + b * m
    for k in range(N + 1):
        for j in range(BOUNDS):
            out[off + k * BOUNDS + j] = p.d[k, j]
            out[off + (N + 1 + k) * BOUNDS + j] = 0.0


def roll_out(p, first, sizes, u, w, x):
    """Write [f; m] of forces u, and their motion."""
    N, _b, n, _l, _r, _D, _q = sizes
    for i in range(STATES):
        x[0, i] = p.start[i]
    for k in range(N):
        clear(w[k], WRENCH)
        for i in range(first[k], first[k + 1]):
            add_times(p.G[i], u[i], WRENCH, n, w[k])
        free(p.h[k], p.s[k], p.K[k], x[k], x[k + 1])
        push(p.h[k], p.K[k], w[k], x[k + 1])
        add(x[k + 1], 1.0, p.e[k], STATES)


def _example(lanes: int) -> tuple[Any, ...]:
    table, vector = np.empty((0, 0)), np.empty(0)
    shared = np.empty(0, np.intp), np.empty((0, 0, 0), np.intp), (0,) * 7, np.empty(3)
    return (vector,) * lanes, *shared, table, vector


_options: dict[str, Any] = {
    "each": 0.2, "seconds": 40.0, "inlined": 2000, "apart": True,
}  # fmt: skip
PREDICT = Kernel(
    predict, 1, example=lambda: _example(1), fastmath=("contract", "nsz", "reassoc"), **_options
)
PREDICTIONS = Kernel(predict, LANES, example=lambda: _example(LANES), **_options)
