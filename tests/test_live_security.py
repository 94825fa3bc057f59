"""What strangers can do to a page: ask without its secret, from other sites, too much, too slowly.

Requests and web socket frames are made by hand here, as an attacker would.
"""

import asyncio
import http.server
import os
import re
import resource
import socket
import stat
import struct
import subprocess
import sys
import threading
import time
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import tornado.netutil
from page_commands import commands_in
from programs import wait_until

import footwork as fw
from footwork.visualize.viewer import Viewer, guard, serve
from footwork.visualize.viewer.commands import delete
from footwork.visualize.viewer.serve import MOST_BROWSERS, MOST_BYTES
from footwork.visualize.viewer.server import Server

linux = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="reads /proc")
PAGE = "<!DOCTYPE html><script>footwork</script><p>the page</p>"


class Heard(list):
    """A program that notes what it is told: (browser, message); "wait" keeps it busy until `go`."""

    def __init__(self):
        super().__init__()
        self.go = threading.Event()

    def __call__(self, browser, data):
        self.append((browser, data))
        if data == b"wait":
            self.go.wait(60)
        if data == b"fail":
            raise ValueError("what went wrong")

    def of(self, browser):
        return [data for number, data in self if number == browser]


@pytest.fixture(scope="module")
def heard():
    return Heard()


@pytest.fixture(scope="module")
def served(heard):
    with closing(Server("127.0.0.1", PAGE, heard)) as server:
        yield server


# --- a client of one's own ---------------------------------------------------------------------


def connect(server):
    address = urlsplit(server.url)
    return socket.create_connection((address.hostname, address.port), timeout=20)


def request(server, path=None, method="GET", body="", **fields):
    """Return a whole request; a field of None is left out."""
    address = urlsplit(server.url)
    fields = {"Host": address.netloc, "Connection": "close", **fields}
    lines = [f"{key.replace('_', '-')}: {value}" for key, value in fields.items() if value]
    path = address.path if path is None else path
    return "\r\n".join([f"{method} {path} HTTP/1.1", *lines, "", body]).encode()


def answer(server, *args, **fields):
    """Return status, head and body of the answer."""
    with connect(server) as sock, sock.makefile("rb") as file:
        sock.sendall(request(server, *args, **fields))
        head = "".join(iter(lambda: file.readline().decode().strip("\r\n") + "\n", "\n"))
        size = re.search("content-length: ([0-9]+)", head, re.IGNORECASE)
        return int(head[9:12]), head, file.read(int(size[1])) if size else b""


UPGRADE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec_WebSocket_Key": "dGhlIHNhbXBsZSBub25jZQ==",
    "Sec_WebSocket_Version": "13",
}


class Client:
    """A web socket: frames as RFC 6455 has them."""

    def __init__(self, server, **fields):
        self.socket, self.waiting = connect(server), []
        path = urlsplit(server.url).path + "commands"
        self.socket.sendall(request(server, path, **{**UPGRADE, **fields}))
        self.file = self.socket.makefile("rb")
        self.status = int(self.file.readline()[9:12])
        while self.file.readline().strip():
            pass

    def send(self, payload, opcode=1, last=True):
        if isinstance(payload, str):
            payload = payload.encode()
        size = len(payload)
        head = bytes([opcode | 0x80 * last, 0x80 | min(size, 126)])
        head += b"" if size < 126 else struct.pack(">H", size)
        self.socket.sendall(head + bytes(4) + payload)  # a mask of zeros changes nothing

    def read(self):
        """Return opcode and payload of the next frame; 8 is a farewell, None the end."""
        try:
            head = self.file.read(2)
            size = head[1] if head else 0
            if size >= 126:
                form = ">H" if size == 126 else ">Q"
                (size,) = struct.unpack(form, self.file.read(struct.calcsize(form)))
            return (head[0] & 15, self.file.read(size)) if head else (None, b"")
        except ConnectionError:
            return None, b""

    def command(self):
        if not self.waiting:
            self.waiting = commands_in(self.read()[1])
        return self.waiting.pop(0)

    def number(self):
        command = self.command()
        assert command["type"] == "you"
        return command["number"]

    def farewell(self):
        """Read until the server ends the connection; returns its reason, None without one."""
        reason = None
        while (frame := self.read())[0] is not None:
            if frame[0] == 8:
                reason = struct.unpack(">H", frame[1][:2])[0]
                break
        return reason

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()
        self.socket.close()


