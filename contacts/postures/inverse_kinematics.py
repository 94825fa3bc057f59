"""Levenberg-Marquardt steps of the inverse kinematics onto contacts.

    minimise ‖r(q)‖²   subject to   lower ≤ q ≤ upper

by Levenberg-Marquardt steps on the manifold of configurations: each solves a small bounded
least-squares problem in the tangent space, so that joint limits are never crossed. A floating base
that is free to turn would reach what the legs cannot by lying beside its feet or head down: no step
tilts it so far (`Goal.tilt`). Lengths are in units of the robot's size and angles in radians, which
are then of like importance. The damping follows ‖r‖², which keeps the convergence quadratic even
where J loses rank (straight knees).

N. Yamashita, M. Fukushima, "On the rate of convergence of the Levenberg-Marquardt method" (2001).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import scipy

from ...arrays import Array
from ...dynamics import State
from ...dynamics.per_robot import per_robot
from ...dynamics.spatial import up_in_base
from ...dynamics.topology import plain_coordinates, translations
from ...robots import Robot
from ...robots.closures import Closure
from ...robots.ranges import ranges
from ..contact import Contact
from ..contact_set import ContactSet
from ..terrain.faces import Face
from .landing import landing
from .motion_tasks import NO_TASKS, TaskRows
from .self_collision import Clearance

CLOSURE = "closure "  # prefix of the names of its rows
CLOSED = 1e-10  # largest error of a closure that counts as closed [m or rad]
TILT = np.deg2rad(75.0)  # of a floating base: one that leans farther lies beside its feet
_SLACK = 1e-3  # by how much steps stay away from it [rad]
_PLATEAU, _LARGE = 3, 0.03  # a hasty search ends when 3 steps leave 95 % of an error above 0.03
_PIVOTS = 20  # guesses of which joints are at their limits; a few are enough
_HEAVY = 1e4  # of equations as rows of a least-squares problem
_STEP = 0.3  # the longest step of a joint, and of the base in robot sizes
_BACK = 30.0  # a hasty step goes back towards `prefer` by a share of 30 ‖r‖, at most 1


@dataclass(frozen=True, eq=False)
class Goal:
    """Where contacts and centre of mass should be.

    Attributes:
        contacts: whose places count.
        targets: {contact: T_world_target (`pin.SE3`), or a `Face` to lie anywhere on}.
        com: (3,), of the centre of mass, nan where it is free [m]. Closures of the robot close.
        size: of the robot, the unit of length [m].
        clearance: links that should keep apart, None when nobody asks.
        frames: names of those of the contacts that are frames to be somewhere and touch nothing.
        upright: (k, 3), directions in the axes of a floating base, of which one has to point up,
            give or take `TILT`; none when the base may turn over.
        exact: tasks whose errors should vanish too.
    """

    contacts: ContactSet
    targets: dict[str, Any]
    com: Array
    size: float
    clearance: Clearance | None = None
    frames: frozenset[str] = frozenset()
    upright: Array = field(default_factory=lambda: np.zeros((0, 3)))
    exact: TaskRows = NO_TASKS

    def tilt(self, q: Array) -> float:
        """Return how far the nearest of `upright` is from pointing up [rad]; 0 without any."""
        if not len(self.upright):
            return 0.0
        return float(np.arccos(np.clip((self.upright @ up_in_base(q[3:7])).max(), -1.0, 1.0)))

    def leaning(self, q: Array) -> tuple[Array, float]:
        """Return the derivative (nv,) of the cosine of the tilt, uᵀRᵀz, and how much it may change.

        d(uᵀRᵀz) = (u × Rᵀz)ᵀ ω
        """
        up, row = up_in_base(q[3:7]), np.zeros(self.robot.nv)
        u = self.upright[(self.upright @ up).argmax()]
        row[3:6] = np.cross(u, up)
        return row, float(np.cos(TILT - _SLACK) - u @ up)

    @cached_property
    def touching(self) -> ContactSet:
        """The contacts without the frames."""
        if not self.frames:
            return self.contacts
        return self.contacts.only([name not in self.frames for name in self.contacts.names])

    @property
    def robot(self) -> Robot:
        """Whose contacts they are."""
        return self.contacts.robot

    def error(self, q: Array | State) -> Array:
        """Return the errors of all contacts, then of the centre of mass, then of the robot's
        closures, of exact tasks, and of links that are too near (m,) [m, rad]."""
        wanted, state = np.isfinite(self.com), State.of(self.robot, q)
        com = state.com - self.com
        near = self.clearance.error(state.q) if self.clearance else np.zeros(0)
        touching = self.contacts.error(state, self.places(state))
        exact = self.exact.error(state)
        return np.concatenate([touching, com[wanted], self._open(state), exact, near])

    def _open(self, state: State) -> Array:
        return state.closure_error if self.robot.closures else np.zeros(0)

    def reached(self, error: Array, tolerance: float) -> bool:
        """Whether errors (m,) are within a tolerance, and closures within `CLOSED` too."""
        return bool((np.abs(error) <= np.minimum(tolerance, self._largest)).all())

    @cached_property
    def _largest(self) -> Array:
        """(m,), what is allowed whatever the tolerance."""
        allowed = np.full(len(self.row_units), np.inf)
        for name, rows in self.parts().items():
            if name.startswith(CLOSURE):
                allowed[rows] = CLOSED
        return allowed

    def places(self, q: Array | State) -> dict[str, Any]:
        """Return {contact: T_world_target}: of a contact on a face the nearest place there."""
        state = State.of(self.robot, q)
        return {
            c.name: landing(state, c, target).target if isinstance(target, Face) else target
            for c, target in ((c, self.targets[c.name]) for c in self.contacts)
        }

    def parts(self) -> dict[str, slice]:
        """Return which rows of the error belong to which contact, "com", "closure …", task or
        "self-collision"."""
        ends = {name: self.contacts.rows(name) for name in self.contacts.names}
        wanted, start = int(np.isfinite(self.com).sum()), self.contacts.dim
        if wanted:
            ends["com"] = slice(start, start := start + wanted)
        for closure in self.robot.closures:
            ends[CLOSURE + closure.name] = slice(start, start := start + closure.dim)
        ends |= self.exact.parts(start)
        if self.clearance:
            ends["self-collision"] = slice(start + len(self.exact), None)
        return ends

    def jacobian(self, q: Array | State) -> Array:
        """Return the derivative (m, nv) of the errors along tangent steps."""
        state = State.of(self.robot, q)
        rows = self.fixed_jacobian(state)
        return np.vstack([rows, self.clearance.jacobian(state)]) if self.clearance else rows

    def fixed_jacobian(self, q: Array | State) -> Array:
        """Return the part that always holds: contacts, centre of mass, closures and tasks, without
        clearances."""
        state = State.of(self.robot, q)
        rows = [self._rows(state, contact, self.targets[contact.name]) for contact in self.contacts]
        rows.append(state.com_jacobian[np.isfinite(self.com)])
        if self.robot.closures:
            rows.append(state.closure_jacobian)
        rows.append(self.exact.error_jacobian(state))
        return np.vstack(rows)

    def _rows(self, state: State, contact: Contact, target: Any) -> Array:
        """The derivative (dim, nv) of a contact's error; on a face of what is not free."""
        if not isinstance(target, Face):
            return contact.error_jacobian(state, target)
        place, counts = landing(state, contact, target)
        rows = contact.error_jacobian(state, place)
        if contact.dim < 6:  # a point: three rows, and the spin of a soft one, which has no place
            rows[:3] = counts[:3, :3] @ rows[:3]
            return rows
        return np.asarray(counts @ rows)

    @cached_property
    def row_units(self) -> Array:
        """(m,), the unit of each error: the robot's size, or a radian; 1 of tasks."""
        units = [np.array([self.size] * 3 + [1.0] * (c.dim - 3)) for c in self.contacts]
        units.append(np.full(int(np.isfinite(self.com).sum()), self.size))
        units += [_closure_units(closure, self.size) for closure in self.robot.closures]
        units.append(np.ones(len(self.exact)))
        units.append(np.full(Clearance.ROWS if self.clearance else 0, self.size))
        return np.concatenate(units)

    @cached_property
    def step_units(self) -> Array:
        """(nv,), the unit of each tangent direction: the robot's size for translations, else 1."""
        return np.where(translations(self.robot), self.size, 1.0)


