"""How kernels of contacts are compiled, and kept on disk: by the means of `dynamics.kernels`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...dynamics.kernels import compiling


def in_lanes(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Return the compiled kernel, whose numbers are eight problems side by side."""
    from . import choices_compiled

    del choices_compiled  # now known to the compiler
    return compiling.compiled(kernel)


def inlined(function: Any) -> Any:
    """Compile a function on floats into those that call it, which may own arrays."""
    return _njit()(forceinline=True, **_OPTIONS)(function)


def kept(function: Any) -> Any:
    """Compile a function that is called from Python, and keep it on disk."""
    from ...dynamics.kernels.disk_cache import cache_of

    dispatcher = _njit()(**_OPTIONS)(function)
    dispatcher._cache = cache_of(function, [function], 1)
    return dispatcher


# sums in any order, but infinities and nan keep their meaning
_OPTIONS: dict[str, Any] = {
    "error_model": "numpy",
    "nogil": True,
    "fastmath": {"contract", "nsz", "reassoc"},
}


def _njit() -> Any:
    from numba import njit

    return njit
