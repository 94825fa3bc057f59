"""Objectives that select among all admissible contact forces: `objective=`, `preferred=`.

Each objective is a convex cost of x/weight over the admissible forces, minimised by a second-order
cone program. Where it leaves forces open, the least-norm ones of the best are taken.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array
from ...dynamics import Wrench
from ...errors import ContactError, unknown
from ...robots.values import array, mapping
from ..contact_set import ContactSet
from .programs import Equilibrium
from .solving import solve

Objective = Literal["least_norm", "largest_margin", "least_torque", "centred"]
Preferred = Mapping[str, "Wrench | ArrayLike"]

_SLACK = (1e-6, 1e-10)  # of the best cost, relative and absolute, that the least norm may use


def check_objective(objective: str, preferred: Preferred | None) -> None:
    """Raise `ContactError` for an objective that does not exist, or two at once."""
    if objective not in get_args(Objective):
        raise ContactError(unknown("objective", objective, get_args(Objective)))
    if preferred is not None:
        mapping(preferred, "preferred", kind="contact", error=ContactError)
    if preferred and objective != "least_norm":
        raise ContactError(
            f"preferred: got forces and objective={objective!r}, expected one of them: the forces "
            "nearest to the preferred ones are an objective of their own"
        )


def candidates(
    balance: Equilibrium, objective: Objective, margin: float, targets: Array | None = None
) -> list[Array]:
    """Return unknowns x (n,) that minimise the objective, the one to be preferred first.

    Args:
        balance: of what.
        objective: as for `static_hold`.
        margin: of the balance, for the forces that have it [N].
        targets: (C, 6), preferred wrenches in contact axes, nan where nothing is asked [N, N·m].
    """
    if objective == "least_norm" and targets is None:
        return _found(balance.least_norm().unknowns)
    import cvxpy as cp

    x = balance.variable()
    constraints = balance.admissible(x, balance.columns @ x)
    if objective == "largest_margin":
        extra = _keeps_margin(balance, x, margin)
        best = solve(cp.Problem(cp.Minimize(balance.norm(x)), constraints + extra), x)
        return _found(best.in_units(1.0, balance.weight).unknowns)
    cost = _distance(balance, x, targets) if targets is not None else _COSTS[objective](balance, x)
    best = solve(cp.Problem(cp.Minimize(cost), constraints), x)
    if best.unknowns is None:
        return []
    constraints.append(cost <= best.value * (1 + _SLACK[0]) + _SLACK[1])
    least = solve(cp.Problem(cp.Minimize(balance.norm(x)), constraints), x)
    return [y * balance.weight for y in (least.unknowns, best.unknowns) if y is not None]


def _found(x: Array | None) -> list[Array]:
    return [] if x is None else [x]


def _torques(balance: Equilibrium, x: Any) -> Any:
    """Σ τ², the least work for motors that all are alike."""
    import cvxpy as cp

    middle = balance.bounds.middle / balance.weight
    return cp.sum_squares(balance.scaled_torques(balance.columns @ x) + middle)


def _off_centre(balance: Equilibrium, x: Any) -> Any:
    """Σ_c F_c d_c², with d_c from the patch's centre to its ZMP: the moment there is F_c d_c.

    ‖m_t‖²/F is convex in both, so this is exact.
    """
    import cvxpy as cp

    limits = balance.limits
    rows = limits.wrench_rows[limits.several & ~limits.bilateral[limits.first]]
    return sum((cp.quad_over_lin(w[3:5] @ x, w[2] @ x) for w in rows), cp.Constant(0.0))


def _keeps_margin(balance: Equilibrium, x: Any, margin: float) -> list[Any]:
    """Every contact's wrench less ε of normal force at its centre is admissible, for ε = margin.

    Where squeezing makes the margin unbounded, ε is the robot's weight.
    """

    epsilon = (1 - 1e-7) * min(margin / balance.weight, 1.0 if np.isinf(margin) else np.inf)
    rest, rows = balance.variable(), balance.limits.wrench_rows
    loss = np.zeros((len(rows), 6))
    loss[:, 2] = epsilon * balance.limits.pulls
    flat = rows.reshape(-1, rows.shape[2])
    return [flat @ x == flat @ rest + loss.ravel(), *balance.scaled_limits.constraints(rest)]


def _distance(balance: Equilibrium, x: Any, targets: Array) -> Any:
    """Σ ‖w_c − w*_c‖², moments counting by the force that gives them at the patch's rim."""
    import cvxpy as cp

    limits = balance.limits
    reach = np.linalg.norm(limits.arms, axis=1)
    sizes = np.maximum.reduceat(reach, limits.first) if len(reach) else reach
    units = np.repeat([[1.0] * 3 + [0.0] * 3], len(sizes), axis=0)
    units[:, 3:] = 1 / np.where(sizes > 0, sizes, np.inf)[:, None]
    units[limits.soft, 5] = 1 / limits.torsion[limits.soft]
    given = np.isfinite(targets)
    scale, rows = units[given], limits.wrench_rows[given]
    wanted = targets[given] / balance.weight
    return cp.sum_squares(cp.multiply(scale, rows @ x - wanted))


_COSTS = {"least_torque": _torques, "centred": _off_centre}


def preferred_wrenches(contacts: ContactSet, q: Array, preferred: Preferred | None) -> Array | None:
    """Return `preferred` as wrenches (C, 6) in contact axes at the centres, nan where not given.

    Raises:
        ContactError: names of no contact, or values that are no force, wrench or Wrench; a moment
            asked of a hard point.
    """
    if not preferred:
        return None
    targets = np.full((len(contacts), 6), np.nan)
    for name, value in preferred.items():
        contact = contacts[name]
        T = contact.pose(contacts.robot, q)
        w = _as_vector(name, value, np.array(T.translation))
        if len(w) == 6 and contact.dim == 3:
            raise ContactError(
                f"preferred[{name!r}]: got a wrench, expected a force (3,): a hard point transmits "
                "no moment"
            )
        blocks = [T.rotation.T @ block for block in w.reshape(-1, 3)]
        targets[contacts.names.index(name), : len(w)] = np.concatenate(blocks)
    return targets


def _as_vector(name: str, value: Any, centre: Array) -> Array:
    """A force (3,) or wrench (6,) at the contact's centre, world axes."""
    if isinstance(value, Wrench):
        if value.axes != "world":
            raise ContactError(f"preferred[{name!r}]: got axes {value.axes!r}, expected 'world'")
        return np.array((value if value.point is None else value.at(centre)).vector)
    meaning = "a force, [force; moment at the contact's centre], or a Wrench, world axes"
    return array(value, f"preferred[{name!r}]", (3,), (6,), meaning=meaning, error=ContactError)
