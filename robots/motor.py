"""Motor: the largest torques of one motor over its speed, with and against the motion.

With the motion (driving) a motor gives its peak torque up to its corner speed; from there the
voltage that its own rotation takes leaves less and less, down to none at the no-load speed. Against
the motion (braking) that voltage helps, and the peak stays.

Sources: A. Hughes, B. Drury, "Electric Motors and Drives" (2019), chapters 3 and 4 (four
quadrants); M. Mittal et al., "Orbit" (IEEE RA-L 2023) and the actuator models of Isaac Lab.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ConfigurationError
from .values import array, number

Curve = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Motor:
    """Largest torques of one motor, at its joint, as functions of the joint's speed |v|.

    The torque is linear between points, and constant before the first and after the last.

    Attributes:
        driving: ((speed, torque), …), with the motion, speeds ascending [rad/s, N·m; m/s, N].
            A negative torque means that the motor can only brake at that speed.
        braking: the same against the motion; driving's largest torque at every speed by default.
        continuous: largest |τ| that it can sustain without overheating; inf: not known.

    Raises:
        ConfigurationError: no points, speeds that do not ascend, bounds that cross.
    """

    driving: Curve
    braking: Curve = ()
    continuous: float = np.inf

    def __post_init__(self) -> None:
        driving = _curve(self.driving, "driving")
        level = ((0.0, max(torque for _, torque in driving)),)
        missing = isinstance(self.braking, tuple) and not self.braking
        braking = _curve(level if missing else self.braking, "braking")
        object.__setattr__(self, "driving", driving)
        object.__setattr__(self, "braking", braking)
        most = number(self.continuous, "continuous", above=0, infinite=True, unit="[N·m]")
        object.__setattr__(self, "continuous", most)
        if not max(torque for _, torque in driving) > 0:
            raise ConfigurationError("driving: got no torque above 0, expected some")
        for speed in {s for s, _ in (*driving, *braking)}:
            top, bottom = torque_at(driving, speed), -torque_at(braking, speed)
            if bottom > top:
                raise ConfigurationError(
                    f"braking: got τ ≥ {bottom:g} and τ ≤ {top:g} at the speed {speed:g}; "
                    "expected braking of at least −driving"
                )

    @classmethod
    def of(
        cls,
        peak: float,
        no_load: float = np.inf,
        corner: float = 0.0,
        *,
        braking: float | None = None,
        continuous: float = np.inf,
    ) -> Motor:
        """Return a motor with its peak torque up to a corner speed, falling to 0 at the no-load
        speed.

        Beyond the no-load speed it cannot drive, and brakes no more than it is told to.

        Args:
            peak: torque at rest and up to the corner speed [N·m or N].
            no_load: speed at which no torque is left [rad/s or m/s]; inf: the peak at any speed.
            corner: speed from which the torque falls; 0: a straight line from rest.
            braking: largest torque against the motion; the peak by default.
            continuous: see above.
        """
        peak = number(peak, "peak", above=0, unit="[N·m]")
        corner = number(corner, "corner", at_least=0, unit="[rad/s]")
        no_load = number(no_load, "no_load", above=corner, infinite=True, unit="[rad/s]")
        most = peak if braking is None else number(braking, "braking", above=0, unit="[N·m]")
        if np.isinf(no_load) and corner > 0:
            raise ConfigurationError("no_load: got none with a corner speed; expected both")
        falling = ((corner, peak), (no_load, 0.0)) if np.isfinite(no_load) else ((0.0, peak),)
        return cls(falling, ((0.0, most),), continuous)

    @classmethod
    def dc(
        cls,
        saturation_effort: float,
        effort_limit: float,
        velocity_limit: float,
        *,
        continuous: float = np.inf,
    ) -> Motor:
        """Return the motor that Isaac Lab's `DCMotorCfg` means, the same bounds at every speed.

            −limit or more, and −s (1 + v/v₀) ≤ τ ≤ s (1 − v/v₀),  limit or less

        Beyond v₀ its own voltage brakes it, with up to the limit.

        Args:
            saturation_effort: s, where the line of driving torques starts at rest [N·m].
            effort_limit: largest |τ| that it is allowed [N·m].
            velocity_limit: v₀, speed without load [rad/s].
            continuous: see above.
        """
        s = number(saturation_effort, "saturation_effort", above=0, unit="[N·m]")
        limit = number(effort_limit, "effort_limit", above=0, unit="[N·m]")
        v0 = number(velocity_limit, "velocity_limit", above=0, unit="[rad/s]")
        corner, last = v0 * (1 - min(limit, s) / s), v0 * (1 + limit / s)
        points = (corner, min(limit, s)), (v0, 0.0), (last, -limit)
        return cls(points, ((0.0, limit),), continuous)

    @classmethod
    def measured(
        cls, X1: float, X2: float, Y1: float, Y2: float | None = None, *, continuous: float = np.inf
    ) -> Motor:
        """Return the motor of Unitree's test curves, X1, X2, Y1 and Y2 of its `UnitreeActuatorCfg`.

        Driving and braking torques are available up to X1 and fall to 0 at X2. At rest the torque
        is Y1.

        Args:
            X1: largest speed with full torque; X2: speed without load [rad/s].
            Y1: peak torque with the motion; Y2: against it, Y1 by default [N·m].
            continuous: see above.
        """
        X1 = number(X1, "X1", at_least=0, unit="[rad/s]")
        X2 = number(X2, "X2", above=X1, unit="[rad/s]")
        Y1 = number(Y1, "Y1", above=0, unit="[N·m]")
        Y2 = Y1 if Y2 is None else number(Y2, "Y2", above=0, unit="[N·m]")
        return cls(((X1, Y1), (X2, 0.0)), ((X1, Y2), (X2, 0.0)), continuous)

    def geared(self, ratio: float, efficiency: float = 1.0) -> Motor:
        """Return it behind a gear: its torques × ratio × efficiency, its speeds / ratio."""
        ratio = number(ratio, "ratio", above=0)
        by = ratio * number(efficiency, "efficiency", above=0, at_most=1)
        driving, braking = (
            tuple((speed / ratio, torque * by) for speed, torque in curve)
            for curve in (self.driving, self.braking)
        )
        return Motor(driving, braking, self.continuous * by)

    @property
    def peak(self) -> float:
        """Its largest torque at any speed, whatever the direction [N·m or N]."""
        return max(torque for _, torque in (*self.driving, *self.braking))


def _curve(points: Any, name: str) -> Curve:
    """Points as floats, in ascending speed."""
    found = array(points, name, (None, 2), meaning="(speed, torque) each [rad/s, N·m]")
    if not len(found):
        raise ConfigurationError(f"{name}: got no points, expected (speed, torque) each")
    speeds = found[:, 0]
    if speeds[0] < 0 or (np.diff(speeds) <= 0).any():
        raise ConfigurationError(
            f"{name}: got the speeds {speeds.tolist()}; expected them ascending, from 0 or above"
        )
    if name == "braking" and (found[:, 1] < 0).any():
        raise ConfigurationError(f"braking: got {found[:, 1].min():g}, expected at least 0")
    return tuple((float(speed), float(torque)) for speed, torque in found)


def torque_at(curve: Curve, speed: float) -> float:
    """Return the torque of a curve at a speed [N·m or N]."""
    return float(np.interp(speed, *np.transpose(curve)))
