"""Drawing commands of the viewer and their refusals: no server, no browser."""

import base64
import dataclasses
import gzip
import re
import subprocess
import sys
import types

import numpy as np
import pinocchio as pin
import pytest
import umsgpack
from page_commands import commands_in

import footwork as fw
from footwork import robots
from footwork.visualize.viewer import Viewer, checks, commands, meshes, three
from footwork.visualize.viewer.animation import tracks
from footwork.visualize.viewer.drawing import extent
from footwork.visualize.viewer.errors import MeshWarning, ViewerError
from footwork.visualize.viewer.store import Entry, Store


def commands_of(viewer):
    """Decode the commands in a saved page."""
    packed = re.search(r'<script id="commands"[^>]*>([^<]*)</script>', viewer.html()).group(1)
    return commands_in(gzip.decompress(base64.b64decode(packed)))


def paths(viewer, kind="set_object"):
    return [c["path"] for c in commands_of(viewer) if c["type"] == kind]


# --- the store ---------------------------------------------------------------------------------


def test_a_store_keeps_one_entry_a_key_and_the_latest():
    store = Store()
    for k in range(10_000):
        store.put(Entry("/a/#transform", "", b"%d" % k))
    assert list(store.replay()) == [b"9999"]


def test_a_deletion_takes_all_below_it_and_nothing_beside_it():
    store = Store()
    for path in ("/a", "/a/b", "/a/b/c", "/ab"):
        store.put(commands.set_transform(path, np.eye(4)))
    store.put(commands.delete("/a"))
    assert [entry.key for entry in store.entries()] == ["/ab/#transform"]


@pytest.mark.parametrize("last", ["drawn", "deleted"])
def test_what_is_yet_to_be_sent_keeps_its_deletions_in_order(last):
    """Deleted, drawn and deleted again, before a slow page has seen any of it."""
    store = Store()
    transform, delete = commands.set_transform("/a", np.eye(4)), commands.delete("/a")
    for entry in (transform, delete, transform, delete, *[transform] * (last == "drawn")):
        store.put(entry, keep_all=True)
    expected = ["/a/#delete", *["/a/#transform"] * (last == "drawn")]
    assert [store.pop().key for _ in range(len(store))] == expected
    assert store.pop() is None


def test_work_for_a_drawing_does_not_grow_with_their_number():
    def events(work):
        count = 0

        def note(*_):
            nonlocal count
            count += 1

        sys.setprofile(note)
        try:
            work()
        finally:
            sys.setprofile(None)
        return count

    def draw(first, count):
        for k in range(first, first + count):
            viewer.arrow(f"arrows/{k % 7}/{k}", [0, 0, 0], [0.1, 0.2, 0.3])

    viewer = Viewer(ground=None)
    draw(0, 100)
    few = events(lambda: draw(100, 20)), events(lambda: viewer.delete("arrows/3/3"))
    draw(1000, 2000)
    many = events(lambda: draw(5000, 20)), events(lambda: viewer.delete("arrows/3/10"))
    assert many[0] <= 1.1 * few[0]
    assert many[1] <= 1.1 * few[1]
    viewer.delete("arrows/0")
    assert not any(name.startswith("arrows/0/") for name in viewer.names)
    assert any(name.startswith("arrows/1/") for name in viewer.names)
    assert not any(path.startswith("/overlays/arrows/0/") for path in paths(viewer))


def test_a_new_object_voids_what_was_set_on_the_old_one():
    store = Store()
    geometry, surface = three.sphere(1.0), three.material(0xFF0000)
    store.put(commands.set_object("/a", three.object3d(geometry, surface)))
    store.put(commands.set_property("/a/<object>", "visible", False))
    store.put(commands.set_property("/a", "visible", True))
    store.put(commands.set_object("/a", three.object3d(geometry, three.material(0x00FF00))))
    assert {e.key for e in store.entries()} == {"/a/#object", "/a/#property/visible"}


