"""Outlines of bodies: the points of their shapes that can touch the ground."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin
import scipy

from ...arrays import Array

_ROUND = 32  # points of a circle: they miss it by 0.5 % of the radius
_BOX = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)


class Outline(NamedTuple):
    """One shape as the convex hull of balls.

    Attributes:
        link: index of the frame that carries it.
        joint: index of the joint that moves it.
        points: (k, 3), centres of the balls in the joint's axes [m].
        radius: of the balls [m]; 0 for corners.
        axis: (3,), of a cylinder, else zero.
    """

    link: int
    joint: int
    points: Array
    radius: float = 0.0
    axis: Array = np.zeros(3)

    def extents(self, direction: Array) -> Array:
        """Return how far each ball reaches along a unit vector in the joint's axes (k,) [m]."""
        return np.asarray(self.points @ direction + self.radius)


def outlines(robot: Any) -> list[Outline]:
    """Return the outlines of collision shapes, of visual ones where a link has no others.

    Unbounded and unsupported shapes (a plane, a height field) have none. Visual meshes of other
    links are not read: they take longer than all else that is known of a robot.

    Raises:
        ModelError: a mesh file cannot be read.
    """
    model, collision = robot._model, robot._collision.geometryObjects
    covered = {shape.parentFrame for shape in collision}
    body = pin.FrameType.BODY
    bare = {f.name for i, f in enumerate(model.frames) if f.type == body and i not in covered}
    visual = robot.shapes.read(model, "visual", bare).geometryObjects
    found = []
    for shape in [*collision, *(s for s in visual if s.parentFrame not in covered)]:
        if (balls := _balls(shape.geometry)) is not None:
            points, radius = balls
            T = shape.placement
            lies = type(shape.geometry).__name__ == "Cylinder"
            axis = np.array(T.rotation[:, 2]) if lies else np.zeros(3)
            placed = points @ T.rotation.T + T.translation
            found.append(Outline(shape.parentFrame, shape.parentJoint, placed, radius, axis))
    return found


def _balls(geometry: Any) -> tuple[Array, float] | None:
    kind = type(geometry).__name__
    if kind == "Sphere":
        return np.zeros((1, 3)), float(geometry.radius)
    if kind == "Capsule":
        return np.array([[0, 0, -1], [0, 0, 1]]) * geometry.halfLength, float(geometry.radius)
    if kind == "Cylinder":
        turn = np.arange(_ROUND) * 2 * np.pi / _ROUND
        rim = geometry.radius * np.column_stack([np.cos(turn), np.sin(turn), 0 * turn])
        half = np.array([0.0, 0.0, geometry.halfLength])
        return np.vstack([rim - half, rim + half]), 0.0
    if kind == "Box":
        return _BOX * np.asarray(geometry.halfSide), 0.0
    if kind == "Ellipsoid":
        turn = (np.arange(_ROUND) + 0.5) * np.pi / _ROUND
        z, around = np.meshgrid(np.cos(turn), 2 * turn)
        width = np.sqrt(1 - z**2)
        unit = np.stack([width * np.cos(around), width * np.sin(around), z], axis=-1)
        return unit.reshape(-1, 3) * np.asarray(geometry.radii), 0.0
    vertices = getattr(geometry, "vertices", None)
    if not callable(vertices) or len(vertices()) == 0:
        return None
    return _corners(np.array(vertices(), dtype=float)), 0.0


def _corners(points: Array) -> Array:
    """Return the vertices of the convex hull; all points where they are flat."""
    try:
        return np.asarray(points[scipy.spatial.ConvexHull(points).vertices])
    except (scipy.spatial.QhullError, ValueError):
        return points


def lowest(shapes: list[Outline], data: Any) -> float:
    """Return the height of the lowest point of outlines, their joints placed by `pin.Data` [m]."""
    return min(
        float(data.oMi[s.joint].translation[2] - s.extents(-data.oMi[s.joint].rotation[2]).max())
        for s in shapes
    )


def placed(model: Any, q: Array) -> Any:
    """Return a new `pin.Data` with the placements of joints and frames at q (nq,)."""
    data = model.createData()
    pin.framesForwardKinematics(model, data, q)
    return data
