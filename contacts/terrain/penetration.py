"""Penetration of links into the terrain.

`solve_posture` puts contacts on their surfaces and asks nothing of the rest of the robot: here is
how to see that a knee is in the wall.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import coal  # type: ignore[import-untyped]
import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ...arrays import Array
from ...dynamics.per_robot import per_robot
from ...dynamics.workspace import workspace_of
from ...errors import ContactError
from ...robots import Robot
from ...robots.configuration import check_configuration
from ...robots.values import instance, number
from ..geometry.shapes import bounding_balls, convex_shapes, distance_of, surface_points
from .faces import Solid
from .height_map import HeightMap
from .solids import Box
from .terrain import Terrain

_POINT = coal.Sphere(1e-9)


@dataclass(frozen=True)
class Penetration:
    """A link that lies inside a solid of the terrain.

    Attributes:
        link, solid: their names.
        depth: of the deepest of its shapes [m].
    """

    link: str
    solid: str
    depth: float

    def __str__(self) -> str:
        return f"{self.link} lies {self.depth:.3g} m inside {self.solid!r}"


def penetrations(
    robot: Robot, q: ArrayLike, terrain: Terrain, tolerance: float = 5e-3
) -> tuple[Penetration, ...]:
    """Return the links deeper than `tolerance` in the terrain, the deepest first.

    Args:
        robot: whose collision shapes count, meshes as their convex hulls; without any, none is.
        q: configuration (nq,).
        terrain: see `Terrain`.
        tolerance: depth that is let pass [m]: soles are rarely drawn to the millimetre.

    Raises:
        ConfigurationError: a bad q.
        ContactError: an invalid tolerance.
    """
    q = check_configuration(robot, q)
    instance(terrain, "terrain", Terrain, error=ContactError)
    tolerance = number(tolerance, "tolerance", at_least=0, unit="[m]", error=ContactError)
    shapes, model, data = _shapes(robot), robot._model, workspace_of(robot).data
    placed = pin.GeometryData(shapes)
    pin.updateGeometryPlacements(model, data, shapes, placed, q)
    radii, middles, _ = _balls(robot)
    centres = np.array([T.act(p) for T, p in zip(placed.oMg, middles, strict=True)]).reshape(-1, 3)
    deepest: dict[tuple[str, str], float] = {}
    for solid in terrain.solids:
        for i in np.flatnonzero(solid.signed_distance(centres) < radii).tolist():
            shape = shapes.geometryObjects[i]
            link = str(model.frames[shape.parentFrame].name)
            depth = -_distance(shape.geometry, placed.oMg[i], solid)
            if depth > max(tolerance, deepest.get((link, solid.name), 0.0)):
                deepest[link, solid.name] = depth
    found = [Penetration(link, solid, depth) for (link, solid), depth in deepest.items()]
    return tuple(sorted(found, key=lambda penetration: -penetration.depth))


@per_robot
def _shapes(robot: Robot) -> Any:
    return convex_shapes(robot._collision)


@per_robot
def _balls(robot: Robot) -> tuple[Array, Array, Array]:
    return bounding_balls(_shapes(robot))


def _distance(shape: Any, T: Any, solid: Solid) -> float:
    """Of a convex shape to a solid, negative inside [m]."""
    if isinstance(solid, HeightMap):
        return _to_map(shape, T, solid)
    if isinstance(solid, Box):
        other, where = coal.Box(*solid.size), _transform(solid.placement)
    else:
        face = solid.faces[0]
        offset = float(face.normal @ face.placement.translation)
        other, where = coal.Halfspace(face.normal, offset), coal.Transform3s.Identity()
    return distance_of(shape, _transform(T), other, where)[0]


def _to_map(shape: Any, T: Any, ground: HeightMap) -> float:
    """Of a convex shape to a height map, where it is inside; else anything positive [m].

    The deepest of points of its surface, and of the map's vertices within it.
    """
    points, radius = surface_points(shape)
    placed = points @ T.rotation.T + T.translation
    vertices = ground._vertices_under(placed, radius)
    if placed[:, 2].min() - radius > vertices[:, 2].max(initial=-np.inf):  # all of it above
        return np.inf
    depths = [radius - float(ground.signed_distance(placed).min())]
    low, high = placed.min(axis=0) - radius, placed.max(axis=0) + radius
    peaks = ((vertices[:, :2] > low[:2]) & (vertices[:, :2] < high[:2])).all(axis=1)
    peaks &= vertices[:, 2] > low[2]
    where, level = _transform(T), np.eye(3)
    for vertex in vertices[peaks]:
        depths.append(-distance_of(shape, where, _POINT, coal.Transform3s(level, vertex))[0])
    return -max(depths)


def _transform(T: Any) -> Any:
    return coal.Transform3s(np.array(T.rotation), np.array(T.translation))
