"""The viewer's pages in a real browser, pictures measured by colour and place."""

import io
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from programs import is_running

from footwork.dynamics import com
from footwork.visualize.live.viewer import LiveViewer
from footwork.visualize.viewer import Viewer, browser
from footwork.visualize.viewer.browser import NAMES, find_browser, open_html
from footwork.visualize.viewer.errors import BrowserError
from footwork.visualize.viewer.framing import Camera

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]

try:
    find_browser()
except BrowserError:
    pytest.skip("needs Chromium", allow_module_level=True)

WIDTH, HEIGHT = 640, 480
PURE = {"red": (1.0, 0, 0), "green": (0, 1.0, 0), "blue": (0, 0, 1.0)}


def where(picture, color):
    """Return the pixels (k, 2), x and y, that are mostly red, green or blue."""
    channel = ("red", "green", "blue").index(color)
    others = np.delete(picture, channel, axis=2).max(axis=2)
    y, x = np.nonzero(picture[:, :, channel] > others + 60)
    return np.column_stack((x, y))


def stage(**options):
    """Return an empty viewer, and its camera."""
    viewer = Viewer(ground=None, **options)
    camera = Camera(np.array([3.0, -2.0, 1.5]), np.array([0.1, 0.2, 0.4]), 40.0)
    viewer.set_camera(camera.eye, camera.target, field_of_view=40.0)
    return viewer, camera


# --- drawings ----------------------------------------------------------------------------------


def test_points_are_seen_where_the_camera_projects_them_in_their_colours(look):
    viewer, camera = stage()
    places = np.array([[0.3, 0.5, 0.8], [-0.2, 0.1, 0.3], [0.4, -0.5, 0.5]])
    for (color, value), position in zip(PURE.items(), places, strict=True):
        viewer.point(color, position, color=value, radius=0.05)
    picture = look(viewer)
    focal = HEIGHT / 2 / np.tan(np.radians(20))
    for color, position in zip(PURE, places, strict=True):
        seen = where(picture, color)
        np.testing.assert_allclose(
            seen.mean(axis=0), camera.project(position, WIDTH, HEIGHT)[0], atol=1.5
        )
        radius = 0.05 * focal / np.linalg.norm(position - camera.eye)
        assert np.sqrt(len(seen) / np.pi) == pytest.approx(radius, rel=0.1)


@pytest.mark.parametrize("vector", [[0, 0, -0.7], [0.5, 0.8, 0.2]])
def test_an_arrow_is_seen_from_its_point_to_its_tip(look, vector):
    viewer, camera = stage()
    start, vector = np.array([0.1, 0.1, 0.5]), np.array(vector)
    viewer.arrow("force", start, vector, color=PURE["red"], radius=0.015)
    seen = where(look(viewer), "red")
    tail, tip = camera.project(np.array([start, start + vector]), WIDTH, HEIGHT)
    along = (tip - tail) / np.linalg.norm(tip - tail)
    reach = (seen - tail) @ along
    assert reach.min() == pytest.approx(0, abs=4)
    assert reach.max() == pytest.approx(np.linalg.norm(tip - tail), abs=4)
    across = np.abs((seen - tail) @ [-along[1], along[0]])
    assert across[reach > 0.85 * reach.max()].max() > 1.5 * across[reach < 0.3 * reach.max()].max()


def test_a_cone_opens_along_its_axis_with_its_angle(look):
    viewer, camera = stage()
    apex, axis, mu, height = np.array([0.2, 0, 0.3]), np.array([0.2, 0.3, 1.0]), 0.7, 0.6
    viewer.cone("cone", apex, 5 * axis, np.arctan(mu), height, color=PURE["blue"], opacity=0.9)
    seen = where(look(viewer), "blue")
    axis = axis / np.linalg.norm(axis)
    side = np.cross(axis, [1.0, 0, 0])
    side /= np.linalg.norm(side)
    turns = np.linspace(0, 2 * np.pi, 100)[:, None]
    rim = apex + height * (
        axis + mu * (np.cos(turns) * side + np.sin(turns) * np.cross(axis, side))
    )
    outline = camera.project(np.vstack((apex, rim)), WIDTH, HEIGHT)
    np.testing.assert_allclose(seen.min(axis=0), outline.min(axis=0), atol=4)
    np.testing.assert_allclose(seen.max(axis=0), outline.max(axis=0), atol=4)


