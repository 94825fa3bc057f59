"""Toolchain of compiled kernels: declaration, choice, code on disk, and fallback.

A kernel is a plain Python function of numbers, arrays and NamedTuples of them; so are the functions
it calls, in as many files as the reader likes, none of which imports Numba. It is declared once,

    def scaled(x, factor):
        return factor * x

    def scale(inputs, out):                          # inputs: a NamedTuple of arrays
        for i in range(len(out)):
            out[i] = scaled(inputs.x[i], inputs.factor)

    SCALE = Kernel(                                  # of floats (1); LANES: eight problems a number
        scale, 1, arrays=True, example=lambda: (Inputs(np.empty(0), 1.0), np.empty(0))
    )

and asked for where it is used:

    fast = SCALE.select(len(x))                      # None: the uncompiled way is sooner
    if fast is None:
        with SCALE.uncompiled(len(x)):               # counts the time that it takes
            out[:] = inputs.factor * inputs.x
    else:
        fast(inputs, out)

A compiled kernel takes no other types than those it was made for (a writable array passes for a
read-only one): it raises TypeError.

Code on disk is used. While there is none, `select` compiles (and says so) only what would take
longer uncompiled; uncompiled time that adds up starts a process that compiles in the background and
ends with this one. FOOTWORK_COMPILE=now compiles whatever is asked for, FOOTWORK_COMPILE=never
nothing; FOOTWORK_COMPILE=later, which the command sets, does not even import Numba (a second, with
the code on disk) for work that is done sooner without. With NUMBA_DISABLE_JIT=1 a kernel is the
plain function, to be stepped through.
"""

from __future__ import annotations

import importlib
import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import KW_ONLY, dataclass
from functools import cache, cached_property, partial
from importlib.util import find_spec
from types import FunctionType
from typing import Any

import numpy as np

from ...errors import warn
from . import code_on_disk, scalars, sines
from .background import Background
from .scalars import LANES

__all__ = ["Kernel", "declared", "obstacle", "requests", "switched_off"]

_logger = logging.getLogger(__name__)
_PACKAGE = __name__.split(".")[0]
# what stands for what in compiled kernels, whatever a number is
_REPLACEMENTS: dict[Any, Any] = {scalars.sincos: sines.sincos}

_BACKGROUND_AFTER = 1.0  # of uncompiled work: then a kernel is compiled in the background [s]
_LOOKUP_INTERVAL = 0.25  # between two looks at the disk [s]
_NUMBA_IMPORT = 1.0  # what importing Numba and reading code from disk take, about [s]

_PICKLED = "arrays", "fastmath", "seconds", "inlined", "apart"  # options of a kernel

_lock = threading.RLock()  # Numba compiles one function at a time
_declared: list[Kernel] = []
_disabled = False
_uncompiled_total = 0.0  # time of all kernels together [s]
_collected: list[tuple[Kernel, tuple[Any, ...]]] | None = None  # while requests are collected


