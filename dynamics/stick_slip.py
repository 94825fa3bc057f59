"""A block on a table with Coulomb friction, m ẍ = u(t, x) − friction: it sticks, slips and sticks.

    sticking (ẋ = 0):  friction = u                  as long as |u| ≤ μ_s m g
    slipping:          friction = μ_k m g sign(ẋ)    until ẋ = 0

The moments of change are found, not stepped over: between them the motion is smooth. For a constant
push u the law is m ẍ = u − μ_k m g.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from inspect import signature
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from ..arrays import Array
from ..errors import ConfigurationError, SolverError
from ..robots.values import number


class BlockMotion(NamedTuple):
    """Samples of the motion: all (n,)."""

    t: Array  # [s]
    x: Array  # [m]
    v: Array  # [m/s]
    friction: Array  # of the table on the block, opposite to x where positive [N]
    sticking: NDArray[np.bool_]
    changes: Array  # (k,) times at which it broke loose or came to rest [s]


def block_on_table(
    mass: float,
    friction: float,
    push: Callable[..., float] | float,
    *,
    duration: float,
    step: float,
    static_friction: float | None = None,
    position: float = 0.0,
    velocity: float = 0.0,
    gravity: float = 9.81,
) -> BlockMotion:
    """Return the motion of a block on a level table under a horizontal push.

    Args:
        mass: m [kg].
        friction: μ_k while it slips.
        push: u [N], a number or a law u(t) or u(t, x), as k (w t − x) of a spring whose end is
            drawn along; it may jump, and is looked at every step.
        duration: [s].
        step: of the samples [s].
        static_friction: μ_s ≥ μ_k while it sticks; None: the same.
        position: x at the start [m].
        velocity: ẋ at the start [m/s].
        gravity: g [m/s²].

    Raises:
        ConfigurationError: a mass, time or friction that cannot be, or μ_s < μ_k.
    """
    mu_s = friction if static_friction is None else static_friction
    for name, value in (("mass", mass), ("duration", duration), ("step", step)):
        number(value, name, above=0)
    if not callable(push):
        number(push, "push", unit="[N]")
    number(position, "position", unit="[m]")
    number(velocity, "velocity", unit="[m/s]")
    number(gravity, "gravity", at_least=0, unit="[m/s²]")
    number(mu_s, "static_friction", at_least=0)
    if number(friction, "friction", at_least=0) > mu_s:
        raise ConfigurationError(
            f"got friction {friction!r} and static_friction {mu_s!r}; expected 0 ≤ μ_k ≤ μ_s"
        )
    u = _law(push)
    block = _Block(mass, friction * mass * gravity, mu_s * mass * gravity, u)
    times = np.append(np.arange(0.0, duration - 1e-9 * step, step), duration)
    state, changes = (float(position), float(velocity)), list[float]()
    rows = [block.sample(0.0, state)]
    for t, t_next in pairwise(times):
        state = block.advance(float(t), float(t_next), state, changes)
        rows.append(block.sample(float(t_next), state))
    x, v, force, sticking = (np.array(column) for column in zip(*rows, strict=True))
    return BlockMotion(times, x, v, force, sticking, np.array(changes))


def _law(push: Callable[..., float] | float) -> Callable[[float, float], float]:
    """The push as a law u(t, x)."""
    if not callable(push):
        return lambda t, x: push
    try:
        signature(push).bind(0.0, 0.0)
    except TypeError:
        return lambda t, x: push(t)
    return push


class _Block:
    """The two laws, and how one gives way to the other."""

    def __init__(self, mass: float, kinetic: float, static: float, push: Any) -> None:
        self.mass, self.kinetic, self.static, self.push = mass, kinetic, static, push

    def direction(self, t: float, x: float, v: float) -> float:
        """Which way it slips (±1), 0 if it sticks."""
        if v != 0.0:
            return math.copysign(1.0, v)
        u = self.push(t, x)
        return math.copysign(1.0, u) if abs(u) > self.static else 0.0

    def sample(self, t: float, state: tuple[float, float]) -> tuple[float, float, float, bool]:
        x, v = state
        way = self.direction(t, x, v)
        return x, v, (self.kinetic * way if way else self.push(t, x)), way == 0.0

    def advance(
        self, t: float, end: float, state: tuple[float, float], changes: list[float]
    ) -> tuple[float, float]:
        """From t to end, law after law."""
        for _ in range(1000):
            if t >= end:
                return state
            way = self.direction(t, *state)
            law = self._slip if way else self._stick
            t_change, state = law(t, end, state, way)
            if t_change < end:
                changes.append(t_change)
            t = t_change
        raise SolverError(
            f"the block changes between sticking and slipping for ever at t = {t:g} s"
        )

    def _stick(
        self, t: float, end: float, state: tuple[float, float], way: float
    ) -> tuple[float, tuple[float, float]]:
        def excess(s: float) -> float:
            return float(abs(self.push(s, state[0])) - self.static)

        if excess(end) <= 0.0:
            return end, state
        loose = float(scipy.optimize.brentq(excess, t, end, xtol=1e-13)) if excess(t) < 0.0 else t
        while excess(loose) <= 0.0:  # the root may lie on the sticking side by rounding
            loose = math.nextafter(loose + 1e-13, end)
        return loose, state

    def _slip(
        self, t: float, end: float, state: tuple[float, float], way: float
    ) -> tuple[float, tuple[float, float]]:
        def rates(s: float, y: Array) -> list[float]:
            return [y[1], (self.push(s, y[0]) - way * self.kinetic) / self.mass]

        def rest(s: float, y: Array) -> float:
            return float(way * y[1])

        rest.terminal, rest.direction = True, -1  # type: ignore[attr-defined]
        found = scipy.integrate.solve_ivp(
            rates, (t, end), state, method="DOP853", events=rest, rtol=1e-12, atol=1e-13
        )
        x = float(found.y[0, -1])
        if found.status == 1 and found.t[-1] > t:
            return float(found.t[-1]), (x, 0.0)
        return end, (x, float(found.y[1, -1]))
