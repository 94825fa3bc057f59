"""Many balances in arrays: what differs from one to the next, and what they share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import Array
from ...errors import ContactError
from .problems import Layout, Problems
from .programs import Equilibrium
from .states import ListedStates, States


@dataclass(frozen=True, eq=False)
class Balances:
    """N balances of the same robot on the same contacts; arrays with one entry serve all.

    Attributes:
        states: N or 1, all with the same points and torque limits.
        loads: (N or 1, nv), what is to be balanced.
        friction: (N or 1, K, 2), instead of the contacts' own.
    """

    states: States
    loads: Array
    friction: Array

    @classmethod
    def of(
        cls,
        states: Sequence[Equilibrium],
        loads: Array | None = None,
        friction: Array | None = None,
    ) -> Balances:
        """Return balances; loads (N, nv) and friction (N, K, 2) are the states' own by default.

        Raises:
            ContactError: no state, or lengths that do not fit each other.
        """
        if not len(states):
            raise ContactError("got no state, expected at least one")
        own_loads = np.stack([balance.load for balance in states])
        own_friction = np.stack([balance.limits.friction for balance in states])
        return cls(
            ListedStates(states[0], states),
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

    @property
    def first(self) -> Equilibrium:
        """The balance of the first state: what all share is read from it."""
        return self.states.first

    def at(self, i: int) -> Equilibrium:
        """Return the i-th balance."""
        state = self.states.at(i % len(self.states), self.loads[i % len(self.loads)])
        return state.with_limits(state.limits.with_friction(self.friction[i % len(self.friction)]))

    def part(self, start: int, stop: int) -> Balances:
        """Return the balances start … stop − 1."""
        cut = slice(start, stop)
        return Balances(
            self.states if len(self.states) == 1 else self.states.part(start, stop),
            self.loads if len(self.loads) == 1 else self.loads[cut],
            self.friction if len(self.friction) == 1 else self.friction[cut],
        )

    def problems(self, layout: Layout, filling: Any, scaling: Any) -> Problems:
        """Return the kernel's problems, scaled as the first one is.

        Args:
            layout: of all.
            filling, scaling: `kernels.contact_columns.contact_columns` and `.scale_rows`, compiled
                or not.
        """
        columns, pulls = self.states.columns(layout, filling)
        scales = self.first.scaled_problem(scaling).program.scales
        problems = Problems.of(layout, columns, pulls, self.loads, scaling, scales)
        return problems.with_friction(self.friction)

    def circular(self) -> bool:
        """Whether all cones are circular ones of forces."""
        circles = bool((self.friction[..., 0] == self.friction[..., 1]).all())
        return self.first.layout.D == 3 and circles

    def known(self) -> bool:
        """Whether the kernel knows these contacts."""
        return self.first.layout.known and bool(np.isfinite(self.friction).all())