def _closure_units(closure: Closure, size: float) -> Array:
    """The unit of each row of a closure: a length of the loop's ends, a radian of all else."""
    return np.array(([size] * 3 + [1.0] * 3)[: closure.dim]) if closure.dim > 1 else np.ones(1)


@per_robot
def joint_limits(robot: Robot) -> tuple[Array, Array]:
    """Return (lower, upper) (nv,), limits of the joints [rad or m], ±inf where there are none.

    Joints whose q is not a plain coordinate (balls, continuous joints, the base) have none. The
    arrays are read-only.
    """
    low, high = ranges(robot._model)
    in_q, in_v = plain_coordinates(robot)
    lower: Array = np.full(robot.nv, -np.inf)
    upper: Array = np.full(robot.nv, np.inf)
    lower[in_v], upper[in_v] = low[in_q], high[in_q]
    lower.setflags(write=False)
    upper.setflags(write=False)
    return lower, upper


def travel(robot: Robot, q: Array) -> tuple[Array, Array]:
    """Return how far joint limits let each tangent direction go down (≤ 0) and up (≥ 0) from q."""
    (lower, upper), (in_q, in_v) = joint_limits(robot), plain_coordinates(robot)
    down, up = np.full(robot.nv, -np.inf), np.full(robot.nv, np.inf)
    down[in_v] = np.minimum(lower[in_v] - q[in_q], 0.0)
    up[in_v] = np.maximum(upper[in_v] - q[in_q], 0.0)
    return down, up


