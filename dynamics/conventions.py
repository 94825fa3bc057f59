"""Terms of the equations of motion in the coordinates of MuJoCo, Drake and "mixed".

Velocities convert by v' = T(q) v with an orthogonal T (`robots.conventions.velocity_map`), so
a' = T a + Ṫ v, forces convert by τ' = T τ (power is the same), and M a + b = τ becomes
M' a' + b' = τ' with

    M' = T M Tᵀ          b' = T (b − M Tᵀ Ṫ v)          J' = J Tᵀ

Configurations and velocities given to these functions are ours; `joints` are the other program's
joints in its order. Drake writes spatial vectors angular part first, [m; f] and [ω; v], so its
Jacobians and wrenches have their rows swapped; MuJoCo and "mixed" write the linear part first.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..robots import Robot
from ..robots.configuration import as_vector, check_velocity
from ..robots.conventions import Convention, velocity_map, velocity_map_rate
from ..robots.values import array
from .equations import mass_matrix

Names = Sequence[str] | None
_ANGULAR_FIRST = [3, 4, 5, 0, 1, 2]


def mass_matrix_to(
    robot: Robot, q: ArrayLike, M: ArrayLike, convention: Convention, *, joints: Names = None
) -> Array:
    """Return M' = T M Tᵀ (nv, nv) of our M(q).

    Raises:
        ConfigurationError: a value that does not fit the robot, or no such convention.
    """
    T = velocity_map(robot, q, convention, joints=joints)
    return T @ array(M, "M", (robot.nv, robot.nv)) @ T.T


def mass_matrix_from(
    robot: Robot, q: ArrayLike, M: ArrayLike, convention: Convention, *, joints: Names = None
) -> Array:
    """Return our M(q) = Tᵀ M' T (nv, nv)."""
    T = velocity_map(robot, q, convention, joints=joints)
    return T.T @ array(M, "M", (robot.nv, robot.nv)) @ T


def acceleration_to(
    robot: Robot,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    convention: Convention,
    *,
    joints: Names = None,
) -> Array:
    """Return a' = T a + Ṫ v (nv,)."""
    T = velocity_map(robot, q, convention, joints=joints)
    rate = velocity_map_rate(robot, q, v, convention, joints=joints)
    return T @ check_velocity(robot, a, "a") + rate @ check_velocity(robot, v)


def acceleration_from(
    robot: Robot,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    convention: Convention,
    *,
    joints: Names = None,
) -> Array:
    """Return our a = Tᵀ (a' − Ṫ v) (nv,)."""
    T = velocity_map(robot, q, convention, joints=joints)
    rate = velocity_map_rate(robot, q, v, convention, joints=joints)
    return T.T @ (check_velocity(robot, a, "a") - rate @ check_velocity(robot, v))


def bias_to(
    robot: Robot,
    q: ArrayLike,
    v: ArrayLike,
    b: ArrayLike,
    convention: Convention,
    *,
    joints: Names = None,
) -> Array:
    """Return b' = T (b − M Tᵀ Ṫ v) (nv,) of our bias b(q, v).

    The axes of the base turn with it here and not there: an acceleration that is zero in one
    convention is not in the other.
    """
    shift = acceleration_from(robot, q, v, np.zeros(robot.nv), convention, joints=joints)
    M = mass_matrix(robot, q)
    T = velocity_map(robot, q, convention, joints=joints)
    return T @ (check_velocity(robot, b, "b") + M @ shift)


def bias_from(
    robot: Robot,
    q: ArrayLike,
    v: ArrayLike,
    b: ArrayLike,
    convention: Convention,
    *,
    joints: Names = None,
) -> Array:
    """Return our b = Tᵀ b' + M Tᵀ Ṫ v (nv,)."""
    shift = acceleration_from(robot, q, v, np.zeros(robot.nv), convention, joints=joints)
    T = velocity_map(robot, q, convention, joints=joints)
    return T.T @ check_velocity(robot, b, "b") - mass_matrix(robot, q) @ shift


def forces_to(
    robot: Robot, q: ArrayLike, tau: ArrayLike, convention: Convention, *, joints: Names = None
) -> Array:
    """Return generalised forces τ' = T τ (nv,)."""
    T = velocity_map(robot, q, convention, joints=joints)
    return T @ check_velocity(robot, tau, "tau")


def forces_from(
    robot: Robot, q: ArrayLike, tau: ArrayLike, convention: Convention, *, joints: Names = None
) -> Array:
    """Return our generalised forces τ = Tᵀ τ' (nv,)."""
    T = velocity_map(robot, q, convention, joints=joints)
    return T.T @ check_velocity(robot, tau, "tau")


def jacobian_to(
    robot: Robot, q: ArrayLike, J: ArrayLike, convention: Convention, *, joints: Names = None
) -> Array:
    """Return J' = J Tᵀ, (3 or 6, nv); six rows angular first for Drake."""
    T = velocity_map(robot, q, convention, joints=joints)
    return _swapped(array(J, "J", (3, robot.nv), (6, robot.nv)) @ T.T, convention)


def jacobian_from(
    robot: Robot, q: ArrayLike, J: ArrayLike, convention: Convention, *, joints: Names = None
) -> Array:
    """Return our J = J' T, (3 or 6, nv), linear rows first."""
    T = velocity_map(robot, q, convention, joints=joints)
    return _swapped(array(J, "J", (3, robot.nv), (6, robot.nv)) @ T, convention)


def wrench_to(w: ArrayLike, convention: Convention) -> Array:
    """Return a wrench [f; m] (6,) in the convention's order: [m; f] for Drake."""
    return _swapped(as_vector(w, 6, "w", "a wrench, force first").copy(), convention)


def wrench_from(w: ArrayLike, convention: Convention) -> Array:
    """Return a wrench (6,) in our order [f; m]."""
    return _swapped(as_vector(w, 6, "w", "a wrench in the convention's order").copy(), convention)


def _swapped(rows: Array, convention: Convention) -> Array:
    return rows[_ANGULAR_FIRST] if convention == "drake" and len(rows) == 6 else rows
