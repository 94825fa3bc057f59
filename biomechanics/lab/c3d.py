"""C3D files (.c3d), read by ezc3d: markers and force plates."""

from __future__ import annotations

import importlib.util
import io
import json
import os
import struct
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ...arrays import Array
from ...errors import DataError, FootworkError
from .. import axes, lab_text
from ..markers.markers import Markers
from .c3d_child import PATIENCE
from .force_plates import THRESHOLD, ForcePlate
from .trial import Trial


def read_c3d(path: str | os.PathLike[str], *, up: str = "z", threshold: float = THRESHOLD) -> Trial:
    """Return the trial of a C3D file, in metres and newtons.

    A plate's moment is taken about the middle of its corners, where ezc3d gives it.

    Plates record the force on the plate or its reaction on the foot, depending on their wiring: the
    sign with which they push the body up is used, and a change of sign is noted.

    Args:
        path: of the file.
        up: the vertical axis; mostly z in C3D files.
        threshold: vertical force above which a plate counts as loaded [N].

    Raises:
        DataError: not a C3D file, or one without markers.
        FootworkError: ezc3d is not installed.
    """
    if importlib.util.find_spec("ezc3d") is None:
        raise FootworkError("C3D files need ezc3d: pip install 'footwork[c3d]'")
    file = Path(path)
    if not file.is_file():
        raise DataError(f"{file}: no such file")
    _refuse_damaged(file)
    arrays = _read_apart(file)
    facts = json.loads(str(arrays["facts"]))
    notes: list[str] = []
    plates = tuple(
        _plate(file, i, units, arrays, facts["plate rate"], up, threshold, notes)
        for i, units in enumerate(facts["plates"])
    )
    names, twice = lab_text.different(facts["names"])
    unnamed = arrays["points"].shape[1] - len(names)
    if unnamed > 0:
        notes.append(f"{unnamed} points without a label are left out")
    markers = _markers(file, facts | {"names": names}, arrays["points"], up)
    return Trial(markers, plates, str(file), (*notes, *twice))


def _read_apart(file: Path) -> Mapping[str, Array]:
    """Return the arrays of a file, read by `c3d_child` in a process that may crash."""
    command = [sys.executable, str(Path(__file__).with_name("c3d_child.py")), str(file.resolve())]
    try:
        child = subprocess.run(command, capture_output=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        raise DataError(f"{file}: not read within {PATIENCE} s: damaged, most likely") from None
    if child.returncode != 0:
        said = child.stderr.decode(errors="replace").strip().splitlines()
        raise DataError(f"{file}: {said[-1] if said else 'it is damaged: its reader crashed'}")
    with np.load(io.BytesIO(child.stdout), allow_pickle=False) as arrays:
        return dict(arrays)


def _refuse_damaged(file: Path) -> None:
    """Raise if the header announces more data than the file holds: the reader may not terminate."""
    data = file.read_bytes()
    if len(data) < 1024 or data[1] != 0x50:
        raise DataError(f"{file}: not a C3D file")
    block = 512 * (max(data[0], 1) - 1)
    if (
        data[block + 3 : block + 4] != b"T"
    ):  # 84: little-endian; other formats are rare and left to the reader
        return
    points, analogs, first, last = struct.unpack_from("<4H", data, 2)
    (scale,) = struct.unpack_from("<f", data, 12)
    size = 4 if scale < 0 else 2
    promised = max(last - first + 1, 0) * (4 * points + analogs) * size
    if promised > len(data):
        raise DataError(
            f"{file}: {len(data)} bytes; its header promises {promised} of data: damaged, or cut "
            "short"
        )


def _markers(file: Path, facts: Mapping[str, Any], points: Array, up: str) -> Markers:
    names = tuple(facts["names"])
    if not names:
        raise DataError(f"{file}: no markers")
    if points.shape[1] < len(names) or not facts["rate"] > 0:
        raise DataError(
            f"{file}: {len(names)} names of markers for {points.shape[1]}, at {facts['rate']:g} Hz"
        )
    positions = np.moveaxis(points[:3, : len(names)], (0, 1, 2), (2, 1, 0))
    positions = lab_text.in_metres(file, 0, positions, facts["unit"])
    return Markers(names, positions, facts["rate"], up)


def _plate(
    file: Path,
    i: int,
    units: tuple[str, str],
    arrays: Mapping[str, Array],
    rate: float,
    up: str,
    threshold: float,
    notes: list[str],
) -> ForcePlate:
    force, moment = arrays[f"force {i}"].T, arrays[f"moment {i}"].T
    if "mm" in units[1].lower():
        moment = 1e-3 * moment
    centre = lab_text.metres(units[0], file, 0) * arrays[f"corners {i}"].mean(axis=1)
    vertical = force @ axes.up_vector(up)
    if vertical.sum() < 0 and vertical.min() < -threshold:
        force, moment, vertical = -force, -moment, -vertical
        told = "the forces on the plate were replaced by their reactions on the foot"
        notes.append(f"plate {i + 1}: {told}")
    # as `ForcePlate.from_centre_of_pressure`; nan stays, and is refused
    idle = (vertical < max(threshold, 1e-12))[:, None]
    force, moment = np.where(idle, 0.0, force), np.where(idle, 0.0, moment)
    return ForcePlate(str(i + 1), force, moment, centre, rate, up, threshold)