@dataclass(eq=False, repr=False)
class Kernel:
    """A function that is compiled when that pays.

    Attributes:
        function: the plain function.
        numbers: how many configurations a number stands for: LANES, or 1.
        arrays: whether it makes arrays of its own (np.empty); kernels in lanes may not.
        fastmath: what LLVM may assume of floats.
        example: example() are arguments such as it is called with: types, layouts and dimensions
            count, not sizes. None: they are given to the functions below.
        each: what one item takes uncompiled, about, before any was measured [s].
        seconds: what compiling takes, about [s].
        inlined: the most bytes of Python's code of functions that are always inlined; None: all.
            Large kernels are compiled in half of the time where LLVM decides about long ones.
        apart: whether no function of it writes to what it reads through another argument: LLVM then
            reorders, and makes vectors of what lies side by side.
    """

    function: Callable[..., Any]
    numbers: int = LANES
    _: KW_ONLY
    arrays: bool = False
    fastmath: Iterable[str] | None = None
    example: Callable[[], tuple[Any, ...]] | None = None
    each: float = 1e-4
    seconds: float = 5.0
    inlined: int | None = None
    apart: bool = False

    def __post_init__(self) -> None:
        usual = ("contract", "nsz", *["reassoc"] * self.arrays) if self.numbers == 1 else ()
        self.fastmath = tuple(sorted(usual if self.fastmath is None else self.fastmath))
        if self.example is not None:
            _declared.append(self)
        self._last: Any = None
        self._overloads: dict[Hashable, Overload] = {}

    def __call__(self, *arguments: Any) -> Any:
        """Call it, compiled."""
        try:
            return self._last(*arguments)
        except TypeError:  # other types than last time
            self._last = self.compiled(*arguments)
            return self._last(*arguments)

    def __reduce__(self) -> Any:
        options = {name: getattr(self, name) for name in _PICKLED}
        return partial(Kernel, **options), (self.function, self.numbers)

    def __repr__(self) -> str:
        return f"Kernel({self.name!r}, {self.numbers})"

    @property
    def name(self) -> str:
        """Its full name."""
        return f"{self.function.__module__}.{self.function.__qualname__}"

    # --- what callers ask for ----------------------------------------------------------------

    def overload(self, *arguments: Any) -> Overload:
        """Return the kernel for arguments like these: types, layouts, dimensions count.

        To keep where it is asked for often; the functions below are short for functions of it. No
        arguments: those of the example.
        """
        if self.example is not None and not arguments:
            return self._usual
        return self.overload_of(tuple(map(description, arguments)))

    def compiled(self, *arguments: Any) -> Callable[..., Any]:
        """Return the compiled function for arguments like these: from disk, or compiled now.

        Raises:
            ImportError: Numba (the extra `fast`) is missing or does not import.
        """
        return self.overload(*arguments).compiled()

    def select(self, count: int) -> Callable[..., Any] | None:
        """Return the compiled function for arguments like those of the example.

        None where the uncompiled way is sooner or the only one for `count` items (rows, ticks,
        problems).
        """
        return self._usual.select(count)

    def uncompiled(self, count: int, counts: bool = True) -> AbstractContextManager[None]:
        """Count the time that the uncompiled way takes for `count` items, see `Overload`."""
        return self._usual.uncompiled(count, counts)

    # --- how it is made ----------------------------------------------------------------------

    def overload_of(self, types: tuple[Any, ...]) -> Overload:
        """Return the kernel for arguments of these types, as `description` gives them."""
        found = self._overloads.get(types)
        return self._overloads.setdefault(types, Overload(self, types)) if found is None else found

    @cached_property
    def _usual(self) -> Overload:
        example = () if self.example is None else self.example()
        return self.overload_of(tuple(map(description, example)))

    @cached_property
    def stamp(self) -> str:
        """A hash of all that its machine code depends on, but for types and processor."""
        about = self.numbers, self.arrays, self.fastmath, self.inlined, self.apart
        return code_on_disk.stamp(self.function, _callees, about)

    @property
    def reached(self) -> set[Any]:
        """Every function that it calls."""
        return code_on_disk.reached(self.function, _callees)

    def options(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return Numba's options: of the kernel, and of what is inlined into it."""
        from .numba_core import INLINED, KERNEL

        own: dict[str, Any] = {"_nrt": self.arrays}
        own |= {"fastmath": set(self.fastmath)} if self.fastmath else {}
        own |= {"noalias": True} if self.apart else {}
        most = {} if self.inlined is None else {"forceinline": self.inlined}
        return {**KERNEL, **own}, {**INLINED, **own, **most}

    def translated(self) -> Any:
        """Return a copy of the function that calls compiled functions where it called ours."""
        core: Any = importlib.import_module(".numba_core", __package__)
        return core.translated(self.function, self.numbers, self.options()[1], _callees)


class Overload:
    """A kernel for arguments of certain types."""

    def __init__(self, kernel: Kernel, types: tuple[Any, ...]) -> None:
        self.kernel, self.types = kernel, types
        self._function: Callable[..., Any] | None = None
        self._entry_point: Callable[..., Any] | None = None
        self._items, self._time = 0, 0.0  # done uncompiled, and how long that took [s]
        self._requested = False  # of the background process
        self._last_lookup, self._uncompilable = -np.inf, False

    def available(self, count: int = 1) -> Callable[..., Any] | None:
        """Return what is in memory or on disk, where it serves for `count` items."""
        if _disabled:
            return None
        if self._function is not None:
            return self._function
        if self._import_takes_longer(count):
            return None
        now = time.monotonic()
        if now - self._last_lookup < _LOOKUP_INTERVAL:
            return None
        self._last_lookup = now
        if _switched_off():
            # lanes are NumPy arrays then: infinities of cases not chosen are no more told than
            # by compiled code
            self._function = np.errstate(all="ignore")(self.kernel.function)
            return self._function
        self._uncompilable = bool(obstacle())
        return None if self._uncompilable or not self._entry.exists() else self._loaded()

    def unchecked(self, count: int = 1) -> Callable[..., Any] | None:
        """Return what `select` does, without the check of its arguments' types, some µs each call.

        For arguments of exactly these types: others are misread.
        """
        if self._entry_point is not None and not _disabled:
            return self._entry_point
        found = self.select(count)
        if found is None or not hasattr(found, "overloads"):  # with NUMBA_DISABLE_JIT=1
            return found
        if self._entry_point is None:
            (only,) = found.overloads.values()
            self._entry_point = only.entry_point
        return self._entry_point

    def select(self, count: int) -> Callable[..., Any] | None:
        """Return the compiled function if that is sooner than the uncompiled way."""
        found = self.available(count)
        if found is not None or self._uncompilable or _disabled:
            return found
        if _collected is not None:
            _collected.append((self.kernel, self.types))
            return None
        mode = _mode()
        if mode == "now" or (mode != "never" and count * self._each > self.kernel.seconds):
            return self.compiled()
        return None

    def run(self, *arguments: Any) -> Any:
        """Call it, compiled where that is at hand.

        For arguments of exactly these types, see `unchecked`.
        """
        if (compiled := self.unchecked()) is not None:
            return compiled(*arguments)
        with self.uncompiled(1):
            return self.kernel.function(*arguments)

    @property
    def _each(self) -> float:
        """What one item takes uncompiled [s]."""
        return self._time / self._items if self._items else self.kernel.each

    def _import_takes_longer(self, count: int) -> bool:
        """Whether Numba is still to be imported, and all work so far is done sooner without."""
        if _mode() != "later" or "module" in _imported:
            return False
        return _uncompiled_total + count * self._each < _NUMBA_IMPORT

    @contextmanager
    def uncompiled(self, count: int, counts: bool = True) -> Iterator[None]:
        """Count the time of the uncompiled way, for `count` items.

        Not where `counts` is false: what is done there, no kernel would save.
        """
        began = time.perf_counter()
        yield
        if counts:
            self.record(count, time.perf_counter() - began)

    def record(self, count: int, seconds: float) -> None:
        """Add to the uncompiled time; where that adds up the kernel is compiled in the background.

        Args:
            count: how many items were done.
            seconds: that they took.
        """
        global _uncompiled_total
        _uncompiled_total += seconds
        self._items += count
        self._time += seconds
        settled = self._requested or self._uncompilable or self._function is not None
        if self._time < _BACKGROUND_AFTER or settled:
            return
        self._requested = True
        if _mode() != "never":
            _logger.info("footwork: compiling %s in the background", self.kernel.name)
            _background.request(self.kernel, self.types)

    def compiled(self) -> Callable[..., Any]:
        """Return the compiled function, made now if need be."""
        self._last_lookup = -np.inf
        with _lock:
            found = self.available()
            if found is not None:
                return found
            with self._entry.locked():  # another process may compile it at this moment
                found = self._loaded() if self._entry.exists() else None
                return self._compile() if found is None else found

    @cached_property
    def _entry(self) -> code_on_disk.Entry:
        """Where its code lies, or would."""
        return code_on_disk.Entry(self.kernel.function, self.kernel.stamp, repr(self.types))

    def _loaded(self) -> Callable[..., Any] | None:
        """Read it from disk; None if what is there does not serve."""
        with _lock:
            if self._function is None and (core := _numba_core()) is not None:
                code = self._entry.read(core.key(), core.from_bytes)
                if code is not None:
                    self._function, _ = core.dispatcher(
                        self.kernel.function, self.types, self.kernel.options()[0], code
                    )
            return self._function

    def _compile(self) -> Callable[..., Any]:
        core: Any = importlib.import_module(".numba_core", __package__)
        announce(f"compiling {self.kernel.function.__name__} (some seconds, once)")
        translated, (options, _) = self.kernel.translated(), self.kernel.options()
        self._function, code = core.dispatcher(translated, self.types, options)
        if code is not None and (payload := core.to_bytes(code)):
            self._entry.write(core.key(), payload)
        return self._function


def obstacle() -> str:
    """Return why kernels cannot be compiled; "" where Numba (the extra `fast`) is at hand."""
    if "module" in _imported:
        return ""
    if find_spec("numba") is None:
        return "Numba is not installed"
    return str(_imported.get("error", ""))


def warn_without_kernels(instead: str, gain: str) -> bool:
    """Whether kernels cannot be compiled; a warning says so, once.

    Args:
        instead: what is done then, such as "dynamics.batch calls Pinocchio state by state".
        gain: of kernels, such as "4 to 30 times".
    """
    if reason := obstacle():
        remedy = f"pip install 'footwork[fast]' for compiled kernels, {gain} as fast"
        _warn_once(f"{instead}: {reason}. {remedy}")
    return bool(reason)


@cache
def _warn_once(text: str) -> None:
    warn(text)


@contextmanager
def switched_off() -> Iterator[None]:
    """Disable all kernels, as while there is no code on disk."""
    global _disabled
    before, _disabled = _disabled, True
    try:
        yield
    finally:
        _disabled = before


def declared() -> tuple[Kernel, ...]:
    """Return the kernels of the modules imported so far whose arguments are known."""
    return tuple(_declared)


@contextmanager
def requests() -> Iterator[list[tuple[Kernel, tuple[Any, ...]]]]:
    """Collect what `select` is asked for and is not on disk, instead of compiling it."""
    global _collected
    before, _collected = _collected, []
    try:
        yield _collected
    finally:
        _collected = before


def description(value: Any) -> tuple[Any, ...]:
    """Describe the type of an argument without Numba, which takes half a second to import."""
    if isinstance(value, np.ndarray):
        layout = "C" if value.flags.c_contiguous else "F" if value.flags.f_contiguous else "A"
        access = bool(value.flags.writeable), bool(value.flags.aligned)
        return ("array", value.dtype.str, value.ndim, layout, *access)
    if isinstance(value, tuple):
        return ("tuple", type(value), getattr(value, "_fields", ()), *map(description, value))
    if isinstance(value, bool | np.bool_):
        return ("boolean",)
    if isinstance(value, int | np.integer):
        return ("intp",)
    if isinstance(value, float):
        return ("float64",)
    raise TypeError(f"{type(value).__name__} is no argument of kernels")


def read_only(dimensions: int, kind: Any = float) -> Any:
    """Return an empty array that kernels only read, for examples of their arguments."""
    array = np.empty((0,) * dimensions, kind)
    array.setflags(write=False)
    return array


def announce(line: str) -> None:
    """Report what takes time: in the log where there is one, else on stderr."""
    if _logger.isEnabledFor(logging.INFO) and _logger.hasHandlers():
        _logger.info("footwork: %s", line)
    elif sys.stderr is not None:
        sys.stderr.write(f"footwork: {line}\n")
        sys.stderr.flush()


def _mode() -> str:
    return os.environ.get("FOOTWORK_COMPILE", "")


def _switched_off() -> bool:
    """Whether Numba is told not to compile."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


_imported: dict[str, Any] = {}  # Numba's side of the kernels, or why it cannot be imported


def _numba_core() -> Any:
    """Return Numba's side of the kernels; None where Numba is not for this NumPy or Python."""
    if not _imported:
        try:
            from . import numba_core

            _imported["module"] = numba_core
        except ImportError as error:
            _imported["error"] = str(error) or "Numba does not import"
    return _imported.get("module")


def _callees(function: Any) -> Iterator[tuple[str, Any]]:
    """Yield (name, function) for each function of ours that `function` names."""
    for name in code_on_disk.names(function.__code__):
        value = function.__globals__.get(name)
        value = value.function if isinstance(value, Kernel) else value
        if isinstance(value, FunctionType) and value.__module__.startswith(_PACKAGE):
            yield name, _REPLACEMENTS.get(value, value)


_background = Background()
