"""From plain Python functions to compiled ones that are kept on disk.

`compiled(kernel)` compiles a kernel with every function of ours that it calls, each inlined into
it: kernels are written as plain functions in as many files as the reader likes, none of which
imports Numba. What a number is to them, eight lanes or one float, is chosen here: a name `LANES` in
a kernel's file then means 8 or 1. `disk_cache` keeps the machine code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib.util import find_spec
from types import CodeType, FunctionType
from typing import Any, cast

from . import scalars, sines
from .scalars import LANES

# Kernels own no arrays, so nobody has to count who refers to one (_nrt: that took half a call).
# What is inlined needs no entries of its own, and compiles faster without them.
KERNEL: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "no_cfunc_wrapper": True,
    "_nrt": False,
}
INLINED = {**KERNEL, "forceinline": True, "no_cpython_wrapper": True}


# what stands for what in compiled kernels, whatever a number is
_INSTEAD: dict[Any, Any] = {scalars.sincos: sines.sincos}


def obstacle() -> str:
    """Return why kernels cannot be compiled; "" where Numba (the extra `fast`) is at hand."""
    if find_spec("numba") is None:
        return "Numba is not installed"
    try:
        _numba()
    except ImportError as error:  # Numba is there, but not for this NumPy or Python
        return str(error)
    return ""


@cache
def compiled(
    kernel: Callable[..., Any], lanes: int = LANES, types: tuple[Any, ...] | None = None
) -> Callable[..., Any]:
    """Return the compiled kernel; its code is read from disk, or made.

    With NUMBA_DISABLE_JIT set it is the plain kernel, on rows of NumPy.

    Args:
        kernel: a plain function.
        lanes: how many configurations a number stands for: LANES, or 1.
        types: of its arguments, in Numba's words (see `types_of`): then it takes no others, but
            raises TypeError. None: it is compiled when it is called, for whatever it is given.
    """
    numba = _numba()
    if numba.config.DISABLE_JIT:
        return kernel
    from .disk_cache import cache_of

    options, counterparts = _reading(lanes)
    translated = _translated(kernel, lanes, counterparts, {**INLINED, **options})
    dispatcher: Any = numba.njit(**KERNEL, **options)(translated)
    dispatcher._cache = cache_of(kernel, reached(kernel), lanes)
    if types is not None:
        dispatcher.compile(types)
        dispatcher.disable_compile()
    return cast("Callable[..., Any]", dispatcher)


def types_of(tables: Iterable[Any], inputs: int, dimensions: int) -> tuple[Any, ...]:
    """Return the types of kernel(*tables, *inputs, out, first, last, memory).

    Args:
        tables: values of the arguments that are the same for all rows.
        inputs: how many arrays (N, width) of floats follow, which are only read.
        dimensions: of the array of floats `out`.
    """
    numba = _numba()
    types, float64 = numba.types, numba.types.float64
    rows = types.Array(float64, 2, "C", readonly=True)
    out = types.Array(float64, dimensions, "C")
    memory = types.Array(float64, 1, "C")
    constant = map(numba.typeof, tables)
    return (*constant, *[rows] * inputs, out, types.intp, types.intp, memory)


def _numba() -> Any:
    import numba

    return numba


def _reading(lanes: int) -> tuple[dict[str, Any], dict[Any, Any]]:
    """Return options of the compiler, and {plain function: what stands for it}."""
    reading: Any
    if lanes == 1:
        from . import floats as reading
    else:
        from . import lanes as reading
    return reading.OPTIONS, reading.COUNTERPARTS


def _translated(
    function: Any, lanes: int, inlined: dict[Any, Any], options: dict[str, Any]
) -> FunctionType:
    """Return a copy of `function` that calls compiled functions where it called ours.

    `inlined` has those there are, and gets the new ones: they are shared between kernels.
    """
    names = dict(function.__globals__)
    if "LANES" in names:
        names["LANES"] = lanes
    for name, found in _callees(function):
        callee = _INSTEAD.get(found, found)
        if callee not in inlined:
            copy = _translated(callee, lanes, inlined, options)
            inlined[callee] = _numba().njit(**options)(copy)
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
