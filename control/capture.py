"""Push recovery: a standing biped that steps onto its capture point when it would fall.

Seen from above, ξ = c + ċ/ω (+ g/ω² where gravity is not vertical) diverges from the centre of
pressure p, ξ̇ = ω (ξ − p). While ξ is inside the support polygon, p can be placed beyond it to stop
it. Once it is outside, it will be, a time T later, at

    ξ(T) = p + e^{ωT} (ξ − p),

and a foot has to be there: this is the capture point. J. Pratt, J. Carff, S. Drakunov,
A. Goswami, "Capture point: a step toward humanoid push recovery" (2006).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from .. import dynamics
from ..arrays import Array
from ..contacts import ContactSet
from ..contacts.geometry.polygon import convex_hull, sides, signed_distance
from ..dynamics import State
from ..errors import ContactError
from ..robots.configuration import check_configuration
from ..robots.robot import Robot
from ..robots.values import number
from .balance import Phase
from .stepping import APART
from .walking import WalkingController

INSIDE = 0.015  # margin of ξ from the support polygon's edges below which the robot steps [m]
UNLOAD = 0.04  # time to unload the swing foot [s]


class _Step(NamedTuple):
    """Swing foot, foothold, centre of pressure under the other foot, and cost of the step."""

    foot: str
    goal: Any
    pivot: Array
    cost: float


class PushRecoveryController(WalkingController):
    """A whole-body controller that stands, and steps when ξ leaves the support polygon.

    It takes as many steps as it needs, and stays where they lead.

    Args:
        robot: a biped, floating base.
        contacts: its two feet, on level ground.
        q: where it stands (nq,).
        swing_time: of a step [s].
        reach: longest distance between the feet along the ground after a step [m]; None: the height
            of the centre of mass.
        options: of the WalkingController.

    Raises:
        ConfigurationError, ContactError: what does not fit the robot.
    """

    def __init__(
        self,
        robot: Robot,
        contacts: ContactSet,
        q: ArrayLike,
        *,
        swing_time: float = 0.3,
        reach: float | None = None,
        **options: Any,
    ) -> None:
        contacts = ContactSet.of(robot, contacts)
        if len(contacts) != 2 or any(contact.dim != 6 for contact in contacts):
            raise ContactError(f"contacts: got {contacts.names}; expected two feet with soles")
        number(swing_time, "swing_time", above=0, unit="[s]")
        if reach is not None:
            number(reach, "reach", above=0, unit="[m]")
        q = check_configuration(robot, q)
        places = contacts.placements(q)
        middle = np.mean([T.translation for T in places.values()], axis=0)
        height = float(dynamics.com(robot, q)[2] - middle[2])
        longest = height if reach is None else reach
        super().__init__(robot, contacts, q, [Phase(1.0, middle, middle)], reach=longest, **options)
        self.swing_time, self.steps, self._settled = swing_time, 0, -np.inf
        one, other = (places[name] for name in contacts.names)
        self._axes = one.rotation[:, :2]  # ahead and to the left
        self._apart = {
            name: APART * float(self._axes[:, 1] @ (a.translation - b.translation))
            for name, a, b in zip(contacts.names, (one, other), (other, one), strict=True)
        }

    def _advance(self, state: State, t: float) -> None:
        """Plan a step if ξ has left the support polygon."""
        if t >= self._settled and not self._swings:
            self._step_if_needed(state, t)
        super()._advance(state, t)

    def _step_if_needed(self, state: State, t: float) -> None:
        q = state.q
        xi = (state.com + state.com_velocity / self.plan.omega - self.plan.up)[:2]
        support = convex_hull(np.concatenate(list(self._soles(q).values())))
        if signed_distance(support, xi) < -INSIDE:
            return
        places = self.feet.placements(q)
        step = min((self._step(name, q, xi) for name in self.feet.names), key=lambda s: s.cost)
        self.follow(self._phases(step, places), t)
        self.steps, self._settled = self.steps + 1, t + UNLOAD + self.swing_time + self.ramp

    def _soles(self, q: Array) -> dict[str, Array]:
        """{foot: (k, 2)}, the corners of its sole on the ground."""
        return {c.name: c.world_points(self.robot, q)[:, :2] for c in self.feet}

    def _step(self, foot: str, q: Array, xi: Array) -> _Step:
        """The step of a foot onto the capture point of ξ (2,), or nearest to it."""
        places, soles = self.feet.placements(q), self._soles(q)
        other = next(name for name in self.feet.names if name != foot)
        pivot = _nearest(convex_hull(soles[other]), xi, INSIDE)
        landing = pivot + np.exp(self.plan.omega * (self.swing_time + UNLOAD)) * (xi - pivot)
        stance = places[other].translation[:2]
        ahead, left = self._axes[:2].T @ (landing - stance)
        apart = self._apart[foot]
        left = max(left, apart) if apart > 0 else min(left, apart)  # legs must not cross
        way = np.array([ahead, left])
        way *= min(1.0, self.reach / max(float(np.linalg.norm(way)), 1e-9))
        goal = stance + self._axes[:2] @ way
        both = convex_hull(
            np.concatenate([soles[other], soles[foot] - places[foot].translation[:2] + goal])
        )
        missed = max(signed_distance(both, landing), 0.0)
        far = float(np.linalg.norm(goal - places[foot].translation[:2]))
        T = pin.SE3(places[foot].rotation, np.append(goal, places[other].translation[2]))
        return _Step(foot, T, np.append(pivot, T.translation[2]), missed + 0.1 * far)

    def _phases(self, step: _Step, places: Any) -> list[Phase]:
        """Unload, swing, shift onto the foot that landed, and stand between both."""
        other = next(name for name in self.feet.names if name != step.foot)
        there = step.goal.translation
        middle = (places[other].translation + there) / 2
        p = step.pivot
        return [
            Phase(UNLOAD, p, p),
            Phase(self.swing_time, p, p, {step.foot: step.goal}),
            Phase(0.15, p, there),
            Phase(1.5, there, middle),
        ]


def _nearest(corners: Array, x: Array, inside: float) -> Array:
    """The point (2,) of a convex polygon, shrunk by `inside`, that is nearest to x (2,)."""
    normals, offsets = sides(corners)
    middle = corners.mean(axis=0)
    depth = offsets - normals @ middle
    shrunk = middle + (corners - middle) * max(0.0, 1 - inside / float(depth.min()))
    if signed_distance(shrunk, x) <= 0:
        return x
    best = []
    for a, b in zip(shrunk, np.roll(shrunk, -1, axis=0), strict=True):
        along = b - a
        share = np.clip((x - a) @ along / max(float(along @ along), 1e-12), 0, 1)
        best.append(a + share * along)
    return np.asarray(min(best, key=lambda p: float(np.linalg.norm(p - x))))
