"""Soft fingers: contact points whose friction also resists turning about the normal.

    ‖(f_t/μ, m_n/γ)‖ ≤ f_n        an ellipsoid in (f_t, m_n), growing with the normal force

R. Howe, M. Cutkosky, "Practical force-motion models for sliding manipulation" (1996), the
ellipsoidal limit surface; γ is MuJoCo's torsional friction, in metres.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import ContactError
from ...robots.values import array, length, number, one_of, whole_number
from ..geometry.hulls import cone_faces
from .friction_cone import (
    Friction,
    axes_along,
    check_friction,
    check_tangent,
    circle,
    nearest_in_cone,
    unit_vector,
)

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SoftFingerCone:
    """The forces and moments [f; m_n] (4,) that a soft point transmits.

    Attributes:
        friction: Coulomb coefficient μ > 0, or two, along `tangent` and across it.
        torsional_friction: γ > 0, the largest moment per normal force [m].
        normal: n, (3,), unit vector from the ground into the robot; m_n is the moment along it.
        tangent: (3,), as for `FrictionCone`.

    Raises:
        ContactError: μ or γ not positive, or a normal that is not a unit vector.
    """

    friction: Friction
    torsional_friction: float
    normal: Array = (0.0, 0.0, 1.0)  # type: ignore[assignment]
    tangent: ArrayLike | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "friction", check_friction(self.friction))
        if not np.all(self.friction):
            raise ContactError("friction: got 0, expected a positive value at a soft finger")
        gamma = length(self.torsional_friction, "torsional_friction", error=ContactError)
        object.__setattr__(self, "torsional_friction", gamma)
        object.__setattr__(self, "normal", unit_vector(self.normal, "normal"))
        check_tangent(self)

    @property
    def axes(self) -> Array:
        """(3, 3), columns t₁, t₂, n: two tangents and the normal, right-handed."""
        return axes_along(self.normal, self.tangent)

    @property
    def _half_axes(self) -> Array:
        """Of the cone in (f₁, f₂, m μ/γ) at f_n = 1, with the larger of both μ for the moment."""
        return np.append(np.broadcast_to(self.friction, 2), np.max(self.friction))

    def violation(self, wrench: ArrayLike) -> float:
        """Return the distance of [f; m_n] (4,) from the cone [N], moments counting as m μ/γ."""
        w = self._as_forces(wrench)
        return float(np.linalg.norm(w - nearest_in_cone(w, self._half_axes)))

    def contains(self, wrench: ArrayLike, tolerance: float = 1e-9) -> bool:
        """Whether [f; m_n] (4,) is within `tolerance` [N] of the cone."""
        return self.violation(wrench) <= number(
            tolerance, "tolerance", at_least=0, error=ContactError
        )

    def project(self, wrench: ArrayLike) -> Array:
        """Return the nearest [f; m_n] of the cone (4,), moments counting as m μ/γ."""
        w = nearest_in_cone(self._as_forces(wrench), self._half_axes)
        return np.append(self.axes @ w[[0, 1, 3]], w[2] * self._arm)

    def rays(self, n: int) -> Array:
        """Return rays (r, 4) of normal part 1 on the cone's surface, n of them without moment.

        Their non-negative combinations are the inner cone of `faces(n, "inner")`.
        """
        return self._from_unit_ball(sphere(n))

    def outer_rays(self, n: int) -> Array:
        """Return the rays (r, 4) of normal part 1 of the outer cone of `faces(n, "outer")`."""
        return self._from_unit_ball(sphere(n, "outer"))

    def faces(self, n: int, kind: Literal["inner", "outer"] = "inner") -> Array:
        """Return F (m, 4) of the linear cone {w : F w ≤ 0}: inscribed, or with touching faces."""
        one_of(kind, "kind", ("inner", "outer"), error=ContactError)
        return cone_faces(self.rays(n) if kind == "inner" else self.outer_rays(n))

    def constraints(self, w: Any) -> list[Any]:
        """Return the exact cone as cvxpy constraints on an expression w of shape (4,)."""
        import cvxpy as cp

        tangents, s, normal_force = self.axes[:, :2].T @ w[:3], self._half_axes, self.normal @ w[:3]
        as_forces = cp.hstack([tangents, w[3] / self._arm])
        bound = s[2] * normal_force
        return [cp.norm(cp.multiply(s[2] / s, as_forces), 2) <= bound, normal_force >= 0]

    def _from_unit_ball(self, d: Array) -> Array:
        """[f; m_n] of unit normal force for points d (r, 3) of the unit ball's space."""
        forces = (self._half_axes[:2] * d[:, :2]) @ self.axes[:, :2].T + self.normal
        return np.column_stack([forces, self.torsional_friction * d[:, 2]])

    @property
    def _arm(self) -> float:
        """γ/μ [m], by which moments are made forces."""
        return self.torsional_friction / float(np.max(self.friction))

    def _as_forces(self, wrench: ArrayLike) -> Array:
        """(f₁, f₂, m μ/γ, f_n)."""
        w = array(wrench, "wrench [f; m_n]", (4,), error=ContactError)
        local = self.axes.T @ w[:3]
        return np.array([local[0], local[1], w[3] / self._arm, local[2]])


def sphere(n: int, kind: str = "inner") -> Array:
    """Return corners (r, 3) of a polyhedron inside the unit sphere, or "outer" around it.

    Those inside lie on the sphere: rings of n, one of them the equator, and both poles. Those
    around it are the corners of the polyhedron whose faces touch the sphere there.
    """
    n = whole_number(n, "sides", at_least=3, error=ContactError)
    rings = 2 * max(1, n // 4)
    latitudes = np.pi * (np.arange(1, rings) / rings - 0.5)
    around = np.column_stack([circle(n), np.zeros(n)])
    blocks = [np.cos(b) * around + [0.0, 0.0, np.sin(b)] for b in latitudes]
    d = np.vstack([*blocks, [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]]])
    if kind == "inner":
        return d
    corners = cone_faces(np.column_stack([d, -np.ones(len(d))]))
    return np.asarray(corners[:, :3] / corners[:, 3:])
