"""Symbolic wrenches with a reference point and a frame."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sympy as sp

from ...errors import ConfigurationError
from ...robots.values import instance, mapping
from .closed_form import closed_form, is_zero
from .frames import Frame, Matrix, vector


@dataclass(frozen=True, eq=False, repr=False)
class Wrench:
    """A force and a moment about `point`, in the axes of `frame`, in normal form.

    Attributes:
        force: f (3,) [N].
        moment: m (3,) about `point` [N·m].
        frame: of the components.
        point: (3,) from the frame's origin, in its axes [m].

    Raises:
        ConfigurationError: vectors that are not three expressions, no frame.
    """

    force: Matrix
    moment: Matrix
    frame: Frame
    point: Matrix = (0, 0, 0)

    def __post_init__(self) -> None:
        instance(self.frame, "frame", Frame)
        for name in ("force", "moment", "point"):
            object.__setattr__(self, name, closed_form(vector(getattr(self, name), name)))

    @property
    def vector(self) -> Matrix:
        """[f; m] (6,)."""
        return sp.ImmutableMatrix([*self.force, *self.moment])

    def translate(self, point: Any) -> Wrench:
        """Return the same wrench about another point (3,) of its frame: m' = m − r × f."""
        target = vector(point, "point")
        arm = target - self.point
        return Wrench(self.force, self.moment - arm.cross(self.force), self.frame, target)

    def express(self, frame: Frame) -> Wrench:
        """Return the same wrench, about the same point, expressed in `frame`.

        f' = R f, m' = R m with R = R_frame_self.
        """
        R = instance(frame, "frame", Frame).turn(self.frame)
        point = frame.coordinates(self.point, self.frame)
        return Wrench(R * self.force, R * self.moment, frame, point)

    def reaction(self) -> Wrench:
        """Return the reaction, by Newton's third law."""
        return Wrench(-self.force, -self.moment, self.frame, self.point)

    def subs(self, values: Mapping[Any, Any]) -> Wrench:
        """Return the wrench with symbols substituted; the frame is unchanged."""
        values = mapping(values, "values", kind="symbol")
        force, moment, point = (x.subs(values) for x in (self.force, self.moment, self.point))
        return Wrench(force, moment, self.frame, point)

    def latex(self) -> str:
        """Return [f; m] as LaTeX."""
        return str(sp.latex(self.vector))

    def _check_same(self, other: Wrench) -> None:
        """Raise unless `other` is a wrench in this one's frame, about the same point."""
        if not isinstance(other, Wrench):
            raise ConfigurationError(f"got {type(other).__name__}; expected a symbolic Wrench")
        if other.frame is not self.frame:
            raise ConfigurationError(
                f"got the frames {self.frame.name!r} and {other.frame.name!r}; bring one to the "
                "other's: .express(frame)"
            )
        if not is_zero(self.point - other.point):
            raise ConfigurationError(
                f"got the points {list(self.point)} and {list(other.point)} of "
                f"{self.frame.name!r}; move one to the other's: .translate(point)"
            )

    def __add__(self, other: Wrench) -> Wrench:
        self._check_same(other)
        return Wrench(self.force + other.force, self.moment + other.moment, self.frame, self.point)

    def __sub__(self, other: Wrench) -> Wrench:
        self._check_same(other)
        return self + other.reaction()

    def __neg__(self) -> Wrench:
        return self.reaction()

    def __repr__(self) -> str:
        return (
            f"Wrench(f={list(self.force)}, m={list(self.moment)}, at {list(self.point)} "
            f"of {self.frame.name!r})"
        )
