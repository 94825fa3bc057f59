"""Contacts that come and go without a jump: each has a share of its load, ramped over time.

A contact with the share σ may carry at most σ times the robot's weight (and a little more), its
lower bound is σ times its own, and the forces the program prefers are shared out by σ. What is
removed goes to σ = 0 first and then leaves, what is added starts there. The solution of a strictly
convex program follows its bounds continuously, so the torques do too, up to the tick in which the
contact leaves: there its J a = k goes, and torques step by what it kept tasks from doing.
"""

from __future__ import annotations

from dataclasses import dataclass

from .references import minimum_jerk

FULL = 1.5  # the share of the robot's weight that a contact may carry at the end of its ramp


@dataclass
class Ramp:
    """A share on its way: from `start` to `goal` within `duration` [s], from the first tick on."""

    start: float
    goal: float
    duration: float
    begin: float | None = None

    def at(self, t: float) -> float:
        """Return the share at t; the first time asked is when it begins."""
        if self.begin is None:
            self.begin = t
        if self.duration <= 0:
            return self.goal
        s, _, _ = minimum_jerk((t - self.begin) / self.duration)
        return self.start + s * (self.goal - self.start)

    def over(self, t: float) -> bool:
        """Whether it has arrived."""
        return self.begin is not None and t >= self.begin + self.duration
