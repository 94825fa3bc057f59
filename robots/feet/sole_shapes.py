"""Soles and balls of bodies: where their shapes touch level ground."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pinocchio as pin
import scipy

from ...arrays import Array
from ..ranges import ranges
from .foot import Foot, point_foot, sole_foot
from .outlines import Outline

FLAT = 1e-3  # [m], height above the lowest plane within which points belong to the sole
_ROUGH = 3e-3  # [m], that height where the sole is less than half as large without it
_SMALLEST_SOLE = 4e-4  # [m²], a smaller sole is a point foot
_CORNERS = 8  # most vertices of a sole
_CONE = 0.5  # cosine of the angle between the sole's normal and where down should be
_ALIGNED = 0.9996  # cosine of 1.6°: soles are level with their frames, meshes are not exact
_FACETS = 12  # that are tried as soles, the largest


def lowest_balls(shapes: list[Outline], down: Array, *, rough: bool = False) -> tuple[Array, float]:
    """Return the points (k, 3) where shapes of one joint end along `down`, and the ball there.

    Points of the surface in the joint's axes, within 1 mm of the furthest, 3 mm if `rough` and the
    sole would be less than half as large without [m]; the radius is that of the shape that reaches
    furthest, a lying cylinder's too, 0 for corners [m].
    """
    reach = max(float(s.extents(down).max()) for s in shapes)
    furthest = max(shapes, key=lambda s: float(s.extents(down).max()))
    flat, uneven = (
        np.vstack([_surface(s, down, least) for s in shapes if s.extents(down).max() > least])
        for least in (reach - FLAT, reach - _ROUGH)
    )
    if rough and _area(flat, down) < 0.5 * _area(uneven, down):
        flat = uneven
    return flat, _radius(furthest, down)


def _surface(shape: Outline, down: Array, least: float) -> Array:
    """Points (k, 3) of the surface further along `down` than `least`."""
    radius = _radius(shape, down)
    if radius > shape.radius:  # a cylinder on its side touches along a line
        along = shape.points @ shape.axis
        middle = shape.points.mean(axis=0)
        half = 0.5 * float(np.ptp(along)) * shape.axis
        return np.array([middle - half, middle + half]) + radius * down
    return np.asarray(shape.points[shape.extents(down) > least] + radius * down)


def _radius(shape: Outline, down: Array) -> float:
    """The radius of the ball, or of the cylinder on its side, with which a shape touches [m]."""
    if shape.axis.any() and abs(shape.axis @ down) < 1e-2:
        return _around(shape.points - shape.points.mean(axis=0), shape.axis)
    return shape.radius


def _around(points: Array, axis: Array) -> float:
    """The largest distance of points (k, 3) from an axis through the origin [m]."""
    return float(np.linalg.norm(points - np.outer(points @ axis, axis), axis=1).max())


def _tip(shapes: list[Outline], down: Array, forward: Array) -> tuple[Array, float] | None:
    """Return centre (3,) and radius [m] of the ball, or of the disc, in which a mesh ends.

    The support function of a ball is h(d) = c·d + r, linear in c and r: solved for over directions
    up to 35° from `down`, to all sides or, for a disc, in the plane of `forward`.
    """
    lateral = np.cross(forward, down)
    angles = np.radians([-35, -23, -12, 0, 12, 23, 35])
    for sides in (np.radians([-20, 0, 20]), np.zeros(1)):
        d = np.array(
            [
                (np.cos(a) * down + np.sin(a) * forward) * np.cos(b) + np.sin(b) * lateral
                for a in angles
                for b in sides
            ]
        )
        h = np.array([max(float(s.extents(n).max()) for s in shapes) for n in d])
        A = np.column_stack([d, np.ones(len(d))])
        (*c, r), *_ = np.linalg.lstsq(A, h, rcond=None)
        if 3e-3 < r < 0.2 and np.abs(A @ [*c, r] - h).max() < 5e-4 + 0.01 * r:
            centre = np.array(c)
            if len(sides) == 1:
                lowest, _ = lowest_balls(shapes, down)
                centre += lateral * float((lowest.mean(axis=0) - centre) @ lateral)
            return centre, float(r)
    return None


def wheel(model: Any, data: Any, shapes: list[Outline]) -> tuple[Array, float] | None:
    """Return centre (3,) and radius [m] of a wheel, in the axes of its joint.

    None for a body that is not round about a horizontal joint axis without limits.
    """
    joint = shapes[0].joint
    if model.nvs[joint] != 1 or joint == 1:
        return None
    low, high = ranges(model)
    axis, at = joint_axis(model, joint), model.idx_qs[joint]
    if high[at] - low[at] < 2 * np.pi or not axis.any():
        return None
    if abs((data.oMi[joint].rotation @ axis)[2]) > 0.1:
        return None
    spokes = _plane(axis)
    turn = np.arange(16) * np.pi / 8
    rays = np.cos(turn)[:, None] * spokes[:, 0] + np.sin(turn)[:, None] * spokes[:, 1]
    radii = np.array([max(float(s.extents(ray).max()) for s in shapes) for ray in rays])
    if np.ptp(radii) > 0.04 * radii.max():
        return None
    radii = np.array([_around(s.points, axis) + s.radius for s in shapes])
    tyre = np.concatenate(
        [s.points for s, r in zip(shapes, radii, strict=True) if r > 0.98 * radii.max()]
    )
    widths, radius = tyre @ axis, float(radii.max())
    return axis * (widths.max() + widths.min()) / 2, radius


def joint_axis(model: Any, joint: int) -> Array:
    """Return the axis (3,) of a revolute joint in its own axes, zero for another joint."""
    S = np.asarray(model.joints[joint].createData().S)
    return np.asarray(S.reshape(-1)[3:6]) if S.size == 6 else np.zeros(3)


def sole_normal(
    shapes: list[Outline], downs: Iterable[Array], inside: Array
) -> tuple[Array | None, float]:
    """Return the outward normal (3,) of the flat face on which a foot can stand, and its area [m²].

    Of the planes that support the foot within 60° of one of `downs`, the one with the largest sole,
    weighted by the cosine to the nearest of them; None and 0 when no sole is large enough.

    Args:
        shapes: of one joint; normals are in its axes.
        downs: unit vectors, where the sole could face.
        inside: (3,), the joint before the foot (the sole lies on its other side) [m].
    """
    downs = np.array(list(downs))
    round_ = any(s.radius > 0 or s.axis.any() for s in shapes)
    best, normal = 0.0, None
    for n in _facets(shapes, downs, inside):
        cosine = float((downs @ n).max())
        if cosine < _CONE:
            continue
        for _ in range(2 if round_ else 0):  # balls of several sizes tilt their middles' plane
            n = _levelled(lowest_balls(shapes, n, rough=True)[0], n)
        points, radius = lowest_balls(shapes, n, rough=True)
        area = _area(points, n, radius) * cosine**2
        if area > best * 1.05:
            best, normal = area, n
    if normal is None or best < _SMALLEST_SOLE / 2:
        return None, 0.0
    nearest = downs[(downs @ normal).argmax()]
    return (nearest if nearest @ normal > _ALIGNED else normal), best


def _facets(shapes: list[Outline], downs: Array, inside: Array) -> list[Array]:
    points = np.vstack([*(s.points for s in shapes), inside[None]])
    try:
        hull = scipy.spatial.ConvexHull(points)
    except (scipy.spatial.QhullError, ValueError):  # on a line, or in a plane with the joint
        return _edges(points, downs)
    corners = points[hull.simplices]
    areas = np.linalg.norm(
        np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1
    )
    found: list[Array] = []
    chosen: list[Array] = []
    for k in np.argsort(-areas)[:400]:
        n = hull.equations[k, :3]
        if not found or (np.array(found) @ n).max() < 0.9994:  # 2 degrees
            found.append(n)
            chosen.append(hull.simplices[k])
    alike = hull.equations[:, :3] @ np.array(found).T > 0.9994
    largest = np.argsort(-(areas @ alike), kind="stable")[:_FACETS]
    radii = np.array([*(s.radius for s in shapes for _ in s.points), 0.0])
    return [_tangent(points, radii, chosen[i], found[i]) for i in largest]


def _tangent(points: Array, radii: Array, facet: Array, n: Array) -> Array:
    """Return the normal of the plane on three balls, near n: it is that of c_i + r_i n."""
    for _ in range(10):
        a, b, c = points[facet] + radii[facet, None] * n
        normal = np.cross(b - a, c - a)
        size = float(np.linalg.norm(normal))
        if size < 1e-12:
            return n
        n = normal / size * np.sign(normal @ n)
    return n


def _edges(points: Array, downs: Array) -> list[Array]:
    """Normals along which capsules lie: across the edges of points (k, 3) in a plane, within it.

    Of points on a line, with the joint, there is one towards each of `downs` (m, 3).
    """
    middle = points - points.mean(axis=0)
    axes = np.linalg.svd(middle, full_matrices=False)[2]
    try:
        edges = scipy.spatial.ConvexHull(middle @ axes[:2].T).equations[:, :2]
    except (scipy.spatial.QhullError, ValueError):
        across = downs - np.outer(downs @ axes[0], axes[0])
        sizes = np.linalg.norm(across, axis=1)
        return [n / size for n, size in zip(across, sizes, strict=True) if size > _CONE]
    return [np.asarray(n @ axes[:2]) for n in edges]


def _levelled(points: Array, n: Array) -> Array:
    """Return the normal of the plane through points (k, 3), near n."""
    middle = points - points.mean(axis=0)
    if len(points) < 3:
        return n
    _, sizes, axes = np.linalg.svd(middle, full_matrices=False)
    if len(sizes) < 3 or sizes[1] < 5e-3 or sizes[2] > 0.3 * sizes[1]:
        return n
    return np.asarray(axes[2] * np.sign(axes[2] @ n))


def _area(points: Array, n: Array, radius: float = 0.0) -> float:
    corners = sole_corners(_widened(points @ _plane(n), radius))
    return 0.0 if corners is None else _shoelace(corners)


def _plane(n: Array) -> Array:
    """Return two axes (3, 2) across n."""
    first = np.cross(n, np.eye(3)[np.abs(n).argmin()])
    first /= np.linalg.norm(first)
    return np.column_stack([first, np.cross(n, first)])


def _shoelace(corners: Array) -> float:
    x, y = corners.T
    return float(0.5 * np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))


def sole_corners(points: Array) -> Array | None:
    """Return vertices (k, 2) of the hull, counter-clockwise; None when it degenerates to a point.

    The vertex that costs the least area is removed first, so the result lies inside the hull.
    """
    try:
        hull = scipy.spatial.ConvexHull(points)
    except (scipy.spatial.QhullError, ValueError):  # too few points, or collinear ones
        return None
    if hull.volume < _SMALLEST_SOLE:
        return None
    corners = points[hull.vertices]
    while len(corners) > _CORNERS:
        a, b = corners - np.roll(corners, 1, axis=0), np.roll(corners, -1, axis=0) - corners
        costs = np.round(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0], 9)  # equal ones in turn
        corners = np.delete(corners, np.argmin(costs), axis=0)
    return np.asarray(corners)


def ball_of(
    model: Any, data: Any, shapes: list[Outline], normal: Array | None = None
) -> tuple[Array, float] | None:
    """Return centre (3,) and radius [m] of a wheel, or of the ball in which a mesh ends.

    In the joint's axes; None where there is none. The arguments are those of `touching_foot`.
    """
    ball = wheel(model, data, shapes)
    if ball is not None or normal is not None:
        return ball
    R_world_joint = data.oMi[shapes[0].joint].rotation
    down = -np.array(R_world_joint[2])
    lowest = max(shapes, key=lambda s: float(s.extents(down).max()))
    if _radius(lowest, down) > 0:
        return None
    return _tip(shapes, down, _facing(R_world_joint, down)[:, 0])


def touching_foot(
    model: Any,
    data: Any,
    shapes: list[Outline],
    normal: Array | None = None,
    ball: tuple[Array, float] | None = None,
) -> Foot:
    """Return the foot given by the shapes of one joint, at the placements of a `pin.Data`.

    What lies within `FLAT` of its lowest plane is its sole; where that is small, it is the ball
    there, or `ball` where it is known. The plane is level, or across `normal` (3,), out of the foot
    in the joint's axes.
    """
    T_world_joint = data.oMi[shapes[0].joint]
    down = -np.array(T_world_joint.rotation[2]) if normal is None else normal
    lowest = max(shapes, key=lambda s: float(s.extents(down).max()))
    frame = model.frames[lowest.link]
    T_frame_joint = frame.placement.inverse()
    R_joint_sole = _facing(T_world_joint.rotation, down)
    ball = ball or ball_of(model, data, shapes, normal)
    if ball is not None:
        return point_foot(frame.name, frame.name, T_frame_joint.act(ball[0]), ball[1])
    points, radius = lowest_balls(shapes, down, rough=normal is not None)
    inside = points @ R_joint_sole
    corners = sole_corners(_widened(inside[:, :2], radius))
    height = float(inside[:, 2].min())
    if corners is not None:
        middle = R_joint_sole @ np.array([*corners.mean(axis=0), height])
        place = T_frame_joint * pin.SE3(R_joint_sole, middle)
        return sole_foot(frame.name, frame.name, corners - corners.mean(axis=0), place)
    point = R_joint_sole @ np.array([*inside[:, :2].mean(axis=0), height + radius])
    return point_foot(frame.name, frame.name, T_frame_joint.act(point), radius)


def _facing(R_world_joint: Array, down: Array) -> Array:
    """Return R_joint_sole: z against `down`, x along the world's x as far as it can be."""
    z = -down
    x = R_world_joint.T @ np.array([1.0, 0.0, 0.0])
    x = x - (x @ z) * z
    x = x / np.linalg.norm(x) if np.linalg.norm(x) > 1e-3 else _plane(z)[:, 0]
    return np.column_stack([x, np.cross(z, x), z])


def _widened(points: Array, radius: float) -> Array:
    """Points (k, 2), those on a line as the strip that balls around them press by `FLAT`."""
    if len(points) < 2 or radius <= 0:
        return points
    middle = points - points.mean(axis=0)
    _, sizes, axes = np.linalg.svd(middle)
    if (len(sizes) > 1 and sizes[1] > 1e-3) or sizes[0] < 1e-2:
        return points
    half = np.sqrt(2 * radius * _ROUGH) * np.array([-axes[0, 1], axes[0, 0]])
    if np.ptp(middle @ axes[0]) < 2 * np.linalg.norm(half):  # a wheel
        return points
    return np.vstack([points + half, points - half])
