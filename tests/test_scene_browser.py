"""Scenes in a real browser: colours by margin, what is on top, forces that move when one scrubs."""

from __future__ import annotations

import base64
import io

import numpy as np
import pytest
from PIL import Image

import footwork as fw
from footwork import contacts, visualize
from footwork.dynamics import Motion
from footwork.visualize.colors import margin_ramp
from footwork.visualize.scenes import motion as motion_scene
from footwork.visualize.viewer.framing import Camera

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]

WIDTH, HEIGHT = 640, 480


@pytest.fixture
def look(look, tab):
    """Return look(viewer, camera) -> page, with the network cut off."""
    offline = {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0}
    tab.call("Network.emulateNetworkConditions", **offline)

    def look_from(viewer, camera):
        viewer.set_camera(camera.eye, camera.target, field_of_view=camera.field_of_view)
        look(viewer)
        return tab

    return look_from


def rgb(text):
    return np.array([int(text[i : i + 2], 16) for i in (1, 3, 5)])


def hue_at(picture, pixel, color, radius=3):
    """Whether some pixel near a place has the hue of a colour, whatever the light."""
    x, y = np.round(pixel).astype(int)
    window = picture[y - radius : y + radius + 1, x - radius : x + radius + 1].reshape(-1, 3)
    vivid = window[np.ptp(window, axis=1) > 60]
    if len(vivid) == 0:
        return False
    centred = vivid - vivid.mean(axis=1, keepdims=True)
    wanted = rgb(color) - rgb(color).mean()
    cosine = centred @ wanted / (np.linalg.norm(centred, axis=1) * np.linalg.norm(wanted))
    return bool(cosine.max() > 0.97)


def pushed(robot, newtons):
    feet = fw.at_feet(robot, friction=0.6)
    push = {"torso": fw.Wrench([0.0, newtons, 0.0])}
    return contacts.static_hold(robot, robot.posture(), feet, push)


def middle_of_arrow(hold, name, viewer):
    """A point half-way up the drawn force of a contact, world axes."""
    wrench, scale = hold.wrenches[name], motion_scene.force_scale(viewer, viewer.robot)
    T = hold.contacts[name].pose(viewer.robot, hold.q)
    n = T.rotation[:, 2]
    start = T.translation + np.cross(n, wrench.moment) / (n @ wrench.force)
    return start + 0.5 * scale * wrench.force


CAMERA = Camera(np.array([3.2, -1.2, 1.0]), np.array([0.0, 0.0, 0.6]), 30.0)


def test_forces_have_the_colours_of_their_margins_where_they_are(look, pixels, load_robot):
    robot = load_robot("biped", "floating")
    hold = pushed(robot, 45.0)
    viewer = fw.view(hold, by_margin=True)
    page = look(viewer, CAMERA)
    picture = pixels(page)
    ramp = margin_ramp(hold)
    colors = {n: ramp.color(m) for n, m in hold.contact_margins.items()}
    assert len(set(colors.values())) == 2
    for name, color in colors.items():
        pixel = CAMERA.project(middle_of_arrow(hold, name, viewer), WIDTH, HEIGHT)[0]
        assert hue_at(picture, pixel, color), name
    assert page.errors == []
    assert {url.split(":")[0] for url in page.requests} <= {"file", "data", "blob"}


@pytest.mark.parametrize("opacity", [1.0, 0.5])
def test_what_is_on_top_is_seen_through_any_robot(look, pixels, load_robot, opacity):
    robot = load_robot("quadruped", "floating")
    q = robot.posture()
    viewer = fw.Viewer(robot, opacity=opacity)
    inside = np.array([0.0, 0.0, q[2]])  # in the middle of its body
    viewer.point("it", inside, color="#c2308f", radius=0.03, on_top=True)
    camera = Camera(np.array([1.6, -1.2, 0.8]), np.array([0.0, 0.0, 0.3]), 30.0)
    pixel = camera.project(inside, WIDTH, HEIGHT)[0]
    assert hue_at(pixels(look(viewer, camera)), pixel, "#c2308f")


