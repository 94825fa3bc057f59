"""Generalised forces of external wrenches in many configurations."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ... import dynamics
from ...dynamics import Wrench, batch
from ...errors import ContactError
from ...robots import Robot

Array = NDArray[np.float64]


def torques_of(robot: Robot, qs: Array, wrenches: Mapping[str, Wrench]) -> Array:
    """Return τ_ext (N, nv) of {frame: Wrench}, as `dynamics.external_torques` for each row.

    Those in world axes go through the frames' Jacobians of all rows at once.
    """
    dynamics.external_torques(robot, qs[0], wrenches)  # raises what there is to raise
    if any(wrench.axes != "world" for wrench in wrenches.values()):
        return np.stack([dynamics.external_torques(robot, q, wrenches) for q in qs])
    total = np.zeros((len(qs), robot.nv))
    for frame, wrench in wrenches.items():
        J, moment = batch.frame_jacobian(robot, qs, frame), wrench.moment
        if wrench.point is not None:
            origins = batch.frame_placement(robot, qs, frame)[:, :3, 3]
            moment = moment + np.cross(wrench.point - origins, wrench.force)
        total += wrench.force @ J[:, :3]
        total += (np.broadcast_to(moment, (len(qs), 3))[:, None] @ J[:, 3:])[:, 0]
    return total


def pushed(robot: Robot, qs: Array, wrenches: Array) -> Array:
    """Return what wrenches (N or 1, 6) about the centre of mass do to the robot, (N or 1, nv).

    They act on the base, whose velocities are in its own axes: Rᵀ f, Rᵀ (m + (c − p) × f).

    Raises:
        ContactError: a fixed base, or numbers of rows that do not fit.
    """
    if not robot.is_floating:
        raise ContactError(f"wrenches: {robot.name!r} has a fixed base; expected a floating one")
    if 1 != len(qs) != len(wrenches) != 1:
        raise ContactError(f"got {len(qs)} q and {len(wrenches)} wrenches; expected as many, or 1")
    R = turns(qs[:, 3:7])
    arms = batch.com(robot, qs) - qs[:, :3]
    force, moment = wrenches[:, :3], wrenches[:, 3:]
    out = np.zeros((max(len(qs), len(wrenches)), robot.nv))
    out[:, :3] = (force[:, None] @ R)[:, 0]
    out[:, 3:6] = ((moment + np.cross(arms, force))[:, None] @ R)[:, 0]
    return out


def turns(quaternions: Array) -> Array:
    """Return R (N, 3, 3) of unit quaternions (x, y, z, w), (N, 4): 1 + 2 w [u×] + 2 [u×]²."""
    u, w = quaternions[:, :3], quaternions[:, 3]
    U = np.zeros((len(u), 3, 3))
    U[:, 0, 1], U[:, 0, 2], U[:, 1, 2] = -u[:, 2], u[:, 1], -u[:, 0]
    U -= U.transpose(0, 2, 1)
    return np.asarray(np.eye(3) + 2 * w[:, None, None] * U + 2 * U @ U)
