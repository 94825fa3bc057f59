"""The data of the balance: what contact forces and torques must do, and what limits them.

    Sᵀτ + Σ_k J_kᵀ f_k + Σ_c J_ω,cᵀ n_c m_c + h = 0,     h = τ_g + τ_ext − M a − vᵀCv

with one force f_k per vertex of a patch (or per point) in contact axes (two tangents, normal), and
a moment m_c about the normal for each soft point. What limits them:

    ‖f_t‖ ≤ μ f_n                      every point, exactly, as a second-order cone
    ‖(f_t/μ, m_c/γ)‖ ≤ f_n             a soft point, with torsional friction γ [m]
    |Σ_k n·(r_k × f_k)| ≤ γ Σ_k f_n    a patch with torsional friction, about its centre
    lower ≤ Σ_k f_n ≤ upper            every contact, its whole normal force
    |τ| ≤ limits

All unknowns are stacked in x (n,) = [f_1 … f_K, m_c/γ of the soft points], so that they are all
forces, in newtons.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ... import dynamics
from ...robots import Robot
from ..contact import cross
from ..contact_set import ContactSet

if TYPE_CHECKING:
    from ..cones.point_forces import PointForces

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Balance:
    """What must be balanced by K points of C contacts, all in SI units.

    Attributes:
        load: h (nv,), what contact forces and torques must balance.
        grasp: (nv, 3K), J_kᵀ R_c: what the k-th force, in contact axes, does to the robot.
        central: (nv, 3K), the same were that force applied at its contact's centre.
        spin: (nv, C), J_ω,cᵀ n_c: what a moment about the contact's normal does to the robot.
        arms: (K, 2), the points in contact axes, from their contact's centre [m].
        friction: (K,), μ at each point; inf keeps only f_n ≥ 0.
        bilateral: (K,), points that can also pull, without friction limit.
        owner: (K,), index of the contact that each point belongs to, ascending.
        torsion: (C,), γ [m]: of a point, its own moment (0: none); of a patch, the limit of what
            its points make (inf: none).
        lower, upper: (C,), bounds of the contact's whole normal force [N], ∓inf for none.
        actuated: rows of S, indices into (nv,).
        limits: (na,), largest |τ|, inf without limit.
        weight: the unit of force in which programs are solved [N].
    """

    load: Array
    grasp: Array
    central: Array
    spin: Array
    arms: Array
    friction: Array
    bilateral: NDArray[np.bool_]
    owner: NDArray[np.intp]
    torsion: Array
    lower: Array
    upper: Array
    actuated: NDArray[np.intp]
    limits: Array
    weight: float

    @classmethod
    def of(cls, contacts: ContactSet, q: ArrayLike, load: Array, limits: Array) -> Self:
        """Return the balance of `load` by these contacts at q."""
        robot, none = contacts.robot, np.zeros((contacts.robot.nv, 0))
        grasp, central, spin, arms = [none], [none], [none], [np.zeros((0, 2))]
        for contact in contacts:
            axes, points = contact.pose(robot, q).rotation, contact.points
            J = contact.centre_jacobian(robot, q)
            linear, angular = axes.T @ J[:3], axes.T @ J[3:]
            # of a point at p, in contact axes: J_v + J_ω × p
            at_points = linear[:, None] + cross(angular[:, None], points.T[:, :, None])
            grasp.append(at_points.transpose(2, 1, 0).reshape(robot.nv, -1))
            central.append(np.tile(linear.T, len(points)))
            spin.append(angular[2:].T)
            arms.append(points[:, :2])
        counts = [len(contact.points) for contact in contacts]
        bounds = np.array([contact.normal_bounds for contact in contacts]).reshape(-1, 2)
        return cls(
            load=load,
            grasp=np.hstack(grasp),
            central=np.hstack(central),
            spin=np.hstack(spin),
            arms=np.vstack(arms),
            friction=np.repeat([float(c.friction) for c in contacts], counts),
            bilateral=np.repeat([bool(c.bilateral) for c in contacts], counts).astype(bool),
            owner=np.repeat(np.arange(len(counts)), counts),
            torsion=np.array([contact.torsion for contact in contacts], dtype=float),
            lower=bounds[:, 0],
            upper=bounds[:, 1],
            actuated=np.flatnonzero(robot.selection_matrix.any(axis=0)),
            limits=limits,
            weight=weight(robot),
        )

    @classmethod
    def of_body(cls, forces: PointForces, load: Array, weight: float = 1.0) -> Self:
        """Return Newton-Euler of one body (6,): Σ [f_k; p_k × f_k] + load = 0, without torques.

        Args:
            forces: where forces act, and what limits them.
            load: (6,), wrench about the same point as the points' places.
            weight: the unit of force in which programs are solved [N].
        """
        return cls(
            load=load,
            grasp=forces.grasp,
            central=forces.central,
            spin=np.vstack([np.zeros((3, len(forces.torsion))), forces.centre_normals.T]),
            arms=forces.arms,
            friction=forces.friction,
            bilateral=forces.bilateral,
            owner=forces.owner,
            torsion=forces.torsion,
            lower=forces.lower,
            upper=forces.upper,
            actuated=np.zeros(0, dtype=np.intp),
            limits=np.zeros(0),
            weight=weight,
        )

    # --- the unknowns ------------------------------------------------------------------------

    @property
    def point_count(self) -> int:
        """K, the number of points at which the ground may push."""
        return len(self.friction)

    @cached_property
    def first(self) -> NDArray[np.intp]:
        """(C,), the first point of each contact."""
        return np.unique(self.owner, return_index=True)[1]

    @cached_property
    def soft(self) -> NDArray[np.intp]:
        """(T,), contacts that are one point with torsional friction: their moment is an unknown."""
        single = np.bincount(self.owner, minlength=len(self.torsion)) == 1
        rubs = (self.torsion > 0) & np.isfinite(self.torsion) & ~self.bilateral[self.first]
        return np.flatnonzero(single & rubs)

    @cached_property
    def twisting(self) -> NDArray[np.intp]:
        """Contacts of several points whose moment about the normal is limited."""
        several = np.bincount(self.owner, minlength=len(self.torsion)) > 1
        limited = np.isfinite(self.torsion) & ~self.bilateral[self.first]
        return np.flatnonzero(several & limited)

    @property
    def rubs(self) -> bool:
        """Whether torsional friction limits any contact."""
        return len(self.soft) + len(self.twisting) > 0

    @property
    def bounded(self) -> bool:
        """Whether any contact has bounds on its normal force."""
        return bool(np.isfinite(self.lower).any() or np.isfinite(self.upper).any())

    @cached_property
    def columns(self) -> Array:
        """(nv, n), what a newton of each unknown of x does to the robot."""
        return np.hstack([self.grasp, self.spin[:, self.soft] * self.torsion[self.soft]])

    @cached_property
    def wrench_rows(self) -> Array:
        """(C, 6, n), the wrench [force; moment] of each contact at its centre, contact axes."""
        rows, k = np.zeros((len(self.torsion), 6, self.columns.shape[1])), self.point_count
        for i, (c, (x, y)) in enumerate(zip(self.owner, self.arms, strict=True)):
            rows[c, :3, 3 * i : 3 * i + 3] = np.eye(3)
            rows[c, 3:, 3 * i : 3 * i + 3] = [[0, 0, y], [0, 0, -x], [-y, x, 0]]
        rows[self.soft, 5, 3 * k + np.arange(len(self.soft))] = self.torsion[self.soft]
        return rows

    @property
    def sums(self) -> Array:
        """(C, n), adds up the normal force of each contact."""
        return self.wrench_rows[:, 2]

    @property
    def yaws(self) -> Array:
        """(C, n), the moment about its normal that each contact makes about its centre [m]."""
        return self.wrench_rows[:, 5]

    @cached_property
    def presses(self) -> NDArray[np.bool_]:
        """(C,), contacts whose normal force has a lower bound: what holds both ways has none."""
        return ~self.bilateral[self.first] | np.isfinite(self.lower)

    @cached_property
    def normals(self) -> Array:
        """(nv, C), what 1 N along the normal at each contact's centre does to the robot; zero for
        contacts that need no pressing."""
        return np.asarray(self.central[:, 3 * self.first + 2] * self.presses)

    @cached_property
    def unactuated(self) -> NDArray[np.intp]:
        """Rows of the equations of motion without a torque: the base, passive joints."""
        return np.setdiff1d(np.arange(len(self.load)), self.actuated)

    def forces(self, x: Array) -> Array:
        """Return the forces (K, 3) of x, in contact axes [N]."""
        return np.asarray(x[: 3 * self.point_count].reshape(-1, 3))

    def moments(self, x: Array) -> Array:
        """Return the moments (C,) that soft points give besides their force, about the normal."""
        moments = np.zeros(len(self.torsion))
        moments[self.soft] = self.torsion[self.soft] * x[3 * self.point_count :]
        return moments

    # --- how well x does ---------------------------------------------------------------------

    def torques(self, x: Array) -> Array:
        """Return τ (na,) that balances the actuated rows, given x (n,)."""
        return np.asarray(-(self.load + self.columns @ x)[self.actuated])

    def residual(self, x: Array) -> float:
        """Return what is left of the unactuated rows, the largest entry [N or N·m]."""
        rows = (self.load + self.columns @ x)[self.unactuated]
        return float(np.abs(rows).max(initial=0.0))

    def violation(self, x: Array) -> float:
        """Return how far x leaves what limits it: the cones, then contacts as a whole [N]."""
        return max(self._cone_violation(x), self._sum_violation(x))

    def _cone_violation(self, x: Array) -> float:
        """max(‖(f_t, μ m/γ)‖ − μ f_n, −f_n, 0) over all points."""
        f = self.forces(x)
        tangent, normal = np.linalg.norm(f[:, :2], axis=1), f[:, 2]
        share = np.zeros(self.point_count)
        share[self.first[self.soft]] = x[3 * self.point_count :]
        rough = np.isinf(self.friction)
        mu = np.where(rough, 1.0, self.friction)
        excess = np.hypot(np.where(rough, 0.0, tangent), mu * share) - mu * normal
        return float(np.maximum(excess, -normal)[~self.bilateral].max(initial=0.0))

    def _sum_violation(self, x: Array) -> float:
        """The bounds on normal forces, and the patches' yaw moments at their points' reach."""
        total, c = self.sums @ x, self.twisting
        reach = np.array([np.linalg.norm(self.arms[self.owner == i], axis=1).max() for i in c])
        yaw = np.abs(self.yaws[c] @ x) - self.torsion[c] * total[c]
        outside = np.maximum(self.lower - total, total - self.upper)
        return float(max(outside.max(initial=0.0), (yaw / reach).max(initial=0.0)))

    def polished(self, x: Array) -> Array:
        """Return the nearest unknowns that balance the unactuated rows to rounding."""
        A = self.columns[self.unactuated]
        missing = -(self.load[self.unactuated] + A @ x)
        return x + np.linalg.lstsq(A, missing, rcond=1e-10)[0] if A.size else x.copy()


def weight(robot: Robot) -> float:
    """Return m ‖g‖ [N], the unit in which problems are solved; 1 N for what weighs nothing."""
    newtons = robot.mass * float(np.linalg.norm(robot.model.gravity.linear))
    return newtons if newtons > 0 else 1.0


def load(robot: Robot, q: ArrayLike, v: ArrayLike, a: ArrayLike, wrenches: Any = None) -> Array:
    """Return h = τ_g + τ_ext − M a − vᵀCv (nv,), to be balanced [N, N·m]."""
    h = -dynamics.inverse_dynamics(robot, q, v, a)
    if wrenches:
        h = h + dynamics.external_torques(robot, q, wrenches)
    return np.asarray(h)
