# mypy: disable-error-code="no-untyped-def, misc, no-untyped-call"
"""How a controller's kernels are compiled: small functions, inlined into two that Python calls."""

from __future__ import annotations

from typing import Any

from numba import njit

from ...dynamics.kernels.disk_cache import kept

# sums in any order, but infinities and nan keep their meaning
_options: Any = {
    "nogil": True,
    "error_model": "numpy",
    "no_cfunc_wrapper": True,
    "fastmath": {"contract", "nsz", "reassoc"},
}

_inlined: Any = {**_options, "forceinline": True, "no_cpython_wrapper": True}
inlined = njit(**_inlined)


def entry(function):
    """Compile a function that Python calls, and keep it on disk."""
    return kept(njit(**_options)(function))
