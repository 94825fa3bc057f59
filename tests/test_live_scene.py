"""Live scenes without a browser: the inbox, actions, callbacks, texts taken away, the command."""

import asyncio
import base64
import gzip
import json
import re
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import Future
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pytest
import tornado.websocket
from page_commands import commands_in
from stances import posed

import footwork as fw
from footwork import cli, registry
from footwork.commands import live
from footwork.contacts import Scenario
from footwork.contacts.scenario.scenario import FOLDER
from footwork.errors import FootworkError, FootworkWarning
from footwork.visualize.live import inbox
from footwork.visualize.live.actions import Command, Drag, Drop, Grab, Pointer, SetValue
from footwork.visualize.live.inbox import Inbox, Work

DOWN = np.array([0.0, 0.0, -1.0])


def from_above(x, y):
    return Pointer(np.array([x, y, 5.0]), DOWN, DOWN)


def drag(handle, x, y, mode="move"):
    return Drag(handle, mode, from_above(x, y))


@pytest.fixture(scope="module")
def shared():
    with fw.live("stairs") as scene:
        yield scene


@pytest.fixture
def scene(shared):
    yield shared
    shared.reset()
    shared._callbacks.clear()


# --- the inbox ---------------------------------------------------------------------------------


def test_the_newest_drag_of_a_handle_replaces_an_older_one():
    box, first = Inbox(), Future()
    grab = Grab("com", from_above(0, 0))
    box.put(Work(grab, {1: 1}))
    box.put(Work(drag("com", 0.1, 0), {1: 2}, [first]))
    box.put(Work(drag("base", 0.1, 0), {2: 1}))
    box.put(Work(drag("com", 0.2, 0), {1: 3}))
    taken = box.take()
    assert [work.what.handle for work in taken] == ["com", "com", "base"]
    assert taken[1].what.pointer.origin[0] == 0.2
    assert taken[1].stamps == {1: 3}
    assert taken[1].done == [first]


def test_nothing_else_is_dropped():
    box = Inbox()
    done = [
        drag("com", 0.1, 0), drag("com", 0.1, 0, "lift"), Drop("com"),
        Grab("com", from_above(0, 0)), drag("com", 0.3, 0),
        SetValue("friction", 0.5), SetValue("friction", 0.4),
        Command("undo"), SetValue("gravity", 5.0, final=False),
    ]  # fmt: skip
    for action in done:
        box.put(Work(action, {1: 1}))
    box.put(Work(SetValue("gravity", 6.0, final=False), {1: 1}))  # the slider still moves
    assert [work.what for work in box.take()][:-1] == done[:-1]


def test_an_inbox_is_bounded_for_browsers():
    box = Inbox()
    assert all(box.put(Work(Command("undo"), {1: k})) for k in range(inbox.LIMIT))
    assert not box.put(Work(Command("undo"), {1: 0}))
    assert box.put(Work(Command("undo")))  # of the program, which waits for it
    assert len(box) == inbox.LIMIT + 1


# --- what is done ------------------------------------------------------------------------------


def test_what_is_dragged_is_what_the_solver_says(scene):
    before, target = scene.q, [0.5, 0.16, 0.2]
    scene.do(Grab("contact/left_foot", from_above(0.5, 0.1)))
    scene.do(drag("contact/left_foot", 0.5, 0.16))
    scene.do(Drop("contact/left_foot"))
    sole = scene.hold.contacts.placements(scene.q)["left_foot"]
    np.testing.assert_allclose(sole.translation, target, atol=1e-6)
    again = fw.static_hold(scene.scenario.machine, scene.q, scene.hold.contacts)
    assert scene.margin == pytest.approx(again.margin, rel=1e-6)
    assert scene.margin == pytest.approx(scene.scenario.check().margin, rel=1e-6)
    scene.undo()
    np.testing.assert_allclose(scene.q, before, atol=1e-12)
    scene.redo()
    assert np.abs(scene.q - before).max() > 0.01


