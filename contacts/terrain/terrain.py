"""Terrain of planes, boxes, stairs, walls and height maps, as pure geometry.

A terrain is the union of its solids. `signed_distance` d is positive outside and negative inside,
its gradient is the outward normal n, and p − d(p) n(p) is the nearest point of the surface.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...arrays import Array, Index
from ...errors import ContactError, unknown
from ...robots import values
from ...robots.values import array, each_once, instance, number, placement, sequence, vector
from ..contact_set import ContactSet
from ..geometry.directions import least_turn
from ..kernels.solids import NEAREST, FlatSolids
from .edges import Edges
from .faces import FACES_UP, Face, FacesUp
from .height_map import ROUGH, HeightMap
from .solids import Box, Plane, Stairs, Wall

_OFF = 1e-6  # a face is uncovered where a point this far in front of it lies in no solid [m]
Part = Plane | Box | Stairs | Wall | HeightMap
EMPTY = "terrain: it is empty, expected a plane, a box, stairs, a wall or a height map"
_POINT, _ORIGIN = np.zeros((1, 2)), np.zeros((1, 3))


class Ground(NamedTuple):
    """The planes under a foot at n places, and where they are there.

    Attributes:
        points: (n, 3), at z = −inf where there is no ground [m].
        normals: (n, 3), upward unit vectors.
        owners: (n,), indices of the faces and height maps; −1 where there is no ground.
        rough: (n,), how far the ground may be from the plane, zero of what is flat [m].
    """

    points: Array
    normals: Array
    owners: Index
    rough: Array


class Terrain:
    """The union of planes, boxes, stairs, walls and height maps.

    Args:
        parts: any number of them, each solid with a name of its own.

    Raises:
        ContactError: two solids with one name, or something that is no part of a terrain.
    """

    def __init__(self, parts: Iterable[Part] = ()) -> None:
        self.parts: tuple[Part, ...] = sequence(parts, "terrain", Part, error=ContactError)
        self.solids = tuple(solid for part in self.parts for solid in part.solids)
        each_once(self.names, "terrain", error=ContactError)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the solids."""
        return tuple(solid.name for solid in self.solids)

    def signed_distance(self, points: ArrayLike) -> Array:
        """Return (...), of points (..., 3) to the nearest solid [m]; +inf where there is nothing.

        Exact outside. Inside, where solids overlap, the depth in the deepest one.
        """
        p = _points(points)
        if not self.solids:
            return np.full(p.shape[:-1], np.inf)
        return self._nearest(p.reshape(-1, 3), normals=False)[0].reshape(p.shape[:-1])

    def contains(self, points: ArrayLike) -> NDArray[np.bool_]:
        """Return (...), whether points (..., 3) are in a solid or on it: signed distances ≤ 0."""
        p = _points(points)
        each = p.reshape(-1, 3)
        found = np.asarray(self._flat_part.signed_distance(each) <= 0)
        for ground in self._maps:
            found |= ground.contains(each)
        return found.reshape(p.shape[:-1])

    def nearest(self, points: ArrayLike) -> Index:
        """Return (...), which of `solids` is nearest to each of points (..., 3)."""
        p = _points(points)
        self._refuse_empty()
        return self._nearest(p.reshape(-1, 3), normals=False)[1].reshape(p.shape[:-1])

    def normal(self, points: ArrayLike) -> Array:
        """Return (..., 3), the outward unit normals of the nearest solids."""
        return self.distance_and_normal(points)[1]

    def distance_and_normal(self, points: ArrayLike) -> tuple[Array, Array]:
        """Return `signed_distance` and `normal` of points (..., 3)."""
        p = _points(points)
        self._refuse_empty()
        distances, _, normals = self._nearest(p.reshape(-1, 3))
        return distances.reshape(p.shape[:-1]), normals.reshape(p.shape)

    def friction(self, points: ArrayLike, otherwise: float) -> Array:
        """Return (...), the nearest solids' coefficients; `otherwise` where they have none."""
        otherwise = number(otherwise, "otherwise", at_least=0, error=ContactError)
        own = self.own_friction(points)
        return np.where(np.isnan(own), otherwise, own)

    def own_friction(self, points: ArrayLike) -> Array:
        """Return (...), the nearest solids' coefficients; nan where they have none."""
        if not self.has_friction:
            return np.full(_points(points).shape[:-1], np.nan)
        return self._frictions[self.nearest(points)]

    def height(self, points: ArrayLike) -> Array:
        """Return (...), the height of the ground at points (..., 2 or 3) [m]; −inf beside it."""
        p = array(points, "points", error=ContactError)
        if p.shape[-1:] not in ((2,), (3,)):
            raise ContactError(f"points: got shape {p.shape}, expected finite (..., 2) or (..., 3)")
        places = p.reshape(-1, p.shape[-1])[:, :2]
        found = self._up.highest(places)
        for ground in self._maps:
            found = np.maximum(found, ground.elevations(places))
        # what is inside of another solid is no ground: where that is so steep that it has none
        there = np.flatnonzero(np.isfinite(found))
        above = np.column_stack([places[there], found[there] + _OFF])
        for k in there[self.contains(above)]:
            hit = self.ground(*places[k])
            found[k] = -np.inf if hit is None else hit[1][2]
        return np.asarray(found.reshape(p.shape[:-1]))

    def ground(
        self, x: float, y: float, near: float | None = None, under: ArrayLike = _POINT
    ) -> tuple[Face, Array] | None:
        """Return the face on the vertical line through (x, y), and the point (3,); or None.

        The highest one; with `near`, the one whose height is nearest to it [m], so that a foot
        stands under a table and a hand lies on it. Faces inside other solids do not count.

        Args:
            x, y: a place [m].
            near: as above.
            under: (k, 2), the points of a foot, from there [m]: it stands on the plane that is
                fitted to a height map under them.
        """
        x, y = (number(c, name, unit="[m]", error=ContactError) for c, name in ((x, "x"), (y, "y")))
        if near is not None:
            number(near, "near", unit="[m]", error=ContactError)
        foot = array(under, "under", (None, 2), meaning="[m]", error=ContactError)
        found = self.ground_under(foot, np.array([[x, y]]), near)
        if found.owners[0] < 0:
            return None
        return self.face_of(found, 0, foot), found.points[0]

    def ground_under(self, foot: Array, places: Array, near: float | None = None) -> Ground:
        """Return `ground` of a foot with points (k, 2) at each of places (n, 2)."""
        planes = [ground.planes(places, foot) for ground in self._maps]
        none = np.full(len(places), -np.inf)
        heights = np.column_stack([self._up.elevations(places), *(h for h, _ in planes), none])
        normals = np.zeros((*heights.shape, 3))
        flat = len(self._up.faces)
        normals[:, :flat] = self._up.normals
        for k, (_, n) in enumerate(planes, flat):
            normals[:, k] = n
        rows, columns = np.nonzero(heights > -np.inf)
        points = np.column_stack([places[rows], heights[rows, columns]])
        inside = self.contains(points + _OFF * normals[rows, columns])
        heights[rows[inside], columns[inside]] = -np.inf
        owners = (heights if near is None else -np.abs(heights - near)).argmax(axis=1)
        every = np.arange(len(places))
        found = heights[every, owners]
        return Ground(
            np.column_stack([places, found]),
            normals[every, owners],
            np.where(found > -np.inf, owners, -1),
            np.where(owners < flat, 0.0, ROUGH),
        )

    def face_of(self, ground: Ground, k: int, foot: Array) -> Face:
        """Return the face of the k-th of such places, of a height map a piece of its plane."""
        owner, flat = int(ground.owners[k]), len(self._up.faces)
        if owner < flat:
            return self._up.faces[owner]
        return self._maps[owner - flat].face_at(ground.points[k], ground.normals[k], foot)

    def face(self, point: ArrayLike) -> Face:
        """Return the face of the nearest solid that lies most before or least behind `point`."""
        p = vector(point, "point", error=ContactError)
        return self.solids[int(self.nearest(p))].nearest_face(p)

    def cast(self, origin: ArrayLike, direction: ArrayLike) -> tuple[Face, Array] | None:
        """Return the first face that a ray meets from outside, and the point (3,); or None.

        Args:
            origin: (3,), where the ray begins [m].
            direction: (3,), of any length.

        Raises:
            ContactError: an invalid direction.
        """
        o = vector(origin, "origin", error=ContactError)
        d = values.direction(direction, "direction", error=ContactError)
        d = d / np.linalg.norm(d)
        hits = [hit for solid in self.solids if (hit := solid.met(o, d)) is not None]
        for t, face in sorted(hits, key=lambda hit: hit[0]):
            p = o + t * d
            if not self.contains(p + _OFF * face.normal):  # bare
                return face, p
        return None

    def targets(self, contacts: ContactSet, q: ArrayLike) -> dict[str, Any]:
        """Return {contact: T_world_target} (`pin.SE3`): the places at q, brought to the terrain.

        What faces up goes straight up or down onto the nearest ground there; what does not, as a
        hand on a wall, to the nearest face. Headings are kept.

        Raises:
            ConfigurationError: a bad q.
            ContactError: an empty terrain.
        """
        self._refuse_empty()
        instance(contacts, "contacts", ContactSet, error=ContactError)
        targets = {}
        for name, T in contacts.placements(q).items():
            face, p = self.beneath(T, contacts[name].points)
            targets[name] = face.frame(p, forward_on(T, face.normal))
        return targets

    def beneath(self, T: Any, points: ArrayLike = _ORIGIN) -> tuple[Face, Array]:
        """Return the face under a contact at T_world_contact, and the point of it.

        `points` (k, 3) are its own, in its axes [m]; see `ground`.
        """
        T = placement(T, "T", "T_world_contact", error=ContactError)
        under = array(points, "points", (None, 3), error=ContactError) @ T.rotation[:2].T
        x, y, z = T.translation
        hit = self.ground(x, y, z, under) if T.rotation[2, 2] >= FACES_UP else None
        if hit is not None:
            return hit
        face = self.face(T.translation)
        return face, face.closest(T.translation)

    def among(self, name: str) -> Terrain:
        """Return the part of the terrain with this name: "stairs" or "stairs/2".

        Raises:
            ContactError: there is none; the message has the nearest names.
        """
        for part in self.parts:
            if part.name == name:
                return Terrain([part])
        solids = [solid for solid in self.solids if solid.name == name]
        if not solids:
            existing = [*self.names, *(part.name for part in self.parts)]
            raise ContactError(unknown("surface", name, existing))
        return Terrain(solids)  # type: ignore[arg-type]

    @cached_property
    def edges(self) -> Edges:
        """The convex edges of the solids, also where they are inside of others."""
        return Edges.joined([solid.edges for solid in self.solids])

    @cached_property
    def has_friction(self) -> bool:
        """Whether any solid has a coefficient of its own."""
        return bool(np.isfinite(self._frictions).any())

    @cached_property
    def _frictions(self) -> Array:
        own = (solid.friction for solid in self.solids)
        return np.array([np.nan if mu is None else mu for mu in own])

    def _nearest(self, points: Array, normals: bool = True) -> tuple[Array, Index, Array]:
        """Distances (n,) to the nearest solids, which these are (n,), and normals (n, 3) there.

        Of solids as near as each other the first; without `normals`, some of them are missing.
        """
        count = len(points)
        found, owner, n = np.full(count, np.inf), np.zeros(count, np.intp), np.empty((count, 3))
        others: Sequence[int] = range(len(self.solids))
        kernel = NEAREST.overload().unchecked(count) if self._flat.numbers.size else None
        if kernel is not None:
            kernel(np.ascontiguousarray(points), self._flat, found, owner, n)
            others = self._others
        began = time.perf_counter()
        for i in others:
            distances = self.solids[i].signed_distance(points)
            nearer = (distances < found) | ((distances == found) & (i < owner))
            found[nearer], owner[nearer] = distances[nearer], i
        for i in others if normals else ():
            if (own := owner == i).any():
                n[own] = self.solids[i].normal(points[own])
        if len(others) > len(self._others):
            NEAREST.overload().record(count, time.perf_counter() - began)
        return found, owner, n

    @cached_property
    def _flat(self) -> FlatSolids:
        """The planes and boxes, for the kernel."""
        flat = [(i, x) for i, x in enumerate(self.solids) if isinstance(x, Plane | Box)]
        placed = [x.placement if isinstance(x, Box) else x.faces[0].placement for _, x in flat]
        half = [np.array(x.size) / 2 if isinstance(x, Box) else np.full(3, np.inf) for _, x in flat]
        return FlatSolids(
            np.array([i for i, _ in flat], dtype=np.intp),
            np.array([T.homogeneous[:3] for T in placed]).reshape(-1, 3, 4),
            np.array(half).reshape(-1, 3),
        )

    @cached_property
    def _flat_part(self) -> Terrain:
        """Its solids that are no height maps."""
        return Terrain(self.solids[i] for i in self._flat.numbers)

    @cached_property
    def _others(self) -> list[int]:
        """What the kernel leaves: height maps."""
        return [i for i in range(len(self.solids)) if i not in self._flat.numbers]

    @cached_property
    def _up(self) -> FacesUp:
        """The faces of planes and boxes that look up."""
        return FacesUp(face for i in self._flat.numbers for face in self.solids[i].faces)

    @cached_property
    def _maps(self) -> list[HeightMap]:
        return [solid for solid in self.solids if isinstance(solid, HeightMap)]

    def _refuse_empty(self) -> None:
        if not self.solids:
            raise ContactError(EMPTY)

    def __iter__(self) -> Iterator[Part]:
        return iter(self.parts)

    def __len__(self) -> int:
        return len(self.parts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Terrain) and self.parts == other.parts

    def __hash__(self) -> int:
        return hash(self.parts)

    def __repr__(self) -> str:
        return f"Terrain({list(self.parts)})"


