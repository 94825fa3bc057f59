"""Files read whole, if they are not too large, and written beside their place, then renamed.

The old one stays until the new one is whole.
"""

from __future__ import annotations

import csv
import io
import math
import os
import secrets
import shutil
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from .errors import ConfigurationError, FootworkError

Writer = TypeVar("Writer")


def as_path(value: object, name: str = "path", error: type[FootworkError] = FootworkError) -> Path:
    """Return the path of a file or folder."""
    if isinstance(value, str | os.PathLike) and str(value):
        return Path(value)
    raise error(f"{name}: got {value!r:.80}, expected a path")


def plain(value: Any) -> Any:
    """Return a value as JSON has it: arrays and tuples as lists, None for what is not finite."""
    if hasattr(value, "tolist"):  # of NumPy
        value = value.tolist()
    if isinstance(value, Mapping):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def read(path: Path, largest: int, expected: str, error: type[FootworkError]) -> bytes:
    """Return the bytes of a regular file, `expected` in words, of at most `largest` bytes.

    Raises:
        error: no such file, a folder, a pipe or device, too large, not readable.
    """
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            kind = "a folder" if stat.S_ISDIR(status.st_mode) else "a pipe or device"
            raise error(f"{path}: {kind}; expected {expected}")
        if status.st_size > largest:
            raise error(f"{path}: {status.st_size} bytes; at most {largest} are read")
        with path.open("rb") as file:
            return file.read(largest + 1)
    except FootworkError:
        raise
    except OSError as problem:
        raise error(f"{path}: cannot be read: {problem.strerror or problem}") from None
    except ValueError as problem:  # a null character in the name
        raise error(f"{str(path)!r}: no file name: {problem}") from None


@contextmanager
def replaced(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a path for a new file or folder, which takes the place of `path` when the block ends.

    Where the block raises, or the process is stopped by a signal that it can catch, nothing of it
    stays. Only a process that is killed leaves a file ".footwork-….part" in that folder. Symbolic
    links are followed; what is no file (a pipe, /dev/stdout) is written to directly.

    Raises:
        FootworkError: it cannot be written; the message has the name of the file.
    """
    path = as_path(path)
    place = Path(os.path.realpath(path))
    direct = path.parts[:2] in (("/", "dev"), ("/", "proc"))
    if direct or (place.exists() and not (place.is_file() or place.is_dir())):
        part = place = path
    else:
        part = place.with_name(f".footwork-{secrets.token_hex(6)}.part{place.suffix}")
    try:
        yield part
        if part != place:
            _rename(part, place)
    except OSError as error:
        if error.filename and Path(error.filename) not in (part, place, *place.parents):
            raise
        raise FootworkError(f"{path}: cannot be written: {error.strerror or error}") from error
    finally:
        if part != place:
            _remove(part)


def write(path: str | os.PathLike[str], content: str | bytes) -> Path:
    """Write a file as `replaced` does, text in UTF-8; return its path.

    Raises:
        FootworkError: it cannot be written.
    """
    with replaced(path) as part:
        part.write_bytes(content.encode() if isinstance(content, str) else content)
    return Path(path)


def by_suffix(path: Path, writers: Mapping[str, Writer]) -> Writer:
    """Return the writer for the suffix of a path.

    Raises:
        ConfigurationError: another suffix.
    """
    if path.suffix not in writers:
        expected = " or ".join(writers)
        raise ConfigurationError(f"path: got {str(path)!r}; expected one that ends in {expected}")
    return writers[path.suffix]


def write_npz(path: str | os.PathLike[str], arrays: Mapping[str, Any]) -> Path:
    """Write named arrays as .npz; return the path.

    Raises:
        FootworkError: it cannot be written.
    """
    import numpy as np

    with replaced(path) as part:
        np.savez_compressed(part, **arrays)
    return Path(path)


def write_csv(
    path: str | os.PathLike[str], columns: Iterable[str], rows: Iterable[Iterable[Any]]
) -> Path:
    """Write a table as comma-separated lines, the names of its columns first; return its path.

    Raises:
        FootworkError: it cannot be written.
    """
    return write(path, as_csv(columns, rows))


def as_csv(columns: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    """Return a table as comma-separated lines, the names of its columns first."""
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(columns)
    lines.writerows(rows)
    return text.getvalue()


def _rename(part: Path, place: Path) -> None:
    if part.is_dir():
        if place.exists():  # a folder is replaced by no single call
            old = part.with_suffix(".old")
            os.replace(place, old)
            os.replace(part, place)
            _remove(old)
        else:
            os.replace(part, place)
        return
    with part.open("rb") as file:
        os.fsync(file.fileno())  # else a crash of the machine may leave an empty file of that name
    if place.exists():
        shutil.copymode(place, part)
    os.replace(part, place)


def _remove(part: Path) -> None:
    if part.is_dir():
        shutil.rmtree(part, ignore_errors=True)
    with suppress(OSError):
        part.unlink(missing_ok=True)