def test_a_transparent_cone_shows_what_is_inside(look):
    """Of an opaque thing as of one that is seen through itself."""
    viewer, _ = stage()
    inside = {"red": ([0.3, 0.4, 0.4], 1.0), "green": ([-0.2, -0.3, 0.4], 0.9)}
    for color, (place, opacity) in inside.items():
        viewer.point(color, place, color=PURE[color], radius=0.06, opacity=opacity)

    def seen():
        picture = look(viewer)
        return np.array([len(where(picture, color)) for color in inside])

    alone = seen()
    for opacity, least, most in ((0.2, 0.8, 1.2), (1.0, 0.0, 0.5)):
        for color, ((x, y, _), _) in inside.items():
            about, blue = ([x, y, 0], [0, 0, 1], 0.4, 0.8), PURE["blue"]
            viewer.cone(f"around {color}", *about, color=blue, opacity=opacity)
        found = seen()
        assert (least * alone <= found).all()
        assert (found < most * alone).all()


def test_a_polygon_fills_its_outline(look):
    viewer, camera = stage()
    corners = np.array([[0.5, 0.5, 0.1], [-0.5, 0.4, 0.2], [-0.4, -0.5, 0.1], [0.6, -0.4, 0.0]])
    viewer.polygon("support", corners, color=PURE["green"], opacity=0.8, radius=0.002)
    seen = where(look(viewer), "green")
    x, y = camera.project(corners, WIDTH, HEIGHT).T
    area = abs(x @ np.roll(y, 1) - y @ np.roll(x, 1)) / 2
    assert len(seen) == pytest.approx(area, rel=0.04)


def test_a_path_passes_through_its_points(look):
    viewer, camera = stage()
    points = np.array([[0.5, 0.5, 0.1], [-0.5, 0.4, 0.8], [-0.4, -0.5, 0.1]])
    viewer.path("trail", points, color=PURE["red"], radius=0.02)
    seen = where(look(viewer), "red")
    for pixel in camera.project(np.vstack((points, points[:2].mean(axis=0))), WIDTH, HEIGHT):
        assert np.linalg.norm(seen - pixel, axis=1).min() < 2


def test_a_frame_has_its_axes_in_red_green_blue(look):
    viewer, camera = stage()
    matrix = np.eye(4)
    matrix[:3, :3] = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    matrix[:3, 3] = [0.1, 0.2, 0.3]
    viewer.frame("tool", matrix, length=0.5)
    picture = look(viewer)
    for axis, color in enumerate(PURE):
        tip = camera.project(matrix[:3, 3] + 0.5 * matrix[:3, axis], WIDTH, HEIGHT)[0]
        assert np.linalg.norm(where(picture, color) - tip, axis=1).min() < 5


def test_room_for_the_legend_is_given_up_where_the_window_is_narrow(tab, visit, tmp_path, pixels):
    """Wide: the scene is right of the middle by what is left free. Narrow: amid, and all of it.

    And the page that was saved asks the network for nothing.
    """
    viewer = Viewer(ground=None)
    for k, y in enumerate((-0.5, 0.5)):
        viewer.point(f"{k}", [0, y, 0], color=PURE["red"], radius=0.05)
    viewer.label("name", [0, 0, 1], "text")
    viewer.look_from((1.0, 0.0, 0.0), left=0.3)
    page, size = viewer.save_html(tmp_path / "page.html").as_uri(), {"height": 400}
    size |= {"deviceScaleFactor": 1, "mobile": False}
    seen = {}
    for width in (900, 350):
        tab.call("Emulation.setDeviceMetricsOverride", width=width, **size)
        visit(page)
        seen[width] = where(pixels(tab), "red")[:, 0]
    tab.call("Emulation.setDeviceMetricsOverride", width=WIDTH, **(size | {"height": HEIGHT}))
    for width, middle in ((900, 450 + 0.3 * 1.6 * 200), (350, 175)):
        x = seen[width]
        assert abs((x.min() + x.max()) / 2 - middle) < 3
        assert 0 < x.min() < x.max() < width - 1
    assert {url.split(":")[0] for url in tab.requests} <= {"file", "data", "blob"}