def test_forces_and_cones_follow_the_scrubber(look, pixels, load_robot):
    """At each frame the arrow of a contact is where that frame's force is, in its colour."""
    robot = load_robot("biped", "floating")
    holds = []
    for lift, newtons in ((0.0, 0.0), (0.15, 45.0)):
        q = robot.posture()
        q[0] += lift
        feet = fw.at_feet(robot, friction=0.6)
        push = {"torso": fw.Wrench([0.0, newtons, 0.0])}
        holds.append(contacts.static_hold(robot, q, feet, push))
    viewer = visualize.animate_holds([0.0, 1.0], holds, by_margin=True, play=False)
    page = look(viewer, CAMERA)
    page.settle()
    for time, hold in enumerate(holds):
        page.evaluate(f"viewer.animator.time_scrubber.setValue({time}), 0")
        picture, ramp = pixels(page), margin_ramp(hold)
        for name, margin in hold.contact_margins.items():
            point = middle_of_arrow(hold, name, viewer)
            pixel = CAMERA.project(point, WIDTH, HEIGHT)[0]
            assert hue_at(picture, pixel, ramp.color(margin)), (time, name)
        cone = page.evaluate(
            "viewer.scene_tree.find(['overlays', 'cones', 'left_foot', '0']).children"
            ".side.object.position.x"
        )
        corner = hold.contacts["left_foot"].world_points(robot, hold.q)[0]
        assert cone == pytest.approx(corner[0], abs=1e-4)
    assert page.errors == []


def test_a_notebook_shows_the_scene_in_its_frame(look, load_robot, tmp_path):
    """The page in an <iframe>, as a cell puts it below itself, without a server or a network."""
    viewer = fw.Viewer(load_robot("biped", "floating"))
    viewer.point("sign", [0, 0, 1], color=(1.0, 0, 0), radius=0.4, on_top=True)
    page = look(fw.Viewer(ground=None), CAMERA)
    page.settle()
    (tmp_path / "cell.html").write_text(f"<body>{viewer._repr_html_()}</body>")
    page.call("Page.navigate", url=(tmp_path / "cell.html").as_uri())
    inside = "document.querySelector('iframe').contentWindow"
    page.wait_for(f"document.querySelector('iframe') && {inside}.footwork")
    page.wait_for(f"{inside}.footwork.state.ready && !{inside}.viewer.needs_render")
    drawn = page.evaluate(f"Object.keys({inside}.viewer.scene_tree.children.overlays.children)")
    assert drawn == ["sign"]
    data = page.call("Page.captureScreenshot", format="png")["data"]
    picture = np.asarray(Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB")).astype(int)
    red = picture[..., 0] - picture[..., 1:].max(axis=2) > 100
    assert red.sum() > 500
    assert page.errors == []


def test_velocities_and_trails_are_seen_where_they_are(look, pixels, load_robot):
    robot = load_robot("quadruped", "floating")
    q, v = robot.posture(), np.zeros(robot.nv)
    v[:2] = 0.5, 0.3
    qs = [robot.integrate(q, s * v) for s in np.linspace(-0.8, 0.0, 12)]
    viewer = fw.Viewer(robot, ground=None)
    frame = next(iter(robot.feet.values())).frame
    motion_scene.draw_velocities(viewer, robot, q, v, [frame], seconds=0.4)
    motion_scene.draw_trails(viewer, robot, qs, [frame], centre=False)
    camera = Camera(np.array([1.8, -2.2, 1.4]), np.array([-0.1, 0.0, 0.2]), 34.0)
    picture = pixels(look(viewer, camera))
    from footwork import dynamics

    place = dynamics.frame_placement(robot, q, frame).translation
    ahead = place + 0.25 * np.array([0.5, 0.3, 0.0])
    assert hue_at(picture, camera.project(ahead, WIDTH, HEIGHT)[0], "#7b4bb7")
    behind = dynamics.frame_placement(robot, qs[3], frame).translation
    assert hue_at(picture, camera.project(behind, WIDTH, HEIGHT)[0], "#2667c9")


def test_a_motion_of_one_sample_is_a_picture(look, pixels, load_robot):
    """With its drawings, its tint and its plots; nothing on the page divides by no time."""
    robot = load_robot("biped", "floating")
    still = np.zeros((1, robot.nv))
    motion = Motion(robot, np.array([2.0]), robot.posture()[None], still, still)
    page = look(fw.view(contacts.audit(motion, self_collision=False)), CAMERA)
    picture = pixels(page)
    assert page.errors == []
    assert np.ptp(picture.reshape(-1, 3), axis=0).min() > 100
    clock = page.evaluate("document.getElementById('clock').textContent")
    assert clock.startswith("2.0"), clock
    assert "NaN" not in page.evaluate("document.getElementById('lanes').innerHTML")
