"""Worker: the thread of a live scene that executes the actions in its inbox."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from ...errors import FootworkError
from .actions import Action
from .inbox import Inbox, Work

REST = 0.08  # [s] without work after which what is slow is shown
PACE = 0.5  # [s] at most between two pictures of it, while work keeps coming


class Worker:
    """Does actions and functions one after the other, in one thread, whatever they raise.

    Args:
        act: does an action.
        failed: is told what an action of a browser raised; that of a program is raised there.
        show: shows what came of one or several, given {browser: newest message among them}.
        settle: shows what is slow, after `REST` or `PACE`; it is called after `show`.
    """

    def __init__(
        self,
        act: Callable[[Action], Any],
        failed: Callable[[Exception], None],
        show: Callable[[dict[int, int]], None],
        settle: Callable[[], None],
    ) -> None:
        self._act, self._failed, self._show, self._settle = act, failed, show, settle
        self.inbox = Inbox()
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="footwork live", daemon=True)
        self._thread.start()

    def do(self, what: Action | Callable[[], Any]) -> Any:
        """Do an action or call a function, between what others do; return what `act` or it does.

        Raises:
            FootworkError: the scene was closed.
            Exception: whatever the action or the function raises.
        """
        if threading.current_thread() is self._thread:
            return what() if callable(what) else self._act(what)
        done: Future[Any] = Future()
        if self._stopped:
            raise FootworkError("the live scene was closed; make another one")
        self.inbox.put(Work(what, done=[done]))
        while True:  # a signal is noticed between two waits, and a worker that has ended too
            try:
                return done.result(0.5)
            except TimeoutError:
                if done.done() or not self._thread.is_alive():
                    raise

    def stop(self) -> None:
        """End the thread once what waits is done. Stopping twice does nothing."""
        self._stopped = True
        if threading.current_thread() is not self._thread and self._thread.is_alive():
            self.inbox.put(Work(lambda: None))
            self._thread.join(10.0)

    def _run(self) -> None:
        settled, due = True, 0.0
        while not self._stopped or len(self.inbox):
            taken = self.inbox.take(None if settled else REST)
            if taken:
                self._do(taken)
                due = time.monotonic() + PACE if settled else due
                settled = False
            if not taken or time.monotonic() >= due:
                self._guarded(self._settle)
                settled = True

    def _do(self, taken: list[Work]) -> None:
        """Do all that waited, show what came of it, and only then tell those who wait for it."""
        ends: list[tuple[Work, Any, Exception | None]] = []
        stamps: dict[int, int] = {}
        for work in taken:
            stamps |= work.stamps
            try:
                ends.append((work, self.do(work.what), None))
            except Exception as error:
                if work.stamps:
                    self._failed(error)
                ends.append((work, None, error))
        self._guarded(lambda: self._show(stamps))
        for work, value, failure in ends:
            for done in work.done:
                if failure is None:
                    done.set_result(value)
                else:
                    done.set_exception(failure)

    def _guarded(self, call: Callable[[], None]) -> None:
        try:
            call()
        except Exception as error:
            self._failed(error)
