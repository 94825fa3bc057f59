"""Force tasks of a whole-body controller, as rows on the contact forces: B w = c.

w (dim,) stacks the contacts' wrenches in contact axes (two tangents, then the normal).
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ...arrays import Array
from ...contacts import ContactSet
from ...dynamics import State
from ...dynamics.spatial import skew
from ...errors import ConfigurationError, ContactError
from ...options import names_checked
from ...robots.values import Shape, array
from . import Goal

MOMENTS = {3: [], 4: [2], 5: [1, 2], 6: [0, 1, 2]}  # axes of the moments of w, by its dim


class ForceRows(NamedTuple):
    """A task at one state: its target is B w = c."""

    B: Array
    c: Array


@dataclass(eq=False)
class ForceLikeTask(Goal):
    """Base class of tasks on the contact forces, weights in 1/N², 1/(N·m)²."""

    weight: Any = field(default=1e-2, kw_only=True)

    shapes: ClassVar[tuple[Shape, ...]]  # of the target

    def _check(self) -> None:
        super()._check()
        if not callable(self.target):
            self._value(0.0)

    @abstractmethod
    def rows(self, state: State, t: float, contacts: ContactSet) -> ForceRows | None:
        """Return the task's rows; None while its contact is not there."""

    def _value(self, t: float) -> Array:
        value = self.target(t) if callable(self.target) else self.target
        return array(value, f"target of {self.name!r}", *self.shapes)


@names_checked
@dataclass(eq=False)
class ForceTask(ForceLikeTask):
    """The wrench of one contact, or its first rows (a force alone): w = target.

    Attributes:
        target: (k,), k up to the contact's dim, in contact axes: two tangents and the normal, then
            moments [N, N·m]; or a function of t.
        contact: by name.
    """

    contact: str = field(kw_only=True)

    shapes = (), (None,)

    def _default_name(self) -> str:
        return f"force of {self.contact}"

    def rows(self, state: State, t: float, contacts: ContactSet) -> ForceRows | None:
        """Rows of the identity at the contact."""
        if self.contact not in contacts.names:
            return None
        target = np.atleast_1d(self._value(t))
        own = contacts.rows(self.contact)
        if len(target) > own.stop - own.start:
            raise ConfigurationError(
                f"target of {self.name!r}: got shape {target.shape}; expected up to "
                f"{own.stop - own.start} numbers"
            )
        return ForceRows(np.eye(contacts.dim)[own][: len(target)], target)


@names_checked
@dataclass(eq=False)
class CopTask(ForceLikeTask):
    """The centre of pressure of one patch at p (x, y): w_mx = y w_n, w_my = −x w_n.

    Attributes:
        target: (x, y) in the patch, from its centre, in contact axes [m]; or a function of t.
        contact: by name, a surface.
    """

    contact: str = field(kw_only=True)

    shapes = ((2,),)

    def _default_name(self) -> str:
        return f"pressure of {self.contact}"

    def rows(self, state: State, t: float, contacts: ContactSet) -> ForceRows | None:
        """The moments about p, which vanish."""
        if self.contact not in contacts.names:
            return None
        own, (x, y) = contacts.rows(self.contact), self._value(t)
        if contacts[self.contact].dim != 6:
            raise ContactError(
                f"{self.name!r}: got the contact {self.contact!r} without an area; expected a patch"
            )
        B = np.zeros((2, contacts.dim))
        B[0, own.start + 3], B[0, own.start + 2] = 1.0, -y
        B[1, own.start + 4], B[1, own.start + 2] = 1.0, x
        return ForceRows(B, np.zeros(2))


@names_checked
@dataclass(eq=False)
class ZmpTask(ForceLikeTask):
    """The zero-moment point of all contacts together: the moment about it is vertical.

    Attributes:
        target: the point (3,) in the world [m]; or a function of t.
    """

    shapes = ((3,),)

    def rows(self, state: State, t: float, contacts: ContactSet) -> ForceRows | None:
        """The horizontal moments of all contact wrenches about the point, which vanish."""
        if not len(contacts):
            return None
        p, B = self._value(t), np.zeros((2, contacts.dim))
        for contact in contacts:
            T, own = contact.pose(state), contacts.rows(contact.name)
            forces, moments = wrench_axes(contact.dim, T.rotation)
            arm = T.translation - p
            B[:, own] = (skew(arm) @ forces + moments)[:2]
        return ForceRows(B, np.zeros(2))


def wrench_axes(dim: int, R: Array) -> tuple[Array, Array]:
    """Return the force (3, dim) and the moment (3, dim) of w at its centre, world axes."""
    force, moment = np.zeros((3, dim)), np.zeros((3, dim))
    force[:, :3] = R
    moment[:, 3:] = R[:, MOMENTS[dim]]
    return force, moment
