"""Velocities and accelerations that obey contacts, nearest in the metric of the mass matrix.

Gauss's principle, plastic impacts, operational-space inertias and consistent null spaces are all
one projection, here by one factorisation: with M = L Lᵀ and x = L⁻ᵀ y,

    minimise ½ (x − x₀)ᵀ M (x − x₀)  subject to  J x = t      becomes
    minimise ½ ‖y − y₀‖²             subject to  B y = t,     B = J L⁻ᵀ = U Σ Vᵀ.

The singular values of B say how many constraints there really are, so redundant contacts need no
damping, and J M⁻¹ Jᵀ = B Bᵀ is never inverted.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import cho_solve, solve_triangular

from ... import dynamics
from ...errors import ModelError
from ...robots import Robot
from ..contact_set import ContactSet
from ..equilibrium.reasons import joint_of_row

Array = NDArray[np.float64]

# singular values of J L⁻ᵀ below this share of the largest are rounding: that row is redundant.
# Rounding leaves 1e-16 times the condition number of L, some 1e3 for a hand with fingers.
RANK_TOLERANCE = 1e-10


@dataclass(frozen=True, eq=False)
class Projection:
    """The contacts' rows seen in the metric of the mass matrix.

    Attributes:
        J: (dim, nv), of the contacts, world axes.
        L: (nv, nv), lower triangular, M = L Lᵀ.
        U, s, W: of B = U diag(s) W, the singular triplets that count: (dim, r), (r,), (r, nv).
    """

    J: Array
    L: Array
    U: Array
    s: Array
    W: Array

    @classmethod
    def of(cls, contacts: ContactSet, q: ArrayLike) -> Projection:
        """Return the projection at q.

        Raises:
            ConfigurationError: a bad q.
            ModelError: the mass matrix is singular: a joint moves nothing that has mass.
        """
        robot = contacts.robot
        L, J = cholesky(robot, dynamics.mass_matrix(robot, q)), contacts.jacobian(q)
        B = solve_triangular(L, J.T, lower=True).T
        U, s, W = np.linalg.svd(B, full_matrices=False)
        r = int((s > RANK_TOLERANCE * s.max(initial=0.0)).sum())
        return cls(J, L, U[:, :r], s[:r], W[:r])

    @property
    def rank(self) -> int:
        """Number of independent constraints, at most dim."""
        return len(self.s)

    @cached_property
    def delassus(self) -> Array:
        """J M⁻¹ Jᵀ = B Bᵀ (dim, dim)."""
        return np.asarray((self.U * self.s**2) @ self.U.T)

    @cached_property
    def inertia(self) -> Array:
        """Λ = (J M⁻¹ Jᵀ)⁺ (dim, dim), the inverse where the rows are independent."""
        return np.asarray((self.U / self.s**2) @ self.U.T)

    @cached_property
    def null_projector(self) -> Array:
        """N = 1 − M⁻¹ Jᵀ Λ J = L⁻ᵀ (1 − V Vᵀ) Lᵀ (nv, nv), with J N = 0 and J M⁻¹ Nᵀ = 0."""
        free = np.eye(len(self.L)) - self.W.T @ self.W
        return self.from_metric(free @ self.L.T)

    def from_metric(self, y: Array) -> Array:
        """Return x = L⁻ᵀ y."""
        return np.asarray(solve_triangular(self.L, y, lower=True, trans="T"))

    def nearest(self, x_free: Array, target: Array) -> tuple[Array, Array]:
        """Return the x (nv,) with J x = target that is nearest to x_free, and the f (dim,) for it.

            M (x − x_free) = Jᵀ f,   f = (J M⁻¹ Jᵀ)⁺ (target − J x_free)

        f is the least-norm one. Where no x meets the target, x comes as near as the rows allow.
        """
        x, f = np.array(x_free), np.zeros(len(self.J))
        for _ in range(2):  # the second pass takes out the rounding of the first
            step = self.U @ ((self.U.T @ (target - self.J @ x)) / self.s**2)
            f += step
            x += self.from_metric(self.W.T @ (self.s * (self.U.T @ step)))
        return x, f

    def in_range(self, rows: Array) -> Array:
        """Return the part of `rows` (dim,) that some J x can be."""
        return np.asarray(self.U @ (self.U.T @ rows))

    def forces(self, generalised: Array) -> Array:
        """Return the least-norm f (dim,) whose Jᵀ f is nearest to generalised forces (nv,).

        Nearest in the metric of M⁻¹, in which forces are measured when motions are in that of M.
        """
        y = solve_triangular(self.L, generalised, lower=True)
        return np.asarray(self.U @ ((self.W @ y) / self.s))


def cholesky(robot: Robot, M: Array) -> Array:
    """Return L, lower triangular with M = L Lᵀ.

    Raises:
        ModelError: M is singular, to rounding: the message names a joint that moves nothing.
    """
    diagonal = np.diag(M)
    try:
        L = np.asarray(np.linalg.cholesky(M), dtype=float)
    except np.linalg.LinAlgError:
        row = int(np.abs(np.linalg.eigh(M)[1][:, 0]).argmax())
    else:
        # what is left of each inertia once the motions before it give way
        left = np.diag(L) ** 2
        lost = (left <= 1e-12 * diagonal) | (left <= 1e-13 * diagonal.max(initial=0.0))
        if not lost.any():
            return L
        row = int(lost.argmax())
    raise ModelError(
        f"the mass matrix of {robot.name!r} is singular at this q: {joint_of_row(robot, row)!r} "
        "moves no mass and no inertia; expected a link with mass behind it, an armature, or the "
        "joint locked when loading"
    )


def solve_mass(L: Array, right: Array) -> Array:
    """Return M⁻¹ right, with M = L Lᵀ."""
    return np.asarray(cho_solve((L, True), right))
