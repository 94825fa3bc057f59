"""The geometry of the drawings, in NumPy alone: placements, tubes, fans, cones."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ...dynamics.spatial import cross

Mesh = tuple[Array, NDArray[np.int64]]  # vertices (n, 3) [m], triangles (m, 3)


def rotation_to(direction: Array, axis: int = 1) -> Array:
    """Return a rotation (3, 3), determinant 1, that takes the `axis`-th unit vector to `direction`.

    `direction` (3,) need not be unit, but not zero.
    """
    target = direction / np.linalg.norm(direction)
    start = np.eye(3)[axis]
    if start @ target < 0:  # the formula below divides by 1 + cosine: turn the short way, then back
        R = rotation_to(-target, axis)
        u = R[:, (axis + 1) % 3]
        return np.asarray((2 * np.outer(u, u) - np.eye(3)) @ R)
    both = start + target  # half a turn about start, then one about what is midway to the target
    return np.asarray(
        np.eye(3) - np.outer(both, both) / (1 + start @ target) + 2 * np.outer(target, start)
    )


def rotation_along(direction: Array, tangent: Array) -> Array:
    """Return a rotation (3, 3) with z along `direction` and x as near to `tangent` as it can be.

    Any rotation with that z where `tangent` is parallel to it.
    """
    z = direction / np.linalg.norm(direction)
    x = tangent - (tangent @ z) * z
    length = float(np.linalg.norm(x))
    if length <= 1e-9:
        return rotation_to(direction, axis=2)
    return np.column_stack([x / length, cross(z, x / length), z])


def placement(position: Array, rotation: Array | None = None, scale: Array | None = None) -> Array:
    """Return the matrix (4, 4) that scales along the object's axes, rotates, then moves."""
    matrix = np.eye(4)
    matrix[:3, :3] = np.eye(3) if rotation is None else rotation
    if scale is not None:
        matrix[:3, :3] *= scale
    matrix[:3, 3] = position
    return matrix


def placed(matrix: Array, points: Array) -> Array:
    """Return points (k, 3) of the axes that a matrix (4, 4) places, in those around them."""
    return np.asarray(points @ matrix[:3, :3].T + matrix[:3, 3])


def box_corners(low: Array, high: Array) -> Array:
    """Return the corners (8, 3) of the box from low (3,) to high (3,)."""
    return np.array(list(product(*zip(low, high, strict=True))))


def along(start: Array, end: Array, radius: float, rotation: Array | None = None) -> Array:
    """Return the matrix (4, 4) that makes a cylinder of height 1 and radius 1 join two points.

    `rotation` (3, 3), that of its y-axis to the line, if it is known.
    """
    span = end - start
    scale = np.array([radius, np.linalg.norm(span), radius])
    return placement((start + end) / 2, rotation_to(span) if rotation is None else rotation, scale)


def arrow_parts(point: Array, vector: Array, radius: float) -> tuple[Array, Array] | None:
    """Return the matrices of an arrow's shaft and head, None for a vector too short to be drawn.

    Both are made of a cylinder or cone of height 1 and radius 1 about y. The head ends at
    point + vector; it is three times as wide as the shaft, and at most half of the arrow's length.
    """
    length = float(np.linalg.norm(vector))
    if length < 1e-3 * radius:
        return None
    direction = vector / length
    head = min(7.0 * radius, length / 2)
    neck = point + (length - head) * direction
    width = 3.0 * radius * head / (7.0 * radius)
    R = rotation_to(direction)
    return along(point, neck, min(radius, width / 2), R), along(neck, point + vector, width, R)


def cone(half_angle: float, height: float, sides: int = 48) -> Mesh:
    """Return the side of a cone: apex at the origin, opening along +z; the rim is vertices[1:]."""
    angles = 2 * np.pi * np.arange(sides) / sides
    radius = height * np.tan(half_angle)
    rim = np.column_stack(
        (radius * np.cos(angles), radius * np.sin(angles), np.full(sides, height))
    )
    return pyramid(np.zeros(3), rim)


def pyramid(apex: Array, corners: Array) -> Mesh:
    """Return the sides of a pyramid: from an apex (3,) to the outline of a polygon (k, 3)."""
    k, count = np.arange(len(corners)), len(corners)
    triangles = np.column_stack((np.zeros(count, int), 1 + k, 1 + (k + 1) % count))
    return np.vstack((apex, corners)), triangles


def fan(points: Array) -> Mesh:
    """Return the triangles from the middle of a convex polygon, points (k, 3), to its sides."""
    return pyramid(points.mean(axis=0), points)


