"""Causes of verdicts along a motion: why rows do not hold, with their figures.

The causes are told apart as `equilibrium/reasons.py` does for one state, by relaxing the problem:
without torque limits, without bounds on normal forces, with soles that cannot be turned, on ground
rougher than any; the first relaxation that holds names the cause. Rows are relaxed together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array, Index
from ..dynamics import batch
from ..errors import ContactError, counted
from ..options import names_checked
from ..robots.values import instance, whole_number
from .attachment import axes_and_arm
from .contact import Contact
from .contact_set import ContactSet
from .equilibrium.decision import MARGINS
from .equilibrium.reasons import ROUGH
from .frames_along import frame_twists
from .motion_verdicts import MotionVerdicts
from .shortfall import shortfall


class Cause(IntEnum):
    """Why a row does not hold."""

    HOLDS = 0
    UNDECIDED = 1  # at the edge, or unsolved
    FLIGHT = 2  # nothing touches, and the robot does not fall freely
    TORQUES = 3  # it would hold with stronger motors
    BOUNDS = 4  # bounds on normal forces
    TORSION = 5  # torsional friction
    FRICTION = 6  # it would hold on rougher ground
    PULL = 7  # contacts would have to pull
    MISSING = 8  # no forces at these contacts balance it, pulling ones neither


@dataclass(frozen=True, eq=False, repr=False)
class Causes:
    """Why rows of a motion do not hold.

    Attributes:
        verdicts: the rows.
        code: (N,), of `Cause`.
        relaxed: (N,), the margin without torque limits, of PULL and MISSING on rough ground [N]:
            minus what every foot would have to pull. nan of rows that hold.
        velocity: (N, nv), ‖y‖ = 1, along which nothing stops the robot, however strong its motors:
            of TORQUES with those that it has; nan of rows that hold.
    """

    verdicts: MotionVerdicts
    code: NDArray[np.int8]
    relaxed: Array
    velocity: Array

    def __repr__(self) -> str:
        counts = {cause: int((self.code == cause).sum()) for cause in Cause}
        words = ", ".join(f"{n} {cause.name.lower()}" for cause, n in counts.items() if n)
        return f"Causes({counted(len(self.code), 'state')}{words and ': '}{words})"

    @cached_property
    def joint(self) -> Index:
        """(N,), row of `torque_limits` that dominates where torques do not suffice, else −1.

        The largest term |y_j| limit_j of the certificate: where more torque helps most.
        """
        rows = self.code == Cause.TORQUES
        actuated = self.verdicts.contacts.robot.actuated_rows
        limits = np.broadcast_to(self.verdicts.bounds.half, (len(rows), len(actuated)))
        terms = np.abs(np.nan_to_num(self.velocity[:, actuated]))
        terms = np.where(np.isfinite(limits), terms * np.where(np.isfinite(limits), limits, 0), -1)
        return np.where(rows, terms.argmax(axis=1) if len(actuated) else -1, -1)

    @cached_property
    def feet(self) -> tuple[str, ...]:
        """Names of the feet: of what contacts are parts of, or of contacts themselves."""
        return tuple(self.verdicts.contacts.wholes)

    @cached_property
    def foot(self) -> Index:
        """(N,), which of `feet` dominates where friction, or pushing alone, does not suffice.

        Of FRICTION the one that slips fastest along the certificate, of PULL the one that lifts
        fastest; else −1.
        """
        out = np.full(len(self.code), -1)
        rows = np.flatnonzero(np.isin(self.code, [Cause.FRICTION, Cause.PULL]))
        if not len(rows):
            return out
        speed = np.zeros((len(rows), len(self.feet)))
        slips, active = self.code[rows] == Cause.FRICTION, self.verdicts.active[rows]
        for c, contact in enumerate(self.verdicts.contacts):
            u = self._local_velocity(c, rows)
            along_it = np.where(slips, np.linalg.norm(u[:, :2], axis=1), u[:, 2])
            f = self.feet.index(contact.whole)
            speed[:, f] = np.maximum(speed[:, f], np.where(active[:, c], along_it, 0.0))
        out[rows] = speed.argmax(axis=1)
        return out

    def _local_velocity(self, c: int, rows: Index) -> Array:
        """Return the velocity (n, 3) of a contact's centre along the certificates, its axes."""
        contact, robot = self.verdicts.contacts.contacts[c], self.verdicts.contacts.robot
        Q, y = self.verdicts.q[rows], np.nan_to_num(self.velocity[rows])
        twist = frame_twists(robot, Q, y, contact.frame)
        R, arm = axes_and_arm(contact, batch.frame_placement(robot, Q, contact.frame))
        u = twist[:, :3] + np.cross(twist[:, 3:], arm)
        return np.asarray((u[:, None] @ R)[:, 0])

    @cached_property
    def missing(self) -> Array:
        """(N, 6), the least [force; moment about the centre of mass] that contacts lack.

        Least as an acceleration of the body, ‖f‖² + ‖m/ρ‖² with ρ its radius of gyration: zero
        where contacts suffice. What torques, bounds on normal forces and torsional friction of
        patches refuse is not counted. World axes [N, N·m]. See `shortfall`.

        Raises:
            ContactError: a fixed base.
        """
        out = np.zeros((len(self.code), 6))
        lacking = Cause.FLIGHT, Cause.FRICTION, Cause.PULL, Cause.MISSING
        rows = np.flatnonzero(np.isin(self.code, lacking))
        out[rows] = shortfall(self.verdicts, rows)
        return out

    def words(self, i: int) -> str:
        """Return the cause of a row in words, "" where it holds."""
        cause, v = Cause(int(self.code[i])), self.verdicts
        if cause is Cause.TORQUES:
            row = int(self.joint[i])
            robot = v.contacts.robot
            name = robot.joint_of_row[robot.actuated_rows[row]]
            used = 100 * (1 - float(v.torque_margin[i]))
            best = f" ({used:.0f} % of the limits with the best forces)"
            more = best if np.isfinite(used) else ""
            return f"torque limits: {name} is too weak{more}"
        if cause is Cause.PULL:
            foot, pull = self.feet[int(self.foot[i])], -float(self.relaxed[i])
            return f"contacts can only push: each would have to pull {pull:.4g} N, {foot} lifts"
        return _WORDS[cause]


