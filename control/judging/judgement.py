"""Judgement: what a controller survives, as a table of speeds and worlds, and pushes."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from statistics import fmean, median
from typing import Any, NamedTuple

from ... import registry
from ...contacts.cones.friction_cone import Friction
from ...files import write_csv
from .plant import TICK
from .pushes import LargestPush
from .trials import Trial, Velocity

ACCEPTED = 0.05  # of the trials may fail: one of 20


class Row(NamedTuple):
    """What the trials of one velocity in one world showed; means are over those that survived.

    Attributes:
        velocity: commanded, (v_x, v_y) [m/s], ω_z [rad/s].
        world: its name.
        trials, failed: how many, and how many of them did not last.
        shortest: how long the worst kept its feet [s].
        speed, turn: mean in the second half [m/s, rad/s].
        path_error: the largest [m].
        energy_per_metre, cost_of_transport: means [J/m, 1].
        slip, tilt: the largest [m, degrees].
        tick_median, tick_worst: of the controller, in the median trial: the first one loads code
            [s].
        worst: in words, why the worst ended.
    """

    velocity: Velocity
    world: str
    trials: int
    failed: int
    shortest: float
    speed: float
    turn: float
    path_error: float
    energy_per_metre: float
    cost_of_transport: float
    slip: float
    tilt: float
    tick_median: float
    tick_worst: float
    worst: str

    @classmethod
    def of(cls, velocity: Velocity, world: str, trials: list[Trial]) -> Row:
        """Return the row of trials."""
        lasting = [t for t in trials if t.survived]
        worst = min(trials, key=lambda t: (t.survived, t.seconds))
        of_lasting = {
            name: what(getattr(t, name) for t in lasting) if lasting else math.nan
            for what, names in (
                (fmean, ("speed", "turn", "energy_per_metre", "cost_of_transport")),
                (max, ("path_error", "slip", "tilt")),
            )
            for name in names
        }
        ticks = {n: median(getattr(t, n) for t in trials) for n in ("tick_median", "tick_worst")}
        failed = len(trials) - len(lasting)
        return cls(
            velocity, world, len(trials), failed, worst.seconds, **of_lasting, **ticks,
            worst=worst.ended,
        )  # fmt: skip

    @property
    def holds(self) -> bool:
        """Whether at most one trial of 20 failed."""
        return self.failed <= ACCEPTED * self.trials


@dataclass(frozen=True, eq=False, repr=False)
class Judgement:
    """What a controller of a robot survives.

    Attributes:
        robot, controller: their names.
        trials: {(velocity, name of the world): its trials, by seed}.
        pushes: the largest pushes that were survived, by direction.
        interrupted: whether Ctrl-C, or the death of a worker, ended it before its time.
        duration: of a trial [s].
        friction: {contact: the coefficient that the controller assumes}.
    """

    robot: str
    controller: str
    trials: dict[tuple[Velocity, str], tuple[Trial, ...]]
    pushes: tuple[LargestPush, ...] = ()
    interrupted: bool = False
    duration: float = math.nan
    friction: Mapping[str, Friction] = field(default_factory=dict)

    _repr_html_ = registry.html_of

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """One row for each velocity in each world."""
        return tuple(Row.of(*key, list(found)) for key, found in self.trials.items() if found)

    @property
    def holds(self) -> bool:
        """Whether in every row at most one trial of 20 failed."""
        return bool(self.rows) and all(row.holds for row in self.rows)

    @property
    def survived(self) -> tuple[Velocity, ...]:
        """The velocities at which at most one trial of 20 failed, in every world."""
        asked = dict.fromkeys(row.velocity for row in self.rows)
        return tuple(v for v in asked if all(r.holds for r in self.rows if r.velocity == v))

    def __str__(self) -> str:
        failed, trials = (sum(getattr(row, n) for row in self.rows) for n in ("failed", "trials"))
        told = "keeps its feet" if not failed else f"fails in {failed}"
        stopped = "; interrupted" if self.interrupted else ""
        of = f"{trials} trials" if trials != 1 else "1 trial"
        return (
            f"{self.robot}, {self.controller}: {told} {'in' if not failed else 'of'} {of}{stopped}"
        )

    def table(self) -> str:
        """Return the rows as text."""
        lines = ["  ".join(f"{head:>{width}}" for head, width in _HEADS)]
        for row in self.rows:
            cells = _cells(row)
            line = "  ".join(f"{c:>{w}}" for c, (_, w) in zip(cells, _HEADS, strict=True))
            lines.append(line + (f"  {row.worst}" if row.worst else ""))
        return "\n".join(f"  {line}" for line in lines)

    def explain(self) -> str:
        """Return summary, rows and pushes as text."""
        lines = [str(self), self.table()]
        if pushed := {t.impulse.change for _, t in self._each if t.impulse is not None}:
            lines.append(f"  each trial is pushed once, by {max(pushed):g} m/s")
        if len({row.velocity for row in self.rows}) > 1:
            kept = ", ".join(_velocity(v) for v in self.survived) or "none"
            lines.append(f"  velocities at which at most one trial of 20 failed: {kept}")
        if any(row.tick_median > TICK for row in self.rows):
            lines.append(
                f"  its ticks take longer than the {1e3 * TICK:g} ms until the next: it would be "
                "late on a robot"
            )
        if self.pushes:
            lines.append("  largest push survived [m/s] (and the capture limit), by direction")
            lines += [
                f"  {p.heading:>5.0f}°  {p.survived:.2f} ({p.capture:.2f})" for p in self.pushes
            ]
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain values, for JSON."""
        trials = [
            {"world": name, "conditions": (plain := t.as_dict()).pop("world"), **plain}
            for name, t in self._each
        ]
        rows = [row._asdict() | {"holds": row.holds} for row in self.rows]
        return {
            "robot": self.robot,
            "controller": self.controller,
            "duration": self.duration,
            "friction": dict(self.friction),
            "holds": self.holds,
            "interrupted": self.interrupted,
            "survived": self.survived,
            "rows": rows,
            "pushes": [push._asdict() for push in self.pushes],
            "trials": trials,
        }

    def cells(self) -> Iterator[list[Any]]:
        """Yield the cells of `COLUMNS` of each trial."""
        for world, t in self._each:
            push = t.impulse
            pushed = [""] * 3 if push is None else [push.change, push.heading, push.at]
            yield [world, t.seed, *t.velocity, *pushed, *(getattr(t, n) for n in COLUMNS[8:])]

    @property
    def _each(self) -> Iterator[tuple[str, Trial]]:
        """The trials, with the names of their worlds."""
        return ((world, t) for (_, world), found in self.trials.items() for t in found)

    def write_csv(self, path: str | os.PathLike[str]) -> Path:
        """Write the trials as comma-separated lines; return the path."""
        return write_csv(path, COLUMNS, self.cells())

    def __repr__(self) -> str:
        return f"Judgement({self})"


