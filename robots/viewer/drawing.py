"""Drawing: a robot and named shapes around it, recorded as commands. Shows nothing by itself."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import unknown
from ..robot import Robot
from . import checks, commands, geometry, meshes, shapes, three
from .animation import tracks
from .checks import Color
from .errors import ViewerError
from .shapes import Shape, Style
from .store import Entry, Store

Array = NDArray[np.float64]


class Drawing:
    """A robot and named shapes around it, in world axes, z up, in metres: the base of `Viewer`.

    Attributes:
        robot: the `Robot`, or None.
        scale: what sizes follow that are not given [m]: the robot's height when it stands, else 1.
    """

    def __init__(self, robot: Robot | None, opacity: float) -> None:
        self.robot = robot
        self.scale = 1.0
        self._store = Store()
        self._shapes: dict[str, Shape] = {}
        self._robot_points: Array = np.zeros((0, 3))
        self._boxes: dict[str, Array] = {}
        opacity = checks.opacity(opacity)
        if robot is not None:
            self._visual = meshes.read(robot)
            self._boxes = meshes.boxes(robot, self._visual)
            self._draw_robot(robot, opacity)
            self.display(robot.posture())
            self.scale = _height(self._robot_points)

    # --- the robot -------------------------------------------------------------------------

    def display(self, q: ArrayLike) -> None:
        """Put the robot in a configuration q (nq,). An animation that was set ends.

        Raises:
            ConfigurationError: q does not fit the robot.
            ViewerError: this viewer has no robot.
        """
        where = meshes.placements(self._need_robot(), self._visual, q)
        if "/#animation" in self._store:
            self._put(commands.clear_animation())
        for joint, matrix in where.items():
            self._put(commands.set_transform(f"/robot/{joint}", matrix))
        self._robot_points = meshes.corners_in_world(self._boxes, where)

    def animate(
        self, times: ArrayLike, qs: ArrayLike, *, play: bool = True, repeat: bool = True
    ) -> None:
        """Move the robot through qs (n, nq) at times (n,) [s]; the page has a time slider.

        Positions are interpolated along lines, orientations along arcs.

        Raises:
            ConfigurationError: a configuration does not fit the robot.
            ViewerError: times do not increase, or there are not as many as configurations.
        """
        robot = self._need_robot()
        times = checks.finite(times, "times", (None,))
        qs = checks.finite(qs, "qs", (None, robot.nq))
        if len(times) != len(qs) or len(times) < 2 or np.any(np.diff(times) <= 0):
            raise ViewerError(
                f"got {len(times)} times for {len(qs)} configurations; expected as many, at "
                "least 2, in increasing order"
            )
        poses = [meshes.placements(robot, self._visual, q) for q in qs]
        self.display(qs[0])
        every = [meshes.corners_in_world(self._boxes, where) for where in poses]
        self._robot_points = np.vstack(every)
        moving = {f"/robot/{name}": np.array([pose[name] for pose in poses]) for name in poses[0]}
        self._put(commands.set_animation(tracks(times, moving), play=play, repeat=repeat))

    # --- drawings --------------------------------------------------------------------------

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

    def cone(
        self,
        name: str,
        apex: ArrayLike,
        axis: ArrayLike,
        half_angle: float,
        height: float,
        *,
        color: Color = "yellow",
        opacity: float = 0.3,
        radius: float | None = None,
        on_top: bool = False,
    ) -> None:
        """Draw a cone that opens from apex (3,) along axis (3,); friction: tan half_angle = μ.

        Args:
            name, color, opacity, on_top: as for `arrow`.
            apex, axis: as above; the axis need not be unit.
            half_angle: between axis and side [rad], 0 ≤ half_angle < π/2.
            height: along the axis [m].
            radius: of the lines of its edge [m]; by default 0.15 % of the robot's height.
        """
        apex, axis = checks.vector(apex, "apex"), checks.vector(axis, "axis")
        if not np.linalg.norm(axis) > 0:
            raise ViewerError("axis: got the zero vector; expected a direction")
        if not 0 <= half_angle < math.pi / 2:
            raise ViewerError(f"half_angle: got {half_angle!r}; expected radians in [0, π/2)")
        style = Style(checks.color(color), checks.opacity(opacity), on_top)
        height, radius = checks.positive(height, "height"), self._radius(radius, 0.0015)
        self._draw(name, shapes.cone(apex, axis, float(half_angle), height, radius, style))

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
        """Write a text at position (3,) [m], facing the eye; `height` of its letters [m]."""
        where, tall = checks.vector(position, "position"), self._radius(height, 0.035)
        self._draw(name, shapes.label(where, str(text), tall, checks.color(color)))

    def legend(self, title: str = "", lines: Mapping[str, Color | None] | None = None) -> None:
        """Write a title and lines {text: colour} in a corner of the page; nothing: take it away."""
        shown = [
            (text, "" if tone is None else f"#{checks.color(tone):06x}")
            for text, tone in (lines or {}).items()
        ]
        self._put(commands.legend(title, shown))

    def delete(self, name: str) -> None:
        """Take away a drawing, or a folder of them.

        Raises:
            ViewerError: there is none; the message has the nearest names.
        """
        gone = [n for n in self._shapes if n == name or n.startswith(f"{name}/")]
        if not gone:
            raise ViewerError(unknown("drawing", name, self._shapes))
        for shape in gone:
            del self._shapes[shape]
        self._put(commands.delete(checks.overlay_path(name)))

    def clear(self) -> None:
        """Take away all drawings and the legend; the robot stays."""
        self._shapes.clear()
        self._put(commands.delete("/overlays"))
        self.legend()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the drawings."""
        return tuple(self._shapes)

    # --- inside ----------------------------------------------------------------------------

    def _draw_robot(self, robot: Robot, opacity: float) -> None:
        visuals = meshes.visuals(robot, self._visual, opacity)
        common, objects = three.shared([visual.object for visual in visuals])
        for part in common:
            self._put(commands.define(part))
        for visual, thing in zip(visuals, objects, strict=True):
            path = f"/robot/{visual.joint}/{visual.name}"
            self._put(commands.set_object(path, thing))
            self._put(commands.set_transform(path, visual.matrix))

    def _need_robot(self) -> Robot:
        if self.robot is None:
            raise ViewerError("this viewer has no robot; make one with Viewer(robot)")
        return self.robot

    def _radius(self, value: float | None, share: float) -> float:
        return share * self.scale if value is None else checks.positive(value, "size")

    def _draw(self, name: str, shape: Shape) -> None:
        path = checks.overlay_path(name)
        old = self._shapes.get(name)
        if old is None and any(
            n.startswith(f"{name}/") or name.startswith(f"{n}/") for n in self._shapes
        ):
            raise ViewerError(f"name: {name!r} is a folder and a drawing at once; choose another")
        for piece in (old.pieces.keys() - shape.pieces.keys()) if old else ():
            self._put(commands.delete(f"{path}/{piece}"))
        self._shapes[name] = shape
        for piece, what in shape.pieces.items():
            self._put(commands.set_object(f"{path}/{piece}", what.object))
            self._put(commands.set_transform(f"{path}/{piece}", what.matrix))

    def _put(self, entry: Entry) -> bool:
        return self._store.put(entry)

    def _points(self) -> Array:
        return np.vstack([self._robot_points, *(s.extent for s in self._shapes.values())])


def extent(robot: Robot, q: ArrayLike) -> float:
    """Return the height of a robot in a configuration [m]: of the box around what it looks like.

    Never below 1 cm.
    """
    visual = meshes.read(robot)
    where = meshes.placements(robot, visual, q)
    return _height(meshes.corners_in_world(meshes.boxes(robot, visual), where))


def _height(points: Array) -> float:
    return max(0.01, float(np.ptp(points[:, 2]))) if len(points) else 0.01


def _matrix(placement: Any) -> Array:
    value = getattr(placement, "homogeneous", placement)
    return checks.finite(value, "placement", (4, 4))
