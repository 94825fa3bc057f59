"""Step of a repair: the second-order cone program near an iterate.

    minimise    objective(x) + λ ‖x‖² + ρ Σ_k ‖s_k‖ + ρ Σ σ + Σ ‖ṗ_i/u‖²
    subject to  r + C₀ x + C₁ ẋ + C₂ ẍ − Σ J_iᵀ(f − f₀) = s        unactuated rows
                f_i − margin n in the friction cone of each corner
                J_i x = p_i − p_i(q)                                corners that stand
                g + G₀ x + G₁ ẋ + G₂ ẍ + F (f − f₀) ≤ σ,   σ ≥ 0    all other limits

The slacks s and σ keep the program solvable. Their prices ρ are exact: they are zero wherever they
can be (R. Fletcher, "Practical methods of optimization" (1987), §14.3).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import Array, Index
from ...dynamics.spatial import skew
from .differences import REACH
from .iterate import AT_REST, Iterate
from .limits import LimitRows, Limits
from .objective import Objective
from .sparse_program import Rows, SparseProgram

PRICE = 300.0  # ρ, at first
_CALM = 1e-2  # weight of squared forces, in units of the robot's weight
_REACH = 0.03  # how far corners are brought towards their places in one step [m]


class Step(NamedTuple):
    """x (n, nv), forces (n, K, 3) in world axes [N], the solver's word."""

    x: Array
    forces: Array
    status: str


