"""Drawings as pieces: what `Viewer.arrow`, `cone`, `polygon`, … put into the page.

A shape is a dict of pieces by name, each with an object and where it stands. The same shape with
other numbers keeps its objects where it can and only moves them: that is cheap to send, and can be
animated.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from ...arrays import Array
from . import geometry, three
from .three import Part

GHOST = 0.35  # share of its opacity with which something is seen through the robot

_UNIT_CYLINDER = three.cylinder(1.0, 1.0, 1.0)
_UNIT_CONE = three.cylinder(0.0, 1.0, 1.0)
_UNIT_TURN = three.mesh(*geometry.turn())


@dataclass(frozen=True)
class Style:
    """How a drawing looks.

    Attributes:
        color: 0xRRGGBB.
        opacity: in (0, 1].
        on_top: seen through whatever stands before it.
    """

    color: int
    opacity: float = 1.0
    on_top: bool = False

    def object(
        self, part: Part, opacity: float | None = None, *, ghost: bool = True, **more: object
    ) -> three.Object:
        """Return an object of this style.

        Args:
            part: its geometry.
            opacity: in place of this style's.
            ghost: whether what of it is hidden behind the robot is seen faintly.
            more: properties of its material.
        """
        # half of the colour whatever the light, so that it is the same one from all sides
        values: dict[str, object] = {"emissive": _dim(self.color, 0.5)}
        if self.on_top:
            # among the transparent things, which the page draws last, though it may hide all behind
            values |= {"depthTest": False, "depthWrite": False, "side": 0, "transparent": True}
        opacity = self.opacity if opacity is None else opacity
        surface = three.material(_dim(self.color, 0.5), opacity, **(values | more))
        data = {"shadow": False, "ghost": GHOST if ghost and not self.on_top else 0.0}
        return three.object3d(part, surface, renderOrder=10 * self.on_top, userData=data)


@dataclass(frozen=True, eq=False)
class Piece:
    """One object of a shape.

    Attributes:
        object: in three.js's JSON form.
        matrix: (4, 4), where it stands.
        visible: whether it is seen; pieces of an animation come and go.
    """

    object: three.Object
    matrix: Array = field(default_factory=lambda: np.eye(4))
    visible: bool = True


@dataclass(frozen=True, eq=False)
class Shape:
    """A drawing: its pieces by name, and points (k, 3) [m] that a picture of it must hold."""

    pieces: dict[str, Piece]
    extent: Array


def arrow(point: Array, vector: Array, radius: float, style: Style) -> Shape:
    """Return an arrow from point to point + vector [m]; an empty shape when it is too short."""
    parts = geometry.arrow_parts(point, vector, radius)
    pieces = {}
    if parts is not None:
        pieces["shaft"] = Piece(style.object(_UNIT_CYLINDER), parts[0])
        pieces["head"] = Piece(style.object(_UNIT_CONE), parts[1])
    return Shape(pieces, np.array([point, point + vector]))


def moment(point: Array, vector: Array, style: Style) -> Shape:
    """Return an arc of radius |vector| [m] about a vector, with a head the way it turns."""
    size = float(np.linalg.norm(vector))
    if size < 1e-6:
        return Shape({}, point[None])
    axes = geometry.rotation_to(vector, axis=2)
    matrix = geometry.placement(point, axes, np.full(3, size))
    square = np.array([[1, 1, 0], [-1, 1, 0], [-1, -1, 0], [1, -1, 0]])
    return Shape({"arc": Piece(style.object(_UNIT_TURN), matrix)}, point + size * square @ axes.T)


def cone(
    apex: Array,
    rotation: Array,
    half_angles: tuple[float, float],
    height: float,
    radius: float,
    style: Style,
) -> Shape:
    """Return a cone along z of a rotation (3, 3), with half angles towards its x and y.

    It has a rim and a few straight lines, for its edge to be seen.
    """
    matrix = geometry.placement(apex, rotation)
    side, edge, corners = _cone_parts(half_angles, height, radius)
    pieces = {
        "side": Piece(style.object(side, ghost=False), matrix),
        "edge": Piece(style.object(edge, min(1.0, 2.2 * style.opacity)), matrix),
    }
    return Shape(pieces, corners @ matrix[:3, :3].T + apex)


@lru_cache(maxsize=256)  # the contacts of a scene share their angles, and keep them while they move
def _cone_parts(
    half_angles: tuple[float, float], height: float, radius: float
) -> tuple[Part, Part, Array]:
    widest = max(half_angles)
    vertices, triangles = geometry.cone(widest, height)
    if half_angles[0] != half_angles[1]:
        vertices[:, :2] *= np.tan(half_angles) / np.tan(widest)
    rim = geometry.tube(vertices[1:], radius, closed=True, sides=8)
    lines = [
        geometry.tube(np.array([vertices[0], corner]), 0.6 * radius, sides=6)
        for corner in vertices[1::8]
    ]
    edge = three.mesh(*geometry.merge([rim, *lines]))
    return three.mesh(vertices, triangles), edge, vertices


def pyramid(apex: Array, corners: Array, radius: float, style: Style) -> Shape:
    """Return a pyramid without its base: filled sides, their edges and the base's outline."""
    edges = [geometry.tube(corners, radius, closed=True)]
    edges += [geometry.tube(np.array([apex, c]), 0.6 * radius, sides=6) for c in corners[::2]]
    pieces = {
        "side": Piece(style.object(three.mesh(*geometry.pyramid(apex, corners)), ghost=False)),
        "edge": Piece(
            style.object(three.mesh(*geometry.merge(edges)), min(1.0, 2.2 * style.opacity))
        ),
    }
    return Shape(pieces, np.vstack((apex, corners)))


