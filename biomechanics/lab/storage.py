"""Storage files (.mot, .sto) of OpenSim: ground forces and coordinates over time.

A header ("inDegrees=yes", "nRows=…") that ends with "endheader", a line of column names with "time"
first, then numbers. Forces act on the body, in N at points in m, with torques about those points in
N·m; the vertical axis is y. Columns of a plate have the same words beside vx vy vz, px py pz and
the torque's x y z: "ground_force_vx", "1_ground_force_vx", "ground_force1_vx", "l_ground_torque_x".
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...arrays import Array
from ...errors import DataError, counted, unknown
from .. import lab_text
from .force_plates import THRESHOLD, ForcePlate

_WORDS = re.compile(r"ground|reaction|force|torque|moment|point|grf|grm|cop|[\W_]")
_COLUMN = re.compile(r"(?P<stem>.*?)_?(?P<kind>[vfpmt]?)_?(?P<axis>[xyz])", re.IGNORECASE)
_TRANSLATION = re.compile(r".*_t[xyz](/value)?")


@dataclass(frozen=True, eq=False, repr=False)
class Storage:
    """A storage file's columns.

    Attributes:
        source: the file.
        t: (n,) times [s].
        names: of the columns but time.
        values: (n, columns), as they are in the file.
        degrees: whether its angles are in degrees.
    """

    source: str
    t: Array
    names: tuple[str, ...]
    values: Array
    degrees: bool

    def __repr__(self) -> str:
        return f"Storage({self.source!r}, {len(self.t)} × {counted(len(self.names), 'column')})"

    def __getitem__(self, name: str) -> Array:
        """Return a column (n,) as it is in the file.

        Raises:
            DataError: there is none of that name.
        """
        if name not in self.names:
            raise DataError(f"{self.source}: {unknown('column', name, self.names)}")
        return self.values[:, self.names.index(name)]

    def coordinates(self) -> dict[str, Array]:
        """Return {coordinate: (n,)} in rad, and in m for those that end in _tx, _ty or _tz."""
        scale = np.pi / 180 if self.degrees else 1.0
        lengths = [bool(_TRANSLATION.fullmatch(name)) for name in self.names]
        columns = self.values * np.where(lengths, 1.0, scale)
        return dict(zip(self.names, columns.T, strict=True))


def read_storage(path: str | os.PathLike[str]) -> Storage:
    """Return the columns of a .mot or .sto file.

    Raises:
        DataError: an invalid file; the message names the line.
    """
    file, lines = lab_text.read_lines(path)
    ends = [i for i, line in enumerate(lines) if line.strip().lower() == "endheader"]
    if not ends or len(lines) < ends[0] + 3:
        raise DataError(f"{file}: expected a header that ends with a line 'endheader', and columns")
    head = dict(re.findall(r"^\s*(\w+)\s*=\s*(\S+)", "\n".join(lines[: ends[0]]), re.MULTILINE))
    header = {key.lower(): value for key, value in head.items()}
    start = next(i for i in range(ends[0] + 1, len(lines)) if lines[i].strip())
    names = lab_text.columns(file, lines, start)
    table = lab_text.numbers(file, lines, start + 1, names)
    rows = header.get("nrows", header.get("datarows", ""))
    if rows.isdigit():
        lab_text.refuse_other_count(file, len(table), int(rows), "row", "its header")
    degrees = header.get("indegrees", "no").lower()
    if degrees not in ("yes", "no"):
        raise DataError(f"{file}: inDegrees={degrees!r}; expected yes or no")
    return Storage(str(file), table[:, 0], tuple(names[1:]), table[:, 1:], degrees == "yes")


def read_storage_forces(
    path: str | os.PathLike[str], up: str = "y", threshold: float = THRESHOLD
) -> tuple[tuple[ForcePlate, ...], tuple[str, ...], float]:
    """Return (plates, notes, time of the first sample [s]) of a storage file of ground forces.

    There is a plate for each set of columns.

    Raises:
        DataError: an invalid file, or one without forces vx vy vz and points px py pz.
    """
    storage = read_storage(path)
    found: dict[str, dict[str, str]] = {}
    for name in storage.names:
        match = _COLUMN.fullmatch(name)
        if match:
            kind = {"v": "F", "f": "F", "p": "p"}.get(match["kind"].lower(), "T")
            plate = _WORDS.sub("", match["stem"].lower())
            found.setdefault(plate, {})[f"{kind}{match['axis'].lower()}"] = name
    whole = {k: c for k, c in found.items() if {f"{x}{a}" for x in "Fp" for a in "xyz"} <= set(c)}
    if not whole:
        raise DataError(f"{path}: no ground forces: no columns …vx …vy …vz with …px …py …pz")
    rate, note = lab_text.rate_of(Path(path), storage.t, None)
    plates = tuple(
        _plate(plate or str(i + 1), storage, columns, rate, up, threshold)
        for i, (plate, columns) in enumerate(whole.items())
    )
    used = {name for columns in whole.values() for name in columns.values()}
    left = [name for name in storage.names if name not in used]
    notes = [note] if note else []
    notes += [f"columns of no plate are left out: {', '.join(left)}"] if left else []
    return plates, tuple(notes), float(storage.t[0])


def _plate(
    name: str, storage: Storage, columns: dict[str, str], rate: float, up: str, threshold: float
) -> ForcePlate:
    zero = np.zeros(len(storage.t))
    force, point, torque = (
        np.stack([storage[columns[x + a]] if x + a in columns else zero for a in "xyz"], axis=1)
        for x in "FpT"
    )
    return ForcePlate.from_centre_of_pressure(name, force, point, torque, rate, up, threshold)
