"""Resolution of package:// and other file names, restricted to the allowed folders.

A description may name files in its own package, in installed packages and in the folders that the
caller allows. Its own package is the nearest folder with a package.xml; without one, the folder of
the description and the one above. The home folder, and what contains it, is no package.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from urllib.parse import unquote

from .installed import share_folders

# folders of packages: of ROS, of Gazebo, and of the Gazebo before it
_WORKSPACES = ("ROS_PACKAGE_PATH", "GZ_SIM_RESOURCE_PATH", "GAZEBO_MODEL_PATH")
_PACKAGE = re.compile(r"^(?:package|model)://([^/]+)/(.*)$")
_OWN_PACKAGE = re.compile(r"^(?:package|model):///+(.*)$")  # as onshape-to-robot writes it
OUTSIDE = "outside the folders that may be read"
_MOST_ENTRIES = 20_000  # of a folder that is searched for a name in other case
_SCHEME = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]*):/")


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

    @property
    def problem(self) -> str:
        """Why there is no file, or ""."""
        missing = f"not found; tried {', '.join(self.tried) or 'nothing'}"
        return "" if self.path else self.refused or missing


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
        name = (unquote(name) if "%" in name else name).replace("\\", "/")  # of Windows
        if own := _OWN_PACKAGE.match(name):
            return self._in_own_package(own[1])
        if package := _PACKAGE.match(name):
            return self._in_packages(*package.groups())
        name = name.removeprefix("file://")
        if _SCHEME.match(name):
            return Found(
                None, refused="is not a local file; only package:// and file:// are supported"
            )
        if os.path.isabs(name):
            return self._first([_plain(name)], [*self._allowed(), *_installed_package_of(name)])
        roots = [*([self.home] if self.home else []), *self.package_dirs]
        return self._first([_plain(root / name) for root in roots], self._allowed())

    def package(self, name: str) -> Path | None:
        """Return the folder of a package, or None."""
        roots = (root for root in self._roots_of(name) if root.is_dir())
        return next(roots, None) if _is_name(name) else None

    def _in_own_package(self, rest: str) -> Found:
        """Search a name without a package: from the description's folder up to its package's."""
        own = _own_package(self.home)
        above = (self.home, *self.home.parents) if self.home else ()
        roots = [folder for folder in above if any(folder.is_relative_to(root) for root in own)]
        candidates = [_plain(root / rest) for root in (*self.package_dirs, *roots)]
        found = self._first(candidates, self._allowed())
        package, _, inside = rest.partition("/")
        if found.path or found.refused or not inside:
            return found
        return self._in_packages(package, inside)

    def _in_packages(self, package: str, rest: str) -> Found:
        if not _is_name(package):
            return Found(None, refused="names no package")
        tried = []
        for root in dict.fromkeys(self._roots_of(package)):
            found = self._first([_plain(root / rest)], [root])
            if found.path or found.refused:
                return found
            tried.append(str(root) if root.is_dir() else f"{root} (no such folder)")
        for folder in self.home.parents if self.home else ():
            path = _plain(folder / rest)
            if folder.name == package and path.is_relative_to(folder) and path.is_file():
                return _outside(path, self._allowed(), folder)
        return Found(None, tuple(tried))

    def _first(self, candidates: list[Path], allowed: list[Path]) -> Found:
        """Return the first candidate that is a file, if all up to it lie in allowed folders.

        A name that is there in other case only is taken where none is as it is written.
        """
        for path in dict.fromkeys(candidates):
            if not any(_within(path, root) for root in allowed):
                return _outside(path, allowed, path.parent)
            if path.is_file():
                return Found(path, (str(path),))
        for path in dict.fromkeys(candidates):
            near = _in_other_case(path, allowed)
            if near is not None and any(_within(near, root) for root in allowed):
                return Found(near, (str(path),))
        return Found(None, tuple(str(path) for path in candidates))

    def _roots_of(self, package: str) -> Iterator[Path]:
        """Yield the candidate folders of the package, the likely ones first."""
        for folder in self.package_dirs:
            yield folder / package
            if _is_called(folder, package):
                yield folder
        own = _own_package(self.home)
        for folder in (self.home, *self.home.parents) if self.home else ():
            if not any(folder.is_relative_to(root) for root in own):
                break
            if _is_called(folder, package):
                yield folder
            if (folder / package).is_dir():
                yield folder / package
        for folder in _folders_of_packages():
            yield folder / package
        for folder in _from_environment("ROS_PACKAGE_PATH"):
            if folder.name == package:
                yield folder

    def _allowed(self) -> list[Path]:
        return [*self.package_dirs, *_own_package(self.home)]


def _outside(path: Path, allowed: list[Path], folder: Path) -> Found:
    """A file that may not be read, and the folder that would have to be allowed."""
    folders = ", ".join(str(root) for root in dict.fromkeys(allowed)) or "none"
    allows = f"package_dirs=[{str(folder)!r}] allows it"
    return Found(None, refused=f"leads to {path}, {OUTSIDE} ({folders}); {allows}")


def _own_package(home: Path | None) -> tuple[Path, ...]:
    """Return the folders of the package that `home` lies in."""
    if home is None:
        return ()
    person = Path(os.path.expanduser("~"))
    folders = [f for f in (home, *home.parents) if f.parent != f and not person.is_relative_to(f)]
    package = next((folder for folder in folders if _is_package(folder)), None)
    return (package,) if package else tuple(folders[:2])


def _folders_of_packages() -> list[Path]:
    """Return the folders that hold installed packages."""
    shares = [prefix / "share" for prefix in _from_environment("AMENT_PREFIX_PATH")]
    named = [folder for name in _WORKSPACES for folder in _from_environment(name)]
    return [*named, *shares, *share_folders()]


def _installed_package_of(name: str) -> list[Path]:
    """Return the installed packages that the absolute path `name` lies in."""
    path = _plain(name)
    folders = [f for f in _folders_of_packages() if path.is_relative_to(f) and path != f]
    return [folder / path.relative_to(folder).parts[0] for folder in folders]


def _plain(path: str | Path) -> Path:
    """Return a path without "..", which is thus the one that is checked and opened."""
    return Path(os.path.normpath(path))


def _within(path: Path, root: Path) -> bool:
    """Whether a path without ".." lies in `root`.

    Links are followed in packages, which workspaces install as links; elsewhere what they lead to
    has to lie in `root`.
    """
    root = _plain(root)
    if not path.is_relative_to(root):
        return False
    between = [folder for folder in path.parents if folder.is_relative_to(root)]
    if any(_is_package(folder) for folder in between):
        return True
    try:
        return path.resolve().is_relative_to(root.resolve())
    except (OSError, RuntimeError):  # a cycle of symbolic links
        return False


def _in_other_case(path: Path, allowed: list[Path]) -> Path | None:
    """Return the file of this name in upper or lower case, below the allowed folder."""
    root = next((root for root in map(_plain, allowed) if path.is_relative_to(root)), None)
    if root is None or not root.is_dir():
        return None
    found = root
    for part in path.relative_to(root).parts:
        exact = found / part
        if not exact.exists():
            name = _names_below(str(found), found.stat().st_mtime_ns).get(part.lower())
            if name is None:
                return None
            exact = found / name
        found = exact
    return found if found.is_file() else None


@lru_cache(maxsize=64)
def _names_below(folder: str, changed: int) -> dict[str, str]:
    """Return name in lower case -> name of what a folder contains; `changed`: its time stamp."""
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in islice(entries, _MOST_ENTRIES))
    except OSError:
        return {}
    return {name.lower(): name for name in reversed(names)}


def _is_name(package: str) -> bool:
    return package not in ("", ".", "..") and not re.search(r"[/\\\0]", package)


def _is_package(folder: Path) -> bool:
    return (folder / "package.xml").is_file()


def _is_called(folder: Path, package: str) -> bool:
    """Whether a folder is the package of this name, by its own name or its package.xml."""
    if folder.name == package:
        return True
    try:
        with (folder / "package.xml").open(encoding="utf-8", errors="replace") as file:
            head = file.read(4096)
    except OSError:
        return False
    return re.search(rf"<name>\s*{re.escape(package)}\s*</name>", head) is not None


def _from_environment(variable: str) -> list[Path]:
    return [Path(p) for p in os.environ.get(variable, "").split(os.pathsep) if p]
