"""Journal of a sweep: completed chunks in a file that survives any interruption.

The first line tells the plan; every further one is a finished chunk, written whole and synced
before it counts. Each line is a JSON object and the CRC-32 of its bytes. A line that a crash cut
short or that does not have its checksum is no answer: its chunk is done again. A file that does not
begin as a journal does is never written to.
"""

from __future__ import annotations

import fcntl
import json
import os
import stat
import warnings
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, BinaryIO
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ...errors import FootworkError, FootworkWarning
from ...files import as_path
from ..scenario.file import ScenarioError
from .plan import Plan
from .verdicts import Answers

VERSION = 3
MARK = b'{"footwork sweep": '  # what every journal begins with


class Journal(AbstractContextManager["Journal"]):
    """A sweep's answers, and its file, held by one process at a time; none with `path=None`.

    Attributes:
        rows: (count, 1 + quantities), nan where nothing is done.
        done: (chunks,), which are.
        refused: what was wrong with scenarios that cannot be.

    Raises:
        ScenarioError: the file is held by another process, or of another sweep.
        FootworkError: it cannot be read or written.
    """

    def __init__(self, path: str | os.PathLike[str] | None, plan: Plan) -> None:
        self.plan = plan
        self.rows = np.full((plan.count, 1 + len(plan.quantities)), np.nan)
        self.done: NDArray[np.bool_] = np.zeros(plan.chunks, dtype=bool)
        self.refused: dict[str, None] = {}
        self.path = None if path is None else as_path(path, "journal", ScenarioError)
        self._file = -1  # its descriptor
        if self.path is None:
            return
        try:
            self._file = _held(self.path)
            self._resume(self.path)
        except OSError as error:
            self.close()
            raise self._lost(error) from error
        except BaseException:
            self.close()
            raise

    @property
    def finished(self) -> int:
        """How many points."""
        return sum(self.plan.length(int(k)) for k in np.flatnonzero(self.done))

    def record(self, chunk: int, answers: Answers) -> None:
        """Keep a finished chunk."""
        entry = {"chunk": chunk, "rows": answers.rows.tolist()}
        self._write(entry | ({"refused": answers.refused} if answers.refused else {}))
        self._keep(chunk, answers.rows, answers.refused)

    def _keep(self, chunk: int, rows: Any, refused: Any) -> None:
        first = chunk * self.plan.size
        self.rows[first : first + self.plan.length(chunk)] = rows
        self.done[chunk] = True
        self.refused |= dict.fromkeys(refused)

    def _resume(self, path: Path) -> None:
        """Read line by line, as a journal may be longer than memory; drop a truncated last line."""
        with os.fdopen(self._file, "rb", closefd=False) as file:
            whole = self._read_header(path, file)
            for number, line in enumerate(file, start=2):
                if not line.endswith(b"\n"):
                    break
                if not self._read(line):
                    words = f"{path}:{number}: damaged; the points of that line are done again"
                    warnings.warn(words, FootworkWarning, stacklevel=5)
                whole += len(line)
        os.ftruncate(self._file, whole)
        os.lseek(self._file, whole, os.SEEK_SET)
        if not whole:
            settings = self.plan.as_dict()
            self._write({"footwork sweep": VERSION, "digest": self.plan.digest, **settings})

    def _read_header(self, path: Path, file: BinaryIO) -> int:
        """Read the first line if it is there; return its length."""
        first = file.read(len(MARK))
        if not MARK.startswith(first):
            raise ScenarioError(f"{path}: this is no sweep; choose another file")
        line = first + file.readline() if first == MARK else first
        if not line.endswith(b"\n"):  # a crash cut it short, before any answer
            return 0
        _check_header(path, line, self.plan)
        return len(line)

    def _read(self, line: bytes) -> bool:
        """Keep a line's answers; return whether it is whole."""
        entry, plan = _entry(line) or {}, self.plan
        chunk, rows = entry.get("chunk", -1), entry.get("rows", ())
        known = isinstance(chunk, int) and 0 <= chunk < plan.chunks
        if not known or [len(row) for row in rows] != [self.rows.shape[1]] * plan.length(chunk):
            return False
        self._keep(chunk, rows, entry.get("refused", ()))
        return True

    def _write(self, entry: dict[str, object]) -> None:
        if self._file < 0:
            return
        line = memoryview(_with_checksum(json.dumps(entry).encode()))
        try:
            while line:  # a disk that is nearly full takes a part
                line = line[os.write(self._file, line) :]
            os.fsync(self._file)
        except OSError as error:
            raise self._lost(error) from error

    def _lost(self, error: OSError) -> FootworkError:
        return FootworkError(
            f"{self.path}: the journal cannot be written: {error.strerror or error}; "
            "what it holds already stays"
        )

    def close(self) -> None:
        """Let go of the file."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def __exit__(self, *_: object) -> None:
        self.close()


def _held(path: Path) -> int:
    """Open the file for this process alone; return its descriptor."""
    path.parent.mkdir(parents=True, exist_ok=True)
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):  # reading a device may never end
            raise ScenarioError(f"{path}: got a device or a pipe, expected the name of a file")
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(file)
        raise ScenarioError(f"{path}: another process is writing this sweep") from None
    except BaseException:  # a device, or a file system without locks
        os.close(file)
        raise
    return file


def _check_header(path: Path, line: bytes, plan: Plan) -> None:
    if not line.startswith(MARK + b"%d," % VERSION):
        raise ScenarioError(
            f"{path}: a sweep of another version of footwork; finish it there, or choose another "
            "file"
        )
    if (header := _entry(line)) is None:
        raise ScenarioError(f"{path}: its first line is damaged; choose another file, or delete it")
    if header.get("digest") != plan.digest:
        settings = plan.as_dict()
        other = [key for key, value in settings.items() if header.get(key) != value]
        raise ScenarioError(
            f"{path}: the sweep in this file asks something else ({', '.join(other)} differ); "
            "choose another file, or delete it"
        )


def _with_checksum(text: bytes) -> bytes:
    return b"%b %08x\n" % (text, crc32(text))


def _entry(line: bytes) -> dict[str, Any] | None:
    """The entry of a line; None where it is not as it was written."""
    text = line[:-10]
    entry: dict[str, Any] = json.loads(text) if _with_checksum(text) == line else {}
    return entry or None
