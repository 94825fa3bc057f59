"""Drawings as pieces: what `Viewer.arrow`, `cone`, `polygon`, … put into the page.

A shape is a dict of pieces by name, each with an object and where it stands. The same shape with
other numbers keeps its objects where it can and only moves them: that is cheap to send, and can be
animated.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import geometry, three
from .commands import Object

Array = NDArray[np.float64]

GHOST = 0.22  # share of its opacity with which something is seen through the robot
GREATER_DEPTH = 6  # three.js: draw only what lies behind what is there already

_UNIT_CYLINDER = three.cylinder(1.0, 1.0, 1.0)
_UNIT_CONE = three.cylinder(0.0, 1.0, 1.0)


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

    def surface(self, opacity: float | None = None, **properties: object) -> three.Part:
        """Return the material; `opacity` in place of this style's."""
        # half of the colour whatever the light, so that it is the same one from all sides
        values: dict[str, object] = {"emissive": _dim(self.color, 0.5)}
        if self.on_top:
            values |= {"depthTest": False, "depthWrite": False, "side": 0}
        opacity = self.opacity if opacity is None else opacity
        return three.material(_dim(self.color, 0.5), opacity, **(values | properties))

    def object(
        self, part: three.Part, opacity: float | None = None, **properties: object
    ) -> Object:
        """Return an object of this style; `properties` go to its material."""
        extra: dict[str, Any] = {"renderOrder": 10} if self.on_top else {}
        return three.object3d(part, self.surface(opacity, **properties), **extra)

    def pieces(self, name: str, part: three.Part, matrix: Array, opacity: float = 0.0) -> Pieces:
        """Return an object, and its ghost: what of it is hidden behind the robot, seen faintly."""
        opacity = opacity or self.opacity
        solid = {name: Piece(self.object(part, opacity), matrix)}
        if self.on_top:
            return solid
        behind = {"depthFunc": GREATER_DEPTH, "transparent": True, "depthWrite": False, "side": 0}
        return solid | {
            f"{name} behind": Piece(self.object(part, GHOST * opacity, **behind), matrix)
        }


@dataclass(frozen=True, eq=False)
class Piece:
    """One object of a shape.

    Attributes:
        object: in three.js's JSON form.
        matrix: (4, 4), where it stands.
        shadow: whether it casts one.
    """

    object: Object
    matrix: Array = field(default_factory=lambda: np.eye(4))
    shadow: bool = False


Pieces = dict[str, Piece]


@dataclass(frozen=True, eq=False)
class Shape:
    """A drawing: its pieces by name, and points (k, 3) [m] that a picture of it must hold."""

    pieces: Pieces
    extent: Array


def arrow(point: Array, vector: Array, radius: float, style: Style) -> Shape:
    """Return an arrow from point to point + vector [m]; an empty shape when it is too short."""
    parts = geometry.arrow_parts(point, vector, radius)
    pieces: Pieces = {}
    if parts is not None:
        pieces |= style.pieces("shaft", _UNIT_CYLINDER, parts[0])
        pieces |= style.pieces("head", _UNIT_CONE, parts[1])
    return Shape(pieces, np.array([point, point + vector]))


def cone(
    apex: Array, axis: Array, half_angle: float, height: float, radius: float, style: Style
) -> Shape:
    """Return a cone with a rim and a few straight lines, for its edge to be seen."""
    vertices, triangles = geometry.cone(half_angle, height)
    matrix = geometry.placement(apex, geometry.rotation_to(axis, axis=2))
    rim = geometry.tube(vertices[1:], radius, closed=True, sides=8)
    lines = [
        geometry.tube(np.array([vertices[0], corner]), 0.6 * radius, sides=6)
        for corner in vertices[1::8]
    ]
    edge = three.mesh(*geometry.merge([rim, *lines]))
    side = {"side": Piece(style.object(three.mesh(vertices, triangles)), matrix)}
    edges = style.pieces("edge", edge, matrix, min(1.0, 2.2 * style.opacity))
    return Shape(side | edges, vertices @ matrix[:3, :3].T + apex)


def polygon(points: Array, radius: float, style: Style) -> Shape:
    """Return a convex polygon: filled, with an outline. Two points give a line, one a ball."""
    corners = geometry.without_repeats(points, closed=True)
    outline = geometry.tube(corners, radius, closed=True)
    strong = min(1.0, 3 * style.opacity)
    pieces = style.pieces("outline", three.mesh(*outline), np.eye(4), strong)
    if len(corners) > 2:
        # closer to the eye than the ground that it may lie on
        lift = {"polygonOffset": True, "polygonOffsetFactor": -2.0, "polygonOffsetUnits": -2.0}
        pieces["fill"] = Piece(style.object(three.mesh(*geometry.fan(corners)), **lift))
    return Shape(pieces, corners)


def point(position: Array, radius: float, style: Style) -> Shape:
    """Return a ball."""
    matrix = geometry.placement(position, scale=np.full(3, radius))
    return Shape(style.pieces("ball", three.sphere(1.0), matrix), position[None])


def path(points: Array, radius: float, closed: bool, style: Style) -> Shape:
    """Return a round line through points."""
    tube = geometry.tube(points, radius, closed=closed)
    return Shape(style.pieces("line", three.mesh(*tube), np.eye(4)), points)


def frame(matrix: Array, length: float, radius: float, opacity: float, on_top: bool) -> Shape:
    """Return axes x, y, z in red, green, blue."""
    pieces: Pieces = {}
    for axis, (name, color) in enumerate((("x", 0xD62839), ("y", 0x2A9D5C), ("z", 0x2667C9))):
        tip = length * np.eye(3)[axis]
        style = Style(color, opacity, on_top)
        bar = geometry.along(np.zeros(3), tip, radius)
        pieces |= style.pieces(name, _UNIT_CYLINDER, matrix @ bar)
    ends = np.vstack((np.zeros(3), length * np.eye(3)))
    return Shape(pieces, ends @ matrix[:3, :3].T + matrix[:3, 3])


def box(matrix: Array, size: Array, style: Style) -> Shape:
    """Return a box of full sides size (3,), its middle at the matrix's origin."""
    part = three.box(*(float(side) for side in size))
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    corners = (signs * size / 2) @ matrix[:3, :3].T + matrix[:3, 3]
    thing = three.object3d(part, three.material(style.color, style.opacity))  # a thing, not a sign
    return Shape({"box": Piece(thing, matrix, shadow=style.opacity == 1)}, corners)


def label(position: Array, text: str, height: float, color: int) -> Shape:
    """Return a text that faces the eye and is seen through everything."""
    words: dict[str, Any] = {
        "uuid": text,
        "type": "_text",
        "text": text,
        "font_size": 64,
        "font_face": "sans-serif",
    }
    surface = three.material(color, type="SpriteMaterial", map=text, transparent=True)
    surface = {**surface, "depthTest": False, "depthWrite": False, "textures": [words]}
    surface["alphaTest"] = 0.05
    sprite = three.object3d({"uuid": "none"}, surface, kind="Sprite", renderOrder=20)
    sprite = {**sprite, "geometries": []}
    scale = np.array([4 * height, 4 * height, 1.0])
    return Shape({"text": Piece(sprite, geometry.placement(position, scale=scale))}, position[None])


def _dim(color: int, factor: float) -> int:
    parts = [int(factor * (color >> shift & 0xFF)) for shift in (16, 8, 0)]
    return (parts[0] << 16) + (parts[1] << 8) + parts[2]
