"""Constrained forward dynamics: contacts that hold, by Gauss's principle of least constraint.

    M a + vᵀCv = Sᵀτ + τ_g + Jᵀf + τ_ext,        J v = s,        J a + J̇v = ṡ

with s the velocity of the surfaces that are touched and ṡ its rate (zero where they rest). Of all
accelerations that the contacts allow, the robot takes the one nearest to that of the free robot in
the metric of M. A robot with closures moves as they allow, with contacts and free of them: their
J_cᵀλ and J_c a + J̇_c v = 0 join the equations. The contacts hold both ways here (they pull if they
must): whether f is in the friction cones is for the caller to ask, and
`frictional_forward_dynamics` is for those that slip or break.

C. F. Gauss, "Über ein neues allgemeines Grundgesetz der Mechanik" (1829); F. Udwadia, R. Kalaba, "A
new perspective on constrained motion" (1992); J. Baumgarte, "Stabilization of constraints and
integrals of motion in dynamical systems" (1972).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array
from ...dynamics import State, Wrench, closures
from ...dynamics.projection import Projection
from ...errors import ContactError, ModelError
from ...options import names_checked
from ...reprs import shapes
from ...robots import Robot
from ...robots.configuration import check_torques
from ...robots.values import number
from ..contact_set import Contacts, ContactSet
from .stacked import projection_of


@dataclass(frozen=True, eq=False, repr=False)
class ConstrainedMotion:
    """How a robot accelerates under contacts that hold.

    Attributes:
        a: (nv,), acceleration.
        f: (dim,), of the environment on the robot, in the rows of J: forces of points, wrenches
            [force; moment] of patches at their centres, world axes; the least-norm one.
        rank: number of independent constraints, besides the closures; below dim the contacts are
            redundant: then a is unique all the same, and f is not.
        residual: largest entry of J a + J̇v − ṡ − stabilisation, of the closures' rows too [m/s²,
            rad/s²].
        free: (nv,), the acceleration without contacts.
        constraint: ½ (a − free)ᵀ M (a − free), what Gauss minimises.
        contacts: in the order of the rows.
        closure_forces: {closure: λ (dim,)}, in the rows of J_c, least-norm where they are redundant
            [N, N·m].
    """

    a: Array
    f: Array
    rank: int
    residual: float
    free: Array
    constraint: float
    contacts: ContactSet
    closure_forces: dict[str, Array]

    __repr__ = shapes

    @property
    def redundant(self) -> bool:
        """Whether some rows follow from the others, so that f is one of many."""
        return self.rank < self.contacts.dim


@names_checked
def constrained_forward_dynamics(
    robot: Robot,
    q: ArrayLike | State,
    v: ArrayLike | None,
    tau: ArrayLike,
    contacts: Contacts,
    wrenches: Mapping[str, Wrench] | None = None,
    *,
    kp: float = 0.0,
    kd: float = 0.0,
    targets: Mapping[str, Any] | None = None,
    tolerance: float = 1e-8,
) -> tuple[Array, Array]:
    """Return (a, f): acceleration (nv,) and contact forces (dim,) when the contacts hold.

        minimise ½ (a − a_free)ᵀ M (a − a_free)   subject to   J a + J̇v = ṡ

    f is of the environment on the robot, in the rows of J (world axes, linear before angular),
    least-norm if the contacts are redundant. `constrained_motion` explains arguments and errors,
    and says more about the answer: rank, residual, what Gauss minimises.
    """
    motion = constrained_motion(
        robot, q, v, tau, contacts, wrenches, kp=kp, kd=kd, targets=targets, tolerance=tolerance
    )
    return motion.a, motion.f


@names_checked
def constrained_motion(
    robot: Robot,
    q: ArrayLike | State,
    v: ArrayLike | None,
    tau: ArrayLike,
    contacts: Contacts,
    wrenches: Mapping[str, Wrench] | None = None,
    *,
    kp: float = 0.0,
    kd: float = 0.0,
    targets: Mapping[str, Any] | None = None,
    tolerance: float = 1e-8,
) -> ConstrainedMotion:
    """Return the motion of a robot whose contacts hold, with its forces, rank and residual.

        J a + J̇v = ṡ − kd (J v − s) − kp e        e = contacts.error(q, targets), or zero

    Closures are stabilised alike, by J_c v and their own error.

    Args:
        robot: floating or fixed base, with or without passive joints.
        q: configuration (nq,), or a State of this robot.
        v: velocity (nv,), None for that of the State; nothing asks whether J v = s.
        tau: actuated torques (na,).
        contacts: a ContactSet of this robot, or any contacts.
        wrenches: {link: Wrench} of the environment on the robot, besides the contacts.
        kp: Baumgarte's gain on places [1/s²]; needs targets.
        kd: Baumgarte's gain on velocities [1/s]; 2 √kp is critical.
        targets: {contact: T_world_target, or position of a point}.
        tolerance: up to which residual the contacts count as kept, as a share of the largest
            acceleration at hand (at least 1 m/s²); 1 % of what Baumgarte's gains ask comes on top.

    Raises:
        ConfigurationError: a bad q, v or τ; a q in which closures are open.
        ContactError: the contacts contradict each other: no acceleration keeps them all (two
            points of one link that turns cannot both stay where they are); bad gains.
        ModelError: the mass matrix is singular, or the velocity or the forces are too large.
    """
    contact_set, state = ContactSet.of(robot, contacts), State.of(robot, q, v)
    tolerance = number(tolerance, "tolerance", at_least=0, error=ContactError)
    projection, drift = projection_of(contact_set, state), _drift(contact_set, state)
    pulls = _stabilisation(contact_set, projection.J, state, (kp, kd), targets)
    closing = _closing(state, kp, kd)
    free = _free_acceleration(projection, state, tau, wrenches, closing)
    target = -drift
    if pulls is not None:  # places may contradict each other a little: what rows can follow
        target = target - projection.in_range(pulls.sum(axis=0))
    a, f = projection.nearest(free, target)
    residual = projection.J @ a - target
    if closing is not None:
        residual = np.append(residual, state.closure_jacobian @ a - closing)
    largest = max(1.0, _largest(drift), _largest(projection.J @ free))
    # what is on its way back has some speed, so redundant rows differ by squares of it
    pulled = 0.0 if pulls is None else _largest(pulls)
    _require_kept(contact_set, residual, tolerance * largest + 0.01 * pulled)
    y = projection.L.T @ (a - free)
    constraint, inner = float(0.5 * y @ y), {}
    if closing is not None:
        given = contact_set.jacobian(state).T @ f + np.asarray(tau) @ robot.selection_matrix
        inner = closures.forces(state, state.inverse_dynamics(a, wrenches) - given)
    rank, worst = projection.rank, _largest(residual)
    return ConstrainedMotion(a, f, rank, worst, free, constraint, contact_set, inner)


def constraint_rank(robot: Robot, q: ArrayLike | State, contacts: Contacts) -> int:
    """Return how many of the contacts' rows are independent; fewer than dim: redundant.

    Of each other, and of the rows of the robot's closures.

    Raises:
        ConfigurationError: a bad q, or one in which closures are open.
        ModelError: the mass matrix is singular.
    """
    return projection_of(ContactSet.of(robot, contacts), q).rank


def _free_acceleration(
    projection: Projection,
    state: State,
    tau: ArrayLike,
    wrenches: Mapping[str, Wrench] | None,
    closing: Array | None,
) -> Array:
    """M⁻¹ (Sᵀτ + τ_ext − b) (nv,), or what is nearest to it with J_c a = `closing` (m,)."""
    robot = state.robot
    forces = robot.selection_matrix.T @ check_torques(robot, tau) - state.bias
    if wrenches:
        forces = forces + state.external_torques(wrenches)
    free = projection.free(forces)
    if not np.isfinite(free).all():
        raise ModelError(f"{robot.name!r}: v, tau or the wrenches are too large for finite numbers")
    return free if closing is None else state.closure_projection.nearest(free, closing)[0]


def _closing(state: State, kp: float, kd: float) -> Array | None:
    """J_c a (m,) that keeps the closures and brings them back, −J̇_c v − kd J_c v − kp e."""
    if not state.robot.closures:
        return None
    pull = kd * state.closure_jacobian @ state.velocity + kp * state.closure_error
    return -state.closure_drift - state.closure_projection.in_range(pull)


def _drift(contacts: ContactSet, state: State) -> Array:
    """J̇v − ṡ (dim,), how contacts would leave their surfaces if a were zero."""
    drift = contacts.drift(state)
    return drift - contacts.surface_acceleration(state) if contacts.moving else drift


def _stabilisation(
    contacts: ContactSet,
    J: Array,
    state: State,
    gains: tuple[float, float],
    targets: Mapping[str, Any] | None,
) -> Array | None:
    """kd (J v − s) and kp e (2, dim); None without gains."""
    kp, kd = gains
    for name, gain in (("kp", kp), ("kd", kd)):
        number(gain, name, at_least=0, error=ContactError)
    if (targets is None) != (kp == 0):
        raise ContactError(
            f"got kp={kp} and targets={'None' if targets is None else 'given'}; expected both or "
            "neither: kp pulls the contacts to their targets"
        )
    if not (kp or kd):
        return None
    error = np.zeros(len(J)) if targets is None else contacts.error(state, targets)
    slip = J @ state.velocity - contacts.surface_velocity(state)
    return np.stack([kd * slip, kp * error])


def _require_kept(contacts: ContactSet, residual: Array, allowed: float) -> None:
    """Refuse an answer that does not keep the contacts."""
    if _largest(residual) <= allowed:
        return
    worst = {name: _largest(residual[contacts.rows(name)]) for name in contacts.names}
    if len(left := residual[contacts.dim :]):
        name, by = contacts.robot._closure_rows.worst(left)
        worst[f"closure {name}"] = by
    named = ", ".join(f"{name!r} by {r:.3g}" for name, r in worst.items() if r > allowed)
    raise ContactError(
        f"the contacts contradict each other: no acceleration gives J a + J̇v = ṡ; the nearest one "
        f"misses {named} [m/s², rad/s²]. Expected contacts that can all stay where they are at "
        "this v (J v = s, the surface's velocity, 0 at rest, where they are redundant)"
    )


def _largest(rows: Array) -> float:
    return float(np.abs(rows).max(initial=0.0))
