"""The programs of the balance in matrix form, for the conic solver.

The unknowns are z = [x/weight, further unknowns].
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ..conic_solver import Program, Rows, Solution
from .balance import Balance

FAR = 1e4  # weights of margin beyond which it counts as infinite
ROUNDING = 1e-14  # weights that equations are left with


@dataclass(frozen=True, eq=False)
class Programs:
    """The programs of a balance for z = [x, e] (n + m,), all forces in units of the weight.

    Their matrices are made once.

    Attributes:
        balance: of the forces x.
        columns: (nv, m), what a unit of each further unknown does to the robot.
        extra_normal: (C, m), what it adds to each contact's normal force, as upper bounds count it.
        fenced: whether |e| of a single one is limited too.
    """

    balance: Balance
    columns: Array
    extra_normal: Array
    fenced: bool = False

    @classmethod
    def of(cls, balance: Balance, shares: Array | None = None) -> Programs:
        """Return those of a margin, e = ε, of which each contact loses its share (C,).

        By default the limits' shares.
        """
        limits = balance.limits
        shares = limits.pulls if shares is None else shares
        return cls(balance, (balance.normals @ shares)[:, None], (limits.presses * shares)[:, None])

    @classmethod
    def besides(cls, balance: Balance, columns: Array) -> Programs:
        """Return those of further unknowns (nv, m) that are no normal forces of contacts."""
        return cls(balance, columns, np.zeros((balance.limits.contact_count, columns.shape[1])))

    @cached_property
    def given(self) -> Array:
        """(nv, n + m), what a unit of each unknown does to the robot."""
        return np.hstack([self.balance.columns, self.columns])

    def program(self, *linear: Rows) -> Program:
        """The program of all limits, with further rows that are at least zero, which come first."""
        free, (locked, *rows) = self.balance.unactuated, self._contacts
        h = -self.balance.load[free] / self.balance.weight
        return Program([Rows(self.given[free], h), locked], *linear, *rows)

    @cached_property
    def _contacts(self) -> tuple[Rows, Rows, Rows]:
        return self.balance.limits.solver_rows(self.extra_normal, self.balance.weight)

    def torques(self) -> Rows:
        """|τ| ≤ limits, where there are any."""
        limited = np.isfinite(self.balance.torque_limits)
        rows = self.balance.actuated[limited]
        most = self.balance.torque_limits[limited] / self.balance.weight
        h, G = self.balance.load[rows] / self.balance.weight, self.given[rows]
        return Rows(np.vstack([G, -G]), np.concatenate([most - h, most + h]))

    def bears(self, z: Array) -> bool:
        """Whether z, or its first entries with the others zero, keeps torque limits."""
        torques = self.balance.load / self.balance.weight + self.given[:, : len(z)] @ z
        most = self.balance.torque_limits / self.balance.weight
        return bool((np.abs(torques[self.balance.actuated]) <= most).all())

    def best(self, cost: Array, diagonal: Array | None = None) -> Solution:
        """The best z, or x if the cost has no entry for ε; its velocity (nv,) if there is one.

        At first as if joints were of any strength: what they can bear stays the best.
        """
        balance = self.balance
        answer = self.strong.among(len(cost)).solve(cost, diagonal)
        found = self.with_velocity(answer, np.zeros(0, dtype=np.intp))
        if answer.status == "infeasible" or not np.isfinite(balance.torque_limits).any():
            return found
        if answer.unknowns is not None and self.bears(answer.unknowns):
            return found
        answer = self.limited.among(len(cost)).solve(cost, diagonal)
        if found.value > 0:  # a margin below zero: what joints of any strength cannot stop
            return replace(answer, velocity=found.velocity)
        return self.with_velocity(answer, balance.actuated[np.isfinite(balance.torque_limits)])

    def with_velocity(self, answer: Solution, limited: NDArray[np.intp]) -> Solution:
        """Read y, the multipliers of the equations of motion.

        At the optimum nothing is gained by any force, so that the columns' yᵀA lie in the cones'
        duals: y moves the contacts as nothing brakes. Where there is no optimum it is Farkas'
        proof.
        """
        if answer.multipliers is None:
            return answer
        balance = self.balance
        y = np.zeros(len(balance.load))
        y[balance.unactuated] = answer.multipliers[0]
        if len(limited):
            high, low = answer.multipliers[2].reshape(2, -1)
            y[limited] = high - low
        return replace(answer, velocity=y)

    @cached_property
    def strong(self) -> Program:
        """Without torque limits."""
        return self.program(*self._fences())

    @cached_property
    def limited(self) -> Program:
        """With them."""
        return self.program(self.torques(), *self._fences())

    def _fences(self) -> list[Rows]:
        if not self.fenced:
            return []
        fence = np.eye(self.given.shape[1])[-1:]
        return [Rows(np.vstack([-fence, fence]), np.full(2, FAR))]

    def saddle(self) -> tuple[Solution, Array]:
        """Solve for the margin, and for the multipliers of `ContactLimits.whole_rows` (r,) too."""
        balance = self.balance
        n, limited = balance.columns.shape[1], np.isfinite(balance.torque_limits)
        answer = self.limited.solve(-np.eye(n + 1)[n])
        answer = maximum(self.with_velocity(answer, balance.actuated[limited]), n)
        whole = np.zeros(len(balance.limits.whole_rows.b))
        if answer.multipliers is not None:
            whole = answer.multipliers[3][len(balance.limits.pressing_rows.b) :]
        return answer.in_units(balance.weight, balance.weight), whole


def maximum(answer: Solution, n: int) -> Solution:
    """Return the answer to a maximisation of −cᵀz, with the first n unknowns alone."""
    x = None if answer.unknowns is None else answer.unknowns[:n]
    return replace(answer, value=-answer.value, unknowns=x)
