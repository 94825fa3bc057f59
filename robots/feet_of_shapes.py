"""Feet found from shapes: the lowest parts of a robot whose description names no feet."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, QhullError

from ..errors import ConfigurationError, unknown
from .configuration import check_robot
from .feet import Foot, point_foot, sole_foot
from .robot import Robot
from .values import texts

Array = NDArray[np.float64]

_NEARLY_LOWEST = 0.01  # of the robot's height: lowest points of all feet lie within this
_FLAT = 1e-3  # [m], height above the lowest point within which points belong to the sole
_SMALLEST_SOLE = 4e-4  # [m²], a smaller sole is a point foot
_CORNERS = 8  # most vertices of a sole


@dataclass(frozen=True)
class _Bottom:
    """The candidate contact points of one link: balls around points, in world axes [m]."""

    link: int
    points: Array
    radius: float
    top: float

    @property
    def low(self) -> float:
        return float(self.points[:, 2].min()) - self.radius


def feet_of_shapes(robot: Robot, links: Iterable[str] | None = None) -> dict[str, Foot]:
    """Return name -> `Foot` for the bodies that touch level ground first, in `robot.posture()`.

    Collision shapes are used, visual ones where a link has no others. The points within 1 mm of
    the lowest point of a moving body span its sole (at most 8 vertices, all of them points of the
    shape); if its area is below 4 cm², the foot is a point, or the ball there. Bodies that end
    within 1 % of the robot's height above its lowest point count as feet, in joint order. A foot
    is named after the link with the lowest shape.

    Args:
        robot: with its shapes; without shapes, or with a fixed base, no feet are found.
        links: the links to take as feet, instead of the lowest ones.

    Raises:
        ConfigurationError: no such link, or one without a shape.
    """
    check_robot(robot)
    data = robot._model.createData()
    pin.framesForwardKinematics(robot._model, data, robot.posture())
    bottoms = _bottoms(robot, data)
    groups: list[list[_Bottom]] = []
    if links is not None:
        groups = [_of_link(robot, link, bottoms) for link in texts(links, "links")]
    elif bottoms and robot.is_floating:
        low = min(b.low for b in bottoms)
        limit = low + _NEARLY_LOWEST * (max(b.top for b in bottoms) - low)
        for joint in range(1, robot._model.njoints):
            group = [b for b in bottoms if robot._model.frames[b.link].parentJoint == joint]
            if group and min(b.low for b in group) <= limit:
                groups.append(group)
    feet = [_foot(robot, data, group) for group in groups]
    return {foot.name: foot for foot in feet}


def _of_link(robot: Robot, link: str, bottoms: list[_Bottom]) -> list[_Bottom]:
    group = [b for b in bottoms if robot._model.frames[b.link].name == link]
    if group:
        return group
    if link in robot.frame_names:
        raise ConfigurationError(
            f"link {link!r} has no shape from which its contact could be found"
        )
    raise ConfigurationError(
        unknown("link", link, {robot._model.frames[b.link].name for b in bottoms})
    )


def _bottoms(robot: Robot, data: Any) -> list[_Bottom]:
    collision = list(robot._collision.geometryObjects)
    covered = {shape.parentFrame for shape in collision}
    others = [s for s in robot._visual.geometryObjects if s.parentFrame not in covered]
    found = []
    for shape in [*collision, *others]:
        touching = _touching(shape.geometry, data.oMi[shape.parentJoint] * shape.placement)
        if touching is not None:
            found.append(_Bottom(shape.parentFrame, *touching))
    return found


def _touching(geometry: Any, T: Any) -> tuple[Array, float, float] | None:
    """Return points (k, 3) of a shape, the radius of the balls around them, the height of its top.

    World axes [m]; None for unbounded or unsupported shapes (a plane, a height field).
    """
    up = T.rotation[2]
    kind = type(geometry).__name__
    if kind == "Sphere":
        return T.translation[None], float(geometry.radius), T.translation[2] + geometry.radius
    if kind == "Capsule":
        ends = np.array([[0, 0, -1], [0, 0, 1]]) * geometry.halfLength
        return _placed(T, ends if abs(up[2]) > 1e-3 else 0 * ends[:1], float(geometry.radius))
    if kind == "Cylinder":
        if abs(up[2]) < 1e-3:  # a wheel
            return T.translation[None], float(geometry.radius), T.translation[2] + geometry.radius
        turn = np.arange(_CORNERS) * 2 * np.pi / _CORNERS
        rim = geometry.radius * np.column_stack([np.cos(turn), np.sin(turn)])
        half = np.full((_CORNERS, 1), geometry.halfLength)
        return _placed(T, np.vstack([np.hstack([rim, -half]), np.hstack([rim, half])]))
    if kind == "Box":
        corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        return _placed(T, corners * np.asarray(geometry.halfSide))
    vertices = getattr(geometry, "vertices", None)
    if not callable(vertices) or len(vertices()) == 0:
        return None
    return _placed(T, np.asarray(vertices(), dtype=float))


def _placed(T: Any, points: Array, radius: float = 0.0) -> tuple[Array, float, float]:
    world = points @ T.rotation.T + T.translation
    return world, radius, float(world[:, 2].max()) + radius


def _foot(robot: Robot, data: Any, group: list[_Bottom]) -> Foot:
    """Return the foot given by the shapes of one body."""
    lowest = min(group, key=lambda b: b.low)
    link = robot._model.frames[lowest.link].name
    T_link_world = data.oMf[lowest.link].inverse()
    surface = np.vstack([b.points - [0.0, 0.0, b.radius] for b in group])
    sole = surface[surface[:, 2] <= lowest.low + _FLAT]
    if (corners := _corners(sole[:, :2])) is not None:
        middle = corners.mean(axis=0)
        T_world_sole = pin.SE3(np.eye(3), np.array([*middle, lowest.low]))
        return sole_foot(link, link, corners - middle, T_link_world * T_world_sole)
    nearly = lowest.points[:, 2] <= lowest.points[:, 2].min() + _FLAT
    point = np.array([*lowest.points[nearly, :2].mean(axis=0), lowest.low + lowest.radius])
    return point_foot(link, link, T_link_world.act(point), lowest.radius)


def _corners(points: Array) -> Array | None:
    """Return vertices (k, 2) of the hull, counter-clockwise; None when it degenerates to a point.

    The vertex that costs the least area is removed first, so the result lies inside the hull.
    """
    try:
        hull = ConvexHull(points)
    except (QhullError, ValueError):  # too few points, or collinear ones
        return None
    if hull.volume < _SMALLEST_SOLE:
        return None
    corners = points[hull.vertices]
    while len(corners) > _CORNERS:
        a, b = corners - np.roll(corners, 1, axis=0), np.roll(corners, -1, axis=0) - corners
        corners = np.delete(corners, np.argmin(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]), axis=0)
    return np.asarray(corners)
