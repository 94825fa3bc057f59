"""Files of motion laboratories: reading of a trial by the format of the file."""

from __future__ import annotations

import math
import os
from dataclasses import replace
from pathlib import Path

from ...errors import ConfigurationError, DataError
from ...files import as_path
from ...robots.values import text
from .c3d import read_c3d
from .force_plates import THRESHOLD
from .forces import read_forces
from .storage import read_storage_forces
from .table import read_table
from .trc import read_trc
from .trial import Trial

FORCES = (".forces", ".mot", ".sto")
FORMATS = (".trc", ".c3d", ".txt", ".tsv", ".csv")


def read_trial(
    path: str | os.PathLike[str],
    *,
    forces: str | os.PathLike[str] | None = None,
    up: str | None = None,
    unit: str | None = None,
    threshold: float = THRESHOLD,
) -> Trial:
    """Return the trial of a .trc (with its forces), .c3d, or tab- or comma-separated file.

    Args:
        path: of the markers.
        forces: the .forces, .mot or .sto file of a .trc, of no other; default: the one of the same
            name beside it, if any. Times of .mot and .sto files are those of the .trc; a .forces
            file has none, and begins with the markers.
        up: the vertical axis; default z for C3D and y for the others.
        unit: of the lengths of a table, which does not state it; default mm.
        threshold: vertical force above which a plate counts as loaded [N].

    Raises:
        DataError: no such file or format, or one that cannot be read; the message names the line.
    """
    file = as_path(path, error=DataError)
    if unit is not None:
        text(unit, "unit", error=DataError)
    kind = file.suffix.lower()
    if kind not in FORMATS:
        raise DataError(f"{file}: got a file ending in {kind!r}; expected one of {list(FORMATS)}")
    if forces is not None and kind != ".trc":
        raise DataError(
            f"{file}: got forces={str(forces)!r}; expected it with a .trc, others have theirs"
        )
    if unit is not None and kind in (".trc", ".c3d"):
        raise DataError(f"{file}: got unit={unit!r}; expected it with a table, others state theirs")
    try:
        if kind == ".c3d":
            trial = read_c3d(file, up=up or "z", threshold=threshold)
        elif kind == ".trc":
            trial = _with_forces(file, forces, up or "y", threshold)
        else:
            trial = read_table(file, up=up or "y", unit=unit or "mm", threshold=threshold)
    except ConfigurationError as error:  # inconsistent values
        raise DataError(f"{file}: {error}") from None
    return replace(trial, notes=(*trial.notes, *_noticed(trial)))


def _with_forces(
    file: Path, forces: str | os.PathLike[str] | None, up: str, threshold: float
) -> Trial:
    markers, notes, begin = read_trc(file, up)
    beside = [file.with_suffix(suffix) for suffix in FORCES if file.with_suffix(suffix).is_file()]
    if forces is None and not beside:
        lacking = f"no force plates: no {file.with_suffix(FORCES[0]).name}"
        return Trial(markers, (), str(file), (*notes, lacking))
    place = beside[0] if forces is None else as_path(forces, "forces", DataError)
    if place.suffix.lower() == FORCES[0]:
        return Trial(markers, read_forces(place, up, threshold), str(file), notes)
    plates, told, start = read_storage_forces(place, up, threshold)
    trial = Trial(markers, plates, str(file), (*notes, *told))
    return _from_when_both_are_measured(trial, begin, start)


def _from_when_both_are_measured(trial: Trial, begin: float, start: float) -> Trial:
    """Return a trial whose first frame and first samples are simultaneous.

    Args:
        trial: as read.
        begin: the files' time of the first frame of the markers [s].
        start: that of the first sample of the plates [s].

    Raises:
        DataError: no time in common, or times in another unit.
    """
    markers, plates = trial.markers, trial.plates
    if plates[0].rate < 0.1 * markers.rate:
        raise DataError(
            f"{trial.source}: markers at {markers.rate:g} Hz, forces at {plates[0].rate:g} Hz: are "
            "their times in seconds?"
        )
    frames = max(0, math.ceil((start - begin) * markers.rate - 0.1))  # 0.1: times are rounded
    samples = round((begin + frames / markers.rate - start) * plates[0].rate)
    if frames >= len(markers) or samples >= len(plates[0]):
        ends = begin + markers.t[-1], start + (len(plates[0]) - 1) / plates[0].rate
        raise DataError(
            f"{trial.source}: markers from {begin:g} to {ends[0]:g} s, forces from {start:g} to "
            f"{ends[1]:g} s: no time in common"
        )
    if not (frames or samples):
        return trial
    left = f"{frames} frames" if frames else f"{samples} samples of the plates"
    begins = f"the markers begin at {begin:g} s, the forces at {start:g} s"
    return replace(
        trial,
        markers=markers.cut(frames, len(markers) - 1),
        plates=tuple(plate.cut(samples, len(plate) - 1) for plate in plates),
        notes=(*trial.notes, f"{begins}: the first {left} are left out"),
    )


def _noticed(trial: Trial) -> list[str]:
    """Return notes: markers with gaps or jumps, plates that were never loaded."""
    total = len(trial.markers)
    notes = [
        f"marker {name!r} is missing in {lost} of {total} frames"
        for name, lost in trial.markers.missing.items()
    ]
    notes += [
        f"marker {name!r} jumps at {speed:.0f} m/s in frame {frame}: confused with another marker?"
        for name, (frame, speed) in trial.markers.jumps().items()
    ]
    if not trial.plates and not any("no force plates" in note for note in trial.notes):
        notes.append("no force plates")
    idle = [plate.name for plate in trial.plates if not plate.steps()]
    if idle:
        notes.append(f"never loaded: plate {', '.join(idle)}")
    for plate in trial.plates:
        arm = plate.turning_arm()
        if arm > 0.05:
            notes.append(
                f"plate {plate.name}: free moments of {arm:.2f} m times the force, more than "
                "friction under a foot turns with: its zero or its centre is off"
            )
    return notes
