"""Impulse: a push that changes the speed of a robot, for a tenth of a second at its trunk."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from ...robots.values import number
from ..disturbances import lasts
from .plant import PUSHED


@dataclass(frozen=True)
class Impulse:
    """A horizontal push of ∫f dt = m Δv, for 0.1 s at the trunk's centre of mass.

    Attributes:
        change: Δv, of the speed of a free robot [m/s].
        heading: the direction, from the world's x to y [degrees].
        at: when it begins [s].

    Raises:
        ConfigurationError: a change or a time that is negative or not finite.
    """

    change: float
    heading: float
    at: float

    def __post_init__(self) -> None:
        number(self.change, "change", at_least=0, unit="[m/s]")
        number(self.heading, "heading", unit="[degrees]")
        number(self.at, "at", at_least=0, unit="[s]")

    def force(self, t: float, mass: float) -> Array:
        """Return the force (3,) at t [s] on a robot of a mass [kg], world axes [N]."""
        if not lasts(t, self.at, PUSHED):
            return np.zeros(3)
        angle = np.radians(self.heading)
        return np.asarray(mass * self.change / PUSHED * np.array([np.cos(angle), np.sin(angle), 0]))