def test_deleting_and_redrawing(look):
    viewer, _ = stage()
    viewer.point("a", [0, 0, 0.4], color=PURE["red"], radius=0.1)
    viewer.point("a", [0, 0, 0.4], color=PURE["blue"], radius=0.1)
    picture = look(viewer)
    assert len(where(picture, "red")) == 0
    assert len(where(picture, "blue")) > 100
    viewer.delete("a")
    assert len(where(look(viewer), "blue")) == 0


def test_what_a_box_hides_is_seen_faintly_and_on_top_fully(look):
    viewer, camera = stage()
    viewer.box("wall", np.eye(4), [1, 1, 1.2], color="silver")
    wall = look(viewer)
    viewer.arrow("hidden", [0, 0, 0], [0, 0, 0.4], color=PURE["red"], radius=0.03)
    x, y = camera.project(np.array([0, 0, 0.1]), WIDTH, HEIGHT)[0].astype(int)
    faint = look(viewer)[y, x] - wall[y, x]
    assert faint[0] > faint[1] + 20  # redder than the wall
    viewer.arrow("hidden", [0, 0, 0], [0, 0, 0.4], color=PURE["red"], radius=0.03, on_top=True)
    full = look(viewer)[y, x] - wall[y, x]
    assert full[0] - full[1] > 1.5 * (faint[0] - faint[1])


@pytest.mark.parametrize("length", [0.4, 0.8])
def test_solid_arrows_are_seen_within_translucent_ones(look, length):
    viewer, _ = stage()
    vector = np.array([length, 0, 0])
    viewer.arrow("within", [0, 0, 0], vector, color=PURE["red"], radius=0.02, on_top=True)
    alone = len(where(look(viewer), "red"))
    style = {"color": PURE["blue"], "radius": 0.04, "opacity": 0.5, "on_top": True}
    viewer.arrow("around", [0, 0, 0], [0.6, 0, 0], **style)
    picture = look(viewer)
    assert len(where(picture, "red")) == pytest.approx(alone, rel=0.06)
    assert len(where(picture, "blue")) > 500


def test_labels_and_legend_are_there(look, tab):
    viewer, camera = stage()
    empty = look(viewer)
    viewer.label("name", [0, 0, 0.4], "a robot", height=0.1)
    picture = look(viewer)
    y, x = np.nonzero(np.abs(picture - empty).max(axis=2) > 100)
    middle = camera.project(np.array([0, 0, 0.4]), WIDTH, HEIGHT)[0]
    assert len(x) > 30
    np.testing.assert_allclose([x.mean(), y.mean()], middle, atol=12)
    viewer.legend("Title <b>", {"forces <i>": "red", "plain": None})
    look(viewer)
    text = tab.evaluate("document.getElementById('legend').innerText")
    assert text.split("\n") == ["Title <b>", "forces <i>", "plain"]
    viewer.clear()
    look(viewer)
    assert tab.evaluate("document.getElementById('legend').hidden")


def test_the_ground_is_where_it_was_put_and_can_be_absent(look):
    pictures = []
    for ground in (None, 0.0, 0.5):
        viewer = Viewer(ground=ground)
        viewer.set_camera([3, -2, 1.5], [0, 0, 0.3])
        viewer.box("block", np.diag([1, 1, 1, 1.0]), [0.3, 0.3, 0.3])
        pictures.append(look(viewer))
    for a, b in ((0, 1), (1, 2), (0, 2)):
        assert (np.abs(pictures[a] - pictures[b]).max(axis=2) > 8).sum() > 500


# --- robots ------------------------------------------------------------------------------------


def node_names(tab):
    return set(
        tab.evaluate(
            "Object.values(viewer.scene_tree.children.robot.children)"
            ".flatMap(joint => Object.keys(joint.children))"
        )
    )


