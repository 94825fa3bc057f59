"""The usual way to stand: contacts at the feet, bent as the robot stands, and tasks to stay so."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike, NDArray

from .. import dynamics
from ..contacts import ContactSet, at_feet, solve_posture
from ..errors import ContactError
from ..robots.configuration import check_configuration
from ..robots.robot import Robot
from .tasks import ComTask, FrameTask, PostureTask
from .whole_body import WholeBodyController

Array = NDArray[np.float64]


def stand(
    robot: Robot,
    contacts: ContactSet | None = None,
    q: ArrayLike | None = None,
    *,
    friction: float = 0.7,
    crouch: float = 0.0,
    **options: Any,
) -> tuple[WholeBodyController, Array]:
    """Return a controller that keeps a robot standing, and where it does so, q (nq,).

    Its tasks are "com", "base" (orientation) and "posture".

    Args:
        robot: floating base.
        contacts: the robot's feet when not given.
        q: where it stands; its usual posture on level ground, balanced, when not given.
        friction: of the feet when contacts are not given.
        crouch: by how much the centre of mass comes down from there [m].
        options: of the WholeBodyController.

    Raises:
        ConfigurationError, ContactError: what does not fit the robot, or no such posture.
    """
    feet = at_feet(robot, friction) if contacts is None else ContactSet.of(robot, contacts)
    q = _balanced(robot, feet) if q is None else check_configuration(robot, q).copy()
    if crouch:
        x, y, z = dynamics.com(robot, q)
        lower = solve_posture(robot, feet, com=(x, y, z - crouch), q0=q)
        if not lower.converged:
            raise ContactError(f"crouch: got {crouch} m; {lower.reason}")
        q = lower.q
    base = trunk(robot)
    pose = dynamics.frame_placement(robot, q, base)
    tasks = [
        ComTask(dynamics.com(robot, q), weight=10.0, gain=30.0),
        FrameTask(pose, frame=base, rows_of="orientation", weight=5.0, gain=50.0, name="base"),
        PostureTask(q, weight=0.1, gain=50.0),
    ]
    return WholeBodyController(robot, feet, tasks, **options), q


def trunk(robot: Robot) -> str:
    """Return the name of the link that the floating base carries."""
    frames = [f for f in robot.model.frames if f.parentJoint == 1]
    bodies = [f.name for f in frames if f.type == pin.FrameType.BODY]
    return str((bodies or [f.name for f in frames])[0])


def _balanced(robot: Robot, feet: ContactSet) -> Array:
    posture = solve_posture(robot, feet, com="inside")
    if not posture.converged:
        raise ContactError(f"{robot.name!r} finds no posture to stand in: {posture.reason}")
    return posture.q
