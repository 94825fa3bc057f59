"""Equations of motion at each sample, and how they change with the motion and the forces.

    r = ID(q, v, a) − τ_ext − Σ J_iᵀ f_i          zero in unactuated rows, τ in the others

Along a change x(t) of the motion, tangent at each sample, v and a change by

    δv = ẋ + [v, x]          δa = ẍ + [a, x] + [v, ẋ]

where [·, ·] is the bracket of the tangent basis, zero but for joints such as a floating base, so

    δr = C₀ x + C₁ ẋ + C₂ ẍ − Σ J_iᵀ δf_i
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import Array
from ...dynamics import State, batch
from ...dynamics.closures import motor_map
from ...dynamics.coriolis import structure_constants
from ...dynamics.derivatives import inverse_dynamics_derivatives
from ...dynamics.spatial import skew
from ...robots.robot import Robot
from .corners import Corners, Placed


class Sampled(NamedTuple):
    """q, v, a (n, …) of a motion, and forces (n, K, 3) of the ground at its corners, world axes."""

    q: Array
    v: Array
    a: Array
    forces: Array


class Linearised(NamedTuple):
    """δr = C₀ x + C₁ ẋ + C₂ ẍ − Σ J_iᵀ δf_i at n samples.

    Attributes:
        r: (n, nv).
        C0, C1, C2: (n, nv, nv).
        points: (n, K, 3, nv), J_i of the points where forces act, world axes.
    """

    r: Array
    C0: Array
    C1: Array
    C2: Array
    points: Array


def residuals(robot: Robot, x: Sampled, loads: Array, points: Array) -> Array:
    """Return r (n, nv); loads are τ_ext (n, nv)."""
    tau = batch.inverse_dynamics(robot, x.q, x.v, x.a)
    return np.asarray(tau - loads - np.einsum("nkij,nki->nj", points, x.forces))


def carried(robot: Robot, q: Array) -> Array:
    """Return E (nv, nv): E r has the torques of motors that carry closures, too, and nothing in the
    rows of their joints without a motor. Of loops as in q, wherever the rest of the robot is."""
    T, _ = motor_map(State(robot, q))
    E = np.eye(robot.nv)
    E[robot._closure_rows.columns] = 0.0
    E[robot.actuated_rows] = T
    return E


def closed(lin: Linearised, E: Array) -> Linearised:
    """Return E r and its changes, see `carried`, by E (n, nv, nv)."""
    r = (E @ lin.r[:, :, None])[:, :, 0]
    points = lin.points @ E.transpose(0, 2, 1)[:, None]
    return Linearised(r, E @ lin.C0, E @ lin.C1, E @ lin.C2, points)


def force_points(corners: Corners, placed: Placed) -> Array:
    """Return J_i (n, K, 3, nv) where the ground pushes."""
    return corners.jacobian(placed, placed.arms + corners.drop)


def linearised(corners: Corners, placed: Placed, x: Sampled, loads: Array) -> Linearised:
    """Return the equations of motion near (q, v, a, f)."""
    robot, points = corners.robot, force_points(corners, placed)
    bracket = structure_constants(robot)
    pushed = _force_derivatives(corners, placed, x)
    n = len(x.q)
    C0, C1, C2 = (np.empty((n, robot.nv, robot.nv)) for _ in range(3))
    for k in range(n):
        d = inverse_dynamics_derivatives(robot, x.q[k], x.v[k], x.a[k])
        along_v = np.einsum("ijk,j->ik", bracket, x.v[k])
        along_a = np.einsum("ijk,j->ik", bracket, x.a[k])
        C0[k] = d.dq + d.dv @ along_v + d.da @ along_a - pushed[k]
        C1[k] = d.dv + d.da @ along_v
        C2[k] = d.da
    return Linearised(residuals(robot, x, loads, points), C0, C1, C2, points)


def _force_derivatives(corners: Corners, placed: Placed, x: Sampled) -> Array:
    """∂(Σ J_iᵀ f_i)/∂q (n, nv, nv): Σ H·[F; M] of each frame and Jᵀ_ω Σ [f×][r×] J_ω."""
    arms, f = placed.arms + corners.drop, x.forces
    moments = np.cross(arms, f)
    turned = skew(f) @ skew(arms)  # δ(r × f) = [f×][r×] ω
    turned[:, corners.drop.any(axis=1)] = 0.0
    total = np.zeros((len(f), corners.robot.nv, corners.robot.nv))
    for foot, frame in enumerate(corners.frames):
        own = corners.owner == foot
        w = np.concatenate([f[:, own].sum(axis=1), moments[:, own].sum(axis=1)], axis=1)
        J = placed.jacobians[:, foot, 3:]
        total += np.swapaxes(J, 1, 2) @ turned[:, own].sum(axis=1) @ J
        for k in np.flatnonzero(w.any(axis=1)):
            H = State(corners.robot, x.q[k]).frame_hessian(frame)
            total[k] += np.einsum("rjk,r->jk", H, w[k])
    return total
