"""Posture problem of a sweep: balances in one posture, linear in its friction and loads.

    h(x) = h(low) + Σ_a (x_a − low_a) ∂h/∂x_a,      μ_k(x) = x_a, or as it was

The balance is linear in the loads' forces, moments, masses and tensions, so that two values of each
tell all others; and a friction that changes with an axis is that axis's value.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ... import dynamics
from ...arrays import Array, Index
from ..equilibrium.balance import load
from ..equilibrium.balances import Balances
from ..equilibrium.programs import Equilibrium
from ..scenario.loads import wrenches_of
from ..scenario.scenario import Scenario
from ..torque_limits import torque_limits_of
from .plan import Block, Changes, Question
from .variants import variant, written


@dataclass(frozen=True, eq=False)
class PostureProblem:
    """A scenario in one posture, and how its balance depends on the other parameters.

    Attributes:
        scenario: with the lowest value of every other parameter.
        balance: of it.
        slopes: {key: dh/dx (nv,)} of the loads.
        frictions: {key: (K, 2), which points and tangents have it as their friction}.
        question: of the sweep.
    """

    scenario: Scenario
    balance: Equilibrium
    slopes: dict[str, Array]
    frictions: dict[str, NDArray[np.bool_]]
    question: Question

    @classmethod
    def of(cls, base: Scenario, question: Question, changes: Changes) -> PostureProblem | None:
        """Return the posture that touches, None if there is none.

        Raises:
            FootworkError: no such scenario.
        """
        lowest = dict(changes) | {key: low for key, low, _ in question.ends}
        # in the order of the axes: where two keys name the same value, the last one counts
        lowest = {key: lowest[key] for key, _ in question.kinds}
        scenario = variant(base, lowest)
        if not scenario.solved.converged:
            return None
        balance, kinds = _balance(scenario), dict(question.kinds)
        slopes, frictions = {}, {}
        for key, low, high in question.ends:
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
        return cls(scenario, balance, slopes, frictions, question)

    def balances(self, block: Block, chosen: Index) -> Balances:
        """Return the balances of some points of a block."""
        loads, friction = None, None
        if self.slopes:
            change = np.zeros((len(chosen), len(self.balance.load)))
            for key, low, _ in self.question.ends:
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
    h = load(robot, q, zero, zero, scenario.wrenches_at(q))
    limits = torque_limits_of(robot, scenario.torque_limits)
    return Equilibrium.of(scenario.contact_set, q, h, limits)


def _load_torques(scenario: Scenario, there: Scenario) -> Array:
    """Generalised forces (nv,) of a scenario's loads in the posture of another one."""
    robot, q = there.machine, there.q
    loads = wrenches_of(scenario.loads, robot, q)
    return dynamics.external_torques(robot, q, loads)
