"""A trajectory as an animation."""

from __future__ import annotations

import numpy as np

from ...arrays import Array
from ...dynamics.trajectory import Trajectory
from ...errors import ConfigurationError
from ..viewer import Viewer


def view_trajectory(motion: Trajectory, *, rate: float = 25.0) -> Viewer:
    """Return a Viewer that plays a motion, at `rate` pictures a second [Hz].

    A robot whose base is fixed has no ground: it may hang below its base.

    Raises:
        ConfigurationError: a rate that is not positive, a motion of one sample.
    """
    viewer = Viewer(motion.robot, ground=0.0 if motion.robot.is_floating else None)
    viewer.animate(*picture_frames(motion, rate))
    return viewer


def picture_frames(motion: Trajectory, rate: float) -> tuple[Array, Array]:
    """Return times (k,) [s] of pictures at `rate` [Hz], two or more, and configurations (k, nq).

    Raises:
        ConfigurationError: a rate that is not positive, a motion of one sample.
    """
    if not (np.isfinite(rate) and rate > 0) or not motion.duration > 0:
        raise ConfigurationError(
            f"got a rate of {rate!r} Hz, a motion of {motion.duration:g} s; expected both above 0"
        )
    times = np.arange(motion.t[0], motion.t[-1], 1.0 / rate)
    if len(times) < 2:
        times = np.array([motion.t[0], motion.t[-1]])
    return times, motion.resampled(times)[0]
