"""Walking controller: a whole-body controller that follows the phases of a gait."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from .. import dynamics
from ..arrays import Array
from ..contacts import Contact, ContactSet, PointContact, Terrain
from ..dynamics import State
from ..errors import FootworkError
from ..robots.configuration import check_configuration
from ..robots.robot import Robot
from ..robots.values import instance, length, number
from .balance import DcmPlan, DcmTask, Phase
from .command import Command
from .failure import LATEST, OneThread, check_time
from .footholds import CLIMB, LEVEL, moved, over_ground, placed
from .gaits import feet_by_place, heading, middle
from .grip import Grip
from .limits import JointLimits
from .references import Desired, Reference, lowering, minimum_jerk, swing
from .solvers import solver_named
from .standing import trunk
from .stepping import CLOSEST, FILTER, Bounds, FootholdProgram
from .tasks import FrameTask, MomentumTask, PostureTask, Task
from .touch import Touch
from .whole_body import WholeBodyController

REACH = 0.5  # longest step, as a fraction of the height of the centre of mass
SLOPE = 0.3  # of the ground that a foothold may be moved up or down on
BRAKE = 6.0  # how quickly joints stop before the ends of their ranges, see `limits` [ω]
DCM = 20.0  # weight of ξ
# the same upwards, on points: less weight on them would hold ξ back, and let the robot down
UPRIGHT = 200.0
AROUND = np.array([[np.cos(x), np.sin(x)] for x in np.arange(12) * np.pi / 6])  # about a circle
GO_OVER = 0.05  # time in which a plan that is made anew takes the place of the last one [s]
RISE = 0.03  # time in which torques go from none to their limits, at the quickest [s]
LOWERING = 0.4  # speed at which a foot is lowered that misses the ground [m/s]
PRESS = 0.1  # the same of one that has met it already
PATIENCE = 0.1  # how long a plan waits for it [s]
DEEPEST = 0.2  # how far below its foothold, as a fraction of the height of the centre of mass
# how far a foot is behind that meets a riser, as a fraction of the same: others are by up to 0.04
STUMBLE = 0.06
# how far a sole is turned from its way that catches on an edge: its foot is light, and gives way
# before it falls behind; others are by up to 0.06 [rad]
TIPPED = 0.15
RESTS = 0.3  # of the speed that it should have, below which it does not go on
# speed from which on a foot is on its way down: at most it is 3.4 [step height / swing time]
DESCENT = 2.0
RETRY = 0.4  # of a swing's time that it takes to lift it over
MOVED = 2e-3  # of a foothold, below which the swing stays as it is [m]


class WalkingController:
    """A whole-body controller that follows the phases of a gait.

    The centre of mass follows the plan's divergent component ξ, feet swing to their footholds,
    contacts are unloaded before lift-off and loaded after touch-down. When ξ is off its plan, the
    foothold of the swing foot is moved to where ξ will be, and the later ones return to the plan,
    and its time, see `FootholdProgram`.

    Args:
        robot: floating base.
        contacts: its feet.
        q: where it stands (nq,).
        phases: as of `control.gaits`, from t = `begin` on.
        step_height: of swinging feet [m].
        ramp: time to unload a foot before its swing and to load it afterwards [s].
        reach: how far from where it stands beside the others a foot may be moved to [m]; 0 keeps
            the plan, None is 0.5 of the height of the centre of mass.
        terrain: what swing feet avoid, and where a moved foothold has to stand; None for level
            ground.
        begin: [s].
        options: of the WholeBodyController; with soles torques rise to their limits within 30 ms.

    Raises:
        ConfigurationError, ContactError: what does not fit the robot.
    """

    gives_commands = True
    _along = staticmethod(minimum_jerk)  # of swinging feet, along the ground

    def __init__(
        self,
        robot: Robot,
        contacts: ContactSet,
        q: ArrayLike,
        phases: Sequence[Phase],
        *,
        step_height: float = 0.05,
        ramp: float = 0.03,
        reach: float | None = None,
        terrain: Terrain | None = None,
        begin: float = 0.0,
        **options: Any,
    ) -> None:
        self.robot, self.feet, self.begin = robot, ContactSet.of(robot, contacts), _begin(begin)
        self.step_height = length(step_height, "step_height", zero=True)
        self.ramp = number(ramp, "ramp", at_least=0, unit="[s]")
        self.terrain = None if terrain is None else instance(terrain, "terrain", Terrain)
        q = check_configuration(robot, q)
        com, places = dynamics.com(robot, q), self.feet.placements(q)
        ground = float(middle(places, self.feet.names)[2])
        self.plan = DcmPlan(phases, float(com[2]) - ground, robot._model.gravity.linear)
        self._first = self.plan  # footholds as given
        soles = any(contact.dim == 6 for contact in self.feet)
        weight = np.array([DCM, DCM, DCM if soles else UPRIGHT])
        given = REACH * self.plan.height if reach is None else reach
        self.reach = length(given, "reach", zero=True)
        self.dcm = DcmTask(self.plan, weight=weight, gain=225.0, begin=begin)
        pose = dynamics.frame_placement(robot, q, trunk(robot))
        self.base = FrameTask(
            pose, frame=trunk(robot), rows_of="orientation", weight=10.0, name="base"
        )
        self.tasks = self._permanent_tasks(q)
        options.setdefault("joint_limits", JointLimits.of(robot, BRAKE * self.plan.omega))
        if soles:  # they tip over their edges
            options.setdefault("torque_rate", robot.torque_limits / RISE)
        self.controller = WholeBodyController(robot, self.feet, self.tasks, **options)
        self._swings: dict[str, FrameTask] = {}
        self._stance = {contact.name: contact for contact in self.feet}
        self._paths: dict[str, tuple[Array, Any, Any]] = {}  # points, start, goal
        self._phase, self._unloading = -1, False
        axes = _axes(self.feet, q)
        self._beside = {name: axes.T @ T.translation[:2] for name, T in places.items()}
        self._opposite = _opposite(self.feet, q, self._beside)
        self._solver = solver_named(None)  # of footholds
        self._feedback: FootholdProgram | None = None
        self._goals: dict[str, tuple[Any, Any]] = {}  # of the swing's contacts and their frames
        self._swung: Array = np.zeros(3)  # the offset that the swings go to
        self.grip, self.touch = Grip(), Touch(robot, self.feet)
        self._sought: dict[str, FrameTask] = {}  # feet under which there was no ground
        self._held: dict[str, FrameTask] = {}  # feet that were let go before their swing
        self._stumbled: set[str] = set()  # feet that a riser held back in their swing
        self._stopped: set[str] = set()  # feet that met the ground before the end of their swing
        self._waited = 0.0  # for such feet [s]
        self._given: Command | None = None
        self._last, self._busy = -np.inf, OneThread()

    def _permanent_tasks(self, q: Array) -> list[Task]:
        """The tasks of all phases: balance, an upright base, a posture, low angular momentum."""
        # of a small robot, swinging feet ask for far larger joint accelerations: in metres, as h q̈,
        # they weigh as much as of a large one, and do not throw the trunk up along with the feet
        posture = PostureTask(q, weight=0.12 * self.plan.height**2, gain=40.0)
        return [
            self.dcm,
            self.base,
            posture,
            MomentumTask(np.zeros(6), weight=1e-3, gain=5.0),
        ]

    def __call__(self, q: ArrayLike | State, v: ArrayLike | None = None, t: float = 0.0) -> Command:
        """Return the command for the state (q, v) at t [s].

        Raises:
            ConfigurationError: another thread is in a tick of this controller.
        """
        with self._busy:
            return self._tick(q, v, t)

    def _tick(self, q: ArrayLike | State, v: ArrayLike | None, t: float) -> Command:
        state = self._valid(q, v, t)
        if state is None:  # the gait stays where it is, and the controller falls back
            return self.controller(q, v, t)
        self._prepare(state, t)
        self._last = t
        self._given = self.controller(state, None, t)
        return self._given

    def _prepare(self, state: State, t: float) -> None:
        """Set tasks and contacts of the tick at t."""
        self._wait(t)
        self._advance(state, t)
        self._hold(state)
        if self._feedback is not None:
            self._aim(self._feedback, state, t)
        self._touch(state, t)
        self._feel(state, t)

    def _valid(self, q: ArrayLike | State, v: ArrayLike | None, t: float) -> State | None:
        """The state, or None if it is invalid, or not later than the last."""
        try:
            state = State.of(self.robot, q, v)
            check_time(t)
        except FootworkError:
            return None
        return state if self._last <= t and state.v is not None else None

    def follow(self, phases: Sequence[Phase], begin: float, height: float | None = None) -> None:
        """Replace the plan from t = `begin` on [s]; feet that swing or are unloaded are contacts.

        Args:
            phases: as of `control.gaits`.
            begin: [s].
            height: of the centre of mass above p [m]; as it is when not given.
        """
        height = self.plan.height if height is None else length(height, "height")
        plan, begin = DcmPlan(phases, height, self.plan.gravity), _begin(begin)
        self._land()
        for name in [*self.controller.leaving, *self._held]:
            self.controller.add_contact(self._stance[name], self.ramp)
        self._held.clear()
        self.plan, self._first, self.begin = plan, plan, begin
        self.dcm.follow(plan, begin, GO_OVER)
        self._phase, self._unloading = -1, False

    def _feel(self, state: State, t: float) -> None:
        """Believe in less friction from now on if a foot has slid."""
        stance = [self._stance[n] for n in self.controller.loaded if n in self._stance]
        bearing = [c for c in stance if c.surface is None and self.touch.bears(c.name)]
        if self.grip.lost(bearing, state, t - self._last if self._last > -np.inf else 0.0):
            told = {contact.name: contact.friction for contact in self.feet}
            for name, contact in self._stance.items():
                self._stance[name] = self.grip.believed(replace(contact, friction=told[name]))
                if name in self.controller.contacts.names:
                    self.controller.replace_contact(self._stance[name])

    def _touch(self, state: State, t: float) -> None:
        """Let feet that meet the ground carry, and lower those under which there is none."""
        self.touch.feel(state, t, self._given)
        for name, task in self._swings.items():
            if name in self._stopped:
                continue
            wanted = task.target(t)
            if name not in self._stumbled and self._held_back(name, wanted, state):
                self._stumble(name, task, state, t)
            elif self._meets_ground(name, wanted, state):
                self._stopped.add(name)
                task.target = self._lowering(name, state, t, PRESS)
        for name in list(self._sought):
            if self.touch.stopped(name):
                self._put_down(name)
        for name in self.controller.contacts.names:
            if name not in self.controller.leaving and self.touch.missing(name):
                self._seek(name, state, t)

    def _meets_ground(self, name: str, wanted: Desired, state: State) -> bool:
        """Whether something holds a foot up that should be on its way down."""
        down, duration = wanted.velocity[2], self.plan.phases[self._phase].duration
        if down * duration > -DESCENT * self.step_height or not self.touch.stopped(name):
            return False
        # what its leg felt may have been the swing itself: light legs are thrown
        return bool(state.frame_velocity(self._stance[name].frame)[2] > RESTS * down)

    def _held_back(self, name: str, wanted: Desired, state: State) -> bool:
        """Whether a riser holds a swing foot back: it is behind on its way, and does not go on.

        A sole that catches on an edge turns about it.
        """
        contact = self._stance[name]
        here = state.frame_placement(contact.frame)
        if contact.dim == 6:
            turn = pin.log3(wanted.value.rotation @ here.rotation.T)
            if np.linalg.norm(turn) > TIPPED:
                return True
        behind = wanted.value.translation - here.translation
        _, start, goal = self._paths[name]
        way = (goal.translation - start.translation)[:2]
        if way @ behind[:2] <= STUMBLE * self.plan.height * np.linalg.norm(way):
            return False
        velocity = state.frame_velocity(contact.frame)[:2]
        return bool(way @ velocity < RESTS * (way @ wanted.velocity[:2]))

    def _stumble(self, name: str, task: FrameTask, state: State, t: float) -> None:
        """Lift a foot twice as high, then ahead; put it down where too little time is left."""
        left = self.begin + self.plan.times[self._phase + 1] - t
        if left < RETRY * self.plan.phases[self._phase].duration:
            self._stopped.add(name)
            task.target = self._lowering(name, state, t, LOWERING)
            return
        self._stumbled.add(name)
        here = state.frame_placement(self._stance[name].frame)
        task.target = swing(here, self._paths[name][2], left, t, 2 * self.step_height, CLIMB)

    def _lowering(self, name: str, state: State, t: float, speed: float) -> Reference:
        place = state.frame_placement(self._stance[name].frame)
        goal = self._paths[name][2] if name in self._paths else place
        above = max((place.translation - goal.translation)[2], 0.0)
        return lowering(place, t, speed, above + DEEPEST * self.plan.height)

    def _hold(self, state: State) -> None:
        """Let feet stay where they are that the controller has let go before they swing.

        Without a task a leg is thrown about for what its momentum does to the rest.
        """
        used = {*self.controller.contacts.names, *self._swings, *self._sought, *self._held}
        free = [name for name in self.feet.names if name not in used]
        for name in free:
            here = state.frame_placement(self._stance[name].frame)
            self._held[name] = self._foot_task(self._stance[name], here, f"hold {name}")
        if free:
            self._set_tasks()

    def _wait(self, t: float) -> None:
        """Let the plan's time stand still while a foot is lowered and no other swings."""
        if self._waits:
            step = t - self._last
            self._waited += step
            self.begin += step
            self.dcm.begin = self.begin

    @property
    def _waits(self) -> bool:
        """Whether a foot is lowered and no other swings, and not for too long yet."""
        return bool(self._sought) and not self._swings and self._waited < PATIENCE

    def _put_down(self, name: str) -> None:
        """Let a foot carry from where it is."""
        del self._sought[name]
        self.controller.add_contact(self._stance[name], self.ramp, fades=False)
        self._set_tasks()

    def _seek(self, name: str, state: State, t: float) -> None:
        """Lower a foot until it meets the ground; those that were to swing next bear till then."""
        self.controller.remove_contact(name)
        for other in self.controller.leaving:
            self.controller.add_contact(self._stance[other], self.ramp)
        self._unloading = False
        way = self._lowering(name, state, t, LOWERING)
        self._sought[name] = self._foot_task(self._stance[name], way, f"lower {name}")
        self._set_tasks()

    def _set_tasks(self) -> None:
        of_feet = *self._swings.values(), *self._sought.values(), *self._held.values()
        self.controller.set_tasks([*self.tasks, *of_feet])

    def _advance(self, state: State, t: float) -> None:
        """Enter the phase of the time t [s], and unload the feet that swing next."""
        since = t - self.begin
        phase = self.plan.index(since)
        if phase != self._phase:
            self._land()
            self._phase, self._unloading = phase, False
            self._lift(state, phase)
        last = phase == len(self.plan.phases) - 1
        if last or self._unloading or self._waits or self.plan.times[phase + 1] - since > self.ramp:
            return
        self._unloading = True
        for name in self.plan.phases[phase + 1].swings:
            if name in self.controller.contacts.names and self.ramp > 0:
                self.controller.remove_contact(name, self.ramp, fades=False)

    def _lift(self, state: State, phase: int) -> None:
        """Remove the contacts of swing feet, and add their tasks."""
        swings = self._footholds(phase)
        for name, goal in swings.items():
            self._sought.pop(name, None)
            self._held.pop(name, None)
            if name in self.controller.contacts.names:
                self.controller.remove_contact(name)
            self._swings[name] = self._swing_task(state, name, goal, phase)
        if swings:
            self._waited, self._stopped, self._stumbled = 0.0, set(), set()
            self._set_tasks()
        if swings and self.reach > 0:
            self._feedback = FootholdProgram(
                self.plan, phase, self._bounds(swings, state), self._solver
            )
            self._goals = {name: (goal, self._paths[name][2]) for name, goal in swings.items()}
            self._swung = np.zeros(3)

    def _footholds(self, phase: int) -> dict[str, Any]:
        """The footholds of a phase; those of the first plan where a moved one is over an edge."""
        now, first = (dict(plan.phases[phase].swings) for plan in (self.plan, self._first))
        if self.terrain is None:
            return now
        ground = self.terrain
        stand = all(placed(self._stance[name], T, ground)[0] is not None for name, T in now.items())
        return now if stand else first

    def _swing_task(self, state: State, name: str, goal: Any, phase: int) -> FrameTask:
        contact = self._stance[name]
        frame = state.frame_placement(contact.frame)
        if isinstance(contact, PointContact):  # the ground may be inclined differently there
            centre = frame.act(contact.offset)
            points = frame.actInv(centre + contact.ball_arm)[None]
            contact = replace(contact, normal=goal.rotation[:, 2])
            landed = moved(frame, goal.translation - (centre + contact.ball_arm))
        else:  # the frame's placement when the contact is at its goal
            here = contact.pose(state)
            points = np.array([frame.actInv(here.act(p)) for p in contact.points])
            landed = goal * here.inverse() * frame
        self._stance[name], self._paths[name] = contact, (points, frame, landed)
        return self._foot_task(contact, self._swing_reference(name, phase), f"swing {name}")

    def _foot_task(self, contact: Contact, way: Any, name: str) -> FrameTask:
        rows = "position" if contact.dim < 6 else "pose"
        return FrameTask(
            way, frame=contact.frame, rows_of=rows, weight=50.0, gain=400.0, name=name
        )  # fmt: skip

    def _swing_reference(self, name: str, phase: int) -> Any:
        begin, duration = self.begin + self.plan.times[phase], self.plan.phases[phase].duration
        return over_ground(
            *self._paths[name], duration, begin, self.step_height, self.terrain, self._along
        )

    def _land(self) -> None:
        """Add the contacts of the feet that have landed."""
        if self._feedback is not None:
            self.plan = self.dcm.target = self._feedback.landed
            self._feedback = None
        if not self._swings:
            return
        for name in self._swings:
            if name not in self.controller.contacts.names:
                self.controller.add_contact(self._stance[name], self.ramp, fades=False)
        self._swings.clear()
        self._set_tasks()

    def _aim(self, feedback: FootholdProgram, state: State, t: float) -> None:
        """Move the footholds of the swing feet, their time, and the plan, to where ξ will be."""
        before = feedback.offset, feedback.timed
        if not feedback.follow(self._xi(state), t - self.begin, min(t - self._last, FILTER)):
            return
        retimed = feedback.timed is not self.plan
        if retimed or np.linalg.norm(feedback.offset - self._swung) > MOVED:
            found = {name: self._on_ground(name, feedback.offset) for name in self._swings}
            ways = {name: way for name, way in found.items() if way is not None}
            if len(ways) < len(found):  # no place to stand: it goes on as it was to
                feedback.offset, feedback.timed = before
                return
            self.plan = feedback.timed
            self._swing_to(feedback.offset, ways)
        self.dcm.target = feedback.aimed

    def _bounds(self, swings: Mapping[str, Any], state: State) -> Bounds:
        """How far these footholds may be moved: within reach, and so that legs do not cross."""
        axes, places = _axes(self.feet, state), self.feet.placements(state)
        carry = [name for name in self.feet.names if name not in swings]
        normals, most = [], []
        for name, goal in swings.items():
            way = np.zeros(2)  # from where it stands beside the others
            if carry:
                stands = self._beside[name] - np.mean([self._beside[n] for n in carry], axis=0)
                way = axes.T @ (goal.translation - middle(places, carry))[:2] - stands
            normals += list(AROUND @ axes.T)
            most += list(self.reach - AROUND @ way)
            other, apart = self._opposite.get(name, ("", 0.0))
            if other in carry:
                side, left = np.sign(apart), axes[:, 1]
                lands = left @ (goal.translation - places[other].translation)[:2]
                normals.append(-side * left)
                most.append(side * (lands - CLOSEST * apart))
        return Bounds(np.array(normals), np.maximum(most, 0.0))

    def _xi(self, state: State) -> Array:
        """ξ (3,) [m]."""
        return np.asarray(state.com + state.com_velocity / self.plan.omega)

    def _swing_to(self, offset: Array, ways: dict[str, Array]) -> None:
        """Let the swings end with their footholds moved by (3,) [m], on the ground there."""
        self._swung = offset
        for name, task in self._swings.items():
            if name in self._stopped or name in self._stumbled:
                continue
            points, start, _ = self._paths[name]
            self._paths[name] = (points, start, moved(self._goals[name][1], ways[name]))
            task.target = self._swing_reference(name, self._phase)

    def _on_ground(self, name: str, offset: Array) -> Array | None:
        """The offset (3,) of a foothold with that to the ground there; None if it cannot stand."""
        if self.terrain is None:
            return offset
        goal = self._goals[name][0]
        contact, there = self._stance[name], moved(goal, offset)
        highest = LEVEL + SLOPE * float(np.linalg.norm(offset))
        found, _ = placed(contact, there, self.terrain, highest)
        if found is None:
            found = self._beside_edge(self.terrain, contact, there, offset, highest)
        return None if found is None else np.asarray(found.translation - goal.translation)

    def _beside_edge(
        self, terrain: Terrain, contact: Contact, T: Any, offset: Array, highest: float
    ) -> Any:
        """Another place for a moved foothold; None: it stays, for the next ones are given."""
        return None


def _axes(feet: ContactSet, q: Array | State) -> Array:
    """Ahead and to the left, along the ground, as columns (2, 2)."""
    x, y = heading(feet, q)[:2]
    return np.array([[x, -y], [y, x]])


def _opposite(feet: ContactSet, q: Array, beside: Mapping[str, Array]) -> dict[str, Any]:
    """{foot: (the one opposite, how far to the left of it [m])}, of two or four feet."""
    if len(feet) not in (2, 4):
        return {}
    swapped, by_place = {"left": "right", "right": "left"}, feet_by_place(feet, q)
    found = {}
    for place, name in by_place.items():
        side, *row = place.split()
        other = by_place[" ".join([swapped[side], *row])]
        found[name] = other, float((beside[name] - beside[other])[1])
    return found


def _begin(begin: float) -> float:
    return number(begin, "begin", at_least=-LATEST, at_most=LATEST, unit="[s]")
