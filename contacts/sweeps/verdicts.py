"""Verdicts of one chunk of a sweep, in this process, another one or another machine.

In one posture the balance is linear in the loads' forces, moments, masses and tensions, so that two
values of each tell all others; and a friction that changes with an axis is that axis's value:

    h(x) = h(low) + Σ_a (x_a − low_a) ∂h/∂x_a,      μ_k(x) = x_a, or as it was
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ... import dynamics
from ...arrays import Array, Index
from ...errors import FootworkError
from ..equilibrium.balances import Balances
from ..equilibrium.decision import decide
from ..equilibrium.programs import Equilibrium
from ..equilibrium.solving import SOLVER
from ..equilibrium.verdicts import Verdicts
from ..hold import Hold
from ..scenario.loads import wrenches_of
from ..scenario.scenario import Scenario
from ..torque_limits import torque_bounds_of
from .plan import Block, Changes, Shared
from .variants import variant, written

# what `feasible` says: yes, no, at the edge or unsolved, no posture whose contacts touch, no such
# scenario
YES, NO, EDGE, OUT_OF_REACH, NONE = 1, 0, -1, -2, -3

_POSTURES = 64  # kept by a worker


@dataclass(frozen=True, eq=False)
class PostureProblem:
    """A scenario in one posture, and how its balance depends on the other parameters.

    Attributes:
        scenario: with the lowest value of every other parameter.
        balance: of it.
        slopes: {key: dh/dx (nv,)} of the loads.
        frictions: {key: (K, 2), which points and tangents have it as their friction}.
        shared: by all points of the sweep.
    """

    scenario: Scenario
    balance: Equilibrium
    slopes: dict[str, Array]
    frictions: dict[str, NDArray[np.bool_]]
    shared: Shared

    @classmethod
    def of(cls, base: Scenario, shared: Shared, changes: Changes) -> PostureProblem | None:
        """Return the posture that touches, None if there is none.

        Raises:
            FootworkError: no such scenario.
        """
        lowest = dict(changes) | {key: low for key, low, _ in shared.ends}
        # in the order of the axes: where two keys name the same value, the last one counts
        lowest = {key: lowest[key] for key, _ in shared.kinds}
        scenario = variant(base, lowest)
        if not scenario.solved.converged:
            return None
        balance, kinds = _balance(scenario), dict(shared.kinds)
        slopes, frictions = {}, {}
        for key, low, high in shared.ends:
            other = lowest | {key: high}
            if low == high:
                continue
            if kinds[key] == "load":
                at_low = _load_torques(scenario, scenario)
                at_high = _load_torques(written(base, other), scenario)
                slopes[key] = (at_high - at_low) / (high - low)
            else:
                rougher = variant(base, other).contact_set.limits.friction
                frictions[key] = rougher != balance.limits.friction
        return cls(scenario, balance, slopes, frictions, shared)

    def balances(self, block: Block, chosen: Index) -> Balances:
        """Return the balances of some points of a block."""
        loads, friction = None, None
        if self.slopes:
            change = np.zeros((len(chosen), len(self.balance.load)))
            for key, low, _ in self.shared.ends:
                if key in self.slopes:
                    change += (block.numbers(key, chosen) - low)[:, None] * self.slopes[key]
            loads = self.balance.load + change
        if self.frictions:
            friction = np.tile(self.balance.limits.friction, (len(chosen), 1, 1))
            for key, points in self.frictions.items():
                friction[:, points] = block.numbers(key, chosen)[:, None]
        return Balances.of([self.balance], loads, friction)


def _balance(scenario: Scenario) -> Equilibrium:
    robot, q = scenario.machine, scenario.q
    zero = np.zeros(robot.nv)
    h = -dynamics.inverse_dynamics(robot, q, zero, zero, scenario.wrenches_at(q))
    limits = torque_bounds_of(robot, scenario.torque_bounds)
    return Equilibrium.of(scenario.contact_set, q, h, limits)


def _load_torques(scenario: Scenario, there: Scenario) -> Array:
    """Generalised forces (nv,) of a scenario's loads in the posture of another one."""
    robot, q = there.machine, there.q
    loads = wrenches_of(scenario.loads, robot, q)
    return dynamics.external_torques(robot, q, loads)


class Answers(NamedTuple):
    """Of one chunk.

    Attributes:
        rows: (points, 1 + quantities), [feasible, *quantities] of each.
        refused: what is wrong with scenarios that cannot be.
    """

    rows: Array
    refused: tuple[str, ...]


def answers(block: Block) -> Answers:
    """Return the answers of a block.

    Whatever a point's neighbours are, its own values alone decide: a posture is solved from the
    scenario's start, and each verdict by itself.
    """
    shared, refused = block.shared, []
    rows = np.full((len(block), 1 + len(shared.quantities)), np.nan)
    for changes, chosen in block.postures():
        problem = _posture_problem(shared, changes)
        if isinstance(problem, PostureProblem):
            rows[chosen] = _rows(problem, problem.balances(block, chosen))
        elif problem is None:
            rows[chosen, 0] = OUT_OF_REACH
        else:
            rows[chosen, 0] = NONE
            refused.append(problem)
    return Answers(rows, tuple(dict.fromkeys(refused)))


@lru_cache(maxsize=_POSTURES)
def _posture_problem(shared: Shared, changes: Changes) -> PostureProblem | str | None:
    """A posture, None if none touches, or why there is no such scenario."""
    try:
        return PostureProblem.of(_scenario(*shared.source), shared, changes)
    except FootworkError as error:
        return str(error)


@lru_cache(maxsize=4)
def _scenario(text: str, file: str, folder: str) -> Scenario:
    """The scenario, read once a worker."""
    return Scenario.from_text(text, file, folder)


def _rows(problem: PostureProblem, balances: Balances) -> Array:
    """[feasible, *quantities] of each balance."""
    verdicts, quantities = decide(balances), problem.shared.quantities
    every = range(len(verdicts))
    columns = [np.asarray(verdicts.feasible, dtype=float)]
    for name in quantities:
        columns.append(
            verdicts.margin
            if name == "margin"
            else np.array([_quantity(problem, balances, verdicts, i, name) for i in every])
        )
    return np.column_stack([np.broadcast_to(c, len(verdicts)) for c in columns])


def _quantity(
    problem: PostureProblem, balances: Balances, verdicts: Verdicts, i: int, name: str
) -> float:
    """A quantity that is no part of the verdicts: of the Hold of the i-th, without its forces."""
    feasible = {1: True, 0: False, -1: None}[int(verdicts.feasible[i])]
    found = feasible, str(verdicts.status[i]), float(verdicts.margin[i]), None, None
    contacts, state = problem.scenario.contact_set, problem.scenario.state
    value: Any = getattr(Hold(*found, contacts, state, {}, balances.at(i), SOLVER), name)
    return float(value() if callable(value) else value)
