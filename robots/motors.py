"""Motors: between which torques the joints of a robot can be driven at a velocity.

    −braking(|v|) ≤ τ ≤ driving(|v|)  for v ≥ 0,      −driving(|v|) ≤ τ ≤ braking(|v|)  for v < 0

with the curves of each joint's `Motor`; at rest a torque drives. Without data about its motor a
joint has the symmetric limits of its description at every speed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import registry
from ..arrays import Array, Index
from ..errors import ConfigurationError
from .motor import Curve, Motor
from .values import array, boolean


class _Curves(NamedTuple):
    """Curves of all motors, (na, k) each, the last points repeated."""

    speeds: Array
    torques: Array

    @classmethod
    def of(cls, curves: list[Curve]) -> _Curves:
        most = max(map(len, curves), default=1) + 1
        # repeated points lie further on, so that no segment is without length
        padded = [
            [*c, *((c[-1][0] + 1.0 + i, c[-1][1]) for i in range(most - len(c)))] for c in curves
        ]
        points = np.array(padded, dtype=float).reshape(len(curves), most, 2)
        return cls(points[..., 0], points[..., 1])

    def at(self, speeds: Array) -> Array:
        """Torques (…, na) at speeds (…, na) ≥ 0."""
        rows, i = self._rows(speeds)
        start, end = self.speeds[rows, i], self.speeds[rows, i + 1]
        share = np.minimum(np.maximum((speeds - start) / (end - start), 0.0), 1.0)
        first, second = self.torques[rows, i], self.torques[rows, i + 1]
        between = (1.0 - share) * first + share * second  # exact at both ends
        return np.where(first == second, first, between)

    def slopes(self, speeds: Array) -> Array:
        """Their slopes; nan at the points where they bend."""
        rows, i = self._rows(speeds)
        slopes = np.where(speeds < self.speeds[:, 0], 0.0, self._steps[rows, i])
        return np.where((speeds[..., None] == self._bends).any(axis=-1), np.nan, slopes)

    @property
    def _steps(self) -> Array:
        """Slopes (na, k − 1) between points."""
        with np.errstate(invalid="ignore"):  # of infinite torques
            steps = np.diff(self.torques) / np.diff(self.speeds)
        return np.where(self.torques[:, 1:] == self.torques[:, :-1], 0.0, steps)

    @property
    def _bends(self) -> Array:
        """Speeds (na, k) of the points at which the slope changes, nan elsewhere."""
        still = np.zeros((len(self.speeds), 1))
        before, after = np.hstack([still, self._steps]), np.hstack([self._steps, still])
        return np.where(before != after, self.speeds, np.nan)

    def _rows(self, speeds: Array) -> tuple[Index, Index]:
        i = (speeds[..., None] >= self.speeds[:, 1:-1]).sum(axis=-1)
        return np.arange(len(self.speeds)), i


@dataclass(frozen=True, eq=False, repr=False)
class Motors:
    """The motors of a robot: between which torques its joints can be driven at a velocity.

    Attributes:
        joints: (na,) names, of the joint of each actuated row.
        rows: (na,), their entries in v (nv,).
        limits: (na,), `robot.torque_limits`, of joints without data about their motors.
        data: joint -> Motor, of those with data.
    """

    joints: tuple[str, ...]
    rows: Index
    nv: int
    limits: Array
    data: Mapping[str, Motor]

    @property
    def by_speed(self) -> bool:
        """Whether any bound depends on the velocity."""
        return bool(self.data)

    def bounds(self, v: ArrayLike, continuous: bool = False) -> tuple[Array, Array]:
        """Return the least and the largest torques at velocities v, infinite without limit.

        Args:
            v: (nv,) or (N, nv).
            continuous: whether those that motors can give for good.

        Returns:
            lower, upper: (na,) or (N, na) each [N·m or N].

        Raises:
            ConfigurationError: v of another shape or not finite, motors whose continuous torque
                nobody knows.
        """
        lower, upper = self.at_speeds(self._speeds(v))
        if boolean(continuous, "continuous"):
            most = self._continuous
            upper = np.minimum(upper, most)
            lower = np.minimum(np.maximum(lower, -most), upper)
        return lower, upper

    def slopes(self, v: ArrayLike) -> tuple[Array, Array]:
        """Return the derivatives of both bounds by each joint's velocity, shapes as of `bounds`.

        nan where a bound bends: at corner and no-load speeds, and at rest where driving and braking
        differ.
        """
        speeds = self._speeds(v)
        if not self.data:
            return np.zeros(speeds.shape), np.zeros(speeds.shape)
        driving, braking = (c.slopes(np.abs(speeds)) for c in (self._driving, self._braking))
        lower = np.where(speeds < 0, driving, -braking)
        upper = np.where(speeds < 0, -braking, driving)
        bent = (speeds == 0) & np.logical_not(self._smooth_at_rest)
        return np.where(bent, np.nan, lower), np.where(bent, np.nan, upper)

    def at_speeds(self, speeds: Array) -> tuple[Array, Array]:
        """Return the bounds at speeds (…, na) of the actuated rows, unchecked."""
        if not self.data:
            upper = np.array(np.broadcast_to(self.limits, speeds.shape))
            return -upper, upper
        size, back = np.abs(speeds), speeds < 0
        driving, braking = self._driving.at(size), self._braking.at(size)
        braking = np.where(speeds == 0, driving, braking)
        return -np.where(back, driving, braking), np.where(back, braking, driving)

    def _speeds(self, v: ArrayLike) -> Array:
        shapes = (self.nv,), (None, self.nv)
        checked = array(v, "v", *shapes, meaning="velocities [rad/s, m/s]")
        return np.asarray(checked[..., self.rows])

    @cached_property
    def _continuous(self) -> Array:
        known = {n: m.continuous for n, m in self.data.items() if np.isfinite(m.continuous)}
        if missing := [n for n in dict.fromkeys(self.joints) if n not in known]:
            raise ConfigurationError(
                f"continuous: not known of {', '.join(missing[:8])}{', …' * (len(missing) > 8)}; "
                "expected `continuous` of every motor"
            )
        return np.array([known[name] for name in self.joints])

    @cached_property
    def _smooth_at_rest(self) -> NDArray[np.bool_]:
        zero = np.zeros(len(self.rows))
        level = [c.slopes(zero) == 0 for c in (self._driving, self._braking)]
        same = self._driving.at(zero) == self._braking.at(zero)
        return np.asarray(level[0] & level[1] & same)

    @cached_property
    def _driving(self) -> _Curves:
        return self._curves("driving")

    @cached_property
    def _braking(self) -> _Curves:
        return self._curves("braking")

    def _curves(self, name: str) -> _Curves:
        pairs = zip(self.joints, self.limits.tolist(), strict=True)
        return _Curves.of(
            [getattr(self.data[n], name) if n in self.data else ((0.0, t),) for n, t in pairs]
        )

    _repr_html_ = registry.html_of

    def __repr__(self) -> str:
        known = sum(name in self.data for name in self.joints)
        return f"Motors({len(self.joints)} actuated joints, {known} with torque-speed data)"
