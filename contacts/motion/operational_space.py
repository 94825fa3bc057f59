"""Operational space of the contacts: Delassus matrix, inertia, dynamically consistent null space.

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


def delassus(robot: Robot, q: ArrayLike | State, contacts: Contacts) -> Array:
    """Return J M⁻¹ Jᵀ (dim, dim): accelerations of the contacts per force on them.

    Symmetric, positive semi-definite; its rank is `constraint_rank`. World axes, rows of J [1/kg,
    1/(kg·m), 1/(kg·m²)]. Errors as of `constraint_rank`.
    """
    return projection_of(ContactSet.of(robot, contacts), q).delassus


def operational_space_inertia(robot: Robot, q: ArrayLike | State, contacts: Contacts) -> Array:
    """Return Λ = (J M⁻¹ Jᵀ)⁺ (dim, dim): the inertia that the contacts feel.

    ½ uᵀΛu is the least kinetic energy with which the contacts move at u = J v. The inverse where
    the rows of J are independent; the pseudo-inverse, of their true rank, where they are redundant.
    Errors as of `constraint_rank`.
    """
    return projection_of(ContactSet.of(robot, contacts), q).inertia


def dynamically_consistent_projector(
    robot: Robot, q: ArrayLike | State, contacts: Contacts
) -> Array:
    """Return N = 1 − M⁻¹ Jᵀ Λ J (nv, nv), the projector onto the motions that contacts allow.

    For motions, J N = 0: N v is the part of v that leaves the contacts where they are, the nearest
    in the metric of M. For forces, J M⁻¹ Nᵀ = 0: Nᵀ τ moves the robot without accelerating its
    contacts. N N = N, and M N is symmetric. Of a robot with closures J_c N = 0 too.
    Errors as of `constraint_rank`.
    """
    state = State.of(robot, q)
    N = projection_of(ContactSet.of(robot, contacts), state).null_projector
    return N @ state.closure_projection.null_projector if robot.closures else N
