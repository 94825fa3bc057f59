"""Time stepping with dry friction: contacts that stick, slip or break.

    M (v⁺ − v) = h (Sᵀτ + τ_g + τ_ext − vᵀCv) + Σ_k J_kᵀ λ_k,     K ∋ λ_k ⟂ u_k + ‖μ u_t,k‖ n ∈ K*

with u_k = J_k v⁺ − s_k the velocity of the k-th point on its surface after the step (s_k that of a
surface that moves) and λ_k its impulse. Written for
velocities and impulses, the same step holds for what is at rest, what slides and what hits the
ground (without bouncing).

J. J. Moreau, "Unilateral contact and dry friction in finite freedom dynamics" (1988); V. Acary,
F. Cadoux, "Applications of an existence result for the Coulomb friction problem" (2013).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...dynamics import State, Wrench
from ...errors import ContactError, SolverError
from ...robots import Robot
from ...robots.values import array, mapping, number, whole_number
from ..contact_set import ContactSet
from .constrained import Contacts
from .coulomb import CoulombProblem
from .coulomb_states import states
from .projection import cholesky, solve_mass

Array = NDArray[np.float64]


@dataclass(frozen=True)
class FrictionResiduals:
    """How far a step is from the laws it was made from: all vanish for a right one.

    Attributes:
        momentum: largest entry of M (v⁺ − v) − h (…) − Jᵀλ [N·s, N·m·s].
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
        ConfigurationError: a bad q, v, τ or step.
        ContactError: gaps of contacts that do not exist, or not one for each point; torsional
            friction or bounds on normal forces, which these laws do not have.
        ModelError: the mass matrix is singular.
        SolverError: the cone solver failed, or the motion blew up.
    """
    contact_set, state = ContactSet.of(robot, contacts), State.of(robot, q, v)
    v = state.velocity
    _require_plain(contact_set)
    step = number(step, "step", above=0, unit="[s]")
    tolerance = number(tolerance, "tolerance", at_least=0, error=ContactError)
    iterations = whole_number(iterations, "iterations", at_least=1, error=ContactError)
    L = cholesky(robot, state.mass_matrix)
    free = _free_velocity(v, step, state.forward_dynamics(tau, wrenches))
    J = _point_rows(contact_set, state)
    w = J @ free - _surface_velocities(contact_set, state)
    w[2::3] += _gaps(contact_set, gaps) / step
    W = J @ solve_mass(L, J.T)
    held = _at_rest(contact_set, J @ v - _surface_velocities(contact_set, state))
    held *= _static(contact_set, static_friction)
    while True:
        problem = _coulomb_problem(contact_set, W, w, held)
        impulses, programs = problem.solve(robot.mass, tolerance, iterations)
        found = states(problem.velocities(impulses), problem.limits.bilateral, _least(problem))
        slips = (np.array(found) == "slip") & (held > 0)
        if not slips.any():
            break
        held[slips] = 0.0  # its friction drops, and others may slip for it
    v_plus = free + solve_mass(L, J.T @ impulses.ravel())
    a = (v_plus - v) / step
    forces = state.inverse_dynamics(a, wrenches)
    missing = step * (forces - robot.selection_matrix.T @ np.asarray(tau)) - J.T @ impulses.ravel()
    residual = problem.residual(impulses, robot.mass) if problem.speed else 0.0
    return FrictionalMotion(
        v=v_plus,
        a=a,
        impulses=_in_world(contact_set, state, impulses),
        states=_states(contact_set, problem, impulses),
        residuals=FrictionResiduals(
            momentum=float(np.abs(missing).max(initial=0.0)), **problem.violations(impulses)
        ),
        residual=residual,
        converged=residual <= tolerance,
        iterations=programs,
        contacts=contact_set,
        q=state.q.copy(),
        step=float(step),
    )


def _free_velocity(v: Array, step: float, a: Array) -> Array:
    """v + h a (nv,), where the step would lead without contacts."""
    with np.errstate(over="ignore", invalid="ignore"):
        free = v + step * a
    if not np.isfinite(free).all():
        raise SolverError("the motion blew up; expected slower motion, softer gains or less step")
    return np.asarray(free)


def _point_rows(contacts: ContactSet, state: State) -> Array:
    """J (3K, nv) of all points, in their contacts' axes."""
    rows = [np.zeros((0, contacts.robot.nv))]
    for contact in contacts:
        axes = contact.pose(state).rotation
        rows += [axes.T @ J for J in contact.point_jacobians(state)]
    return np.vstack(rows)


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


