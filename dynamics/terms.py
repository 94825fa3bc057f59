"""Terms of the equations of motion in one pass over the tree, as a State."""

from __future__ import annotations

from numpy.typing import ArrayLike

from ..robots.robot import Robot
from .state import State


def terms(robot: Robot, q: ArrayLike | State, v: ArrayLike | None = None) -> State:
    """Return the State (q, v) with M, b, A_g and the joints' columns there from the start.

    In one pass they cost less than one by one, and the rest follows from them. Pinocchio's
    `computeAllTerms`.

    Raises:
        ConfigurationError: a bad q or v.
    """
    return State.of(robot, q, v).filled()