def test_the_same_command_again_is_no_change():
    viewer = Viewer()
    viewer.arrow("a", [0, 0, 0], [0, 0, 1])
    before = viewer._store.entries()
    viewer.arrow("a", [0, 0, 0], [0, 0, 1])
    assert viewer._store.entries() == before
    assert not viewer._put(before[-1])


# --- drawings ----------------------------------------------------------------------------------


def draw_all(viewer):
    viewer.arrow("forces/arrow", [0, 0, 0], [0, 0, 1])
    viewer.cone("cone", [0, 0, 0], [0, 1, 1], 0.6, 0.3)
    viewer.polygon("polygon", [[0, 0, 0], [1, 0, 0], [0, 1, 0]])
    viewer.point("point", [0, 0, 1])
    viewer.path("path", np.eye(3))
    viewer.frame("frame", pin.SE3.Identity())
    viewer.box("box", np.eye(4), [1, 2, 3])
    viewer.plane("plane", [0, 0, 0], [0, 0, 1])
    viewer.label("label", [0, 0, 1], "text")


def test_every_drawing_is_recorded_and_deleted():
    viewer = Viewer()
    draw_all(viewer)
    names = {"forces/arrow", "cone", "polygon", "point", "path", "frame", "box", "plane", "label"}
    assert set(viewer.names) == names
    assert {p.removeprefix("/overlays/").rpartition("/")[0] for p in paths(viewer)} == names
    viewer.delete("forces")
    assert "/overlays/forces/arrow/shaft" not in paths(viewer)
    viewer.clear()
    assert viewer.names == ()
    assert paths(viewer) == []


def test_ten_thousand_updates_do_not_grow():
    viewer = Viewer()
    draw_all(viewer)
    size = len(viewer._store)
    for k in range(2_500):
        viewer.arrow("forces/arrow", [k, 0, 0], [0, k + 1, 1])
        viewer.point("point", [0, k, 1])
        viewer.cone("cone", [0, k, 0], [0, 1, 1], 0.6, 0.3)
        viewer.legend(str(k))
    assert len(viewer._store) == size + 1
    assert len(viewer.html()) == pytest.approx(len(Viewer().html()), abs=60_000)


def test_a_drawing_with_other_numbers_only_moves_and_with_another_colour_is_only_painted():
    viewer = Viewer()
    sole = [[0.1, 0.05, 0], [-0.1, 0.05, 0], [-0.1, -0.05, 0], [0.1, -0.05, 0]]

    def draw(k, color):
        shift = pin.SE3(pin.exp3(np.array([0.0, 0.1 * k, 0.2])), np.array([k, 0, 0.3]))
        viewer.arrow("arrow", [k, 0, 0], [0.1, k + 1, 1], color=color)
        viewer.moment("moment", [k, 0, 0], [0, 1, 0.1 * k], color=color)
        viewer.cone("cone", [k, 0, 0], [0.1 * k, 1, 1], 0.6, 0.3, color=color)
        viewer.polygon("patch", sole, placement=shift, color=color)
        viewer.point("point", [0, k, 1], color=color)
        viewer.path("line", [[0, 0, 0], [k + 1, 2, 1]], color=color)

    sent = []
    draw(0, "red")
    viewer._server = types.SimpleNamespace(send=sent.append, close=lambda: None, url="")
    pieces = 2 + 1 + 2 + 2 + 1 + 1
    for k, color, kind in ((1, "red", "set_transform"), (1, "green", "set_color")):
        draw(k, color)
        assert [umsgpack.unpackb(e.data)["type"] for e in sent] == pieces * [kind]
        sent.clear()
    viewer.arrow("arrow", [1, 0, 0], [0.1, 2, 1], color="green", opacity=0.5)
    assert {umsgpack.unpackb(e.data)["type"] for e in sent} == {"set_object"}
    held = {e.key for e in viewer._store.entries() if e.key.startswith("/overlays/arrow/")}
    assert not any(key.endswith("#color") for key in held)  # the new object has its own