@pytest.mark.parametrize("name", ["biped", "solo12"])
def test_every_link_of_a_robot_is_in_the_page_without_errors(look, tab, load_robot, name):
    robot = load_robot(name, "floating")
    picture = look(Viewer(robot))
    every_link_is_there(tab, robot)
    dark = picture.max(axis=2) < 215
    assert dark.mean() > 0.02  # a robot fills some of the picture


def every_link_is_there(tab, robot):
    names = {item.name for item in robot.visual.geometryObjects}
    assert names <= node_names(tab)
    objects = tab.evaluate(
        "(() => { let n = 0; viewer.scene.getObjectByName('robot').traverse(o => "
        "{ if (o.isMesh && o.geometry.attributes.position.count > 2) n += 1; }); return n; })()"
    )
    assert objects >= len(names)
    assert tab.errors == []


def test_a_trunk_from_a_collada_file_is_seen(look, tab, load_robot):
    robot = load_robot("hyq", "floating")
    viewer = Viewer(robot, ground=None)
    q = robot.neutral()
    q[2] = 1.0
    viewer.display(q)
    camera = Camera(np.array([2.0, 0.3, 1.6]), np.array([0, 0, 1.0]), 30.0)
    viewer.set_camera(camera.eye, camera.target)
    picture = look(viewer)
    every_link_is_there(tab, robot)
    x, y = camera.project(np.array([0, 0, 1.0]), WIDTH, HEIGHT)[0].astype(int)
    middle = picture[y - 5 : y + 5, x - 5 : x + 5]
    assert np.ptp(middle, axis=2).min() > 100  # there is a green trunk, not background


def test_display_moves_the_robot(look, load_robot):
    robot = load_robot("biped", "floating")
    viewer = Viewer(robot, ground=None)
    camera = Camera(np.array([0.0, -6.0, 1.0]), np.array([0, 0, 1.0]), 40.0)
    viewer.set_camera(camera.eye, camera.target, field_of_view=40.0)

    def middle(q):
        viewer.display(q)
        picture = look(viewer)
        y, x = np.nonzero(np.ptp(picture, axis=2) + (250 - picture.min(axis=2)) > 60)
        return np.array([x.mean(), y.mean()])

    q = robot.posture()
    before = middle(q)
    q[0] += 0.5
    q[2] += 0.3
    moved = middle(q) - before
    focal = HEIGHT / 2 / np.tan(np.radians(20)) / 6
    np.testing.assert_allclose(moved, [0.5 * focal, -0.3 * focal], atol=6)


def test_an_animation_plays_by_itself(look, tab, load_robot):
    robot = load_robot("biped", "floating")
    viewer = Viewer(robot)
    qs = np.array([robot.posture()] * 2)
    qs[1, 0] += 1.0
    viewer.animate([0.0, 0.5], qs)
    look(viewer)
    root = "viewer.scene_tree.find(['robot', 'root_joint']).object.position.x"
    start = tab.evaluate(root)
    tab.wait_for(f"Math.abs({root} - {start}) > 0.05")
    assert tab.errors == []


def test_a_ghost_stands_where_it_is_told(look, tab, load_robot):
    robot = load_robot("biped", "floating")
    viewer = Viewer(robot, ground=None)
    camera = Camera(np.array([0.0, -6.0, 1.0]), np.array([0, 0, 1.0]), 40.0)
    viewer.set_camera(camera.eye, camera.target, field_of_view=40.0)
    q = robot.posture()
    assert len(where(look(viewer), "green")) == 0
    q[0] += 1.0
    viewer.ghost("later", q, color=PURE["green"], opacity=0.5)
    seen = where(look(viewer), "green")
    assert tab.errors == []
    middle = camera.project(com(robot, q)[None], WIDTH, HEIGHT)[0]
    assert seen.mean(axis=0) == pytest.approx(middle, abs=25)
    viewer.delete("later")
    assert len(where(look(viewer), "green")) == 0


