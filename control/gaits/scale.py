"""Scale of a robot: what gains, weights and times of gaits are multiplied by.

Those in SI units are of robots between 0.15 and 1.3 m from the ground to the centre of mass. One
whose height is λ times the nearest of these falls and swings 1/√λ times as fast; accelerations of
points are as large, those of angles 1/λ times, and momenta change as m g h.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

from ...arrays import Array
from ...contacts import ContactSet
from .gait import standing_height

HEIGHTS = 0.15, 1.3  # of the centre of mass [m]
MOMENTS = 1.5, 2500.0  # m g h [N·m]


class Scale(NamedTuple):
    """How much larger a robot is than those of usual size; all 1 for these.

    Attributes:
        length: λ.
        time: √λ.
        moment: m g h, by the nearest usual one.
    """

    length: float = 1.0
    time: float = 1.0
    moment: float = 1.0

    @classmethod
    def of(cls, feet: ContactSet, q: Array) -> Scale:
        """Return the scale of a robot that stands on its feet at q (nq,)."""
        height = standing_height(feet, q)
        length = _beyond(height, *HEIGHTS)
        return cls(length, sqrt(length), _beyond(feet.robot.earth_weight * height, *MOMENTS))


def _beyond(x: float, low: float, high: float) -> float:
    """x by the nearest of a range: 1 within it. What lies on the ground is refused elsewhere."""
    return max(x, 1e-3 * low) / min(max(x, low), high)
