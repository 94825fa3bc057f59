"""The page of a live scene in a real browser: handles, panel, touch, narrow windows."""

# ruff: noqa: RUF005  (arrays plus pairs are sums)
from __future__ import annotations

import json

import numpy as np
import pytest
import umsgpack
from page_commands import without

from footwork.visualize import Viewer
from footwork.visualize.viewer import commands, page
from footwork.visualize.viewer.framing import Camera
from footwork.visualize.viewer.server import Server
from footwork.visualize.viewer.store import Entry

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]

WIDTH, HEIGHT = 1000, 640
CLOCK_STANDS = "(() => { const now = performance.now(); performance.now = () => now; })()"
PLACES = {
    "contact/left foot": [0.2, 0.3, 0.0],
    "contact/hand": [0.5, -0.3, 0.6],
    "com": [0, 0, 0.7],
    "push/torso": [-0.3, 0.4, 0.9],
}
CAMERA = Camera(np.array([4.0, -3.0, 2.0]), np.array([0.1, 0.0, 0.5]), 30.0)


def handle(name, **changes):
    kind = name.split("/")[0]
    values = {"id": name, "kind": kind, "label": name.split("/")[-1], "normal": [0, 0, 1.0]}
    modes = ["move", "turn", "lift"] if kind == "contact" else ["move", "lift"]
    values |= {"position": PLACES[name], "color": "#2f9e44", "modes": modes, "margin": None}
    return values | changes


def slider(name, of=None, **changes):
    values = {"name": name, "label": name.split("/")[0], "unit": "", "low": 0.0, "high": 1.5}
    return values | {"step": 0.01, "value": 0.6, "handle": of} | changes


def live(**changes):
    """Return a command "live" that is made up, changed."""
    values = {
        "title": "made up", "verdict": "holds", "color": "#2f9e44", "margin": 120.0,
        "weight": 900.0, "history": [100.0, None, 120.0], "reason": "", "notice": "",
        "push": {"least": 87.0, "direction": np.array([1.0, 0.0])}, "torque_margin": 0.2,
        "torques": [{"joint": "knee", "value": 20.0, "lower": -100.0, "upper": 100.0},
                    {"joint": "hip", "value": -90.0, "lower": -100.0, "upper": 100.0}],
        "handles": [handle(name) for name in PLACES],
        "sliders": [slider("friction"), slider("friction/hand", "contact/hand")],
        "can_undo": True, "can_redo": False, "stamps": {7: 0},
    }  # fmt: skip
    return commands.live(**(values | changes))


class Scene:
    """A live page, fed by a server with commands that are made up, and what it sends."""

    def __init__(self, tab, server):
        self.tab, self.server = tab, server

    def send(self, **changes):
        """Show another state, and wait until the page has."""
        self.tab.evaluate("footwork.live.state = null, 0")
        self.server.send(live(**changes))
        self.tab.wait_for("footwork.live.state")
        self.frame()

    def frame(self):
        frame = "requestAnimationFrame"
        self.tab.evaluate(f"new Promise(done => {frame}(() => {frame}(() => done(1))))")

    def sent(self):
        """Return the messages since the last call; each is answered."""
        messages = [json.loads(text) for text in self.tab.evaluate("window.sent.splice(0)")]
        if messages:
            self.answer(messages[-1]["stamp"])
        return messages

    def answer(self, stamp):
        self.tab.evaluate(
            "viewer.handle_command({...footwork.live.state, "
            f"stamps: {{7: Math.max({stamp}, footwork.live.state.stamps[7])}}}}), 0"
        )
        self.frame()

    def at(self, name):
        return np.array(self.tab.evaluate(f"footwork.live.screen_of('{name}')"))

    def mouse(self, kind, x, y, modifiers=0, count=1):
        held = 0 if kind == "mouseMoved" and count == 0 else 1
        event = {"button": "left" if held else "none", "buttons": held, "clickCount": count}
        self.tab.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, modifiers=modifiers, **event)

    def drag(self, start, *ends, modifiers=0):
        self.mouse("mousePressed", *start, modifiers)
        for end in ends:
            self.mouse("mouseMoved", *end, modifiers)
        self.mouse("mouseReleased", *(ends or [start])[-1], modifiers)

    def touch(self, kind, *points):
        spots = [{"x": float(x), "y": float(y), "id": k} for k, (x, y) in enumerate(points)]
        self.tab.call("Input.dispatchTouchEvent", type=kind, touchPoints=spots)

    def press(self, key, modifiers=0):
        for kind in ("keyDown", "keyUp"):
            text = key if len(key) == 1 and not modifiers else ""
            self.tab.call(
                "Input.dispatchKeyEvent", type=kind, key=key, code=key, modifiers=modifiers,
                **({"text": text} if text and kind == "keyDown" else {}),
            )  # fmt: skip

    def click(self, selector):
        self.drag(self.middle(selector))

    def middle(self, selector):
        box = f"document.querySelector('{selector}').getBoundingClientRect()"
        return self.tab.evaluate(f"(b => [b.x + b.width / 2, b.y + b.height / 2])({box})")

    def size(self, width, height):
        self.tab.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=False,
        )  # fmt: skip
        self.tab.wait_for(f"window.innerWidth === {width}")
        self.frame()

    def text(self, name):
        return self.tab.evaluate(f"document.getElementById('{name}').innerText")


