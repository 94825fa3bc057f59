"""Contact schedule: which contacts touch at which time of a motion."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...arrays import Array
from ...dynamics.motions.motion import Motion
from ...dynamics.motions.sampled_states import between
from ...errors import ContactError, unknown
from ...robots import Foot, Robot
from ...robots.configuration import check_robot
from ...robots.values import array, instance, mapping, number, sequence
from ..cones.friction_cone import Friction
from ..contact_set import ContactSet
from . import schedule_file, schedule_reading
from .corners import at_corners
from .intervals import Interval, intervals_of
from .report import Finding
from .timed_loads import Load

Times = Mapping[str, Iterable[tuple[float, float]]]


@dataclass(frozen=True, eq=False, repr=False)
class ContactSchedule:
    """Which contacts touch at each time of a motion, and what is carried.

    Attributes:
        contacts: the C contacts that touch at some time, the corners of a sole one by one.
        t: (n,) times [s], increasing.
        touching: (n, C), which touch.
        certainty: (n, C), from 0 (as likely as not) to 1, of `touching`; 1 where it was given.
        finding: how the contacts were found, and what is doubtful; None where they were given.
        loads: what the robot carries, and wrenches on it, along time.
    """

    contacts: ContactSet
    t: Array
    touching: NDArray[np.bool_]
    certainty: Array
    finding: Finding | None = None
    loads: tuple[Load, ...] = ()

    def __post_init__(self) -> None:
        instance(self.contacts, "contacts", ContactSet, error=ContactError)
        t = array(self.t, "t", (None,), error=ContactError)
        if not len(t) or (np.diff(t) <= 0).any():
            raise ContactError("t: expected at least one time [s], increasing")
        shape, touching = (len(t), len(self.contacts)), np.asarray(self.touching)
        if touching.dtype != bool or touching.shape != shape:
            raise ContactError(
                f"touching: got {touching.dtype} {touching.shape}, expected booleans {shape}"
            )
        certainty = array(self.certainty, "certainty", shape, error=ContactError)
        if ((certainty < 0) | (certainty > 1)).any():
            raise ContactError("certainty: expected values from 0 to 1")
        if self.finding is not None:
            instance(self.finding, "finding", Finding, error=ContactError)
        loads = sequence(self.loads, "loads", Load, error=ContactError)
        given: dict[str, Any] = {"loads": loads, "t": t.copy()}
        given |= {"touching": touching.copy(), "certainty": certainty.copy()}
        for name, value in given.items():
            object.__setattr__(self, name, value)

    # --- made from intervals -------------------------------------------------------------------

    @classmethod
    def from_intervals(
        cls, contacts: ContactSet, t: ArrayLike, times: Times, loads: tuple[Load, ...] = ()
    ) -> ContactSchedule:
        """Return the schedule of contacts that touch from one time to another, both included.

        Args:
            contacts: that may touch.
            t: (n,) times of the samples [s].
            times: {contact, or foot with all its corners: [(from, to), …]} [s].
            loads: what is carried.

        Raises:
            ContactError: no such contact; invalid times.
        """
        instance(contacts, "contacts", ContactSet, error=ContactError)
        samples = array(t, "t", (None,), error=ContactError)
        columns = {name: [k] for k, name in enumerate(contacts.names)} | contacts.wholes
        touching = np.zeros((len(samples), len(contacts)), dtype=bool)
        for name, spans in mapping(times, "times", kind="foot", error=ContactError).items():
            if name not in columns:
                raise ContactError(unknown("contact or foot", str(name), columns))
            for start, end in _pairs(spans, f"times[{name!r}]"):
                rows = (samples >= start - 1e-9) & (samples <= end + 1e-9)
                touching[:, columns[name]] |= rows[:, None]
        return cls(contacts, samples, touching, np.ones(touching.shape), loads=loads)

    @classmethod
    def of_feet(
        cls,
        robot: Robot,
        t: ArrayLike,
        times: Times,
        *,
        friction: Friction = 0.7,
        feet: Mapping[str, Foot] | None = None,
        loads: tuple[Load, ...] = (),
    ) -> ContactSchedule:
        """Return the schedule of whole feet: {"left_foot": [(0.0, 0.8), …]}, on level ground.

        Args:
            robot: whose feet.
            t: (n,) times of the samples [s].
            times: {foot, or corner such as "left_foot.1": [(from, to), …]}, both included [s].
            friction, feet: as for `at_corners`.
            loads: what is carried.
        """
        found = cls.from_intervals(at_corners(robot, friction, feet=feet), t, times, loads)
        return found.used()

    # --- parts ---------------------------------------------------------------------------------

    def at(self, time: float) -> ContactSet:
        """Return the contacts that touch at the sample nearest to a time [s].

        Raises:
            ContactError: a time before the first or after the last sample.
        """
        time = number(time, "time", unit="[s]", error=ContactError)
        room = 1e-9 + (np.diff(self.t).max(initial=0.0) / 2)
        if not self.t[0] - room <= time <= self.t[-1] + room:
            raise ContactError(
                f"time: got {time:g} s, expected one from {self.t[0]:g} to {self.t[-1]:g} s"
            )
        return self.contacts.only(self.touching[np.abs(self.t - time).argmin()])

    def part(self, start: float | None = None, stop: float | None = None) -> ContactSchedule:
        """Return the samples from one time to another, both included [s]; their times stay.

        Raises:
            ContactError: no sample is between them.
        """
        rows = between(self.t, start, stop, ContactError)
        names = "t", "touching", "certainty"
        return replace(self, **{name: getattr(self, name)[rows] for name in names})

    def used(self) -> ContactSchedule:
        """Return the schedule without feet, and other contacts, that never touch."""
        ever = np.asarray(self.touching.any(axis=0))
        kept = np.zeros(len(self.contacts), dtype=bool)
        for columns in self.contacts.wholes.values():
            kept[columns] = ever[columns].any()
        tables = {name: getattr(self, name)[:, kept] for name in ("touching", "certainty")}
        return replace(self, contacts=self.contacts.only(kept), **tables)

    def merge(self, other: ContactSchedule) -> ContactSchedule:
        """Return the contacts and loads of both, at the same times; by name where both have one.

        A contact touches where one of the schedules says so.

        Raises:
            ContactError: other times, another robot.
        """
        instance(other, "other", ContactSchedule, error=ContactError)
        if other.t.shape != self.t.shape or np.abs(other.t - self.t).max() > 1e-6:
            raise ContactError(
                f"other: got {len(other)} samples from {other.t[0]:g} to {other.t[-1]:g} s, "
                f"expected the same {len(self)} times, {self.t[0]:g} to {self.t[-1]:g} s"
            )
        ContactSet.of(self.contacts.robot, other.contacts)
        names = self.contacts.names
        new = np.array([name not in names for name in other.contacts.names], dtype=bool)
        contacts = [*self.contacts, *other.contacts.only(new)]
        touching = np.hstack([self.touching, other.touching[:, new]])
        certainty = np.hstack([self.certainty, other.certainty[:, new]])
        for k in np.flatnonzero(~new):
            own = names.index(other.contacts.names[k])
            mine, theirs = touching[:, own].copy(), other.touching[:, k]
            one, two = certainty[:, own].copy(), other.certainty[:, k]
            surer = np.where(mine, one, two)  # of the one that touches
            certainty[:, own] = np.where(mine == theirs, np.maximum(one, two), surer)
            touching[:, own] = mine | theirs
        return ContactSchedule(
            ContactSet(self.contacts.robot, contacts), self.t, touching, certainty,
            self.finding, (*self.loads, *other.loads),
        )  # fmt: skip

    # --- what it says --------------------------------------------------------------------------

    @cached_property
    def feet(self) -> dict[str, NDArray[np.bool_]]:
        """{foot: (n,), whether any of its corners touches}; contacts that are no part of a foot by
        their names."""
        found = self.contacts.wholes.items()
        return {foot: np.asarray(self.touching[:, own].any(axis=1)) for foot, own in found}

    def intervals(self) -> list[Interval]:
        """Return the intervals in which corners of feet touch, in the order of time."""
        found = intervals_of(self.contacts, self.t, self.touching)
        return sorted(found, key=lambda interval: interval.start)

    def summary(self) -> str:
        """Return the findings and the intervals as text, one per line."""
        lines = [] if self.finding is None else [str(self.finding)]
        return "\n".join([*lines, *map(str, self.intervals()), *map(str, self.loads)])

    # --- files ---------------------------------------------------------------------------------

    def save(self, path: str | Path) -> Path:
        """Write the intervals as a file to edit, .yaml or .csv, and return its path.

        Each row is a time of a foot: which corners ("all", "heel", "toe", "inner edge",
        "outer edge", or their numbers), from, to, friction, normal. `load` reads the same samples
        again. Loads are in .yaml files only; certainties are in none.

        Raises:
            ContactError: another suffix; contacts that such a file has no words for.
            FootworkError: the file cannot be written.
        """
        return schedule_file.save(path, self.contacts, self.t, self.intervals(), self.loads)

    @classmethod
    def load(
        cls,
        path: str | Path,
        robot: Robot,
        motion: Motion | ArrayLike,
        *,
        feet: Mapping[str, Foot] | None = None,
    ) -> ContactSchedule:
        """Return the schedule of a file that `save` wrote, or somebody by hand.

        Args:
            path: .yaml or .csv.
            robot: whose feet.
            motion: whose times the samples are at, or these (n,) [s].
            feet: instead of the robot's, as for `at_corners`.

        Raises:
            ScenarioError: what the file asks for does not exist, with its line.
        """
        check_robot(robot)
        given = motion.t if isinstance(motion, Motion) else motion
        t = array(given, "motion", (None,), meaning="times [s]", error=ContactError)
        contacts, touching, loads = schedule_reading.load(path, robot, t, feet)
        return cls(contacts, t, touching, np.ones(touching.shape), loads=loads)

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        feet = ", ".join(f"{foot} {on.mean():.0%}" for foot, on in self.feet.items())
        return f"ContactSchedule({len(self)} samples, {feet or 'no contacts'})"


def _pairs(spans: Any, name: str) -> list[tuple[float, float]]:
    """Times from … to, checked."""
    table = array(spans, name, (None, 2), meaning="pairs (from, to) [s]", error=ContactError,
                  infinite=True)  # fmt: skip
    if (table[:, 1] < table[:, 0]).any():
        raise ContactError(f"{name}: expected each from at or before its to")
    return [(start, end) for start, end in table.tolist()]
