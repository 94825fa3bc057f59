"""Checks of the forces: contact limits, torque limits, and free fall in flight."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ...dynamics.motions.motion import Motion
from ..equilibrium.decision import MARGINS
from ..motion_verdicts import MotionVerdicts
from ..schedules.schedule import ContactSchedule
from .check import Check
from .reaction import Reaction


class Forces(NamedTuple):
    """The verdicts along a motion.

    Attributes:
        motion, schedule: what was asked.
        checks: contacts, torques and flight.
        verdicts: of every sample, torque limits kept.
        left_out: (n,), what of the motion the verdicts leave out [m/s²], see `supplied`.
        reaction: that contacts have to supply; None of a fixed base.
        threads: that share the work.
    """

    motion: Motion
    schedule: ContactSchedule
    checks: list[Check]
    verdicts: MotionVerdicts
    left_out: Array
    reaction: Reaction | None
    threads: int

    @classmethod
    def of(
        cls,
        motion: Motion,
        schedule: ContactSchedule,
        verdicts: MotionVerdicts,
        left_out: Array,
        limits: Mapping[str, float],
        threads: int,
    ) -> Forces:
        """Return the verdicts of all samples with the checks that follow from them."""
        robot = motion.robot
        touched = np.asarray(schedule.touching.any(axis=1) | (not robot.is_floating))
        checks = [_of_all("contacts", limits, _missing(verdicts, touched, threads))]
        if np.isfinite(verdicts.bounds.half).any():
            checks.append(_torque_check(verdicts, touched, limits["torques"]))
        reaction = Reaction.of(motion, verdicts) if robot.is_floating else None
        if reaction is not None:
            falls = np.where(touched, np.nan, reaction.unsupported)
            checks.append(_of_all("flight", limits, falls))
        return cls(motion, schedule, checks, verdicts, left_out, reaction, threads)


def _missing(verdicts: MotionVerdicts, touched: NDArray[np.bool_], threads: int) -> Array:
    """Return −margin (n,) [N], nan in flight.

    Of samples that do not hold, without torque limits: the normal force that every contact lacks,
    however strong the motors are. At the edge 0, +inf where no answer was found.
    """
    missing = np.where(touched, -verdicts.margin, np.nan)
    missing[touched & (verdicts.feasible < 0)] = 0.0
    missing[touched & verdicts.unsolved] = np.inf
    doubtful = np.flatnonzero(touched & (verdicts.feasible == 0))
    if len(doubtful):
        strong = verdicts.asked.at(doubtful).without_torque_limits()
        missing[doubtful] = -MotionVerdicts.of(strong, threads, MARGINS).margin
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
