"""Layouts of motion files: the keys of a base's pose, joints, rate and names.

A new layout of dictionaries is one more line of `LAYOUTS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import scipy

from ...arrays import Array
from ...errors import DataError, unknown
from ...robots.values import array
from . import tables
from .files import Table
from .poses import NAMED, split_pose
from .samples import Samples

_RATES = (
    "fps", "motion_fps", "frame_rate", "framerate", "mocap_framerate", "mocap_frame_rate",
    "sampling_rate", "rate",
)  # fmt: skip
_TIMES = ("t", "time", "times", "timestamp", "timestamps", "time_s", "time [s]")
_NAMES = ("joint_names", "dof_names", "joints_list", "joints_names")


class Layout(NamedTuple):
    """A layout: how it is called, the keys that it must have, what reads it, and what it is."""

    name: str
    keys: tuple[str, ...]
    read: Callable[[str, Mapping[str, Any]], Samples]
    words: str


def _keyed(place: str, turn: str, joints: str, order: str | None) -> Any:
    """Reader of a layout of one array each."""

    def read(layout: str, data: Mapping[str, Any]) -> Samples:
        pose = _rows(data, place, 3), _rows(data, turn, 4)
        return Samples(layout, _rows(data, joints), *pose, order)

    return read


def _joints_alone(layout: str, data: Mapping[str, Any]) -> Samples:
    return Samples(layout, _rows(data, "joint_pos"))


def _bodies(place: str, turn: str, joints: str) -> Any:
    """Reader of a layout of all links' poses, the base's first."""

    def read(layout: str, data: Mapping[str, Any]) -> Samples:
        places, turns = _rows(data, place, None, 3), _rows(data, turn, None, 4)
        values = _rows(data, joints)
        first = 1 if len(places) and not np.abs(places[:, 0]).max() else 0  # MuJoCo's world
        if first and values.shape[1] > 7 and _unit(values[:, 3:7]):  # holosoma: the whole qpos
            return Samples(layout, values[:, 7:], values[:, :3], values[:, 3:7], "wxyz",
                           bodies=places[:, 1:])  # fmt: skip
        return Samples(layout, values, places[:, first], turns[:, first], "wxyz",
                       bodies=places[:, first:])  # fmt: skip

    return read


def _qpos(layout: str, data: Mapping[str, Any]) -> Samples:
    table = _rows(data, "qpos")
    _, place, turn, joints = split_pose(table)
    return Samples(layout, joints, place, turn, "wxyz")


def _frames(layout: str, data: Mapping[str, Any]) -> Samples:
    table = _rows(data, "frames")
    if table.shape[1] < 6:
        raise DataError(f"frames: got {table.shape[1]} columns; expected a base's six, then joints")
    turn = scipy.spatial.transform.Rotation.from_rotvec(table[:, 3:6]).as_quat()
    return Samples(layout, table[:, 6:], table[:, :3], turn, NAMED)


LAYOUTS: tuple[Layout, ...] = (
    Layout("holosoma", ("qpos",), _qpos, "qpos of MuJoCo: place, wxyz, joints[, an object's pose]"),
    Layout("beyondmimic", ("body_pos_w", "body_quat_w", "joint_pos"),
           _bodies("body_pos_w", "body_quat_w", "joint_pos"), "links' poses, wxyz; base first"),
    Layout("isaaclab", ("body_positions", "body_rotations", "dof_positions"),
           _bodies("body_positions", "body_rotations", "dof_positions"),
           "AMP of Isaac Lab: links' poses, wxyz; base first"),
    Layout("gmr", ("root_pos", "root_rot", "dof_pos"),
           _keyed("root_pos", "root_rot", "dof_pos", "xyzw"), "GMR, TWIST"),
    Layout("phuma", ("root_trans", "root_ori", "dof_pos"),
           _keyed("root_trans", "root_ori", "dof_pos", "xyzw"), "PHUMA"),
    Layout("asap", ("root_trans_offset", "root_rot", "dof"),
           _keyed("root_trans_offset", "root_rot", "dof", "xyzw"), "ASAP, PHC"),
    Layout("ami", ("root_position", "root_quaternion", "joint_positions"),
           _keyed("root_position", "root_quaternion", "joint_positions", "xyzw"), "of AMI"),
    Layout("mimickit", ("frames", "loop_mode"), _frames, "MimicKit: place, rotation vector"),
    Layout("root", ("root_pos", "root_quat", "dof_pos"),
           _keyed("root_pos", "root_quat", "dof_pos", None), "quaternions of either order"),
    Layout("base", ("base_pos", "base_quat", "joint_pos"),
           _keyed("base_pos", "base_quat", "joint_pos", None), "quaternions of either order"),
    Layout("joints", ("joint_pos",), _joints_alone, "joints of a fixed base"),
)  # fmt: skip


def samples(data: Any, layout: str | None, entry: str | None) -> Samples:
    """Return what the contents of a file say; the layout is found by their keys if not given.

    Raises:
        DataError: no layout that is known, no such entry, keys that the layout lacks.
    """
    if isinstance(data, Table):
        return tables.of_table(data, layout)
    if isinstance(data, np.ndarray) and data.ndim == 2:
        return tables.of_columns(np.asarray(data, dtype=float), layout)
    if not isinstance(data, dict):
        raise DataError(f"got {type(data).__name__}; expected a dictionary of arrays, or a table")
    data = _entry(data, entry)
    chosen = _chosen(data, layout)
    found = _with_names_and_times(chosen.read(chosen.name, data), data)
    read = {*chosen.keys, *_RATES, *_TIMES, *_NAMES, "dt"}
    if rest := [str(key) for key in data if key not in read]:
        return found._replace(notes=(*found.notes, f"not used: {', '.join(rest)}"))
    return found


def _entry(data: dict[Any, Any], entry: str | None) -> dict[Any, Any]:
    """The motion of that name in a file of several, or the only one."""
    inside = {str(name): value for name, value in data.items() if isinstance(value, dict)}
    if len(inside) != len(data) or not data:
        if entry is not None:
            raise DataError(f"entry: got {entry!r}; expected None: the file has one motion")
        return data
    if entry is None and len(inside) == 1:
        return next(iter(inside.values()))
    if entry is None:
        some = ", ".join(map(repr, list(inside)[:8]))
        raise DataError(f"{len(inside)} motions; expected entry= one of them, such as {some}")
    if entry not in inside:
        raise DataError(unknown("entry", entry, inside))
    return inside[entry]


def _chosen(data: Mapping[Any, Any], layout: str | None) -> Layout:
    if layout is not None:
        named = {one.name: one for one in LAYOUTS}
        if layout not in named:
            raise DataError(unknown("layout of dictionaries", layout, named))
        if missing := [key for key in named[layout].keys if key not in data]:
            raise DataError(f"layout {layout!r}: no {missing[0]!r}; the file has {_listed(data)}")
        return named[layout]
    for one in LAYOUTS:
        if all(key in data for key in one.keys):
            return one
    expected = "; ".join(", ".join(one.keys) for one in LAYOUTS[:7])
    raise DataError(
        f"no layout that is known: got the keys {_listed(data)}; expected {expected}, …"
    )


def _listed(data: Mapping[Any, Any]) -> str:
    return ", ".join(map(str, list(data)[:20])) or "none"


def _rows(data: Mapping[str, Any], key: str, *shape: int | None) -> Array:
    """An array (n, …) of the file."""
    if key not in data:
        raise DataError(f"no {key!r}; the file has {_listed(data)}")
    return array(data[key], key, (None, *(shape or (None,))), error=DataError)


def _with_names_and_times(found: Samples, data: Mapping[str, Any]) -> Samples:
    names = next((_texts(data[key], key) for key in _NAMES if key in data), found.names)
    notes, rate = found.notes, found.rate
    for key in _RATES:
        if rate is None and key in data:
            rate = float(array(data[key], key, (), (1,), error=DataError).reshape(()))
            if 0 < rate <= 1:
                notes += (f"{key} is {rate:g}: taken as seconds between samples",)
                rate = 1 / rate
    if rate is None and "dt" in data:
        rate = 1 / float(array(data["dt"], "dt", (), (1,), error=DataError).reshape(()))
    times = next(
        (_rows(data, key, *()) for key in _TIMES if key in data and np.ndim(data[key])), None
    )
    return found._replace(names=names, rate=rate, notes=notes, times=times)


def _texts(value: Any, name: str) -> tuple[str, ...]:
    names = np.asarray(value).reshape(-1).tolist()
    return tuple(x.decode("utf-8", "replace") if isinstance(x, bytes) else str(x) for x in names)


def _unit(quaternions: Array) -> bool:
    return bool(np.abs(np.linalg.norm(quaternions, axis=1) - 1).max(initial=0.0) < 1e-2)
