"""A robot in one configuration, or along a trajectory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array
from ...dynamics.motions.sampled_states import SampledStates
from ...dynamics.state import State
from ...dynamics.trajectory import Trajectory
from ...robots.robot import Robot
from ...robots.values import number
from ..viewer import Series, Viewer


def view_robot(robot: Robot, q: ArrayLike | State | None = None, **options: Any) -> Viewer:
    """Return a Viewer that shows a robot at q (nq,), in its standing posture by default.

    Its soles are drawn as polygons, its point feet as balls. `options` are those of `Viewer`.

    Raises:
        ConfigurationError: q does not fit the robot.
    """
    viewer = Viewer(robot, **options)
    if q is not None:
        viewer.display(q)
    _draw_feet(viewer, robot, robot.posture() if q is None else State.of(robot, q).q)
    return viewer


def _draw_feet(viewer: Viewer, robot: Robot, q: Array) -> None:
    state = State.of(robot, q)
    for name, foot in robot.feet.items():
        T = state.frame_placement(foot.frame) * foot.placement
        if foot.is_point:
            radius = 1.05 * foot.radius or None  # seen around the ball of the link
            viewer.point(f"feet/{name}", T.translation, color="teal", radius=radius)
        else:
            corners = np.column_stack([foot.vertices, np.zeros(len(foot.vertices))])
            points = corners @ T.rotation.T + T.translation
            viewer.polygon(f"feet/{name}", points, opacity=0.6, on_top=True)


def view_state(state: State, **options: Any) -> Viewer:
    """Return a Viewer that shows the robot of a State, as `view_robot`."""
    return view_robot(state.robot, state, **options)


def view_motion(
    motion: SampledStates, *, rate: float = 25.0, series: Sequence[Series] = ()
) -> Viewer:
    """Return a Viewer that plays a motion, at `rate` pictures a second [Hz], with series over time.

    A robot whose base is fixed has no ground: it may hang below its base.

    Raises:
        ConfigurationError: a rate that is not positive.
    """
    viewer = Viewer(motion.robot, ground=0.0 if motion.robot.is_floating else None)
    viewer.animate(*picture_frames(motion, rate), series=series)
    return viewer


def view_trajectory(motion: Trajectory, *, rate: float = 25.0) -> Viewer:
    """Return a Viewer that plays a Trajectory with its energy, as `view_motion`."""
    energy = Series("energy", motion.t, {"energy": motion.energy}, "J")
    return view_motion(motion, rate=rate, series=[energy])


def picture_frames(motion: SampledStates, rate: float) -> tuple[Array, Array]:
    """Return times (k,) [s] of pictures at `rate` [Hz], the ends at least, and q (k, nq) there.

    Raises:
        ConfigurationError: a rate that is not positive.
    """
    rate = number(rate, "rate", above=0, unit="[Hz]")
    times = np.arange(motion.t[0], motion.t[-1], 1.0 / rate)
    if len(times) < 2:
        times = np.unique([motion.t[0], motion.t[-1]])
    return times, motion.resampled(times)[0]
