"""Verdict kernel: margin, least-norm forces or a certificate of infeasibility, with their proofs.

    A f + ε n = w,      f_k ∈ K_k,      low ≤ G f + ε g ≤ high

as `contact_margin` and `friction_newton` have them, in weights, each row and inequality of about
unit size. Nothing of what they answer is trusted: here forces are put into the equations, the cones
and the inequalities again, and multipliers into the conditions that make them a bound:

    s = Aᵀy + Gᵀν ∈ K*,   nᵀy + gᵀν = 1:      ε ≤ wᵀy + highᵀν⁺ − lowᵀν⁻
"""

from __future__ import annotations

from typing import NamedTuple

from ...arrays import Array
from ...dynamics.kernels.rows import gather, scatter
from ...dynamics.kernels.scalars import LANES, as_lanes, choose, larger, root, size, workspaces
from .algebra import add, any_lane, back, dot, times
from .conic import COLUMNS, INFEASIBLE, OPTIMAL, ROWS, UNBOUNDED
from .contact_margin import margin_of
from .friction_newton import least_norm_of, project
from .inequalities import MOST, exceeded

MARGIN, VERDICT, STRICT = 0, 1, 2  # margins; forces too; margins only where forces do not decide
INFINITE, NAN = 1e300, float("nan")  # margins of 1e300 are infinite
EDGE = 1e-6  # of the weight: answers nearer than this to the boundary are "at the edge"

_CLOSE = 1e-3  # of EDGE: largest residual of a balance
_PROOF = 1e-8  # how far the motion of a certificate may leave the dual cone [m/s]


class Program(NamedTuple):
    """N programs of the same sizes m, D, K, R; an array with a single entry serves all of them.

    Attributes:
        A: (N or 1, m D K), row by row, each with the entries of all cones component by component.
        w, normal: (N or 1, m), n not zero.
        units: (N or 1, D K), newtons of each entry: of a cone ‖f/units‖ ≤ f_n; 1 of the last.
        G, g, low, high: (N or 1, R D K), (N or 1, R).
        scales: (2, max(m, R)), what a unit of each row's, each inequality's multiplier is of y,
            0 of inequalities that are no torques.
    """

    A: Array
    w: Array
    normal: Array
    units: Array
    G: Array
    g: Array
    low: Array
    high: Array
    scales: Array


class Found(NamedTuple):
    """The answers to N programs.

    Attributes:
        verdict: (N, 4): 1 holds, 0 does not, −1 not decided; the margin, ∓INFINITE if infeasible or
            unbounded, nan if unsolved; 1 where both are proved; what the proof of the first leaves
            open.
        forces: (N, D K), that have the margin; of unbounded ones a squeeze.
        y, nu: (N, m), (N, R), their multipliers.
        least: (N, D K), least-norm forces, where they were asked for.
    """

    verdict: Array
    forces: Array
    y: Array
    nu: Array
    least: Array


def memory_size(m, D, K, R):
    """Return how many numbers of memory problems of these sizes need, in each lane."""
    return sum(_counts(m, D, K, R)) + 1


def _counts(m, D, K, R):
    n, r, k = D * K, m + MOST, D * K + MOST
    given = m * n, m, m, n, R * n, R, R, R
    program = r * k, r, k, r * r, m, r
    conic = COLUMNS * k, ROWS * r, r * r, 5 * K, R
    found = 2, n, m, R, MOST, 2
    least = 4 * r, 6 * K, 2, n, m, R, m, n, 4
    return given + program + conic + found + least


