"""Contact limits: friction cones, torsional friction and bounds on normal forces, as data.

K points of C contacts push on the robot with forces f_k in contact axes (two tangents, then the
normal), and soft points with a moment m about their normal besides. Stacked, in newtons, they are
x (n,) = [f_1 … f_K, m/γ of the soft points, others without limits], limited by

    ‖(f_1/μ_1, f_2/μ_2)‖ ≤ f_n              a point: Coulomb's cone, elliptic where μ_1 ≠ μ_2
    ‖(f_1/μ_1, f_2/μ_2, m/γ)‖ ≤ f_n         a soft point, with torsional friction γ [m]
    |Σ_k n·(r_k × f_k)| ≤ γ Σ_k f_n         a patch with torsional friction, about its centre
    lower ≤ Σ_k f_n ≤ upper                 a contact, its whole normal force

A bilateral point has neither a cone nor f_n ≥ 0. The others, such as multipliers of a robot's
closures, enter no norm of x. Velocities u (n,) = [u_1 … u_K, γ ω of the soft points, those of the
others] are dual to x: xᵀu is a power. With M = diag(μ_1, μ_2) the dual of a point's cone is
u_n ≥ ‖(M u_t, γ ω)‖, so that friction takes at most ‖(M u_t, γ ω)‖ of power per newton of normal
force out of a motion, by the force f_t = −f_n M² u_t/‖M u_t‖ (maximum dissipation).

S. Goyal, A. Ruina, J. Papadopoulos, "Planar sliding with dry friction" (1991), for limit surfaces.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array, Index
from .cones.friction_cone import circle
from .cones.soft_finger import sphere
from .conic_solver import Rows
from .contact import Contact

Kind = Literal["exact", "inner", "outer"]


class LinearRows(NamedTuple):
    """Rows A x + T t ≤ b, with t (C,) the normal forces that contacts give besides x.

    Attributes:
        A, T, b: (m, n), (m, C), (m,).
    """

    A: Array
    T: Array
    b: Array


class ConeRows(NamedTuple):
    """Rows A x in second-order cones: of each block a·x first, then B x, with ‖B x‖ ≤ a·x.

    Attributes:
        A: (m, n).
        sizes: of the blocks, one after the other.
    """

    A: Array
    sizes: tuple[int, ...]

    def blocks(self) -> list[tuple[Array, Array]]:
        """Return (a, B) of each cone, a (n,) and B (size − 1, n)."""
        ends = np.cumsum(self.sizes)
        return [(part[0], part[1:]) for part in np.split(self.A, ends[:-1])] if len(ends) else []


@dataclass(frozen=True, eq=False)
class ContactLimits:
    """What K points of C contacts can transmit, in contact axes; see the module for x, u and γ.

    Attributes:
        friction: (K, 2), μ along the two tangents; 0 leaves no force along one, inf (both) no limit
            but f_n ≥ 0.
        bilateral: (K,), points that also pull, without friction limit.
        owner: (K,), index of the contact that each point belongs to, ascending.
        arms: (K, 2), the points from their contact's centre, along the two tangents [m].
        torsion: (C,), γ [m]: of a single point, of its own moment (0: none); of a patch, the limit
            of what its points make (inf: none).
        lower, upper: (C,), bounds of the contact's whole normal force [N], ∓inf for none.
        free: how many unknowns without limits x has besides.
        shares: (C,), what of one newton of margin each contact loses where it presses; None: all of
            it. Parts of one have shares of sum one, by their weights.
    """

    friction: Array
    bilateral: NDArray[np.bool_]
    owner: Index
    arms: Array
    torsion: Array
    lower: Array
    upper: Array
    free: int = 0
    shares: Array | None = None

    @classmethod
    def of(cls, contacts: Iterable[Contact]) -> ContactLimits:
        """Return the limits of some contacts, their points one after the other."""
        every = list(contacts)
        points = [contact.points for contact in every]
        counts = [len(p) for p in points]
        pairs = np.array([np.broadcast_to(c.friction, 2) for c in every], dtype=float)
        bounds = np.array([contact.normal_bounds for contact in every]).reshape(-1, 2)
        return cls(
            friction=np.repeat(pairs.reshape(-1, 2), counts, axis=0),
            bilateral=np.repeat(np.array([c.bilateral for c in every], dtype=bool), counts),
            owner=np.repeat(np.arange(len(every)), counts),
            arms=np.vstack([np.zeros((0, 2)), *(p[:, :2] for p in points)]),
            torsion=np.array([contact.torsion for contact in every], dtype=float),
            lower=bounds[:, 0],
            upper=bounds[:, 1],
            shares=_shares(every),
        )

    @classmethod
    def of_points(cls, friction: Array) -> ContactLimits:
        """Return the limits of hard points that push, each a contact, for μ (K,) or (K, 2)."""
        K, endless = len(friction), np.full(len(friction), np.inf)
        pairs = friction[:, None] * np.ones(2) if friction.ndim == 1 else friction.copy()
        free, arms = np.zeros(K, dtype=bool), np.zeros((K, 2))
        return cls(pairs, free, np.arange(K), arms, np.zeros(K), -endless, endless)

    # --- what there is ----------------------------------------------------------------------------

    @property
    def point_count(self) -> int:
        """K, the number of points at which the ground may push."""
        return len(self.bilateral)

    @property
    def contact_count(self) -> int:
        """C, the number of contacts."""
        return len(self.torsion)

    @property
    def size(self) -> int:
        """Return n, the number of unknowns in x."""
        return self.own + self.free

    @property
    def own(self) -> int:
        """How many unknowns are those of the contacts, the first ones of x."""
        return 3 * self.point_count + len(self.soft)

    @cached_property
    def first(self) -> Index:
        """(C,), the first point of each contact."""
        return np.unique(self.owner, return_index=True)[1]

    @cached_property
    def several(self) -> NDArray[np.bool_]:
        """(C,), contacts of several points: patches."""
        return np.bincount(self.owner, minlength=self.contact_count) > 1

    @cached_property
    def soft(self) -> Index:
        """(T,), contacts that are one point with torsional friction: their moment is an unknown."""
        rubs = (self.torsion > 0) & np.isfinite(self.torsion) & ~self.bilateral[self.first]
        return np.flatnonzero(~self.several & rubs)

    @cached_property
    def yaw_limited(self) -> Index:
        """Contacts of several points whose moment about the normal is limited."""
        limited = np.isfinite(self.torsion) & ~self.bilateral[self.first]
        return np.flatnonzero(self.several & limited)

    @cached_property
    def has_torsion(self) -> bool:
        """Whether torsional friction limits any contact."""
        return len(self.soft) + len(self.yaw_limited) > 0

    @cached_property
    def bounded(self) -> bool:
        """Whether any contact has bounds on its normal force, so that forces do not scale."""
        return bool(np.isfinite(self.lower).any() or np.isfinite(self.upper).any())

    @cached_property
    def plain(self) -> bool:
        """Whether the cones at the points are all that limits x."""
        return not (self.has_torsion or self.bounded)

    @cached_property
    def isotropic(self) -> bool:
        """Whether friction is the same along both tangents, at every point with a cone."""
        held = self.friction[~self.bilateral]
        return bool((held[:, 0] == held[:, 1]).all())

    @cached_property
    def presses(self) -> NDArray[np.bool_]:
        """(C,), contacts whose normal force has a lower bound: what holds both ways has none."""
        return ~self.bilateral[self.first] | np.isfinite(self.lower)

    @cached_property
    def pulls(self) -> Array:
        """(C,), newtons of normal force that one newton of margin takes from each contact."""
        return np.asarray(self.presses * (1.0 if self.shares is None else self.shares))

    @cached_property
    def wrench_rows(self) -> Array:
        """(C, 6, n), the wrench [force; moment] of each contact at its centre, contact axes."""
        rows, K = np.zeros((self.contact_count, 6, self.size)), self.point_count
        for k, (c, (x, y)) in enumerate(zip(self.owner, self.arms, strict=True)):
            rows[c, :3, 3 * k : 3 * k + 3] = np.eye(3)
            rows[c, 3:, 3 * k : 3 * k + 3] = [[0, 0, y], [0, 0, -x], [-y, x, 0]]
        rows[self.soft, 5, 3 * K + np.arange(len(self.soft))] = self.torsion[self.soft]
        return rows

    @property
    def sums(self) -> Array:
        """(C, n), adds up the normal force of each contact."""
        return self.wrench_rows[:, 2]

    @property
    def yaws(self) -> Array:
        """(C, n), the moment about its normal that each contact makes about its centre [m]."""
        return self.wrench_rows[:, 5]

    def components(self, contact: int) -> Index:
        """Return which of [force; moment] (6,) a contact transmits, in contact axes."""
        return np.flatnonzero(self.wrench_rows[contact].any(axis=1))

    @cached_property
    def scaling(self) -> Array:
        """(n,), d with which x = d * g has Lorentz cones in g: ‖(g_1, g_2[, g_m])‖ ≤ g_n.

        A column of a program times d: (μ_1, μ_2, 1) of a point, 1 of a soft point's m/γ. Of
        bilateral points, and of what has no limit, 1.
        """
        cone = ~self.bilateral[:, None] & np.isfinite(self.friction)
        tangents = np.where(cone, self.friction, 1.0)
        points = np.column_stack([tangents, np.ones(self.point_count)]).ravel()
        return np.append(points, np.ones(self.size - len(points)))

    def forces(self, x: Array) -> Array:
        """Return the forces (K, 3) of x, in contact axes [N]."""
        return np.asarray(x[: 3 * self.point_count].reshape(-1, 3))

    def wrenches(self, x: Array, epsilon: float = 0.0) -> Array:
        """Return [force; moment] (C, 6) of the contacts at their centres, contact axes [N, N·m].

        Args:
            x: (n,).
            epsilon: of margin: normal forces besides x, as `pulls` share it [N].
        """
        wrenches = np.asarray(self.wrench_rows @ x)
        wrenches[:, 2] += epsilon * self.pulls
        return wrenches

    # --- the same contacts with other limits ------------------------------------------------------

    def with_friction(self, friction: Any) -> ContactLimits:
        """Return the limits for other friction: one number, (K,), or pairs (K, 2)."""
        mu = np.asarray(friction, dtype=float)
        mu = mu[:, None] if mu.ndim == 1 else mu
        return replace(self, friction=np.array(np.broadcast_to(mu, self.friction.shape)))

    def without_bounds(self) -> ContactLimits:
        """Return the limits without bounds on normal forces."""
        endless = np.full(self.contact_count, np.inf)
        return replace(self, lower=-endless, upper=endless)

    def with_torsion_of_at_least(self, torsion: float) -> ContactLimits:
        """Return the limits with γ of at least so much [m], but for hard points."""
        raised = self.torsion.copy()
        those = np.append(self.soft, self.yaw_limited)
        raised[those] = np.maximum(raised[those], torsion)
        return replace(self, torsion=raised)

    def shrunk(self, factor: float) -> ContactLimits:
        """Return the limits with μ/factor, γ/factor and the points drawn to their centres."""
        torsion = self.torsion.copy()
        torsion[np.isfinite(torsion)] /= factor
        friction, arms = self.friction / factor, self.arms / factor
        return replace(self, friction=friction, torsion=torsion, arms=arms)

    def scaled(self, length: float = 1.0, force: float = 1.0) -> ContactLimits:
        """Return the same limits with lengths and forces in numbers so many times as large."""
        arms, torsion = self.arms * length, self.torsion * length
        lower, upper = self.lower * force, self.upper * force
        return replace(self, arms=arms, torsion=torsion, lower=lower, upper=upper)

    # --- rows for solvers -------------------------------------------------------------------------

    @cached_property
    def cone_weights(self) -> tuple[Array, Array]:
        """μ̄ (K,) and W (K, 2) with ‖W f_t‖ ≤ μ̄ f_n the cone: μ̄ = max μ, so that for μ_1 = μ_2 the
        tangential force has unit weight however small friction is. (1, 0) where friction is inf."""
        rough = np.isinf(self.friction)
        finite = np.where(rough, 0.0, self.friction)
        top = np.where(rough.any(axis=1), 1.0, finite.max(axis=1, initial=0.0))
        W = np.where(finite > 0, top[:, None] / np.where(finite > 0, finite, 1.0), 1.0)
        return top, np.where(rough, 0.0, W)

    @cached_property
    def moment_index(self) -> Index:
        """(K,), where in x the moment of each point is; −1 of hard points and those of patches."""
        moment = np.full(self.point_count, -1)
        moment[self.first[self.soft]] = 3 * self.point_count + np.arange(len(self.soft))
        return moment

    @cached_property
    def locked(self) -> Index:
        """Index into x of the tangential forces that have no friction: they are zero."""
        points, axes = np.nonzero((self.friction == 0) & ~self.bilateral[:, None])
        return 3 * points + axes

    @cached_property
    def _round(self) -> Index:
        """Points with a cone that is more than f_n ≥ 0."""
        top = self.friction.max(axis=1, initial=0.0)
        return np.flatnonzero(~self.bilateral & np.isfinite(top) & (top > 0))

    @cached_property
    def cone_rows(self) -> ConeRows:
        """The cones, (μ̄ f_n, W f_t[, μ̄ m/γ]) in Lorentz's, of points with friction."""
        points, (top, W), moment = self._round, self.cone_weights, self.moment_index
        sizes = np.where(moment[points] < 0, 3, 4)
        A = np.zeros((int(sizes.sum()), self.size))
        row = np.cumsum(sizes) - sizes
        A[row, 3 * points + 2] = top[points]
        A[row + 1, 3 * points], A[row + 2, 3 * points + 1] = W[points].T
        soft = sizes == 4
        A[row[soft] + 3, moment[points[soft]]] = top[points[soft]]
        return ConeRows(A, tuple(sizes.tolist()))

    @cached_property
    def pressing_rows(self) -> LinearRows:
        """f_n ≥ 0 wherever no cone says so, and |m/γ| ≤ f_n of soft points without μ."""
        straight = ~self.bilateral
        straight[self._round] = False
        normal = _unit_rows(3 * np.flatnonzero(straight) + 2, self.size)
        rough = np.flatnonzero(straight & (self.moment_index >= 0))
        under, moment = (
            _unit_rows(i, self.size) for i in (3 * rough + 2, self.moment_index[rough])
        )
        return self._homogeneous(-np.vstack([normal, under - moment, under + moment]))

    @cached_property
    def whole_rows(self) -> LinearRows:
        """What limits contacts as a whole: bounds on normal forces, patches' torsional friction."""
        low, high = np.isfinite(self.lower), np.isfinite(self.upper)
        sums, c = self.sums, self.yaw_limited
        yaws, grip = self.yaws[c], self.torsion[c, None] * sums[c]
        twist = self._homogeneous(np.vstack([yaws - grip, -yaws - grip]))
        each = np.eye(self.contact_count)
        A = np.vstack([-sums[low], sums[high], twist.A])
        T = np.vstack([0 * each[low], each[high], twist.T])
        return LinearRows(A, T, np.concatenate([-self.lower[low], self.upper[high], twist.b]))

    def _homogeneous(self, A: Array) -> LinearRows:
        """A x ≤ 0."""
        return LinearRows(A, np.zeros((len(A), self.contact_count)), np.zeros(len(A)))

    def solver_rows(self, extra: Array, unit: float = 1.0) -> tuple[Rows, Rows, Rows]:
        """Return the rows that are zero, at least zero and in second-order cones, for the solver.

        Args:
            extra: (C, m), what further unknowns e take of each contact's normal force: the rows are
                those of z = [x, e] (n + m,), or of x alone.
            unit: of the forces in z [N].
        """
        zero, (A, T, b), cones = self._solver_rows
        linear = Rows(np.hstack([A, T @ extra]), b / unit) if len(b) else Rows(A, b)
        return zero, linear, cones

    @cached_property
    def _solver_rows(self) -> tuple[Rows, LinearRows, Rows]:
        zero = Rows(_unit_rows(self.locked, self.size), np.zeros(len(self.locked)))
        both = zip(self.pressing_rows, self.whole_rows, strict=True)
        A, sizes = self.cone_rows
        return zero, LinearRows(*map(np.concatenate, both)), Rows(-A, np.zeros(len(A)), sizes)

    def constraints(self, x: Any, extra: Any = None) -> list[Any]:
        """Return all limits as cvxpy constraints on an expression x (n,) [N].

        Args:
            x: what cones and lower bounds are asked of.
            extra: (C,), normal forces besides x, which upper bounds count as well.
        """
        import cvxpy as cp

        zero, (A, T, b), cones = self._solver_rows
        sizes = cones.sizes
        found = [zero.A @ x == 0] if len(zero.b) else []
        if len(b):
            found.append(A @ x <= b if extra is None else A @ x + T @ extra <= b)
        for size in sorted(set(sizes)):
            own = np.repeat(np.array(sizes) == size, sizes)
            rows = -cones.A[own].reshape(-1, size, self.size)
            below = [rows[:, i] @ x for i in range(1, size)]
            found.append(cp.SOC(rows[:, 0] @ x, cp.vstack(below), axis=0))
        return [c for c in found if isinstance(c, cp.Constraint)]

    # --- linear cones -----------------------------------------------------------------------------

    def rays(self, kind: Kind, sides: int) -> tuple[Index, Array]:
        """Return (owner (r,), rays (r, n)) of linear cones in place of the points' round ones.

        x = Σ λ_i ray_i, λ ≥ 0: inscribed pyramids ("inner") accept no forces but admissible ones,
        circumscribed ones ("outer") all of these. Of a point with friction `sides` rays of normal
        part 1, of one without a single one, of a bilateral one ± its axes; of a soft point rings
        around the ball of (f_t, m). What limits contacts as a whole is left out.
        """
        owner, rays = [np.zeros(0, dtype=np.intp)], [np.zeros((0, self.size))]
        for k in range(self.point_count):
            moment, mu = self.moment_index[k], self.friction[k]
            if self.bilateral[k]:
                own = _unit_rows(3 * k + np.arange(3), self.size)
                own = np.vstack([own, -own])
            else:
                d = sphere(sides, kind) if moment >= 0 else circle(sides if mu.any() else 1, kind)
                own = np.zeros((len(d), self.size))
                own[:, 3 * k : 3 * k + 2], own[:, 3 * k + 2] = mu * d[:, :2], 1.0
                if moment >= 0:
                    own[:, moment] = d[:, 2]
            owner.append(np.full(len(own), self.owner[k]))
            rays.append(own)
        return np.concatenate(owner), np.vstack(rays)

    # --- how far x is from them -------------------------------------------------------------------

    def violation(self, x: Array) -> float:
        """Return how far x (n,) leaves its limits: the cones, then contacts as a whole [N]."""
        outside = self.cone_violation(x)
        return outside if self.plain else max(outside, self._whole_violation(x))

    def cone_violation(self, x: Array) -> float:
        """max(‖(W f_t, μ̄ m/γ)‖ − μ̄ f_n, −f_n, 0) over all points, and forces without friction."""
        f, (top, W) = self.forces(x), self.cone_weights
        tangential = np.hypot(*(W * f[:, :2]).T)
        if len(self.soft):
            soft = self.first[self.soft]
            moment = top[soft] * x[3 * self.point_count : self.own]
            tangential[soft] = np.hypot(tangential[soft], moment)
        outside = np.maximum(tangential - top * f[:, 2], -f[:, 2])[~self.bilateral]
        return float(max(outside.max(initial=0.0), np.abs(x[self.locked]).max(initial=0.0)))

    def _whole_violation(self, x: Array) -> float:
        """The bounds on normal forces, and the patches' yaw moments at their points' reach."""
        total, c = self.sums @ x, self.yaw_limited
        reach = np.array([np.linalg.norm(self.arms[self.owner == i], axis=1).max() for i in c])
        yaw = np.abs(self.yaws[c] @ x) - self.torsion[c] * total[c]
        outside = np.maximum(self.lower - total, total - self.upper)
        return float(max(outside.max(initial=0.0), (yaw / reach).max(initial=0.0)))

    # --- against motions --------------------------------------------------------------------------

    def slip(self, u: Array) -> Array:
        """Return ‖(M u_t, γ ω)‖ (K,) of velocities u (n,): the most power that friction takes out.

        Per newton of each point's normal force [m/s]; 0 of bilateral points, which have no friction
        limit.
        """
        v, turning = self.forces(u), np.zeros(self.point_count)
        turning[self.first[self.soft]] = u[3 * self.point_count : self.own]
        rubbing = np.linalg.norm(self.friction * v[:, :2], axis=1)
        return np.where(self.bilateral, 0.0, np.hypot(rubbing, turning))

    def rates(self, u: Array) -> Array:
        """Return r (C,), the least power of each contact per newton of its normal force [m/s].

        r = min_k u_n − ‖(M u_t, γ ω)‖. In a patch with torsional friction the sole may slip about
        its normal with any extra spin δ at the price of γ |δ|:
        r = max_δ min_k (u_k + δ n × r_k)_n,t − γ |δ|.
        """
        v = self.forces(u)
        r = v[:, 2] - self.slip(u)
        least = np.minimum.reduceat(r, self.first) if len(r) else np.zeros(0)
        for i in self.yaw_limited:
            own = self.owner == i
            least[i] = _best_spin(v[own], self.arms[own], self.friction[own], self.torsion[i])
        return least

    def resisted(self, contact: int, v: Array, spin: float) -> float:
        """Return the most power per newton of normal force that friction takes out of a motion.

        Of a patch with torsional friction at most by its sliding and its spin apart.

        Args:
            contact: which one.
            v: velocities (K, 3) of all points [m/s].
            spin: of the contact about its normal [rad/s].
        """
        own, gamma = self.owner == contact, float(self.torsion[contact])
        sliding = self.friction[own] * v[own, :2]
        slip = float(np.linalg.norm(sliding, axis=1).max())
        if not self.several[contact]:
            return float(np.hypot(slip, gamma * spin))
        if not np.isfinite(gamma):
            return slip
        return min(slip, float(np.linalg.norm(sliding.mean(axis=0))) + gamma * abs(spin))

    def least_power(self, u: Array) -> float:
        """Return min_x xᵀu over the admissible x, where `unbraked` is zero [W].

        Σ_c max(r, 0) lower − max(−r, 0) upper; rates that should be zero count as zero.
        """
        r, bounds = self.rates(u), (self.lower, self.upper)
        lower, upper = (np.where(np.isfinite(x), x, 0.0) for x in bounds)
        return float(np.maximum(r, 0) @ lower - np.maximum(-r, 0) @ upper)

    def unbraked(self, u: Array) -> float:
        """Return by how much u leaves what has a least power: what holds moves, or sinks [m/s].

        Contacts without an upper bound must have r ≥ 0, bilateral points u_t = 0 and the u_n of
        their contact, which without a lower bound must not rise either; what has no limit must not
        move.
        """
        r, held = self.rates(u), self.bilateral
        along = np.outer(r[self.owner[held]], [0.0, 0.0, 1.0])
        uneven = np.abs(self.forces(u)[held] - along).max(initial=0.0)
        falls = np.where(np.isinf(self.upper), -r, 0.0).max(initial=0.0)
        endless = held[self.first] & np.isinf(self.lower)
        rises = np.where(endless, r, 0.0).max(initial=0.0)
        moves = np.abs(u[self.own :]).max(initial=0.0)
        return float(max(uneven, falls, rises, moves))


