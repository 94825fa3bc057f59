"""Actions: user input to a live scene, as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ...arrays import Array

Mode = Literal["move", "turn", "lift"]


@dataclass(frozen=True, eq=False)
class Pointer:
    """Where a pointer is: the ray of sight through it, in world axes.

    Attributes:
        origin: (3,), of the ray [m].
        direction: (3,), of the ray, unit.
        forward: (3,), the direction of view through the middle of the picture, unit.
    """

    origin: Array
    direction: Array
    forward: Array


@dataclass(frozen=True, eq=False)
class Grab:
    """A pointer goes down on a handle: a gesture begins, which is undone as a whole."""

    handle: str
    pointer: Pointer


@dataclass(frozen=True, eq=False)
class Drag:
    """The pointer that holds a handle has moved.

    `mode`: "move" (a contact slides on the terrain, the centre of mass in a level plane), "turn"
    (about the normal, the base about the vertical), "lift" (a contact leaves the ground and
    follows the pointer, the centre of mass goes up and down).
    """

    handle: str
    mode: Mode
    pointer: Pointer


@dataclass(frozen=True)
class Drop:
    """The pointer lets go of a handle: a contact that is over the terrain stays open in the air."""

    handle: str


@dataclass(frozen=True)
class SetValue:
    """A slider is set: "friction", "friction/NAME", "gravity", "payload/FRAME", "torque/JOINT", …

    `final`: whether the slider was let go, which ends what is undone as a whole.
    """

    name: str
    value: float
    final: bool = True


@dataclass(frozen=True)
class Command:
    """A button: "undo", "redo", "reset"; of a handle "open" (lift off), "close" (put down)."""

    what: str
    handle: str = ""


@dataclass(frozen=True)
class Ask:
    """A request for a text of the scene: "scenario" (YAML), "python" or "page" (HTML)."""

    what: str


Action = Grab | Drag | Drop | SetValue | Command | Ask
