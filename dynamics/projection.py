"""Projections onto linear constraints on motions in the metric of the mass matrix.

Gauss's principle, plastic impacts, operational-space inertias and consistent null spaces are all
one projection, here by one factorisation: with M = L Lᵀ and x = L⁻ᵀ y,

    minimise ½ (x − x₀)ᵀ M (x − x₀)  subject to  J x = t      becomes
    minimise ½ ‖y − y₀‖²             subject to  B y = t,     B = J L⁻ᵀ = U R Q

with orthonormal U (dim, r) and Qᵀ (nv, r). The rank r of B says how many constraints there really
are, so redundant ones need no damping, and J M⁻¹ Jᵀ = B Bᵀ is never inverted. Kernels factorise
(`kernels/gauss.py`, R upper triangular), or LAPACK does (R diagonal, the singular values).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy

from ..arrays import Array
from ..errors import ModelError
from ..robots.robot import Robot
from .kernels.gauss import FACTORISED, NEAREST, SOLVE_MASS

# what is left of a row of J L⁻ᵀ below this share of the largest is rounding: it is redundant.
# Rounding leaves 1e-16 times the condition number of L, some 1e3 for a hand with fingers.
RANK_TOLERANCE = 1e-10


@dataclass(frozen=True, eq=False)
class Projection:
    """Rows J of constraints seen in the metric of the mass matrix.

    Attributes:
        J: (dim, nv).
        L: (nv, nv), lower triangular, M = L Lᵀ.
        U, R, Q: of B = U R Q, of its rank r: (dim, r), (r, r), (r, nv).
    """

    J: Array
    L: Array
    U: Array
    R: Array
    Q: Array

    @classmethod
    def of(cls, robot: Robot, M: Array, J: Array) -> Projection:
        """Return the projection for a mass matrix M (nv, nv) of a robot.

        Raises:
            ModelError: the mass matrix is singular: a joint moves nothing that has mass.
        """
        kernel = FACTORISED.select(1)
        if kernel is None:
            with FACTORISED.uncompiled(1):
                return cls._by_lapack(robot, M, J)
        rows = M if M.flags.c_contiguous else M.T  # symmetric
        *factors, singular = kernel(rows, J, RANK_TOLERANCE)
        if singular >= 0:
            raise _singular(robot, singular)
        return cls(J, *factors)

    @classmethod
    def _by_lapack(cls, robot: Robot, M: Array, J: Array) -> Projection:
        L = cholesky(robot, M)
        return cls._of_rows(J, L, scipy.linalg.solve_triangular(L, J.T, lower=True).T)

    @classmethod
    def _of_rows(cls, J: Array, L: Array, B: Array, largest: float = 0.0) -> Projection:
        """Of B = U R Q by its singular values, which are zero next to `largest` too."""
        U, s, W = np.linalg.svd(B, full_matrices=False)
        r = int((s > RANK_TOLERANCE * s.max(initial=largest)).sum())
        # as the kernels take them: row-major, also where another kernel is compiled sooner
        return cls(J, L, np.ascontiguousarray(U[:, :r]), np.diag(s[:r]), W[:r].copy())

    def within(self, J: Array) -> Projection:
        """Return the projection of rows J (dim, nv) among the motions that these rows allow.

            B = J L⁻ᵀ (1 − QᵀQ)

        Its `nearest` takes x that keep these rows to others that keep them too; its `delassus` and
        `inertia` are what forces in the rows of J meet while these rows hold.
        """
        every = scipy.linalg.solve_triangular(self.L, J.T, lower=True).T
        left = every - (every @ self.Q.T) @ self.Q
        return self._of_rows(J, self.L, left, float(np.linalg.norm(every)))

    @property
    def rank(self) -> int:
        """Number of independent constraints, at most dim."""
        return len(self.R)

    @cached_property
    def delassus(self) -> Array:
        """J M⁻¹ Jᵀ = B Bᵀ (dim, dim)."""
        T = self.U @ self.R
        return np.asarray(T @ T.T)

    @cached_property
    def inertia(self) -> Array:
        """Λ = (J M⁻¹ Jᵀ)⁺ (dim, dim), the inverse where the rows are independent."""
        T = scipy.linalg.solve_triangular(self.R, self.U.T)
        return np.asarray(T.T @ T)

    @cached_property
    def null_projector(self) -> Array:
        """N = 1 − M⁻¹ Jᵀ Λ J = L⁻ᵀ (1 − QᵀQ) Lᵀ (nv, nv), with J N = 0 and J M⁻¹ Nᵀ = 0."""
        free = np.eye(len(self.L)) - self.Q.T @ self.Q
        return np.asarray(
            scipy.linalg.solve_triangular(self.L, free @ self.L.T, lower=True, trans="T")
        )

    def free(self, forces: Array) -> Array:
        """Return M⁻¹ forces (nv,)."""
        kernel = SOLVE_MASS.select(1)
        return solve_mass(self.L, forces) if kernel is None else np.asarray(kernel(self.L, forces))

    def mobility(self, forces: Array) -> Array:
        """Return what forces (nv,) or (nv, k) do while these rows hold, L⁻ᵀ (1 − QᵀQ) L⁻¹ forces.

        The rows are held still: accelerations with J x = 0 for forces, velocities for impulses.
        """
        y = scipy.linalg.solve_triangular(self.L, forces, lower=True)
        y -= self.Q.T @ (self.Q @ y)
        return np.asarray(scipy.linalg.solve_triangular(self.L, y, lower=True, trans="T"))

    def nearest(self, x_free: Array, target: Array) -> tuple[Array, Array]:
        """Return the x (nv,) with J x = target that is nearest to x_free, and the f (dim,) for it.

            M (x − x_free) = Jᵀ f,   f = (J M⁻¹ Jᵀ)⁺ (target − J x_free)

        f is the least-norm one. Where no x meets the target, x comes as near as the rows allow.
        """
        x, f = np.array(x_free), np.zeros(len(self.J))
        kernel = NEAREST.select(1)
        if kernel is not None:
            kernel(self.J, self.L, self.U, self.R, self.Q, target, x, f)
            return x, f
        with NEAREST.uncompiled(1):
            for _ in range(2):  # the second pass takes out the rounding of the first
                z = scipy.linalg.solve_triangular(self.R, self.U.T @ (target - self.J @ x))
                x += scipy.linalg.solve_triangular(self.L, self.Q.T @ z, lower=True, trans="T")
                f += self.U @ scipy.linalg.solve_triangular(self.R, z, trans="T")
        return x, f

    def in_range(self, rows: Array) -> Array:
        """Return the part of `rows` (dim,) that some J x can be."""
        return np.asarray(self.U @ (self.U.T @ rows))

    def forces(self, generalised: Array) -> Array:
        """Return the least-norm f (dim,) whose Jᵀ f is nearest to generalised forces (nv,).

        Nearest in the metric of M⁻¹, in which forces are measured when motions are in that of M.
        """
        y = scipy.linalg.solve_triangular(self.L, generalised, lower=True)
        return np.asarray(self.U @ scipy.linalg.solve_triangular(self.R, self.Q @ y, trans="T"))


def cholesky(robot: Robot, M: Array) -> Array:
    """Return L, lower triangular with M = L Lᵀ.

    Raises:
        ModelError: M is singular, to rounding: the message names a joint that moves nothing.
    """
    diagonal = np.diag(M)
    try:
        L = np.asarray(np.linalg.cholesky(M), dtype=float)
    except np.linalg.LinAlgError:
        raise _singular(robot, int(np.abs(np.linalg.eigh(M)[1][:, 0]).argmax())) from None
    # what is left of each inertia once the motions before it give way
    left = np.diag(L) ** 2
    lost = (left <= 1e-12 * diagonal) | (left <= 1e-13 * diagonal.max(initial=0.0))
    if lost.any():
        raise _singular(robot, int(lost.argmax()))
    return L


def _singular(robot: Robot, row: int) -> ModelError:
    return ModelError(
        f"the mass matrix of {robot.name!r} is singular at this q: {robot.joint_of_row[row]!r} "
        "moves no mass and no inertia; expected a link with mass behind it, an armature, or the "
        "joint locked when loading"
    )


def solve_mass(L: Array, right: Array) -> Array:
    """Return M⁻¹ right, with M = L Lᵀ."""
    return np.asarray(scipy.linalg.cho_solve((L, True), right))
