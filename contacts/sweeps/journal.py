"""What is done of a sweep, in a file that survives whatever stops it.

The first line tells the question; every further one is a finished chunk, written whole and synced
before it counts. A line that a crash cut short is dropped, and its chunk done again.
"""

from __future__ import annotations

import fcntl
import json
import os
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from ..scenario.file import ScenarioError
from .plan import Plan
from .verdicts import Row

VERSION = 1


class Journal:
    """A sweep's file, held by one process at a time; nothing on disk with `path=None`.

    Attributes:
        done: {chunk: its rows}.
    """

    def __init__(self, path: str | os.PathLike[str] | None, plan: Plan) -> None:
        self.done: dict[int, list[Row]] = {}
        self._file: IO[bytes] | None = None
        if path is not None:
            self._file = _held(Path(path))
            try:
                self._resume(self._file, Path(path), plan)
            except BaseException:
                self._file.close()
                raise

    def record(self, chunk: int, rows: list[Row]) -> None:
        """Keep a finished chunk."""
        self.done[chunk] = rows
        self._write({"chunk": chunk, "rows": rows})

    def _resume(self, file: IO[bytes], path: Path, plan: Plan) -> None:
        text = file.read()
        whole = text[: text.rfind(b"\n") + 1]
        lines = whole.splitlines()
        if lines:
            _check_header(path, lines[0], plan)
        file.truncate(len(whole))
        file.seek(len(whole))
        if not lines:
            self._write({"footwork sweep": VERSION, "digest": plan.digest, **plan.as_dict()})
        for number, line in enumerate(lines[1:], start=2):
            entry = _entry(path, number, line)
            self.done[int(entry["chunk"])] = entry["rows"]

    def _write(self, entry: dict[str, object]) -> None:
        if self._file is not None:
            self._file.write(json.dumps(entry).encode() + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.close()


def _held(path: Path) -> IO[bytes]:
    """Open the file for this process alone."""
    path.parent.mkdir(parents=True, exist_ok=True)
    file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o644), "r+b")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise ScenarioError(f"{path}: another process is writing this sweep") from None
    return file


def _check_header(path: Path, line: bytes, plan: Plan) -> None:
    header = _entry(path, 1, line)
    if header.get("footwork sweep") != VERSION:
        raise ScenarioError(f"{path}: this is no sweep; choose another file")
    if header.get("digest") != plan.digest:
        asked = plan.as_dict()
        other = [key for key, value in asked.items() if header.get(key) != value]
        raise ScenarioError(
            f"{path}: the sweep in this file asks something else ({', '.join(other)} differ); "
            "choose another file, or delete it"
        )


def _entry(path: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        entry = json.loads(line)
    except ValueError:
        entry = None
    if not isinstance(entry, dict):
        raise ScenarioError(f"{path}:{number}: not a line of a sweep; choose another file")
    return entry
