"""A soft finger: a point whose friction also resists turning about the normal.

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
from ..geometry.hulls import cone_faces
from .friction_cone import (
    FrictionCone,
    axes_along,
    check_friction,
    check_length,
    check_one_of,
    check_sides,
    circle,
    finite_rows,
    unit_vector,
)

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SoftFingerCone:
    """The forces and moments [f; m_n] (4,) that a soft point transmits.

    Attributes:
        friction: Coulomb coefficient μ > 0.
        torsional_friction: γ > 0, the largest moment per normal force [m].
        normal: n, (3,), unit vector from the ground into the robot; m_n is the moment along it.

    Raises:
        ContactError: μ or γ not positive, or a normal that is not a unit vector.
    """

    friction: float
    torsional_friction: float
    normal: Array = (0.0, 0.0, 1.0)  # type: ignore[assignment]

    def __post_init__(self) -> None:
        object.__setattr__(self, "friction", check_friction(self.friction))
        if self.friction == 0:
            raise ContactError("friction: got 0, expected a positive value at a soft finger")
        gamma = check_length(self.torsional_friction, "torsional_friction")
        object.__setattr__(self, "torsional_friction", gamma)
        object.__setattr__(self, "normal", unit_vector(self.normal, "normal"))

    def violation(self, wrench: ArrayLike) -> float:
        """Return the distance of [f; m_n] (4,) from the cone [N], moments counting as m μ/γ."""
        w = self._round(wrench)
        return float(np.linalg.norm(w - self._projected(w)))

    def contains(self, wrench: ArrayLike, tolerance: float = 1e-9) -> bool:
        """Whether [f; m_n] (4,) is within `tolerance` [N] of the cone."""
        return self.violation(wrench) <= tolerance

    def project(self, wrench: ArrayLike) -> Array:
        """Return the nearest [f; m_n] of the cone (4,), moments counting as m μ/γ."""
        w = self._projected(self._round(wrench))
        force = axes_along(self.normal) @ w[[0, 1, 3]]
        return np.append(force, w[2] * self.torsional_friction / self.friction)

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
        check_one_of(kind, "kind", "inner", "outer")
        return cone_faces(self.rays(n) if kind == "inner" else self.outer_rays(n))

    def constraints(self, w: Any) -> list[Any]:
        """Return the exact cone as cvxpy constraints on an expression w of shape (4,)."""
        import cvxpy as cp

        tangents = axes_along(self.normal)[:, :2].T @ w[:3]
        share = self.friction / self.torsional_friction * w[3]
        normal_force = self.normal @ w[:3]
        bound = self.friction * normal_force
        return [cp.norm(cp.hstack([tangents, share]), 2) <= bound, normal_force >= 0]

    def _from_unit_ball(self, d: Array) -> Array:
        """[f; m_n] of unit normal force for points d (r, 3) of the unit ball's space."""
        axes = axes_along(self.normal)
        forces = self.friction * d[:, :2] @ axes[:, :2].T + self.normal
        return np.column_stack([forces, self.torsional_friction * d[:, 2]])

    def _round(self, wrench: ArrayLike) -> Array:
        """(f_t, m μ/γ, f_n), in which the cone is round."""
        w = finite_rows(wrench, "wrench [f; m_n]", 4)
        local = axes_along(self.normal).T @ w[:3]
        return np.array(
            [local[0], local[1], w[3] * self.friction / self.torsional_friction, local[2]]
        )

    def _projected(self, w: Array) -> Array:
        """The nearest point of ‖w[:3]‖ ≤ μ w[3]: Coulomb's cone in one more dimension."""
        slip = float(np.linalg.norm(w[:3]))
        flat = FrictionCone(self.friction).project([slip, 0.0, w[3]])
        direction = w[:3] / slip if slip > 0 else np.zeros(3)
        return np.append(flat[0] * direction, flat[2])


def sphere(n: int, kind: str = "inner") -> Array:
    """Return corners (r, 3) of a polyhedron inside the unit sphere, or "outer" around it.

    Those inside lie on the sphere: rings of n, one of them the equator, and both poles. Those
    around it are the corners of the polyhedron whose faces touch the sphere there.
    """
    n = check_sides(n)
    rings = 2 * max(1, n // 4)
    latitudes = np.pi * (np.arange(1, rings) / rings - 0.5)
    around = np.column_stack([circle(n), np.zeros(n)])
    blocks = [np.cos(b) * around + [0.0, 0.0, np.sin(b)] for b in latitudes]
    d = np.vstack([*blocks, [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]]])
    if kind == "inner":
        return d
    corners = cone_faces(np.column_stack([d, -np.ones(len(d))]))
    return np.asarray(corners[:, :3] / corners[:, 3:])
