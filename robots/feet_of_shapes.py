"""Feet found from shapes: the soles and balls at the ends of a robot's legs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from .configuration import check_robot
from .feet.foot import Foot
from .feet.found import FoundFeet
from .feet.outlines import placed
from .feet.sole_shapes import of_link, touching_foot
from .feet.standing import stand
from .robot import Robot
from .values import texts


def feet_of_shapes(robot: Robot, links: Iterable[str] | None = None) -> dict[str, Foot]:
    """Return name -> `Foot` for the ends of a robot's legs, by their shapes.

    Legs are the limbs that reach furthest down (`robots.feet.limbs`), not arms, tails or trunks.
    In the posture in which the robot stands on them (`robots.feet.standing`), what lies within
    1 mm of the lowest plane of a foot (3 mm where it is uneven) spans its sole, at most 8
    vertices; if its area is below 4 cm², the foot is a point, or the ball there; a wheel is a
    ball around its axis. Collision shapes are used, visual ones where a link has no others. A
    foot is named after the link with the lowest shape; feet that mirror each other have one sole.

    Args:
        robot: with its shapes; without shapes or legs, or with a fixed base, no feet are found.
        links: the links to take as feet, instead of the ends of the legs.

    Raises:
        ConfigurationError: no such link, or one without a shape.
    """
    check_robot(robot)
    if links is None:
        return dict(robot.standing.feet) if isinstance(robot.feet, FoundFeet) else _by_shape(robot)
    shapes, model = robot._outlines, robot._model
    found, data = {}, placed(model, robot.posture())
    for link in texts(links, "links"):
        own = of_link(model, shapes, link)
        found[link] = replace(touching_foot(model, data, own), name=link)
    return found


def _by_shape(robot: Robot) -> dict[str, Foot]:
    if not robot.is_floating:
        return {}
    return stand(robot, robot._outlines).feet
