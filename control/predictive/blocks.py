"""Blocks of the subproblem: the forces of each contact at each node, in their exact limits.

The forces u of one contact are those of its points in weights, x of `ContactLimits` divided by the
robot's weight, in contact axes. Joints that carry a single contact bound them besides:

    |h_j − (Jᵀ G u)_j| ≤ limit_j

with h the torques that the leg's own weight and motion take, both as the leg is now, or as it was
when the robot stood, where it does not carry now.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import Array, Index
from ...contacts import Contact, ContactSet
from ...contacts.limits import ContactLimits
from ...contacts.torque_limits import torque_bounds_of
from ...robots.robot import Robot
from ..kernels.centroidal import FAR, Blocks, Legs
from ..limbs import lengths, limbs_of
from .terms import Terms

STRAIGHT = 0.98  # share of a leg's longest up to which it carries: straight knees have no speed


@dataclass(frozen=True, eq=False)
class Block:
    """What one contact adds, in its own axes.

    Attributes:
        wrench: (6, n), [force; moment] at the contact's centre by u.
        rows, bounds: (m, n), (m,), linear limits.
        cones, at: (q, D), by what, and which entry of u is multiplied; −1: none.
        even: (n,), u of a unit of normal force.
        joints: entries of v whose torques are limited.
        lower, upper: of these torques [N·m].
        length: of its leg, up to which it carries [m].
    """

    wrench: Array
    rows: Array
    bounds: Array
    cones: Array
    at: Index
    even: Array
    joints: Index
    lower: Array
    upper: Array
    length: float


def blocks_of(
    robot: Robot, contacts: ContactSet, q: Array, torque_limits: Any, sole_share: float
) -> dict[str, Block]:
    """Return the blocks of the robot's contacts, of soles that are smaller by a share.

    Args:
        q: where it stands (nq,).
    """
    longest = np.minimum(STRAIGHT * lengths(contacts, q), FAR)  # kernels know no inf
    return {
        contact.name: _block(robot, contacts, contact, torque_limits, sole_share, length)
        for contact, length in zip(contacts, longest.tolist(), strict=True)
    }


def _block(
    robot: Robot,
    contacts: ContactSet,
    contact: Contact,
    torque_limits: Any,
    sole_share: float,
    length: float,
) -> Block:
    share = sole_share if len(contact.points) > 1 else 1.0
    limits = ContactLimits.of([contact]).scaled(length=share, force=1.0 / robot.weight)
    wrench = limits.wrench_rows[0].copy()
    wrench[:, limits.locked] = 0.0  # no force along what has no friction
    linear = [limits.pressing_rows, limits.whole_rows]
    A = np.vstack([rows.A for rows in linear])
    b = np.concatenate([rows.b for rows in linear])
    parts = limits.cone_rows.blocks()
    deep = max([len(B) + 1 for _, B in parts], default=3)
    rows = np.zeros((len(parts), deep, limits.size))
    for cone, (a, B) in zip(rows, parts, strict=True):
        cone[: len(B)], cone[-1] = B, a
    at = np.where(rows.any(axis=2), rows.argmax(axis=2), -1)  # the only one that is not zero
    normal = limits.wrench_rows[0, 2]
    even = normal / max(normal @ normal, 1e-9)
    joints, lower, upper = _own_joints(robot, contacts, contact, torque_limits)
    return Block(wrench, A, b, rows.max(axis=2), at, even, joints, lower, upper, length)


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


def side_by_side(blocks: Sequence[Block]) -> Blocks:
    """Return the blocks of contacts as arrays."""
    cones = _padded([block.cones[:, ::-1] for block in blocks])[:, :, ::-1]
    at = _padded([block.at[:, ::-1].astype(float) for block in blocks], -1.0)[:, :, ::-1]
    missing = _padded([np.zeros(len(block.cones)) for block in blocks], 1.0)
    offsets = np.zeros(cones.shape)
    offsets[..., -1] = missing
    half = [np.maximum(0.5 * (block.upper - block.lower), 1e-9) for block in blocks]
    arrays = (
        _padded([block.wrench for block in blocks]), _padded([block.rows for block in blocks]),
        _padded([block.bounds for block in blocks], 1.0), cones, offsets,
        at.astype(np.intp),
        _padded([block.even for block in blocks]),
        _padded([block.joints.astype(float) for block in blocks]).astype(np.intp),
        _padded([1.0 / each for each in half]),
        _padded([0.5 * (block.upper + block.lower) for block in blocks]),
        np.array([block.length for block in blocks]),
    )  # fmt: skip
    return Blocks(*map(np.ascontiguousarray, arrays))


def _padded(arrays: Sequence[Array], fill: float = 0.0) -> Array:
    """(K, …): each in the corner of an array as large as the largest in each direction."""
    found = np.full((len(arrays), *np.max([a.shape for a in arrays], axis=0)), fill)
    for one, a in zip(found, arrays, strict=True):
        one[tuple(slice(size) for size in a.shape)] = a
    return found


def legs_of(terms: Terms) -> Legs:
    """Return the legs of states."""
    R = terms.base[:, None]
    count, feet, _, nv = terms.jacobians.shape
    J = (R[:, :, None].swapaxes(3, 4) @ terms.jacobians.reshape(count, feet, 2, 3, nv)).reshape(
        terms.jacobians.shape
    )
    return Legs(J, terms.bias, ((terms.hips - terms.com[:, None])[:, :, None] @ R)[:, :, 0])
