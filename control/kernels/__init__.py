"""The compiled parts of a controller's tick; they need Numba (extra `fast`).

To read: `frames`, then `assembly` (what contacts and tasks ask), `equations` (what the equations of
motion leave free), `reduction` (the program there), `minimum` (its answer).
"""

from __future__ import annotations

from functools import cache
from typing import Any

from ...dynamics.kernels.compiling import obstacle


@cache
def compiled(name: str) -> Any:
    """Return the kernel "assemble" or "minimum", or None without Numba."""
    if obstacle():
        return None
    if _numba().config.DISABLE_JIT:
        return None
    from . import assembly, minimum

    return {"assemble": assembly.assemble, "minimum": minimum.minimum}[name]


def prepare(kernel: Any, arguments: tuple[Any, ...]) -> None:
    """Compile a kernel for arguments like these, or read it from disk, unless it is there."""
    if kernel is not None and not getattr(kernel, "signatures", True):
        kernel.compile(tuple(map(_numba().typeof, arguments)))


def _numba() -> Any:
    import numba

    return numba
