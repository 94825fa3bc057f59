"""The balance of contact forces, torques and loads.

    Sᵀτ + Σ_k J_kᵀ f_k + Σ_c J_ω,cᵀ n_c m_c + Bᵀλ + h = 0,     h = τ_g + τ_ext − M a − vᵀCv

with one force f_k per vertex of a patch (or per point) in contact axes, a moment m_c about the
normal for each soft point, and multipliers λ of the robot's closures, of which the orthonormal rows
B span those of J_c; stacked in x (n,) as `ContactLimits` has it, and limited by these (λ by
nothing); torques by |τ − middle| ≤ torque limits, with Sᵀ middle in h (see `TorqueBounds`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array, Index
from ...dynamics import State
from ...dynamics.closures import require_closed
from ...robots import Robot
from ..conic_solver import Program, Rows
from ..contact_set import ContactSet
from ..kernels import compiled
from ..limits import ContactLimits
from ..torque_limits import TorqueBounds
from .problems import Layout, Problems

if TYPE_CHECKING:
    from ..point_forces import PointForces


_layouts: WeakKeyDictionary[ContactSet, dict[bytes, Layout]] = WeakKeyDictionary()
_MOST_LAYOUTS = 64  # kept for one set of contacts
_RANK = 1e-9  # singular values of parts of orthonormal rows below it are zero


@dataclass(frozen=True, eq=False)
class Balance:
    """The data of the balance, all in SI units.

    Attributes:
        load: h (nv,), what contact forces and torques beyond their middle must balance.
        grasp: (nv, 3K), J_kᵀ R_c: what the k-th force, in contact axes, does to the robot.
        central: (nv, 3K), the same were that force applied at its contact's centre.
        spin: (nv, C), J_ω,cᵀ n_c: what a moment about the contact's normal does to the robot.
        closures: Bᵀ (nv, r), what the multipliers λ do; (nv, 0) without closures.
        limits: what limits x.
        actuated: rows of S, indices into (nv,).
        bounds: of the torques, with their middles in `load`.
        weight: the unit of force in which programs are solved [N].
    """

    load: Array
    grasp: Array
    central: Array
    spin: Array
    closures: Array
    limits: ContactLimits
    actuated: Index
    bounds: TorqueBounds
    weight: float

    @classmethod
    def of(
        cls,
        contacts: ContactSet,
        q: ArrayLike | State,
        load: Array,
        torque_limits: Array | TorqueBounds,
    ) -> Self:
        """Return the balance of `load` by these contacts at q (nq,), or in a State.

        Args:
            contacts, q: what touches, and where.
            load: h = τ_g + τ_ext − M a − vᵀCv (nv,), without the middle of the torques.
            torque_limits: bounds of the torques, or (na,) the largest |τ|.

        Raises:
            ConfigurationError: closures are open at q.
        """
        robot, limits, state = contacts.robot, contacts.limits, State.of(contacts.robot, q)
        bounds = TorqueBounds.of(torque_limits)
        axes, J = contacts.attachment.rotations(state), contacts.attachment.centre_jacobians(state)
        C, _, nv = J.shape
        # what a unit of each velocity does to the contacts' centres, in their axes
        turned = axes.transpose(0, 2, 1)[:, None] @ J.reshape(C, 2, 3, nv)
        n = 3 * limits.point_count
        wrenches, closures = limits.wrench_rows[:, :, :n], np.zeros((nv, 0))
        if robot.closures:
            require_closed(state)
            closures = np.ascontiguousarray(state.closure_basis.T)
            limits = replace(limits, free=closures.shape[1])
        found = cls(
            load=bounds.shifted(robot, load),
            grasp=turned.reshape(6 * C, nv).T @ wrenches.reshape(6 * C, n),
            central=turned[:, 0].reshape(3 * C, nv).T @ wrenches[:, :3].reshape(3 * C, n),
            spin=np.ascontiguousarray(turned[:, 1, 2].T),
            closures=closures,
            limits=limits,
            actuated=robot.actuated_rows,
            bounds=bounds,
            weight=weight(robot),
        )
        if not robot.closures:
            vars(found)["layout"] = layout_of(contacts, bounds)
        return found

    @classmethod
    def of_body(cls, forces: PointForces, load: Array) -> Self:
        """Return Newton-Euler of one body (6,): Σ [f_k; p_k × f_k] + load = 0, without torques.

        Args:
            forces: where forces act, and what limits them.
            load: (6,), wrench about the same point as the points' places.
        """
        return cls(
            load=load,
            grasp=forces.grasp,
            central=forces.central,
            spin=np.vstack([np.zeros((3, len(forces.centres))), forces.centre_normals.T]),
            closures=np.zeros((6, 0)),
            limits=forces.limits,
            actuated=np.zeros(0, dtype=np.intp),
            bounds=TorqueBounds.about(np.zeros(0)),
            weight=1.0,
        )

    # --- the unknowns ------------------------------------------------------------------------

    @cached_property
    def columns(self) -> Array:
        """(nv, n), what a newton of each unknown of x does to the robot."""
        soft = self.limits.soft
        if not len(soft) and not self.limits.free:
            return self.grasp
        turns = self.spin[:, soft] * self.limits.torsion[soft]
        return np.hstack([self.grasp, turns, self.closures])

    @cached_property
    def normals(self) -> Array:
        """(nv, C), what 1 N along the normal at each contact's centre does to the robot; zero for
        contacts that need no pressing."""
        limits = self.limits
        return np.asarray(self.central[:, 3 * limits.first + 2] * limits.presses)

    @property
    def pull(self) -> Array:
        """(nv,), what a newton of margin does to the robot: normals shared as limits say."""
        return np.asarray(self.normals @ self.limits.pulls)

    @cached_property
    def unactuated(self) -> Index:
        """Rows of the equations of motion without a torque: the base, passive joints."""
        return others(len(self.load), self.actuated)

    @cached_property
    def layout(self) -> Layout:
        """Which entry is which in the kernel's problems."""
        rows = self.unactuated, self.actuated
        return Layout(self.limits, *rows, np.isfinite(self.torque_limits), self.weight)

    @cached_property
    def problem(self) -> Problems | None:
        """The margin's scaled problem; None for contacts that the kernel does not know, or while
        the conic solver is sooner than compiling."""
        kernels = compiled.select(1) if self.layout.known else None
        return None if kernels is None else self.scaled_problem(kernels.scale)

    def scaled_problem(self, scaling: Any) -> Problems:
        """Return the same by `kernels.contact_columns.scale_rows`, compiled or not."""
        columns, pulls = self.layout.spread(self.columns)[None], self.pull[None]
        given = columns, pulls, self.load[None], self.torque_limits[None]
        return Problems.of(self.layout, *given, scaling)

    def with_limits(self, limits: ContactLimits) -> Self:
        """Return the same balance with other limits of the same contacts."""
        return replace(self, limits=limits)

    def shrunk(self, factor: float) -> Self:
        """Return the balance with μ/factor, γ/factor, points drawn to their contacts' centres."""
        grasp = self.central + (self.grasp - self.central) / factor
        return replace(self, limits=self.limits.shrunk(factor), grasp=grasp)

    @cached_property
    def scaled_limits(self) -> ContactLimits:
        """What limits x/weight."""
        return self.limits.scaled(force=1.0 / self.weight)

    @property
    def torque_limits(self) -> Array:
        """(na,), largest |τ − middle|, inf without limit."""
        return self.bounds.half

    # --- how well x does ---------------------------------------------------------------------

    def torques(self, x: Array) -> Array:
        """Return τ (na,) that balances the actuated rows, given x (n,)."""
        return self.torques_off_middle(x) + self.bounds.middle

    def torques_off_middle(self, x: Array) -> Array:
        """Return τ − middle (na,), which `torque_limits` are about."""
        return np.asarray(-(self.load + self.columns @ x)[self.actuated])

    def residual(self, x: Array) -> float:
        """Return what is left of the unactuated rows, the largest entry [N or N·m]."""
        rows = (self.load + self.columns @ x)[self.unactuated]
        return float(np.abs(rows).max(initial=0.0))

    def admits(self, x: Array, left: float, outside: float = 0.0) -> bool:
        """Whether x leaves no more of the balance, and is no farther outside of its limits."""
        beyond = np.abs(self.torques_off_middle(x)) - self.torque_limits
        over = max(self.limits.violation(x), float(beyond.max(initial=0.0)))
        return self.residual(x) <= left and over <= outside

    def polished(self, x: Array) -> Array:
        """Return the nearest unknowns that balance the unactuated rows to rounding.

        Nearest by the contacts' forces, whatever the multipliers of closures.
        """
        A, own = self.columns[self.unactuated], self.limits.own
        missing = -(self.load[self.unactuated] + A @ x)
        if not A.size:
            return x.copy()
        if not self.limits.free:
            return np.asarray(x + np.linalg.lstsq(A, missing, rcond=1e-10)[0])
        N, _ = self._loops
        forces = np.linalg.lstsq(N.T @ A[:, :own], N.T @ missing, rcond=1e-10)[0]
        missing -= A[:, :own] @ forces
        inner = least_solution(A[:, own:], missing)
        return np.asarray(x + np.concatenate([forces, inner]))

    @cached_property
    def _loops(self) -> tuple[Array, Array]:
        """N with Nᵀ Bᵀ = 0 in the unactuated rows, W with Bᵀ W = 0 there: what closures cannot do
        to them, and what closures do to motors alone."""
        U, s, V = np.linalg.svd(self.closures[self.unactuated])
        rank = int((s > _RANK).sum())
        return U[:, rank:], V[rank:].T

    def inner(self, x: Array) -> Array:
        """Return Bᵀλ (nv,), what closures give."""
        return np.asarray(self.closures @ x[self.limits.own :])

    def with_least_torques(self, x: Array) -> Array:
        """Return x with those multipliers of closures, for the same forces, of least Στ².

        Where loops leave torques open: two arms that hold each other.
        """
        _, W = self._loops
        if not W.size:
            return x
        # τ = t − G z for multipliers more by W z
        t, G = self.torques(x), self.closures[self.actuated] @ W
        z, off = G.T @ t, self.torques_off_middle(x)  # as the columns of G are orthonormal
        if not (np.abs(off - G @ z) <= self.torque_limits).all():
            limited, unit = np.isfinite(self.torque_limits), self.weight
            most, t, off = self.torque_limits[limited] / unit, t / unit, off[limited] / unit
            rows = np.vstack([-G[limited], G[limited]])
            room = np.concatenate([most - off, most + off])
            found = Program([], Rows(rows, room)).solve(-t @ G, G.T @ G).unknowns
            z = np.zeros(len(z)) if found is None else found * unit
        return np.concatenate([x[: self.limits.own], x[self.limits.own :] + W @ z])


