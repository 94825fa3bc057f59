"""Saddle points of the margin, the push margin and the friction margin.

Each is the largest ε of a program A x + ε N + h = 0, or the root of one, so that its slope along
any parameter p follows from one saddle point, as c yᵀ ∂(h + A x + ε N)/∂p with a factor c:

    margin           N: a newton of normal force at every contact's centre,  c = 1
    push margin      N = J_comᵀ d: a newton of push in the direction d that is held least, c = 1
    friction margin  ε(s) = 0 with friction and patches s times smaller:  c = −1/(∂ε/∂s)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Array
from ...dynamics import State
from ...errors import ContactError
from ..equilibrium.margins import Shrinking, largest_push
from ..equilibrium.programs import Equilibrium
from ..equilibrium.saddle import Saddle, saddle_point

_STEPS = 20  # of Newton's and of the secant method
_ROOT = 2e-11  # of the weight: accuracy of the saddle point's margin
_STILL = 1e-9  # of the direction of a push [rad]


@dataclass(frozen=True, eq=False)
class Optimum:
    """A margin with what its slopes need.

    Attributes:
        value: the margin [N], or the factor of the friction margin.
        unit: of the value: the weight [N], or 1.
        wrenches: (C, 6), what the contacts give at the optimum, in contact axes.
        velocity: c y = dvalue/dh (nv,).
        friction: (K, 2), dvalue/dμ of each point along both tangents.
        inner: (nv,), what closures of the robot give.
        push: (2,), the horizontal force at the centre of mass that is part of ε N.
    """

    value: float
    unit: float
    wrenches: Array
    velocity: Array
    friction: Array
    inner: Array
    push: Array | None = None


def _optimum(
    balance: Equilibrium, found: Saddle, epsilon: float, push: Array | None = None
) -> Optimum:
    """The optimum at a saddle point; normal forces of `epsilon` act besides its own [N]."""
    wrenches = balance.limits.wrenches(found.unknowns, epsilon)
    friction, inner = found.friction(balance.limits), balance.inner(found.unknowns)
    unit, y = balance.weight, found.velocity
    return Optimum(found.margin, unit, wrenches, y, friction, inner, push)


def of_margin(state: State, balance: Equilibrium, known: Saddle | None = None) -> Optimum:
    """Return the margin: `Hold.margin`. `known` is its saddle point, here and below."""
    found = saddle_point(balance) if known is None else known
    return _optimum(balance, found, found.margin)


def of_push(state: State, balance: Equilibrium, known: Saddle | None = None) -> Optimum:
    """Return the push margin, `Hold.push_margin`, to rounding.

    Its direction is the normal of what pushes can be held, where a ray along it ends: there the
    reach ρ of pushes is least, dρ/dφ = ρ yᵀJ_comᵀd⊥ = 0, a root of the secant method.
    """
    J = state.com_jacobian[:2]
    radius, normal = largest_push(balance, J, 1e-6)
    if not 0 < radius < np.inf:
        size = "zero" if radius <= 0 else "more than a thousand times the weight"
        raise ContactError(f"hold: got a push margin of {size}, which has no slope")
    angle, before, near = float(np.arctan2(normal[1], normal[0])), None, None
    for _ in range(_STEPS):
        d = np.array([np.cos(angle), np.sin(angle)])
        found = saddle_point(balance, J.T @ d, near)
        near = found.multipliers
        x, y = -(J @ found.velocity)
        tilt = float(np.arctan2(d[0] * y - d[1] * x, d[0] * x + d[1] * y))
        if abs(tilt) <= _STILL or before == (angle, tilt):
            break
        # first to the normal, then where the tilt's chord is zero
        rate = -1.0 if before is None else (tilt - before[1]) / (angle - before[0])
        before, angle = (angle, tilt), angle - tilt / rate if rate < 0 else angle + tilt
    return _optimum(balance, found, 0.0, found.margin * d)


def of_friction(state: State, balance: Equilibrium, known: Saddle | None = None) -> Optimum:
    """Return the friction margin, `Hold.friction_margin`, to rounding: Newton's method on ε(s)."""
    shrinking = Shrinking(balance)
    largest, s, near = shrinking.root(1e-4, known)
    if not 0 < largest < np.inf:
        size = "zero" if largest <= 0 else "without bound"
        raise ContactError(f"hold: got a friction margin {size}, which has no slope")
    found = shrinking.exact_saddle(s) if near is None else near
    for _ in range(_STEPS):
        slope = shrinking.slope(found, s) / s
        if not slope < 0:
            break
        s = min(max(s - found.margin / slope, s / 3), 3 * s)  # at most threefold: ε is curved
        found = shrinking.exact_saddle(s, found.multipliers)
        if abs(found.margin) <= _ROOT * balance.weight:
            break
    slope = shrinking.slope(found, s) / s
    if not abs(found.margin) <= 1e-9 * balance.weight:
        raise ContactError(f"hold: no friction margin found near {s:.3g}")
    factor, there = -1.0 / slope, _optimum(balance.shrunk(s), found, found.margin)
    velocity, friction = factor * there.velocity, factor / s * there.friction
    return replace(there, value=s, unit=1.0, velocity=velocity, friction=friction)


KINDS: dict[str, Callable[..., Optimum]] = {
    "margin": of_margin,
    "push": of_push,
    "friction": of_friction,
}