def test_a_polygon_in_the_axes_of_a_placement_is_where_these_are():
    viewer, placement = Viewer(), pin.SE3.Random()
    corners = np.array([[0.3, 0.2, 0], [-0.3, 0.2, 0], [-0.3, -0.2, 0.0]])
    viewer.polygon("patch", corners, placement=placement)
    shape = viewer._shapes["patch"]
    np.testing.assert_allclose(shape.extent, [placement.act(c) for c in corners], atol=1e-12)
    for piece in shape.pieces.values():
        np.testing.assert_array_equal(piece.matrix, placement.homogeneous)


def test_transforms_are_messagepack():
    for path in ("/a", f"/overlays/{'long' * 20}/x", "/overlays/Fuß"):
        matrix = np.random.default_rng(0).normal(size=(4, 4))
        command = {"type": "set_transform", "path": path, "matrix": matrix.T.ravel().tolist()}
        assert commands.set_transform(path, matrix).data == umsgpack.packb(command)


def test_an_arrow_that_shrinks_to_nothing_goes_and_comes_back():
    viewer = Viewer()
    viewer.arrow("a", [0, 0, 0], [0, 0, 1])
    viewer.arrow("a", [0, 0, 0], [0, 0, 0])
    assert viewer.names == ("a",)
    assert paths(viewer) == []
    viewer.arrow("a", [0, 0, 0], [0, 0, 1])
    assert paths(viewer) == ["/overlays/a/shaft", "/overlays/a/head"]


def test_a_polygon_of_two_points_is_a_line_and_of_one_a_ball():
    viewer = Viewer()
    viewer.polygon("line", [[0, 0, 0], [1, 0, 0]])
    viewer.polygon("ball", [[0, 0, 0]])
    assert paths(viewer) == ["/overlays/line/outline", "/overlays/ball/outline"]


def test_transparent_drawings_do_not_hide_what_is_inside():
    viewer = Viewer()
    viewer.cone("cone", [0, 0, 0], [0, 0, 1], 0.6, 0.3, opacity=0.3)
    for command in commands_of(viewer):
        if command["type"] == "set_object":
            (surface,) = command["object"]["materials"]
            assert surface["transparent"]
            assert not surface["depthWrite"]


def test_a_plane_is_a_square_perpendicular_to_its_normal():
    viewer = Viewer()
    normal, point = np.array([0.3, -0.2, 2.0]), np.array([1.0, 2, 3])
    viewer.plane("slope", point, normal, size=4.0)
    corners = viewer._shapes["slope"].extent
    np.testing.assert_allclose((corners - point) @ normal, 0, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(np.diff(corners, axis=0), axis=1), 4)


@pytest.mark.parametrize(
    ("draw", "words"),
    [
        (lambda v: v.arrow("a", [0, 0, 0], [0, 0, 1], color="rde"), "did you mean 'red'"),
        (lambda v: v.arrow("a", [0, 0, 0], [0, 0, 1], color=(2, 0, 0)), "0…1"),
        (lambda v: v.arrow("a", [0, 0, 0], [0, 0, 1], opacity=0), "(0, 1]"),
        (lambda v: v.arrow("a", [0, 0, 0], [0, 0, 1], radius=-1), "above 0"),
        (lambda v: v.arrow("", [0, 0, 0], [0, 0, 1]), "name: got ''"),
        (lambda v: v.arrow("a//b", [0, 0, 0], [0, 0, 1]), "name: got 'a//b'"),
        (lambda v: v.arrow("a/<object>", [0, 0, 0], [0, 0, 1]), "name: got"),
        (lambda v: v.arrow("point/x", [0, 0, 0], [0, 0, 1]), "folder and a drawing"),
        (lambda v: v.cone("a", [0, 0, 0], [0, 0, 0], 0.5, 1), "zero vector"),
        (lambda v: v.plane("a", [0, 0, 0], [0, 0, 0]), "zero vector"),
        (lambda v: v.cone("a", [0, 0, 0], [0, 0, 1], np.pi / 2, 1), "radians in [0, π/2)"),
        (lambda v: v.cone("a", [0, 0, 0], [0, 0, 1], 0.5, 0), "height"),
        (lambda v: v.polygon("a", np.zeros((0, 3))), "at least 1"),
        (lambda v: v.polygon("a", [[0, 0]]), "expected (n, 3)"),
        (lambda v: v.frame("a", np.eye(3)), "expected (4, 4)"),
        (lambda v: v.box("a", np.eye(4), [1, 0, 1]), "size"),
        (lambda v: v.set_camera([0, 0, 1], [0, 0, 1]), "which is the target"),
        (lambda v: v.set_camera([0, 0, 1], [0, 0, 2], field_of_view=200), "from 1 to 150"),
        (lambda v: v.delete("pont"), "did you mean 'point'"),
        (lambda v: v.display([0, 0]), "no robot"),
    ],
)
def test_what_cannot_be_drawn_is_refused(draw, words):
    viewer = Viewer()
    viewer.point("point", [0, 0, 0])
    before = viewer._store.entries()
    with pytest.raises(ViewerError, match=re.escape(words)):
        draw(viewer)
    assert viewer._store.entries() == before


