# mypy: disable-error-code="no-untyped-def, no-untyped-call"
"""Between arrays with a problem a row and lanes with a problem each."""

from __future__ import annotations

from ...dynamics.kernels.rows import gather
from ...dynamics.kernels.scalars import LANES, as_lanes


def take(X, start, last, out):
    """Write rows start … of X (N or 1, k) to `out` (k, LANES); the last again past the end."""
    if len(X) > 1:
        gather(X, start, last, out)
    else:
        for k in range(X.shape[1]):
            for lane in range(LANES):
                out[k, lane] = X[0, k]


def any_lane(x, flags):
    """Whether x > 0 in any lane; flags (1, LANES) are overwritten."""
    as_lanes(flags)[0] = x
    for lane in range(LANES):  # noqa: SIM110 (Numba knows no generators)
        if flags[0, lane] > 0:
            return True
    return False
