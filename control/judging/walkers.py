"""Footwork's own controllers of gaits, as controllers that can be judged."""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from ... import contacts as _contacts
from ...contacts.cones.friction_cone import Friction
from ...robots.robot import Robot
from ...robots.values import one_of, vector
from .. import gaits
from ..standing import stand
from ..walking import WalkingController
from .sensors import OfState

TIMES = {"walk": (0.6, 0.2), "trot": (0.2, 0.05), "crawl": (0.3, 0.3)}  # swing, between [s]
GAITS = ("stand", *TIMES)
ALWAYS = 60.0  # how long the gaits go on [s]


def walker(
    robot: Robot,
    q: ArrayLike,
    velocity: ArrayLike,
    *,
    gait: str = "stand",
    friction: Friction = 0.7,
) -> OfState:
    """Return footwork's controller of a gait at a velocity, to be judged.

    Args:
        robot, q: who, and where it stands (nq,).
        velocity: (v_x, v_y) [m/s] and ω_z [rad/s].
        gait: one of `GAITS`.
        friction: that the controller believes in.

    Raises:
        ConfigurationError, ContactError: what does not fit the robot.
    """
    one_of(gait, "gait", GAITS)
    command = vector(velocity, "velocity", "v_x, v_y [m/s] and ω_z [rad/s]")
    feet = _contacts.at_feet(robot, friction)
    if gait == "stand":
        return OfState(stand(robot, feet, q)[0])
    swing, double = TIMES[gait]
    call = getattr(gaits, "footsteps" if gait == "walk" else gait)
    length = float(command[0]) * (swing + double)
    length *= {"walk": 1, "trot": 2, "crawl": 4}[gait]  # how many swings a foot waits for its next
    count = math.ceil(ALWAYS / (swing + double))
    phases = call(feet, q, count, length=length, swing=swing, double=double)
    return OfState(WalkingController(robot, feet, q, phases))
