"""static_hold and contact_forces: can these contacts hold the robot, and with which forces?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..dynamics import Wrench
from ..robots import Robot
from . import reasons
from .balance import load
from .certificate import EDGE, certificate
from .contact import Contact
from .contact_set import ContactSet
from .equilibrium import Equilibrium
from .hold import Hold
from .limits import torque_limits_of
from .solving import SOLVER

Array = NDArray[np.float64]


def static_hold(
    robot: Robot,
    q: ArrayLike,
    contacts: ContactSet | Contact | Iterable[Contact],
    wrenches: Mapping[str, Wrench] | None = None,
    torque_limits: bool | ArrayLike = True,
) -> Hold:
    """Decide whether contacts can hold the robot still, by how much, with which forces and torques.

        Sᵀτ + τ_g(q) + Σ_k J_kᵀ f_k + τ_ext = 0,   ‖f_t‖ ≤ μ f_n at every vertex,   |τ| ≤ limits

    The cones are exact (second-order cones). The answer is decided by the margin, the largest ε
    such that every contact wrench stays in its cone after ε of normal force is taken away at its
    centre; the forces are the least-norm ones.

    Args:
        robot: floating or fixed base, with or without passive joints.
        q: configuration (nq,).
        contacts: a ContactSet of this robot, or any contacts.
        wrenches: {link: Wrench} of the environment on the robot, besides the contacts.
        torque_limits: True takes those of the description (where it gives none or zero, the joint
            is unlimited, and a warning says so once), False none, an array (na,) those [N·m or N].

    Returns:
        Hold, whose `feasible` is True, False, or None at the edge.

    Raises:
        ConfigurationError, ContactError: invalid input. A solver never raises.
    """
    zero = np.zeros(robot.nv)
    return contact_forces(robot, q, zero, zero, contacts, wrenches, torque_limits)


def contact_forces(
    robot: Robot,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    contacts: ContactSet | Contact | Iterable[Contact],
    wrenches: Mapping[str, Wrench] | None = None,
    torque_limits: bool | ArrayLike = True,
) -> Hold:
    """Decide whether contacts can give the robot the acceleration a in the state (q, v), and how.

        M a + vᵀCv = Sᵀτ + τ_g + Σ_k J_kᵀ f_k + τ_ext

    Arguments and answer as in `static_hold`, with v and a (nv,). That J a + vᵀHv = 0 is the
    caller's to see to: nothing here asks whether the contacts stay where they are.
    """
    contact_set = ContactSet.of(robot, contacts)
    limits = torque_limits_of(robot, torque_limits)
    balance = Equilibrium.of(contact_set, q, load(robot, q, v, a, wrenches), limits)
    return decide(contact_set, np.array(q, dtype=float), dict(wrenches or {}), balance)


def decide(
    contacts: ContactSet, q: Array, external: Mapping[str, Wrench], balance: Equilibrium
) -> Hold:
    """Return the Hold of a balance: margin first, then forces or a certificate."""
    asked: Any = (contacts, q, external, balance, SOLVER)
    margin, forces = _margin_and_forces(balance)
    edge = EDGE * balance.weight
    if margin > edge and forces is not None:
        return Hold(True, "feasible", margin, forces, None, "", *asked)
    if margin < -edge and (y := certificate(balance)) is not None:
        reason = reasons.why_not(contacts, q, balance, y)
        return Hold(False, "infeasible", margin, None, y, reason, *asked)
    if margin > edge or np.isnan(margin):
        reason = "unsolved: the solver found neither forces nor a certificate that check out"
        return Hold(None, "unsolved", margin, None, None, reason, *asked)
    reason = (
        f"at the edge: within {edge:.1e} N of what the contacts can hold, where rounding decides; "
        f"move, push or tilt a little and ask again"
    )
    return Hold(None, "at the edge", margin, forces, None, reason, *asked)


def _margin_and_forces(balance: Equilibrium) -> tuple[float, Array | None]:
    """Return the margin [N], and the admissible forces if there are any.

    A solver that meets a problem both infeasible and unbounded may call it either: without forces
    it was infeasible, so that no pull helps.
    """
    margin = balance.margin().value
    forces = admissible_forces(balance) if not margin < -EDGE * balance.weight else None
    return (-np.inf if margin == np.inf and forces is None else margin), forces


def admissible_forces(balance: Equilibrium) -> Array | None:
    """Return the least-norm unknowns x (n,), or None unless they check out."""
    unknowns = balance.least_norm().unknowns
    if unknowns is None:
        return None
    x = balance.polished(unknowns)
    tolerance = EDGE * balance.weight
    excess = np.abs(balance.torques(x)) - balance.limits
    ok = balance.residual(x) <= 1e-3 * tolerance and balance.violation(x) <= tolerance
    return x if ok and excess.max(initial=0.0) <= tolerance else None
