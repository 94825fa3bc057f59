"""Contacts in many states: what a newton of each of their forces does to the robot, in arrays.

For a list of balances these are stacked; for the contacts of a robot in many configurations they
come from the batched kernels of `dynamics.batch`; a balance of its own is made where one state is
asked of the conic solver.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...dynamics import batch
from ..contact import Contact
from ..contact_set import ContactSet
from .contact_frames import columns_of
from .problems import Layout
from .programs import Equilibrium

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class States(ABC):
    """N states (or one that stands for all) of the same contacts.

    Attributes:
        first: the balance of the first state: what all share is read from it.
    """

    first: Equilibrium

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def at(self, i: int, load: Array) -> Equilibrium:
        """Return the balance of a load (nv,) in one state."""

    @abstractmethod
    def part(self, start: int, stop: int) -> States:
        """Return the states start … stop − 1."""

    @abstractmethod
    def columns(self, layout: Layout, filling: Any) -> tuple[Array, Array]:
        """Return what a newton of each entry, and of the margin, does to the robot.

        That is (N, nv, D K) in the order of the kernel, and (N, nv).
        """


@dataclass(frozen=True, eq=False)
class ListedStates(States):
    """Balances that are there already, all with the same points and torque limits."""

    balances: Sequence[Equilibrium]

    def __len__(self) -> int:
        return len(self.balances)

    def at(self, i: int, load: Array) -> Equilibrium:
        """Return the i-th balance, with this load."""
        return replace(self.balances[i], load=load)

    def part(self, start: int, stop: int) -> ListedStates:
        """Return the balances start … stop − 1."""
        return ListedStates(self.first, self.balances[start:stop])

    def columns(self, layout: Layout, filling: Any) -> tuple[Array, Array]:
        """Stack those of the balances."""
        columns = np.stack([balance.columns for balance in self.balances])
        pulls = np.stack([balance.normals for balance in self.balances]).sum(axis=2)
        return layout.spread(columns), pulls


@dataclass(frozen=True, eq=False)
class ContactStates(States):
    """The contacts of a robot in configurations Q (N, nq), its joints with torque limits (na,)."""

    contacts: ContactSet
    Q: Array
    torque_limits: Array

    def __len__(self) -> int:
        return len(self.Q)

    def at(self, i: int, load: Array) -> Equilibrium:
        """Return the balance of the i-th configuration."""
        return Equilibrium.of(self.contacts, self.Q[i], load, self.torque_limits)

    def part(self, start: int, stop: int) -> ContactStates:
        """Return the configurations start … stop − 1."""
        return replace(self, Q=self.Q[start:stop])

    def columns(self, layout: Layout, filling: Any) -> tuple[Array, Array]:
        """From the Jacobians of the centres, of all states at once."""
        robot, count = self.contacts.robot, len(self.Q)
        J = np.empty((count, len(self.contacts), 6, robot.nv))
        R = np.empty((count, len(self.contacts), 3, 3))
        for c, contact in enumerate(self.contacts):
            T = batch.frame_placement(robot, self.Q, contact.frame)
            J[:, c] = batch.frame_jacobian(robot, self.Q, contact.frame)
            R[:, c], arm = axes_and_arm(contact, T)
            # of the centre at r from the frame's origin: J_v + J_ω × r
            v, w = J[:, c, :3], J[:, c, 3:]
            v[:, 0] += w[:, 1] * arm[:, 2, None] - w[:, 2] * arm[:, 1, None]
            v[:, 1] += w[:, 2] * arm[:, 0, None] - w[:, 0] * arm[:, 2, None]
            v[:, 2] += w[:, 0] * arm[:, 1, None] - w[:, 1] * arm[:, 0, None]
        return columns_of(self.contacts, layout, J, R, filling)


def axes_and_arm(contact: Contact, T: Array) -> tuple[Array, Array]:
    """Return the axes R (N or 1, 3, 3) of a contact and the arm (N, 3) to its centre, world axes.

    Args:
        contact: whose axes are those of the ground, or turn with its frame.
        T: (N, 4, 4), placements of its frame.
    """
    turn, own = T[:, :3, :3], contact.axes_in_frame
    arm = turn @ contact.centre_in_frame + contact.ball_arm
    return (np.array(contact.axes_in_world)[None] if own is None else turn @ own), arm
