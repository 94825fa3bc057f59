"""Layout: what stays the same from tick to tick, and the program that each state makes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import block_diag

from ..contacts.equilibrium.reasons import joint_of_row
from .by_kernels import CompiledRows, fits
from .by_numpy import NumpyRows
from .footing import FACING_UP, Footing, footings
from .force_tasks import ForceLikeTask, ForceRows
from .hierarchy import Stage
from .null_space import moving_columns
from .packing import Bounds, Laid, Packing
from .qp import Array
from .reduction import ready
from .situation import Desk, Situation
from .switching import FULL
from .tasks import PostureTask, Task

if TYPE_CHECKING:
    from .whole_body import WholeBodyController


class Layout:
    """Everything about a controller's program that no state changes.

    Attributes:
        program: of the last state laid out; the next one writes to the same arrays.
        active: the bounds that the last answer was at: faces, normal forces, torques, joints.
    """

    def __init__(self, controller: WholeBodyController, desk: Desk, sizes: dict[str, int]) -> None:
        self.controller, self.desk, self.sizes = controller, desk, sizes
        self.robot = robot = controller.robot
        self.weight = 9.81 * robot.mass
        self._lay_contacts()
        moved = robot.selection_matrix.any(axis=0)
        self.actuated, self.unactuated = np.flatnonzero(moved), np.flatnonzero(~moved)
        self.motion = [task for task in controller.tasks if isinstance(task, Task)]
        self.dense = [task for task in self.motion if not task.diagonal]
        self.single = [task for task in self.motion if isinstance(task, PostureTask)]
        self.forces = [task for task in controller.tasks if isinstance(task, ForceLikeTask)]
        far = np.full(len(self.actuated), np.inf)
        self.unbounded = (-far, far)
        self.active = np.zeros(len(self.F) + len(self.N) + 2 * len(far), dtype=np.int64)
        self.packing: Packing = Packing(self)
        self.rows: NumpyRows | CompiledRows
        self.rows = CompiledRows(self) if fits(self) else NumpyRows(self)
        self._asked_forces: list[tuple[ForceLikeTask, ForceRows]] = []
        still = Bounds(
            self.even,
            self.lower,
            self.upper,
            controller.torque_limits,
            -far,
            far,
        )
        self.program = self.packing.program(self.packing.arrays, still)
        ready(self.program, self)

    def _lay_contacts(self) -> None:
        controller, robot = self.controller, self.robot
        self.footings = tuple(footings(controller.contacts, controller.sides))
        self.columns = moving_columns(robot, list(self.footings))
        still = np.ones(robot.nv, dtype=bool)
        still[self.columns] = False
        self.others = np.flatnonzero(still)
        self.F = _blocks([f.faces for f in self.footings])
        self.N = _blocks([np.eye(1, f.dim, 2) for f in self.footings])
        self.spread = _blocks([f.spread for f in self.footings])
        # arrays of their own, row by row: the compiled pass is made once for all controllers
        self.lower = np.array([f.bounds[0] for f in self.footings])
        self.upper = np.array([f.bounds[1] for f in self.footings])
        self.even = controller.force_weight / max(robot.mass, 1e-9) ** 2 * self.spread
        ends = np.cumsum([0, *(f.dim for f in self.footings)])
        self.contact_rows: list[tuple[Footing, slice]] = [
            (footing, slice(int(ends[i]), int(ends[i + 1])))
            for i, footing in enumerate(self.footings)
        ]

    @property
    def dim(self) -> int:
        """Size of w."""
        return len(self.spread)

    def joint_name(self, row: int) -> str:
        """Return the joint that an entry of v belongs to."""
        return joint_of_row(self.robot, row)

    def lay(self, t: float, q: Array, v: Array, shares: dict[str, float]) -> bool:
        """Lay a state out in `program`; whether what tasks and contacts ask is finite."""
        finite, now = self.rows.fill(t, q, v, shares)
        P = self.program
        P.P, self._asked_forces = self._force_terms(now)
        if self.forces:
            finite = finite and bool(np.isfinite(P.s).all() and np.isfinite(P.P).all())
        P.lower, P.upper = self._normal_bounds(shares)
        P.limits = self.controller.torque_limits
        P.slowest, P.fastest = self._joint_bounds(q, v)
        return finite

    def kept(self) -> Laid:
        """Return what is laid out now, which no later state writes to."""
        P = self.program
        bounds = Bounds(P.P, P.lower, P.upper, P.limits, P.slowest, P.fastest)
        return Laid(self.packing, bounds, self._asked_forces)

    def _force_terms(
        self, now: Situation | None
    ) -> tuple[Array, list[tuple[ForceLikeTask, ForceRows]]]:
        """P, and what force tasks ask, which s gets: all besides an even share of the weight."""
        P, asked = self.even, list[tuple[ForceLikeTask, ForceRows]]()
        if now is None:  # seen only where there are such tasks
            return P, asked
        for task in self.forces:
            rows = task.rows(now, self.controller.contacts)
            if rows is None:
                continue
            weighted = np.broadcast_to(task.weight, len(rows.c))[:, None] * rows.B
            P = P + rows.B.T @ weighted
            with np.errstate(invalid="ignore"):  # `lay` looks at it
                self.program.s += weighted.T @ rows.c
            asked.append((task, rows))
        return P, asked

    def parts(self, shares: dict[str, float]) -> list[float]:
        """Return the contacts' parts of the weight; those that do not come or go have 1."""
        return [shares.get(footing.name, 1.0) for footing in self.footings]

    def even_share(self, q: Array, shares: dict[str, float]) -> Array:
        """Return the robot's weight on the contacts that face up, by their parts, as w (dim,)."""
        ups = [footing.up(q) for footing in self.footings]
        pairs = zip(ups, self.parts(shares), strict=True)
        parts = [part * float(up[2] > FACING_UP) for up, part in pairs]
        total, w = sum(parts) + 1e-12, np.zeros(self.dim)
        for (_, own), up, part in zip(self.contact_rows, ups, parts, strict=True):
            w[own.start : own.start + 3] = self.weight * part / total * up
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

    def _joint_bounds(self, q: Array, v: Array) -> tuple[Array, Array]:
        limits = self.controller.joint_limits
        return self.unbounded if limits is None else limits.bounds(q, v)

    def stages(self) -> list[Stage]:
        """Return the levels of a strict hierarchy, the most important first."""
        asked = self.packing.asked(self.packing.arrays, self._asked_forces)
        found, nv, dim = [], self.robot.nv, self.dim
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
