"""Missed target of a posture: by how much, what holds it back, and the reason in words."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import Array
from .inverse_kinematics import CLOSURE, TILT, InverseKinematics
from .self_collision import self_collisions


class Missed(NamedTuple):
    """The target that a posture misses most.

    Attributes:
        part: its name among the `errors` of a `Posture`.
        error: [unit].
        unit: "m", "rad", or "(m or rad)" of a closure of two joints and of a task.
        joints: whose limits hold it back.
    """

    part: str
    error: float
    unit: str
    joints: tuple[str, ...]

    def __str__(self) -> str:
        """What it is, by how much it misses, and what holds it back."""
        held = (
            f"held back by the limits of {', '.join(self.joints)}"
            if self.joints
            else "no joint limit holds it back: the targets are too far apart, or contradict each "
            "other"
        )
        by = f"{self.error:.3g} {self.unit}"
        return f"out of reach: {self.what} misses its target by {by}; {held}"

    @property
    def what(self) -> str:
        """The part in words."""
        if self.part.startswith(CLOSURE):
            return f"the end of the closure {self.part.removeprefix(CLOSURE)!r}"
        return "the centre of mass" if self.part == "com" else repr(self.part)


def missed_by(
    ik: InverseKinematics, q: Array, error: Array, errors: dict[str, float]
) -> Missed | None:
    """What misses its target most; None where links would have to be in each other.

    Args:
        ik, q: of which solution.
        error: |error| of each row of its goal.
        errors: the largest of each part.
    """
    worst = max(errors, key=lambda name: errors[name])
    if errors.get("self-collision", 0.0) > 0.5 * errors[worst]:
        return None
    joints = dict.fromkeys(ik.robot.joint_of_row[row] for row in ik.blocked(q))
    rows = error[ik.goal.parts()[worst]]
    coupling = worst.startswith(CLOSURE) and len(rows) == 1  # of two joints
    either = coupling or worst in ik.goal.exact.names
    unit = "(m or rad)" if either else _unit(rows, errors[worst])
    return Missed(worst, errors[worst], unit, tuple(joints))


def _unit(rows: Array, largest: float) -> str:
    """The unit of the largest of a part's rows; places come before angles."""
    return "rad" if (rows[3:] == largest).any() else "m"


def reason_of(
    ik: InverseKinematics,
    q: Array,
    missed: Missed | None,
    errors: dict[str, float],
    tolerance: float,
) -> str:
    """Return why a posture is out of reach, in words; `missed` is what `missed_by` found."""
    if missed is None:
        reason = _collision_words(ik, q)
    else:
        reason = f"{missed}{_also_missed(missed, errors, tolerance)}"
    if ik.goal.tilt(q) > 0.9 * TILT:
        reason += f"; the base would have to tilt by more than {np.rad2deg(TILT):.0f}° from q0"
    return reason


def _also_missed(missed: Missed, errors: dict[str, float], tolerance: float) -> str:
    """What else misses its target by a tenth of that or more, in words."""
    least = max(tolerance, 0.1 * missed.error)
    others = [f"{n!r} by {e:.3g}" for n, e in errors.items() if n != missed.part and e > least]
    return f"; so do {', '.join(others)}" if others else ""


def _collision_words(ik: InverseKinematics, q: Array) -> str:
    clearance = ik.goal.clearance.clearance if ik.goal.clearance else 0.0
    nearest = self_collisions(ik.robot, q, clearance)[0]
    return f"out of reach without a collision: {nearest}, expected {clearance:.3g} m of clearance"
