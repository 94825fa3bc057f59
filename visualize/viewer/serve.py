"""The process that serves the page: `python -m footwork.visualize.viewer.serve HOST`.

It reads entries from its standard input and passes them on to the browsers; when the input ends,
because the program closed it or died in whatever way, so does the process. Nothing else can talk to
it: there is no port but the page's, and the page only listens.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import os
import signal
import struct
import sys
from typing import Any

import tornado.httpserver
import tornado.netutil
import tornado.web
import tornado.websocket

from .page import viewer_script
from .store import Entry, Store

HEADER = struct.Struct("<II")  # bytes of the JSON head, bytes of the data that follow it
Reader = asyncio.StreamReader


def allowed(header: str, host: str) -> bool:
    """Whether a request with this Host header is one of ours.

    A foreign page may give its own name our address (DNS rebinding) and would then read the scene:
    names other than `host` and localhost are refused. An address cannot be rebound.
    """
    name = header.rsplit(":", 1)[0] if not header.endswith("]") else header
    name = name.strip("[]").lower().rstrip(".")
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return name in ("localhost", host.lower())
    return not is_loopback(host) or address.is_loopback


def is_loopback(host: str) -> bool:
    """Whether an address or name means this machine alone."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


class _Guarded(tornado.web.RequestHandler):
    def prepare(self) -> None:
        host = str(self.application.settings["host"])
        if not allowed(self.request.headers.get("Host", ""), host):
            raise tornado.web.HTTPError(403, "Host header of another site")
        self.set_header("Cache-Control", "no-store")
        self.set_header("X-Content-Type-Options", "nosniff")


class Page(_Guarded):
    """The page, and meshcat's script beside it."""

    def initialize(self, content: str, kind: str) -> None:
        """Take what `Application` was told."""
        self.content, self.kind = content, kind

    def get(self) -> None:
        """Answer with the content."""
        self.set_header("Content-Type", f"{self.kind}; charset=utf-8")
        self.write(self.content)


class Browser(_Guarded, tornado.websocket.WebSocketHandler):
    """One open page. It gets what changed at its own pace: a slow one skips what is outdated."""

    def initialize(self, hub: Hub) -> None:
        """Take what `Application` was told."""
        self.hub = hub
        self.pending = Store()
        self.wake = asyncio.Event()
        self.gone = False

    def open(self, *_: str, **__: str) -> None:
        """Send the whole picture, then follow."""
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
                while (entry := self.pending.pop()) is not None:
                    await self.write_message(entry.data, binary=True)
        except (tornado.websocket.WebSocketClosedError, tornado.iostream.StreamClosedError):
            pass

    def on_message(self, message: str | bytes) -> None:
        """Ignore what a page says: it only looks."""

    def on_close(self) -> None:
        """Forget this page."""
        self.gone = True
        self.hub.browsers.discard(self)
        self.wake.set()


class Hub:
    """The picture as it stands, and who looks at it."""

    def __init__(self) -> None:
        self.store = Store()
        self.browsers: set[Browser] = set()

    def put(self, entry: Entry) -> None:
        """Record an entry and pass it on."""
        self.store.put(entry)
        for browser in self.browsers:
            browser.pending.put(entry, keep_all=True)
            browser.wake.set()


def application(hub: Hub, html: str, host: str) -> tornado.web.Application:
    """Return the site: the page at /, its script, and the commands as a web socket."""
    script = {"content": viewer_script(), "kind": "text/javascript"}
    return tornado.web.Application(
        [
            (r"/", Page, {"content": html, "kind": "text/html"}),
            (r"/main.min.js", Page, script),
            (r"/commands", Browser, {"hub": hub}),
        ],
        host=host,
        websocket_ping_interval=30,
        log_function=lambda handler: None,
    )


async def read_frame(reader: Reader) -> tuple[dict[str, Any], bytes]:
    """Return the next head and its data; at the end of input `asyncio.IncompleteReadError`."""
    head_size, data_size = HEADER.unpack(await reader.readexactly(HEADER.size))
    head = json.loads(await reader.readexactly(head_size))
    return head, await reader.readexactly(data_size)


async def serve(host: str, parent: int) -> None:
    """Serve until the standard input ends or the parent process has gone."""
    loop = asyncio.get_running_loop()
    reader = Reader(limit=1 << 20)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin.buffer)
    head, html = await read_frame(reader)
    hub = Hub()
    sockets = tornado.netutil.bind_sockets(0, host)  # port 0: the system picks a free one
    tornado.httpserver.HTTPServer(application(hub, html.decode(), host)).add_sockets(sockets)
    print(json.dumps({"port": sockets[0].getsockname()[1]}), flush=True)
    watch = loop.create_task(_watch(parent))
    try:
        while True:
            head, data = await read_frame(reader)
            hub.put(Entry(head["key"], head["forget"], data, head["keep"]))
    except asyncio.IncompleteReadError:
        watch.cancel()


async def _watch(parent: int) -> None:
    """End with the parent even if a process that it forked still holds our input open."""
    while os.getppid() == parent:
        await asyncio.sleep(0.5)
    os._exit(0)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the program, which then closes us
    asyncio.run(serve(sys.argv[1], int(sys.argv[2])))