def _shares(contacts: list[Contact]) -> Array:
    """The weight of each contact, over the sum of those of all that are parts of the same."""
    wholes = [contact.part_of or i for i, contact in enumerate(contacts)]
    totals = dict.fromkeys(wholes, 0.0)
    for whole, contact in zip(wholes, contacts, strict=True):
        totals[whole] += contact.weight
    return np.array([c.weight / totals[w] for w, c in zip(wholes, contacts, strict=True)])


def _unit_rows(columns: Index, n: int) -> Array:
    """Rows that pick out some of n unknowns."""
    rows = np.zeros((len(columns), n))
    rows[np.arange(len(columns)), columns] = 1.0
    return rows


def _best_spin(u: Array, arms: Array, friction: Array, torsion: float) -> float:
    """max_δ of min_k u_n − ‖M (u_t + δ n × r_k)‖ − γ |δ|, concave in δ, by golden sections.

    Where |δ| is above every ‖M u_t‖/‖M (n × r_k)‖ all terms fall.
    """
    across = friction * np.column_stack([-arms[:, 1], arms[:, 0]])  # of n × r
    sliding = friction * u[:, :2]

    def rate(spin: float) -> float:
        slip = np.linalg.norm(sliding + spin * across, axis=1)
        return float((u[:, 2] - slip).min() - torsion * abs(spin))

    reach, tangential = np.linalg.norm(across, axis=1), np.linalg.norm(sliding, axis=1)
    turned = reach > 1e-9 * reach.max()
    high = float((tangential[turned] / reach[turned]).max(initial=0.0))
    low, golden = -high, (np.sqrt(5) - 1) / 2
    for _ in range(120):
        left, right = high - golden * (high - low), low + golden * (high - low)
        low, high = (left, high) if rate(left) < rate(right) else (low, right)
    return max(rate((low + high) / 2), rate(0.0))