def test_drawings_move_with_the_robot(look, tab, load_robot, pixels):
    """An arrow turns and grows, a ball is there half of the time, a label changes its text."""
    robot = load_robot("block", "floating")
    viewer = Viewer(robot, ground=None, opacity=0.01)
    camera = Camera(np.array([0.0, -8.0, 0.0]), np.zeros(3), 40.0)
    viewer.set_camera(camera.eye, camera.target, field_of_view=40.0)
    forces = np.array([[1.0, 0, 0.0], [0.0, 0, 0.5], [0.0, 0, 0.0]])
    ball = np.array([-1.0, 0.0, -1.0])

    def draw(i):
        viewer.arrow("force", [0.5, 0, 0], forces[i], color=PURE["red"], radius=0.05)
        if i == 0:
            viewer.point("ball", ball, color=PURE["green"], radius=0.1)
        viewer.label("text", [0, 0, 1], ("first", "second", "second")[i])

    viewer.animate([0.0, 1.0, 2.0], [robot.posture()] * 3, draw=draw, play=False)
    first = look(viewer)
    second, last = (
        (tab.evaluate(f"viewer.animator.time_scrubber.setValue({t}), 0"), pixels(tab))[1]
        for t in (1.0, 2.0)
    )
    assert tab.errors == []
    ends = camera.project(np.array([[0.5, 0, 0], [1.5, 0, 0], [0.5, 0, 0.5]]), WIDTH, HEIGHT)
    red = where(first, "red")
    assert red[:, 0].min() == pytest.approx(ends[0, 0], abs=12)
    assert red[:, 0].max() == pytest.approx(ends[1, 0], abs=6)
    red = where(second, "red")
    assert red[:, 1].min() == pytest.approx(ends[2, 1], abs=6)
    assert np.ptp(red[:, 0]) < 40
    assert len(where(last, "red")) == 0
    green = where(first, "green")
    assert green.mean(axis=0) == pytest.approx(camera.project(ball, WIDTH, HEIGHT)[0], abs=4)
    assert len(where(second, "green")) == 0
    for piece, shown in (("text", False), ("text~2", True)):
        node = f"viewer.scene_tree.find(['overlays', 'text', '{piece}'])"
        assert tab.evaluate(f"{node}.object.visible") is shown


def test_what_moved_can_be_drawn_again(look, load_robot):
    robot = load_robot("block", "floating")
    viewer = Viewer(robot, ground=None, opacity=0.01)
    camera = Camera(np.array([0.0, -8.0, 0.0]), np.zeros(3), 40.0)
    viewer.set_camera(camera.eye, camera.target, field_of_view=40.0)

    def draw(i):
        if i == 1:
            viewer.point("ball", [0, 0, 1], color=PURE["green"], radius=0.1)

    viewer.animate([0.0, 1.0], [robot.posture()] * 2, draw=draw, play=False)
    assert len(where(look(viewer), "green")) == 0
    viewer.display(robot.posture())
    viewer.point("ball", [0, 0, 1], color=PURE["green"], radius=0.1)
    assert len(where(look(viewer), "green")) > 100


# --- pages -------------------------------------------------------------------------------------


def test_a_live_page_follows(tab, visit, load_robot, pixels):
    with Viewer(load_robot("biped", "floating"), ground=None) as viewer:
        viewer.set_camera([0, -6, 1], [0, 0, 1])
        visit(viewer.url)
        tab.wait_for("viewer.scene_tree.find(['robot']).object.children.length > 0")
        viewer.point("sign", [1, 0, 1], color=PURE["red"], radius=0.2)
        shown = "'sign' in (viewer.scene_tree.children.overlays || {children: {}}).children"
        tab.wait_for(shown)
        tab.wait_for("viewer.scene_tree.find(['overlays', 'sign', 'ball']).object.position.x")
        assert len(where(pixels(tab), "red")) > 100
        viewer.delete("sign")
        tab.wait_for(f"!({shown})")
        assert len(where(pixels(tab), "red")) == 0
        viewer.close()
        tab.wait_for("!document.getElementById('notice').hidden")
        assert not [error for error in tab.errors if "WebSocket" not in error]  # it tries again


