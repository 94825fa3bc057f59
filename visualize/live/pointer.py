"""Pointer geometry: intersections of the ray through the pointer, and their displacements.

A ray is the points o + t d, t ≥ 0, with a unit d. Lines and planes are through points that are
held; nothing is met (None) where a ray runs beside a plane or away from it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...arrays import Array
from .actions import Pointer

_GRAZING = 1e-3  # sine of the angle below which a ray runs beside a plane or along a line


def foot(pointer: Pointer, point: Array) -> Array:
    """Return the point (3,) of the ray's line that is nearest to `point`: o + ((p − o)·d) d."""
    along = float((point - pointer.origin) @ pointer.direction)
    return np.asarray(pointer.origin + along * pointer.direction)


def through(pointer: Pointer, held: Pointer, point: Array) -> Pointer:
    """Return the ray, moved aside by what `held` missed `point` by: what is held keeps its place
    under the pointer."""
    return replace(pointer, origin=pointer.origin + point - foot(held, point))


def on_plane(pointer: Pointer, point: Array, normal: Array) -> Array | None:
    """Return where the ray meets the plane through `point` with the unit `normal` (3,)."""
    slope = float(normal @ pointer.direction)
    if abs(slope) < _GRAZING:
        return None
    t = float(normal @ (point - pointer.origin)) / slope
    return None if t <= 0 else np.asarray(pointer.origin + t * pointer.direction)


def moved_on_plane(pointer: Pointer, held: Pointer, point: Array, normal: Array) -> Array | None:
    """Return by how much (3,) the ray's place on the plane through `point` has moved since `held`.

    It lies in the plane.
    """
    now, then = on_plane(pointer, point, normal), on_plane(held, point, normal)
    return None if now is None or then is None else now - then


def moved_level(pointer: Pointer, held: Pointer, point: Array) -> Array | None:
    """Return the same in the level plane; of a level view that of the plane that faces it."""
    up = np.array([0.0, 0.0, 1.0])
    if abs(held.forward[2]) > 0.17:  # seen from above, or from below
        return moved_on_plane(pointer, held, point, up)
    moved = moved_on_plane(pointer, held, point, held.forward)
    return None if moved is None else moved * [1.0, 1.0, 0.0]


def moved_upright(pointer: Pointer, held: Pointer, point: Array) -> Array | None:
    """Return by how much (3,) the place on the vertical through `point` has moved, that nearest to
    the ray."""
    now, then = _height(pointer, point), _height(held, point)
    return None if now is None or then is None else np.array([0.0, 0.0, now - then])


def _height(pointer: Pointer, point: Array) -> float | None:
    """s of the point p + s e nearest to the ray: s (1 − (e·d)²) = (p − o)·((e·d) d − e)."""
    up = np.array([0.0, 0.0, 1.0])
    cosine = float(pointer.direction[2])
    if 1 - cosine**2 < _GRAZING:
        return None
    across = cosine * pointer.direction - up
    return float((point - pointer.origin) @ across) / (1 - cosine**2)


def turned(
    pointer: Pointer, before: Pointer, centre: Array, normal: Array, dead: float = 0.005
) -> float:
    """Return the angle about `normal` by which the pointer went round `centre` since `before`.

    In the plane through the centre, from −π to π [rad]; 0 within the radius `dead` of it [m].
    """
    ends = [on_plane(ray, centre, normal) for ray in (before, pointer)]
    arms = [np.zeros(3) if end is None else end - centre for end in ends]
    if min(float(np.linalg.norm(arm)) for arm in arms) < dead:
        return 0.0
    return float(np.arctan2(normal @ np.cross(arms[0], arms[1]), arms[0] @ arms[1]))
