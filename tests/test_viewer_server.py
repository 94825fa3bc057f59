"""The process that serves the page: who can reach it, when it ends, what it sends. No browser."""

import asyncio
import base64
import http.client
import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from itertools import chain
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pytest
import tornado.websocket
from page_commands import commands_in
from programs import is_running, wait_until

import footwork as fw
from footwork.visualize.viewer import Viewer, server
from footwork.visualize.viewer.errors import ServerError
from footwork.visualize.viewer.guard import is_ours

linux = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="reads /proc")


@pytest.fixture
def viewer():
    """A viewer that is served."""
    with Viewer() as viewer:
        viewer.point("here", [0, 0, 0])
        _ = viewer.url
        yield viewer


@pytest.fixture(scope="module")
def shown():
    """A viewer whose server is asked, and left as it is."""
    with Viewer() as viewer:
        viewer.point("here", [0, 0, 0])
        _ = viewer.url
        yield viewer


def listening(pid):
    """Return the addresses, as hexadecimal text, that a process listens on."""
    inodes = set()
    for link in Path(f"/proc/{pid}/fd").iterdir():
        name = ""
        with suppress(FileNotFoundError):  # the descriptor of this very listing
            name = os.readlink(link)
        if name.startswith("socket:"):
            inodes.add(name[8:-1])
    rows = [
        line.split()
        for table in ("tcp", "tcp6")
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]
    ]
    return [row[1].split(":")[0] for row in rows if row[3] == "0A" and row[9] in inodes]


def get(viewer, name="", **headers):
    """Return status and body of a name in the page's folder."""
    address = urlsplit(viewer.url)
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=20)
    connection.request("GET", address.path + name, headers=headers)
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response.status, body


def upgrade(viewer, **headers):
    """Return the status of a request for the commands, and the open socket."""
    address = urlsplit(viewer.url)
    sock = socket.create_connection((address.hostname, address.port), timeout=20)
    fields = {
        "Host": address.netloc,
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(),
        "Sec-WebSocket-Version": "13",
        **headers,
    }
    lines = "".join(f"{key}: {value}\r\n" for key, value in fields.items())
    sock.sendall(f"GET {address.path}commands HTTP/1.1\r\n{lines}\r\n".encode())
    return int(sock.recv(12)[9:12]), sock


async def connect(viewer):
    url = viewer.url.replace("http", "ws") + "commands"
    return await tornado.websocket.websocket_connect(url)


async def messages(connection):
    """Return the commands of each message that a browser gets, up to that which draws "last"."""
    found = []
    while not found or not last(found[-1][-1]):
        data = await asyncio.wait_for(connection.read_message(), 20)
        assert data is not None, "the server closed the connection"
        found.append(list(commands_in(data)))
    stream = connection.protocol.stream
    connection.close()  # at once: a closing handshake would outlive the event loop, and leak
    stream.close()
    return found


async def receive(viewer):
    """Return the commands that a browser gets, up to that which draws "last"."""
    return [*chain.from_iterable(await messages(await connect(viewer)))]


# --- who can reach it --------------------------------------------------------------------------


@linux
def test_only_this_machine_is_listened_to():
    before = listening(os.getpid())
    with Viewer() as viewer:
        assert urlsplit(viewer.url).hostname == "127.0.0.1"
        assert listening(viewer._server.pid) == ["0100007F"]
        assert listening(os.getpid()) == before


def test_the_page_and_its_script_are_served(shown):
    for name, words in (("", b"footwork.connect()"), ("main.min.js", b"MeshCat")):
        status, text = get(shown, name)
        assert status == 200
        assert words in text
    assert get(shown, "../../etc/passwd")[0] == 404


@pytest.mark.parametrize("path", ["", "main.min.js", "nothing"])
def test_a_foreign_host_header_is_refused(shown, path):
    port = urlsplit(shown.url).port
    assert get(shown, path, Host=f"evil.example:{port}")[0] == 403
    assert get(shown, Host="evil.example")[0] == 403
    for host in ("localhost", "127.0.0.1"):
        assert get(shown, Host=f"{host}:{port}")[0] == 200


def test_the_commands_are_for_our_own_page_only(shown):
    port = urlsplit(shown.url).port
    for headers, status in (
        ({}, 101),
        ({"Origin": f"http://127.0.0.1:{port}"}, 101),
        ({"Origin": "http://evil.example"}, 403),
        ({"Host": f"evil.example:{port}", "Origin": f"http://evil.example:{port}"}, 403),
    ):
        got, sock = upgrade(shown, **headers)
        sock.close()
        assert got == status, headers


