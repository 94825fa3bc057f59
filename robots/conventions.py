"""Conversion of (q, v) to and from MuJoCo, Drake and the mixed representation (iDynTree, adam).

They differ in the base and in joints with more than one coordinate. With R the rotation of the
base, p its position, v_B and ω_B its velocity in its own axes:

    ours (Pinocchio)   q = [p, x y z w, …]   v = [v_B, ω_B, …]
    MuJoCo             q = [p, w x y z, …]   v = [R v_B, ω_B, …]
    Drake              q = [w x y z, p, …]   v = [R ω_B, R v_B, …]
    mixed              q = [p, x y z w, …]   v = [R v_B, R ω_B, …]

Every conversion of velocities is v' = T(q) v with a matrix T that `velocity_map` returns; terms of
the equations of motion follow from it (`dynamics.conventions`). A joint without limits, (cos, sin)
here, is one angle in (−π, π] elsewhere. Where the other program orders the joints differently,
`joints` lists them in its order.

Sources: MuJoCo's documentation ("Floating objects"), Drake's `MultibodyPlant` ("Floating base"),
S. Traversaro and A. Saccon, "Multibody dynamics notation" (2019) for "mixed".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike, NDArray

from ..arrays import Array
from ..errors import ConfigurationError, unknown
from .configuration import as_vector, check_configuration, check_velocity, rows_q, rows_v
from .robot import Robot

Convention = Literal["mujoco", "drake", "mixed"]
_CONVENTIONS = ("mujoco", "drake", "mixed")
_W_FIRST, _W_LAST = [3, 0, 1, 2], [1, 2, 3, 0]  # order of a quaternion's components

Pair = tuple[Array, Array]
Names = Sequence[str] | None


def to_mujoco(robot: Robot, q: ArrayLike, v: ArrayLike, *, joints: Names = None) -> Pair:
    """Return MuJoCo's (qpos, qvel) for our (q, v).

    Args:
        robot: the robot.
        q, v: (nq,), (nv,).
        joints: joint names in MuJoCo's order, without the free joint; default: our order.

    Raises:
        ConfigurationError: q or v does not fit the robot, or `joints` are not its joints.
    """
    return to_convention(robot, q, v, "mujoco", joints=joints)


def from_mujoco(robot: Robot, qpos: ArrayLike, qvel: ArrayLike, *, joints: Names = None) -> Pair:
    """Return our (q, v) from MuJoCo's (qpos, qvel); see `to_mujoco`."""
    return from_convention(robot, qpos, qvel, "mujoco", joints=joints)


def to_drake(robot: Robot, q: ArrayLike, v: ArrayLike, *, joints: Names = None) -> Pair:
    """Return Drake's (q, v) for our (q, v); see `to_mujoco`."""
    return to_convention(robot, q, v, "drake", joints=joints)


def from_drake(robot: Robot, q: ArrayLike, v: ArrayLike, *, joints: Names = None) -> Pair:
    """Return our (q, v) from Drake's; see `to_mujoco`."""
    return from_convention(robot, q, v, "drake", joints=joints)


def to_mixed(robot: Robot, q: ArrayLike, v: ArrayLike, *, joints: Names = None) -> Pair:
    """Return (q, v) with the velocity of the base in world axes, at its origin; see `to_mujoco`."""
    return to_convention(robot, q, v, "mixed", joints=joints)


def from_mixed(robot: Robot, q: ArrayLike, v: ArrayLike, *, joints: Names = None) -> Pair:
    """Return our (q, v) from the mixed representation; see `to_mixed`."""
    return from_convention(robot, q, v, "mixed", joints=joints)


def to_convention(
    robot: Robot, q: ArrayLike, v: ArrayLike, convention: Convention, *, joints: Names = None
) -> Pair:
    """Return (q, v) in a convention by name; see `to_mujoco`."""
    q, v = check_configuration(robot, q), check_velocity(robot, v)
    blocks = _blocks(robot, convention, joints)
    theirs = [_q_to(joint, q[rows_q(joint)], convention) for joint in blocks]
    T = velocity_map(robot, q, convention, joints=joints)
    return np.concatenate([*theirs, np.zeros(0)]), T @ v


def from_convention(
    robot: Robot, q: ArrayLike, v: ArrayLike, convention: Convention, *, joints: Names = None
) -> Pair:
    """Return our (q, v) from those of a convention by name; see `to_mujoco`."""
    blocks = _blocks(robot, convention, joints)
    size = sum(_size_q(joint, convention) for joint in blocks)
    theirs = as_vector(q, size, "q", f"a configuration in the convention of {convention!r}")
    ours, start = np.zeros(robot.nq), 0
    for joint in blocks:
        stop = start + _size_q(joint, convention)
        ours[rows_q(joint)] = _q_from(joint, theirs[start:stop], convention)
        start = stop
    ours = check_configuration(robot, ours)
    T = velocity_map(robot, ours, convention, joints=joints)
    return ours, T.T @ check_velocity(robot, v)  # T is orthogonal


def velocity_map(
    robot: Robot, q: ArrayLike, convention: Convention, *, joints: Names = None
) -> Array:
    """Return T (nv, nv), orthogonal, with v' = T v; v' in the convention, v ours.

    Raises:
        ConfigurationError: q does not fit, or there is no such convention.
    """
    q = check_configuration(robot, q)
    T, row = np.zeros((robot.nv, robot.nv)), 0
    for joint in _blocks(robot, convention, joints):
        T[row : row + joint.nv, rows_v(joint)] = _turn(joint, q, convention)
        row += joint.nv
    return T


