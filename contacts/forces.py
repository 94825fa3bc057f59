"""static_hold and contact_forces: can these contacts hold the robot, and with which forces?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..dynamics import Wrench
from ..robots import Robot
from .contact import Contact
from .contact_set import ContactSet, check_robot
from .equilibrium.balance import load
from .equilibrium.certificate import EDGE, certificate, falling_motion
from .equilibrium.objectives import (
    Objective,
    Preferred,
    candidates,
    check_objective,
    preferred_wrenches,
)
from .equilibrium.programs import Equilibrium
from .equilibrium.solving import SOLVER
from .hold import Hold
from .torque_limits import torque_limits_of

Array = NDArray[np.float64]


def static_hold(
    robot: Robot,
    q: ArrayLike,
    contacts: ContactSet | Contact | Iterable[Contact],
    wrenches: Mapping[str, Wrench] | None = None,
    torque_limits: bool | ArrayLike = True,
    *,
    objective: Objective = "least_norm",
    preferred: Preferred | None = None,
) -> Hold:
    """Decide whether contacts can hold the robot still, by how much, with which forces and torques.

        Sᵀτ + τ_g(q) + Σ_k J_kᵀ f_k + τ_ext = 0,   ‖f_t‖ ≤ μ f_n at every vertex,   |τ| ≤ limits

    and whatever else limits the contacts: torsional friction, bounds on their normal forces. The
    cones are exact (second-order cones). The answer is decided by the margin, the largest ε such
    that every contact wrench keeps to its limits after ε of normal force is taken away at its
    centre; the objective only chooses among the forces.

    Args:
        robot: floating or fixed base, with or without passive joints.
        q: configuration (nq,).
        contacts: a ContactSet of this robot, or any contacts.
        wrenches: {link: Wrench} of the environment on the robot, besides the contacts.
        torque_limits: True takes those of the description (where it gives none or zero, the joint
            is unlimited, and a warning says so once), False none, an array (na,) those [N·m or N].
        objective: which admissible forces: "least_norm"; "largest_margin", forces that have the
            margin (the robot's weight of it where squeezing makes it unbounded); "least_torque",
            least Στ²; "centred", least Σ F d² with d from each patch's centre to its ZMP, which F
            loads. Of several the least-norm ones.
        preferred: {contact: force (3,), wrench (6,) at its centre, or Wrench; world axes}: instead,
            the forces of least distance to these.

    Returns:
        Hold, whose `feasible` is True, False, or None at the edge.

    Raises:
        ConfigurationError, ContactError: invalid input. A solver never raises.
    """
    check_robot(robot)
    zero = np.zeros(robot.nv)
    return contact_forces(
        *(robot, q, zero, zero, contacts, wrenches, torque_limits),
        objective=objective,
        preferred=preferred,
    )


def contact_forces(
    robot: Robot,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    contacts: ContactSet | Contact | Iterable[Contact],
    wrenches: Mapping[str, Wrench] | None = None,
    torque_limits: bool | ArrayLike = True,
    *,
    objective: Objective = "least_norm",
    preferred: Preferred | None = None,
) -> Hold:
    """Decide whether contacts can give the robot the acceleration a in the state (q, v), and how.

        M a + vᵀCv = Sᵀτ + τ_g + Σ_k J_kᵀ f_k + τ_ext

    Arguments and answer as in `static_hold`, with v and a (nv,). That J a + vᵀHv = 0 (or what the
    surfaces' motion asks) is the caller's to see to: nothing here asks whether the contacts stay
    where they are.
    """
    contact_set = ContactSet.of(robot, contacts)
    check_objective(objective, preferred)
    limits = torque_limits_of(robot, torque_limits)
    balance = Equilibrium.of(contact_set, q, load(robot, q, v, a, wrenches), limits)
    q = np.array(q, dtype=float)
    targets = preferred_wrenches(contact_set, q, preferred)
    return decide(contact_set, q, dict(wrenches or {}), balance, objective, targets)


def decide(
    contacts: ContactSet,
    q: Array,
    external: Mapping[str, Wrench],
    balance: Equilibrium,
    objective: Objective = "least_norm",
    targets: Array | None = None,
) -> Hold:
    """Return the Hold of a balance: margin first, then forces or a certificate.

    `targets` (C, 6) are preferred wrenches in contact axes, nan where nothing is asked.
    """
    chosen = "preferred" if targets is not None else objective
    asked: Any = (contacts, q, external, balance, SOLVER, chosen)
    found = balance.margin()
    margin, forces = found.value, None
    edge = EDGE * balance.weight
    if not margin < -edge:
        forces = admissible_forces(balance, objective, margin, targets)
        # a problem both infeasible and unbounded may be called either: without forces no pull helps
        margin = -np.inf if margin == np.inf and forces is None else margin
    if margin > edge and forces is not None:
        return Hold(True, "feasible", margin, forces, None, *asked)
    if not margin >= -edge:  # also where it is nan
        y = certificate(balance, found.velocity)
        if y is not None:
            return Hold(False, "infeasible", margin, None, y, *asked)
    if not abs(margin) <= edge and (margin > edge or not falling_motion(balance).value <= edge):
        return Hold(None, "unsolved", margin, None, None, *asked)
    return Hold(None, "at the edge", margin, forces, None, *asked)


def admissible_forces(
    balance: Equilibrium,
    objective: Objective = "least_norm",
    margin: float = 0.0,
    targets: Array | None = None,
) -> Array | None:
    """Return the objective's unknowns x (n,), or None unless they check out."""
    for x in candidates(balance, objective, margin, targets):
        polished = balance.polished(x)
        if _checks_out(balance, polished):
            return polished
    return None


def _checks_out(balance: Equilibrium, x: Array) -> bool:
    tolerance = EDGE * balance.weight
    excess = np.abs(balance.torques(x)) - balance.torque_limits
    ok = balance.residual(x) <= 1e-3 * tolerance and balance.limits.violation(x) <= tolerance
    return bool(ok and excess.max(initial=0.0) <= tolerance)
