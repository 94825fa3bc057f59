"""Recordings of closed loops as files: complete as .npz, a table as .csv."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np

from ...arrays import Array
from ...contacts import ContactSet
from ...dynamics.motions.saving import columns
from ...dynamics.trajectory import EventRecord
from ...errors import ConfigurationError, DataError
from ...files import as_path, by_suffix, write_csv, write_npz
from ...robots.configuration import check_robot
from ...robots.robot import Robot
from ...robots.values import instance
from ..disturbances import ForcePulse
from .closed_loop import ClosedLoop

VERSION = 2  # of .npz files; those without a number are of version 1

_PLAIN = ("t", "q", "v", "tau", "accelerations", "stops", "latency")
_ESTIMATED = ("estimated_q", "estimated_v")  # where there was an estimator
_REST = ("fell", "ended", "statuses", "push_values", "push_frames")


def save_motion(motion: ClosedLoop, path: str | Path, every: float = 0.1) -> Path:
    """Write a motion: times, q, v, τ, energy, forces of the ground, margins, statuses.

    A .npz file is read again by `read_motion`. A .csv file has one row a sample, under names such
    as "q.knee", "v.knee", "tau.knee", "f.left_foot.0.z" (of its first point), "margin".

    Args:
        motion: of `control.simulate`.
        path: its suffix says which.
        every: how often the margin is worked out [s].

    Raises:
        ConfigurationError: another suffix.
        FootworkError: the file cannot be written; one that was there is kept.
    """
    path = as_path(path)
    instance(motion, "motion", ClosedLoop)
    write = by_suffix(path, {".npz": _save_npz, ".csv": _save_csv})
    write(motion, path, motion.margins(every))
    return path


def read_motion(path: str | Path, robot: Robot, contacts: ContactSet | None = None) -> ClosedLoop:
    """Return a motion that `save_motion` wrote as .npz. The terrain is not in the file.

    Args:
        path: the file.
        robot: who moved.
        contacts: whose forces these are; needed for margins and centres of pressure.

    Raises:
        DataError: no such file, one that is no recording, damaged or of a later version.
        ConfigurationError: a recording of another robot or of other contacts.
    """
    path = as_path(path)
    check_robot(robot)
    if contacts is not None:
        contacts = ContactSet.of(robot, contacts)
    try:
        data = _read(path)
        plain = {name: data[name] for name in _PLAIN}
        rest = {name: data[name] for name in _REST}
        estimated = {name: data[name] for name in _ESTIMATED if name in data}
        forces = {k.removeprefix("forces/"): x for k, x in data.items() if k.startswith("forces/")}
        pushes = _pushes(rest["push_frames"], rest["push_values"])
        (nq,), (nv,), (na,) = (plain[name].shape[1:] for name in ("q", "v", "tau"))
    except Exception as error:  # as many kinds as there are damages: zipfile's, zlib's, NumPy's
        what = f"{type(error).__name__}: {error}"
        raise DataError(f"{path}: no recording, or a damaged one ({what})") from None
    if int(data.get("version", 1)) > VERSION:
        raise DataError(f"{path}: a recording of a later version of footwork")
    if (nq, nv, na) != (robot.nq, robot.nv, robot.na):
        raise ConfigurationError(
            f"robot: {robot.name!r} has nq={robot.nq}, na={robot.na}; the recording has "
            f"{nq} and {na}"
        )
    told = *plain.values(), *estimated.values()
    samples = {len(values) for values in (*told, *forces.values(), rest["statuses"])}
    if len(samples) > 1 or 0 in samples:
        raise DataError(f"{path}: damaged: arrays of {sorted(samples)} samples")
    if contacts is not None and set(forces) != set(contacts.names):
        raise ConfigurationError(f"contacts: got {contacts.names}; expected {tuple(forces)}")
    fell, ended = bool(rest["fell"]), str(rest["ended"])
    how = "fell" if fell else "interrupted" if ended.endswith(" interrupted") else "failed"
    last = EventRecord(how, plain["t"][-1], plain["q"][-1], plain["v"][-1])
    return ClosedLoop(
        robot,
        **plain,
        **estimated,
        events=(last,) if ended else (),
        contacts=contacts,
        forces=forces,
        statuses=tuple(map(str, rest["statuses"])),
        fell=fell,
        ended=ended,
        pushes=pushes,
        unsolved=int(data.get("unsolved", 0)),
    )


def _read(path: Path) -> dict[str, Any]:
    # of bytes: NumPy leaves a damaged file open
    with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


def _save_npz(motion: ClosedLoop, path: Path, margins: tuple[Array, Array]) -> None:
    data: dict[str, Any] = {name: getattr(motion, name) for name in (*_PLAIN, "energy")}
    data |= {name: x for name in _ESTIMATED if (x := getattr(motion, name)) is not None}
    data |= {f"forces/{name}": values for name, values in motion.forces.items()}
    data |= {
        "version": np.array(VERSION),
        "unsolved": np.array(motion.unsolved),
        "statuses": np.array(motion.statuses, dtype=str),
        "fell": np.array(motion.fell),
        "ended": np.array(motion.ended),
        "push_frames": np.array([push.frame for push in motion.pushes], dtype=str),
        "push_values": np.array([[*p.force, p.start, p.duration] for p in motion.pushes]),
        "margin_t": margins[0],
        "margin": margins[1],
    }
    write_npz(path, data)


def _pushes(frames: Any, values: Any) -> tuple[ForcePulse, ...]:
    return tuple(
        ForcePulse(str(frame), (fx, fy, fz), start, lasting)
        for frame, (fx, fy, fz, start, lasting) in zip(frames, values.tolist(), strict=True)
    )


def _save_csv(motion: ClosedLoop, path: Path, margins: tuple[Array, Array]) -> None:
    known = dict(zip(margins[0].tolist(), margins[1].tolist(), strict=True))
    forces = [values.reshape(len(motion), -1) for values in motion.forces.values()]
    table = np.column_stack([motion.t, motion.q, motion.v, motion.tau, motion.energy, *forces])
    rows = zip(table.tolist(), motion.statuses, strict=True)
    told = ([*row, known.get(row[0], ""), status] for row, status in rows)
    write_csv(path, [*_columns(motion), "margin", "status"], told)


def _columns(motion: ClosedLoop) -> list[str]:
    """Names of a table's columns, in the order of q, v, τ and the forces."""
    places, speeds = columns(motion.robot)
    points = [
        f"f.{name}.{k}.{axis}"
        for name, values in motion.forces.items()
        for k in range(values.shape[1])
        for axis in "xyz"
    ]
    taus = [f"tau.{name}" for name in motion.robot.actuated]
    return ["t", *places, *speeds, *taus, "energy", *points]
