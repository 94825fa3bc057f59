"""Convex collision shapes: hulls in place of meshes, distances, points of surfaces."""

from __future__ import annotations

from typing import Any

import coal  # type: ignore[import-untyped]
import numpy as np

from ...arrays import Array
from .directions import spread_directions

_ROUNDING = 1e-6  # between what coal calls a collision and its distances [m]


def convex_shapes(shapes: Any) -> Any:
    """Return a copy whose meshes are their convex hulls: GJK is fast on them, and has a depth."""
    copy = shapes.copy()
    for shape in copy.geometryObjects:
        if isinstance(shape.geometry, coal.BVHModelBase):
            shape.geometry = _hull(np.array(shape.geometry.vertices(), dtype=float))
    return copy


def _hull(vertices: Array) -> Any:
    """The convex hull of vertices (n, 3); where coal refuses (a corner with more neighbours than it
    can count, the tip of a fine cone), of the farthest ones in 240 directions."""
    try:
        return _coal_hull(vertices)
    except RuntimeError:
        farthest = (vertices @ spread_directions(240).T).argmax(axis=0)
        return _coal_hull(vertices[np.unique(farthest)])


def _coal_hull(vertices: Array) -> Any:
    points = coal.StdVec_Vec3s()
    points.extend(list(vertices))
    return coal.Convex.convexHull(points, True, "Qt")


def bounding_balls(shapes: Any) -> tuple[Array, Array, Array]:
    """Return radius (n,) and middle (n, 3), in its own axes, of a ball around each shape, and half
    the sizes (n, 3) of a box about the same middle [m]."""
    radii, middles, sizes = [], [], []
    for shape in shapes.geometryObjects:
        shape.geometry.computeLocalAABB()
        radii.append(shape.geometry.aabb_radius)
        middles.append(np.array(shape.geometry.aabb_center, dtype=float))
        box = shape.geometry.aabb_local
        sizes.append((np.array(box.max_) - np.array(box.min_)) / 2)
    return np.array(radii), np.array(middles).reshape(-1, 3), np.array(sizes).reshape(-1, 3)


def distance_of(first: Any, there: Any, second: Any, here: Any) -> tuple[float, Any]:
    """Return the distance of two shapes [m], negative where they overlap, and coal's result."""
    result = coal.DistanceResult()
    return float(coal.distance(first, there, second, here, coal.DistanceRequest(), result)), result


def collide(first: Any, there: Any, second: Any, here: Any, within: float) -> bool:
    """Whether two shapes are nearer than that, give or take what rounding leaves of it [m]."""
    request, result = coal.CollisionRequest(), coal.CollisionResult()
    request.security_margin = within + _ROUNDING
    coal.collide(first, there, second, here, request, result)
    return bool(result.isCollision())


def nearest_points(result: Any) -> Array:
    """Return the nearest points (2, 3) of what `distance_of` found."""
    return np.array([result.getNearestPoint1(), result.getNearestPoint2()], dtype=float)


def surface_points(shape: Any) -> tuple[Array, float]:
    """Return points (n, 3) of a convex shape in its axes, and the radius of balls around them that
    fill it to its surface [m]."""
    turn = np.linspace(0.0, 2 * np.pi, 24, endpoint=False)
    ring = np.column_stack([np.cos(turn), np.sin(turn), np.zeros(24)])
    up = np.array([0.0, 0.0, 1.0])
    if isinstance(shape, coal.Sphere):
        return np.zeros((1, 3)), float(shape.radius)
    if isinstance(shape, coal.Capsule):
        return np.linspace(-1, 1, 9)[:, None] * shape.halfLength * up, float(shape.radius)
    if isinstance(shape, coal.Cylinder):
        along = np.linspace(-1, 1, 9)[:, None, None] * shape.halfLength * up
        return (shape.radius * ring + along).reshape(-1, 3), 0.0
    if isinstance(shape, coal.Cone):
        return np.vstack([shape.radius * ring - shape.halfLength * up, shape.halfLength * up]), 0.0
    if isinstance(shape, coal.Ellipsoid):
        return np.array(shape.radii) * spread_directions(120), 0.0
    if isinstance(shape, coal.ConvexBase):
        return np.array(shape.points(), dtype=float), 0.0
    shape.computeLocalAABB()  # a box
    box = shape.aabb_local
    return np.stack(np.meshgrid(*zip(box.min_, box.max_, strict=True)), -1).reshape(-1, 3), 0.0
