"""Flat faces, and the interface of solids: distances, and hits of vertical lines and rays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ...arrays import Array
from ...errors import ContactError
from .edges import Edges

FACES_UP = 0.17  # cosine of 80°: what is steeper is no ground to drop something on


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

    @property
    def normal(self) -> Array:
        """(3,), outward unit vector."""
        return np.asarray(self.placement.rotation[:, 2])

    def height(self, points: ArrayLike) -> Array:
        """Return n · (p − o) (...), how far points (..., 3) lie before its plane [m]."""
        away = np.asarray(points, dtype=float) - self.placement.translation
        return np.asarray(away @ self.normal)

    def elevations(self, places: Array) -> Array:
        """Return (n,), its height at places (n, 2); −inf beside it, or where it is steep [m]."""
        n, o = self.normal, self.placement.translation
        if n[2] < FACES_UP:
            return np.full(len(places), -np.inf)
        points = np.column_stack([places, o[2] - (places - o[:2]) @ n[:2] / n[2]])
        local = (points - o) @ self.placement.rotation[:, :2]
        on = (np.abs(local) <= self.half_size + 1e-9).all(axis=1)
        return np.where(on, points[:, 2], -np.inf)

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

    def below(self, x: float, y: float) -> Array | None:
        """Return the point (3,) of the face on the vertical line through (x, y), None beside it."""
        n, o = self.normal, self.placement.translation
        if n[2] < FACES_UP:
            return None
        p = np.array([x, y, o[2] - (n[0] * (x - o[0]) + n[1] * (y - o[1])) / n[2]])
        return p if self.overhang(p[None]) < 1e-9 else None

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
        if np.linalg.norm(x) < 1e-6 * (1 + np.linalg.norm(ahead)):
            raise ContactError(
                f"heading: got {np.round(ahead, 6).tolist()}, which is across {self.name!r} "
                f"(normal {np.round(n, 3).tolist()}); expected a direction along it"
            )
        x /= np.linalg.norm(x)
        p = np.asarray(point, dtype=float)
        return pin.SE3(np.column_stack([x, np.cross(n, x), n]), p - self.height(p) * n)


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

    def below(self, x: float, y: float, under: Array) -> tuple[Face, Array] | None:
        """Return the face on the vertical line through (x, y), and the point (3,); or None.

        `under` (k, 2) are the points of a foot, from (x, y): where the ground is not flat, the face
        is fitted to it there.
        """

    def elevations(self, places: Array) -> Array:
        """Return (n,), its height at places (n, 2); −inf beside it, or where it is steep [m]."""

    def met(self, origin: Array, direction: Array) -> tuple[float, Face] | None:
        """Return the first t > 0 at which the ray origin + t direction enters it, and the face."""

    def nearest_face(self, point: Array) -> Face:
        """Return the face that lies most before or least behind `point` (3,)."""


class FlatSided:
    """What follows from the faces of a convex solid."""

    faces: Any  # tuple[Face, ...]

    def below(self, x: float, y: float, under: Array) -> tuple[Face, Array] | None:
        """See `Solid`: the one face that looks up there."""
        hits = [(face, p) for face in self.faces if (p := face.below(x, y)) is not None]
        return max(hits, key=lambda hit: float(hit[1][2]), default=None)

    def elevations(self, places: Array) -> Array:
        """See `Solid`."""
        return np.asarray(np.max([face.elevations(places) for face in self.faces], axis=0))

    def met(self, origin: Array, direction: Array) -> tuple[float, Face] | None:
        """See `Solid`."""
        hits = [(t, face) for face in self.faces if (t := face.met(origin, direction)) is not None]
        return min(hits, key=lambda hit: hit[0], default=None)

    def nearest_face(self, point: Array) -> Face:
        """See `Solid`."""
        found: Face = max(self.faces, key=lambda face: float(face.height(point)))
        return found
