"""Walker: a plan of phases in, joint torques out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike, NDArray

from .. import dynamics
from ..contacts import ContactSet, PointContact, Terrain
from ..errors import FootworkError
from ..robots.configuration import check_configuration, check_velocity
from ..robots.robot import Robot
from .balance import DcmPlan, DcmTask, Phase
from .command import Command
from .footholds import moved, over_ground
from .tasks import FrameTask, MomentumTask, PostureTask, Task
from .whole_body import WholeBodyController

Array = NDArray[np.float64]

ANKLES = 0.02  # errors of ξ up to this are left to the feet on the ground [m]


class Walker:
    """A whole-body controller that goes through the phases of a gait.

    The centre of mass follows the plan's divergent component, feet swing to where they land,
    contacts are unloaded before they leave and loaded after they land. When a push takes ξ off its
    plan, the foot in the air and all that follows are put where ξ will be.

    Args:
        robot: floating base.
        contacts: its feet.
        q: where it stands (nq,).
        phases: of `control.gaits`, from t = `begin` on.
        step_height: of swinging feet [m].
        ramp: time in which a foot is unloaded before and loaded after its swing [s].
        reach: how far a landing may be moved to catch a push, on the level where it is [m]; 0 keeps
            the plan.
        terrain: whose edges swinging feet keep clear of; nothing is in their way when not given.
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
        self.robot, self.feet, self.begin = robot, ContactSet.of(robot, contacts), begin
        self.step_height, self.ramp, self.reach = step_height, ramp, reach
        self.terrain = terrain
        q = np.asarray(q, dtype=float)
        com, places = dynamics.com(robot, q), self.feet.placements(q)
        ground = float(np.mean([T.translation[2] for T in places.values()]))
        self.plan = DcmPlan(phases, float(com[2]) - ground)
        self.dcm = DcmTask(self.plan, weight=20.0, gain=225.0, begin=begin)
        self.tasks = self._upper(q)
        self.controller = WholeBodyController(robot, self.feet, self.tasks, **options)
        self._swings: dict[str, FrameTask] = {}
        self._standing = {contact.name: contact for contact in self.feet}
        self._ways: dict[str, tuple[Array, Any, Any]] = {}  # points, from where, to where
        self._phase, self._leaving, self._moved = -1, False, np.zeros(3)
        self._last = -np.inf

    def _upper(self, q: Array) -> list[Task]:
        """What is asked all the time: balance, an upright base, a posture, little rotation."""
        root = next(
            f.name for f in self.robot.model.frames if f.parentJoint == 1 and f.type == pin.BODY
        )
        pose = dynamics.frame_placement(self.robot, q, root)
        return [
            self.dcm,
            FrameTask(pose, frame=root, rows_of="orientation", weight=10.0, name="base"),
            PostureTask(q, weight=0.05, gain=40.0),
            MomentumTask(np.zeros(6), weight=1e-3, gain=5.0),
        ]

    def __call__(self, q: ArrayLike, v: ArrayLike, t: float = 0.0) -> Command:
        """Return the command for the state (q, v) at t [s]."""
        if not self._sound(q, v, t):  # nothing to go by: the controller answers safely
            return self.controller(q, v, t)
        self._last = t
        self._go_on(np.asarray(q, dtype=float), t - self.begin)
        command = self.controller(q, v, t)
        if self.reach > 0 and self._swings and command.solved:
            self._catch(command, t - self.begin)
        return command

    def _sound(self, q: ArrayLike, v: ArrayLike, t: float) -> bool:
        """Whether a state can take the gait on: a configuration, a velocity, a later time."""
        try:
            check_configuration(self.robot, q)
            check_velocity(self.robot, v)
            return bool(np.isfinite(t) and t >= self._last)
        except (FootworkError, TypeError):
            return False

    def follow(self, phases: Sequence[Phase], begin: float) -> None:
        """Leave the plan for another one from t = `begin` on [s]; feet in the air land first."""
        self._land()
        self.plan, self.begin = DcmPlan(phases, self.plan.height), begin
        self.dcm.target, self.dcm.begin = self.plan, begin
        self._phase, self._leaving, self._moved = -1, False, np.zeros(3)

    def _go_on(self, q: Array, since: float) -> None:
        """Enter the phase of the time, and unload what swings next."""
        phase = self.plan.index(since)
        if phase != self._phase:
            self._phase, self._leaving, self._moved = phase, False, np.zeros(3)
            self._land()
            self._lift(q, phase)
        last = phase == len(self.plan.phases) - 1
        if last or self._leaving or self.plan.times[phase + 1] - since > self.ramp:
            return
        self._leaving = True
        for name in self.plan.phases[phase + 1].swings:
            if name in self.controller.contacts.names and self.ramp > 0:
                self.controller.remove_contact(name, self.ramp)

    def _lift(self, q: Array, phase: int) -> None:
        """Take the contacts of swinging feet out; send the feet on their way."""
        swings = self.plan.phases[phase].swings
        for name, goal in swings.items():
            if name in self.controller.contacts.names:
                self.controller.remove_contact(name)
            self._swings[name] = self._swing_task(q, name, goal, phase)
        if swings:
            self.controller.set_tasks([*self.tasks, *self._swings.values()])

    def _swing_task(self, q: Array, name: str, goal: Any, phase: int) -> FrameTask:
        contact = self._standing[name]
        frame, here = (
            dynamics.frame_placement(self.robot, q, contact.frame),
            contact.pose(self.robot, q),
        )
        points = np.array([frame.actInv(here.act(p)) for p in contact.points])
        if isinstance(contact, PointContact):  # what it stands on may be inclined otherwise there
            contact = replace(contact, normal=goal.rotation[:, 2])
            landed = moved(frame, goal.translation - contact.pose(self.robot, q).translation)
        else:  # the frame goes where it is when the contact is at its goal
            landed = goal * here.inverse() * frame
        self._standing[name], self._ways[name] = contact, (points, frame, landed)
        rows = "position" if contact.dim < 6 else "pose"
        return FrameTask(
            self._way(name, phase), frame=contact.frame, rows_of=rows, weight=50.0, gain=400.0,
            name=f"swing {name}",
        )  # fmt: skip

    def _way(self, name: str, phase: int) -> Any:
        begin, duration = self.begin + self.plan.times[phase], self.plan.phases[phase].duration
        return over_ground(*self._ways[name], duration, begin, self.step_height, self.terrain)

    def _land(self) -> None:
        """Put the contacts of landed feet back."""
        if not self._swings:
            return
        for name in self._swings:
            if name not in self.controller.contacts.names:
                self.controller.add_contact(self._standing[name], self.ramp)
        self._swings.clear()
        self.controller.set_tasks(self.tasks)

    def _catch(self, command: Command, since: float) -> None:
        """Move the landing, and all after it, by where an error of ξ grows to until then."""
        left = self.plan.times[self._phase + 1] - since
        off = -command.errors["dcm"] * [1.0, 1.0, 0.0]
        if np.linalg.norm(off) < ANKLES or left < 0.1:
            return
        wanted = self._moved + off * np.exp(self.plan.omega * left)
        wanted *= min(1.0, self.reach / max(float(np.linalg.norm(wanted)), 1e-9))
        step = 0.2 * (wanted - self._moved)
        self._moved = self._moved + step
        self.plan = self.plan.shifted(self._phase, step)
        self.dcm.target = self.plan
        for name, task in self._swings.items():
            points, start, goal = self._ways[name]
            self._ways[name] = (points, start, moved(goal, step))
            task.target = self._way(name, self._phase)