def velocity_map_rate(
    robot: Robot, q: ArrayLike, v: ArrayLike, convention: Convention, *, joints: Names = None
) -> Array:
    """Return dT/dt (nv, nv) along v: a' = T a + (dT/dt) v.

    With Ṙ = R [ω_B]× for every R in T.
    """
    q, v = check_configuration(robot, q), check_velocity(robot, v)
    rate, row = np.zeros((robot.nv, robot.nv)), 0
    for joint in _blocks(robot, convention, joints):
        turn = _turn(joint, q, convention)
        rate[row : row + joint.nv, rows_v(joint)] = _turn_rate(joint, turn, v, convention)
        row += joint.nv
    return rate


# --- joint by joint ----------------------------------------------------------------------------


def _blocks(robot: Robot, convention: str, joints: Sequence[str] | None) -> list[Any]:
    """Return the joint models in the other program's order, the base first."""
    if convention not in _CONVENTIONS:
        raise ConfigurationError(unknown("convention", convention, _CONVENTIONS))
    ours = list(robot._model.joints)[1:]
    base = ours[:1] if robot.is_floating else []
    names = robot.joint_names if joints is None else tuple(joints)
    if sorted(names) != sorted(robot.joint_names):
        odd = next((n for n in names if n not in robot.joint_names), None)
        missing = [n for n in robot.joint_names if n not in names]
        raise ConfigurationError(
            "joints: " + unknown("joint", odd, robot.joint_names)
            if odd is not None
            else f"joints: got {len(names)}, expected each joint once; missing {missing[:8]}"
        )
    blocks = base + [robot._model.joints[robot.joint_id(name)] for name in names]
    for joint in blocks:
        kind = joint.shortname()
        if kind == "JointModelComposite" or (
            kind == "JointModelSpherical" and convention == "drake"
        ):
            name = robot._model.names[joint.id]
            raise ConfigurationError(f"joint {name!r} ({kind}) has no counterpart in {convention}")
    return blocks


def _kind(joint: Any) -> str:
    name = joint.shortname()
    if name.startswith(("JointModelRUB", "JointModelRevoluteUnbounded")):
        return "turning"
    named = {"JointModelFreeFlyer": "free", "JointModelSpherical": "ball"}
    return named.get(name, "planar" if name == "JointModelPlanar" else "plain")


def _size_q(joint: Any, convention: str) -> int:
    same = convention == "mixed" or _kind(joint) not in ("turning", "planar")
    return int(joint.nq) if same else int(joint.nq) - 1


def _q_to(joint: Any, q: Array, convention: str) -> Array:
    if convention == "mixed":
        return q
    match _kind(joint):
        case "free":
            parts = (q[:3], q[3:][_W_FIRST])
            return np.concatenate(parts if convention == "mujoco" else parts[::-1])
        case "ball":
            return q[_W_FIRST]
        case "turning":
            return np.array([np.arctan2(q[1], q[0])])
        case "planar":
            return np.array([q[0], q[1], np.arctan2(q[3], q[2])])
    return q


def _q_from(joint: Any, q: Array, convention: str) -> Array:
    if convention == "mixed":
        return q
    match _kind(joint):
        case "free" if convention == "mujoco":
            return np.concatenate([q[:3], q[3:][_W_LAST]])
        case "free":
            return np.concatenate([q[4:], q[:4][_W_LAST]])
        case "ball":
            return q[_W_LAST]
        case "turning":
            return np.array([np.cos(q[0]), np.sin(q[0])])
        case "planar":
            return np.array([q[0], q[1], np.cos(q[2]), np.sin(q[2])])
    return q


def _turn(joint: Any, q: Array, convention: str) -> Array:
    """Return the block of T of one joint."""
    kind, rows = _kind(joint), rows_q(joint)
    if kind == "free":
        return _turn_base(_rotation(q[rows][3:]), convention)
    if kind == "planar" and convention != "mixed":
        c, s = q[rows][2:]
        return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    return np.eye(joint.nv)


def _turn_base(R: NDArray[Any], convention: str) -> Array:
    T = np.zeros((6, 6))
    if convention == "drake":
        T[:3, 3:], T[3:, :3] = R, R
    else:
        T[:3, :3], T[3:, 3:] = R, R if convention == "mixed" else np.eye(3)
    return T


def _turn_rate(joint: Any, turn: Array, v: Array, convention: str) -> Array:
    rate = np.zeros((joint.nv, joint.nv))
    own = v[rows_v(joint)]
    if _kind(joint) == "free":
        cross = pin.skew(own[3:])
        rate[:, :3], rate[:, 3:] = turn[:, :3] @ cross, turn[:, 3:] @ cross
        if convention == "mujoco":
            rate[3:] = 0.0  # ω stays in the base's axes
    elif _kind(joint) == "planar" and convention != "mixed":
        rate[:2, :2] = turn[:2, :2] @ np.array([[0.0, -own[2]], [own[2], 0.0]])
    return rate


def _rotation(quaternion: Array) -> NDArray[Any]:
    return np.asarray(pin.Quaternion(quaternion.copy()).toRotationMatrix())
