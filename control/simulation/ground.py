"""Time stepping of a robot on frictional ground, with points that stick, slip, break or land.

    M (v⁺ − v) = h (Sᵀτ + τ_g + τ_ext − vᵀCv) + Σ_k J_kᵀ λ_k,     K ∋ λ_k ⟂ u_k + μ ‖u_t,k‖ n ∈ K*

with u_k = J_k v⁺ + (d_k/h) n: a point at the distance d_k may approach by d_k within the step, and
a penetration is corrected at a speed of at most `RECOVERY`. Joint stops (`joint_stops`) are such
points without friction. Closures are kept: the motion without impulses keeps them, and M⁻¹ is then
what impulses do while they hold, M⁻¹ − M⁻¹J_cᵀ(J_c M⁻¹J_cᵀ)⁺J_c M⁻¹. The complementarity problem
is that of `contacts.frictional_forward_dynamics`; here Pinocchio's solvers find the impulses,
warm-started from the last step's. Where μ differs along two tangents K is elliptic: with
μ = max(μ_1, μ_2) and S = diag(μ_1/μ, μ_2/μ, 1), λ = S λ' solves it when λ' solves the round problem
of the rows S J.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ...arrays import Array, Index
from ...contacts import Contact, ContactSet, Terrain
from ...dynamics import State
from ...dynamics.body_points import jacobians_at
from ...dynamics.spatial import cross
from ...dynamics.topology import carried_by
from ...errors import ContactError, SolverError
from ...robots.robot import Robot
from .joint_stops import JointStops
from .sole_edges import POINT, Name, SoleEdges, Touching

REACH = 0.02  # points farther away than this, and too slow to arrive, are left out [m or rad]
RECOVERY = 0.2  # largest speed of the correction of a penetration [m/s or rad/s]
STOP = -2  # of names: joint stops
DIVERGED = 1e4  # speed at which a motion counts as diverged [m/s or rad/s]
TOLERANCE = 1e-8  # absolute [m/s, N·s] and relative, of feasibility and complementarity
ACCEPTED = 1e-6  # residual that is accepted of ADMM, which converges slowly at redundant points
_NONE = np.zeros(3)


class StepResult(NamedTuple):
    """Velocity after a step, and the impulses during it.

    Attributes:
        v: v⁺ (nv,).
        impulses: (K, 3), of the ground on all points, world axes [N·s].
        stops: (nv,), of the joints' stops [N·m·s].
    """

    v: Array
    impulses: Array
    stops: Array


class Point(NamedTuple):
    """A point that may touch: its joint, its position in the joint's axes, its ball's radius.

    `tangent` is the first of the directions along which friction is given, in the joint's axes, or
    in those of the world if not `turns`.
    """

    joint: int
    place: Array
    radius: float
    tangent: Array
    turns: bool


class Ground:
    """A terrain, and the points of a robot that may touch it.

    Args:
        robot: floating base.
        contacts: whose points may touch: patches by their corners, and where edges of the terrain
            are under them (`sole_edges`), balls by their lowest point.
        terrain: anything with `edges`, and `signed_distance`, `distance_and_normal` and
            `own_friction` of points (n, 3).

    Attributes:
        unsolved: number of steps whose impulses have a residual above `ACCEPTED`.

    Raises:
        ContactError: contacts of another kind.
    """

    def __init__(self, robot: Robot, contacts: ContactSet, terrain: Terrain) -> None:
        self.robot, self.contacts, self.terrain = robot, contacts, terrain
        self.points = [p for contact in contacts for p in points_of(robot, contact)]
        places = [np.append(p.place, 1.0) for p in self.points]
        self._places = np.array(places).reshape(-1, 4, 1)
        self._radii = np.array([p.radius for p in self.points])
        self._own_tangents = np.array([p.tangent for p in self.points]).reshape(-1, 3)
        self._turning = np.array([p.turns for p in self.points], dtype=bool)
        self._joint = np.array([p.joint for p in self.points], dtype=np.intp)
        self._mu, self._carried = contacts.limits.friction, carried_by(robot)
        self.stops, self.unsolved = JointStops(robot), 0
        self.edges = SoleEdges(contacts, terrain)
        self._last: dict[Name, Array] = {}  # impulses of the last step, in their axes
        self._solvers: dict[tuple[float, ...], _Impulses] = {}

    def distances(self, q: ArrayLike | State) -> tuple[Array, Array, Array]:
        """Return distances (K,) to the ground [m], normals (K, 3), and touching points (K, 3)."""
        T = State.of(self.robot, q).joint_placements
        centres = (T.take(self._joint, 0) @ self._places)[:, :, 0]
        distances, normals = self.terrain.distance_and_normal(centres)
        return distances - self._radii, normals, centres - self._radii[:, None] * normals

    def step(self, q: Array, v: Array, forces: Array, h: float) -> StepResult:
        """Return v⁺ and impulses after h under generalised forces Sᵀτ + τ_ext (nv,).

        Raises:
            SolverError: the motion blew up.
        """
        state = State(self.robot, q, v)
        free = v + h * state.accelerations(forces)
        if not np.isfinite(free).all() or np.abs(free).max() > DIVERGED:
            raise SolverError("the motion blew up; expected softer gains or a shorter step")
        reach = max(REACH, 2 * h * float(np.abs(free).max()))
        touching, ends = self._touching(state, reach), self.stops.distances(q)
        stopped = np.flatnonzero(ends < reach)
        last, self._last = self._last, {}
        names = touching.names + [(STOP, int(i)) for i in stopped]
        if not names:
            return self._result(free, np.zeros((len(self.points), 3)), stopped, np.zeros(0))
        mu = self._friction(touching.owner, touching.places)
        axes = axes_on(touching.normals, self._tangents(state, touching.owner))
        top = mu.max(axis=1, initial=0.0)
        ratios = np.where(top > 0, mu.T / np.where(top > 0, top, 1.0), 1.0).T
        axes[:, :, :2] *= ratios[:, None]  # S, with which the cone of λ' is round
        J = self._rows(state, touching, axes, stopped)
        JM = self._moved(state, J)
        drift = J @ free
        drift[2::3] += np.maximum(np.append(touching.gaps, ends[stopped]) / h, -RECOVERY)
        radii = np.append(top, np.zeros(len(stopped)))
        guess = np.array([last.get(name, _NONE) for name in names])
        found, solved = self._solver(tuple(radii.tolist())).solve(JM @ J.T, drift, guess)
        self.unsolved += not solved
        self._last = dict(zip(names, found, strict=True))
        count = len(touching.owner)
        pushes = touching.shares.T @ np.einsum("kij,kj->ki", axes, found[:count])
        return self._result(free + JM.T @ found.ravel(), pushes, stopped, found[count:, 2])

    def _touching(self, state: State, reach: float) -> Touching:
        """What is nearer to the ground than `reach` [m]: points, and edges under soles."""
        distances, normals, lowest = self.distances(state)
        near = np.flatnonzero(distances < reach)
        names = [(POINT, int(k)) for k in near]
        own = np.eye(len(self.points))[near]
        points = Touching(distances[near], normals[near], lowest[near], near, names, own)
        edges = self.edges.find(state.joint_placements, reach)
        return points if edges is None else points.with_(edges)

    def _moved(self, state: State, J: Array) -> Array:
        """J M⁻¹ (3k, nv), with closures what impulses do while these hold."""
        if self.robot.closures:
            return np.asarray(state.closure_projection.mobility(J.T).T)
        return np.asarray(np.linalg.solve(state.mass_matrix, J.T).T)

    def _result(self, v: Array, pushes: Array, stopped: Index, torques: Array) -> StepResult:
        """From impulses on points in world axes, and on the stops that are reached."""
        stops = np.zeros(len(self.stops))
        stops[stopped] = torques
        return StepResult(v, pushes, self.stops.torques(stops, len(v)))

    def _rows(self, state: State, touching: Touching, axes: Array, stopped: Index) -> Array:
        """J (3k, nv): of points in their axes; of stops the third rows, the others zero."""
        count, T = len(touching.owner), state.joint_placements
        J = np.zeros((count + len(stopped), 3, self.robot.nv))
        joints = self._joint.take(touching.owner)
        arms = touching.places - T[joints, :, 3]
        of_points = jacobians_at(
            state.joint_columns, T, self._carried, joints, np.zeros_like(arms), arms
        )
        J[:count] = axes.swapaxes(1, 2) @ of_points[:, :3]
        stops = np.arange(count, len(J))
        J[stops, 2, self.stops.rows[stopped]] = self.stops.signs[stopped]
        return J.reshape(-1, self.robot.nv)

    def _friction(self, owner: Index, places: Array) -> Array:
        """μ (k, 2) at places (k, 3): the terrain's where it has its own, else the contact's."""
        return friction_on(self.terrain, places, self._mu[owner])

    def _tangents(self, state: State, owner: Index) -> Array:
        """(k, 3), the directions of the first coefficients of points, world axes."""
        own, R = self._own_tangents[owner], state.joint_placements[self._joint[owner], :, :3]
        return np.where(self._turning[owner, None], (R @ own[:, :, None])[:, :, 0], own)

    def _solver(self, friction: tuple[float, ...]) -> _Impulses:
        if friction not in self._solvers:
            self._solvers[friction] = _Impulses(self.robot._model, friction)
        return self._solvers[friction]


class _Impulses:
    """Pinocchio's ADMM solver for points of given μ, or its PGS where that does not converge."""

    def __init__(self, model: Any, friction: tuple[float, ...]) -> None:
        self._models, self._datas = pin.StdVec_ConstraintModel(), pin.StdVec_ConstraintData()
        for mu in friction:
            point = pin.PointContactConstraintModel(model, 1, pin.SE3.Identity())
            point.setFriction(mu)
            self._models.append(point)
        for constraint in self._models:
            self._datas.append(constraint.createData())
        self._methods = []
        for kind, most in (("ADMM", 200), ("PGS", 500)):
            settings = getattr(pin, f"{kind}SolverSettings")()
            settings.absolute_feasibility_tol = settings.absolute_complementarity_tol = TOLERANCE
            settings.relative_feasibility_tol = settings.relative_complementarity_tol = TOLERANCE
            settings.max_iterations, settings.solve_ncp = most, True
            result = getattr(pin, f"{kind}SolverResult")()
            solver = getattr(pin, f"{kind}ConstraintSolver")(3 * len(friction))
            self._methods.append((solver, settings, result))

    def solve(self, W: Array, w: Array, guess: Array) -> tuple[Array, bool]:
        """Return impulses (k, 3) in the points' axes, near a guess, and whether they are exact."""
        unit = np.trace(W) / len(W)
        # tangents of joint stops: zero rows of J; joints that closures hold: zero to rounding
        idle = np.where(np.diag(W) <= 1e-14 * unit, unit, 0.0)
        # regularised: of the impulses on redundant points the least are taken
        W = W + 1e-9 * unit * np.eye(len(W)) + np.diag(idle)
        best, converged = np.zeros_like(guess), False
        for solver, settings, result in self._methods:
            result.setConstraintImpulseGuess(guess.ravel())
            solver.solve(
                pin.DelassusOperatorDense(W), w, self._models, self._datas, settings, result
            )
            best = np.array(result.retrieveConstraintImpulses()).reshape(-1, 3)
            near = isinstance(result, pin.ADMMSolverResult) and _residual(result) <= ACCEPTED
            converged = bool((result.converged or near) and np.isfinite(best).all())
            if converged:
                break
        if not np.isfinite(best).all():
            raise SolverError("the ground's impulses are not finite; expected a shorter step")
        return best, converged


