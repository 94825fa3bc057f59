"""Server: the child process that serves the page, seen from the program."""

from __future__ import annotations

import json
import os
import secrets
import select
import shutil
import socket
import subprocess
import sys
import threading
import time
import traceback
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import IO

from ...errors import warn
from .errors import ServerError
from .guard import is_loopback
from .redirect import private_folder, redirect_address, write_redirect
from .serve import HEADER, MESSAGE
from .store import Entry

START_TIMEOUT = 30.0  # [s] until the process must have told its port
_AGAIN = "close this viewer and ask for its url again to start another"
_WILDCARDS = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}  # to listen -> to open
SEND_TIMEOUT = 10.0  # [s] for which it may refuse to read

# The process needs few modules of footwork, and imports no package of it, which takes five times as
# long as all that it does: packages are there with their folders alone.
_SERVE = """
import runpy, sys
from types import ModuleType
package, folder = sys.argv[1:3]
del sys.argv[1:3]
names = package.split(".")
for k in range(len(names)):
    module = ModuleType(".".join(names[: k + 1]))
    module.__path__ = ["/".join([folder, *names[1 : k + 1]])]
    sys.modules[module.__name__] = module
runpy.run_module(package + ".serve", run_name="__main__", alter_sys=True)
"""

OnMessage = Callable[[int, bytes], object]  # number of the browser, what its page says


class Server:
    """Serves a page on a free port, as long as this object and this program live.

    The page lies in a folder of a secret name, without which nothing is answered: `url` is for
    whoever is to see it. Threads may share a server.

    Args:
        host: the address to listen on. Any but the loopback lets others in who have the address; a
            warning says so.
        html: the page.
        on_message: called with the number of a browser and what its page says, in a thread of the
            server's, one message after the other; a page is told its number by its first command,
            {"type": "you", "number": n}. What it says comes from outside: at most `MOST_BYTES` of
            anything. Without it pages only look.

    Raises:
        ServerError: the process did not start.
    """

    def __init__(self, host: str, html: str, on_message: OnMessage | None = None) -> None:
        if not is_loopback(host):
            _warn_of(host, "change" if on_message else "see")
        self._host = host
        self._process = _start(host)
        self._owner = os.getpid()
        self._lock = threading.Lock()
        self._folders: list[Path] = []  # of the redirect, if there is one
        self._finalizer = weakref.finalize(self, _stop, self._process, self._owner, self._folders)
        secret = secrets.token_urlsafe(32)
        try:
            told = {"secret": secret, "listens": on_message is not None}
            self._write(told, html.encode(), START_TIMEOUT)  # it reads once it has started
            self.port = _read_port(self._process, host)
        except Exception:
            self.close()
            _listen(self._process, None)
            raise
        self._tail = f":{self.port}/{secret}/"
        self.url = f"http://{_bracketed(_WILDCARDS.get(host, host))}{self._tail}"
        _listen(self._process, on_message)

    @property
    def remote_url(self) -> str:
        """The address of the page for other devices; "" when it is on this machine alone."""
        if is_loopback(self._host):
            return ""
        name = _own_address(self._host) if self._host in _WILDCARDS else self._host
        return f"http://{_bracketed(name)}{self._tail}"

    def redirect(self) -> str:
        """Return the address of a file that leads a browser to the page: see `redirect.py`."""
        if not self._folders:
            folder = private_folder()
            self._folders.append(folder)
            self._write({"remove": str(folder)}, b"")  # the process does if this one is killed
            write_redirect(folder, self.url)
        return redirect_address(self._folders[0])

    @property
    def pid(self) -> int:
        """Number of the process."""
        return self._process.pid

    def send(self, *entries: Entry, to: int | None = None) -> None:
        """Pass commands on to whoever looks, and to whoever will; or to the browser `to` alone.

        A page that looks carries them all out at once. Those for a browser that has gone are
        dropped.

        Raises:
            ServerError: the process has ended, or did not read for `SEND_TIMEOUT` seconds.
        """
        heads = [(entry.key, entry.forget, entry.keep, len(entry.data)) for entry in entries]
        self._write({"entries": heads, "to": to}, b"".join(entry.data for entry in entries))

    def close(self) -> None:
        """Stop the process. Closing twice does nothing."""
        self._finalizer()

    def _write(self, head: dict[str, object], data: bytes, timeout: float | None = None) -> None:
        text = json.dumps(head).encode()
        with self._lock:
            stdin = self._process.stdin
            if stdin is None or not self._finalizer.alive:
                raise ServerError(f"the viewer's server was closed; {_AGAIN}")
            try:
                frame = HEADER.pack(len(text), len(data)) + text + data
                _write_all(stdin, frame, SEND_TIMEOUT if timeout is None else timeout)
            except ServerError:
                self.close()  # half a command was sent: no other can follow it
                raise


