"""Checks of the forces: contact limits, torque limits, and free fall in flight."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...arrays import Array
from ...dynamics import Wrench, com
from ...dynamics.motions.motion import Motion
from .. import batch
from ..contact import Contact
from ..motion_verdicts import MotionVerdicts
from ..schedules.schedule import ContactSchedule
from ..torque_limits import TorqueLimits
from .check import Check
from .reaction import Reaction


class ForceOptions(NamedTuple):
    """What is asked of the forces.

    Attributes:
        friction: instead of the contacts' own, or None.
        wrenches: as for `contacts.batch.contact_forces`, those of links as (n, 6) or `Wrench`.
        torque_limits: likewise.
        limits: of the checks.
        threads: that share the work.
    """

    friction: float | None
    wrenches: Mapping[str, Wrench | Array] | ArrayLike | None
    torque_limits: TorqueLimits
    limits: Mapping[str, float]
    threads: int

    def with_friction(self, contact: Contact) -> Contact:
        """Return a contact with the friction that is asked for."""
        return contact if self.friction is None else replace(contact, friction=self.friction)

    def wrenches_at(self, motion: Motion, sample: int) -> Mapping[str, Wrench] | None:
        """Return what acts on the robot at a sample, as for `contacts.contact_forces`."""
        if self.wrenches is None:
            return None
        if isinstance(self.wrenches, Mapping):
            return {
                link: w if isinstance(w, Wrench) else Wrench(w[sample][:3], w[sample][3:])
                for link, w in self.wrenches.items()
            }
        rows = np.atleast_2d(np.asarray(self.wrenches, dtype=float))
        w = rows[sample if len(rows) > 1 else 0]
        return {motion.robot.base_joint: Wrench(w[:3], w[3:], com(motion.robot, motion.q[sample]))}

    def torque_limits_at(self, sample: int) -> Any:
        """Return the torque limits of a sample, of those that may be given a row each."""
        limits = self.torque_limits
        if isinstance(limits, Mapping):
            return limits
        if isinstance(limits, tuple):  # of lower and upper bounds
            return tuple(x[sample] if np.ndim(x) == 2 else x for x in limits)
        return np.asarray(limits)[sample] if np.ndim(limits) == 2 else limits


class Forces(NamedTuple):
    """The verdicts along a motion.

    Attributes:
        motion, schedule, options: what was asked.
        checks: contacts, torques and flight.
        verdicts: of every sample, torque limits kept.
        reaction: that contacts have to supply; None of a fixed base.
    """

    motion: Motion
    schedule: ContactSchedule
    options: ForceOptions
    checks: list[Check]
    verdicts: MotionVerdicts
    reaction: Reaction | None


def forces_along(motion: Motion, schedule: ContactSchedule, options: ForceOptions) -> Forces:
    """Return the verdicts of all samples, and the checks that follow from them."""
    robot, limits, every = motion.robot, options.limits, np.ones(len(motion), dtype=bool)
    verdicts = _decided(motion, schedule, every, options, options.torque_limits)
    touched = np.asarray(schedule.touching.any(axis=1) | (not robot.is_floating))
    missing = _missing(motion, schedule, options, verdicts, touched)
    checks = [_of_all("contacts", limits, missing)]
    if np.isfinite(verdicts.bounds.half).any():
        checks.append(_torque_check(verdicts, touched, limits["torques"]))
    reaction = Reaction.of(motion, verdicts) if robot.is_floating else None
    if reaction is not None:
        checks.append(_of_all("flight", limits, np.where(touched, np.nan, reaction.unsupported)))
    return Forces(motion, schedule, options, checks, verdicts, reaction)


def _decided(
    motion: Motion,
    schedule: ContactSchedule,
    rows: NDArray[np.bool_],
    options: ForceOptions,
    torque_limits: TorqueLimits,
) -> MotionVerdicts:
    """Return the verdicts of some samples, in their order."""
    wrenches = options.wrenches
    if isinstance(wrenches, Mapping):
        wrenches = {k: w if isinstance(w, Wrench) else w[rows] for k, w in wrenches.items()}
    elif wrenches is not None:
        given = np.atleast_2d(np.asarray(wrenches, dtype=float))
        wrenches = given[rows] if len(given) == len(motion) else given
    return batch.contact_forces(
        *(motion.robot, motion.q[rows], motion.v[rows], motion.a[rows], schedule.contacts),
        active=schedule.touching[rows],
        friction=options.friction,
        wrenches=wrenches,
        torque_limits=torque_limits,
        torque_margin=torque_limits is not False,
        threads=options.threads,
    )


def _missing(
    motion: Motion,
    schedule: ContactSchedule,
    options: ForceOptions,
    verdicts: MotionVerdicts,
    touched: NDArray[np.bool_],
) -> Array:
    """Return −margin (n,) [N], nan in flight.

    Of samples that do not hold, without torque limits: the normal force that every contact lacks,
    however strong the motors are. At the edge 0, +inf where no answer was found.
    """
    missing = np.where(touched, -verdicts.margin, np.nan)
    missing[touched & (verdicts.feasible < 0)] = 0.0
    missing[touched & verdicts.unsolved] = np.inf
    doubtful = touched & (verdicts.feasible == 0)
    if doubtful.any():
        missing[doubtful] = -_decided(motion, schedule, doubtful, options, False).margin
    return missing


def _torque_check(verdicts: MotionVerdicts, touched: NDArray[np.bool_], limit: float) -> Check:
    """Return the share of the limits that torques need at least, nan where contacts give way.

    In flight torques are those of the motion, S h = −τ.
    """
    robot, bounds = verdicts.contacts.robot, verdicts.bounds
    used = 1.0 - verdicts.torque_margin
    tau = -verdicts.load[:, robot.actuated_rows]
    with np.errstate(divide="ignore", invalid="ignore"):
        table = np.where(np.isfinite(bounds.half), np.abs(tau - bounds.middle) / bounds.half, 0.0)
    alone = Check.worst_of("torques", limit, table, robot.actuated)
    values = np.where(touched, np.where(np.isfinite(used), used, np.nan), alone.values)
    return Check("torques", limit, values, np.where(touched, -1, alone.which), robot.actuated)


def _of_all(name: str, limits: Mapping[str, float], values: Array) -> Check:
    return Check(name, limits[name], values, np.full(len(values), -1))
