"""The shapes that a viewer draws by name: arrows, moments, cones, polygons, points, paths, …"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array
from . import checks, geometry, shapes
from .checks import Color
from .errors import ViewerError
from .shapes import Shape, Style


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
        style = Style(checks.color(color), checks.opacity(opacity), on_top)
        self._draw(name, shapes.arrow(point, vector, self._radius(radius, 0.005), style))

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
        style = Style(checks.color(color), checks.opacity(opacity), on_top)
        self._draw(name, shapes.moment(point, vector, style))

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
        apex, axis = checks.vector(apex, "apex"), checks.vector(axis, "axis")
        if not np.linalg.norm(axis) > 0:
            raise ViewerError("axis: got the zero vector; expected a direction")
        angles = np.broadcast_to(half_angle, 2).tolist()
        if not all(0 <= angle < math.pi / 2 for angle in angles):
            raise ViewerError(f"half_angle: got {half_angle!r}; expected radians in [0, π/2)")
        rotation = geometry.rotation_to(axis, axis=2)
        if tangent is not None:
            rotation = geometry.rotation_along(axis, checks.vector(tangent, "tangent"))
        style = Style(checks.color(color), checks.opacity(opacity), on_top)
        height, radius = checks.positive(height, "height"), self._radius(radius, 0.0015)
        self._draw(name, shapes.cone(apex, rotation, tuple(angles), height, radius, style))

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
        style = Style(checks.color(color), checks.opacity(opacity), on_top)
        self._draw(name, shapes.pyramid(tip, rim, self._radius(radius, 0.0015), style))

    def polygon(
        self,
        name: str,
        points: ArrayLike,
        *,
        color: Color = "teal",
        opacity: float = 0.3,
        radius: float | None = None,
        on_top: bool = False,
    ) -> None:
        """Draw a convex polygon with corners points (k, 3) [m], in order: filled, with an outline.

        Two points give a line, one a ball. `radius` [m] is the outline's, by default 0.25 % of the
        robot's height; the other arguments are those of `arrow`.
        """
        corners = checks.points(points, "points", 1)
        style = Style(checks.color(color), checks.opacity(opacity), on_top)
        self._draw(name, shapes.polygon(corners, self._radius(radius, 0.0025), style))

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
        style = Style(checks.color(color), checks.opacity(opacity), on_top)
        center = checks.vector(position, "position")
        self._draw(name, shapes.point(center, self._radius(radius, 0.012), style))

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
        style = Style(checks.color(color), checks.opacity(opacity), on_top)
        corners = checks.points(points, "points", 1)
        self._draw(name, shapes.path(corners, self._radius(radius, 0.0025), closed, style))

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
        length = self._radius(length, 0.08)
        alpha = checks.opacity(opacity)
        matrix = _matrix(placement)
        self._draw(name, shapes.frame(matrix, length, length / 25, alpha, on_top))

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
        style = Style(checks.color(color), checks.opacity(opacity))
        self._draw(name, shapes.box(_matrix(placement), sides, style))

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
        middle, up = checks.vector(point, "point"), checks.vector(normal, "normal")
        if not np.linalg.norm(up) > 0:
            raise ViewerError("normal: got the zero vector; expected a direction")
        half = self._radius(size, 1.0) / 2
        square = half * np.array([[1, 1, 0], [-1, 1, 0], [-1, -1, 0], [1, -1, 0]])
        corners = middle + square @ geometry.rotation_to(up, axis=2).T
        self.polygon(name, corners, color=color, opacity=opacity)

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
        where, tall = checks.vector(position, "position"), self._radius(height, 0.025)
        self._draw(name, shapes.label(where, str(text), tall, checks.color(color)))

    # --- inside ----------------------------------------------------------------------------

    def _draw(self, name: str, shape: Shape) -> None:
        raise NotImplementedError

    def _radius(self, value: float | None, share: float) -> float:
        return share * self.scale if value is None else checks.positive(value, "size")


def _matrix(placement: Any) -> Array:
    value = getattr(placement, "homogeneous", placement)
    return checks.finite(value, "placement", (4, 4))
