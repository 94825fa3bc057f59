"""Verdicts on many balances, in arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array, Index
from ...errors import counted

_WORDS = {1: "hold", 0: "do not", -1: "undecided"}


@dataclass(frozen=True, eq=False)
class Verdicts:
    """The answers to N questions, entry by entry those of `Hold`.

    Attributes:
        feasible: (N,), 1 holds, 0 does not, −1 undecided: at the edge, or unsolved.
        margin: (N,), of normal force at every contact, torque limits kept [N]; ±inf as in `Hold`;
            nan where it was not asked for.
        forces: (N, K, 3), the least-norm admissible ones at the contacts' points, contact axes [N];
            nan where there are none.
        torques: (N, na), that these forces and the load ask for [N·m or N]; nan where there are
            none.
        torque_margin: (N,), over all admissible forces, the largest smallest (limit − |τ|)/limit,
            as `Hold.torque_margin` [-]; nan where it was not asked for.
        velocity: (N, nv), ‖y‖ = 1, along which nothing stops the robot; nan where it is not needed.
        residual: (N,), what the proof leaves open: of those that hold, of the balance, the cones
            and (where the kernel answered) the conditions of the least norm [N, N·m]; of the
            others, of the contacts' speeds in the motion [m/s]; nan where undecided.
        compiled: (N,), True where the kernel answered, False where the conic solver did.
        unsolved: (N,), True where neither found an answer that checks out.
    """

    feasible: NDArray[np.int8]
    margin: Array
    forces: Array
    torques: Array
    torque_margin: Array
    velocity: Array
    residual: Array
    compiled: NDArray[np.bool_]
    unsolved: NDArray[np.bool_]

    @classmethod
    def allocate(cls, count: int, points: int, nv: int, na: int) -> Verdicts:
        """Return arrays for the answers, nothing decided."""
        each = [(count,)]
        tables = [(count, points, 3), (count, na), (count,), (count, nv)]
        shapes = [*each * 2, *tables, *each * 3]
        out = cls(*(np.empty(s, t) for s, t in zip(shapes, _TYPES, strict=True)))
        out.clear(slice(None))
        return out

    def __repr__(self) -> str:
        many = {word: int((self.feasible == value).sum()) for value, word in _WORDS.items()}
        told = ", ".join(f"{count} {word}" for word, count in many.items() if count)
        states = counted(len(self.feasible), "state")
        return f"{type(self).__name__}({states}{': ' if told else ''}{told})"

    @property
    def asked_of_solver(self) -> int:
        """How many answers are those of the conic solver."""
        return int(np.count_nonzero(~self.compiled))

    @property
    def status(self) -> NDArray[np.str_]:
        """(N,), "feasible", "infeasible", "at the edge" or "unsolved"."""
        names = np.array(["infeasible", "feasible", "unsolved", "at the edge"])
        return names[np.where(self.feasible < 0, np.where(self.unsolved, 2, 3), self.feasible)]

    def clear(self, which: int | slice | NDArray[np.bool_]) -> None:
        """Make some undecided again."""
        for name in ("margin", "forces", "torques", "torque_margin", "velocity", "residual"):
            getattr(self, name)[which] = np.nan
        self.feasible[which], self.compiled[which], self.unsolved[which] = -1, False, False

    def put(self, rows: Index, points: NDArray[np.bool_], some: Verdicts) -> None:
        """Write the answers of some rows in which only some points touch; the others have no force.

        Args:
            rows: (n,), which they are.
            points: (K,), that touch.
            some: the n answers, about these points.
        """
        for name in Verdicts.__dataclass_fields__.keys() - {"forces"}:
            getattr(self, name)[rows] = getattr(some, name)
        forces = np.zeros((len(rows), *self.forces.shape[1:]))
        forces[:, points] = some.forces
        unknown = (some.feasible != 1) & np.isnan(some.forces).any(axis=(1, 2))
        forces[unknown | (some.feasible == 0)] = np.nan
        self.forces[rows] = forces

    def part(self, start: int, stop: int) -> Verdicts:
        """Return views of the answers start … stop − 1."""
        return Verdicts(*(getattr(self, k)[start:stop] for k in Verdicts.__dataclass_fields__))

    def __len__(self) -> int:
        return len(self.feasible)


_TYPES = (np.int8, *[float] * 6, bool, bool)
