"""Labels and the legend: letters in their colours, a bar of colours, lines that hide drawings."""

from __future__ import annotations

import numpy as np
import pytest

from footwork.visualize import Viewer
from footwork.visualize.viewer.errors import ViewerError
from footwork.visualize.viewer.framing import Camera
from footwork.visualize.viewer.ramp import ColorRamp


def rgb(text):
    return [int(text[i : i + 2], 16) for i in (1, 3, 5)]


def test_a_ramp_goes_from_its_first_colour_to_its_last():
    ramp = ColorRamp(-10.0, 30.0, "margin", "N", steps=9)
    tones = ramp.tones()
    assert len(tones) == 9
    assert rgb(tones[0])[0] > 150 > rgb(tones[0])[1]  # red
    assert rgb(tones[-1])[1] > 120 > rgb(tones[-1])[0]  # green
    assert ramp.color(-10.0) == ramp.color(-np.inf) == tones[0]
    assert ramp.color(30.0) == ramp.color(np.inf) == ramp.color(99.0) == tones[-1]
    shades = [tones.index(ramp.color(x)) for x in np.linspace(-12, 32, 200)]
    assert shades == sorted(shades)
    assert set(shades) == set(range(9))
    assert ramp.ends() == ("≤ -10 N", "≥ 30 N")
    assert ColorRamp(0, 1, colors=("black", "white"), steps=3).tones()[1] == "#8e9093"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((1.0, 1.0), "one below"),
        ((0.0, np.inf), "finite"),
        ((0.0, 1.0, "", "", ("red",)), "1 colours"),
        ((0.0, 1.0, "", "", ("red", "grun")), "green"),
    ],
)
def test_ramps_that_are_none(arguments, words):
    with pytest.raises(ViewerError, match=words):
        ColorRamp(*arguments)


def test_what_a_legend_refuses():
    with pytest.raises(ViewerError, match="nan"):
        ColorRamp(0, 1).color(float("nan"))
    with pytest.raises(ViewerError, match=r"forcs.*forces"):
        Viewer().legend("title", {"forces": "red"}, shows={"forcs": "forces"})


# --- in a browser ------------------------------------------------------------------------------

WIDTH, HEIGHT = 640, 480


def close_to(picture, color, within=30):
    """Return the pixels (k, 2), x and y, of a colour."""
    y, x = np.nonzero(np.abs(picture - color).max(axis=2) <= within)
    return np.column_stack((x, y))


@pytest.mark.browser
@pytest.mark.parametrize("color", ["#d62839", "#7b4bb7"])
def test_a_label_has_its_colour_its_height_and_its_place(look, tab, color):
    viewer = Viewer(ground=None)
    camera = Camera(np.array([3.0, -2.0, 1.5]), np.array([0.1, 0.2, 0.4]), 40.0)
    viewer.set_camera(camera.eye, camera.target, field_of_view=40.0)
    position, tall = np.array([0.2, 0.1, 0.5]), 0.15
    viewer.label("name", position, "HIH", height=tall, color=color)
    picture = look(viewer)
    seen = close_to(picture, rgb(color))
    assert len(seen) > 100
    middle = camera.project(position, WIDTH, HEIGHT)[0]
    assert (seen.min(axis=0) + seen.max(axis=0)) / 2 == pytest.approx(middle, abs=2.5)
    focal = HEIGHT / 2 / np.tan(np.radians(20))
    depth = (camera.eye - position) @ camera.axes()[2]
    assert np.ptp(seen[:, 1]) + 1 == pytest.approx(tall * focal / depth, abs=3)
    assert tab.errors == []


@pytest.mark.browser
def test_two_labels_side_by_side_differ_in_colour_not_in_size(look):
    viewer = Viewer(ground=None)
    viewer.set_camera([0, -4, 0], [0, 0, 0])
    viewer.label("short", [0, 0, 0.4], "HI", height=0.1, color="#d62839")
    viewer.label("long", [0, 0, -0.4], "HILLS AND FIELDS", height=0.1, color="#2667c9")
    picture = look(viewer)
    short, long = close_to(picture, rgb("#d62839")), close_to(picture, rgb("#2667c9"))
    assert np.ptp(short[:, 1]) == pytest.approx(np.ptp(long[:, 1]), abs=3)
    assert np.ptp(long[:, 0]) > 4 * np.ptp(short[:, 0])


