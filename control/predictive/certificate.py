"""Certificate that a prediction cannot keep its bounds, whatever the contacts do.

Weak duality of  minimise Σ ρ ε  over the motions and the limits of the subproblem: with multipliers
λ of the rows E x ≤ d + ε, 0 ≤ λ ≤ ρ, μ ≥ 0 of the rows of u, and ζ in the cones, for which the
Lagrangian does not depend on u,

    G_bᵀB_kᵀ y_{k+1} + F_bᵀμ_b − C_bᵀζ_b = 0,    y_k = Eᵀλ_k + A_kᵀy_{k+1},

no motion exceeds its bounds by less than the Lagrangian at u = 0:

    Σ ρ ε  ≥  Σ λᵀ(E x(0) − d) − Σ μᵀf − Σ ζᵀc.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from .reference import by_cvxpy
from .subproblem import E, Subproblem

SMALL = 1e-9  # R, in weights: makes the forces of least excess unique


@dataclass(frozen=True, eq=False, repr=False)
class Certificate:
    """Multipliers that bound Σ ρ ε from below.

    Attributes:
        problem: whose rows, with Q = 0.
        bounds: λ (N + 1, 6).
        rows: μ (b, m).
        cones: ζ (b, q, D).
    """

    problem: Subproblem
    bounds: Array
    rows: Array
    cones: Array

    def __repr__(self) -> str:
        return f"Certificate(value={self.value:.4g})"

    @property
    def value(self) -> float:
        """The bound on Σ ρ ε: positive where no forces keep the motion within its bounds."""
        P = self.problem
        x = P.motion(np.zeros_like(P.u))
        excess = x @ E.T - P.d
        by_limits = (self.rows * P.f).sum() + (self.cones * P.c).sum()
        return float((self.bounds * excess).sum() - by_limits)

    @property
    def residual(self) -> float:
        """The largest violation of the conditions on λ, μ, ζ; u of weight one changes by it."""
        P = self.problem
        y = P.costates(P.target, self.bounds)
        flat = P._replace(R=np.zeros_like(P.R))
        left = np.abs(flat.gradient(P.u, y, self.rows, self.cones)).max(initial=0.0)
        outside = np.linalg.norm(self.cones[..., :-1], axis=-1) - self.cones[..., -1]
        signs = [-self.bounds, self.bounds - P.rho, -self.rows, outside]
        return float(max(left, *(part.max(initial=0.0) for part in signs)))


def certificate_of(problem: Subproblem) -> Certificate:
    """Return the certificate of a subproblem: of its least excess, without any other cost.

    Raises:
        SolverError: cvxpy did not solve it.
    """
    least = problem._replace(Q=np.zeros_like(problem.Q), R=np.full_like(problem.R, SMALL))
    found = by_cvxpy(least)
    return Certificate(least, found.bounds, found.rows, found.cones)