def _residual(result: Any) -> float:
    """Largest of primal and dual infeasibility and complementarity of ADMM's answer."""
    left = (result.primal_feasibility, result.dual_feasibility, result.complementarity)
    return max(map(float, left)) if np.isfinite(left).all() else np.inf


def points_of(robot: Robot, contact: Contact) -> list[Point]:
    """Return the points of a contact that may touch.

    Raises:
        ContactError: a bilateral contact.
    """
    if contact.bilateral:
        raise ContactError(
            f"{contact.name!r}: got {type(contact).__name__} that is bilateral; expected "
            "patches or points that the ground can push"
        )
    frame = robot._model.frames[robot.frame_id(contact.frame)]
    own, turns = contact.axes_in_frame, contact.axes_in_frame is not None
    T = frame.placement * pin.SE3(np.eye(3) if own is None else own, contact.centre_in_frame)
    tangent = (T.rotation if contact.axes_in_world is None else contact.axes_in_world)[:, 0]
    radius = float(np.linalg.norm(contact.ball_arm))
    joint = int(frame.parentJoint)
    return [Point(joint, np.array(T.act(p)), radius, tangent, turns) for p in contact.points]


def axes_on(normals: Array, tangents: Array) -> Array:
    """Return right-handed axes (k, 3, 3) of which the third columns are the normals (k, 3).

    The first ones are the tangents (k, 3) without their parts along the normals; where nothing is
    left of these, near the world's x or y.
    """
    x = _along_ground(tangents, normals)
    lost = (x * x).sum(axis=1) < 1e-12
    if lost.any():
        seeds = np.where(np.abs(normals[:, :1]) < 0.9, [[1.0, 0, 0]], [[0, 1.0, 0]])
        x[lost] = _along_ground(seeds, normals)[lost]
    x /= np.sqrt((x * x).sum(axis=1))[:, None]
    return np.stack([x, cross(normals.T, x.T).T, normals], axis=2)


def _along_ground(x: Array, normals: Array) -> Array:
    """The parts of vectors (k, 3) across the normals (k, 3)."""
    return np.asarray(x - (x * normals).sum(axis=1)[:, None] * normals)


def friction_on(terrain: Terrain, points: Array, own: Array) -> Array:
    """Return μ (k, 2) at points (k, 3): the terrain's where it has one, else `own` (k, 2)."""
    mu = terrain.own_friction(points)[:, None]
    return np.where(np.isnan(mu), own, mu)