def verdicts(programs, mode, sizes, out, first, last, memory):
    """Decide programs first … last − 1.

    Args:
        programs: a Program of N.
        mode: MARGIN, VERDICT (all cones circular, D = 3), or STRICT, margins only where needed.
        sizes: m, D, K, R.
        out: Found, is written.
        first, last: which of them.
        memory: of `memory_size` numbers a lane.
    """
    m, D, K, R = sizes
    n, r, k = D * K, m + MOST, D * K + MOST
    # fmt: off
    (
        A_, w_, normal_, units_, G_, g_, low_, high_,
        B, b, c, triangle, rest, z,
        columns, rows, square, factors, lacking,
        outcome, f, y_, nu_, chosen, flags,
        vectors, slopes, given_up, f_least, y_least, nu_least, left, speeds, verdict,
    ) = workspaces(memory, *_counts(m, D, K, R))
    # fmt: on
    B3, R3, G3 = B.reshape(r, k, LANES), triangle.reshape(r, r, LANES), G_.reshape(R, n, LANES)
    equations = as_lanes(A_.reshape(m, n, LANES)), as_lanes(w_), as_lanes(normal_), as_lanes(units_)
    inequalities = as_lanes(G3), as_lanes(g_), as_lanes(low_), as_lanes(high_)
    program = as_lanes(B3), as_lanes(b), as_lanes(c), as_lanes(R3), as_lanes(rest), as_lanes(z)
    columns_, rows_ = columns.reshape(COLUMNS, k, LANES), rows.reshape(ROWS, r, LANES)
    square_ = as_lanes(square.reshape(r, r, LANES))
    factors_, lacking_ = as_lanes(factors.reshape(5, K, LANES)), as_lanes(lacking)
    conic = as_lanes(columns_), as_lanes(rows_), square_, factors_, lacking_
    vectors_, slopes_ = as_lanes(vectors.reshape(4, r, LANES)), slopes.reshape(K, 6, LANES)
    newton = square_, vectors_, as_lanes(slopes_), lacking_
    of_margin = as_lanes(outcome), as_lanes(f), as_lanes(y_)
    of_least = as_lanes(given_up), as_lanes(f_least), as_lanes(y_least)
    workspace = as_lanes(left), as_lanes(speeds), newton[2], lacking_
    given = A_, w_, normal_, units_, G_, g_, low_, high_
    chosen_of_margin = G3, g_, low_, high_, B3, b, R3, z, outcome, lacking, nu_, chosen, flags
    chosen_of_least = G3, g_, low_, high_, B3, b, R3, z, given_up, lacking, nu_least, chosen, flags
    for_margin = of_margin, as_lanes(nu_), conic, chosen_of_margin
    for_least = of_least, as_lanes(nu_least), newton, chosen_of_least
    problem, found = (equations, inequalities, programs.scales), as_lanes(verdict)
    for start in range(first, last, LANES):
        take_programs(programs, start, last, given)
        decide(mode, problem, program, for_margin, for_least, workspace, found, (D, K))
        scatter(verdict, start, last, out.verdict)
        scatter(f, start, last, out.forces)
        scatter(y_, start, last, out.y)
        scatter(nu_, start, last, out.nu)
        scatter(f_least, start, last, out.least)


def decide(mode, problem, program, for_margin, for_least, workspace, found, cones):
    """Write the verdicts of lanes, their margins and forces.

    In mode STRICT forces are looked for first that leave the edge of the weight at every contact:
    programs that have them need no margin.

    Args:
        mode: as of `verdicts`.
        problem: equations and inequalities, as for `margin_of`, and the scales of a Program.
        program: as for `margin_of`, its memory.
        for_margin, for_least: of `margin_of` and `least_norm_of` what is found, ν (R,), workspace
            and numbers.
        workspace: of `judge_margin` and `judge_forces`.
        found: (4,), `Found.verdict`.
        cones: D, K.
    """
    equations, inequalities, scales = problem
    of_margin, nu, conic, numbers = for_margin
    of_least, nu_least, newton, numbers_of_least = for_least
    strict = choose(0.0, 1.0, 0.0)  # of lanes, whatever the memory holds
    found[0], found[1], found[2], found[3] = strict - 1.0, strict + NAN, strict, strict + NAN
    for phase in range(2):
        shift = EDGE * (1.0 - phase)
        if phase == 1 and (mode != STRICT or any_lane(1.0 - strict, numbers[-1])):
            margin_of(equations, inequalities, program, conic, of_margin, numbers, cones)
            judge_margin(equations, inequalities, scales, of_margin, nu, workspace, found, cones)
            strict = choose(strict, 1.0, choose(found[1] - EDGE, 1.0, 0.0))
        wanted = strict if phase == 1 else 1.0 + strict
        if (phase == 1 and mode != MARGIN) or (phase == 0 and mode == STRICT):
            least_norm_of(
                equations, inequalities, program, newton, of_least, numbers_of_least, wanted, shift
            )
            off = judge_forces(
                equations, inequalities, scales, of_least, nu_least, workspace, shift
            )
            good = choose(wanted, choose(off - _CLOSE * EDGE, 0.0, 1.0), 0.0)
            if phase == 0:
                strict = good
            else:
                found[0], found[3] = choose(good, 1.0, found[0]), choose(good, off, found[3])


def take_programs(programs, start, last, out):
    """Write the arrays of programs start … to those of `out`."""
    A, w, normal, units, G, g, low, high = out
    take(programs.A, start, last, A)
    take(programs.w, start, last, w)
    take(programs.normal, start, last, normal)
    take(programs.units, start, last, units)
    take(programs.G, start, last, G)
    take(programs.g, start, last, g)
    take(programs.low, start, last, low)
    take(programs.high, start, last, high)


def take(X, start, last, out):
    """Write rows start … of X (N or 1, k) to `out` (k, LANES); the last again past the end."""
    if len(X) > 1:
        gather(X, start, last, out)
    else:
        for k in range(X.shape[1]):
            for lane in range(LANES):
                out[k, lane] = X[0, k]


