"""Drawings as pieces: what `Viewer.arrow`, `cone`, `polygon`, … put into the page.

A shape is a dict of pieces by name, each with an object and where it stands. The same shape with
other numbers keeps its objects where it can and only moves them: that is cheap to send, and can be
animated.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from ...arrays import Array
from . import checks, three
from .three import Part

GHOST = 0.35  # share of its opacity with which something is seen through the robot


@dataclass(frozen=True)
class Style:
    """How a drawing looks.

    Attributes:
        color: 0xRRGGBB.
        opacity: in (0, 1].
        on_top: seen through whatever stands before it.
    """

    color: int
    opacity: float = 1.0
    on_top: bool = False

    def __post_init__(self) -> None:
        checks.boolean(self.on_top, "on_top")

    def object(
        self, part: Part, opacity: float | None = None, *, ghost: bool = True, **more: object
    ) -> three.Object:
        """Return an object of this style.

        Args:
            part: its geometry.
            opacity: in place of this style's.
            ghost: whether what of it is hidden behind the robot is seen faintly.
            more: properties of its material.
        """
        return _object(self, part, opacity or self.opacity, ghost, tuple(more.items()))


@lru_cache(maxsize=512)  # a shape that is drawn again mostly has the same geometry and colour
def _object(
    style: Style, part: Part, opacity: float, ghost: bool, more: tuple[tuple[str, object], ...]
) -> three.Object:
    # half of the colour whatever the light, so that it is the same one from all sides
    values: dict[str, object] = {"emissive": _dim(style.color, 0.5)}
    if style.on_top:
        # among the transparent things, which the page draws last, though it may hide all behind
        values |= {"depthTest": False, "depthWrite": False, "side": 0, "transparent": True}
    surface = three.material(_dim(style.color, 0.5), opacity, **(values | dict(more)))
    data = {"shadow": False, "ghost": GHOST if ghost and not style.on_top else 0.0}
    order = style.on_top * (10 if opacity == 1 else 9)  # what is solid is seen in what is not
    return three.object3d(part, surface, renderOrder=order, userData=data)


@dataclass(frozen=True, eq=False)
class Piece:
    """One object of a shape.

    Attributes:
        object: in three.js's JSON form.
        matrix: (4, 4), where it stands.
        visible: whether it is seen; pieces of an animation come and go.
    """

    object: three.Object
    matrix: Array = field(default_factory=lambda: np.eye(4))
    visible: bool = True


@dataclass(frozen=True, eq=False)
class Shape:
    """A drawing: its pieces by name, and points (k, 3) [m] that a picture of it must hold."""

    pieces: dict[str, Piece]
    extent: Array


def _dim(color: int, factor: float) -> int:
    return checks.packed(*(int(factor * part) for part in checks.channels(color)))
