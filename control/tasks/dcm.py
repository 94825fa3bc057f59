"""Task of the divergent component of motion: a robot's ξ follows that of a `DcmPlan`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array
from ...dynamics import State
from ...errors import ConfigurationError
from ...robots.robot import Robot
from ..dcm import DcmPlan
from ..kernels.profiles import minimum_jerk
from .task import Task


class _Course(NamedTuple):
    """A plan from `begin` on, and what was followed before it."""

    plan: DcmPlan
    begin: float
    before: _Course | None
    since: float
    within: float
    residual: Array

    def at(self, t: float) -> tuple[Array, Array]:
        """Return ξ* and ξ̇*."""
        xi, rate = self.plan.dcm(t - self.begin)
        if self.before is None or t >= self.since + self.within:
            return xi, rate
        share, _, _ = minimum_jerk((t - self.since) / self.within)
        xi_before, rate_before = self.before.at(t)
        rate_before = rate_before + self.residual / self.plan.omega
        return xi_before + share * (xi - xi_before), rate_before + share * (rate - rate_before)


@dataclass(eq=False)
class DcmTask(Task):
    """Follow a plan's ξ: c̈ = ω² (c − r*) with r* = r + (1 + k/ω)(ξ − ξ*), and errors of ξ decay.

    The ground cannot push from outside the feet; what the contacts do not give, they leave.

    Attributes:
        target: a DcmPlan.
        feedback: k, at which rate errors of ξ decay, along the ground [1/s].
        gain: k² upwards [1/s²]; `damping` has no part.
        begin: when the plan's time starts [s].
    """

    feedback: float = field(default=4.0, kw_only=True)
    begin: float = field(default=0.0, kw_only=True)
    _before: _Course | None = field(default=None, init=False)
    _over: tuple[float, float] = field(default=(0.0, 0.0), init=False)
    _residual: Array = field(default_factory=lambda: np.zeros(3), init=False)

    def follow(
        self, plan: DcmPlan, begin: float, within: float, residual: ArrayLike = (0.0, 0.0, 0.0)
    ) -> None:
        """Go over to another plan.

        ξ* of a plan that is made anew is elsewhere, and torques would jump with r*; so r* goes
        over from the one plan's to the other's. It starts from the c̈ that was reached: what
        contacts could not give, and one that is made now could at once, is asked for gradually.

        Args:
            plan: the other one.
            begin: when its time starts [s].
            within: how long it takes to go over [s].
            residual: c̈ − c̈* of the last tick (3,) [m/s²].
        """
        before = self._before if begin < sum(self._over) else None
        self._before = _Course(self.target, self.begin, before, *self._over, self._residual)
        self.target, self.begin, self._over = plan, begin, (begin, within)
        self._residual = np.array(residual, dtype=float)

    def desired(self, t: float) -> tuple[Array, Array]:
        """Return ξ* and ξ̇*, each (3,); while it goes over to another plan, shares of both."""
        return _Course(self.target, self.begin, self._before, *self._over, self._residual).at(t)

    def bind(self, robot: Robot) -> int:
        """Check the plan, and that it is one for the robot's gravity."""
        if not isinstance(self.target, DcmPlan):
            raise ConfigurationError(f"target: got {self.target!r}; expected a DcmPlan")
        g, own = self.target.gravity.tolist(), robot._model.gravity.linear.tolist()
        if any(not abs(x - y) <= 1e-6 * abs(y) for x, y in zip(g, own, strict=True)):
            raise ConfigurationError(
                f"target: got a plan for the gravity {g}, expected {own} m/s², "
                f"that of {robot.name!r}"
            )
        return 3

    def error(self, state: State, t: float) -> Array:
        """Return ξ* − ξ (3,) [m]."""
        xi = state.com + state.com_velocity / self.target.omega
        return np.asarray(self.desired(t)[0] - xi)

    def jacobian(self, state: State) -> Array:
        """Return J_com (3, nv)."""
        return np.asarray(state.com_jacobian)

    def drift(self, state: State) -> Array:
        """Return J̇_com v (3,)."""
        return np.asarray(state.com_drift)

    def desired_velocity(self, state: State, t: float) -> Array:
        """Return ċ = ω (ξ* − c), by which the centre of mass follows ξ*."""
        return np.asarray(self.target.omega * (self.desired(t)[0] - state.com))

    def desired_acceleration(self, state: State, t: float, J: Array, error: Array) -> Array:
        """Return c̈ = ω² (c − r*) = ω² (c − ξ*) + ω ξ̇* + ω (ω + k)(ξ* − ξ)."""
        omega, (wanted, rate) = self.target.omega, self.desired(t)
        k = np.array([self.feedback, self.feedback, self.gain**0.5])
        return np.asarray(
            omega**2 * (state.com - wanted) + omega * rate + omega * (omega + k) * error
        )
