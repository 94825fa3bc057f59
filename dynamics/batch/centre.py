"""The centre of mass and the centroidal momentum of many states."""

from __future__ import annotations

from numpy.typing import ArrayLike

from ...robots.robot import Robot
from .. import centroidal
from ..centroidal import moving_share
from ..kernels import centroidal as kernels
from ..kernels.momentum import momentum_rows
from .running import Array, Work, run


def com(robot: Robot, Q: ArrayLike, out: Array | None = None, threads: int = 1) -> Array:
    """Return the centre of mass (N, 3) of each row, in the world [m].

    Raises:
        ConfigurationError: a bad value, with its row.
        ModelError: the robot has no mass.
    """
    moving_share(robot)  # raises without mass
    work = Work(kernels.com_rows, lambda q: centroidal.com(robot, q))
    return run(robot, work, [("Q", Q, robot.nq)], (3,), out, threads)


def com_jacobian(robot: Robot, Q: ArrayLike, out: Array | None = None, threads: int = 1) -> Array:
    """Return J_com (N, 3, nv) of each row, in world axes.

    Raises:
        ConfigurationError: a bad value, with its row.
        ModelError: the robot has no mass.
    """
    moving_share(robot)
    work = Work(kernels.com_jacobian_rows, lambda q: centroidal.com_jacobian(robot, q))
    return run(robot, work, [("Q", Q, robot.nq)], (3, robot.nv), out, threads)


def centroidal_map(robot: Robot, Q: ArrayLike, out: Array | None = None, threads: int = 1) -> Array:
    """Return A_g (N, 6, nv) of each row: A_g v is the momentum at the centre of mass, world axes.

    Raises:
        ConfigurationError: a bad value, with its row.
        ModelError: the robot has no mass.
    """
    moving_share(robot)
    work = Work(kernels.centroidal_map_rows, lambda q: centroidal.centroidal_map(robot, q))
    return run(robot, work, [("Q", Q, robot.nq)], (6, robot.nv), out, threads)


def centroidal_momentum(
    robot: Robot, Q: ArrayLike, V: ArrayLike, out: Array | None = None, threads: int = 1
) -> Array:
    """Return h_g = A_g v (N, 6) of each row: [kg m/s], and [kg m²/s] at the centre of mass.

    Raises:
        ConfigurationError: a bad value, with its row.
        ModelError: the robot has no mass.
    """
    moving_share(robot)
    work = Work(momentum_rows, lambda q, v: centroidal.centroidal_momentum(robot, q, v), (False,))
    values = ("Q", Q, robot.nq), ("V", V, robot.nv)
    return run(robot, work, values, (6,), out, threads)


def centroidal_drift(
    robot: Robot, Q: ArrayLike, V: ArrayLike, out: Array | None = None, threads: int = 1
) -> Array:
    """Return Ȧ_g v (N, 6) of each row, the rate of the centroidal momentum at a = 0 [N; N·m].

    Raises:
        ConfigurationError: a bad value, with its row.
        ModelError: the robot has no mass.
    """
    moving_share(robot)
    work = Work(momentum_rows, lambda q, v: centroidal.centroidal_drift(robot, q, v), (True,))
    values = ("Q", Q, robot.nq), ("V", V, robot.nv)
    return run(robot, work, values, (6,), out, threads)
