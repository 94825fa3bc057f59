"""The centre of mass and the centroidal momentum.

With a fixed base, the links welded to the world count in the mass and in the centre of mass, as
they do in `robot.mass`: τ_g = m J_comᵀ g holds with m = robot.mass on every base.
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from ..arrays import Array
from ..robots.robot import Robot
from .state import State


def com(robot: Robot, q: ArrayLike | State) -> Array:
    """Return the centre of mass (3,) of the whole robot, in the world [m].

    Raises:
        ConfigurationError: a bad q.
        ModelError: the robot has no mass.
    """
    return State.of(robot, q).com.copy()


def com_jacobian(robot: Robot, q: ArrayLike | State) -> Array:
    """Return J_com (3, nv) in world axes: J_com v is the velocity of the centre of mass [m/s].

    Raises:
        ConfigurationError: a bad q.
        ModelError: the robot has no mass.
    """
    return State.of(robot, q).com_jacobian.copy()


def centroidal_map(robot: Robot, q: ArrayLike | State) -> Array:
    """Return A_g (6, nv), with A_g v the linear and angular momentum at the centre of mass.

    World axes. The first three rows are m J_com.

    Raises:
        ConfigurationError: a bad q.
        ModelError: the robot has no mass.
    """
    return State.of(robot, q).centroidal_map.copy()


def centroidal_momentum(robot: Robot, q: ArrayLike | State, v: ArrayLike | None = None) -> Array:
    """Return h_g = A_g v (6,): linear momentum [kg m/s], angular at the centre of mass [kg m²/s].

    Raises:
        ConfigurationError: a bad q or v.
        ModelError: the robot has no mass.
    """
    return State.of(robot, q, v).centroidal_momentum.copy()


def centroidal_drift(robot: Robot, q: ArrayLike | State, v: ArrayLike | None = None) -> Array:
    """Return Ȧ_g v (6,), the rate of the centroidal momentum at a = 0 [N; N·m].

    So A_g a + Ȧ_g v is the sum of all external wrenches at the centre of mass.

    Raises:
        ConfigurationError: a bad q or v.
        ModelError: the robot has no mass.
    """
    return State.of(robot, q, v).centroidal_drift.copy()
