"""Motions of footwork's own files: .npz to the bit, .csv as a table, with names of all entries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ...arrays import Array
from ...errors import ConfigurationError, DataError
from ...files import by_suffix, write_csv, write_npz
from ...robots.robot import Robot
from ...robots.values import array
from .files import Table

VERSION = 1  # of .npz files
_BASE = ("x", "y", "z", "qx", "qy", "qz", "qw")
_TWIST = ("vx", "vy", "vz", "wx", "wy", "wz")
_RATES = ("v", "a")


def columns(robot: Robot) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return names of the entries of q and of v, such as "q.knee", "v.knee"."""
    places, speeds = [""] * robot.nq, [""] * robot.nv
    for name, joint in zip(
        list(robot._model.names)[1:], list(robot._model.joints)[1:], strict=True
    ):
        for names, size, at, base, letter in (
            (places, joint.nq, joint.idx_q, _BASE, "q"),
            (speeds, joint.nv, joint.idx_v, _TWIST, "v"),
        ):
            parts = base if size > 4 else ("",) if size == 1 else tuple(map(str, range(size)))
            for k in range(size):
                names[at + k] = ".".join(filter(None, (letter, name, parts[k])))
    return tuple(places), tuple(speeds)


def save(motion: Any, path: Path) -> Path:
    """Write a motion; the suffix says how."""
    by_suffix(path, {".npz": _save_npz, ".csv": _save_csv})(motion, path)
    return path


def _save_npz(motion: Any, path: Path) -> None:
    places, speeds = columns(motion.robot)
    data = {
        "motion_version": np.array(VERSION),
        "robot": np.array(motion.robot.name),
        "name": np.array(motion.name),
        "notes": np.array(motion.notes, dtype=str),
        "q_names": np.array(places),
        "v_names": np.array(speeds),
        **{key: getattr(motion, key) for key in "tqva"},
    }
    write_npz(path, data)


def _save_csv(motion: Any, path: Path) -> None:
    places, speeds = columns(motion.robot)
    table = np.column_stack([motion.t, motion.q, motion.v, motion.a])
    write_csv(path, ["t", *places, *speeds, *_named(speeds, "a")], table.tolist())


def _named(names: Iterable[str], letter: str) -> tuple[str, ...]:
    return tuple(f"{letter}{name[1:]}" for name in names)


def own_arrays(robot: Robot, data: Any) -> tuple[dict[str, Array], tuple[str, ...]] | None:
    """Return t, q and what there is of v and a in a file of footwork's, in the robot's order.

    Also what is to be said of it. None of a file of others.

    Raises:
        ConfigurationError: joints that are not the robot's; which ones.
    """
    if isinstance(data, Table):
        return _of_table(robot, data)
    if not isinstance(data, dict) or not {"t", "q"} <= set(data):
        return None
    if "motion_version" in data and int(data["motion_version"]) > VERSION:
        raise DataError("a motion of a later version of footwork")
    given = {"a": data.get("accelerations"), **{k: data[k] for k in ("q", "v", "a") if k in data}}
    arrays = {"t": array(data["t"], "t", (None,), error=DataError)}
    said: tuple[str, ...] = ()
    for key, own in zip("qva", _own(robot), strict=True):
        if given.get(key) is None:
            continue
        values = array(given[key], key, (len(arrays["t"]), None), error=DataError)
        names = data.get(f"{'q' if key == 'q' else 'v'}_names")
        if names is not None:
            have = dict(zip(_named(map(str, names), key), values.T, strict=True))
            values = in_order(robot, have, own, key)
        elif key == "q":
            said = (f"the file names no joints: q as of {robot.name!r} assumed",)
        arrays[key] = _of_width(robot, values, len(own), key)
    if "v" not in arrays:
        arrays.pop("a", None)
    return arrays, said + tuple(map(str, data.get("notes", ())))


def _own(robot: Robot) -> tuple[tuple[str, ...], ...]:
    places, speeds = columns(robot)
    return places, speeds, _named(speeds, "a")


def _of_table(robot: Robot, table: Table) -> tuple[dict[str, Array], tuple[str, ...]] | None:
    header = table.header or ()
    if "t" not in header or not any(name.startswith("q.") for name in header):
        return None
    kinds = {key: [i for i, n in enumerate(header) if n.startswith(f"{key}.")] for key in "qva"}
    read = [header.index("t"), *(i for which in kinds.values() for i in which)]
    values = dict(zip(read, table.columns(read).T, strict=True))
    arrays = {"t": values[read[0]]}
    for key, own in zip("qva", _own(robot), strict=True):
        have = {header[i]: values[i] for i in kinds[key]}
        if have:
            arrays[key] = in_order(robot, have, own, key)
    rest = sorted({name.split(".")[0] for i, name in enumerate(header) if i not in values})
    said = (f"columns that are no motion left out: {', '.join(rest)}",) if rest else ()
    return arrays, said


def in_order(robot: Robot, have: Mapping[str, Array], own: tuple[str, ...], key: str) -> Array:
    """Columns in the robot's order; theirs must be the same."""
    lacking, others = [n for n in own if n not in have], [n for n in have if n not in own]
    if lacking or others:
        words = [f"{what} {', '.join(names[:6])}{', …' if len(names) > 6 else ''}"
                 for what, names in (("the file lacks", lacking), (f"{robot.name!r} lacks", others))
                 if names]  # fmt: skip
        raise ConfigurationError(f"{key}: {'; '.join(words)}; expected the same names")
    return np.stack([have[name] for name in own], axis=1)


def _of_width(robot: Robot, values: Array, width: int, key: str) -> Array:
    if values.shape[1] != width:
        raise ConfigurationError(
            f"{key}: got {values.shape[1]} columns; expected {width} of {robot.name!r}"
        )
    return values
