"""Stances: which contacts carry when; nodes of a prediction, which end where contacts change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...arrays import Array, Index
from ...robots.values import mapping, number, placement


@dataclass(frozen=True, eq=False)
class Stance:
    """Contacts that stay for a time.

    Attributes:
        duration: [s].
        places: {contact: T_world_contact} (`pin.SE3`); none: the robot flies.

    Raises:
        ConfigurationError: no positive duration, or places that are none.
    """

    duration: float
    places: Mapping[str, Any]

    def __post_init__(self) -> None:
        duration = number(self.duration, "duration", above=0, unit="[s]")
        object.__setattr__(self, "duration", duration)
        for name, T in mapping(self.places, "places", kind="contact").items():
            placement(T, f"places[{name!r}]")


@dataclass(frozen=True, eq=False)
class Nodes:
    """Consecutive intervals, each within one stance.

    Attributes:
        durations: (N,) [s].
        own: the stances, one after the other.
        index: (N,), of these, that of each node.
    """

    durations: Array
    own: tuple[Stance, ...]
    index: Index

    @cached_property
    def times(self) -> Array:
        """(N + 1,), from the beginning on [s]."""
        times = np.zeros(len(self.durations) + 1)
        self.durations.cumsum(out=times[1:])
        return times

    @cached_property
    def stances(self) -> tuple[Stance, ...]:
        """(N,), that of each node."""
        return tuple(self.own[i] for i in self.index)


def nodes(stances: Sequence[Stance], count: int, step: float) -> Nodes:
    """Return `count` nodes of about `step` [s]; the last stance goes on.

    Each stance is divided evenly, so that contacts come and go between two nodes.
    """
    durations, index = list[float](), list[int]()
    for i, stance in enumerate(stances):
        parts = max(1, round(stance.duration / step))
        durations += [stance.duration / parts] * parts
        index += [i] * parts
        if len(index) >= count:
            break
    rest = count - len(index)
    durations, index = durations + [step] * rest, index + [len(stances) - 1] * rest
    own = tuple(stances[: index[count - 1] + 1])
    return Nodes(np.array(durations[:count]), own, np.array(index[:count], dtype=np.intp))
