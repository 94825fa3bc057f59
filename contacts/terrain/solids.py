"""Planes, boxes, stairs and walls.

Angles are in degrees, as people give them; headings are seen from above, from x to y. Each part of
a terrain has `solids`, each solid a name, faces, its signed distance and its outward normal.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ...arrays import Array
from ...errors import ContactError
from ...options import names_checked
from ...robots.values import direction, length, vector, whole_number
from .edges import Edges
from .faces import Face, FlatSided, Solid
from .part_values import Numbers, check_lengths, check_part

SIDES = (("front", 0, 1.0), ("back", 0, -1.0), ("left", 1, 1.0), ("right", 1, -1.0),
         ("top", 2, 1.0), ("bottom", 2, -1.0))  # fmt: skip


@names_checked
@dataclass(frozen=True)
class Plane(FlatSided):
    """A half-space: level ground, an endless slope, or a wall without edges.

    Attributes:
        name: what contacts call it.
        at: a point of it, (x, y, z) [m].
        rises: its slope [degrees]: 0 is level, 90 a wall that faces away from `towards`.
        towards: the direction, seen from above, in which it rises [degrees from x to y].
        friction: Coulomb coefficient, None to leave it to the contacts.
    """

    name: str = "ground"
    at: Numbers = (0.0, 0.0, 0.0)
    rises: float = 0.0
    towards: float = 0.0
    friction: float | None = None

    def __post_init__(self) -> None:
        check_part(self, "rises", "towards")

    @classmethod
    def through(cls, point: ArrayLike, normal: ArrayLike, name: str = "ground") -> Plane:
        """Return the plane through `point` (3,) with the outward `normal` (3,), of any length."""
        n = direction(normal, "normal", error=ContactError)
        p = vector(point, "point", error=ContactError)
        rises = np.degrees(np.arctan2(np.hypot(n[0], n[1]), n[2]))
        towards = np.degrees(np.arctan2(-n[1], -n[0])) if rises > 0 else 0.0
        return cls(name, tuple(map(float, p)), float(rises), float(towards))

    @cached_property
    def faces(self) -> tuple[Face, ...]:
        """Its one side."""
        R = turned(self.towards, self.rises)
        placement = pin.SE3(R, np.array(self.at, dtype=float))
        return (Face(self.name, placement, np.full(2, np.inf), self.friction),)

    @property
    def edges(self) -> Edges:
        """None."""
        return Edges.none()

    def signed_distance(self, points: Array) -> Array:
        """Return n · (p − o) (n,) [m]."""
        return self.faces[0].height(points)

    def normal(self, points: Array) -> Array:
        """Return n for each of points (n, 3)."""
        return np.broadcast_to(self.faces[0].normal, points.shape).copy()


@names_checked
@dataclass(frozen=True)
class Box(FlatSided):
    """A box that stands on the ground, or floats: a step, a stone, a beam, a rung.

    Attributes:
        name: what contacts call it.
        size: full sides (x, y, z) [m], x along its heading.
        at: the middle of its lower side, (x, y, z) [m].
        heading: of its x axis, seen from above [degrees from x to y].
        rises: how much that axis is turned up, about `at` [degrees].
        friction: Coulomb coefficient, None to leave it to the contacts.
    """

    name: str
    size: Numbers
    at: Numbers = (0.0, 0.0, 0.0)
    heading: float = 0.0
    rises: float = 0.0
    friction: float | None = None

    def __post_init__(self) -> None:
        check_part(self, "heading", "rises")
        for side in vector(self.size, "size", error=ContactError).tolist():
            length(side, "size", error=ContactError)

    @cached_property
    def placement(self) -> Any:
        """T_world_box (`pin.SE3`), its middle."""
        R = turned(self.heading, self.rises)
        return pin.SE3(R, np.array(self.at, dtype=float) + R[:, 2] * self.size[2] / 2)

    @cached_property
    def faces(self) -> tuple[Face, ...]:
        """Front (+x), back, left (+y), right, top (+z), bottom."""
        return tuple(sides_of(self, np.array(self.size) / 2, SIDES))

    @cached_property
    def edges(self) -> Edges:
        """Its twelve edges."""
        half, R = np.array(self.size) / 2, self.placement.rotation
        ends, normals = np.empty((12, 2, 3)), np.empty((12, 2, 3))
        for i, (axis, signs) in enumerate(product(range(3), product((-1.0, 1.0), repeat=2))):
            others = [k for k in range(3) if k != axis]
            ends[i, :, others] = (np.array(signs) * half[others])[:, None]
            ends[i, :, axis] = -half[axis], half[axis]
            normals[i] = np.array(signs)[:, None] * np.eye(3)[others]
        return Edges(ends @ R.T + self.placement.translation, normals @ R.T)

    def signed_distance(self, points: Array) -> Array:
        """Return (n,): the length of what is outside, or minus the depth of the nearest side."""
        excess = np.abs(self._local(points)) - np.array(self.size) / 2
        outside = np.linalg.norm(np.maximum(excess, 0.0), axis=-1)
        return np.asarray(outside + np.minimum(excess.max(axis=-1), 0.0))

    def normal(self, points: Array) -> Array:
        """Return (n, 3): away from the nearest point; inside, out of the nearest side."""
        local = self._local(points)
        excess = np.abs(local) - np.array(self.size) / 2
        inside = np.eye(3)[excess.argmax(axis=-1)]
        outside = np.maximum(excess, 0.0)
        length = np.linalg.norm(outside, axis=-1, keepdims=True)
        away = np.where(length > 0, outside / np.where(length > 0, length, 1.0), inside)
        return np.asarray((np.where(local < 0, -1.0, 1.0) * away) @ self.placement.rotation.T)

    def _local(self, points: Array) -> Array:
        return np.asarray((points - self.placement.translation) @ self.placement.rotation)


def sides_of(part: Any, half: Array, sides: Iterable[tuple[str, int, float]]) -> list[Face]:
    """Return some of `SIDES` of a part, with half sizes (3,) about its placement [m].

    Right-handed axes with the outward normal as z; y up on the four upright sides.
    """
    faces = []
    for side, axis, sign in sides:
        z, y = sign * np.eye(3)[axis], np.eye(3)[1 if axis == 2 else 2]
        x = np.cross(y, z)
        spans = half[[np.abs(x).argmax(), y.argmax()]]
        T = part.placement * pin.SE3(np.column_stack([x, y, z]), z * half[axis])
        faces.append(Face(f"{part.name}, {side}", T, spans, part.friction))
    return faces


@names_checked
@dataclass(frozen=True)
class Stairs:
    """A flight of steps: boxes "name/1", "name/2", … from the ground up.

    Attributes:
        name: what contacts call it, with the number of the step.
        steps: how many.
        rise, depth, width: of each step [m].
        at: the middle of the foot of the first riser, (x, y, z) [m].
        heading: the way up, seen from above [degrees from x to y].
        friction: Coulomb coefficient, None to leave it to the contacts.
    """

    name: str
    steps: int
    rise: float
    depth: float
    width: float
    at: Numbers = (0.0, 0.0, 0.0)
    heading: float = 0.0
    friction: float | None = None

    def __post_init__(self) -> None:
        check_part(self, "heading")
        check_lengths(self, "rise", "depth", "width")
        steps = whole_number(self.steps, "steps", at_least=1, error=ContactError)
        if steps > 1000:
            raise ContactError(f"steps: got {steps}, expected a whole number from 1 to 1000")
        object.__setattr__(self, "steps", steps)

    @cached_property
    def solids(self) -> tuple[Solid, ...]:
        """One box a step."""
        forward = turned(self.heading, 0.0)[:, 0]
        boxes = []
        for k in range(1, self.steps + 1):
            foot = np.array(self.at) + (k - 0.5) * self.depth * forward
            size = (self.depth, self.width, k * self.rise)
            at = tuple(map(float, foot))
            boxes.append(Box(f"{self.name}/{k}", size, at, self.heading, 0.0, self.friction))
        return tuple(boxes)


@names_checked
@dataclass(frozen=True)
class Wall:
    """An upright wall with edges; its face is the front of a box.

    Attributes:
        name: what contacts call it.
        at: the middle of the foot of its face, (x, y, z) [m].
        facing: where its face looks, seen from above [degrees from x to y].
        width, height, thickness: [m].
        friction: Coulomb coefficient, None to leave it to the contacts.
    """

    name: str
    at: Numbers
    facing: float = 180.0
    width: float = 1.2
    height: float = 1.5
    thickness: float = 0.06
    friction: float | None = None

    def __post_init__(self) -> None:
        check_part(self, "facing")
        check_lengths(self, "width", "height", "thickness")

    @cached_property
    def solids(self) -> tuple[Solid, ...]:
        """One box, behind the face."""
        out = turned(self.facing, 0.0)[:, 0]
        at = tuple(map(float, np.array(self.at) - out * self.thickness / 2))
        size = (self.thickness, self.width, self.height)
        return (Box(self.name, size, at, self.facing, 0.0, self.friction),)


def turned(heading: float, rises: float) -> Array:
    """Return R_z(heading) R_y(−rises), angles in degrees.

    x points along `heading`, and up by `rises`.
    """
    up = pin.utils.rotate("y", -np.radians(rises))
    return np.asarray(pin.utils.rotate("z", np.radians(heading)) @ up)
