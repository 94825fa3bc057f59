"""Blocks of the subproblem: the forces of each contact at each node, in their exact limits.

The forces u of one contact are those of its points in weights, x of `ContactLimits` divided by the
robot's weight, in contact axes. Joints that carry a single contact bound them besides:

    |h_j − (Jᵀ G u)_j| ≤ limit_j

with h the torques that the leg's own weight and motion take, both as the leg is now, or as it was
when the robot stood, where it does not carry now.
"""

from __future__ import annotations

from collections.abc import Sequence
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


def blocks_of(
    robot: Robot, contacts: ContactSet, q: Array, torque_limits: Any, sole_share: float
) -> dict[str, Blocks]:
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
) -> Blocks:
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
    half, cones = np.maximum(0.5 * (upper - lower), 1e-9), rows.max(axis=2)
    return Blocks(
        wrench, A, b, cones, np.zeros(cones.shape), at, even, joints, 1.0 / half,
        0.5 * (upper + lower), np.array(length),
    )  # fmt: skip


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


def side_by_side(blocks: Sequence[Blocks]) -> Blocks:
    """Return the blocks of contacts as one, padded with rows and cones that always hold."""
    each = dict(zip(Blocks._fields, zip(*blocks, strict=True), strict=True))
    found = {name: _padded(x, 1.0 if name == "bounds" else 0.0) for name, x in each.items()}
    for name, fill in (("cones", 0.0), ("at", -1.0)):  # what bounds the others comes last
        found[name] = _padded([x[:, ::-1] for x in each[name]], fill)[:, :, ::-1]
    found["offsets"][..., -1] = _padded([np.zeros(len(x)) for x in each["cones"]], 1.0)
    return Blocks(**{name: np.ascontiguousarray(x) for name, x in found.items()})


def _padded(arrays: Sequence[Array], fill: float = 0.0) -> Array:
    """(K, …): each in the corner of an array as large as the largest in each direction."""
    shape = [max(sizes) for sizes in zip(*(a.shape for a in arrays), strict=True)]
    found = np.full((len(arrays), *shape), fill, arrays[0].dtype)
    for k, a in enumerate(arrays):
        corner: Any = k, *map(slice, a.shape)
        found[corner] = a
    return found


def legs_of(terms: Terms) -> Legs:
    """Return the legs of states."""
    R = terms.base[:, None]
    count, feet, _, nv = terms.jacobians.shape
    J = (R[:, :, None].swapaxes(3, 4) @ terms.jacobians.reshape(count, feet, 2, 3, nv)).reshape(
        terms.jacobians.shape
    )
    return Legs(J, terms.bias, ((terms.hips - terms.com[:, None])[:, :, None] @ R)[:, :, 0])
