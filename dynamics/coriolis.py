"""Coriolis and centrifugal terms: the matrix C(q, v) = C(q) v and the tensor C(q) behind it.

The force vᵀCv is unique, the matrix is not. Ours is Pinocchio's: linear in v, and dM/dt − 2 (C @ v)
is skew on every base, not only vᵀ(dM/dt − 2C)v = 0. With the structure constants c of the tangent
basis, [e_j, e_k] = Σ_i c[i, j, k] e_i, it is the one tensor with

    C[i, j, k] + C[j, i, k] = ∂M_ij/∂k          C[i, k, j] − C[i, j, k] = Σ_l M_il c[l, j, k]

that is, the Levi-Civita connection of the kinetic energy, which Koszul's formula writes out (M of
the links: armature is constant and has no part in C).
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ..arrays import Array
from ..errors import ModelError
from ..robots.configuration import check_robot, rows_v
from ..robots.robot import Robot
from . import coriolis_recursion
from .state import State


def coriolis_matrix(robot: Robot, q: ArrayLike | State, v: ArrayLike | None = None) -> Array:
    """Return C @ v (nv, nv), Pinocchio's `computeCoriolisMatrix`: (C @ v) @ v is the force vᵀCv.

    Raises:
        ConfigurationError: a bad q or v.
        ModelError: a joint whose axes turn within its own body (no URDF has one).
    """
    return State.of(robot, q, v).coriolis_matrix.copy()


def coriolis_tensor(robot: Robot, q: ArrayLike | State, out: Array | None = None) -> Array:
    """Return C(q) (nv, nv, nv): (C @ v)[i, j] = Σ_k C[i, j, k] v[k] is `coriolis_matrix`.

    Symmetric in (j, k) but where both are directions of the base (or of one spherical joint): such
    a basis is no coordinate basis, see `structure_constants`.

    With Numba installed (the extra `fast`), a compiled recursion over pairs of joints on a chain:
    the whole tensor for about twice the cost of one matrix, after some seconds of compiling the
    first time ever. Without it, one Coriolis matrix per direction.

    Args:
        robot: the robot.
        q: configuration (nq,).
        out: where to put it: zeros, or an earlier answer *for the same robot* (the entries across
            branches are not written). None: a new array.

    Raises:
        ConfigurationError: a bad q, or an `out` of another shape or type.
        ModelError: a joint whose axes turn within its own body (no URDF has one).
    """
    if out is None:
        return State.of(robot, q).coriolis_tensor.copy()
    return coriolis_recursion.coriolis_tensor(robot, State.of(robot, q).q, out)


def mass_matrix_derivative(robot: Robot, q: ArrayLike | State, v: ArrayLike | None = None) -> Array:
    """Return dM/dt (nv, nv) along v: C @ v plus its transpose.

    Raises:
        ConfigurationError: a bad q or v.
        ModelError: a joint whose axes turn within its own body (no URDF has one).
    """
    return State.of(robot, q, v).mass_matrix_derivative.copy()


def mass_matrix_gradient(robot: Robot, q: ArrayLike | State) -> Array:
    """Return ∂M (nv, nv, nv): [i, j, k] = ∂M_ij/∂(k-th tangent direction), so ∂M @ v is dM/dt.

    Raises:
        ConfigurationError: a bad q.
        ModelError: a joint whose axes turn within its own body (no URDF has one).
    """
    return State.of(robot, q).mass_matrix_gradient.copy()


def christoffel_symbols(robot: Robot, q: ArrayLike | State) -> Array:
    """Return Γ (nv, nv, nv) of the first kind: Γ[i, j, k] = ½ (∂_k M_ij + ∂_j M_ik − ∂_i M_jk).

    For robots whose velocities are derivatives of coordinates: there Γ is the Coriolis tensor, and
    Γ[i, j, k] = Γ[i, k, j].

    Raises:
        ConfigurationError: a bad q.
        ModelError: a floating base, spherical or planar joint: its velocities are the derivatives
            of no coordinates. `coriolis_tensor` has what takes the place of Γ.
    """
    if structure_constants(robot).any():
        raise ModelError(
            f"{robot.name!r}: Christoffel symbols need coordinate velocities; expected a fixed "
            "base and one-dimensional joints. coriolis_tensor(robot, q) holds on every base"
        )
    dM = mass_matrix_gradient(robot, q)
    return 0.5 * (dM + dM.transpose(0, 2, 1) - dM.transpose(2, 0, 1))


def structure_constants(robot: Robot) -> Array:
    """Return c (nv, nv, nv) of the tangent basis: [e_j, e_k] = Σ_i c[i, j, k] e_i. Constant.

    Zero but for joints that turn and slide at once, whose motions do not commute: with (v, ω) the
    twists of a floating base in its axes, [1, 2] = (ω₁ × v₂ − ω₂ × v₁, ω₁ × ω₂).
    """
    check_robot(robot)
    c = np.zeros((robot.nv,) * 3)
    data = robot._model.createData()
    for joint, joint_data in zip(robot._model.joints, data.joints, strict=True):
        if joint.nv < 2 or joint.nv > 6:
            continue
        rows = rows_v(joint)
        S = np.asarray(joint_data.S).reshape(6, joint.nv)
        brackets = np.stack(
            [(pin.Motion(a) ^ pin.Motion(b)).vector for a in S.T for b in S.T], axis=-1
        )
        c[rows, rows, rows] = (np.linalg.pinv(S) @ brackets).reshape((joint.nv,) * 3)
    return c
