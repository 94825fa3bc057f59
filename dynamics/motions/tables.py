"""Tables of motions: columns of .csv files, recognised by their header or number."""

from __future__ import annotations

import re

import numpy as np
import scipy

from ...arrays import Array
from ...errors import DataError, unknown
from .files import Table
from .poses import NAMED, split_pose
from .samples import Samples

LAYOUTS = {  # name -> what it is
    "lafan1": "LAFAN1 and AMASS retargeted by Unitree: no header, 30 Hz; place, xyzw, joints",
    "seed": "BONES-SEED: Frame, root_translateX in cm, root_rotateX in degrees, *_dof in degrees",
}
_LAFAN1_RATE = 30.0  # [Hz]
_SEED = tuple(f"root_{kind}{axis}" for kind in ("translate", "rotate") for axis in "XYZ")
_TIMES = {"t", "time", "times", "timestamp", "time_s", "t_s", "sec", "seconds"}
_FRAMES = {"frame", "frames", "frame_idx", "frame_index", "frame_id", "index", "idx", ""}
_OF_TURN = {"quat", "quaternion", "rot", "rotation", "orientation", "orn", "ori", "q"}
_OF_BASE = _OF_TURN | {
    "root", "base", "pelvis", "floating", "body", "link", "joint", "free", "world", "pos",
    "position", "trans", "translation", "translate", "p",
}  # fmt: skip


def of_table(table: Table, layout: str | None) -> Samples:
    """Return what a table of a .csv file says."""
    if layout is not None and layout not in LAYOUTS:
        raise DataError(unknown("layout of tables", layout, LAYOUTS))
    if table.header is None:
        return of_columns(table.columns(), layout)
    if layout == "lafan1":
        raise DataError("layout 'lafan1': expected a table without a header")
    if all(name in table.header for name in _SEED):
        return _seed(table)
    if layout == "seed":
        missing = next(name for name in _SEED if name not in table.header)
        raise DataError(f"layout 'seed': no column {missing!r}")
    return _of_header(table, table.header)


def of_columns(values: Array, layout: str | None) -> Samples:
    """Return what columns without a header say: a base's pose, joints, perhaps times before."""
    before, place, turn, joints = split_pose(values)
    rate, times = None, None
    notes: tuple[str, ...] = ()
    if layout == "lafan1":
        rate, notes = _LAFAN1_RATE, (f"{_LAFAN1_RATE:g} Hz, by the layout",)
    if before.shape[1] and not (np.diff(before[:, 0]) == 1).all():  # else numbers of frames
        times, notes = before[:, 0], (*notes, "the first column is time [s]")
    order = "xyzw" if layout == "lafan1" else None
    return Samples(layout or "columns", joints, place, turn, order, None, rate, times, None, notes)


def _seed(table: Table) -> Samples:
    header = list(table.header or ())
    values = table.columns()
    pose = values[:, [header.index(name) for name in _SEED]]
    rest = [i for i, name in enumerate(header) if name not in (*_SEED, "Frame")]
    notes = ("centimetres and degrees, by the layout",)
    # about the world's x, then y, then z
    turn = scipy.spatial.transform.Rotation.from_euler("xyz", np.radians(pose[:, 3:])).as_quat()
    names = tuple(header[i] for i in rest)
    joints = np.radians(values[:, rest])
    return Samples("seed", joints, pose[:, :3] / 100, turn, NAMED, names, notes=notes)


def _of_header(table: Table, header: tuple[str, ...]) -> Samples:
    """Columns by name: time, frames, the base's place and quaternion, joints."""
    plain = [re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_") for name in header]
    base: dict[str, int] = {}
    for i, name in enumerate(plain):
        if part := _base_part(name):
            if part in base:
                raise DataError(
                    f"columns {header[base[part]]!r} and {header[i]!r}: both are the base's {part}"
                )
            base[part] = i
    if base and set(base) != set(("x", "y", "z", "qx", "qy", "qz", "qw")):
        missing = sorted({"x", "y", "z", "qx", "qy", "qz", "qw"} - set(base))
        raise DataError(f"header: no column for the base's {', '.join(missing)}")
    time = next((i for i, name in enumerate(plain) if name in _TIMES), None)
    rest = [i for i, name in enumerate(plain)
            if name not in _TIMES | _FRAMES and i not in base.values()]  # fmt: skip
    kept = [*rest, *base.values(), *([] if time is None else [time])]
    values = dict(zip(kept, table.columns(kept).T, strict=True)) if kept else {}
    if not values:
        raise DataError("header: no column of a joint or a base")
    joints = (
        np.stack([values[i] for i in rest], axis=1) if rest else np.zeros((len(values[kept[0]]), 0))
    )
    pose: list[Array | None] = [None, None]
    if base:
        pose = [np.stack([values[base[k]] for k in keys], axis=1)
                for keys in (("x", "y", "z"), ("qx", "qy", "qz", "qw"))]  # fmt: skip
    names = tuple(header[i] for i in rest)
    times = None if time is None else values[time]
    return Samples("header", joints, pose[0], pose[1], NAMED, names, times=times)


def _base_part(name: str) -> str | None:
    """Which of the base's seven numbers a column is, or None."""
    *of, axis = name.split("_")
    if not set(of) <= _OF_BASE or not re.fullmatch("[qp]?[xyzw]", axis):
        return None
    turn = axis.startswith("q") or axis.endswith("w") or bool(_OF_TURN & set(of))
    return ("q" if turn else "") + axis[-1]