@pytest.fixture(scope="module")
def opened(_page):
    server = Server("127.0.0.1", page.live_page("live"))
    viewer = Viewer(title="live")
    viewer.set_camera(CAMERA.eye, CAMERA.target)
    viewer.box("floor", np.eye(4), [1, 1, 0.02])
    viewer.legend("A title", {"forces": "red", "a line that is long enough": "blue"})
    for entry in (*viewer._view(CAMERA), *viewer._store.entries()):
        server.send(entry)
    server.send(Entry("/#you", "", umsgpack.packb({"type": "you", "number": 7})))
    server.send(live())
    _page.call("Emulation.setDeviceMetricsOverride", width=WIDTH, height=HEIGHT,
               deviceScaleFactor=1, mobile=False)  # fmt: skip
    _page.call("Page.navigate", url=server.url)
    _page.wait_for("document.readyState === 'complete' && footwork.live.state")
    _page.evaluate(without("Ground"))
    _page.settle()
    _page.evaluate(
        "window.sent = [], viewer.connection.send = text => { window.sent.push(text); }, 0"
    )
    yield Scene(_page, server)
    server.close()


@pytest.fixture
def scene(opened):
    tab = opened.tab
    tab.errors.clear()
    tab.evaluate("footwork.live.select(null), document.getElementById('move').click()")
    opened.send()
    opened.answer(10**6)
    tab.evaluate("window.sent.length = 0")
    yield opened
    assert tab.errors == []


# --- handles -----------------------------------------------------------------------------------


def camera_now(tab):
    """Return where the page looks from."""
    return np.array(tab.evaluate("viewer.camera.position.toArray()"))


@pytest.mark.parametrize("name", PLACES)
def test_handles_are_where_the_camera_projects_them(scene, name):
    box = scene.tab.evaluate(
        "(b => [b.left, b.top, b.width, b.height])"
        "(document.querySelector('canvas').getBoundingClientRect())"
    )
    eye = camera_now(scene.tab) @ np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]])
    seen = Camera(eye, CAMERA.target, 30.0).project(PLACES[name], *box[2:])[0]
    np.testing.assert_allclose(scene.at(name), seen + box[:2], atol=1e-3)


