"""Collada files: shapes, colours, textures, and what is not read."""

import base64
from pathlib import Path

import coal
import numpy as np
import pytest

import footwork as fw
from footwork.visualize.viewer import collada, three
from footwork.visualize.viewer.meshes import read, visuals

FILE = """<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<library_images><image id="wood"><init_from>{image}</init_from></image></library_images>
<library_effects>
<effect id="red-effect"><profile_COMMON><technique sid="common"><phong>
 <emission><color>0 0 1 1</color></emission><diffuse><color>0.9 0.1 0.2 1</color></diffuse>
</phong></technique></profile_COMMON></effect>
<effect id="wood-effect"><profile_COMMON>
 <newparam sid="surf"><surface type="2D"><init_from>wood</init_from></surface></newparam>
 <newparam sid="samp"><sampler2D><source>surf</source></sampler2D></newparam>
 <technique sid="common"><phong><diffuse><texture texture="samp" texcoord="UV"/></diffuse></phong>
</technique></profile_COMMON></effect>
</library_effects>
<library_materials>
<material id="red"><instance_effect url="#red-effect"/></material>
<material id="wooden"><instance_effect url="#wood-effect"/></material>
</library_materials>
<library_geometries><geometry id="plate"><mesh>
<source id="xyz"><float_array id="xyz-a" count="12">0 0 0 1 0 0 1 2 0 0 2 0</float_array>
 <technique_common><accessor source="#xyz-a" count="4" stride="3"/></technique_common></source>
<source id="n"><float_array id="n-a" count="3">0 0 1</float_array>
 <technique_common><accessor source="#n-a" count="1" stride="3"/></technique_common></source>
<source id="uv"><float_array id="uv-a" count="8">0 0 1 0 1 1 0 1</float_array>
 <technique_common><accessor source="#uv-a" count="4" stride="2"/></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#xyz"/></vertices>
{primitives}
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="scene">
<node id="camera"><matrix>1 0 0 9 0 1 0 9 0 0 1 9 0 0 0 1</matrix></node>
<node id="outer">{transforms}<node id="inner"><scale>2 2 2</scale>
<instance_geometry url="#plate"><bind_material><technique_common>
 <instance_material symbol="A" target="#red"/><instance_material symbol="B" target="#wooden"/>
</technique_common></bind_material></instance_geometry></node></node>
</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#scene"/></scene>
</COLLADA>"""

INPUTS = """<input semantic="VERTEX" source="#v" offset="0"/>
<input semantic="NORMAL" source="#n" offset="1"/>
<input semantic="TEXCOORD" source="#uv" offset="2" set="0"/>"""
QUAD = "0 0 0 1 0 1 2 0 2 3 0 3"
TRIANGLE = f'<triangles material="A" count="1">{INPUTS}<p>0 0 0 1 0 1 2 0 2</p></triangles>'
POLYLIST = f'<polylist material="B" count="1">{INPUTS}<vcount>4</vcount><p>{QUAD}</p></polylist>'
POLYGONS = f'<polygons material="B" count="1">{INPUTS}<p>{QUAD}</p></polygons>'
TURN = "<translate>0 0 5</translate><rotate>0 0 1 90</rotate>"
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)


def parts_of(folder, primitives=TRIANGLE, transforms=TURN, image="wood.png", change=str):
    path = folder / "it.dae"
    text = FILE.format(primitives=primitives, transforms=transforms, image=image)
    path.write_text(change(text), encoding="utf-8")
    return collada.read(path)


def area(vertices, triangles):
    a, b, c = vertices[triangles].transpose(1, 0, 2)
    return np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2


def test_nodes_are_placed_turned_and_scaled(tmp_path):
    (part,) = parts_of(tmp_path)
    corners = part.vertices[part.triangles].reshape(-1, 3)
    np.testing.assert_allclose(corners, [[0, 0, 5], [0, 2, 5], [-4, 2, 5]], atol=1e-12)
    np.testing.assert_allclose(part.normals, [[0, 0, 1]] * 3, atol=1e-12)
    assert part.surface == collada.Surface(color=(0.9, 0.1, 0.2))


@pytest.mark.parametrize("primitives", [POLYLIST, POLYGONS])
def test_polygons_are_cut_into_triangles(tmp_path, primitives):
    (part,) = parts_of(tmp_path, primitives)
    assert len(part.triangles) == 2
    assert area(part.vertices, part.triangles) == pytest.approx(2 * 4)


