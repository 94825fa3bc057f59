"""Input validation for q, v, a and τ: wrong values are refused, never corrected silently.

A configuration q is [base position, base quaternion x y z w, joints] for a floating base; joints
that turn without limits ("continuous") take two entries, cos and sin. Quaternions and (cos, sin)
pairs have unit norm: `unit_blocks` lists their positions in q.
"""

from __future__ import annotations

from math import hypot
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..errors import ConfigurationError
from .values import FARTHEST, LARGEST, Error, array, check_finite

# tolerance on | ‖quaternion‖ − 1 |: admits quaternions rounded to single precision
UNIT_TOLERANCE = 1e-7

_ARRAY, _FLOAT = np.ndarray, np.dtype(np.float64)


UNIT_BLOCK = {  # joint type -> (start, stop) of its unit block within the joint's part of q
    "JointModelFreeFlyer": (3, 7),
    "JointModelSpherical": (0, 4),
    "JointModelPlanar": (2, 4),
    "JointModelRUBX": (0, 2),
    "JointModelRUBY": (0, 2),
    "JointModelRUBZ": (0, 2),
    "JointModelRevoluteUnboundedUnaligned": (0, 2),
}


def rows_q(joint: Any) -> slice:
    """Return the entries of q of a joint of a `pin.Model`."""
    return slice(joint.idx_q, joint.idx_q + joint.nq)


def rows_v(joint: Any) -> slice:
    """Return its entries of v."""
    return slice(joint.idx_v, joint.idx_v + joint.nv)


def axis_of(joint: Any) -> Array:
    """Return the unit axis (3,) of a hinge or slider of a `pin.Model`, in the joint's axes."""
    S = np.asarray(joint.createData().S, dtype=float).reshape(6)
    return np.asarray(S[:3] + S[3:])  # one of the two is zero


def floats(model: Any) -> bool:
    """Whether the first joint of a `pin.Model` is a free flyer."""
    return bool(model.njoints > 1 and model.joints[1].shortname() == "JointModelFreeFlyer")


def unit_blocks(model: Any) -> tuple[tuple[int, int], ...]:
    """Return (start, stop) in q of every quaternion and every (cos, sin) pair of a `pin.Model`."""
    known = ((j.idx_q, UNIT_BLOCK.get(j.shortname())) for j in simple_joints(model))
    return tuple(sorted((at + block[0], at + block[1]) for at, block in known if block))


def simple_joints(model: Any) -> list[Any]:
    """Return the joints of a `pin.Model` without the universe, those of composite ones one by one.

    In their order.
    """
    found, stack = [], list(model.joints)[:0:-1]
    while stack:
        joint = stack.pop()
        if joint.shortname() == "JointModelComposite":
            stack.extend(list(joint.extract().joints)[::-1])
        else:
            found.append(joint)
    return found


def as_vector(value: ArrayLike, size: int, name: str, meaning: str) -> Array:
    """Return `value` as a finite float array of shape (size,), or raise `ConfigurationError`.

    The array is `value` itself when it already is one: callers must not write to it.
    """
    if type(value) is _ARRAY and value.dtype is _FLOAT and value.shape == (size,):
        # hypot takes half the time of a comparison of arrays, and overflows without a warning
        if not hypot(*value.tolist()) <= LARGEST:
            check_finite(value, name, ConfigurationError)
        return value
    return array(value, name, (size,), meaning=meaning)


def not_a_robot(value: object) -> ConfigurationError:
    """Return the error for an argument `robot` that is not a Robot, such as a name."""
    hint = f"; footwork.load({value!r}) gives one" if isinstance(value, str) else ""
    return ConfigurationError(f"robot: got {value!r}, expected a Robot{hint}")


def check_robot(robot: Any) -> Any:
    """Return `robot`, or raise ConfigurationError for what is none, such as its name."""
    if not hasattr(robot, "unit_blocks"):
        raise not_a_robot(robot)
    return robot


def check_floating(robot: Any, why: str = "", *, error: Error = ConfigurationError) -> Any:
    """Return `robot`, or raise for a fixed base (ending with `why`) or for no robot."""
    if not check_robot(robot).is_floating:
        raise error(f"{robot.name!r} has a fixed base; expected a floating one{why}")
    return robot


def check_configuration(robot: Any, q: ArrayLike, name: str = "q") -> Array:
    """Return q as an array (nq,) of a valid configuration.

    Raises:
        ConfigurationError: wrong shape or dtype, a value that is not finite, or a quaternion
            (or a (cos, sin) pair) that is not of unit norm; `robot` is not a Robot.
    """
    try:
        size, blocks = robot.nq, robot.unit_blocks
    except AttributeError:
        raise not_a_robot(robot) from None
    if type(q) is _ARRAY and q.dtype is _FLOAT and q.shape == (size,):  # the usual, in half a µs
        numbers = q.tolist()
        if hypot(*numbers) <= LARGEST:
            for start, stop in blocks:
                if abs(hypot(*numbers[start:stop]) - 1.0) > UNIT_TOLERANCE:
                    break
            else:
                return q
    meaning = "a configuration of this robot (nq,)"
    if isinstance(q, str):
        meaning += f"; robot.posture({q!r}) has that of a name"
    array = as_vector(q, size, name, meaning)
    for start, stop in blocks:
        norm = hypot(*array[start:stop].tolist())
        if abs(norm - 1.0) > UNIT_TOLERANCE:
            kind = "quaternion (x y z w)" if stop - start == 4 else "(cos, sin) pair"
            raise ConfigurationError(
                f"{name}: the {kind} at {name}[{start}:{stop}] has norm "
                f"{norm:.9g}, expected 1; divide it by its norm, or build q "
                "with robot.integrate(q, dv)"
            )
    return array


def check_reach(robot: Any, q: Array) -> None:
    """Raise ConfigurationError where a floating base of q (..., nq) is beyond `FARTHEST`."""
    if not robot.is_floating or q.size == 0:
        return
    away = max(map(abs, q[:3].tolist())) if q.ndim == 1 else np.abs(q[..., :3]).max()
    if away > FARTHEST:
        raise ConfigurationError(
            f"q: got a base {away:g} m from the world's origin; contacts are decided up to "
            f"{FARTHEST:g} m, beyond which levers are lost to rounding"
        )


def check_velocity(robot: Any, v: ArrayLike, name: str = "v") -> Array:
    """Return a tangent vector (velocity, acceleration, generalised force) as an array (nv,).

    Raises:
        ConfigurationError: wrong shape or dtype, or a value that is not finite.
    """
    try:
        size = robot.nv
    except AttributeError:
        raise not_a_robot(robot) from None
    usual = type(v) is _ARRAY and v.dtype is _FLOAT and v.shape == (size,)
    if usual and hypot(*v.tolist()) <= LARGEST:  # type: ignore[union-attr]
        return v  # type: ignore[return-value]
    return as_vector(v, size, name, "a tangent vector of this robot (nv,)")


def check_torques(robot: Any, tau: ArrayLike, name: str = "tau") -> Array:
    """Return actuated torques as an array (na,).

    Raises:
        ConfigurationError: wrong shape or dtype, or a value that is not finite.
    """
    try:
        size = robot.na
    except AttributeError:
        raise not_a_robot(robot) from None
    return as_vector(tau, size, name, "a torque for each actuated joint (na,)")
