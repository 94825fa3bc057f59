"""Columns of contact forces in the equations of motion, in many states.

For a list of balances these are stacked; for the contacts of a robot in many configurations they
come from `centres_along`; a balance of its own is made where one state is
asked of the conic solver.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ...arrays import Array
from ...dynamics.topology import carried_by
from ..centres_along import centres_along
from ..contact_set import ContactSet
from ..kernels.contact_columns import ContactFrames
from .problems import Layout
from .programs import Equilibrium

_frames: WeakKeyDictionary[ContactSet, ContactFrames] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class ListedStates:
    """Balances that are there already, all with the same points and torque limits.

    Attributes:
        first: what all share is read from it.
        balances: N, or one that stands for all.
    """

    first: Equilibrium
    balances: Sequence[Equilibrium]

    def __len__(self) -> int:
        return len(self.balances)

    def at(self, i: int, load: Array) -> Equilibrium:
        """Return the i-th balance, with this load (nv,)."""
        return replace(self.balances[i], load=load)

    def __getitem__(self, some: slice) -> ListedStates:
        return replace(self, balances=self.balances[some])

    def columns(self, layout: Layout, filling: Any) -> tuple[Array, Array]:
        """Return what a newton of each entry, and of the margin, does to the robot.

        That is (N, nv, D K) in the order of the kernel, and (N, nv).
        """
        columns = np.stack([balance.columns for balance in self.balances])
        pulls = np.stack([balance.pull for balance in self.balances])
        return layout.spread(columns), pulls


@dataclass(frozen=True, eq=False)
class ContactStates:
    """The contacts of a robot in configurations Q (N, nq); methods as for `ListedStates`."""

    first: Equilibrium
    contacts: ContactSet
    Q: Array

    def __len__(self) -> int:
        return len(self.Q)

    def at(self, i: int, load: Array) -> Equilibrium:
        """Return the balance of the i-th configuration."""
        return Equilibrium.of(self.contacts, self.Q[i], load, self.first.torque_limits)

    def __getitem__(self, some: slice) -> ContactStates:
        return replace(self, Q=self.Q[some])

    def columns(self, layout: Layout, filling: Any) -> tuple[Array, Array]:
        """From the Jacobians of the centres, by `kernels.contact_columns.contact_columns`."""
        robot, count, (_, D, K, _) = self.contacts.robot, len(self.Q), layout.sizes
        J, R, _ = centres_along(self.contacts, self.Q)
        columns, pulls = np.empty((count, robot.nv, D, K)), np.empty((count, robot.nv))
        filling(J, R, contact_frames(self.contacts), columns, pulls)
        return columns.reshape(count, robot.nv, D * K), pulls


States = ListedStates | ContactStates


def contact_frames(contacts: ContactSet) -> ContactFrames:
    """Return the contacts' frames on their joints, as kernels read them; worked out once."""
    found = _frames.get(contacts)
    if found is None:
        limits, at = contacts.limits, contacts.attachment
        torsion = np.zeros(limits.point_count)
        torsion[limits.first[limits.soft]] = limits.torsion[limits.soft]
        arrays = at.joints, at.local_frames, ~at.world_fixed, at.ball_arms, at.points, at.owner
        own = [np.array(a) for a in (*arrays, torsion, limits.pulls)]
        for array in own:
            array.setflags(write=False)
        found = _frames[contacts] = ContactFrames(carried_by(contacts.robot), *own)
    return found