def test_colours():
    assert checks.color("#FF8000") == checks.color((1.0, 0.502, 0)) == 0xFF8000
    assert checks.color("#f80") == 0xFF8800
    assert checks.color("Red") == int(checks.COLORS["red"][1:], 16)


# --- robots ------------------------------------------------------------------------------------


def test_display_moves_the_links_to_where_kinematics_says():
    robot = fw.load("biped")
    viewer = Viewer(robot)
    q = robot.random_configuration(3)
    viewer.display(q)
    data = robot.model.createData()
    pin.forwardKinematics(robot.model, data, q)
    sent = {c["path"]: c["matrix"] for c in commands_of(viewer) if c["type"] == "set_transform"}
    joints = {item.parentJoint for item in robot.visual.geometryObjects}
    assert joints
    for joint in joints:
        matrix = np.array(sent[f"/robot/{robot.model.names[joint]}"]).reshape(4, 4).T
        np.testing.assert_allclose(matrix, data.oMi[joint].homogeneous, atol=1e-12)


def test_every_visual_object_of_a_robot_is_in_the_page():
    robot = fw.load("quadruped")
    found = {path.split("/")[3] for path in paths(Viewer(robot)) if path.startswith("/robot/")}
    assert found == {item.name for item in robot.visual.geometryObjects}


class OtherShapes(robots.shapes.UrdfShapes):
    """The robot's shapes after a change."""

    def __init__(self, change):
        object.__setattr__(self, "change", change)

    def read(self, model, kind, links=None):
        return self.change(fw.load("biped").visual)


def with_shapes(change):
    return dataclasses.replace(fw.load("biped"), name="odd", shapes=OtherShapes(change))


def test_a_robot_without_shapes_is_drawn_as_balls_and_sticks():
    bare = with_shapes(lambda visual: pin.GeometryModel())
    viewer = Viewer(bare)
    balls = [path for path in paths(viewer) if path.endswith(" ball")]
    assert len(balls) == bare.model.njoints - 1
    q = bare.posture()
    data = bare.model.createData()
    pin.framesForwardKinematics(bare.model, data, q)
    heights = [placement.translation[2] for placement in [*data.oMi][1:]]
    assert extent(bare, q) == pytest.approx(np.ptp(heights), rel=0.25)
    q[2] += 3
    viewer.display(q)  # no stick ties it to the world
    assert extent(bare, q) == pytest.approx(viewer.scale)