@pytest.mark.browser
def test_a_click_on_a_line_hides_what_it_names_and_shows_it_again(look, tab, pixels):
    viewer = Viewer(ground=None)
    viewer.set_camera([3, -2, 1.5], [0, 0, 0.3])
    viewer.point("forces/a", [0, 0, 0.4], color=(1.0, 0, 0), radius=0.1)
    viewer.point("other", [0, 0, 0], color=(0, 0, 1.0), radius=0.1)
    viewer.legend("Title", {"forces": "orange", "plain": None}, shows={"forces": "forces"})
    picture = look(viewer)

    def counts(picture):
        red, blue = picture[..., 0], picture[..., 2]
        return [int((a > b + 100).sum()) for a, b in ((red, blue), (blue, red))]

    before = counts(picture)
    assert min(before) > 300
    x, y = tab.evaluate(
        "(() => { const r = document.querySelector('#legend .toggle').getBoundingClientRect();"
        " return [r.x + 30, r.y + r.height / 2]; })()"
    )
    for expected in ([0, before[1]], before):
        for kind in ("mousePressed", "mouseReleased"):
            tab.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
        tab.call("Input.dispatchMouseEvent", type="mouseMoved", x=600, y=400)
        legend = 200  # pixels at the left, whose orange square is no drawing
        assert counts(pixels(tab)[:, legend:]) == pytest.approx(
            [expected[0] and counts(picture[:, legend:])[0], expected[1]], abs=20
        )
    assert tab.errors == []


@pytest.mark.browser
def test_what_was_hidden_stays_so_when_the_legend_is_written_anew(tab, visit):
    with Viewer(ground=None) as viewer:
        viewer.point("forces/a", [0, 0, 0.4])
        viewer.legend("first", {"forces": "red"}, shows={"forces": "forces"})
        visit(viewer.url)
        line = "document.querySelector('#legend .toggle')"
        tab.wait_for(line)
        tab.evaluate(f"{line}.click()")
        viewer.legend("second", {"forces": "red"}, shows={"forces": "forces"})
        tab.wait_for("document.querySelector('#legend b').textContent === 'second'")
        assert tab.evaluate(f"{line}.className") == "toggle off"
        shown = "viewer.scene_tree.find(['overlays', 'forces']).object.visible"
        assert tab.evaluate(shown) is False
        tab.evaluate(f"{line}.click()")
        assert tab.evaluate(shown) is True
        assert tab.errors == []


@pytest.mark.browser
def test_the_bar_of_a_ramp_is_seen_in_its_colours(look, tab):
    viewer = Viewer(ground=None)
    ramp = ColorRamp(0, 175, "normal force to spare", "N", steps=8)
    viewer.legend("Title", {}, ramp=ramp)
    picture = look(viewer)
    text = tab.evaluate("document.getElementById('legend').innerText").split("\n")
    assert [line for line in text if line] == ["Title", "normal force to spare", *ramp.ends()]
    places = [close_to(picture, rgb(tone), within=2)[:, 0].mean() for tone in ramp.tones()]
    assert np.diff(places) == pytest.approx(np.full(7, np.mean(np.diff(places))), rel=0.1)


@pytest.mark.browser
@pytest.mark.timeout(330)
def test_hundreds_of_drawings_leave_nothing_behind_in_the_page(tab, visit, load_robot):
    """Memory of the page's JavaScript, its nodes and its textures, after every kind of update."""
    robot = load_robot("biped", "floating")
    q = robot.posture()
    tab.call(
        "Emulation.setDeviceMetricsOverride", width=96, height=72, deviceScaleFactor=1, mobile=False
    )
    with Viewer(robot, ground=None) as viewer:
        viewer.set_camera([3, -2, 1.5], [0, 0, 0.3])
        visit(viewer.url)

        def draw(first, count):
            for k in range(first, first + count):
                place = [0.3 * np.cos(k), 0.3 * np.sin(k), 0.4]
                q[7:] = 0.1 * np.sin(0.01 * k)
                viewer.display(q)
                viewer.label("label", place, f"number {k}", color="red")
                viewer.arrow("arrow", [0, 0, 0], place)
                viewer.polygon("area", [place, [0, 0, 0], [0.1, 0, 0]])
                viewer.point(f"come and gone {k % 3}", place)
                viewer.delete(f"come and gone {k % 3}")
            viewer.point(f"last {first}", [0, 0, 0])
            last = f"'last {first}' in viewer.scene_tree.find(['overlays']).children"
            tab.wait_for(last)
            viewer.delete(f"last {first}")
            tab.wait_for(f"!({last})")  # the page gets it at its own pace
            tab.settle()
            tab.call("HeapProfiler.collectGarbage")
            memory = tab.evaluate("viewer.renderer.info.memory")
            nodes = tab.evaluate("document.querySelectorAll('*').length")
            return tab.call("Runtime.getHeapUsage")["usedSize"], memory, nodes

        draw(0, 40)
        seen = [draw(40 * k, 40) for k in range(1, 4)]
        # a leak grows with every forty updates; what V8 compiles and keeps, only with some
        while (least := min(np.diff([heap for heap, _, _ in seen]))) >= 40_000 and len(seen) < 10:
            seen.append(draw(40 * (1 + len(seen)), 40))
        assert least < 40_000
        _, memory, nodes = zip(*seen, strict=True)
        # geometries and textures
        assert sum(memory[-1].values()) <= sum(memory[0].values()) + 3
        assert nodes[-1] <= nodes[0] + 8
        assert tab.evaluate("footwork.state.commands") > 270  # some are overtaken
        assert tab.errors == []