def test_a_drag_sends_rays_through_the_pointer_and_the_camera_rests(scene):
    before, start = camera_now(scene.tab), scene.at("com")
    ends = [start + (20, 0), start + (40, -10)]
    scene.drag(start, *ends)
    assert np.array_equal(camera_now(scene.tab), before)
    messages = scene.sent()
    assert [m["do"] for m in messages] == ["grab", "drag", "drag", "drop"]
    assert {m["handle"] for m in messages} == {"com"}
    stamps = [m["stamp"] for m in messages]
    assert stamps == list(range(stamps[0], stamps[0] + 4))
    keys = {"do", "handle", "ray", "forward", "stamp"}
    assert set(messages[0]) == keys
    assert set(messages[1]) == keys | {"mode"}
    assert set(messages[3]) == {"do", "handle", "stamp"}
    box = scene.tab.evaluate(
        "(b => [b.width, b.height])(document.querySelector('canvas').getBoundingClientRect())"
    )
    for message, pointer in zip(messages, [start, *ends], strict=False):
        eye, direction = np.split(np.array(message["ray"]), 2)
        camera = Camera(eye, eye + message["forward"], 30.0)
        seen = camera.project(eye + 2.0 * direction, *box)[0]
        np.testing.assert_allclose(seen, pointer, atol=0.05)
        assert len(json.dumps(message)) < 400
    scene.drag((150, 500), (210, 500))  # beside all handles
    scene.frame()
    assert scene.sent() == []
    assert not np.array_equal(camera_now(scene.tab), before)


def test_what_outruns_the_program_is_dropped_but_for_the_newest(scene):
    start = scene.at("com")
    scene.tab.evaluate(CLOCK_STANDS)  # no answer is late, however slow the machine
    scene.mouse("mousePressed", *start)
    for k in range(1, 12):
        scene.mouse("mouseMoved", *(start + (10 * k, 0)))
    scene.tab.evaluate("new Promise(done => setTimeout(done, 50))")
    scene.tab.evaluate("delete performance.now")  # which uncovers the clock's own
    first = [json.loads(text) for text in scene.tab.evaluate("window.sent.splice(0)")]
    assert [m["do"] for m in first] == ["grab", "drag"]  # no answer has come
    scene.answer(first[1]["stamp"])
    (newest,) = (json.loads(text) for text in scene.tab.evaluate("window.sent.splice(0)"))
    scene.mouse("mouseReleased", *(start + (110, 0)))
    assert [m["do"] for m in scene.sent()] == ["drop"]
    scene.drag(start, start + (110, 0))
    assert scene.sent()[1]["ray"] == newest["ray"]


def test_latencies_run_from_the_pointer_to_what_is_applied_and_painted(scene):
    scene.tab.wait_for("footwork.live.painted.length === footwork.live.latencies.length")
    scene.tab.evaluate("footwork.live.latencies.length = footwork.live.painted.length = 0")
    start = scene.at("com")
    scene.drag(start, start + (30, 0))
    assert scene.tab.evaluate("footwork.live.latencies.length") == 0
    scene.sent()
    scene.tab.wait_for("footwork.live.painted.length")
    applied, painted = scene.tab.evaluate("[footwork.live.latencies, footwork.live.painted]")
    assert len(applied) == len(painted) == 1
    assert 0 < applied[0] <= painted[0] < 20_000


@pytest.mark.parametrize(
    ("button", "modifiers", "name", "mode"),
    [
        ("move", 0, "com", "move"),
        ("move", 1, "contact/hand", "turn"),  # Alt
        ("move", 8, "contact/hand", "lift"),  # Shift
        ("turn", 0, "contact/hand", "turn"),
        ("lift", 0, "com", "lift"),
        ("turn", 0, "com", "move"),  # cannot be turned
    ],
)
def test_modes_are_of_the_toolbar_and_of_keys(scene, button, modifiers, name, mode):
    scene.click(f"#{button}")
    start = scene.at(name)
    scene.drag(start, start + (25, 5), modifiers=modifiers)
    assert [m["mode"] for m in scene.sent() if m["do"] == "drag"] == [mode]


def test_a_key_that_is_let_go_before_the_button_changes_nothing(scene):
    start = scene.at("contact/hand")
    scene.mouse("mousePressed", *start, 8)
    scene.mouse("mouseMoved", *(start + (20, 0)), 8)
    for kind in ("mouseMoved", "mouseReleased"):
        scene.mouse(kind, *(start + (40, 0)))
    assert {m["mode"] for m in scene.sent() if m["do"] == "drag"} == {"lift"}


