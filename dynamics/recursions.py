"""The recursive algorithms at a checked state, by Pinocchio; arrays are the caller's own."""

from __future__ import annotations

import math

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from ..errors import ModelError
from ..robots.robot import Robot
from . import jacobian_sums
from .topology import is_depth_first
from .workspace import workspace_of

Array = NDArray[np.float64]

# accelerations so much larger than what drives them are rounding divided by a vanishing inertia
_SINGULAR = 1e12


def mass_matrix(robot: Robot, q: Array) -> Array:
    """Return M (nv, nv), both halves filled: composite rigid bodies."""
    if not is_depth_first(robot):  # crba would be silently wrong
        return jacobian_sums.mass_matrix(robot, q)
    # in the world's axes, as computeAllTerms works it out
    M = pin.crba(robot._model, workspace_of(robot).data, q, pin.Convention.WORLD)
    return np.array(M).T  # symmetric: the transpose of a column-major copy is row-major


def bias(robot: Robot, q: Array, v: Array) -> Array:
    """Return b = vᵀCv − τ_g (nv,): recursive Newton-Euler at a = 0."""
    return np.array(pin.nonLinearEffects(robot._model, workspace_of(robot).data, q, v))


def inverse_dynamics(robot: Robot, q: Array, v: Array, a: Array) -> Array:
    """Return M a + b (nv,): recursive Newton-Euler."""
    return np.array(pin.rnea(robot._model, workspace_of(robot).data, q, v, a))


def forward_dynamics(robot: Robot, q: Array, v: Array, tau: Array) -> Array:
    """Return M⁻¹ (Sᵀτ − b) (nv,) for actuated torques (na,)."""
    forces = np.zeros(robot.nv)
    forces[robot.actuated_rows] = tau
    return accelerations(robot, q, v, forces)


def accelerations(robot: Robot, q: Array, v: Array, forces: Array) -> Array:
    """Return M⁻¹ (forces − b) (nv,) for generalised forces (nv,): articulated bodies.

    Raises:
        ModelError: M is singular, or the motion or the forces are too large for it.
    """
    a = np.array(pin.aba(robot._model, workspace_of(robot).data, q, v, forces))
    # norms by hypot, which overflows to inf without a warning
    size, speed, force = (math.hypot(*x.tolist()) for x in (a, v, forces))
    if not size / (1.0 + force + speed * speed) < _SINGULAR:  # nan too
        raise ModelError(
            f"the mass matrix of {robot.name!r} is singular at this q (some joint moves no mass "
            "and no inertia), or v or the forces are too large"
        )
    return a
