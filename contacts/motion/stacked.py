"""The constraints of a robot on its contacts: rows of the contacts, then of its closures."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ...dynamics import State
from ...dynamics.projection import Projection
from ...robots.configuration import check_reach
from ..contact_set import ContactSet


def projection_of(contacts: ContactSet, q: ArrayLike | State) -> Projection:
    """Return the projection at q onto J v = 0 of the contacts' rows, and of the closures' below.

    Raises:
        ConfigurationError: a bad q.
        ModelError: the mass matrix is singular: a joint moves nothing that has mass.
    """
    state = State.of(contacts.robot, q)
    check_reach(state.robot, state.q)
    J = contacts.jacobian(state)
    if state.robot.closures:
        J = np.vstack([J, state.closure_jacobian])
    return Projection.of(state.robot, state.mass_matrix, J)
