"""The rows of contacts and tasks by the compiled pass: its tables, and what changes in them.

Everything that no state changes is laid out once: which frames ride on which joints, the rows of
contacts and tasks, the arrays that the pass writes to. A tick brings in what tasks ask for now and
runs the pass; tasks and contacts that the pass does not know add their rows themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .feeds import EntryFeed, PoseFeed, VectorFeed
from .footing import FACING_UP, Footing
from .kernels import compiled, prepare
from .qp import Array
from .situation import Situation
from .tasks import ComTask, FrameTask, MomentumTask, PostureTask, Task

if TYPE_CHECKING:
    from .assembly import Layout

Index = NDArray[np.intp]

_KINDS: dict[Any, int] = {ComTask: 0, FrameTask: 1, MomentumTask: 2}  # as in `kernels.assembly`

# joints whose axes ride on the body before them, whatever their own position
_RIDING = ["FreeFlyer", "RX", "RY", "RZ", "RevoluteUnaligned", "PX", "PY", "PZ"]
_RIDING += ["PrismaticUnaligned", "RUBX", "RUBY", "RUBZ", "RevoluteUnboundedUnaligned"]


def fits(layout: Layout) -> bool:
    """Whether the compiled pass knows the robot, and Numba is there."""
    desk, model = layout.desk, layout.robot.model
    kinds = [j.shortname().removeprefix("JointModel") for j in list(model.joints)[1:]]
    return bool(
        compiled("assemble") is not None
        and not desk.by_terms
        and desk.depth_first
        and all(kind in _RIDING for kind in kinds)
        and not np.any(np.asarray(model.armature)[:6])
        and all(type(task) is PostureTask for task in layout.single)
    )


class CompiledRows:
    """Fills a layout's packing at each state."""

    def __init__(self, layout: Layout) -> None:
        self.layout, self.desk = layout, layout.desk
        self._frames = _Frames(layout.robot.model)
        self._other_contacts: list[tuple[Footing, slice]] = []
        self._other_tasks: list[tuple[Task, slice]] = []
        self._feeds: list[Callable[[float], None]] = []
        contacts, tasks = self._lay_contacts(), self._lay_tasks()
        self._parts = np.ones(len(contacts[0]))
        data, joints = self.desk.data, self._frames.joints
        # what Pinocchio writes to, seen without a copy
        self._joints = [x for i in joints for x in (data.oMi[i].rotation, data.oMi[i].translation)]
        places = np.empty((len(joints), 12))
        self._flat = places.reshape(-1)
        self._kernel: Any = compiled("assemble")
        controller, arrays = layout.controller, layout.packing.arrays
        outputs = ("M", "b", "J", "k", "A", "r", "e", "d", "p", "asked", "entry_e", "s")
        self._arguments = (
            data.M.T, data.nle, data.J.T, places, float(layout.robot.mass), self.desk.gravity,
            float(controller.contact_damping), float(controller.regularisation),
            *self._frames.tables(), *contacts, *tasks, *self._lay_entries(),
            self._parts, float(layout.weight), FACING_UP, layout.even,
            *(arrays[name] for name in outputs),
        )  # fmt: skip
        prepare(self._kernel, (np.zeros(layout.robot.nv), *self._arguments))
        known = not (self._other_contacts or self._other_tasks or layout.forces)
        self._everything_known = known

    def _lay_contacts(self) -> tuple[Array | Index, ...]:
        """Rows, axes, ways down and components of the contacts that are placed."""
        rows, axes, down = [], [], []
        picks = np.zeros(self.layout.dim, dtype=np.intp)
        for footing, own in self.layout.contact_rows:
            if not footing.placed:
                self._other_contacts.append((footing, own))
                continue
            self._frames.add(footing.joint, footing.at)
            rows.append((own.start, own.stop, int(footing.axes is not None)))
            axes.append(np.ravel(np.eye(3) if footing.axes is None else footing.axes))
            down.append(footing.down)
            picks[own] = footing.picks
        return _table(rows, 3), _stack(axes, 9), _stack(down, 3), picks

    def _lay_tasks(self) -> tuple[Array | Index, ...]:
        """Kinds, goals and components of the tasks it knows, and feeds that bring goals in."""
        weight, dense = self.layout.packing.arrays["weight"], self.layout.packing.dense
        table: list[tuple[int, ...]] = []
        picks = np.zeros(len(weight), dtype=np.intp)
        goals = np.zeros((sum(type(task) in _KINDS for task, _ in dense), 26))
        for task, own in dense:
            if type(task) not in _KINDS:
                self._other_tasks.append((task, own))
                continue
            goal, frame, turned = goals[len(table)], -1, False
            if isinstance(task, FrameTask):
                place = self.layout.robot.model.frames[task.frame_id]
                frame = self._frames.add(int(place.parentJoint), place.placement)
                turned = task.axes == "frame"
                self._feeds.append(PoseFeed(task, goal, weight[own]))
                picks[own] = task.picks
            elif isinstance(task, ComTask | MomentumTask):
                self._feeds.append(VectorFeed(task, goal, weight[own]))
                picks[own] = task.picks
            table.append((_KINDS[type(task)], frame, own.start, own.stop, int(turned)))
        return _table(table, 5), goals, picks

    def _lay_entries(self) -> tuple[Array | Index, ...]:
        """Of posture tasks: whose entry each is and where, weights, goals and gains."""
        single, nv = self.layout.packing.single, self.layout.robot.nv
        goals, gains = np.zeros((len(single), 3 * nv)), np.zeros((len(single), 2))
        count = len(self.layout.packing.arrays["asked"])
        whose, entries = np.zeros(count, dtype=np.intp), np.zeros(count, dtype=np.intp)
        weight, self._entry_feeds = np.zeros(count), []
        for i, (task, own) in enumerate(single):
            whose[own], entries[own] = i, np.arange(nv)[task.entries]
            self._entry_feeds.append(
                EntryFeed(self.layout.robot, task, goals[i], gains[i], weight[own])
            )
        return whose, entries, weight, goals, gains

    # --- one tick ----------------------------------------------------------------------------

    def fill(
        self, t: float, q: Array, v: Array, shares: dict[str, float]
    ) -> tuple[bool, Situation | None]:
        """Fill it; return whether all is finite, and the state if others need to see it."""
        now = None
        if self._everything_known:
            self.desk.reckon(q, v)
        else:
            now = self.desk.situation(t, q, v)
        np.concatenate(self._joints, axis=None, out=self._flat)
        for feed in self._feeds:
            feed(t)
        for posture in self._entry_feeds:
            posture(t, q)
        if not self._other_contacts:
            self._parts[:] = self.layout.parts(shares) if shares else 1.0
        finite = self._kernel(v, *self._arguments)
        return finite and (now is None or self._others(now, shares)), now

    def _others(self, now: Situation, shares: dict[str, float]) -> bool:
        """Add the rows of what the pass does not know; whether they are finite."""
        of, damping = self.layout.packing.arrays, self.layout.controller.contact_damping
        for footing, own in self._other_contacts:
            of["J"][own], drift, velocity = footing.rows(now)
            of["k"][own] = -drift - damping * velocity
        if self._other_contacts:  # all contacts together share out the weight
            of["s"][:] = self.layout.even @ self.layout.even_share(now.q, shares)
        for task, own in self._other_tasks:
            rows = task.rows(now)
            of["A"][own], of["r"][own], of["e"][own] = rows.A, rows.r, rows.error
            of["weight"][own] = task.weight
        return bool(np.isfinite(of["k"]).all() and np.isfinite(of["r"]).all())


class _Frames:
    """The frames of the tables; those of contacts are put in first."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.joints = [1]  # whose places are needed, the base first
        self.rows: list[tuple[int, int, int]] = []
        self.local: list[Array] = []
        self.chain: list[int] = []
        self.opens: list[bool] = []

    def add(self, joint: int, placement: Any) -> int:
        """Put a frame in, at its placement in a joint; return its number."""
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

    def tables(self) -> tuple[Any, ...]:
        """Return them as the pass reads them."""
        chain, opens = np.array(self.chain, dtype=np.intp), np.array(self.opens, dtype=bool)
        return _table(self.rows, 3), _stack(self.local, 12), chain, opens


def _table(rows: Sequence[tuple[int, ...]], width: int) -> Index:
    return np.array(rows, dtype=np.intp).reshape(len(rows), width)


def _stack(rows: list[Array], width: int) -> Array:
    return np.array(rows, dtype=float).reshape(len(rows), width)
