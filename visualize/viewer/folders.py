"""Folders: paths "a/b/c" in their folders, so that what lies in one is found without a search."""

from __future__ import annotations

from collections.abc import Iterator


class Folders:
    """Paths, each in the folder that its name says: "a/b/c" in "a/b/", that in "a/", that in "".

    Adding, taking away and looking into a folder take a time that does not depend on how many other
    paths there are.
    """

    def __init__(self) -> None:
        self._inside: dict[str, dict[str, None]] = {}  # folder -> paths and folders in it, in order

    def add(self, path: str) -> None:
        """Add a path, and the folders that it lies in."""
        while path and path not in self._inside.setdefault(folder := _folder_of(path), {}):
            self._inside[folder][path] = None
            path = folder

    def discard(self, path: str) -> None:
        """Take a path away if it is there, and the folders that are empty without it."""
        while path and (inside := self._inside.get(folder := _folder_of(path))) is not None:
            inside.pop(path, None)
            if inside:
                return
            del self._inside[folder]
            path = folder

    def below(self, folder: str) -> Iterator[str]:
        """Yield the paths in a folder "a/b/" and in the folders in it."""
        for path in self._inside.get(folder, ()):
            if path.endswith("/"):
                yield from self.below(path)
            else:
                yield path

    def __contains__(self, folder: str) -> bool:
        """Whether there is anything in a folder "a/b/"."""
        return folder in self._inside


def _folder_of(path: str) -> str:
    head, slash, _ = path.rstrip("/").rpartition("/")
    return head + slash
