"""The convex subproblem of predictive control, as data, and its solution.

    minimise  Σ_k ½ (x_k − x̂_k)ᵀQ_k(x_k − x̂_k) + Σ_b ½ (u_b − û_b)ᵀR_b(u_b − û_b) + Σ ρ ε
    such that x_{k+1} = A_k x_k + B_k Σ_b G_b u_b + e_k,    x_0 given,
              F_b u_b ≤ f_b,    C_b u_b + c_b in Lorentz cones,    E x_k ≤ d_k + ε,   ε ≥ 0

with b the contacts of the nodes, each with forces u_b of its own; of x = [c, v, σ, θ] and
[f; m] = Σ G_b u_b, A and B are

    v' = v + h f,    c' = c + h (v + v')/2,    σ' = σ + h (m + s × c),    θ' = θ + h K (σ + σ')/2,

and the rows of E bound the height, and the tilt about both axes, from below and above. Dual to it:
with multipliers z of the limits and costates y,

    y_N = Q_N(x_N − x̂_N) + Eᵀz,   y_k = Q_k(x_k − x̂_k) + Eᵀz + A_kᵀy_{k+1},   0 ≤ z ≤ ρ.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Array, Index
from ...dynamics.spatial import skew
from ...reprs import shapes
from ..kernels.newton import BOUNDS, ENTRIES, SIGNS
from ..kernels.predictive import Problems, problem_shapes

Sizes = tuple[int, int, int, int, int, int, int]
Shape = tuple[int, ...]
Extents = tuple[tuple[int, int, Shape], ...]  # begin, end and shape
E = np.zeros((BOUNDS, 12))
E[range(BOUNDS), ENTRIES] = SIGNS


def one_after_the_other(shapes: Sequence[Shape]) -> Extents:
    """Return where each array begins and ends in data that has one after the other."""
    ends = [0, *itertools.accumulate(map(math.prod, shapes))]
    return tuple(zip(ends, ends[1:], shapes, strict=False))


@cache
def extents(sizes: Sizes) -> Extents:
    """Return where the arrays of problems of these sizes are in their data."""
    return one_after_the_other(problem_shapes(*sizes))


@cache
def ends_of(sizes: Sizes) -> Index:
    """Return where each array begins in the data (17,), and where the last one ends."""
    parts = extents(sizes)
    return np.array([0, *[end for _, end, _ in parts]], dtype=np.intp)


class Subproblem(Problems):
    """N nodes, b contacts at them all together: the arrays of `Problems`, and how they go together.

    Attributes:
        first: (N + 1,), the contacts of node k are first[k] … first[k + 1] − 1.
        at: (b, q, D), which entry of u; −1 where C is zero.
        data: the floats of all arrays, one after the other: each is a view of it.
    """

    first: Index
    at: Index
    data: Array

    @classmethod
    def of(cls, data: Array, sizes: Sizes, first: Index, at: Index) -> Subproblem:
        """Return the one of N, b, n, m, r, D, q whose arrays are views of these floats."""
        made = cls._make([data[i:j].reshape(shape) for i, j, shape in extents(sizes)])
        made.first, made.at, made.data = first, at, data
        return made

    def _replace(self, **arrays: Array) -> Subproblem:
        """Return a copy with other arrays of the same shapes."""
        data = np.concatenate(super()._replace(**arrays), axis=None)
        return Subproblem.of(data, self.sizes, self.first, self.at)

    def __reduce__(self) -> Any:
        return Subproblem.of, (self.data, self.sizes, self.first, self.at)

    def __repr__(self) -> str:
        return shapes(self)

    @cached_property
    def sizes(self) -> Sizes:
        """N, b, n, m, r, D, q."""
        (b, q, D), (_, r, n) = self.C.shape, self.F.shape
        return len(self.h), b, n, self.f.shape[1], r, D, q

    @cached_property
    def rows(self) -> Array:
        """All rows (b, m, n) of F_b u_b ≤ f_b."""
        m, r = self.f.shape[1], self.F.shape[1]
        return np.concatenate([self.F, -self.F[:, 2 * r - m :]], axis=1)

    @cached_property
    def A(self) -> Array:
        """(N, 12, 12)."""
        h, one = self.h[:, None, None], np.eye(3)
        spin, turn = h * skew(self.s), h * self.K
        A = np.tile(np.eye(12), (len(self.h), 1, 1))
        A[:, :3, 3:6], A[:, 6:9, :3] = h * one, spin
        A[:, 9:, 6:9], A[:, 9:, :3] = turn, 0.5 * turn @ spin
        return A

    @cached_property
    def B(self) -> Array:
        """(N, 12, 6)."""
        h, one = self.h[:, None, None], np.eye(3)
        B = np.zeros((len(self.h), 12, 6))
        B[:, :3, :3], B[:, 3:6, :3] = 0.5 * h**2 * one, h * one
        B[:, 6:9, 3:], B[:, 9:, 3:] = h * one, 0.5 * h**2 * self.K
        return B

    @cached_property
    def node(self) -> Index:
        """(b,), of each contact."""
        return np.repeat(np.arange(len(self.h)), np.diff(self.first))

    def motion(self, u: Array) -> Array:
        """Return x (N + 1, 12) for forces u (b, n)."""
        x = [self.start]
        for A, B, w, e in zip(self.A, self.B, self.wrench(u), self.e, strict=True):
            x.append(A @ x[-1] + B @ w + e)
        return np.array(x)

    def wrench(self, u: Array) -> Array:
        """Return [f; m] (N, 6) of forces u (b, n): what they add to c̈ and σ̇."""
        each = (self.G @ u[:, :, None])[:, :, 0]
        sums = np.concatenate([np.zeros((1, 6)), each.cumsum(axis=0)])[self.first]
        return np.asarray(sums[1:] - sums[:-1])

    def costates(self, x: Array, bounds: Array) -> Array:
        """Return y (N + 1, 12) of a motion with multipliers (N + 1, 6) of its rows."""
        y = self.Q * (x - self.target) + bounds @ E
        for k in reversed(range(len(self.A))):
            y[k] += self.A[k].T @ y[k + 1]
        return np.asarray(y)

    def gradient(self, u: Array, y: Array, rows: Array, cones: Array) -> Array:
        """Return the gradient (b, n) by u of the Lagrangian, zero at the minimum."""
        pushed = np.einsum("kij,ki->kj", self.B, y[1:])[self.node]
        by_limits = np.einsum("bmn,bm->bn", self.rows, rows)
        np.subtract.at(by_limits, (self._contact, self.at), self.C * cones)
        return np.asarray(
            self.R * (u - self.u) + np.einsum("bij,bi->bj", self.G, pushed) + by_limits
        )

    def cones(self, u: Array) -> Array:
        """Return C_b u_b + c_b (b, q, D)."""
        return np.asarray(self.C * u[self._contact, self.at] + self.c)

    @property
    def _contact(self) -> Index:
        """(b, 1, 1), of each entry of `at`."""
        return np.arange(len(self.u))[:, None, None]

    def violation(self, u: Array) -> float:
        """Return by how much forces leave their limits, in their unit."""
        v = self.cones(u)
        outside = np.linalg.norm(v[..., :-1], axis=-1) - v[..., -1]
        above = np.einsum("bmn,bn->bm", self.rows, u) - self.f
        return float(max(outside.max(initial=0.0), above.max(initial=0.0)))

    def excess(self, x: Array) -> Array:
        """Return by how much x exceeds its rows, (N + 1, 6)."""
        return np.asarray(np.maximum(x @ E.T - self.d, 0.0))


class Subproblems(NamedTuple):
    """M subproblems with the same contacts at the same nodes.

    Attributes:
        data: (M, numbers), each the floats of one.
        sizes, first, at: as of each.
    """

    data: Array
    sizes: Sizes
    first: Index
    at: Index

    @classmethod
    def empty(cls, count: int, sizes: Sizes) -> Subproblems:
        """Return so many, of N, b, n, m, r, D, q, whose arrays are still to be written."""
        N, b, _, _, _, D, q = sizes
        data = np.empty((count, extents(sizes)[-1][1]))
        return cls(data, sizes, np.empty(N + 1, dtype=np.intp), np.empty((b, q, D), dtype=np.intp))

    def part(self, name: str) -> Array:
        """Return an array of all problems, row by row (M, numbers)."""
        i, j, _ = extents(self.sizes)[Problems._fields.index(name)]
        return self.data[:, i:j]

    def __repr__(self) -> str:
        return shapes(self)

    def one(self, i: int) -> Subproblem:
        """Return one of them."""
        return Subproblem.of(self.data[i], self.sizes, self.first, self.at)


class Solution(NamedTuple):
    """The minimiser, and its multipliers.

    Attributes:
        u, w, x, eps, y: as of `kernels.predictive.answer_shapes`.
        rows, cones, bounds: z (b, m) of F, (b, q, D) of the cones, (N + 1, 6) of E.
        cost: Σ … of the module.
        error: residuals and gap, relative to the cost.
        iterations: of the interior-point method.
        solved: whether the error is small.
    """

    u: Array
    w: Array
    x: Array
    eps: Array
    y: Array
    rows: Array
    cones: Array
    bounds: Array
    cost: float
    error: float
    iterations: int
    solved: bool

    def __repr__(self) -> str:
        return shapes(self)


class Solutions(Solution):
    """Solutions of M problems: as of each, with a first axis of all."""

    def one(self, i: int) -> Solution:
        """Return one of them."""
        every: tuple[Any, ...] = self
        arrays, numbers = every[:8], every[8:]
        return Solution._make([*[x[i] for x in arrays], *[x[i].item() for x in numbers]])
