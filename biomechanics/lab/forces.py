"""Force-plate files (.forces) of Cortex.

"[Force Data]", NumberOfForcePlates=…, SampleRate=…, NumberOfSamples=…, a line of column names, then
sample number and, for each plate, FX FY FZ [N], the centre of pressure X Y Z [mm] and the free
moment MZ [N·mm] about the vertical axis, separated by tabs. The centre of an unloaded plate is
arbitrary.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from ... import files
from ...arrays import Array
from ...errors import DataError
from ...robots.values import sequence
from .. import lab_text
from .force_plates import THRESHOLD, ForcePlate
from .trc import cells

_COLUMNS = ("FX", "FY", "FZ", "X", "Y", "Z", "MZ")


def read_forces(
    path: str | os.PathLike[str], up: str = "y", threshold: float = THRESHOLD
) -> tuple[ForcePlate, ...]:
    """Return the plates of a .forces file, in newtons and metres; see `ForcePlate`.

    Raises:
        DataError: an invalid file; the message names the line.
    """
    file, lines = lab_text.read_lines(path)
    if not lines or lines[0].strip() != "[Force Data]":
        raise DataError(f"{file}, line 1: expected '[Force Data]'")
    header: dict[str, float] = {}
    start = 1
    while start < len(lines) and "=" in lines[start]:
        key, _, value = lines[start].partition("=")
        header[key.strip()] = lab_text.positive(file, start + 1, value.strip(), key.strip())
        start += 1
    for key in ("NumberOfForcePlates", "SampleRate", "NumberOfSamples"):
        if key not in header:
            raise DataError(f"{file}: no {key}= in the header; got {list(header)}")
    names = [cell for cell in lab_text.split(lines[start]) if cell] if start < len(lines) else []
    count = len(names) // len(_COLUMNS)  # the number in the header is not trusted
    expected = ["#Sample", *(f"{c}{i + 1}" for i in range(count) for c in _COLUMNS)]
    if names != expected:
        raise DataError(f"{file}, line {start + 1}: got {names[:9]} …; expected {expected[:9]} …")
    if count != header["NumberOfForcePlates"]:
        raise DataError(
            f"{file}, line {start + 1}: columns of {count} plates; the header says "
            f"{header['NumberOfForcePlates']:g}"
        )
    table = lab_text.numbers(file, lines, start + 1, expected)
    told = header["NumberOfSamples"]
    lab_text.refuse_other_count(file, len(table), told, "sample", "the header")
    blocks = table[:, 1:].reshape(len(table), count, 7)
    return tuple(
        ForcePlate.from_centre_of_pressure(
            str(i + 1),
            b[:, :3],
            b[:, 3:6] / 1e3,
            b[:, 6] / 1e3,
            header["SampleRate"],
            up,
            threshold,
        )
        for i, b in enumerate(np.moveaxis(blocks, 1, 0))
    )


def write_forces(path: str | os.PathLike[str], plates: tuple[ForcePlate, ...]) -> Path:
    """Write plates of one rate as a .forces file in N and mm, without loss; return its path."""
    plates = sequence(plates, "plates", ForcePlate, error=DataError)
    lengths = {(len(p), p.rate) for p in plates}
    if len(lengths) != 1:
        raise DataError(f"got plates of {sorted(lengths)} samples and rates; expected one of each")
    (n, rate), count = next(iter(lengths)), len(plates)
    lines = [
        "[Force Data]",
        f"NumberOfForcePlates={count}",
        f"SampleRate={rate:.17g}",
        f"NumberOfSamples={n}",
        "\t".join(["#Sample", *(f"{c}{i + 1}" for i in range(count) for c in _COLUMNS)]),
    ]
    table = np.concatenate([_columns(plate) for plate in plates], axis=1)
    lines += ["\t".join([str(i + 1), *cells(row)]) for i, row in enumerate(table)]
    return files.write(path, "\n".join(lines) + "\n")


def _columns(plate: ForcePlate) -> Array:
    """Return the columns (n, 7) of a plate; while unloaded, its centre is at the origin."""
    on = plate.loaded[:, None]
    centre = np.where(on, np.nan_to_num(plate.centre_of_pressure), plate.origin)
    free = np.where(on, np.nan_to_num(plate.free_moment)[:, None], 0.0)
    force = np.where(on, plate.force, 0.0)
    return np.concatenate([force, 1e3 * centre, 1e3 * free], axis=1)
