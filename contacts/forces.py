"""Feasibility of contact forces, at rest (`static_hold`) or in motion (`contact_forces`)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..dynamics import State, Wrench
from ..errors import ContactError
from ..options import names_checked
from ..robots import Robot
from ..robots.configuration import check_reach, check_robot
from ..robots.values import one_of
from .contact_set import Contacts, ContactSet
from .equilibrium.conic_verdict import conic_verdict
from .equilibrium.decision import kernel_verdict, knows
from .equilibrium.objectives import Objective, Preferred, check_objective, preferred_wrenches
from .equilibrium.programs import Equilibrium
from .equilibrium.reference import ReferenceEquilibrium
from .hold import Hold
from .kernels.compiled import by_the_solver
from .torque_limits import TorqueBounds, TorqueLimits, torque_bounds_of

Solver = Literal["clarabel", "cvxpy"]


@names_checked
def static_hold(
    robot: Robot,
    q: ArrayLike | State,
    contacts: Contacts,
    wrenches: Mapping[str, Wrench] | None = None,
    torque_limits: TorqueLimits = True,
    *,
    objective: Objective = "least_norm",
    preferred: Preferred | None = None,
    solver: Solver | None = None,
) -> Hold:
    """Decide whether contacts can hold the robot still, by how much, with which forces and torques.

        Sᵀτ + τ_g(q) + Σ_k J_kᵀ f_k + τ_ext = 0,   ‖f_t‖ ≤ μ f_n at every vertex,   |τ| ≤ limits

    and whatever else limits the contacts: torsional friction, bounds on their normal forces. Of a
    robot with closures J_cᵀλ joins the sum, λ without bounds (`Hold.closure_forces`). The cones are
    exact (second-order cones). The answer is decided by the margin, the largest ε such
    that every contact wrench keeps to its limits after ε of normal force is taken away at its
    centre; the objective only chooses among the forces.

    Args:
        robot: floating or fixed base, with or without passive joints.
        q: configuration (nq,), or a State.
        contacts: a ContactSet of this robot, or any contacts.
        wrenches: {link: Wrench} of the environment on the robot, besides the contacts.
        torque_limits: True takes those of the robot's motors at its velocity, of joints without
            such data those of the description (where it gives none or zero, the joint is
            unlimited, and a warning says so once), False none, a number or an array (na,) the
            largest |τ|, a pair (lower, upper) of such arrays lower ≤ τ ≤ upper [N·m or N].
        objective: which admissible forces: "least_norm"; "largest_margin", forces that have the
            margin (the robot's weight of it where squeezing makes it unbounded); "least_torque",
            least Στ²; "centred", least Σ F d² with d from each patch's centre to its ZMP, which F
            loads. Of several the least-norm ones.
        preferred: {contact: force (3,), wrench (6,) at its centre, or Wrench; world axes}: instead,
            the forces of least distance to these.
        solver: which one decides: None, the compiled kernel where it knows the contacts and is at
            hand, else the conic solver; "clarabel", the conic solver; "cvxpy", the same programs
            as cvxpy writes them, the reference.

    Returns:
        Hold, whose `feasible` is True, False, or None at the edge.

    Raises:
        ConfigurationError, ContactError: invalid input, a q in which closures are open. A solver
            never raises.
    """
    check_robot(robot)
    zero = np.zeros(robot.nv)
    return contact_forces(
        *(robot, q, zero, zero, contacts, wrenches, torque_limits),
        objective=objective,
        preferred=preferred,
        solver=solver,
    )


@names_checked
def contact_forces(
    robot: Robot,
    q: ArrayLike | State,
    v: ArrayLike,
    a: ArrayLike,
    contacts: Contacts,
    wrenches: Mapping[str, Wrench] | None = None,
    torque_limits: TorqueLimits = True,
    *,
    objective: Objective = "least_norm",
    preferred: Preferred | None = None,
    solver: Solver | None = None,
) -> Hold:
    """Decide whether contacts can give the robot the acceleration a in the state (q, v), and how.

        M a + vᵀCv = Sᵀτ + τ_g + Σ_k J_kᵀ f_k + τ_ext

    Arguments and answer as in `static_hold`, with v and a (nv,). That J a + vᵀHv = 0 (or what the
    surfaces' motion asks) is the caller's to see to: nothing here asks whether the contacts stay
    where they are; nor, of a robot with closures, whether J_c v = 0 and J_c a + J̇_c v = 0.
    """
    contact_set = ContactSet.of(robot, contacts)
    check_objective(objective, preferred)
    if solver is not None:
        one_of(solver, "solver", get_args(Solver), error=ContactError)
    state = State.of(robot, q, v)
    limits = torque_bounds_of(robot, torque_limits, state.v)
    check_reach(robot, state.q)
    h = -state.inverse_dynamics(a, wrenches)
    targets = preferred_wrenches(contact_set, state.q, preferred) if preferred else None
    balance = contact_set, state, dict(wrenches or {}), h, limits
    return decide(*balance, objective, targets, solver)


def decide(
    contacts: ContactSet,
    state: State,
    external: Mapping[str, Wrench],
    load: Array,
    torque_limits: TorqueBounds,
    objective: Objective = "least_norm",
    targets: Array | None = None,
    solver: Solver | None = None,
) -> Hold:
    """Return the Hold of a load (nv,) that contacts and torques shall balance."""
    chosen = "preferred" if targets is not None else objective
    found = None if solver else kernel_verdict(contacts, state, load, torque_limits)
    slowly = solver is None and found is None and knows(contacts, torque_limits)
    made = partial(Equilibrium.of, contacts, state, load, torque_limits)
    if found is not None and found.suffices_for(chosen):
        return Hold.proved(found, contacts, state, external, made, chosen)
    with by_the_solver(1, counts=slowly):
        balance, known = made(), None if found is None else found.solution
        if solver == "cvxpy":
            balance = ReferenceEquilibrium.like(balance)
        verdict = conic_verdict(balance, objective, targets, known)
    return Hold(*verdict, contacts, state, external, balance, solver or "clarabel", chosen)
