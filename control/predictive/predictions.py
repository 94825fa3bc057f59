"""Predictions of many states, as sequences of `Prediction` and as arrays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ... import registry
from ...arrays import Array, Index
from ...contacts import ContactSet
from ...errors import ConfigurationError, counted
from ..kernels.centroidal import Blocks, Body, Nominal, Reference
from .centroidal import body_of
from .prediction import EXCEEDED, Prediction
from .rows import part
from .stances import Nodes
from .subproblem import Solutions, Subproblems


@dataclass(frozen=True, eq=False, repr=False)
class Group:
    """Those of many predictions that have the same contacts at their nodes.

    Attributes:
        rows: (m,), which they are of M.
        bodies: the robot in each state; see `Body`.
        targets: what was wanted.
        subproblems, solutions: the convex programs, and their solutions with all multipliers.
    """

    rows: Index
    bodies: Body
    targets: Reference
    subproblems: Subproblems
    solutions: Solutions

    def __repr__(self) -> str:
        return f"Group({counted(len(self.rows), 'prediction')})"

    def some(self, rows: Index, which: Index) -> Group:
        """Return some of it (k,), `which` of the m, that are `rows` of others."""
        problems = self.subproblems._replace(data=self.subproblems.data[which])
        targets, solutions = part(self.targets, which), part(self.solutions, which)
        return Group(rows, body_of(self.bodies, which), targets, problems, solutions)


@dataclass(frozen=True, eq=False, repr=False)
class Predictions(Sequence[Prediction]):
    """Predictions of M states: [i] is a `Prediction`, attributes are arrays of all.

    A slice, a mask (M,) or row numbers give the `Predictions` of these rows, in their order.

    Attributes:
        nodes: durations and stances of each.
        groups: states, programs and solutions of those with the same contacts at their nodes.
        contacts, blocks: of the robot.
    """

    nodes: Sequence[Nodes]
    groups: tuple[Group, ...]
    contacts: ContactSet
    blocks: Mapping[str, Blocks]

    _repr_html_ = registry.html_of

    def __len__(self) -> int:
        return len(self.nodes)

    @overload
    def __getitem__(self, i: int) -> Prediction: ...
    @overload
    def __getitem__(self, i: slice | ArrayLike) -> Predictions: ...

    def __getitem__(self, i: Any) -> Prediction | Predictions:
        if isinstance(i, slice):
            return self._some(np.arange(len(self))[i])
        if np.ndim(i):
            return self._some(self._rows(i))
        i = range(len(self))[i]
        group, k = self._place[i]
        reference = part(group.targets, k)
        return Prediction(
            0.0, body_of(group.bodies, k), self.nodes[i], reference, group.subproblems.one(k),
            group.solutions.one(k), self.contacts, self.blocks,
        )  # fmt: skip

    def __repr__(self) -> str:
        told = Counter(self.status.tolist())
        return f"Predictions({', '.join(f'{n} {status}' for status, n in told.most_common())})"

    def _rows(self, given: ArrayLike) -> Index:
        """The rows that a mask or row numbers choose."""
        chosen, count = np.asarray(given), len(self)
        if chosen.dtype == bool and chosen.shape == (count,):
            return np.flatnonzero(chosen)
        numbers = chosen.dtype.kind in "iu" or not chosen.size
        if chosen.ndim != 1 or not numbers or not (-count <= chosen).all() & (chosen < count).all():
            raise ConfigurationError(
                f"rows: got {given!r:.80}, expected a mask ({count},), or numbers of rows below "
                f"{count}"
            )
        return np.arange(count)[chosen.astype(np.intp)]

    def _some(self, rows: Index) -> Predictions:
        """The predictions of rows, in their order."""
        places = [self._place[i] for i in rows.tolist()]
        groups = list[Group]()
        for group in self.groups:
            own = [n for n, (of, _) in enumerate(places) if of is group]
            if own or (not places and not groups):  # of none, one group without rows is left
                which = np.array([places[n][1] for n in own], dtype=np.intp)
                groups.append(group.some(np.array(own, dtype=np.intp), which))
        nodes = tuple(self.nodes[i] for i in rows.tolist())
        return Predictions(nodes, tuple(groups), self.contacts, self.blocks)

    @cached_property
    def _place(self) -> dict[int, tuple[Group, int]]:
        """{i: its group, and which one it is of that}."""
        return {i: (g, k) for g in self.groups for k, i in enumerate(g.rows.tolist())}

    def _of_all(self, each: Callable[[Group], Any]) -> Array:
        """(M, …), of the groups' arrays (m, …)."""
        parts: list[Array] = [each(group) for group in self.groups]
        if len(parts) == 1:
            return parts[0]
        found = np.empty((len(self), *parts[0].shape[1:]), parts[0].dtype)
        for group, own in zip(self.groups, parts, strict=True):
            found[group.rows] = own
        return found

    @cached_property
    def status(self) -> NDArray[np.str_]:
        """(M,), "optimal", "exceeded" or "unsolved", as of a `Prediction`."""
        found = np.where(self.exceeded > EXCEEDED, "exceeded", "optimal")
        return np.where(self._of_all(lambda g: g.solutions.solved), found, "unsolved")

    @cached_property
    def exceeded(self) -> Array:
        """(M,), by how much the bounds of height [m] and tilt [rad] are exceeded at most."""
        return self._of_all(lambda g: g.solutions.eps.max(axis=(1, 2), initial=0.0))

    @cached_property
    def cost(self) -> Array:
        """(M,), of the convex programs."""
        return self._of_all(lambda g: g.solutions.cost)

    @cached_property
    def times(self) -> Array:
        """(M, N + 1), from the beginning on [s]."""
        return np.array([each.times for each in self.nodes]).reshape(self.com.shape[:2])

    @cached_property
    def com(self) -> Array:
        """c (M, N + 1, 3) [m]."""
        return self._of_all(lambda g: g.solutions.x[:, :, :3] + g.bodies.com[:, None])

    @cached_property
    def velocity(self) -> Array:
        """ċ (M, N + 1, 3) [m/s]."""
        return self._of_all(lambda g: g.solutions.x[:, :, 3:6])

    @property
    def _shape(self) -> tuple[int, int]:
        """M and N."""
        count, ends, _ = self.com.shape
        return count, ends - 1

    @cached_property
    def margins(self) -> Array:
        """(M, N), how much normal force each point of a node could lose [N], see `Prediction`."""
        return np.array([each.margins for each in self]).reshape(self._shape)

    @cached_property
    def torque_margins(self) -> Array:
        """(M, N), the smallest (limit − |τ|)/limit of each node's legs, see `Prediction`."""
        return np.array([each.torque_margins for each in self]).reshape(self._shape)

    @property
    def nominal(self) -> Nominal:
        """What later predictions of these states are linearised about."""
        forces = self._of_all(lambda g: g.solutions.w[:, :, :3])
        return Nominal(*map(np.ascontiguousarray, (self.times, self.com, forces)))
