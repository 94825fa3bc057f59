"""Overload: how far limits gave way, and what becomes of torques where it is not safe to go on.

From the violations `UNSAFE_…` on, no contact stays and no range holds: the torques of the elastic
program turn into damping of the joints, (1 − β) τ − β D q̇ with β = 1 − UNSAFE/violation.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Array
from ..program.elastic import Relaxed

UNSAFE_CONTACT = 100.0  # of J a = k and of constraints [m/s², rad/s²]
UNSAFE_JOINT = 1000.0  # of the bounds of joints [rad/s²]


def severity(found: Relaxed) -> float:
    """Return the largest violation as a multiple of what is not safe any more."""
    contacts = np.concatenate([found.contacts, found.constraints])
    return max(_largest(contacts) / UNSAFE_CONTACT, _largest(found.joints) / UNSAFE_JOINT)


def damped(tau: Array, damping: Array, severity: float) -> Array:
    """Return the torques τ, by severity turned into `damping`, −D q̇."""
    share = 1.0 - 1.0 / max(severity, 1.0)
    return (1 - share) * tau + share * damping


def _largest(x: Array) -> float:
    return float(np.abs(x).max(initial=0.0))