def test_a_page_whose_connection_breaks_connects_again(tab, visit, load_robot):
    heard = []
    robot = load_robot("double_pendulum", "fixed")
    with LiveViewer(robot, lambda *message: heard.append(message)) as viewer:
        visit(viewer.url)
        tab.wait_for("footwork.live.me === '1' && viewer.scene_tree.children.robot")
        tab.evaluate("!viewer.camera.position.set(1, 2, 3)")  # somebody turns the view
        tab.evaluate("!viewer.scene_tree.find(['overlays', 'gone'])")  # the program has it no more
        tab.evaluate("viewer.connection.close()")
        tab.wait_for("footwork.live.lost")
        assert not tab.evaluate("document.getElementById('notice').hidden")
        tab.wait_for("footwork.live.me === '2' && viewer.scene_tree.children.robot")
        assert tab.evaluate("document.getElementById('notice').hidden && !footwork.live.lost")
        tab.evaluate("viewer.connection.send('back')")
        viewer.point("sign", [1, 0, 1])
        tab.wait_for("(viewer.scene_tree.children.overlays || {children: {}}).children.sign")
        assert not tab.evaluate("'gone' in viewer.scene_tree.children.overlays.children")
        assert tab.evaluate("viewer.camera.position.toArray()") == pytest.approx([1, 2, 3])
        for _ in range(200):  # what a page says takes its way through the server
            if heard:
                break
            time.sleep(0.05)
        assert (2, b"back") in heard
        assert tab.errors == []


def test_what_is_drawn_again_looks_as_if_drawn_for_the_first_time(look):
    def draw(viewer, k, color):
        viewer.box("before it", np.eye(4), [0.3, 0.3, 0.5], opacity=0.9)  # it is seen through that
        patch = [[0.4, 0, 0], [0, 0.4, 0], [-0.4, 0, 0], [0, -0.4, 0.0]]
        at = np.eye(4)
        at[:3, 3] = -0.3, 0.3 * k, 0.2
        viewer.polygon("patch", patch, placement=at, color=color)
        viewer.arrow("arrow", [-0.4, 0.2, 0.1 * k], [0.3, 0.1 * k, 0.6], color=color, radius=0.03)
        viewer.path("line", [[-0.5, 0.3, 0], [0.2, 0.1 * k, 0.5]], color=color, radius=0.02)
        viewer.cone("cone", [0.5, 0.4, 0], [0, 0.1 * k, 1], 0.4, 0.3, color=color)

    first, again = stage()[0], stage()[0]
    draw(first, 2, "green")
    for k, color in enumerate(["green", "red", "green"]):
        draw(again, k, color)
    green = look(first)
    np.testing.assert_array_equal(look(again), green)
    draw(again, 2, "red")
    red = look(again)
    assert len(where(red, "red")) > 1000 > len(where(green, "red"))
    assert len(where(red, "green")) == 0


def test_a_folder_can_be_hidden_by_its_checkbox(look, tab, pixels):
    viewer, _ = stage()
    viewer.point("forces/a", [0, 0, 0.4], color=PURE["red"], radius=0.1)
    assert len(where(look(viewer), "red")) > 100
    tab.evaluate(
        "viewer.scene_tree.find(['overlays', 'forces'])"
        ".vis_controller.domElement.querySelector('input').click()"
    )
    assert len(where(pixels(tab), "red")) == 0


def test_errors_of_the_page_are_raised(tab, tmp_path):
    page = "<script>var footwork = {{}}; {}</script>"
    for script, words in (
        ("throw new Error('no such mesh');", "no such mesh"),
        ("console.error('lost', 3);", "lost 3"),
        ("setTimeout(() => { undefined_name(); });", "undefined_name"),
        ("fetch('data:,x').then(() => { throw new Error('late'); });", "late"),
    ):
        (tmp_path / "page.html").write_text(page.format(script))
        tab.errors.clear()
        tab.call("Page.navigate", url=(tmp_path / "page.html").as_uri())
        deadline = time.monotonic() + 60
        while not tab.errors and time.monotonic() < deadline:
            tab.evaluate("new Promise(done => setTimeout(done, 20))")
        with pytest.raises(BrowserError, match=words):
            tab.check()


def test_a_page_that_is_never_ready_is_an_error():
    with open_html("<script>console.error('the reason')</script>") as tab:
        while not tab.errors:
            tab._connection.pause(0.02)
        tab._connection._deadline = time.monotonic() + 1  # the browser's start does not count
        with pytest.raises(BrowserError, match=r"took more than 60 s.*the reason"):
            tab.screenshot()


