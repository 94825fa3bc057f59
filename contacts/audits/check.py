"""Check: one thing that is asked of every sample of a motion, with its limit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array, Index

# of each check the largest value that is let pass, and its unit; inf: it is reported, and refuses
# no sample
_CHECKS = {
    "contacts": (0.0, "N"),  # normal force that every contact lacks
    "torques": (1.0, "of limit"),
    "flight": (1.0, "m/s²"),
    "slip": (0.05, "m/s"),
    "drift": (0.02, "m"),
    "gap": (0.01, "m"),
    "penetration": (5e-3, "m"),
    "range": (1e-3, "rad or m"),
    "speed": (1.0, "of limit"),
    "collision": (0.0, "m"),
    "jump": (0.2, "rad or m"),
}
LIMITS = {name: limit for name, (limit, _) in _CHECKS.items()}


@dataclass(frozen=True, eq=False)
class Check:
    """One thing that is asked of every sample.

    Attributes:
        name: a key of `LIMITS`.
        limit: the largest value that is let pass.
        values: (n,), the worst of all that is asked at each sample; nan where nothing is.
        which: (n,), whose value that is, an index into `subjects`; −1 where nobody's.
        subjects: names of feet, joints or pairs of links.
    """

    name: str
    limit: float
    values: Array
    which: Index
    subjects: tuple[str, ...] = ()

    @classmethod
    def worst_of(cls, name: str, limit: float, table: Array, subjects: tuple[str, ...]) -> Check:
        """Return the check whose values are the largest of each row (n, m), of its subjects (m,).

        nan, or −inf: not asked.
        """
        if not table.shape[1]:
            nothing = np.full(len(table), np.nan)
            return cls(name, limit, nothing, np.full(len(table), -1), subjects)
        asked = np.where(np.isnan(table), -np.inf, table)
        which = asked.argmax(axis=1)
        values = np.take_along_axis(asked, which[:, None], axis=1)[:, 0]
        none = np.isneginf(values)
        return cls(name, limit, np.where(none, np.nan, values), np.where(none, -1, which), subjects)

    @property
    def unit(self) -> str:
        """Of the values and the limit."""
        return _CHECKS[self.name][1]

    @property
    def bad(self) -> NDArray[np.bool_]:
        """(n,), the samples with a value above the limit."""
        return np.asarray(self.values > self.limit)

    @property
    def share(self) -> float:
        """Share of the samples that this check lets pass."""
        return float((~self.bad).mean())

    @property
    def worst(self) -> int | None:
        """The sample with the largest value, None where nothing is asked at any."""
        asked = ~np.isnan(self.values)
        return int(np.argmax(np.where(asked, self.values, -np.inf))) if asked.any() else None

    def subject(self, sample: int) -> str:
        """Return whose value a sample's is, "" where nobody's."""
        k = int(self.which[sample])
        return self.subjects[k] if k >= 0 else ""
