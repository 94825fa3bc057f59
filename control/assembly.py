"""Layout: what stays the same from tick to tick, and the program that each state makes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import block_diag

from .command import _joint_of
from .footing import footings
from .force_tasks import ForceLikeTask, ForceRows
from .hierarchy import Stage
from .null_space import moving_columns
from .qp import Array, Program
from .situation import Situation
from .switching import FULL
from .tasks import PostureTask, Rows, Task

if TYPE_CHECKING:
    from .whole_body import WholeBodyController


FACING_UP = 0.3  # a contact whose normal is steeper carries no share of the weight


class AskedRows(NamedTuple):
    """What tasks asked at one state: dense rows, single entries of a, rows on the forces."""

    dense: list[tuple[Task, Rows]]
    single: list[tuple[PostureTask, Array, Array]]
    forces: list[tuple[ForceLikeTask, ForceRows]]

    def residuals(self, a: Array, w: Array) -> dict[str, Array]:
        """Return what each task lacks, A a − r or B w − c."""
        lacks = {task.name: rows.A @ a - rows.r for task, rows in self.dense}
        lacks |= {task.name: a[task.entries] - asked for task, asked, _ in self.single}
        return lacks | {task.name: rows.B @ w - rows.c for task, rows in self.forces}

    def errors(self) -> dict[str, Array]:
        """Return the errors of the motion tasks."""
        found = {task.name: rows.error for task, rows in self.dense}
        return found | {task.name: error for task, _, error in self.single}

    def motion(self, nv: int) -> list[tuple[Task, Rows]]:
        """Return all motion tasks as dense rows."""
        eye = np.eye(nv)
        single = [(t, Rows(eye[t.entries], asked, error)) for t, asked, error in self.single]
        return [*self.dense, *single]


class Layout:
    """Everything about a controller's program that no state changes."""

    def __init__(self, controller: WholeBodyController) -> None:
        self.controller, robot = controller, controller.robot
        self.robot, self.weight = robot, 9.81 * robot.mass
        self.footings = tuple(footings(controller.contacts, controller.sides))
        self.columns = moving_columns(robot, list(self.footings))
        moved = robot.selection_matrix.any(axis=0)
        self.actuated, self.unactuated = np.flatnonzero(moved), np.flatnonzero(~moved)
        self.F = _blocks([f.faces for f in self.footings])
        self.N = _blocks([np.eye(1, f.dim, 2) for f in self.footings])
        self.spread = _blocks([f.spread for f in self.footings])
        # arrays of their own, row by row: the compiled pass is made once for all controllers
        self.lower = np.array([f.bounds[0] for f in self.footings])
        self.upper = np.array([f.bounds[1] for f in self.footings])
        self.even = controller.force_weight / max(robot.mass, 1e-9) ** 2 * self.spread
        still = np.ones(robot.nv, dtype=bool)
        still[self.columns] = False
        self.others = np.flatnonzero(still)
        self.motion = [task for task in controller.tasks if isinstance(task, Task)]
        self.forces = [task for task in controller.tasks if isinstance(task, ForceLikeTask)]
        far = np.full(len(self.actuated), np.inf)
        self.unbounded = (-far, far)
        self._ups: list[Array] | None = None
        self._even: Array | None = None
        self._single: tuple[Any, Array] = (None, far)

    def joint_name(self, row: int) -> str:
        """Return the joint that an entry of v belongs to."""
        return str(self.robot.model.names[_joint_of(self.robot, row)])

    def program(self, now: Situation, shares: dict[str, float]) -> tuple[Program, AskedRows]:
        """Return the program of a state, and what the tasks asked."""
        J, k = self._contacts(now)
        dense = [(task, task.rows(now)) for task in self.motion if not task.diagonal]
        single = [(t, *t.asked(now)) for t in self.motion if isinstance(t, PostureTask)]
        A, r, weight = self._stacked(dense)
        d, p = self._accelerations(single)
        P, s, forces = self._force_terms(now, shares)
        lower, upper = self._normal_bounds(shares)
        slowest, fastest = self._joint_bounds(now)
        program = Program(
            now.M, now.b, J, k, self.actuated, self.unactuated, A, r, weight, d, p, P, s,
            self.F, self.N, lower, upper, self.controller.torque_limits, slowest, fastest,
        )  # fmt: skip
        return program, AskedRows(dense, single, forces)

    def _stacked(self, dense: list[tuple[Task, Rows]]) -> tuple[Array, Array, Array]:
        """A (m, nv), r (m,) and their weights (m,)."""
        m = sum([len(rows.r) for _, rows in dense])
        A, r, weight, start = np.empty((m, self.robot.nv)), np.empty(m), np.empty(m), 0
        for task, rows in dense:
            own = slice(start, start + len(rows.r))
            A[own], r[own], weight[own] = rows.A, rows.r, task.weight
            start = own.stop
        return A, r, weight

    def _contacts(self, now: Situation) -> tuple[Array, Array]:
        """J (dim, nv) and k = −J̇v − damping J v (dim,)."""
        dim, damping = len(self.spread), self.controller.contact_damping
        J, k, start = np.empty((dim, self.robot.nv)), np.empty(dim), 0
        for footing in self.footings:
            own = slice(start, start + footing.dim)
            J[own], drift, velocity = footing.rows(now)
            k[own] = -drift - damping * velocity
            start = own.stop
        return J, k

    def _accelerations(self, single: list[tuple[PostureTask, Array, Array]]) -> tuple[Array, Array]:
        """d and p (nv,): several tasks on one entry add up to one."""
        if len(single) == 1 and np.ndim(single[0][0].weight) == 0:
            return self._of_one(*single[0][:2])
        d, dp = np.empty(self.robot.nv), np.zeros(self.robot.nv)
        d[:] = self.controller.regularisation
        for task, asked, _ in single:
            d[task.entries] += task.weight
            dp[task.entries] += task.weight * asked
        return d, dp / np.maximum(d, 1e-300)

    def _of_one(self, task: PostureTask, asked: Array) -> tuple[Array, Array]:
        """The same of a single task with one weight, whose d stays."""
        weight, usual = float(task.weight), self.controller.regularisation
        key = (id(task), weight, usual)
        if self._single[0] != key:
            d = np.full(self.robot.nv, usual)
            d[task.entries] += weight
            self._single = (key, d)
        p = np.zeros(self.robot.nv)
        p[task.entries] = weight / max(weight + usual, 1e-300) * asked
        return self._single[1], p

    def _force_terms(
        self, now: Situation, shares: dict[str, float]
    ) -> tuple[Array, Array, list[tuple[ForceLikeTask, ForceRows]]]:
        """P and s: near an even share of the weight, and what force tasks ask."""
        P = self.even
        s, asked = P @ self._even_share(now, shares), []
        for task in self.forces:
            rows = task.rows(now, self.controller.contacts)
            if rows is None:
                continue
            weighted = np.broadcast_to(task.weight, len(rows.c))[:, None] * rows.B
            P, s = P + rows.B.T @ weighted, s + weighted.T @ rows.c
            asked.append((task, rows))
        return P, s, asked

    def _even_share(self, now: Situation, shares: dict[str, float]) -> Array:
        """The robot's weight on the contacts that face up, by their shares; in contact axes.

        A contact that stays does not tilt: which way is up there is asked once.
        """
        if self._ups is None:
            self._ups = [footing.up(now.q) for footing in self.footings]
            self._even = None
        if self._even is not None and not shares:
            return self._even
        parts = [
            shares.get(f.name, 1.0) * float(up[2] > FACING_UP)
            for f, up in zip(self.footings, self._ups, strict=True)
        ]
        total, w, start = sum(parts), np.zeros(len(self.spread)), 0
        for footing, up, part in zip(self.footings, self._ups, parts, strict=True):
            w[start : start + 3] = self.weight * part / max(total, 1e-12) * up
            start += footing.dim
        self._even = None if shares else w
        return w

    def _normal_bounds(self, shares: dict[str, float]) -> tuple[Array, Array]:
        if not shares:
            return self.lower, self.upper
        lower, upper = self.lower.copy(), self.upper.copy()
        for i, footing in enumerate(self.footings):
            if (share := shares.get(footing.name)) is not None:
                cap = share * FULL * self.weight
                lower[i] = max(lower[i], -cap) if lower[i] < 0 else share * lower[i]
                upper[i] = min(upper[i], cap)
        return lower, upper

    def _joint_bounds(self, now: Situation) -> tuple[Array, Array]:
        limits = self.controller.joint_limits
        return self.unbounded if limits is None else limits.bounds(now.q, now.v)

    def stages(self, asked: AskedRows) -> list[Stage]:
        """Return the levels of a strict hierarchy, the most important first."""
        found = []
        nv, dim = self.robot.nv, len(self.spread)
        for level in sorted({t.level for t in self.motion} | {t.level for t in self.forces}):
            motion = [(t, rows) for t, rows in asked.motion(nv) if t.level == level]
            forces = [(t, rows) for t, rows in asked.forces if t.level == level]
            on_a = [rows.A for _, rows in motion] + [np.zeros((len(r.c), nv)) for _, r in forces]
            on_w = [np.zeros((len(r.r), dim)) for _, r in motion] + [rows.B for _, rows in forces]
            e = [rows.r for _, rows in motion] + [rows.c for _, rows in forces]
            weights = [task.weight for task, _ in motion] + [task.weight for task, _ in forces]
            if e:
                sizes = [len(x) for x in e]
                spread = _weights(list(zip(weights, sizes, strict=True)))
                parts = (np.concatenate(on_a), np.concatenate(on_w), np.concatenate(e))
                found.append(Stage(*parts, spread))
        return found


def _blocks(matrices: list[Array]) -> NDArray[np.float64]:
    return np.asarray(block_diag(*matrices)) if matrices else np.zeros((0, 0))


def _weights(parts: list[tuple[Any, int]]) -> Array:
    spread = [np.zeros(0)]
    spread += [np.broadcast_to(np.asarray(w, dtype=float), n) for w, n in parts]
    return np.concatenate(spread)