@pytest.mark.parametrize(
    ("header", "host", "expected"),
    [
        ("localhost:7000", "127.0.0.1", True),
        ("LOCALHOST.:7000", "127.0.0.1", True),
        ("127.0.0.1", "127.0.0.1", True),
        ("[::1]:7000", "127.0.0.1", True),
        ("[::1]", "127.0.0.1", True),
        ("192.168.0.7:7000", "127.0.0.1", False),
        ("localhost.evil.example:7000", "127.0.0.1", False),
        ("", "127.0.0.1", False),
        ("192.168.0.7:7000", "0.0.0.0", True),
        ("robot.lan:7000", "robot.lan", True),
        ("evil.example:7000", "0.0.0.0", False),
    ],
)
def test_host_headers(header, host, expected):
    assert is_ours(header, host) is expected


@linux
def test_listening_to_others_is_possible_and_warned_of():
    with Viewer(host="0.0.0.0") as viewer:
        with pytest.warns(UserWarning, match=r"listens on 0\.0\.0\.0") as caught:
            url = viewer.url
        assert caught[0].filename == __file__
        assert listening(viewer._server.pid) == ["00000000"]
        assert url.startswith("http://127.0.0.1:")  # an address that a browser here can open
        assert len(urlsplit(url).path) > 40  # and nobody without its secret
        remote = urlsplit(viewer.remote_url)  # an address of this machine, for other devices
        assert remote[2:] == urlsplit(url)[2:]
        with socket.create_connection((remote.hostname, remote.port), timeout=20):
            assert get(viewer, Host=remote.netloc)[0] == 200


@linux
def test_localhost_by_name_is_this_machine_alone():
    with Viewer(host="localhost") as viewer:
        assert viewer.remote_url == ""
        assert get(viewer)[0] == 200
        addresses = {"0100007F", "00000000000000000000000001000000"}
        assert set(listening(viewer._server.pid)) <= addresses


def test_an_address_of_another_machine_is_an_error():
    with (
        Viewer(host="192.0.2.1") as viewer,
        pytest.warns(UserWarning, match="listens on"),
        pytest.raises(ServerError, match="did not start"),
    ):
        _ = viewer.url


# --- when it ends ------------------------------------------------------------------------------

_PROGRAM = """
import os, signal, sys, time
import footwork as fw
viewer = fw.Viewer()
viewer.url
print(viewer._server.pid, flush=True)
{end}
time.sleep(300)
"""


def started(end):
    """Start that program, which ends so."""
    command = [sys.executable, "-W", "ignore", "-c", _PROGRAM.format(end=end)]
    quiet = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    return subprocess.Popen(command, **quiet, text=True)


@pytest.mark.slow
@linux
@pytest.mark.parametrize(
    ("end", "number"),
    [
        ("sys.exit()", None),
        ("", signal.SIGKILL),
        ("", signal.SIGINT),
        ("import signal; signal.signal(signal.SIGTERM, lambda *_: os.abort())", signal.SIGTERM),
    ],
)
def test_it_never_outlives_the_program(end, number):
    with started(end) as program:
        pid = int(program.stdout.readline())
        if number is not None:
            assert is_running(pid)
            program.send_signal(number)
        program.wait(timeout=30)
    wait_until(lambda: not is_running(pid))


@linux
def test_it_ends_though_a_fork_of_the_program_lives_on():
    end = "child = os.fork()\nif child: print(child, flush=True)\nelse: os.close(1)"
    with started(end) as program:
        pid, fork = int(program.stdout.readline()), int(program.stdout.readline())
        program.kill()
    try:
        wait_until(lambda: not is_running(pid))
        assert is_running(fork)
    finally:
        os.kill(fork, signal.SIGKILL)


@linux
def test_close_ends_it_and_the_viewer_goes_on():
    viewer = Viewer()
    _ = viewer.url
    pid = viewer._server.pid
    viewer.close()
    viewer.close()
    assert not is_running(pid)
    viewer.point("later", [0, 0, 0])
    assert "MeshCat" in viewer.html()
    with viewer:
        assert get(viewer)[0] == 200


@linux
def test_a_forgotten_viewer_leaves_nothing_behind():
    viewer = Viewer()
    _ = viewer.url
    pid = viewer._server.pid
    del viewer
    wait_until(lambda: not is_running(pid))


@linux
def test_ctrl_c_in_the_terminal_does_not_reach_it(shown):
    os.kill(shown._server.pid, signal.SIGINT)
    shown.point("still", [0, 0, 0])
    assert get(shown)[0] == 200


def test_a_dead_server_is_an_error_not_a_hang(viewer):
    os.kill(viewer._server.pid, signal.SIGKILL)
    viewer._server._process.wait(timeout=30)
    with pytest.raises(ServerError, match=r"has ended.*ask for its url again"):
        viewer.point("here", [1, 0, 0])
    viewer.close()
    assert get(viewer)[0] == 200


