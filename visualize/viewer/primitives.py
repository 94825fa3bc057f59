"""The shapes that a viewer draws by name: arrows, moments, cones, polygons, points, paths, …"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array
from ...robots import values
from . import checks, geometry, three
from .checks import Color
from .errors import ViewerError
from .shapes import Piece, Shape, Style
from .three import Part

SQUARE = np.array([[1, 1, 0], [-1, 1, 0], [-1, -1, 0], [1, -1, 0]])
AXES = {"x": 0xD62839, "y": 0x2A9D5C, "z": 0x2667C9}  # colours of a frame

_UNIT_CYLINDER = three.cylinder(1.0, 1.0, 1.0)
_UNIT_CONE = three.cylinder(0.0, 1.0, 1.0)
_UNIT_BALL = three.sphere(1.0)
_UNIT_TURN = three.mesh(*geometry.turn())


class Primitives:
    """Named shapes in world axes, z up, in metres; `Drawing` says where they go.

    Attributes:
        scale: what sizes follow that are not given [m].
    """

    scale: float = 1.0

    def arrow(
        self,
        name: str,
        point: ArrayLike,
        vector: ArrayLike,
        *,
        color: Color = "red",
        opacity: float = 1.0,
        radius: float | None = None,
        on_top: bool = False,
    ) -> None:
        """Draw an arrow from point (3,) to point + vector (3,) [m]; a vector of zero draws nothing.

        Args:
            name: what it is called; "a/b" lies in the folder "a".
            point, vector: as above.
            color: a name ("red", "teal", …), "#rrggbb", or (r, g, b) in 0…1.
            opacity: in (0, 1].
            radius: of the shaft [m]; by default 0.5 % of the robot's height.
            on_top: seen through whatever stands before it.

        Raises:
            ViewerError: a value that is not finite or of the wrong shape, an unknown colour.
        """
        point, vector = checks.vector(point, "point"), checks.vector(vector, "vector")
        style = _style(color, opacity, on_top)
        parts = geometry.arrow_parts(point, vector, self._length(radius, 0.005))
        pieces = {}
        if parts is not None:
            pieces["shaft"] = Piece(style.object(_UNIT_CYLINDER), parts[0])
            pieces["head"] = Piece(style.object(_UNIT_CONE), parts[1])
        self._draw(name, Shape(pieces, np.array([point, point + vector])))

    def moment(
        self,
        name: str,
        point: ArrayLike,
        vector: ArrayLike,
        *,
        color: Color = "red",
        opacity: float = 1.0,
        on_top: bool = False,
    ) -> None:
        """Draw a moment at point (3,) as an arc about vector (3,), of radius |vector| [m].

        It turns as the right hand says; a vector of zero draws nothing.
        """
        point, vector = checks.vector(point, "point"), checks.vector(vector, "vector")
        style, size = _style(color, opacity, on_top), float(np.linalg.norm(vector))
        if size < 1e-6:
            return self._draw(name, Shape({}, point[None]))
        axes = geometry.rotation_to(vector, axis=2)
        arc = Piece(style.object(_UNIT_TURN), geometry.placement(point, axes, np.full(3, size)))
        self._draw(name, Shape({"arc": arc}, point + size * SQUARE @ axes.T))

    def cone(
        self,
        name: str,
        apex: ArrayLike,
        axis: ArrayLike,
        half_angle: float | tuple[float, float],
        height: float,
        *,
        tangent: ArrayLike | None = None,
        color: Color = "yellow",
        opacity: float = 0.3,
        radius: float | None = None,
        on_top: bool = False,
    ) -> None:
        """Draw a cone that opens from apex (3,) along axis (3,); friction: tan half_angle = μ.

        With two half angles it is elliptic: the first along `tangent`, the second across.

        Args:
            name, color, opacity, on_top: as for `arrow`.
            apex, axis: as above; the axis need not be unit.
            half_angle: between axis and side [rad], 0 ≤ half_angle < π/2; or two.
            height: along the axis [m].
            tangent: (3,), towards which the first half angle is, of two; any if not given.
            radius: of the lines of its edge [m]; by default 0.15 % of the robot's height.
        """
        apex, axis = checks.vector(apex, "apex"), checks.direction(axis, "axis")
        given = values.array(half_angle, "half_angle", (), (2,), error=ViewerError)
        if not ((given >= 0) & (given < math.pi / 2)).all():
            raise ViewerError(f"half_angle: got {half_angle!r}; expected radians in [0, π/2)")
        angles = np.broadcast_to(given, 2).tolist()
        rotation = geometry.rotation_to(axis, axis=2)
        if tangent is not None:
            rotation = geometry.rotation_along(axis, checks.vector(tangent, "tangent"))
        style, matrix = _style(color, opacity, on_top), geometry.placement(apex, rotation)
        height, radius = checks.positive(height, "height"), self._length(radius, 0.0015)
        side, edge, corners = _cone_parts(tuple(angles), height, radius)
        self._draw(name, Shape(_open(side, edge, style, matrix), geometry.placed(matrix, corners)))

    def pyramid(
        self,
        name: str,
        apex: ArrayLike,
        corners: ArrayLike,
        *,
        color: Color = "yellow",
        opacity: float = 0.3,
        radius: float | None = None,
        on_top: bool = False,
    ) -> None:
        """Draw the cone from apex (3,) through corners (k, 3) [m], in order, k ≥ 3, up to them.

        Its base stays open; `radius` is as for `cone`, the other arguments as for `arrow`.
        """
        tip, rim = checks.vector(apex, "apex"), checks.points(corners, "corners", 3)
        style, radius = _style(color, opacity, on_top), self._length(radius, 0.0015)
        edges = [geometry.tube(rim, radius, closed=True)]
        edges += [geometry.tube(np.array([tip, c]), 0.6 * radius, sides=6) for c in rim[::2]]
        edge, side = three.mesh(*geometry.merge(edges)), three.mesh(*geometry.pyramid(tip, rim))
        self._draw(name, Shape(_open(side, edge, style, np.eye(4)), np.vstack((tip, rim))))

    def polygon(
        self,
        name: str,
        points: ArrayLike,
        *,
        placement: Any = None,
        color: Color = "teal",
        opacity: float = 0.3,
        radius: float | None = None,
        on_top: bool = False,
    ) -> None:
        """Draw a convex polygon with corners points (k, 3) [m], in order: filled, with an outline.

        Two points give a line, one a ball. `placement`, `pin.SE3` or a (4, 4) matrix, is that of
        the axes in which the points are, the world's if not given: a patch that moves with a foot
        keeps its points. `radius` [m] is the outline's, by default 0.25 % of the robot's height;
        the other arguments are those of `arrow`.
        """
        corners = geometry.without_repeats(checks.points(points, "points", 1), closed=True)
        matrix = np.eye(4) if placement is None else _matrix(placement)
        style, radius = _style(color, opacity, on_top), self._length(radius, 0.0025)
        outline, fill = _polygon_parts(corners.tobytes(), radius)
        pieces = {"outline": Piece(style.object(outline, min(1.0, 3 * style.opacity)), matrix)}
        if len(corners) > 2:
            # closer to the eye than the ground that it may lie on
            lift = {"polygonOffset": True, "polygonOffsetFactor": -2.0, "polygonOffsetUnits": -2.0}
            pieces["fill"] = Piece(style.object(fill, ghost=False, **lift), matrix)
        self._draw(name, Shape(pieces, geometry.placed(matrix, corners)))

    def point(
        self,
        name: str,
        position: ArrayLike,
        *,
        color: Color = "black",
        opacity: float = 1.0,
        radius: float | None = None,
        on_top: bool = False,
    ) -> None:
        """Draw a ball at position (3,) [m]; its radius [m] is 1.2 % of the robot's height."""
        style, center = _style(color, opacity, on_top), checks.vector(position, "position")
        matrix = geometry.placement(center, scale=np.full(3, self._length(radius, 0.012)))
        ball = Piece(style.object(_UNIT_BALL), matrix)
        self._draw(name, Shape({"ball": ball}, center[None]))

    def path(
        self,
        name: str,
        points: ArrayLike,
        *,
        color: Color = "blue",
        opacity: float = 1.0,
        radius: float | None = None,
        closed: bool = False,
        on_top: bool = False,
    ) -> None:
        """Draw a line through points (k, 3) [m]; its radius [m] is 0.25 % of the robot's height."""
        style, corners = _style(color, opacity, on_top), checks.points(points, "points", 1)
        closed = checks.boolean(closed, "closed")
        radius = self._length(radius, 0.0025)
        if len(corners) == 2 and (corners[0] != corners[1]).any():  # moved as an arrow's shaft is
            straight = geometry.along(corners[0], corners[1], radius)
            line = Piece(style.object(_UNIT_CYLINDER), straight)
        else:
            line = Piece(style.object(three.mesh(*geometry.tube(corners, radius, closed=closed))))
        self._draw(name, Shape({"line": line}, corners))

    def frame(
        self,
        name: str,
        placement: Any,
        *,
        length: float | None = None,
        opacity: float = 1.0,
        on_top: bool = False,
    ) -> None:
        """Draw axes x, y, z in red, green, blue at a placement, `pin.SE3` or a (4, 4) matrix.

        `length` [m] is by default 8 % of the robot's height.
        """
        length = self._length(length, 0.08, "length")
        alpha, matrix, pieces = checks.opacity(opacity), _matrix(placement), {}
        for direction, (axis, color) in zip(length * np.eye(3), AXES.items(), strict=True):
            bar = geometry.along(np.zeros(3), direction, length / 25)
            style = Style(color, alpha, on_top)
            pieces[axis] = Piece(style.object(_UNIT_CYLINDER), matrix @ bar)
        ends = np.vstack((np.zeros(3), length * np.eye(3)))
        self._draw(name, Shape(pieces, geometry.placed(matrix, ends)))

    def box(
        self,
        name: str,
        placement: Any,
        size: ArrayLike,
        *,
        color: Color = "silver",
        opacity: float = 1.0,
    ) -> None:
        """Draw a box of full sides size (3,) [m], its middle at a placement: a step, a load, …"""
        sides = checks.vector(size, "size")
        for side in sides:
            checks.positive(float(side), "size")
        matrix, part = _matrix(placement), three.box(*(float(side) for side in sides))
        # lit as the robot is
        surface = three.material(checks.color(color), checks.opacity(opacity))
        corners = geometry.placed(matrix, geometry.box_corners(-sides / 2, sides / 2))
        box = Piece(three.object3d(part, surface), matrix)
        self._draw(name, Shape({"box": box}, corners))

    def plane(
        self,
        name: str,
        point: ArrayLike,
        normal: ArrayLike,
        *,
        size: float | None = None,
        color: Color = "silver",
        opacity: float = 0.5,
    ) -> None:
        """Draw a square piece of a plane around point (3,) [m], such as a slope or a wall.

        `normal` (3,) need not be unit; `size`, the side [m], is by default the robot's height.
        """
        middle, up = checks.vector(point, "point"), checks.direction(normal, "normal")
        half = self._length(size, 1.0, "size") / 2
        corners = middle + half * SQUARE @ geometry.rotation_to(up, axis=2).T
        self.polygon(name, corners, color=color, opacity=opacity)

    def surface(
        self,
        name: str,
        vertices: ArrayLike,
        triangles: ArrayLike,
        *,
        color: Color = "silver",
        opacity: float = 1.0,
    ) -> None:
        """Draw flat triangles (m, 3), indices into vertices (n, 3) [m], such as uneven ground."""
        points = checks.points(vertices, "vertices", 3)
        corners = checks.finite(triangles, "triangles", (None, 3)).astype(np.int64)
        if not ((corners >= 0) & (corners < len(points)) & (corners == triangles)).all():
            raise ViewerError(
                f"triangles: got {np.min(triangles)} to {np.max(triangles)}; expected whole "
                f"numbers from 0 to {len(points) - 1}, indices of vertices"
            )
        material = three.material(checks.color(color), checks.opacity(opacity), flatShading=True)
        part = three.mesh(points, corners)
        self._draw(name, Shape({"surface": Piece(three.object3d(part, material))}, points))

    def label(
        self,
        name: str,
        position: ArrayLike,
        text: str,
        *,
        height: float | None = None,
        color: Color = "black",
    ) -> None:
        """Write a text at position (3,) [m], facing the eye, seen through everything.

        `height` of a capital letter [m] is by default 2.5 % of the robot's height.
        """
        where, tall = checks.vector(position, "position"), self._length(height, 0.025, "height")
        text = checks.text(text, "text")
        words = {"label": {"text": text, "color": checks.css(color)}}
        matrix = geometry.placement(where, scale=np.full(3, tall))
        self._draw(name, Shape({"text": Piece(words, matrix)}, where[None]))

    # --- inside ----------------------------------------------------------------------------

    def _draw(self, name: str, shape: Shape) -> None:
        raise NotImplementedError

    def _length(self, value: float | None, share: float, name: str = "radius") -> float:
        return share * self.scale if value is None else checks.positive(value, name)


