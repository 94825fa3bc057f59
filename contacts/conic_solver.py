"""Conic programs in matrix form, solved by Clarabel.

    minimise ½ zᵀPz + cᵀz   subject to   b − A z ∈ {0}^p × R₊^l × second-order cones

cvxpy writes the same programs, some thirty times slower.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_matrix

Array = NDArray[np.float64]

# settings of the attempts, the next where the last found no answer: tight; then smaller steps with
# more exact directions; then rows that are not equilibrated
_ATTEMPTS: tuple[dict[str, Any], ...] = (
    {"tol": 1e-11},
    {"tol": 1e-11, "max_step_fraction": 0.95, "refinement": 1e-14},
    {"tol": 1e-9, "max_step_fraction": 0.9, "refinement": 1e-14, "equilibrate_enable": False},
)
_ENOUGH = 1e-8  # tolerance of an answer when the solver gets no further


@dataclass(frozen=True, eq=False)
class Solution:
    """Answer of a solver.

    Attributes:
        status: "optimal", "infeasible", "unbounded" or "unsolved".
        value: of the objective; ±inf when infeasible or unbounded, nan when unsolved.
        unknowns: of the variable asked for, None unless optimal.
        multipliers: of all rows, as the solver gave them.
        velocity: (nv,), those of the equations of motion.
    """

    status: str
    value: float
    unknowns: Array | None = None
    multipliers: Array | None = None
    velocity: Array | None = None

    def in_units(self, value: float, unknowns: float) -> Solution:
        """Return the same solution with value and unknowns multiplied by their units."""
        scaled = None if self.unknowns is None else self.unknowns * unknowns
        return replace(self, value=self.value * value, unknowns=scaled)


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows b − A z of one kind of cone; `sizes` of the second-order cones, one after the other."""

    A: Array
    b: Array
    sizes: tuple[int, ...] = ()

    @cached_property
    def nonzero(self) -> Rows:
        """Without the rows that no unknown enters."""
        kept = self.A.any(axis=1)
        return Rows(self.A[kept], self.b[kept])

    @property
    def constants(self) -> Array:
        """b of the rows that no unknown enters."""
        return self.b[~self.A.any(axis=1)]


class Program:
    """A conic program that is asked with several costs.

    Args:
        equal: rows that are zero.
        rows: rows that are non-negative; last those in second-order cones, which have sizes.
    """

    def __init__(self, equal: Rows, *rows: Rows) -> None:
        linear = [part.nonzero for part in rows if not part.sizes]
        parts = [equal.nonzero, *linear, *(part for part in rows if part.sizes)]
        below = [-part.constants.min(initial=0.0) for part in rows if not part.sizes]
        off = max(np.abs(equal.constants).max(initial=0.0), *below, 0.0)
        self.trivially_infeasible = off > _ENOUGH
        self.equal = equal
        nonzero = [part.A.any(axis=1) | bool(part.sizes) for part in (equal, *rows)]
        self.nonzero = np.concatenate(nonzero)
        self.b = np.concatenate([part.b for part in parts])
        self.A = _compressed(np.vstack([part.A for part in parts]))
        self.sizes = [len(parts[0].b), sum(len(part.b) for part in linear)]
        self.sizes += [size for part in rows for size in part.sizes]

    @property
    def cones(self) -> list[Any]:
        """As the solver has them, made at each call: they cannot be pickled."""
        import clarabel

        equal, linear, *sizes = self.sizes
        round_ = map(clarabel.SecondOrderConeT, sizes)
        return [clarabel.ZeroConeT(equal), clarabel.NonnegativeConeT(linear), *round_]

    def among(self, count: int) -> Program:
        """Return the program of the first unknowns alone, the others being zero."""
        if count == self.A.shape[1]:
            return self
        end, first = self.A.indptr[count], copy(self)
        data, rows = self.A.data[:end], self.A.indices[:end]
        first.A = csc_matrix((data, rows, self.A.indptr[: count + 1]), (len(self.b), count))
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

        if self.trivially_infeasible:
            return Solution("infeasible", float("inf"))
        if not len(cost):
            return Solution("optimal", 0.0, np.zeros(0))
        if quadratic is not None and quadratic.ndim == 2:
            P = csc_matrix(np.triu(quadratic))
        else:
            P = _diagonal(tuple(np.zeros(len(cost)) if quadratic is None else quadratic))
        problem = P, np.ascontiguousarray(cost), self.A, self.b, self.cones
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
        """The answer with zero multipliers of the rows that no unknown enters."""
        if answer.multipliers is None:
            return answer
        every = np.zeros(len(self.nonzero))
        every[self.nonzero] = answer.multipliers
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
        return Solution("optimal", float(answer.obj_val), np.array(answer.x), np.array(answer.z))
    if status in ("PrimalInfeasible", "AlmostPrimalInfeasible"):
        return Solution("infeasible", float("inf"), multipliers=np.array(answer.z))
    if status in ("DualInfeasible", "AlmostDualInfeasible"):
        return Solution("unbounded", -float("inf"))
    return Solution("unsolved", float("nan"))
