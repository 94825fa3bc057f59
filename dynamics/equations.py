"""The equations of motion and their terms, by recursive algorithms.

    M(q) a + vᵀC(q)v = Sᵀτ + τ_g(q) + τ_ext

Generalised forces are (nv,): for a floating base the first six entries are the force and the moment
on the base, in its axes. M includes the armature (reflected rotor inertia) of the joints.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike, NDArray

from ..errors import ModelError
from ..robots.configuration import check_configuration, check_torques, check_velocity
from ..robots.robot import Robot
from . import jacobian_sums
from .kinematics import is_depth_first
from .loads import check_wrenches, external_torques, joint_forces
from .wrench import Wrench

Array = NDArray[np.float64]

# accelerations so much larger than what drives them are rounding divided by a vanishing inertia
_SINGULAR = 1e12


def mass_matrix(robot: Robot, q: ArrayLike) -> Array:
    """Return M(q) (nv, nv), symmetric with both halves filled; ½ vᵀ M v is the kinetic energy [J].

    Composite rigid bodies, Pinocchio's `crba`; `jacobian_sums.mass_matrix` is the textbook road.

    Raises:
        ConfigurationError: a bad q.
    """
    if not is_depth_first(robot):  # crba would be silently wrong
        return jacobian_sums.mass_matrix(robot, q)
    q = check_configuration(robot, q)
    return np.array(pin.crba(robot.model, robot.workspace(), q), order="C")


def gravity_torques(robot: Robot, q: ArrayLike) -> Array:
    """Return τ_g (nv,) [N·m or N], on the right-hand side: Σ m_i J_iᵀ g = m J_comᵀ g = −∂V/∂q.

    Minus Pinocchio's `computeGeneralizedGravity`.

    Raises:
        ConfigurationError: a bad q.
    """
    q = check_configuration(robot, q)
    return -np.array(pin.computeGeneralizedGravity(robot.model, robot.workspace(), q))


def bias(robot: Robot, q: ArrayLike, v: ArrayLike) -> Array:
    """Return b = vᵀC(q)v − τ_g(q) (nv,), the torques that keep a = 0.

    Equivalent to `inverse_dynamics(robot, q, v, 0)`; Pinocchio's `nle`.

    Raises:
        ConfigurationError: a bad q or v.
    """
    q, v = check_configuration(robot, q), check_velocity(robot, v)
    return np.array(pin.nonLinearEffects(robot.model, robot.workspace(), q, v))


def inverse_dynamics(
    robot: Robot,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    wrenches: Mapping[str, Wrench] | None = None,
) -> Array:
    """Return M a + vᵀC v − τ_g − τ_ext (nv,), the generalised forces that make the motion happen.

    For a floating base the first six are what the ground would have to supply through the base, in
    its axes: zero for a motion that the wrenches explain. Recursive Newton-Euler.

    Args:
        robot: the robot.
        q: configuration (nq,).
        v: velocity (nv,).
        a: acceleration (nv,).
        wrenches: {frame: Wrench} of the environment on links, as in `external_torques`.

    Raises:
        ConfigurationError: a bad q, v or a, no such frame, or a value that is no `Wrench`.
    """
    q, v, a = (
        check_configuration(robot, q),
        check_velocity(robot, v),
        check_velocity(robot, a, "a"),
    )
    data = robot.workspace()
    checked = check_wrenches(robot, wrenches)
    if not checked:
        return np.array(pin.rnea(robot.model, data, q, v, a))
    pin.forwardKinematics(robot.model, data, q)
    return np.array(pin.rnea(robot.model, data, q, v, a, joint_forces(robot, data, checked)))


def forward_dynamics(
    robot: Robot,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    wrenches: Mapping[str, Wrench] | None = None,
) -> Array:
    """Return a = M⁻¹ (Sᵀτ + τ_g + τ_ext − vᵀC v) (nv,), without contacts. Articulated bodies.

    Args:
        robot: the robot.
        q: configuration (nq,).
        v: velocity (nv,).
        tau: actuated torques (na,).
        wrenches: {frame: Wrench} of the environment on links, as in `external_torques`.

    Raises:
        ConfigurationError: a bad q, v or τ, no such frame, or a value that is no `Wrench`.
        ModelError: M is singular: a joint moves nothing that has mass.
    """
    tau = check_torques(robot, tau)
    generalised = robot.selection_matrix.T @ tau
    if wrenches:
        generalised = generalised + external_torques(robot, q, wrenches)
    return accelerations(robot, q, v, generalised)


def accelerations(robot: Robot, q: ArrayLike, v: ArrayLike, forces: ArrayLike) -> Array:
    """Return a = M⁻¹ (forces + τ_g − vᵀC v) (nv,) for generalised forces (nv,).

    Raises:
        ConfigurationError: a bad q, v or generalised force.
        ModelError: M is singular: a joint moves nothing that has mass.
    """
    q, v = check_configuration(robot, q), check_velocity(robot, v)
    forces = check_velocity(robot, forces, "forces")
    a = np.array(pin.aba(robot.model, robot.workspace(), q, v, forces))
    fastest = float(np.abs(v).max(initial=0.0))
    driven = 1.0 + np.abs(forces).max(initial=0.0) + fastest * fastest  # inf if v is too large
    if not np.abs(a).max(initial=0.0) / driven < _SINGULAR:  # nan too
        raise ModelError(
            f"the mass matrix of {robot.name!r} is singular at this q (some joint moves no mass "
            "and no inertia), or v or the forces are too large"
        )
    return a


def joint_wrenches(
    robot: Robot,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    wrenches: Mapping[str, Wrench] | None = None,
) -> dict[str, Wrench]:
    """Return {joint: Wrench}: what the parent does to the child through each joint.

    Each wrench is at the joint's origin, in world axes. A floating base has one too, under its
    joint's name: what is missing for it to move this way (zero if the other wrenches explain it).

    Raises:
        ConfigurationError: a bad q, v or a, no such frame, or a value that is no `Wrench`.
    """
    inverse_dynamics(robot, q, v, a, wrenches)  # checks, and leaves its forces in the workspace
    data, names = robot.workspace(), robot.model.names
    pin.updateGlobalPlacements(robot.model, data)  # rnea leaves those of an earlier call
    transmitted = {}
    for joint in range(1, robot.model.njoints):
        R, p = data.oMi[joint].rotation, data.oMi[joint].translation
        f = data.f[joint]
        transmitted[names[joint]] = Wrench(R @ f.linear, R @ f.angular, point=p)
    return transmitted


def kinetic_energy(robot: Robot, q: ArrayLike, v: ArrayLike) -> float:
    """Return ½ vᵀ M(q) v [J], that of the rotors (armature) included.

    Raises:
        ConfigurationError: a bad q or v.
    """
    # ½ v·(M v), M v by two passes of Newton-Euler: Pinocchio's computeKineticEnergy (4.1) leaves
    # out the armature of revolute joints about a general axis
    v, at_rest = check_velocity(robot, v), np.zeros(robot.nv)
    momentum = inverse_dynamics(robot, q, at_rest, v)
    momentum -= inverse_dynamics(robot, q, at_rest, at_rest)
    return float(0.5 * momentum @ v)


def potential_energy(robot: Robot, q: ArrayLike) -> float:
    """Return V = −m g·com [J], zero with the centre of mass at the world's origin; −∂V/∂q = τ_g.

    Raises:
        ConfigurationError: a bad q.
    """
    q = check_configuration(robot, q)
    moving = pin.computePotentialEnergy(robot.model, robot.workspace(), q)
    # the links that a fixed base welds to the world
    welded = robot.model.inertias[0]
    return float(moving - welded.mass * robot.model.gravity.linear @ welded.lever)
