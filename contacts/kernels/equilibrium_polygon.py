"""Projection of a polyhedron onto the plane, by a parametric simplex method.

    {(x·λ, y·λ) : A λ = b, λ ≥ 0}

Turn the direction d = (cos θ, sin θ) once around and keep the basis of the linear program
max d·(x·λ, y·λ) optimal: every basis that comes up is a corner, in counter-clockwise order. With
the direction d + t d⊥ of a quarter turn, t from 0 to ∞, a column j enters at the t where its
reduced cost d·δ_j + t d⊥·δ_j turns positive. Ties between bases are broken by letting each λ_j be
as low as −ε_j, with small random ε; corners are those of the true b.

The tableau T (m + 2, n + 2) is the textbook's: rows B⁻¹A, then the reduced costs δ of x and of y;
the last two columns are B⁻¹b for the b of the ties and for the true one.

S. Gass, T. Saaty, "The computational algorithm for the parametric objective function" (1955);
K. H. Borgwardt, "The Simplex Method" (1987).
"""

from __future__ import annotations

import math

import numpy as np

from ...dynamics.kernels.toolchain import Kernel
from .hull import hull

BOUNDED, EMPTY, UNBOUNDED, FAILED = range(4)

_SLACK = 1e-9  # ε, in units of b
_ROUNDING = 1e-10  # of reduced costs, pivots and corners, for data of the size of one


def shadow(A, b, x, y):
    """Return (status, corners (k, 2)) of {(x·λ, y·λ) : A λ = b, λ ≥ 0}, counter-clockwise.

    Two corners when it has no area, one when it is a point. The data should be near one in size.
    """
    m, n = A.shape
    T, basis = tableau(A, b, x, y), np.arange(n, n + m)
    corners = np.zeros((64 + 4 * n, 2))
    status = find_basis(T, basis)
    if status != BOUNDED:
        return status, corners[:0]
    count = 0
    for quarter in range(4):
        # the first quarter starts wherever the first phase ended
        greedy = quarter == 0
        while count < len(corners):
            entering = -1
            if greedy:
                entering = most_gain(T)
                greedy = entering >= 0
            if not greedy:
                corners[count, 0], corners[count, 1] = -T[m, n + 1], -T[m + 1, n + 1]
                count += 1
                entering = next_to_turn(T, quarter)
            if entering < 0:
                break
            status = exchange(T, basis, entering)
            if status != BOUNDED:
                return status, corners[:0]
    if count == len(corners):
        return FAILED, corners[:0]
    return BOUNDED, hull(corners[:count], 10 * _ROUNDING)


def tableau(A, b, x, y):
    """Return T (m + 2, n + 2) with an artificial unknown as the basis of each row."""
    m, n = A.shape
    T = np.zeros((m + 2, n + 2))
    T[m, :n], T[m + 1, :n] = x, y
    for i in range(m):
        sign = 1.0 if b[i] >= 0 else -1.0
        state = 12345
        T[i, n + 1] = sign * b[i]
        T[i, n] = T[i, n + 1]
        for j in range(n):
            state = (1103515245 * state + 12345) % 2147483648
            T[i, j] = sign * A[i, j]
            T[i, n] += _SLACK * (1 + state / 2147483648) * T[i, j]
        if T[i, n] < 0:
            T[i] *= -1
    return T


def find_basis(T, basis):
    """First phase: minimise the sum of the artificial unknowns, those of index n and more.

    One that stays in the basis at zero belongs to a row that depends on the others: zeros.
    """
    m, n = T.shape[0] - 2, T.shape[1] - 2
    for _ in range(64 + 4 * n):
        entering, best = -1, _ROUNDING
        for j in range(n):
            gain = 0.0
            for i in range(m):
                if basis[i] >= n:
                    gain += T[i, j]
            if gain > best:
                entering, best = j, gain
        if entering < 0:
            break
        if exchange(T, basis, entering) != BOUNDED:
            return FAILED
    for i in range(m):
        if basis[i] >= n:
            if abs(T[i, n]) > 2 * _ROUNDING:
                return EMPTY
            widest = np.abs(T[i, :n]).argmax()
            if abs(T[i, widest]) > _ROUNDING:
                pivot(T, basis, i, widest)
    return BOUNDED


def most_gain(T):
    """Return the column that gains most along x; −1 when none does."""
    m, n = T.shape[0] - 2, T.shape[1] - 2
    entering = T[m, :n].argmax()
    return entering if T[m, entering] > _ROUNDING else -1


def next_to_turn(T, quarter):
    """Return the column that is the first to gain as d turns by a quarter; −1 when none does."""
    m, n = T.shape[0] - 2, T.shape[1] - 2
    along_x, along_y = ((1, 0), (0, 1), (-1, 0), (0, -1))[quarter]
    entering, first = -1, math.inf
    for j in range(n):
        gain = along_x * T[m, j] + along_y * T[m + 1, j]
        turn = along_x * T[m + 1, j] - along_y * T[m, j]
        if turn > _ROUNDING and max(-gain, 0.0) < first * turn:
            entering, first = j, max(-gain, 0.0) / turn
    return entering


def exchange(T, basis, entering):
    """Let a column enter the basis in place of the first to reach zero; returns the status."""
    m, n = T.shape[0] - 2, T.shape[1] - 2
    leaving, least = -1, math.inf
    for i in range(m):
        if T[i, entering] > _ROUNDING and T[i, n] < least * T[i, entering]:
            leaving, least = i, T[i, n] / T[i, entering]
    if leaving < 0:
        return UNBOUNDED
    pivot(T, basis, leaving, entering)
    return BOUNDED


def pivot(T, basis, row, column):
    """Write T for the basis in which `column` takes the place of the one of `row`."""
    factor = 1.0 / T[row, column]
    for j in range(T.shape[1]):
        T[row, j] *= factor
    for i in range(T.shape[0]):
        factor = T[i, column]
        if i != row and factor != 0:
            for j in range(T.shape[1]):
                T[i, j] -= factor * T[row, j]
            T[i, column] = 0.0
    basis[row] = column


SHADOW = Kernel(
    shadow,
    1,
    arrays=True,
    example=lambda: (np.empty((1, 1)), np.empty(1), np.empty(1), np.empty(1)),
    each=0.03,
)
