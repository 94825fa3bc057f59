"""Working sets of linear inequalities, added where they are violated, in lanes.

A chosen one is kept as its number, from 1, with the sign of the side: low ≤ G f + ε g ≤ high is
asked as ± (G f + ε g) + slack = ± bound with slack ≥ 0.
"""

from __future__ import annotations

from ...dynamics.kernels.scalars import LANES, choose, larger, size
from .algebra import dot

MOST = 12  # most inequalities that can be active at once
ROUNDS = 9  # most solves of the program, each with more active inequalities
TOO_MANY = 3.0  # more would be active than MOST; the value is `conic.UNSOLVED`

_NEW = 3  # most inequalities that become active after a solve
_NO_BOUND = 1e290  # larger bounds count as infinite


def violations(inequalities, f, epsilon, endless, active, tolerance, lacking):
    """Write by how much G f + ε g exceeds the upper bounds, or (negative) falls short of the lower.

    Where ε is endless, how fast it does along the ray f, ε = 1. 0 for less than a tolerance, and
    where not active.
    """
    G, g, low, high = inequalities
    n = len(f)
    for i in range(len(g)):
        given = dot(G[i], f, n) + epsilon * g[i]
        top = choose(endless, choose(_NO_BOUND - high[i], 0.0, high[i]), high[i])
        bottom = choose(endless, choose(low[i] + _NO_BOUND, 0.0, low[i]), low[i])
        over = choose(given - top - tolerance, given - top, 0.0)
        under = choose(bottom - given - tolerance, given - bottom, 0.0)
        lacking[i] = choose(active, over + under, 0.0)


def exceeded(inequalities, f, epsilon, endless, lacking):
    """Return the largest of these violations, whatever small."""
    violations(inequalities, f, epsilon, endless, 1.0, 0.0, lacking)
    off = 0.0 * f[0]
    for i in range(len(lacking)):
        off = larger(size(lacking[i]), off)
    return off


def forget(numbers):
    """Choose none, of any problem; every one needs an answer."""
    chosen, flags, nu = numbers[-2], numbers[-1], numbers[-3]
    for lane in range(LANES):
        flags[1, lane] = 1.0
        for p in range(MOST):
            chosen[p, lane] = 0.0
        for i in range(len(nu)):
            nu[i, lane] = 0.0


def choose_violated(numbers):
    """Choose those that lack most where an answer violates any; return how many there are then.

    The second of the flags is set where there are new ones. Where there are too many the problem is
    given up: `outcome[0]` is set to TOO_MANY.
    """
    outcome, lacking, chosen, flags = numbers[-5], numbers[-4], numbers[-2], numbers[-1]
    most = 0
    for lane in range(LANES):
        met = 0
        while met < MOST and chosen[met, lane] != 0.0:
            met += 1
        before = met
        for _ in range(_NEW):
            worst, number = 0.0, 0.0
            for i in range(len(lacking)):
                if abs(lacking[i, lane]) > worst:
                    worst = abs(lacking[i, lane])
                    number = i + 1.0 if lacking[i, lane] > 0.0 else -i - 1.0
            if number != 0.0:
                lacking[int(abs(number)) - 1, lane] = 0.0
                if met < MOST:
                    chosen[met, lane] = number
                met += 1
        flags[1, lane] = 1.0 if met > before else 0.0
        if met > MOST:
            outcome[0, lane], flags[1, lane], met = TOO_MANY, 0.0, before
        most = max(most, met)
    return most


def gather_chosen(numbers, m, n, met):
    """Write rows m … of the chosen ones: their part of B, b, and the coefficient of ε, R[i, 0].

    Where a problem has fewer, rows of nothing but a slack.
    """
    G, g, low, high, B, b, R = numbers[:7]
    chosen = numbers[-2]
    for p in range(met):
        for lane in range(LANES):
            number = chosen[p, lane]
            i = int(abs(number)) - 1
            if number == 0.0:
                b[m + p, lane], R[m + p, 0, lane] = 1.0, 0.0
                for j in range(n):
                    B[m + p, j, lane] = 0.0
            else:
                sign = 1.0 if number > 0.0 else -1.0
                b[m + p, lane] = high[i, lane] if number > 0.0 else -low[i, lane]
                R[m + p, 0, lane] = sign * g[i, lane]
                for j in range(n):
                    B[m + p, j, lane] = sign * G[i, j, lane]


def scatter_multipliers(numbers, m, met):
    """Write ν of all inequalities where the flag says so, from those of the chosen ones."""
    z, nu, chosen, flags = numbers[7], numbers[-3], numbers[-2], numbers[-1]
    for lane in range(LANES):
        if flags[1, lane] > 0.0:
            put_multipliers_of(chosen, 1.0, z, lane, m, met, nu)


def put_multipliers_of(chosen, side, z, lane, m, met, nu):
    """Write ν of all inequalities of a problem: of the chosen ones ± z_m … times `side`, else 0.

    Both sides of one may be chosen.
    """
    for i in range(len(nu)):
        nu[i, lane] = 0.0
    for p in range(met):
        number = chosen[p, lane]
        if number != 0.0:
            sign = side if number > 0.0 else -side
            nu[int(abs(number)) - 1, lane] += sign * z[m + p, lane]
