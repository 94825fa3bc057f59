"""Compiling in the background: a process that ends with the one that started it.

Not a thread: Numba holds Python's lock, and would halt what it was meant to help. The process reads
kernels from its standard input, puts their code on disk, and ends when the pipe does, however that
happened, or when it has had nothing to do for a while.
"""

from __future__ import annotations

import atexit
import logging
import os
import pickle
import queue
import subprocess
import sys
import threading
from contextlib import suppress
from typing import Any

_logger = logging.getLogger(__name__)
_IDLE = 20.0  # seconds after which it ends

_PROGRAM = f"""
import pickle, sys
sys.path[:] = pickle.load(sys.stdin.buffer)
from {__name__} import serve
serve()
"""


class Background:
    """The process, which is started when it is first asked, and again when it has ended."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        atexit.register(self.stop)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._release)

    def request(self, kernel: Any, types: tuple[Any, ...]) -> None:
        """Have a kernel compiled for arguments of these types."""
        with self._lock:
            try:
                job = pickle.dumps((kernel, types))
                if not self._send(job):
                    self._send(job)
            except (OSError, pickle.PicklingError, AttributeError) as error:
                _logger.info("footwork: no compiling in the background: %s", error)

    def stop(self) -> None:
        """End the process, if it runs."""
        process, self._process = self._process, None
        if process is not None:
            with suppress(OSError):
                process.stdin.close()  # type: ignore[union-attr]
            process.kill()
            process.wait()

    def _send(self, job: bytes) -> bool:
        """Write to the process; whether it was there to read it."""
        if self._process is None or self._process.poll() is not None:
            self.stop()
            self._process = subprocess.Popen(
                [sys.executable, "-c", _PROGRAM],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is not for it
            )
            job = pickle.dumps(sys.path) + job
        try:
            self._process.stdin.write(job)  # type: ignore[union-attr]
            self._process.stdin.flush()  # type: ignore[union-attr]
        except BrokenPipeError:
            self.stop()
            return False
        return True

    def _release(self) -> None:
        """In a forked process: let go of the pipe, so that it ends with its only owner."""
        process, self._process, self._lock = self._process, None, threading.Lock()
        if process is not None:
            with suppress(OSError):
                os.close(process.stdin.fileno())  # type: ignore[union-attr]
            process.returncode = 0  # not a child of this process


def serve() -> None:
    """Compile what comes in, until nothing does."""
    os.environ["FOOTWORK_COMPILE"] = "now"
    if hasattr(os, "nice"):
        os.nice(10)
    jobs: queue.Queue[Any] = queue.Queue()

    def read() -> None:
        while True:
            try:
                jobs.put(pickle.load(sys.stdin.buffer))
            except EOFError:
                os._exit(0)  # the process that started this one has ended
            except Exception as error:
                _logger.warning("no kernel was read: %s", error)
                os._exit(1)

    threading.Thread(target=read, daemon=True).start()
    with suppress(queue.Empty):
        while True:
            kernel, types = jobs.get(timeout=_IDLE)
            with suppress(Exception):  # said where it is compiled in the foreground
                kernel.overload_of(types).compiled()
    os._exit(0)
