"""A robot in one configuration."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from ...dynamics.state import State
from ...robots.robot import Robot
from ..viewer import Viewer


def view_robot(robot: Robot, q: ArrayLike | State | None = None, **options: Any) -> Viewer:
    """Return a Viewer that shows a robot at q (nq,), in its standing posture by default.

    `options` are those of `Viewer`.

    Raises:
        ConfigurationError: q does not fit the robot.
    """
    viewer = Viewer(robot, **options)
    if q is not None:
        viewer.display(q)
    return viewer


def view_state(state: State, **options: Any) -> Viewer:
    """Return a Viewer that shows the robot of a State, as `view_robot`."""
    return view_robot(state.robot, state, **options)