def test_the_ring_of_what_is_selected_turns_it(scene):
    start = scene.at("contact/hand")
    scene.drag(start)
    assert scene.tab.evaluate("footwork.live.selected") == "contact/hand"
    assert scene.sent() == []  # nothing was moved
    x, y = start + (46, 0)
    scene.drag((x, y), (x, y - 30))
    assert [m.get("mode") for m in scene.sent()] == [None, "turn", None]
    scene.drag((150, 500))  # beside all handles, and above the tools
    assert scene.tab.evaluate("footwork.live.selected") is None


def test_a_double_click_opens_a_contact_and_closes_it(scene):
    start = scene.at("contact/hand")
    for kind, do in (("contact", "open"), ("lifted", "close")):
        scene.send(handles=[handle("contact/hand", kind=kind)])
        scene.drag(start)
        scene.drag(start)
        (message,) = scene.sent()
        assert (message["do"], message["handle"]) == (do, "contact/hand")
    assert scene.text("touch") == "put down"
    scene.click("#touch")
    assert [m["do"] for m in scene.sent()] == ["close"]


def test_keys_undo_and_escape_takes_a_drag_back(scene):
    for key, modifiers in (("z", 2), ("Z", 10), ("y", 2)):
        scene.press(key, modifiers)
    assert [m["do"] for m in scene.sent()] == ["undo", "redo", "redo"]
    start = scene.at("com")
    scene.mouse("mousePressed", *start)
    scene.mouse("mouseMoved", *(start + (30, 0)))
    scene.press("Escape")
    scene.mouse("mouseMoved", *(start + (60, 0)))
    scene.mouse("mouseReleased", *(start + (60, 0)))
    assert [m["do"] for m in scene.sent()] == ["grab", "drag", "undo"]


def test_a_handle_that_is_taken_away_ends_the_drag(scene):
    start = scene.at("com")
    scene.mouse("mousePressed", *start)
    scene.mouse("mouseMoved", *(start + (30, 0)))
    scene.send(handles=[handle("contact/hand")])
    scene.mouse("mouseMoved", *(start + (60, 0)))
    scene.mouse("mouseReleased", *(start + (60, 0)))
    assert [m["do"] for m in scene.sent()] == ["grab", "drag", "drop"]


def test_fingers_drag_handles_and_two_turn_the_camera(scene):
    start, before = scene.at("com") + (14, 10), camera_now(scene.tab)
    scene.touch("touchStart", start)
    scene.touch("touchMove", start + (30, 0))
    scene.touch("touchMove", start + (60, 0))
    scene.touch("touchEnd")
    messages = scene.sent()
    assert [m["do"] for m in messages] == ["grab", "drag", "drag", "drop"][: len(messages) - 1] + [
        "drop"
    ]
    assert messages[1]["mode"] == "move"
    assert np.array_equal(camera_now(scene.tab), before)
    a, b = np.array([200.0, 560]), scene.at("contact/hand")
    scene.touch("touchStart", a)
    scene.touch("touchStart", a, b)  # the second is on a handle
    scene.touch("touchMove", a - (60, 0), b + (60, 0))
    scene.touch("touchEnd")
    assert scene.sent() == []
    assert not np.array_equal(camera_now(scene.tab), before)


# --- panel -------------------------------------------------------------------------------------


def test_the_panel_says_what_the_program_said(scene):
    assert scene.text("answer").split() == ["holds", "120", "N"]
    assert "87 N" in scene.text("push")
    for least, told in ((0.0, "0.00 N"), (np.inf, "∞")):
        scene.send(push={"least": least, "direction": np.zeros(2)})
        assert f"least push {told}" in scene.text("push")
    reason = "the <b>left foot</b> would have to pull"
    scene.send(verdict="does not hold", margin=-52.6, reason=reason, push=None, notice="<i>far</i>")
    assert scene.text("answer").replace("\n", " ") == "does not hold lacks 53 N"
    assert scene.text("reason") == reason  # a text, not HTML
    assert scene.text("toast") == "<i>far</i>"
    zero = "document.querySelector('#gauge i').style"
    left, width = (scene.tab.evaluate(f"parseFloat({zero}.{side})") for side in ("left", "width"))
    assert left + width == pytest.approx(100 / 3, abs=0.01)
    assert width == pytest.approx(100 * 52.6 / 900 / 0.75, abs=0.01)
    scene.send(verdict="does not hold", margin=-np.inf)
    assert scene.text("answer").replace("\n", " ") == "does not hold −∞ N"
    assert scene.tab.evaluate(f"[{zero}.left, parseFloat({zero}.width)]") == [
        "0%",
        pytest.approx(100 / 3, abs=0.01),
    ]
    scene.send(verdict="no posture", margin=None, torques=[])
    assert scene.text("answer").strip() == "no posture"
    assert scene.tab.evaluate("document.getElementById('torques').hidden")


