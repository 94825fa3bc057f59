"""Resolution of package:// and relative file names, restricted to the allowed folders.

A description may name files in the package it lies in, in installed packages and in the folders
that the caller allows. Names that lead outside ("../../secret", file:///etc/…) are refused.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from .installed import share_folders

_PACKAGE = re.compile(r"^(?:package|model)://+([^/]+)/(.*)$")
_SCHEME = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]*):/")
_SUBFOLDERS = ("urdf", "xacro", "mjcf", "sdf", "srdf")  # files that mark a folder as a package


@dataclass(frozen=True)
class Found:
    """Result of a file search.

    Attributes:
        path: the file, or None.
        tried: the paths that were searched.
        refused: why the name is refused, or "".
    """

    path: Path | None
    tried: tuple[str, ...] = ()
    refused: str = ""


@dataclass(frozen=True)
class Folders:
    """The folders to search and to read from.

    Attributes:
        home: the folder of the description, None for a text without a file.
        package_dirs: packages, or folders of packages, allowed by the caller.
    """

    home: Path | None
    package_dirs: tuple[Path, ...] = ()

    def find(self, name: str) -> Found:
        """Return the path of the file `name` of a description."""
        if "\0" in name or not name.strip():
            return Found(None, refused="is not a file name")
        name = unquote(name) if "%" in name else name
        package = _PACKAGE.match(name)
        if package:
            return self._in_packages(*package.groups())
        if name.startswith("file://"):
            return self._absolute(Path(name[len("file://") :]))
        if _SCHEME.match(name):
            return Found(
                None, refused="is not a local file; only package:// and file:// are supported"
            )
        if os.path.isabs(name):
            return self._absolute(Path(name))
        return self._relative(name)

    def _in_packages(self, package: str, rest: str) -> Found:
        if package in (".", "..") or "\\" in package:
            return Found(None, refused="names no package")
        tried = []
        for root in _unique(self._roots_of(package)):
            candidate = root / rest
            if not _within(candidate, root):
                return Found(None, refused=f"leaves the package folder {root}")
            if candidate.is_file():
                return Found(candidate, (str(root),))
            tried.append(str(root) if root.is_dir() else f"{root} (no such folder)")
        return Found(None, tuple(tried))

    def _roots_of(self, package: str) -> Iterator[Path]:
        """Yield the candidate folders of the package, the likely ones first."""
        for folder in self.package_dirs:
            yield folder / package
            if folder.name == package or _names_package(folder, package):
                yield folder
        for folder in (self.home, *self.home.parents) if self.home else ():
            if folder.name == package or _names_package(folder, package):
                yield folder
            if (folder / package).is_dir():
                yield folder / package
        for folder in _from_environment("ROS_PACKAGE_PATH"):
            yield folder / package
            if folder.name == package:
                yield folder
        for prefix in _from_environment("AMENT_PREFIX_PATH"):
            yield prefix / "share" / package
        for share in share_folders():
            yield share / package

    def _allowed(self) -> list[Path]:
        roots = list(self.package_dirs)
        if self.home:
            package = next((f for f in (self.home, *self.home.parents) if _is_package(f)), None)
            if package:
                roots.append(package)
            elif self.home.name in _SUBFOLDERS:
                roots.append(self.home.parent)
            roots.append(self.home)
        return roots

    def _absolute(self, path: Path) -> Found:
        if not any(_within(path, root) for root in self._allowed()):
            return Found(None, refused="lies outside the folders that may be read")
        return Found(path, (str(path),)) if path.is_file() else Found(None, (str(path),))

    def _relative(self, name: str) -> Found:
        tried = []
        roots = [*([self.home] if self.home else []), *self.package_dirs]
        allowed = self._allowed()
        for root in _unique(roots):
            candidate = root / name
            if not any(_within(candidate, a) for a in allowed):
                return Found(None, refused="leads outside the folders that may be read")
            if candidate.is_file():
                return Found(candidate, (str(root),))
            tried.append(str(root))
        return Found(None, tuple(tried))


def _within(path: Path, root: Path) -> bool:
    """Whether `path`, with ".." and links followed, lies in `root`.

    A link from an installed package (colcon --symlink-install makes one for every file) is
    followed when its name, not its target, lies in the folder.
    """
    name = Path(os.path.normpath(path))
    if not name.is_relative_to(os.path.normpath(root)):
        return False
    if name.is_symlink() and _is_package(root):
        return True
    try:
        return path.resolve().is_relative_to(root.resolve())
    except (OSError, RuntimeError):  # a cycle of symbolic links
        return False


def _is_package(folder: Path) -> bool:
    return (folder / "package.xml").is_file()


def _names_package(folder: Path, package: str) -> bool:
    manifest = folder / "package.xml"
    try:
        with manifest.open(encoding="utf-8", errors="replace") as file:
            head = file.read(4096)
    except OSError:
        return False
    return re.search(rf"<name>\s*{re.escape(package)}\s*</name>", head) is not None


def _from_environment(variable: str) -> list[Path]:
    return [Path(p) for p in os.environ.get(variable, "").split(os.pathsep) if p]


def _unique(paths: Iterable[Path]) -> list[Path]:
    return list(dict.fromkeys(paths))
