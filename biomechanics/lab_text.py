"""Parsing of laboratory text files, with errors that name the line."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ..arrays import Array
from ..errors import DataError, counted
from ..files import as_path

MAX_BYTES = 1 << 30


def read_lines(path: str | os.PathLike[str]) -> tuple[Path, list[str]]:
    """Return (path, its lines), for any line ending.

    Raises:
        DataError: no such file, a binary file, or one that is too large.
    """
    file = as_path(path, error=DataError)
    if not file.is_file():  # a folder, or a pipe that would block
        raise DataError(f"{file}: no such file")
    if file.stat().st_size > MAX_BYTES:
        raise DataError(f"{file}: {file.stat().st_size} bytes; expected at most {MAX_BYTES}")
    data = file.read_bytes()
    if b"\0" in data[:4096]:
        raise DataError(f"{file}: not a text file; C3D files end in .c3d")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    lines = text.splitlines()
    while lines and not lines[-1].strip():
        lines.pop()
    return file, lines


def split(line: str) -> list[str]:
    """Return the cells of a line, separated by tabs if there are any, else commas, else spaces."""
    for separator in ("\t", ",", ";"):
        if separator in line:
            return [cell.strip() for cell in line.split(separator)]
    return line.split()


def columns(file: Path, lines: Sequence[str], at: int) -> list[str]:
    """Return the names of a table's columns, which are in lines[at]: the time first.

    Raises:
        DataError: other names, or one twice; the line is named.
    """
    names = [cell for cell in split(lines[at]) if cell] if at < len(lines) else []
    if not names or not names[0].lower().startswith("time"):
        got = f"{file}, line {at + 1}: got {names[:4]}"
        raise DataError(f"{got}; expected names of columns, the time first")
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise DataError(f"{file}, line {at + 1}: the column {twice[0]!r} is there twice")
    return names


def different(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the names with " (2)", … after those that are there again, and notes."""
    found: list[str] = []
    for name in names:
        again = sum(old == name or old.startswith(f"{name} (") for old in found)
        found.append(f"{name} ({again + 1})" if again else name)
    twice = sorted({name for name in names if list(names).count(name) > 1})
    return found, [
        f"the label {name!r} is there {list(names).count(name)} times: further ones are named "
        f"{name + ' (2)'!r}, …"
        for name in twice
    ]


def numbers(file: Path, lines: Sequence[str], start: int, columns: Sequence[str]) -> Array:
    """Return the numbers of lines[start:], one row per line; empty cells and "nan" become nan.

    Empty lines are skipped. A row may have additional empty cells, but not fewer cells.

    Raises:
        DataError: a cell that is not a number, or a row of another length; the line is named.
    """
    rows = []
    for at, line in enumerate(lines[start:], start=start + 1):
        if not line.strip():
            continue
        cells = split(line)
        while len(cells) > len(columns) and not cells[-1]:
            cells.pop()
        if len(cells) != len(columns):
            raise DataError(f"{file}, line {at}: got {len(cells)} cells; expected {len(columns)}")
        try:
            rows.append([float(cell or "nan") for cell in cells])
        except ValueError:
            rows.append([number(file, at, c, n) for c, n in zip(cells, columns, strict=True)])
    if not rows:
        raise DataError(f"{file}: no numbers after line {start}")
    return np.array(rows)


def refuse_other_count(file: Path, rows: int, told: float, of: str, where: str) -> None:
    """Raise if a file has other than the number of rows that it says it has.

    Args:
        file: whose rows are counted.
        rows, told: how many there are, and are said to be.
        of: what a row is, as "frame".
        where: the place that says so, as "line 3".
    """
    if rows != told:
        how = "is cut short" if rows < told else "goes on after them"
        raise DataError(f"{file}: {counted(rows, of)}; {where} says {told:.12g}: the file {how}")


def number(file: Path, line: int, cell: str, column: str) -> float:
    """Return the number in a cell, or raise with the line and the column."""
    try:
        return float(cell or "nan")
    except ValueError:
        raise DataError(
            f"{file}, line {line}, column {column!r}: got {cell!r}; not a number"
        ) from None


def positive(file: Path, line: int, cell: str, column: str) -> float:
    """Return the number in a cell of a header, which has to be positive and finite, or raise."""
    value = number(file, line, cell, column)
    if not 0 < value < np.inf:
        raise DataError(
            f"{file}, line {line}, column {column!r}: got {cell!r}; expected a positive number"
        )
    return value


def metres(unit: str, file: Path, line: int) -> float:
    """Return the length of a `unit` in metres.

    Raises:
        DataError: a unit that is not known.
    """
    known = {"mm": 1e-3, "cm": 1e-2, "m": 1.0}
    if unit.strip().lower() not in known:
        raise DataError(f"{file}, line {line}: unit {unit!r}; expected one of {list(known)}")
    return known[unit.strip().lower()]


def in_metres(file: Path, line: int, positions: Array, unit: str) -> Array:
    """Return the positions of markers (n, m, 3) [m]; of those at zero, which are missing, nan.

    Raises:
        DataError: an unknown unit, or a wrong one: in the frame with the most markers they span
            less than 1 cm or more than 20 m.
    """
    positions = positions * metres(unit, file, line)
    positions[(positions == 0).all(axis=2)] = np.nan
    seen = np.asarray(np.isfinite(positions).all(axis=2))
    fullest = int(seen.sum(axis=1).argmax())
    points = positions[fullest][seen[fullest]]
    size = float(np.ptp(points, axis=0).max()) if len(points) > 1 else 1.0
    if not 0.01 < size < 20:
        raise DataError(f"{file}: with lengths in {unit} the markers span {size:.3g} m")
    return positions


def rate_of(file: Path, times: Array, rate: float | None) -> tuple[float, str | None]:
    """Return (frames per second, a note) for a column of times, which files round.

    If a rate is given, the column is only compared with it. Otherwise it is estimated from the
    whole column, and rounded to an integer if that agrees with every time.

    Raises:
        DataError: times that do not increase steadily: a frame is missing, or the rate is wrong.
    """
    steps = np.diff(times)
    if len(times) < 2 or not np.isfinite(times).all() or (steps <= 0).any():
        raise DataError(f"{file}: the times do not increase from row to row")
    frames = np.arange(len(times))
    if rate is None:
        centred = frames - frames.mean()
        rate = float(centred @ centred / (centred @ times))  # slope of the regression line
        whole = float(max(1, round(rate)))
        rounding = 0.51 * 10.0 ** -_decimals(times)
        if np.abs(times - times[0] - frames / whole).max() <= 2 * rounding:
            rate = whole
    off = np.abs(times - times[0] - frames / rate).max()
    if off > 0.5 / rate or steps.max() > 1.6 / rate + 10.0 ** -_decimals(times):
        raise DataError(
            f"{file}: the times depart from {rate:g} frames a second by {off:.4g} s; a frame is "
            "missing, or the rate is wrong"
        )
    if off > 1e-9:
        return rate, f"times are rounded by up to {off:.1e} s; i/{rate:g} s used"
    return rate, None


def _decimals(values: Array) -> int:
    """Return the number of decimals of the values, at most 9."""
    for places in range(9):
        if np.allclose(values, np.round(values, places), rtol=0, atol=1e-12):
            return places
    return 9
