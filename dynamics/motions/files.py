"""Contents of motion files: arrays by key of .npz, .npy and .pkl, a table with its header of .csv.

No code from a file is run: object arrays and pickles go through `pickles`.
"""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.lib import format as npy

from ...arrays import Array
from ...errors import DataError
from ...files import read
from . import pickles
from .pickles import LARGEST


class Table(NamedTuple):
    """A table of a .csv file.

    Attributes:
        header: names of the columns; None without any.
        cells: rows of texts, read as numbers by `columns`.
    """

    header: tuple[str, ...] | None
    lines: tuple[str, ...]
    delimiter: str

    def columns(self, which: list[int] | None = None) -> Array:
        """Return columns (n, k) as numbers.

        Raises:
            DataError: no rows, rows that are longer or shorter than the header, or cells that are
                no numbers; in which row.
        """
        if not self.lines:
            raise DataError("names of columns without a row of numbers below them")
        self._refuse_other_widths()
        try:
            table = np.loadtxt(
                self.lines, delimiter=self.delimiter if self.delimiter != " " else None,
                usecols=which, ndmin=2, comments=None,
            )  # fmt: skip
        except ValueError as error:
            raise DataError(self._no_number() or f"rows of several lengths: {error}") from None
        return np.asarray(table, dtype=float)

    def _no_number(self) -> str:
        """Return which cell is no number, in words; "" where all are."""
        separator = self.delimiter if self.delimiter != " " else None
        for k, line in enumerate(self.lines, start=1):
            for j, cell in enumerate(line.split(separator)):
                try:
                    float(cell)
                except ValueError:
                    column = self.header[j] if self.header is not None else f"column {j + 1}"
                    return f"row {k}, {column}: got {cell.strip()!r:.40}, expected a number"
        return ""

    def _refuse_other_widths(self) -> None:
        """Raise if a row has not as many cells as the header: they are of other columns then.

        `loadtxt` sees this only where it reads all columns. A last cell may be empty.
        """
        if self.header is None:
            return
        width = len(self.header)
        for k, line in enumerate(self.lines, start=1):
            blank = self.delimiter == " "
            cells = len(line.split()) if blank else line.count(self.delimiter) + 1
            empty = not blank and line.rstrip().endswith(self.delimiter)
            if cells not in (width, width + empty):
                raise DataError(f"row {k}: got {cells} cells under {width} names of columns")


def contents(path: Path) -> Any:
    """Return what a file holds: a dictionary, an array, or a Table.

    Raises:
        DataError: no such file, a kind that is not read, or damaged; the message has its name.
    """
    readers = {
        ".npz": _npz, ".npy": _npy, ".pkl": pickles.loads, ".pickle": pickles.loads,
        ".csv": _table, ".txt": _table,
    }  # fmt: skip
    reader = readers.get(path.suffix.lower())
    if reader is None:
        expected = ", ".join(readers)
        raise DataError(f"{path}: got a file that ends in {path.suffix!r}; expected {expected}")
    try:
        data = read(path, LARGEST, "a file of a single motion", DataError)
        try:
            return reader(data)
        except DataError as error:
            raise DataError(f"{path}: {error}") from None
    except MemoryError:
        raise DataError(f"{path}: more than the memory holds") from None


def _npz(data: bytes) -> dict[str, Any]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > LARGEST:
                raise DataError(f"more than {LARGEST / 2**30:g} GiB; expected a single motion")
            return {n.removesuffix(".npy"): _npy(archive.read(n)) for n in archive.namelist()}
    except (DataError, MemoryError):
        raise
    except Exception as error:  # as many kinds as there are damages: zipfile's, zlib's
        raise DataError(f"no .npz file, or a damaged one ({error})") from None


def _npy(data: bytes) -> Any:
    """An array; an object array of one entry, such as a dictionary, is that entry."""
    file = io.BytesIO(data)
    try:
        version = npy.read_magic(file)
        read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, _, dtype = read(file)
        if dtype.hasobject:
            found = np.asarray(pickles.load(file), dtype=object)
            return found.item() if shape == () else found
        file.seek(0)
        return npy.read_array(file, allow_pickle=False)
    except (DataError, MemoryError):
        raise
    except Exception as error:
        raise DataError(f"no array of NumPy's, or a damaged one ({error})") from None


def _table(data: bytes) -> Table:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DataError("no text in UTF-8; expected a table of numbers") from None
    lines = [line for line in text.splitlines() if line.strip()]
    remarks = [line.lstrip("# ") for line in lines if line.startswith("#")]
    lines = [line for line in lines if not line.startswith("#")]
    if not lines:
        raise DataError("an empty file; expected a table of numbers")
    delimiter = next((sign for sign in (",", ";", "\t") if sign in lines[0]), " ")
    first = _cells(lines[0], delimiter)
    if not all(map(_is_number, first)):
        return Table(tuple(first), tuple(lines[1:]), delimiter)
    named = [r for r in remarks if len(_cells(r, delimiter)) == len(first)]  # as savetxt writes it
    header = tuple(_cells(named[-1], delimiter)) if named else None
    return Table(header, tuple(lines), delimiter)


def _cells(line: str, delimiter: str) -> list[str]:
    parts = line.split(None if delimiter == " " else delimiter)
    return [part.strip().strip('"').strip() for part in parts]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