def least_solution(A: Array, b: Array) -> Array:
    """Return the least x with A x nearest to b, for A a part of orthonormal rows or columns.

    Of such a part all may be rounding: zero is what is small by itself, not next to the largest.
    """
    U, s, V = np.linalg.svd(A, full_matrices=False)
    rank = int((s > _RANK).sum())
    return np.asarray(V[:rank].T @ ((U[:, :rank].T @ b) / s[:rank]))


def others(count: int, some: Index) -> Index:
    """Return the indices below `count` that are not among some, ascending."""
    left = np.ones(count, dtype=bool)
    left[some] = False
    return np.flatnonzero(left)


def layout_of(contacts: ContactSet, torque_limits: Array | TorqueBounds) -> Layout:
    """Return the layout of the kernel's problems for contacts of a robot; worked out once."""
    kept, bounds = _layouts.get(contacts), TorqueBounds.of(torque_limits)
    if kept is None:
        kept = _layouts[contacts] = {}
    key = bounds.limited
    if key not in kept:
        if len(kept) >= _MOST_LAYOUTS:
            kept.clear()
        robot, actuated = contacts.robot, contacts.robot.actuated_rows
        rows = others(robot.nv, actuated), actuated
        limited = np.isfinite(bounds.half)
        kept[key] = Layout(contacts.limits, *rows, limited, weight(robot))
    return kept[key]


def weight(robot: Robot) -> float:
    """Return the weight [N], the unit in which problems are solved.

    Of what is weightless that on Earth; 1 N for what has no mass either.
    """
    return robot.weight or robot.earth_weight or 1.0


def down(robot: Robot) -> Array:
    """Return g/‖g‖ (3,), zero without gravity."""
    g = np.asarray(robot._model.gravity.linear)
    return np.asarray(g / (float(np.linalg.norm(g)) or 1.0))