def test_a_server_that_hangs_is_an_error_not_a_hang(viewer, monkeypatch):
    monkeypatch.setattr(server, "SEND_TIMEOUT", 0.2)

    def draw_until_refused():
        for k in range(1000):
            viewer.path("long", np.arange(300.0).reshape(-1, 3) + k)

    os.kill(viewer._server.pid, signal.SIGSTOP)
    try:
        with pytest.raises(ServerError, match="has not read anything"):
            draw_until_refused()
    finally:
        with suppress(ProcessLookupError):
            os.kill(viewer._server.pid, signal.SIGCONT)
    with pytest.raises(ServerError, match="was closed"):  # not half a command, then another
        viewer.point("more", [0, 0, 0])
    viewer.close()
    assert get(viewer)[0] == 200


# --- what it sends -----------------------------------------------------------------------------


def last(command):
    return command["path"].startswith("/overlays/last") if "path" in command else False


def test_a_late_browser_gets_the_picture_as_it_stands(viewer):
    for k in range(50):
        viewer.point("moving", [k, 0, 0])
    viewer.point("gone", [0, 0, 0])
    viewer.delete("gone")
    viewer.point("last", [0, 0, 0])
    got = asyncio.run(receive(viewer))
    moves = [c for c in got if c["path" if "path" in c else "type"] == "/overlays/moving/ball"]
    assert [c["type"] for c in moves] == ["set_object", "set_transform"]
    assert moves[1]["matrix"][12:15] == [49, 0, 0]
    assert not [c for c in got if "gone" in c.get("path", "")]
    assert {"stage", "camera"} <= {c["type"] for c in got}


def test_two_browsers_see_the_same(viewer):
    async def both():
        waiting = [asyncio.create_task(receive(viewer)) for _ in range(2)]
        await asyncio.sleep(0.2)
        viewer.point("last", [0, 0, 0])
        return await asyncio.gather(*waiting)

    first, second = asyncio.run(both())
    assert first == second


def test_a_slow_browser_skips_what_is_outdated_and_ends_up_right(viewer):
    async def slow():
        connection = await connect(viewer)
        connection.protocol.stream.set_close_callback(None)
        points = np.random.default_rng(0).normal(size=(400, 3))
        for k in range(150):  # 150 × 0.6 MB, while nobody reads
            viewer.path("long", points + k)
        viewer.point("last", [0, 0, 0])
        got = chain.from_iterable(await messages(connection))
        return [c for c in got if c["type"] == "set_object" and "long" in c["path"]]

    seen = asyncio.run(slow())
    assert 1 <= len(seen) < 150
    data = seen[-1]["object"]["geometries"][0]["data"]["attributes"]["position"]["array"].data
    assert np.frombuffer(data, np.float32).min() > 100  # the last of them


def test_what_is_drawn_together_comes_in_one_message(viewer):
    async def drawn():
        connection = await connect(viewer)
        await asyncio.wait_for(connection.read_message(), 20)  # the picture as it is
        with viewer.together(), viewer.together():
            for k in range(50):
                viewer.point(f"points/{k}", [k, 0, 0])
            viewer.delete("points/7")
        viewer.point("last", [0, 0, 0])
        return await messages(connection)

    together = [command["path"] for command in asyncio.run(drawn())[0]]
    for k in set(range(50)) - {7}:  # what was deleted need not be sent at all
        assert f"/overlays/points/{k}/ball" in together


def test_what_was_drawn_before_a_failure_is_sent(viewer):
    with suppress(RuntimeError), viewer.together():
        viewer.point("last", [0, 0, 0])
        raise RuntimeError
    assert asyncio.run(receive(viewer))


def test_the_light_follows_a_robot_that_walks_away():
    robot = fw.load("quadruped")
    q = robot.posture()
    with Viewer(robot) as viewer:
        _ = viewer.url
        q[:2] += [30.0, 7.0]
        viewer.display(q)
        viewer.point("last", [0, 0, 0])
        got = asyncio.run(receive(viewer))
    (stage,) = [c for c in got if c["type"] == "stage"]
    np.testing.assert_allclose(stage["center"][:2], q[:2], atol=0.3)


@linux
def test_thousands_of_reconnects(viewer):
    pid = viewer._server.pid
    assert get(viewer)[0] == 200
    before = len(list(Path(f"/proc/{pid}/fd").iterdir()))
    for _ in range(2000):
        status, sock = upgrade(viewer)
        sock.close()
        assert status == 101
    assert get(viewer)[0] == 200
    wait_until(lambda: len(list(Path(f"/proc/{pid}/fd").iterdir())) <= before + 2)
    viewer.point("last", [0, 0, 0])
    assert last(asyncio.run(receive(viewer))[-1])


def test_a_program_imported_from_elsewhere_still_finds_its_server(tmp_path):
    code = "import footwork as fw\nwith fw.Viewer() as v: print(v.url)"
    (tmp_path / "robots.py").write_text("raise SystemExit('the wrong robots')")
    there = {**os.environ, "PYTHONPATH": str(Path(fw.__file__).parents[1])}
    command, how = [sys.executable, "-c", code], {"capture_output": True, "text": True}
    answer = subprocess.run(command, cwd=tmp_path, env=there, check=False, **how)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.startswith("http://127.0.0.1:")
