"""Convex polygons in the plane: hull, centroid, area, distances. Corners counter-clockwise."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...arrays import Array
from ..kernels.hull import hull_of_sorted

SQUARE = np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]])  # |x|, |y| ≤ 1


def cross(a: Array, b: Array) -> Array:
    """Return a × b of plane vectors, the z part."""
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])


def convex_hull(points: ArrayLike, tolerance: float = 0.0) -> Array:
    """Return the corners (k, 2) of the hull, counter-clockwise.

    Corners within `tolerance` of the segment between their neighbours are left out. A segment gives
    two corners, coinciding points one, no points none.
    """
    p = np.asarray(points, dtype=float).reshape(-1, 2)
    ordered = p[np.lexsort((p[:, 1], p[:, 0]))].tolist()  # pairs of floats are fastest
    corners = [*ordered, *ordered]
    return np.array(corners[: hull_of_sorted(ordered, corners, tolerance)]).reshape(-1, 2)


def centroid(points: ArrayLike) -> Array:
    """Return the centroid (2,) of the area of the points' convex hull.

    For corners p_i: Σ (p_i + p_{i+1}) (p_i × p_{i+1}) / (3 Σ p_i × p_{i+1}). Of a segment the
    middle.
    """
    corners = convex_hull(points)
    origin = corners.mean(axis=0)  # near the area: keeps the cross products small
    if len(corners) < 3:
        return np.asarray(origin)
    p, after = corners - origin, np.roll(corners, -1, axis=0) - origin
    weights = cross(p, after)
    return np.asarray(origin + (p + after).T @ weights / (3 * weights.sum()))


def centroid_weights(corners: Array) -> Array:
    """Return weights w (k,) > 0 of a convex polygon's corners: Σ w = 1, Σ w_i p_i its centroid.

    A fan of triangles from one corner gives each corner a third of the areas of its triangles; this
    is the mean over the fans from all corners. Of a rectangle all are alike.
    """
    k, weights = len(corners), np.zeros(len(corners))
    if k < 3:
        return np.full(k, 1.0 / k)
    for i in range(k):
        order = np.roll(np.arange(k), -i)
        arms = corners[order[1:]] - corners[i]
        areas = cross(arms[:-1], arms[1:]) / 2
        weights[i] += areas.sum()
        np.add.at(weights, order[1:-1], areas)
        np.add.at(weights, order[2:], areas)
    return np.asarray(weights / weights.sum())


class Fans(NamedTuple):
    """The fans of triangles from each corner of a convex polygon.

    Attributes:
        triangles: (k, k − 2, 3), their corners.
        inverses: (k, k − 2, 3, 3): (x, y, 1) times one are barycentric coordinates.
    """

    triangles: NDArray[np.intp]
    inverses: Array

    @classmethod
    def of(cls, corners: Array) -> Fans:
        """Return those of corners (k, 2), k ≥ 3."""
        k = len(corners)
        later = np.arange(1, k - 1)
        order = np.stack([np.zeros_like(later), later, later + 1], axis=1)
        triangles = (np.arange(k)[:, None, None] + order) % k
        vertices = np.concatenate([corners[triangles], np.ones((k, k - 2, 3, 1))], axis=3)
        return cls(triangles, np.linalg.inv(vertices))


def barycentric(fans: Fans, points: Array) -> Array:
    """Return w (n, k) ≥ 0 of points x (n, 2) in a convex polygon: Σ_i w_i = 1, Σ_i w_i p_i = x.

    A fan of triangles from one corner has each point in a triangle, whose barycentric coordinates
    are weights of the three corners; these are the means over the fans from all corners.
    """
    k, n = len(fans.triangles), len(points)
    shares = np.column_stack([points, np.ones(n)]) @ fans.inverses  # (k, k − 2, n, 3)
    best = shares.min(axis=3).argmax(axis=1)  # (k, n)
    fan, point = np.arange(k)[:, None], np.arange(n)
    chosen = np.maximum(shares[fan, best, point], 0.0)
    chosen /= k * chosen.sum(axis=2, keepdims=True)
    found = np.zeros((n, k))
    np.add.at(found, (point[:, None], fans.triangles[fan, best]), chosen)
    return found


def area(points: ArrayLike) -> float:
    """Return the area of the points' convex hull, ½ Σ p_i × p_{i+1}."""
    corners = convex_hull(points)
    return 0.5 * float(cross(corners, np.roll(corners, -1, axis=0)).sum())


