"""Solvers of the reduced quadratic program: DAQP, warm-started, or Clarabel.

    minimise ½ yᵀH y + gᵀy   such that   low ≤ C y ≤ high

D. Arnström, A. Bemporad, D. Axehill, "A dual active-set solver for embedded quadratic programming
using recursive LDLᵀ updates" (2022); P. Goulart, Y. Chen, "Clarabel" (2024).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from typing import Any, NamedTuple, Protocol

import numpy as np
import scipy

from ...arrays import Array
from ...contacts.conic_solver import cones_of
from ...errors import ConfigurationError

_INFINITE = 1e30  # DAQP's infinity


class Answer(NamedTuple):
    """A solver's answer: y, or None; "optimal", "infeasible" or "unsolved"; its iterations."""

    y: Array | None
    status: str
    iterations: int


class Solver(Protocol):
    """Anything that solves the program above."""

    name: str

    def __call__(self, H: Array, g: Array, C: Array, low: Array, high: Array) -> Answer:
        """Solve; never raise."""

    def reset(self) -> None:
        """Discard the warm start."""


def solver_named(name: str | None) -> Solver:
    """Return "daqp" or "clarabel"; None: DAQP where it is installed.

    Raises:
        ConfigurationError: another name, or DAQP is not installed.
    """
    if name not in (None, "daqp", "clarabel"):
        raise ConfigurationError(f"solver: got {name!r}; expected 'daqp' or 'clarabel'")
    installed = find_spec("daqp") is not None
    if name == "daqp" and not installed:
        raise ConfigurationError("solver 'daqp' is missing; pip install 'footwork[control]'")
    return Daqp() if installed and name != "clarabel" else Clarabel()


def unbounded(H: Array, g: Array, low: Array, high: Array) -> Answer:
    """Return the least y with H y = −g, where y has no bounds; low ≤ 0 ≤ high must hold."""
    if max(low.max(initial=0.0), -high.min(initial=0.0)) > 1e-9:
        return Answer(None, "infeasible", 0)
    if not len(g):
        return Answer(np.zeros(0), "optimal", 0)
    y: Array = np.asarray(np.linalg.lstsq(H, -g, rcond=None)[0], dtype=np.float64)
    lack = np.abs(H @ y + g).max(initial=0.0)
    if not lack <= 1e-9 * (1.0 + np.abs(g).max(initial=0.0)):
        return Answer(None, "unsolved", 0)
    return Answer(y, "optimal", 0)


class Daqp:
    """A dual active-set method, warm-started with the last active set."""

    name = "daqp"

    def __init__(self) -> None:
        import daqp  # noqa: F401, here and not in a tick

        self._model: Any = None
        self._shape: tuple[int, int] = (-1, -1)

    def reset(self) -> None:
        """Discard the warm start."""
        self._shape = (-1, -1)

    def __reduce__(self) -> tuple[type[Daqp], tuple[()]]:
        return Daqp, ()  # without a warm start: the solver's own memory cannot be copied

    def __call__(self, H: Array, g: Array, C: Array, low: Array, high: Array) -> Answer:
        """Solve; where the warm start fails, solve again from a cold one."""
        if not C.size:  # DAQP refuses programs without rows or unknowns
            return unbounded(H, g, low, high)
        low, high = np.maximum(low, -_INFINITE), np.minimum(high, _INFINITE)
        if self._shape == C.shape:
            flag = self._model.update(H=H, f=g, A=C, bupper=high, blower=low)
            if flag >= 0:
                y, _, flag, info = self._model.solve()
                if flag == 1:
                    return Answer(np.array(y), "optimal", int(info["iterations"]))
        return self._cold(H, g, C, low, high)

    def _cold(self, H: Array, g: Array, C: Array, low: Array, high: Array) -> Answer:
        import daqp

        self._model = daqp.Model()
        self._model.settings = {**self._model.settings, "primal_tol": 1e-9, "iter_limit": 1000}
        sense = np.zeros(len(C), dtype=np.int32)
        flag, _ = self._model.setup(H, g, C, high, low, sense)
        if flag >= 0:
            y, _, flag, info = self._model.solve()
            if flag == 1:
                self._shape = C.shape
                return Answer(np.array(y), "optimal", int(info["iterations"]))
        self._shape = (-1, -1)
        return Answer(None, "infeasible" if flag == -1 else "unsolved", 0)


class Clarabel:
    """An interior-point method: no warm start, but robust where H is singular.

    Where it fails, the unknowns are scaled, y = D z with D²ᵢᵢ Hᵢᵢ = 1, so that accelerations and
    forces have one magnitude; and at last costs and bounds too, by the largest gradient, since
    large ones make it report an unbounded cost.
    """

    name = "clarabel"

    def __init__(self) -> None:
        import clarabel  # noqa: F401, here and not in a tick
        import scipy.sparse  # noqa: F401

    def reset(self) -> None:
        """Nothing to discard."""

    def __call__(self, H: Array, g: Array, C: Array, low: Array, high: Array) -> Answer:
        """Solve, in one-sided rows, with the tightest tolerance that it reaches."""
        up, down = np.isfinite(high), np.isfinite(low)
        rows = np.concatenate([C[up], -C[down]])
        bounds = np.concatenate([high[up], -low[down]])
        diagonal, one = np.diagonal(H), np.ones(len(g))
        D = 1.0 / np.sqrt(np.where(diagonal > 1e-14 * diagonal.max(initial=0.0), diagonal, 1.0))
        largest = max(1.0, float(np.abs(g * D).max(initial=0.0)))
        answer = Answer(None, "unsolved", 0)
        for x, size in ((one, 1.0), (D, 1.0), (D, largest)):
            answer = self._scaled(H * x[:, None] * x, g * x / size, rows * x, bounds / size)
            if answer.y is not None:
                return answer._replace(y=size * x * answer.y)
            if answer.status == "infeasible":
                break
        return answer

    def _scaled(self, H: Array, g: Array, rows: Array, bounds: Array) -> Answer:
        for found in by_clarabel(H, g, rows, bounds, (1e-12, 1e-10, 1e-8)):
            status = str(found.status)
            if status == "Solved":
                return Answer(np.array(found.x), "optimal", int(found.iterations))
            if status == "PrimalInfeasible":
                return Answer(None, "infeasible", int(found.iterations))
        return Answer(None, "unsolved", 0)


def by_clarabel(
    H: Array, g: Array, A: Array, b: Array, tolerances: Sequence[float], equalities: int = 0
) -> Iterator[Any]:
    """Yield Clarabel's solutions of min ½ xᵀH x + gᵀx, A x ≤ b, at one tolerance after the other.

    The first `equalities` rows are A x = b.
    """
    import clarabel

    data = scipy.sparse.csc_matrix(np.triu(H)), g, scipy.sparse.csc_matrix(A), b
    cones = cones_of((equalities, len(b) - equalities))
    for tolerance in tolerances:
        yield clarabel.DefaultSolver(*data, cones, clarabel_settings(tolerance)).solve()


def clarabel_settings(tolerance: float) -> Any:
    """Return Clarabel's settings: quiet, with one tolerance of residuals and gap."""
    import clarabel

    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tolerance
    return settings
