"""Loads along a motion: payloads carried from one time to another, and wrenches along time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array
from ...dynamics import Wrench, batch
from ...dynamics.motions.motion import Motion
from ...errors import ContactError
from ...robots.values import array, instance, number, sequence, text, vector
from ..frames_along import frame_torques, frame_twists
from ..loads_along import about_base, about_origin


@dataclass(frozen=True, eq=False)
class Load(ABC):
    """A wrench of the environment on a frame along a motion.

    Attributes:
        frame: of the link, by name.
        at: where it acts, (x, y, z) in the frame's axes [m]; its origin when not given.
    """

    frame: str
    at: ArrayLike | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        text(self.frame, "frame", error=ContactError)
        if self.at is not None:
            at = vector(self.at, "at", error=ContactError, frozen=True)
            object.__setattr__(self, "at", at)

    def _arms(self, motion: Motion) -> Array:
        """Return where it acts from the frame's origin, (n, 3), world axes [m]."""
        R = batch.frame_placement(motion.robot, motion.q, self.frame)[:, :3, :3]
        return np.asarray(R @ (np.zeros(3) if self.at is None else np.asarray(self.at)))

    @abstractmethod
    def wrenches(self, motion: Motion) -> Array:
        """Return [f; m] (n, 6) about the frame's origin at each sample, world axes [N, N·m]."""


