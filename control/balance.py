"""Balance of a walking robot: the divergent component of motion, and a task that follows it.

While the centre of mass c stays at a height h above the ground, it moves like an inverted pendulum
about the zero-moment point p, and with ω = √(g/h) the half ξ of its state runs away:

    c̈ = ω² (c − p),     ξ = c + ċ/ω,     ξ̇ = ω (ξ − p),     ċ = ω (ξ − c)

so c follows ξ by itself, and whoever keeps ξ keeps the balance. For a p that moves evenly within a
phase, the only ξ that ends where it should is, from its end backwards,

    ξ(t) = p(t) + ṗ/ω + e^{−ω (T − t)} (ξ(T) − p(T) − ṗ/ω).

J. Englsberger, C. Ott, A. Albu-Schäffer, "Three-dimensional bipedal walking control based on
divergent component of motion" (2015).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import ConfigurationError
from ..robots.robot import Robot
from .situation import Situation
from .tasks import Rows, Task

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Phase:
    """A part of a gait: where the zero-moment point goes meanwhile, and which feet are in the air.

    Attributes:
        duration: [s].
        start, end: (2,), the zero-moment point at its ends [m].
        swings: {contact: T_world_contact where it lands} (`pin.SE3`).
    """

    duration: float
    start: Array
    end: Array
    swings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not (np.isfinite(self.duration) and self.duration > 0):
            raise ConfigurationError(f"duration: got {self.duration!r}; expected a positive time")


class DcmPlan:
    """ξ and p over a sequence of phases, ξ at rest over p at the end.

    Args:
        phases: one after the other.
        height: h of the centre of mass above the ground [m].
        gravity: [m/s²].

    Raises:
        ConfigurationError: no phases, or no positive height.
    """

    def __init__(self, phases: Sequence[Phase], height: float, gravity: float = 9.81) -> None:
        if not phases or not height > 0:
            raise ConfigurationError(
                f"got {len(phases)} phases and the height {height!r}; expected some, and h > 0"
            )
        self.phases, self.omega = tuple(phases), float(np.sqrt(gravity / height))
        self.times = np.concatenate([[0.0], np.cumsum([phase.duration for phase in phases])])
        self._solve()

    def _solve(self) -> None:
        """ξ at the end of each phase, backwards."""
        ends = [self.phases[-1].end]
        for phase in reversed(self.phases[1:]):
            ends.append(self._back(phase, ends[-1], phase.duration))
        self._ends = ends[::-1]

    def _back(self, phase: Phase, end: Array, time_left: float) -> Array:
        slope = (phase.end - phase.start) / phase.duration
        there = phase.end - slope * time_left
        decay = np.exp(-self.omega * time_left)
        return np.asarray(
            there + slope / self.omega + decay * (end - phase.end - slope / self.omega)
        )

    @property
    def duration(self) -> float:
        """Of all phases [s]."""
        return float(self.times[-1])

    def index(self, t: float) -> int:
        """Return which phase t is in; the last one after the end."""
        found = int(np.searchsorted(self.times, t, side="right")) - 1
        return min(max(found, 0), len(self.phases) - 1)

    def zmp(self, t: float) -> Array:
        """Return p (2,) [m]."""
        i = self.index(t)
        phase, share = self.phases[i], (t - self.times[i]) / self.phases[i].duration
        return np.asarray(phase.start + min(share, 1.0) * (phase.end - phase.start))

    def dcm(self, t: float) -> tuple[Array, Array]:
        """Return ξ and ξ̇ = ω (ξ − p), each (2,)."""
        if t >= self.duration:
            return self.phases[-1].end, np.zeros(2)
        i = self.index(t)
        xi = self._back(self.phases[i], self._ends[i], self.times[i + 1] - t)
        return xi, self.omega * (xi - self.zmp(t))

    def shifted(self, first: int, by: ArrayLike) -> DcmPlan:
        """Return the plan with everything from the end of phase `first` on moved by (2,) [m]."""
        offset = np.asarray(by, dtype=float)
        phases = list(self.phases[: first + 1])
        for k, phase in enumerate(self.phases[first + 1 :]):
            start = phase.start if k == 0 else phase.start + offset
            swings = {name: _moved(T, offset) for name, T in phase.swings.items()}
            phases.append(Phase(phase.duration, start, phase.end + offset, swings))
        return DcmPlan(phases, 9.81 / self.omega**2)


def _moved(T: Any, offset: Array) -> Any:
    moved = T.copy()
    moved.translation = T.translation + np.append(offset, 0.0)
    return moved


@dataclass(eq=False)
class DcmTask(Task):
    """Follow a plan's ξ, and keep the height: c̈ = ω² (c − p*) with p* = p + (1 + k/ω)(ξ − ξ*).

    The ground cannot push from outside the feet; what the contacts do not give, they leave.

    Attributes:
        target: a DcmPlan.
        height: of the centre of mass [m].
        feedback: k, at which rate errors of ξ decay [1/s].
        gain, damping: of the height.
        begin: when the plan's time starts [s].
    """

    height: float = field(kw_only=True)
    feedback: float = field(default=4.0, kw_only=True)
    begin: float = field(default=0.0, kw_only=True)

    def _usual_name(self) -> str:
        return "dcm"

    def bind(self, robot: Robot) -> int:
        """Check the plan."""
        if not isinstance(self.target, DcmPlan):
            raise ConfigurationError(f"target: got {self.target!r}; expected a DcmPlan")
        return 3

    def error(self, now: Situation) -> Array:
        """Return ξ − ξ* (2,) [m]."""
        xi = now.com[:2] + now.com_velocity[:2] / self.target.omega
        return np.asarray(xi - self.target.dcm(now.t - self.begin)[0])

    def rows(self, now: Situation) -> Rows:
        """J_com, and c̈ less J̇_com v."""
        c, velocity, plan = now.com, now.com_velocity, self.target
        off, omega = self.error(now), plan.omega
        p = plan.zmp(now.t - self.begin) + (1 + self.feedback / omega) * off
        asked = np.empty(3)
        asked[:2] = omega**2 * (c[:2] - p)
        damping = 2 * self.gain**0.5 if self.damping is None else self.damping
        asked[2] = self.gain * (self.height - c[2]) - damping * velocity[2]
        return Rows(now.com_jacobian, asked - now.com_drift, np.append(-off, self.height - c[2]))
