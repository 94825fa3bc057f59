"""Compiled rows of contacts and tasks: the tables of the kernel `assemble`, and their updates.

All that no state changes is tabulated once: the joints that frames belong to, the rows of contacts
and tasks, the arrays that the kernel writes to. A tick copies the targets of tasks and calls the
kernel; contacts and tasks that the kernel does not support add their own rows afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pinocchio as pin

from ...arrays import Array, Index
from ...dynamics import State
from ...dynamics.per_robot import per_robot
from ...dynamics.topology import is_depth_first
from ...robots.robot import Robot
from ..kernels.assembly import (
    ASSEMBLE,
    COM,
    DCM,
    FRAME,
    MOMENTUM,
    Contacts,
    Dynamics,
    Frames,
    Loads,
    Parameters,
    Postures,
    Rows,
    Tasks,
)
from ..program.contact_model import FACING_UP, ContactModel
from ..tasks import ComTask, FrameTask, MomentumTask, PostureTask, Task
from ..tasks.dcm import DcmTask
from .reference_rows import fill_task
from .structure import ProgramStructure
from .task_targets import DcmTarget, PoseTarget, PostureTarget, VectorTarget

_KINDS: dict[Any, int] = {ComTask: COM, FrameTask: FRAME, MomentumTask: MOMENTUM, DcmTask: DCM}

# joints whose axes are fixed in the body before or after them, as `kernels.frames` needs for J̇v
_SUPPORTED = ["FreeFlyer", "RX", "RY", "RZ", "RevoluteUnaligned", "PX", "PY", "PZ"]
_SUPPORTED += ["PrismaticUnaligned", "RUBX", "RUBY", "RUBZ", "RevoluteUnboundedUnaligned"]
_SUPPORTED += ["Spherical", "Planar", "Translation"]


def supports(structure: ProgramStructure) -> bool:
    """Return whether the kernel supports the robot and the tasks.

    The base must float and carry all mass, as the kernel reads the centre of mass from its rows of
    M; so these rows must be free of armature too.
    """
    plain = all(type(task) is PostureTask for task, _ in structure.diagonal)
    return plain and _supports_robot(structure.robot)


@per_robot
def _supports_robot(robot: Robot) -> bool:
    model = robot._model
    kinds = [j.shortname().removeprefix("JointModel") for j in list(model.joints)[1:]]
    return bool(
        robot.is_floating
        and model.nvs[1] == 6
        and not model.inertias[0].mass > 0
        and is_depth_first(robot)
        and all(kind in _SUPPORTED for kind in kinds)
        and not np.any(np.asarray(model.armature)[:6])
    )


class CompiledRows:
    """Fills a workspace's arrays at each state, in one kernel.

    The kernel reads the arrays of the controller's `pin.Data` where they are.
    """

    def __init__(self, structure: ProgramStructure, arrays: dict[str, Array], data: Any) -> None:
        self.structure, self.arrays = structure, arrays
        robot = structure.robot
        self._model, self._data = robot._model, data
        self._frames = _Frames(robot._model)
        self._rigid = [model for model in structure.models if model.rigid]
        self._other_contacts: list[tuple[ContactModel, slice]] = []
        self._other_tasks: list[tuple[Task, slice]] = []
        self._targets: list[VectorTarget | PoseTarget | DcmTarget] = []
        self._postures: list[PostureTarget] = []
        contacts, tasks = self._tabulate_contacts(), self._tabulate_tasks()
        self._loads = np.ones(len(contacts.rows))
        joints = self._frames.joints
        self._joints = [x for i in joints for x in (data.oMi[i].rotation, data.oMi[i].translation)]
        placements = np.empty((len(joints), 12))
        self._flat = placements.reshape(-1)
        contact_damping = float(structure.parameters.contact_damping)
        regularisation = float(structure.parameters.regularisation)
        gravity = np.array(robot._model.gravity.linear)
        self._arguments = (
            Dynamics(data.M.T, data.nle, data.J.T, placements),
            Parameters(float(robot.mass), gravity, contact_damping, regularisation),
            self._frames.tables(),
            contacts,
            tasks,
            self._tabulate_postures(),
            Loads(self._loads, structure.weight, FACING_UP, structure.P),
            Rows(*(arrays[name] for name in Rows._fields)),
        )
        v = np.zeros(robot.nv)
        v.setflags(write=False)  # as a State's
        self.kernel = ASSEMBLE.overload(v, *self._arguments)
        self._assemble: Any = None

    def ready(self) -> bool:
        """Return whether the kernel is compiled."""
        self._assemble = self.kernel.unchecked()  # its arguments stay what they are
        return self._assemble is not None

    def bind_contacts(self) -> None:
        """Take the contacts that the structure has now, of the same shapes."""
        contacts, before = self._arguments[3], self._rigid
        self._rigid = [model for model in self.structure.models if model.rigid]
        for i, (model, last) in enumerate(zip(self._rigid, before, strict=True)):
            if model is not last:
                contacts.offsets[i] = model.offset
                if model.axes is not None:
                    contacts.axes[i] = model.axes.ravel()

    def bind_tasks(self) -> None:
        """Take the tasks that the structure has now, of the same layouts."""
        own = [task for task, _ in self.structure.dense if type(task) in _KINDS]
        for target, task in zip(self._targets, own, strict=True):
            target.bind(task)
        for posture, (single, _) in zip(self._postures, self.structure.diagonal, strict=True):
            posture.bind(single)

    def forget_gains(self) -> None:
        """Copy all weights and gains at the next tick: others have written to the arrays."""
        for target in (*self._targets, *self._postures):
            target.forget_gains()

    def _tabulate_contacts(self) -> Contacts:
        """Rows, axes, offsets and wrench rows of the rigid contacts."""
        rows, axes, offsets = [], [], []
        wrench_rows = np.zeros(self.structure.dim, dtype=np.intp)
        for model, own in self.structure.contact_rows:
            if not model.rigid:
                self._other_contacts.append((model, own))
                continue
            self._frames.add(model.joint, model.placement)
            rows.append((own.start, own.stop, int(model.axes is not None)))
            axes.append(np.ravel(np.eye(3) if model.axes is None else model.axes))
            offsets.append(model.offset)
            wrench_rows[own] = model.wrench_rows
        return Contacts(_table(rows, 3), _stack(axes, 9), _stack(offsets, 3), wrench_rows)

    def _tabulate_tasks(self) -> Tasks:
        """Kinds, targets and chosen rows of the supported dense tasks."""
        weight, dense, robot = self.arrays["weight"], self.structure.dense, self.structure.robot
        table: list[tuple[int, ...]] = []
        chosen = np.zeros(len(weight), dtype=np.intp)
        targets = np.zeros((sum(type(task) in _KINDS for task, _ in dense), 26))
        for task, own in dense:
            if type(task) not in _KINDS:
                self._other_tasks.append((task, own))
                continue
            row, frame, local = targets[len(table)], -1, False
            if isinstance(task, FrameTask):
                place = robot._model.frames[robot.frame_id(task.frame)]
                frame = self._frames.add(int(place.parentJoint), place.placement * task.local)
                local = task.axes == "frame"
                self._targets.append(PoseTarget(task, row, weight[own]))
                chosen[own] = task.chosen
            elif isinstance(task, DcmTask):
                self._targets.append(DcmTarget(task, row, weight[own]))
            elif isinstance(task, ComTask | MomentumTask):
                self._targets.append(VectorTarget(task, row, weight[own]))
                chosen[own] = task.chosen
            table.append((_KINDS[type(task)], frame, own.start, own.stop, int(local)))
        return Tasks(_table(table, 5), targets, chosen)

    def _tabulate_postures(self) -> Postures:
        """Task and entry of v of each posture row, weights, targets and gains."""
        diagonal, robot = self.structure.diagonal, self.structure.robot
        targets, gains = np.zeros((len(diagonal), 3 * robot.nv)), np.zeros((len(diagonal), 2))
        count = len(self.arrays["posture_r"])
        owner, entries = np.zeros(count, dtype=np.intp), np.zeros(count, dtype=np.intp)
        weight = np.zeros(count)
        for i, (task, own) in enumerate(diagonal):
            owner[own], entries[own] = i, task.entries(robot)
            self._postures.append(PostureTarget(robot, task, targets[i], gains[i], weight[own]))
        return Postures(owner, entries, weight, targets, gains)

    # --- one tick ----------------------------------------------------------------------------

    def fill(self, state: State, t: float, loads: Mapping[str, float]) -> bool:
        """Fill the arrays; return whether all is finite."""
        q, v = state.q, state.velocity
        pin.crba(self._model, self._data, q, pin.Convention.WORLD)  # fills data.J as well
        pin.nonLinearEffects(self._model, self._data, q, v)
        np.concatenate(self._joints, axis=None, out=self._flat)
        for target in self._targets:
            target.update(t)
        for posture in self._postures:
            posture.update(t, q)
        if not self._other_contacts:
            self._loads[:] = self.structure.load_fractions(loads) if loads else 1.0
        finite = bool(self._assemble(v, *self._arguments))
        if not (self._other_contacts or self._other_tasks):
            return finite
        return finite and self._fill_others(state, t, loads)

    def _fill_others(self, state: State, t: float, loads: Mapping[str, float]) -> bool:
        """Fill the rows of what the kernel does not support; whether they are finite."""
        of, damping = self.arrays, self.structure.parameters.contact_damping
        for model, own in self._other_contacts:
            of["J"][own], of["k"][own] = model.constraint(state, damping)
        if self._other_contacts:  # all contacts together bear the weight
            of["s"][:] = self.structure.P @ self.structure.nominal_forces(state, loads)
        for task, own in self._other_tasks:
            fill_task(of, task, own, state, t, self.structure.contacts)
        return bool(np.isfinite(of["k"]).all() and np.isfinite(of["r"]).all())


class _Frames:
    """The frames of the tables; those of contacts are added first."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.joints = [1]  # those whose placements are needed, the base first
        self.rows: list[tuple[int, int, int]] = []
        self.local: list[Array] = []
        self.chain: list[int] = []
        self.opens: list[bool] = []

    def add(self, joint: int, placement: Any) -> int:
        """Add a frame, given its placement in a joint; return its number."""
        if joint not in self.joints:
            self.joints.append(joint)
        start = len(self.chain)
        for link in list(self.model.supports[joint])[1:]:
            first, size = self.model.joints[link].idx_v, self.model.joints[link].nv
            self.chain += range(first, first + size)
            self.opens += [i == 0 for i in range(size)]
        self.rows.append((self.joints.index(joint), start, len(self.chain)))
        self.local.append(np.append(placement.rotation, placement.translation))
        return len(self.rows) - 1

    def tables(self) -> Frames:
        """Return the tables as the kernel reads them."""
        chain, opens = np.array(self.chain, dtype=np.intp), np.array(self.opens, dtype=bool)
        return Frames(_table(self.rows, 3), _stack(self.local, 12), chain, opens)


def _table(rows: Sequence[tuple[int, ...]], width: int) -> Index:
    return np.array(rows, dtype=np.intp).reshape(len(rows), width)


def _stack(rows: list[Array], width: int) -> Array:
    return np.array(rows, dtype=float).reshape(len(rows), width)
