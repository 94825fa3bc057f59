"""Low-pass filtering of configurations, with velocities and accelerations, and its residual."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import Array
from ...errors import ConfigurationError
from ...robots.robot import Robot
from ...robots.values import number
from ..topology import translations
from . import curves, noise

AUTO = "auto"
_NOTHING = 1e-7  # [m or rad]: rounding
_JITTER = 0.02  # of the time between samples: what rounding of times makes
_LONGEST = 10  # times as long as its samples: beyond, most of a motion would be splines over gaps
_RARE = 0.5  # [s] between samples: times are frames or milliseconds


@dataclass(frozen=True, eq=False, repr=False)
class Smoothing:
    """Effect of a low-pass filter on a motion.

    Attributes:
        robot: who moves.
        cutoff: of the filter [Hz]; None: there was none.
        why: how the cut-off was chosen, or why there was no filter.
        removed: (nv,) root mean square of what it took away of each coordinate [m or rad].
        acceleration: (nv,) the same of the accelerations [m/s² or rad/s²].
    """

    robot: Robot
    cutoff: float | None
    why: str
    removed: Array
    acceleration: Array

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks about it, in words."""
        if self.cutoff is None:
            return (f"not smoothed: {self.why}",)
        words = " and ".join(self._taken()) or "nothing"
        return (f"smoothed at {self.cutoff:.3g} Hz ({self.why}), which takes away (rms) {words}",)

    def _taken(self) -> Iterator[str]:
        """What was taken away of the base, and of the joint that loses the most acceleration."""
        first = 6 if self.robot.is_floating else 0
        parts = [("m", slice(0, 3)), ("rad", slice(3, 6))] if first else []
        for unit, at in parts:
            if _rms(self.removed[at]) > _NOTHING:
                yield self._of("the base", unit, at)
        if self.removed[first:].max(initial=0) > _NOTHING:
            worst = first + int(self.acceleration[first:].argmax())
            unit = "m" if translations(self.robot)[worst] else "rad"
            yield self._of(self.robot.joint_of_row[worst], unit, slice(worst, worst + 1))

    def _of(self, name: str, unit: str, at: slice) -> str:
        removed, acceleration = _rms(self.removed[at]), _rms(self.acceleration[at])
        return f"{1e3 * removed:.2g} m{unit}, {acceleration:.2g} {unit}/s² of {name}"


def _rms(values: Array) -> float:
    return float(np.sqrt((values**2).sum()))


def derived(robot: Robot, t: Array, q: Array, cutoff: Any) -> tuple[Array, Array, Array, Smoothing]:
    """Return (q, v, a) of configurations at a steady rate, smoothed, and what smoothing did."""
    rate = (len(t) - 1) / (t[-1] - t[0]) if len(t) > 1 else 1.0
    wanted, why = _cutoff(robot, q, rate, cutoff)
    v, a = curves.rates_of_any(robot, q, rate)
    if wanted is None:
        return q, v, a, Smoothing(robot, None, why, *np.zeros((2, robot.nv)))
    x, v_smooth, a_smooth = curves.smoothed(robot, q, rate, wanted)
    before = curves.continuous(robot, q)
    removed = np.sqrt((curves.tangent(robot, before, x - before) ** 2).mean(axis=0))
    acceleration = np.sqrt(((a - a_smooth) ** 2).mean(axis=0))
    return x, v_smooth, a_smooth, Smoothing(robot, wanted, why, removed, acceleration)


def _cutoff(robot: Robot, q: Array, rate: float, cutoff: Any) -> tuple[float | None, str]:
    """The cut-off [Hz] that is asked for or found, and why that one or none."""
    if cutoff is None:
        return None, "as asked"
    if cutoff != AUTO:
        if isinstance(cutoff, str):
            raise ConfigurationError(
                f"cutoff: got {cutoff!r}; expected a number [Hz], 'auto' or None"
            )
        wanted = number(cutoff, "cutoff", above=0, unit="[Hz]")
        if robot.closures:
            raise ConfigurationError(
                f"cutoff: got {wanted:g} Hz for {robot.name!r}, whose closures a filter would "
                "open; expected None"
            )
        return wanted, "as asked"
    if robot.closures:
        return None, "a filter would open the closures"
    if len(q) < noise.SHORTEST:
        return None, f"noise shows in {noise.SHORTEST} samples, not in {len(q)}"
    found = noise.found_cutoff(curves.continuous(robot, q), rate)
    if found is None:
        return None, f"noise causes less than {noise.HARMLESS:g} m/s² or rad/s²"
    return found, "where noise is as strong as the motion"


def uniform(robot: Robot, t: Array, q: Array) -> tuple[Array, Array, tuple[str, ...]]:
    """Return times at a steady rate, the configurations there, and what is to be said of it."""
    if len(t) < 3:
        return t, q, ()
    even = np.linspace(t[0], t[-1], len(t))
    step = even[1] - even[0]
    away = float(np.abs(t - even).max() / step)
    if away < 1e-6:
        return t, q, ()
    if away <= _JITTER:
        return even, q, (f"times differ from a steady rate by up to {1e3 * away * step:.2g} ms, as "
                         f"when rounded: taken at {1 / step:.6g} Hz",)  # fmt: skip
    steps = np.diff(t)
    usual = float(np.median(steps))
    if t[-1] - t[0] > _LONGEST * len(t) * usual:
        k = int(steps.argmax())
        raise ConfigurationError(
            f"t: got no samples from {t[k]:g} to {t[k + 1]:g} s; expected one every {usual:g} s"
        )
    times = np.linspace(t[0], t[-1], round((t[-1] - t[0]) / usual) + 1)
    said = (
        f"the time between samples varies ({steps.min():.4g} to {steps.max():.4g} s): "
        f"resampled at {(len(times) - 1) / (t[-1] - t[0]):.6g} Hz"
    )
    return times, curves.interpolated(robot, t, q, times), (said,)


def rare(t: Array) -> tuple[str, ...]:
    """Return what is to be said of times that seem to be none in seconds."""
    step = float(np.median(np.diff(t))) if len(t) > 1 else 0.0
    return (f"a sample every {step:g} s: are its times in seconds?",) if step > _RARE else ()
