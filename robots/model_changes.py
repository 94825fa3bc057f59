"""Changes of a `pin.Model`: the inertia of a body, a payload, gravity, efforts of joints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from .configuration import as_vector, rows_v
from .inertia import of_body
from .values import number


def set_inertia(
    model: Any, frame_id: int, mass: float | None, com: ArrayLike | None, inertia: ArrayLike | None
) -> None:
    """Set the inertia of the body of a frame, in the frame's axes; what is None stays."""
    frame = model.frames[frame_id]
    own = frame.placement.actInv(model.inertias[frame.parentJoint])
    changed = _inertia(
        own.mass if mass is None else mass,
        own.lever if com is None else com,
        own.inertia if inertia is None else inertia,
    )
    model.inertias[frame.parentJoint] = frame.placement.act(changed)


def add_payload(
    model: Any, frame_id: int, mass: float, com: ArrayLike, inertia: ArrayLike | None
) -> None:
    """Fix a rigid body to a frame; com and inertia in the frame's axes, None: a point mass."""
    frame = model.frames[frame_id]
    payload = _inertia(mass, com, np.zeros((3, 3)) if inertia is None else inertia)
    model.inertias[frame.parentJoint] += frame.placement.act(payload)


def set_gravity(model: Any, gravity: ArrayLike) -> None:
    """Set the acceleration of gravity (3,), in world axes [m/s²]."""
    model.gravity.linear = as_vector(gravity, 3, "gravity", "an acceleration in world axes [m/s²]")


def set_armature(model: Any, armature: Mapping[str, float]) -> None:
    """Set rotor inertias, joint -> I N² [kg m² or kg], of the joints that the model has."""
    alpha = np.array(model.armature, dtype=float)
    for name, value in armature.items():
        if model.existJointName(name):
            alpha[rows_v(model.joints[model.getJointId(name)])] = value
    model.armature = alpha


def set_efforts(model: Any, efforts: Mapping[str, float]) -> None:
    """Set the largest |τ| of joints, joint -> limit [N·m or N]."""
    most = model.upperEffortLimit
    for name, effort in efforts.items():
        most[rows_v(model.joints[model.getJointId(name)])] = effort
    model.upperEffortLimit, model.lowerEffortLimit = most, -most


def _inertia(mass: float, com: ArrayLike, inertia: ArrayLike) -> Any:
    """Return a `pin.Inertia`.

    Raises:
        ConfigurationError: values that are not finite, or that no body has.
    """
    m = number(mass, "mass", at_least=0, unit="[kg]")
    lever = as_vector(com, 3, "com", "the centre of mass in the axes of the link [m]")
    return pin.Inertia(m, lever, of_body(inertia, m))
