"""Inertia tensors: rotation of axes and parallel axis theorem.

Rotation acts from both sides; Steiner's theorem has the identity, not the inertia, in its bracket:

    I' = R I Rᵀ                       R = R_new_old
    I_P = I_C + m (r·r 1 − r rᵀ)      r from the centre of mass C to P

Between two points other than the centre of mass (generalised theorem):
I_Q = I_P − S(P) + S(Q), S(X) = m (r·r 1 − r rᵀ) with r from C to X. Source: K. Lynch, F. Park,
"Modern Robotics" (2017), section 8.2.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ...arrays import Array
from ...dynamics.kinematics import frame_placement
from ...dynamics.workspace import workspace_of
from ...errors import ConfigurationError
from ...robots import values
from ...robots.configuration import as_vector, check_configuration
from ...robots.inertia import symmetric
from ...robots.robot import Robot


def rotated_inertia(inertia: ArrayLike, rotation: ArrayLike) -> Array:
    """Return R I Rᵀ (3, 3), the inertia in new axes, R = R_new_old.

    Raises:
        ConfigurationError: an inertia that is not symmetric, or an invalid rotation matrix.
    """
    R = values.rotation(rotation, "rotation")
    return symmetric(R @ symmetric(inertia) @ R.T)


def steiner(mass: float, arm: ArrayLike) -> Array:
    """Return m (r·r 1 − r rᵀ) (3, 3) [kg m²]: the inertia of a point mass at r about 0.

    Raises:
        ConfigurationError: a mass that is negative or not finite, or r that is not (3,).
    """
    m = values.number(mass, "mass", at_least=0, unit="[kg]")
    r = as_vector(arm, 3, "arm", "from the centre of mass to the point [m]")
    return np.asarray(m * (r @ r * np.eye(3) - np.outer(r, r)))


def moved_inertia(
    inertia: ArrayLike,
    mass: float,
    com: ArrayLike,
    point: ArrayLike,
    about: ArrayLike | None = None,
) -> Array:
    """Return the inertia (3, 3) about `point`, in the same axes.

    Args:
        inertia: I (3, 3) about the point `about` [kg m²].
        mass: of the body [kg].
        com: its centre of mass (3,) [m].
        point: where to (3,) [m].
        about: where from (3,) [m]; None: the centre of mass.

    Raises:
        ConfigurationError: an inertia that is not symmetric, a bad mass or point.
    """
    centre = as_vector(com, 3, "com", "the centre of mass [m]")
    start = centre if about is None else as_vector(about, 3, "about", "a point [m]")
    target = as_vector(point, 3, "point", "a point [m]")
    return symmetric(inertia) - steiner(mass, start - centre) + steiner(mass, target - centre)


def inertia_about(
    robot: Robot,
    q: ArrayLike,
    point: ArrayLike | None = None,
    *,
    axes: str = "world",
    bodies: Iterable[str] | None = None,
) -> Array:
    """Return the inertia (3, 3) [kg m²] of bodies of a robot, frozen at q, about a point.

    Args:
        robot: the robot.
        q: configuration (nq,).
        point: (3,) in the world [m]; None: the bodies' common centre of mass.
        axes: "world", or the frame in whose axes to give it.
        bodies: the joints that carry them; None: all that move.

    Raises:
        ConfigurationError: a bad q or point, no such joint or frame, no body.
    """
    q = check_configuration(robot, q)
    names = tuple(robot._model.names)[1:] if bodies is None else bodies
    joints = sorted({robot.joint_id(name) for name in values.texts(names, "bodies")})
    data = workspace_of(robot).data
    pin.forwardKinematics(robot._model, data, q)
    parts = [data.oMi[joint].act(robot._model.inertias[joint]) for joint in joints]
    mass = sum(part.mass for part in parts)
    if not mass > 0:
        raise ConfigurationError(f"bodies: got {[*names]}, of mass {mass:g} kg; expected some mass")
    com = sum(part.mass * part.lever for part in parts) / mass
    target = com if point is None else as_vector(point, 3, "point", "a point of the world [m]")
    total = sum(moved_inertia(p.inertia, p.mass, p.lever, target) for p in parts)
    if isinstance(axes, str) and axes == "world":
        return np.asarray(total)
    return rotated_inertia(total, frame_placement(robot, q, axes).rotation.T)
