"""Walking controller: a whole-body controller that follows the phases of a gait."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import cos, hypot, pi
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ... import dynamics
from ...arrays import Array
from ...contacts import Contact, ContactSet, Terrain
from ...dynamics import State, Wrench
from ...dynamics.topology import masses_of
from ...options import check_options
from ...robots.configuration import check_configuration
from ...robots.robot import Robot
from ...robots.values import instance, length, number, sequence
from ..dcm import DcmPlan, Phase
from ..limbs import limbs_of
from ..program.solvers import solver_named
from ..references import moved
from ..tasks import FrameTask, MomentumTask, PostureTask, Task
from ..tasks.dcm import DcmTask
from ..whole_body.command import Command
from ..whole_body.controller import WholeBodyController
from ..whole_body.failure import LATEST, OneThread, checked_state
from ..whole_body.joint_limits import JointLimits
from ..whole_body.standing import trunk
from ..whole_body.structure import AnyTask
from .foot import FootMode, GaitFoot
from .foothold_program import ANKLES, FILTER, LAST, LATE, FootholdProgram
from .footholds import LEVEL, STEEPEST, placed
from .gait import standing_height
from .grip import CHANGED, Grip, with_friction
from .reach import Reach
from .rolling import rolling
from .scale import Scale
from .stepping import Stepping
from .support import room
from .touch import Touch
from .uneven_ground import UnevenGround

# longest step of two feet, and of more, whose legs are bent, as a fraction of the height of the
# centre of mass
REACH, REACH_BENT = 0.5, 0.75
BRAKE = 6.0  # how quickly joints stop before the ends of their ranges, see `limits` [ω]
DCM = 20.0  # weight of ξ
# the same along the ground on two points: a single point corrects ξ only by turning the trunk, and
# with a weight of 20 Bolt falls in half of the trials at 0.3 m/s
ON_TWO_POINTS = 2.0
# the same upwards, on points: less weight on them would hold ξ back, and let the robot down
UPRIGHT = 200.0
# the times below are in proportion to the `Scale` of the robot, as rates and gains are
# least and longest time to unload a foot before its swing and to load it afterwards [s]: between
# them as long as all feet stand, so that loads go over as slowly as the gait allows
LEAST_RAMP, LONGEST_RAMP = 0.03, 0.08
# how far ξ is off its plan where soles that are being loaded carry at once: p has to reach them, or
# ξ passes by; and the time that takes, within which torques change by their rates [h, s]
HASTE, AT_ONCE = 0.04, 0.01
# how long a plan waits for a foot that searches the ground, and how long no foot may carry before
# commands are "unsafe" [s]
PATIENCE = 0.1
# share of c̈ − c̈* with which the new plan is taken up as feet on points land: with all of it small
# robots drift aside, by 0.09 of their size in five steps
RESIDUAL_SHARE = 0.7
GO_OVER = 0.05  # time in which a plan that is made anew takes the place of the last one [s]
# time in which torques go from none to their limits, at the quickest, on soles and on points [s]:
# at 0.03 Go2 takes ten steps to catch a push of 1.1 m/s, not six
RISE, RISE_ON_POINTS = 0.03, 0.02
# weight of how evenly feet on points are loaded: with less of it they push against each other as
# soon as one is a millimetre off the plane of the others, and torques jump when it lands
EVEN = 0.03
# errors of ξ that points correct without a step, as a share of the room that p has among them: p is
# moved beyond ξ, and with both at a side of their polygon nothing brings ξ back
CORRECTED = 0.5
LIFTED = 0.5  # share of the weight that known wrenches bear, at most
MOVED = 2e-3  # of a foothold, below which the swing stays as it is [m]
# weight of the accelerations of joints [s⁴/rad²]: of those of a waist, which carry no foot but much
# of the mass, and of all others, divided by h². A waist that is as free as they are gives way to
# whatever a swinging leg asks for, and lets the upper body swing to and fro
WAIST, JOINTS = 1.0, 0.12
HEAVY = 0.2  # share of the mass that a joint of a waist moves
# rate at which residual velocities of soles decay [1/s]: at 20, soles on the edge of a board rock
# until no forces hold them; from 40 on, the noise of velocities makes torques jump
SETTLING = 30.0
STAYING = 20.0  # that of points
# of the friction pyramids of soles: four leave 0.71 of the friction ahead and to the side, and of
# what is believed of it on uneven ground little is left; eight leave 0.92
SIDES = 8


class WalkingController:
    """A whole-body controller that follows the phases of a gait.

    The centre of mass follows the plan's divergent component of motion ξ, feet swing to their
    footholds, contacts are unloaded before lift-off and loaded after touch-down. When ξ deviates
    from its plan, the foothold of the swing foot is moved, and its time changed, to catch ξ; later
    footholds return to the plan. See `FootholdProgram`.

    Args:
        robot: floating base.
        contacts: its feet. Soles of legs without an ankle roll become lines, see `gaits.rolling`.
        q: where it stands (nq,).
        phases: as of `control.gaits`, from t = 0 on.
        step_height: of swinging feet [m].
        ramp: time to unload a foot before its swing and to load it afterwards [s]; None: as long as
            all feet stand, at least 0.03 and at most 0.08, in proportion to the `Scale` of the
            robot.
        reach: how far a foot may be moved from its place beside the others [m]; 0 keeps the plan.
            None: 0.5 of the height of the centre of mass, 0.75 on more than two feet.
        terrain: what swinging feet avoid, and where moved footholds have to stand; None for level
            ground.
        tasks: your own, such as one of a hand, besides those of the gait, see `set_tasks`.
        options: of the WholeBodyController. By default torques rise to their limits within 30 ms,
            `contact_damping` is 30 and `sides` 8 on soles; on points they rise within 20 ms and
            `force_weight` is 0.03. Times and rates are in proportion to the `Scale` of the robot.

    Raises:
        ConfigurationError, ContactError: what does not fit the robot.
    """

    gives_commands = True
    stepping = Stepping()

    def __init__(
        self,
        robot: Robot,
        contacts: ContactSet,
        q: ArrayLike,
        phases: Sequence[Phase],
        *,
        step_height: float = 0.05,
        ramp: float | None = None,
        reach: float | None = None,
        terrain: Terrain | None = None,
        tasks: Sequence[AnyTask] = (),
        **options: Any,
    ) -> None:
        check_options(options, type(self).__name__, type(self), WholeBodyController)
        self.robot = robot
        self.step_height = length(step_height, "step_height", zero=True)
        self.terrain = None if terrain is None else instance(terrain, "terrain", Terrain)
        contacts, q = ContactSet.of(robot, contacts), check_configuration(robot, q)
        self.feet = rolling(contacts, q)
        gravity = robot._model.gravity.linear
        self.plan = self._first = DcmPlan(phases, standing_height(self.feet, q), gravity)
        self.scale = Scale.of(self.feet, q)
        self._on_soles = any(contact.dim == 6 for contact in self.feet)
        self._on_two_points = sum(len(contact.points) for contact in self.feet) < 3
        least = LEAST_RAMP * self.scale.time if ramp is None else ramp
        self.ramp = number(least, "ramp", at_least=0, unit="[s]")
        self._longest_ramp = LONGEST_RAMP * self.scale.time if ramp is None else self.ramp
        self.reach = self._reach(q, reach)
        self.dcm, self.base = self._dcm_task(), self._base_task(q)
        self._of_gait = self._permanent_tasks(q)
        self.tasks: tuple[AnyTask, ...] = (*self._of_gait,)
        usual = self._usual_options()
        self.controller = WholeBodyController(robot, self.feet, self.tasks, **{**usual, **options})
        self._inscribed = cos(pi / self.controller.sides)  # radius of its pyramids in their cones
        self._stand(State(robot, q))
        if own := sequence(tasks, "tasks", AnyTask):
            self.set_tasks(own)

    def _reach(self, q: Array, farthest: float | None) -> Reach:
        """How far feet may be moved from where they stand."""
        share = REACH if len(self.feet) == 2 else REACH_BENT
        farthest = share * self.plan.height if farthest is None else farthest
        beneath = self.stepping.bends and len(self.feet) > 2
        return Reach(self.feet, q, length(farthest, "reach", zero=True), beneath)

    def _dcm_task(self) -> DcmTask:
        """The task that keeps ξ on its plan."""
        along = ON_TWO_POINTS if self._on_two_points else DCM
        weight = np.array([along, along, DCM if self._on_soles else UPRIGHT])
        gain, feedback = 225.0 / self.scale.length, 4.0 / self.scale.time
        return DcmTask(self.plan, weight=weight, gain=gain, feedback=feedback)

    def _base_task(self, q: Array) -> FrameTask:
        """The task that keeps the trunk upright."""
        frame, size = trunk(self.robot), self.scale.length
        return FrameTask(
            dynamics.frame_placement(self.robot, q, frame), frame=frame, rows_of="orientation",
            weight=10.0 * size**2, gain=100.0 / size, name="base",
        )  # fmt: skip

    def _usual_options(self) -> dict[str, Any]:
        """Options of the WholeBodyController where none are given."""
        robot, time = self.robot, self.scale.time
        usual: dict[str, Any] = {"joint_limits": JointLimits.of(robot, BRAKE * self.plan.omega)}
        if self._on_soles:  # they tip over their edges
            usual |= {"sides": SIDES, "contact_damping": SETTLING / time}
        else:
            usual |= {"force_weight": EVEN, "contact_damping": STAYING / time}
        rise = time * (RISE if self._on_soles else RISE_ON_POINTS)
        return usual | {"torque_rate": robot.torque_limits / rise}

    def _stand(self, start: State) -> None:
        """Begin where the robot stands: what is planned, and what is known of feet and ground."""
        plan = self._renewed(self.plan.phases, self.plan.height, start, 0.0)
        self.plan = self._first = self.dcm.target = plan
        self._feet = {contact.name: GaitFoot(contact, start, self.scale) for contact in self.feet}
        self._phase, self._unloading = -1, False
        self._solver = solver_named(None)  # of footholds
        self._feedback: FootholdProgram | None = None
        self._swung: Array = np.zeros(3)  # the offset that the swings should go to
        self._short: Array = np.zeros(3)  # what the ground leaves of it, less this
        self.grip, self.touch = Grip(), Touch(self.feet)
        lift = Stepping().lift if self._on_soles else self.stepping.lift
        self.uneven = UnevenGround(self.touch, lift)
        self._waited = 0.0  # for feet that search the ground [s]
        self._given: Command | None = None
        self._carried = np.inf  # the last time that a foot did [s]
        self._remark = ""  # what is to be said of the tick, see `Command.reason`
        self._last, self._busy = -np.inf, OneThread()

    def _permanent_tasks(self, q: Array) -> list[Task]:
        """The tasks of all phases: balance, an upright base, a posture, low angular momentum."""
        scale = self.scale
        return [
            self.dcm,
            self.base,
            PostureTask(q, weight=self._posture_weights(), gain=40.0 / scale.length),
            MomentumTask(np.zeros(6), weight=1e-3 / scale.moment**2, gain=5.0 / scale.time),
        ]

    def _posture_weights(self) -> Array:
        """Of the accelerations of the actuated joints (na,) [s⁴/rad²]."""
        robot = self.robot
        waist = masses_of(robot).subtree > HEAVY * robot.mass
        waist &= ~limbs_of(self.feet).moving.any(axis=0)
        # of a small robot, swinging feet ask for far larger joint accelerations: in metres, as h q̈,
        # they weigh as much as of a large one, and do not throw the trunk up along with the feet
        others = JOINTS * self.plan.height**2
        stiff = max(WAIST * self.scale.length**2, others)
        return np.where(waist, stiff, others)[robot.actuated_rows]

    @property
    def begin(self) -> float:
        """When the plan's time starts [s]."""
        return self.dcm.begin

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.robot.name!r}, feet: {', '.join(self.feet.names)})"

    def __call__(
        self,
        q: ArrayLike | State,
        v: ArrayLike | None = None,
        t: float = 0.0,
        now: float | None = None,
    ) -> Command:
        """Return the command for the state (q, v) at t [s], as a WholeBodyController does.

        Raises:
            ConfigurationError: another thread is in a tick of this controller.
        """
        with self._busy:
            try:
                anew = f"another {type(self).__name__}, which begins anew"
                state = checked_state(self.robot, q, v, t, self._last, anew)
                self.controller._check_age(t, now)
                self._prepare(state, t)
            except Exception as error:  # the gait stays where it is
                return self.controller._fallback(q, v, t, error)
            self._last = t
            self._given = self.controller._tick(state, t)
            return self._remarked(self._given, t)

    def _remarked(self, command: Command, t: float) -> Command:
        """The command, with what is to be said of the walk."""
        self._carried = t if self.controller.contacts.names else self._carried
        falls = t - self._carried > PATIENCE * self.scale.time
        if not (falls or self._remark):
            return command
        remarks, status = [command.reason, self._remark], command.status
        if falls:
            remarks, status = ["not safe to go on", *remarks, "no foot carries"], "unsafe"
        return replace(command, status=status, reason="; ".join(filter(None, remarks)))

    def _prepare(self, state: State, t: float) -> None:
        """Set tasks and contacts of the tick at t."""
        self._wait(t)
        self._advance(state, t)
        self._hold(state)
        if self._feedback is not None:
            self._aim(self._feedback, state, t)
        self._touch(state, t)
        self._feel(state, t)
        self._hasten(state, t)

    def set_tasks(self, tasks: Sequence[AnyTask]) -> None:
        """Replace your own tasks, besides those of the gait, from the next tick on.

        Raises:
            ConfigurationError, ContactError: as of a WholeBodyController.
        """
        wanted = (*self._of_gait, *sequence(tasks, "tasks", AnyTask))
        self.controller.set_tasks([*wanted, *(foot.task for foot in self._feet.values())])
        self.tasks = wanted
        self._set_tasks()

    def follow(self, phases: Sequence[Phase], begin: float, height: float | None = None) -> None:
        """Replace the plan from t = `begin` on [s]; feet that swing or are unloaded are contacts.

        Args:
            phases: as of `control.gaits`.
            begin: [s].
            height: of the centre of mass above p [m]; as it is when not given.
        """
        height = self.plan.height if height is None else length(height, "height")
        begin = number(begin, "begin", at_least=-LATEST, at_most=LATEST, unit="[s]")
        plan = DcmPlan(phases, height, self.plan.gravity)
        self._follow(plan.renewed(plan.phases, height, self.plan.pull), begin)

    def _follow(self, plan: DcmPlan, begin: float) -> None:
        residual = self._landing_residual()
        self._land()
        self._keep_leaving()
        self._put_down(self._feet_in(FootMode.HELD), self.ramp)
        self.plan = self._first = plan
        self.dcm.follow(plan, begin, GO_OVER * self.scale.time, residual)
        self._phase, self._unloading = -1, False

    def _renewed(self, phases: Sequence[Phase], height: float, state: State, t: float) -> DcmPlan:
        """The plan of phases, which are known to be such; known forces F act on it as g + F/m."""
        known, pull = self._known(state, t), np.zeros(3)
        if known is not None:  # where little weight is left, there is no walk to plan
            pull = known.force / self.robot.mass
            pull[2] = min(pull[2], -LIFTED * self.plan.gravity[2])
        return self.plan.renewed(phases, height, pull)

    def _known(self, state: State, t: float) -> Wrench | None:
        """The sum of the wrenches that its controller knows: the rows of the base of τ_ext."""
        tau = self.controller._known_torques(state, t)
        if tau is None:
            return None
        R, origin = np.split(state.joint_placements[1], [3], axis=1)
        return Wrench(R @ tau[:3], R @ tau[3:6], origin[:, 0])

    def _landing_residual(self) -> Array:
        """c̈ − c̈* (3,) as feet on points land [m/s²]: two of them carry on a line alone."""
        last, none = self._given, np.zeros(3)
        if self._on_soles or self.dcm not in self.tasks or not self._feet_in(FootMode.SWING):
            return none
        if last is None or last.status != "optimal" or last.snapshot is None:
            return none
        return RESIDUAL_SHARE * last.snapshot.residual(self.dcm, last.a)

    def _feel(self, state: State, t: float) -> None:
        """Believe in less friction if a foot has slid, and in what soles need as they lie."""
        there, bear = self.controller.contacts.names, self.touch.bears
        stance = [
            self._feet[n].contact for n in self.controller.loaded if n in self._feet and bear(n)
        ]
        bearing = [contact for contact in stance if contact.surface is None]
        lost = self.grip.lost(bearing, state, t - self._last if self._last > -np.inf else 0.0)
        for told, foot in zip(self.feet, self._feet.values(), strict=True):
            stands = foot.name in there
            needed = foot.needed_friction(state, self._inscribed) if stands else foot.needed
            if not lost and abs(needed - foot.needed) < CHANGED:
                continue
            foot.needed = needed
            as_told = replace(foot.contact, friction=told.friction)
            foot.contact = with_friction(as_told, self.grip.share, needed)
            if stands:
                self.controller.replace_contact(foot.contact)

    def _hasten(self, state: State, t: float) -> None:
        """Load soles that have landed at once where ξ is off its plan."""
        if not (self._on_soles and self.controller.loading):
            return
        x, y, _ = self.dcm.error(state, t).tolist()
        if hypot(x, y) > HASTE * self.plan.height:
            self.controller.hasten(AT_ONCE * self.scale.time)

    def _touch(self, state: State, t: float) -> None:
        """Let feet that meet the ground carry, and lower those under which there is none."""
        self.touch.feel(state, t, self._given)
        for foot in self._feet_in(FootMode.SWING):
            self.uneven.swinging(foot, state, t, self.plan)
        searching = self._feet_in(FootMode.SEARCH)
        found = [f for f in searching if self.uneven.found(f, state, t, self.plan)]
        self._put_down(found, self.ramp)
        for name in self.controller.contacts.names:
            if self.touch.missing(name) and name not in self.controller.leaving:
                self._search(self._feet[name], state, t)

    def _hold(self, state: State) -> None:
        """Let feet stay where they are that the controller has let go before they swing.

        Without a task a leg is thrown about for what its momentum does to the rest.
        """
        used = self.controller.contacts.names
        free = [foot for foot in self._feet_in(FootMode.STANCE) if foot.name not in used]
        for foot in free:
            foot.go(FootMode.HELD, foot.placement(state))
        if free:
            self._set_tasks()

    def _wait(self, t: float) -> None:
        """Let the plan's time stand still while a foot is lowered and no other swings."""
        if self._waits:
            step = t - self._last
            self._waited += step
            self.dcm.begin += step

    @property
    def _waits(self) -> bool:
        """Whether a foot is lowered and no other swings, and not for too long yet."""
        if not self._feet_in(FootMode.SEARCH) or self._feet_in(FootMode.SWING):
            return False
        return self._waited < PATIENCE * self.scale.time

    def _put_down(self, feet: Sequence[GaitFoot], ramp: float) -> None:
        """Let feet carry from where they are, loaded within `ramp` [s]."""
        if not feet:
            return
        there = self.controller.contacts.names
        for foot in feet:
            foot.mode = FootMode.STANCE
            if foot.name not in there:
                self.controller._add(foot.contact, ramp, fades=False)
        self._set_tasks()

    def _search(self, foot: GaitFoot, state: State, t: float) -> None:
        """Lower a foot until it meets the ground; those that were to swing next bear till then."""
        self.controller.remove_contact(foot.name)
        self._keep_leaving()
        self._unloading = False
        self.uneven.search(foot, state, t, self.plan)
        self._set_tasks()

    def _keep_leaving(self) -> None:
        """Let feet that are being unloaded carry on."""
        for name in self.controller.leaving:
            self.controller.add_contact(self._feet[name].contact, self.ramp)

    def _feet_in(self, mode: FootMode) -> list[GaitFoot]:
        """The feet in this mode."""
        return [foot for foot in self._feet.values() if foot.mode is mode]

    def _set_tasks(self) -> None:
        of_feet = [foot.task for foot in self._feet.values() if foot.mode is not FootMode.STANCE]
        self.controller._exchange_tasks((*self.tasks, *of_feet))

    def _advance(self, state: State, t: float) -> None:
        """Enter the phase of the time t [s], and unload the feet that swing next."""
        since = t - self.begin
        phase = self.plan.index(since)
        if phase != self._phase:
            self._land()
            self._phase, self._unloading = phase, False
            self._lift(state, phase)
        left = self.plan.times[phase + 1] - since
        last = phase == len(self.plan.phases) - 1
        most = self.ramp if self.plan.phases[phase].swings else self._longest_ramp
        if last or self._unloading or self._waits or left > most:
            return
        self._unloading = True
        for name in self.plan.phases[phase + 1].swings:
            if name in self.controller.contacts.names and self.ramp > 0:
                self.controller.remove_contact(name, left, fades=False)

    def _lift(self, state: State, phase: int) -> None:
        """Remove the contacts of swing feet, and add their tasks."""
        if not (swings := self._footholds(phase)):
            return
        for foot in self._feet.values():
            foot.stopped = foot.stumbled = foot.descends = False
        there = self.controller.contacts.names
        for name, goal in swings.items():
            if name in there:
                self.controller.remove_contact(name)
            self._feet[name].lift(state, goal)
        feet = [self._feet[name] for name in swings]
        self.uneven.lifted(feet)
        for foot in feet:
            self._swing(foot)
        self._waited = 0.0
        self._set_tasks()
        if self.reach.farthest > 0:
            bounds = self.reach.bounds(swings, state)
            late = LAST if self._on_soles else LATE
            self._feedback = FootholdProgram(
                self.plan, phase, bounds, self._solver, late, self._corrected(phase, state),
                friction=self._friction(swings),
            )  # fmt: skip
            self._swung = self._short = np.zeros(3)

    def _corrected(self, phase: int, state: State) -> float:
        """Errors of ξ that the feet which carry in a phase correct without a step [m]."""
        if self._on_soles:
            return self.stepping.ankles * self.plan.height
        now = self.plan.phases[phase]
        carry = [name not in now.swings for name in self.feet.names]
        if sum(carry) < 2:  # one foot: only the next step corrects
            return 0.0
        if sum(carry) < 3:  # no polygon, as in a trot
            return ANKLES
        places = self.feet.attachment.positions(state)[:, :2]
        return max(ANKLES, CORRECTED * room(places[carry], now.end[:2]))

    def _friction(self, names: Iterable[str]) -> float:
        """The friction that feet may need where they land; on points others push beside them."""
        told = [self.feet[name] for name in names if not self.feet[name].bilateral]
        if not told or not self._on_soles:
            return np.inf
        return self.stepping.braking * float(min(np.min(foot.friction) for foot in told))

    def _footholds(self, phase: int) -> dict[str, Any]:
        """The footholds of a phase; those of the first plan where a moved one has no place."""
        now, first = (dict(plan.phases[phase].swings) for plan in (self.plan, self._first))
        if self.terrain is None or self.plan is self._first:
            return now
        there, ground = dict[str, Any](), self.terrain
        for name, T in first.items():
            way = now[name].translation - T.translation
            there[name] = self._place(self._feet[name].contact, T, way, ground)
            if there[name] is None:
                return first
        return there

    def _swing(self, foot: GaitFoot, t: float | None = None) -> None:
        begin = self.begin + self.plan.times[self._phase]
        duration = self.plan.phases[self._phase].duration
        foot.swing(begin, duration, self._clearance, self.terrain, self.stepping.profile, t)

    @property
    def _clearance(self) -> float:
        """How high feet swing [m]."""
        higher = self.stepping.adaptive_clearance and self.terrain is None
        return self.step_height + (self.uneven.unevenness if higher else 0.0)

    def _land(self) -> None:
        """Add the contacts of the feet that have landed."""
        if self._feedback is not None:
            self.plan = self.dcm.target = self._feedback.landed
            self._feedback = None
        self._put_down(self._feet_in(FootMode.SWING), self._loading(self._phase + 1))

    def _loading(self, phase: int) -> float:
        """The time in which feet are loaded that land before a phase [s]."""
        if phase == len(self.plan.phases):
            return self._longest_ramp
        now = self.plan.phases[phase]
        return self.ramp if now.swings else min(max(now.duration, self.ramp), self._longest_ramp)

    def _aim(self, feedback: FootholdProgram, state: State, t: float) -> None:
        """Move the footholds of the swing feet, their time, and the plan, to where ξ will be."""
        before = feedback.offset, feedback.timed
        lands = self.begin + float(feedback.timed.times[feedback.phase + 1])
        feedback.bounds = self.reach.ahead(feedback.bounds, state, max(lands - t, 0.0))
        if not feedback.follow(
            self._xi_at_rest(state), state.com, t - self.begin, min(t - self._last, FILTER)
        ):
            return
        retimed = feedback.timed is not self.plan
        if retimed or np.linalg.norm(feedback.offset - self._swung) > MOVED:
            feet = self._feet_in(FootMode.SWING)
            ways = [way for f in feet if (way := self._on_ground(f, feedback.offset)) is not None]
            if len(ways) < len(feet):  # no place to stand: it goes on as it was to
                feedback.offset, feedback.timed = before
                return
            self.plan, self._swung = feedback.timed, feedback.offset
            for foot, way in zip(feet, ways, strict=True):
                if not (foot.stopped or foot.stumbled):
                    foot.goal = moved(foot.planned, way)
                    # light legs on points catch up with a jump: fast trots need their feet there
                    self._swing(foot, t if self._on_soles else None)
            self._short = (np.mean(ways, axis=0) - feedback.offset) * [1.0, 1.0, 0.0]
        feedback.offset = feedback.offset + self._short
        self.dcm.target = feedback.aimed

    def _xi(self, state: State) -> Array:
        """ξ (3,) [m]."""
        return np.asarray(state.com + state.com_velocity / self.plan.omega)

    def _xi_at_rest(self, state: State) -> Array:
        """ξ (3,) when the angular momentum L that the robot has now is gone [m].

        The swing leg has it, and gives it back as it lands: with m h c̈ = m g (c − p) + (−L̇_y, L̇_x)
        along the ground, ċ changes by (L_y, −L_x)/(m h) until then. On points the whole robot turns
        about the line between them, which no force takes back: ξ as it is.
        """
        if not self._on_soles:
            return self._xi(state)
        x, y, _ = state.centroidal_momentum[3:].tolist()
        gone = np.array([y, -x, 0.0]) / (self.robot.mass * self.plan.height)
        return np.asarray(self._xi(state) + gone / self.plan.omega)

    def _on_ground(self, foot: GaitFoot, offset: Array) -> Array | None:
        """The offset (3,) of a foothold with that to the ground there; None if it cannot stand."""
        if self.terrain is None:
            return offset
        found = self._place(foot.contact, foot.foothold, offset, self.terrain)
        return None if found is None else np.asarray(found.translation - foot.foothold.translation)

    def _place(self, contact: Contact, T: Any, offset: Array, terrain: Terrain) -> Any:
        """Where a foothold T is, moved by (3,) [m] along the plane of its ground; None: nowhere.

        What comes later is given, at its heights: on a lower stair the robot would not be there.
        """
        x, y, z = T.rotation[:, 2]
        rise = -(x * offset[0] + y * offset[1]) / max(z, STEEPEST)
        return placed(contact, moved(T, np.append(offset[:2], rise)), terrain, LEVEL)
