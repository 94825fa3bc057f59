"""Integrators on the manifold: one step of (q, v) under a law a(t, q, v).

q is never added to: a step leaves q by ⊕, in the chart δ of tangent vectors at its start, q(t) =
q₀ ⊕ δ(t). There δ̇ = D(δ) v, with D = ∂(q ⊖ q₀)/∂q, is 1 for robots with coordinate velocities and
the inverse of the exponential's Jacobian for a floating base. The chart is one-to-one for rotations
of less than π only: a step that turns a base or a ball joint further than `WIDEST` is taken in
halves, each in the chart at its own start.

    explicit_euler        q⁺ = q ⊕ h v, v⁺ = v + h a(t, q, v)            order 1, gains energy
    semi_implicit_euler   v⁺ = v + h a(t, q, v), q⁺ = q ⊕ h v⁺           order 1, energy stays near
    rk4                   the classical one, in the chart                order 4
    implicit_midpoint     v⁺ = v + h a(middle), q⁺ = q ⊕ h (v + v⁺)/2    order 2, energy stays near
    dop853                adaptive, in the chart                         order 8, tolerance 1e-12

Sources: E. Hairer, S. Nørsett, G. Wanner, "Solving ordinary differential equations I" (1993);
E. Hairer, C. Lubich, G. Wanner, "Geometric numerical integration" (2006); H. Munthe-Kaas, "High
order Runge-Kutta methods on manifolds" (1999).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from types import MappingProxyType

import numpy as np
import pinocchio as pin
import scipy

from ..arrays import Array
from ..errors import SolverError
from ..robots.configuration import rows_v
from ..robots.robot import Robot
from ..robots.values import one_of
from .coriolis import structure_constants
from .per_robot import per_robot

Law = Callable[[float, Array, Array], Array]  # (t, q, v) -> a (nv,)
State = tuple[Array, Array]
Step = Callable[[Robot, Law, float, Array, Array, float], State]

TOLERANCE = 1e-12  # of dop853, relative and absolute
WIDEST = 1.0  # rotation from the middle of a chart [rad]: far from π, and rk4 is accurate up to it
SHORTEST = 1e-15  # step [s] below which no motion is followed


class _BeyondChart(Exception):
    """A rotation of more than `WIDEST` in a chart."""


def in_charts(step: Step) -> Step:
    """Return a step that is taken in halves where one chart is too small for it.

    Raises:
        SolverError: no step is short enough.
    """

    @wraps(step)
    def halved(robot: Robot, law: Law, t: float, q: Array, v: Array, h: float) -> State:
        try:
            return step(robot, law, t, q, v, h)
        except _BeyondChart:
            if h < SHORTEST:
                raise SolverError(f"the motion at t = {t:.6g} s is too fast for any step") from None
        q, v = halved(robot, law, t, q, v, h / 2)
        return halved(robot, law, t + h / 2, q, v, h / 2)

    return halved


def explicit_euler(robot: Robot, law: Law, t: float, q: Array, v: Array, h: float) -> State:
    """q⁺ = q ⊕ h v, v⁺ = v + h a(t, q, v). For comparison: it gains energy."""
    return plus(robot, q, h * v), v + h * law(t, q, v)


def semi_implicit_euler(robot: Robot, law: Law, t: float, q: Array, v: Array, h: float) -> State:
    """v⁺ = v + h a(t, q, v), q⁺ = q ⊕ h v⁺."""
    v = v + h * law(t, q, v)
    return plus(robot, q, h * v), v


@in_charts
def rk4(robot: Robot, law: Law, t: float, q: Array, v: Array, h: float) -> State:
    """The classical Runge-Kutta method of order 4, in the chart at q."""

    def slope(s: float, delta: Array, w: Array) -> State:
        p, delta_rate = chart(robot, q, delta, w)
        return delta_rate, law(s, p, w)

    d1, a1 = slope(t, np.zeros_like(v), v)
    d2, a2 = slope(t + h / 2, h / 2 * d1, v + h / 2 * a1)
    d3, a3 = slope(t + h / 2, h / 2 * d2, v + h / 2 * a2)
    d4, a4 = slope(t + h, h * d3, v + h * a3)
    delta = h / 6 * (d1 + 2 * d2 + 2 * d3 + d4)
    return plus(robot, q, delta), v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)


def implicit_midpoint(robot: Robot, law: Law, t: float, q: Array, v: Array, h: float) -> State:
    """v⁺ = v + h a(t + h/2, q ⊕ h v̄/2, v̄), q⁺ = q ⊕ h v̄, with v̄ = (v + v⁺)/2.

    Raises:
        SolverError: the fixed-point iteration does not settle: the step is too long.
    """
    v_next = v + h * law(t, q, v)
    for _ in range(100):
        mean = 0.5 * (v + v_next)
        previous, v_next = v_next, v + h * law(t + h / 2, plus(robot, q, h / 2 * mean), mean)
        if np.abs(v_next - previous).max(initial=0) <= 1e-13 * (1 + np.abs(v).max(initial=0)):
            return plus(robot, q, 0.5 * h * (v + v_next)), v_next
    raise SolverError(
        f"implicit midpoint does not settle at t = {t:.6g} s; expected a step shorter than {h:g} s"
    )


@in_charts
def dop853(robot: Robot, law: Law, t: float, q: Array, v: Array, h: float) -> State:
    """From t to t + h by adaptive steps of order 8, rtol = atol = 1e-12, in the chart at q.

    Raises:
        SolverError: the motion is too fast for any step.
    """
    n = len(v)

    def slope(s: float, y: Array) -> Array:
        p, delta_rate = chart(robot, q, y[:n], y[n:])
        return np.concatenate([delta_rate, law(s, p, y[n:])])

    start = np.concatenate([np.zeros(n), v])
    solver = scipy.integrate.DOP853(
        slope, t, start, t + h, rtol=TOLERANCE, atol=TOLERANCE, first_step=h
    )
    while solver.status == "running":
        message = solver.step()
    if solver.status == "failed":
        raise SolverError(f"dop853 stopped at t = {solver.t:.6g} s: {message}")
    return plus(robot, q, solver.y[:n]), solver.y[n:].copy()


INTEGRATORS: Mapping[str, Step] = MappingProxyType(
    {f.__name__: f for f in (rk4, semi_implicit_euler, implicit_midpoint, dop853, explicit_euler)}
)


def integrator(name: str) -> Step:
    """Return the integrator of that name.

    Raises:
        ConfigurationError: there is no such integrator.
    """
    return INTEGRATORS[one_of(name, "integrator", INTEGRATORS)]


def plus(robot: Robot, q: Array, delta: Array) -> Array:
    """Return q ⊕ δ for values that were checked already."""
    return np.array(pin.integrate(robot._model, q, delta))


def chart(robot: Robot, q: Array, delta: Array, v: Array) -> State:
    """Return (q ⊕ δ, δ̇) of a robot that moves with v there."""
    p = plus(robot, q, delta)
    if _has_coordinate_velocities(robot):
        return p, v
    turned = (_rotations(robot) @ delta).reshape(-1, 3)
    if (turned * turned).sum(axis=1).max() > WIDEST**2:
        raise _BeyondChart
    return p, pin.dDifference(robot._model, q, p, pin.ARG1) @ v


@per_robot
def _has_coordinate_velocities(robot: Robot) -> bool:
    return not structure_constants(robot).any()


@per_robot
def _rotations(robot: Robot) -> Array:
    """Return R (3k, nv): R δ are the rotation vectors of joints that turn about no fixed axis."""
    data, rows = robot._model.createData(), []
    for joint, joint_data in zip(robot._model.joints, data.joints, strict=True):
        if 2 <= joint.nv <= 6:
            turning = np.zeros((3, robot.nv))
            turning[:, rows_v(joint)] = np.reshape(joint_data.S, (6, -1))[3:]
            rows.append(turning)
    return np.concatenate(rows)