@dataclass(frozen=True, eq=False)
class CarriedMass(Load):
    """A mass that a frame carries: a point that moves with it, with f = m (g − a) on the robot.

    a is the acceleration of the point, p̈ = a_f + α × r + ω × (ω × r), from q, v and a of the
    motion: the same as a robot with that mass welded to it.

    Attributes:
        frame, at: as for `Load`; `at` its centre of mass.
        mass: [kg].
        start, end: from when to when it is carried, both included [s]; always when not given.
        ramp: in which it is taken up, and put down again, before the end: its weight grows and
            falls linearly [s].
    """

    mass: float
    start: float | None = field(default=None, kw_only=True)
    end: float | None = field(default=None, kw_only=True)
    ramp: float = field(default=0.0, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        number(self.mass, "mass", at_least=0, unit="[kg]", error=ContactError)
        number(self.ramp, "ramp", at_least=0, unit="[s]", error=ContactError)
        for name in ("start", "end"):
            if (value := getattr(self, name)) is not None:
                number(value, name, unit="[s]", error=ContactError)
        start, end = self._times
        if not start <= end:
            raise ContactError(f"end: got {end:g} s, expected at least start = {start:g}")

    @property
    def _times(self) -> tuple[float, float]:
        """From when to when, ∓inf where it is not told."""
        start, end = self.start, self.end
        return -np.inf if start is None else start, np.inf if end is None else end

    def share(self, t: ArrayLike) -> Array:
        """Return how much of it is carried at times (n,), from 0 to 1."""
        times, (start, end) = array(t, "t", (None,), error=ContactError), self._times
        on = (times >= start - 1e-9) & (times <= end + 1e-9)
        if not self.ramp:
            return on.astype(float)
        room = np.minimum(times - start, end - times) / self.ramp
        return np.asarray(np.clip(room, 0.0, 1.0) * on)

    def wrenches(self, motion: Motion) -> Array:
        """Return m (g − p̈) and its moment (n, 6), in the share that is carried."""
        robot, r = instance(motion, "motion", Motion, error=ContactError).robot, self._arms(motion)
        twists = frame_twists(robot, motion.q, motion.v, self.frame)
        rates = frame_twists(robot, motion.q, motion.a, self.frame)
        rates += batch.frame_drift(robot, motion.q, motion.v, self.frame)
        w, alpha = twists[:, 3:], rates[:, 3:]
        a = rates[:, :3] + np.cross(alpha, r) + np.cross(w, np.cross(w, r))
        gravity = np.asarray(robot._model.gravity.linear)
        f = (self.mass * self.share(motion.t))[:, None] * (gravity - a)
        return np.hstack([f, np.cross(r, f)])

    def __str__(self) -> str:
        return f"{self.frame} carries {self.mass:g} kg{_when(*self._times)}"


@dataclass(frozen=True, eq=False)
class AppliedWrench(Load):
    """A force and a moment on a frame, linear between given times, none before and after.

    Attributes:
        frame, at: as for `Load`.
        t: (k,) times [s], increasing.
        force: (k, 3), world axes [N]; or (3,), the same at all times.
        moment: likewise, about the point where it acts [N·m].
    """

    t: ArrayLike
    force: ArrayLike = (0.0, 0.0, 0.0)
    moment: ArrayLike = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        t = array(self.t, "t", (None,), error=ContactError, frozen=True)
        if len(t) < 2 or (np.diff(t) <= 0).any():
            raise ContactError("t: expected at least two times [s], increasing")
        object.__setattr__(self, "t", t)
        for name in ("force", "moment"):
            value = array(getattr(self, name), name, (3,), (len(t), 3), error=ContactError)
            object.__setattr__(self, name, np.broadcast_to(value, (len(t), 3)).copy())

    def wrenches(self, motion: Motion) -> Array:
        """Return force and moment at the motion's times (n, 6), about the frame's origin."""
        t = instance(motion, "motion", Motion, error=ContactError).t
        times, known = np.asarray(self.t), np.hstack([self.force, self.moment])
        w = np.column_stack([np.interp(t, times, x, left=0.0, right=0.0) for x in known.T])
        w[:, 3:] += np.cross(self._arms(motion), w[:, :3])
        return w

    def __str__(self) -> str:
        times = np.asarray(self.t)
        most = float(np.linalg.norm(np.asarray(self.force), axis=1).max())
        when = _when(float(times[0]), float(times[-1]))
        return f"{self.frame} is pushed by up to {most:.4g} N{when}"


def wrenches_along(motion: Motion, loads: Iterable[Load]) -> dict[str, Array]:
    """Return {frame: [f; m] (n, 6)} of loads, added up for each frame, about its origin.

    World axes [N, N·m]; as `contacts.batch.contact_forces` takes them.

    Raises:
        ContactError: no loads.
        ConfigurationError: a frame that the robot does not have.
    """
    instance(motion, "motion", Motion, error=ContactError)
    found: dict[str, Array] = {}
    for load in sequence(loads, "loads", Load, error=ContactError):
        wrenches = load.wrenches(motion)
        found[load.frame] = found[load.frame] + wrenches if load.frame in found else wrenches
    return found


def with_loads(
    motion: Motion, loads: Iterable[Load], wrenches: Mapping[str, Wrench | Array] | ArrayLike | None
) -> Mapping[str, Wrench | Array] | ArrayLike | None:
    """Return loads and wrenches, as `contacts.batch.contact_forces` takes them, as one.

    Raises:
        ContactError: loads along with wrenches in other axes than the world's.
    """
    found, robot, q = wrenches_along(motion, loads), motion.robot, motion.q
    if isinstance(wrenches, Mapping):
        wrenches = {frame: _rows(motion, frame, w) for frame, w in wrenches.items()}
    if not found or wrenches is None:
        return dict(found) or wrenches
    if not isinstance(wrenches, Mapping):
        wrenches = {robot.base_joint: about_base(robot, q, wrenches)}
    for frame, wrench in wrenches.items():
        if isinstance(wrench, Wrench) and wrench.axes != "world":
            raise ContactError(f"wrenches[{frame!r}]: got axes {wrench.axes!r}, expected 'world'")
        found[frame] = about_origin(robot, q, frame, wrench) + found.get(frame, 0.0)
    return found


def _rows(motion: Motion, frame: str, wrench: Any) -> Wrench | Array:
    """A wrench, or its rows at all samples, checked."""
    if isinstance(wrench, Wrench):
        return wrench
    shape = (len(motion), 6)
    meaning = "a Wrench, or [force; moment] at each sample"
    return array(wrench, f"wrenches[{frame!r}]", shape, meaning=meaning, error=ContactError)


def load_torques(motion: Motion, loads: Iterable[Load]) -> Array:
    """Return τ_ext = Σ Jᵀw (n, nv) of loads along a motion [N, N·m].

    Raises:
        ContactError: no loads.
        ConfigurationError: a frame that the robot does not have.
    """
    total = np.zeros((len(instance(motion, "motion", Motion, error=ContactError)), motion.robot.nv))
    for frame, wrenches in wrenches_along(motion, loads).items():
        total += frame_torques(motion.robot, motion.q, frame, wrenches)
    return total


def _when(start: float, end: float) -> str:
    if start == -np.inf and end == np.inf:
        return ""
    first = "" if start == -np.inf else f" from {start:.4g}"
    return first + (" s on" if end == np.inf else f" to {end:.4g} s")