def test_torques_are_bars_in_their_limits_the_largest_share_first(scene):
    rows = scene.text("torques").split("\n")
    assert rows[1:3] == ["hip", "−90 / 100"]
    bars = "[...document.querySelectorAll('.torque i')].map(i => [i.style.left, i.style.width])"
    assert scene.tab.evaluate(bars) == [["5%", "45%"], ["50%", "10%"]]
    scene.click(".torque")
    assert scene.tab.evaluate("document.querySelectorAll('#torques input[type=range]').length") == 1
    scene.click(".torque")


def test_sliders_send_what_is_set_and_nothing_else(scene):
    scene.tab.evaluate("document.getElementById('slider friction').focus()")
    scene.press("ArrowRight")
    messages = scene.sent()
    values = [m["value"] for m in messages]
    assert {m["name"] for m in messages} == {"friction"}
    assert values == pytest.approx([0.61] * len(values))
    assert messages[-1]["final"] is True
    assert set(messages[-1]) == {"do", "name", "value", "final", "stamp"}
    field = "document.querySelector('#scene input[type=text]')"
    for text in ("0.8", "abc", "NaN", "", "7", "1e999"):
        sent = [0.8] if text == "0.8" else []
        scene.tab.evaluate(f"{field}.focus(), {field}.select()")
        scene.tab.call("Input.insertText", text=text)
        if not text:
            scene.press("Delete")
        invalid = scene.tab.evaluate(f"{field}.getAttribute('aria-invalid')")
        assert invalid == ("false" if sent else "true")
        scene.tab.evaluate(f"{field}.blur()")
        assert [m["value"] for m in scene.sent()] == sent
    assert scene.tab.evaluate(f"{field}.value") == "0.60"  # what the program says


def test_sliders_of_a_contact_are_there_while_it_is_selected(scene):
    ranges = ":is(#selected, #scene) input[type=range]"
    names = f"[...document.querySelectorAll('{ranges}')].map(i => i.id)"
    assert scene.tab.evaluate(names) == ["slider friction"]
    scene.drag(scene.at("contact/hand"))
    scene.frame()
    assert scene.tab.evaluate(names) == ["slider friction/hand", "slider friction"]
    assert scene.text("selected").startswith("hand")


def test_offers_are_saved_or_copied(scene, tmp_path):
    tab = scene.tab
    tab.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    for name in ("scenario", "python", "page"):
        scene.click(f"#{name}")
    assert [m["what"] for m in scene.sent()] == ["scenario", "python", "page"]
    scene.server.send(commands.offer("scenario", "stairs.yaml", "text/yaml", "robot: ü"))
    tab.evaluate("navigator.clipboard.writeText = async () => { throw new Error('refused'); }")
    scene.server.send(commands.offer("python", "stairs.py", "text/x-python", "import x  # <b>"))
    tab.wait_for("document.getElementById('text').open")
    assert tab.evaluate("document.querySelector('#text textarea').value") == "import x  # <b>"
    assert tab.evaluate("getSelection().toString() || document.activeElement.value") != ""
    scene.click("#text button")
    assert not tab.evaluate("document.getElementById('text').open")
    saved = tmp_path / "stairs.yaml"
    tab.wait_for("true")
    for _ in range(200):
        if saved.exists():
            break
        scene.frame()
    assert saved.read_text(encoding="utf-8") == "robot: ü"


