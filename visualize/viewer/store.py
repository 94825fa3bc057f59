"""Store: the drawing commands that make up a picture, each kept once, and their folders.

The same store feeds everything: the page saved in a file, the server (which replays its copy to
each browser that connects) and what a slow browser has not received yet. A command that replaces an
earlier one takes its place, so that a store does not grow with the number of updates.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import NamedTuple


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


class Entry(NamedTuple):
    """One command.

    Attributes:
        key: what it sets, "/path/of/the/node/#kind"; a later entry with the same key replaces it.
        forget: the earlier entry of this key, or, if it ends in "/", all whose keys start with it,
            become void; "" voids none.
        data: the command itself, as meshcat's page decodes it (MessagePack).
        keep: whether a page that opens later needs it. A deletion is not kept.
    """

    key: str
    forget: str
    data: bytes
    keep: bool = True


class Store:
    """Commands by key, in the order in which they must be replayed."""

    def __init__(self) -> None:
        self._entries: OrderedDict[str, Entry] = OrderedDict()
        self._folders = Folders()

    def put(self, entry: Entry, *, keep_all: bool = False) -> bool:
        """Add an entry. Returns False when the very same one is there, and nothing has changed.

        With `keep_all`, deletions are kept as well: they are still to be sent to somebody.
        """
        # a deletion that waits is repeated: what it deletes may have come back since
        if entry.keep and self._entries.get(entry.key) == entry:
            return False
        void = self._folders.below(entry.forget) if entry.forget.endswith("/") else [entry.forget]
        for key in [*void, entry.key]:
            self._take(key)  # the entry goes to the end: it may rely on what came before
        if entry.keep or keep_all:
            self._entries[entry.key] = entry
            self._folders.add(entry.key)
        return True

    def pop(self) -> Entry | None:
        """Take the oldest entry out, None when there is none."""
        return self._take(next(iter(self._entries), ""))

    def _take(self, key: str) -> Entry | None:
        entry = self._entries.pop(key, None)
        if entry is not None:
            self._folders.discard(key)
        return entry

    def entries(self) -> tuple[Entry, ...]:
        """Return the entries as they stand; animations last, for they move the rest."""
        entries = self._entries.values()
        last = [e for e in entries if e.key.endswith("#animation")]
        return (*(e for e in entries if not e.key.endswith("#animation")), *last)

    def replay(self) -> Iterator[bytes]:
        """Yield the commands for a page that opens now."""
        return (entry.data for entry in self.entries())

    def __contains__(self, key: str) -> bool:
        return key in self._entries

    def __len__(self) -> int:
        return len(self._entries)
