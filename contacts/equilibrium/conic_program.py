"""The programs of the balance as matrices, given to the conic solver without a detour.

    minimise ½ zᵀPz + cᵀz   subject to   b − A z ∈ {0}^p × R₊^l × second-order cones

with z = [x/weight, further unknowns]. cvxpy writes the same programs (`reference.py`), some thirty
times slower; the tests hold the two together.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_matrix

from .balance import Balance
from .solving import Solution

Array = NDArray[np.float64]

# what is asked of the solver, the next where it finds no answer: the default, then smaller steps
# with more exact directions, then rows that are not rescaled
_ATTEMPTS: tuple[dict[str, Any], ...] = (
    {"tol": 1e-11},
    {"tol": 1e-11, "max_step_fraction": 0.95, "refinement": 1e-14},
    {"tol": 1e-9, "max_step_fraction": 0.9, "refinement": 1e-14, "equilibrate_enable": False},
)
_ENOUGH = 1e-8  # what it may call an answer when it gets no further
_FAR = 1e4  # weights of margin that count as any


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows b − A z of one kind of cone; `sizes` of the second-order cones, one after the other."""

    A: Array
    b: Array
    sizes: tuple[int, ...] = ()

    @cached_property
    def stirred(self) -> Rows:
        """Without the rows that no unknown enters."""
        kept = self.A.any(axis=1)
        return Rows(self.A[kept], self.b[kept])

    @property
    def unmoved(self) -> Array:
        """b of the rows that no unknown enters."""
        return self.b[~self.A.any(axis=1)]


@dataclass(frozen=True, eq=False)
class Admissible:
    """What limits z = [x, e] (n + m,), all forces in units of the weight.

    As `Equilibrium.admissible` has it: with what e does to the robot, (nv, m), and what it takes
    of each contact's normal force, (C, m).
    """

    balance: Balance
    columns: Array
    taken: Array

    @cached_property
    def given(self) -> Array:
        """(nv, n + m), what a unit of each unknown does to the robot."""
        return np.hstack([self.balance.columns, self.columns])

    @property
    def none(self) -> Rows:
        """No rows."""
        return Rows(np.zeros((0, self.given.shape[1])), np.zeros(0))

    def rows(self, x: Array) -> Array:
        """Return rows on x (…, n) as rows on z, zero on the rest."""
        return np.hstack([x, np.zeros((len(x), self.columns.shape[1]))])

    def balanced(self) -> Rows:
        """The unactuated rows of the equations of motion."""
        free = self.balance.unactuated
        return Rows(self.given[free], -self.balance.load[free] / self.balance.weight)

    def torques(self) -> Rows:
        """|τ| ≤ limits, where there are any."""
        limited = np.isfinite(self.balance.limits)
        rows = self.balance.actuated[limited]
        most = self.balance.limits[limited] / self.balance.weight
        h, G = self.balance.load[rows] / self.balance.weight, self.given[rows]
        return Rows(np.vstack([G, -G]), np.concatenate([most - h, most + h]))

    def pressing(self) -> Rows:
        """f_n ≥ 0 wherever the round cones do not say so, and rough soft points' |m/γ| ≤ f_n."""
        b = self.balance
        if np.isfinite(b.friction).all() and (b.friction > 0).all():
            return self.none
        straight = ~b.bilateral & (np.isinf(b.friction) | (b.friction == 0))
        normal = _unit_rows(3 * np.flatnonzero(straight) + 2, b.columns.shape[1])
        points = b.first[b.soft]
        rough = np.flatnonzero(np.isinf(b.friction[points]))
        share = _unit_rows(3 * b.point_count + rough, b.columns.shape[1])
        under = _unit_rows(3 * points[rough] + 2, b.columns.shape[1])
        A = -np.vstack([normal, under - share, under + share])
        return Rows(self.rows(A), np.zeros(len(A)))

    def whole(self) -> Rows:
        """What limits contacts as a whole: bounds on normal forces, torsional friction."""
        b = self.balance
        if not (b.bounded or len(b.twisting)):
            return self.none
        low, high, c = np.isfinite(b.lower), np.isfinite(b.upper), b.twisting
        sums, yaws = b.sums, b.yaws[c]
        grip = b.torsion[c, None] * sums[c]
        A = np.vstack(
            [
                self.rows(-sums[low]),
                np.hstack([sums[high], self.taken[high]]),
                self.rows(yaws - grip),
                self.rows(-yaws - grip),
            ]
        )
        bounds = np.concatenate([-b.lower[low], b.upper[high]]) / b.weight
        return Rows(A, np.append(bounds, np.zeros(2 * len(c))))

    def cones(self) -> Rows:
        """Coulomb's cones (μ f_n, f_t), those of soft points with their moment, μ m/γ."""
        b = self.balance
        round_ = np.flatnonzero(~b.bilateral & ~np.isinf(b.friction))
        share = np.full(b.point_count, -1)
        share[b.first[b.soft]] = 3 * b.point_count + np.arange(len(b.soft))
        sizes = np.where(share[round_] < 0, 3, 4)
        A = np.zeros((int(sizes.sum()), self.given.shape[1]))
        top, mu = np.cumsum(sizes) - sizes, b.friction[round_]
        A[top, 3 * round_ + 2] = -mu
        A[top + 1, 3 * round_] = A[top + 2, 3 * round_ + 1] = -1.0
        rubs = share[round_] >= 0
        A[top[rubs] + 3, share[round_][rubs]] = -mu[rubs]
        return Rows(A, np.zeros(len(A)), tuple(sizes.tolist()))


