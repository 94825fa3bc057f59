"""Inequality constraints of a whole-body controller, as rows on the accelerations: L a ≥ least.

A barrier keeps h(q) ≥ 0, of which ḣ = J v and ḧ = J a + J̇v, by

    J a ≥ −J̇v − damping J v − gain h

With the roots −p₁, −p₂ of s² + damping s + gain, which are real, h stays positive if h and ḣ + p₁ h
are at first. A new kind of barrier is its value h, its Jacobian J and its drift J̇v at a `State`.

Q. Nguyen, K. Sreenath, "Exponential control barrier functions" (2016).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ...arrays import Array
from ...dynamics import State
from ...errors import ConfigurationError
from ...robots.robot import Robot
from ...robots.values import number, text
from ..tasks.task import aligned


class Tick(NamedTuple):
    """An earlier tick of the controller: when [s], and the accelerations (nv,) that it chose."""

    t: float
    a: Array


class Inequalities(NamedTuple):
    """A constraint at one state: L (m, nv) a ≥ least (m,), −inf where nothing is asked."""

    L: Array
    least: Array


@dataclass(eq=False)
class Constraint(ABC):
    """Inequalities on the accelerations that a whole-body controller keeps.

    Attributes:
        name: by which commands report it; the kind's when empty.
    """

    name: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        self.name = self.name or self._default_name()
        self._check()

    def _default_name(self) -> str:
        return type(self).__name__.removesuffix("Constraint").lower()

    def _check(self) -> None:
        text(self.name, "name")

    @abstractmethod
    def bind(self, robot: Robot) -> int:
        """Check names and values for a robot, as of a `Task`; return the number of rows.

        Raises:
            ConfigurationError: names or values that do not fit the robot.
        """

    @abstractmethod
    def rows(self, state: State, t: float, before: Tick | None) -> Inequalities:
        """Return the rows at a state and a time; `before` is the last tick at an earlier one."""

    def label(self, row: int) -> str:
        """Return what a row of the last state is about, for reports."""
        return self.name


@dataclass(eq=False)
class Barrier(Constraint):
    """A function h(q) (m,) that stays positive.

    Attributes:
        gain: how fast h may approach 0, with the damping [1/s²].
        damping: [1/s]; None: 2 √gain, which is the least that keeps h from crossing 0.

    Raises:
        ConfigurationError: a gain that is not positive, or less damping than that.
    """

    gain: float = field(default=100.0, kw_only=True)
    damping: float | None = field(default=None, kw_only=True)

    def _check(self) -> None:
        super()._check()
        least = 2 * number(self.gain, f"gain of {self.name!r}", above=0) ** 0.5
        if self.damping is not None:
            # of complex roots h oscillates about 0
            number(self.damping, f"damping of {self.name!r}", at_least=least * (1 - 1e-12))

    @abstractmethod
    def value(self, state: State) -> Array:
        """Return h (m,)."""

    @abstractmethod
    def jacobian(self, state: State) -> Array:
        """Return J (m, nv)."""

    @abstractmethod
    def drift(self, state: State) -> Array:
        """Return J̇v (m,)."""

    def rows(self, state: State, t: float, before: Tick | None) -> Inequalities:
        """Return J and −J̇v − damping J v − gain h."""
        J, h, drift = aligned(
            self.name, state.robot.nv, self.jacobian(state),
            value=self.value(state), drift=self.drift(state),
        )  # fmt: skip
        return Inequalities(J, self.bound(h, J @ state.velocity, drift))

    def bound(self, h: Array, rate: Array, drift: Array) -> Array:
        """Return −J̇v − damping ḣ − gain h (m,)."""
        damping = 2 * self.gain**0.5 if self.damping is None else self.damping
        least = -drift - damping * rate - self.gain * h
        if not np.isfinite(least).all():
            raise ConfigurationError(f"{self.name!r}: got {h} at this state; expected finite rows")
        return np.asarray(least)
