"""The textbook method: every term as a sum over links of their Jacobians.

For a link of mass m and inertia I about its centre of mass, Jᵗ (3, nv) is the Jacobian of that
centre and Jᴿ (3, nv) the rotational one, all in world axes:

    M     = Σ m Jᵗᵀ Jᵗ + Jᴿᵀ I Jᴿ                                  (+ armature on the diagonal)
    C v   = Σ m Jᵗᵀ J̇ᵗ + Jᴿᵀ I J̇ᴿ − Jᴿᵀ [ω×] Σ Jᴿ,       Σ = ½ tr(I) 1 − I
    τ_g   = Σ m Jᵗᵀ g
    τ_ext = Σ Jᵗᵀ f + Jᴿᵀ m

These are what a student reads first, and the second method that the tests hold the recursive
algorithms to. Links welded together count as one; so do those welded to a fixed base, which never
move. Sources: S. Caron, "Equations of motion"; P.-B. Wieber, "Some comments on the structure of the
dynamics of articulated motion" (2006).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ..arrays import Array
from ..robots.configuration import check_configuration
from ..robots.robot import Robot
from .columns import columns
from .free_armature import add_coriolis
from .loads import check_wrenches
from .spatial import hessian_from, skew
from .topology import require_fixed_axes
from .workspace import workspace_of
from .wrench import Wrench


@dataclass(frozen=True, eq=False)
class Link:
    """A moving link at some q: what the sums are made of."""

    mass: float
    inertia: Array  # (3, 3) about the centre of mass, world axes [kg m²]
    Jt: Array  # (3, nv) of the centre of mass
    Jr: Array  # (3, nv) rotational


def links(robot: Robot, q: ArrayLike) -> list[Link]:
    """Return the moving links at q, those welded together as one."""
    q = check_configuration(robot, getattr(q, "q", q))
    model, data = robot._model, workspace_of(robot).data
    pin.computeJointJacobians(model, data, q)
    found = []
    for joint in range(1, model.njoints):
        body, R = model.inertias[joint], np.array(data.oMi[joint].rotation)
        J = columns(pin.getJointJacobian(model, data, joint, pin.LOCAL_WORLD_ALIGNED))
        lever = R @ body.lever  # from the joint's origin to the centre of mass
        Jt = J[:3] - skew(lever) @ J[3:]
        found.append(Link(body.mass, R @ body.inertia @ R.T, Jt, J[3:].copy()))
    return found


def mass_matrix(robot: Robot, q: ArrayLike) -> Array:
    """Return M = Σ m Jᵗᵀ Jᵗ + Jᴿᵀ I Jᴿ (nv, nv), plus the armature on the diagonal.

    Raises:
        ConfigurationError: a bad q.
    """
    every = links(robot, q)
    M = np.diag(np.asarray(robot._model.armature, dtype=float))
    for link in every:
        Jt, Jr = link.Jt, link.Jr
        M += link.mass * Jt.T @ Jt + Jr.T @ link.inertia @ Jr
    return 0.5 * (M + M.T)


def coriolis_tensor(robot: Robot, q: ArrayLike) -> Array:
    """Return C (nv, nv, nv) with C @ v = Σ m Jᵗᵀ J̇ᵗ + Jᴿᵀ I J̇ᴿ − Jᴿᵀ [ω×] Σ Jᴿ, Σ = ½ tr(I) 1 − I.

    This is the one of `dynamics.coriolis_tensor`: dM/dt − 2 (C @ v) is skew on every base.

    Raises:
        ConfigurationError: a bad q.
        ModelError: a joint whose axes turn within its own body (no URDF has one).
    """
    every = _with_derivatives(robot, q)
    C = np.zeros((robot.nv,) * 3)
    for link, dJt, dJr in every:
        sigma = 0.5 * np.trace(link.inertia) * np.eye(3) - link.inertia
        cross = skew(link.Jr.T)  # [ω×] = Σ_k cross[k] v_k
        C += link.mass * np.einsum("ri,rjk->ijk", link.Jt, dJt)
        C += np.einsum("ri,rs,sjk->ijk", link.Jr, link.inertia, dJr, optimize=True)
        C -= np.einsum("ri,krs,sj->ijk", link.Jr, cross, sigma @ link.Jr, optimize=True)
    return add_coriolis(robot, C)


def coriolis_tensor_wieber(robot: Robot, q: ArrayLike) -> Array:
    """Return C (nv, nv, nv) with C @ v = Σ m Jᵗᵀ J̇ᵗ + Jᴿᵀ I J̇ᴿ − Jᴿᵀ [(I Jᴿ v)×] Jᴿ.

    The sum of Wieber's and Caron's notes: the same force vᵀCv as `coriolis_tensor`, but another
    matrix, and dM/dt − 2 (C @ v) is *not* skew: do not use it where that property is needed
    (passivity-based control, momentum observers).

    Raises:
        ConfigurationError: a bad q.
        ModelError: a joint whose axes turn within its own body (no URDF has one).
    """
    every = _with_derivatives(robot, q)
    C = np.zeros((robot.nv,) * 3)
    for link, dJt, dJr in every:
        cross = skew((link.inertia @ link.Jr).T)  # [(I ω)×] = Σ_k cross[k] v_k
        C += link.mass * np.einsum("ri,rjk->ijk", link.Jt, dJt)
        C += np.einsum("ri,rs,sjk->ijk", link.Jr, link.inertia, dJr, optimize=True)
        C -= np.einsum("ri,krs,sj->ijk", link.Jr, cross, link.Jr, optimize=True)
    return add_coriolis(robot, C)


def gravity_torques(robot: Robot, q: ArrayLike) -> Array:
    """Return τ_g = Σ m Jᵗᵀ g (nv,).

    Raises:
        ConfigurationError: a bad q.
    """
    every = links(robot, q)
    g = np.array(robot._model.gravity.linear)
    return sum((link.mass * link.Jt.T @ g for link in every), np.zeros(robot.nv))


def external_torques(robot: Robot, q: ArrayLike, wrenches: Mapping[str, Wrench]) -> Array:
    """Return τ_ext = Σ Jᵗᵀ f + Jᴿᵀ m (nv,) for {frame: Wrench}, as `dynamics.external_torques`.

    Raises:
        ConfigurationError: a bad q or no such frame.
    """
    q = check_configuration(robot, getattr(q, "q", q))
    model, data, tau = robot._model, workspace_of(robot).data, np.zeros(robot.nv)
    for frame_id, wrench in check_wrenches(robot, wrenches):
        force, moment, point = wrench.force, wrench.moment, wrench.point
        J = columns(pin.computeFrameJacobian(model, data, q, frame_id, pin.LOCAL_WORLD_ALIGNED))
        Jt, Jr, origin = J[:3], J[3:], np.array(data.oMf[frame_id].translation)
        if wrench.axes != "world":
            axes_id = frame_id if wrench.axes == "local" else robot.frame_id(wrench.axes)
            T_world_axes = pin.updateFramePlacement(model, data, axes_id)
            force, moment = T_world_axes.rotation @ force, T_world_axes.rotation @ moment
            point = None if point is None else T_world_axes.act(point)
        if point is not None:  # the point of the link where the force acts
            Jt = Jt - skew(point - origin) @ Jr
        tau += Jt.T @ force + Jr.T @ moment
    return tau


def _with_derivatives(robot: Robot, q: ArrayLike) -> list[tuple[Link, Array, Array]]:
    """Return each link with ∂Jᵗ and ∂Jᴿ (3, nv, nv): ∂Jᵗ @ v = J̇ᵗ."""
    every, result = links(robot, q), []
    require_fixed_axes(robot)
    for link in every:
        H = hessian_from(robot, np.concatenate([link.Jt, link.Jr]))
        result.append((link, H[:3], H[3:]))
    return result
