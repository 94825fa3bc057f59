"""Limbs of contacts: the joints that move each contact against the base, and how far they reach."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from ..arrays import Array, Index
from ..contacts import ContactSet
from ..contacts.postures.inverse_kinematics import travel
from ..dynamics import State
from ..dynamics.topology import carried_by
from ..errors import ContactError

TINY = 1e-9  # of a squared distance [m²], and of the entries of a closure's Jacobian


class Limbs(NamedTuple):
    """Entries of v, those of a floating base left out, by contact in their order.

    Attributes:
        moving: (contacts, nv), whether an entry moves the contact.
        alone: (contacts, nv), whether it moves this one of the contacts and no other.
    """

    moving: NDArray[np.bool_]
    alone: NDArray[np.bool_]


def limbs_of(contacts: ContactSet) -> Limbs:
    """Return the limbs of the contacts of a set."""
    moving = carried_by(contacts.robot)[contacts.attachment.joints] > 0
    if contacts.robot.is_floating:
        moving[:, :6] = False
    return Limbs(moving, moving & (moving.sum(axis=0) == 1))


def require_closures_apart(contacts: ContactSet, state: State, what: str) -> None:
    """Refuse closures that move limbs of contacts, or tie the robot to the world.

    Raises:
        ContactError: which one.
    """
    robot, base = contacts.robot, 6 * contacts.robot.is_floating
    limbs = np.append(np.arange(base), np.flatnonzero(limbs_of(contacts).moving.any(axis=0)))
    names = [closure.name for closure in robot.closures]
    for name, rows in zip(names, robot._closure_rows.slices, strict=True):
        if np.abs(state.closure_jacobian[rows][:, limbs]).max(initial=0.0) > TINY:
            raise ContactError(
                f"{what}: got the closure {name!r} of {robot.name!r}, which moves its legs or ties "
                "it to the world; expected closures of arms alone "
                '(load(…, mimic="lock") locks joints that follow others)'
            )


def hips(contacts: ContactSet) -> Index:
    """Return the joint (contacts,) with which each contact's limb begins; 0, the world, if none."""
    joints, alone = list(contacts.robot._model.joints)[1:], limbs_of(contacts).alone
    moved_by = np.repeat(np.arange(1, len(joints) + 1), [joint.nv for joint in joints])
    return np.where(alone.any(axis=1), moved_by[alone.argmax(axis=1)], 0)


def lengths(contacts: ContactSet, q: Array) -> Array:
    """Return how far each contact may be from its hip at most (contacts,) [m]; inf without limb.

    While one joint turns by θ, the distance d changes by d² = a + b cos(θ − φ). So joint after
    joint is turned by φ, or to an end of its range where d is larger, until no limb gets longer.

    Args:
        contacts: of a robot.
        q: the posture from which limbs are stretched (nq,).
    """
    robot, model = contacts.robot, contacts.robot._model
    alone, hip = limbs_of(contacts).alone, hips(contacts)

    def turned(q: Array, entry: int, angle: float) -> Array:
        return np.asarray(pin.integrate(model, q, angle * np.eye(robot.nv)[entry]))

    def squares(q: Array) -> Array:
        state = State(robot, q)
        ways = contacts.attachment.positions(state) - state.joint_placements[hip, :, 3]
        return np.asarray((ways**2).sum(axis=1))

    before, longest = np.zeros(len(contacts)), squares(q)
    while (longest > before + TINY).any():
        before = longest
        for contact, entry in np.argwhere(alone).tolist():
            ahead, aside, back = (
                squares(turned(q, entry, angle))[contact] for angle in (0.0, 0.5 * np.pi, np.pi)
            )
            phi = float(np.arctan2(2 * aside - ahead - back, ahead - back))
            low, high = (float(ends[entry]) for ends in travel(robot, q))
            angles = [
                x for x in (low, high, phi - 2 * np.pi, phi, phi + 2 * np.pi) if np.isfinite(x)
            ]
            tried = [q, *(turned(q, entry, x) for x in angles if low <= x <= high)]
            q = max(tried, key=lambda q: squares(q)[contact])
        longest = squares(q)
    return np.where(alone.any(axis=1), np.sqrt(longest), np.inf)
