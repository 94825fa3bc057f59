"""What a sweep asks: which points, in which order, in which chunks."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..scenario.file import ScenarioError
from ..scenario.scenario import Scenario

QUANTITIES = ("margin", "torque_margin", "push_margin", "friction_margin")


@dataclass(frozen=True)
class Plan:
    """The question of a sweep; equal plans have equal points.

    Attributes:
        text: the scenario's file.
        file, folder: where it came from.
        axes: {key of the file: its values}; of a sample, (lowest, highest).
        samples: how many points of a sample; 0 for the grid of all combinations.
        seed: of the sample.
        quantities: which answers besides `feasible`.
        size: points a chunk.
    """

    text: str
    file: str
    folder: str
    axes: Mapping[str, tuple[Any, ...]]
    samples: int
    seed: int
    quantities: tuple[str, ...]
    size: int

    @classmethod
    def of(
        cls,
        scenario: Scenario,
        axes: Mapping[str, Sequence[Any]],
        samples: int,
        seed: int,
        quantities: Sequence[str],
        size: int,
    ) -> Plan:
        """Return a plan, checked.

        Raises:
            ScenarioError: no axes, an empty one, a range that is none, an unknown quantity.
        """
        plain = {key: tuple(_plain(v) for v in values) for key, values in axes.items()}
        if not plain or not all(plain.values()):
            raise ScenarioError(f"axes: got {plain}, expected at least one key with its values")
        if samples:
            _check_ranges(plain)
        unknown = [name for name in quantities if name not in QUANTITIES]
        if unknown:
            raise ScenarioError(f"quantities: got {unknown}, expected some of {list(QUANTITIES)}")
        if samples < 0 or size < 1:
            raise ScenarioError(f"got {samples} samples in chunks of {size}; expected ≥ 0 and ≥ 1")
        folder = str(scenario.folder)
        return cls(
            scenario.as_text(), scenario.file, folder, plain, samples, seed, tuple(quantities), size
        )

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the grid, or (samples,)."""
        return (self.samples,) if self.samples else tuple(len(v) for v in self.axes.values())

    @property
    def count(self) -> int:
        """How many points."""
        return int(np.prod(self.shape))

    @property
    def chunks(self) -> int:
        """How many chunks."""
        return -(-self.count // self.size)

    @cached_property
    def sample(self) -> np.ndarray[Any, Any]:
        """(samples, axes), a Latin hypercube between the ends of the axes."""
        from scipy.stats import qmc

        low, high = np.array([self.axes[key] for key in self.axes], dtype=float).T
        unit = qmc.LatinHypercube(len(low), rng=np.random.default_rng(self.seed))
        return np.asarray(low + (high - low) * unit.random(self.samples))

    def points(self, chunk: int) -> Iterator[dict[str, Any]]:
        """Yield {key: value} of a chunk's points, the last axis fastest."""
        for index in range(chunk * self.size, min((chunk + 1) * self.size, self.count)):
            if self.samples:
                yield dict(zip(self.axes, self.sample[index].tolist(), strict=True))
            else:
                places = np.unravel_index(index, self.shape)
                yield {key: v[k] for (key, v), k in zip(self.axes.items(), places, strict=True)}

    def as_dict(self) -> dict[str, Any]:
        """Return what tells one plan from another."""
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
        """A fingerprint of the question."""
        return hashlib.sha256(json.dumps(self.as_dict(), sort_keys=True).encode()).hexdigest()


def _plain(value: Any) -> Any:
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