def under_foot(terrain: Terrain, face: Face, T: Any, points: ArrayLike) -> tuple[Face, Array]:
    """Return the face that a contact at T_world_contact stands on, and the point of it.

    `face` itself, and the origin, where it is flat; of a height map the plane that is fitted
    under the contact's points (k, 3), in its axes [m].

    Raises:
        ContactError: ground that is farther than `face.rough` from a plane there.
    """
    if not face.rough:
        return face, T.translation
    under = np.asarray(points) @ T.rotation[:2].T
    x, y, z = T.translation
    hit = terrain.ground(x, y, z, under)
    found, p = hit if hit is not None and hit[0].rough else (face, T.translation)
    placed = found.frame(p, T.rotation[:, 0])
    corners = np.asarray(points) @ placed.rotation.T + placed.translation
    off = float(np.abs(terrain.signed_distance(corners)).max())
    if off > found.rough:
        raise ContactError(
            f"at: the ground of {face.name!r} is up to {off:.3g} m from the foot there, "
            f"expected at most {found.rough:g} m; move it"
        )
    return found, p


def forward_on(T: Any, normal: Array) -> Array:
    """Return the x axis (3,) of T after the least turn that takes its z to the normal."""
    z = T.rotation[:, 2]
    if z @ normal < -0.999:
        return np.asarray(T.rotation[:, 0])
    return np.asarray(least_turn(z, normal) @ T.rotation[:, 0])


def _points(points: ArrayLike) -> Array:
    shapes = (points.shape,) if isinstance(points, np.ndarray) else ()  # checked sooner
    p = array(points, "points", *shapes, error=ContactError)
    if p.shape[-1:] != (3,):
        raise ContactError(f"points: got shape {p.shape}, expected finite numbers (..., 3)")
    return p


LEVEL_GROUND = Terrain([Plane("ground")])  # z = 0
