"""The equations of motion and their terms, by recursive algorithms.

    M(q) a + vᵀC(q)v = Sᵀτ + τ_g(q) + τ_ext

Generalised forces are (nv,): for a floating base the first six entries are the force and the moment
on the base, in its axes. M includes the armature (reflected rotor inertia) of the joints.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..robots.configuration import check_configuration, check_robot, check_torques, check_velocity
from ..robots.robot import Robot
from . import closures, recursions, single
from .state import State
from .wrench import Wrench


def mass_matrix(robot: Robot, q: ArrayLike | State) -> Array:
    """Return M(q) (nv, nv), symmetric with both halves filled; ½ vᵀ M v is the kinetic energy [J].

    Composite rigid bodies, Pinocchio's `crba`; `jacobian_sums.mass_matrix` is the textbook method.

    Raises:
        ConfigurationError: a bad q.
    """
    if isinstance(q, State):
        return State.of(robot, q).mass_matrix.copy()
    if (M := single.MASS_MATRIX(robot, q)) is not None:
        return M
    return recursions.mass_matrix(robot, check_configuration(robot, q))


def gravity_torques(robot: Robot, q: ArrayLike | State) -> Array:
    """Return τ_g (nv,) [N·m or N], on the right-hand side: Σ m_i J_iᵀ g = m J_comᵀ g = −∂V/∂q.

    Minus Pinocchio's `computeGeneralizedGravity`.

    Raises:
        ConfigurationError: a bad q.
    """
    if isinstance(q, State):
        return State.of(robot, q).gravity_torques.copy()
    return 0.0 - bias(robot, q, np.zeros(check_robot(robot).nv))  # -b has zeros of sign minus


def bias(robot: Robot, q: ArrayLike | State, v: ArrayLike | None = None) -> Array:
    """Return b = vᵀC(q)v − τ_g(q) (nv,), the torques that keep a = 0.

    Equivalent to `inverse_dynamics(robot, q, v, 0)`; Pinocchio's `nle`.

    Raises:
        ConfigurationError: a bad q or v.
    """
    if v is None or isinstance(q, State):
        return State.of(robot, q, v).bias.copy()
    if (b := single.BIAS(robot, q, v)) is not None:
        return b
    return recursions.bias(robot, check_configuration(robot, q), check_velocity(robot, v))


def inverse_dynamics(
    robot: Robot,
    q: ArrayLike | State,
    v: ArrayLike | None,
    a: ArrayLike,
    wrenches: Mapping[str, Wrench] | None = None,
) -> Array:
    """Return M a + vᵀC v − τ_g − τ_ext (nv,), the generalised forces that make the motion happen.

    For a floating base the first six are what the ground would have to supply through the base, in
    its axes: zero for a motion that the wrenches explain. With closures they are Sᵀτ + J_cᵀλ.
    Recursive Newton-Euler.

    Args:
        robot: the robot.
        q: configuration (nq,).
        v: velocity (nv,).
        a: acceleration (nv,).
        wrenches: {frame: Wrench} of the environment on links, as in `external_torques`.

    Raises:
        ConfigurationError: a bad q, v or a, no such frame, or a value that is no `Wrench`.
    """
    if v is None or wrenches is not None or isinstance(q, State):
        return State.of(robot, q, v).inverse_dynamics(a, wrenches)
    if (tau := single.INVERSE_DYNAMICS(robot, q, v, a)) is not None:
        return tau
    q, v = check_configuration(robot, q), check_velocity(robot, v)
    return recursions.inverse_dynamics(robot, q, v, check_velocity(robot, a, "a"))


def forward_dynamics(
    robot: Robot,
    q: ArrayLike | State,
    v: ArrayLike | None,
    tau: ArrayLike,
    wrenches: Mapping[str, Wrench] | None = None,
    *,
    forces: ArrayLike | None = None,
) -> Array:
    """Return a = M⁻¹ (Sᵀτ + τ_g + τ_ext + forces − vᵀC v) (nv,), without contacts.

    By articulated bodies. Closures of the robot are kept: of all a with J_c a + J̇_c v = 0 it is
    the one nearest to that of the tree, in the metric of M.

    Args:
        robot: the robot.
        q: configuration (nq,).
        v: velocity (nv,).
        tau: actuated torques (na,).
        wrenches: {frame: Wrench} of the environment on links, as in `external_torques`.
        forces: further generalised forces (nv,), as of springs or of friction in joints.

    Raises:
        ConfigurationError: a bad q, v, τ or force, no such frame, a value that is no `Wrench`, or
            open closures.
        ModelError: M is singular: a joint moves nothing that has mass.
    """
    if forces is not None:
        state = State.of(robot, q, v)
        total = check_velocity(robot, forces, "forces")
        total = total + robot.selection_matrix.T @ check_torques(robot, tau)
        if wrenches:
            total = total + external_torques(robot, state, wrenches)
        return state.accelerations(total)
    tree = not check_robot(robot).closures
    if not tree or v is None or wrenches is not None or isinstance(q, State):
        return State.of(robot, q, v).forward_dynamics(tau, wrenches)
    if (a := single.FORWARD_DYNAMICS(robot, q, v, tau)) is not None:
        return a
    q, v = check_configuration(robot, q), check_velocity(robot, v)
    return recursions.forward_dynamics(robot, q, v, check_torques(robot, tau))


def accelerations(
    robot: Robot, q: ArrayLike | State, v: ArrayLike | None, forces: ArrayLike
) -> Array:
    """Return a = M⁻¹ (forces + τ_g − vᵀC v) (nv,) for generalised forces (nv,).

    Raises:
        ConfigurationError: a bad q, v or generalised force.
        ModelError: M is singular: a joint moves nothing that has mass.
    """
    if v is None or isinstance(q, State) or check_robot(robot).closures:
        return State.of(robot, q, v).accelerations(forces)
    q, v = check_configuration(robot, q), check_velocity(robot, v)
    return recursions.accelerations(robot, q, v, check_velocity(robot, forces, "forces"))


def closed(robot: Robot, q: ArrayLike | State, v: ArrayLike | None = None) -> tuple[Array, Array]:
    """Return (q, v) near a state, with the robot's closures closed: e(q) = 0 and J_c v = 0.

    q by `Robot.close`, from the joints without a motor where these suffice; v is the nearest one
    in the metric of M, 0 where none is given.

    Raises:
        ConfigurationError: a bad q or v, or loops that do not close near q.
    """
    state = State.of(robot, q, v)
    return closures.close(state if state.v is not None else state.with_velocity(np.zeros(robot.nv)))


def external_torques(robot: Robot, q: ArrayLike | State, wrenches: Mapping[str, Wrench]) -> Array:
    """Return τ_ext = Σ Jᵗᵀ f + Jᴿᵀ m (nv,), what wrenches on links do as generalised forces.

    Args:
        wrenches: {frame: Wrench}: the wrench acts on the link that carries `frame`. Its axes are
            "world", "local" (those of `frame`), or the name of another frame of the robot; force,
            moment and point are coordinates in those axes, from that frame's origin. Without a
            point it acts at the origin of `frame`.

    Raises:
        ConfigurationError: a bad q, no such frame, or a value that is no `Wrench`.
    """
    return State.of(robot, q).external_torques(wrenches)


def joint_wrenches(
    robot: Robot,
    q: ArrayLike | State,
    v: ArrayLike | None,
    a: ArrayLike,
    wrenches: Mapping[str, Wrench] | None = None,
) -> dict[str, Wrench]:
    """Return {joint: Wrench}: what the parent does to the child through each joint.

    Each wrench is at the joint's origin, in world axes. A floating base has one too, under its
    joint's name: what is missing for it to move this way (zero if the other wrenches explain it).

    Raises:
        ConfigurationError: a bad q, v or a, no such frame, or a value that is no `Wrench`.
        ModelError: a robot with closures, which pass on wrenches too.
    """
    return State.of(robot, q, v).joint_wrenches(a, wrenches)


def kinetic_energy(robot: Robot, q: ArrayLike | State, v: ArrayLike | None = None) -> float:
    """Return ½ vᵀ M(q) v [J], that of the rotors (armature) included.

    Raises:
        ConfigurationError: a bad q or v.
    """
    return State.of(robot, q, v).kinetic_energy


def potential_energy(robot: Robot, q: ArrayLike | State) -> float:
    """Return V = −m g·com [J], zero with the centre of mass at the world's origin; −∂V/∂q = τ_g.

    Raises:
        ConfigurationError: a bad q.
    """
    return State.of(robot, q).potential_energy


def terms(robot: Robot, q: ArrayLike | State, v: ArrayLike | None = None) -> State:
    """Return the State (q, v) with M, b, A_g and the joints' columns there from the start.

    In one pass they cost less than one by one, and the rest follows from them. Pinocchio's
    `computeAllTerms`.

    Raises:
        ConfigurationError: a bad q or v.
    """
    return State.of(robot, q, v).filled()
