"""Stretch: samples one after another that one check refuses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...arrays import Array
from ...files import plain
from .check import Check

_BRIDGED = 2  # good samples between two bad ones that belong to the same stretch


@dataclass(frozen=True, eq=False)
class Stretch:
    """Samples one after another that one check refuses, up to two good ones between them included.

    Attributes:
        check: its name.
        first, last: samples.
        start, end: times of these [s].
        duration: [s], each sample standing for half the time to its neighbours.
        count: of the refused samples.
        worst: the sample with the largest value.
        value: of that sample, in the unit of the check.
        subject: the foot, joint or pair of links whose value it is; "" where nobody's.
    """

    check: str
    first: int
    last: int
    start: float
    end: float
    duration: float
    count: int
    worst: int
    value: float
    subject: str
    _tell: Callable[[Stretch], str]

    @cached_property
    def words(self) -> str:
        """One sentence: when, what is wrong, and by how much; worked out when it is asked for."""
        end = "" if self.start == self.end else f"–{self.end:.2f}"
        return f"{self.start:.2f}{end} s: {self._tell(self)}"

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain values, for JSON."""
        return {
            "check": self.check,
            "start": self.start,
            "end": self.end,
            "duration": self.duration,
            "samples": self.count,
            "worst_at": self.worst,
            "value": plain(self.value),
            "subject": self.subject,
            "words": self.words,
        }

    def __str__(self) -> str:
        return self.words

    def __repr__(self) -> str:
        return f"Stretch({self.check!r}, {self.words!r})"


def stretches_of(check: Check, t: Array, tell: Callable[[Stretch], str]) -> list[Stretch]:
    """Return the stretches of a check, in the order of time; `tell` writes a stretch's sentence."""
    bad = np.flatnonzero(check.bad)
    if not len(bad):
        return []
    width = sample_times(t)
    runs = np.split(bad, np.flatnonzero(np.diff(bad) > _BRIDGED + 1) + 1)
    found = []
    for run in runs:
        first, last = int(run[0]), int(run[-1])
        worst = int(run[np.argmax(check.values[run])])
        span = float(t[first]), float(t[last]), float(width[first : last + 1].sum())
        about = worst, float(check.values[worst]), check.subject(worst)
        found.append(Stretch(check.name, first, last, *span, len(run), *about, tell))
    return found


def sample_times(t: Array) -> Array:
    """Return for how long each sample stands (n,): half the times to its neighbours [s]."""
    if len(t) == 1:
        return np.zeros(1)
    half = np.diff(t) / 2
    return np.asarray(np.concatenate([half, half[-1:]]) + np.concatenate([half[:1], half]))
