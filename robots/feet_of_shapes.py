"""Feet found from shapes: the soles and balls at the ends of a robot's legs."""

from __future__ import annotations

from .configuration import check_robot
from .feet.foot import Foot
from .feet.found import FoundFeet
from .feet.standing import stand
from .robot import Robot


def feet_of_shapes(robot: Robot) -> dict[str, Foot]:
    """Return name -> `Foot` for the ends of a robot's legs, by their shapes.

    Legs are the limbs that reach furthest down (`robots.feet.limbs`), not arms, tails or trunks.
    In the posture in which the robot stands on them (`robots.feet.standing`), what lies within
    1 mm of the lowest plane of a foot (3 mm where it is uneven) spans its sole, at most 8
    vertices; if its area is below 4 cm², the foot is a point, or the ball there; a wheel is a
    ball around its axis. Collision shapes are used, visual ones where a link has no others. A
    foot is named after the link with the lowest shape; feet that mirror each other have one sole.

    Without shapes or legs, or with a fixed base, no feet are found.
    """
    if isinstance(check_robot(robot).feet, FoundFeet):
        return dict(robot.standing.feet)
    return stand(robot, robot._outlines).feet if robot.is_floating else {}
