"""Flat faces, and the interface of solids: distances, and hits of vertical lines and rays."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import Any, Protocol

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ...arrays import Array
from ...dynamics.spatial import cross
from ...errors import ContactError
from .edges import Edges

FACES_UP = 0.17  # cosine of 80°: steeper faces are not ground that something can be put on
_MOST = 1 << 20  # numbers at a time


@dataclass(frozen=True, eq=False)
class Face:
    """A flat side of a solid.

    Attributes:
        name: the solid's, and which of its sides.
        placement: T_world_face (`pin.SE3`), its middle, z outward.
        half_size: (2,), along x and y of the placement [m]; inf for a plane.
        friction: the solid's, None when it has none of its own.
        rough: how far the ground may be from this plane [m]: zero of what is flat.
    """

    name: str
    placement: Any
    half_size: Array
    friction: float | None = None
    rough: float = 0.0

    @cached_property
    def normal(self) -> Array:
        """(3,), outward unit vector."""
        return np.asarray(self.placement.rotation[:, 2])

    def height(self, points: ArrayLike) -> Array:
        """Return n · (p − o) (...), how far points (..., 3) lie before its plane [m]."""
        away = np.asarray(points, dtype=float) - self.placement.translation
        return np.asarray(away @ self.normal)

    def overhang(self, points: ArrayLike) -> float:
        """Return how far the farthest of points (k, 3) lies beyond the face's edges, ≥ 0 [m]."""
        local = (np.asarray(points, dtype=float) - self.placement.translation) @ (
            self.placement.rotation[:, :2]
        )
        return float(np.maximum(np.abs(local) - self.half_size, 0.0).max(initial=0.0))

    def closest(self, point: ArrayLike) -> Array:
        """Return the point (3,) of the face that is nearest to `point` (3,)."""
        T = self.placement
        local = (np.asarray(point, dtype=float) - T.translation) @ T.rotation[:, :2]
        inside = np.clip(local, -self.half_size, self.half_size)
        return np.asarray(T.translation + T.rotation[:, :2] @ inside)

    def met(self, origin: Array, direction: Array) -> float | None:
        """Return the t > 0 at which the ray origin + t direction meets the front of the face, None
        where it does not [units of the direction]."""
        slope = float(self.normal @ direction)
        if slope > -1e-12:
            return None
        t = -float(self.height(origin)) / slope
        return t if t > 0 and self.overhang((origin + t * direction)[None]) < 1e-9 else None

    def frame(self, point: ArrayLike, forward: ArrayLike) -> Any:
        """Return T_world_contact (`pin.SE3`) at `point`: z the normal, x along `forward` (3,).

        Raises:
            ContactError: `forward` is zero or along the normal.
        """
        n, ahead = self.normal, np.asarray(forward, dtype=float)
        x = ahead - (n @ ahead) * n
        size = sqrt(x @ x)
        if size < 1e-6 * (1 + sqrt(ahead @ ahead)):
            raise ContactError(
                f"heading: got {np.round(ahead, 6).tolist()}, which is across {self.name!r} "
                f"(normal {np.round(n, 3).tolist()}); expected a direction along it"
            )
        x /= size
        p = np.asarray(point, dtype=float)
        return pin.SE3(np.array([x, cross(n, x), n]).T, p - self.height(p) * n)


class FacesUp:
    """The faces that look up, among many, as arrays: where vertical lines meet them.

    The point of a face above (x, y) is at z, and at (u, v) in the axes [r_1 r_2 n] of the face:

        z = o_z − (n_x (x − o_x) + n_y (y − o_y))/n_z,    (u, v) = [r_1 r_2]ᵀ ((x, y, z) − o).

    Attributes:
        faces: them, m.
        normals: (m, 3), theirs.
    """

    def __init__(self, faces: Iterable[Face]) -> None:
        self.faces = tuple(face for face in faces if face.normal[2] >= FACES_UP)
        placed = [face.placement.homogeneous[:3] for face in self.faces]
        T = np.array(placed).reshape(-1, 3, 4)
        self.normals = T[:, :, 2]
        R, o = T[:, :, :2], T[:, :, 3]
        slopes = -T[:, :2, 2] / T[:, 2:, 2]  # of z along x and y
        along = R[:, :2] + slopes[:, :, None] * R[:, 2:]  # of (u, v)
        self._maps = np.concatenate([along, slopes[:, :, None]], axis=2).transpose(1, 2, 0)
        self._starts = -np.einsum("mi,ikm->km", o[:, :2], self._maps)
        self._starts[2] += o[:, 2]
        self._half = np.array([face.half_size + 1e-9 for face in self.faces]).reshape(-1, 2).T

    def elevations(self, places: Array) -> Array:
        """Return (n, m), their heights at places (n, 2); −inf beside them [m]."""
        shape = len(places), *self._starts.shape
        found = (places @ self._maps.reshape(2, -1)).reshape(shape) + self._starts
        on = (np.abs(found[:, :2]) <= self._half).all(axis=1)
        return np.where(on, found[:, 2], -np.inf)

    def highest(self, places: Array) -> Array:
        """Return (n,), the largest of them; −inf beside all."""
        rows = max(1, _MOST // (1 + self._starts.size))
        parts = [places[k : k + rows] for k in range(0, len(places), rows)]
        found = [self.elevations(part).max(axis=1, initial=-np.inf) for part in parts]
        return np.concatenate([np.zeros(0), *found])


class Solid(Protocol):
    """A solid: a name, sides, how far points are from it, and where lines meet it."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def friction(self) -> float | None:
        """Its Coulomb coefficient, None when it has none of its own."""

    @property
    def faces(self) -> tuple[Face, ...]:
        """Its sides."""

    @property
    def edges(self) -> Edges:
        """Its convex edges."""

    def signed_distance(self, points: Array) -> Array:
        """Return (n,), the distance of points (n, 3) to its surface, negative inside [m]."""

    def normal(self, points: Array) -> Array:
        """Return (n, 3), the gradient of the distance: unit, outward."""

    def met(self, origin: Array, direction: Array) -> tuple[float, Face] | None:
        """Return the first t > 0 at which the ray origin + t direction enters it, and the face."""

    def nearest_face(self, point: Array) -> Face:
        """Return the face that lies most before or least behind `point` (3,)."""


class FlatSided:
    """What follows from the faces of a convex solid."""

    faces: Any  # tuple[Face, ...]

    @property
    def solids(self) -> tuple[Any, ...]:
        """Itself."""
        return (self,)

    def met(self, origin: Array, direction: Array) -> tuple[float, Face] | None:
        """See `Solid`."""
        hits = [(t, face) for face in self.faces if (t := face.met(origin, direction)) is not None]
        return min(hits, key=lambda hit: hit[0], default=None)

    def nearest_face(self, point: Array) -> Face:
        """See `Solid`."""
        found: Face = max(self.faces, key=lambda face: float(face.height(point)))
        return found