def test_a_picture_has_the_size_of_the_window_and_the_verdict(scene):
    size = scene.tab.evaluate(
        "footwork.live.picture().then(blob => createImageBitmap(blob))"
        ".then(image => [image.width, image.height])"
    )
    assert size == scene.tab.evaluate("(c => [c.width, c.height])(viewer.renderer.domElement)")


# --- windows -----------------------------------------------------------------------------------

_BOXES = """(() => {
  const box = (s) => { const n = document.querySelector(s), b = n.getBoundingClientRect();
    return n.hidden || b.width === 0 ? null : [b.left, b.top, b.right, b.bottom]; };
  return ["#legend", "#tools", "#panel"].map(box); })()"""


@pytest.mark.parametrize("size", [(390, 844), (844, 390), (1280, 800), (700, 480)])
def test_nothing_overlaps_and_all_is_in_the_window(scene, size):
    scene.size(*size)
    try:
        boxes = scene.tab.evaluate(_BOXES)
        for k, a in enumerate(boxes):
            assert min(a[:2]) >= 0
            assert np.all(a[2:] <= np.array(size))
            for b in boxes[:k]:
                assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
        assert scene.tab.evaluate("document.documentElement.scrollWidth") == size[0]
        small = scene.tab.evaluate(
            "[...document.querySelectorAll('#tools button, #fold, #legend button')]"
            ".map(b => b.getBoundingClientRect()).filter(b => b.width && "
            "(b.width < 40 || b.height < 40)).length"
        )
        assert small == 0
    finally:
        scene.size(WIDTH, HEIGHT)


def test_on_a_telephone_legend_and_panel_fold(scene):
    scene.size(390, 844)
    try:
        assert scene.text("legend").strip() == "A title"
        scene.click("#legend button")
        assert "forces" in scene.text("legend")
        legend = commands.legend("Another", [("cones", "#ff0000", "")])
        scene.server.send(legend)
        scene.tab.wait_for("document.querySelector('#legend b').textContent === 'Another'")
        assert "cones" in scene.text("legend")  # it stays open
        hidden = "document.getElementById('details').offsetHeight === 0"
        height = "document.getElementById('stage').clientHeight"
        assert scene.tab.evaluate(hidden)
        before = scene.tab.evaluate(height)
        scene.click("#fold")
        assert not scene.tab.evaluate(hidden)
        assert scene.tab.evaluate(height) < before - 200
        scene.click("#answer")
        assert scene.tab.evaluate(hidden)
    finally:
        scene.size(WIDTH, HEIGHT)


def test_a_lost_connection_is_said_and_the_panel_rests(scene):
    scene.server.close()
    scene.tab.wait_for("footwork.live.lost")
    assert "No connection" in scene.text("notice")
    assert float(scene.tab.evaluate("getComputedStyle(panel).opacity")) < 0.6
    start = scene.at("com")
    scene.drag(start, start + (30, 0))
    scene.press("z", 2)
    assert scene.sent() == []
    errors = scene.tab.errors
    errors[:] = [error for error in errors if "WebSocket" not in error]  # it tries again


# --- what is sent to it ------------------------------------------------------------------------


def test_only_live_pages_have_handles_and_a_panel():
    plain = page.served_page("x")
    assert "make_handles" in page.live_page("x")
    for text in (plain, page.offline_page([], "x")):
        assert "make_handles" not in text
        assert 'id="panel"' not in text


def test_numbers_that_are_not_finite_are_sent_as_unknown():
    entry = live(margin=float("inf"), history=[np.nan, np.float64(2.0)], stamps={3: 9})
    sent = json.loads(umsgpack.unpackb(entry.data)["json"])
    assert sent["margin"] is None
    assert sent["history"] == [None, 2.0]
    assert sent["stamps"] == {"3": 9}
    assert sent["push"]["direction"] == [1.0, 0.0]
    assert entry.keep
    assert entry.key == "/#live"
    assert not commands.offer("page", "a.html", "text/html", "").keep
