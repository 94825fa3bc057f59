"""From a program to its answer: at once where Numba is installed, or reduced for a solver."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from .kernels import compiled, prepare
from .null_space import RANK, solutions
from .qp import Program, Reduced, reduced

Array = NDArray[np.float64]
Index = NDArray[np.intp]

_AT = 1e-7  # what counts as at a bound, within a solver's tolerance


class Structure(Protocol):
    """Which entries of v move any contact, and the others; the bounds that were active last."""

    columns: Index
    others: Index
    active: NDArray[np.int64]


def minimum(
    program: Program, structure: Structure
) -> tuple[tuple[Array, Array, Array] | None, int]:
    """Return (a, w, τ) of the minimum, and the steps it took from the bounds active last.

    Most ticks of a robot that stands or walks need no other solver. None where the steps do not
    end, where the structure lacks rank, or without Numba.
    """
    kernel = compiled("minimum") if _fits(program, structure) else None
    if kernel is None:
        return None, 0
    found = _room(program)
    steps = kernel(*_arguments(program, structure), *found)
    return (found if steps >= 0 else None), steps


def ready(program: Program, structure: Structure) -> None:
    """See to it that the first tick is like the others: kernels take seconds to compile."""
    prepare(compiled("minimum"), (*_arguments(program, structure), *_room(program)))


def reduced_program(program: Program, structure: Structure, accelerations: bool) -> Reduced | None:
    """Return the program without its equations, or None when these contradict each other."""
    found = solutions(program, structure.columns)
    return None if found is None else reduced(program, found, accelerations)


def remember(structure: Structure, small: Reduced, y: Array) -> None:
    """Take the bounds that a solver's answer is at as those to begin with next."""
    at, active = small.C @ y, structure.active
    active[:] = 0
    active[: len(at)] = (at >= small.high - _AT).astype(int) - (at <= small.low + _AT)


def _fits(program: Program, structure: Structure) -> bool:
    """Whether the equations have the shape that the compiled pass is made for."""
    return 0 < program.dim <= len(structure.columns) and len(program.unactuated) <= program.dim


def _room(P: Program) -> tuple[Array, Array, Array]:
    return np.empty(P.nv), np.empty(P.dim), np.empty(len(P.actuated))


def _arguments(P: Program, structure: Structure) -> tuple[Any, ...]:
    return (
        P.M, P.b, P.J, P.k, structure.columns, structure.others, P.unactuated, P.actuated,
        P.A, P.r, P.weight, P.d, P.p, P.P, P.s, P.F, P.N, P.lower, P.upper, P.limits,
        P.slowest, P.fastest, RANK, structure.active,
    )  # fmt: skip
