"""Torque margins of many balances: how much of the torque limits the best forces leave.

    maximise s  subject to  A f = w,  f_k ∈ K_k,  |τ(f)| ≤ (1 − s) limits

Cones are cones at any size, so that with f' = f/(1 − s) it is the largest multiple ε = 1/(1 − s) of
the load that balances within the limits: a margin along the load, as the kernel of verdicts has it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ..kernels.verdict import INFINITE, MARGIN
from .balances import Balances
from .problems import Problems, decided

_NONE = 1e-6  # multiples of the load below this leave a margin of −∞


def torque_margins(kernel: Any, problems: Problems, balances: Balances) -> Array:
    """Return the torque margins (N,) of as many balances [-]; see `Verdicts.torque_margin`.

    Args:
        kernel: `kernels.verdict.verdicts`, compiled.
        problems: of the balances.
        balances: for what the kernel does not prove.
    """
    count = len(balances)
    limited = np.isfinite(balances.torque_limits).any(axis=1)
    if not limited.any():
        return np.full(count, np.inf)
    loaded = np.abs(problems.program.w).max(axis=1) > 0  # else nothing to take a multiple of
    found = np.full(count, np.nan)
    if loaded.all():
        multiple, proved = _multiples(kernel, problems)
        found = np.where(proved, _margins(multiple), np.nan)
    found[~np.broadcast_to(limited, count)] = np.inf
    for i in np.flatnonzero(np.isnan(found)).tolist():
        found[i] = balances.at(i).torque_margin().value
    return found


def _multiples(kernel: Any, problems: Problems) -> tuple[Array, NDArray[np.bool_]]:
    """Return ε (N,), and where it is proved."""
    answer = decided(kernel, problems.for_torque_margin().program, problems.layout.sizes, MARGIN)
    return answer.verdict[:, 1], answer.verdict[:, 2] > 0


def _margins(multiple: Array) -> Array:
    """Return 1 − 1/ε."""
    some = np.maximum(multiple, _NONE)
    finite = np.where(multiple >= INFINITE, 1.0, 1.0 - 1.0 / some)
    return np.where(multiple > _NONE, finite, -np.inf)
