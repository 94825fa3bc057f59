"""History: the states of a live scene, for undo and redo."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from ...contacts.scenario.scenario import Scenario
from .actions import Action, Command, Drag, Drop, Grab, SetValue
from .state import LiveState

MOST = 200  # steps that can be undone


@dataclass(frozen=True, eq=False)
class History:
    """The state of a live scene, those before it and those that were undone.

    What a hand does from taking hold of a handle to letting go is one step, and so is what it does
    with a slider.

    Attributes:
        state: now.
        first: where it began.
        past: states to go back to, the last one last.
        future: states that were undone, the next one last.
        going_on: whether a step is being made that further movements belong to.
    """

    state: LiveState
    first: LiveState
    past: tuple[LiveState, ...] = ()
    future: tuple[LiveState, ...] = ()
    going_on: bool = False

    @classmethod
    def begin(cls, scenario: Scenario, scale: float | None = None) -> History:
        """Return the history of a scenario, without any step, see `LiveState.begin`."""
        state = LiveState.begin(scenario, scale)
        return cls(state, state.released())

    def apply(self, action: Action) -> History:
        """Return the history after an action; what cannot be done says so in `state.notice`."""
        if isinstance(action, Command) and action.what in _STEPS:
            return _STEPS[action.what](self)
        state = self.state.apply(action)
        moving = isinstance(action, Drag | SetValue)
        goes_on = not _ends(action, state)
        if state.stance is self.state.stance:
            return replace(self, state=state, going_on=self.going_on and goes_on)
        same_step = moving and self.going_on
        past = self.past if same_step else _kept(*self.past, self.state)
        return replace(self, state=state, past=past, future=(), going_on=moving and goes_on)


def undone(history: History) -> History:
    """Return the history a step back; a gesture that has changed nothing is only ended."""
    if history.state.gestures and not history.going_on:
        return replace(history, state=history.state.released())
    if not history.past:
        return _saying(history, "there is nothing to undo")
    *past, state = history.past
    future = (*history.future, history.state.released())
    return History(state, history.first, tuple(past), future)


def redone(history: History) -> History:
    """Return the history a step forth again."""
    if not history.future:
        return _saying(history, "there is nothing to redo")
    *future, state = history.future
    return History(state, history.first, _kept(*history.past, history.state), tuple(future))


def reset(history: History) -> History:
    """Return the history at where it began, which can be undone."""
    if history.state.stance is history.first.stance:
        return replace(history, state=history.first, going_on=False)
    return History(history.first, history.first, _kept(*history.past, history.state))


_STEPS: dict[str, Callable[[History], History]] = {"undo": undone, "redo": redone, "reset": reset}


def _kept(*states: LiveState) -> tuple[LiveState, ...]:
    """The last ones, the newest with nothing held."""
    *before, last = states[-MOST:]
    return (*before, last.released())


def _saying(history: History, notice: str) -> History:
    return replace(history, state=history.state.saying(notice))


def _ends(action: Action, state: LiveState) -> bool:
    """Whether no movement after this action belongs to the step before it."""
    if isinstance(action, Grab):
        return len(state.gestures) <= 1
    if isinstance(action, Drop):
        return not state.gestures
    return isinstance(action, Command) or (isinstance(action, SetValue) and action.final)
