"""Grip of feet that stand: one that has slid shows that there is less friction than was believed.

A foot has slid when it is away from where it came to bear its whole load by

    ‖Δp + Δθ × d‖ > 1.5 cm along the ground,    or    n·Δθ > 2°, of soles,

low-passed: what is known of the base is noisy, and velocities are noisier still. Δp is how far its
contact has moved, Δθ its turn, d the arm from the centre of a ball, which rolls, to the ground, and
n the normal. A sole that tilts, ‖Δθ − n n·Δθ‖ > 3°, rolls over an edge: its middle moves and it
turns about n although nothing slides, so that it is asked anew from there. What is believed of the
friction of all feet, as a share s of what was told, is then lowered,

    s ← max(0.7 s, 0.3), at most every 0.1 s,

and stays so: where it was slippery once it may be so again.

A sole on a slope needs friction to carry the weight alone. One that has tipped stands on an edge of
the ground or of its own, and its force lies in a cone about the ground's normal, not about its own.
With less friction the weight would be outside of the sole's cone, and the robot would sink, or have
no force left to move ahead. So the friction that is believed of a sole, though feet have slid, is
at least

    μ = min(tan θ + 0.15, μ₀ + tan φ)

with the angle θ of its normal to the vertical, the angle φ to the normal of the ground where it was
to land, the friction μ₀ that was told, and 0.15 for the forces along the ground that a walk needs.
μ and μ₀ are of cones inside of the friction pyramids: a pyramid of n sides that is inscribed in the
cone of μ / cos(π/n) contains that of μ.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from math import hypot, sqrt
from typing import Any

import numpy as np

from ...arrays import Array
from ...contacts import Contact
from ...contacts.attachment import placement_on_joint
from ...dynamics import State
from ..kernels import TICKS
from ..kernels.grip import SLIDES, Standing
from .footholds import STEEPEST

SLID = 0.015  # [m]
TURNED = float(np.radians(2.0))
TILTED = float(np.radians(3.0))
FILTER = 0.02  # time constant of the low-pass filter on how far a foot has moved [s]
WAIT = 0.1  # after the share was lowered, what slides has to come to rest first [s]
LOWERED = 0.7
LEAST = 0.3
AHEAD = 0.15  # what a walk pushes along the ground, as a share of the weight
CHANGED = 0.03  # of what a sole needs; below it the friction of its contact stays


class Grip:
    """The share of the friction of its feet that a robot believes in.

    Attributes:
        share: in [`least`, 1]; 1 until a foot slides.
        least: below which it is not lowered.
        slid: how often one did.
    """

    def __init__(self, least: float = LEAST) -> None:
        self.least = least
        self.share, self.slid, self._since = 1.0, 0, np.inf
        self._feet: tuple[Contact, ...] = ()
        self._standing: Any = None
        SLIDES.select(TICKS)

    def lost(self, feet: Iterable[Contact], state: State, step: float) -> bool:
        """Lower the share if a foot has slid; return whether it is lower now.

        Args:
            feet: the contacts that bear their whole load now, on ground at rest.
            state: as it is.
            step: since the last time this was asked [s].
        """
        if (feet := tuple(feet)) != self._feet or self._standing is None:
            self._stand(feet, state)
        given = state.joint_placements, self._standing, step / (step + FILTER), SLID, TURNED, TILTED
        slid = SLIDES.overload().run(*given)
        self.slid += slid
        self._since += step
        if not slid or self._since < WAIT or self.share <= self.least:
            return False
        self.share, self._since = max(LOWERED * self.share, self.least), 0.0
        return True

    def _stand(self, feet: tuple[Contact, ...], state: State) -> None:
        """Take these feet as those that stand: new ones from where they are."""
        known = {foot.name: i for i, foot in enumerate(self._feet)}
        now = _standing(feet, state)
        for i, foot in enumerate(feet):
            if foot.name in known:
                now.starts[i] = self._standing.starts[known[foot.name]]
                now.ways[i] = self._standing.ways[known[foot.name]]
        self._feet, self._standing = feet, now


def needed(normal: Array, ground: Array, told: float) -> float:
    """Return the friction μ that a sole needs, see above.

    Args:
        normal: of the sole (3,), world axes.
        ground: the normal (3,) of the ground where it was to land.
        told: μ₀.
    """
    x, y, up = normal.tolist()
    along = min(max(float(normal @ ground), STEEPEST), 1.0)
    to_vertical, to_ground = hypot(x, y) / max(up, STEEPEST), sqrt(1 - along**2) / along
    return float(min(to_vertical + AHEAD, told + to_ground))


def with_friction(contact: Contact, share: float, least: float = 0.0) -> Contact:
    """Return a contact with a share of its friction, in all directions alike, and the `least`."""
    mu: Any = contact.friction
    if isinstance(mu, tuple):
        return replace(contact, friction=tuple(max(share * x, least) for x in mu))
    return replace(contact, friction=max(share * mu, least))


def _standing(feet: tuple[Contact, ...], state: State) -> Standing:
    """Feet that come to stand as they are now; an `Attachment` of them takes twice as long."""
    count = len(feet)
    joints, fixed, soles = np.empty(count, np.intp), np.empty(count, bool), np.empty(count, bool)
    local, starts = np.empty((count, 12)), np.empty((count, 12))
    arms = np.empty((count, 3))
    for k, foot in enumerate(feet):
        joints[k], placed = placement_on_joint(state.robot, foot)
        T, fixed[k] = state.joint_placements[joints[k]], foot.axes_in_frame is None
        soles[k], arms[k] = foot.dim == 6, foot.ball_arm
        axes: Any = foot.axes_in_world if fixed[k] else placed.rotation
        local[k, :9] = axes.ravel()
        local[k, 9:] = placed.translation
        starts[k, :9] = T[:, :3].ravel()
        starts[k, 9:] = T[:, :3] @ placed.translation + T[:, 3] + arms[k]
    return Standing(joints, local, fixed, arms, soles, starts, np.zeros((count, 3)))
