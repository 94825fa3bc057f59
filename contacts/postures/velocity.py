"""Differential inverse kinematics: the velocity that brings contacts and tasks to their targets.

    minimise Σ_k w_k ‖J_k v − ẋ_k*‖² + regularisation ‖v‖²
    subject to   ∂r/∂q v = s − rate r(q),   |v_i| ≤ v_max,i,
                 −rate (q_i − lower_i) ≤ v_i ≤ rate (upper_i − q_i)

with r(q) = 0 of exact targets as of `solve_posture`, the motion s of the surfaces that contacts are
on, and the ẋ_k* that the tasks ask for: ẋ* of their references and √gain (x* − x). Steps q ⊕ v dt
with rate dt ≤ 1 never leave the joint limits.

S. Caron, "Inverse kinematics" (scaron.info); O. Kanoun, F. Lamiraux, P.-B. Wieber,
"Kinematic control of redundant manipulators" (2011).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array
from ...dynamics import State
from ...errors import ContactError
from ...options import names_checked
from ...robots import Robot
from ...robots.ranges import velocity_limits
from ...robots.values import boolean, mapping, number
from ..contact_set import Contacts, ContactSet
from .inverse_kinematics import Goal, bounded_least_squares, travel
from .motion_tasks import MotionTask, TaskRows
from .posture import CentreOfMass, check_names, target_com
from .targets import all_targets, with_frames

_EXACT = 1e-6  # what exact rates may miss [m/s or rad/s]


@dataclass(frozen=True, eq=False, repr=False)
class PostureVelocity:
    """A velocity, and how well it does what is asked.

    Attributes:
        v: (nv,), the velocity; when not feasible, one that misses the exact rates least.
        feasible: whether all exact rates are met, to 1e-6.
        errors: {contact, "frame …", "com", "closure …", exact task: the largest entry by which its
            rate is missed [m/s or rad/s]}.
        residuals: {task: (rows,), ẋ* − J v}, of weighted and of exact tasks [m/s, rad/s].
        limited: the joints at a bound of their position or speed.
        reason: in words, when not feasible: what is missed, and which joints hold it back.
    """

    v: Array
    feasible: bool
    errors: dict[str, float]
    residuals: dict[str, Array]
    limited: tuple[str, ...]
    reason: str

    def __repr__(self) -> str:
        why = f", reason={self.reason!r}" if self.reason else ""
        return f"PostureVelocity(feasible={self.feasible}, |v|={np.linalg.norm(self.v):.3g}{why})"


@names_checked
def solve_velocity(
    robot: Robot,
    contacts: Contacts,
    q: ArrayLike | State,
    tasks: Sequence[MotionTask] = (),
    *,
    exact: Sequence[MotionTask] = (),
    com: CentreOfMass = None,
    targets: Mapping[str, Any] | None = None,
    frames: Mapping[str, Any] | None = None,
    rate: float = 10.0,
    limits: bool = True,
    speed_limits: bool = True,
    regularisation: float = 1e-6,
    t: float = 0.0,
) -> PostureVelocity:
    """Return the velocity that brings contacts and tasks to their targets from q.

    Follow it tick by tick, q ← robot.integrate(q, v · dt); `solve_posture` goes all the way.

    Args:
        robot: floating or fixed base. Its closures stay closed.
        contacts: a ContactSet of this robot, or any contacts.
        q: configuration (nq,), or a State.
        tasks: motion tasks as of a controller, met as nearly as the rest allows, by their weights;
            each asks for ẋ* + √gain (x* − x), a `MomentumTask` for its momentum.
        exact: motion tasks of which that is met exactly, whatever their weights.
        com, frames: as for `solve_posture`, exact; no "inside".
        targets: {contact: target} as for `solve_posture`; the other contacts stay where they are.
            Where they began as targets keep the errors of finite steps from adding up.
        rate: at which errors of exact targets decay, and joints come near their limits [1/s];
            at most 1/dt.
        limits, speed_limits: whether joint ranges and the speeds of the description bound v.
        regularisation: of ‖v‖², among the tasks' weights [s²/m², s²/rad²].
        t: time at which tasks read their references [s].

    Raises:
        ConfigurationError: a bad q, or a task that does not fit the robot.
        ContactError: an invalid target, a task that is not a motion task, two parts with one name.
    """
    contact_set = ContactSet.of(robot, contacts)
    state = State.of(robot, q)
    rate = number(rate, "rate", above=0, unit="[1/s]", error=ContactError)
    t = number(t, "t", unit="[s]", error=ContactError)
    least = number(regularisation, "regularisation", above=0, error=ContactError)
    limits = boolean(limits, "limits", error=ContactError)
    speed_limits = boolean(speed_limits, "speed_limits", error=ContactError)
    weighted, wanted = TaskRows.of(robot, tasks, "tasks", t), TaskRows.of(robot, exact, "exact", t)
    if isinstance(com, str):
        raise ContactError(f"com: got {com!r}, expected (x, y) or (x, y, z) [m]")
    names = contact_set.names
    targets = mapping(targets or {}, "targets", names, kind="contact", error=ContactError)
    given = contact_set.placements(state.q) | targets
    together, places = with_frames(contact_set, frames)
    every = all_targets(contact_set, state.q, given, None) | places
    goal = Goal(together, every, target_com(com), 1.0, frames=frozenset(places))
    check_names(goal.parts(), wanted, weighted)
    (J, asked), (K, exactly) = weighted.velocity_rows(state), wanted.velocity_rows(state)
    C, d = _exact_rates(goal, state, rate)
    C, d = np.vstack([C, K]), np.append(d, exactly)
    parts = goal.parts() | wanted.parts(len(d) - len(wanted))
    roots = weighted.roots
    A = np.vstack([roots[:, None] * J, np.sqrt(least) * np.eye(robot.nv)])
    b = np.append(roots * asked, np.zeros(robot.nv))
    lower, upper = _bounds(robot, state.q, rate, limits, speed_limits)
    v = bounded_least_squares(A, b, lower, upper, C, d)
    missed = {name: float(np.abs(d - C @ v)[rows].max(initial=0.0)) for name, rows in parts.items()}
    residuals = weighted.named(asked - J @ v) | wanted.named(exactly - K @ v)
    joints = _at_bound(robot, v, lower, upper)
    reason = _reason(missed, joints)
    return PostureVelocity(v, not reason, missed, residuals, joints, reason)


def _exact_rates(goal: Goal, state: State, rate: float) -> tuple[Array, Array]:
    """C v = d: contacts, com and closures come to their targets."""
    d = -rate * goal.error(state)
    for contact in goal.touching:
        d[goal.contacts.rows(contact.name)] += contact.surface_velocity(state)
    return goal.fixed_jacobian(state), d


def _bounds(robot: Robot, q: Array, rate: float, limits: bool, fast: bool) -> tuple[Array, Array]:
    """lower ≤ v ≤ upper (nv,)."""
    speed = velocity_limits(robot._model) if fast else np.full(robot.nv, np.inf)
    if not limits:
        return -speed, speed
    down, up = travel(robot, q)
    return np.maximum(rate * down, -speed), np.minimum(rate * up, speed)


def _at_bound(robot: Robot, v: Array, lower: Array, upper: Array) -> tuple[str, ...]:
    """The joints whose velocity is at a bound."""
    gap = 1e-9 * (1 + np.abs(v))
    held = (np.isfinite(lower) & (v <= lower + gap)) | (np.isfinite(upper) & (v >= upper - gap))
    return tuple(dict.fromkeys(robot.joint_of_row[i] for i in np.flatnonzero(held)))


def _reason(missed: Mapping[str, float], held: tuple[str, ...]) -> str:
    """Which exact rate is missed most, and what holds it back, in words; "" when all are met."""
    worst = max(missed, key=lambda name: missed[name], default="")
    if not missed or missed[worst] <= _EXACT:
        return ""
    why = f"held back by the limits of {', '.join(held)}" if held else "no limit holds it back"
    return (
        f"out of reach: the rate of {worst!r} is missed by {missed[worst]:.3g} m/s or rad/s; {why}"
    )