def _unit_rows(columns: NDArray[np.intp], n: int) -> Array:
    """Rows that pick out some of n unknowns."""
    rows = np.zeros((len(columns), n))
    rows[np.arange(len(columns)), columns] = 1.0
    return rows


# --- the questions -------------------------------------------------------------------------------


def margin(programs: Programs) -> Solution:
    """Solve for the margin ε, z = [x, ε]: see `Equilibrium.margin`."""
    balance = programs.limits.balance
    n = balance.columns.shape[1]
    answer = programs.best(-np.eye(n + 1)[n])
    if answer.status == "unsolved":  # too near to infeasible or unbounded: |ε| within a fence
        answer = replace(programs, fenced=True).best(-np.eye(n + 1)[n])
        if answer.value <= -0.99 * _FAR:
            answer = Solution("unbounded", -float("inf"))
    return _maximum(answer, n).in_units(balance.weight, balance.weight)


def least_norm(programs: Programs) -> Solution:
    """Solve for the admissible x of least norm: see `Equilibrium.least_norm`."""
    balance = programs.limits.balance
    n = balance.columns.shape[1]
    answer = programs.best(np.zeros(n), np.full(n, 2.0))
    return answer.in_units(balance.weight**2, balance.weight)


@dataclass(frozen=True, eq=False)
class Programs:
    """What margin and forces of a balance are asked of, their matrices made once.

    Attributes:
        limits: what limits z = [x, ε].
        fenced: whether |ε| is limited too.
    """

    limits: Admissible
    fenced: bool = False

    @classmethod
    def of(cls, balance: Balance, shares: Array | None = None) -> Programs:
        """Return them for the shares (C,) of ε that each contact loses, all of it by default."""
        shares = np.ones(len(balance.torsion)) if shares is None else shares
        pull, taken = (balance.normals @ shares)[:, None], (balance.presses * shares)[:, None]
        return cls(Admissible(balance, pull, taken))

    def best(self, cost: Array, diagonal: Array | None = None) -> Solution:
        """The best z, or x if the cost has no entry for ε; its velocity (nv,) if there is one.

        At first as if joints were of any strength: what they can bear stays the best.
        """
        limits, balance = self.limits, self.limits.balance
        answer = self.strong.among(len(cost)).solve(cost, diagonal)
        found = self._with_velocity(answer, np.zeros(0, dtype=np.intp))
        if answer.status == "infeasible" or not np.isfinite(balance.limits).any():
            return found
        torques, z = limits.torques(), answer.unknowns
        if z is not None and (torques.A[:, : len(z)] @ z <= torques.b).all():
            return found
        answer = self.limited.among(len(cost)).solve(cost, diagonal)
        if found.value > 0:  # a margin below zero: what joints of any strength cannot stop
            return replace(answer, velocity=found.velocity)
        return self._with_velocity(answer, balance.actuated[np.isfinite(balance.limits)])

    def _with_velocity(self, answer: Solution, limited: NDArray[np.intp]) -> Solution:
        """Read y, the multipliers of the equations of motion.

        At the optimum nothing is gained by any force, so that the columns' yᵀA lie in the cones'
        duals: y moves the contacts as nothing brakes. Where there is no optimum it is Farkas'
        proof.
        """
        if answer.multipliers is None:
            return answer
        balance = self.limits.balance
        y, free = np.zeros(len(balance.load)), balance.unactuated
        y[free] = answer.multipliers[: len(free)]
        pairs = answer.multipliers[len(free) : len(free) + 2 * len(limited)]
        y[limited] = pairs[: len(limited)] - pairs[len(limited) :]
        return replace(answer, velocity=y)

    @cached_property
    def strong(self) -> Program:
        """Without torque limits."""
        return Program(self.limits.balanced(), *self._rows())

    @cached_property
    def limited(self) -> Program:
        """With them."""
        return Program(self.limits.balanced(), self.limits.torques(), *self._rows())

    def _rows(self) -> tuple[Rows, ...]:
        limits = self.limits
        fence = np.eye(limits.given.shape[1])[-1:]
        fences = [Rows(np.vstack([-fence, fence]), np.full(2, _FAR))] if self.fenced else []
        return (*fences, limits.pressing(), limits.whole(), limits.cones())


