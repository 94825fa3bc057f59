"""Reading of the files of descriptions."""

from __future__ import annotations

import itertools
import os
from pathlib import Path
from typing import Any

from ...errors import FootworkError, ModelError, unknown
from ...files import read
from .hardened_xml import MAX_BYTES

SUFFIXES = (".urdf", ".xacro", ".xml", ".mjcf", ".sdf")


def read_file(path: Path) -> bytes:
    """Return the bytes of a regular file of a reasonable size.

    Raises:
        ModelError: no such file, a folder, a pipe or device, too large, not readable.
    """
    try:
        return read(path, MAX_BYTES, f"a robot description{_inside(path)}", ModelError)
    except ModelError as error:
        if isinstance(error.__context__, FileNotFoundError):
            raise ModelError(f"{path}: no such file{_neighbours(path)}") from None
        raise


def read_yaml(content: bytes, expected: str, error: type[FootworkError]) -> dict[Any, Any]:
    """Return the mapping in a YAML file, plain data; `expected` for the message.

    Raises:
        error: no YAML, or no mapping, or an empty one.
    """
    import yaml

    try:
        data = yaml.safe_load(content)
    except (yaml.YAMLError, RecursionError) as failure:
        raise error(f"no YAML: {' '.join(str(failure).split())}") from None
    if not isinstance(data, dict) or not data:
        got = "an empty file" if data is None else f"{data!r:.80}"
        raise error(f"got {got}; expected {expected}")
    return data


def _inside(folder: Path) -> str:
    files = sorted(file.name for file in _descriptions(folder))
    return f", such as {', '.join(files[:5])} in it" if files else ""


def _descriptions(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:  # only the first ones: folders can be huge
            paths = [Path(entry.path) for entry in itertools.islice(entries, 1000)]
    except (OSError, ValueError):
        return []
    return [path for path in paths if path.suffix.lower() in SUFFIXES]


def _neighbours(path: Path) -> str:
    if not path.parent.exists():
        return f"; there is no folder {path.parent}"
    names = sorted(file.name for file in _descriptions(path.parent))
    return f"; {unknown('description', path.name, names)}" if names else ""
