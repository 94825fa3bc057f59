"""The constraints of a robot on its contacts: their rows, among the motions of its closures."""

from __future__ import annotations

from numpy.typing import ArrayLike

from ...dynamics import State
from ...dynamics.closures import require_closed
from ...dynamics.projection import Projection
from ...robots.configuration import check_reach
from ..contact_set import ContactSet


def projection_of(contacts: ContactSet, q: ArrayLike | State) -> Projection:
    """Return the projection at q onto J v = 0, among the motions that the robot's closures allow.

    Raises:
        ConfigurationError: a bad q, or one in which closures are open.
        ModelError: the mass matrix is singular: a joint moves nothing that has mass.
    """
    state = State.of(contacts.robot, q)
    check_reach(state.robot, state.q)
    J = contacts.jacobian(state)
    if not state.robot.closures:
        return Projection.of(state.robot, state.mass_matrix, J)
    require_closed(state)
    return state.closure_projection.within(J)
