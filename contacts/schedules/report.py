"""Finding: assumptions and doubts of contacts that were found from a motion."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...arrays import Array
from ...dynamics.motions.runs import spans
from ..contact_set import ContactSet
from .masks import Mask
from .thresholds import Thresholds

_SAID = 0.002  # offsets and depths up to this are not mentioned [m]
_SLID = 0.01  # shortest way of a foot that is said to slide [m]
_LONG = 0.3  # shortest time at which a foot that hovers is said to [s]


class Remark(NamedTuple):
    """Something doubtful about a foot.

    Attributes:
        foot: its name, or that of a frame.
        kind: "slides", "floats", "sinks" or "hovers".
        size: how far it slides, or how high or deep it is [m].
        start, end: from when to when [s].
    """

    foot: str
    kind: str
    size: float
    start: float
    end: float

    def __str__(self) -> str:
        words = {
            "slides": "slides {} while it touches",
            "floats": "touches {} above the ground on which the feet stand",
            "sinks": "is {} below the ground on which the feet stand",
            "hovers": "rests {} above the ground without touching: is there something to stand on?",
        }[self.kind]
        length = f"{100 * self.size:.3g} cm"
        return f"{self.foot} {words.format(length)} ({self.start:.4g} to {self.end:.4g} s)"


@dataclass(frozen=True, eq=False)
class Finding:
    """How contacts were found.

    Attributes:
        thresholds: of height and speed, and the height of the ground.
        least: (2,), gaps and contacts shorter than these were closed and left out [s].
        intervals: how many there were at the middle thresholds, and are after the hysteresis.
        remarks: what is doubtful.
    """

    thresholds: Thresholds
    least: tuple[float, float]
    intervals: tuple[int, int]
    remarks: tuple[Remark, ...]

    def __str__(self) -> str:
        limits, (before, after) = self.thresholds, self.intervals
        lines = []
        if abs(limits.offset) >= _SAID:
            side = "above" if limits.offset > 0 else "below"
            lines.append(f"the feet stand {100 * abs(limits.offset):.3g} cm {side} the ground")
        low, high = 100 * limits.height
        slow, fast = limits.speed
        lines.append(
            f"touching: below {low:.3g} to {high:.3g} cm and {slow:.3g} to {fast:.3g} m/s, "
            f"gaps from {self.least[0]:g} s, contacts from {self.least[1]:g} s on"
        )
        lines.append(f"{after} intervals of points, {before} without hysteresis")
        return "\n".join([*lines, *map(str, self.remarks)])


def remarks(
    t: Array,
    contacts: ContactSet,
    positions: Array,
    heights: Array,
    speeds: Array,
    touching: Mask,
    limits: Thresholds,
) -> Iterator[Remark]:
    """Yield what is doubtful, foot by foot, in the order of time."""
    above = heights - limits.offset
    for foot, own in contacts.wholes.items():
        path = _FootPath(above[:, own], speeds[:, own], positions[:, own], touching[:, own])
        yield from sorted(path.remarks(foot, t, limits), key=lambda remark: remark.start)


class _FootPath(NamedTuple):
    """Heights (n, k), speeds (n, k), places (n, k, 3) and contacts (n, k) of a foot's corners."""

    above: Array
    speeds: Array
    positions: Array
    touching: Mask

    def remarks(self, foot: str, t: Array, limits: Thresholds) -> Iterator[Remark]:
        """Yield what is doubtful about the foot."""
        low, on = self.above.min(axis=1), np.asarray(self.touching.any(axis=1))
        high = limits.height[0]
        still = ~on & (self.speeds.max(axis=1) <= limits.speed[0])
        for begin, end in spans(on):
            if (slid := self._slid(begin, end)) > _SLID:
                yield Remark(foot, "slides", slid, float(t[begin]), float(t[end - 1]))
        for kind, mask, lasts in (
            ("floats", on & (low > high), 0.0),
            ("sinks", low < -high, 0.0),
            ("hovers", still, _LONG),
        ):
            for begin, end in spans(mask):
                start, stop = float(t[begin]), float(t[end - 1])
                if stop - start >= lasts:
                    size = float(np.abs(low[begin:end]).max())
                    yield Remark(foot, kind, size, start, stop)

    def _slid(self, begin: int, end: int) -> float:
        """How far the slowest of the corners that touch moves from where the contact began."""
        p, on = self.positions[begin:end, :, :2], self.touching[begin:end]
        steps, both = np.diff(p, axis=0), on[1:] & on[:-1]
        lengths = np.where(both, np.linalg.norm(steps, axis=2), np.inf)
        slowest = (
            lengths.argmin(axis=1)[:, None, None] if len(lengths) else np.zeros((0, 1, 1), int)
        )
        least = np.take_along_axis(steps, slowest, axis=1)[:, 0] * np.any(
            both, axis=1, keepdims=True
        )
        return float(np.linalg.norm(np.cumsum(least, axis=0), axis=1).max(initial=0.0))
