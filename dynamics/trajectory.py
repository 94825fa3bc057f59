"""Trajectory: a sampled motion, as simulations return it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..arrays import Array
from .motions.sampled_states import SampledStates
from .springs import JointSprings
from .state import State


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
        events: what happened on the way, in order of time.
        springs: in the joints.
    """

    tau: Array
    events: tuple[EventRecord, ...] = ()
    springs: JointSprings | None = None

    @cached_property
    def energy(self) -> Array:
        """(n,), kinetic, potential and spring energy together [J]."""
        states = (State(self.robot, q, v) for q, v in zip(self.q, self.v, strict=True))
        return np.array([self._energy(state) for state in states])

    def _energy(self, state: State) -> float:
        stored = 0.0 if self.springs is None else self.springs.energy(self.robot, state.q)
        return state.kinetic_energy + state.potential_energy + stored

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self.robot.name!r}, {len(self)} samples over "
            f"{self.duration:.4g} s, {len(self.events)} events)"
        )
