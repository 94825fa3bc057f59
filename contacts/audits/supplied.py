"""Samples that hold but for what is below the accuracy of motions.

Two points give no moment about the line between them, and no motion asks for exactly none: by
differences of positions at 1 kHz, those of a simulated trot ask for 0.0005 m/s² as median, and for
less than 0.003 in nine samples of ten. `LEAST` is a centre of mass that is r/500 beside the line, r
the radius of the masses about it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...arrays import Array
from ..equilibrium.decision import Wanted
from ..loads_along import torques_on_base
from ..motion_verdicts import MotionVerdicts
from ..shortfall import radius_of, unreachable

LEAST = 0.02  # [m/s²]


def supplied(
    verdicts: MotionVerdicts, wanted: Wanted, threads: int
) -> tuple[MotionVerdicts, Array]:
    """Return the verdicts without what no push or pull at the contacts supplies, where it is small,
    and how much of that was left out of each sample (n,) [m/s²].

    A wrench [f; m_c] with ‖f‖/m + ‖m_c‖/(m r) ≤ `LEAST` is left out of the load. What friction
    lacks stays, unless there is none.
    """
    robot, asked, left_out = verdicts.contacts.robot, verdicts.asked, np.zeros(len(verdicts))
    touched = asked.active.any(axis=1)
    rows = np.flatnonzero(touched & (verdicts.feasible == 0) & np.isneginf(verdicts.margin))
    if not (robot.is_floating and len(rows)):
        return verdicts, left_out
    lacking = unreachable(verdicts, rows)
    sizes = _accelerations(lacking, robot.mass, radius_of(robot, asked.q[0]))
    small = sizes <= LEAST
    rows, lacking = rows[small], lacking[small]
    left_out[rows] = sizes[small]
    load = asked.load.copy()
    load[rows] += torques_on_base(robot, asked.q[rows], lacking)
    less = asked._replace(load=load)
    again = MotionVerdicts.of(less.at(rows), threads, wanted)
    verdicts.put(rows, np.ones(verdicts.forces.shape[1], dtype=bool), again)
    return replace(verdicts, asked=less), left_out


def _accelerations(wrenches: Array, mass: float, radius: float) -> Array:
    """‖f‖/m + ‖m_c‖/(m r) (n,) of wrenches (n, 6) [m/s²]."""
    force, moment = (np.linalg.norm(wrenches[:, k : k + 3], axis=1) for k in (0, 3))
    return np.asarray((force + moment / radius) / mass)
