"""Samples that hold but for what is below the accuracy of motions.

Two points give no moment about the line between them, and no motion asks for exactly none.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...arrays import Array
from ..equilibrium.decision import Wanted
from ..loads_along import torques_on_base
from ..motion_verdicts import MotionVerdicts
from ..shortfall import radius_of, shortfall

LEAST = 0.02  # [m/s²]


def supplied(verdicts: MotionVerdicts, wanted: Wanted, threads: int) -> MotionVerdicts:
    """Return the verdicts, without what no pull of the contacts supplies where it is small.

    A wrench [f; m_c] with ‖f‖/m + ‖m_c‖/(m r) ≤ `LEAST` is left out of the load, r the radius of
    the masses about their centre.
    """
    robot, asked = verdicts.contacts.robot, verdicts.asked
    touched = asked.active.any(axis=1)
    rows = np.flatnonzero(touched & (verdicts.feasible == 0) & np.isneginf(verdicts.margin))
    if not (robot.is_floating and len(rows)):
        return verdicts
    lacking = shortfall(verdicts, rows)
    small = _accelerations(lacking, robot.mass, radius_of(robot, asked.q[0])) <= LEAST
    rows, lacking = rows[small], lacking[small]
    load = asked.load.copy()
    load[rows] += torques_on_base(robot, asked.q[rows], lacking)
    less = asked._replace(load=load)
    again = MotionVerdicts.of(less.at(rows), threads, wanted)
    verdicts.put(rows, np.ones(verdicts.forces.shape[1], dtype=bool), again)
    return replace(verdicts, asked=less)


def _accelerations(wrenches: Array, mass: float, radius: float) -> Array:
    """‖f‖/m + ‖m_c‖/(m r) (n,) of wrenches (n, 6) [m/s²]."""
    force, moment = (np.linalg.norm(wrenches[:, k : k + 3], axis=1) for k in (0, 3))
    return np.asarray((force + moment / radius) / mass)
