"""Verdicts without contacts: free fall, where nothing but torques balances the load.

Rows without a torque must be balanced already, and torques are minus the others.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Array, Index
from ..kernels.verdict import EDGE
from .verdicts import Verdicts

_ROUNDING = 1e-3  # of EDGE: power below which it is zero


def write_flight(
    loads: Array, torque_limits: Array, actuated: Index, weight: float, out: Verdicts
) -> None:
    """Write the verdicts on loads that nothing touches to balance.

    The margin is +inf or −inf: a pull of no contact changes nothing.

    Args:
        loads: (N, nv); torque_limits: (N or 1, na).
        actuated: rows of S.
        weight: the unit of force [N].
        out: is written.
    """
    free = loads.copy()
    free[:, actuated] = 0.0
    over = np.zeros_like(loads)
    torques = -loads[:, actuated]
    beyond = np.maximum(np.abs(torques) - torque_limits, 0.0)
    over[:, actuated] = -np.sign(torques) * beyond
    power = np.linalg.norm(free, axis=1)
    worst = beyond.max(axis=1, initial=0.0)
    # a motion of rows without a torque, or else of the joint whose limit is exceeded most
    joint = np.where(np.abs(over) >= worst[:, None], np.sign(over), 0.0)
    y = np.where((power > EDGE * weight)[:, None], free, joint)
    falls = np.maximum(power, worst) > EDGE * weight
    holds = ~falls & (power <= _ROUNDING * EDGE * weight)
    out.feasible[:] = np.where(falls, 0, np.where(holds, 1, -1))
    out.margin[:] = np.where(falls, -np.inf, np.inf)
    out.forces[holds], out.torques[holds] = 0.0, torques[holds]
    out.residual[:] = np.where(holds, np.abs(free).max(axis=1, initial=0.0), 0.0)
    out.velocity[falls] = (y / np.linalg.norm(y, axis=1, keepdims=True).clip(min=1e-300))[falls]
    out.compiled[:] = True
    with np.errstate(divide="ignore", invalid="ignore"):
        used = np.where(np.isfinite(torque_limits), np.abs(torques) / torque_limits, -np.inf)
    least = 1.0 - used.max(axis=1, initial=-np.inf)
    out.torque_margin[:] = np.where(power > EDGE * weight, -np.inf, least)
