"""Motors of a robot: bounds of the joint torques as functions of velocity.

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
from .motor import Curve, Motor, torque_at
from .values import array, boolean


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
        """Whether there is data about any motor."""
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
        both = self._largest.slopes(np.concatenate([speeds, -speeds], axis=-1))
        return both[..., len(self.rows) :], both[..., : len(self.rows)]

    def at_speeds(self, speeds: Array) -> tuple[Array, Array]:
        """Return the bounds at speeds (…, na) of the actuated rows, unchecked."""
        if not self.data:
            upper = np.full(speeds.shape, self.limits)
            return -upper, upper
        na = len(self.rows)
        both = self._largest.at(np.concatenate([speeds, -speeds], axis=-1))
        return -both[..., na:], both[..., :na]

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
    def _largest(self) -> _Lines:
        """The largest torques over v, twice: the least ones at v are minus those at −v."""
        curves = [
            _over_velocity(self.data[name]) if name in self.data else ((0.0, float(most)),)
            for name, most in zip(self.joints, self.limits, strict=True)
        ]
        return _Lines.through([*curves, *curves])

    _repr_html_ = registry.html_of

    def __repr__(self) -> str:
        known = sum(name in self.data for name in self.joints)
        return f"Motors({len(self.joints)} actuated joints, {known} with torque-speed data)"


def _over_velocity(motor: Motor) -> Curve:
    """The largest torques of a motor over v: braking below zero, driving from there on."""
    braking = [(-speed, torque) for speed, torque in reversed(motor.braking) if speed > 0]
    driving = [point for point in motor.driving if point[0] > 0]
    at_rest = (0.0, torque_at(motor.braking, 0.0)), (0.0, torque_at(motor.driving, 0.0))
    return (*braking, *at_rest, *driving)


class _Lines(NamedTuple):
    """Piecewise linear functions, row by row: from each start on one line, the first from −∞.

    Attributes:
        starts: (rows, k), ascending, −inf first.
        points, values, gradients: (rows, k), values + gradients (x − points).
    """

    starts: Array
    points: Array
    values: Array
    gradients: Array

    @classmethod
    def through(cls, curves: list[Curve]) -> _Lines:
        """Return those through points, constant before the first and after the last."""
        most = max(map(len, curves)) + 1
        lines = np.zeros((4, len(curves), most))
        lines[0] = np.inf  # what is not needed never starts
        for row, curve in enumerate(curves):
            x, y = np.transpose(curve)
            rise, run = np.diff(y), np.diff(x)
            gradients = np.divide(rise, run, out=np.zeros_like(run), where=run > 0)
            n = len(x) + 1
            lines[0, row, :n] = -np.inf, *x
            lines[1, row, :n] = x[0], *x
            lines[2, row, :n] = y[0], *y
            lines[3, row, :n] = 0.0, *gradients, 0.0
        return cls(*lines)

    def at(self, x: Array) -> Array:
        """Values at x (…, rows)."""
        k = self._lines_of(x)
        points, values, gradients = (a.ravel()[k] for a in self[1:])
        return np.asarray(values + gradients * (x - points))

    def slopes(self, x: Array) -> Array:
        """Slopes at x (…, rows), nan where they change, or values do."""
        slopes = self.gradients.ravel()[self._lines_of(x)]
        near = np.nextafter(x, -np.inf)
        bent = self.gradients.ravel()[self._lines_of(near)] != slopes
        jumps = self._jumps_at(x)
        return np.where(bent | jumps, np.nan, slopes)

    def _jumps_at(self, x: Array) -> NDArray[np.bool_]:
        """Whether values jump at x, by more than rounding."""
        before, after = self.at(np.nextafter(x, -np.inf)), self.at(x)
        with np.errstate(invalid="ignore"):  # inf − inf
            return np.abs(after - before) > 1e-9 * (1.0 + np.abs(after))

    def _lines_of(self, x: Array) -> Index:
        """Which line is that of x, as an index into all of them."""
        rows, most = self.starts.shape
        among = (x[..., None] >= self.starts[:, 1:]).sum(axis=-1)
        return np.asarray(among + most * np.arange(rows))
