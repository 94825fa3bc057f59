"""Standing: a whole-body controller for a robot on its feet, with its usual tasks and posture."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ... import dynamics
from ...arrays import Array
from ...contacts import ContactSet, PointContact, Posture, Terrain, at_feet, solve_posture
from ...contacts.cones.friction_cone import Friction
from ...contacts.terrain.faces import Face
from ...errors import ContactError
from ...options import check_options
from ...robots.configuration import check_configuration, check_robot
from ...robots.feet.found import lies_on, stands_nowhere
from ...robots.robot import Robot
from ...robots.values import instance, number
from ..tasks import ComTask, FrameTask, PostureTask
from .controller import WholeBodyController

GROUND = Face("ground", pin.SE3.Identity(), np.array([np.inf, np.inf]))


def stand(
    robot: Robot,
    contacts: ContactSet | None = None,
    q: ArrayLike | None = None,
    *,
    friction: Friction = 0.7,
    crouch: float = 0.0,
    terrain: Terrain | None = None,
    **options: Any,
) -> tuple[WholeBodyController, Array]:
    """Return a controller that keeps a robot standing, and the configuration q (nq,) in which it
    stands.

    Its tasks are "com", "base" (orientation) and "posture".

    Args:
        robot: floating base.
        contacts: the robot's feet when not given. Legs without an ankle roll cannot keep two soles
            flat at velocities with noise: `gaits.rolling.rolling` gives the lines that they can.
        q: where it stands; its usual posture on level ground, balanced, when not given. Its feet
            move along the ground where its legs cannot lay them flat in their places.
        friction: of the feet when contacts are not given; two along the soles' axes.
        crouch: by how much the centre of mass comes down from there [m].
        terrain: the ground that its feet are put on when q is not given; level when not given.
        options: of the WholeBodyController.

    Raises:
        ConfigurationError, ContactError: arguments that do not fit the robot; no such posture.
    """
    check_options(options, "stand", stand, WholeBodyController)
    feet = at_feet(robot, friction) if contacts is None else ContactSet.of(robot, contacts)
    targets = None
    if q is None:
        faces = {foot.name: GROUND for foot in feet}
        if terrain is not None:
            usual = robot.posture()
            targets = instance(terrain, "terrain", Terrain).targets(feet, usual)
            under = feet.placements(usual).items()
            faces = {name: terrain.beneath(T, feet[name].points)[0] for name, T in under}
            feet = _facing(feet, targets)
        q = _balanced(robot, feet, targets, faces)
        targets = targets and feet.placements(q)
    else:
        q = check_configuration(robot, q).copy()
    if number(crouch, "crouch", unit="[m]"):
        x, y, z = dynamics.com(robot, q)
        lower = solve_posture(robot, feet, com=(x, y, z - crouch), targets=targets, q0=q)
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
    frames = [f for f in check_robot(robot)._model.frames if f.parentJoint == 1]
    bodies = [f.name for f in frames if f.type == pin.FrameType.BODY]
    return str((bodies or [f.name for f in frames])[0])


def _facing(feet: ContactSet, targets: dict[str, Any]) -> ContactSet:
    """The feet, points with the normals of what they stand on."""
    turned = [
        replace(foot, normal=targets[foot.name].rotation[:, 2])
        if isinstance(foot, PointContact)
        else foot
        for foot in feet
    ]
    return ContactSet(feet.robot, turned)


def _balanced(
    robot: Robot, feet: ContactSet, targets: dict[str, Any] | None, faces: dict[str, Face]
) -> Array:
    if problem := stands_nowhere(robot):
        raise ContactError(f"{robot.name!r} finds no posture to stand in: {problem}")
    posture = solve_posture(robot, feet, com="inside", targets=targets)
    problem = why_not_standing(posture)
    if problem:  # legs of five joints lay their soles flat in some places only
        flat = {foot.name: faces[foot.name] for foot in feet if not foot.turning_axes}
        anywhere = {**(targets or {}), **flat}
        posture = solve_posture(robot, feet, com="inside", targets=anywhere)
        problem = problem if why_not_standing(posture) else ""
    if problem:
        raise ContactError(f"{robot.name!r} finds no posture to stand in: {problem}")
    return posture.q


def why_not_standing(posture: Posture) -> str:
    """Why nothing stands in a posture, in words; "" when something does."""
    return posture.reason or lies_on(posture.contacts.robot, posture.q)