def _surface_velocities(contacts: ContactSet, state: State) -> Array:
    """s (3K,) of the surfaces at all points, in their contacts' axes."""
    s = [np.zeros(0)]
    for contact in contacts:
        points, axes = contact.world_points(state), contact.pose(state).rotation
        moving = contact.surface
        s += [np.zeros(3) if moving is None else axes.T @ moving.velocity(p) for p in points]
    return np.concatenate(s)


def _coulomb_problem(contacts: ContactSet, W: Array, w: Array, held: Array) -> CoulombProblem:
    """The problem with friction of at least `held` (K,) at each point."""
    limits = contacts.limits
    if held.any():
        limits = replace(limits, friction=np.maximum(limits.friction, held[:, None]))
    return CoulombProblem((W + W.T) / 2, w, limits)


def _at_rest(contacts: ContactSet, u: Array) -> Array:
    """(K,) 1 for points that do not slide before the step, u (3K,) in contact axes, else 0."""
    sliding = np.linalg.norm(u.reshape(-1, 3)[:, :2], axis=1)
    return np.where(sliding <= 1e-9 * (1.0 + np.abs(u).max(initial=0.0)), 1.0, 0.0)


def _static(contacts: ContactSet, given: Mapping[str, float] | None) -> Array:
    """(K,) μ_s at every point, 0 where none is given."""
    every, argument = [np.zeros(0)], "static_friction"
    checked = mapping(given or {}, argument, contacts.names, kind="contact", error=ContactError)
    for name, mu in checked.items():
        least, unit = float(np.max(contacts[name].friction)), ", the friction of the contact"
        number(mu, f"{argument}[{name!r}]", at_least=least, unit=unit, error=ContactError)
    for contact in contacts:
        every.append(np.full(len(contact.points), float(checked.get(contact.name, 0.0))))
    return np.concatenate(every)


def _least(problem: CoulombProblem) -> float:
    """The speed below which a point sticks [m/s]."""
    return max(1e-9, 1e-7 * problem.speed)


def _gaps(contacts: ContactSet, gaps: Mapping[str, ArrayLike] | None) -> Array:
    """(K,), the distance of every point to the ground [m]."""
    gaps = mapping(gaps or {}, "gaps", contacts.names, kind="contact", error=ContactError)
    every = [np.zeros(0)]
    for contact in contacts:
        given, count = gaps.get(contact.name, 0.0), len(contact.points)
        one_or_each, name = ((), (count,)), f"gaps[{contact.name!r}]"
        gap = array(given, name, *one_or_each, meaning="distances [m]", error=ContactError)
        every.append(np.broadcast_to(gap, count))
    return np.concatenate(every)


def _by_contact(contacts: ContactSet) -> list[tuple[str, slice]]:
    """Each contact's name and the slice of all points that is its own."""
    ends = np.cumsum([0, *(len(contact.points) for contact in contacts)])
    return [(n, slice(a, b)) for n, a, b in zip(contacts.names, ends, ends[1:], strict=False)]


def _in_world(contacts: ContactSet, state: State, impulses: Array) -> dict[str, Array]:
    axes = {name: T.rotation for name, T in contacts.placements(state).items()}
    return {name: impulses[own] @ axes[name].T for name, own in _by_contact(contacts)}


def _states(
    contacts: ContactSet, problem: CoulombProblem, impulses: Array
) -> dict[str, tuple[str, ...]]:
    found = states(problem.velocities(impulses), problem.limits.bilateral, _least(problem))
    return {name: tuple(found[own]) for name, own in _by_contact(contacts)}
