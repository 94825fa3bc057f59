"""Saddle points of margins, from the accuracy of an interior-point method to rounding.

By the proximal method of `proximal.py`, from the forces and multipliers of `verdict.verdicts`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dynamics.kernels.rows import gather, scatter
from ...dynamics.kernels.scalars import LANES, as_lanes, choose, larger, size, workspaces
from ...dynamics.kernels.toolchain import Kernel
from .algebra import dot
from .inequalities import MOST, gather_chosen, put_multipliers_of, violations
from .proximal import FASTMATH, optimal_direction, solve, unique, work_of, work_size
from .verdict import INFINITE, Found, Program, take_programs

_VIOLATED = 1e-8  # violation that counts: above what verdicts leave of inequalities
_NOTHING = 1e-9  # multipliers up to this are zero: an interior-point method leaves as much


def refine_size(m, D, K, R):
    """Return how many numbers of memory `refine` needs, in each lane."""
    return sum(_counts(m, D, K, R)) + 1


def _counts(m, D, K, R):
    n, r, k = D * K, m + MOST, D * K + MOST + 1
    given = m * n, m, m, n, R * n, R, R, R
    found = n, m, R, 4
    program = r * k, r, k, r, r, k, R, MOST, 3, work_size(r, k)
    return given + found + program


def refine(programs, sizes, found, proofs, first, last, memory):
    """Bring saddle points of margins from the accuracy of an interior-point method to rounding.

        maximise ε  subject to  A f + ε n = w,  f_k ∈ K_k,  low ≤ G f + ε g ≤ high

    Inequalities with a multiplier are part of the program, each with a slack; the others must hold.

    Args:
        programs, sizes, first, last: as for `verdict.verdicts`.
        found: forces and multipliers that it found are overwritten where a margin is proved.
        proofs: (N, 3), is written: ε; the largest violation of what proves the answer, 1 where
            there is no margin; more than 0 where no other multipliers do. `found.least` becomes a
            direction, of about unit size, along which forces stay optimal; zero but for rounding
            where no other forces are.
        memory: of `refine_size` numbers a lane.
    """
    m, D, K, R = sizes
    n, r, k = D * K, m + MOST, D * K + MOST + 1
    # fmt: off
    (
        A_, w_, normal_, units_, G_, g_, low_, high_, f_, y_, nu_, verdict,
        B_, b_, c_, epsilons_, dual_, x_, lacking_, chosen, out, flat,
    ) = workspaces(memory, *_counts(m, D, K, R))
    # fmt: on
    G3, B3 = G_.reshape(R, n, LANES), B_.reshape(r, k, LANES)
    units, lacking = as_lanes(units_), as_lanes(lacking_)
    equations = as_lanes(A_.reshape(m, n, LANES)), as_lanes(w_), as_lanes(normal_), units
    inequalities = as_lanes(G3), as_lanes(g_), as_lanes(low_), as_lanes(high_)
    B, b, c, epsilons = as_lanes(B3), as_lanes(b_), as_lanes(c_), as_lanes(epsilons_)
    x, f, y, dual, proof = as_lanes(x_), as_lanes(f_), as_lanes(y_), as_lanes(dual_), as_lanes(out)
    decided, given = as_lanes(verdict), (A_, w_, normal_, units_, G_, g_, low_, high_)
    numbers = G3, g_, low_, high_, B3, b_, epsilons_.reshape(r, 1, LANES), chosen, chosen
    for start in range(first, last, LANES):
        take_programs(programs, start, last, given)
        gather(found.forces, start, last, f_)
        gather(found.y, start, last, y_)
        gather(found.nu, start, last, nu_)
        gather(found.verdict, start, last, verdict)
        met = choose_met(nu_, chosen)
        gather_chosen(numbers, m, n, met)
        counts, end = (m, n, met), n + met
        put_program(equations, (B, b, c, epsilons), counts)
        for i in range(m):
            dual[i] = -y[i]
        put_chosen(nu_, chosen, dual_, m, met)
        start_from((B, b, units), f, dual, x, counts)
        active = choose(decided[2], choose(INFINITE - size(decided[1]), 1.0, 0.0), 0.0)
        program = B[: m + met], b[: m + met], c[: end + 1], (D, K, met), x[: end + 1]
        work = work_of(flat, m + met, end + 1)
        left = solve(program, dual, active, work)
        for j in range(n):
            f[j] = choose(active, units[j] * x[j], f[j])
        for i in range(m):
            y[i] = choose(active, -dual[i], y[i])
        violations(inequalities, f, x[end], 0.0, 1.0, _VIOLATED, lacking)
        for i in range(R):
            left = larger(size(lacking[i]), left)
        proof[0], proof[1] = x[end], choose(active, left, 1.0)
        proof[2] = unique(program, dual, work)
        optimal_direction(program, dual, work)
        for j in range(n):
            x[j] = units[j] * work[7][j]
        take_chosen(dual_, chosen, verdict, nu_, m, met)
        scatter(f_, start, last, found.forces)
        scatter(x_[:n], start, last, found.least)
        scatter(y_, start, last, found.y)
        scatter(nu_, start, last, found.nu)
        scatter(out, start, last, proofs)


def choose_met(nu, chosen):
    """Write the numbers, from 1, with their signs, of inequalities with a multiplier.

    Returns how many there are, at most MOST.
    """
    most = 0
    for lane in range(LANES):
        met = 0
        for p in range(MOST):
            chosen[p, lane] = 0.0
        for i in range(len(nu)):
            if abs(nu[i, lane]) > _NOTHING and met < MOST:
                chosen[met, lane] = i + 1.0 if nu[i, lane] > 0.0 else -i - 1.0
                met += 1
        most = max(most, met)
    return most


def put_chosen(nu, chosen, dual, m, met):
    """Write the multipliers of the chosen inequalities as those of rows of B."""
    for p in range(met):
        for lane in range(LANES):
            number = chosen[p, lane]
            dual[m + p, lane] = -abs(nu[int(abs(number)) - 1, lane]) if number != 0.0 else 0.0


def take_chosen(dual, chosen, verdict, nu, m, met):
    """Write ν of all inequalities from those of the chosen ones, where a margin is proved."""
    for lane in range(LANES):
        if verdict[2, lane] > 0.0 and abs(verdict[1, lane]) < INFINITE:
            put_multipliers_of(chosen, -1.0, dual, lane, m, met, nu)


def put_program(equations, program, counts):
    """Write B, b and c for forces in units of friction, slacks and ε.

    Inequalities are in B already, in newtons, and their coefficients of ε are written.
    """
    A, w, normal, units = equations
    B, b, c, epsilons = program
    m, n, met = counts
    for i in range(m):
        b[i] = 1.0 * w[i]
        epsilons[i] = 1.0 * normal[i]
        for j in range(n):
            B[i, j] = 1.0 * A[i, j]
    for i in range(m + met):
        for j in range(n):
            B[i, j] = units[j] * B[i, j]
        for p in range(met):
            B[i, n + p] = 1.0 if i == m + p else 0.0
        B[i, n + met] = 1.0 * epsilons[i]
    for j in range(n + met):
        c[j] = 0.0
    c[n + met] = -1.0


def start_from(program, f, dual, x, counts):
    """Write x from forces f (n,) and multipliers of the rows of B."""
    B, b, units = program
    m, n, met = counts
    for j in range(n):
        x[j] = choose(units[j], f[j] / choose(units[j], units[j], 1.0), 0.0)
    for p in range(met):
        x[n + p] = 0.0
    x[n + met] = -dot(b, dual, m + met)  # without a gap, the value of the dual
    for p in range(met):
        x[n + p] = larger(b[m + p] - dot(B[m + p], x, n + met + 1), 0.0)


def _of_refine() -> tuple[Any, ...]:
    table = np.empty((1, 1))
    programs, found = Program(*[table] * len(Program._fields)), Found(*[table] * len(Found._fields))
    return programs, (1, 1, 1, 1), found, table, 0, 1, np.empty(1)


_options: dict[str, Any] = {"example": _of_refine, "each": 0.02, "seconds": 10.0, "inlined": 400}
REFINE = Kernel(refine, 1, fastmath=FASTMATH, **_options)
REFINE_MANY = Kernel(refine, LANES, **_options)
