"""Centre of mass within a polygon: h = b − N c, of edges with outward normals N (k, 2)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array
from ...contacts.geometry.polygon import convex_hull
from ...dynamics import State
from ...errors import ConfigurationError
from ...options import names_checked
from ...robots.robot import Robot
from ...robots.values import array, number
from .constraint import Barrier


@names_checked
@dataclass(eq=False)
class ComConstraint(Barrier):
    """The centre of mass stays above the convex hull of points.

    Attributes:
        vertices: of the polygon (k, 2), world axes [m], in any order.
        margin: distance that it keeps from the edges [m].
    """

    vertices: ArrayLike
    margin: float = field(default=0.0, kw_only=True)

    def _check(self) -> None:
        super()._check()
        points = array(self.vertices, f"vertices of {self.name!r}", (None, 2), meaning="[m]")
        corners = convex_hull(points, 1e-9)
        if len(corners) < 3:
            raise ConfigurationError(
                f"vertices of {self.name!r}: got {len(corners)} corners; expected a polygon"
            )
        edges = np.roll(corners, -1, axis=0) - corners
        lengths = np.linalg.norm(edges, axis=1)
        self._normals = np.column_stack([edges[:, 1], -edges[:, 0]]) / lengths[:, None]
        along = np.einsum("ij,ij->i", self._normals, corners)
        self._offsets = along - number(self.margin, f"margin of {self.name!r}", unit="[m]")

    def bind(self, robot: Robot) -> int:
        """Return the number of edges."""
        self._check()
        return len(self._offsets)

    def value(self, state: State) -> Array:
        """Return the distances from the edges, less the margin [m]."""
        return np.asarray(self._offsets - self._normals @ state.com[:2])

    def jacobian(self, state: State) -> Array:
        """Return −N J_com."""
        return np.asarray(-self._normals @ state.com_jacobian[:2])

    def drift(self, state: State) -> Array:
        """Return −N J̇_com v."""
        return np.asarray(-self._normals @ state.com_drift[:2])
