"""Rigid segments, and trees of segments under gravity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array
from ...errors import ConfigurationError, unknown
from ...robots.configuration import as_vector
from ...robots.inertia import of_body
from ...robots.values import each_once, number, sequence, text
from ..series.wrenches import WrenchSeries

# {segment: wrench or wrenches of the environment on it}
External = Mapping[str, WrenchSeries | Sequence[WrenchSeries]]


@dataclass(frozen=True, eq=False, init=False)
class Segment:
    """A rigid segment, described in its own axes.

    Attributes:
        name: of the segment, and of the joint to its parent.
        mass: [kg]; zero is allowed (a virtual link between two axes of a joint).
        com: (3,) centre of mass [m].
        inertia: (3, 3) about the centre of mass [kg·m²].
        parent: name of the parent segment; None for the root.
        joint: (3,) position of the joint to the parent [m].

    Raises:
        ConfigurationError: a negative mass, an unphysical inertia, values not finite.
    """

    name: str
    mass: float
    com: Array
    inertia: Array
    parent: str | None
    joint: Array

    def __init__(
        self,
        name: str,
        mass: float,
        com: ArrayLike = (0.0, 0.0, 0.0),
        inertia: ArrayLike = ((0.0, 0.0, 0.0),) * 3,
        parent: str | None = None,
        joint: ArrayLike = (0.0, 0.0, 0.0),
    ) -> None:
        text(name, "name of a segment")
        if parent is not None:
            text(parent, f"parent of {name!r}")
        values = {
            "name": name,
            "mass": number(mass, f"mass of {name!r}", at_least=0, unit="[kg]"),
            "com": as_vector(com, 3, "com", f"centre of mass of {name!r}"),
            "inertia": of_body(inertia, float(mass), f"inertia of {name!r}"),
            "parent": parent,
            "joint": as_vector(joint, 3, "joint", f"joint of {name!r}"),
        }
        for attribute, value in values.items():
            object.__setattr__(self, attribute, value)


@dataclass(frozen=True, eq=False, init=False, repr=False)
class SegmentTree:
    """A tree of segments under gravity: a `SegmentChain` without its inverse dynamics."""

    segments: tuple[Segment, ...]
    gravity: Array

    def __init__(self, segments: Sequence[Segment], gravity: ArrayLike = (0.0, 0.0, -9.81)) -> None:
        object.__setattr__(self, "segments", _parents_first(segments))
        object.__setattr__(self, "gravity", as_vector(gravity, 3, "gravity", "[m/s²]").copy())

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the segments, parents before children."""
        return tuple(s.name for s in self.segments)

    @cached_property
    def parents(self) -> tuple[int, ...]:
        """Index of each segment's parent, −1 for the root."""
        return tuple(-1 if s.parent is None else self.names.index(s.parent) for s in self.segments)

    @cached_property
    def masses(self) -> Array:
        """(k,) [kg]."""
        return np.array([s.mass for s in self.segments])

    @cached_property
    def coms(self) -> Array:
        """(k, 3) centres of mass in segment axes [m]."""
        return np.stack([s.com for s in self.segments])

    @cached_property
    def inertias(self) -> Array:
        """(k, 3, 3) about the centres of mass, in segment axes [kg·m²]."""
        return np.stack([s.inertia for s in self.segments])

    @cached_property
    def joints(self) -> Array:
        """(k, 3) positions of the joints to the parents, in segment axes [m]."""
        return np.stack([s.joint for s in self.segments])

    @property
    def mass(self) -> float:
        """Total mass [kg]."""
        return float(self.masses.sum())

    def index(self, segment: str) -> int:
        """Return the index of a segment.

        Raises:
            ConfigurationError: there is no such segment.
        """
        if segment not in self.names:
            raise ConfigurationError(unknown("segment", segment, self.names))
        return self.names.index(segment)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({list(self.names)}, {self.mass:.4g} kg)"


def _parents_first(segments: Sequence[Segment]) -> tuple[Segment, ...]:
    """Return the segments in topological order, parents before children."""
    segments = sequence(segments, "segments", Segment)
    names = [s.name for s in segments]
    each_once(names, "segments")
    for s in segments:
        if s.parent is not None and s.parent not in names:
            raise ConfigurationError(f"parent of {s.name!r}: {unknown('segment', s.parent, names)}")
    roots = [s.name for s in segments if s.parent is None]
    if len(roots) != 1:
        raise ConfigurationError(f"segments: got the roots {roots}; expected one without a parent")
    ordered: list[Segment] = []
    waiting = list(segments)
    while waiting:
        done = {s.name for s in ordered}
        ready = [s for s in waiting if s.parent is None or s.parent in done]
        if not ready:
            raise ConfigurationError(f"segments: {[s.name for s in waiting]} form a cycle")
        ordered += ready
        waiting = [s for s in waiting if s not in ready]
    return tuple(ordered)
