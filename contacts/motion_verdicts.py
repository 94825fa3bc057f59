"""Verdicts along a motion: those of `batch.contact_forces`, with what they were asked about.

Rows in which the same contacts touch are decided together.

    Sᵀτ + Σ_k J_kᵀ f_k + h = 0,      h = τ_g + τ_ext − M a − vᵀCv

The first six of h of a floating base are minus the wrench that all contacts together have to give,
whatever the torques: the ground's reaction f = m (c̈ − g) − f_ext, with its moment about the centre
of mass c, and the zero-moment point that it has in a plane.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array
from ..dynamics import batch
from ..errors import ContactError
from ..robots.configuration import check_floating
from ..robots.robot import Robot
from ..robots.values import number
from .attachment import axes_and_arm
from .contact_set import ContactSet
from .equilibrium import decision
from .equilibrium.balance import weight
from .equilibrium.decision import Wanted
from .equilibrium.verdicts import Verdicts
from .friction_used import friction_used
from .motion_rows import MotionRows, SameContacts
from .torque_limits import TorqueBounds
from .zmp import zmp_of


def about_com(robot: Robot, q: Array, forces: Array) -> Array:
    """Return [force; moment about the centre of mass] (N, 6), world axes, that generalised forces
    (N, nv) at configurations (N, nq) put on a floating base."""
    R = batch.frame_placement(robot, q, robot.base_joint)[:, :3, :3]
    force, about_base = ((R @ forces[:, k : k + 3, None])[:, :, 0] for k in (0, 3))
    arm = batch.com(robot, q) - q[:, :3]
    return np.hstack([force, about_base - np.cross(arm, force)])


@dataclass(frozen=True, eq=False, repr=False)
class MotionVerdicts(Verdicts):
    """The answers along a motion; the first attributes are those of `Verdicts`.

    Attributes:
        asked: the rows, with what pushes and limits.
    """

    asked: MotionRows

    @classmethod
    def of(cls, asked: MotionRows, threads: int, wanted: Wanted) -> MotionVerdicts:
        """Return the verdicts on all rows, margins or not as wanted."""
        robot, limits = asked.contacts.robot, asked.contacts.limits
        found = Verdicts.allocate(len(asked.q), limits.point_count, robot.nv, robot.na)
        for part in asked.by_contacts():
            found.put(part.rows, part.pattern[limits.owner], _decided(part, threads, wanted))
        found.torques[:] += asked.bounds.middle
        answers: dict[str, Any] = {k: getattr(found, k) for k in Verdicts.__dataclass_fields__}
        return cls(**answers, asked=asked)

    @property
    def contacts(self) -> ContactSet:
        """All that touch in some row."""
        return self.asked.contacts

    @property
    def q(self) -> Array:
        """(N, nq), the configurations."""
        return self.asked.q

    @property
    def active(self) -> NDArray[np.bool_]:
        """(N, C), which contacts touch."""
        return self.asked.active

    @property
    def load(self) -> Array:
        """h (N, nv), what contacts and torques have to balance [N, N·m]."""
        return self.asked.load

    @property
    def bounds(self) -> TorqueBounds:
        """Of the torques."""
        return self.asked.bounds

    @cached_property
    def friction(self) -> Array:
        """(N or 1, K, 2), μ of the points."""
        return self.asked.point_friction

    # --- the forces that were found --------------------------------------------------------------

    @cached_property
    def world_forces(self) -> Array:
        """(N, K, 3), forces at the contacts' points in world axes [N], nan where there are none."""
        out, owner = np.empty_like(self.forces), self.contacts.limits.owner
        for c, contact in enumerate(self.contacts):
            frames = batch.frame_placement(self.contacts.robot, self.q, contact.frame)
            R, _ = axes_and_arm(contact, frames)
            out[:, owner == c] = self.forces[:, owner == c] @ R.transpose(0, 2, 1)
        return out

    @cached_property
    def normal_forces(self) -> Array:
        """(N, C), of each contact, 0 of those that do not touch [N]; nan where there are none."""
        first = self.contacts.limits.first
        if not len(first):
            return np.zeros((len(self), 0))
        return np.asarray(np.add.reduceat(self.forces[:, :, 2], first, axis=1))

    @cached_property
    def friction_used(self) -> Array:
        """(N, K), ‖(f_1/μ_1, f_2/μ_2)‖/f_n of each point's force, 1 on the edge of its cone [-].

        nan where nothing presses, or there are no forces. Of the least-norm forces: others may use
        less.
        """
        return friction_used(self.forces, self.friction, weight(self.contacts.robot))

    # --- what the motion asks for ----------------------------------------------------------------

    @cached_property
    def reaction(self) -> Array:
        """(N, 6), [force; moment about the centre of mass] that contacts have to give, world axes.

        Raises:
            ContactError: a fixed base, which what holds it supports as well.
        """
        robot = check_floating(self.contacts.robot, error=ContactError)
        return about_com(robot, self.q, -self.load)

    def zmp(self, height: float = 0.0) -> Array:
        """Return where the reaction has no moment but about the vertical, (N, 2), at a height [m].

        nan where it does not press. See `contacts.zero_moment_point`.

        Raises:
            ContactError: a fixed base.
        """
        at = number(height, "height", unit="[m]", error=ContactError)
        force, moment, origin = self.reaction[:, :3], self.reaction[:, 3:], np.array([0.0, 0.0, at])
        com = batch.com(self.contacts.robot, self.q)
        return zmp_of(force, moment + np.cross(com - origin, force), origin)[:, :2]


def _decided(part: SameContacts, threads: int, wanted: Wanted) -> Verdicts:
    """Return the verdicts on rows with the same contacts, torques from the middle of bounds."""
    contacts = part.asked.contacts
    if len(contacts) or contacts.robot.closures:
        return decision.decide(part.balances, threads, wanted)
    out = part.in_flight()
    if not wanted.torque_margin:
        out.torque_margin[:] = np.nan
    if not wanted.margin:
        out.margin[:] = np.nan
    return out
