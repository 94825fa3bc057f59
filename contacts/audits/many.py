"""Audits of many files: a row for each motion, in parallel, with a journal."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np

from ... import journal as journals
from ...dynamics.motions.reading import read_motion
from ...errors import ContactError, FootworkError
from ...files import as_path
from ...options import names_checked
from ...progress import progress_bar, with_progress
from ...robots import Robot
from ...robots.configuration import check_robot
from ...robots.values import mapping
from ...workers import check_executor, finished
from ..terrain.terrain import Terrain
from ..torque_limits import TorqueLimits
from .run import audit, check_arguments
from .table import AuditTable, Row

_READING = tuple(signature(read_motion).parameters)[2:]
ENDINGS = (".csv", ".npy", ".npz", ".pickle", ".pkl")  # of files in folders


@dataclass(frozen=True)
class Job:
    """One file, and all that a worker needs for it.

    Attributes:
        robot: that is to move so.
        path: of the file.
        reading: arguments of `dynamics.read_motion`.
        options: arguments of `contacts.audit`.
    """

    robot: Robot
    path: Path
    reading: Mapping[str, Any]
    options: Mapping[str, Any]


def row_of(job: Job) -> Row:
    """Return what an audit of the file found, or why there is none."""
    try:
        motion = read_motion(job.path, job.robot, **job.reading)
        return Row.of(str(job.path), audit(motion, **job.options))
    except FootworkError as error:
        words = str(error)
    except Exception as error:  # one file does not stop the others
        words = f"{type(error).__name__}: {error}"
    return Row(str(job.path), error=words.removeprefix(f"{job.path}: "))


class Journal(journals.Journal):
    """The rows of files, each with the size and time that the file had."""

    what, version, parts, error = "audit", 1, "motions", ContactError

    def __init__(self, path: str | os.PathLike[str] | None, settings: Mapping[str, Any]) -> None:
        self.rows: dict[str, tuple[list[int], Row]] = {}
        super().__init__(path, settings)

    def known(self, path: Path) -> Row | None:
        """Return the row of a file that has not changed since."""
        stamp, row = self.rows.get(str(path), ([], None))
        return row if row is not None and stamp == _stamp(path) else None

    def record(self, path: Path, row: Row) -> None:
        """Keep the row of a file."""
        stamp = _stamp(path)
        self.write({"stamp": stamp, "row": row.as_dict()})
        self.rows[str(path)] = stamp, row

    def keep(self, entry: Mapping[str, Any]) -> bool:
        """Take in the row of a line; return whether it is one."""
        row, stamp = entry.get("row"), entry.get("stamp")
        if not isinstance(row, dict) or set(row) != set(Row._fields) or not isinstance(stamp, list):
            return False
        self.rows[row["file"]] = stamp, Row(**row)
        return True


@names_checked
@with_progress
def audit_files(
    robot: Robot,
    files: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    reading: Mapping[str, Any] | None = None,
    terrain: Terrain | None = None,
    friction: float | None = None,
    torque_limits: TorqueLimits = True,
    self_collision: bool = True,
    limits: Mapping[str, float] | None = None,
    journal: str | os.PathLike[str] | None = None,
    executor: Executor | None = None,
    progress: bool | None = None,
) -> AuditTable:
    """Audit the motions of files and folders: how much of each holds, and what fails most.

    A file that cannot be read gives a row with the error. The table depends neither on the executor
    nor on interruptions.

    Args:
        robot: that is to move so.
        files: files, and folders whose motion files are all audited.
        reading: arguments of `dynamics.read_motion`, for all files.
        terrain, friction, torque_limits, self_collision, limits: as for `contacts.audit`; contacts
            are found.
        journal: a file that records finished work; the same call resumes from it, and audits files
            that are new or have changed.
        executor: any of `concurrent.futures` (its processes, Dask's `client.get_executor()`, …);
            without it, this process.
        progress: a progress bar on standard error; by default when that is a terminal.

    Raises:
        ContactError: no files, a journal of other work, bad options.
        SolverError: workers died; what they had finished is in the journal.
    """
    check_robot(robot)
    check_executor(executor, ContactError)
    most = check_arguments(robot, terrain, friction, torque_limits, self_collision, limits)
    options: dict[str, Any] = {
        "terrain": terrain,
        "friction": friction,
        "torque_limits": torque_limits,
        "self_collision": self_collision,
        "limits": most,
    }
    read = dict(mapping(reading or {}, "reading", _READING, kind="argument", error=ContactError))
    paths = list(motion_files(files))
    bar = progress_bar(total=len(paths), desc="audit", unit="motion")
    with Journal(journal, _settings(robot, read, options)) as kept, bar:
        rows = {path: row for path in paths if (row := kept.known(path)) is not None}
        bar.update(len(rows))
        jobs = ((path, Job(robot, path, read, options)) for path in paths if path not in rows)
        for path, row in finished(executor, row_of, jobs):
            kept.record(path, row)
            rows[path] = row
            bar.update()
    return AuditTable(robot.name, tuple(rows[path] for path in paths))


def motion_files(
    files: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
) -> Iterator[Path]:
    """Yield files as they are, and of folders all files of motions, in order, each once.

    Raises:
        ContactError: there is no such file, or none in a folder.
    """
    given = [files] if isinstance(files, str | os.PathLike) else files
    if not isinstance(given, Iterable):
        raise ContactError(f"files: got {files!r:.80}, expected files or folders")
    found: dict[Path, None] = {}
    for path in (as_path(file, "files", ContactError) for file in given):
        if not path.exists():
            raise ContactError(f"{path}: there is no such file or folder")
        inside = sorted(p for p in path.rglob("*") if p.suffix in ENDINGS and p.is_file())
        if path.is_dir() and not inside:
            raise ContactError(f"{path}: no files of motions in it ({', '.join(ENDINGS)})")
        found |= dict.fromkeys(inside if path.is_dir() else [path])
    if not found:
        raise ContactError("files: got none, expected files of motions, or folders of them")
    return iter(found)


def _settings(
    robot: Robot, reading: Mapping[str, Any], options: Mapping[str, Any]
) -> dict[str, Any]:
    """What identifies a work, as JSON has it."""
    return {
        "robot": [robot.name, robot.source, robot.mass, *robot.joint_names],
        "reading": {key: _as_json(value) for key, value in reading.items()},
        "options": {key: _as_json(value) for key, value in options.items()},
    }


def _as_json(value: Any) -> Any:
    if isinstance(value, np.ndarray | list | tuple):
        return np.asarray(value).tolist()
    return value if isinstance(value, bool | int | float | str | None) else repr(value)


def _stamp(path: Path) -> list[int]:
    """Size and time of the last change."""
    try:
        about = path.stat()
    except OSError:
        return []
    return [about.st_size, about.st_mtime_ns]