class InverseKinematics:
    """Steps towards a goal inside the joint limits.

    Args:
        goal: where contacts and centre of mass should be.
        prefer: (nq,), the configuration to stay near.
        bounded: whether joint limits count.
        hasty: whether to give up where the error stays large and hardly falls.
    """

    def __init__(self, goal: Goal, prefer: Array, bounded: bool, hasty: bool = False) -> None:
        self.goal, self.robot, self.prefer, self.bounded = goal, goal.robot, prefer, bounded
        self.hasty = hasty
        self.joints: Array = np.zeros(self.robot.nv)
        self.joints[6 if self.robot.is_floating else 0 :] = 1.0

    def clipped(self, q: Array) -> Array:
        """Return q with its joints inside their limits."""
        if not self.bounded:
            return q
        inside, (lower, upper) = q.copy(), joint_limits(self.robot)
        in_q, in_v = plain_coordinates(self.robot)
        inside[in_q] = np.clip(q[in_q], lower[in_v], upper[in_v])
        return inside

    def travel(self, q: Array) -> tuple[Array, Array]:
        """Return how far each tangent direction may go down (≤ 0) and up (≥ 0) from q (nv,)."""
        if self.bounded:
            return travel(self.robot, q)
        endless: Array = np.full(self.robot.nv, np.inf)
        return -endless, endless

    def blocked(self, q: Array) -> list[int]:
        """Return the tangent directions at whose limit q is, and that would lessen the error."""
        r = self.goal.error(q) / self.goal.row_units
        slope = (self.goal.jacobian(q) * self.goal.step_units).T @ (r / self.goal.row_units)
        down, up = self.travel(q)
        stuck = ((down > -1e-9) & (slope > 0)) | ((up < 1e-9) & (slope < 0))
        return list(np.flatnonzero(stuck & (np.abs(slope) > 1e-3 * np.linalg.norm(r))))

    def run(self, q: Array, tolerance: float, iterations: int) -> tuple[Array, int]:
        """Return the configuration reached from q and the number of steps tried."""
        state, damping = State(self.robot, self.clipped(q)), 1e-2
        error, sizes = self.goal.error(state), list[float]()
        for k in range(iterations):
            r = error / self.goal.row_units
            sizes.append(float(np.linalg.norm(r)))
            stuck = (
                self.hasty and k >= _PLATEAU and sizes[k] > max(_LARGE, 0.95 * sizes[k - _PLATEAU])
            )
            if self.goal.reached(error, tolerance) or damping > 1e12 or stuck:
                return state.q, k
            # the pull to `prefer` fades with the error, so that it never biases the answer
            pull = min(1.0, sizes[k]) * 0.5 ** max(0, k - 20)
            step = self._step(state, r, damping, 0.1 * pull)
            there = State(self.robot, self.clipped(self.robot.integrate(state.q, step)))
            reached = self.goal.error(there)
            before, after = float(r @ r), float(np.sum((reached / self.goal.row_units) ** 2))
            if after < before * (1 - 1e-8) and self.goal.tilt(there.q) < TILT:
                state, error = there, reached
                damping = max(damping / 8, 1e-6)
            else:
                damping *= 6
        return state.q, iterations

    def _step(self, state: State, r: Array, damping: float, pull: float) -> Array:
        """The x, in units, of least ‖J x + r‖² + damping ‖r‖² ‖x‖² + pull² ‖x + s (q ⊖ prefer)‖².

        The way back lies in the null space of J. From far away it is whole, s = 1, so that the
        answer is near `prefer`; from a moment before it is of the order of ‖r‖ too: a longer one
        brings errors of its own, quadratic in it, and links into each other, which costs steps.
        """
        units = self.goal.step_units
        J = self.goal.jacobian(state) * units / self.goal.row_units[:, None]
        back = min(1.0, _BACK * float(np.linalg.norm(r))) if self.hasty else 1.0
        away = back * self.robot.difference(self.prefer, state.q) / units
        rows = [J, np.sqrt(damping * (r @ r)) * np.eye(len(units)), np.diag(pull * self.joints)]
        right = np.concatenate([-r, np.zeros(len(units)), -pull * self.joints * away])
        down, up = (np.clip(side / units, -_STEP, _STEP) for side in self.travel(state.q))
        return bounded_least_squares(np.vstack(rows), right, down, up) * units


