"""Thresholds of height and speed below which a point is taken to touch, found from the motion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ... import dynamics
from ...arrays import Array
from ...dynamics.motions.runs import spans
from ...errors import ContactError
from ...robots.robot import Robot
from ...robots.values import array
from ..contact_set import ContactSet
from .masks import Mask, without_short

# of the robot's size L [m], and of √(g L) [m/s]: what touches for sure, what may still touch, and
# what noise raises these to at most
_HEIGHT = np.array([0.01, 0.025])
_SPEED = np.array([0.03, 0.07])
_MOST_HEIGHT, _MOST_SPEED = 0.05, 0.2
_REST = 0.5  # times √(L/g): a point thrown up is slower than the fastest for 0.4 of it at the top
_SPREAD = 1.4826  # of a normal distribution's standard deviation to its median deviation
_SPREADS = 3.0  # standard deviations that feet at rest stay within
_SPEEDS = 2.0  # median speeds of feet near the ground


@dataclass(frozen=True, eq=False)
class Thresholds:
    """Below which height and speed points touch, with two of each: the hysteresis.

    A contact is a time without interruption of height and speed below the second ones, with a
    moment of both below the first ones in it, of this corner or another one of the same foot.

    Attributes:
        offset: height of the ground on which the feet stand, above that of the terrain [m].
        height: (2,), above that ground [m].
        speed: (2,) [m/s].
    """

    offset: float
    height: Array
    speed: Array

    def distance(self, heights: Array, speeds: Array) -> Array:
        """Return d (n, P): at least how many times the middle thresholds; below 1 it touches."""
        h = np.maximum(heights - self.offset, 0.0) / self.height.mean()
        return np.asarray(np.maximum(h, speeds / self.speed.mean()))

    def trimmed(self, touching: Mask, heights: Array, speeds: Array) -> Mask:
        """Return contacts (n,) of a point without the ends in which it leaves what it rests at.

        Of each contact that is the median of height and speed, and three spreads and half of the
        first thresholds above.
        """
        found = np.zeros_like(touching)
        for begin, end in spans(touching):
            rests = np.ones(end - begin, dtype=bool)
            for x, first in ((heights, self.height[0]), (speeds, self.speed[0])):
                own = x[begin:end]
                middle = np.median(own)
                spread = _SPREAD * np.median(np.abs(own - middle))
                rests &= own <= middle + _SPREADS * spread + first / 2
            inner = begin + np.flatnonzero(rests)
            found[inner[0] : inner[-1] + 1] = True
        return found

    def below(self, which: int, heights: Array, speeds: Array) -> Mask:
        """Return (n, P), height and speed below the first (0) or the second (1) thresholds."""
        low = heights <= self.offset + self.height[which]
        return np.asarray(low & (speeds <= self.speed[which]), dtype=bool)


def size_of(robot: Robot, contacts: ContactSet) -> float:
    """Return L [m]: how high the centre of mass is above the lowest contact in `posture()`."""
    q = robot.posture()
    lowest = min(T.translation[2] for T in contacts.placements(q).values())
    return max(float(dynamics.com(robot, q)[2] - lowest), 0.05)


def thresholds(
    size: float,
    t: Array,
    heights: Array,
    speeds: Array,
    height: ArrayLike | None = None,
    speed: ArrayLike | None = None,
    offset: float | None = None,
) -> Thresholds:
    """Return the thresholds for the points of the feet of a motion.

    At each sample the lowest point is looked at. Those that hardly move, for longer than at the top
    of a jump, stand, whatever their height: the ground is at the median of their heights, by which
    motions taken over from people float or sink; at 0 where none stand. With σ the spread of these
    heights, height = (0.01, 0.025) L + 3 σ, at most 0.05 L; speed = (0.03, 0.07) √(g L) + 2 times
    the median speed of the lowest points near that ground, at most 0.2 √(g L).

    Args:
        size: L of the robot [m], as of `size_of`.
        t: (n,) times [s].
        heights, speeds: (n, P), of the points above the terrain [m], [m/s].
        height, speed, offset: these instead, two of the first ones, in ascending order.
    """
    fastest = np.sqrt(9.81 * size)
    lowest = heights.argmin(axis=1)[:, None]
    low, moving = (np.take_along_axis(x, lowest, axis=1)[:, 0] for x in (heights, speeds))
    stands = without_short(moving <= _MOST_SPEED * fastest, t, _REST * np.sqrt(size / 9.81))
    still = low[stands]
    level = float(np.median(still)) if len(still) else 0.0
    level = level if offset is None else offset
    spread = _SPREAD * float(np.median(np.abs(still - level))) if len(still) else 0.0
    near = moving[np.abs(low - level) <= _MOST_HEIGHT * size]
    own_height = np.minimum(_HEIGHT * size + _SPREADS * spread, _MOST_HEIGHT * size)
    pace = _SPEEDS * float(np.median(near)) if len(near) else 0.0
    own_speed = np.minimum(_SPEED * fastest + pace, _MOST_SPEED * fastest)
    return Thresholds(
        level,
        own_height if height is None else pair(height, "height", "[m]"),
        own_speed if speed is None else pair(speed, "speed", "[m/s]"),
    )


def pair(value: ArrayLike, name: str, unit: str) -> Array:
    """Return two thresholds, the first at most the second, above zero; a number counts for both.

    Raises:
        ContactError: something else.
    """
    found = array(
        value, name, (), (2,), meaning=f"thresholds {unit}", error=ContactError
    ) * np.ones(2)
    if not 0 < found[0] <= found[1]:
        raise ContactError(
            f"{name}: got {found[0]:g} and {found[1]:g} {unit}; expected two above zero, the "
            "first at most the second"
        )
    return found
