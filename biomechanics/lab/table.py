"""Text tables of one leg on one force plate: column names, then numbers.

Separated by tabs or commas. Columns: Time [s]; three a marker, its name with x, y, z ("LMx LMy
LMz"); and, for a plate, Fx Fy Fz, COPx COPy COPz and the free moment Mx, My or Mz about the
vertical axis. The file states no units; by default lengths are millimetres and moments N·mm.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from ...arrays import Array
from ...errors import DataError
from .. import lab_text
from ..markers.markers import Markers
from .force_plates import THRESHOLD, ForcePlate
from .trial import Trial


def read_table(
    path: str | os.PathLike[str], *, up: str = "y", unit: str = "mm", threshold: float = THRESHOLD
) -> Trial:
    """Return the trial of a table.

    Args:
        path: of the file.
        up: the vertical axis.
        unit: of length: "mm", "cm" or "m"; moments are in newtons times it.
        threshold: vertical force above which the plate counts as loaded [N].

    Raises:
        DataError: an invalid file; the message names the line.
    """
    file, lines = lab_text.read_lines(path)
    names = lab_text.columns(file, lines, 0)
    table = lab_text.numbers(file, lines, 1, names)
    scale = lab_text.metres(unit, file, 1)
    frequency, note = lab_text.rate_of(file, table[:, 0], None)
    triples = _triples(names)
    found = {n: table[:, c] for n, c in triples.items() if n not in ("F", "COP")}
    if not found:
        raise DataError(f"{file}, line 1: no markers: no columns like LMx, LMy, LMz")
    positions = lab_text.in_metres(file, 1, np.stack(list(found.values()), axis=1), unit)
    markers = Markers(tuple(found), positions, frequency, up)
    plates = _plates(file, names, table, triples, scale, markers, threshold)
    return Trial(markers, plates, str(file), () if note is None else (note,))


def _triples(names: list[str]) -> dict[str, list[int]]:
    """{"LM": the columns of LMx, LMy, LMz}, in the order of the file."""
    found = {}
    for name in names:
        stem, axis = name[:-1], name[-1:]
        if axis == "x" and {f"{stem}y", f"{stem}z"} <= set(names):
            found[stem] = [names.index(stem + a) for a in "xyz"]
    return {stem: columns for stem, columns in found.items() if stem}


def _plates(
    file: Path,
    names: list[str],
    table: Array,
    triples: dict[str, list[int]],
    scale: float,
    markers: Markers,
    threshold: float,
) -> tuple[ForcePlate, ...]:
    if "F" not in triples:
        return ()
    free = f"M{markers.up}"
    for needed in ("COP", free):
        if needed not in triples and needed not in names:
            raise DataError(f"{file}, line 1: forces Fx Fy Fz, but no column {needed!r}")
    plate = ForcePlate.from_centre_of_pressure(
        "1",
        table[:, triples["F"]],
        scale * table[:, triples["COP"]],
        scale * table[:, names.index(free)],
        markers.rate,
        markers.up,
        threshold,
    )
    return (plate,)
