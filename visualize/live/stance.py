"""Stance: a robot on the contacts of a scenario that starts where it stands, feet in the air too.

Every change is solved for from the configuration before it, so that the robot goes on from where it
is; what cannot be reached raises, and the stance before it stays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin

from ...arrays import Array
from ...contacts.contact_set import ContactSet
from ...contacts.equilibrium.balance import weight
from ...contacts.hold import Hold
from ...contacts.postures.posture import solve_posture
from ...contacts.scenario.parts import ScenarioContact
from ...contacts.scenario.scenario import Scenario
from ...dynamics import State
from ...errors import FootworkError, unknown
from ...robots import Robot
from ..scenes.motion import FORCE_OF_WEIGHT, link_frames
from .written import at_rest, contact_of, name_of, why_not, written_out

TOLERANCE = 1e-9  # [m, rad], a tenth of what counts as touching: it does so read from a file too
_ITERATIONS = 30
_LEAN = 0.3  # of the way back to how a gesture began, in each movement


class OutOfReach(FootworkError, ValueError):
    """What was asked of a stance cannot be done; it stays as it is."""


class Lifted(NamedTuple):
    """A contact that is open: what it is, and T_world_contact (`pin.SE3`), where it is held."""

    part: ScenarioContact
    T: Any


@dataclass(frozen=True, eq=False)
class Stance:
    """A robot that stands on the contacts of a scenario.

    Attributes:
        scenario: written out so that it starts in the posture that touches: read from its text it
            has this q.
        scale: length of a force's arrow [m/N].
        lifted: {contact: Lifted} of those that are open and held in the air.
        before: (nq,), what the next posture leans towards, such as that of the beginning of a
            gesture: what comes back comes back to about the same q; None: nothing.
    """

    scenario: Scenario
    scale: float
    lifted: Mapping[str, Lifted] = field(default_factory=dict)
    before: Array | None = None

    @classmethod
    def of(cls, scenario: Scenario, scale: float | None = None) -> Stance:
        """Return the stance of a scenario, "inside" of a centre of mass where it is found.

        `scale`: by default the robot's weight is 0.8 of its height long.

        Raises:
            ScenarioError: a scenario without robot, with names that do not exist, …
        """
        robot, names = scenario.machine, scenario.contact_set.names
        parts = tuple(
            written_out(part, name, robot, scenario)
            for part, name in zip(scenario.contacts, names, strict=True)
        )
        fixed = scenario.replaced(contacts=parts)
        metres = FORCE_OF_WEIGHT * _height(robot) / weight(robot) if scale is None else scale
        return cls(at_rest(fixed, scenario.solved), metres)

    # --- what it says ----------------------------------------------------------------------

    @property
    def robot(self) -> Robot:
        """The robot."""
        return self.scenario.machine

    @property
    def q(self) -> Array:
        """(nq,)."""
        return self.scenario.q

    @property
    def state(self) -> State:
        """The State of q."""
        return self.scenario.state

    @cached_property
    def hold(self) -> Hold | None:
        """The verdict; None when nothing touches and the base floats, or no posture touches."""
        free = self.robot.is_floating and not self.scenario.contacts
        return None if free or not self.scenario.solved.converged else self.scenario.check()

    @cached_property
    def least_push(self) -> tuple[float, Array] | None:
        """`Hold.least_push` of what holds; None of what does not."""
        return self.hold.least_push() if self.hold is not None and self.hold.feasible else None

    @property
    def base(self) -> str:
        """The frame of the first link: the floating base, or the first link that moves."""
        return link_frames(self.robot)[0]

    @property
    def height(self) -> float:
        """Of the robot, about [m]."""
        return self.scale * self.weight / FORCE_OF_WEIGHT

    @property
    def weight(self) -> float:
        """m g of the robot on Earth [N], a measure of forces."""
        return self.robot.earth_weight

    def part(self, name: str) -> ScenarioContact:
        """Return a contact by name, closed or lifted.

        Raises:
            OutOfReach: there is none.
        """
        for part in self.scenario.contacts:
            if name_of(part) == name:
                return part
        if name not in self.lifted:
            names = [*map(name_of, self.scenario.contacts), *self.lifted]
            raise OutOfReach(unknown("contact", name, names))
        return self.lifted[name].part

    def place(self, name: str) -> Any:
        """Return T_world_contact (`pin.SE3`) of a contact, with its whole patch: where it should
        be, or where it is when no posture touches."""
        part = self.part(name)
        if name in self.lifted:
            return self.lifted[name].T
        face, point = part.face(self.scenario.ground, pin.SE3.Identity())
        start = contact_of(part, self.robot, face.normal).pose(self.robot, self.state)
        if not self.scenario.solved.converged:
            return start
        return part.pose_on(face, point, start)

    # --- other stances ---------------------------------------------------------------------

    def posed(
        self,
        lifted: Mapping[str, Lifted] | None = None,
        frames: Mapping[str, Any] | None = None,
        **changes: Any,
    ) -> Stance:
        """Return the stance of the scenario with these changes, near this one.

        Args:
            lifted: the contacts in the air; those of now by default.
            frames: {frame: T_world_frame or position (3,)} besides.
            changes: as for `Scenario.replaced`.

        Raises:
            OutOfReach: no posture does it.
            ContactError: a contact that hangs over an edge, …
        """
        lifted = self.lifted if lifted is None else lifted
        changed = self.scenario.replaced(**changes)
        contacts, targets = self._placed(changed)
        robot = changed.described  # no gravity matters here, and it knows its shapes already
        touching = contacts if contacts.robot is robot else ContactSet(robot, contacts)
        guess = self.q
        if self.before is not None:
            guess = robot.integrate(guess, _LEAN * robot.difference(guess, self.before))
        posture = solve_posture(
            *(robot, touching, changed.com, targets, guess),
            frames=self._in_the_air(lifted) | dict(frames or {}),
            self_collision=changed.self_collision and robot._collision.ngeoms > 0,
            tolerance=TOLERANCE,
            iterations=_ITERATIONS,
            restarts=0 if self.scenario.solved.converged else 2,
        )
        if not posture.converged:
            raise OutOfReach(why_not(posture, self._held(lifted)))
        posture = replace(posture, contacts=contacts)
        return Stance(at_rest(changed, posture), self.scale, lifted)

    def resting(self, **changes: Any) -> Stance:
        """Return the stance with the same q of the scenario with these changes.

        Raises:
            FootworkError: values that it does not take.
        """
        changed = self.scenario.replaced(**changes)
        contacts, targets = self._placed(changed)
        posture = replace(self.scenario.solved, contacts=contacts, targets=targets)
        return replace(self, scenario=at_rest(changed, posture))

    def with_contact(self, part: ScenarioContact) -> Stance:
        """Return the stance with a contact on the ground, in place of the one of its name."""
        name, others = name_of(part), self.scenario.contacts
        if part in others:
            return self
        replaced = tuple(part if name_of(other) == name else other for other in others)
        contacts = (*others, part) if name in self.lifted else replaced
        lifted = {n: open_ for n, open_ in self.lifted.items() if n != name}
        return self.posed(lifted, contacts=contacts)

    def with_lifted(self, part: ScenarioContact, T: Any) -> Stance:
        """Return the stance with a contact in the air at T_world_contact."""
        name = name_of(part)
        contacts = tuple(p for p in self.scenario.contacts if name_of(p) != name)
        return self.posed({**self.lifted, name: Lifted(part, T)}, contacts=contacts)

    def _placed(self, scenario: Scenario) -> tuple[ContactSet, dict[str, Any]]:
        """The contacts, and {contact: T_world_target}; those that stay are not worked out anew."""
        robot, ground, friction = scenario.machine, scenario.ground, scenario.friction
        old, known = self.scenario, dict[ScenarioContact, Any]()
        if (robot, ground, friction) == (old.machine, old.ground, old.friction):
            targets = old.touching[1].values()
            known = dict(zip(old.contacts, zip(old.contact_set, targets, strict=True), strict=True))
        placed = [
            known.get(part) or part.placed(robot, self.q, ground, friction)
            for part in scenario.contacts
        ]
        contacts = ContactSet(robot, [contact for contact, _ in placed])
        return contacts, dict(zip(contacts.names, (T for _, T in placed), strict=True))

    def _in_the_air(self, lifted: Mapping[str, Lifted]) -> dict[str, Any]:
        """{frame: T_world_frame, or its position}, so that lifted contacts are where they should:
        the attitude of a point's link stays free."""
        frames = {}
        for part, T in lifted.values():
            contact = contact_of(part, self.robot, T.rotation[:, 2])
            here = contact.pose(self.robot, self.state)
            frame = self.state.frame_placement(contact.frame)
            if contact.dim < 5:
                frames[contact.frame] = frame.translation + T.translation - here.translation
            else:
                frames[contact.frame] = T * here.inverse() * frame
        return frames

    def _held(self, lifted: Mapping[str, Lifted]) -> dict[str, str]:
        """{what the inverse kinematics calls a frame: what people do}."""
        names = {contact_of(p, self.robot).frame: repr(name) for name, (p, _) in lifted.items()}
        return {f"frame {f}": name for f, name in {self.base: "the base", **names}.items()}


def _height(robot: Robot) -> float:
    """How far the robot's frames are apart in height in the posture that it stands in [m]."""
    state = State(robot, robot.posture())
    heights = [state.frame_placement(frame).translation[2] for frame in robot.frame_names]
    return max(float(np.ptp(heights[1:])), 0.01)  # without the world's