def test_mirrored_nodes_keep_their_outside_outside(tmp_path):
    (part,) = parts_of(tmp_path, transforms="<scale>-1 1 1</scale>")
    a, b, c = part.vertices[part.triangles[0]]
    assert np.cross(b - a, c - a) @ part.normals[0] > 0


def test_mirrored_files_keep_their_outside_outside(tmp_path):
    """A left leg is the file of the right one with scale="1 -1 1"; its normals are mirrored too."""
    names = "".join(f'<param name="{axis}" type="float"/>' for axis in "XYZ")
    change = lambda text: text.replace('stride="3"/>', f'stride="3">{names}</accessor>')  # noqa: E731
    parts_of(tmp_path, transforms="<rotate>1 0 0 30</rotate>", change=change)
    shape = '<visual><geometry><mesh filename="it.dae" scale="1 -1 2"/></geometry></visual>'
    (tmp_path / "leg.urdf").write_text(f'<robot name="leg"><link name="leg">{shape}</link></robot>')
    robot = fw.load(tmp_path / "leg.urdf", base="fixed")
    (visual,) = visuals(robot, read(robot))
    data = visual.object["geometries"][0]["data"]
    arrays = data["attributes"]
    points = np.frombuffer(arrays["position"]["array"].data, np.float32).reshape(-1, 3)
    normals = np.frombuffer(arrays["normal"]["array"].data, np.int16).reshape(-1, 3) / 32767
    a, b, c = points[np.frombuffer(data["index"]["array"].data, np.uint16)]
    outward = np.cross(b - a, c - a)
    np.testing.assert_allclose(normals, [outward / np.linalg.norm(outward)] * 3, atol=1e-3)


def test_textures_are_embedded(tmp_path):
    (tmp_path / "wood.png").write_bytes(PNG)
    (part,) = parts_of(tmp_path, POLYLIST)
    assert part.surface.image == "data:image/png;base64," + base64.b64encode(PNG).decode()
    np.testing.assert_allclose(part.uv * [2, 4], part.vertices[:, [1, 0]] * [1, -1], atol=1e-12)
    assert three.textured(part.surface.image)["images"][0]["url"] == part.surface.image


def test_only_images_are_embedded(tmp_path):
    (tmp_path / "secret.png").write_text("root:x:0:0")
    for image in ("secret.png", "missing.png", "/dev/zero", "../" * 20 + "etc/passwd"):
        (part,) = parts_of(tmp_path, POLYLIST, image=image)
        assert part.surface == collada.Surface()


def test_only_images_of_the_own_package_are_embedded(tmp_path):
    """What lies elsewhere on the disk does not get into a page, whatever the file calls it."""

    def images(folder, *names):
        folder.mkdir(parents=True, exist_ok=True)
        return [parts_of(folder, POLYLIST, image=n)[0].surface.image is not None for n in names]

    for place in ("photo.png", "robot/skin.png", "robot/meshes/wood.png", "robot/textures/a b.png"):
        path = tmp_path / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(PNG)
    inside = ["wood.png", "../skin.png", "../textures/a%20b.png"]
    inside += [f"file://{tmp_path}/robot/skin.png"]
    outside = ["../../photo.png", f"{tmp_path}/photo.png", f"file://{tmp_path}/photo.png"]
    outside += ["../meshes/../../photo.png", "http://localhost/photo.png"]
    outside += ["package://robot/skin.png"]
    meshes, deeper = tmp_path / "robot/meshes", tmp_path / "robot/meshes/left/arm"
    assert images(meshes, *inside) == [True] * 4
    assert images(meshes, *outside) == [False] * 6
    assert images(deeper, "../../wood.png") == [False]  # nothing says that it is one package
    (tmp_path / "robot/package.xml").write_text("<package><name>robot</name></package>")
    assert images(deeper, "../../wood.png", "../../../../photo.png") == [True, False]
    (meshes / "link.png").symlink_to(tmp_path / "photo.png")  # an installed workspace is all links
    assert images(meshes, "link.png") == [True]


