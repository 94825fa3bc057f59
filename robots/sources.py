"""Sources of descriptions: a path, a text, a name of the catalogue, or standard input."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ..errors import ModelError, unknown
from ..files import as_path
from . import catalogue
from .files.hardened_xml import MAX_BYTES
from .files.packages import Folders
from .files.reading import SUFFIXES, read_file
from .values import sequence


@dataclass(frozen=True)
class Description:
    """A robot description, read but not yet parsed.

    Attributes:
        data: its text or bytes.
        origin: its name in messages: the path, or "the text".
        folders: the folders searched for the files that it names.
        path: the file it came from, if any.
        srdf: the SRDF that belongs to it, if any.
        info: its entry in the catalogue, if any.
    """

    data: str | bytes
    origin: str
    folders: Folders
    path: Path | None = None
    srdf: bytes | None = None
    info: catalogue.RobotInfo | None = None


def describe(
    source: str | os.PathLike[str], package_dirs: Iterable[str | Path] = ()
) -> Description:
    """Return the description given by a text, a path, a name, or "-" (standard input).

    Raises:
        ModelError: no such robot or file, or one that cannot be read.
    """
    dirs = _folders(package_dirs)
    if isinstance(source, os.PathLike):
        return _from_path(Path(source), dirs)
    if not isinstance(source, str):
        raise ModelError(
            f"source: got {type(source).__name__}, expected a path, a description as text, or the "
            "name of a robot"
        )
    if source.lstrip("\ufeff \t\r\n").startswith("<"):
        return Description(source, "the text", Folders(None, dirs))
    if source == "-":
        return Description(_read(sys.stdin.buffer), "standard input", Folders(None, dirs))
    if source in catalogue.names():
        return _from_catalogue(source, dirs)
    if source.endswith("_description") and not Path(source).exists():
        return _from_robot_descriptions(source, dirs)
    if "\0" in source or len(source) > 4096:
        raise ModelError("source: neither a path nor a description: it starts with no '<'")
    return _from_path(Path(source), dirs)


def _from_catalogue(name: str, dirs: tuple[Path, ...]) -> Description:
    info = catalogue.find(name)
    folder = info.folder or catalogue.MODELS  # find() has checked that there is one
    path = folder / info.urdf
    srdf = read_file(folder / info.srdf) if info.srdf else None
    return Description(read_file(path), str(path), Folders(path.parent, dirs), path, srdf, info)


def _from_robot_descriptions(name: str, dirs: tuple[Path, ...]) -> Description:
    """Return a description of the package robot_descriptions, which may fetch it at first use."""
    if importlib.util.find_spec("robot_descriptions") is None:
        raise ModelError(
            f"{unknown('robot', name, catalogue.names())}; if it is one of the package "
            "robot_descriptions: pip install robot_descriptions"
        )
    if not name.isidentifier() or importlib.util.find_spec(f"robot_descriptions.{name}") is None:
        raise ModelError(f"robot_descriptions has no module {name!r}")
    try:
        module = importlib.import_module(f"robot_descriptions.{name}")
        found = getattr(module, "URDF_PATH", None) or getattr(module, "MJCF_PATH", None)
    except Exception as error:  # it clones repositories, which can fail in many ways
        raise ModelError(f"robot_descriptions.{name} cannot be fetched: {error}") from error
    if not found:
        raise ModelError(f"robot_descriptions.{name} names neither a URDF nor an MJCF file")
    folders = (getattr(module, "PACKAGE_PATH", ""), getattr(module, "REPOSITORY_PATH", ""))
    known = tuple(Path(f) for folder in folders if folder for f in (folder, Path(folder).parent))
    return _from_path(Path(found), (*dirs, *known))


def _from_path(path: Path, dirs: tuple[Path, ...]) -> Description:
    if str(path).startswith("~/"):
        path = path.expanduser()
    if not path.exists() and path.suffix.lower() not in SUFFIXES and len(path.parts) == 1:
        raise ModelError(f"{unknown('robot', str(path), catalogue.names())}; nor is it a file")
    data = read_file(path)
    sibling = path.with_suffix(".srdf")
    srdf = read_file(sibling) if sibling.is_file() and path.suffix != ".srdf" else None
    return Description(data, str(path), Folders(path.absolute().parent, dirs), path, srdf)


def _read(stream: object) -> bytes:
    data: bytes = stream.read(MAX_BYTES + 1)  # type: ignore[attr-defined]
    if not data.strip():
        raise ModelError("standard input: empty, expected a robot description")
    return data


def _folders(package_dirs: Iterable[str | Path]) -> tuple[Path, ...]:
    if isinstance(package_dirs, str | os.PathLike):
        package_dirs = [package_dirs]
    named = sequence(package_dirs, "package_dirs", object, error=ModelError)
    folders = tuple(as_path(folder, "package_dirs", ModelError).absolute() for folder in named)
    for folder in folders:
        if not folder.is_dir():
            raise ModelError(f"package_dirs: {folder} is no folder")
    return folders