# --- without the secret, from elsewhere --------------------------------------------------------


def paths_without_the_secret(secret):
    near = secret[:-1] + ("A" if secret[-1] != "A" else "B")
    names = ["", near, secret[:-1], secret + "x", secret.swapcase(), "%ff", "%00", "..", "ü"]
    folders = ["/", *(f"/{name}/" for name in names), f"//{secret}/", f"/x/../{secret}/"]
    scripts = (f"{folder}main.min.js" for folder in folders)
    return [*folders, *scripts, "/commands", "*", "/x" * 3000]


def test_without_the_secret_everything_is_the_same_nothing(served):
    secret = served.url.split("/")[3]
    assert len(secret) >= 43  # 256 bits
    answers = set()
    for path in paths_without_the_secret(secret):
        for fields in ({}, UPGRADE):
            status, head, body = answer(served, path, **fields)
            assert status == 404, path
            answers.add((re.sub("(Date|Connection): .*\n", "", head), body))
    for name in ("nothing", "../../etc/passwd", "%2e%2e/%2e%2e/etc/passwd", "..%2fserve.py"):
        status, head, body = answer(served, f"/{secret}/{name}")
        answers.add((re.sub("(Date|Connection): .*\n", "", head), body))
    assert len(answers) == 1  # also of what is not there


def test_secrets_are_compared_in_constant_time(monkeypatch):
    seen = []

    def compare(a, b):
        seen.append((a, b))
        return a == b

    monkeypatch.setattr(guard.hmac, "compare_digest", compare)
    for path, expected in (("/abc/", True), ("/abd/x", False), ("/", False), ("", False)):
        assert guard.has_secret(path, "abc") is expected
    assert [a for a, _ in seen] == [b"abc", b"abd", b"", b""]


def test_every_server_has_a_secret_of_its_own(served):
    with Viewer() as viewer:
        secret = viewer.url.split("/")[3]
        assert secret != served.url.split("/")[3]
        assert secret not in repr(viewer)  # which programs print and log


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", "evil.localhost", "127.0.0.1.evil.example", "8.8.8.8", ""),
        *("127.0.0.1:x", "a b"),
    ],
)
def test_with_the_secret_but_the_name_of_another_site(served, host):
    port = urlsplit(served.url).port
    name = host if ":" in host or not host else f"{host}:{port}"
    status, _, body = answer(served, Host=name or None)
    assert status in (400, 403)
    assert b"the page" not in body
    with Client(served, Host=name or None, Origin=f"http://{name}") as client:
        assert client.status in (400, 403)


def test_the_web_socket_is_for_the_very_page(served):
    port = urlsplit(served.url).port
    for origin, expected in {
        None: 101,  # no browser: whoever has the secret may write a program
        f"http://127.0.0.1:{port}": 101,
        f"https://127.0.0.1:{port}": 403,
        f"http://localhost:{port}": 403,  # another origin than the one asked
        f"http://127.0.0.1:{port + 1}": 403,
        "http://127.0.0.1": 403,
        "http://evil.example": 403,
        f"http://127.0.0.1:{port}.evil.example": 403,
        "null": 403,
        "file://": 403,
    }.items():
        for site in (None, "same-origin", "same-site", "cross-site"):  # what browsers tell besides
            with Client(served, Origin=origin, Sec_Fetch_Site=site) as client:
                if origin or site is None:
                    assert client.status == expected, (origin, site)


def test_other_methods_do_nothing(served, heard):
    before = list(heard)
    for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "TRACE", "CONNECT", "X"):
        status, head, _ = answer(served, method=method)
        assert status == 405, method
        assert "access-control" not in head.lower()
    status, _, _ = answer(served, method="POST", body="do=drag", Content_Length="7")
    assert status == 400
    assert heard == before


