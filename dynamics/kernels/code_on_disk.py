"""Machine code on disk: one checked file for each kernel, types of arguments and processor.

A file's name has a hash of the code that the kernel reaches: every function by its byte code and by
the constants of its module that it reads (Numba's own cache looks at the outermost function alone,
and runs old code after an edit in another one). An edit elsewhere, a comment or a docstring asks
for no new machine code; what is older than its source is never run. Files begin with a checksum of
the rest: one that is cut short or damaged is made anew, never loaded.

They lie in `__pycache__` beside the kernel or in the user's cache folder, whichever can be written,
and are read from both; NUMBA_CACHE_DIR overrules these. Where nothing can be written, nothing is
kept.
"""

from __future__ import annotations

import hashlib
import logging
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any, TypeVar

import numpy as np

Code = TypeVar("Code")

_logger = logging.getLogger(__name__)
_MAGIC = b"footwork kernel\n"
_SUFFIX = ".kernel"
_KEPT = 4  # files of one kernel on one processor: of some branches of the sources
# what turns plain functions into machine code
_TRANSLATING = "numba_core.py", "numba_lanes.py"


class Entry:
    """The file of one kernel, for arguments of certain types.

    Args:
        function: the kernel.
        code: a hash of all that it reaches, see `stamp`.
        types: of its arguments, in words.
    """

    def __init__(self, function: Any, code: str, types: str) -> None:
        name = f"{function.__module__}.{function.__qualname__}".replace("<", "").replace(">", "")
        self._group = f"{name}-{_hash(types)}"
        self._base = f"{self._group}-{_hash(code, types, sys.implementation.cache_tag or '')}"
        self.folders = folders(function)
        self._rejected: set[tuple[str, int]] = set()

    def exists(self) -> bool:
        """Whether there is a file that may serve."""
        return bool(self._found())

    def read(self, key: str, decoded: Callable[[bytes], Code]) -> Code | None:
        """Return what is on disk; None if that is nothing, damaged, or made for another `key`."""
        for path, identity in self._found():
            try:
                payload = _checked(path.read_bytes())
                made_for, _, rest = payload.partition(b"\0")
                if made_for == key.encode():
                    return decoded(rest)
            except OSError as error:
                _logger.info("%s is not read: %s", path, error)
            except Exception as error:
                _logger.warning("footwork: %s is damaged (%s) and is made anew", path, error)
                with suppress(OSError):
                    path.unlink()
            self._rejected.add(identity)
        return None

    def write(self, key: str, payload: bytes) -> None:
        """Keep it in the first folder that can be written."""
        rest = key.encode() + b"\0" + payload
        for folder in self.folders:
            path = folder / f"{self._base}-{_hash(key)}{_SUFFIX}"
            try:
                folder.mkdir(parents=True, exist_ok=True)
                own = path.with_suffix(f".{os.getpid()}.tmp")
                own.write_bytes(with_checksum(rest))
                own.replace(path)
            except OSError as error:
                _logger.info("%s is not written: %s", path, error)
                continue
            self._remove_outdated(folder, _hash(key))
            return
        _logger.warning("footwork: compiled %s is not kept: no folder to write to", self._group)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Wait for other processes that make it at this moment, and keep them waiting."""
        with _open_lock(self.folders, f"{self._base}.lock") as file:
            if file is not None:
                import fcntl

                with suppress(OSError):  # a file system without locks: it is made twice, then
                    fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def _found(self) -> list[tuple[Path, tuple[str, int]]]:
        """Return files with this code and these types, that have not been tried in vain."""
        found = []
        for folder in self.folders:
            for path in sorted(folder.glob(f"{self._base}-*{_SUFFIX}")):
                with suppress(OSError):
                    identity = str(path), path.stat().st_mtime_ns
                    if identity not in self._rejected:
                        found.append((path, identity))
        return found

    def _remove_outdated(self, folder: Path, key: str) -> None:
        """Delete what older sources of the same kernel left."""
        with suppress(OSError):
            files = list(folder.glob(f"{self._group}-*-{key}{_SUFFIX}"))
            for path in sorted(files, key=lambda path: path.stat().st_mtime)[:-_KEPT]:
                path.unlink(missing_ok=True)


def folders(function: Any) -> list[Path]:
    """Return the folders in which the code of a function may lie, the first choice first."""
    if chosen := os.environ.get("NUMBA_CACHE_DIR"):
        return [Path(chosen) / "footwork"]
    found = [Path(function.__code__.co_filename).parent / "__pycache__"]
    with suppress(RuntimeError):  # no home
        home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        found.append(home / "footwork")
    return found


def files() -> list[Path]:
    """Return all files of compiled code, of this package's kernels."""
    if chosen := os.environ.get("NUMBA_CACHE_DIR"):
        return sorted(Path(chosen).glob(f"footwork/*{_SUFFIX}"))
    package, (_, *users) = Path(__file__).parents[2], folders(files)
    found = [*package.glob(f"*/kernels/__pycache__/*{_SUFFIX}")]
    return sorted(found + [path for folder in users for path in folder.glob(f"*{_SUFFIX}")])


