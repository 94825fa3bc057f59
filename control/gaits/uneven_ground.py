"""Uneven ground that a gait is not told of: what feet do that meet it early, late or at its side.

A swing foot that something holds up is put down there: points feel it, see `touch`, and soles stay
above their way. One that a riser holds back is lifted over it, or put down where too little time is
left. A foot that finds nothing where it was to stand is lowered until it meets the ground, the
quicker the more uneven the ground has been.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import hypot
from typing import Any

import pinocchio as pin

from ...dynamics import State
from ..dcm import DcmPlan
from ..references import Desired, Reference, lowering, swing
from .foot import FootMode, GaitFoot
from .footholds import CLIMB, LEVEL
from .touch import Touch

LOWERING = 0.4  # speed at which a foot is lowered that misses the ground [m/s]
# time in which it comes down by as much as the ground is uneven: the robot falls meanwhile [1/ω]
SEARCH_TIME = 0.15
PRESS = 0.1  # speed of one that has met it already [m/s]
# how far down a foot is lowered, and up it is lifted over what held it back, as a fraction of the
# height of the centre of mass
VERTICAL_REACH = 0.35
# how far a foot is behind that meets a riser, as a fraction of the same: others are by up to 0.04
STUMBLE = 0.06
# how far a sole is turned from its way that catches on an edge: its foot is light, and gives way
# before it falls behind; others are by up to 0.06 [rad]
TIPPED = 0.15
# how far above its way a sole is that stands on something, as a fraction of the height of the
# centre of mass
EARLY = 0.03
RESTS = 0.3  # of the speed that it should have, below which it does not go on
# speed from which on a foot is on its way down: at most it is 3.4 [step height / swing time]
DESCENT = 2.0
RETRY = 0.4  # of a swing's time that it takes to lift it over
RECALL = 0.95  # what is left of the unevenness of the ground from swing to swing


class UnevenGround:
    """Reactions of the feet of a gait to ground that is not as it was told.

    Each follows from how a foot moves against its reference, from what it feels, and from the
    `DcmPlan`, whose pendulum gives the sizes.

    Args:
        touch: what the feet feel.
        lift: how high a foot is lifted over what held it back, as a multiple of how high it swings.

    Attributes:
        unevenness: by how much feet have lately stood above or below where they were to land, or
            how high they were where a riser held them back [m].
    """

    def __init__(self, touch: Touch, lift: float) -> None:
        self.touch, self.lift, self.unevenness = touch, lift, 0.0

    def lifted(self, feet: Iterable[GaitFoot]) -> None:
        """Take up how far feet that leave the ground have stood from where they were to land."""
        missed = max(foot.missed for foot in feet)
        self.unevenness = max(RECALL * self.unevenness, missed if missed > LEVEL else 0.0)

    def swinging(self, foot: GaitFoot, state: State, t: float, plan: DcmPlan) -> None:
        """Put down a swing foot that meets the ground; lift it over what holds it back."""
        if foot.stopped:
            return
        wanted, here = foot.task.target(t), foot.placement(state)
        if not foot.stumbled and _held_back(foot, wanted, here, state, plan.height):
            self._stumble(foot, state, t, plan)
        elif self._meets_ground(foot, wanted, here, state, plan.height):
            self._put_down(foot, state, t, plan, PRESS)

    def search(self, foot: GaitFoot, state: State, t: float, plan: DcmPlan) -> None:
        """Lower a foot from where it is."""
        speed = max(LOWERING, self.unevenness * plan.omega / SEARCH_TIME)
        foot.go(FootMode.SEARCH, lowered(foot, state, t, plan, speed))

    def found(self, foot: GaitFoot, state: State, t: float, plan: DcmPlan) -> bool:
        """Return whether a foot that is lowered has met the ground; if not, it goes on down."""
        if self.touch.stopped(foot.name):
            return True
        if foot.placement(state).translation[2] < foot.task.target(t).value.translation[2]:
            self.search(foot, state, t, plan)  # it went ahead, and does not wait in the air
        return False

    def _meets_ground(
        self, foot: GaitFoot, wanted: Desired, here: Any, state: State, height: float
    ) -> bool:
        """Whether something holds a foot up that was on its way down.

        One that has not turned back yet, high above, is behind on its way up.
        """
        down = wanted.velocity[2]
        quickly = down * foot.duration <= -DESCENT * foot.clearance
        goes_on = bool(state.frame_velocity(foot.contact.frame)[2] < RESTS * down)
        foot.descends = foot.descends or (quickly and goes_on)
        if not foot.descends or goes_on:
            return False
        if foot.contact.dim == 6:
            above = here.translation[2] - wanted.value.translation[2]
            return bool(above > EARLY * height)
        # what its leg felt may have been the swing itself: light legs are thrown
        return quickly and self.touch.stopped(foot.name)

    def _stumble(self, foot: GaitFoot, state: State, t: float, plan: DcmPlan) -> None:
        """Lift a foot over it, then ahead; put it down where too little time is left.

        But not as high as its leg is long: that throws the robot.
        """
        left = foot.ends - t
        if left < RETRY * foot.duration:
            return self._put_down(foot, state, t, plan, LOWERING)
        foot.stumbled, foot.descends, here = True, False, foot.placement(state)
        # what holds it back is higher than it is
        self.unevenness = max(
            self.unevenness, float((here.translation - foot.start.translation)[2])
        )
        height = min(self.lift * foot.clearance, VERTICAL_REACH * plan.height)
        foot.task.target = swing(here, foot.goal, left, t, height, CLIMB)

    def _put_down(
        self, foot: GaitFoot, state: State, t: float, plan: DcmPlan, speed: float
    ) -> None:
        foot.stopped = True
        foot.task.target = lowered(foot, state, t, plan, speed)


def lowered(foot: GaitFoot, state: State, t: float, plan: DcmPlan, speed: float) -> Reference:
    """Return the way straight down from where a foot is, to well below where it stood or lands."""
    place = foot.placement(state)
    lowest = min(T.translation[2] for T in (foot.start, foot.goal))
    above = float(place.translation[2] - lowest)
    return lowering(place, t, speed, max(above + VERTICAL_REACH * plan.height, 0.0))


def _held_back(foot: GaitFoot, wanted: Desired, here: Any, state: State, height: float) -> bool:
    """Whether a riser holds a swing foot back: it is behind on its way, and does not go on.

    A sole that catches on an edge turns about it.
    """
    if foot.contact.dim == 6:
        turn = pin.log3(wanted.value.rotation @ here.rotation.T)
        if hypot(*turn.tolist()) > TIPPED:
            return True
    a, b, _ = (foot.goal.translation - foot.start.translation).tolist()
    x, y, _ = (wanted.value.translation - here.translation).tolist()
    if a * x + b * y <= STUMBLE * height * hypot(a, b):
        return False
    x, y, *_ = (state.frame_velocity(foot.contact.frame) - RESTS * wanted.velocity).tolist()
    return bool(a * x + b * y < 0)
