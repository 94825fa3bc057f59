"""Conic programs in matrix form, solved by Clarabel.

    minimise ½ zᵀPz + cᵀz   subject to   b − A z ∈ {0}^p × R₊^l × second-order cones

cvxpy writes the same programs, some thirty times slower.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array

# settings of the attempts, the next where the last found no answer: tight; then smaller steps with
# more exact directions; then rows that are not equilibrated. Without refining the directions the
# first would take two thirds of the time, but finds margins of 10⁷ weights where there are none
_ATTEMPTS: tuple[dict[str, Any], ...] = (
    {"tol": 1e-11},
    {"tol": 1e-11, "max_step_fraction": 0.95, "refinement": 1e-14},
    {"tol": 1e-9, "max_step_fraction": 0.9, "refinement": 1e-14, "equilibrate_enable": False},
)
_ENOUGH = 1e-8  # tolerance of an answer when the solver gets no further
_ENDLESS = 1e10  # unknowns of which that tolerance is more than what they are to balance


@dataclass(frozen=True, eq=False)
class Solution:
    """Answer of a solver.

    Attributes:
        status: "optimal", "infeasible", "unbounded" or "unsolved".
        value: of the objective; ±inf when infeasible or unbounded, nan when unsolved.
        unknowns: of the variable asked for, None unless optimal.
        multipliers: of the rows, part by part as the program was given them.
        velocity: (nv,), those of the equations of motion.
    """

    status: str
    value: float
    unknowns: Array | None = None
    multipliers: list[Array] | None = None
    velocity: Array | None = None

    def in_units(self, value: float, unknowns: float) -> Solution:
        """Return the same solution with value and unknowns multiplied by their units."""
        scaled = None if self.unknowns is None else self.unknowns * unknowns
        return replace(self, value=self.value * value, unknowns=scaled)


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows b − A z of one kind of cone; `sizes` of the second-order cones, one after the other.

    Unknowns for which A has no column do not enter.
    """

    A: Array
    b: Array
    sizes: tuple[int, ...] = ()


class Program:
    """A conic program that is asked with several costs.

    Args:
        equal: rows that are zero.
        rows: rows that are non-negative; last those in second-order cones, which have sizes.
    """

    def __init__(self, equal: Sequence[Rows], *rows: Rows) -> None:
        A, self.b = _stacked([*equal, *rows])
        self.ends = [0, *accumulate([len(part.b) for part in (*equal, *rows)])]
        first = sum([len(part.b) for part in equal])
        last = first + sum([len(part.b) for part in rows if not part.sizes])
        self.equal = Rows(A[:first], self.b[:first])
        self.nonzero: NDArray[np.bool_] = np.asarray(A.any(axis=1))
        self.nonzero[last:] = True
        self.contradiction: list[Array] | None = None
        if not self.nonzero.all():  # rows that no unknown enters hold or not, whatever it is
            rest = np.where(self.nonzero, 0.0, self.b)
            off = np.append(np.abs(rest[:first]), -rest[first:])
            worst = off.argmax()
            if off[worst] > _ENOUGH:  # Farkas' multipliers z: bᵀz < 0
                proof = np.where(np.arange(len(off)) == worst, -np.sign(rest), 0.0)
                self.contradiction = self._parts(proof)
            A, self.b = A[self.nonzero], self.b[self.nonzero]
        self.dense, self.A = A, _compressed(A)
        zero, positive = map(np.count_nonzero, (self.nonzero[:first], self.nonzero[first:last]))
        self.sizes = (zero, positive, *[size for part in rows for size in part.sizes])

    def among(self, count: int) -> Program:
        """Return the program of the first unknowns alone, the others being zero."""
        if count == self.A.shape[1]:
            return self
        first = copy(self)
        first.dense = self.dense[:, :count]
        first.A = _compressed(first.dense)
        return first

    @property
    def inconsistent(self) -> bool:
        """Whether the equations alone contradict each other, as those of a single point do."""
        A, b = self.equal.A, self.equal.b
        off = A @ np.linalg.lstsq(A, b, rcond=1e-10)[0] - b
        return bool(np.abs(off).max(initial=0.0) > 1e-6 * (1 + np.abs(b).max(initial=0.0)))

    def solve(self, cost: Array, quadratic: Array | None = None) -> Solution:
        """Return the answer; no exception escapes.

        Args:
            cost: c (n,).
            quadratic: P (n, n), or its diagonal (n,); zero if not given.
        """
        import clarabel

        if self.contradiction is not None:
            return Solution("infeasible", float("inf"), multipliers=self.contradiction)
        if not len(cost):
            return Solution("optimal", 0.0, np.zeros(0))
        if quadratic is not None and quadratic.ndim == 2:
            P = _compressed(np.triu(quadratic))
        else:
            P = _diagonal((0.0,) * len(cost) if quadratic is None else tuple(quadratic.tolist()))
        problem = P, cost.tolist(), self.A, self.b.tolist(), cones_of(self.sizes)
        answer = Solution("unsolved", float("nan"))
        for attempt in range(len(_ATTEMPTS)):
            try:
                solver = clarabel.DefaultSolver(*problem, _settings(attempt))
                answer = _read(solver.solve())
            except Exception:  # of the solver, whatever they are
                continue
            if answer.status != "unsolved":
                return self._of_all_rows(answer)
        return Solution("infeasible", float("inf")) if self.inconsistent else answer

    def _of_all_rows(self, answer: Solution) -> Solution:
        """The answer with its multipliers by parts, zero of the rows that no unknown enters."""
        if answer.multipliers is None:
            return answer
        (every,) = answer.multipliers
        if len(every) < len(self.nonzero):
            every = np.zeros(len(self.nonzero))
            every[self.nonzero] = answer.multipliers[0]
        return replace(answer, multipliers=self._parts(every))

    def _parts(self, multipliers: Array) -> list[Array]:
        return [multipliers[first:last] for first, last in pairwise(self.ends)]