# --- the browser -------------------------------------------------------------------------------


def test_a_browser_that_is_no_command(monkeypatch, tmp_path):
    """As on macOS, where it lies in a folder with a space in its name."""
    application = tmp_path / "Google Chrome.app" / "Google Chrome"
    application.parent.mkdir()
    application.write_text("#!/bin/sh\n")
    application.chmod(0o755)
    monkeypatch.delenv("FOOTWORK_BROWSER", raising=False)
    monkeypatch.setattr(browser, "NAMES", ("no-such-browser", str(application)))
    assert browser.find_browser() == str(application)
    assert any(name.startswith("/Applications/") for name in NAMES)


def test_no_browser_is_an_error_that_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("FOOTWORK_BROWSER", raising=False)
    with pytest.raises(
        BrowserError, match=r"chromium-browser, google-chrome.*apt install"
    ) as error:
        Viewer().screenshot()
    assert all(name in str(error.value) for name in NAMES)
    for name in ("google-chrome", "mine"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    assert find_browser() == str(tmp_path / "google-chrome")
    monkeypatch.setenv("FOOTWORK_BROWSER", str(tmp_path / "mine"))
    assert find_browser() == str(tmp_path / "mine")
    with pytest.raises(BrowserError, match="has ended"):
        Viewer().screenshot()
    monkeypatch.setenv("FOOTWORK_BROWSER", "nowhere")
    with pytest.raises(BrowserError, match=r"\$FOOTWORK_BROWSER = 'nowhere'"):
        find_browser()


def descendants(pid):
    """Return the processes below a process: pid -> command line."""
    parents, found = {}, {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text().rpartition(")")[2].split()
                found[int(entry.name)] = (entry / "cmdline").read_text().replace("\0", " ")
            except OSError:
                continue
            if stat[0] != "Z":
                parents[int(entry.name)] = int(stat[1])
    below = {pid}
    while more := {p for p, parent in parents.items() if parent in below} - below:
        below |= more
    return {p: found[p] for p in below - {pid}}


def profiles(folder):
    return list(Path(folder).glob("footwork-*"))


def test_a_folder_of_a_long_name_is_no_hindrance(tmp_path, monkeypatch):
    """The path of the browser's socket would be too long in it."""
    folder = tmp_path / ("long" * 30)
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    with open_html("<p>there</p>", timeout=30) as page:
        assert page.evaluate("document.body.innerText") == "there"


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="reads /proc")
def test_nothing_is_left_of_the_browser(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    before = descendants(os.getpid())
    with open_html("<p>", timeout=30):
        assert profiles(tmp_path)
        during = descendants(os.getpid()).keys() - before.keys()
        assert during
    left = {p: c for p, c in descendants(os.getpid()).items() if p in during}
    assert left == {}
    assert profiles(tmp_path) == []


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="reads /proc")
def test_the_browser_ends_with_the_program_however_it_dies(tmp_path):
    code = (
        "from footwork.visualize.viewer.browser import open_html\n"
        "with open_html('<p>'):\n    print('open', flush=True)\n    import time; time.sleep(300)"
    )
    program = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    with program:
        assert program.stdout.readline() == "open\n"
        browsers = [p for p, line in descendants(program.pid).items() if str(tmp_path) in line]
        assert browsers
        program.kill()
    deadline = time.monotonic() + 30
    while any(Path(f"/proc/{p}/cmdline").exists() and is_running(p) for p in browsers):
        assert time.monotonic() < deadline, "the browser lives on"
        time.sleep(0.05)
    while profiles(tmp_path):
        assert time.monotonic() < deadline, "its folder is left behind"
        time.sleep(0.05)


def test_a_screenshot_is_a_file_also_from_within_a_running_event_loop(tmp_path, load_robot):
    import asyncio

    viewer = Viewer(load_robot("quadruped", "floating"))

    async def cell():  # as in a notebook
        return viewer.screenshot(tmp_path / "it.png", width=321, height=234, target=[0, 0, 0.3])

    image = asyncio.run(cell())
    assert (tmp_path / "it.png").read_bytes() == image
    assert Image.open(io.BytesIO(image)).size == (321, 234)
