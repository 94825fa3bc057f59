"""Soft fingers: contact points whose friction also resists turning about the normal.

    ‖(f_t/μ, m_n/γ)‖ ≤ f_n        an ellipsoid in (f_t, m_n), growing with the normal force

R. Howe, M. Cutkosky, "Practical force-motion models for sliding manipulation" (1996), the
ellipsoidal limit surface; γ is MuJoCo's torsional friction, in metres.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array
from ...errors import ContactError
from ...options import names_checked
from ...robots.values import length, one_of, whole_number
from ..geometry.hulls import cone_faces
from .friction_cone import Friction, PointCone, circle


@names_checked
@dataclass(frozen=True, eq=False)
class SoftFingerCone(PointCone):
    """The forces and moments [f; m_n] (4,) that a soft point transmits.

    Distances and projections are those of moments that count as m μ/γ.

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

    _argument = "force [f; m_n]"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not np.all(self.friction):
            raise ContactError("friction: got 0, expected a positive value at a soft finger")
        gamma = length(self.torsional_friction, "torsional_friction", error=ContactError)
        object.__setattr__(self, "torsional_friction", gamma)

    @property
    def _rows(self) -> Array:
        """(f₁, f₂, m μ/γ, f_n), with the larger of both μ for the moment."""
        L = np.zeros((4, 4))
        L[[0, 1, 3], :3], L[2, 3] = self.axes.T, self.pair.max() / self.torsional_friction
        return L

    @property
    def _half_axes(self) -> Array:
        return np.append(self.pair, self.pair.max())

    def rays(self, n: int, kind: Literal["inner", "outer"] = "inner") -> Array:
        """Return rays (r, 4) of normal part 1, n of them without moment, on the cone's surface.

        Their non-negative combinations are the cone of `faces(n, kind)`; "outer": around it.
        """
        one_of(kind, "kind", ("inner", "outer"), error=ContactError)
        d = sphere(n, kind)
        forces = (self.pair * d[:, :2]) @ self.axes[:, :2].T + self.normal
        return np.column_stack([forces, self.torsional_friction * d[:, 2]])

    def faces(self, n: int, kind: Literal["inner", "outer"] = "inner") -> Array:
        """Return F (m, 4) of the linear cone {w : F w ≤ 0}: inscribed, or with touching faces."""
        return cone_faces(self.rays(n, kind))


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
