"""Stances: which contacts carry when; nodes of a prediction, which end where contacts change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import Array
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
        number(self.duration, "duration", above=0, unit="[s]")
        for name, T in mapping(self.places, "places", kind="contact").items():
            placement(T, f"places[{name!r}]")


@dataclass(frozen=True, eq=False)
class Nodes:
    """Consecutive intervals, each within one stance.

    Attributes:
        durations: (N,) [s].
        stances: (N,), that of each.
    """

    durations: Array
    stances: tuple[Stance, ...]

    @property
    def times(self) -> Array:
        """(N + 1,), from the beginning on [s]."""
        return np.concatenate([[0.0], np.cumsum(self.durations)])


def nodes(stances: Sequence[Stance], count: int, step: float) -> Nodes:
    """Return `count` nodes of about `step` [s]; the last stance goes on.

    Each stance is divided evenly, so that contacts come and go between two nodes.
    """
    durations, own = list[float](), list[Stance]()
    for stance in stances:
        parts = max(1, round(stance.duration / step))
        durations += [stance.duration / parts] * parts
        own += [stance] * parts
        if len(own) >= count:
            break
    rest = count - len(own)
    durations, own = durations + [step] * rest, own + [stances[-1]] * rest
    return Nodes(np.array(durations[:count]), tuple(own[:count]))
