"""Live scenes from end to end: a mouse in a real browser drags, and the page shows the verdict."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from page_commands import without

import footwork as fw
from footwork.contacts import Scenario, static_hold
from footwork.visualize.viewer import browser

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]

STAIRS = Path(__file__).parents[1] / "docs" / "talos-stairs.yaml"
# the newest message that the page has sent, to wait for its answer
LISTEN = """(socket => {
  const send = socket.send.bind(socket);
  window.newest = 0;
  socket.send = text => { window.newest = JSON.parse(text).stamp; send(text); };
})(viewer.connection)"""
ANSWERED = "!window.newest || footwork.live.state.stamps[footwork.live.me] >= window.newest"

NOTICES = """(() => {
  const told = footwork.commands.live;
  window.notices = new Set();
  footwork.commands.live = cmd => { window.notices.add(cmd.notice); told(cmd); };
})()"""


class Hand:
    """A mouse, or a finger, on the page of a scene."""

    def __init__(self, page, scene):
        self.page, self.scene = page, scene
        page.wait_for("window.footwork && footwork.live && footwork.live.state && footwork.live.me")
        page.evaluate(without("robot", "Ground"))
        page.settle()
        page.evaluate(LISTEN)

    def at(self, handle):
        """Where a handle is in the window."""
        return np.array(self.page.evaluate(f"footwork.live.screen_of({handle!r})")[:2])

    def drag(self, handle, right, down, *, touch=False, modifiers=0):
        """Drag a handle by so many pixels, not faster than the page shows what comes of it."""
        self.page.settle()  # a handle is taken hold of where it is seen
        start = self.at(handle)
        act = self._touch if touch else self._mouse
        act("begin", start, modifiers)
        for share in np.linspace(0.25, 1.0, 4):
            act("move", start + share * np.array([right, down]), modifiers)
            self.answered()
        act("end", np.add(start, [right, down]), modifiers)
        self.answered()

    def _mouse(self, what, spot, modifiers):
        kind = {"begin": "mousePressed", "move": "mouseMoved", "end": "mouseReleased"}[what]
        event = {"button": "left", "buttons": int(what != "end"), "clickCount": 1}
        x, y = map(float, spot)
        more = {"modifiers": modifiers, **event}
        self.page.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def _touch(self, what, spot, modifiers):
        kind = {"begin": "touchStart", "move": "touchMove", "end": "touchEnd"}[what]
        spots = [] if what == "end" else [{"x": float(spot[0]), "y": float(spot[1])}]
        more = {"touchPoints": spots, "modifiers": modifiers}
        self.page.call("Input.dispatchTouchEvent", type=kind, **more)

    def size(self, width, height):
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.page.call("Emulation.setDeviceMetricsOverride", **size)
        self.page.wait_for(f"window.innerWidth === {width}")

    def click(self, button):
        """Press a button of the page."""
        self.page.evaluate(f"document.getElementById({button!r}).click()")
        self.answered()

    def answered(self):
        """Wait until the newest message is in the picture."""
        self.page.wait_for(ANSWERED)
        assert self.page.errors == []

    @property
    def state(self):
        return self.page.evaluate("footwork.live.state")

    def words(self):
        """What the panel says: "margin 43 N"."""
        self.page.settle()
        return self.page.evaluate("document.getElementById('answer').innerText")

    def handles(self):
        return {handle["id"]: handle for handle in self.state["handles"]}


@pytest.fixture(scope="module")
def opened(_page):
    with fw.live(Scenario.load(STAIRS)) as scene:
        _page.call("Page.navigate", url=scene.url)
        hand = Hand(_page, scene)
        hand.size(640, 440)
        yield hand


@pytest.fixture
def hand(opened):
    """The scene as it began, in one page for all tests."""
    yield opened
    opened.click("reset")


def margin_anew(scene, path):
    """The margin [N] of the scenario that is saved now, by a verdict of its own."""
    saved = Scenario.load(scene.save(path / "now.yaml"))
    wrenches = saved.wrenches_at(saved.state)
    return static_hold(saved.machine, saved.q, saved.contact_set, wrenches).margin


@pytest.mark.parametrize(
    ("handle", "right", "down"),
    [("contact/l_foot", -8, 6), ("push/base_link", 120, 10)],  # "com" by a finger, below
)
def test_what_is_dragged_changes_the_margin_on_the_page_to_that_of_static_hold(
    hand, tmp_path, handle, right, down
):
    before = hand.state["margin"]
    hand.drag(handle, right, down)
    state = hand.state
    assert abs(state["margin"] - before) > 0.1
    assert state["margin"] == pytest.approx(margin_anew(hand.scene, tmp_path), rel=1e-6, abs=1e-6)
    assert state["history"][-1] == state["margin"]
    (number,) = re.findall(r"(\d[\d,.]*) N", hand.words())
    assert float(number.replace(",", "")) == pytest.approx(abs(state["margin"]), rel=0.05, abs=0.51)


def test_a_hand_is_lifted_off_the_wall_and_put_back(hand, tmp_path):
    hand.page.evaluate("footwork.live.select('contact/hand')")
    hand.page.wait_for("!document.getElementById('touch').disabled")
    begun = hand.state["margin"]
    hand.click("touch")
    assert hand.handles()["contact/hand"]["kind"] == "lifted"
    assert hand.state["margin"] != pytest.approx(begun, abs=0.1)
    anew = margin_anew(hand.scene, tmp_path)
    assert hand.state["margin"] == pytest.approx(anew, rel=1e-6, abs=1e-6)
    hand.page.wait_for("document.getElementById('touch').textContent === 'put down'")
    hand.click("touch")
    assert hand.handles()["contact/hand"]["kind"] == "contact"
    assert hand.state["margin"] == pytest.approx(margin_anew(hand.scene, tmp_path), rel=1e-6)


def test_a_foot_out_of_reach_says_so_and_stays_and_undo_goes_back(hand):
    place = hand.handles()["contact/r_foot"]["position"]
    margin = hand.state["margin"]
    hand.page.evaluate(NOTICES)
    hand.drag("contact/r_foot", 120, -20)
    assert any("reach" in notice for notice in hand.page.evaluate("[...window.notices]"))
    now = hand.handles()["contact/r_foot"]["position"]
    assert 0.05 < np.linalg.norm(np.subtract(now, place)) < 1.0  # as far as it could go
    assert hand.scene.scenario.solved.converged
    hand.click("undo")
    np.testing.assert_allclose(hand.handles()["contact/r_foot"]["position"], place, atol=1e-9)
    assert hand.state["margin"] == pytest.approx(margin, abs=1e-6)


def test_a_finger_drags_on_a_narrow_screen_and_a_second_page_sees_the_same(hand, tmp_path):
    hand.size(390, 600)
    hand.page.call("Emulation.setTouchEmulationEnabled", enabled=True)
    before = hand.state["margin"]
    hand.drag("com", 25, 15, touch=True)
    assert abs(hand.state["margin"] - before) > 0.1
    assert hand.state["margin"] == pytest.approx(margin_anew(hand.scene, tmp_path), rel=1e-6)
    other = browser._navigate(hand.page._connection, hand.scene.url, 300, 200)
    other.wait_for("window.footwork && footwork.live && footwork.live.state")
    hand.click("undo")
    other.wait_for(f"Math.abs(footwork.live.state.margin - {before}) < 1e-6")
    places = "footwork.live.state.handles.map(handle => handle.position)"
    assert other.evaluate(places) == hand.page.evaluate(places)
    other.call("Page.close")
    hand.page.call("Emulation.setTouchEmulationEnabled", enabled=False)
    hand.size(640, 440)