def test_a_mesh_that_cannot_be_drawn_is_named_in_a_warning():
    def lose_a_hand(visual):
        empty = pin.hppfcl.BVHModelOBBRSS()
        visual.addGeometryObject(pin.GeometryObject("lost_hand", 1, pin.SE3.Identity(), empty))
        return visual

    with pytest.warns(MeshWarning, match=r"1 of \d+ visual objects of 'odd'.*lost_hand") as caught:
        viewer = Viewer(with_shapes(lose_a_hand))
    assert caught[0].filename == __file__
    assert np.isfinite(viewer.scale)
    assert len(paths(viewer)) > 3  # the rest is there


def test_shapes_that_cannot_be_read_are_a_warning_and_become_sticks():
    def fail(visual):
        raise fw.ModelError("torso.stl is missing")

    with pytest.warns(MeshWarning, match=r"'odd' is drawn as balls and sticks.*torso") as caught:
        viewer = Viewer(with_shapes(fail))
    assert caught[0].filename == __file__
    viewer.display(viewer.robot.posture())
    viewer.point("here", [0, 0, 0])
    assert paths(viewer)[-1] == "/overlays/here/ball"


def test_wrong_configurations_are_refused():
    viewer = Viewer(fw.load("biped"))
    with pytest.raises(fw.ConfigurationError, match="shape"):
        viewer.display([0, 0])
    with pytest.raises(fw.ConfigurationError, match="expected finite"):
        viewer.display(np.full(viewer.robot.nq, np.nan))


def test_extent_is_the_height_of_the_boxes():
    robot = fw.load("block")
    tall = fw.robots.block(mass=1.0, size=(0.2, 0.3, 0.7))
    assert extent(tall, tall.neutral()) == pytest.approx(0.7)
    assert Viewer(robot).scale == pytest.approx(extent(robot, robot.posture()))


def primitive(shape):
    item = pin.GeometryObject("it", 0, pin.SE3.Identity(), shape)
    return three_box(meshes._primitive(item.geometry))


def three_box(part):
    """Return the full sides of a three.js geometry about its own axes."""
    if part["type"] == "BoxGeometry":
        return [part["width"], part["height"], part["depth"]]
    if part["type"] == "SphereGeometry":
        return [2 * part["radius"]] * 3
    if part["type"] == "CylinderGeometry":
        wide = 2 * max(part["radiusTop"], part["radiusBottom"])
        return [wide, part["height"], wide]  # about y
    data = part["data"]["attributes"]["position"]["array"].data
    return np.ptp(np.frombuffer(data, np.float32).reshape(-1, 3), axis=0)


@pytest.mark.parametrize(
    ("shape", "sides"),
    [
        (pin.hppfcl.Box(0.1, 0.2, 0.3), [0.1, 0.2, 0.3]),
        (pin.hppfcl.Sphere(0.1), [0.2, 0.2, 0.2]),
        (pin.hppfcl.Cylinder(0.1, 0.5), [0.2, 0.5, 0.2]),
        (pin.hppfcl.Cone(0.1, 0.5), [0.2, 0.5, 0.2]),
        (pin.hppfcl.Capsule(0.1, 0.5), [0.2, 0.2, 0.7]),
        (pin.hppfcl.Ellipsoid(0.1, 0.2, 0.3), [0.2, 0.4, 0.6]),
    ],
)
def test_primitives_have_their_sizes(shape, sides):
    np.testing.assert_allclose(primitive(shape), sides, rtol=1e-2)


def test_parts_that_several_objects_share_are_sent_once():
    ball, surface = three.sphere(1.0), three.material(0xFF0000)
    things = [three.object3d(ball, surface, name=name) for name in "ab"]
    common, light = three.shared([*things, three.object3d(three.sphere(2.0), surface)])
    assert common == [ball]
    assert [t["geometries"][0] for t in light[:2]] == [{"uuid": ball["uuid"], "shared": True}] * 2
    assert light[2]["geometries"] == [three.sphere(2.0)]


# --- animation ---------------------------------------------------------------------------------


