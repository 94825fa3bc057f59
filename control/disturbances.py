"""Disturbances of a closed loop: force pulses on the robot, noise on its measurements."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from ..dynamics import Wrench, closed
from ..errors import ConfigurationError
from ..robots.configuration import check_robot
from ..robots.robot import Robot
from ..robots.values import number, text, vector, whole_number


def lasts(t: float, start: float, duration: float) -> bool:
    """Return whether what begins at a time lasts at t; ticks that are its ends to rounding are."""
    return -1e-9 <= t - start < duration - 1e-9


@dataclass(frozen=True)
class ForcePulse:
    """A force on a link for a while, at its frame's origin.

    Attributes:
        frame: the link, by name.
        force: (x, y, z), world axes [N].
        start, duration: [s].

    Raises:
        ConfigurationError: a force that is no finite vector, or times that are no times.
    """

    frame: str
    force: tuple[float, float, float]
    start: float
    duration: float = 0.1

    def __post_init__(self) -> None:
        text(self.frame, "frame")
        force = vector(self.force, "force", "along the world axes [N]")
        object.__setattr__(self, "force", tuple(force.tolist()))
        number(self.start, "start", unit="[s]")
        number(self.duration, "duration", at_least=0, unit="[s]")

    def acts(self, t: float) -> bool:
        """Whether it pushes at t [s], see `lasts`."""
        return lasts(t, self.start, self.duration)

    @property
    def wrench(self) -> Wrench:
        """The force without a moment."""
        return Wrench(np.array(self.force), np.zeros(3))


def random_pushes(
    robot: Robot,
    frame: str,
    duration: float,
    size: float,
    every: float = 1.0,
    lasting: float = 0.1,
    seed: int = 0,
) -> tuple[ForcePulse, ...]:
    """Return horizontal pushes in random directions, one in each interval of time.

    Args:
        robot, frame: whom and where.
        duration: of the whole [s].
        size: largest impulse of a push as a speed of the whole robot, ∫f dt / mass [m/s]; each is
            between half of it and all of it.
        every, lasting: length of the intervals and of the pushes [s].
        seed: of the random numbers.

    Raises:
        ConfigurationError: no such frame, or lengths that are no positive times.
    """
    check_robot(robot).frame_id(frame)
    duration, every = number(duration, "duration", at_least=0), number(every, "every", above=0)
    size, lasting = number(size, "size", at_least=0), number(lasting, "lasting", above=0)
    if lasting > every:
        raise ConfigurationError(f"lasting: got {lasting}, expected at most every = {every} [s]")
    seed = whole_number(seed, "seed", at_least=0)
    rng, pushes = np.random.default_rng(seed), []
    for start in np.arange(0.5 * every, duration - lasting, every):
        angle, share = rng.uniform(0, 2 * np.pi), rng.uniform(0.5, 1.0)
        force = share * size * robot.mass / lasting
        when = start + rng.uniform(0, 0.4) * (every - lasting)
        direction = (force * np.cos(angle), force * np.sin(angle), 0.0)
        pushes.append(ForcePulse(frame, direction, float(when), lasting))
    return tuple(pushes)


@dataclass(frozen=True)
class Noise:
    """White noise on the q and v that a controller gets.

    Attributes:
        positions: standard deviation of joint positions [rad or m].
        velocities: of joint velocities [rad/s or m/s].
        base_position, base_orientation: of the base [m, rad].
        base_velocity: of its linear [m/s] and angular [rad/s] velocity.

    Raises:
        ConfigurationError: a deviation that is negative or not finite.
    """

    positions: float = 0.0
    velocities: float = 0.0
    base_position: float = 0.0
    base_orientation: float = 0.0
    base_velocity: float = 0.0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            number(value, name, at_least=0)

    def measured(
        self, robot: Robot, q: Array, v: Array, rng: np.random.Generator
    ) -> tuple[Array, Array]:
        """Return measured q and v; passive joints of closures follow from the others."""
        at_q, at_v = np.full(robot.nv, self.positions), np.full(robot.nv, self.velocities)
        if robot.is_floating:
            at_q[:3], at_q[3:6] = self.base_position, self.base_orientation
            at_v[:6] = self.base_velocity
        dq, dv = rng.standard_normal(robot.nv), rng.standard_normal(robot.nv)
        read = robot.integrate(q, at_q * dq), v + at_v * dv
        return closed(robot, *read) if robot.closures else read