_WORDS = {
    Cause.HOLDS: "",
    Cause.UNDECIDED: "at the edge, or unsolved",
    Cause.FLIGHT: "nothing touches, and the robot does not fall freely",
    Cause.BOUNDS: "bounds on normal forces",
    Cause.TORSION: "too little torsional friction",
    Cause.FRICTION: "too little friction",
    Cause.MISSING: "no forces at the contacts balance it",
}


@names_checked
def causes(verdicts: MotionVerdicts, *, threads: int = 1) -> Causes:
    """Return why rows of a motion do not hold; those that hold cost nothing.

    Args:
        verdicts: of `batch.contact_forces`, with margins.
        threads: that share the work.

    Raises:
        ContactError: no verdicts along a motion.
    """
    instance(verdicts, "verdicts", MotionVerdicts, error=ContactError)
    whole = whole_number(threads, "threads", at_least=1, exact=True, error=ContactError)
    code = np.where(verdicts.feasible == 1, Cause.HOLDS, Cause.UNDECIDED).astype(np.int8)
    relaxed, velocity = np.full(len(code), np.nan), verdicts.velocity.copy()
    left = np.flatnonzero(verdicts.feasible == 0)
    code[left] = Cause.MISSING
    asked = verdicts.contacts
    for cause, contacts, rough in _relaxations(verdicts):
        if not len(left):
            break
        found = _relaxed(verdicts, left, contacts, rough, whole)
        holds = found.margin > 0
        code[left[holds]] = cause
        if cause is Cause.TORQUES:
            relaxed[left] = found.margin
        left = left[~holds]
        relaxed[left], velocity[left] = found.margin[~holds], found.velocity[~holds]
    code[left[np.isfinite(relaxed[left])]] = Cause.PULL
    nothing = (verdicts.feasible == 0) & ~verdicts.active.any(axis=1) & (code != Cause.TORQUES)
    code[nothing & bool(asked.robot.is_floating)] = Cause.FLIGHT
    return Causes(verdicts, code, relaxed, velocity)


def _relaxations(verdicts: MotionVerdicts) -> list[tuple[Cause, ContactSet, bool]]:
    """What is relaxed, one after the other: contacts, whether ground is rough; all without limits
    of torques."""
    asked, limits = verdicts.contacts, verdicts.contacts.limits
    gripping = _changed(asked, _gripping) if limits.has_torsion else asked
    found = [(Cause.TORQUES, asked, False)]
    if limits.bounded:
        found.append((Cause.BOUNDS, _changed(asked, _unbounded), False))
    if limits.has_torsion:
        found.append((Cause.TORSION, gripping, False))
    found.append((Cause.FRICTION, gripping, True))
    if limits.bounded:
        found.append((Cause.BOUNDS, _changed(gripping, _unbounded), True))
    return found


def _changed(contacts: ContactSet, change: Callable[[Contact], Contact]) -> ContactSet:
    return ContactSet(contacts.robot, [change(contact) for contact in contacts])


def _unbounded(contact: Contact) -> Contact:
    return replace(contact, min_normal=None, max_normal=None)


def _gripping(contact: Contact) -> Contact:
    """A contact with more torsional friction, but for hard points."""
    gamma = contact.torsional_friction
    return replace(contact, torsional_friction=max(gamma, ROUGH)) if gamma else contact


def _relaxed(
    verdicts: MotionVerdicts, rows: Index, contacts: ContactSet, rough: bool, threads: int
) -> MotionVerdicts:
    """Return the verdicts on some rows without torque limits."""
    strong = verdicts.asked.at(rows).without_torque_limits()
    most = max(ROUGH, float(verdicts.friction.max(initial=0.0)))
    mu = np.full((1, 2), most) if rough else strong.friction
    relaxed = strong._replace(contacts=contacts, friction=mu)
    return MotionVerdicts.of(relaxed, threads, MARGINS)
