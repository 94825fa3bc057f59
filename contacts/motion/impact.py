"""Impacts: velocities after contacts close at once.

    M (v⁺ − v) = JᵀΛ,        J v⁺ − s = −e (J v − s)

with s the velocity of the surfaces, zero where they rest.
An impact is so short that positions and finite forces stay out of it: only the impulses Λ count.
Closures hold before and after it, J_c v = J_c v⁺ = 0: their impulses J_cᵀΛ_c are as large as that
takes.
J. J. Moreau, "Unilateral contact and dry friction in finite freedom dynamics" (1988).
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from ...arrays import Array
from ...dynamics import State, closures
from ...errors import ContactError
from ...options import names_checked
from ...robots import Robot
from ...robots.values import number
from ..contact_set import Contacts, ContactSet
from .stacked import projection_of


@names_checked
def impact(
    robot: Robot,
    q: ArrayLike | State,
    v: ArrayLike | None,
    contacts: Contacts,
    restitution: float = 0.0,
) -> tuple[Array, Array]:
    """Return (v_plus, impulse): velocity (nv,) and impulses (dim,) when contacts close.

    Without restitution, the velocity nearest to v, in the metric of M, of those that the contacts
    allow. With e > 0 **all** rows of J bounce, tangential and angular ones too, and the impulse is
    (1 + e) times the inelastic one, as by Poisson's hypothesis. On ground at rest (s = 0) the
    kinetic energy never grows:

        T − T⁺ = (1 − e²) ½ (J v)ᵀ (J M⁻¹ Jᵀ)⁺ (J v)

    (which would not be so if only the normal rows bounced while the others stuck: Kane's paradox).
    The contacts are held to all their rows, as in `constrained_forward_dynamics`: whether an
    impulse pulls or leaves the friction cone is for the caller to ask.

    Args:
        robot: floating or fixed base.
        q: configuration (nq,), or a State of this robot.
        v: velocity before (nv,); None for that of the State. Of a robot with closures the nearest
            that they allow, in the metric of M.
        contacts: those that close, and those that stay closed.
        restitution: e, from 0 (they stay) to 1 (no energy is lost).

    Returns:
        v_plus (nv,), and the impulse of the environment on the robot, in the rows of J (world
        axes) [N·s, N·m·s]; the least-norm one if the contacts are redundant.

    Raises:
        ConfigurationError: a bad q or v; a q in which closures are open.
        ContactError: a restitution outside [0, 1].
        ModelError: the mass matrix is singular.
    """
    number(restitution, "restitution", at_least=0, at_most=1, error=ContactError)
    contact_set, state = ContactSet.of(robot, contacts), State.of(robot, q, v)
    projection, before = projection_of(contact_set, state), closures.velocity(state)
    s = contact_set.surface_velocity(state)
    return projection.nearest(before, s - restitution * (projection.J @ before - s))