def tube(
    points: Array, radius: float, *, closed: bool = False, sides: int = 10, corners: bool = True
) -> Mesh:
    """Return a round line through points (k, 3): a cylinder a segment, a ball a corner.

    Lines of three.js are one pixel wide and may vanish close to the camera; this one has a width.
    Repeated points are skipped; a single point gives a ball. Without `corners` there are no balls,
    for lines that turn so little that no gap is seen.
    """
    points = without_repeats(points, closed=closed)
    starts, ends = points[:-1], points[1:]
    if closed and len(points) > 2:
        starts, ends = points, np.roll(points, -1, axis=0)
    pipes = _pipes(starts, ends, radius, sides)
    if not corners:
        return pipes
    ball, faces = _ball(sides)
    balls = points[:, None] + radius * ball
    joints = faces + len(ball) * np.arange(len(points))[:, None, None]
    return merge([pipes, (_rows(balls), joints.reshape(-1, 3))])


def without_repeats(points: Array, *, closed: bool = False) -> Array:
    """Return points (k, 3) without those at no distance from the one before (closed: the first)."""
    keep = np.ones(len(points), dtype=bool)
    keep[1:] = np.linalg.norm(points[1:] - points[:-1], axis=1) > 0  # 0 where squares underflow
    points = points[keep]
    again = closed and len(points) > 1 and not np.linalg.norm(points[0] - points[-1]) > 0
    return points[:-1] if again else points


def merge(meshes: list[Mesh]) -> Mesh:
    """Return several meshes as one."""
    offsets = np.cumsum([0] + [len(vertices) for vertices, _ in meshes])
    return (
        np.vstack([vertices for vertices, _ in meshes]),
        np.vstack([t + offset for (_, t), offset in zip(meshes, offsets, strict=False)]),
    )


def _pipes(starts: Array, ends: Array, radius: float, sides: int) -> Mesh:
    """Return open cylinders from starts (m, 3) to ends (m, 3)."""
    axes = (ends - starts) / np.linalg.norm(ends - starts, axis=1, keepdims=True)
    helpers = np.eye(3)[np.argmin(np.abs(axes), axis=1)]
    u = np.cross(axes, helpers)
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    angles = 2 * np.pi * np.arange(sides) / sides
    rings = radius * (
        np.cos(angles)[:, None] * u[:, None] + np.sin(angles)[:, None] * np.cross(axes, u)[:, None]
    )
    vertices = np.concatenate((starts[:, None] + rings, ends[:, None] + rings), axis=1)
    k, n = np.arange(sides), (np.arange(sides) + 1) % sides
    one = np.vstack(
        (np.column_stack((k, n, sides + k)), np.column_stack((n, sides + n, sides + k)))
    )
    triangles = one + 2 * sides * np.arange(len(starts))[:, None, None]
    return _rows(vertices), triangles.reshape(-1, 3)


@cache
def _ball(sides: int) -> Mesh:
    """Return a ball of radius 1 around the origin."""
    rings, k = sides // 2, np.arange(sides)
    polar, angles = np.pi * np.arange(1, rings) / rings, 2 * np.pi * k / sides
    grid = np.stack(
        [
            np.outer(np.sin(polar), np.cos(angles)),
            np.outer(np.sin(polar), np.sin(angles)),
            np.outer(np.cos(polar), np.ones(sides)),
        ],
        axis=-1,
    )
    vertices = np.vstack(([[0, 0, 1]], _rows(grid), [[0, 0, -1]]))
    n, last = (k + 1) % sides, len(vertices) - 1
    triangles = [np.column_stack((np.zeros(sides, int), 1 + k, 1 + n))]
    for row in range(rings - 2):
        a, b = 1 + row * sides, 1 + (row + 1) * sides
        triangles.append(np.column_stack((a + k, b + k, a + n)))
        triangles.append(np.column_stack((a + n, b + k, b + n)))
    bottom = 1 + (rings - 2) * sides
    triangles.append(np.column_stack((bottom + n, bottom + k, np.full(sides, last))))
    return vertices, np.vstack(triangles)


def _rows(array: Array) -> Array:
    return array.reshape(-1, 3)


def turn(thickness: float = 0.05, gap: float = np.pi / 2) -> Mesh:
    """Return three quarters of a circle of radius 1 about z, ending in a head: a turn about +z."""
    angles = np.linspace(0.0, 2 * np.pi - gap, 40)
    arc = tube(np.column_stack([np.cos(angles), np.sin(angles), 0 * angles]), thickness)
    vertices, triangles = cone(np.arctan(0.4), 8 * thickness)  # opens along +z from its apex
    end = angles[-1]
    along_arc = np.array([-np.sin(end), np.cos(end), 0.0])
    apex = np.array([np.cos(end), np.sin(end), 0.0]) + 7 * thickness * along_arc
    head = vertices @ rotation_to(-along_arc, axis=2).T + apex
    return merge([arc, (head, triangles)])
