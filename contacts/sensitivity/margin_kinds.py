"""Saddle points of the margin, the push margin and the friction margin.

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

from ...dynamics import State
from ...errors import ContactError
from ..contact_set import ContactSet
from ..equilibrium.programs import Equilibrium
from ..equilibrium.saddle import BlockProgram, Saddle, solve_saddle
from ..geometry.planar import FARTHEST, PlanarSet, nearest_side
from .balance_derivative import local_wrenches

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Optimum:
    """A margin with what its slopes need.

    Attributes:
        value: the margin [N], or the factor of the friction margin.
        unit: of the value: the weight [N], or 1.
        wrenches: (C, 6), what the contacts give at the optimum, in contact axes.
        velocity: c y = dvalue/dh (nv,).
        friction: (K, 2), dvalue/dμ of each point along both tangents.
        push: (2,), the horizontal force at the centre of mass that is part of ε N.
    """

    value: float
    unit: float
    wrenches: Array
    velocity: Array
    friction: Array
    push: Array | None = None


def of_margin(contacts: ContactSet, state: State, balance: Equilibrium) -> Optimum:
    """Return the margin: `Hold.margin`."""
    found = solve_saddle(balance)
    wrenches = local_wrenches(contacts, found.unknowns, found.margin)
    return Optimum(found.margin, balance.weight, wrenches, found.velocity, found.friction)


def of_push(contacts: ContactSet, state: State, balance: Equilibrium) -> Optimum:
    """Return the push margin, `Hold.push_margin`, to rounding.

    Its direction is where the reach ρ of pushes is least: dρ/dφ = ρ yᵀ J_comᵀ d⊥ = 0.
    """
    J, weight = state.com_jacobian[:2], balance.weight
    radius, normal = nearest_side(_pushes(balance, J), 1e-6 * weight)
    if not 0 < radius < 0.99 * FARTHEST * weight:
        raise ContactError(f"hold: got a push margin of {radius:.3g} N, which has no slope")

    def pushed(angle: float) -> tuple[Saddle, Array, float]:
        d, across = _unit(angle), _unit(angle + np.pi / 2)
        found = solve_saddle(balance, J.T @ d)
        return found, d, float(found.margin * found.velocity @ J.T @ across)

    found, d, _ = pushed(_least(lambda t: pushed(t)[2], float(np.arctan2(normal[1], normal[0]))))
    wrenches = local_wrenches(contacts, found.unknowns, 0.0)
    push = found.margin * d
    return Optimum(found.margin, weight, wrenches, found.velocity, found.friction, push)


def _pushes(balance: Equilibrium, J: Array) -> PlanarSet:
    """The horizontal pushes (2,) at the centre of mass that can be held."""
    exact = balance.planar_set(J.T, reach=FARTHEST * balance.weight)
    program = BlockProgram.of(balance, J.T, np.zeros((len(balance.limits.presses), 2)))
    if program is None:
        return exact

    def farthest(direction: Array) -> Array | None:
        found = program.solve(direction)
        return exact(direction) if found is None else found[1]

    return farthest


def of_friction(contacts: ContactSet, state: State, balance: Equilibrium) -> Optimum:
    """Return the friction margin, `Hold.friction_margin`, to rounding: Newton's method on ε(s)."""
    if balance.limits.has_torsion:
        raise ContactError(
            "hold: got contacts with torsional friction, for which slopes of the friction margin "
            "are not worked out"
        )
    near = balance.shrink_factor(1e-4)
    if not 0 < near < np.inf:
        raise ContactError(f"hold: got a friction margin of {near}, which has no slope")
    s, found, slope = _root(balance, near)
    factor, rows = -1.0 / slope, balance.limits.shrunk(s).wrench_rows
    wrenches = local_wrenches(contacts, found.unknowns, found.margin, rows)
    return Optimum(s, 1.0, wrenches, factor * found.velocity, factor * found.friction / s)


_NEWTON_STEPS = 20
_ROOT = 2e-11  # of the weight: what the saddle point is known to


def _root(balance: Equilibrium, s: float) -> tuple[float, Saddle, float]:
    """Return s with ε(s) = 0, the saddle point there and dε/ds, by Newton's method from a guess.

    Raises:
        ContactError: an infinite margin on the way, or no root in reach.
    """
    for _ in range(_NEWTON_STEPS):
        found = solve_saddle(balance.shrunk(s))
        slope = _slope_of_shrinking(balance, found, s)
        if abs(found.margin) <= _ROOT * balance.weight:
            return s, found, slope
        step = found.margin / slope if slope < 0 else -np.inf if found.margin > 0 else np.inf
        s = min(max(s - step, s / 3), 3 * s)  # at most threefold at once: ε is curved
    if abs(found.margin) <= 1e-9 * balance.weight:
        return s, found, slope
    raise ContactError(f"hold: no friction margin found near {s:.3g}")


def _slope_of_shrinking(balance: Equilibrium, found: Saddle, s: float) -> float:
    """dε/ds with friction μ/s and the arms of patches, (grasp − central)/s, getting smaller."""
    by_friction = -(found.friction * (balance.limits.friction / s**2)).sum()
    arms = (balance.grasp - balance.central) / s**2
    f = balance.limits.forces(found.unknowns).ravel()
    return float(by_friction - found.velocity @ arms @ f)


KINDS: dict[str, Callable[[ContactSet, State, Equilibrium], Optimum]] = {
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
