"""Sampled states of a robot, the base class of trajectories and motions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ... import registry
from ...arrays import Array
from ...errors import ConfigurationError, FootworkError
from ...robots.robot import Robot
from ...robots.values import array, number
from ..closures import close
from ..state import State


@dataclass(frozen=True, eq=False, repr=False)
class SampledStates:
    """Configurations and velocities of a robot, sampled.

    Attributes:
        robot: who moves.
        t: (n,) times [s], increasing.
        q: (n, nq) configurations.
        v: (n, nv) velocities.
    """

    robot: Robot
    t: Array
    q: Array
    v: Array

    _repr_html_ = registry.html_of

    @property
    def duration(self) -> float:
        """From the first to the last sample [s]."""
        return float(self.t[-1] - self.t[0])

    @property
    def rate(self) -> float:
        """Samples a second, on average [Hz]; 0 of one sample."""
        return (len(self) - 1) / self.duration if len(self) > 1 else 0.0

    def at(self, time: float) -> tuple[Array, Array]:
        """Return (q, v) at a time, between samples along the geodesic of the manifold.

        Closures of the robot are closed there.

        Raises:
            ConfigurationError: a time outside of the samples'.
        """
        time = number(time, "time", at_least=self.t[0], at_most=self.t[-1], unit="[s]")
        i = min(int(np.searchsorted(self.t, time, side="right")) - 1, len(self.t) - 2)
        if i < 0:  # one sample only
            return self.q[0].copy(), self.v[0].copy()
        share = (time - self.t[i]) / (self.t[i + 1] - self.t[i])
        way = self.robot.difference(self.q[i], self.q[i + 1])
        q = self.robot.integrate(self.q[i], share * way)
        v = (1 - share) * self.v[i] + share * self.v[i + 1]
        return close(State(self.robot, q, v)) if self.robot.closures else (q, v)

    def resampled(self, times: ArrayLike) -> tuple[Array, Array]:
        """Return (q (k, nq), v (k, nv)) at k times, as for an animation at a steady rate.

        Raises:
            ConfigurationError: a time outside of the samples'.
        """
        given = array(times, "times", (), (None,))
        states = [self.at(float(time)) for time in np.atleast_1d(given)]
        return np.stack([q for q, _ in states]), np.stack([v for _, v in states])

    def __len__(self) -> int:
        return len(self.t)


def between(
    t: Array,
    start: float | None,
    stop: float | None,
    error: type[FootworkError] = ConfigurationError,
) -> NDArray[np.bool_]:
    """Return which times t (n,) are from one time to another, both included [s].

    Raises:
        error: none of them is.
    """
    first = -np.inf if start is None else number(start, "start", unit="[s]", error=error)
    last = np.inf if stop is None else number(stop, "stop", unit="[s]", error=error)
    rows = (t >= first - 1e-9) & (t <= last + 1e-9)
    if not rows.any():
        raise error(
            f"start, stop: got {first:g} to {last:g} s; expected times with a sample of "
            f"{t[0]:g} to {t[-1]:g} s between them"
        )
    return np.asarray(rows)
