"""Inverse kinematics onto contacts: configurations in which they are at their targets.

    p_i(q) = p_i*,  R_i(q) = R_i*,  com(q) = com*,  e(q) = 0 of closures,  lower ≤ q ≤ upper

Of the many solutions it is one near a preferred configuration, or one of least Σ w_k ‖e_k(q)‖² of
weighted tasks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ... import dynamics, registry
from ...arrays import Array
from ...dynamics import State, Wrench
from ...dynamics.spatial import up_in_base
from ...errors import ContactError
from ...options import names_checked
from ...robots import Robot
from ...robots.configuration import check_configuration
from ...robots.values import boolean, each_once, mapping, number, one_of, whole_number
from ..contact_set import Contacts, ContactSet
from ..geometry.polygon import centroid, nearest_on_segments, signed_distance
from ..regions.region import static_equilibrium_polygon
from ..terrain.faces import Face
from ..torque_limits import TorqueLimits, torque_bounds_of
from .ascent import Ascent
from .inverse_kinematics import Goal, InverseKinematics
from .missed import Missed, missed_by, reason_of
from .motion_tasks import MotionTask, TaskRows
from .self_collision import Clearance
from .targets import all_targets, with_frames
from .weighted import Descent

CentreOfMass = Sequence[float | None] | Literal["inside"] | None

_SHRUNK = 0.8  # "inside" means inside the static polygon drawn in by this factor
RESTARTS = 6
_CLEARANCE = 1e-3  # [m], what links keep that must not run into each other


class Search(NamedTuple):
    """How long a posture is looked for: arguments of `solve_posture`."""

    tolerance: float
    iterations: int
    restarts: int


@dataclass(frozen=True, eq=False, repr=False)
class Posture:
    """A configuration and how well its contacts touch.

    Attributes:
        q: (nq,), the configuration; when not converged, the nearest that was found.
        error: the largest of `errors`.
        errors: {contact: the largest entry of its error [m or rad]}, and of each "closure …" of the
            robot; when asked for, "frame …" of frames, "com" [m], exact tasks by name [m or rad]
            and "self-collision", what the nearest links lack of their clearance [m].
        converged: whether `error` is within the tolerance, and closures within 1e-10; with weighted
            tasks also whether no small step lowers their sum.
        reason: in words, when not converged: which contact, and which joint limits hold it back.
        missed: the same as data; None when converged, or when something else is the reason.
        targets: {contact: T_world_target} (`pin.SE3`), where the contacts should be.
        com: (3,), where the centre of mass should be, nan where it was free [m].
        contacts: whose places were solved for.
        iterations: steps tried.
        margins: when asked to maximise, of the posture it began from and after each step [N].
        residuals: {task: (rows,), its x* − x}, of weighted and of exact tasks [m, rad].
    """

    q: Array
    error: float
    errors: dict[str, float]
    converged: bool
    reason: str
    targets: dict[str, Any]
    com: Array
    contacts: ContactSet
    iterations: int
    margins: tuple[float, ...] = ()
    missed: Missed | None = None
    residuals: dict[str, Array] = field(default_factory=dict)

    _repr_html_ = registry.html_of

    def __repr__(self) -> str:
        why = f", reason={self.reason!r}" if self.reason else ""
        return f"Posture(converged={self.converged}, error={self.error:.3g}{why})"


@names_checked
def solve_posture(
    robot: Robot,
    contacts: Contacts,
    com: CentreOfMass = None,
    targets: Mapping[str, Any] | None = None,
    q0: ArrayLike | None = None,
    *,
    ground: Any = None,
    limits: bool = True,
    self_collision: bool | float = False,
    maximize: Literal["margin"] | None = None,
    wrenches: Mapping[str, Wrench] | None = None,
    torque_limits: TorqueLimits = True,
    tolerance: float = 1e-8,
    iterations: int = 100,
    frames: Mapping[str, Any] | None = None,
    restarts: int = RESTARTS,
    tasks: Sequence[MotionTask] = (),
    exact: Sequence[MotionTask] = (),
    t: float = 0.0,
) -> Posture:
    """Return a configuration whose contacts are where they should be, near q0.

    With weighted tasks, whose errors are e_k = x_k* − x_k(q), it is one of the least

        Σ_k w_k ‖e_k(q)‖²

    nearby among those that meet all else, contacts, `com`, `frames` and exact tasks.

    Args:
        robot: floating or fixed base. Its closures close in the answer.
        contacts: a ContactSet of this robot, or any contacts.
        com: where the centre of mass should be: (x, y) or (x, y, z) with None where it is free [m],
            or "inside": where the contacts can hold the robot still (static polygon, drawn in by a
            fifth), as near as can be to where it is without that.
        targets: {contact: T_world_target (`pin.SE3`), position (3,) of a point, or the `Face` of a
            solid to lie on, anywhere inside its edges} for some or all contacts. The others are
            brought to the ground, see `ground_targets`.
        q0: (nq,), where to start and what to stay near; `robot.posture()` when not given. A
            floating base tilts by less than 75° from there, from z upwards, or from how it would be
            if it turned with a patch or frame that is to turn: it does not turn over.
        ground: T_world_ground (`pin.SE3`), whose plane z = 0 is the ground; level when not given.
        limits: whether joint limits bound the answer (they are never crossed then).
        self_collision: the distance that links should keep from each other [m]; True is 1 mm,
            False asks nothing. See `self_collisions` for which links.
        maximize: "margin" goes on, from where all contacts touch, to where `static_hold` has the
            largest margin nearby, see `Posture.margins`; "inside" is then only where it begins.
        wrenches: as for `static_hold`, of "inside" and of the margin that is maximised.
        torque_limits: as for `static_hold`, of that margin.
        tolerance: largest error of any contact that counts as touching [m, rad].
        iterations: most steps from each start; of weighted tasks, a third of the most.
        frames: {frame: T_world_frame (`pin.SE3`) or its origin's place (3,) [m]} of frames that
            should be somewhere without touching anything: a lifted foot, the base.
        restarts: from how many other configurations near q0 to begin again when none was found
            from q0 itself; 0 says no soon, as is wanted of a q0 from a moment before: also where
            the error stays large and hardly falls.
        tasks: motion tasks as of a controller (`control.FrameTask`, `ComTask`, `PostureTask`, …),
            to be met as nearly as the rest allows, by their weights; gains, damping and levels have
            no part. A little weight on a `PostureTask` decides what the others leave open.
        exact: motion tasks to be met exactly, whatever their weights.
        t: time at which tasks read their references [s].

    Returns:
        Posture. When no configuration was found that touches everywhere, `converged` is False, q
        is the nearest one, and `reason` says which contact is out of reach and why.

    Raises:
        ConfigurationError: a bad q0, or one near which the robot's closures do not close.
        ContactError: an invalid target, or one of a contact that does not exist; a bad com; an
            invalid clearance, or a robot without collision shapes; an unknown `maximize`, or one
            with weighted tasks; a task that is not a motion task; two parts with one name.
    """
    if maximize is not None:
        one_of(maximize, "maximize", ("margin",), error=ContactError)
    limits = boolean(limits, "limits", error=ContactError)
    tolerance = number(tolerance, "tolerance", above=0, error=ContactError)
    iterations = whole_number(iterations, "iterations", at_least=1, error=ContactError)
    restarts = whole_number(restarts, "restarts", at_least=0, error=ContactError)
    torques = torque_bounds_of(robot, torque_limits)
    wrenches = mapping(
        wrenches or {}, "wrenches", robot.frame_names, kind="frame", error=ContactError
    )
    contact_set = ContactSet.of(robot, contacts)
    start = robot.posture() if q0 is None else check_configuration(robot, q0, "q0").copy()
    start = robot.close(start) if robot.closures else start
    given = all_targets(contact_set, start, targets, ground)
    t = number(t, "t", unit="[s]", error=ContactError)
    weighted, wanted = TaskRows.of(robot, tasks, "tasks", t), TaskRows.of(robot, exact, "exact", t)
    for rows in (weighted, wanted):
        rows.error_jacobian(State(robot, start))  # tasks on velocities refuse
    if len(weighted) and maximize is not None:
        raise ContactError(f"maximize: got {maximize!r} and tasks, expected one of the two")
    goal = _goal(contact_set, start, given, frames, com, _clearance_of(robot, self_collision))
    check_names(goal.parts(), wanted, weighted)
    goal = replace(goal, exact=wanted)
    search = Search(tolerance, iterations, restarts)
    posture = _nearest(InverseKinematics(goal, start, limits, restarts == 0), start, search)
    ik = InverseKinematics(goal, start, limits)
    posture = _settled(ik, posture, weighted, search)
    if isinstance(com, str) and posture.converged:
        posture = _drawn_inside(ik, posture, weighted, wrenches, search)
    if maximize is None or not posture.converged:
        return posture
    ascent = Ascent(ik, wrenches, torques, tolerance, iterations)
    q, margins = ascent.run(posture.q)
    return replace(_posture(ik, q, tolerance, posture.iterations), margins=margins)


def _goal(
    contacts: ContactSet,
    start: Array,
    targets: dict[str, Any],
    frames: Mapping[str, Any] | None,
    com: CentreOfMass,
    clearance: Clearance | None,
) -> Goal:
    together, places = with_frames(contacts, frames)
    every = targets | places
    return Goal(
        together,
        every,
        target_com(com),
        _size(together, start),
        clearance,
        frozenset(places),
        _upright(together, start, every),
    )


def target_com(com: CentreOfMass) -> Array:
    """(3,), nan where it is free."""
    target = np.full(3, np.nan)
    if com is None or (isinstance(com, str) and com == "inside"):
        return target
    if not isinstance(com, Sequence | np.ndarray) or isinstance(com, str) or len(com) not in (2, 3):
        raise ContactError(
            f"com: got {com!r:.80}, expected (x, y) or (x, y, z) [m] with None where it is free, "
            "or 'inside'"
        )
    for i, x in enumerate(com):
        target[i] = np.nan if x is None else number(x, f"com[{i}]", unit="[m]", error=ContactError)
    return target


def _upright(contacts: ContactSet, q: Array, targets: Mapping[str, Any]) -> Array:
    """Which directions of a floating base may be up (k, 3), in its axes.

    Up is what is up in q, which may be any, and the base's own z; and if patches are to be turned
    by R, as on a wall, or the base itself, then what is up as it turns with them: Rᵀz in q.
    """
    robot = contacts.robot
    if not robot.is_floating:
        return np.zeros((0, 3))
    R_base = np.array(pin.Quaternion(q[3:7]).matrix())
    ups = [up_in_base(q[3:7]), np.array([0.0, 0.0, 1.0])]
    for name, T in contacts.placements(q).items():
        if contacts[name].dim == 6 and isinstance(targets[name], pin.SE3):
            angles = pin.log3(targets[name].rotation @ T.rotation.T)
            ups += [R_base.T @ pin.exp3(share * angles)[2] for share in (0.5, 1.0)]
    return np.array(ups)


def _clearance_of(robot: Robot, self_collision: bool | float) -> Clearance | None:
    chosen = isinstance(self_collision, bool | np.bool_)
    if self_collision is None or (chosen and not self_collision):
        return None
    least = _CLEARANCE if chosen else self_collision
    unit, error = "[m]", ContactError
    return Clearance(robot, number(least, "self_collision", at_least=0, unit=unit, error=error))


def _size(contacts: ContactSet, q: Array) -> float:
    """The mean distance from the centre of mass to the contacts, the robot's unit of length [m]."""
    com = dynamics.com(contacts.robot, q)
    spans = [np.linalg.norm(T.translation - com) for T in contacts.placements(q).values()]
    return max(float(np.mean(spans)), 1e-3) if spans else 1.0


def _nearest(ik: InverseKinematics, start: Array, search: Search) -> Posture:
    """From `start`, then from a few random places around it: a way out of straight knees."""
    rng = np.random.default_rng(0)
    best, least, steps = start, np.inf, 0
    for k in range(1 + search.restarts):
        shaken = 0.1 * k * rng.standard_normal(ik.robot.nv) * ik.joints
        begin = ik.robot.integrate(start, shaken)
        q, tried = ik.run(begin, search.tolerance, search.iterations)
        steps += tried
        error = ik.goal.error(q)
        size = float(np.linalg.norm(error / ik.goal.row_units))
        if size < least:
            best, least = q, size
        if ik.goal.reached(error, search.tolerance):
            break
    return _posture(ik, best, search.tolerance, steps)


def _posture(ik: InverseKinematics, q: Array, tolerance: float, iterations: int) -> Posture:
    goal = ik.goal
    error = np.abs(goal.error(q))
    errors = {name: float(error[rows].max(initial=0.0)) for name, rows in goal.parts().items()}
    for name, face in goal.targets.items():
        if isinstance(face, Face):  # a patch that is too large for it sticks out
            points = goal.contacts[name].world_points(ik.robot, q)
            errors[name] = max(errors[name], face.overhang(points))
    largest = max(errors.values(), default=0.0)
    converged = largest <= tolerance and goal.reached(error, tolerance)
    missed = None if converged else missed_by(ik, q, error, errors)
    reason = "" if converged else reason_of(ik, q, missed, errors, tolerance)
    places = {name: T.copy() for name, T in goal.places(q).items() if name not in goal.frames}
    return Posture(
        q, largest, errors, converged, reason, places, goal.com, goal.touching, iterations,
        missed=missed,
    )  # fmt: skip


def check_names(parts: Iterable[str], wanted: TaskRows, weighted: TaskRows) -> None:
    """Refuse two parts, or tasks, of one name, of which answers could not tell which is which."""
    for others in (parts, weighted.names):
        each_once([*others, *wanted.names], "tasks", error=ContactError)


def _settled(
    ik: InverseKinematics, posture: Posture, weighted: TaskRows, search: Search
) -> Posture:
    """The posture after the descent of weighted tasks, with the residuals of all tasks."""
    steps, lowest = 0, True
    if len(weighted) and posture.converged:
        descent = Descent(ik, weighted, search.tolerance, search.iterations)
        q, steps, lowest = descent.run(posture.q)
        posture = _posture(ik, q, search.tolerance, posture.iterations + steps)
    state, exact = State(ik.robot, posture.q), ik.goal.exact
    residuals = weighted.named(weighted.error(state)) | exact.named(exact.error(state))
    if lowest:
        return replace(posture, residuals=residuals)
    reason = f"the weighted sum of the tasks still falls after {steps} steps"
    return replace(posture, residuals=residuals, converged=False, reason=reason)


def _drawn_inside(
    ik: InverseKinematics,
    posture: Posture,
    weighted: TaskRows,
    wrenches: Mapping[str, Wrench],
    search: Search,
) -> Posture:
    """The posture with its centre of mass where the contacts can hold it."""
    inside = _inside(posture.contacts, posture.q, wrenches)
    if inside is None:
        reason = "no place of the centre of mass lets these contacts hold the robot still"
        return replace(posture, converged=False, reason=reason, missed=None)
    inner = InverseKinematics(replace(ik.goal, com=inside), ik.prefer, ik.bounded)
    if len(weighted) and np.allclose(dynamics.com(ik.robot, posture.q)[:2], inside[:2], atol=1e-9):
        there = _posture(inner, posture.q, search.tolerance, posture.iterations)
        return replace(there, residuals=posture.residuals)
    posture = _nearest(inner, posture.q, search)
    return _settled(inner, posture, weighted, search)


def _inside(contacts: ContactSet, q: Array, wrenches: Mapping[str, Wrench]) -> Array | None:
    """Where the centre of mass should be to stand still with something to spare, (3,)."""
    region = static_equilibrium_polygon(contacts.robot, q, contacts, wrenches=wrenches)
    if region.status == "empty":
        return None
    middle = centroid(region.vertices)
    corners = middle + _SHRUNK * (region.vertices - middle)
    return np.append(_closest_point(corners, dynamics.com(contacts.robot, q)[:2]), np.nan)


def _closest_point(corners: Array, x: Array) -> Array:
    """The point (2,) of a convex polygon, or segment, that is nearest to x."""
    if signed_distance(corners, x) <= 0:
        return x
    points = nearest_on_segments(x, corners, np.roll(corners, -1, axis=0))
    return np.asarray(points[np.linalg.norm(points - x, axis=1).argmin()])