def damaged() -> list[Path]:
    """Return those that are damaged, and made anew when they are used."""
    return [path for path in files() if not _is_whole(path)]


def _is_whole(path: Path) -> bool:
    try:
        _checked(path.read_bytes())
    except (OSError, ValueError):
        return False
    return True


def with_checksum(rest: bytes) -> bytes:
    """Return what a file has."""
    return _MAGIC + hashlib.sha256(rest).digest() + rest


def _checked(data: bytes) -> bytes:
    """Return what follows a file's checksum.

    Raises:
        ValueError: the file is not what was written.
    """
    start = len(_MAGIC) + 32
    if data[: len(_MAGIC)] != _MAGIC or len(data) < start:
        raise ValueError("not a file of compiled code")
    if hashlib.sha256(data[start:]).digest() != data[len(_MAGIC) : start]:
        raise ValueError("its checksum is another")
    return data[start:]


@contextmanager
def _open_lock(places: list[Path], name: str) -> Iterator[Any]:
    """A file to lock, in the first folder that can be written; None where there is none."""
    for folder in places if find_spec("fcntl") else ():
        path = folder / name
        try:
            folder.mkdir(parents=True, exist_ok=True)
            file = path.open("w")
        except OSError:
            continue
        with file:
            yield file
            with suppress(OSError):
                path.unlink()
        return
    yield None


# --- what machine code depends on ----------------------------------------------------------------


def stamp(
    function: Any, callees: Callable[[Any], Iterator[tuple[str, Any]]], options: object
) -> str:
    """Return a hash of the code that a function reaches, and of what makes it machine code.

    Args:
        function: the kernel.
        callees: callees(function) are the functions of ours that it names.
        options: of the compiler.
    """
    lines = [repr(options), *map(_described, reached(function, callees))]
    sources = [(Path(__file__).parent / name).read_bytes() for name in _TRANSLATING]
    return _hash(*sorted(lines), *[hashlib.sha256(source).hexdigest() for source in sources])


def reached(function: Any, callees: Callable[[Any], Iterator[tuple[str, Any]]]) -> set[Any]:
    """Return a function and all that it calls, and they, and so on."""
    found, waiting = {function}, [function]
    while waiting:
        new = {callee for _, callee in callees(waiting.pop())} - found
        found |= new
        waiting += new
    return found


def names(code: CodeType) -> Iterator[str]:
    """Yield the names that code looks up, in functions within it too."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from names(constant)


def _described(function: Any) -> str:
    """Describe one function: its byte code, and the constants of its module that it reads."""
    known = sorted(set(names(function.__code__)) & function.__globals__.keys())
    read = {name: _value(function.__globals__[name]) for name in known}
    about = _bytes(function.__code__), function.__defaults__, read
    return f"{function.__module__}.{function.__qualname__} {about}"


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


def _hash(*words: str) -> str:
    return hashlib.sha256("\0".join(words).encode()).hexdigest()[:16]
