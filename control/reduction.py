"""From a program to its reduced form: compiled where Numba is installed, by NumPy where not."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from .null_space import RANK, solutions
from .qp import Program, Reduced, reduced

Array = NDArray[np.float64]
Index = NDArray[np.intp]


class Structure(Protocol):
    """Which entries of v move any contact, and the others."""

    columns: Index
    others: Index


def reduced_by_structure(
    program: Program, structure: Structure, accelerations: bool
) -> Reduced | None:
    """Return the program without its equations, or None when these contradict each other."""
    fits = 0 < program.dim <= len(structure.columns) and len(program.unactuated) <= program.dim
    compiled = _kernel() if fits else None
    if compiled is None:
        return _by_numpy(program, structure, accelerations)
    P = program
    full, *parts = compiled(
        P.M, P.b, P.J, P.k, structure.columns, structure.others, P.unactuated, P.actuated,
        P.A, P.r, P.weight, P.d, P.p, P.P, P.s, P.F, P.N, P.lower, P.upper, P.limits, RANK,
    )  # fmt: skip
    if not full:
        return _by_numpy(program, structure, accelerations)
    small = Reduced(*parts)
    return with_accelerations(small, program) if accelerations else small


def unbounded_answer(small: Reduced) -> Array | None:
    """Return y = −H⁻¹ g where that keeps all bounds, as it mostly does in a robot that stands well.

    A few microseconds, for what costs a solver twenty; None where it does not, or without Numba.
    """
    if _kernel() is None:
        return None
    from .kernels.reduction import unbounded

    kept, y = unbounded(small.H, small.g, small.C, small.low, small.high)
    return y if kept else None


def with_accelerations(small: Reduced, program: Program) -> Reduced:
    """Return the reduced program with bounds on accelerations as further rows."""
    joints, a0 = small.Za[program.actuated], small.a0[program.actuated]
    small.C = np.concatenate([small.C, joints])
    small.low = np.concatenate([small.low, program.slowest - a0])
    small.high = np.concatenate([small.high, program.fastest - a0])
    return small


def _by_numpy(program: Program, structure: Structure, accelerations: bool) -> Reduced | None:
    found = solutions(program, structure.columns)
    return None if found is None else reduced(program, found, accelerations)


@cache
def prepare() -> None:
    """Compile the kernels now, on a body that stands on one foot: seconds, unless cached on disk.

    A controller does so when it is made, so that its first tick is like the others.
    """
    compiled = _kernel()
    if compiled is None:
        return
    from .kernels.reduction import unbounded

    eye, zero, none = np.eye(7), np.zeros(7), np.zeros((0, 6))
    foot, six = np.eye(6, 7), np.arange(6, dtype=np.intp)
    last = np.array([6], dtype=np.intp)
    _, *parts = compiled(
        eye, zero, foot, zero[:6].copy(), six, last, six, last, eye[:1].copy(), zero[:1].copy(),
        np.ones(1), np.ones(7), zero, np.eye(6), zero[:6].copy(), none, np.eye(1, 6),
        np.zeros(1), np.ones(1), np.ones(1), RANK,
    )  # fmt: skip
    small = Reduced(*parts)
    unbounded(small.H, small.g, small.C, small.low, small.high)


@cache
def _kernel() -> Callable[..., Any] | None:
    """The compiled pass; None without Numba."""
    if find_spec("numba") is None:
        return None
    from .kernels.reduction import reduce

    return cast("Callable[..., Any]", reduce)
