"""Store: the drawing commands that make up a picture, each kept once.

The same store feeds everything: the page saved in a file, the server (which replays its copy to
each browser that connects) and what a slow browser has not received yet. A command that replaces an
earlier one takes its place, so that a store does not grow with the number of updates.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple


class Entry(NamedTuple):
    """One command.

    Attributes:
        key: what it sets, "/path/of/the/node/#kind"; a later entry with the same key replaces it.
        forget: earlier entries whose key starts with this become void; "" voids none.
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
        self._entries: dict[str, Entry] = {}

    def put(self, entry: Entry, *, keep_all: bool = False) -> bool:
        """Add an entry. Returns False when the very same one is there, and nothing has changed.

        With `keep_all`, deletions are kept as well: they are still to be sent to somebody.
        """
        if self._entries.get(entry.key) == entry:
            return False
        if entry.forget:
            for key in [k for k in self._entries if k.startswith(entry.forget)]:
                del self._entries[key]
        self._entries.pop(entry.key, None)  # to the end: it may rely on what came before
        if entry.keep or keep_all:
            self._entries[entry.key] = entry
        return True

    def pop(self) -> Entry | None:
        """Take the oldest entry out, None when there is none."""
        for key in self._entries:
            return self._entries.pop(key)
        return None

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
