"""The centre of mass and the centroidal momentum.

With a fixed base, the links welded to the world count in the mass and in the centre of mass, as
they do in `robot.mass`: τ_g = m J_comᵀ g holds with m = robot.mass on every base.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike, NDArray

from ..errors import ModelError
from ..robots.configuration import check_configuration, check_velocity
from ..robots.robot import Robot
from .columns import columns
from .per_robot import per_robot

Array = NDArray[np.float64]


def com(robot: Robot, q: ArrayLike) -> Array:
    """Return the centre of mass (3,) of the whole robot, in the world [m].

    Raises:
        ConfigurationError: a bad q.
        ModelError: the robot has no mass.
    """
    q = check_configuration(robot, q)
    return _of_all_links(robot, np.array(pin.centerOfMass(robot.model, robot.workspace(), q)))


def com_jacobian(robot: Robot, q: ArrayLike) -> Array:
    """Return J_com (3, nv) in world axes: J_com v is the velocity of the centre of mass [m/s].

    Raises:
        ConfigurationError: a bad q.
        ModelError: the robot has no mass.
    """
    q = check_configuration(robot, q)
    share = moving_share(robot)
    if share == 0.0:
        return np.zeros((3, robot.nv))
    J = pin.jacobianCenterOfMass(robot.model, robot.workspace(), q)
    return share * columns(J)


def centroidal_map(robot: Robot, q: ArrayLike) -> Array:
    """Return A_g (6, nv), with A_g v the linear and angular momentum at the centre of mass.

    World axes. The first three rows are m J_com.

    Raises:
        ConfigurationError: a bad q.
        ModelError: the robot has no mass.
    """
    q = check_configuration(robot, q)
    data = robot.workspace()
    A = columns(pin.computeCentroidalMap(robot.model, data, q))
    return about_whole_robot(robot, data, A)


def centroidal_momentum(robot: Robot, q: ArrayLike, v: ArrayLike) -> Array:
    """Return h_g = A_g v (6,): linear momentum [kg m/s], angular at the centre of mass [kg m²/s].

    Raises:
        ConfigurationError: a bad q or v.
        ModelError: the robot has no mass.
    """
    v = check_velocity(robot, v)
    return centroidal_map(robot, q) @ v


def centroidal_drift(robot: Robot, q: ArrayLike, v: ArrayLike) -> Array:
    """Return Ȧ_g v (6,), the rate of the centroidal momentum at a = 0 [N; N·m].

    So A_g a + Ȧ_g v is the sum of all external wrenches at the centre of mass.

    Raises:
        ConfigurationError: a bad q or v.
        ModelError: the robot has no mass.
    """
    q, v = check_configuration(robot, q), check_velocity(robot, v)
    if robot.nv == 0:  # Pinocchio has no centre of mass for what has no moving link
        return np.zeros(6)
    data = robot.workspace()
    pin.computeCentroidalMomentumTimeVariation(robot.model, data, q, v, np.zeros(robot.nv))
    return about_whole_robot(robot, data, np.array(data.dhg.vector))


def of_whole_robot(robot: Robot, data: Any) -> tuple[Array, Array, Array]:
    """Return (com, J_com, A_g) from a `data` that has those of the moving links."""
    moving, J, A = np.array(data.com[0]), columns(data.Jcom, "K"), columns(data.Ag, "K")
    if moving_share(robot) < 1.0:
        J *= moving_share(robot)
        A = about_whole_robot(robot, data, A)
    return _of_all_links(robot, moving), J, A


def about_whole_robot(robot: Robot, data: Any, momentum: Array) -> Array:
    """Move a momentum, its rate or its map (6, …) to the whole robot's centre of mass, in place.

    Pinocchio's are about the centre of the moving links.
    """
    if moving_share(robot) < 1.0:
        moving = np.array(data.com[0])
        lever = moving - _of_all_links(robot, moving)
        momentum[3:] += np.cross(lever, momentum[:3], axisb=0, axisc=0)
    return momentum


def _of_all_links(robot: Robot, moving: Array) -> Array:
    """Return the centre of mass of all links from that of the moving ones."""
    share = moving_share(robot)
    if share == 1.0:
        return moving
    welded = np.array(robot.model.inertias[0].lever)
    return welded if share == 0.0 else share * moving + (1.0 - share) * welded


@per_robot
def moving_share(robot: Robot) -> float:
    """Return the share of the mass that moves: less than 1 if a fixed base welds links down.

    Raises:
        ModelError: the robot has no mass.
    """
    if robot.mass <= 0:
        raise ModelError(f"{robot.name!r} has no mass, so it has no centre of mass")
    return 1.0 - float(robot.model.inertias[0].mass) / robot.mass
