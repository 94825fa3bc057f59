"""Journal of long work: what is finished, in a file that survives any interruption.

The first line tells the work; every further one is a finished part of it, written whole and synced
before it counts. Each line is a JSON object and the CRC-32 of its bytes. A line that a crash cut
short or that does not have its checksum is no answer: its part is done again. A file that does not
begin as a journal of that kind does is never written to.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import stat
from abc import abstractmethod
from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, Self
from zlib import crc32

from .errors import FootworkError, warn
from .files import as_path


def digest_of(settings: Mapping[str, Any]) -> str:
    """Return a fingerprint of what identifies a work."""
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()


class Journal(AbstractContextManager["Journal"]):
    """A file of finished parts, held by one process at a time; nothing with `path=None`.

    A kind of it says what it is a journal of, and keeps the parts.

    Attributes:
        what: the kind of work, in the first line and in messages.
        version: of its entries.
        parts: what a line holds, in messages.
        error: class of what is raised for a file that is of something else.

    Raises:
        FootworkError: the file is held by another process, is of another work, cannot be read or
            written.
    """

    what: ClassVar[str]
    version: ClassVar[int]
    parts: ClassVar[str]
    error: ClassVar[type[FootworkError]] = FootworkError

    def __init__(self, path: str | os.PathLike[str] | None, settings: Mapping[str, Any]) -> None:
        self.settings = settings
        self.path = None if path is None else as_path(path, "journal", self.error)
        self._file = -1  # its descriptor
        if self.path is None:
            return
        try:
            self._file = self._held(self.path)
            self._resume(self.path)
        except OSError as error:
            self.close()
            raise self._lost(error) from error
        except BaseException:
            self.close()
            raise

    @abstractmethod
    def keep(self, entry: Mapping[str, Any]) -> bool:
        """Take in an entry that was read; return whether it is one of this work."""

    def write(self, entry: Mapping[str, Any]) -> None:
        """Append an entry, synced."""
        if self._file < 0:
            return
        line = memoryview(_with_checksum(json.dumps(entry).encode()))
        try:
            while line:  # a disk that is nearly full takes a part
                line = line[os.write(self._file, line) :]
            os.fsync(self._file)
        except OSError as error:
            raise self._lost(error) from error

    def close(self) -> None:
        """Let go of the file."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- reading -----------------------------------------------------------------------------

    @property
    def _mark(self) -> bytes:
        """What every journal of this kind begins with."""
        return b'{"footwork %b": ' % self.what.encode()

    def _resume(self, path: Path) -> None:
        """Read line by line, as a journal may be longer than memory; drop a truncated last line."""
        with os.fdopen(self._file, "rb", closefd=False) as file:
            whole = self._read_header(path, file)
            for number, line in enumerate(file, start=2):
                if not line.endswith(b"\n"):
                    break
                if not self.keep(_entry(line) or {}):
                    words = (
                        f"{path}:{number}: damaged; the {self.parts} of that line are done again"
                    )
                    warn(words)
                whole += len(line)
        os.ftruncate(self._file, whole)
        os.lseek(self._file, whole, os.SEEK_SET)
        if not whole:
            named = {f"footwork {self.what}": self.version, "digest": digest_of(self.settings)}
            self.write({**named, **self.settings})

    def _read_header(self, path: Path, file: BinaryIO) -> int:
        """Read the first line if it is there; return its length."""
        first = file.read(len(self._mark))
        if not self._mark.startswith(first):
            raise self.error(f"{path}: this is no {self.what}; choose another file")
        line = first + file.readline() if first == self._mark else first
        if not line.endswith(b"\n"):  # a crash cut it short, before any answer
            return 0
        self._check_header(path, line)
        return len(line)

    def _check_header(self, path: Path, line: bytes) -> None:
        what = self.what
        if not line.startswith(self._mark + b"%d," % self.version):
            raise self.error(
                f"{path}: {_a(what)} of another version of footwork; finish it there, or choose "
                "another file"
            )
        if (header := _entry(line)) is None:
            raise self.error(
                f"{path}: its first line is damaged; choose another file, or delete it"
            )
        if header.get("digest") != digest_of(self.settings):
            other = [key for key, value in self.settings.items() if header.get(key) != value]
            raise self.error(
                f"{path}: the {what} in this file asks something else ({', '.join(other)} differ); "
                "choose another file, or delete it"
            )

    def _held(self, path: Path) -> int:
        """Open the file for this process alone; return its descriptor."""
        path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            if not stat.S_ISREG(os.fstat(file).st_mode):  # reading a device may never end
                raise self.error(f"{path}: got a device or a pipe, expected the name of a file")
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(file)
            raise self.error(f"{path}: another process is writing this {self.what}") from None
        except BaseException:  # a device, or a file system without locks
            os.close(file)
            raise
        return file

    def _lost(self, error: OSError) -> FootworkError:
        return FootworkError(
            f"{self.path}: the journal cannot be written: {error.strerror or error}; "
            "what it holds already stays"
        )


def _a(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def _with_checksum(text: bytes) -> bytes:
    return b"%b %08x\n" % (text, crc32(text))


def _entry(line: bytes) -> dict[str, Any] | None:
    """The entry of a line; None where it is not as it was written."""
    text = line[:-10]
    entry: dict[str, Any] = json.loads(text) if _with_checksum(text) == line else {}
    return entry or None
