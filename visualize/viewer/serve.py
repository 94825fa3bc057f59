"""The process that serves the page: `serve.py HOST PARENT`, which `server` starts.

It reads entries from its standard input and passes them on to the browsers; when the input ends,
because the program closed it or died in whatever way, so does the process. It has no port but the
page's, and answers what `guard` lets through. What a page says is bounded in size, number and rate
and goes to the standard output unread, if the program wants it, and else nowhere.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import shutil
import signal
import struct
import sys
from collections.abc import Sequence
from typing import Any

import tornado.httpserver
import tornado.iostream
import tornado.netutil
import tornado.web
import tornado.websocket
import umsgpack  # type: ignore[import-untyped]

from . import guard
from .page import as_blob, viewer_script
from .rates import Rate
from .store import Entry, Store

HEADER = struct.Struct("<II")  # bytes of the JSON head, bytes of the data that follow it
MESSAGE = struct.Struct("<II")  # number of the browser, bytes of what it says, which follow
MOST_BYTES = 1024  # of a message
MOST_WAITING = 1 << 16  # [bytes] of messages that the program has yet to read, besides its pipe's
MOST_BROWSERS = 16
JOINED = 1 << 18  # [bytes] of commands from which on a browser gets the next ones by themselves
MOST_CONNECTIONS = 128  # besides web sockets; beyond, the oldest is closed
MOST_HEADERS = 16384  # [bytes] of a request
REQUEST_TIMEOUT = 10.0  # [s] in which a request must be complete
PASSED = (200.0, 400.0)  # messages of a browser that are passed on: a second, and at once
ENDURED = (2000.0, 4000.0)  # that it may send before its connection is closed
Reader = asyncio.StreamReader


class _Guarded(tornado.web.RequestHandler):
    def set_default_headers(self) -> None:
        self.clear_header("Server")
        self.set_header("Cache-Control", "no-store")
        self.set_header("X-Content-Type-Options", "nosniff")
        self.set_header("Referrer-Policy", "no-referrer")
        self.set_header("Cross-Origin-Resource-Policy", "same-origin")

    def prepare(self) -> None:
        settings = self.application.settings
        self.asked = self.request.headers.get("Host", "")
        if not guard.is_ours(self.asked, settings["host"]):
            raise tornado.web.HTTPError(403)
        if not guard.has_secret(self.request.path, settings["secret"]):
            raise tornado.web.HTTPError(404)
        origin = self.request.headers.get("Origin")
        if origin is not None and origin != f"http://{self.asked.lower()}":
            raise tornado.web.HTTPError(403)


class Nothing(_Guarded):
    """Everything that is not there: the same answer as to who lacks the secret."""

    def get(self) -> None:
        """Answer that there is nothing."""
        raise tornado.web.HTTPError(404)


class Page(_Guarded):
    """The page, and meshcat's script beside it."""

    def initialize(self, content: str, kind: str) -> None:
        """Take what `Application` was told."""
        self.content, self.kind = content, kind

    def get(self) -> None:
        """Answer with the content."""
        self.set_header("Content-Type", f"{self.kind}; charset=utf-8")
        if self.kind == "text/html":
            policy = guard.content_policy(self.content, self.asked)
            self.set_header("Content-Security-Policy", policy)
        self.write(self.content)


class Browser(_Guarded, tornado.websocket.WebSocketHandler):
    """One open page. It gets what changed at its own pace: a slow one skips what is outdated."""

    def initialize(self, hub: Hub) -> None:
        """Take what `Application` was told."""
        self.hub = hub
        self.number = 0  # until it is connected
        self.pending = Store()
        self.wake = asyncio.Event()
        self.gone = False
        self.passed, self.endured = Rate(*PASSED), Rate(*ENDURED)
        self.late: bytes | None = None  # the newest message that came too early to be passed on

    def check_origin(self, origin: str) -> bool:
        """Accept: `prepare` has checked the origin, and in every case, as Tornado does not."""
        return True

    def open(self, *_: str, **__: str) -> None:
        """Send the whole picture, then follow."""
        if len(self.hub.browsers) >= MOST_BROWSERS:
            self.gone = True
            self.close(1013, "too many pages are open")
            return
        self.number = next(self.hub.numbers)
        if self.hub.program is not None:
            self.pending.put(Entry("/#you", "", _you(self.number)))
        for entry in self.hub.store.entries():
            self.pending.put(entry, keep_all=True)
        self.hub.browsers.add(self)
        self.wake.set()
        self.task = asyncio.get_running_loop().create_task(self._follow())

    async def _follow(self) -> None:
        try:
            while not self.gone:
                await self.wake.wait()
                self.wake.clear()
                while data := self._waiting():
                    await self.write_message(data, binary=True)
        except (tornado.websocket.WebSocketClosedError, tornado.iostream.StreamClosedError):
            pass

    def _waiting(self) -> bytes:
        """Take out what waits, as in the file of a page; what is more than `JOINED` bytes later."""
        parts: list[bytes] = []
        size = 0
        while size < JOINED and (entry := self.pending.pop()) is not None:
            parts.append(as_blob([entry.data]))
            size += len(parts[-1])
        return b"".join(parts)

    def on_message(self, message: str | bytes) -> None:
        """Pass on what a page says, if the program wants it, as far as `PASSED` allows.

        Of what comes faster the newest waits, the rest is dropped. Who sends far more is cut off.
        """
        if not self.endured.take():
            self._cut_off()
        elif isinstance(message, bytes):
            self.gone = True
            self.close(1008, "text only")
        elif message and not self.gone:
            data = message.encode()
            if self.late is None and self.passed.take():
                self.hub.report(self.number, data)
                return
            if self.late is None:
                asyncio.get_running_loop().call_later(self.passed.wait, self._report_late)
            self.late = data

    def _cut_off(self) -> None:
        """End the connection without a farewell, for whose answer more would come in."""
        stream = self.ws_connection and self.ws_connection.stream
        if stream is not None:
            stream.close()

    def _report_late(self) -> None:
        if self.late is not None and not self.gone:
            self.passed.take()
            self.hub.report(self.number, self.late)
        self.late = None

    def on_close(self) -> None:
        """Forget this page."""
        self.gone = True
        self.hub.browsers.discard(self)
        self.wake.set()


