"""Walking controller: a whole-body controller that follows the phases of a gait."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import dynamics
from ..arrays import Array
from ..contacts import ContactSet, PointContact, Terrain
from ..dynamics import State
from ..errors import FootworkError
from ..robots.configuration import check_configuration
from ..robots.robot import Robot
from ..robots.values import instance, length, number
from .balance import DcmPlan, DcmTask, Phase
from .command import Command
from .failure import LATEST, OneThread, check_time
from .footholds import moved, over_ground
from .standing import trunk
from .tasks import FrameTask, MomentumTask, PostureTask, Task
from .whole_body import WholeBodyController

ANKLES = 0.02  # errors of ξ that the feet on the ground can correct without a step [m]


class WalkingController:
    """A whole-body controller that follows the phases of a gait.

    The centre of mass follows the plan's divergent component ξ, feet swing to their footholds,
    contacts are unloaded before lift-off and loaded after touch-down. When a push takes ξ off its
    plan, the foothold of the swing foot and all later ones are moved to where ξ will be.

    Args:
        robot: floating base.
        contacts: its feet.
        q: where it stands (nq,).
        phases: as of `control.gaits`, from t = `begin` on.
        step_height: of swinging feet [m].
        ramp: time to unload a foot before its swing and to load it afterwards [s].
        reach: how far a foothold may be moved to recover from a push, on its level [m]; 0 keeps the
            plan.
        terrain: obstacle that swing feet avoid; None for none.
        begin: [s].
        options: of the WholeBodyController.

    Raises:
        ConfigurationError, ContactError: what does not fit the robot.
    """

    gives_commands = True

    def __init__(
        self,
        robot: Robot,
        contacts: ContactSet,
        q: ArrayLike,
        phases: Sequence[Phase],
        *,
        step_height: float = 0.05,
        ramp: float = 0.03,
        reach: float = 0.0,
        terrain: Terrain | None = None,
        begin: float = 0.0,
        **options: Any,
    ) -> None:
        self.robot, self.feet, self.begin = robot, ContactSet.of(robot, contacts), _begin(begin)
        self.step_height = length(step_height, "step_height", zero=True)
        self.ramp = number(ramp, "ramp", at_least=0, unit="[s]")
        self.reach = length(reach, "reach", zero=True)
        self.terrain = None if terrain is None else instance(terrain, "terrain", Terrain)
        q = check_configuration(robot, q)
        com, places = dynamics.com(robot, q), self.feet.placements(q)
        ground = float(np.mean([T.translation[2] for T in places.values()]))
        self.plan = DcmPlan(phases, float(com[2]) - ground, robot._model.gravity.linear)
        self.dcm = DcmTask(self.plan, weight=20.0, gain=225.0, begin=begin)
        self.tasks = self._permanent_tasks(q)
        self.controller = WholeBodyController(robot, self.feet, self.tasks, **options)
        self._swings: dict[str, FrameTask] = {}
        self._stance = {contact.name: contact for contact in self.feet}
        self._paths: dict[str, tuple[Array, Any, Any]] = {}  # points, start, goal
        self._phase, self._unloading, self._moved = -1, False, np.zeros(3)
        self._last, self._busy = -np.inf, OneThread()

    def _permanent_tasks(self, q: Array) -> list[Task]:
        """The tasks of all phases: balance, an upright base, a posture, low angular momentum."""
        root = trunk(self.robot)
        pose = dynamics.frame_placement(self.robot, q, root)
        return [
            self.dcm,
            FrameTask(pose, frame=root, rows_of="orientation", weight=10.0, name="base"),
            PostureTask(q, weight=0.05, gain=40.0),
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
        self._last = t
        self._advance(state, t)
        command = self.controller(state, None, t)
        if self.reach > 0 and self._swings and command.solved:
            self._recover(command, t - self.begin)
        return command

    def _valid(self, q: ArrayLike | State, v: ArrayLike | None, t: float) -> State | None:
        """The state, or None if it is invalid, or not later than the last."""
        try:
            state = State.of(self.robot, q, v)
            check_time(t)
        except FootworkError:
            return None
        return state if self._last <= t and state.v is not None else None

    def follow(self, phases: Sequence[Phase], begin: float) -> None:
        """Replace the plan from t = `begin` on [s]; swing feet become contacts first."""
        plan, begin = DcmPlan(phases, self.plan.height, self.plan.gravity), _begin(begin)
        self._land()
        self.plan, self.begin = plan, begin
        self.dcm.target, self.dcm.begin = self.plan, begin
        self._phase, self._unloading, self._moved = -1, False, np.zeros(3)

    def _advance(self, state: State, t: float) -> None:
        """Enter the phase of the time t [s], and unload the feet that swing next."""
        since = t - self.begin
        phase = self.plan.index(since)
        if phase != self._phase:
            self._phase, self._unloading, self._moved = phase, False, np.zeros(3)
            self._land()
            self._lift(state.q, phase)
        last = phase == len(self.plan.phases) - 1
        if last or self._unloading or self.plan.times[phase + 1] - since > self.ramp:
            return
        self._unloading = True
        for name in self.plan.phases[phase + 1].swings:
            if name in self.controller.contacts.names and self.ramp > 0:
                self.controller.remove_contact(name, self.ramp)

    def _lift(self, q: Array, phase: int) -> None:
        """Remove the contacts of swing feet, and add their tasks."""
        swings = self.plan.phases[phase].swings
        for name, goal in swings.items():
            if name in self.controller.contacts.names:
                self.controller.remove_contact(name)
            self._swings[name] = self._swing_task(q, name, goal, phase)
        if swings:
            self.controller.set_tasks([*self.tasks, *self._swings.values()])

    def _swing_task(self, q: Array, name: str, goal: Any, phase: int) -> FrameTask:
        contact = self._stance[name]
        frame, here = (
            dynamics.frame_placement(self.robot, q, contact.frame),
            contact.pose(self.robot, q),
        )
        points = np.array([frame.actInv(here.act(p)) for p in contact.points])
        if isinstance(contact, PointContact):  # the ground may be inclined differently there
            contact = replace(contact, normal=goal.rotation[:, 2])
            landed = moved(frame, goal.translation - contact.pose(self.robot, q).translation)
        else:  # the frame's placement when the contact is at its goal
            landed = goal * here.inverse() * frame
        self._stance[name], self._paths[name] = contact, (points, frame, landed)
        rows = "position" if contact.dim < 6 else "pose"
        return FrameTask(
            self._swing_reference(name, phase), frame=contact.frame, rows_of=rows, weight=50.0,
            gain=400.0, name=f"swing {name}",
        )  # fmt: skip

    def _swing_reference(self, name: str, phase: int) -> Any:
        begin, duration = self.begin + self.plan.times[phase], self.plan.phases[phase].duration
        return over_ground(*self._paths[name], duration, begin, self.step_height, self.terrain)

    def _land(self) -> None:
        """Add the contacts of the feet that have landed."""
        if not self._swings:
            return
        for name in self._swings:
            if name not in self.controller.contacts.names:
                self.controller.add_contact(self._stance[name], self.ramp)
        self._swings.clear()
        self.controller.set_tasks(self.tasks)

    def _recover(self, command: Command, since: float) -> None:
        """Move the foothold, and all later ones, by the error of ξ expected at touch-down."""
        left = self.plan.times[self._phase + 1] - since
        off = -command.errors["dcm"] * [1.0, 1.0, 0.0]
        if np.linalg.norm(off) < ANKLES or left < 0.1:
            return
        offset = self._moved + off * np.exp(self.plan.omega * left)
        offset *= min(1.0, self.reach / max(float(np.linalg.norm(offset)), 1e-9))
        step = 0.2 * (offset - self._moved)
        self._moved = self._moved + step
        self.plan = self.plan.shifted(self._phase, step)
        self.dcm.target = self.plan
        for name, task in self._swings.items():
            points, start, goal = self._paths[name]
            self._paths[name] = (points, start, moved(goal, step))
            task.target = self._swing_reference(name, self._phase)


def _begin(begin: float) -> float:
    return number(begin, "begin", at_least=-LATEST, at_most=LATEST, unit="[s]")
