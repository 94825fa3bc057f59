"""Symbolic planar limb of n segments: joint wrenches by recursion from the tip to the root.

Every segment lies along the y axis of its own frame, whose origin is its proximal joint; the joints
turn about z, each by its angle relative to the previous segment. The wrench of the previous segment
on segment i at its joint is

    w_i = dynamic_i − gravity_i − outside_i + w_{i+1}

with w_{n+1} = 0 beyond the tip, each term moved to joint i and expressed in the axes of segment i.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import sympy as sp

from ...errors import ConfigurationError
from ...robots.values import whole_number
from .bodies import Body, Joint, tip_wrench
from .closed_form import as_expression
from .frames import WORLD, Frame, Matrix, rotation, t, vector
from .wrench import Wrench

_Z = (0, 0, 1)


class Limb:
    """A chain of n segments in the x-y plane, attached to the world's origin.

    Quantities that are not given are symbols: θ_i(t), l_i, m_i.

    Args:
        n: number of segments.
        angles: θ_i(t), each relative to the previous segment [rad], functions of `frames.t`.
        lengths: l_i [m].
        masses: m_i [kg].
        coms: distance of each centre of mass from the proximal joint [m]; None: l_i / 2.
        inertias: I_zz of each segment about its centre of mass [kg m²]; None: point masses.
        gravity: (3,), in world axes [m/s²].
        tip: force (3,) and moment (3,) of the environment on the tip, in world axes.
        viscous: b of each joint [N·m·s/rad]; None: no friction.

    Raises:
        ConfigurationError: n that is not 1 or more, or lists that are not n long.
    """

    def __init__(
        self,
        n: int,
        *,
        angles: Sequence[Any] | None = None,
        lengths: Sequence[Any] | None = None,
        masses: Sequence[Any] | None = None,
        coms: Sequence[Any] | None = None,
        inertias: Sequence[Any] | None = None,
        gravity: Any = (0, 0, 0),
        tip: tuple[Any, Any] = ((0, 0, 0), (0, 0, 0)),
        viscous: Sequence[Any] | None = None,
    ) -> None:
        self.n = n = whole_number(n, "n, the number of segments", at_least=1, exact=True)
        count = range(1, n + 1)
        self.gravity = vector(gravity, "gravity")
        self.angles = _given("angles", angles, [sp.Function(f"theta_{i}")(t) for i in count])
        self.lengths = _given("lengths", lengths, sp.symbols(f"l_1:{n + 1}", positive=True))
        masses = _given("masses", masses, sp.symbols(f"m_1:{n + 1}", positive=True))
        coms = _given("coms", coms, [length / 2 for length in self.lengths])
        inertias = _given("inertias", inertias, [sp.S.Zero] * n)
        self.viscous = _given("viscous", viscous, [sp.S.Zero] * n)
        self.frames = self._chain()
        self.bodies = tuple(
            Body(f"segment_{i}", frame, m, (0, c, 0), sp.diag(0, 0, Izz))
            for i, frame, m, c, Izz in zip(count, self.frames, masses, coms, inertias, strict=True)
        )
        parents = (WORLD, *self.frames)
        self.joints = tuple(
            Joint(f"joint_{i}", parents[i - 1], self.bodies[i - 1], _Z, self.angles[i - 1])
            for i in count
        )
        if not isinstance(tip, tuple) or len(tip) != 2:
            raise ConfigurationError(f"tip: got {tip!r}; expected a force (3,) and a moment (3,)")
        self.tip = self._tip(*tip)

    def _chain(self) -> tuple[Frame, ...]:
        """Segment i starts where i − 1 ends, turned by θ_i."""
        frames: list[Frame] = []
        parent, start = WORLD, sp.S.Zero
        for i, (angle, length) in enumerate(zip(self.angles, self.lengths, strict=True), start=1):
            parent = Frame(f"segment_{i}", parent, rotation(_Z, angle), (0, start, 0))
            frames.append(parent)
            start = length
        return tuple(frames)

    def _tip(self, force: Any, moment: Any) -> Wrench:
        last = self.frames[-1]
        R = last.turn(WORLD)
        force, moment = R * vector(force, "force"), R * vector(moment, "moment")
        return tip_wrench(self.bodies[-1], (0, self.lengths[-1], 0), force, moment)

    @cached_property
    def joint_wrenches(self) -> tuple[Wrench, ...]:
        """Wrenches on the segments at their proximal joints, in segment axes."""
        wrenches: list[Wrench] = []
        origin, beyond = (0, 0, 0), self.tip.reaction()  # of the tip on the environment
        for body in reversed(self.bodies):
            dynamic, weight = body.dynamic_wrench(), body.gravity_wrench(self.gravity)
            beyond = beyond.express(body.frame).translate(origin)
            beyond = (dynamic - weight).translate(origin) + beyond
            wrenches.insert(0, beyond)
        return tuple(wrenches)

    @cached_property
    def driving_wrenches(self) -> tuple[Wrench, ...]:
        """Wrenches of muscles and bones: the joint wrenches without joint friction."""
        frictions = [j.friction_wrench(b) for j, b in zip(self.joints, self.viscous, strict=True)]
        return tuple(w - f for w, f in zip(self.joint_wrenches, frictions, strict=True))

    @property
    def joint_moments(self) -> Matrix:
        """τ (n,), the moments of the driving wrenches about the joint axes [N·m]."""
        return sp.ImmutableMatrix([w.moment[2] for w in self.driving_wrenches])

    def attachment(self, i: int) -> Frame:
        """Return the frame at joint i with the axes of segment i − 1, i = 2 … n.

        Raises:
            ConfigurationError: there is no such segment, or it is attached to the world.
        """
        if not isinstance(i, int) or not 2 <= i <= self.n:
            raise ConfigurationError(f"i: got {i!r}; expected a segment from 2 to {self.n}")
        before = self.frames[i - 2]
        return Frame(f"end of {before.name}", before, origin=(0, self.lengths[i - 2], 0))


_NOT_NEGATIVE = ("lengths", "masses", "inertias", "viscous")


def _given(name: str, values: Sequence[Any] | None, default: Sequence[Any]) -> tuple[Any, ...]:
    """Return the n values as SymPy expressions, or the default."""
    if not (values is None or isinstance(values, Iterable)) or isinstance(values, str):
        raise ConfigurationError(f"{name}: got {values!r}; expected a list, one per segment")
    chosen = tuple(as_expression(x, name) for x in (default if values is None else values))
    if len(chosen) != len(default):
        raise ConfigurationError(
            f"{name}: got {len(chosen)}; expected {len(default)}, one per segment"
        )
    for x in chosen:
        if name in _NOT_NEGATIVE and x.is_negative:
            raise ConfigurationError(f"{name}: got {x}; expected none below 0")
    return chosen