def test_what_a_browser_is_told_about_the_page(served):
    status, head, body = answer(served)
    assert (status, body.decode()) == (200, PAGE)
    fields = dict(line.split(": ", 1) for line in head.splitlines()[1:])
    assert fields["Referrer-Policy"] == "no-referrer"
    assert fields["X-Content-Type-Options"] == "nosniff"
    assert fields["Cache-Control"] == "no-store"
    assert fields["Cross-Origin-Resource-Policy"] == "same-origin"
    assert "X-Frame-Options" not in fields  # a notebook shows it in a frame
    policy = dict(part.split(" ", 1) for part in fields["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == policy["base-uri"] == policy["form-action"] == "'none'"
    assert policy["connect-src"] == f"ws://{urlsplit(served.url).netloc}"
    sources = policy["script-src"].split()
    assert sources[0] == "'self'"
    # printf footwork | openssl dgst -sha256 -binary | base64
    assert sources[1:] == ["'sha256-I6PdN7b0DIRPWUCB62ThEU+kAd00VFHz2bJ2D99nEBc='"]
    assert "unsafe-eval" not in head
    ancestors = policy["frame-ancestors"].split()
    assert {"'self'", "http://localhost:*", "http://127.0.0.1:*"} <= set(ancestors)
    assert not any("*" in source.rpartition(":")[0] for source in ancestors)  # this host alone


@linux
def test_an_address_of_version_six():
    try:
        server = Server("::1", PAGE)
    except fw.FootworkError:
        pytest.skip("this machine has no ::1")
    with closing(server):
        assert server.url.startswith("http://[::1]:")
        assert answer(server)[0] == 200
        origin = server.url.rsplit("/", 2)[0]
        for given, expected in ((origin, 101), (origin.replace("[::1]", "127.0.0.1"), 403)):
            with Client(server, Origin=given) as client:
                assert client.status == expected


def send_forever(send):
    while True:
        send()


# --- too much ----------------------------------------------------------------------------------


def test_messages_reach_the_program_and_answers_the_one_that_asked(served, heard):
    with Client(served) as one, Client(served) as other:
        first, second = one.number(), other.number()
        one.send('{"from": "one"}')
        other.send('{"from": "other"}')
        wait_until(lambda: heard.of(first) and heard.of(second))
        assert heard.of(first) == [b'{"from": "one"}']
        assert heard.of(second) == [b'{"from": "other"}']
        served.send(delete("/for one"), to=first)
        served.send(delete("/for nobody"), to=10**6)
        served.send(delete("/for all"))
        assert [one.command()["path"] for _ in range(2)] == ["/for one", "/for all"]
        assert other.command()["path"] == "/for all"


@pytest.mark.parametrize(
    ("frames", "reason"),
    [
        ([("x" * (MOST_BYTES + 1), 1, True)], 1009),
        ([("x" * MOST_BYTES, 1, False), ("x", 0, True)], 1009),  # in pieces
        ([(b"\x01", 2, True)], 1008),  # binary
        ([(b"\xff\xfe", 1, True)], None),  # not UTF-8
        ([("x", 3, True)], None),  # a kind that does not exist
    ],
    ids=["long", "pieces", "binary", "utf8", "opcode"],
)
def test_what_is_no_short_text_ends_the_connection(served, heard, frames, reason):
    with Client(served) as client, Client(served) as other:
        number = client.number()
        for frame in frames:
            client.send(*frame)
        assert client.farewell() in (reason, None)
        client.socket.close()
        other_number = other.number()
        other.send("x" * MOST_BYTES)  # as long as allowed, and nobody else has noticed
        wait_until(lambda: heard.of(other_number))
        assert not heard.of(number)


def test_of_too_many_messages_the_newest_arrives(served, heard):
    start = time.monotonic()
    with Client(served) as client:
        number = client.number()
        for k in range(2000):
            client.send(f'{{"stamp": {k}}}')
        wait_until(lambda: heard.of(number)[-1:] == [b'{"stamp": 1999}'], "the last message")
        rate, burst = serve.PASSED
        assert len(heard.of(number)) <= burst + rate * (time.monotonic() - start) + 1
        stamps = [int(data[10:-1]) for data in heard.of(number)]
        assert stamps == sorted(stamps)


def test_a_flood_ends_the_connection_and_no_other(served, heard):
    with Client(served) as flood, Client(served) as other:
        flood.number()
        number = other.number()
        with pytest.raises(ConnectionError):
            send_forever(lambda: flood.send("{}"))
        other.send("still there")
        wait_until(lambda: heard.of(number))


def test_at_most_so_many_browsers(served):
    clients = []
    try:
        for _ in range(MOST_BROWSERS):
            clients.append(Client(served))
            clients[-1].number()
        with Client(served) as late:
            assert late.farewell() == 1013
        clients.pop().__exit__()
        wait_until(lambda: _is_welcome(served), "a free place")
    finally:
        for client in clients:
            client.__exit__()


def _is_welcome(server):
    with Client(server) as client:
        return client.read()[0] == 2


@linux
def test_a_program_that_is_busy_costs_no_memory(served, heard):
    def memory():
        pages = int(Path(f"/proc/{served.pid}/statm").read_text().split()[1])
        return pages * resource.getpagesize()

    try:
        with Client(served) as client:
            number = client.number()
            client.send("wait")
            wait_until(lambda: heard.of(number))
            before = memory()
            for _ in range(3):  # within what is endured
                with Client(served) as flood:
                    for _ in range(2000):
                        flood.send("x" * MOST_BYTES)
            assert answer(served)[0] == 200
            assert memory() < before + 4_000_000
            assert len(heard.of(number)) == 1
            heard.go.set()
            # until there is room again, what is said is dropped
            wait_until(lambda: client.send("next") or b"next" in heard.of(number))
    finally:
        heard.go.set()


def test_an_error_of_the_program_is_told_and_the_next_message_arrives(served, heard, capfd):
    with Client(served) as client:
        number = client.number()
        for text in ("fail", "next"):
            client.send(text)
        wait_until(lambda: heard.of(number) == [b"fail", b"next"])
    assert "what went wrong" in capfd.readouterr().err


def test_nothing_is_heard_where_the_program_does_not_listen(monkeypatch):
    with site(monkeypatch) as here, Client(here) as client:
        client.send('{"do": "undo"}')
        client.send(b"", opcode=9)
        assert client.read()[0] == 10  # no "you" came before it, and nobody to tell is no error


# --- too slowly --------------------------------------------------------------------------------


@contextmanager
def site(monkeypatch, **bounds):
    """Yield a server of this very process, with other bounds."""
    for name, value in bounds.items():
        monkeypatch.setattr(serve, name, value)
    loop = asyncio.new_event_loop()
    sockets = tornado.netutil.bind_sockets(0, "127.0.0.1")

    class Here:
        url = f"http://127.0.0.1:{sockets[0].getsockname()[1]}/secret/"

    async def start():
        application = serve.application(serve.Hub(), PAGE, "127.0.0.1", "secret")
        Here.listener = serve.Listener(application)
        Here.listener.add_sockets(sockets)

    async def stop():
        Here.listener.stop()
        await Here.listener.close_all_connections()

    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    asyncio.run_coroutine_threadsafe(start(), loop).result(20)
    try:
        yield Here
    finally:
        asyncio.run_coroutine_threadsafe(stop(), loop).result(20)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def test_a_request_that_never_ends_is_cut_off(monkeypatch):
    with site(monkeypatch, REQUEST_TIMEOUT=0.2) as here, connect(here) as slow:
        slow.sendall(b"GET / HTTP/1.1\r\nHost: ")
        assert slow.recv(100) == b""
    refused = pytest.raises(ConnectionError)
    with site(monkeypatch, REQUEST_TIMEOUT=20.0) as here, connect(here) as endless, refused:
        send_forever(lambda: endless.sendall(b"X" * 4096))  # a header without an end


def test_idle_connections_do_not_keep_others_out(monkeypatch):
    with site(monkeypatch, MOST_CONNECTIONS=5) as here, Client(here) as watching:
        idle = [connect(here) for _ in range(40)]
        assert answer(here)[0] == 200
        assert len(here.listener.streams) <= 5
        assert watching.status == 101
        watching.send(b"", opcode=9)  # a page that is open is none of the oldest that go
        assert watching.read()[0] == 10
        for sock in idle:
            sock.close()


# --- another user of the machine ---------------------------------------------------------------


def texts_of_processes():
    """Return arguments and environments of all processes that can be read."""
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            for name in ("cmdline", "environ"):
                try:
                    yield (folder / name).read_bytes()
                except OSError:
                    continue


_PROGRAM = """
import sys, time
import footwork as fw
viewer = fw.Viewer()
print(viewer.open(), viewer.url, flush=True)
sys.stdin.read()
{end}
"""


@linux
@pytest.mark.parametrize("end", ["viewer.close()", "import os; os.kill(os.getpid(), 9)"])
def test_the_secret_is_in_a_private_file_alone(tmp_path, end):
    seen = tmp_path / "seen"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {seen}.part; mv {seen}.part {seen}; sleep 2\n')
    browser.chmod(0o755)
    command = [sys.executable, "-c", _PROGRAM.format(end=end)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    environment = {**os.environ, "BROWSER": f"{browser} %s &"}
    with subprocess.Popen(command, **pipes, env=environment) as program:
        opened, url = program.stdout.readline().split()
        secret = url.split("/")[3]
        assert opened == "True"
        wait_until(seen.exists)
        address = seen.read_text().strip()
        assert any(address.encode() in text for text in texts_of_processes())  # it looks right
        assert not any(secret.encode() in text for text in texts_of_processes())
        file = Path(address.removeprefix("file://"))
        assert url in file.read_text()
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
        program.stdin.close()
        program.wait(timeout=30)
        wait_until(lambda: not file.parent.exists(), "its removal")


# --- another site, in a real browser -----------------------------------------------------------

_STRANGER = """<!DOCTYPE html><title>a stranger's page</title><script>
const page = "{url}", results = {{}};
const answered = (name, promise) => promise.then((text) => {{ results[name] = text; }},
                                                (error) => {{ results[name] = error.name; }});
const read = (url, options) => fetch(url, options).then((answer) => answer.text());
const socket = (url) => new Promise((done) => {{
  const it = new WebSocket(url);
  it.onopen = () => {{ it.send('{{"do": "undo", "stamp": 1}}'); done("open"); }};
  it.onerror = () => done("refused");
}});
const frame = (url) => new Promise((done) => {{
  const it = document.createElement("iframe");
  it.onload = () => {{
    it.contentWindow.postMessage({{do: "undo", stamp: 1}}, "*");
    try {{ done(it.contentDocument.body.textContent || it.contentWindow.footwork); }}
    catch (error) {{ done(error.name); }}
  }};
  it.src = url;
  document.documentElement.append(it);
}});
const script = (url) => new Promise((done) => {{
  const it = document.createElement("script");
  it.onload = () => done("ran");
  it.onerror = () => done("refused");
  it.src = url;
  document.documentElement.append(it);
}});
const form = (url) => new Promise((done) => {{
  const target = document.createElement("iframe"), it = document.createElement("form");
  target.name = url;
  document.documentElement.append(target, it);
  Object.assign(it, {{method: "post", enctype: "text/plain", action: url, target: url}});
  it.innerHTML = '<input name=\\'{{"do": "undo", "stamp": 1}}\\'>';
  target.onload = () => {{
    try {{ done(target.contentDocument.body.textContent); }} catch (error) {{ done(error.name); }}
  }};
  it.submit();
}});
const root = new URL("/", page).href;
Promise.all([page, root].flatMap((url, k) => [
  answered("fetch " + k, read(url)),
  answered("blind " + k, read(url, {{mode: "no-cors"}})),
  answered("post " + k, read(url, {{method: "POST", body: "undo"}})),
  answered("socket " + k, socket(url.replace("http", "ws") + "commands")),
  answered("script " + k, script(url + "main.min.js")),
  answered("frame " + k, frame(url)),
  answered("form " + k, form(url + "commands")),
])).then(() => {{ window.done = true; }});
</script>"""


@contextmanager
def stranger(text):
    """Yield the port of a site with this page."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        yield site.server_address[1]
        site.shutdown()


@pytest.mark.browser
@pytest.mark.timeout(120)
def test_the_page_of_a_stranger_cannot_read_nor_move(tab, visit, heard):
    heard.clear()
    with Viewer() as viewer:
        viewer._on_message = heard
        viewer._server = server = viewer._serve()
        with stranger(_STRANGER.format(url=server.url)) as port:  # it even knows the secret
            visit(f"http://evil.localhost:{port}/")
            tab.wait_for("window.done")
            results = tab.evaluate("results")
        refused = {"TypeError", "SecurityError", "refused", ""}  # no-cors bodies are empty
        assert len(results) == 14
        assert set(results.values()) <= refused, results
        visit(server.url.replace("127.0.0.1", "evil.localhost"))  # a name that leads to us
        assert "403" in tab.evaluate("document.title")
        with Client(server) as client:
            assert client.number() == 1  # none of them was ever connected
        tab.errors.clear()
        visit(server.url)  # the page itself works, within its policy
        tab.wait_for("viewer.connection.readyState === 1 && footwork.state.ready")
        tries = "try { done(eval('1')); } catch (error) { done(error.name); }"
        evaluated = f"new Promise((done) => setTimeout(() => {{ {tries} }}))"
        assert tab.evaluate(evaluated) == "EvalError"  # nothing is evaluated there
        tab.evaluate("viewer.connection.send('hello')")
        wait_until(lambda: heard)
        assert heard == [(2, b"hello")]
