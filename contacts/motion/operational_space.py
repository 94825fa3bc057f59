"""Operational space of the contacts: the inertia that they feel.

    J a = J M⁻¹ Jᵀ f + …        f = Λ (J a) + …        Λ = (J M⁻¹ Jᵀ)⁺

Of a robot with closures, M⁻¹ is L⁻ᵀ(1 − QᵀQ)L⁻¹, what forces do while these hold (`Projection`).

O. Khatib, "A unified approach for motion and force control of robot manipulators: the operational
space formulation" (1987).
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from ...arrays import Array
from ...dynamics import State
from ...robots import Robot
from ..contact_set import Contacts, ContactSet
from .stacked import projection_of


def operational_space_inertia(robot: Robot, q: ArrayLike | State, contacts: Contacts) -> Array:
    """Return Λ = (J M⁻¹ Jᵀ)⁺ (dim, dim): the inertia that the contacts feel.

    ½ uᵀΛu is the least kinetic energy with which the contacts move at u = J v. The inverse where
    the rows of J are independent; the pseudo-inverse, of their true rank, where they are redundant.
    Errors as of `constraint_rank`.
    """
    return projection_of(ContactSet.of(robot, contacts), q).inertia
