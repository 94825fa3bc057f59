"""Grip of feet that stand: one that has slid shows that there is less friction than was believed.

A foot has slid when it is away from where it came to bear its whole load by

    ‖Δp + Δθ × d‖ > 1.5 cm along the ground,    or    n·Δθ > 2°, of soles,

low-passed: what is known of the base is noisy, and velocities are noisier still. Δp is how far its
contact has moved, Δθ its turn, d the arm from the centre of a ball, which rolls, to the ground, and
n the normal. What is believed of the friction of all feet, as a share s of what was told, is then
lowered,

    s ← max(0.7 s, 0.3), at most every 0.1 s,

and stays so: where it was slippery once it may be so again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pinocchio as pin

from ..arrays import Array
from ..contacts import Contact
from ..dynamics import State

SLID = 0.015  # [m]
TURNED = np.radians(2.0)
FILTER = 0.02  # time constant of the low-pass filter on how far a foot has moved [s]
WAIT = 0.1  # after the share was lowered, what slides has to come to rest first [s]
LOWERED = 0.7
LEAST = 0.3


class Grip:
    """The share of the friction of its feet that a robot believes in.

    Attributes:
        share: in [0.3, 1]; 1 until a foot slides.
        slid: how often one did.
    """

    def __init__(self) -> None:
        self.share, self.slid, self._since = 1.0, 0, np.inf
        self._feet: dict[str, tuple[Any, Array]] = {}  # where they came to bear, how far away now

    def lost(self, feet: Iterable[Contact], state: State, step: float) -> bool:
        """Lower the share if a foot has slid; return whether it is lower now.

        Args:
            feet: the contacts that bear their whole load now, on ground at rest.
            state: as it is.
            step: since the last time this was asked [s].
        """
        found, slid = {}, 0
        for foot in feet:
            now = foot.pose(state).translation, state.frame_placement(foot.frame).rotation
            start, way = self._feet.get(foot.name, (now, np.zeros(3)))
            way = way + step / (step + FILTER) * (_slide(foot, state, start, now) - way)
            has_slid = np.hypot(way[0], way[1]) > SLID or abs(way[2]) > TURNED
            found[foot.name] = (now, np.zeros(3)) if has_slid else (start, way)
            slid += has_slid
        self._feet, self.slid = found, self.slid + slid
        self._since += step
        if not slid or self._since < WAIT or self.share <= LEAST:
            return False
        self.share, self._since = max(LOWERED * self.share, LEAST), 0.0
        return True

    def believed(self, contact: Contact) -> Contact:
        """Return a contact with this share of its friction."""
        return with_friction(contact, self.share)


def with_friction(contact: Contact, share: float) -> Contact:
    """Return a contact with a share of its friction, in all directions alike."""
    mu: Any = contact.friction
    return replace(
        contact, friction=tuple(share * x for x in mu) if isinstance(mu, tuple) else share * mu
    )


def _slide(foot: Contact, state: State, start: Any, now: Any) -> Array:
    """How far a foot has slid along its two tangents [m], and a sole about its normal [rad]."""
    axes = foot.pose(state).rotation
    turn = pin.log3(now[1] @ start[1].T)
    way = axes.T @ (now[0] - start[0] + np.cross(turn, foot.ball_arm))
    return np.array([way[0], way[1], turn @ axes[:, 2] if foot.dim == 6 else 0.0])
