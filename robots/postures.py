"""Named postures: conversion of joint values to configurations q."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ..arrays import Array
from ..errors import ConfigurationError, FootworkError, ModelError, counted
from .configuration import check_configuration, floats, rows_q
from .feet.foot import Foot
from .feet.outlines import placed
from .srdf import Values
from .values import array

_QUATERNIONS = ("JointModelFreeFlyer", "JointModelSpherical", "JointModelComposite")


def configurations(
    model: Any, postures: Mapping[str, Values], base_joint: str, feet: Iterable[Foot]
) -> dict[str, Array]:
    """Return name -> q (nq,) for each posture; joints without a value are at neutral.

    Joints that the model lacks are ignored: an SRDF may serve several models. A base without a
    position is placed such that the lowest foot touches z = 0.

    Raises:
        ModelError: a value of the wrong size, or a base quaternion that is not of unit norm.
    """
    feet = tuple(feet)
    result = {}
    for name, values in postures.items():
        q = pin.neutral(model)
        ids = {joint: model.getJointId(joint) for joint in values if model.existJointName(joint)}
        for joint, index in ids.items():
            _set(q, model.joints[index], values[joint], f"posture {name!r}: joint {joint!r}")
        if floats(model):
            _set_base(model, q, values.get(base_joint, ()), name, feet)
        result[name] = np.array(q)
    return result


def with_joints(robot: Any, q: Array, joints: Mapping[str, ArrayLike]) -> Array:
    """Return a copy of q (nq,) with joints set by name: see `Robot.set`."""
    q = q.copy()
    for name, values in joints.items():
        if name in robot.locked:
            raise ConfigurationError(f"joint {name!r} is locked: it is no part of q")
        given = array(values, f"joint {name!r}", (), (None,), meaning="[rad or m]")
        joint = robot._model.joints[robot.joint_id(name)]
        _write(q, joint, tuple(given.ravel().tolist()), f"joint {name!r}", ConfigurationError)
    return check_configuration(robot, q)


def _set(q: Array, joint: Any, values: tuple[float, ...], where: str) -> None:
    if joint.shortname() != "JointModelFreeFlyer":
        _write(q, joint, values, where, ModelError)


def _write(
    q: Array, joint: Any, values: tuple[float, ...], where: str, error: type[FootworkError]
) -> None:
    """Write a joint's entries of q; an angle in the place of (cos, sin) will do."""
    expected = f"{joint.nq}"
    if joint.nq == joint.nv + 1 and joint.shortname() not in _QUATERNIONS:  # … cos, sin at the end
        expected = f"{joint.nv}, the last an angle, or {joint.nq} with its cosine and sine"
        if len(values) == joint.nv:
            values = (*values[:-1], math.cos(values[-1]), math.sin(values[-1]))
    if len(values) != joint.nq:
        raise error(f"{where}: got {counted(len(values), 'value')}, expected {expected}")
    q[rows_q(joint)] = values


def _set_base(
    model: Any, q: Array, values: tuple[float, ...], name: str, feet: tuple[Foot, ...]
) -> None:
    if len(values) not in (0, 4, 7):
        raise ModelError(
            f"posture {name!r}: the base got {counted(len(values), 'value')}, expected 7: x y z "
            "and a quaternion x y z w"
        )
    if values:
        quaternion = np.array(values[-4:])
        norm = float(np.linalg.norm(quaternion))
        if abs(norm - 1.0) > 1e-3:
            raise ModelError(f"posture {name!r}: the base quaternion has norm {norm:.6g}, not 1")
        q[3:7] = quaternion / norm  # files round to a few digits: normalise
    if len(values) == 7:
        q[:3] = values[:3]
    elif feet:
        q[2] -= _lowest(model, q, feet)


def _lowest(model: Any, q: Array, feet: tuple[Foot, ...]) -> float:
    data = placed(model, q)
    return min(foot.lowest(data.oMf[model.getFrameId(foot.frame)]) for foot in feet)