def _stacked(parts: list[Rows]) -> tuple[Array, Array]:
    """Return A and b of all rows, one part after the other."""
    sizes = [part.A.shape for part in parts]
    A, start = np.zeros((sum([m for m, _ in sizes]), max([n for _, n in sizes]))), 0
    for part, (m, n) in zip(parts, sizes, strict=True):
        A[start : start + m, :n] = part.A
        start += m
    return A, np.concatenate([part.b for part in parts])


class Columns(NamedTuple):
    """A sparse matrix column by column, as SciPy's `csc_matrix`.

    In lists, which the solver reads in a third of the time that arrays take.
    """

    data: list[float]
    indices: list[int]
    indptr: list[int]
    shape: tuple[int, int]
    has_canonical_format: bool = True  # sorted, each entry once


def _compressed(A: Array) -> Columns:
    nonzero = A.T != 0
    return Columns(A.T[nonzero].tolist(), *_pattern(nonzero.shape, nonzero.tobytes()), A.shape)


@lru_cache(maxsize=256)
def _pattern(shape: tuple[int, int], nonzero: bytes) -> tuple[list[int], list[int]]:
    """Return the rows of these entries of the transpose, and where each column begins."""
    where = np.frombuffer(nonzero, dtype=bool).reshape(shape)
    return np.nonzero(where)[1].tolist(), [0, *np.cumsum(where.sum(axis=1)).tolist()]


@cache
def cones_of(sizes: tuple[int, ...]) -> list[Any]:
    """Return the solver's cones of rows that are zero, that are non-negative, and of others.

    Programs keep the sizes, which can be pickled.
    """
    import clarabel

    equal, linear, *others = sizes
    round_ = map(clarabel.SecondOrderConeT, others)
    return [clarabel.ZeroConeT(equal), clarabel.NonnegativeConeT(linear), *round_]


@cache
def _diagonal(values: tuple[float, ...]) -> Any:
    return _compressed(np.diag(values))


@cache
def _settings(attempt: int) -> Any:
    import clarabel

    options, settings = dict(_ATTEMPTS[attempt]), clarabel.DefaultSettings()
    settings.verbose = False
    tolerance, refinement = options.pop("tol"), options.pop("refinement", None)
    for name in ("gap_abs", "gap_rel", "feas", "ktratio"):
        setattr(settings, f"tol_{name}", tolerance)
        setattr(settings, f"reduced_tol_{name}", _ENOUGH)
    settings.reduced_tol_infeas_abs = settings.reduced_tol_infeas_rel = _ENOUGH
    if refinement is not None:
        settings.iterative_refinement_max_iter = 30
        settings.iterative_refinement_reltol = refinement
        settings.iterative_refinement_abstol = refinement
    for name, value in options.items():
        setattr(settings, name, value)
    return settings


def _read(answer: Any) -> Solution:
    """Statuses as cvxpy names them."""
    status = str(answer.status)
    if status in ("Solved", "AlmostSolved"):
        x = np.array(answer.x)
        if np.abs(x).max(initial=0.0) > _ENDLESS:  # on the way to infinity, residuals relative to x
            return Solution("unsolved", float("nan"))
        return Solution("optimal", float(answer.obj_val), x, [np.array(answer.z)])
    if status in ("PrimalInfeasible", "AlmostPrimalInfeasible"):
        return Solution("infeasible", float("inf"), multipliers=[np.array(answer.z)])
    if status in ("DualInfeasible", "AlmostDualInfeasible"):
        return Solution("unbounded", -float("inf"))
    return Solution("unsolved", float("nan"))
