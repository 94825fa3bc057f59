"""Marker files (.trc) of Cortex and OpenSim.

Three lines of header (their second names the quantities of the third: DataRate, NumFrames,
NumMarkers, Units), a line of marker names, a line of X1 Y1 Z1 …, then frame number, time and three
numbers per marker, separated by tabs. An empty cell, "nan" or three zeros: the marker is missing.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ... import files
from ...errors import DataError
from ...robots.values import instance
from .. import lab_text
from ..markers.markers import Markers


def read_trc(path: str | os.PathLike[str], up: str = "y") -> tuple[Markers, tuple[str, ...], float]:
    """Return (markers, notes, time of the first frame [s]) of a .trc file; lengths in metres.

    Times of the markers are i/rate, from the first frame on.

    Raises:
        DataError: an invalid file; the message names the line.
    """
    file, lines = lab_text.read_lines(path)
    if len(lines) < 5 or not lines[0].startswith("PathFileType"):
        raise DataError(f"{file}, line 1: expected 'PathFileType …' and five lines of header")
    header = dict(zip(lab_text.split(lines[1]), lab_text.split(lines[2]), strict=False))
    for key in ("DataRate", "NumMarkers", "Units"):
        if key not in header:
            raise DataError(f"{file}, line 2: no {key}; got {list(header)}")
    named = [name for name in lab_text.split(lines[3])[2:] if name]
    count = lab_text.number(file, 3, header["NumMarkers"], "NumMarkers")
    names, notes = lab_text.different(_with_data(named, count, lines[5:]))
    if len(named) < count or len(names) != count:
        raise DataError(f"{file}, line 4: got {len(named)} names; line 3 says {count:g} markers")
    if left := named[len(names) :]:
        notes.append(f"no data of {len(left)} more markers that line 4 names: {', '.join(left)}")
    columns = ["Frame#", "Time", *(f"{name} {axis}" for name in names for axis in "xyz")]
    table = lab_text.numbers(file, lines, 5, columns)
    frames = header.get("NumFrames", "")
    if frames.isdigit():
        lab_text.refuse_other_count(file, len(table), int(frames), "frame", "line 3")
    told = lab_text.positive(file, 3, header["DataRate"], "DataRate")
    rate, note = lab_text.rate_of(file, table[:, 1], told)
    positions = table[:, 2:].reshape(len(table), -1, 3)
    positions = lab_text.in_metres(file, 3, positions, header["Units"])
    notes += [] if note is None else [note]
    return Markers(tuple(names), positions, rate, up), tuple(notes), float(table[0, 1])


def _with_data(names: list[str], count: float, rows: Sequence[str]) -> list[str]:
    """The names that have columns: virtual markers may be named after those, without data."""
    row = next((line for line in rows if line.strip()), "")
    cells = len(lab_text.split(row.rstrip("\t ,;")))
    return names[: int(count)] if count < len(names) and cells <= 2 + 3 * count else names


def write_trc(path: str | os.PathLike[str], markers: Markers) -> Path:
    """Write markers as a .trc file in millimetres, without loss; return its path."""
    instance(markers, "markers", Markers, error=DataError)
    n, m = len(markers), len(markers.names)
    keys = "DataRate CameraRate NumFrames NumMarkers Units OrigDataRate OrigDataStartFrame"
    rate = f"{markers.rate:.17g}"
    values = [rate, rate, str(n), str(m), "mm", rate, "1", str(n)]
    lines = [
        f"PathFileType\t4\t(X/Y/Z)\t{files.as_path(path).name}",
        "\t".join([*keys.split(), "OrigNumFrames"]),
        "\t".join(values),
        "\t".join(["Frame#", "Time", *(f"{name}\t\t" for name in markers.names)]),
        "\t".join(["", "", *(f"{axis}{i + 1}" for i in range(m) for axis in "XYZ")]),
        "",
    ]
    for i, row in enumerate(1e3 * markers.positions.reshape(n, -1)):
        lines.append("\t".join([str(i + 1), f"{i / markers.rate:.17g}", *cells(row)]))
    return files.write(path, "\n".join(lines) + "\n")


def cells(row: Sequence[float]) -> list[str]:
    """Return numbers as text without loss; nan as an empty cell."""
    return ["" if np.isnan(x) else f"{x:.17g}" for x in row]