def doubled(count):
    """Nodes that each instantiate the next one twice: 2^count of them."""
    nodes = "".join(
        f'<node id="n{k}">' + 2 * f'<instance_node url="#n{k + 1}"/>' + "</node>"
        for k in range(count)
    )
    return f'{nodes}<node id="n{count}"/></library_visual_scenes>'


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text[:500],
        lambda text: text.replace("<translate>0 0 5</translate>", "<lookat>1 2</lookat>"),
        lambda text: text.replace('url="#plate"', 'url="#nothing"'),
        lambda text: text.replace("0 0 0 1 0 1 2 0 2<", "0 0 0 1 0 1 7 0 2<"),
        lambda text: text.replace("0 0 0 1 0 1 2 0 2<", "0 0 0 1 0 1 -1 0 2<"),
        lambda text: text.replace("0 0 0 1 0 0 1 2 0 0 2 0", "0 0 zero"),
        lambda text: text.replace("0 0 0 1 0 0 1 2 0 0 2 0", "0 0 0 1 0 0 1 nan 0 0 2 0"),
        lambda text: text.replace(
            '<triangles material="A" count="1">', "<polylist><vcount>3 9000000000000</vcount>"
        ).replace("</triangles>", "</polylist>"),
        lambda text: text.replace("</library_visual_scenes>", doubled(40)).replace(
            "<scale>2 2 2", '<instance_node url="#n0"/><scale>2 2 2'
        ),
        lambda text: text.replace('url="#plate"', 'url="#red"'),
        lambda text: text.replace("<scale>2 2 2", '<instance_node url="#outer"/><scale>2 2 2'),
        lambda text: text.replace("?>", '?><!DOCTYPE a [<!ENTITY b "c">]>'),
    ],
)
def test_what_is_not_understood_is_unsupported(tmp_path, change):
    with pytest.raises(collada.Unsupported, match=r"it\.dae|<"):
        parts_of(tmp_path, change=change)


@pytest.mark.slow
def test_every_collada_mesh_has_the_shape_that_pinocchio_loads(load_robot):
    load_robot("hyq", "floating")  # skips without the data
    folder = Path(load_robot("hyq", "floating").source).parents[2]
    files = {
        file.read_bytes(): file  # some are there twice
        for name in ("anymal_b_simple", "hyq", "go2", "romeo")
        for file in sorted((folder / f"{name}_description").rglob("*.dae"))
        if file.stat().st_size < 2_000_000  # a few take longer than all others
    }
    assert len(files) > 20
    for file in files.values():
        loaded = coal.MeshLoader().load(str(file), np.ones(3))
        loaded.computeLocalAABB()
        parts = collada.read(file)
        points = np.vstack([part.vertices for part in parts])
        low, high = np.ravel(loaded.aabb_local.min_), np.ravel(loaded.aabb_local.max_)
        np.testing.assert_allclose(points.min(axis=0), low, atol=1e-4 * np.ptp(points))
        np.testing.assert_allclose(points.max(axis=0), high, atol=1e-4 * np.ptp(points))
        corners = [[t[0], t[1], t[2]] for t in map(loaded.tri_indices, range(loaded.num_tris))]
        ours = sum(area(part.vertices, part.triangles) for part in parts)
        theirs = area(np.array(loaded.vertices()), np.array(corners))
        # with several materials, theirs may join vertices of different parts by huge triangles
        assert ours == pytest.approx(theirs, rel=1e-3) or (len(parts) > 1 and ours < theirs)


def test_robots_wear_the_colours_of_their_files(load_robot):
    robot = load_robot("anymal", "floating")
    shown = visuals(robot, read(robot))
    trunk = [visual.object for visual in shown if visual.name.startswith("base_0")]
    assert len({thing["materials"][0]["color"] for thing in trunk}) > 3
    assert any(thing.get("images") for thing in trunk)


def test_a_robot_reads_its_meshes_once(monkeypatch):
    robot = fw.load("hyq")
    first = visuals(robot, read(robot))
    monkeypatch.setattr(collada, "read", lambda path, scale: pytest.fail(f"{path} is read again"))
    again = visuals(robot, read(robot), opacity=0.5)
    shapes = [[visual.object["geometries"] for visual in shown] for shown in (first, again)]
    assert shapes[0] == shapes[1]
    assert all(visual.object["materials"][0]["opacity"] == 0.5 for visual in again)


def test_a_file_of_another_shape_than_the_loaded_one_is_not_believed(monkeypatch):
    robot = fw.load("hyq")  # which no test has shown before
    large = np.array([[0, 0, 0], [9, 0, 0], [0, 9, 0.0]])
    wrong = collada.Part(collada.Surface(), large, np.array([[0, 1, 2]]), None, None)
    monkeypatch.setattr(collada, "read", lambda path, scale: [wrong])
    for visual in visuals(robot, read(robot)):
        (part,) = visual.object["geometries"]
        if "data" in part:
            data = part["data"]["attributes"]["position"]["array"].data
            assert np.frombuffer(data, np.float32).max() < 2  # the shape that Pinocchio loaded
