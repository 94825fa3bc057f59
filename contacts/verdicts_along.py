"""Verdicts along a motion with changing contacts, in a batch for each set of contacts."""

from __future__ import annotations

import numpy as np

from .equilibrium import decision
from .equilibrium.decision import Wanted
from .equilibrium.verdicts import Verdicts
from .motion_rows import MotionRows, SameContacts
from .motion_verdicts import MotionVerdicts


def along(asked: MotionRows, threads: int, wanted: Wanted) -> MotionVerdicts:
    """Return the verdicts on all rows, margins or not as wanted."""
    robot, limits = asked.contacts.robot, asked.contacts.limits
    out = Verdicts.allocate(len(asked.q), limits.point_count, robot.nv, robot.na)
    for part in asked.by_contacts():
        out.put(part.rows, part.pattern[limits.owner], _decided(part, threads, wanted))
    out.torques[:] += asked.bounds.middle
    return MotionVerdicts.of(out, asked)


def _decided(part: SameContacts, threads: int, wanted: Wanted) -> Verdicts:
    """Return the verdicts on rows with the same contacts, torques from the middle of bounds."""
    if len(part.contacts) or part.contacts.robot.closures:
        return decision.decide(part.balances, threads, wanted)
    out = part.in_flight()
    if not wanted.torque_margin:
        out.torque_margin[:] = np.nan
    if not wanted.margin:
        out.margin[:] = np.nan
    return out