def judge_margin(equations, inequalities, scales, of_margin, nu, workspace, found, cones):
    """Write ε, whether it stands, and 0 with what is left where a motion proves that it falls.

    It stands by forces that have it, and multipliers that allow no more; without end by forces that
    squeeze; without any by the motion alone.
    """
    A, w, normal, units = equations
    outcome, f, y = of_margin
    left, speeds, _, lacking = workspace
    m, n, (D, K) = len(w), len(units), cones
    infeasible = choose(0.5 - size(outcome[0] - INFEASIBLE), 1.0, 0.0)
    endless = choose(0.5 - size(outcome[0] - UNBOUNDED), 1.0, 0.0)
    finite = choose(0.5 - size(outcome[0] - OPTIMAL), 1.0, 0.0)
    epsilon = choose(finite, outcome[1], 0.0)
    load, given = choose(endless, 0.0, 1.0), choose(endless, 1.0, epsilon)
    off = balance_left(equations, scales, f, load, given, left)
    for k in range(K):
        off = larger(off, outside_cone(f, units, k, D, K))
    off = larger(off, exceeded(inequalities, f, given, endless, lacking))
    back(A, y, m, n, speeds)
    bound, rise = dot(w, y, m), dot(normal, y, m)
    G, g, low, high = inequalities
    length = 0.0
    for i in range(m):
        length = length + (scales[0, i] * y[i]) * (scales[0, i] * y[i])
    for i in range(len(g)):
        # bounds that are not met may be infinite
        above, below = choose(nu[i], nu[i], 0.0), choose(-nu[i], -nu[i], 0.0)
        add(speeds, nu[i], G[i], n)
        rise = rise + g[i] * nu[i]
        bound = bound + choose(nu[i], above * high[i], choose(-nu[i], -below * low[i], 0.0))
        length = length + (scales[1, i] * nu[i]) * (scales[1, i] * nu[i])
    unbraked, total = 0.0 * length, 0.0 * length
    for k in range(K):
        unbraked = larger(unbraked, outside_dual(speeds, units, k, D, K))
        total = total + size(f[(D - 1) * K + k])
    short = size(bound - epsilon) + total * unbraked
    fair = choose(_PROOF - size(rise - 1.0), 1.0, 0.0)
    tight = choose(EDGE - off, choose(EDGE - short, fair, 0.0), 0.0)
    squeeze = choose(_CLOSE * EDGE - off, 1.0, 0.0)
    length = root(length)
    unbraked = unbraked / length
    power = choose(_PROOF - unbraked, -bound / length, 0.0)
    falls = choose(power - EDGE * larger(rise / length, 1.0), 1.0, 0.0)
    falls = choose(infeasible, falls, choose(-EDGE - epsilon, finite * falls, 0.0))
    margin = choose(finite, epsilon, NAN)
    margin = choose(infeasible, -INFINITE, choose(endless, INFINITE, margin))
    found[0] = choose(falls, 0.0, found[0])
    found[1] = margin
    found[2] = choose(finite, tight, choose(endless, squeeze, infeasible))
    found[3] = choose(falls, unbraked, found[3])


def judge_forces(equations, inequalities, scales, of_least, nu, workspace, shift):
    """Return what is left of the balance, the inequalities, and the conditions of the least norm.

    f = P(Aᵀλ + Gᵀν), the projection on circular cones, with ν only of inequalities that are met.
    """
    A, w, _, units = equations
    outcome, f, y = of_least
    left, speeds, slopes, lacking = workspace
    m, n = len(w), len(units)
    K = n // 3
    off = balance_left(equations, scales, f, 1.0, shift, left)
    off = larger(off, exceeded(inequalities, f, shift, 0.0, lacking))
    G, g, low, high = inequalities
    back(A, y, m, n, speeds)
    for i in range(len(g)):
        add(speeds, nu[i], G[i], n)
        given = dot(G[i], f, n) + shift * g[i]
        slack = choose(nu[i], size(given - low[i]), choose(-nu[i], size(given - high[i]), 0.0))
        off = larger(slack, off)
    for k in range(K):
        project(units[k], speeds, slopes, k, K)
    for j in range(n):
        off = larger(size(speeds[j] - f[j]), off)
    return choose(outcome[0], INFINITE, off)  # given up


def balance_left(equations, scales, f, load, given, left):
    """Return the largest entry of A f + given n − load w, in weights, and weights times metres."""
    A, w, normal, units = equations
    m, off = len(w), 0.0
    times(A, f, m, len(units), left)
    for i in range(m):
        left[i] = left[i] + given * normal[i] - load * w[i]
        off = larger(size(left[i]) / scales[0, i], off)
    return off


def outside_cone(f, units, k, D, K):
    """Return by how much ‖f_t‖ exceeds μ f_n, or f_n falls short of 0."""
    slip, normal = 0.0, f[(D - 1) * K + k]
    for d in range(D - 1):
        unit = units[d * K + k]
        share = choose(unit, f[d * K + k] / choose(unit, unit, 1.0), 0.0)
        slip = slip + share * share
    return larger((root(slip) - normal) * units[k], -normal)


def outside_dual(s, units, k, D, K):
    """Return by how much μ ‖s_t‖ exceeds s_n."""
    slip = 0.0
    for d in range(D - 1):
        j = d * K + k
        slip = slip + (units[j] * s[j]) * (units[j] * s[j])
    return root(slip) - s[(D - 1) * K + k]
