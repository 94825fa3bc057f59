"""Newton-Euler balance of every body of a robot in a moving frame.

    [m a'; I ω̇ + ω × I ω]  =  joints + external (gravity too) + fictitious

with the relative acceleration a' and the inertial ω, both in the observer's axes. Joint wrenches
do not depend on the observer. A body consists of all links rigidly attached to one joint and is
named after it, as in `dynamics.joint_wrenches`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ...dynamics.equations import joint_wrenches
from ...dynamics.loads import check_wrenches, world_wrench_at_origin
from ...dynamics.spatial import cross
from ...dynamics.state import State
from ...dynamics.workspace import workspace_of
from ...dynamics.wrench import Wrench
from ...errors import ConfigurationError
from ...robots.configuration import check_configuration, check_velocity
from ...robots.robot import Robot
from .moving_frames import (
    FictitiousWrenches,
    MovingFrame,
    fictitious_wrenches_of,
    frame_motion,
    joint_motion,
)


@dataclass(frozen=True, eq=False)
class WrenchBalance:
    """Newton's and Euler's equations of one body, in an observer's axes, at its centre of mass.

    Attributes:
        dynamic: [m a'; I ω̇ + ω × I ω], rate of change of momentum.
        joint: wrench of its own joint minus those on its children.
        external: gravity and the wrenches of the environment.
        fictitious: d'Alembert's, Euler's, the centrifugal and the Coriolis wrench.
    """

    dynamic: Wrench
    joint: Wrench
    external: Wrench
    fictitious: FictitiousWrenches

    @property
    def residual(self) -> Wrench:
        """Dynamic − joint − external − fictitious, zero up to rounding."""
        return self.dynamic - self.joint - self.external - self.fictitious.total


def body_motions(robot: Robot, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> dict[str, MovingFrame]:
    """Return {joint: motion of the frame at its body's centre of mass, with the joint's axes}.

    `motion.seen_from(observer)` has the motion relative to an observer.

    Raises:
        ConfigurationError: a bad q, v or a.
    """
    q = check_configuration(robot, q)
    v, a = check_velocity(robot, v), check_velocity(robot, a, "a")
    model, data = robot._model, workspace_of(robot).data
    pin.forwardKinematics(model, data, q, v, a)
    return {
        model.names[i]: joint_motion(robot, data, i).at(model.inertias[i].lever)
        for i in range(1, model.njoints)
    }


def fictitious_wrenches(
    robot: Robot, q: ArrayLike, v: ArrayLike, a: ArrayLike, observer: MovingFrame | str
) -> dict[str, FictitiousWrenches]:
    """Return {joint: its body's fictitious wrenches}, each at the body's centre of mass.

    Args:
        robot, q, v, a: the robot, and its configuration (nq,), velocity and acceleration (nv,).
        observer: a `MovingFrame`, "world" or the name of a frame of the robot. The wrenches are in
            its axes, their points from its origin.

    Raises:
        ConfigurationError: a bad q, v or a, or no such frame.
    """
    looking = observer_of(robot, q, v, a, observer)
    return {
        joint: fictitious_wrenches_of(robot._model.inertias[i].mass, com, looking)
        for i, (joint, com) in enumerate(body_motions(robot, q, v, a).items(), start=1)
    }


def wrench_balance(
    robot: Robot,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    observer: MovingFrame | str = "world",
    wrenches: Mapping[str, Wrench] | None = None,
) -> dict[str, WrenchBalance]:
    """Return {joint: WrenchBalance} of every body in the frame `observer`.

    The joint wrenches are those of `dynamics.joint_wrenches`, computed in the inertial world;
    `residual` is their deviation from the balance in this frame.

    Args:
        robot, q, v, a: as for `fictitious_wrenches`.
        observer: a `MovingFrame`, "world" or the name of a frame of the robot.
        wrenches: {frame: Wrench} of the environment on links, as in `dynamics.external_torques`.

    Raises:
        ConfigurationError: a bad q, v or a, no such frame, or a value that is not a `Wrench`.
    """
    looking = observer_of(robot, q, v, a, observer)
    passed_on = list(joint_wrenches(robot, q, v, a, wrenches).values())
    outside = _external(robot, q, wrenches)
    balances = {}
    for i, (joint, com) in enumerate(body_motions(robot, q, v, a).items(), start=1):
        centre = com.placement.translation
        through = passed_on[i - 1].at(centre)
        for child in robot._model.children[i]:
            through = through - passed_on[child - 1].at(centre)
        balances[joint] = WrenchBalance(
            _dynamic(robot._model.inertias[i], com, looking),
            _shown(through, looking),
            _shown(outside[i].at(centre), looking),
            fictitious_wrenches_of(robot._model.inertias[i].mass, com, looking),
        )
    return balances


def observed_joint_wrenches(
    robot: Robot,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    observer: MovingFrame | str,
    wrenches: Mapping[str, Wrench] | None = None,
) -> dict[str, Wrench]:
    """Return {joint: Wrench} computed from relative motion and fictitious forces only.

    From the leaves to the root, w_i = dynamic_i − external_i − fictitious_i + Σ w_child: parent on
    child, at the joint, in the observer's axes. The result does not depend on the observer; it
    equals `dynamics.joint_wrenches`.

    Args and errors as for `wrench_balance`.
    """
    looking = observer_of(robot, q, v, a, observer)
    coms = list(body_motions(robot, q, v, a).values())
    outside, model = _external(robot, q, wrenches), robot._model
    origins = State.of(robot, q).joint_placements[:, :, 3]
    joints = [looking.placement.actInv(p) for p in origins]
    found: dict[int, Wrench] = {}
    for i in range(model.njoints - 1, 0, -1):
        com, inertia = coms[i - 1], model.inertias[i]
        external = _shown(outside[i].at(com.placement.translation), looking)
        fictitious = fictitious_wrenches_of(inertia.mass, com, looking).total
        total = (_dynamic(inertia, com, looking) - external - fictitious).at(joints[i])
        found[i] = sum((found[child].at(joints[i]) for child in model.children[i]), start=total)
    return {model.names[i]: found[i] for i in range(1, model.njoints)}


def observer_of(
    robot: Robot, q: ArrayLike, v: ArrayLike, a: ArrayLike, observer: MovingFrame | str
) -> MovingFrame:
    """Return the motion of an observer: given, at rest in the "world", or that of a frame."""
    if isinstance(observer, MovingFrame):
        return observer
    if isinstance(observer, str):
        at_rest = observer == "world"
        return MovingFrame(name="world") if at_rest else frame_motion(robot, q, v, a, observer)
    raise ConfigurationError(
        f'observer: got {type(observer).__name__}; expected a MovingFrame, "world" or a frame\'s '
        "name"
    )


def _dynamic(inertia: Any, com: MovingFrame, observer: MovingFrame) -> Wrench:
    """[m a'; I ω̇ + ω × I ω] at the centre of mass, ω inertial, all in the observer's axes."""
    seen, R = com.seen_from(observer), observer.placement.rotation.T
    omega, alpha = R @ com.angular_velocity, R @ com.angular_acceleration
    turned = R @ com.placement.rotation
    I = turned @ inertia.inertia @ turned.T  # noqa: E741
    moment, point = I @ alpha + cross(omega, I @ omega), seen.placement.translation
    return Wrench(inertia.mass * seen.acceleration, moment, point, observer.name)


def _external(
    robot: Robot, q: ArrayLike, wrenches: Mapping[str, Wrench] | None
) -> dict[int, Wrench]:
    """Return {joint id: gravity and the environment on its body}, at the world's origin."""
    model, data = robot._model, workspace_of(robot).data
    checked = check_wrenches(robot, wrenches)
    pin.forwardKinematics(model, data, check_configuration(robot, q))
    total = {}
    for i in range(1, model.njoints):
        weight = model.inertias[i].mass * model.gravity.linear
        total[i] = Wrench(weight, point=data.oMi[i].act(model.inertias[i].lever)).at(np.zeros(3))
    for frame_id, wrench in checked:
        joint = model.frames[frame_id].parentJoint
        if joint:  # wrenches on links fixed to the world have no effect
            vector = world_wrench_at_origin(robot, data, frame_id, wrench)
            origin = data.oMf[frame_id].translation
            total[joint] += Wrench.from_vector(vector, origin).at(np.zeros(3))
    return total


def _shown(wrench: Wrench, observer: MovingFrame) -> Wrench:
    """Return the wrench in the observer's axes."""
    return wrench.expressed_in(observer.name, observer.placement.inverse())
