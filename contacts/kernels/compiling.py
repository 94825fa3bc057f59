# mypy: disable-error-code="no-untyped-def, misc, no-untyped-call"
"""How kernels of contacts are compiled. Each is one file: Numba's cache sees edits in no other."""

from __future__ import annotations

from typing import Any

from numba import njit

# sums in any order, but infinities and nan keep their meaning
_options: Any = {
    "error_model": "numpy",
    "nogil": True,
    "forceinline": True,  # into each other: a third faster
    "fastmath": {"contract", "nsz", "reassoc"},
}


def compiled(function):
    """Compile, kept on disk where a folder for that can be written."""
    try:
        return njit(cache=True, **_options)(function)
    except RuntimeError:  # no such folder
        return njit(**_options)(function)
