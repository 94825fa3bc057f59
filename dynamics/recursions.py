"""The recursive algorithms at a checked state, by Pinocchio.

It hands out their results as arrays of their own, not as views of its Data.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pinocchio as pin

from ..arrays import Array
from ..errors import ModelError
from ..robots.robot import Robot
from . import jacobian_sums
from .free_armature import centrifugal, free_armatures
from .topology import is_depth_first
from .workspace import workspace_of

# accelerations so much larger than what drives them are rounding divided by a vanishing inertia
_SINGULAR = 1e12


def mass_matrix(robot: Robot, q: Array, axes: Any = pin.Convention.LOCAL) -> Array:
    """Return M (nv, nv), both halves filled: composite rigid bodies.

    Args:
        robot: the robot.
        q: configuration (nq,).
        axes: in which bodies are composed, their own (sooner) or the world's, in which
            `computeAllTerms` arrives at the same last digits.
    """
    if not is_depth_first(robot):  # crba would be silently wrong
        return jacobian_sums.mass_matrix(robot, q)
    M: Array = pin.crba(robot._model, workspace_of(robot).data, q, axes)
    return M


def bias(robot: Robot, q: Array, v: Array) -> Array:
    """Return b = vᵀCv − τ_g (nv,): recursive Newton-Euler at a = 0."""
    b: Array = pin.nonLinearEffects(robot._model, workspace_of(robot).data, q, v)
    return b + centrifugal(robot, v) if free_armatures(robot) else b


def inverse_dynamics(robot: Robot, q: Array, v: Array, a: Array) -> Array:
    """Return M a + b (nv,): recursive Newton-Euler."""
    tau: Array = pin.rnea(robot._model, workspace_of(robot).data, q, v, a)
    return tau + centrifugal(robot, v) if free_armatures(robot) else tau


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
    if free_armatures(robot):
        forces = forces - centrifugal(robot, v)
    a: Array = pin.aba(robot._model, workspace_of(robot).data, q, v, forces)
    size = _norm(a)
    # nan too; the first comparison, the usual one, spares the norms in the second
    if not (size < _SINGULAR or size / (1.0 + _norm(forces) + _norm(v) ** 2) < _SINGULAR):
        raise ModelError(
            f"the mass matrix of {robot.name!r} is singular at this q (some joint moves no mass "
            "and no inertia), or v or the forces are too large"
        )
    return a


def _norm(x: Array) -> float:
    """‖x‖, which overflows to inf without a warning."""
    return math.hypot(*x.tolist())