def _warn_of(host: str, verb: str) -> None:
    """Warn whoever has chosen an address that others can reach."""
    text = f"the viewer listens on {host}: who has the page's address can {verb} the picture, "
    text += "and who can listen to the network can read the address"
    warn(text)


def _bracketed(name: str) -> str:
    return f"[{name}]" if ":" in name else name


def _own_address(wildcard: str) -> str:
    """Return the address by which this machine is likely to be reached from others."""
    family = socket.AF_INET6 if ":" in wildcard else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("2001:db8::1" if ":" in wildcard else "192.0.2.1", 9))  # sends nothing
        except OSError:  # there is no network
            return _WILDCARDS[wildcard]
        return str(probe.getsockname()[0])


def _listen(process: subprocess.Popen[bytes], on_message: OnMessage | None) -> None:
    """Hand over what the process says from now on, in a thread; or close its output."""
    if process.stdout is None:
        return
    if on_message is None:
        process.stdout.close()
        return
    reading = process.stdout, on_message
    threading.Thread(target=_pass_on, args=reading, name="viewer", daemon=True).start()


def _pass_on(stdout: IO[bytes], on_message: OnMessage) -> None:
    """Pass messages on until the process ends; what one of them raises is printed."""
    with stdout:
        while head := _exactly(stdout, MESSAGE.size):
            number, size = MESSAGE.unpack(head)
            if not (data := _exactly(stdout, size)):
                return
            try:
                on_message(number, data)
            except Exception:
                traceback.print_exc()


def _exactly(stdout: IO[bytes], size: int) -> bytes:
    """Return so many bytes; none at the end of the stream."""
    data = b""
    while len(data) < size and (part := stdout.read(size - len(data))):
        data += part
    return data if len(data) == size else b""


def _start(host: str) -> subprocess.Popen[bytes]:
    folder = str(Path(__file__).parents[2].absolute())  # where this very footwork was imported from
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", _SERVE, str(__package__), folder, host, str(os.getpid())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        bufsize=0,
        start_new_session=True,
    )
    if process.stdin is not None:
        os.set_blocking(process.stdin.fileno(), False)  # a server that hangs must not hang us
    return process


def _stop(process: subprocess.Popen[bytes], owner: int, folders: list[Path]) -> None:
    if os.getpid() != owner:  # a fork of the program: the server is not its own
        return
    if process.stdin is not None:
        process.stdin.close()
    try:
        process.wait(timeout=2)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


def _read_port(process: subprocess.Popen[bytes], host: str) -> int:
    stdout = process.stdout
    if stdout is None:
        raise ServerError("the viewer's server has no output")
    ready, _, _ = select.select([stdout], [], [], START_TIMEOUT)
    line = stdout.readline() if ready else b""
    try:
        return int(json.loads(line)["port"])
    except (ValueError, KeyError, TypeError):
        waited = "" if ready else f" within {START_TIMEOUT:g} s"
        raise ServerError(
            f"the viewer's server did not start{waited}; is {host!r} an address of this machine?"
        ) from None


def _write_all(stdin: IO[bytes], data: bytes, timeout: float) -> None:
    view, deadline = memoryview(data), time.monotonic() + timeout
    while view:
        try:
            view = view[os.write(stdin.fileno(), view) :]
        except BlockingIOError:
            _wait_for_room(stdin, deadline, timeout)
        except OSError as error:
            raise ServerError(f"the viewer's server has ended: {error}; {_AGAIN}") from None


def _wait_for_room(stdin: IO[bytes], deadline: float, timeout: float) -> None:
    left = deadline - time.monotonic()
    if left <= 0 or not select.select([], [stdin], [], left)[1]:
        raise ServerError(f"the viewer's server has not read anything for {timeout:g} s; {_AGAIN}")
