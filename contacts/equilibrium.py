"""What the contact forces must do: balance the equations of motion inside their cones.

    Sᵀτ + Σ_k J_kᵀ f_k + h = 0,      f_k ∈ K_k,      |τ| ≤ limits,      h = τ_g + τ_ext − M a − vᵀCv

with one force f_k per vertex of a patch (or per point) and K_k Coulomb's cone, exactly, as a
second-order cone. Every question about a contact is one convex program over these constraints. The
forces are unknowns in contact axes (two tangents, normal), in units of the robot's weight, so that
a solver sees numbers near one for a mouse and for an elephant.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import dynamics
from ..robots import Robot
from .contact_set import ContactSet
from .planar import PlanarSet
from .solving import Solution, solve

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """The data of the balance, all in SI units.

    Attributes:
        load: h (nv,), what contact forces and torques must balance.
        grasp: (nv, 3K), J_kᵀ R_c: what the k-th force, in contact axes, does to the robot.
        central: (nv, 3K), the same were that force applied at its contact's centre.
        friction: (K,), μ at each point; inf keeps only f_n ≥ 0.
        bilateral: (K,), points that can also pull, without friction limit.
        actuated: rows of S, indices into (nv,).
        limits: (na,), largest |τ|, inf without limit.
        weight: the unit of force [N].
        owner: (K,), index of the contact that each point belongs to.
    """

    load: Array
    grasp: Array
    central: Array
    friction: Array
    bilateral: NDArray[np.bool_]
    actuated: NDArray[np.intp]
    limits: Array
    weight: float
    owner: NDArray[np.intp]

    @classmethod
    def of(cls, contacts: ContactSet, q: ArrayLike, load: Array, limits: Array) -> Equilibrium:
        """Return the balance of `load` by these contacts at q."""
        robot = contacts.robot
        grasp, central = [np.zeros((robot.nv, 0))], [np.zeros((robot.nv, 0))]
        for contact in contacts:
            axes = contact.pose(robot, q).rotation
            at_centre = contact.jacobian(robot, q)[:3].T @ axes
            for J in contact.point_jacobians(robot, q):
                grasp.append(J.T @ axes)
                central.append(at_centre)
        counts = [len(contact.points) for contact in contacts]
        return cls(
            load=load,
            grasp=np.hstack(grasp),
            central=np.hstack(central),
            friction=np.repeat([float(c.friction) for c in contacts], counts),
            bilateral=np.repeat([bool(c.bilateral) for c in contacts], counts).astype(bool),
            actuated=np.flatnonzero(robot.selection_matrix.any(axis=0)),
            limits=limits,
            weight=weight(robot),
            owner=np.repeat(np.arange(len(counts)), counts),
        )

    @cached_property
    def normals(self) -> Array:
        """(nv, C), what 1 N along the normal at each contact's centre does to the robot; zero for
        bilateral contacts, which need no pressing."""
        first = np.unique(self.owner, return_index=True)[1]
        return np.asarray(self.central[:, 3 * first + 2] * ~self.bilateral[first])

    @cached_property
    def unactuated(self) -> NDArray[np.intp]:
        """Rows of the equations of motion without a torque: the base, passive joints."""
        return np.setdiff1d(np.arange(len(self.load)), self.actuated)

    @property
    def point_count(self) -> int:
        """K, the number of points at which the ground may push."""
        return len(self.friction)

    def torques(self, forces: Array) -> Array:
        """Return τ (na,) that balances the actuated rows, given forces (K, 3) in contact axes."""
        return np.asarray(-(self.load + self.grasp @ forces.ravel())[self.actuated])

    def residual(self, forces: Array) -> float:
        """Return what is left of the unactuated rows, the largest entry [N or N·m]."""
        rows = (self.load + self.grasp @ forces.ravel())[self.unactuated]
        return float(np.abs(rows).max(initial=0.0))

    def violation(self, forces: Array) -> float:
        """Return how far forces (K, 3) leave their cones, max(‖f_t‖ − μ f_n, −f_n, 0) [N]."""
        normal = forces[:, 2]
        excess = np.linalg.norm(forces[:, :2], axis=1) - self.friction * normal
        worst = np.maximum(excess, -normal)[~self.bilateral]
        return float(max(worst.max(initial=0.0), 0.0))

    def polished(self, forces: Array) -> Array:
        """Return the nearest forces that balance the unactuated rows to rounding."""
        A = self.grasp[self.unactuated]
        missing = -(self.load[self.unactuated] + A @ forces.ravel())
        correction = np.linalg.lstsq(A, missing, rcond=1e-10)[0] if A.size else np.zeros(A.shape[1])
        return np.asarray(forces + correction.reshape(-1, 3))

    # --- the convex programs -----------------------------------------------------------------

    def margin(self) -> Solution:
        """Solve max ε such that every contact can lose ε of normal force at its centre [N].

        The contacts then give Σ J_kᵀ f_k + ε Σ_c J_cᵀ n_c with f_k ∈ K_k. The value is +inf when
        squeezing makes it unbounded, −inf when no pull helps.
        """
        import cvxpy as cp

        forces, epsilon = self._forces(), cp.Variable()
        given = self.grasp @ _flat(forces) + epsilon * self.normals.sum(axis=1)
        problem = cp.Problem(cp.Maximize(epsilon), self._admissible(forces, given))
        return solve(problem, forces).in_units(self.weight, self.weight)

    def least_norm(self) -> Solution:
        """Solve min Σ ‖f_k‖² over the admissible forces [N²]."""
        import cvxpy as cp

        forces = self._forces()
        constraints = self._admissible(forces, self.grasp @ _flat(forces))
        problem = cp.Problem(cp.Minimize(cp.sum_squares(forces)), constraints)
        return solve(problem, forces).in_units(self.weight**2, self.weight)

    def torque_margin(self) -> Solution:
        """Solve max over forces in their cones of the smallest (limit − |τ|)/limit [-]."""
        import cvxpy as cp

        forces, slack = self._forces(), cp.Variable()
        given = self.grasp @ _flat(forces)
        limited = np.isfinite(self.limits)
        torques = self._scaled_torques(given)[limited]
        constraints = replace(self, limits=np.full_like(self.limits, np.inf))._admissible(
            forces, given
        )
        constraints.append(cp.abs(torques) <= (1 - slack) * self.limits[limited] / self.weight)
        problem = cp.Problem(cp.Maximize(slack), constraints)
        return solve(problem, forces).in_units(1.0, self.weight)

    def least_help(self, columns: Array, signed: bool = False) -> Solution:
        """Solve min Σ |p|: how much of other helpers the contacts would need besides their forces.

        Args:
            columns: (nv, m), what a unit of each helper does to the robot.
            signed: whether p may be negative.
        """
        import cvxpy as cp

        forces, p = self._forces(), cp.Variable(columns.shape[1], nonneg=not signed)
        given = self.grasp @ _flat(forces) + columns @ p
        problem = cp.Problem(cp.Minimize(cp.norm1(p)), self._admissible(forces, given))
        return solve(problem, p).in_units(self.weight, self.weight)

    def planar_set(self, columns: Array, reach: float) -> PlanarSet:
        """Return the set of x (2,), |x| ≤ reach, for which load + columns x can be balanced.

        Args:
            columns: (nv, 2), what a unit of each x does to the robot.
            reach: bound on each |x|, in the unit of x.
        """
        import cvxpy as cp

        forces, x, direction = self._forces(), cp.Variable(2), cp.Parameter(2)
        unit = self.weight / np.abs(columns).max()  # x in numbers near one, as the forces are
        given = self.grasp @ _flat(forces) + (columns * unit / self.weight) @ x
        constraints = [*self._admissible(forces, given), cp.abs(x) <= reach / unit]
        problem = cp.Problem(cp.Maximize(direction @ x), constraints)

        def farthest(d: Array) -> Array | None:
            direction.value = d
            unknowns = solve(problem, x).unknowns
            return None if unknowns is None else unknowns * unit

        return farthest

    def shrink_factor(self, tolerance: float) -> float:
        """Return the largest s such that friction/s and patch sizes/s still balance the load [-].

        By bisection on log s: what holds with some friction and size holds with more of both.
        """
        if self._shrunk(np.inf).margin().value >= 0:
            return float("inf")
        low, high = np.log(1e-4), np.log(1e4)
        if self._shrunk(np.exp(low)).margin().value < 0:
            return 0.0
        while high - low > tolerance:
            middle = (low + high) / 2
            holds = self._shrunk(np.exp(middle)).margin().value >= 0
            low, high = (middle, high) if holds else (low, middle)
        return float(np.exp(low))

    def _shrunk(self, factor: float) -> Equilibrium:
        """The same balance with μ/factor, and points drawn to their contacts' centres."""
        grasp = self.central + (self.grasp - self.central) / factor
        return replace(self, friction=self.friction / factor, grasp=grasp)

    def certificate(self, tightening: float = 0.0) -> Solution:
        """Solve for the virtual velocity y, ‖y‖ ≤ 1, along which nothing can stop the robot [W].

            max yᵀh − Σ_j limit_j |S y|_j    with  J_k y ∈ K_k*, i.e. n·u ≥ μ ‖u_t‖ for u = J_k y

        A positive value proves that no admissible forces exist: contact forces cannot take power
        out of the motion y, torques can take at most Σ limit |S y|, and the load puts in more.
        """
        import cvxpy as cp

        y = cp.Variable(len(self.load))
        speeds = self._rows(self.grasp.T @ y)
        held, free = ~self.bilateral, self.bilateral
        limited = np.isfinite(self.limits)
        joint_speeds = y[self.actuated]
        lost = self.limits[limited] @ cp.abs(joint_speeds[limited]) if limited.any() else 0.0
        constraints = [cp.norm(y, 2) <= 1, joint_speeds[~limited] == 0]
        if held.any():
            mu = self.friction[held]
            slip = cp.norm(speeds[held][:, :2], 2, axis=1)
            constraints.append(speeds[held][:, 2] >= cp.multiply(mu, slip) + tightening)
        if free.any():
            constraints.append(speeds[free] == 0)
        problem = cp.Problem(cp.Maximize((self.load @ y - lost) / self.weight), constraints)
        return solve(problem, y).in_units(self.weight, 1.0)

    def certificate_value(self, y: Array) -> float:
        """Return yᵀh − Σ limit |S y| of a virtual velocity y (nv,) [W]."""
        joint_speeds = np.abs(y[self.actuated])
        limited = np.isfinite(self.limits)
        return float(y @ self.load - self.limits[limited] @ joint_speeds[limited])

    def certificate_violation(self, y: Array) -> float:
        """Return by how much J_k y leaves the dual cones, or S y moves unlimited joints [m/s]."""
        u = (self.grasp.T @ y).reshape(-1, 3)
        slack = u[:, 2] - self.friction * np.linalg.norm(u[:, :2], axis=1)
        free = np.concatenate(
            [np.abs(u[self.bilateral]).ravel(), np.abs(y[self.actuated][~np.isfinite(self.limits)])]
        )
        return float(max((-slack[~self.bilateral]).max(initial=0.0), free.max(initial=0.0)))

    # --- their common parts ------------------------------------------------------------------

    def _forces(self) -> Any:
        import cvxpy as cp

        return (
            cp.Variable((self.point_count, 3))
            if self.point_count
            else cp.Constant(np.zeros((0, 3)))
        )

    def _rows(self, stacked: Any) -> Any:
        import cvxpy as cp

        return cp.reshape(stacked, (self.point_count, 3), order="C")

    def _scaled_torques(self, given: Any) -> Any:
        return -(self.load / self.weight + given)[self.actuated]

    def _admissible(self, forces: Any, given: Any) -> list[Any]:
        """Balance of the unactuated rows, torque limits, and every force in its cone."""
        import cvxpy as cp

        limited = np.isfinite(self.limits)
        constraints = []
        if len(self.unactuated):
            constraints.append((self.load / self.weight + given)[self.unactuated] == 0)
        if limited.any():
            torques = self._scaled_torques(given)[limited]
            constraints.append(cp.abs(torques) <= self.limits[limited] / self.weight)
        held, rough = ~self.bilateral, np.isinf(self.friction)
        if held.any():
            constraints.append(forces[held][:, 2] >= 0)
        if (cones := held & ~rough).any():
            bound = cp.multiply(self.friction[cones], forces[cones][:, 2])
            constraints.append(cp.SOC(bound, forces[cones][:, :2], axis=1))
        return constraints


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


def _flat(forces: Any) -> Any:
    import cvxpy as cp

    return cp.reshape(forces, (forces.shape[0] * 3,), order="C")
