"""Locomotion at a commanded velocity: a gait whose footholds follow a path.

The `Path` is where the middle of the feet should be, `FootPlacement` where they land along it. What
the body is off, `foothold_program` adds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from math import ceil
from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ... import dynamics
from ...arrays import Array
from ...contacts import Contact, ContactSet, Terrain
from ...contacts.geometry.polygon import convex_hull, sides
from ...contacts.terrain.height_map import HeightMap
from ...dynamics import State
from ...errors import ConfigurationError, ContactError
from ...options import check_options
from ...robots.configuration import check_configuration
from ...robots.robot import Robot
from ...robots.values import array, number
from ..dcm import DcmPlan, Phase
from ..references import Desired, moved
from ..whole_body.controller import WholeBodyController
from ..whole_body.standing import trunk
from .foot import FootMode, GaitFoot
from .foothold_program import FootholdProgram
from .footholds import LEVEL, UP, near
from .gait import (
    RISE,
    Gait,
    ahead_and_left,
    gait_of,
    middle,
    swings_in_turn,
)
from .ground_plane import GroundPlane
from .path import Path, rotation
from .placement import FootPlacement
from .rolling import rolling
from .support import Support
from .walking import WalkingController

QUICKEST = 0.6  # shortest times of a gait, as a fraction of the natural ones
ROOM = 0.06  # of soles to risers ahead, so that they are lifted before they go on [h]
UNLOAD = 0.04  # time to unload the feet that catch a push [s]
# how far beside the line of two points ξ may be while the robot stands [h]: noise of velocities
# reaches half of it, and an error grows fourfold until the first step lands
BESIDE_LINE = 0.05
# how far inside the polygon of the feet that carry the middle of a robot is that needs no sway [h]:
# on three of four feet, it is next to a side
INSIDE = 0.15
SLOPE = 0.3  # of the ground that a foothold may be moved up or down on
# how far from a moved foothold places to stand are searched [h], and how many on each side: at each
# tick of a swing there is no time for more
NEAR, FEW = 0.15, 8
SHIFT = 3.0  # time to shift the weight before the first swing and after the last [1/ω]
AHEAD = 5.0  # least time of the plan: what comes later counts e⁻⁵ [1/ω]
CHANGE = 0.1  # change of vx, vy and h wz from step to step [hω]
LOWERING = 0.05  # change of height from step to step [h]
# height of swinging feet, of small robots, whose legs weigh as much as they [h]; at 0.12, Solo12's
# catch on boards of 3 cm
LIFT = 0.15
# how far from its nearest edge the centre of pressure of a sole stays [h]: nearer, and on boards
# that nobody told of, soles tip; and of narrow ones at least what share of it may be used
EDGE, NARROW = 0.03, 0.35
# the same where the ground is told and flat: a step up needs more of the sole than EDGE leaves, or
# ξ falls behind a foot whose tread ends, the next one steps back down, and the robot falls over
FLAT_EDGE = 0.01
# errors of ξ that such narrow soles are left to correct [h]. One that lasts (swinging legs have
# much of the mass, masses are not as told) remains as large, and the speed is off by it: at 0.03
# G1 walks at 0.34 m/s over boards where it is told 0.3
LITTLE = 0.02
HOME = 0.08  # distance from its place among the others at which a foot may stay in the end [h]
SETTLED = 4  # rounds after which times and heights fit each other
BESIDE = 0.15  # distance of all feet from the path at which the robot may stay in the end [h]


class TooFast(ConfigurationError):
    """A velocity that the steps of a gait do not allow.

    Attributes:
        velocity: (vx, vy, wz) [m/s, rad/s].
    """

    def __init__(self, message: str, velocity: tuple[float, ...] = ()) -> None:
        super().__init__(message)
        self.velocity = velocity


class Steady(NamedTuple):
    """A cycle of a gait at a velocity that is kept: each group of feet swings once.

    Attributes:
        begin: when it begins [s].
        path: where it is commanded to be.
        places: {contact: T_world_contact (`pin.SE3`)} at its beginning.
        phases: all feet on the ground, then a group that swings, and so on.
        height: of the centre of mass above the feet [m].
        ground: height of the ground [m].
        omega: of the pendulum [1/s].
    """

    begin: float
    path: Path
    places: dict[str, Any]
    phases: list[Phase]
    height: float
    ground: float
    omega: float


class GaitController(WalkingController):
    """A whole-body controller that walks at a commanded velocity.

    Velocity, height and gait may change at any time. The robot starts to step when the velocity is
    not zero; when it is zero again, the robot brings its feet side by side and stands. Changes are
    taken up at touch-downs, as fast as balance allows. Where the terrain has no place for a foot,
    the robot stands and `blocked` says why. A standing robot that is pushed so that ξ leaves its
    support polygon takes steps until it can stand again. On two points, which hold it on their line
    alone, it goes on stepping where it is.

    Args:
        robot: floating base.
        contacts: its feet, two or more.
        q: where it stands (nq,); its feet are where they belong beneath it.
        gait: the name of one of `control.gaits.GAITS`, or a `Gait`; None: "walk" on two feet,
            "trot" on four, "tripod" on six, otherwise the first of `gaits.gaits_on`.
        velocity: (vx, vy, wz), forward, to the left and turning left [m/s, rad/s]; or a function of
            the time [s] that returns it: its first value is checked at once; while a later one is
            invalid or too fast, the robot stops, and the `reason` of its commands says why.
        options: of the WalkingController. By default feet swing 5 cm high, lower on small robots,
            and sole_share keeps the centre of pressure 0.03 of the height of the centre of mass
            (0.01 on a terrain of flat parts) from the nearest edge of a sole, but is at least 0.35.
            Footholds respond to errors of ξ above 0.03 of that height, on soles with a share of
            0.35 above 0.02; on points above 2 cm, where three and more carry above half of the way
            from the centre of pressure to the nearest side of their polygon, if that is more, and
            where a single foot carries to all.

    Attributes:
        path: where it is commanded to be.
        steps: how many swings have ended.
        blocked: why it cannot walk on; "" when it can.

    Raises:
        ConfigurationError, ContactError: what does not fit the robot; a velocity that this gait
            cannot reach.
    """

    def __init__(
        self,
        robot: Robot,
        contacts: ContactSet,
        q: ArrayLike,
        gait: str | Gait | None = None,
        *,
        velocity: ArrayLike | Callable[[float], ArrayLike] = (0.0, 0.0, 0.0),
        **options: Any,
    ) -> None:
        check_options(options, type(self).__name__, type(self), WholeBodyController)
        contacts, q = ContactSet.of(robot, contacts), check_configuration(robot, q)
        contacts = rolling(contacts, q)
        self._gait, self._groups = gait_of(contacts, q, gait)
        self._standing = q
        places = dict(contacts.placements(q))
        centre = middle(places, contacts.names)
        height = float(dynamics.com(robot, q)[2] - centre[2])
        share = _sole_share(contacts, height, options.get("terrain"))
        own = {"step_height": min(0.05, LIFT * height), "sole_share": share}
        if share == NARROW and "sole_share" not in options:
            ankles = min(self.stepping.ankles, LITTLE)
            self.stepping = self.stepping._replace(ankles=ankles)
        super().__init__(robot, contacts, q, [Phase(1.0, centre, centre)], **own | options)
        self._own_height = self._height = self.plan.height
        self._stepping_ramp = self._longest_ramp
        axes = np.column_stack([*ahead_and_left(contacts, q), UP])
        self.path = Path(pin.SE3(axes, centre), np.zeros(3), self.begin)
        self.ground = GroundPlane(places.values())
        # where each foot last met the ground: one that has swung may be in the air still, and to
        # take its place for the ground's would let the later footholds rise from step to step
        self._stood, self._soles = places, {foot.name for foot in contacts if foot.dim == 6}
        self.placement = FootPlacement(self.path.start, places, self.ground, self.reach.opposite)
        upright = dynamics.frame_placement(robot, q, trunk(robot)).rotation
        self._upright = axes.T @ upright
        self.base.target = self._attitude
        self._turn, self._replanned = 0, self.begin  # the group that swings next
        self.steps = 0
        self._support = Support(self.controller.sole_share, BESIDE_LINE * height)
        self.blocked = ""
        self.velocity = velocity

    @property
    def velocity(self) -> Array:
        """The commanded (vx, vy, wz) now [m/s, rad/s]; may be set to a function of time."""
        return self._velocity

    @velocity.setter
    def velocity(self, velocity: ArrayLike | Callable[[float], ArrayLike]) -> None:
        self._commands = velocity if callable(velocity) else None
        if callable(velocity):
            velocity = velocity(self.begin)
        self._command(velocity)

    def _command(self, velocity: ArrayLike) -> None:
        wanted = array(velocity, "velocity", (3,), meaning="(vx, vy, wz) [m/s, rad/s]").copy()
        fastest, speed = self.fastest, self.placement.speed(wanted)
        if speed > fastest * (1 + 1e-9):
            raise TooFast(
                f"velocity: got {wanted.tolist()}, at which a foot goes {speed:.3g} m/s; expected "
                f"at most {fastest:.3g} m/s, by the longest and quickest steps of this gait of "
                f"{self.robot.name!r}",
                tuple(wanted.tolist()),
            )
        wanted.flags.writeable = False
        self._velocity = wanted

    @property
    def gait(self) -> Gait:
        """The gait; may be set to a `Gait` or the name of one, which holds from the next swing
        on."""
        return self._gait

    @gait.setter
    def gait(self, gait: str | Gait | None) -> None:
        before = self._gait, self._groups
        self._gait, self._groups = gait_of(self.feet, self._standing, gait)
        try:
            self._command(self.velocity)
        except TooFast:
            self._gait, self._groups = before
            raise

    @property
    def height(self) -> float:
        """The commanded height of the centre of mass above the feet [m].

        With `stepping.bends`, lower where steps are so long that legs would not reach.
        """
        if not self.stepping.bends:
            return self._height
        away, lowest = self.placement.farthest(self.path.velocity), 0.7 * self._own_height
        return min(self._height, float(np.sqrt(max(self._own_height**2 - away**2, lowest**2))))

    @height.setter
    def height(self, height: float) -> None:
        low = 0.5 * self._own_height
        self._height = number(height, "height", at_least=low, at_most=1.1 * self._own_height)

    @property
    def fastest(self) -> float:
        """The largest speed of a foot's place beneath the robot: longest steps in the least time.

        This is a limit of the gait [m/s]; `control.speed_limits` tells that of the robot.
        """
        longest, least = self.longest
        return longest / least

    @property
    def longest(self) -> tuple[float, float]:
        """The longest step of the gait [m], and the least time in which it is taken [s]."""
        return self._step, QUICKEST * self._period

    @property
    def _period(self) -> float:
        """The natural time from swing to swing [s]."""
        return (self.gait.swing + self.gait.double) / self.plan.omega

    @property
    def _step(self) -> float:
        """The longest step in the natural time [m]."""
        return self.stepping.steps * (self.gait.step * self._own_height)

    @property
    def _inside(self) -> float:
        """How far inside the feet that carry the robot's middle is where they hold it still [m]."""
        return INSIDE * self._own_height

    def steady(self, velocity: ArrayLike) -> Steady:
        """Return a cycle at a steady velocity (vx, vy, wz) [m/s, rad/s], however fast."""
        kept = array(velocity, "velocity", (3,), meaning="(vx, vy, wz) [m/s, rad/s]").copy()
        walker = copy(self)
        walker._turn, walker.placement = 0, copy(self.placement)
        walker.placement.offset = np.zeros(3)
        walker.path = path = Path(self.path.start, kept, self.begin)
        centre = path.start.translation
        for _ in range(SETTLED):  # times follow from the height, and it from them
            walker.plan = DcmPlan([Phase(1.0, centre, centre)], walker.height, self.plan.gravity)
            swing, double = walker._take_times()

        places, count = self.placement.beneath(path.start), len(self._groups)
        groups = [self._groups[k % count] for k in range(3 * count)]
        phases = swings_in_turn(
            self.feet,
            places,
            groups,
            walker.placement.landing(path, self.begin + double, groups),
            resting=walker.placement.resting(path, self.begin + double, self._inside),
            start=centre,
            swing=swing,
            double=double,
            first=double,
            last=double,
        )
        before, cycle = phases[: 4 * count], phases[4 * count : 6 * count]
        for phase in before:
            places |= phase.swings
        begin = self.begin + sum(phase.duration for phase in before)
        plan = walker.plan
        return Steady(begin, path, places, cycle, plan.height, float(centre[2]), plan.omega)

    # --- what happens when -------------------------------------------------------------------

    def _advance(self, state: State, t: float) -> None:
        """Plan anew at each touch-down, and where it stands and should not."""
        self._take_command(t)
        since = t - self.begin
        index = self.plan.index(since)
        swings = {foot.name for foot in self._feet_in(FootMode.SWING)}
        touched_down = bool(swings) and index != self._phase
        if touched_down:
            landed = self.begin + float(self.plan.times[index])
            self._turn, self.steps = self._next_turn(swings), self.steps + 1
            self._replan(state, landed, self._pause)
        elif self._stands(since) and self._falls(state):
            self._turn = self._quickest(state, t)
            self._replan(state, t, UNLOAD * self.scale.time, catch=True)
        elif not swings and index == len(self.plan.phases) - 1 and self._called(state, t):
            if len(self.feet) == 2:  # first the foot on whose side it goes
                _, vy, wz = self.velocity
                self._turn = int((vy or wz) < 0)
            self._replan(state, t, self._natural(SHIFT))
        super()._advance(state, t)

    def _take_command(self, t: float) -> None:
        """Take up what a function commands at t; stop while that is no velocity, and say why."""
        self._remark = ""
        if self._commands is None:
            return
        try:
            self._command(self._commands(t))
        except Exception as error:  # a robot in mid-stride needs its next step
            if self.controller.safe.raises:
                raise
            self._command(np.zeros(3))
            self._remark = f"stops: {type(error).__name__}: {error}"

    def _next_turn(self, swung: set[str]) -> int:
        """Which group swings after these feet: of another gait than theirs, one that has stood."""
        if swung <= set(self._groups[self._turn % len(self._groups)]):
            return self._turn + 1
        return int(np.argmin([len(swung.intersection(group)) for group in self._groups]))

    # --- pushes ------------------------------------------------------------------------------

    def _prepare(self, state: State, t: float) -> None:
        if self._between_swings(t) and self._beside_feet(state):  # no time to lose
            self._end_phase(t + self.ramp)
        elif self._on_soles and self._has_landed(t):
            self._end_phase(t)
        super()._prepare(state, t)

    def _end_phase(self, t: float) -> None:
        """Let the plan's phase end at t, and what comes later be as much sooner."""
        self.dcm.begin = t - float(self.plan.times[self._phase + 1])
        for name in self.controller.leaving:  # by then, not by the end as it was planned
            self.controller.remove_contact(name, self.ramp, fades=False)

    def _has_landed(self, t: float) -> bool:
        """Whether all feet that swing are put down already: where they are, not where they were to.

        A sole on its way down that is turned, or held back, lies on a slope or on an edge.
        ξ would move away from the others until they bear, and the next step be long and quick.
        """
        swings = self._feet_in(FootMode.SWING)
        early = t < self.begin + float(self.plan.times[self._phase + 1])
        return early and bool(swings) and all(foot.stopped for foot in swings)

    def _between_swings(self, t: float) -> bool:
        """Whether all feet carry, and the next ones are about to be unloaded."""
        since, phases = t - self.begin, self.plan.phases
        index = self.plan.index(since)
        if index != self._phase or index == len(phases) - 1 or phases[index].swings:
            return False
        left = self.plan.times[index + 1] - since
        carry = all(foot.mode is FootMode.STANCE for foot in self._feet.values())
        return bool(carry and self.ramp < left <= self._pause)

    def _beside_feet(self, state: State) -> bool:
        """Whether ξ is farther to one side than all feet."""
        _, left = ahead_and_left(self.feet, state)
        places = self.feet.attachment.positions(state) @ left
        xi = float(left @ (self._xi(state) - self.plan.up))
        return bool(not places.min() <= xi <= places.max())

    def _stands(self, since: float) -> bool:
        """Whether all feet stay where they are for longer than between two swings."""
        index = self.plan.index(since)
        left = self.plan.times[index + 1] - since
        longer = index == len(self.plan.phases) - 1 or left > self._natural(self.gait.double)
        return longer and not self.plan.phases[index].swings

    def _falls(self, state: State) -> bool:
        """Whether ξ has left the support polygon, from where only a step brings it back."""
        xi = (self._xi(state) - self.plan.up)[:2]  # over the point that it moves away from
        return self._support.is_left(self.controller.contacts, state, xi)

    def _quickest(self, state: State, t: float) -> int:
        """The group whose step catches ξ at the least cost, see `FootholdProgram`."""
        places, costs = dict(self.feet.placements(state)), []
        for turn in range(len(self._groups)):
            self._turn = turn
            groups = self._next_groups(places, t, catch=True)
            try:
                phases = self._phases(places, t, UNLOAD * self.scale.time, groups)
            except ContactError:  # no place to stand
                costs.append(np.inf)
                continue
            plan = self._renewed(phases, self.plan.height, state, t)
            bounds = self.reach.bounds(phases[1].swings, state)
            program = FootholdProgram(plan, 1, bounds, self._solver)
            costs.append(program.landing(self._xi(state), 0.0).cost)
        return int(np.argmin(costs))

    def _called(self, state: State, t: float) -> bool:
        """Whether a standing robot is told something new, or stands beside its path."""
        told = bool(self.velocity.any() or self.plan.height != self.height)
        if t - self._replanned < self._natural(self.gait.double if told else SHIFT):
            return False
        places = self.feet.placements(state)
        return told or not self._at_home(dict(places), t)

    def _replan(self, state: State, t: float, first: float, catch: bool = False) -> None:
        """The plan from t on: `first` on all feet, then swings along the path, or to `catch` ξ."""
        places = dict(self.feet.placements(state))
        borne = [name for name in self.controller.loaded if self.touch.bears(name)]
        met = [foot.name for foot in self._feet.values() if foot.stopped]
        self._stood |= {name: places[name] for name in [*borne, *met]}
        soles = [T for name, T in self._stood.items() if name in self._soles]
        self.ground.fit(self._stood.values(), soles)
        if swings := self._feet_in(FootMode.SWING):
            names = [foot.name for foot in swings]
            half_way = t + 0.5 * self.placement.stance
            x, y = zip(*self.placement.off(places, names, self.path, half_way), strict=True)
            self.placement.offset = np.array([sum(x) / len(x), sum(y) / len(y), 0.0])
        if self._may_stand and not self.velocity.any():  # it stays where it was pushed
            self.path = self.path.put(t, self.placement.offset)
            self.placement.offset = np.zeros(3)
        self._take_up(t + first if self.path.stands else t)
        try:
            groups = self._next_groups(places, t, catch)
            phases = self._phases(places, t, first, groups)
            self.blocked = ""
        except ContactError as error:  # it stays where it is, and tries again
            self.path, self.blocked = self.path.turned(t, np.zeros(3)), str(error)
            phases = self._phases(places, t, first, [])
        # steps of a robot that is to stand catch it: no time to lose
        self._longest_ramp = self.ramp if self.path.stands else self._stepping_ramp
        h = self.plan.height
        height = min(max(self.height, (1 - LOWERING) * h), (1 + LOWERING) * h)
        self._follow(self._renewed(phases, height, state, t), t)
        self._replanned = t

    def _phases(
        self, places: dict[str, Any], t: float, first: float, groups: Sequence[tuple[str, ...]]
    ) -> list[Phase]:
        """The phases from t on: `first` on all feet [s], then swings of these groups."""
        swing, double = self._take_times()
        return swings_in_turn(
            self.feet, places, groups, self.placement.landing(self.path, t + first, groups),
            start=self.plan.pivot(t - self.begin), swing=swing, double=double, first=first,
            last=self._natural(SHIFT), terrain=self.terrain, reach=RISE * self._own_height,
            climb=self.gait.climb / (self.plan.omega * self._own_height),
            room=ROOM * self._own_height,
            resting=self.placement.resting(self.path, t + first, self._inside),
        )  # fmt: skip

    def _take_up(self, t: float) -> None:
        """Let the path go on with the commanded velocity, or as near to it as a step allows."""
        most = CHANGE * self.plan.omega
        along = most * self.plan.height
        self.path = self.path.towards(t, self.velocity, (along, along, most))

    def _times(self) -> tuple[float, float]:
        """How long feet swing, and all of them stand in between [s]."""
        speed = self.placement.speed(self.path.velocity)
        quick = min(max(self._step / max(speed, 1e-9) / self._period, QUICKEST), 1.0)
        swing, double = (quick * self._natural(x) for x in (self.gait.swing, self.gait.double))
        less = self.stepping.shorter * min(speed * self._period / self._step, 1.0) * double
        return swing + less, double - less

    def _take_times(self) -> tuple[float, float]:
        """These times, by which feet are placed from now on [s]."""
        swing, double = self._times()
        self.placement.set_times(swing, double, len(self._groups))
        return swing, double

    @property
    def _pause(self) -> float:
        """How long all feet stand after a touch-down [s]."""
        return self._times()[1] if self.stepping.shorter else self._natural(self.gait.double)

    def _on_ground(self, foot: GaitFoot, offset: Array) -> Array | None:
        if self.terrain is not None:
            return super()._on_ground(foot, offset)
        return np.append(offset[:2], self.ground.slope @ offset[:2])

    def _place(self, contact: Contact, T: Any, offset: Array, terrain: Terrain) -> Any:
        # also beside an edge, or higher or lower: what comes later is planned from there
        there, highest = moved(T, offset), LEVEL + SLOPE * float(np.linalg.norm(offset))
        within = NEAR * self._own_height
        return near(contact, there, offset, terrain, within, highest, tried=FEW)

    def _next_groups(
        self, places: dict[str, Any], t: float, catch: bool = False
    ) -> Sequence[tuple[str, ...]]:
        """Who swings next: a whole cycle at least, nobody where all stand and may."""
        cycle = len(self._groups)
        if self._may_stand:
            count = cycle if catch or not self._at_home(places, t) else 0
        else:
            count = max(cycle, ceil(AHEAD / (self.gait.swing + self.gait.double)))
        return [self._groups[(self._turn + k) % cycle] for k in range(count)]

    @property
    def _may_stand(self) -> bool:
        """Whether it is to stand and can; on two points it goes on stepping where it is."""
        return self.path.stands and not self._on_two_points

    def _at_home(self, places: dict[str, Any], t: float) -> bool:
        """Whether the feet are side by side, near the path."""
        ways = np.array(self.placement.off(places, places, self.path, t))
        mean = ways.mean(axis=0)
        farthest = np.linalg.norm(ways - mean, axis=1).max()
        h = self._own_height
        return bool(farthest <= HOME * h and np.linalg.norm(mean) <= BESIDE * h)

    def _natural(self, time: float) -> float:
        """A time in seconds from one in those of the pendulum."""
        return float(time / self.plan.omega)

    def _attitude(self, t: float) -> Desired:
        """The trunk ahead along the path, upright; on four feet inclined as ground it knows."""
        R, rate = rotation(self.path.along(t)), np.zeros(6)
        if t >= self.path.begin:
            rate[5] = self.path.velocity[2]
        if self.terrain is not None and len(self.feet) > 2:  # legs reach up and down alike
            R = self.ground.tilt @ R
        return Desired(pin.SE3(R @ self._upright, np.zeros(3)), rate, np.zeros(6))


def _sole_share(contacts: ContactSet, height: float, terrain: Terrain | None) -> float:
    """The share σ of soles that is used: (1 − σ) d = EDGE h, d from the centre to the nearest edge.

    At least NARROW; of points all. On a terrain of flat parts it is FLAT_EDGE h.
    """
    soles = [contact.points[:, :2] for contact in contacts if contact.dim == 6]
    nearest = min((float(sides(convex_hull(p))[1].min()) for p in soles), default=np.inf)
    parts = terrain.parts if isinstance(terrain, Terrain) else ()
    flat = parts and not any(isinstance(part, HeightMap) for part in parts)
    edge = FLAT_EDGE if flat else EDGE
    return max(1 - edge * height / nearest, NARROW)
