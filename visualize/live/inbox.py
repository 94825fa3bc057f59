"""Inbox: queue of the actions for the thread of a live scene."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from .actions import Action, Drag, SetValue

LIMIT = 256  # actions of browsers that wait at once


@dataclass
class Work:
    """Something to do: an action, or a function of the program to be called between actions.

    Attributes:
        what: as above.
        stamps: {browser: the newest of its messages that this is}, empty for the program's own.
        done: told of the end by the thread that does it, each with the function's value.
    """

    what: Action | Callable[[], Any]
    stamps: dict[int, int] = field(default_factory=dict)
    done: list[Future[Any]] = field(default_factory=list)

    def replaces(self, older: Work) -> bool:
        """Whether an older one need not be done: its handle, or slider, is farther on by now."""
        new, old = self.what, older.what
        if isinstance(new, Drag) and isinstance(old, Drag):
            return (new.handle, new.mode) == (old.handle, old.mode)
        if isinstance(new, SetValue) and isinstance(old, SetValue):
            return new.name == old.name and not old.final
        return False


class Inbox:
    """Work in the order in which it came; the newest drag of a handle replaces an older one.

    So what waits does not grow while a pointer moves, and what is done is never outdated. Nothing
    else is dropped: where `LIMIT` wait, `put` refuses.
    """

    def __init__(self) -> None:
        self._waiting: list[Work] = []
        self._changed = threading.Condition()

    def put(self, work: Work) -> bool:
        """Add work; returns False if too much of browsers waits for that."""
        with self._changed:
            place = self._replaceable(work)
            if place is not None:
                old = self._waiting[place]
                work.stamps = {**old.stamps, **work.stamps}
                work.done = [*old.done, *work.done]
                self._waiting[place] = work
            elif work.stamps and len(self._waiting) >= LIMIT:
                return False
            else:
                self._waiting.append(work)
            self._changed.notify()
        return True

    def take(self, timeout: float | None = None) -> list[Work]:
        """Return all that waits, once there is some; nothing after `timeout` seconds."""
        with self._changed:
            self._changed.wait_for(lambda: bool(self._waiting), timeout)
            taken, self._waiting = self._waiting, []
        return taken

    def __len__(self) -> int:
        return len(self._waiting)

    def _replaceable(self, work: Work) -> int | None:
        """Where older work is that this replaces; none beyond a gesture's end or a button."""
        for place in reversed(range(len(self._waiting))):
            old = self._waiting[place]
            if work.replaces(old):
                return place
            if not isinstance(old.what, Drag | SetValue):
                return None
        return None
