"""Load ramps of contacts, so that torques do not jump when contacts are made and broken.

A contact with the load fraction σ may carry at most `FULL` σ times the robot's weight, its lower
bound is σ times its own, and the nominal forces are distributed in proportion to σ. A contact is
unloaded to σ = 0 before it is removed, and a new one is loaded from there. Its constraint fades
with its load,

    J a = k + (1 − σ) (J a° − k)

where a° are the accelerations without the contacts on a ramp: at σ = 0 it asks for what happens
without it. The solution of a strictly convex program depends continuously on its data, so the
torques do too, through contacts made and broken, and through one that is taken back half-way.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..robots.values import number
from .references import minimum_jerk

FULL = 1.5  # fraction of the robot's weight that a contact may carry at the end of its ramp


@dataclass
class Ramp:
    """A load fraction from `start` to `goal` within `duration` [s], from the first tick on."""

    start: float
    goal: float
    duration: float
    fades: bool = True  # the contact's constraint too
    begin: float | None = None

    def __post_init__(self) -> None:
        number(self.duration, "ramp", at_least=0, unit="[s]")

    def at(self, t: float) -> float:
        """Return the load fraction at t; the ramp begins at the first t given."""
        if self.begin is None:
            self.begin = t
        if self.duration <= 0:
            return self.goal
        s, _, _ = minimum_jerk((t - self.begin) / self.duration)
        return self.start + s * (self.goal - self.start)

    def over(self, t: float) -> bool:
        """Return whether the goal is reached."""
        return self.begin is not None and t >= self.begin + self.duration