def torque_margin(balance: Balance) -> Solution:
    """Solve for the torque margin, z = [x, slack]: see `Equilibrium.torque_margin`."""
    n = balance.columns.shape[1]
    limits = Admissible(
        balance, np.zeros((len(balance.load), 1)), np.zeros((len(balance.torsion), 1))
    )
    torques = limits.torques()
    most = balance.limits[np.isfinite(balance.limits)] / balance.weight
    torques.A[:, n] = np.tile(most, 2)  # |τ| ≤ (1 − slack) limit
    rows = torques, limits.pressing(), limits.whole(), limits.cones()
    answer = Program(limits.balanced(), *rows).solve(-np.eye(n + 1)[n])
    return _maximum(answer, n).in_units(1.0, balance.weight)


def farthest(balance: Balance, columns: Array, reach: float) -> Callable[[Array], Array | None]:
    """Return the set of `Equilibrium.planar_set`, z = [forces, x], its matrices made once."""
    n, unit = balance.columns.shape[1], balance.weight / np.abs(columns).max()
    scaled = columns * unit / balance.weight
    limits = Admissible(balance, scaled, np.zeros((len(balance.torsion), 2)))
    box = np.zeros((4, n + 2))
    box[:2, n:], box[2:, n:] = np.eye(2), -np.eye(2)
    fence = Rows(box, np.full(4, reach / unit))
    whole = (limits.torques(), limits.pressing(), limits.whole(), fence, limits.cones())
    program = Program(limits.balanced(), *whole)

    def along(direction: Array) -> Array | None:
        z = program.solve(np.append(np.zeros(n), -np.asarray(direction))).unknowns
        return None if z is None else z[n:] * unit

    return along


def _maximum(answer: Solution, n: int) -> Solution:
    """The answer to a maximisation of −cᵀz, and its first n unknowns."""
    x = None if answer.unknowns is None else answer.unknowns[:n]
    return replace(answer, value=-answer.value, unknowns=x)


# --- the solver ----------------------------------------------------------------------------------


