"""Many balances of one robot on the same contacts, in arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...arrays import Array
from ...errors import ContactError
from ...robots.values import common_length
from ..torque_limits import TorqueBounds
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
        torque_limits: (N or 1, na), largest |τ|; of a joint without limit inf, at least where the
            first state has it.
    """

    states: States
    loads: Array
    friction: Array
    torque_limits: Array

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
            states[0].torque_limits[None],
        )

    def __post_init__(self) -> None:
        len(self)  # refuses lengths that do not fit each other
        if len(self.loads) == 1 and len(self.torque_limits) != 1:
            loads = np.repeat(self.loads, len(self.torque_limits), axis=0)
            object.__setattr__(self, "loads", loads)

    def __len__(self) -> int:
        return common_length(
            q=len(self.states),
            loads=len(self.loads),
            friction=len(self.friction),
            torque_limits=len(self.torque_limits),
            error=ContactError,
        )

    @property
    def first(self) -> Equilibrium:
        """The balance of the first state: what all share is read from it."""
        return self.states.first

    def at(self, i: int) -> Equilibrium:
        """Return the i-th balance."""
        state = self.states.at(i % len(self.states), self.loads[i % len(self.loads)])
        limits = state.limits.with_friction(self.friction[i % len(self.friction)])
        bounds = TorqueBounds.about(self.torque_limits[i % len(self.torque_limits)])
        return replace(state, limits=limits, bounds=bounds)

    def part(self, start: int, stop: int) -> Balances:
        """Return the balances start … stop − 1."""
        every: tuple[Any, ...] = self.states, self.loads, self.friction, self.torque_limits
        return Balances(*(x if len(x) == 1 else x[start:stop] for x in every))

    def problems(self, layout: Layout, kernels: Any) -> tuple[Array, Problems]:
        """Return the columns of `States.columns`, and the problems, scaled as the first one is.

        Args:
            layout: of all.
            kernels: `columns` and `scale` of `kernels.compiled.Kernels`, compiled or not.
        """
        columns, pulls = self.states.columns(layout, kernels.columns)
        scales = self.first.scaled_problem(kernels.scale).program.scales
        given = columns, pulls, self.loads, self.torque_limits
        problems = Problems.of(layout, *given, kernels.scale, scales)
        return columns, problems.with_friction(self.friction)

    def circular(self) -> bool:
        """Whether all cones are circular ones of forces."""
        circles = bool((self.friction[..., 0] == self.friction[..., 1]).all())
        return self.first.layout.D == 3 and circles

    def known(self) -> bool:
        """Whether the kernel knows these contacts."""
        return self.first.layout.known and bool(np.isfinite(self.friction).all())