def _style(color: Color, opacity: float, on_top: bool) -> Style:
    return Style(checks.color(color), checks.opacity(opacity), on_top)


def _open(side: Part, edge: Part, style: Style, matrix: Array) -> dict[str, Piece]:
    """The pieces of a cone or pyramid: its side, and lines along it that are seen better."""
    return {
        "side": Piece(style.object(side, ghost=False), matrix),
        "edge": Piece(style.object(edge, min(1.0, 2.2 * style.opacity)), matrix),
    }


def _matrix(placement: Any) -> Array:
    value = getattr(placement, "homogeneous", placement)
    matrix = checks.finite(value, "placement", (4, 4))
    values.rotation(matrix[:3, :3], "placement", error=ViewerError)
    return matrix


@lru_cache(maxsize=256)  # a patch keeps its corners while it moves
def _polygon_parts(corners: bytes, radius: float) -> tuple[Part, Part]:
    """Return a polygon's outline and what fills it; corners (k, 3), as bytes."""
    points = np.frombuffer(corners).reshape(-1, 3)
    outline = three.mesh(*geometry.tube(points, radius, closed=True))
    return outline, three.mesh(*geometry.fan(points))


@lru_cache(maxsize=256)  # the contacts of a scene share their angles, and keep them while they move
def _cone_parts(
    half_angles: tuple[float, float], height: float, radius: float
) -> tuple[Part, Part, Array]:
    """Return a cone's side, its edge (a rim and a few straight lines), and its vertices."""
    widest = max(half_angles)
    vertices, triangles = geometry.cone(widest, height)
    if half_angles[0] != half_angles[1]:
        vertices[:, :2] *= np.tan(half_angles) / np.tan(widest)
    rim = geometry.tube(vertices[1:], radius, closed=True, sides=8, corners=False)
    lines = [
        geometry.tube(np.array([vertices[0], corner]), 0.6 * radius, sides=6, corners=False)
        for corner in vertices[1::8]
    ]
    edge = three.mesh(*geometry.merge([rim, *lines]))
    return three.mesh(vertices, triangles), edge, vertices
