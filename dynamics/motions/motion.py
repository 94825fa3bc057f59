"""Motion: configurations, velocities and accelerations of a robot along time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array
from ...errors import ConfigurationError
from ...files import as_path
from ...robots.configuration import check_robot
from ...robots.robot import Robot
from ...robots.values import array, instance, number, text, texts
from .agreement import contradictions
from .curves import configurations
from .sampled_states import SampledStates, between
from .smoothing import AUTO, Smoothing, derived, rare, uniform


@dataclass(frozen=True, eq=False, repr=False)
class Motion(SampledStates):
    """A sampled motion: what a robot is to do, or did.

    Attributes:
        robot: who moves.
        t: (n,) times [s], increasing.
        q: (n, nq) configurations.
        v: (n, nv) velocities.
        a: (n, nv) accelerations, the rates of v.
        name: what it is called in reports, such as the file's name.
        notes: what was assumed, mended or left out on the way here, in words.
        smoothing: what a filter took away; None where v and a were given.
    """

    a: Array
    name: str = "motion"
    notes: tuple[str, ...] = ()
    smoothing: Smoothing | None = None

    def __post_init__(self) -> None:
        robot = check_robot(self.robot)
        object.__setattr__(self, "t", increasing(self.t))
        object.__setattr__(self, "q", configurations(robot, self.q))
        object.__setattr__(self, "notes", texts(self.notes, "notes"))
        text(self.name, "name")
        if self.smoothing is not None:
            instance(self.smoothing, "smoothing", Smoothing)
        for name in ("v", "a"):
            value = array(getattr(self, name), name, (None, robot.nv))
            object.__setattr__(self, name, value)
        for name in ("q", "v", "a"):
            if len(getattr(self, name)) != len(self.t):
                raise ConfigurationError(
                    f"{name}: got {len(getattr(self, name))} samples; expected {len(self.t)}, one "
                    "at each time of t"
                )
        for name in ("t", "q", "v", "a"):  # its own, whatever becomes of the arguments
            object.__setattr__(self, name, getattr(self, name).copy())

    @classmethod
    def of(
        cls,
        robot: Robot,
        t: ArrayLike,
        q: ArrayLike,
        v: ArrayLike | None = None,
        a: ArrayLike | None = None,
        *,
        cutoff: float | str | None = AUTO,
        name: str = "motion",
        notes: Iterable[str] = (),
    ) -> Motion:
        """Return the motion through configurations q at times t.

        Where v and a are not given they are derivatives on the manifold: of q, by finite
        differences over nine samples (fewer near the ends), after a low-pass filter without phase
        lag (fourth order, see `filters.lowpass`) that is applied to q too. Times without a steady
        rate are resampled first, by quintic splines. A given v is kept, and then so is q; a is its
        derivative. Where v contradicts the derivative of q, `notes` say so.

        Args:
            robot: who moves.
            t: (n,) times [s], increasing.
            q: (n, nq) configurations.
            v: (n, nv) velocities, base part in the base's axes.
            a: (n, nv) accelerations; only with v.
            cutoff: of the filter [Hz]; "auto": where `noise.found_cutoff` tells noise from motion,
                and no filter where noise does no harm, there are fewer than 50 samples, or the
                robot has closures; None: no filter.
            name: what it is called in reports.
            notes: what is to be said of it.

        Raises:
            ConfigurationError: values that do not fit; a cut-off given along with v; a without v.
        """
        times, Q = increasing(t), configurations(robot, q)
        if len(Q) != len(times):
            raise ConfigurationError(f"q: got {len(Q)} samples at {len(times)} times of t")
        said = list(texts(notes, "notes"))
        if v is None:
            if a is not None:
                raise ConfigurationError(
                    "a: got accelerations without v; expected both, or v alone"
                )
            times, Q, more = uniform(robot, times, Q)
            Q, V, A, smoothing = derived(robot, times, Q, cutoff)
            said += [*more, *rare(times), *smoothing.notes]
            return cls(robot, times, Q, V, A, name, tuple(said), smoothing)
        if cutoff not in (AUTO, None):
            raise ConfigurationError(
                f"cutoff: got {cutoff!r} Hz along with v, which is kept; expected q alone to filter"
            )
        V = array(v, "v", (len(times), robot.nv))
        A = _slope(times, V) if a is None else array(a, "a", (len(times), robot.nv))
        said += contradictions(robot, times, Q, V, None if a is None else A)
        return cls(robot, times, Q, V, A, name, tuple(said))

    def part(self, start: float | None = None, stop: float | None = None) -> Motion:
        """Return the samples from one time to another, both included [s]; their times stay.

        Raises:
            ConfigurationError: no sample is between them.
        """
        rows = between(self.t, start, stop)
        return replace(self, **{name: getattr(self, name)[rows] for name in ("t", "q", "v", "a")})

    def slower(self, factor: float) -> Motion:
        """Return the same path in `factor` times the time: v is divided by the factor, a by its
        square."""
        factor = number(factor, "factor", above=0)
        t = self.t[0] + (self.t - self.t[0]) * factor
        return replace(self, t=t, v=self.v / factor, a=self.a / factor**2)

    def save(self, path: str | Path) -> Path:
        """Write a file that `read_motion` reads again: .npz to the bit, .csv as a table.

        Raises:
            ConfigurationError: another suffix.
            FootworkError: the file cannot be written.
        """
        from .saving import save

        return save(self, as_path(path))

    def __repr__(self) -> str:
        return (
            f"Motion({self.name!r} of {self.robot.name!r}, {len(self)} samples over "
            f"{self.duration:.4g} s)"
        )


def as_motion(value: Any) -> Motion:
    """Return a motion; of a Trajectory or a ClosedLoop with the accelerations that it has.

    Of configurations at times make it by `Motion.of(robot, t, q)`.

    Raises:
        ConfigurationError: something else.
    """
    if isinstance(value, Motion):
        return value
    if not isinstance(value, SampledStates):
        raise ConfigurationError(
            f"motion: got {value!r:.80}, expected a Motion, as Motion.of(robot, t, q) makes it, "
            "or a Trajectory"
        )
    a = getattr(value, "accelerations", None)
    known = a is not None and np.shape(a) == np.shape(value.v)
    return Motion.of(value.robot, value.t, value.q, value.v, a if known else None)


def increasing(t: ArrayLike) -> Array:
    """Return times (n,) [s], n ≥ 1, each after the one before.

    Raises:
        ConfigurationError: none, or times that do not increase; which ones.
    """
    times = array(t, "t", (None,), meaning="times [s]")
    back = np.flatnonzero(np.diff(times) <= 0)
    if not len(times) or len(back):
        got = f"{times[back[0]]:.15g} s, then {times[back[0] + 1]:.15g} s" if len(back) else "none"
        at = f" at sample {back[0] + 1}" if len(back) else ""
        raise ConfigurationError(f"t: got {got}{at}; expected at least one time [s], increasing")
    return times


def _slope(t: Array, v: Array) -> Array:
    """Derivative (n, k) of samples at any times: of the parabolas through three."""
    if len(t) < 2:
        return np.zeros_like(v)
    return np.asarray(np.gradient(v, t, axis=0, edge_order=2 if len(t) > 2 else 1))