COLUMNS = (
    "world", "seed", "v_x", "v_y", "w_z", "push", "heading", "pushed_at", "survived", "seconds",
    "distance", "path_error", "speed", "turn", "energy", "energy_per_metre", "cost_of_transport",
    "slip", "tilt", "tick_median", "tick_worst", "ended",
)  # fmt: skip
_HEADS = (
    ("velocity", 14), ("world", 7), ("failed", 8), ("shortest", 8), ("speed", 8), ("off path", 8),
    ("energy", 8), ("CoT", 5), ("slip", 7), ("tilt", 6), ("tick, worst", 13),
)  # fmt: skip


def _cells(row: Row) -> list[str]:
    """A row in words, in the order of `_HEADS`."""
    ticks = f"{1e3 * row.tick_median:.2f}, {1e3 * row.tick_worst:.1f} ms"
    return [
        _velocity(row.velocity),
        row.world,
        f"{row.failed} of {row.trials}",
        f"{row.shortest:.2f} s",
        _told(row.speed, ".2f", "m/s"),
        _told(row.path_error, ".2f", "m"),
        _told(row.energy_per_metre, ".0f", "J/m"),
        _told(row.cost_of_transport, ".2f", ""),
        _told(1e3 * row.slip, ".0f", "mm"),
        _told(row.tilt, ".1f", "°"),
        ticks,
    ]


def _velocity(velocity: Velocity) -> str:
    return " ".join(f"{x:g}" for x in velocity)


def _told(value: float, form: str, unit: str) -> str:
    return f"{value:z{form}} {unit}".strip() if math.isfinite(value) else "–"
