"""Formulation of the whole-body quadratic program: from a state to a `Program`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array
from ...contacts import ContactSet
from ...dynamics import State, closures
from ...dynamics.kernels.toolchain import Overload
from ...robots.values import array
from ..constraints import Tick
from ..kernels.levels import Levels
from ..program.contact_model import ContactModel
from ..program.qp import Program
from ..program.reduction import minimum_kernel
from ..tasks.forces import ForceLikeTask, ForceRows
from .compiled_rows import CompiledRows, supports
from .joint_limits import JointLimits
from .reference_rows import fill, fill_rows
from .structure import AnyTask, ProgramStructure
from .torque_range import TorqueRange
from .workspace import Snapshot, Workspace


class Formulation:
    """The program of a controller, updated at each state.

    Attributes:
        structure: what no state changes; columns, others: of J, see there.
        program: at the last state; the next update writes to the same arrays.
        working_set: of each bound (faces, normal forces, torques, accelerations) −1 if the last
            solution was at the lower one, 1 at the upper one, 0 between.
    """

    def __init__(
        self,
        structure: ProgramStructure,
        torques: TorqueRange,
        joint_limits: JointLimits | None,
        data: Any,
    ) -> None:
        self.structure, self.torques, self.joint_limits = structure, torques, joint_limits
        self.columns, self.others = structure.columns, structure.others
        self.workspace = Workspace(structure)
        arrays = self.workspace.arrays
        supported = supports(structure)
        self.compiled_rows = CompiledRows(structure, arrays, data) if supported else None
        self._force_rows: list[tuple[ForceLikeTask, ForceRows]] = []
        inf = np.full(len(structure.actuated), np.inf)
        self._unbounded = (-inf, inf)
        self.program = Program(
            **self.workspace.of_program(arrays),
            actuated=structure.actuated, unactuated=structure.unactuated,
            P=structure.P, F=structure.F, N=structure.N, lower=structure.lower,
            upper=structure.upper, torque_lower=torques.lower, torque_upper=torques.upper,
            slowest=self._unbounded[0], fastest=self._unbounded[1], Q=inf[:, None][:, :0],
            closures=structure.closures.stop - structure.closures.start,
        )  # fmt: skip
        sizes = (len(structure.F), len(structure.N), 2 * len(inf), len(self.program.least))
        self.working_set = np.zeros(sum(sizes), dtype=np.int64)
        self.kernel = minimum_kernel(self.program, self)
        self.levels_kernel: Overload | None = None
        unit = np.eye(structure.robot.nv)
        rows = [unit[task.entries(structure.robot)] for task, _ in structure.diagonal]
        self._units = np.concatenate([unit[:0], *rows])  # J of postures

    def bind(
        self, contacts: ContactSet, models: Sequence[ContactModel], tasks: Sequence[AnyTask]
    ) -> None:
        """Take other contacts of the same shapes and tasks of the same layouts."""
        of, rows = self.structure, self.compiled_rows
        if of.bind_contacts(contacts, models):
            self.program.F = of.F
            if rows is not None:
                rows.bind_contacts()
        if of.bind_tasks(tasks) and rows is not None:
            rows.bind_tasks()

    def update(
        self,
        state: State,
        t: float,
        loads: Mapping[str, float],
        before: Tick | None = None,
        nominal: Mapping[str, ArrayLike] | None = None,
        known: Array | None = None,
    ) -> bool:
        """Formulate the program of a state; return whether all its data are finite.

        Args:
            state: (q, v).
            t: the time that references are evaluated at [s].
            loads: load fractions of contacts that are being loaded or unloaded.
            before: the last tick at an earlier time.
            nominal: contact forces, as of a WholeBodyController.
            known: τ_ext (nv,) of known wrenches.
        """
        P = self.program
        if P.closures:
            self._fill_closures(state)
        finite = self._fill_rows(state, t, loads)
        if known is not None:
            P.b -= known
        if nominal is not None:
            P.s[:] = self.structure.P @ self.structure.given_forces(nominal)
            finite = finite and bool(np.isfinite(P.s).all())
        P.P, self._force_rows = self._force_terms(state, t, loads, nominal is not None)
        if self._force_rows:
            finite = finite and bool(np.isfinite(P.s).all() and np.isfinite(P.P).all())
        P.lower, P.upper = self.structure.normal_bounds(loads)
        P.torque_lower, P.torque_upper = self.torques.at(state.velocity, t)
        P.slowest, P.fastest = self._unbounded
        if self.joint_limits is not None:
            P.slowest, P.fastest = self.joint_limits.bounds(state.q, state.velocity)
        for constraint, own in self.structure.constraints:
            L, least = constraint.rows(state, t, before)
            fill(P.L[own], L, constraint.name)
            fill(P.least[own], least, constraint.name)
        if len(P.least):
            finite = finite and bool(np.isfinite(P.L).all() and not np.isnan(P.least).any())
        return finite

    def _fill_closures(self, state: State) -> None:
        """Fill the rows of closures, B a = k, and Q."""
        arrays, own, of = self.workspace.arrays, self.structure.closures, self.structure
        B, k = closures.independent(state, of.parameters.contact_damping)
        arrays["J"][own], arrays["k"][own] = B, k
        self.program.Q = np.sqrt(of.evenness) * closures.opposed(state)

    def _fill_rows(self, state: State, t: float, loads: Mapping[str, float]) -> bool:
        """Fill the rows of contacts and tasks by the kernel, or in NumPy while it is compiled."""
        compiled, arrays = self.compiled_rows, self.workspace.arrays
        if compiled is None:
            return fill_rows(self.structure, arrays, state, t, loads)
        if compiled.ready():
            return compiled.fill(state, t, loads)
        compiled.forget_gains()
        with compiled.kernel.uncompiled(1):
            return fill_rows(self.structure, arrays, state, t, loads)

    def snapshot(self) -> Snapshot:
        """Return a copy of the program and of the tasks' rows."""
        return Snapshot(self.workspace, self.program, self._force_rows)

    def labels(self) -> tuple[str, ...]:
        """Return what the rows of the constraints are about, at the last state."""
        rows = self.structure.constraints
        return tuple(one.label(i) for one, own in rows for i in range(own.stop - own.start))

    def _force_terms(
        self, state: State, t: float, loads: Mapping[str, float], given: bool
    ) -> tuple[Array, list[tuple[ForceLikeTask, ForceRows]]]:
        """P with the force tasks' terms, and their rows; adds to s."""
        P, found = self.structure.P, list[tuple[ForceLikeTask, ForceRows]]()
        if factors := self.structure.cost_factors(loads, given) if loads else ():
            P = P.copy()
        for own, factor in factors:  # P has no terms of two contacts, and stays symmetric
            P[own] *= factor
            self.program.s[own] *= factor
        for task in self.structure.forces:
            rows = task.rows(state, t, self.structure.contacts)
            if rows is None:
                continue
            # it may be set at any time
            array(task.weight, f"weight of {task.name!r}", (), rows.c.shape, at_least=0)
            if self.program.closures:  # which no force task is about
                rows = rows._replace(B=np.pad(rows.B, ((0, 0), (0, self.program.closures))))
            weighted = np.broadcast_to(task.weight, len(rows.c))[:, None] * rows.B
            P = P + rows.B.T @ weighted
            with np.errstate(invalid="ignore"):  # `update` tells whether it is finite
                self.program.s += weighted.T @ rows.c
            found.append((task, rows))
        return P, found

    def levels(self) -> Levels:
        """Return the rows of a strict hierarchy, the most important level first."""
        of, nv = self.workspace.arrays, self.structure.robot.nv
        parts: list[tuple[Any, Array | None, Array | None, Array]] = []
        parts += [(t, of["A"][i], None, of["r"][i]) for t, i in self.structure.dense]
        parts += [(t, self._units[i], None, of["posture_r"][i]) for t, i in self.structure.diagonal]
        parts += [(t, None, rows.B, rows.c) for t, rows in self._force_rows]
        parts.sort(key=lambda part: part[0].level)
        m = sum(len(part[-1]) for part in parts)
        on_a, on_w = np.zeros((m, nv)), np.zeros((m, self.structure.dim))
        e, root, at, ends = np.zeros(m), np.zeros(m), 0, dict[int, int]()
        for task, A, B, r in parts:
            own = slice(at, at := at + len(r))
            e[own], root[own], ends[task.level] = r, np.sqrt(task.weight), at
            if A is not None:
                on_a[own] = A
            else:
                on_w[own] = B
        return Levels(on_a, on_w, e, root, np.array(list(ends.values()), dtype=np.intp))
