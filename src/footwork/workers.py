"""Pool of worker processes that end with the process that started them, however it ends."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context, parent_process


@contextmanager
def workers(count: int, *, interruptible: bool = False) -> Iterator[ProcessPoolExecutor]:
    """Yield an executor of fresh processes; when the block ends, so do they.

    Work that has not begun is dropped where the block ends by an exception.

    Args:
        count: of processes.
        interruptible: whether Ctrl-C ends the work that has begun too.
    """
    fresh = get_context("spawn")  # a fork of a process with threads may hang
    pool = ProcessPoolExecutor(count, fresh, initializer=_start, initargs=(interruptible,))
    try:
        yield pool
    except BaseException:
        pool.shutdown(cancel_futures=True)
        raise
    pool.shutdown()


def _start(interruptible: bool) -> None:
    """In a worker: end when the parent has ended, even by a signal that nothing can catch."""
    signal.signal(signal.SIGINT, signal.SIG_DFL if interruptible else signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
