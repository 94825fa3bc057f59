"""The convex subproblem of predictive control, as data, and its solution.

    minimise  Σ_k ½ (x_k − x̂_k)ᵀQ_k(x_k − x̂_k) + Σ_b ½ (u_b − û_b)ᵀR_b(u_b − û_b) + Σ ρ ε
    such that x_{k+1} = A_k x_k + B_k Σ_b G_b u_b + e_k,    x_0 given,
              F_b u_b ≤ f_b,    C_b u_b + c_b in Lorentz cones,    E_k x_k ≤ d_k + ε,   ε ≥ 0

with b the contacts of the nodes, each with forces u_b of its own. Dual to it: with multipliers z of
the limits and costates y,

    y_N = Q_N(x_N − x̂_N) + E_Nᵀz,   y_k = Q_k(x_k − x̂_k) + E_kᵀz + A_kᵀy_{k+1},   0 ≤ z ≤ ρ.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...arrays import Array, Index


@dataclass(frozen=True, eq=False)
class Subproblem:
    """N nodes, b contacts at them all together, r rows on x; see the module for the symbols.

    Attributes:
        A, B, e: (N, 12, 12), (N, 12, 6), (N, 12).
        Q, target: (N + 1, 12, 12), (N + 1, 12), x̂.
        start: x_0 (12,).
        G: (b, 6, n).
        R, u: (b, n), the diagonal and û.
        F, f: (b, m, n), (b, m).
        C, c: (b, q, D, n), (b, q, D); the last entry of each cone bounds the norm of the others.
        E, d, rho: (N + 1, r, 12), (N + 1, r), (N + 1, r).
        first: (N + 1,), the contacts of node k are first[k] … first[k + 1] − 1.
    """

    A: Array
    B: Array
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
    E: Array
    d: Array
    rho: Array
    first: Index

    @cached_property
    def sizes(self) -> tuple[int, int, int, int, int, int, int]:
        """N, r, b, n, m, D, q."""
        (b, q, D, n), m = self.C.shape, self.F.shape[1]
        return len(self.A), self.E.shape[1], b, n, m, D, q

    def motion(self, u: Array) -> Array:
        """Return x (N + 1, 12) for forces u (b, n)."""
        x = [self.start]
        wrench = np.einsum("bij,bj->bi", self.G, u)
        for k in range(len(self.A)):
            w = wrench[self.first[k] : self.first[k + 1]].sum(axis=0)
            x.append(self.A[k] @ x[-1] + self.B[k] @ w + self.e[k])
        return np.array(x)

    def cost(self, x: Array, u: Array, eps: Array) -> float:
        """Return the cost of a motion."""
        off, away = x - self.target, u - self.u
        quadratic = np.einsum("ki,kij,kj->", off, self.Q, off) + (self.R * away**2).sum()
        return float(0.5 * quadratic + (self.rho * eps).sum())

    def costates(self, x: Array, bounds: Array) -> Array:
        """Return y (N + 1, 12) of a motion with multipliers (N + 1, r) of its rows."""
        y = np.einsum("kij,kj->ki", self.Q, x - self.target)
        y += np.einsum("kri,kr->ki", self.E, bounds)
        for k in reversed(range(len(self.A))):
            y[k] += self.A[k].T @ y[k + 1]
        return np.asarray(y)

    def gradient(self, u: Array, y: Array, rows: Array, cones: Array) -> Array:
        """Return the gradient (b, n) by u of the Lagrangian, zero at the minimum."""
        counts = np.diff(self.first)
        pushed = np.repeat(np.einsum("kij,ki->kj", self.B, y[1:]), counts, axis=0)
        by_limits = np.einsum("bmn,bm->bn", self.F, rows) - np.einsum("bqdn,bqd->bn", self.C, cones)
        return np.asarray(
            self.R * (u - self.u) + np.einsum("bij,bi->bj", self.G, pushed) + by_limits
        )

    def violation(self, u: Array) -> float:
        """Return by how much forces leave their limits, in their unit."""
        v = np.einsum("bqdn,bn->bqd", self.C, u) + self.c
        outside = np.linalg.norm(v[..., :-1], axis=-1) - v[..., -1]
        above = np.einsum("bmn,bn->bm", self.F, u) - self.f
        return float(max(outside.max(initial=0.0), above.max(initial=0.0)))

    def excess(self, x: Array) -> Array:
        """Return by how much x exceeds its rows, (N + 1, r)."""
        return np.asarray(np.maximum(np.einsum("kri,ki->kr", self.E, x) - self.d, 0.0))


@dataclass(frozen=True, eq=False)
class Solution:
    """The minimiser, and its multipliers.

    Attributes:
        u, x, eps: (b, n), (N + 1, 12), (N + 1, r).
        y: (N + 1, 12), costates.
        rows, cones, bounds: z (b, m) of F, (b, q, D) of the cones, (N + 1, r) of E.
        cost: Σ … of the module.
        error: residuals and gap, relative to the cost.
        iterations: of the interior-point method.
        solved: whether the error is small.
    """

    u: Array
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
