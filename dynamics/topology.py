"""Facts of a robot's joints: coordinates, which motion carries which joint, frames, masses."""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array, Index
from ..errors import ModelError
from ..robots.configuration import rows_v, simple_joints
from ..robots.robot import Robot
from .per_robot import per_robot

Value = TypeVar("Value")

# joints whose axes, seen from the body they carry, change with q
_TURNING_AXES = ("Composite", "SphericalZYX", "Universal", "Ellipsoid")


class Frames(NamedTuple):
    """Where the frames of a robot sit, by Pinocchio's index.

    joint: (frames,) index of the joint whose body carries each.
    placement: (4, 4) T_joint_frame of each.
    """

    joint: list[int]
    placement: list[Array]


class Masses(NamedTuple):
    """The bodies of a robot, body 0 being what a fixed base welds to the world.

    total: mass of all of them [kg].
    moments: (njoints, 4) m [c; 1]: T @ moments[j] is body j's first moment in the world [kg m].
    subtrees: (nv, njoints) 1 where the motion k carries body j.
    subtree: (nv,) mass of the bodies that each motion carries [kg].
    gravity: (3,) g in the world [m/s²].
    """

    total: float
    moments: Array
    subtrees: Array
    subtree: Array
    gravity: Array


@per_robot
def plain_coordinates(robot: Robot) -> tuple[Index, Index]:
    """Return the entries of q that are plain numbers, and those of v that are their rates."""
    plain = [joint for joint in simple_joints(robot._model) if joint.nq == joint.nv]
    rows = [(k + j.idx_q, k + j.idx_v) for j in plain for k in range(j.nq)]
    in_q, in_v = np.array(rows, dtype=np.intp).reshape(-1, 2).T
    return read_only(in_q), read_only(in_v)


@per_robot
def translations(robot: Robot) -> NDArray[np.bool_]:
    """Return (nv,), True where a unit of v is a translation, [m/s]; else it turns, [rad/s]."""
    found = np.zeros(robot.nv, dtype=bool)
    for joint in list(robot._model.joints)[1:]:
        S = np.asarray(joint.createData().S, dtype=float).reshape(6, joint.nv)
        found[rows_v(joint)] = ~S[3:].any(axis=0)
    return read_only(found)


def unit_of_joint(robot: Robot, joint: str) -> str:
    """Return "rad" for a joint that turns, "m" for one that slides."""
    slides = translations(robot)[robot.rows_of_joint[joint]]
    return "m" if slides.all() else "rad or m" if slides.any() else "rad"


def unit_of_torque(robot: Robot, joint: str) -> str:
    """Return "N·m" for the motor of a joint that turns, "N" for one that slides."""
    return {"m": "N", "rad": "N·m"}.get(unit_of_joint(robot, joint), "N·m or N")


@per_robot
def frames_of(robot: Robot) -> Frames:
    """Return where the robot's frames sit."""
    frames = list(robot._model.frames)
    return Frames(
        [int(frame.parentJoint) for frame in frames],
        [read_only(np.array(frame.placement.homogeneous)) for frame in frames],
    )


@per_robot
def carried_by(robot: Robot) -> Array:
    """Return (njoints, nv), 1 at [j, k] where the motion k carries the joint j along, else 0."""
    model = robot._model
    joint_of = np.repeat(np.arange(model.njoints), model.nvs)
    carried = [np.isin(joint_of, list(model.supports[joint])) for joint in range(model.njoints)]
    return read_only(np.array(carried, dtype=float).reshape(model.njoints, robot.nv))


@per_robot
def masses_of(robot: Robot) -> Masses:
    """Return the bodies' masses, and which of them each motion carries."""
    inertias = list(robot._model.inertias)
    m = np.array([inertia.mass for inertia in inertias])
    centres = np.array([np.append(inertia.lever, 1.0) for inertia in inertias])
    subtrees = np.ascontiguousarray(carried_by(robot).T)
    moments, gravity = m[:, None] * centres, np.array(robot._model.gravity.linear)
    arrays = [read_only(x) for x in (moments, subtrees, subtrees @ m, gravity)]
    return Masses(float(m.sum()), *arrays)


@per_robot
def moved_by(robot: Robot) -> NDArray[np.bool_]:
    """Return (nv, nv), True at [j, k] where the motion k carries the axis of the motion j along.

    That is: the joint of k is the joint of j or one between it and the root.
    """
    joint_of = np.repeat(np.arange(robot._model.njoints), robot._model.nvs)
    return read_only(carried_by(robot)[joint_of] > 0)


@per_robot
def joints_with_turning_axes(robot: Robot) -> tuple[str, ...]:
    """Return the joints whose axes turn within the body they carry."""
    kinds = [joint.shortname().removeprefix("JointModel") for joint in robot._model.joints]
    names = robot._model.names
    return tuple(names[i] for i, kind in enumerate(kinds) if kind.startswith(_TURNING_AXES))


def require_fixed_axes(robot: Robot) -> None:
    """Refuse joints whose axes turn within the body they carry (URDF knows none of them).

    Pinocchio takes such axes as constant in dJ/dt and in the Coriolis matrix, and is wrong there.

    Raises:
        ModelError: the robot has one.
    """
    if turning := joints_with_turning_axes(robot):
        raise ModelError(
            f"{robot.name!r}: the axes of {', '.join(map(repr, turning))} turn within their own "
            "body, so derivatives of J and the Coriolis matrix are not available; expected "
            "revolute, prismatic, spherical, planar or free joints (one joint a degree of freedom)"
        )


@per_robot
def is_depth_first(robot: Robot) -> bool:
    """Whether every subtree is a contiguous range of v, as Pinocchio's crba silently assumes."""
    subtrees = moved_by(robot).T  # row k: the motions that k carries
    return all(
        np.flatnonzero(row)[-1] - np.flatnonzero(row)[0] + 1 == row.sum() for row in subtrees
    )


def require_depth_first(robot: Robot) -> None:
    """Refuse trees whose branches are not numbered one after the other.

    Pinocchio's derivatives of inverse dynamics would be silently wrong.

    Raises:
        ModelError: the robot has such a tree.
    """
    if not is_depth_first(robot):
        raise ModelError(
            f"{robot.name!r}: joints of one branch have numbers among those of another; expected "
            "branches one after the other for these derivatives (batch.inverse_dynamics_gradient "
            "takes any order)"
        )


@per_robot
def moving_share(robot: Robot) -> float:
    """Return the share of the mass that moves: less than 1 if a fixed base welds links down.

    Raises:
        ModelError: the robot has no mass.
    """
    require_mass(robot)
    return 1.0 - float(robot._model.inertias[0].mass) / robot.mass


def require_mass(robot: Robot) -> None:
    """Refuse a robot without mass.

    Raises:
        ModelError: the robot has no mass, so no centre of mass.
    """
    if robot.mass <= 0:
        raise ModelError(f"{robot.name!r} has no mass, so it has no centre of mass")


def read_only(value: Value) -> Value:
    """Return an array made read-only; other values as they are."""
    if isinstance(value, np.ndarray):
        value.setflags(write=False)
    return value
