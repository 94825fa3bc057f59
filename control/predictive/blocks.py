"""Blocks of the subproblem: the forces of each contact at each node, in their exact limits.

The forces u of one contact are those of its points in weights, x of `ContactLimits` divided by the
robot's weight, in contact axes. Joints that carry a single contact bound them besides:

    |h_j − (Jᵀ G u)_j| ≤ limit_j

with h the torques that the leg's own weight and motion take, both as the leg is now, or as it was
when the robot stood, where it does not carry now.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import Array, Index
from ...contacts import Contact, ContactSet
from ...contacts.limits import ContactLimits
from ...contacts.torque_limits import torque_bounds_of
from ...dynamics import State
from ...robots.robot import Robot
from ..limbs import limbs_of

LEAST = 0.05  # of a torque limit, that is left to forces whatever the leg takes for itself


@dataclass(frozen=True, eq=False)
class Block:
    """What one contact adds, in its own axes.

    Attributes:
        wrench: (6, n), [force; moment] at the contact's centre by u.
        rows, bounds: (m, n), (m,), linear limits.
        cones: (q, D, n).
        even: (n,), u of a unit of normal force.
        joints: entries of v whose torques are limited.
        lower, upper: of these torques [N·m].
    """

    wrench: Array
    rows: Array
    bounds: Array
    cones: Array
    even: Array
    joints: Index
    lower: Array
    upper: Array


def block_of(robot: Robot, contacts: ContactSet, contact: Contact, torque_limits: Any) -> Block:
    """Return the block of one of the robot's contacts."""
    weight = float(robot.mass * np.linalg.norm(robot._model.gravity.linear))
    limits = ContactLimits.of([contact]).scaled(force=1.0 / weight)
    wrench = limits.wrench_rows[0].copy()
    wrench[:, limits.locked] = 0.0  # no force along what has no friction
    linear = [limits.pressing_rows, limits.whole_rows]
    A = np.vstack([rows.A for rows in linear])
    b = np.concatenate([rows.b for rows in linear])
    parts = limits.cone_rows.blocks()
    deep = max([len(B) + 1 for _, B in parts], default=3)
    cones = np.zeros((len(parts), deep, limits.size))
    for cone, (a, B) in zip(cones, parts, strict=True):
        cone[: len(B)], cone[-1] = B, a
    normal = limits.wrench_rows[0, 2]
    even = normal / max(normal @ normal, 1e-9)
    joints, lower, upper = _own_joints(robot, contacts, contact, torque_limits)
    return Block(wrench, A, b, cones, even, joints, lower, upper)


def _own_joints(
    robot: Robot, contacts: ContactSet, contact: Contact, torque_limits: Any
) -> tuple[Index, Array, Array]:
    """Limited entries of v that move this contact and no other one."""
    own = limbs_of(contacts).alone[contacts.names.index(contact.name)]
    bounds = torque_bounds_of(robot, torque_limits)
    chosen = [
        (int(row), float(bounds.lower[i]), float(bounds.upper[i]))
        for i, row in enumerate(np.arange(robot.nv)[robot.actuated_rows])
        if own[row] and np.isfinite(bounds.upper[i])
    ]
    rows, lower, upper = zip(*chosen, strict=True) if chosen else ((), (), ())
    return np.array(rows, dtype=np.intp), np.array(lower), np.array(upper)


@dataclass(frozen=True, eq=False)
class Leg:
    """The Jacobian and the own torques of a contact's joints at one state.

    Attributes:
        jacobian: (6, j), of the contact's centre, axes of the base.
        torques: h (j,) [N·m].
    """

    jacobian: Array
    torques: Array

    @classmethod
    def of(cls, state: State, contact: Contact, joints: Index) -> Leg:
        """Return those of a state."""
        R, J = state.joint_placements[1][:, :3], contact.centre_jacobian(state)[:, joints]
        return cls(np.vstack([R.T @ J[:3], R.T @ J[3:]]), state.bias[joints])


def torque_rows(block: Block, leg: Leg, turn: Array, weight: float) -> tuple[Array, Array]:
    """Return rows F u ≤ f (2 j, n), (2 j,) of the torques of a leg.

    Args:
        block: of its contact.
        leg: its Jacobian and own torques.
        turn: (3, 3), from contact axes to those of the base, at that node.
        weight: of the robot [N].
    """
    wrench = np.vstack([turn @ block.wrench[:3], turn @ block.wrench[3:]])
    by_force = -weight * leg.jacobian.T @ wrench
    half, middle = 0.5 * (block.upper - block.lower), 0.5 * (block.upper + block.lower)
    scale = 1.0 / np.maximum(half, 1e-9)
    rows, own = scale[:, None] * by_force, scale * (leg.torques - middle)
    room = np.concatenate([1.0 - own, 1.0 + own])
    return np.vstack([rows, -rows]), np.maximum(room, LEAST)
