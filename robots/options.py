"""Loading options, and the parts of a robot that the format readers return."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from ..arrays import Array
from ..errors import ModelError
from .catalogue import RobotInfo
from .closures import Closure
from .findings import Finding
from .shapes import Shapes
from .values import boolean, one_of
from .xacro.expansion import Xacro

Base = Literal["floating", "fixed"]
Mimic = Literal["couple", "lock", "independent"]


@dataclass(frozen=True)
class Options:
    """Options of `load`."""

    base: Base | None = None
    lock: Iterable[str] | Mapping[str, float] = ()
    passive: tuple[str, ...] = ()
    mimic: Mimic | None = None
    strict: bool = False
    meshes: bool = True
    xacro: bool | Xacro | None = None
    feet: Any = None

    def check(self) -> None:
        """Raise `ModelError` for an unknown value of `base`, `mimic` or `xacro`."""
        for name, value, known in (("base", self.base, Base), ("mimic", self.mimic, Mimic)):
            if value is not None:
                one_of(value, name, get_args(known), error=ModelError)
        boolean(self.strict, "strict", error=ModelError)
        boolean(self.meshes, "meshes", error=ModelError)
        if not isinstance(self.xacro, bool | Xacro | None):
            raise ModelError(f"xacro: got {self.xacro!r}, expected True, False, a Xacro or None")

    def followers(self, info: RobotInfo | None) -> Mimic:
        """What becomes of mimic joints: `mimic` if given; those of the catalogue are locked."""
        return self.mimic or ("lock" if info else "couple")

    def floating(self, info: RobotInfo | None) -> bool:
        """Whether the base is floating: `base` if given, else the catalogue's default, else yes."""
        return (self.base or (info.base if info else "floating")) == "floating"


@dataclass(frozen=True)
class Parts:
    """Parts of a robot, as read from a description.

    Attributes:
        name: of the robot.
        model: `pin.Model`.
        shapes: all shapes.
        primitives: the shapes that need no mesh file.
        locked: joints that were frozen.
        passive: joints without a motor in the description.
        findings: warnings and remarks about the description.
        postures: name -> q (nq,), in a description that has them.
        never_collide: pairs of links that the description excludes from collisions.
        kept: "joints", "motors" -> (how many are rows of q and S, how many the description has).
        closures: of loops, and of joints that follow others.
    """

    name: str
    model: Any
    shapes: Shapes
    primitives: Shapes
    locked: tuple[str, ...] = ()
    passive: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    postures: Mapping[str, Array] = field(default_factory=dict)
    never_collide: tuple[tuple[str, str], ...] = ()
    kept: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    closures: tuple[Closure, ...] = ()
