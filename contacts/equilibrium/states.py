"""Contacts in many states: what their forces do to the robot, in arrays.

For a list of balances these are stacked; for the contacts of a robot in many configurations they
come from the batched kernels of `dynamics.batch`, state by state only where a balance of its own is
asked for.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...dynamics import batch
from ..contact import Contact
from ..contact_set import ContactSet
from .programs import Equilibrium

Array = NDArray[np.float64]
Indices = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class States(ABC):
    """N states (or one that stands for all) of the same contacts, points that only push.

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
    def columns(self, rows: Indices) -> Array:
        """Return (N, len(rows), 3K), what a newton of each force does to the robot."""

    @abstractmethod
    def pulls(self, rows: Indices) -> Array:
        """Return (N, len(rows)), what a newton of normal force at every contact's centre does."""

    @abstractmethod
    def given(self, f: Array, rows: Indices, chosen: Indices) -> Array:
        """Return (n, len(rows)), what forces (n, K, 3) do in the n chosen states."""


def picked(x: Array, chosen: Indices) -> Array:
    """Return the chosen entries, of which none is chosen twice; a single one stands for all."""
    return x if len(x) in (1, len(chosen)) else x[chosen]


def most_or(chosen: Indices, count: int) -> Indices:
    """Return all of `count` problems where most are chosen: arrays need no copies then."""
    return np.arange(count) if len(chosen) > 0.9 * count else chosen


def times(A: Array, f: Array) -> Array:
    """Return A f (n, rows) of A (n or 1, rows, 3K) and f (n, K, 3)."""
    flat = f.reshape(len(f), 3 * f.shape[1])
    return flat @ A[0].T if len(A) == 1 else (A @ flat[:, :, None])[:, :, 0]


@dataclass(frozen=True, eq=False)
class ListedStates(States):
    """Balances that are there already, all with the same points and torque limits."""

    balances: Sequence[Equilibrium]
    _columns: Array
    _pulls: Array

    @classmethod
    def of(cls, balances: Sequence[Equilibrium]) -> ListedStates:
        """Stack what the kernels read."""
        columns = np.stack([balance.columns for balance in balances])
        pulls = np.stack([balance.normals for balance in balances]).sum(axis=2)
        return cls(balances[0], balances, columns, pulls)

    def __len__(self) -> int:
        return len(self.balances)

    def at(self, i: int, load: Array) -> Equilibrium:
        """Return the i-th balance, with this load."""
        return replace(self.balances[i], load=load)

    def part(self, start: int, stop: int) -> ListedStates:
        """Return the balances start … stop − 1."""
        cut = slice(start, stop)
        return ListedStates(self.first, self.balances[cut], self._columns[cut], self._pulls[cut])

    def columns(self, rows: Indices) -> Array:
        """Some rows of the balances' columns."""
        return self._columns[:, rows]

    def pulls(self, rows: Indices) -> Array:
        """Some rows of the sums of the balances' normals."""
        return self._pulls[:, rows]

    def given(self, f: Array, rows: Indices, chosen: Indices) -> Array:
        """A f."""
        return times(picked(self._columns, chosen)[:, rows], f)


@dataclass(frozen=True, eq=False)
class ContactStates(States):
    """The contacts of a robot in configurations Q (N, nq), its joints with torque limits (na,)."""

    contacts: ContactSet
    Q: Array
    limits: Array

    def __len__(self) -> int:
        return len(self.Q)

    def at(self, i: int, load: Array) -> Equilibrium:
        """Return the balance of the i-th configuration."""
        return Equilibrium.of(self.contacts, self.Q[i], load, self.limits)

    def part(self, start: int, stop: int) -> ContactStates:
        """Return the configurations start … stop − 1."""
        return ContactStates(self.first, self.contacts, self.Q[start:stop], self.limits)

    @cached_property
    def _parts(self) -> list[tuple[Array, Array, Array]]:
        """Of each contact J (N, 6, nv) of its centre, axes R (N or 1, 3, 3), points (k, 3)."""
        robot, found = self.contacts.robot, []
        for contact in self.contacts:
            T = batch.frame_placement(robot, self.Q, contact.frame)
            J = batch.frame_jacobian(robot, self.Q, contact.frame)
            R, arm = pose_in_frame(contact, T)
            # of the centre at r from the frame's origin: J_v + J_ω × r
            w = J[:, 3:]
            J[:, 0] += w[:, 1] * arm[:, 2, None] - w[:, 2] * arm[:, 1, None]
            J[:, 1] += w[:, 2] * arm[:, 0, None] - w[:, 0] * arm[:, 2, None]
            J[:, 2] += w[:, 0] * arm[:, 1, None] - w[:, 1] * arm[:, 0, None]
            found.append((J, R, contact.points))
        return found

    def columns(self, rows: Indices) -> Array:
        """J_kᵀ R of each point, in contact axes: Rᵀ J_v + Rᵀ J_ω × p."""
        blocks = []
        for J, R, points in self._parts:
            linear, angular = self._in_axes(J, R, rows)
            across = [np.cross(angular, p) if p.any() else 0.0 for p in points]
            blocks += [linear + turned for turned in across]
        return np.concatenate(blocks, axis=2)

    @staticmethod
    def _in_axes(J: Array, R: Array, rows: Indices) -> tuple[Array, Array]:
        """J_vᵀ R and J_ωᵀ R (N, rows, 3)."""
        chosen = J[:, :, rows].transpose(0, 2, 1)
        return chosen[:, :, :3] @ R, chosen[:, :, 3:] @ R

    def pulls(self, rows: Indices) -> Array:
        """Σ_c J_vᵀ n of the contacts' centres."""
        total = np.zeros((len(self.Q), len(rows)))
        for J, R, _ in self._parts:
            total += (R[:, None, :, 2] @ J[:, :3, rows])[:, 0]
        return total

    def given(self, f: Array, rows: Indices, chosen: Indices) -> Array:
        """Σ_c J_cᵀ w_c with each contact's wrench w_c at its centre."""
        total, k = np.zeros((len(f), len(rows))), 0
        for J, R, points in self._parts:
            own = f[:, k : k + len(points)]
            k += len(points)
            moment = np.cross(points, own).sum(axis=1)
            turn = picked(R, chosen).transpose(0, 2, 1)
            wrench = np.concatenate(
                [own.sum(axis=1)[:, None] @ turn, moment[:, None] @ turn], axis=2
            )
            total += (wrench @ picked(J, chosen))[:, 0][:, rows]
        return total


def pose_in_frame(contact: Contact, T: Array) -> tuple[Array, Array]:
    """Return the axes R (N or 1, 3, 3) of a contact and the arm (N, 3) to its centre, world axes.

    Args:
        contact: whose axes are those of the ground, or turn with its frame.
        T: (N, 4, 4), placements of its frame.
    """
    turn, own = T[:, :3, :3], contact.axes_in_frame
    arm = turn @ contact.centre_in_frame + contact.ball_arm
    return (np.array(contact.axes_in_world)[None] if own is None else turn @ own), arm
