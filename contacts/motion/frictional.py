"""Time stepping with dry friction: contacts that stick, slip or break.

    M (v⁺ − v) = h (Sᵀτ + τ_g + τ_ext − vᵀCv) + Σ_k J_kᵀ λ_k,     K ∋ λ_k ⟂ u_k + ‖μ u_t,k‖ n ∈ K*

with u_k = J_k v⁺ − s_k the velocity of the k-th point on its surface after the step (s_k that of a
surface that moves) and λ_k its impulse. Written for
velocities and impulses, the same step holds for what is at rest, what slides and what hits the
ground (without bouncing). Closures hold after every step, J_c(q) v⁺ = 0, by impulses J_cᵀΛ_c
without bounds.

J. J. Moreau, "Unilateral contact and dry friction in finite freedom dynamics" (1988); V. Acary,
F. Cadoux, "Applications of an existence result for the Coulomb friction problem" (2013).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...arrays import Array
from ...dynamics import State, Wrench, closures
from ...dynamics.projection import cholesky, solve_mass
from ...errors import ContactError, SolverError
from ...options import names_checked
from ...robots import Robot
from ...robots.values import array, mapping, number, whole_number
from ..contact_set import Contacts, ContactSet
from ..point_forces import PointForces
from .coulomb import CoulombProblem, states


@dataclass(frozen=True)
class FrictionResiduals:
    """How far a step is from the laws it was made from: all vanish for a right one.

    Attributes:
        momentum: largest entry of M (v⁺ − v) − h (…) − Jᵀλ, less J_cᵀΛ_c for the best Λ_c of the
            robot's closures [N·s, N·m·s].
        cone: how far any point's impulse is outside its cone, ‖λ_t‖ − μ λ_n or −λ_n [N·s].
        approach: largest velocity into the ground, −u_n [m/s].
        work: largest |λ·(u + μ ‖u_t‖ n)| [J]: zero when what leaves has no impulse, and friction
            takes out all the power it can (maximum dissipation).
    """

    momentum: float
    cone: float
    approach: float
    work: float


@dataclass(frozen=True, eq=False, repr=False)
class FrictionalMotion:
    """One time step with dry friction.

    Attributes:
        v: (nv,), velocity after the step.
        a: (nv,), (v⁺ − v)/h.
        impulses: {contact: (k, 3)}, of the environment on the robot, at the contact's points, world
            axes [N·s]; divided by h, mean forces.
        states: {contact: k times "stick", "slip" or "break"}, of each point after the step.
        residuals: what anyone can check.
        residual: the largest of the contact laws' in units of the robot's mass and of the largest
            speed that its points would have had [-].
        converged: whether `residual` is within the tolerance.
        iterations: cone programs solved.
        contacts, q, step: what was asked.
    """

    v: Array
    a: Array
    impulses: dict[str, Array]
    states: dict[str, tuple[str, ...]]
    residuals: FrictionResiduals
    residual: float
    converged: bool
    iterations: int
    contacts: ContactSet
    q: Array
    step: float

    @cached_property
    def f(self) -> Array:
        """(dim,), mean forces and wrenches over the step, in the rows of J (world axes)."""
        state = State(self.contacts.robot, self.q)
        rows = [
            contact.grasp(state) @ self.impulses[contact.name].ravel() / self.step
            for contact in self.contacts
        ]
        return np.concatenate(rows) if rows else np.zeros(0)

    def __repr__(self) -> str:
        return f"FrictionalMotion(converged={self.converged}, states={self.states})"


@names_checked
def frictional_forward_dynamics(
    robot: Robot,
    q: ArrayLike | State,
    v: ArrayLike | None,
    tau: ArrayLike,
    contacts: Contacts,
    step: float,
    wrenches: Mapping[str, Wrench] | None = None,
    *,
    gaps: Mapping[str, ArrayLike] | None = None,
    static_friction: Mapping[str, float] | None = None,
    tolerance: float = 1e-9,
    iterations: int = 200,
) -> FrictionalMotion:
    """Return where one step of time takes the velocity when contacts may stick, slip or break.

    Exact Coulomb friction at the points of every contact (the corners of a patch), unilateral
    (bilateral contacts keep u = 0), inelastic. Accelerations and impulses follow from the velocity
    after the step, u_k = J_k(q) v⁺ − s_k: what sticks at the end of the step sticks exactly.

    Args:
        robot: floating or fixed base.
        q: configuration (nq,), or a State.
        v: velocity before (nv,).
        tau: actuated torques (na,), constant during the step.
        contacts: those that touch, or may touch within the step.
        step: h [s].
        wrenches: {link: Wrench} of the environment on the robot, besides the contacts.
        gaps: {contact: distance of its points to the ground, one or (k,) [m]}: a point may then
            come down at gap/h; a negative gap is driven out within the step. Zero if not given.
        static_friction: {contact: μ_s ≥ μ}, of its points that are at rest before the step, as long
            as they stay so: a point that slips then has μ. The same as μ if not given.
        tolerance: largest residual that counts as converged [-].
        iterations: most cone programs to solve.

    Returns:
        FrictionalMotion. Where friction couples so strongly that no solution is found (or none
        exists, as in Painlevé's paradox), `converged` is False and the residuals say how far off it
        is. Impulses of redundant points are one choice of many. The velocity does not depend on it,
        but for a patch that slides while it turns: how much its friction brakes the turn depends on
        the pressures at its corners, which rigid bodies leave open.

    Raises:
        ConfigurationError: a bad q, v, τ or step; a q in which closures are open.
        ContactError: gaps of contacts that do not exist, or not one for each point; torsional
            friction or bounds on normal forces, which these laws do not have.
        ModelError: the mass matrix is singular.
        SolverError: the cone solver failed, or the motion blew up.
    """
    contact_set, state = ContactSet.of(robot, contacts), State.of(robot, q, v)
    v, limits = state.velocity, contact_set.limits
    _require_plain(contact_set)
    step = number(step, "step", above=0, unit="[s]")
    tolerance = number(tolerance, "tolerance", at_least=0, error=ContactError)
    iterations = whole_number(iterations, "iterations", at_least=1, error=ContactError)
    mobility = _mobility(state)
    free = _free_velocity(v, step, state.forward_dynamics(tau, wrenches))
    free = closures.velocity(state, free)
    placed = PointForces.of(contact_set, state)
    J, s = _point_rows(contact_set, state, placed)
    w = J @ free - s
    w[2::3] += _at_points(contact_set, gaps, "gaps", "distances [m]") / step
    W = J @ mobility(J.T)
    W = (W + W.T) / 2
    held = np.where(_at_rest(J @ v - s), _static_friction(contact_set, static_friction), 0.0)
    problem = CoulombProblem(W, w, limits)
    problem, impulses, found, programs = _solved(problem, held, robot.mass, tolerance, iterations)
    impulse = J.T @ impulses.ravel()
    v_plus = free + mobility(impulse)
    a = (v_plus - v) / step
    residual = problem.residual(impulses, robot.mass) if problem.speed else 0.0
    return FrictionalMotion(
        v=v_plus,
        a=a,
        impulses=_by_contact(contact_set, (placed.axes @ impulses[:, :, None])[:, :, 0]),
        states={n: tuple(own.tolist()) for n, own in _by_contact(contact_set, found).items()},
        residuals=FrictionResiduals(
            momentum=_momentum_error(state, a, tau, wrenches, impulse, step),
            **problem.violations(impulses),
        ),
        residual=residual,
        converged=residual <= tolerance,
        iterations=programs,
        contacts=contact_set,
        q=state.q.copy(),
        step=float(step),
    )


def _point_rows(contacts: ContactSet, state: State, placed: PointForces) -> tuple[Array, Array]:
    """J (3K, nv) and s (3K,): u = J v − s of all points, in their contacts' axes."""
    turned = placed.axes.transpose(0, 2, 1)
    J = turned @ contacts.attachment.point_jacobians(state)
    s = turned @ _surface_velocities(contacts, placed.points)[:, :, None]
    return J.reshape(-1, state.robot.nv), s.ravel()


def _solved(
    problem: CoulombProblem, held: Array, mass: float, tolerance: float, iterations: int
) -> tuple[CoulombProblem, Array, NDArray[np.str_], int]:
    """The problem with static friction `held` (K,) where points stick, and its solution.

    Impulses (K, 3), the states (K,) of the points, and how many cone programs the last one took.
    """
    kinetic, held = problem.limits.friction, held.copy()
    while True:
        friction = np.maximum(kinetic, held[:, None])
        problem = replace(problem, limits=problem.limits.with_friction(friction))
        impulses, programs = problem.solve(mass, tolerance, iterations)
        sticks = max(1e-9, 1e-7 * problem.speed)  # the speed below which a point sticks [m/s]
        u, bilateral = problem.velocities(impulses), problem.limits.bilateral
        found = np.array(states(u, bilateral, sticks))
        slips = (found == "slip") & (held > 0)
        if not slips.any():
            return problem, impulses, found, programs
        held[slips] = 0.0  # its friction drops, and others may slip for it


def _momentum_error(
    state: State,
    a: Array,
    tau: ArrayLike,
    wrenches: Mapping[str, Wrench] | None,
    impulse: Array,
    step: float,
) -> float:
    """Largest entry of h (M a + vᵀCv − τ_g − τ_ext − Sᵀτ) − Jᵀλ that closures do not give [N·s]."""
    robot, forces = state.robot, state.inverse_dynamics(a, wrenches)
    missing = step * (forces - robot.selection_matrix.T @ np.asarray(tau)) - impulse
    if robot.closures:
        inner = state.closure_projection
        missing -= inner.J.T @ inner.forces(missing)
    return float(np.abs(missing).max(initial=0.0))


def _mobility(state: State) -> Callable[[Array], Array]:
    """M⁻¹ as a function of impulses (nv, …), or what they do while closures hold."""
    if state.robot.closures:
        return state.closure_projection.mobility
    return partial(solve_mass, cholesky(state.robot, state.mass_matrix))


def _free_velocity(v: Array, step: float, a: Array) -> Array:
    """v + h a (nv,), where the step would lead without contacts."""
    with np.errstate(over="ignore", invalid="ignore"):
        free = v + step * a
    if not np.isfinite(free).all():
        raise SolverError("the motion blew up; expected slower motion, softer gains or less step")
    return np.asarray(free)


def _require_plain(contacts: ContactSet) -> None:
    """Refuse contacts that are limited by more than Coulomb's cones at their points."""
    for contact in contacts:
        given = [
            name
            for name in ("torsional_friction", "min_normal", "max_normal")
            if getattr(contact, name) is not None
        ]
        if given:
            raise ContactError(
                f"{contact.name!r}: got {' and '.join(given)}, which frictional motion does not "
                "know; expected contacts with Coulomb's friction at their points alone"
            )


def _surface_velocities(contacts: ContactSet, points: Array) -> Array:
    """(K, 3), of what is touched at each of the points (K, 3), world axes."""
    s = np.zeros_like(points)
    for k, i in enumerate(contacts.limits.owner):
        if (surface := contacts.contacts[i].surface) is not None:
            s[k] = surface.velocity(points[k])
    return s


def _at_rest(u: Array) -> NDArray[np.bool_]:
    """(K,), points that do not slide before the step, u (3K,) in contact axes."""
    sliding = np.linalg.norm(u.reshape(-1, 3)[:, :2], axis=1)
    return np.asarray(sliding <= 1e-9 * (1.0 + np.abs(u).max(initial=0.0)))


def _static_friction(contacts: ContactSet, given: Mapping[str, float] | None) -> Array:
    """(K,) μ_s at every point, 0 where none is given."""
    argument, unit = "static_friction", ", the friction of the contact"
    checked = mapping(given or {}, argument, contacts.names, kind="contact", error=ContactError)
    for name, mu in checked.items():
        least = float(np.max(contacts[name].friction))
        number(mu, f"{argument}[{name!r}]", at_least=least, unit=unit, error=ContactError)
    return _at_points(contacts, checked, argument)


def _at_points(
    contacts: ContactSet,
    given: Mapping[str, ArrayLike] | None,
    argument: str,
    meaning: str = "numbers",
) -> Array:
    """(K,), of every point what is given for its contact, one number or (k,), else 0."""
    given = mapping(given or {}, argument, contacts.names, kind="contact", error=ContactError)
    every = [np.zeros(0)]
    for contact in contacts:
        shapes, name = ((), (len(contact.points),)), f"{argument}[{contact.name!r}]"
        value = given.get(contact.name, 0.0)
        checked = array(value, name, *shapes, meaning=meaning, error=ContactError)
        every.append(np.broadcast_to(checked, len(contact.points)))
    return np.concatenate(every)


def _by_contact(contacts: ContactSet, rows: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """{contact: rows (k, …) of its points} of those (K, …) of all."""
    return {name: rows[contacts.limits.owner == i] for i, name in enumerate(contacts.names)}
