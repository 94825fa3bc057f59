"""What passes between loading and the readers of the formats."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ..errors import ModelError
from .catalogue import RobotInfo
from .findings import Finding
from .shapes import NoShapes, Shapes

Base = Literal["floating", "fixed"]
Mimic = Literal["lock", "independent"]


@dataclass(frozen=True)
class Options:
    """How a description is to be loaded; see `load`."""

    base: Base | None = None
    lock: Iterable[str] | Mapping[str, float] = ()
    passive: tuple[str, ...] = ()
    mimic: Mimic = "lock"
    strict: bool = False
    meshes: bool = True

    def check(self) -> None:
        """Raise `ModelError` for a base or a treatment of mimic joints that does not exist."""
        if self.base not in ("floating", "fixed", None):
            raise ModelError(f"base: got {self.base!r}, expected 'floating', 'fixed' or None")
        if self.mimic not in ("lock", "independent"):
            raise ModelError(f"mimic: got {self.mimic!r}, expected 'lock' or 'independent'")

    def floating(self, info: RobotInfo | None) -> bool:
        """Whether the base is free to move: as asked, else as the catalogue says, else yes."""
        return (self.base or (info.base if info else "floating")) == "floating"


@dataclass(frozen=True)
class Parts:
    """What the reader of a format makes of a description.

    Attributes:
        name: the robot's own.
        model: `pin.Model`.
        shapes: all of them.
        primitives: those that need no file.
        locked: joints that were frozen.
        passive: joints that the description gives no motor.
        findings: what is doubtful about the description.
    """

    name: str
    model: Any
    shapes: Shapes = field(default_factory=NoShapes)
    primitives: Shapes = field(default_factory=NoShapes)
    locked: tuple[str, ...] = ()
    passive: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
