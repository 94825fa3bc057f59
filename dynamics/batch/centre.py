"""The centre of mass and the centroidal momentum of many states."""

from __future__ import annotations

from functools import partial

from numpy.typing import ArrayLike

from ...arrays import Array
from ...robots.robot import Robot
from .. import centroidal
from ..kernels import centroidal as kernels
from ..kernels.momentum import momentum_rows
from ..topology import require_mass
from .running import run
from .term import Term

_term = partial(Term, requires=require_mass)
_COM = _term(kernels.com_rows, centroidal.com, ("Q",), (3,))
_COM_JACOBIAN = _term(kernels.com_jacobian_rows, centroidal.com_jacobian, ("Q",), (3, "V"))
_CENTROIDAL_MAP = _term(kernels.centroidal_map_rows, centroidal.centroidal_map, ("Q",), (6, "V"))
_MOMENTUM = _term(
    momentum_rows, centroidal.centroidal_momentum, ("Q", "V"), (6,), tables=lambda robot: (False,)
)
_DRIFT = _term(
    momentum_rows, centroidal.centroidal_drift, ("Q", "V"), (6,), tables=lambda robot: (True,)
)


def com(robot: Robot, Q: ArrayLike, out: Array | None = None, threads: int = 1) -> Array:
    """Return the centre of mass (N, 3) of each row, in the world [m].

    Raises:
        ConfigurationError: a bad value, with its row.
        ModelError: the robot has no mass.
    """
    return run(robot, _COM, (Q,), out, threads)


def com_jacobian(robot: Robot, Q: ArrayLike, out: Array | None = None, threads: int = 1) -> Array:
    """Return J_com (N, 3, nv) of each row, in world axes.

    Raises:
        ConfigurationError: a bad value, with its row.
        ModelError: the robot has no mass.
    """
    return run(robot, _COM_JACOBIAN, (Q,), out, threads)


def centroidal_map(robot: Robot, Q: ArrayLike, out: Array | None = None, threads: int = 1) -> Array:
    """Return A_g (N, 6, nv) of each row: A_g v is the momentum at the centre of mass, world axes.

    Raises:
        ConfigurationError: a bad value, with its row.
        ModelError: the robot has no mass.
    """
    return run(robot, _CENTROIDAL_MAP, (Q,), out, threads)


def centroidal_momentum(
    robot: Robot, Q: ArrayLike, V: ArrayLike, out: Array | None = None, threads: int = 1
) -> Array:
    """Return h_g = A_g v (N, 6) of each row: [kg m/s], and [kg m²/s] at the centre of mass.

    Raises:
        ConfigurationError: a bad value, with its row.
        ModelError: the robot has no mass.
    """
    return run(robot, _MOMENTUM, (Q, V), out, threads)


def centroidal_drift(
    robot: Robot, Q: ArrayLike, V: ArrayLike, out: Array | None = None, threads: int = 1
) -> Array:
    """Return Ȧ_g v (N, 6) of each row, the rate of the centroidal momentum at a = 0 [N; N·m].

    Raises:
        ConfigurationError: a bad value, with its row.
        ModelError: the robot has no mass.
    """
    return run(robot, _DRIFT, (Q, V), out, threads)
