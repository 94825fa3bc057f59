"""Forward: the axis of the base that points ahead, and where it and left are along the ground."""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot

import numpy as np
import pinocchio as pin

from ..arrays import Array
from ..dynamics import State
from ..robots.feet.found import SolvedPostures
from ..robots.feet.sides import side
from .attachment import Attachment
from .contact import Contact

UP = np.array([0.0, 0.0, 1.0])
ALONG = 0.9  # cosine from which on an axis of the base is taken for the one to the left


def forward(feet: Sequence[Contact], attachment: Attachment) -> Array:
    """Return the axis (3,) of the base that points ahead, in its axes.

    x, as is usual (REP 103), unless the names of feet tell that left is elsewhere: with u the mean
    of the left ones' places at neutral minus that of the right ones', and z up as the robot stands,
    the axis nearest to u × z. Where they do not, a robot whose posture was solved faces x in it.
    """
    robot, sides = attachment.robot, np.array([side(x.name) or side(x.frame) for x in feet])
    if 1 in sides and -1 in sides:
        neutral = State(robot, robot.neutral())
        places = attachment.positions(neutral) @ _base(neutral)
        u = places[sides == 1].mean(axis=0) - places[sides == -1].mean(axis=0)
        down = robot._model.gravity.linear @ _base(State(robot, robot.posture()))
        ahead = np.cross(down, u)
        if np.abs(ahead).max() > ALONG * np.linalg.norm(ahead):
            return _axis_along(ahead)
    if isinstance(robot.postures, SolvedPostures) and not robot.standing.problem:
        return _axis_along(_base(State(robot, robot.posture()))[0])
    return _axis_along(np.array([1.0, 0.0, 0.0]))


def ground_axes(state: State, ahead: Array, normal: Array = UP) -> Array:
    """Return the forward axis of a robot and the one to its left, along the ground (2, 3).

    Where it looks up or down, its left and the normal tell where ahead is.

    Args:
        state: of a robot with a floating base.
        ahead: (3,), in the axes of the base, as `forward` has it.
        normal: (3,), unit vector of the ground.
    """
    R = _base(state)
    x = R @ ahead
    x = x - (x @ normal) * normal
    if hypot(*x.tolist()) < 0.1:
        x = np.cross(R @ np.cross(UP, ahead), normal)
    x /= hypot(*x.tolist())
    return np.array([x, pin.skew(normal) @ x])


def _base(state: State) -> Array:
    """R_world_base (3, 3)."""
    return state.joint_placements[1, :, :3]


def _axis_along(x: Array) -> Array:
    """± the unit vector (3,) that is nearest to x, read-only."""
    axis, k = np.zeros(3), int(np.abs(x).argmax())
    axis[k] = np.sign(x[k])
    axis.flags.writeable = False
    return axis
