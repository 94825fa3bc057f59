"""Stick figures: a robot in one configuration or several, seen along a world axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...dynamics.state import State
from ...errors import ConfigurationError
from ...robots.robot import Robot
from ..colors import hex_of
from ..viewer.sticks import stick_ends
from .axes import SERIES, Axes, axes_for


def plot_robot(
    robot: Robot, q: ArrayLike | State | None = None, *, plane: str = "xz", ax: Axes | None = None
) -> Axes:
    """Draw a robot's links as sticks, and its centre of mass.

    Args:
        robot: the robot.
        q: configuration (nq,), its standing posture by default.
        plane: the two world axes to look at.
        ax: to draw into.

    Raises:
        ConfigurationError: q does not fit the robot, or no such plane.
    """
    rows, ax = plane_rows(plane), _plane_axes(ax, plane, robot.name)
    state = State.of(robot, robot.posture() if q is None else q)
    T = state.joint_placements
    for joint, _, end in stick_ends(robot):
        if joint > 0 or not robot.is_floating:  # a base that floats hangs on no stick
            stick = np.array([T[joint][:, 3], T[joint][:, :3] @ end + T[joint][:, 3]])[:, rows]
            ax.plot(*stick.T, "-", color=SERIES[1], linewidth=2.0, solid_capstyle="round")
    ax.plot(*T[1:, rows, 3].T, "o", color=SERIES[1], markersize=4.0)
    if robot.mass > 0:
        ax.plot(*state.com[rows], "o", color=hex_of("com"), label="centre of mass")
        ax.legend(fontsize="small")
    return ax


def plot_state(state: State, *, plane: str = "xz", ax: Axes | None = None) -> Axes:
    """Draw the robot of a State as `plot_robot` does."""
    return plot_robot(state.robot, state, plane=plane, ax=ax)


def plot_stick_figures(
    robot: Robot,
    qs: ArrayLike,
    frames: Sequence[str],
    *,
    plane: str = "xz",
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw the line through the origins of frames in configurations qs (n, nq): late ones dark.

    Raises:
        ConfigurationError: fewer than two frames, no such frame or plane.
    """
    if len(frames) < 2:
        raise ConfigurationError(f"got frames {list(frames)}; expected two frames or more")
    rows, ax = plane_rows(plane), _plane_axes(ax, plane, title)
    configurations = np.atleast_2d(np.asarray(qs, dtype=float))
    for i, q in enumerate(configurations):
        state, alpha = State(robot, q), 0.15 + 0.85 * (i + 1) / len(configurations)
        chain = np.array([state.frame_placement(frame).translation[rows] for frame in frames])
        ax.plot(*chain.T, "o-", color=SERIES[1], alpha=alpha, linewidth=2.0, markersize=4.0)
    return ax


def plane_rows(plane: str) -> list[int]:
    """Return the rows of two axes such as "xz"."""
    if len(plane) != 2 or not set(plane) <= set("xyz"):
        raise ConfigurationError(f'plane: got {plane!r}; expected two axes such as "xz"')
    return ["xyz".index(axis) for axis in plane]


def _plane_axes(ax: Axes | None, plane: str, title: str) -> Any:
    ax = axes_for(ax, f"{plane[0]} [m]", f"{plane[1]} [m]", title)
    ax.set_aspect("equal", adjustable="datalim")
    return ax