def test_what_cannot_be_reached_says_so_and_stays(scene):
    assert scene.do(drag("contact/left_foot", 0.5, 0.1)) == ""
    before = scene.q
    assert scene.do(drag("contact/left_foot", 3.0, 0.1)) == scene.state.notice != ""
    np.testing.assert_array_equal(scene.q, before)
    with pytest.raises(FootworkError, match=r"no slider 'frction'.*friction"):
        scene.set("frction", 0.3)
    with pytest.raises(FootworkError, match="friction: got nan"):
        scene.set("friction", float("nan"))


def test_under_another_gravity_the_picture_follows(scene):
    scene.set("gravity", 3.0)  # another machine, of equal shape
    assert not scene._notice
    scene.do(drag("contact/left_foot", 0.5, 0.1))
    scene.do(drag("contact/left_foot", 0.48, 0.13))
    assert not scene._notice
    robot = scene.scenario.machine
    np.testing.assert_allclose(robot.model.gravity.linear, [0, 0, -3.0])
    shown = {e.key: e.data for e in scene._viewer._store.entries() if e.key.endswith("#transform")}
    with fw.Viewer(robot) as alone:
        alone.display(scene.q)
        expected = {e.key: e.data for e in alone._store.entries() if e.key.endswith("#transform")}
    assert expected.items() <= shown.items()


def test_callbacks_are_told_of_changes_and_may_fail(scene):
    margins = []
    remove = scene.on_change(lambda scene: margins.append(scene.margin))
    scene.on_change(lambda scene: 1 / 0)
    with pytest.warns(FootworkWarning, match="ZeroDivisionError"):
        scene.set("friction", 0.3)
    scene.undo()  # a second warning would be an error
    assert len(margins) == 2
    assert margins[1] == pytest.approx(scene.margin)
    remove()
    scene.set("friction", 0.4)
    assert len(margins) == 2


def test_a_callback_may_act(scene):
    scene.on_change(lambda scene: scene.margin > 150 and scene.do(Command("undo")))
    scene.set("friction", 0.3)
    assert scene.margin > 0


