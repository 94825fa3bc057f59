"""Stances: which contacts carry when; nodes of a prediction, which end where contacts change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from ...arrays import Array, Index
from ...robots.values import Placement, mapping, number, placements


@dataclass(frozen=True, eq=False)
class Stance:
    """Contacts that stay for a time.

    Attributes:
        duration: [s].
        places: {contact: T_world_contact} (`pin.SE3`), read-only copies; none: the robot flies.
        names, poses: of these, (k,) and T (k, 4, 4).

    Raises:
        ConfigurationError: a duration that is not positive, or invalid places.
    """

    duration: float
    places: Mapping[str, Any]
    names: tuple[str, ...] = field(init=False, repr=False)
    poses: Array = field(init=False, repr=False)

    def __post_init__(self) -> None:
        duration = number(self.duration, "duration", above=0, unit="[s]")
        places = mapping(self.places, "places", kind="contact")
        object.__setattr__(self, "duration", duration)
        object.__setattr__(self, "names", tuple(places))
        object.__setattr__(self, "poses", placements(places, "places"))
        object.__setattr__(self, "places", {name: Placement(T) for name, T in places.items()})


@dataclass(frozen=True, eq=False)
class Nodes:
    """Consecutive intervals, each within one stance.

    Attributes:
        own: the stances, one after the other.
        durations: (N,) [s].
        times: (N + 1,), from the beginning on [s].
        index: (N,), which of the stances is that of each node.
    """

    own: tuple[Stance, ...]
    durations: Array
    times: Array
    index: Index

    @cached_property
    def stances(self) -> tuple[Stance, ...]:
        """(N,), that of each node."""
        return tuple(self.own[i] for i in self.index)


def nodes(stances: Sequence[Stance], count: int, step: float) -> Nodes:
    """Return `count` nodes of about `step` [s]; the last stance goes on.

    Each stance is divided evenly, so that contacts come and go between two nodes.
    """
    each = tuple([stance.duration for stance in stances])
    durations, times, index = _divided(each, count, step)
    return Nodes(tuple(stances[: index[-1] + 1]), durations, times, index)


@lru_cache(maxsize=256)
def _divided(stances: tuple[float, ...], count: int, step: float) -> tuple[Array, Array, Index]:
    """Durations, times and stances of nodes, kept: rows of a batch mostly have the same ones."""
    durations, index = list[float](), list[int]()
    for i, duration in enumerate(stances):
        parts = max(1, round(duration / step))
        ahead = min(parts, count - len(index))  # of a stance that lasts for hours, no more
        durations += [duration / parts] * ahead
        index += [i] * ahead
        if len(index) >= count:
            break
    rest = count - len(index)
    durations, index = durations + [step] * rest, index + [len(stances) - 1] * rest
    times = np.zeros(count + 1)
    each, which = np.array(durations), np.array(index, dtype=np.intp)
    each.cumsum(out=times[1:])
    for array in (each, times, which):
        array.setflags(write=False)
    return each, times, which
