"""Plan of a sweep: its points, their order, and their chunks as they are sent to workers.

Loads enter the balance by h = τ_g + Σ J_kᵀ w_k, linear in every force, moment, mass and tension;
friction enters it as μ at each point. Neither asks for another posture, so that one of them serves
thousands of verdicts. Only where the centre of mass is asked to be "inside" does friction move it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any, Literal

import numpy as np
import scipy

from ...arrays import Array, Index
from ...journal import digest_of
from ...robots.values import mapping, sequence, texts, whole_number
from ..scenario.file import ScenarioError
from ..scenario.scenario import Scenario
from .variants import steps_of

Changes = tuple[tuple[str, Any], ...]
ParameterKind = Literal["posture", "friction", "load"]

QUANTITIES = ("margin", "torque_margin", "push_margin", "friction_margin")

_STATES = 16  # postures a chunk
_MOST, _FEW = 4096, 64  # points a chunk: of compiled verdicts, and of others


@dataclass(frozen=True)
class Shared:
    """What all points of a sweep share, hashable.

    Attributes:
        source: text, file and folder of the scenario.
        kinds: (key, what its values change) of every axis.
        ends: (key, its lowest, its highest value) of those that leave the posture alone.
        quantities: to report.
    """

    source: tuple[str, str, str]
    kinds: tuple[tuple[str, ParameterKind], ...]
    ends: tuple[tuple[str, float, float], ...]
    quantities: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Block:
    """Some points of a sweep.

    Attributes:
        shared: with all other points.
        columns: {key: its values, one a point}.
    """

    shared: Shared
    columns: Mapping[str, Array | list[Any]]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def postures(self) -> Iterator[tuple[Changes, Index]]:
        """Yield ((key, value), …) of what makes a posture, and which points share it."""
        keys = [key for key, kind in self.shared.kinds if kind == "posture"]
        given = (self.columns[key] for key in keys)
        columns = [c.tolist() if isinstance(c, np.ndarray) else c for c in given]
        groups: dict[tuple[Any, ...], list[int]] = {}
        for i in range(len(self)):
            groups.setdefault(tuple(column[i] for column in columns), []).append(i)
        for values, chosen in groups.items():
            yield tuple(zip(keys, values, strict=True)), np.array(chosen)

    def numbers(self, key: str, chosen: Index) -> Array:
        """Return the values of an axis of numbers at some points."""
        return np.asarray(self.columns[key])[chosen]


@dataclass(frozen=True)
class Plan:
    """What a sweep evaluates; equal plans have equal points.

    Attributes:
        text: the scenario's file.
        file, folder: where it came from.
        axes: {key of the file: its values}; of a sample, (lowest, highest).
        samples: how many points of a sample; 0 for the grid of all combinations.
        seed: of the sample.
        quantities: which answers besides `feasible`.
        size: points a chunk.
        inside: whether the centre of mass is put where the contacts can hold it.
    """

    text: str
    file: str
    folder: str
    axes: Mapping[str, tuple[Any, ...]]
    samples: int
    seed: int
    quantities: tuple[str, ...]
    size: int
    inside: bool

    @classmethod
    def of(
        cls,
        scenario: Scenario,
        axes: Mapping[str, Sequence[Any]],
        samples: int,
        seed: int,
        quantities: Sequence[str],
        size: int | None,
    ) -> Plan:
        """Return a plan, checked; without a size, chunks of a few postures.

        Raises:
            ScenarioError: no axes, an empty one, an invalid range, an unknown quantity.
        """
        plain = {}
        for key, values in mapping(axes, "axes", kind="key", error=ScenarioError).items():
            given = sequence(values, f"axes[{key!r}]", object, error=ScenarioError)
            plain[key] = tuple(map(_checked, given))
        samples = whole_number(samples, "samples", at_least=0, error=ScenarioError)
        seed = whole_number(seed, "seed", at_least=0, error=ScenarioError)
        quantities = texts(quantities, "quantities", error=ScenarioError)
        if size is not None:
            size = whole_number(size, "chunk", at_least=1, error=ScenarioError)
        if not plain or not all(plain.values()):
            raise ScenarioError(f"axes: got {plain}, expected at least one key with its values")
        if samples:
            _check_ranges(plain)
        unknown = [name for name in quantities if name not in QUANTITIES]
        if unknown or len(set(quantities)) < len(quantities):
            got = unknown or list(quantities)
            raise ScenarioError(f"quantities: got {got}, expected some of {list(QUANTITIES)}")
        inside = isinstance(scenario.com, str) or "com" in plain
        file, folder = scenario.file, str(scenario.folder)
        settings = plain, samples, seed, tuple(quantities), size or 0, inside
        plan = cls(scenario.as_text(), file, folder, *settings)
        return plan if size else replace(plan, size=plan.usual_size)

    # --- the points --------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the grid, or (samples,)."""
        return (self.samples,) if self.samples else tuple(len(v) for v in self.axes.values())

    @property
    def count(self) -> int:
        """How many points."""
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def chunks(self) -> int:
        """How many chunks."""
        return -(-self.count // self.size)

    def length(self, chunk: int) -> int:
        """How many points a chunk has."""
        return min(self.size, self.count - chunk * self.size)

    @cached_property
    def kinds(self) -> dict[str, ParameterKind]:
        """{key: what it changes}."""
        return {
            key: _kind(key, not isinstance(values, list), self.inside)
            for key, values in self.columns.items()
        }

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The axes of a grid in the order of the work: first those that move the posture.

        The points of a chunk then share as few postures as can be.
        """
        kinds = list(self.kinds.values())
        return tuple(sorted(range(len(kinds)), key=lambda k: kinds[k] != "posture"))

    @property
    def usual_size(self) -> int:
        """Points a chunk: those of a few postures, or as many as keep a worker busy for a while."""
        still = [k for k, kind in self.kinds.items() if kind != "posture"]
        if self.samples:
            shared = _MOST if len(still) == len(self.axes) else 1
        else:
            shared = int(np.prod([len(self.axes[key]) for key in still], dtype=np.int64))
        compiled = set(self.quantities) <= {"margin"}
        return min(_STATES * shared, _MOST if compiled else _FEW)

    @cached_property
    def sample(self) -> Array:
        """(samples, axes), a Latin hypercube between the ends of the axes."""
        low, high = np.array([self.axes[key] for key in self.axes], dtype=float).T
        unit = scipy.stats.qmc.LatinHypercube(len(low), rng=np.random.default_rng(self.seed))
        return np.asarray(low + (high - low) * unit.random(self.samples))

    @cached_property
    def columns(self) -> dict[str, Array | list[Any]]:
        """The values of each axis, as an array where they are numbers."""
        return {
            key: np.array(values, dtype=float)
            if all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)
            else list(values)
            for key, values in self.axes.items()
        }

    @cached_property
    def shared(self) -> Shared:
        """What all chunks share."""
        ends = tuple(
            (key, float(np.min(self.columns[key])), float(np.max(self.columns[key])))
            for key, kind in self.kinds.items()
            if kind != "posture"
        )
        source = self.text, self.file, self.folder
        return Shared(source, tuple(self.kinds.items()), ends, self.quantities)

    def block(self, chunk: int) -> Block:
        """Return the points of a chunk, with all that a worker needs."""
        first = chunk * self.size
        last = first + self.length(chunk)
        if self.samples:
            columns: Any = dict(zip(self.axes, self.sample[first:last].T, strict=True))
            return Block(self.shared, columns)
        shape = tuple(self.shape[k] for k in self.order)
        places = np.unravel_index(np.arange(first, last), shape)
        keys = [list(self.axes)[k] for k in self.order]
        return Block(
            self.shared,
            {key: _at(self.columns[key], place) for key, place in zip(keys, places, strict=True)},
        )

    def points(self) -> Iterator[tuple[Any, ...]]:
        """Yield the values of every point, the last axis fastest."""
        return iter(self.sample.tolist()) if self.samples else product(*self.axes.values())

    def in_order(self, rows: Array) -> Array:
        """Return rows (count, …) of the chunks in the order of the axes, the last one fastest."""
        if self.samples or self.order == tuple(range(len(self.axes))):
            return rows
        cube = rows.reshape(*(self.shape[k] for k in self.order), -1)
        back = (*np.argsort(self.order), len(self.order))
        return np.ascontiguousarray(cube.transpose(back)).reshape(self.count, -1)

    # --- identity -----------------------------------------------------------

    def as_dict(self) -> dict[str, Any]:
        """Return what identifies a plan."""
        return {
            "scenario": self.text,
            "axes": {key: list(values) for key, values in self.axes.items()},
            "samples": self.samples,
            "seed": self.seed,
            "quantities": list(self.quantities),
            "chunk": self.size,
        }

    @property
    def digest(self) -> str:
        """A fingerprint of the plan."""
        return digest_of(self.as_dict())


def _kind(key: str, numbers: bool, inside: bool) -> ParameterKind:
    """What the values of a key change; `inside`: whether friction moves the posture.

    Raises:
        ScenarioError: no such key.
    """
    match steps_of(key):
        case _ if not numbers:
            return "posture"
        case [*_, "friction"] if not inside:
            return "friction"
        case ["loads", _, "mass" | "tension"] | ["loads", _, "force" | "moment", _]:
            return "load"
    return "posture"


def _at(values: Array | list[Any], places: Index) -> Array | list[Any]:
    return [values[i] for i in places] if isinstance(values, list) else values[places]


def _checked(value: Any) -> Any:
    """A value as JSON has it, or the error of one that has no place in a scenario."""
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, float) and not np.isfinite(value):
        raise ScenarioError(f"axes: got {value}, expected finite numbers")
    if not isinstance(value, (int, float, str, bool)):
        raise ScenarioError(f"axes: got {value!r}, expected numbers or texts")
    return value


def _check_ranges(axes: Mapping[str, tuple[Any, ...]]) -> None:
    for key, ends in axes.items():
        numbers = all(isinstance(end, (int, float)) for end in ends)
        if not (len(ends) == 2 and numbers and ends[0] < ends[1]):
            raise ScenarioError(f"{key}: got {ends}, expected (lowest, highest) of the sample")