def bounded_least_squares(
    A: Array, b: Array, lower: Array, upper: Array, C: Array | None = None, d: Array | None = None
) -> Array:
    """Return the x of least ‖A x − b‖² with lower ≤ x ≤ upper, 0 where the two meet, and C x = d.

    Which of x are at a bound is guessed, all at once, from the answer of the guess before; what is
    not found so is asked of SciPy, which changes one at a time, with heavy rows for C x = d. Where
    bounds and equations contradict each other, these are met as nearly as possible. Source:
    L. Portugal, J. Júdice, L. Vicente, "A comparison of block pivoting and interior-point
    algorithms for linear least squares problems with nonnegative variables" (1994).
    """
    C, d = (np.zeros((0, len(lower))), np.zeros(0)) if C is None or d is None else (C, d)
    movable = upper - lower > 1e-12
    low, high = np.where(movable, lower, 0.0), np.where(movable, upper, 0.0)
    side = np.where(movable, 0, 1)  # −1 at the lower bound, 1 at the upper, 0 between
    flat = 1e-12 * max(float(np.abs(A).max(initial=0.0)) * float(np.linalg.norm(b)), 1e-300)
    for _ in range(_PIVOTS):
        x = np.where(side < 0, low, np.where(side > 0, high, 0.0))
        between = side == 0
        rest = b - A @ x
        if not len(C):
            x[between] = _least_squares(A[:, between], rest)
            slope = A.T @ (A @ x - b)
        else:
            x[between], multipliers = _with_equations(A[:, between], rest, C[:, between], d - C @ x)
            slope = A.T @ (A @ x - b) + C.T @ multipliers
        leaving = movable & (((side < 0) & (slope < -flat)) | ((side > 0) & (slope > flat)))
        below, above = between & (x < low), between & (x > high)
        if not (leaving | below | above).any():
            return x
        side[below], side[above], side[leaving] = -1, 1, 0
    rows, right = A, b
    if len(C):
        heavy = _HEAVY * max(float(np.abs(A).max(initial=0.0)), 1e-300)
        rows, right = np.vstack([heavy * C, A]), np.concatenate([heavy * d, b])
    x = np.zeros(len(lower))
    inside = (lower[movable], upper[movable])
    answer = scipy.optimize.lsq_linear(rows[:, movable], right, inside, method="bvls", tol=1e-14)
    x[movable] = np.clip(answer.x, *inside)
    if not len(C):
        return x
    between = movable.copy()
    between[movable] = answer.active_mask == 0
    exact = np.where(between, 0.0, x)
    exact[between] = _with_equations(A[:, between], b - A @ exact, C[:, between], d - C @ exact)[0]
    return exact if ((lower <= exact) & (exact <= upper)).all() else x


def _least_squares(A: Array, b: Array) -> Array:
    """The shortest x of least ‖A x − b‖²."""
    return np.asarray(scipy.linalg.lstsq(A, b, lapack_driver="gelsy", check_finite=False)[0])


def _with_equations(A: Array, b: Array, C: Array, d: Array) -> tuple[Array, Array]:
    """The x of least ‖A x − b‖² among those of least ‖C x − d‖², and the multipliers ν with
    Aᵀ(A x − b) + Cᵀν = 0: x = C⁺ d + Z y, with Z a basis of what C takes to 0."""
    U, sizes, Vt = np.linalg.svd(C, full_matrices=True)
    rank = int((sizes > 1e-9 * sizes.max(initial=0.0)).sum())
    U, sizes, across, Z = U[:, :rank], sizes[:rank], Vt[:rank], Vt[rank:].T
    x = across.T @ (U.T @ d / sizes)
    x += Z @ _least_squares(A @ Z, b - A @ x)
    return x, -U @ (across @ (A.T @ (A @ x - b)) / sizes)
