"""Limbs of contacts: which entries of v move each contact against the base, and which it alone."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..contacts import ContactSet
from ..dynamics.topology import carried_by


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