def polygon(points: Array, radius: float, style: Style) -> Shape:
    """Return a convex polygon: filled, with an outline. Two points give a line, one a ball."""
    corners = geometry.without_repeats(points, closed=True)
    outline = three.mesh(*geometry.tube(corners, radius, closed=True))
    pieces = {"outline": Piece(style.object(outline, min(1.0, 3 * style.opacity)))}
    if len(corners) > 2:
        # closer to the eye than the ground that it may lie on
        lift = {"polygonOffset": True, "polygonOffsetFactor": -2.0, "polygonOffsetUnits": -2.0}
        fill = style.object(three.mesh(*geometry.fan(corners)), ghost=False, **lift)
        pieces["fill"] = Piece(fill)
    return Shape(pieces, corners)


def point(position: Array, radius: float, style: Style) -> Shape:
    """Return a ball."""
    matrix = geometry.placement(position, scale=np.full(3, radius))
    return Shape({"ball": Piece(style.object(three.sphere(1.0)), matrix)}, position[None])


def path(points: Array, radius: float, closed: bool, style: Style) -> Shape:
    """Return a round line through points."""
    tube = geometry.tube(points, radius, closed=closed)
    return Shape({"line": Piece(style.object(three.mesh(*tube)))}, points)


def frame(matrix: Array, length: float, radius: float, opacity: float, on_top: bool) -> Shape:
    """Return axes x, y, z in red, green, blue."""
    pieces = {}
    for axis, (name, color) in enumerate((("x", 0xD62839), ("y", 0x2A9D5C), ("z", 0x2667C9))):
        style = Style(color, opacity, on_top)
        bar = geometry.along(np.zeros(3), length * np.eye(3)[axis], radius)
        pieces[name] = Piece(style.object(_UNIT_CYLINDER), matrix @ bar)
    ends = np.vstack((np.zeros(3), length * np.eye(3)))
    return Shape(pieces, ends @ matrix[:3, :3].T + matrix[:3, 3])


def box(matrix: Array, size: Array, style: Style) -> Shape:
    """Return a box of full sides size (3,), its middle at the matrix's origin."""
    part = three.box(*(float(side) for side in size))
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    corners = (signs * size / 2) @ matrix[:3, :3].T + matrix[:3, 3]
    thing = three.object3d(part, three.material(style.color, style.opacity))  # lit like the robot
    return Shape({"box": Piece(thing, matrix)}, corners)


def label(position: Array, text: str, height: float, color: int) -> Shape:
    """Return a text that faces the eye and is seen through everything; `height` of a capital."""
    words: three.Object = {"label": {"text": text, "color": f"#{color:06x}"}}
    scale = np.full(3, height)
    return Shape({"text": Piece(words, geometry.placement(position, scale=scale))}, position[None])


def _dim(color: int, factor: float) -> int:
    parts = [int(factor * (color >> shift & 0xFF)) for shift in (16, 8, 0)]
    return (parts[0] << 16) + (parts[1] << 8) + parts[2]
