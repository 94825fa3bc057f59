"""What can be differentiated: the margin, the push margin and the friction margin.

Each is the largest ε of a program A x + ε N + h = 0, or the root of one, so that its slope along
any parameter p follows from one saddle point, as c yᵀ ∂(h + A x + ε N)/∂p with a factor c:

    margin           N: a newton of normal force at every contact's centre,  c = 1
    push margin      N = J_comᵀ d: a newton of push in the direction d that is held least, c = 1
    friction margin  ε(s) = 0 with friction and patches s times smaller:  c = −1/(∂ε/∂s)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ... import dynamics
from ...errors import ContactError
from ..contact_set import ContactSet
from ..equilibrium.programs import Equilibrium
from ..equilibrium.saddle import Saddle, solve_saddle
from ..geometry.planar import FARTHEST, nearest_side
from .force_derivatives import LocalWrench, local_wrenches

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Answer:
    """A margin with what its slopes need.

    Attributes:
        value: the margin [N], or the factor of the friction margin.
        unit: of the value: the weight [N], or 1.
        wrenches: {contact: what it gives at the optimum}, in contact axes.
        velocity: c y = dvalue/dh (nv,).
        friction: (K, 2), dvalue/dμ of each point along both tangents.
        change: (nv, nv), ∂(ε N)/∂q where N is not among the wrenches.
    """

    value: float
    unit: float
    wrenches: dict[str, LocalWrench]
    velocity: Array
    friction: Array
    change: Array


def of_margin(contacts: ContactSet, q: Array, balance: Equilibrium) -> Answer:
    """Return the margin: `Hold.margin`."""
    found = solve_saddle(balance)
    wrenches = local_wrenches(contacts, balance, found.unknowns, found.margin)
    nothing = np.zeros((len(found.velocity), len(found.velocity)))
    return Answer(found.margin, balance.weight, wrenches, found.velocity, found.friction, nothing)


def of_push(contacts: ContactSet, q: Array, balance: Equilibrium) -> Answer:
    """Return the push margin, `Hold.push_margin`, to rounding.

    Its direction is where the reach ρ of pushes is least: dρ/dφ = ρ yᵀ J_comᵀ d⊥ = 0.
    """
    J = dynamics.com_jacobian(contacts.robot, q)[:2]
    weight = balance.weight
    radius, normal = nearest_side(balance.planar_set(J.T, reach=FARTHEST * weight), 1e-6 * weight)
    if not 0 < radius < 0.99 * FARTHEST * weight:
        raise ContactError(f"hold: got a push margin of {radius:.3g} N, which has no slope")

    def pushed(angle: float) -> tuple[Saddle, Array, float]:
        d, across = _unit(angle), _unit(angle + np.pi / 2)
        found = solve_saddle(balance, J.T @ d)
        return found, d, float(found.margin * found.velocity @ J.T @ across)

    found, d, _ = pushed(_least(lambda t: pushed(t)[2], float(np.arctan2(normal[1], normal[0]))))
    H = dynamics.com_hessian(contacts.robot, q)[:2]
    change = found.margin * np.einsum("rjk,r->jk", H, d)
    wrenches = local_wrenches(contacts, balance, found.unknowns, 0.0)
    return Answer(found.margin, weight, wrenches, found.velocity, found.friction, change)


def of_friction(contacts: ContactSet, q: Array, balance: Equilibrium) -> Answer:
    """Return the friction margin, `Hold.friction_margin`, to rounding: Newton's method on ε(s)."""
    if balance.limits.has_torsion:
        raise ContactError(
            "hold: got contacts with torsional friction, for which slopes of the friction margin "
            "are not worked out"
        )
    s = balance.shrink_factor(1e-4)
    if not 0 < s < np.inf:
        raise ContactError(f"hold: got a friction margin of {s}, which has no slope")
    for _ in range(6):
        shrunk = balance.shrunk(s)
        found = solve_saddle(shrunk)
        # dε/ds: μ/s and (grasp − central)/s lessen
        by_friction = -(found.friction * (balance.limits.friction / s**2)).sum()
        arms = (balance.grasp - balance.central) / s**2
        f = balance.limits.forces(found.unknowns).ravel()
        slope = float(by_friction - found.velocity @ arms @ f)
        if abs(found.margin) <= 1e-12 * balance.weight:
            break
        s -= found.margin / slope
    factor = -1.0 / slope
    wrenches = local_wrenches(contacts, shrunk, found.unknowns, found.margin, s)
    nothing = np.zeros((len(found.velocity), len(found.velocity)))
    return Answer(s, 1.0, wrenches, factor * found.velocity, factor * found.friction / s, nothing)


KINDS: dict[str, Callable[[ContactSet, Array, Equilibrium], Answer]] = {
    "margin": of_margin,
    "push": of_push,
    "friction": of_friction,
}


def _unit(angle: float) -> Array:
    return np.array([np.cos(angle), np.sin(angle)])


def _least(slope: Callable[[float], float], near: float) -> float:
    """The angle near one at which a slope goes through zero; that one if none is near."""
    from scipy.optimize import brentq

    for width in (1e-3, 1e-2, 1e-1):
        if slope(near - width) < 0 < slope(near + width):
            return float(brentq(slope, near - width, near + width, xtol=1e-13, rtol=1e-14))
    return near
