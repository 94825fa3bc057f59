"""Differences between the feet of two descriptions of one robot."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Array
from ...errors import FootworkError
from ..feet.foot import Foot
from ..feet.sole_shapes import FLAT
from ..robot import Robot
from .bodies import Body, places
from .difference import Difference
from .quantities import angle, both, degrees, metres, numbers

Bodies = tuple[Body, ...]

_TURNED = 0.01  # [rad], of a sole of 0.2 m whose edges are a millimetre up and down
_DIRECTIONS = np.linspace(0, 2 * np.pi, 64, endpoint=False)  # in which soles are measured


class Placed(NamedTuple):
    """A foot on a body: its index, and the sole's placement in the body's frame."""

    foot: Foot
    body: int
    corners: Array  # (k, 3), in the frame of the body
    axes: Array  # (3, 3), of the sole: x forward, z up

    @property
    def middle(self) -> Array:
        """The middle of the sole's extents along its axes (3,)."""
        local = self.corners @ self.axes
        return np.asarray(self.axes @ (local.min(axis=0) + local.max(axis=0)) / 2)

    @property
    def kind(self) -> str:
        """What it is, in words."""
        return "a point" if self.foot.is_point else "a sole"


def compared_feet(
    a: Robot, b: Robot, bodies: tuple[Bodies, Bodies], tolerance: float
) -> tuple[list[Difference], list[str]]:
    """Return the differences between the feet, and remarks."""
    try:
        feet = [_placed(robot, some) for robot, some in zip((a, b), bodies, strict=True)]
    except FootworkError as error:  # a mesh that cannot be read, a loop that does not close
        return [], [f"feet are not compared: {error}"]
    ways = ["found by shape" if robot.feet_by_shape else "described" for robot in (a, b)]
    if ways[0] != ways[1]:
        return [], [f"feet are not compared: those of A are {ways[0]}, those of B {ways[1]}"]
    pairs, alone = _paired(*feet)
    slack = tolerance, tolerance
    if a.feet_by_shape:  # a sole is found up to its flatness
        slack = max(tolerance, FLAT), max(tolerance, _TURNED)
    found = [d for one, other in pairs for d in _differences(one, other, bodies[0], slack)]
    for foot, side in alone:
        body, name = bodies[0][foot.body], f"foot {foot.foot.name!r}"
        found.append(Difference.missing(name, side == 0, body.link, body.joint))
    return found, []


def _placed(robot: Robot, bodies: Bodies) -> list[Placed]:
    where, found = places(bodies), []
    for foot in robot.feet.values():
        if foot.frame in where:
            i, T = where[foot.frame]
            axes = (T * foot.placement).rotation
            found.append(Placed(foot, i, foot.points(T), axes))
    return found


def _paired(
    feet: list[Placed], others: list[Placed]
) -> tuple[list[tuple[Placed, Placed]], list[tuple[Placed, int]]]:
    """Return pairs of feet on one body, the nearest; and those without, 0 of A or 1 of B."""
    left, pairs, alone = list(others), [], []
    for foot in feet:
        near = [other for other in left if other.body == foot.body]
        if near:
            middles = [float(np.linalg.norm(other.middle - foot.middle)) for other in near]
            other = near[int(np.argmin(middles))]
            left = [one for one in left if one is not other]
            pairs.append((foot, other))
        else:
            alone.append((foot, 0))
    return pairs, [*alone, *((foot, 1) for foot in left)]


def _differences(
    a: Placed, b: Placed, bodies: Bodies, slack: tuple[float, float]
) -> Iterator[Difference]:

    body, name = bodies[a.body], f"foot {a.foot.name!r}"

    def differ(what: str, x: object, y: object, unit: str, texts: tuple[str, str], gap: str) -> Any:
        return Difference(body.link, body.joint, f"{what} of {name}", x, y, unit, texts, gap)

    if a.foot.is_point != b.foot.is_point:
        yield differ("kind", a.kind, b.kind, "", (a.kind, b.kind), "")
        return
    apart = float(np.linalg.norm(a.middle - b.middle))
    if apart > slack[0]:
        places = a.middle, b.middle
        yield differ("place", *places, "m", both(*places), metres(apart))
    sizes = _size(a), _size(b)
    if (gap := _larger(a, b)) > slack[0]:
        yield differ("size", *sizes, "m", both(*sizes, _words), metres(gap))
    turned = angle(a.axes[:, 2], b.axes[:, 2])
    if not a.foot.is_point and turned > slack[1]:
        normals = a.axes[:, 2], b.axes[:, 2]
        yield differ("normal", *normals, "", both(*normals), degrees(turned))


def _size(foot: Placed) -> Array:
    """Return the radius of a ball (1,), or the extents of a sole along its axes (2,) [m]."""
    if foot.foot.is_point:
        return np.array([foot.foot.radius])
    return np.asarray(np.ptp(foot.foot.vertices, axis=0))


def _words(size: Array, other: Array) -> str:
    words = numbers(size, other).strip("()")
    return f"radius {words}" if len(size) == 1 else words.replace(", ", " x ")


def _larger(a: Placed, b: Placed) -> float:
    """Return how far the outline of one, put on the other's middle, is from the other's [m]."""
    if a.foot.is_point:
        return abs(a.foot.radius - b.foot.radius)
    around = np.array([np.cos(_DIRECTIONS), np.sin(_DIRECTIONS), 0 * _DIRECTIONS])
    reach = [((x.corners - x.middle) @ a.axes @ around).max(axis=0) for x in (a, b)]
    return float(np.abs(reach[0] - reach[1]).max())