class Program:
    """A conic program that is asked with several costs.

    Args:
        equal: rows that are zero.
        rows: rows that are non-negative; last those in second-order cones, which have sizes.
    """

    def __init__(self, equal: Rows, *rows: Rows) -> None:
        straight = [part.stirred for part in rows if not part.sizes]
        parts = [equal.stirred, *straight, *(part for part in rows if part.sizes)]
        under = [-part.unmoved.min(initial=0.0) for part in rows if not part.sizes]
        self.hopeless = max(np.abs(equal.unmoved).max(initial=0.0), *under) > _ENOUGH
        self.equal = equal
        stirred = [part.A.any(axis=1) | bool(part.sizes) for part in (equal, *rows)]
        self.stirred = np.concatenate(stirred)
        self.b = np.concatenate([part.b for part in parts])
        self.A = _compressed(np.vstack([part.A for part in parts]))
        self.sizes = [len(parts[0].b), sum(len(part.b) for part in straight)]
        self.sizes += [size for part in rows for size in part.sizes]

    @property
    def cones(self) -> list[Any]:
        """As the solver has them: they do not travel."""
        import clarabel

        equal, straight, *sizes = self.sizes
        round_ = map(clarabel.SecondOrderConeT, sizes)
        return [clarabel.ZeroConeT(equal), clarabel.NonnegativeConeT(straight), *round_]

    def among(self, count: int) -> Program:
        """Return the program of the first unknowns alone, the others being zero."""
        if count == self.A.shape[1]:
            return self
        end, first = self.A.indptr[count], copy(self)
        data, rows = self.A.data[:end], self.A.indices[:end]
        first.A = csc_matrix((data, rows, self.A.indptr[: count + 1]), (len(self.b), count))
        return first

    @property
    def torn(self) -> bool:
        """Whether the equations alone contradict each other, as those of a single point do."""
        A, b = self.equal.A, self.equal.b
        off = A @ np.linalg.lstsq(A, b, rcond=1e-10)[0] - b
        return bool(np.abs(off).max(initial=0.0) > 1e-6 * (1 + np.abs(b).max(initial=0.0)))

    def solve(self, cost: Array, diagonal: Array | None = None) -> Solution:
        """Return the answer for the cost c (n,) and the diagonal of P; no exception escapes."""
        import clarabel

        if self.hopeless:
            return Solution("infeasible", float("inf"))
        if not len(cost):
            return Solution("optimal", 0.0, np.zeros(0))
        P = _diagonal(tuple(np.zeros(len(cost)) if diagonal is None else diagonal))
        asked = P, np.ascontiguousarray(cost), self.A, self.b, self.cones
        answer = Solution("unsolved", float("nan"))
        for attempt in range(len(_ATTEMPTS)):
            try:
                solver = clarabel.DefaultSolver(*asked, _settings(attempt))
                answer = _read(solver.solve())
            except Exception:  # of the solver, whatever they are
                continue
            if answer.status != "unsolved":
                return self._of_all_rows(answer)
        return Solution("infeasible", float("inf")) if self.torn else answer

    def _of_all_rows(self, answer: Solution) -> Solution:
        """The answer with zero multipliers of the rows that no unknown enters."""
        if answer.multipliers is None:
            return answer
        every = np.zeros(len(self.stirred))
        every[self.stirred] = answer.multipliers
        return replace(answer, multipliers=every)


def _compressed(A: Array) -> Any:
    """Return A as a sparse matrix, column by column."""
    columns, rows = np.nonzero(A.T)
    ends = np.zeros(A.shape[1] + 1, dtype=np.int32)
    np.cumsum(np.bincount(columns, minlength=A.shape[1]), out=ends[1:])
    return csc_matrix((A[rows, columns], rows.astype(np.int32), ends), shape=A.shape)


@cache
def _diagonal(values: tuple[float, ...]) -> Any:
    return _compressed(np.diag(values))


@cache
def _settings(attempt: int) -> Any:
    import clarabel

    asked, settings = dict(_ATTEMPTS[attempt]), clarabel.DefaultSettings()
    settings.verbose = False
    tolerance, refinement = asked.pop("tol"), asked.pop("refinement", None)
    for name in ("gap_abs", "gap_rel", "feas", "ktratio"):
        setattr(settings, f"tol_{name}", tolerance)
        setattr(settings, f"reduced_tol_{name}", _ENOUGH)
    settings.reduced_tol_infeas_abs = settings.reduced_tol_infeas_rel = _ENOUGH
    if refinement is not None:
        settings.iterative_refinement_max_iter = 30
        settings.iterative_refinement_reltol = refinement
        settings.iterative_refinement_abstol = refinement
    for name, value in asked.items():
        setattr(settings, name, value)
    return settings


def _read(answer: Any) -> Solution:
    """Statuses as cvxpy names them."""
    status = str(answer.status)
    if status in ("Solved", "AlmostSolved"):
        return Solution("optimal", float(answer.obj_val), np.array(answer.x), np.array(answer.z))
    if status in ("PrimalInfeasible", "AlmostPrimalInfeasible"):
        return Solution("infeasible", float("inf"), multipliers=np.array(answer.z))
    if status in ("DualInfeasible", "AlmostDualInfeasible"):
        return Solution("unbounded", -float("inf"))
    return Solution("unsolved", float("nan"))