def sides(corners: Array) -> tuple[Array, Array]:
    """Return outward unit normals (k, 2) and offsets (k,): inside is normals @ x ≤ offsets.

    The i-th side runs from corner i to the next. A segment has two sides, one each way.
    """
    along = np.roll(corners, -1, axis=0) - corners
    normals = np.column_stack([along[:, 1], -along[:, 0]])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return normals, np.einsum("ij,ij->i", normals, corners)


def intersection(a: ArrayLike, b: ArrayLike) -> Array:
    """Return the corners (k, 2) of what two convex polygons share: a, cut along the sides of b.

    Segments and points are polygons too; what shares nothing gives no corners.
    """
    a, b = convex_hull(a), convex_hull(b)
    if len(a) == 0 or len(b) == 0:
        return np.zeros((0, 2))
    for n, offset in zip(*_enclosing(b), strict=True):
        a = cut(a, n, offset)
        if len(a) == 0:
            return np.zeros((0, 2))
    return convex_hull(a, 1e-12 * (1 + float(np.abs(a).max())))


def _enclosing(corners: Array) -> tuple[Array, Array]:
    """Half-planes normals @ x ≤ offsets whose intersection is the polygon, segment or point."""
    if len(corners) >= 3:
        return sides(corners)
    along = corners[-1] - corners[0]
    along = along / np.linalg.norm(along) if along.any() else np.array([1.0, 0.0])
    across = np.array([along[1], -along[0]])
    normals = np.array([along, -along, across, -across])
    return normals, (corners @ normals.T).max(axis=0)


def cut(corners: Array, normal: Array, offset: float) -> Array:
    """Return the part of a polygon with normal·x ≤ offset (I. Sutherland, G. Hodgman, 1974)."""
    heights = corners @ normal - offset
    slack = 1e-12 * (1 + abs(offset))
    if (heights <= slack).all():
        return corners
    kept: list[Array] = []
    for i, j in zip(range(len(corners)), np.roll(range(len(corners)), -1), strict=True):
        if heights[i] <= slack:
            kept.append(corners[i])
        if (heights[i] > slack) != (heights[j] > slack):
            share = heights[i] / (heights[i] - heights[j])
            kept.append(corners[i] + share * (corners[j] - corners[i]))
    return np.array(kept).reshape(-1, 2)


def signed_distance(corners: ArrayLike, point: ArrayLike) -> float:
    """Return the distance of a point to the boundary: negative inside, positive outside.

    Of a segment, or a point, which have no inside, the distance to it.
    """
    corners, x = np.asarray(corners, dtype=float), np.asarray(point, dtype=float)
    if len(corners) == 0:
        return float("inf")
    if len(corners) >= 3:
        normals, offsets = sides(corners)
        if (depth := float((normals @ x - offsets).max())) <= 0:
            return depth
    ends = np.roll(corners, -1, axis=0)
    return float(distances_to_segments(x, corners, ends).min())


def distances_to_segments(x: Array, a: Array, b: Array) -> Array:
    """Distances of points x (k or 1, 2) to segments from a (k, 2) to b (k, 2), row by row."""
    return np.asarray(np.linalg.norm(x - nearest_on_segments(x, a, b), axis=1))


def nearest_on_segments(x: Array, a: Array, b: Array) -> Array:
    """The points (k, 2) of these segments that are nearest to x."""
    along = b - a
    length = (along * along).sum(axis=1)
    share = ((x - a) * along).sum(axis=1) / np.where(length > 0, length, 1.0)
    return np.asarray(a + np.clip(share, 0.0, 1.0)[:, None] * along)
