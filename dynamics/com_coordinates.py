"""The equations of motion with the centre of mass as a coordinate: M becomes block-diagonal.

Instead of the linear velocity of the base, take that of the centre of mass, in world axes:

    y = T v,   T = [J_com; 0 1],   y = [ċ (3); ω of the base, in its axes (3); joints]

The kinetic energy is then ½ m |ċ|² plus what the robot has relative to its centre of mass, so that

    [m 1  0 ] ẏ + [0  0 ] y = Sᵀτ + [m g] + Σ J_yᵀ w
    [0   M_r]     [0 C_r]           [ 0 ]

with the same S: Newton's law for the centre of mass on top, all that posture can do below.
Closures of the robot add T⁻ᵀ J_cᵀλ on the right. Source:
G. Garofalo, C. Ott, A. Albu-Schäffer (2015).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..errors import ModelError
from ..robots.configuration import as_vector, check_floating, check_velocity
from ..robots.robot import Robot
from .spatial import LOCAL_WORLD_ALIGNED
from .state import State


def com_coordinates(
    robot: Robot, q: ArrayLike | State, v: ArrayLike | None = None
) -> ComCoordinates:
    """Return the equations of motion at (q, v) in centre-of-mass coordinates y = T v.

    Raises:
        ConfigurationError: a bad q or v.
        ModelError: a fixed base: no base velocity to trade for that of the centre of mass.
    """
    state = State.of(robot, q, v)
    v = state.velocity
    why = (
        ": centre-of-mass coordinates put ċ in the place of the base's linear velocity. Load it "
        'with base="floating"'
    )
    check_floating(robot, why, error=ModelError)
    J_com, M, C = state.com_jacobian, state.mass_matrix, state.coriolis_matrix
    dJ_com = state.centroidal_map_derivative[:3] / robot.mass
    T = np.vstack([J_com, np.eye(robot.nv)[3:]])
    T_inv = _inverse(J_com)

    # M_y = T⁻ᵀ M T⁻¹: the upper left of M is m 1, so the Schur complement is all there is to do
    rest = J_com[:, 3:]
    M_y = np.zeros_like(M)
    M_y[:3, :3] = robot.mass * np.eye(3)
    M_y[3:, 3:] = M[3:, 3:] - robot.mass * rest.T @ rest
    # v = T⁻¹ y and a = T⁻¹ (ẏ − Ṫ v), so C_y = T⁻ᵀ (C − M T⁻¹ Ṫ) T⁻¹; its other blocks vanish
    dT = np.vstack([dJ_com, np.zeros((robot.nv - 3, robot.nv))])
    C_y = np.zeros_like(M)
    C_y[3:, 3:] = (T_inv.T @ (C - M @ T_inv @ dT) @ T_inv)[3:, 3:]
    gravity = np.concatenate([robot.mass * robot._model.gravity.linear, np.zeros(robot.nv - 3)])
    return ComCoordinates(state, T, T_inv, dT @ v, T @ v, M_y, C_y, gravity)


@dataclass(frozen=True, eq=False, repr=False)
class ComCoordinates:
    """The terms in y = [ċ; ω; joints], and the way there and back.

    Attributes:
        state: in the usual coordinates.
        transformation: T (nv, nv), y = T v.
        inverse: T⁻¹ (nv, nv), v = T⁻¹ y.
        drift: Ṫ v (nv,), so that ẏ = T a + Ṫ v; its first three are J̇_com v, the others zero.
        velocity: y (nv,): of the centre of mass in world axes [m/s], of the base's turning in its
            own axes [rad/s], of the joints.
        mass_matrix: (nv, nv), block-diagonal: m 1 (3, 3), then the rest.
        coriolis_matrix: (nv, nv), linear in v, dM/dt − 2 C skew; first three rows and columns zero.
        gravity: (nv,), [m g; 0], on the right-hand side.
    """

    state: State
    transformation: Array
    inverse: Array
    drift: Array
    velocity: Array
    mass_matrix: Array
    coriolis_matrix: Array
    gravity: Array

    @property
    def robot(self) -> Robot:
        """The robot."""
        return self.state.robot

    @property
    def q(self) -> Array:
        """Its configuration (nq,), read-only."""
        return self.state.q

    @property
    def v(self) -> Array:
        """Its velocity (nv,) in the usual coordinates, read-only."""
        return self.state.velocity

    @property
    def selection_matrix(self) -> Array:
        """S (na, nv), the same as in the usual coordinates."""
        return self.robot.selection_matrix

    @property
    def bias(self) -> Array:
        """C y − [m g; 0] (nv,), the forces that keep ẏ = 0."""
        return self.coriolis_matrix @ self.velocity - self.gravity

    def forces(self, generalised: ArrayLike) -> Array:
        """Return T⁻ᵀ f (nv,): a generalised force of the usual coordinates, in these."""
        return self.inverse.T @ check_velocity(self.robot, generalised, "generalised")

    def jacobian(self, J: ArrayLike) -> Array:
        """Return J_y = J T⁻¹ (k, nv) for any Jacobian J (k, nv) of the usual coordinates."""
        return np.asarray(J, dtype=float) @ self.inverse

    def jacobian_drift(self, J: ArrayLike, drift: ArrayLike) -> Array:
        """Return the drift (k,) that goes with J_y: J̇v − J_y Ṫv, so that J_y ẏ + it = J a + J̇v."""
        return np.asarray(drift, dtype=float) - self.jacobian(J) @ self.drift

    def frame_jacobian(self, frame: str, reference: Any = LOCAL_WORLD_ALIGNED) -> Array:
        """Return J_y (6, nv) of a frame."""
        return self.jacobian(self.state.frame_jacobian(frame, reference))

    def frame_drift(self, frame: str, reference: Any = LOCAL_WORLD_ALIGNED) -> Array:
        """Return the drift (6,) of a frame that goes with J_y."""
        J = self.state.frame_jacobian(frame, reference)
        return self.jacobian_drift(J, self.state.frame_drift(frame, reference))

    def acceleration(self, a: ArrayLike) -> Array:
        """Return ẏ = T a + Ṫ v (nv,)."""
        return self.transformation @ check_velocity(self.robot, a, "a") + self.drift

    def back_to_velocity(self, y: ArrayLike) -> Array:
        """Return v = T⁻¹ y (nv,)."""
        return self.inverse @ as_vector(y, self.robot.nv, "y", "a velocity [ċ; ω; joints]")

    def back_to_acceleration(self, dy: ArrayLike) -> Array:
        """Return a = T⁻¹ (ẏ − Ṫ v) (nv,)."""
        dy = as_vector(dy, self.robot.nv, "dy", "an acceleration [c̈; ω̇; joints]")
        return self.inverse @ (dy - self.drift)

    def __repr__(self) -> str:
        return f"ComCoordinates({self.robot.name!r}, nv={self.robot.nv})"


def _inverse(J_com: Array) -> Array:
    """Return T⁻¹; the block that it inverts is the base's rotation, whose inverse is exact."""
    T_inv = np.eye(J_com.shape[1])
    T_inv[:3, :3] = J_com[:, :3].T
    T_inv[:3, 3:] = -J_com[:, :3].T @ J_com[:, 3:]
    return T_inv
