"""C3D files (.c3d), read by ezc3d: markers and force plates of most laboratories."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import DataError, FootworkError
from . import axes, lab_text
from .force_plates import THRESHOLD, ForcePlate
from .markers import Markers
from .trial import Trial

Array = NDArray[np.float64]


def read_c3d(path: str | os.PathLike[str], *, up: str = "z", threshold: float = THRESHOLD) -> Trial:
    """Return the trial of a C3D file, in metres and newtons.

    A plate's moment is taken about the middle of its corners, where ezc3d gives it.

    Plates give the force on the plate or the one on the foot, as their amplifiers were wired: the
    sense in which they push the body up is taken, and noted where it had to be turned.

    Args:
        path: of the file.
        up: the axis that points up; C3D files mostly have z.
        threshold: vertical force from which on a plate counts as loaded [N].

    Raises:
        DataError: a file that is none, or one without markers.
        FootworkError: ezc3d is not installed.
    """
    try:
        import ezc3d
    except ImportError:
        raise FootworkError("C3D files need ezc3d: pip install 'footwork[c3d]'") from None
    file = Path(path)
    if not file.is_file():
        raise DataError(f"{file}: no such file")
    if file.read_bytes()[1:2] != b"\x50":
        raise DataError(f"{file}: not a C3D file")
    try:
        content = ezc3d.c3d(str(file), extract_forceplat_data=True)
    except Exception as error:  # whatever the C++ library says
        raise DataError(f"{file}: {error}") from None
    markers = _markers(file, content, up)
    notes: list[str] = []
    rate = float(content["header"]["analogs"]["frame_rate"])
    plates = tuple(
        _plate(file, str(i + 1), p, rate, up, threshold, notes)
        for i, p in enumerate(content["data"]["platform"])
    )
    return Trial(markers, plates, str(file), tuple(notes))


def _markers(file: Path, content: Any, up: str) -> Markers:
    point = content["parameters"]["POINT"]
    names = tuple(str(name) for name in point["LABELS"]["value"])
    if not names:
        raise DataError(f"{file}: no markers")
    unit = str((point["UNITS"]["value"] or ["mm"])[0])
    data = np.asarray(content["data"]["points"], dtype=float)  # (4, m, n)
    positions = np.moveaxis(data[:3, : len(names)], (0, 1, 2), (2, 1, 0))
    scaled = positions * lab_text.metres(unit, file, 0)
    return Markers(names, scaled, float(content["header"]["points"]["frame_rate"]), up)


def _plate(
    file: Path, name: str, platform: Any, rate: float, up: str, threshold: float, notes: list[str]
) -> ForcePlate:
    scale = lab_text.metres(str(platform["unit_position"]), file, 0)
    force, moment = (np.asarray(platform[key], dtype=float).T for key in ("force", "moment"))
    if "mm" in str(platform["unit_moment"]).lower():
        moment = 1e-3 * moment
    centre = scale * np.asarray(platform["corners"], dtype=float).mean(axis=1)
    vertical = force @ axes.up_vector(up)
    if vertical.sum() < 0 and vertical.min() < -threshold:
        force, moment, vertical = -force, -moment, -vertical
        notes.append(f"plate {name}: what pushes it down was turned into what pushes the foot up")
    loaded = (vertical >= max(threshold, 1e-12))[:, None]
    return ForcePlate(name, force * loaded, moment * loaded, centre, rate, up, threshold)
