"""The loads of a scenario: pushes, ropes and payloads, as wrenches of the environment on a link."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array
from ...dynamics import State, Wrench
from ...errors import ContactError
from ...robots import Robot
from ...robots.values import number, text, vector
from ..terrain.part_values import Numbers, make_hashable

Spot = Numbers | Literal["com"] | None


@dataclass(frozen=True)
class Push:
    """A force on a link.

    Attributes:
        frame: of the link, by name.
        force: (3,), world axes [N].
        moment: (3,), world axes [N·m].
        at: where: (x, y, z) in the frame's axes [m], "com" for the robot's centre of mass, the
            frame's origin when not given.
    """

    frame: str
    force: Numbers = (0.0, 0.0, 0.0)
    moment: Numbers = (0.0, 0.0, 0.0)
    at: Spot = None

    def __post_init__(self) -> None:
        _check(self)
        for name in ("force", "moment"):
            vector(getattr(self, name), name, error=ContactError)

    def wrench(self, robot: Robot, q: ArrayLike | State) -> Wrench:
        """Return it at its point, world axes."""
        return Wrench(self.force, self.moment, _spot(State.of(robot, q), self.frame, self.at))


@dataclass(frozen=True)
class Rope:
    """A rope from a link to a point of the world, under tension.

    Attributes:
        frame: of the link, by name.
        anchor: (x, y, z) of the world that it pulls towards [m].
        tension: [N].
        at: where on the link, as for `Push`.
    """

    frame: str
    anchor: Numbers
    tension: float
    at: Spot = None

    def __post_init__(self) -> None:
        _check(self)
        vector(self.anchor, "anchor", error=ContactError)
        number(self.tension, "tension", at_least=0, unit="[N]", error=ContactError)

    def wrench(self, robot: Robot, q: ArrayLike | State) -> Wrench:
        """Return T (b − p)/‖b − p‖ at its point p, world axes.

        Raises:
            ContactError: the anchor is where the rope begins.
        """
        point = _spot(State.of(robot, q), self.frame, self.at)
        along = np.array(self.anchor) - point
        length = float(np.linalg.norm(along))
        if length < 1e-9:
            raise ContactError(f"anchor: got {self.anchor}, which is where the rope begins")
        return Wrench(self.tension * along / length, np.zeros(3), point)


@dataclass(frozen=True)
class Payload:
    """A mass that a link carries.

    Attributes:
        frame: of the link, by name.
        mass: [kg].
        at: its centre of mass, as for `Push`.
    """

    frame: str
    mass: float
    at: Spot = None

    def __post_init__(self) -> None:
        _check(self)
        number(self.mass, "mass", at_least=0, unit="[kg]", error=ContactError)

    def wrench(self, robot: Robot, q: ArrayLike | State) -> Wrench:
        """Return its weight m g at its point, world axes."""
        point = _spot(State.of(robot, q), self.frame, self.at)
        return Wrench(self.mass * np.asarray(robot._model.gravity.linear), np.zeros(3), point)


Load = Push | Rope | Payload


def wrenches_of(loads: tuple[Load, ...], robot: Robot, q: ArrayLike | State) -> dict[str, Wrench]:
    """Return {frame: Wrench}, the loads of each frame added up, world axes."""
    state, wrenches = State.of(robot, q), dict[str, Wrench]()
    for load in loads:
        wrench = load.wrench(robot, state)
        if load.frame in wrenches:
            first = wrenches[load.frame]
            wrench = first + wrench.at(np.asarray(first.point))
        wrenches[load.frame] = wrench
    return wrenches


def _check(load: Push | Rope | Payload) -> None:
    """Make the fields hashable; refuse a frame that is not a name, and an invalid spot."""
    make_hashable(load)
    text(load.frame, "frame", error=ContactError)
    if isinstance(load.at, str) and load.at != "com":
        expected = "[x, y, z] in the frame's axes [m], or com"
        raise ContactError(f"at: got {load.at!r}, expected {expected}")
    if load.at is not None and load.at != "com":
        vector(load.at, "at", error=ContactError)


def _spot(state: State, frame: str, at: Spot) -> Array:
    """Where a load acts, (3,), world [m]."""
    T = state.frame_placement(frame)
    if at is None:
        return np.array(T.translation)
    return state.com if at == "com" else np.asarray(T.act(np.array(at)))
