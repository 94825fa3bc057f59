"""The player of animated pages, in a real browser: plays, seeks, plots series over time."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from page_commands import without

from footwork import dynamics
from footwork.visualize import Band, Series, Viewer
from footwork.visualize.viewer.errors import ViewerError
from footwork.visualize.viewer.series import stretches

START, END, COUNT = 10.0, 14.0, 41
NOW = "viewer.animator.time"
PLAYING = "viewer.animator.playing"
CURSOR = "document.querySelector('#lanes .cursor').getBoundingClientRect()"


def moving(robot, **options):
    """A biped that walks without its feet and bends a knee, and its page with two plots."""
    t = np.linspace(START, END, COUNT)
    qs = np.array([robot.posture()] * COUNT)
    qs[:, 0] += 0.2 * (t - START)
    qs[:, 10:] += 0.3 * np.sin(t)[:, None]
    margin = np.where(t > 13, np.nan, 50 - 60 * (t > 11.4) * (t < 12.6))
    words = "the left foot would have to pull 10 N"
    series = [
        Series("margin", t, {"contacts": margin, "motors": margin - 5}, "N",
               [Band(11.45, 12.55, words)], [0.0], (-12.0, 47.5)),
        Series("contacts", t, {"left foot": t < 12, "right foot": t > 11}),
    ]  # fmt: skip
    viewer = Viewer(robot)
    viewer.animate(t, qs, series=series, **options)
    return viewer, t, qs


def click(tab, x, y, to=None):
    """Press the left button at (x, y), drag it to another place, and let it go."""
    event = {"button": "left", "buttons": 1, "clickCount": 1}
    tab.call("Input.dispatchMouseEvent", type="mousePressed", x=x, y=y, **event)
    if to is not None:
        tab.call("Input.dispatchMouseEvent", type="mouseMoved", x=to[0], y=to[1], **event)
        x, y = to
    tab.call("Input.dispatchMouseEvent", type="mouseReleased", x=x, y=y, **event)


def press(tab, key, **more):
    for kind in ("keyDown", "keyUp"):
        tab.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, **more)


def middle_of(tab, selector):
    box = f"document.querySelector('{selector}').getBoundingClientRect()"
    return tab.evaluate(f"(b => [b.x + b.width / 2, b.y + b.height / 2])({box})")


@pytest.fixture(scope="module")
def opened(_page, load_robot, tmp_path_factory):
    """The page of a motion, for all of these tests."""
    viewer, *motion = moving(load_robot("biped", "floating"), play=False)
    path = viewer.save_html(tmp_path_factory.mktemp("player") / "page.html")
    _page.call("Page.navigate", url=path.as_uri())
    _page.wait_for("document.readyState === 'complete' && window.footwork && footwork.player")
    _page.settle()
    _page.evaluate(without("Ground"))
    return _page, *motion


browser = [pytest.mark.browser, pytest.mark.timeout(120)]


class TestInABrowser:
    pytestmark = browser

    @pytest.fixture
    def page(self, opened):
        """At rest at the beginning, at its speed."""
        page, self.t, self.qs = opened
        page.errors.clear()
        page.evaluate("document.getElementById('speed').value = 1")
        page.evaluate("document.getElementById('speed').dispatchEvent(new Event('change'))")
        page.evaluate("footwork.player.pause(); footwork.player.seek(0)")
        yield page
        assert page.errors == []

    def test_links_are_where_the_kinematics_says(self, page, biped):
        """At each time that one seeks, by slider and by keys, every joint is at its place."""
        names = [name for name in biped._model.names[1:]]
        read = (
            "[" + ",".join(f"viewer.scene_tree.find(['robot', '{n}']).object" for n in names) + "]"
            ".map(o => [...o.position.toArray(), ...o.quaternion.toArray()])"
        )
        for i in (7, 20, COUNT - 1):
            page.evaluate(
                f"(s => {{ s.value = {self.t[i] - START}; s.dispatchEvent(new Event('input')); }})"
                "(document.getElementById('scrub'))"
            )
            seen = np.array(page.evaluate(read))
            for name, row in zip(names, seen, strict=True):
                T = dynamics.frame_placement(biped, self.qs[i], name)
                np.testing.assert_allclose(row[:3], T.translation, atol=2e-6)
                quaternion = pin.Quaternion(T.rotation).coeffs()
                assert abs(row[3:] @ quaternion) == pytest.approx(1, abs=1e-6)
        assert page.evaluate("viewer.animator.duration") == pytest.approx(END - START)
        page.evaluate("viewer.animator.time_scrubber.setValue(0.05), 0")  # between two samples
        root = "viewer.scene_tree.find(['robot', 'root_joint']).object.position.x"
        assert page.evaluate(root) == pytest.approx(self.qs[:2, 0].mean(), abs=1e-5)
        assert not page.evaluate(PLAYING)

    def test_it_plays_pauses_loops_and_keeps_its_speed(self, page):
        assert not page.evaluate(PLAYING)
        page.evaluate("document.getElementById('speed').value = '0.25'")
        page.evaluate("document.getElementById('speed').dispatchEvent(new Event('change'))")
        click(page, *middle_of(page, "#play"))
        page.wait_for(f"{PLAYING} && {NOW} > 0.05")
        assert page.evaluate("viewer.animator.mixer.timeScale") == 0.25
        assert page.evaluate("document.getElementById('play').ariaLabel") == "pause"
        page.evaluate("document.activeElement.blur()")
        press(page, " ")
        assert not page.evaluate(PLAYING)
        stood = page.evaluate(NOW)
        assert page.evaluate(NOW) == stood
        click(page, *middle_of(page, "#loop"))  # off: it ends, and begins anew when asked to
        page.evaluate("footwork.player.seek(3.99); viewer.animator.mixer.timeScale = 2")
        page.evaluate("footwork.player.play()")
        page.wait_for(f"!{PLAYING}")
        assert page.evaluate(NOW) == pytest.approx(4.0)
        page.evaluate("footwork.player.play()")
        page.wait_for(f"{PLAYING} && {NOW} > 0 && {NOW} < 3")
        click(page, *middle_of(page, "#loop"))  # on
        page.evaluate("footwork.player.seek(3.95)")
        page.wait_for(f"{NOW} < 3")
        assert page.evaluate(PLAYING)

    def test_keys_step_from_sample_to_sample(self, page):
        press(page, "End")
        assert page.evaluate(NOW) == pytest.approx(4.0)
        press(page, "ArrowLeft")
        assert page.evaluate(NOW) == pytest.approx(3.9, abs=1e-6)
        press(page, "Home")
        press(page, "ArrowRight", modifiers=8)  # with Shift a second
        assert page.evaluate(NOW) == pytest.approx(1.0)
        assert page.evaluate("document.getElementById('clock').value") == "11.00 / 14.00 s"

    def test_the_plot_seeks_and_its_cursor_follows(self, page):
        area = page.evaluate(
            "(b => [b.x, b.y, b.width, b.height])"
            "(document.querySelector('#lanes .area').getBoundingClientRect())"
        )
        x, y = area[0] + 0.25 * area[2], area[1] + 0.3 * area[3]
        click(page, x, y)
        assert page.evaluate(NOW) == pytest.approx(1.0, abs=0.01)
        assert page.evaluate(f"{CURSOR}.x") == pytest.approx(x, abs=1.5)
        caption = "document.getElementById('caption').innerText"
        assert page.evaluate(caption) == ""
        values = "[...document.querySelectorAll('#lanes .value')].map(v => v.textContent)"
        assert page.evaluate(values) == ["50", "45"]
        click(page, x, y, to=(area[0] + 0.5 * area[2], y + 40))
        assert page.evaluate(NOW) == pytest.approx(2.0, abs=0.01)
        assert page.evaluate(f"{CURSOR}.x") == pytest.approx(area[0] + 0.5 * area[2], abs=1.5)
        assert page.evaluate(caption) == "the left foot would have to pull 10 N"
        assert page.evaluate(values) == ["-10", "-15"]
        page.evaluate("footwork.player.seek(3.5)")
        assert page.evaluate(values) == ["–", "–"]

    def test_bars_bands_and_what_is_cut_are_at_their_times(self, page):
        spans = (
            "(a => [...document.querySelectorAll('#lanes :is(.band, .row i)')].map(n => "
            "(b => [(b.left - a.left) / a.width, (b.right - a.left) / a.width])"
            "(n.getBoundingClientRect())))"
            "(document.querySelector('#lanes .area').getBoundingClientRect())"
        )
        expected = [[1.45, 2.55], [0, 1.95], [1.05, 4.0]]
        np.testing.assert_allclose(4 * np.array(page.evaluate(spans)), expected, atol=0.01)
        marks = "[...document.querySelectorAll('#lanes .cut')].map(n => n.getAttribute('d'))"
        above, below = page.evaluate(marks)  # of one curve each
        times = [[float(dot.split()[0]) / 250 for dot in d.split("M")[1:]] for d in (above, below)]
        assert times[0] == pytest.approx([*np.arange(15) / 10, *np.arange(26, 31) / 10])
        assert times[1] == pytest.approx(np.arange(15, 26) / 10)
        ends = "[...document.querySelectorAll('#lanes :is(.high, .low)')].map(n => n.innerText)"
        assert page.evaluate(ends) == ["47.5, cut: up to 50", "-12, cut: down to -15"]

    def test_a_picture_is_of_the_time_that_was_asked_for(self, page):
        page.evaluate("footwork.player.play()")
        pictures = [page.screenshot(time, player=True) for time in (12.0, 12.0, 11.0)]
        assert pictures[0] == pictures[1] != pictures[2]
        assert not page.evaluate(PLAYING)
        assert page.screenshot(11.0) != pictures[2]  # without the player
        assert not page.evaluate("document.getElementById('player').hidden")

    def test_it_fits_a_telephone_and_leaves_with_the_animation(self, page, biped):
        size = {"width": 390, "height": 700, "deviceScaleFactor": 1, "mobile": False}
        page.call("Emulation.setDeviceMetricsOverride", **size)
        try:
            page.wait_for("window.innerWidth === 390 && viewer.renderer.domElement.width === 390")
            assert page.evaluate("document.documentElement.scrollWidth") == 390
            inside = (
                "['play', 'clock', 'scrub', 'speed', 'loop', 'lanes'].every(id => "
                "(b => b.width > 20 && b.left >= 0 && b.right <= 390 && b.bottom <= 700)"
                "(document.getElementById(id).getBoundingClientRect()))"
            )
            assert page.evaluate(inside)
            controls = "getComputedStyle(viewer.gui.domElement).display"  # meshcat's
            assert page.evaluate(controls) == "none"
            page.evaluate("location.hash = 'controls'")
            assert page.evaluate(controls) != "none"
            below = "document.getElementById('player').getBoundingClientRect().top"
            drawn = "viewer.renderer.domElement.getBoundingClientRect().bottom"
            assert page.evaluate(drawn) == pytest.approx(page.evaluate(below), abs=1)
            page.evaluate("viewer.handle_command({type: 'clear_animation'})")
            assert page.evaluate("document.getElementById('player').hidden")
            assert page.evaluate(drawn) == 700
        finally:
            size.update(width=640, height=480)
            page.call("Emulation.setDeviceMetricsOverride", **size)


# --- series --------------------------------------------------------------------------------------


def test_stretches_are_where_flags_hold():
    t = np.array([0.0, 1.0, 3.0, 4.0])
    assert stretches(t, np.array([True, False, False, True])) == [(0.0, 0.5), (3.5, 4.0)]
    assert stretches(t, np.array([False, True, True, False])) == [(0.5, 3.5)]
    assert stretches(t, np.ones(4, dtype=bool)) == [(0.0, 4.0)]
    assert stretches(t, np.zeros(4, dtype=bool)) == []


def test_bounds_hold_values_and_limits():
    series = Series("margin", [0, 1, 2], {"a": [1.0, np.nan, 3.0], "b": [2, 2, 2]}, limits=[0.0])
    low, high = series.bounds()
    assert -0.2 < low < 0 < 3 < high < 3.2
    assert Series("margin", [0, 1], {"a": [0, 1]}, span=(-5, 5)).bounds() == (-5, 5)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"t": [0, 0]}, "increase"),
        ({"values": {"a": [1.0]}}, r"'a': got float64 \(1,\), expected .* \(2,\)"),
        ({"values": {"a": ["x", "y"]}}, "expected numbers or booleans"),
        ({"bands": [(0, 1)]}, "bands"),
        ({"span": (1, 0)}, "span"),
        ({"limits": [np.nan]}, "limits"),
    ],
)
def test_bad_series_are_refused(change, words):
    good = {"name": "margin", "t": [0, 1], "values": {"a": [0, 1]}}
    with pytest.raises(ViewerError, match=words):
        Series(**(good | change))


def test_bad_bands_are_refused():
    with pytest.raises(ViewerError, match="end: got 0"):
        Band(1, 0)
    with pytest.raises(ViewerError, match="no colour"):
        Band(0, 1, "x", "no colour")


def test_what_is_no_series_is_refused(biped):
    with pytest.raises(ViewerError, match="series"):
        Viewer(biped).animate([0, 1], [biped.posture()] * 2, series=[{"margin": [0, 1]}])
