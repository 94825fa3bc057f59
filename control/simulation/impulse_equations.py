"""Equations of a step's impulses, compiled or by NumPy: see `kernels.impulse_equations`."""

from __future__ import annotations

import numpy as np
import scipy

from ...arrays import Array
from ...dynamics import State
from ...dynamics.body_points import jacobians_at
from ...dynamics.spatial import cross
from ...dynamics.topology import carried_by
from ..kernels.impulse_equations import (
    IDLE,
    IMPULSE_EQUATIONS,
    LOST,
    REDUNDANT,
    Ends,
    Places,
    Tangents,
)

RECOVERY = 0.2  # largest speed of the correction of a penetration [m/s or rad/s]

Equations = tuple[Array, Array, Array, Array, Array]


def equations(
    state: State, free: Array, h: float, tangents: Tangents, touching: Places, ends: Ends
) -> Equations:
    """Return S [t₁ t₂ n] (m, 3, 3), μ (m + s,), W (3k, 3k), w (3k,) and J M⁻¹ (3k, nv).

    Args:
        state: before the step.
        free: (nv,), the velocity after it without impulses.
        h: [s].
        tangents: of all points.
        touching, ends: the m points and s joint stops that are near.
    """
    robot = state.robot
    Q = state.closure_projection.Q if robot.closures else np.zeros((0, robot.nv))
    S, T, M = state.joint_columns, state.joint_placements, state.mass_matrix
    given = S, T, carried_by(robot), M, Q, free, h, RECOVERY, tangents, touching, ends
    overload = IMPULSE_EQUATIONS.overload()
    if (compiled := overload.unchecked()) is not None:
        found: Equations = compiled(*given)
        return found
    with overload.uncompiled(1):
        return _by_numpy(*given)


def _by_numpy(
    S: Array, T: Array, carried: Array, M: Array, Q: Array, free: Array, h: float,
    recovery: float, tangents: Tangents, touching: Places, ends: Ends,
) -> Equations:  # fmt: skip
    """The same without the kernel."""
    owner, places, normals, gaps, mu = touching
    joints, own, m = tangents.joints[owner], tangents.own[owner], len(owner)
    turned = (T[joints, :, :3] @ own[:, :, None])[:, :, 0]
    axes = axes_on(normals, np.where(tangents.turning[owner, None], turned, own))
    top = mu.max(axis=1, initial=0.0)
    axes[:, :, :2] *= np.where(top > 0, mu.T / np.where(top > 0, top, 1.0), 1.0).T[:, None]
    rows, arms = np.zeros((m + len(ends.rows), 3, len(free))), places - T[joints, :, 3]
    of_points = jacobians_at(S, T, carried, joints, np.zeros_like(arms), arms)
    rows[:m] = axes.swapaxes(1, 2) @ of_points[:, :3]
    rows[np.arange(m, len(rows)), 2, ends.rows] = ends.signs
    J = rows.reshape(-1, len(free))
    w = J @ free
    w[2::3] += np.maximum(np.append(gaps, ends.gaps) / h, -recovery)
    L = np.linalg.cholesky(M)
    Y = scipy.linalg.solve_triangular(L, J.T, lower=True).T
    Y -= (Y @ Q.T) @ Q
    W = Y @ Y.T
    diagonal, unit = np.diag(W), np.trace(W) / len(W)
    W += unit * np.diag(REDUNDANT + (diagonal <= IDLE * unit))
    JM = scipy.linalg.solve_triangular(L, Y.T, lower=True, trans="T").T
    return axes, np.append(top, np.zeros(len(ends.rows))), W, w, JM


def axes_on(normals: Array, tangents: Array) -> Array:
    """Return right-handed axes (k, 3, 3) of which the third columns are the normals (k, 3).

    The first ones are the tangents (k, 3) without their parts along the normals; where nothing is
    left of these, near the world's x or y.
    """
    x = _along_ground(tangents, normals)
    lost = (x * x).sum(axis=1) < LOST
    if lost.any():
        seeds = np.where(np.abs(normals[:, :1]) < 0.9, [[1.0, 0, 0]], [[0, 1.0, 0]])
        x[lost] = _along_ground(seeds, normals)[lost]
    x /= np.sqrt((x * x).sum(axis=1))[:, None]
    return np.stack([x, cross(normals.T, x.T).T, normals], axis=2)


def _along_ground(x: Array, normals: Array) -> Array:
    """The parts of vectors (k, 3) across the normals (k, 3)."""
    return np.asarray(x - (x * normals).sum(axis=1)[:, None] * normals)
