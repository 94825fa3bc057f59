"""Worker processes that end with the process that started them, and work that is handed out."""

from __future__ import annotations

import os
import pickle
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from typing import Any, TypeVar

from .errors import ConfigurationError, FootworkError, SolverError
from .progress import draw_bars

Key = TypeVar("Key")
Job = TypeVar("Job")
Answer = TypeVar("Answer")

_WAITING = 64  # jobs handed out at a time, so that a billion of them need no billion futures


class DeadWorker(SolverError):
    """A process died at its work."""


@contextmanager
def workers(count: int, *, interruptible: bool = False) -> Iterator[ProcessPoolExecutor]:
    """Yield an executor of fresh processes; when the block ends, so do they.

    Work that has not begun is dropped where the block ends by an exception.

    Args:
        count: of processes.
        interruptible: whether Ctrl-C ends the work that has begun too.
    """
    fresh = get_context("spawn")  # a fork of a process with threads may hang
    pool = _Pool(count, fresh, initializer=_start, initargs=(interruptible,))
    try:
        yield pool
    except BaseException:
        pool.shutdown(cancel_futures=True)
        raise
    pool.shutdown()


def check_executor(executor: Any, error: type[FootworkError] = ConfigurationError) -> None:
    """Raise `error` for what is neither None nor an executor."""
    if executor is not None and not hasattr(executor, "submit"):
        raise error(f"executor: got {executor!r:.80}, expected one of concurrent.futures")


def finished(
    executor: Executor | None, work: Callable[[Job], Answer], jobs: Iterable[tuple[Key, Job]]
) -> Iterator[tuple[Key, Answer]]:
    """Yield (key, work(job)) of jobs (key, job) as they are finished.

    Args:
        executor: any of `concurrent.futures`; None: this process, one after the other.
        work: a function that workers can import.
        jobs: made when they are handed out.

    Raises:
        ConfigurationError: work that cannot be sent to other processes.
        DeadWorker: one died.
    """
    if executor is None:
        yield from ((key, work(job)) for key, job in jobs)
        return
    ahead, running, sent = iter(jobs), dict[Future[Answer], Key](), False
    try:
        while True:
            while len(running) < _WAITING and (job := next(ahead, None)) is not None:
                if not sent and isinstance(executor, ProcessPoolExecutor):
                    _require_pickles((work, job[1]))
                sent = True
                running[executor.submit(work, job[1])] = job[0]
            if not running:
                return
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in sorted(done, key=_failed):  # what others found first
                yield running.pop(future), future.result()
    except BrokenExecutor as error:
        raise DeadWorker(
            f"a worker died ({error}); where a journal is kept, the same call goes on from there"
        ) from error
    finally:
        for future in running:
            future.cancel()


def _failed(future: Future[Any]) -> bool:
    return future.exception() is not None


def _require_pickles(job: Any) -> None:
    """Refuse what no process pool can send: its executor may wait for ever then.

    Raises:
        ConfigurationError: what is the matter with it.
    """
    try:
        pickle.dumps(job)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise ConfigurationError(
            f"executor: got work that cannot be sent to other processes ({error}); expected "
            "functions and classes of a module, and no lambdas"
        ) from None


class _Pool(ProcessPoolExecutor):
    """Starts its processes, which it does when work comes, with Ctrl-C blocked until `_start`."""

    def submit(self, work: Any, /, *args: Any, **more: Any) -> Future[Any]:
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            return super().submit(work, *args, **more)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


def _start(interruptible: bool) -> None:
    """In a worker: end when the parent has ended, even by a signal that nothing can catch."""
    draw_bars(False)  # the parent draws what all of them have done
    signal.signal(signal.SIGINT, signal.SIG_DFL if interruptible else signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
