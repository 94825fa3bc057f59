"""Trajectory: a sampled motion, as simulations return it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ..arrays import Array
from .motions.sampled_states import SampledStates


class EventRecord(NamedTuple):
    """An event that happened: its name, its time [s] and the state there."""

    name: str
    t: float
    q: Array
    v: Array


@dataclass(frozen=True, eq=False, repr=False)
class Trajectory(SampledStates):
    """A motion, sampled.

    Attributes:
        robot: who moved.
        t: (n,) times [s], increasing.
        q: (n, nq) configurations.
        v: (n, nv) velocities.
        tau: (n, na) actuated torques at those times.
        energy: (n,) kinetic, potential and spring energy together [J].
        events: what happened on the way, in order of time.
    """

    tau: Array
    energy: Array
    events: tuple[EventRecord, ...] = ()

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self.robot.name!r}, {len(self)} samples over "
            f"{self.duration:.4g} s, {len(self.events)} events)"
        )
