"""Convex sets of the plane, given by their support functions.

T. Bretl and S. Lall, "Testing static equilibrium for legged robots" (IEEE TRO 2008): every answer
adds a point to an inner polygon and a side to an outer one, until the two close.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ...errors import warn
from ..kernels.outline import DISC
from .polygon import convex_hull, cross

# direction (2,) -> farthest point (2,), None if empty
PlanarSet = Callable[[Array], "Array | None"]
Shoot = Callable[[Array], tuple[Array, Array, NDArray[np.bool_]]]

_FIRST_DIRECTIONS = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
_MOST_QUERIES = 500
_MOST_SIDES = 4000  # most points and rays of a search: round sets have no last side
_ANGLES = np.arange(8) * np.pi / 4
_FIRST_RAYS = np.column_stack([np.cos(_ANGLES), np.sin(_ANGLES)])
_ROUNDS = 40  # of more rays
FARTHEST = 1e3  # pushes beyond this many weights count as unlimited


def inner_and_outer(farthest: PlanarSet, tolerance: float) -> tuple[Array, Array]:
    """Return polygons (k, 2) inside and (m, 2) around a convex set, corners counter-clockwise.

    No corner of the outer one is farther than `tolerance` from the inner one. Both are empty when
    the set is; a set without area gives a segment or a point inside.
    """
    directions, points = [], []
    for d in _FIRST_DIRECTIONS:
        point = farthest(d)
        if point is None:
            return np.zeros((0, 2)), np.zeros((0, 2))
        directions.append(d)
        points.append(point)
    while len(points) < _MOST_QUERIES:
        d = _widest_gap(np.array(directions), np.array(points), tolerance)
        point = None if d is None else farthest(d)
        if d is None or point is None:
            break
        directions.append(d)
        points.append(point)
    corners, reached = _corners(np.array(directions), np.array(points))
    return convex_hull(reached, 1e-3 * tolerance), convex_hull(corners)


def _corners(normals: Array, points: Array) -> tuple[Array, Array]:
    """Where the lines of neighbouring answers meet, and these points, counter-clockwise."""
    order = np.argsort(np.arctan2(normals[:, 1], normals[:, 0]))
    n, p = normals[order], points[order]
    return meeting_points(n, p, np.roll(n, -1, axis=0), np.roll(p, -1, axis=0)), p


def _widest_gap(normals: Array, points: Array, tolerance: float) -> Array | None:
    """Direction across the gap between neighbouring answers in which the set may reach farthest."""
    corners, p = _corners(normals, points)
    along = np.roll(p, -1, axis=0) - p
    length = np.linalg.norm(along, axis=1)
    across = np.column_stack([along[:, 1], -along[:, 0]]) / np.where(length > 0, length, 1)[:, None]
    gap = np.where(length > tolerance, np.einsum("ij,ij->i", across, corners - p), 0.0)
    widest = int(gap.argmax())
    return across[widest] if gap[widest] > tolerance else None


def meeting_points(n0: Array, p0: Array, n1: Array, p1: Array) -> Array:
    """Where the lines n0·x = n0·p0 and n1·x = n1·p1 meet, row by row; p0 if parallel."""
    det = cross(n0, n1)
    c0, c1 = np.einsum("ij,ij->i", n0, p0), np.einsum("ij,ij->i", n1, p1)
    x = np.column_stack([c0 * n1[:, 1] - c1 * n0[:, 1], c1 * n0[:, 0] - c0 * n1[:, 0]])
    parallel = np.abs(det) < 1e-12
    return np.where(parallel[:, None], p0, x / np.where(parallel, 1.0, det)[:, None])


def largest_disc(shoot: Shoot, tolerance: float, enough: float = np.inf) -> tuple[float, Array]:
    """Return the radius of the largest disc about the origin inside a convex set, to `tolerance`.

    And the normal (2,) of the set's boundary where the disc touches it.

    A ray's end is a point of the boundary, with a line through it that the set does not cross: the
    polygon of the points is inside, the nearest line bounds the disc from outside. Rays go along
    that line's normal, and to where the lines at both ends of a side that is nearer meet, until
    all sides are as far; on polygons that is exact.

    Args:
        shoot: directions (n, 2) -> ends of rays from the origin (n, 2), normals of the lines
            (n, 2), and which of them are proved (n,).
        tolerance: of the radius. A warning says where it is not reached.
        enough: a radius from which on it is not asked for.
    """
    rays, points, normals, radius = _FIRST_RAYS, np.zeros((0, 2)), np.zeros((0, 2)), 0.0
    for _ in range(_ROUNDS):
        ends, lines, proved = shoot(rays)
        if not proved.all():
            break
        outline = points, normals, ends, lines, tolerance
        radius, normal, points, normals, rays = DISC.overload().run(*outline)
        if not len(rays) or radius >= enough:
            return max(radius, 0.0), normal
        if len(points) + len(rays) > _MOST_SIDES:
            break
    warn(f"after {len(points)} rays the radius {radius:.9g} is not known to {tolerance:.3g}")
    return max(radius, 0.0), normals[0] if len(normals) else np.array([1.0, 0.0])
