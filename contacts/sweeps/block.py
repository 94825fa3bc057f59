"""Chunks of a sweep, as they are sent to workers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .parameters import ParameterKind

Array = NDArray[np.float64]
Changes = tuple[tuple[str, Any], ...]


@dataclass(frozen=True)
class Question:
    """What all points of a sweep share.

    Attributes:
        text, file, folder: of the scenario.
        kinds: {key: what it changes}.
        ends: {key: its lowest and highest value}, of those that leave the posture alone.
        quantities: to report.
    """

    text: str
    file: str
    folder: str
    kinds: Mapping[str, ParameterKind]
    ends: Mapping[str, tuple[float, float]]
    quantities: tuple[str, ...]

    def keys(self, kind: ParameterKind) -> list[str]:
        """Return the parameters of a kind."""
        return [key for key, own in self.kinds.items() if own == kind]


@dataclass(frozen=True, eq=False)
class Block:
    """Some points of a sweep.

    Attributes:
        question: theirs.
        columns: {key: its values, one a point}.
    """

    question: Question
    columns: Mapping[str, Array | list[Any]]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def postures(self) -> Iterator[tuple[Changes, NDArray[np.intp]]]:
        """Yield ((key, value), …) of what makes a posture, and which points share it."""
        keys = self.question.keys("posture")
        columns = [_listed(self.columns[key]) for key in keys]
        groups: dict[tuple[Any, ...], list[int]] = {}
        for i in range(len(self)):
            groups.setdefault(tuple(column[i] for column in columns), []).append(i)
        for values, chosen in groups.items():
            yield tuple(zip(keys, values, strict=True)), np.array(chosen)

    def numbers(self, key: str, chosen: NDArray[np.intp]) -> Array:
        """Return the values of an axis of numbers at some points."""
        return np.asarray(self.columns[key])[chosen]


def _listed(values: Array | list[Any]) -> list[Any]:
    return values.tolist() if isinstance(values, np.ndarray) else values
