"""Time series of wrenches: forces, moments and their reference points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array
from ...dynamics.wrench import Wrench
from ...errors import ConfigurationError
from .rotations import as_rotations
from .vectors import as_series, cross, turn_back


@dataclass(frozen=True, eq=False, init=False, repr=False)
class WrenchSeries:
    """A `Wrench` in each of n frames, in world axes.

    A force plate's force F, centre of pressure and free moment are
    `WrenchSeries(F, free_moment, centre_of_pressure)`: the moment about the point where it acts.

    Attributes:
        force: (n, 3) [N].
        moment: (n, 3) [N·m] about `point`.
        point: (n, 3) [m].

    Raises:
        ConfigurationError: series of different lengths, or values that are not finite.
    """

    force: Array
    moment: Array
    point: Array

    def __init__(self, force: ArrayLike, moment: ArrayLike, point: ArrayLike) -> None:
        given = {"force": force, "moment": moment, "point": point}
        long = [len(x) for x in map(np.asarray, given.values()) if x.ndim == 2]
        frames = max(long, default=1)
        for name, value in given.items():
            object.__setattr__(self, name, as_series(value, (3,), name, frames))

    def __len__(self) -> int:
        return len(self.force)

    def __getitem__(self, frame: int) -> Wrench:
        """Return the `Wrench` in one frame."""
        return Wrench(self.force[frame], self.moment[frame], self.point[frame])

    def at(self, point: ArrayLike) -> Self:
        """Return the same with its moments about `point` (n, 3) or (3,): m' = m − r × f."""
        target = as_series(point, (3,), "point", len(self))
        return type(self)(self.force, self.moment - cross(target - self.point, self.force), target)

    def expressed_in(self, R: ArrayLike) -> tuple[Array, Array]:
        """Return (force, moment), each (n, 3), in the axes that R (n, 3, 3) maps to the world."""
        R = as_rotations(R, "R", len(self))
        return turn_back(R, self.force), turn_back(R, self.moment)

    def __add__(self, other: Self) -> Self:
        """Return the sum; the other's moments are taken about this one's points first."""
        if not isinstance(other, WrenchSeries):
            return NotImplemented
        if len(self) != len(other):
            raise ConfigurationError(f"got {len(self)} and {len(other)} frames; expected the same")
        moved = other.at(self.point)
        return type(self)(self.force + moved.force, self.moment + moved.moment, self.point)

    def __neg__(self) -> Self:
        return type(self)(-self.force, -self.moment, self.point)

    def __sub__(self, other: Self) -> Self:
        return self + (-other)

    def __repr__(self) -> str:
        peak = np.linalg.norm(self.force, axis=1).max()
        return f"WrenchSeries({len(self)} frames, up to {peak:.4g} N)"
