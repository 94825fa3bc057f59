"""TorqueRange: between which torques a controller stays, at each velocity and after each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array
from ...contacts.torque_limits import TorqueLimits, change_with_speed, torque_bounds_of
from ...robots.robot import Robot
from ...robots.torque_need import without_need
from ...robots.values import array

# after limits gave way, where no rate is given: the time in which a torque may go from zero to its
# limit [s], and how long this is kept up [s]
SLOWLY, AFTERWARDS = 0.1, 0.1


class TorqueRange:
    """What `torque_limits` means to a controller: bounds that stay, or those of motors at v.

    With a rate, |τ| rises by at most rate (t − t_before) too. It may fall to zero at once: an ankle
    that has pushed against the ground would else throw the foot that is let go. Without a rate,
    while limits give way and a while afterwards, it is the limit in `SLOWLY`, so that joints do not
    jump between theirs.

    Attributes:
        lower, upper: (na,), at rest [N·m or N].
        by_speed: whether they change with the velocity.
        rate: (na,) [N·m/s or N/s], inf for none.
        remark: what is to be said of the limits; "" for nothing.

    Raises:
        ConfigurationError: as `contacts.torque_limits.torque_bounds_of`; a rate that is
            negative.
    """

    def __init__(
        self, robot: Robot, torque_limits: TorqueLimits, rate: ArrayLike | None = None
    ) -> None:
        bounds = torque_bounds_of(robot, torque_limits)
        self.lower, self.upper = np.array(bounds.lower), np.array(bounds.upper)
        asked = isinstance(torque_limits, bool | np.bool_) and bool(torque_limits)
        self._changing = change_with_speed(robot, torque_limits)
        self.robot, self.by_speed = robot, bool(self._changing.any())
        self.remark = next((str(found) for found in without_need(robot)), "") if asked else ""
        given = (
            np.inf
            if rate is None
            else array(rate, "torque_rate", (), (robot.na,), at_least=0, infinite=True)
        )
        self.rate = np.full(robot.na, given)
        self._limited = bool(np.isfinite(self.rate).any())
        slow = (self.upper - self.lower) / 2 / SLOWLY
        self._slow = np.where(np.isfinite(self.rate), self.rate, slow)
        self._overloaded = -np.inf  # the last time that limits gave way
        self._ticks: list[tuple[float, Array]] = []  # the last ones, two at most

    def slow_down(self, t: float) -> None:
        """Limits give way at t [s]."""
        self._overloaded = t

    def remember(self, tau: Array, t: float) -> None:
        """Take these torques as the last ones."""
        earlier = [tick for tick in self._ticks if tick[0] < t]
        self._ticks = [*earlier[-1:], (t, tau.copy())]

    def at(self, v: Array, t: float | None = None) -> tuple[Array, Array]:
        """Return the least and the largest torques (na,) at v (nv,), finite, and at t [s]."""
        lower, upper = self.lower, self.upper
        if self.by_speed:
            bounds = self.robot.motors.at_speeds(v[self.robot.actuated_rows])
            lower, upper = (
                np.where(self._changing, *pair) for pair in zip(bounds, (lower, upper), strict=True)
            )
        before = [tick for tick in self._ticks if t is not None and tick[0] < t]
        if t is None or not before:
            return lower, upper
        return self._near(*before[-1], lower, upper, t)

    def _near(
        self, before: float, tau: Array, lower: Array, upper: Array, t: float
    ) -> tuple[Array, Array]:
        slowly = t - self._overloaded <= AFTERWARDS
        if not (slowly or self._limited):
            return lower, upper
        step = (self._slow if slowly else self.rate) * (t - before)
        least, most = np.minimum(tau - step, 0.0), np.maximum(tau + step, 0.0)
        return _within(least, lower, upper), _within(most, lower, upper)


def _within(x: Array, lower: Array, upper: Array) -> Array:
    return np.minimum(np.maximum(x, lower), upper)  # of few numbers faster than np.clip
