"""Regressors: the dynamics as linear functions of inertial parameters, and the balance of power.

The parameters of a link are π = [m, m c (3), Ixx, Ixy, Iyy, Ixz, Iyz, Izz] (10,): mass, first
moment and inertia about the joint's origin, in the joint's axes. Links welded together are one.
Source: C. Atkeson, C. An, J. Hollerbach, "Estimation of inertial parameters of manipulator loads
and links" (1986).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike, NDArray

from ..robots.configuration import check_robot, check_torques, check_velocity
from ..robots.robot import Robot
from .state import State
from .workspace import workspace_of
from .wrench import Wrench

Array = NDArray[np.float64]


def inertial_parameters(robot: Robot) -> Array:
    """Return π (10 k,) of the k moving links, in joint order."""
    check_robot(robot)
    links = list(robot._model.inertias)[1:]
    return np.concatenate([link.toDynamicParameters() for link in links] or [np.zeros(0)])


def torque_regressor(
    robot: Robot, q: ArrayLike | State, v: ArrayLike | None, a: ArrayLike
) -> Array:
    """Return Y (nv, 10 k): Y π + armature · a = inverse_dynamics(q, v, a).

    Raises:
        ConfigurationError: a bad q, v or a.
    """
    state, a = State.of(robot, q, v), check_velocity(robot, a, "a")
    data = workspace_of(robot).data
    Y = pin.computeJointTorqueRegressor(robot._model, data, state.q, state.velocity, a)
    return np.array(Y, order="C").reshape(robot.nv, -1)  # nv = 1: Pinocchio gives a vector


def kinetic_energy_regressor(
    robot: Robot, q: ArrayLike | State, v: ArrayLike | None = None
) -> Array:
    """Return y (10 k,): y·π + ½ Σ armature v² = kinetic_energy(q, v).

    Raises:
        ConfigurationError: a bad q or v.
    """
    state, data = State.of(robot, q, v), workspace_of(robot).data
    y = pin.computeKineticEnergyRegressor(robot._model, data, state.q, state.velocity)
    return np.array(y).ravel()


def potential_energy_regressor(robot: Robot, q: ArrayLike | State) -> Array:
    """Return y (10 k,): y·π = potential_energy(q), but for links that a fixed base welds down.

    Raises:
        ConfigurationError: a bad q.
    """
    state, data = State.of(robot, q), workspace_of(robot).data
    return np.array(pin.computePotentialEnergyRegressor(robot._model, data, state.q)).ravel()


class PowerBalance(NamedTuple):
    """Where the power goes [W]: kinetic + potential = actuators + external + unexplained."""

    kinetic: float  # rate of the kinetic energy
    potential: float  # rate of the potential energy
    actuators: float  # v·Sᵀτ
    external: float  # v·τ_ext

    @property
    def unexplained(self) -> float:
        """What these forces cannot account for; zero for a motion that obeys them."""
        return self.kinetic + self.potential - self.actuators - self.external


def power_balance(
    robot: Robot,
    q: ArrayLike | State,
    v: ArrayLike | None,
    a: ArrayLike,
    tau: ArrayLike,
    wrenches: Mapping[str, Wrench] | None = None,
) -> PowerBalance:
    """Return the rates of the energies in the motion (q, v, a), and the power of the forces.

    d/dt ½ vᵀMv = v·(M a + ½ Ṁ v), d/dt V = −v·τ_g; each worked out by itself.

    Raises:
        ConfigurationError: a bad q, v, a or τ, no such frame, or a value that is no `Wrench`.
        ModelError: a joint whose axes turn within its own body (no URDF has one).
    """
    state, a = State.of(robot, q, v), check_velocity(robot, a, "a")
    v = state.velocity
    kinetic = v @ (state.mass_matrix @ a + 0.5 * state.mass_matrix_derivative @ v)
    external = v @ state.external_torques(wrenches or {})
    actuators = v[robot.actuated_rows] @ check_torques(robot, tau)
    potential = -v @ state.gravity_torques
    return PowerBalance(float(kinetic), float(potential), float(actuators), float(external))
