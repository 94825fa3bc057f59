"""From plain Python functions to compiled ones that are kept on disk.

`compiled(kernel)` compiles a kernel with every function of ours that it calls, each inlined into
it: kernels are written as plain functions in as many files as the reader likes, none of which
imports Numba. `disk_cache` keeps the machine code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from importlib.util import find_spec
from types import CodeType, FunctionType
from typing import Any

# what is inlined needs no entries of its own, and compiles faster without them
KERNEL: dict[str, Any] = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
INLINED = {**KERNEL, "forceinline": True, "no_cpython_wrapper": True}


def available() -> bool:
    """Whether kernels can be compiled: Numba (the extra `fast`) is installed."""
    return find_spec("numba") is not None


@cache
def compiled(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Return the compiled kernel; its code is read from disk, or made, when it is first called.

    With NUMBA_DISABLE_JIT set it is the plain kernel, on rows of NumPy.
    """
    numba = _numba()
    if numba.config.DISABLE_JIT:
        return kernel
    from .disk_cache import cache_of
    from .lanes import COUNTERPARTS

    translated = _translated(kernel, COUNTERPARTS)
    dispatcher: Callable[..., Any] = numba.njit(**KERNEL)(translated)
    vars(dispatcher)["_cache"] = cache_of(kernel, reached(kernel))
    return dispatcher


def _numba() -> Any:
    import numba

    return numba


def _translated(function: Any, inlined: dict[Any, Any]) -> FunctionType:
    """Return a copy of `function` that calls compiled functions where it called ours.

    `inlined` has those there are, and gets the new ones: they are shared between kernels.
    """
    names = dict(function.__globals__)
    for name, callee in _callees(function):
        if callee not in inlined:
            inlined[callee] = _numba().njit(**INLINED)(_translated(callee, inlined))
        names[name] = inlined[callee]
    copy = FunctionType(function.__code__, names, function.__name__, function.__defaults__)
    copy.__qualname__ = function.__qualname__
    return copy


def _callees(function: Any) -> Iterator[tuple[str, Any]]:
    """Yield (name, function) for each function of ours that `function` names."""
    for name in _names(function.__code__):
        value = function.__globals__.get(name)
        if isinstance(value, FunctionType) and value.__module__.startswith(_package()):
            yield name, value


def reached(kernel: Any) -> set[Any]:
    """Return the kernel and every function of ours that it calls, and they, and so on."""
    found, waiting = {kernel}, [kernel]
    while waiting:
        new = {callee for _, callee in _callees(waiting.pop())} - found
        found |= new
        waiting += new
    return found


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _package() -> str:
    return __name__.split(".")[0]
