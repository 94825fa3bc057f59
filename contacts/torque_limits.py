"""Torque limits of joints: what `torque_limits=` accepts, and the bounds that it means.

    lower ≤ τ ≤ upper   is   |τ − m| ≤ half,   m = (lower + upper)/2,   half = (upper − lower)/2

so that Sᵀτ + Jᵀf + h = 0 with torques between bounds is the same balance of the load h + Sᵀm with
torques τ − m that are limited as much to both sides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Array, Index
from ..dynamics.per_robot import per_robot
from ..errors import ConfigurationError, counted, unknown, warn
from ..robots import Robot
from ..robots.configuration import check_robot
from ..robots.values import array

TorqueLimits = bool | ArrayLike | Mapping[str, float]  # as `torque_bounds_of` takes them
_NAME = "torque_limits"


@dataclass(frozen=True, eq=False)
class TorqueBounds:
    """lower ≤ τ ≤ upper of the actuated joints [N·m or N].

    Attributes:
        lower, upper: (na,), or (N, na) for as many states; ∓inf, both, of a joint without limit.
    """

    lower: Array
    upper: Array

    @classmethod
    def of(cls, torque_limits: Array | TorqueBounds) -> TorqueBounds:
        """Return bounds as they are, or symmetric ones of the largest |τ|."""
        if isinstance(torque_limits, TorqueBounds):
            return torque_limits
        return cls.about(torque_limits)

    @classmethod
    def about(cls, half: Array, middle: Array | None = None) -> TorqueBounds:
        """Return the bounds |τ − middle| ≤ half; None: about 0."""
        bounds = cls(-half, half) if middle is None else cls(middle - half, middle + half)
        known = {"symmetric": True} if middle is None else {"middle": middle}
        vars(bounds).update(known, half=half)
        return bounds

    def with_half(self, half: Array) -> TorqueBounds:
        """Return the bounds about the same middle, of joints without limit too."""
        return TorqueBounds.about(half, None if self.symmetric else self.middle)

    @cached_property
    def half(self) -> Array:
        """Half of what is between them, like `lower`; inf without limit."""
        return np.asarray((self.upper - self.lower) / 2)

    @cached_property
    def middle(self) -> Array:
        """What is in the middle of them, like `lower`; 0 without limit."""
        limited = np.isfinite(self.upper)
        with np.errstate(invalid="ignore"):
            return np.where(limited, (self.upper + self.lower) / 2, 0.0)

    @cached_property
    def limited(self) -> bytes:
        """Which joints have limits."""
        return np.isfinite(self.half).tobytes()

    @cached_property
    def rows(self) -> Array:
        """(1, R), `half` of those of one state, as kernels take them."""
        rows = np.ascontiguousarray(self.half[np.isfinite(self.half)][None])
        rows.setflags(write=False)
        return rows

    @cached_property
    def symmetric(self) -> bool:
        """Whether all torques are limited as much to both sides."""
        return not self.middle.any()

    def at(self, rows: Index | slice | int) -> TorqueBounds:
        """Return the bounds of some states, or of one, (na,)."""
        if self.lower.ndim == 1:
            return self
        if len(self.lower) == 1:  # a row for all
            rows = 0 if isinstance(rows, int | np.integer) else slice(None)
        return TorqueBounds(self.lower[rows], self.upper[rows])

    def shifted(self, robot: Robot, load: Array) -> Array:
        """Return h + Sᵀm (nv,) or (N, nv): what torques about the middles must balance."""
        if self.symmetric:
            return load
        rows = np.zeros((*self.middle.shape[:-1], robot.nv))
        rows[..., robot.actuated_rows] = self.middle
        return load + rows


def torque_bounds_of(
    robot: Robot, torque_limits: TorqueLimits, v: Array | None = None, *, many: bool = False
) -> TorqueBounds:
    """Return the bounds that `torque_limits` means.

    Args:
        robot: whose joints.
        torque_limits: True takes those of the robot's motors, as `robot.motors.bounds(v)`, of
            joints without data about them those of the description, with one warning about joints
            for which it gives none or zero; False none; a number or (na,) the largest |τ|, 1 being
            one newton metre; {joint: limit} those of True, but of some joints others (weak, hot
            or broken motors); a tuple (lower, upper) of (na,), which need not be symmetric.
        v: (nv,) or (N, nv), velocities, at which motors are asked; at rest by default.
        many: whether arrays may be (N, na) too, a row for each state of a batch.

    Raises:
        ConfigurationError: arrays of the wrong shape, nan, negative limits, lower above upper, only
            one of them infinite, a joint without a motor.
    """
    check_robot(robot)
    if isinstance(torque_limits, bool | np.bool_):
        if not torque_limits:
            return _unlimited(robot)
        _warn_unlimited(robot)
        if not robot.motors.by_speed:
            return _of_description(robot)
        return TorqueBounds(*robot.motors.bounds(np.zeros(robot.nv) if v is None else v))
    if isinstance(torque_limits, Mapping):
        return _with_others(robot, torque_bounds_of(robot, True, v, many=many), torque_limits)
    shapes = ((robot.na,), (None, robot.na)) if many else ((robot.na,),)
    # two numbers are the limits of two joints
    if isinstance(torque_limits, tuple) and [np.ndim(x) > 0 for x in torque_limits] == [True] * 2:
        pair: Any = {"meaning": "(lower, upper), ∓inf for unlimited", "infinite": True}
        lower = -array(_negative(torque_limits[0]), f"{_NAME}[0]", *shapes, **pair)
        return _between(lower, array(torque_limits[1], f"{_NAME}[1]", *shapes, **pair))
    meaning = (
        "one for all actuated joints or one each, inf for unlimited; {joint: limit}; a pair "
        "(lower, upper); or True, False"
    )
    given: Any = {"meaning": meaning, "at_least": 0, "infinite": True}
    half = array(torque_limits, _NAME, (), *shapes, **given)
    return TorqueBounds.about(half if half.ndim else np.full(robot.na, half))


def change_with_speed(robot: Robot, torque_limits: TorqueLimits) -> NDArray[np.bool_]:
    """Return (na,), True for joints whose bounds depend on v."""
    asked = isinstance(torque_limits, bool | np.bool_) and bool(torque_limits)
    named = torque_limits if isinstance(torque_limits, Mapping) else None
    found = np.full(robot.na, robot.motors.by_speed and (asked or named is not None))
    for joint in named or ():
        found[_rows(robot, joint)] = False
    return found


def _rows(robot: Robot, joint: str) -> list[int]:
    """Where the motors of a joint are in S."""
    if joint not in robot.actuated:
        raise ConfigurationError(f"{_NAME}: {unknown('actuated joint', joint, robot.actuated)}")
    return [k for k, row in enumerate(robot.actuated_rows) if robot.joint_of_row[row] == joint]


def _with_others(robot: Robot, usual: TorqueBounds, others: Mapping[str, float]) -> TorqueBounds:
    lower, upper = usual.lower.copy(), usual.upper.copy()
    for joint, limit in others.items():
        rows = _rows(robot, joint)
        most = array(limit, f"{_NAME}[{joint!r}]", (), at_least=0, infinite=True)
        lower[..., rows], upper[..., rows] = -most, most
    return TorqueBounds(lower, upper)


@per_robot
def _of_description(robot: Robot) -> TorqueBounds:
    return TorqueBounds.about(robot.torque_limits)


@per_robot
def _unlimited(robot: Robot) -> TorqueBounds:
    return TorqueBounds.about(np.full(robot.na, np.inf))


def _warn_unlimited(robot: Robot) -> None:
    """Warn of joints that the description gives no limit."""
    if names := robot.unlimited_joints:
        warn(
            f"{robot.name!r}: no torque limit for {counted(len(names), 'joint')}, taken as "
            f"unlimited: {', '.join(names[:8])}{', …' if len(names) > 8 else ''}"
        )


def _negative(value: Any) -> Any:
    """−x, for `array` to allow −inf as it does inf; `array` refuses what are not numbers."""
    values = np.asarray(value)
    return -values if values.dtype.kind in "fiu" else value


def _between(lower: Array, upper: Array) -> TorqueBounds:
    rows = {len(x) for x in (lower, upper) if x.ndim > 1} - {1}
    if len(rows) > 1:
        raise ConfigurationError(
            f"{_NAME}: got {len(lower)} rows of lower and {len(upper)} of upper bounds, expected "
            "as many"
        )
    lower, upper = np.broadcast_arrays(lower, upper)
    crossed = np.argwhere(lower > upper)
    if len(crossed):
        at = tuple(crossed[0].tolist())
        raise ConfigurationError(
            f"{_NAME}: got lower {lower[at]:g} above upper {upper[at]:g} at index "
            f"{', '.join(map(str, at))}"
        )
    if (np.isfinite(lower) != np.isfinite(upper)).any():
        raise ConfigurationError(
            f"{_NAME}: got a joint with one infinite bound, expected both or none"
        )
    return TorqueBounds(lower, upper)
