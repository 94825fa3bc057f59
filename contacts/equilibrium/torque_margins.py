"""Torque margins of many balances: how much of the torque limits the best forces leave.

    maximise s  subject to  A f = w,  f_k ∈ K_k,  |τ(f)| ≤ (1 − s) limits

Cones are cones at any size, so that with f' = f/(1 − s) it is the largest multiple ε = 1/(1 − s) of
the load that balances within the limits: a margin along the load, as the kernel of verdicts has it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ..kernels.verdict import INFINITE
from .problems import Problems, decided

_NONE = 1e-6  # multiples of the load below this leave a margin of −∞


def torque_margins(
    kernel: Any, problems: Problems, limited: NDArray[np.bool_], by_solver: Callable[[int], float]
) -> Array:
    """Return the torque margins (N,) of as many balances [-]; see `Verdicts.torque_margin`.

    Args:
        kernel: `kernels.verdict.verdicts`, compiled.
        problems: of the balances.
        limited: (N,), which have any torque limit.
        by_solver: answers for the i-th, where the kernel does not prove it.
    """
    found = np.where(limited, np.nan, np.inf)
    loaded = np.abs(problems.program.w).max(axis=1) > 0  # else nothing to take a multiple of
    if limited.any() and loaded.all():
        program = problems.for_torque_margin().program
        _, multiple, proof, _ = decided(kernel, program, problems.layout.sizes).verdict.T
        found = np.where(limited & (proof > 0), _margins(multiple), found)
    for i in np.flatnonzero(np.isnan(found)).tolist():
        found[i] = by_solver(i)
    return found


def _margins(multiple: Array) -> Array:
    """Return 1 − 1/ε."""
    some = np.maximum(multiple, _NONE)
    finite = np.where(multiple >= INFINITE, 1.0, 1.0 - 1.0 / some)
    return np.where(multiple > _NONE, finite, -np.inf)
