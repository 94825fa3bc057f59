# mypy: disable-error-code="no-untyped-def, misc, no-untyped-call, assignment"
"""Compiled kernels on disk, under a name that has a hash of their code in it.

Numba's own `cache=True` looks at the file of the outermost function alone and runs old code after
an edit in another one. Here an edit in any function that a kernel reaches is another name (as is
another Python; another Numba or processor is another entry): code older than its source is never
run, and is deleted when newer is kept. The files lie in `__pycache__` beside the kernel,
or where that is read-only in the user's cache folder; NUMBA_CACHE_DIR overrules both. Where nothing
can be written, nothing is kept.
"""

from __future__ import annotations

import hashlib
import logging
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any, ClassVar

import numpy as np
from numba.core import caching

_logger = logging.getLogger(__name__)
_PACKAGE = __name__.split(".")[0]
_HERE = Path(__file__).parent
# the files that turn plain functions into machine code
_TRANSLATING = (
    *("compiling.py", "lanes.py", "floats.py", "memory.py", "sines.py"),
    "../../contacts/kernels/choices_compiled.py",
)


def cache_of(kernel: Any, functions: Iterable[Any], lanes: int) -> Any:
    """Return Numba's cache for a kernel that is made of `functions`, read for so many lanes."""
    stamp = f"{lanes}-{source_stamp(functions)}"

    class Stamped:
        """The hash is both what makes an entry valid and part of its file's name."""

        def get_source_stamp(self):
            return stamp

        def get_disambiguator(self):
            return stamp

    class Places(caching.CompileResultCacheImpl):
        _locator_classes: ClassVar[list[Any]] = [
            type(name, (Stamped, _locator(name)), {})
            for name in ("UserProvidedCacheLocator", "InTreeCacheLocator", "UserWideCacheLocator")
        ]

    class Cache(_AnnouncedCache):
        _impl_class = Places

    try:
        return Cache(kernel)
    except RuntimeError:  # no folder to write to
        _announce(kernel.__name__)
        return caching.NullCache()


def kept(dispatcher: Any) -> Any:
    """Return a function that Numba compiles when it is called, now kept on disk and announced."""
    dispatcher._cache = cache_of(dispatcher.py_func, [dispatcher.py_func], 1)
    return dispatcher


def _locator(name: str) -> Any:
    """Return Numba's class of that name; older versions have it with an underscore."""
    return getattr(caching, name, None) or getattr(caching, f"_{name}")


def source_stamp(functions: Iterable[Any]) -> str:
    """Return a hash of the code that some functions reach, and of what makes it machine code.

    Each function counts by its byte code and by the constants of its module that it reads: an edit
    elsewhere in its file, a comment or a docstring asks for no new machine code.
    """
    digest = hashlib.sha256()
    for line in sorted(_described(functions)):
        digest.update(line.encode() + b"\0")
    for path in sorted(_HERE / name for name in _TRANSLATING):
        digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()[:20]


def _described(functions: Iterable[Any]) -> Iterator[str]:
    """Yield a line for each function that some functions call, and they, and so on."""
    waiting, seen = [_plain(function) for function in functions], set()
    while waiting:
        function = waiting.pop()
        if function in seen:
            continue
        seen.add(function)
        read = {}
        for name in sorted(set(_names(function.__code__)) & function.__globals__.keys()):
            value = _plain(function.__globals__[name])
            read[name] = _value(value)
            if isinstance(value, FunctionType) and value.__module__.startswith(_PACKAGE):
                waiting.append(value)
        about = _bytes(function.__code__), function.__defaults__, read
        yield f"{function.__module__}.{function.__qualname__} {about}"


def _plain(function: Any) -> Any:
    """Return the Python function of a compiled one."""
    return getattr(function, "py_func", function)


def _value(value: Any) -> str:
    """Describe a constant in words that are the same in every process."""
    if isinstance(value, FunctionType | type | BuiltinFunctionType):
        return f"{value.__module__}.{value.__qualname__}"
    if isinstance(value, ModuleType):
        return value.__name__
    return str(value.descr) if isinstance(value, np.dtype) else repr(value)


def _bytes(code: CodeType) -> tuple[Any, ...]:
    """Return what a function does, without its name, place and docstring."""
    constants = [_bytes(x) if isinstance(x, CodeType) else repr(x) for x in code.co_consts]
    if code.co_consts and isinstance(code.co_consts[0], str):
        constants[0] = ""
    return code.co_code.hex(), constants, code.co_names, code.co_varnames, code.co_freevars


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


class _AnnouncedCache(caching.Cache):
    """Says so when there is nothing on disk and compiling begins."""

    def load_overload(self, sig, target_context):
        found = super().load_overload(sig, target_context)
        if found is None:
            _announce(self._py_func.__name__)
        return found

    def save_overload(self, sig, data):
        try:
            super().save_overload(sig, data)
            self._forget_older()
        except OSError as error:  # the disk is full or gone: the kernel runs all the same
            _logger.warning("compiled %s is not kept: %s", self._py_func.__name__, error)

    def _forget_older(self):
        """Delete what other sources of the same kernel left in the same folder."""
        stamp = self._impl.locator.get_disambiguator().split("-")[1]
        name = self._impl.filename_base.split(stamp)[0]
        for path in Path(self.cache_path).glob(f"{name}*.nb[ci]"):
            if stamp not in path.name:
                path.unlink(missing_ok=True)


def _announce(name: str) -> None:
    """Tell who waits why: a line on a terminal, an entry in the log for others."""
    line = f"footwork: compiling {name} (some seconds, once)"
    _logger.info(line)
    if sys.stderr is not None and sys.stderr.isatty():
        sys.stderr.write(line + "\n")
