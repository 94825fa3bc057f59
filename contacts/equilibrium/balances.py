"""Many balances in arrays: what differs from one to the next, and what they share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...errors import ContactError
from .programs import Equilibrium

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Balances:
    """N balances of the same robot on the same contacts; arrays with one entry serve all.

    Attributes:
        states: balances of the states (N or 1), all with the same points and torque limits.
        loads: (N or 1, nv), instead of theirs.
        friction: (N or 1, K), instead of theirs.
    """

    states: Sequence[Equilibrium]
    loads: Array
    friction: Array

    @classmethod
    def of(
        cls,
        states: Sequence[Equilibrium],
        loads: Array | None = None,
        friction: Array | None = None,
    ) -> Balances:
        """Return balances; loads (N, nv) and friction (N, K) are those of the states by default.

        Raises:
            ContactError: no state, or lengths that do not fit each other.
        """
        if not len(states):
            raise ContactError("got no state, expected at least one")
        own_loads, own_friction = (np.stack([getattr(b, k) for b in states]) for k in _OWN)
        return cls(
            states,
            own_loads if loads is None else np.ascontiguousarray(loads),
            own_friction if friction is None else np.ascontiguousarray(friction),
        )

    def __post_init__(self) -> None:
        lengths = {len(x) for x in (self.states, self.loads, self.friction)} - {1}
        if len(lengths) > 1:
            raise ContactError(
                f"got {len(self.states)} configurations, {len(self.loads)} loads and "
                f"{len(self.friction)} frictions; expected one N, or 1, for each"
            )

    def __len__(self) -> int:
        return max(len(self.states), len(self.loads), len(self.friction))

    def at(self, i: int) -> Equilibrium:
        """Return the i-th balance."""
        load, friction = self.loads[i % len(self.loads)], self.friction[i % len(self.friction)]
        return replace(self.states[i % len(self.states)], load=load, friction=friction)

    def part(self, start: int, stop: int) -> Balances:
        """Return the balances start … stop − 1."""
        cut = slice(start, stop)
        return Balances(
            self.states if len(self.states) == 1 else self.states[cut],
            self.loads if len(self.loads) == 1 else self.loads[cut],
            self.friction if len(self.friction) == 1 else self.friction[cut],
        )

    @property
    def plain(self) -> bool:
        """Whether Coulomb's cones of points that only push are all that limits the forces."""
        b = self.states[0]
        simple = not (b.rubs or b.bounded or b.bilateral.any()) and b.point_count > 0
        return simple and len(b.unactuated) > 1 and bool(np.isfinite(self.friction).all())

    def stacked(self, name: str, rows: NDArray[np.intp]) -> Array:
        """Return some rows of an array of the states, (N or 1, len(rows), …)."""
        return np.stack([getattr(state, name)[rows] for state in self.states])


_OWN = ("load", "friction")