def test_animation_has_the_poses_at_their_times():
    times = np.array([1.0, 1.5, 3.0])
    poses = np.array([pin.SE3.Random().homogeneous for _ in times])
    still = np.array([np.eye(4)] * 3)
    (clip,) = tracks(times, {"/robot/arm": poses, "/robot/base": still})
    assert clip["path"] == "/robot/arm"
    position, rotation = clip["clip"]["tracks"]
    for track in (position, rotation):
        np.testing.assert_allclose(np.frombuffer(track["times"].data, np.float32), [0, 0.5, 2])
    where = np.frombuffer(position["values"].data, np.float32).reshape(-1, 3)
    np.testing.assert_allclose(where, poses[:, :3, 3], rtol=1e-6)
    turns = np.frombuffer(rotation["values"].data, np.float32).reshape(-1, 4)
    for xyzw, pose in zip(turns, poses, strict=True):
        R = pin.Quaternion(xyzw.astype(float)).toRotationMatrix()
        np.testing.assert_allclose(R, pose[:3, :3], atol=1e-6)


@pytest.mark.parametrize("times", [[0.0], [0.0, 0.0], [1.0, 0.0], [0.0, np.nan], [0.0, 1.0, 2.0]])
def test_animations_need_increasing_times(times):
    robot = fw.load("biped")
    with pytest.raises(ViewerError):
        Viewer(robot).animate(times, [robot.posture()] * 2)


def test_display_ends_an_animation():
    robot = fw.load("biped")
    viewer = Viewer(robot)
    viewer.animate([0, 1], [robot.posture(), robot.random_configuration(0)])
    assert commands_of(viewer)[-1]["type"] == "set_animation"
    viewer.display(robot.posture())
    assert "set_animation" not in [c["type"] for c in commands_of(viewer)]


# --- pages -------------------------------------------------------------------------------------


def test_a_saved_page_is_whole_and_reproducible(tmp_path):
    robot = fw.load("biped")
    pages = []
    for name in ("a.html", "b.html"):
        viewer = Viewer(robot)
        draw_all(viewer)
        path = viewer.save_html(tmp_path / name)
        pages.append(path.read_text(encoding="utf-8"))
    assert pages[0] == pages[1]
    ours = re.sub(r"<script>[^<]{0,50}MeshCat.*?</script>", "", pages[0], flags=re.S)
    assert not re.findall(r"""(?:src|href)\s*=\s*["'](?!data:)""", ours)


def test_the_title_cannot_break_out_of_the_page():
    text = Viewer(title="</title><script>alert(1)</script>").html()
    assert "<script>alert(1)" not in text


def test_notebooks_get_the_whole_page_in_a_frame():
    frame = Viewer()._repr_html_()
    assert frame.startswith("<iframe")
    assert 'srcdoc="&lt;!DOCTYPE html&gt;' in frame


def test_importing_footwork_imports_no_viewer():
    code = (
        "import sys, footwork, footwork.robots; "
        "print([m for m in ('meshcat', 'tornado', 'umsgpack', 'footwork.visualize.viewer') "
        "if m in sys.modules])"
    )
    command, how = [sys.executable, "-c", code], {"capture_output": True, "text": True}
    answer = subprocess.run(command, check=True, **how)
    assert answer.stdout.strip() == "[]"
    with pytest.raises(AttributeError, match="no attribute 'Viewr'"):
        fw.robots.Viewr  # noqa: B018


def test_a_group_drawn_anew_replaces_what_it_had():
    viewer = Viewer()
    viewer.point("fixed", [0, 0, 0])
    viewer.redraw("moving", lambda: [viewer.point(f"a/{k}", [k, 0, 0]) for k in range(3)])
    assert set(viewer.names) == {"fixed", "a/0", "a/1", "a/2"}
    viewer.redraw("moving", lambda: viewer.point("a/1", [5, 0, 0]))
    assert set(viewer.names) == {"fixed", "a/1"}

    def fails():
        viewer.point("a/2", [0, 0, 0])
        raise RuntimeError

    with pytest.raises(RuntimeError):
        viewer.redraw("moving", fails)
    assert set(viewer.names) == {"fixed", "a/1"}
