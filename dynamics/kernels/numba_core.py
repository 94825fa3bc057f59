# mypy: disable-error-code="no-untyped-def, misc, no-untyped-call, import-untyped, attr-defined"
"""Compilation of kernels by Numba: options, plain functions that call compiled ones, machine code.

`numba.core` is not a stable interface: the extra `fast` bounds Numba's version, and
tests/test_numba_core.py tries every part of this file and of `numba_lanes` by itself. Imported by
`toolchain` alone, when the first kernel is wanted.
"""

from __future__ import annotations

import pickle
from contextlib import contextmanager
from types import FunctionType, SimpleNamespace
from typing import Any

import numba
import numpy as np
from numba import from_dtype, njit, types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult
from numba.core.compiler_lock import global_compiler_lock
from numba.core.cpu import CPUTargetOptions
from numba.core.options import TargetOptions
from numba.core.registry import cpu_target
from numba.core.serialize import dumps
from numba.extending import overload
from numba.np import arrayobj

from .numba_lanes import COUNTERPARTS
from .scalars import LANES

# --- options -------------------------------------------------------------------------------------

# Releases whose own code `_InlinedCode` and `_short_refusals` are known to fit; others do what they
# are used to, and take twice as long to compile.
_KNOWN = (0, 60) <= numba.version_info.short <= (0, 68)


class _InlinedCode(JITCodeLibrary):
    """The code of a function that is inlined: optimised in the kernel, and only there.

    Numba optimises it alone, again in all that call it, and makes machine code each time.
    """

    codegen = SimpleNamespace(set_env=lambda name, environment: None)

    def _optimize_final_module(self):
        pass

    def _finalize_final_module(self):
        self._finalized = True

    def get_pointer_to_function(self, name):
        """Return that there is none."""
        return 0


class _Inlined(Compiler):
    """Numba's steps to such code."""

    def __init__(self, typingctx, targetctx, library, *others):
        code = _InlinedCode(targetctx.codegen(), "inlined")
        super().__init__(typingctx, targetctx, code, *others)


# Kernels own no arrays, so nobody has to count who refers to one (_nrt: that took half a call).
# What is inlined needs no entries of its own, and compiles faster without them.
KERNEL: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "no_cfunc_wrapper": True,
    "_nrt": False,
}
INLINED: dict[str, Any] = {
    **KERNEL,
    "forceinline": True,
    "no_cpython_wrapper": True,
    **({"pipeline_class": _Inlined} if _KNOWN else {}),
}
FLOAT_MATH = frozenset({"contract", "nsz"})  # of floats as of lanes
CPUTargetOptions.noalias = TargetOptions.Mapping("noalias")  # a flag that njit has no word for


def _misfit(shape, place):
    """Refuse what is assigned to places of another shape.

    Numba says which shapes; its functions of texts take seconds to compile.
    """


@overload(_misfit)
def _refused(shape, place):
    def refused(shape, place):
        raise ValueError("an array is assigned to places of another shape")

    return refused


@contextmanager
def _short_refusals():
    """Have Numba refuse it so in what is compiled meanwhile."""
    usual = getattr(arrayobj, "raise_with_shape_context", None)  # none in Numba 0.60
    if usual is None or not _KNOWN:
        yield
        return
    arrayobj.raise_with_shape_context = _misfit
    try:
        yield
    finally:
        arrayobj.raise_with_shape_context = usual


# --- plain functions that call compiled ones -----------------------------------------------------


def _compiled(numbers, options):
    """What stands for our functions, compiled where it is a function itself."""
    return {
        ours: njit(**options)(theirs) if isinstance(theirs, FunctionType) else theirs
        for ours, theirs in COUNTERPARTS[numbers].items()
    }


_COMPILED = {
    LANES: _compiled(LANES, INLINED),
    1: _compiled(1, {**INLINED, "fastmath": set(FLOAT_MATH)}),
}
_inlined: dict[Any, dict[Any, Any]] = {}  # {options: {plain function: compiled one}}


def translated(function, numbers, options, callees):
    """Return a copy of a function that calls compiled functions where it called ours.

    Args:
        function: a plain one.
        numbers: how many configurations a number stands for: what LANES means in its file.
        options: of what it calls, which is compiled once for all kernels: "forceinline" True, or
            the most bytes of Python's code for which it is.
        callees: callees(function) yields (name, function of ours).
    """
    key = numbers, repr(sorted(options.items(), key=str))
    inlined = _inlined.setdefault(key, dict(_COMPILED[numbers]))
    names = dict(function.__globals__)
    if "LANES" in names:
        names["LANES"] = numbers
    for name, callee in callees(function):
        if callee not in inlined:
            most = options["forceinline"]
            short = most is True or len(callee.__code__.co_code) <= most
            copy = translated(callee, numbers, options, callees)
            inlined[callee] = njit(**{**options, "forceinline": short})(copy)
        names[name] = inlined[callee]
    copy = FunctionType(function.__code__, names, function.__name__, function.__defaults__)
    copy.__qualname__ = function.__qualname__
    return copy


# --- machine code as bytes -----------------------------------------------------------------------


def key() -> str:
    """Return what machine code is made by and for: Numba, processor and features."""
    return repr((numba.__version__, *cpu_target.target_context.codegen().magic_tuple()))


def to_bytes(code):
    """Return machine code as bytes that this Numba reads on this processor; none if it cannot."""
    return b"" if code.library.has_dynamic_globals else bytes(dumps(code._reduce()))


def from_bytes(payload):
    """Return the machine code."""
    context = cpu_target.target_context
    context.refresh()
    return CompileResult._rebuild(context, *pickle.loads(payload))


class Cache:
    """What a Numba dispatcher asks before and tells after it compiles.

    Attributes:
        code: found on disk, or compiled.
    """

    cache_path = None

    def __init__(self, code=None):
        self.code = code

    def load_overload(self, sig, target_context):
        """Return what was found on disk."""
        return self.code

    def save_overload(self, sig, code):
        """Keep what was compiled."""
        self.code = code


def dispatcher(function, descriptions, options, code=None):
    """Return the compiled function for types that `toolchain.description` gives, and its code."""
    made = njit(**options)(function)
    made._cache = Cache(code)
    with global_compiler_lock, _short_refusals():
        made.compile(tuple(map(numba_type, descriptions)))
    made.disable_compile()
    return made, made._cache.code


def numba_type(description):
    """Return Numba's type of what `toolchain.description` describes."""
    kind, *details = description
    if kind == "array":
        dtype, dimensions, layout, writable, aligned = details
        element = from_dtype(np.dtype(dtype))
        return types.Array(element, dimensions, layout, readonly=not writable, aligned=aligned)
    if kind == "tuple":
        cls, _, *fields = details
        return types.BaseTuple.from_types([numba_type(field) for field in fields], cls)
    return getattr(types, kind)
