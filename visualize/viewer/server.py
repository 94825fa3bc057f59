"""Server: the child process that serves the page, seen from the program."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
import warnings
import weakref
from pathlib import Path
from typing import IO

from .errors import ServerError
from .serve import HEADER, is_loopback
from .store import Entry

START_TIMEOUT = 30.0  # [s] until the process must have told its port
_AGAIN = "close this viewer and ask for its url again to start another"
_WILDCARDS = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}  # to listen -> to open
SEND_TIMEOUT = 10.0  # [s] for which it may refuse to read


class Server:
    """Serves a page on a free port, as long as this object and this program live.

    Args:
        host: the address to listen on. Any but the loopback shows the picture to others; a warning
            says so.
        html: the page.

    Raises:
        ServerError: the process did not start.
    """

    def __init__(self, host: str, html: str) -> None:
        if not is_loopback(host):
            warnings.warn(
                f"the viewer listens on {host}: whoever reaches this machine can see the picture",
                UserWarning,
                stacklevel=3,
            )
        self._process = _start(host)
        self._owner = os.getpid()
        self._finalizer = weakref.finalize(self, _stop, self._process, self._owner)
        try:
            self._write({}, html.encode())
            self.port = _read_port(self._process)
        except Exception:
            self.close()
            raise
        name = _WILDCARDS.get(host, host)
        name = f"[{name}]" if ":" in name else name
        self.url = f"http://{name}:{self.port}/"

    @property
    def pid(self) -> int:
        """Number of the process."""
        return self._process.pid

    def send(self, entry: Entry) -> None:
        """Pass a command on to whoever looks, and to whoever will.

        Raises:
            ServerError: the process has ended, or did not read for `SEND_TIMEOUT` seconds.
        """
        self._write({"key": entry.key, "forget": entry.forget, "keep": entry.keep}, entry.data)

    def close(self) -> None:
        """Stop the process. Closing twice does nothing."""
        self._finalizer()

    def _write(self, head: dict[str, object], data: bytes) -> None:
        text = json.dumps(head).encode()
        stdin = self._process.stdin
        if stdin is None or not self._finalizer.alive:
            raise ServerError(f"the viewer's server was closed; {_AGAIN}")
        try:
            _write_all(stdin, HEADER.pack(len(text), len(data)) + text + data)
        except ServerError:
            self.close()  # half a command was sent: no other can follow it
            raise


def _start(host: str) -> subprocess.Popen[bytes]:
    package = Path(__file__).parents[2]  # where this very footwork was imported from
    path = os.pathsep.join(filter(None, [str(package.parent), os.environ.get("PYTHONPATH")]))
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", f"{__package__}.serve", host, str(os.getpid())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": path},
        bufsize=0,
        start_new_session=True,
    )
    if process.stdin is not None:
        os.set_blocking(process.stdin.fileno(), False)  # a server that hangs must not hang us
    return process


def _stop(process: subprocess.Popen[bytes], owner: int) -> None:
    if os.getpid() != owner:  # a fork of the program: the server is not its own
        return
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            stream.close()
    try:
        process.wait(timeout=2)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _read_port(process: subprocess.Popen[bytes]) -> int:
    stdout = process.stdout
    if stdout is None:
        raise ServerError("the viewer's server has no output")
    ready, _, _ = select.select([stdout], [], [], START_TIMEOUT)
    line = stdout.readline() if ready else b""
    try:
        return int(json.loads(line)["port"])
    except (ValueError, KeyError, TypeError):
        state = "said nothing" if ready else f"said nothing for {START_TIMEOUT:g} s"
        raise ServerError(
            f"the viewer's server did not start, it {state}: is its host an address of this one?"
        ) from None


def _write_all(stdin: IO[bytes], data: bytes) -> None:
    view, deadline = memoryview(data), time.monotonic() + SEND_TIMEOUT
    while view:
        try:
            view = view[os.write(stdin.fileno(), view) :]
        except BlockingIOError:
            _wait_for_room(stdin, deadline)
        except OSError as error:
            raise ServerError(f"the viewer's server has ended: {error}; {_AGAIN}") from None


def _wait_for_room(stdin: IO[bytes], deadline: float) -> None:
    left = deadline - time.monotonic()
    if left <= 0 or not select.select([], [stdin], [], left)[1]:
        raise ServerError(
            f"the viewer's server has not read anything for {SEND_TIMEOUT:g} s; {_AGAIN}"
        )
