"""Overload: how far limits gave way, and what becomes of torques where it is not safe to go on.

From the violations `UNSAFE_…` on, no contact stays and no range holds: the torques of the elastic
program turn into damping of the joints, (1 − β) τ − β D q̇ with β = 1 − UNSAFE/violation.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...arrays import Array
from ...contacts import ContactSet
from ..program.elastic import Relaxed

UNSAFE_CONTACT = 100.0  # of J a = k and of constraints [m/s², rad/s²]
UNSAFE_JOINT = 1000.0  # of the bounds of joints [rad/s²]
LITTLE = 1e-6  # what counts as kept [m/s², rad/s², N]


def severity(found: Relaxed) -> float:
    """Return the largest violation as a multiple of what is not safe any more."""
    contacts = np.concatenate([found.contacts, found.constraints])
    return max(_largest(contacts) / UNSAFE_CONTACT, _largest(found.joints) / UNSAFE_JOINT)


def gave_way(found: Relaxed, contacts: ContactSet, labels: Sequence[str]) -> dict[str, float]:
    """Return {constraint: its largest violation} of those that were violated, see `Command`.

    Args:
        found: the solution of least violation.
        contacts: of the program.
        labels: of the rows of its constraints L a ≥ least.
    """
    robot, amounts = contacts.robot, dict[str, float]()
    for name in contacts.names:
        amounts[f"contact {name}"] = _largest(found.contacts[contacts.rows(name)])
    for name, amount in zip(contacts.names, found.normal.tolist(), strict=True):
        amounts[f"least normal force of {name}"] = amount
    for row, amount in zip(robot.actuated_rows, found.joints.tolist(), strict=True):
        amounts[f"range of {robot.joint_of_row[row]}"] = amount
    for label, amount in zip(labels, found.constraints.tolist(), strict=True):
        amounts[label] = max(amount, amounts.get(label, 0.0))
    return {name: amount for name, amount in amounts.items() if amount > LITTLE}


def damped(tau: Array, damping: Array, severity: float) -> Array:
    """Return the torques τ, by severity turned into `damping`, −D q̇."""
    share = 1.0 - 1.0 / max(severity, 1.0)
    return (1 - share) * tau + share * damping


def _largest(x: Array) -> float:
    return float(np.abs(x).max(initial=0.0))