def _you(number: int) -> bytes:
    """Return the command that tells a page its number, by which it knows its own messages."""
    data: bytes = umsgpack.packb({"type": "you", "number": number})
    return data


class Hub:
    """The picture as it stands, and who looks at it.

    Attributes:
        program: where messages go, None if the program wants none.
    """

    def __init__(self) -> None:
        self.program: asyncio.WriteTransport | None = None
        self.store = Store()
        self.browsers: set[Browser] = set()
        self.numbers = itertools.count(1)

    def put(self, entries: Sequence[Entry], to: int | None = None) -> None:
        """Record entries and pass them on; those for a single browser are not recorded."""
        for entry in entries if to is None else ():
            self.store.put(entry)
        for browser in self.browsers:
            if to in (None, browser.number):
                for entry in entries:
                    browser.pending.put(entry, keep_all=True)
                browser.wake.set()

    def report(self, number: int, data: bytes) -> None:
        """Pass a message on to the program; it is dropped where too many wait for it."""
        program = self.program
        if program is not None and program.get_write_buffer_size() < MOST_WAITING:
            program.write(MESSAGE.pack(number, len(data)) + data)


class Listener(tornado.httpserver.HTTPServer):
    """An HTTP server with at most `MOST_CONNECTIONS` besides web sockets: the oldest has to go.

    A request is complete within `REQUEST_TIMEOUT` and has no body.
    """

    def initialize(self, *args: Any, **options: Any) -> None:
        """Take the place of a constructor, as Tornado has it."""
        self.streams: dict[tornado.iostream.IOStream, None] = {}  # in the order of their arrival
        options.update(idle_connection_timeout=REQUEST_TIMEOUT)
        options.update(max_header_size=MOST_HEADERS, max_body_size=0)
        super().initialize(*args, **options)

    def handle_stream(self, stream: tornado.iostream.IOStream, address: Any) -> None:
        """Serve a new connection."""
        if len(self.streams) >= MOST_CONNECTIONS:
            oldest = next(iter(self.streams))
            del self.streams[oldest]
            oldest.close()
        self.streams[stream] = None
        super().handle_stream(stream, address)

    def on_close(self, connection: Any) -> None:
        """Forget a connection that has ended or become a web socket."""
        self.streams.pop(connection.stream, None)
        super().on_close(connection)


def application(hub: Hub, html: str, host: str, secret: str) -> tornado.web.Application:
    """Return the site: the page in the folder /SECRET/, its script, the commands (web socket)."""
    script = {"content": viewer_script(), "kind": "text/javascript"}
    return tornado.web.Application(
        [
            (r"/[^/]*/", Page, {"content": html, "kind": "text/html"}),
            (r"/[^/]*/main\.min\.js", Page, script),
            (r"/[^/]*/commands", Browser, {"hub": hub}),
        ],
        default_handler_class=Nothing,
        host=host,
        secret=secret,
        websocket_max_message_size=MOST_BYTES,
        websocket_ping_interval=30,
        log_function=lambda handler: None,
    )


async def read_frame(reader: Reader) -> tuple[dict[str, Any], bytes]:
    """Return the next head and its data; at the end of input `asyncio.IncompleteReadError`."""
    head_size, data_size = HEADER.unpack(await reader.readexactly(HEADER.size))
    head = json.loads(await reader.readexactly(head_size))
    return head, await reader.readexactly(data_size)


def entries_of(heads: Sequence[tuple[str, str, bool, int]], data: bytes) -> list[Entry]:
    """Return the entries of which `Server.send` has sent the heads and, joined, the data."""
    entries, at = [], 0
    for key, forget, keep, size in heads:
        entries.append(Entry(key, forget, data[at : at + size], keep))
        at += size
    return entries


async def serve(host: str, parent: int) -> None:
    """Serve until the standard input ends or the parent process has gone."""
    loop = asyncio.get_running_loop()
    reader = Reader(limit=1 << 20)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin.buffer)
    head, html = await read_frame(reader)
    hub = Hub()
    sockets = tornado.netutil.bind_sockets(0, host)  # port 0: the system picks a free one
    site = application(hub, html.decode(), host, head["secret"])
    Listener(site).add_sockets(sockets)
    print(json.dumps({"port": sockets[0].getsockname()[1]}), flush=True)
    if head["listens"]:
        hub.program, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, sys.stdout.buffer)
    folders: list[str] = []  # of the program's, to remove at the end
    watch = loop.create_task(_watch(parent, folders))
    try:
        while True:
            head, data = await read_frame(reader)
            if "remove" in head:
                folders.append(head["remove"])
            else:
                hub.put(entries_of(head["entries"], data), head["to"])
    except asyncio.IncompleteReadError:
        watch.cancel()
        _remove(folders)


async def _watch(parent: int, folders: list[str]) -> None:
    """End with the parent even if a process that it forked still holds our input open."""
    while os.getppid() == parent:
        await asyncio.sleep(0.5)
    _remove(folders)
    os._exit(0)


def _remove(folders: list[str]) -> None:
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the program, which then closes us
    asyncio.run(serve(sys.argv[1], int(sys.argv[2])))