class StepProgram:
    """The program of one step.

    Args:
        here: the iterate.
        objective: what is to change least.
        limits: what is to be kept.
        damping: λ.
        price: ρ.
        window: samples that may change; forces may up to `REACH` samples beyond.
    """

    def __init__(
        self,
        here: Iterate,
        objective: Objective,
        limits: Limits,
        damping: float,
        window: slice,
        price: float = PRICE,
    ) -> None:
        self.here, self.problem = here, here.problem
        self.program, self.price = SparseProgram(), price
        n, nv = here.q.shape[0], self.problem.robot.nv
        self.samples = np.arange(n)[window]
        self.rows = np.arange(max(window.start - REACH, 0), min(window.stop + REACH, n))
        self.x: Index = np.full((n, nv), -1)
        moved = self.problem.moved
        self.x[np.ix_(self.samples, moved)] = self.program.unknowns(len(self.samples), len(moved))
        self._add_forces()
        self._add_objective(objective, damping)
        self._add_balance()
        self._add_stances()
        self._add_landings()
        for rows in limits.rows(here):
            self._add_limit(rows)

    def solve(self, tolerance: float = 1e-7) -> Step:
        """Return the step."""
        answer = self.program.solve(tolerance)
        z, here = answer.z, self.here
        x = np.where(self.x >= 0, z[self.x], 0.0)
        forces = here.forces.copy()
        local = np.where(self.f >= 0, z[self.f], 0.0) * self.problem.robot.weight
        inside = np.zeros(len(forces), dtype=bool)
        inside[self.rows] = True
        forces[inside] = np.einsum("nkij,nkj->nki", self.axes, local)[inside]
        return Step(x, forces, answer.status)

    # --- parts ----------------------------------------------------------------------------------

    def _add_forces(self) -> None:
        """Unknown forces at corners that touch: two tangents and the normal, in weights."""
        corners, weight = self.problem.corners, self.problem.robot.weight
        self.axes = corners.axes_at(self.here.placed)
        on = np.zeros(corners.touching.shape, dtype=bool)
        on[self.rows] = corners.touching[self.rows]
        self.f: Index = np.full((*on.shape, 3), -1)
        self.f[on] = columns = self.program.unknowns(int(on.sum()), 3)
        mu = np.maximum(np.broadcast_to(corners.friction, (*on.shape, 2))[on], 1e-4)
        least = self.problem.least_normal[on] / weight
        order = columns[:, [2, 0, 1]]
        scale = -np.column_stack([np.ones(len(mu)), 1 / mu])
        right = np.column_stack([-least, np.zeros((len(mu), 2))])
        self.program.in_cones(order.reshape(-1, 1), scale.reshape(-1, 1), right.ravel(), 3)
        flat = columns.reshape(-1, 1)
        self.program.squares(flat, np.full(flat.shape, np.sqrt(_CALM)), np.zeros(len(flat)))

    def _add_objective(self, objective: Objective, damping: float) -> None:
        here, samples, differences = self.here, self.samples, self.problem.calm
        model, nv = objective.quadratic(here.q), self.problem.robot.nv
        H = model.H[samples] + damping * np.eye(nv)
        L = np.linalg.cholesky(H + 1e-9 * np.eye(nv))
        right = -np.linalg.solve(L, model.g[samples][:, :, None])[:, :, 0]
        columns = np.repeat(self.x[samples][:, None], nv, axis=1)
        self.program.squares(
            columns.reshape(-1, nv), np.swapaxes(L, 1, 2).reshape(-1, nv), right.ravel()
        )
        xi, root = objective.change(here.q), np.sqrt(objective.smoothness)
        _, second = differences.derivatives(xi)
        taps = np.moveaxis(self.x[differences.taps], 1, 2)  # (n, nv, m)
        near = (self.x[differences.taps] >= 0).any(axis=(1, 2))
        weights = np.broadcast_to(root * differences.second[:, None], taps.shape)
        width = taps.shape[2]
        self.program.squares(
            taps[near].reshape(-1, width),
            weights[near].reshape(-1, width),
            -root * second[near].ravel(),
        )

    def _add_balance(self) -> None:
        """The equations of motion in unactuated rows, with the slack that they cost."""
        problem, lin, k = self.problem, self.here.linear, self.rows
        rows, units = problem.free_rows, problem.units
        if not len(rows):
            return
        m = len(rows)
        slack = self.program.unknowns(len(k), m + 1)
        self.program.cost(slack[:, 0], self.price)
        self.program.in_cones(
            slack.reshape(-1, 1), np.full((slack.size, 1), -1.0), np.zeros(slack.size), m + 1
        )
        world = self.here.forces
        known = lin.r[:, rows] + np.einsum("nkir,nki->nr", lin.points[..., rows], world)
        at = np.repeat(k, m)
        which = np.tile(rows, len(k))
        scale = (1 / np.tile(units, len(k)))[:, None]
        numbers = self._rows_in_motion(
            self.program.equal, at, scale * lin.C0[at, which], scale * lin.C1[at, which],
            scale * lin.C2[at, which], -scale[:, 0] * known[k].ravel(),
        )  # fmt: skip
        local = np.einsum("nkij,nkir->nkjr", self.axes, lin.points[..., rows])
        onto = np.moveaxis(local, 3, 1)[k].reshape(len(at), -1)  # (rows, K·3)
        columns = np.repeat(self.f[k].reshape(len(k), -1), m, axis=0)
        self.program.equal.also(numbers, columns, -problem.robot.weight * scale * onto)
        self.program.equal.also(numbers, slack[:, 1:].reshape(-1, 1), np.array([[-1.0]]))

    def _add_stances(self) -> None:
        """Corners that touch go to their places: independent rows of each foot."""
        problem, here = self.problem, self.here
        corners, J = problem.corners, here.placed.jacobians
        for k in self.samples:
            for foot in range(len(corners.frames)):
                own = np.flatnonzero(corners.touching[k] & (corners.owner == foot))
                if not len(own):
                    continue
                turning, off = _stance_rows(here.placed.arms[k, own], here.off[k, own])
                self.program.equal.add(
                    np.tile(self.x[k], (len(turning), 1)), turning @ J[k, foot], -off
                )

    def _add_landings(self) -> None:
        """Corners that touch are at rest, also where the differences read samples before or after.

        The rate of a place is that of its samples, Σ_d first[k, d] (p + J x)[taps[k, d]].
        """
        placed, d = self.here.placed, self.problem.differences
        k, c, rates = self.here.landings
        inside = np.isin(k, self.samples)
        k, c, rates = k[inside], c[inside], rates[inside]
        if not len(k):
            return
        J = self.problem.corners.jacobian(placed, placed.arms)
        slack = self.program.unknowns(len(k) * 3, 1)
        self.program.squares(slack, np.full(slack.shape, 1 / AT_REST), np.zeros(len(slack)))
        rows = self.program.equal.empty(-rates.ravel())
        self.program.equal.also(rows, slack, np.full(slack.shape, -1.0))
        for tap in range(d.taps.shape[1]):
            near = d.taps[k, tap]
            values = d.first[k, tap, None, None] * J[near, c]
            columns = np.repeat(self.x[near][:, None], 3, axis=1)
            width = values.shape[2]
            self.program.equal.also(rows, columns.reshape(-1, width), values.reshape(-1, width))

    def _add_limit(self, rows: LimitRows) -> None:
        """Rows of one kind, each with a slack."""
        inside = np.isin(rows.samples, self.rows)
        if not inside.any():
            return
        picked = rows.some(inside)
        slack = self.program.unknowns(len(picked.g), 1)
        self.program.cost(slack, self.price)
        self.program.below.add(slack, np.full(slack.shape, -1.0), np.zeros(len(slack)))
        right = -picked.g
        if picked.F is not None:
            right = right + np.einsum("mki,mki->m", picked.F, self.here.forces[picked.samples])
        numbers = self._rows_in_motion(
            self.program.below, picked.samples, picked.G0, picked.G1, picked.G2, right
        )
        self.program.below.also(numbers, slack, np.full(slack.shape, -1.0))
        if picked.F is not None:
            local = np.einsum("mki,mkij->mkj", picked.F, self.axes[picked.samples])
            columns = self.f[picked.samples].reshape(len(numbers), -1)
            self.program.below.also(
                numbers, columns, self.problem.robot.weight * local.reshape(len(numbers), -1)
            )

    def _rows_in_motion(
        self,
        into: Rows,
        at: Index,
        C0: Array | None,
        C1: Array | None,
        C2: Array | None,
        right: Array,
    ) -> Index:
        """Add rows C₀ x + C₁ ẋ + C₂ ẍ at samples (m,); return their numbers."""
        d = self.problem.differences
        numbers = into.empty(right)
        if C0 is not None:
            into.also(numbers, self.x[at], C0)
        if C1 is None and C2 is None:
            return numbers
        for tap in range(d.taps.shape[1]):
            values = np.zeros((len(at), self.x.shape[1]))
            if C1 is not None:
                values += d.first[at, tap, None] * C1
            if C2 is not None:
                values += d.second[at, tap, None] * C2
            into.also(numbers, self.x[d.taps[at, tap]], values)
        return numbers


def _stance_rows(arms: Array, off: Array) -> tuple[Array, Array]:
    """Return (T, e): T V = −e of a foot's twist V brings k corners to their places, T (rank, 6).

    Corners move by [1, −[r×]] V; of these 3k rows only up to six are independent.
    """
    G = np.zeros((len(arms), 3, 6))
    G[:, :, :3], G[:, :, 3:] = np.eye(3), -skew(arms)
    U, s, Vt = np.linalg.svd(G.reshape(-1, 6), full_matrices=False)
    rank = int((s > 1e-6).sum())
    e = U[:, :rank].T @ off.ravel()
    far = np.abs(off).max()
    e = e * min(1.0, _REACH / far) if far > 0 else e
    return s[:rank, None] * Vt[:rank], e
