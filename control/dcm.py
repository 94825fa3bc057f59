"""Divergent component of motion of a walking robot: its plan over the phases of a gait.

The sum of all forces pushes the centre of mass c away from a point r: the ground reaction acts
along the line from the centre of pressure p to c, and for a c at the height h above p, with the
gravity g (straight down g = (0, 0, −9.81), r = p + (0, 0, h)) and ω = √(−g_z/h)

    c̈ = ω² (c − r),    ξ = c + ċ/ω,    ξ̇ = ω (ξ − r),    ċ = ω (ξ − c),    r = p − g/ω².

So c converges to ξ by itself, while ξ diverges from r: to balance is to control ξ. On level ground
p is the zero-moment point of an inverted pendulum of the height h; on stairs p climbs with the
feet. For a p of constant velocity within a phase, the bounded solution is, backwards in time,

    ξ(t) = r(t) + ṙ/ω + e^{−ω (T − t)} (ξ(T) − r(T) − ṙ/ω).

J. Englsberger, C. Ott, A. Albu-Schäffer, "Three-dimensional bipedal walking control based on
divergent component of motion" (2015), where p is the enhanced centroidal moment pivot and r the
virtual repellent point.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from math import exp, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..errors import ConfigurationError
from ..robots.unchecked import unchecked
from ..robots.values import array, mapping, number, placement, sequence, vector
from .kernels.dcm import diverging
from .references import moved


@dataclass(frozen=True, eq=False)
class Phase:
    """A phase of a gait: its centre of pressure, and the feet in swing.

    Attributes:
        duration: [s].
        start, end: (3,), the centre of pressure p at its ends [m].
        swings: {contact: T_world_contact of its foothold} (`pin.SE3`).

    Raises:
        ConfigurationError: a duration that is not positive, or invalid points.
    """

    duration: float
    start: Array
    end: Array
    swings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        number(self.duration, "duration", above=0, unit="[s]")
        for name in ("start", "end"):
            object.__setattr__(self, name, np.array(vector(getattr(self, name), name, "[m]")))
        for name, T in mapping(self.swings, "swings", kind="contact").items():
            placement(T, f"swings[{name!r}]")

    @classmethod
    def of(
        cls, duration: float, start: Array, end: Array, swings: Mapping[str, Any] | None = None
    ) -> Phase:
        """Return a phase of values that are known to be such: what checks them takes its time."""
        return unchecked(cls, duration=duration, start=start, end=end, swings=swings or {})


class DcmPlan:
    """ξ and p over a sequence of phases; at the end ξ rests at r.

    Args:
        phases: one after the other.
        height: h of the centre of mass above p [m].
        gravity: g (3,), that of the robot [m/s²]; a number points straight down.

    Attributes:
        pull: F/m (3,) of known forces F, as of a payload [m/s²]; zero until `renewed`.
        omega, up: ω [1/s], −g/ω² (3,) [m], with g + F/m in the place of g.
        times: (n + 1,), at which phases begin; when the last one ends [s].
        points: (n, 4, 3), of each phase p at its beginning and end, ξ + g/ω² at its end, and how
            far its footholds are moved [m].

    Raises:
        ConfigurationError: no phases, no positive height, a gravity that does not point down.
    """

    def __init__(
        self, phases: Sequence[Phase], height: float, gravity: float | ArrayLike = 9.81
    ) -> None:
        g = array(gravity, "gravity", (), (3,), meaning="[m/s²]", frozen=True)
        self.gravity: Array = g if g.ndim else np.array([0.0, 0.0, -float(g)])
        if not self.gravity[2] < 0:
            raise ConfigurationError(
                f"gravity: got {gravity!r}; expected one that points down: a walk needs weight"
            )
        self.pull: Array = np.zeros(3)
        phases = sequence(phases, "phases", Phase)
        if not phases or not height > 0:
            raise ConfigurationError(
                f"got {len(phases)} phases and the height {height!r}; expected some, and h > 0"
            )
        self._take(phases, float(height))

    def renewed(self, phases: Sequence[Phase], height: float, pull: Array) -> DcmPlan:
        """Return the plan of other phases, height and pull, which are known to be such."""
        plan = self._copy()
        plan.pull = pull
        plan._take(tuple(phases), height)
        return plan

    def _copy(self) -> DcmPlan:
        """The same; `copy` takes several times as long."""
        return unchecked(type(self), **vars(self))

    def _take(self, phases: tuple[Phase, ...], height: float) -> None:
        g = self.gravity + self.pull
        self.omega = sqrt(-float(g[2]) / height)
        self.height, self.up = height, -g / self.omega**2
        self.phases = phases
        self._durations = [phase.duration for phase in phases]
        self._swings = [phase.swings for phase in phases]  # their footholds as planned
        self.times = list(accumulate(self._durations, initial=0.0))
        p = [(phase.start.tolist(), phase.end.tolist()) for phase in phases]
        self.points = np.array(
            [(*a, *b, *xi, 0.0, 0.0, 0.0) for (a, b), xi in zip(p, self._solved(p), strict=True)]
        ).reshape(-1, 4, 3)

    def _solved(self, p: list[tuple[list[float], list[float]]]) -> list[tuple[float, float, float]]:
        """ξ + g/ω² at the end of each phase, backwards."""
        x, y, z = p[-1][1]  # in arrays this small, each operation takes a microsecond
        found = [(x, y, z)]
        for duration, (a, b) in zip(self._durations[:0:-1], p[:0:-1], strict=True):
            time = self.omega * duration
            decay = exp(-time)
            u, v, w = (b[0] - a[0]) / time, (b[1] - a[1]) / time, (b[2] - a[2]) / time  # ṙ/ω
            x = a[0] + u + decay * (x - b[0] - u)
            y = a[1] + v + decay * (y - b[1] - v)
            z = a[2] + w + decay * (z - b[2] - w)
            found.append((x, y, z))
        return found[::-1]

    @cached_property
    def phases(self) -> tuple[Phase, ...]:
        """The phases, one after the other; those of a shifted plan take a while to make."""
        return tuple(
            Phase.of(duration, start, end, {name: moved(T, way) for name, T in swings.items()})
            for duration, (start, end, _, way), swings in zip(
                self._durations, self.points, self._swings, strict=True
            )
        )

    @property
    def duration(self) -> float:
        """Of all phases [s]."""
        return self.times[-1]

    def index(self, t: float) -> int:
        """Return which phase t is in; the last one after the end."""
        return bisect(self.times, t, 1, len(self._durations)) - 1

    def pivot(self, t: float) -> Array:
        """Return the centre of pressure p (3,) [m]."""
        i = self.index(t)
        share = min((t - self.times[i]) / self._durations[i], 1.0)
        start, stop, *_ = self.points[i]
        return np.asarray(start + share * (stop - start))

    def dcm(self, t: float) -> tuple[Array, Array]:
        """Return ξ and ξ̇ = ω (ξ − r), each (3,)."""
        if t >= self.duration:
            return self.points[-1, 1] + self.up, np.zeros(3)
        i, omega = self.index(t), self.omega
        left, duration = self.times[i + 1] - t, self._durations[i]
        decay, (start, stop, ends, _) = exp(-omega * left), self.points[i].tolist()
        xi, rate = [], []
        for a, b, end, up in zip(start, stop, ends, self.up.tolist(), strict=True):
            slope = (b - a) / duration
            p = b - slope * left
            x = diverging(p, slope, end, left, omega, decay)
            xi.append(up + x)
            rate.append(omega * (x - p))
        return np.array(xi), np.array(rate)

    def shares(self, first: int, fade: float = 1.0) -> Array:
        """Return the shares (n, 4) of a way by which `shifted` moves each phase.

        They are a and b of p at its beginning and end, κ of ξ at its end, and that of its
        footholds; a way moves everything from the end of phase `first` on. In a phase of the
        duration T, with κ⁺ at its end, backwards

            κ = a + d + e^{−ωT} (κ⁺ − b − d),    d = (b − a)/(ωT),    κ⁺ = b in the last one.

        Those of `first` and later phases do not depend on how long the ones up to it last.

        Args:
            first: the phase.
            fade: factor on it from each swing to the next, so that footholds return to where they
                were planned.
        """
        a, b, of_p = 0.0, 1.0, [(0.0, 0.0)] * (first + 1)
        for swings in self._swings[first + 1 :]:
            of_p.append((a, b))
            a, b = b, b * (fade if swings else 1.0)
        share, found = of_p[-1][1], list[tuple[float, float, float, float]]()
        for (a, b), duration in zip(reversed(of_p), reversed(self._durations), strict=True):
            found.append((a, b, share, fade * b))
            time = self.omega * duration
            d = (b - a) / time
            share = a + d + exp(-time) * (share - b - d)
        return np.array(found[::-1])

    def shifted(self, by: ArrayLike, shares: Array) -> DcmPlan:
        """Return the plan with p, ξ and footholds of each phase moved.

        Args:
            by: the way (3,) [m].
            shares: of it (n, 4), as of `shares`.
        """
        plan = self._copy()
        vars(plan).pop("phases", None)
        plan.points = self.points + shares[:, :, None] * np.asarray(by, dtype=float)
        return plan

    def aimed(self, phase: int, by: ArrayLike) -> DcmPlan:
        """Return the plan with ξ at the end of a phase moved by (3,) [m], all else as it is."""
        plan = self._copy()
        plan.points = self.points.copy()
        plan.points[phase, 2] += np.asarray(by, dtype=float)
        return plan

    def timed(self, phase: int, duration: float) -> DcmPlan:
        """Return the plan with another duration of a phase [s], and ξ at its end as it is."""
        plan, i = self._copy(), phase + 1
        now = self.phases[phase]
        other = Phase.of(duration, now.start, now.end, now.swings)
        plan.phases = (*self.phases[:phase], other, *self.phases[i:])
        plan._durations = [*self._durations[:phase], duration, *self._durations[i:]]
        later = duration - now.duration
        plan.times = [*self.times[:i], *[t + later for t in self.times[i:]]]
        return plan

    def end(self, phase: int) -> Array:
        """Return ξ at the end of a phase (3,) [m]."""
        return np.asarray(self.points[phase, 2] + self.up)
