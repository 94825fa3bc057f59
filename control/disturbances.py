"""What a closed loop has to live with: pushes on the robot, noise on what it measures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..dynamics import Wrench
from ..errors import ConfigurationError
from ..robots.robot import Robot

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Push:
    """A force on a link for a while, at its frame's origin.

    Attributes:
        frame: the link, by name.
        force: (x, y, z), world axes [N].
        start, duration: [s].
    """

    frame: str
    force: tuple[float, float, float]
    start: float
    duration: float = 0.1

    def acts(self, t: float) -> bool:
        """Whether it pushes at t; ticks that are its ends to rounding count as these."""
        return -1e-9 <= t - self.start < self.duration - 1e-9

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
) -> tuple[Push, ...]:
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
    robot.frame_id(frame)
    if not (every > 0 and 0 < lasting <= every and size >= 0):
        raise ConfigurationError(
            f"got every={every}, lasting={lasting}, size={size}; expected 0 < lasting ≤ every and "
            "size ≥ 0"
        )
    rng, pushes = np.random.default_rng(seed), []
    for start in np.arange(0.5 * every, duration - lasting, every):
        angle, share = rng.uniform(0, 2 * np.pi), rng.uniform(0.5, 1.0)
        force = share * size * robot.mass / lasting
        when = start + rng.uniform(0, 0.4) * (every - lasting)
        direction = (force * np.cos(angle), force * np.sin(angle), 0.0)
        pushes.append(Push(frame, direction, float(when), lasting))
    return tuple(pushes)


@dataclass(frozen=True)
class Noise:
    """White noise on what a controller is told.

    Attributes:
        positions: standard deviation of joint positions [rad or m].
        velocities: of joint velocities [rad/s or m/s].
        base_position, base_orientation: of the base [m, rad].
        base_velocity: of its linear [m/s] and angular [rad/s] velocity.
    """

    positions: float = 0.0
    velocities: float = 0.0
    base_position: float = 0.0
    base_orientation: float = 0.0
    base_velocity: float = 0.0

    def measured(
        self, robot: Robot, q: Array, v: Array, rng: np.random.Generator
    ) -> tuple[Array, Array]:
        """Return q and v as they are read."""
        at_q, at_v = np.full(robot.nv, self.positions), np.full(robot.nv, self.velocities)
        if robot.is_floating:
            at_q[:3], at_q[3:6] = self.base_position, self.base_orientation
            at_v[:6] = self.base_velocity
        dq, dv = rng.standard_normal(robot.nv), rng.standard_normal(robot.nv)
        return robot.integrate(q, at_q * dq), v + at_v * dv
