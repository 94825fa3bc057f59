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

from ...arrays import Array
from ...contacts import Contact, ContactSet, Terrain
from ...contacts.attachment import placement_on_joint
from ...dynamics import State
from ...errors import ContactError, SolverError
from ...robots.robot import Robot
from ...robots.unchecked import unchecked
from ..kernels import TICKS
from ..kernels.impulse_equations import IMPULSE_EQUATIONS, Ends, Places, Tangents
from .impulse_equations import equations
from .joint_stops import JointStops
from .sole_edges import SoleEdges, Touching

REACH = 0.02  # points farther away than this, and too slow to arrive, are left out [m or rad]
STOP = -1  # of names: the first joint stop, then down; points and edges have those from 0 on
DIVERGED = 1e4  # speed at which a motion counts as diverged [m/s or rad/s]
TOLERANCE = 1e-8  # absolute [m/s, N·s] and relative, of feasibility and complementarity
ACCEPTED = 1e-6  # residual that is accepted of ADMM, which converges slowly at redundant points
ANDERSON = 5  # iterations that the accelerated solver remembers
_NOTHING = np.zeros(0, dtype=np.intp), np.zeros((0, 3))


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
        self._tangents = Tangents(
            np.array([p.joint for p in self.points], dtype=np.intp),
            np.array([p.tangent for p in self.points]).reshape(-1, 3),
            np.array([p.turns for p in self.points], dtype=bool),
        )
        self._mu, self._shares = contacts.limits.friction, np.eye(len(self.points))
        self.stops, self.unsolved = JointStops(robot), 0
        self.edges = SoleEdges(contacts, terrain)
        self._last = _NOTHING  # names and impulses of the last step, in their axes
        self._solvers: dict[tuple[float, ...], _Impulses] = {}
        IMPULSE_EQUATIONS.select(TICKS)

    def distances(self, q: ArrayLike | State) -> tuple[Array, Array, Array]:
        """Return distances (K,) to the ground [m], normals (K, 3), and touching points (K, 3)."""
        T = State.of(self.robot, q).joint_placements
        centres = (T.take(self._tangents.joints, 0) @ self._places)[:, :, 0]
        distances, normals = self.terrain.distance_and_normal(centres)
        return distances - self._radii, normals, centres - self._radii[:, None] * normals

    def step(self, q: Array, v: Array, forces: Array, h: float) -> StepResult:
        """Return v⁺ and impulses after h under generalised forces Sᵀτ + τ_ext (nv,).

        q and v are not checked.

        Raises:
            SolverError: the motion blew up.
        """
        state = unchecked(State, robot=self.robot, q=q, v=v)
        free = v + h * state.accelerations(forces)
        fastest = float(np.abs(free).max())
        if not fastest <= DIVERGED:  # nan too
            raise SolverError("the motion blew up; expected softer gains or a shorter step")
        reach = max(REACH, 2 * h * fastest)
        touching, ends = self._touching(state, reach), self.stops.distances(q)
        (stopped,) = (ends < reach).nonzero()
        names = touching.names
        if len(stopped):
            names = np.concatenate([names, STOP - stopped])
        last, self._last = self._last, _NOTHING
        pushes, stops = np.zeros((len(self.points), 3)), np.zeros(len(v))
        if len(names):
            mu = friction_on(self.terrain, touching.places, self._mu[touching.owner])
            places = Places(touching.owner, touching.places, touching.normals, touching.gaps, mu)
            reached = Ends(self.stops.rows[stopped], self.stops.signs[stopped], ends[stopped])
            axes, radii, W, w, JM = equations(state, free, h, self._tangents, places, reached)
            same = names.tobytes() == last[0].tobytes()
            guess = last[1] if same else (names[:, None] == last[0]) @ last[1]
            found, solved = self._solver(tuple(radii.tolist())).solve(W, w, guess)
            self.unsolved += not solved
            self._last = names, found
            free += found.ravel() @ JM
            pushes = touching.shares.T @ (axes @ found[: len(axes), :, None])[:, :, 0]
            if len(stopped):
                stops = self.stops.torques(stopped, found[len(axes) :, 2], len(v))
        return StepResult(free, pushes, stops)

    def _touching(self, state: State, reach: float) -> Touching:
        """What is nearer to the ground than `reach` [m]: points, and edges under soles."""
        distances, normals, lowest = self.distances(state)
        (near,) = (distances < reach).nonzero()
        points = Touching(
            distances[near], normals[near], lowest[near], near, near, self._shares[near]
        )
        edges = self.edges.find(state.joint_placements, reach)
        return points if edges is None else points.with_(edges)

    def _solver(self, friction: tuple[float, ...]) -> _Impulses:
        if friction not in self._solvers:
            self._solvers[friction] = _Impulses(self.robot._model, friction)
        return self._solvers[friction]


class _Impulses:
    """Pinocchio's ADMM solver for points of given μ, accelerated where it does not converge.

    At more than four points Anderson's acceleration needs a tenth of the iterations. Pinocchio's
    PGS does not converge there: its impulses are off by as much as they are large.
    """

    def __init__(self, model: Any, friction: tuple[float, ...]) -> None:
        self._models, self._datas = pin.StdVec_ConstraintModel(), pin.StdVec_ConstraintData()
        for mu in friction:
            point = pin.PointContactConstraintModel(model, 1, pin.SE3.Identity())
            point.setFriction(mu)
            self._models.append(point)
        for constraint in self._models:
            self._datas.append(constraint.createData())
        self._methods = []
        for memory, most in ((0, 200), (ANDERSON, 500)):
            settings = pin.ADMMSolverSettings()
            settings.anderson_capacity = memory
            settings.absolute_feasibility_tol = settings.absolute_complementarity_tol = TOLERANCE
            settings.relative_feasibility_tol = settings.relative_complementarity_tol = TOLERANCE
            settings.max_iterations, settings.solve_ncp = most, True
            result = pin.ADMMSolverResult()
            solver = pin.ADMMConstraintSolver(3 * len(friction))
            self._methods.append((solver, settings, result))

    def solve(self, W: Array, w: Array, guess: Array) -> tuple[Array, bool]:
        """Return impulses (k, 3) in the points' axes, near a guess, and whether they are exact."""
        for solver, settings, result in self._methods:
            result.setConstraintImpulseGuess(guess.ravel())
            mobility = pin.DelassusOperatorDense(W)  # of its own: solvers damp it
            solver.solve(mobility, w, self._models, self._datas, settings, result)
            found = np.array(result.retrieveConstraintImpulses()).reshape(-1, 3)
            finite = bool(np.isfinite(found).all())
            if finite and (result.converged or _residual(result) <= ACCEPTED):
                return found, True
        if not finite:
            raise SolverError("the ground's impulses are not finite; expected a shorter step")
        return found, False


def _residual(result: Any) -> float:
    """Largest of primal and dual infeasibility and complementarity of an answer."""
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
    joint, T = placement_on_joint(robot, contact)
    turns = contact.axes_in_frame is not None
    tangent = (T.rotation if contact.axes_in_world is None else contact.axes_in_world)[:, 0]
    radius = float(np.linalg.norm(contact.ball_arm))
    return [Point(joint, np.array(T.act(p)), radius, tangent, turns) for p in contact.points]


def friction_on(terrain: Terrain, points: Array, own: Array) -> Array:
    """Return μ (k, 2) at points (k, 3): the terrain's where it has one, else `own` (k, 2)."""
    if not terrain.has_friction:
        return own
    mu = terrain.own_friction(points)[:, None]
    return np.where(np.isnan(mu), own, mu)