def test_many_threads_may_act(scene):
    def act(k):
        for _ in range(5):
            scene.set("friction", 0.25 * (k + 1))
            assert np.isfinite(scene.margin)

    threads = [threading.Thread(target=act, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert scene.scenario.friction in (0.25, 0.5, 0.75, 1.0)


def test_errors_of_solver_and_drawing_survive(scene, monkeypatch):
    before = scene.margin
    monkeypatch.setattr(scene._picture, "show", lambda state: 1 / 0)
    scene.set("friction", 0.31)
    assert "ZeroDivisionError" in scene._notice
    monkeypatch.undo()
    monkeypatch.setattr(scene._history.__class__, "apply", lambda self, action: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        scene.set("friction", 0.5)  # the program is told
    scene._hear(1, message("undo", 1))  # a page reads it
    scene._worker.do(lambda: None)
    assert "ZeroDivisionError" in scene._notice
    monkeypatch.undo()
    scene.reset()
    assert scene.margin == pytest.approx(before)
    assert not scene._notice


def test_broken_messages_are_dropped_and_counted(scene):
    before = scene.dropped
    for data in (b"", b"[]", b"{", b'{"do": "undo"}', b"\xff\x00", b'{"do": "rm", "stamp": 1}'):
        scene._hear(1, data)
    assert scene.dropped == before + 6


def test_a_closed_scene_still_answers():
    scene = fw.live("flat")
    scene.close()
    scene.close()
    assert scene.hold.feasible
    assert "contacts:" in scene.python()
    with pytest.raises(FootworkError, match="was closed"):
        scene.undo()


# --- what is taken away ------------------------------------------------------------------------


def test_the_program_reproduces_the_hold(scene, tmp_path):
    scene.do(drag("contact/left_foot", 0.5, 0.1))
    scene.do(drag("contact/left_foot", 0.48, 0.13))
    scene.set("friction", 0.45)
    program = [sys.executable, "-c", scene.python()]
    out = subprocess.run(program, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert out.stdout.splitlines()[:2] == scene.hold.explain().splitlines()[:2]


def test_a_saved_scenario_has_the_same_margin(scene, tmp_path, run):
    scene.set("friction", 0.35)
    path = scene.save(tmp_path / "mine.yaml")
    code, out, _ = run("hold", str(path), "--json")
    assert code == 0
    assert json.loads(out)["margin"] == pytest.approx(scene.margin, rel=1e-6)


def test_files_of_robots_are_found_from_where_it_is_saved(tmp_path, monkeypatch):
    (tmp_path / "robots").mkdir()
    (tmp_path / "elsewhere").mkdir()
    robot = Path(tmp_path, "robots", "cube.urdf")
    robot.write_text(CUBE)
    text = "version: 1\nrobot: robots/cube.urdf\ncontacts:\n  - frame: box\n    kind: rectangle\n"
    text += "    half_length: 0.1\n    half_width: 0.1\n    offset: [0, 0, -0.1]\n"
    Path(tmp_path, "cube.yaml").write_text(text)
    monkeypatch.chdir(tmp_path)
    with fw.live("cube.yaml") as scene:
        saved = scene.save(tmp_path / "elsewhere" / "saved.yaml")
        offered = scene.python()
        margin = scene.margin
    monkeypatch.chdir("/")
    assert Scenario.load(saved).check().margin == pytest.approx(margin, rel=1e-6)
    names: dict = {}
    exec(offered, names)
    assert names["hold"].margin == pytest.approx(margin, rel=1e-6)


def test_the_page_taken_away_has_the_verdict_that_the_panel_has(scene):
    packed = re.search(r'<script id="commands"[^>]*>([^<]*)</script>', scene.html()).group(1)
    blob = gzip.decompress(base64.b64decode(packed))
    margin = f"holds, margin {scene.margin:.1f} N".encode()
    assert margin in blob
    assert not any(margin in entry.data for entry in scene._viewer._store.entries())
    assert b"\xa4type\xa4live" not in blob


CUBE = """
<robot name="cube"><link name="box">
<inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><geometry><box size="0.2 0.2 0.2"/></geometry></visual>
</link></robot>
"""


# --- browsers ----------------------------------------------------------------------------------


def message(do, stamp, **more):
    return json.dumps({"do": do, "stamp": stamp, **more}).encode()


async def connected(url):
    where = urlsplit(url)
    address, origin = f"ws://{where.netloc}{where.path}commands", f"http://{where.netloc}"
    request = tornado.httpclient.HTTPRequest(address, headers={"Origin": origin})
    return await tornado.websocket.websocket_connect(request, max_message_size=1 << 28)


def leave(socket):
    stream = socket.protocol.stream
    socket.close()
    stream.close()  # at once: a closing handshake would outlive the event loop


async def until(socket, kind, found=lambda command: True):
    while True:
        for command in commands_in(await asyncio.wait_for(socket.read_message(), 20)):
            if command["type"] == kind and found(command):
                return command


def test_two_browsers_see_the_same(scene):
    url = scene.url

    async def look():
        one, two = await connected(url), await connected(url)
        number = (await until(one, "you"))["number"]
        assert number != (await until(two, "you"))["number"]
        slider = {"name": "friction", "value": 0.33, "final": True}
        await one.write_message(message("set", 7, **slider))
        seen = [
            await until(each, "live", lambda live: live["stamps"].get(str(number)) == 7)
            for each in (one, two)
        ]
        await one.write_message(message("ask", 8, what="scenario"))
        offer = await until(one, "offer")
        leave(one), leave(two)
        return seen, offer

    seen, offer = asyncio.run(look())
    assert seen[0] == seen[1]
    assert seen[0]["margin"] == pytest.approx(scene.margin)
    assert seen[0]["verdict"] == "holds"
    assert {handle["id"] for handle in seen[0]["handles"]} >= {"contact/left_foot", "com", "base"}
    again = Scenario.from_text(offer["text"]).check()
    assert again.margin == pytest.approx(scene.margin, rel=1e-6)


def test_a_notebook_shows_the_same_page(scene):
    assert f'src="{scene.url}"' in scene._repr_html_()


# --- what can be live --------------------------------------------------------------------------


def begun():
    robot, feet, q = posed("biped", 0.6)
    return {
        "contacts.scenario.scenario:Scenario": (Scenario.load("flat"),),
        "robots.robot:Robot": (robot, q),
        "contacts.contact_set:ContactSet": (feet, q),
        "contacts.hold:Hold": (fw.static_hold(robot, q, feet),),
        "builtins:str": ("biped",),
        "pathlib:PurePath": (FOLDER / "flat.yaml",),
    }


def test_every_kind_can_be_live():
    kinds = begun()
    assert set(kinds) == set(registry.LIVES)
    for arguments in kinds.values():
        with fw.live(*arguments) as scene:
            assert scene.hold.feasible
    robot, q = kinds["robots.robot:Robot"]
    weak = fw.static_hold(robot, q, fw.at_feet(robot), torque_limits=0.5 * robot.torque_limits)
    for hold in (weak, fw.static_hold(robot, q, fw.at_feet(robot), torque_limits=False)):
        with fw.live(hold) as scene:
            assert scene.hold.torque_margin == pytest.approx(hold.torque_margin)
    falls = np.eye(robot.nv)[2]
    fast = fw.contacts.contact_forces(robot, q, np.zeros(robot.nv), falls, fw.at_feet(robot))
    with pytest.raises(fw.ContactError, match="expected one at rest"):
        fw.live(fast)
    upper = robot.torque_limits
    for bounds in ((-upper, 0.5 * upper), np.where(np.arange(robot.na) == 3, np.inf, upper)):
        other = fw.static_hold(robot, q, fw.at_feet(robot), torque_limits=bounds)
        with pytest.raises(fw.ContactError, match="torque_limits of 'left_"):
            fw.live(other)
    with pytest.raises(FootworkError, match=r"no scenario or robot 'stiars'.*'stairs'"):
        fw.live("stiars")
    with pytest.raises(FootworkError, match=r"live: got float, expected one of .*Robot, Scenario"):
        fw.live(1.5)


# --- the command -------------------------------------------------------------------------------


def test_the_command_serves_until_interrupted(tmp_path):
    saved = tmp_path / "saved.yaml"
    command = [sys.executable, "-m", "footwork", "live", "flat", "--friction", "0.5"]
    command += ["--no-browser", "--save-scenario", str(saved)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as p:
        line = p.stdout.readline()
        assert "http://127.0.0.1:" in line
        assert "Ctrl-C" in line
        port = urlsplit(line.split(" at ")[1].split()[0]).port
        p.send_signal(signal.SIGINT)
        out, errors = p.communicate(timeout=60)
    assert p.returncode == 0
    assert not out
    assert errors == f"wrote {saved}\n"
    assert Scenario.load(saved).friction == 0.5
    deadline = time.monotonic() + 60
    while is_listening(port):
        assert time.monotonic() < deadline, "the server is left"
        time.sleep(0.05)


def test_the_command_takes_robots_with_its_flags():
    def scenario(*words):
        return live._scenario(cli._parser().parse_args(["live", *words]))

    assert scenario("double_pendulum").contacts == ()
    pushed = scenario("biped", "--push", "torso", "20", "0", "0", "--no-torque-limits")
    hold = pushed.check()
    assert hold.external["torso"].force[0] == 20
    assert hold.torque_margin == np.inf
    assert scenario("stairs", "--friction", "0.4").friction == 0.4


@pytest.mark.parametrize(("name", "drawn"), [("biped", True), ("double_pendulum", False)])
def test_a_least_push_is_drawn_unless_it_is_far_longer_than_the_robot(name, drawn):
    """A pendulum with strong joints holds 600 times its weight: the camera went as far away."""
    with fw.live(name) as scene:
        viewer = scene._viewer
        assert any("least push" in entry.key for entry in viewer._store.entries()) == drawn
        away = np.linalg.norm(viewer._camera.eye - np.array(viewer._camera.target))
        assert away < 10 * viewer.scale


def is_listening(port):
    import socket

    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
