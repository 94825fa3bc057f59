"""State of a live scene: a stance, what is held of it, and what could not be done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ...arrays import Array
from ...contacts.hold import Hold
from ...contacts.scenario.scenario import Scenario
from ...errors import FootworkError, unknown
from ...robots.values import vector
from .actions import Action, Command, Drag, Drop, Grab, SetValue
from .commands import COMMANDS
from .dragging import Held, dragged
from .handles import Handle, handles_of
from .sliders import Slider, set_value, sliders_of
from .stance import OutOfReach, Stance
from .written import why_not

_REFUSED = (FootworkError, ValueError, ArithmeticError)  # LinAlgError is a ValueError


@dataclass(frozen=True, eq=False)
class LiveState:
    """A live scene at an instant. Actions make another one of it; nothing is changed.

    Attributes:
        stance: the robot on its contacts.
        gestures: {handle: Held} of the handles that pointers hold.
        notice: what the last action asked for that cannot be done, in words; else empty.
    """

    stance: Stance
    gestures: Mapping[str, Held] = field(default_factory=dict)
    notice: str = ""

    @classmethod
    def begin(cls, scenario: Scenario, scale: float | None = None) -> LiveState:
        """Return the state in which a scenario begins.

        Args:
            scenario: whose centre of mass, if it is "inside", is kept where it is found.
            scale: length of a force's arrow [m/N]; the weight is 0.8 of the robot's height long by
                default.

        Raises:
            ScenarioError: a scenario without robot, with names that do not exist, …
        """
        return cls(Stance.of(scenario, scale), notice=why_not(scenario.solved))

    # --- what it says ----------------------------------------------------------------------

    @property
    def scenario(self) -> Scenario:
        """The scenario as it is now: read from its text it has this very posture and verdict."""
        return self.stance.scenario

    @property
    def q(self) -> Array:
        """(nq,)."""
        return self.stance.q

    @property
    def hold(self) -> Hold | None:
        """The verdict; None when nothing touches and the base floats, or no posture touches."""
        return self.stance.hold

    def handles(self) -> tuple[Handle, ...]:
        """Return what can be taken hold of."""
        return handles_of(self.stance)

    def sliders(self) -> tuple[Slider, ...]:
        """Return what can be set."""
        return sliders_of(self.stance)

    # --- what is done to it ----------------------------------------------------------------

    def apply(self, action: Action) -> LiveState:
        """Return the state after an action.

        What cannot be reached, is out of bounds or does not exist leaves the stance as it is, and
        `notice` says so; so does a solver that fails. A notice stays to the end of its gesture, to
        be read. Undo, redo and reset are `History`'s.
        """
        try:
            before = self if isinstance(action, Drop) else self.saying("")
            return before._after(action)
        except _REFUSED as error:
            return self.saying(str(error))

    def saying(self, notice: str) -> LiveState:
        """Return the state with a notice."""
        return replace(self, notice=notice)

    def released(self) -> LiveState:
        """Return the state with nothing held, and without notice."""
        return LiveState(self.stance)

    def _after(self, action: Action) -> LiveState:
        if isinstance(action, Grab | Drag):
            for name, value in vars(action.pointer).items():
                vector(value, name)
        if isinstance(action, Grab):
            return self._holding(Held.of(self.stance, action.handle, action.pointer))
        if isinstance(action, Drag):
            return self._dragged(action)
        if isinstance(action, Drop):
            held = {h: one for h, one in self.gestures.items() if h != action.handle}
            return replace(self, gestures=held)
        if isinstance(action, SetValue):
            return replace(self, stance=set_value(self.stance, action.name, action.value))
        if isinstance(action, Command):
            if action.what not in COMMANDS:
                raise OutOfReach(unknown("command", action.what, COMMANDS))
            return replace(self, stance=COMMANDS[action.what](self.stance, action.handle))
        return self

    def _holding(self, held: Held) -> LiveState:
        return replace(self, gestures={**self.gestures, held.handle: held})

    def _dragged(self, drag: Drag) -> LiveState:
        """What is held follows; that the pointer has moved is known also where it cannot."""
        held = self.gestures.get(drag.handle)
        if held is None:
            held = Held.of(self.stance, drag.handle, drag.pointer, drag.mode)
        held = held.moved_to(self.stance, drag.mode, drag.pointer)
        holding = self._holding(held)
        try:
            return replace(holding, stance=dragged(self.stance, held))
        except _REFUSED as error:
            return holding.saying(str(error))
