"""No file harms: a clear ModelError, in bounded time and memory, and nothing is read elsewhere."""

import os
import random
import re
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from footwork import FootworkError, ModelError, load, robots
from footwork.errors import FootworkWarning
from footwork.robots.catalogue import MODELS
from footwork.robots.files import mesh_headers
from footwork.robots.files.hardened_xml import MAX_BYTES, Node, parse, serialize

INERTIAL = (
    '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    "</inertial>"
)
LINK = f'<link name="a">{INERTIAL}{{}}</link>'


MESH = '<visual><geometry><mesh filename="{}"/></geometry></visual>'


def with_mesh(file: Path, name: str) -> Path:
    """Write a robot of one link with this mesh to the file."""
    link = f'<link name="a">{INERTIAL}{MESH.format(name)}</link>'
    file.write_text(f'<robot name="r">{link}</robot>')
    return file


def refused(file: Path, words: str) -> None:
    """A check finds one error, of the mesh of link a."""
    (finding,) = [f for f in robots.diagnose(file) if f.level == "error"]
    assert (finding.code, finding.link) == ("mesh", "a")
    assert re.search(words, finding.message)


def test_entity_bombs_and_external_entities(tmp_path):
    bomb = '<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa">' + "".join(
        f'<!ENTITY {y} "{("&" + x + ";") * 10}">'
        for x, y in zip("abcdefgh", "bcdefghi", strict=True)
    )
    secret = tmp_path / "secret"
    secret.write_text("<link name='stolen'/>")
    for doctype, body in (
        (bomb + "]>", "&i;"),
        (f'<!DOCTYPE r [<!ENTITY x SYSTEM "file://{secret}">]>', "&x;"),
        (f'<!DOCTYPE r SYSTEM "file://{secret}">', ""),
        ('<!DOCTYPE r [<!ENTITY % p SYSTEM "http://localhost/x"> %p;]>', ""),
    ):
        with pytest.raises(ModelError, match="DOCTYPE"):
            load(f'<?xml version="1.0"?>{doctype}<robot name="r">{LINK.format(body)}</robot>')
        with pytest.raises(ModelError, match="DOCTYPE"):
            robots.srdf.read_srdf(f'{doctype}<robot name="r">{body}</robot>')


def test_deep_large_and_long(tmp_path):
    with pytest.raises(ModelError, match="deeper"):
        load("<robot>" + "<a>" * 100_000 + "</a>" * 100_000 + "</robot>")
    with pytest.raises(ModelError, match="elements"):
        load("<robot>" + "<a/>" * 300_000 + "</robot>")
    with pytest.raises(ModelError, match="bytes"):
        load("<robot>" + " " * MAX_BYTES + "</robot>")
    (tmp_path / "big.urdf").touch()
    os.truncate(tmp_path / "big.urdf", 10 * 2**30)  # ten gigabytes of nothing
    with pytest.raises(ModelError, match="bytes"):
        load(tmp_path / "big.urdf")


@pytest.mark.parametrize(
    ("joints", "kind"),
    [(3000, "continuous"), (3000, "fixed"), (201, "continuous"), (40, "floating")],
)
def test_long_chains(joints, kind):
    links = "".join(f'<link name="l{i}">{INERTIAL}</link>' for i in range(joints + 1))
    chain = "".join(
        f'<joint name="j{i}" type="{kind}"><parent link="l{i}"/><child link="l{i + 1}"/></joint>'
        for i in range(joints)
    )
    with pytest.raises(ModelError, match="at most"):
        load(f'<robot name="r">{links}{chain}</robot>')


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x00" * 100,
        bytes(range(256)),
        b"\x7fELF" + b"\0" * 60,
        b"<robot name='r'><link name='\xff\xfe'/></robot>",
        b"<?xml version='1.0' encoding='klingon'?><robot name='r'><link name='a'/></robot>",
        b"<robot name='r'><link name='a'>",
        b"<robot name='r'><link name='a'/></robot><robot name='s'/>",
        b"<robot name='r'><link name='a&#0;b'/></robot>",
        b"<!-- only a comment -->",
        b"PK\x03\x04",
        "<robot name='r'/>".encode("utf-16")[:-3],
    ],
)
def test_what_is_no_xml(data, tmp_path):
    file = tmp_path / "robot.urdf"
    file.write_bytes(data)
    with pytest.raises(ModelError, match=r"robot\.urdf"):
        load(file)


def test_no_regular_file(tmp_path):
    pipe, loop = tmp_path / "pipe.urdf", tmp_path / "loop.urdf"
    os.mkfifo(pipe)
    loop.symlink_to(loop)
    for path in (pipe, loop, tmp_path, Path("/dev/zero"), "a\0b.urdf", "x" * 5000, "\0", "talos\0"):
        with pytest.raises(ModelError):
            load(path)


def test_what_other_readers_allow():
    """Hyphens in comments; blank lines and comments before the declaration of XML."""
    for start in ("", "\n\n", "<!-- one -->\n"):
        text = f'{start}<?xml version="1.0" encoding="utf-8"?>\n<a/>'
        for data in (text, text.encode()):
            assert parse(data).line == start.count("\n") + 2
    text = "<a><!-- one -- two -->\n<!------ three\n---><b/></a>"
    (child,) = parse(text).children
    assert (child.tag, child.line) == ("b", 3)
    with pytest.raises(ModelError, match="mismatched tag at line 2"):
        parse("<a><!-- one -- two -->\n<b></a>")
    with pytest.raises(ModelError, match="DTDForbidden"):
        parse("<!DOCTYPE a><!-- -- --><a/>")
    for text in ("<!--" * 100_000, f"<!--{'-- ' * 100_000}", "<!-- a -- b -->" * 20_000):
        with pytest.raises(ModelError):
            parse(f"<a>{text}")


# --- meshes ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "../../secret.stl",
        "../../../secret.stl",
        "meshes/../../../secret.stl",
        "{outside}/secret.stl",
        "file://{outside}/secret.stl",
        "file://localhost{outside}/secret.stl",
        "package://robot/../../secret.stl",
        "package://../secret.stl",
        "package://robot/%2e%2e/%2e%2e/secret.stl",
        "package://robot/link.stl",
        "package://{outside.name}/secret.stl",
        "package://tmp/secret.stl",
        "package://{outside.parent.name}/{outside.name}/secret.stl",
        "model://robot/../../secret.stl",
        "http://localhost/secret.stl",
        "link.stl",
        "meshes/folder/secret.stl",
        "/etc/passwd",
        "file:///etc/passwd",
        "\\\\server\\share\\secret.stl",
    ],
)
def test_meshes_outside_the_folders_are_not_read(name, tmp_path):
    """Without a package.xml a file reads from its folder and the one above."""
    home = tmp_path / "above" / "robot"
    (home / "meshes").mkdir(parents=True)
    write_stl(tmp_path / "secret.stl")
    (home / "link.stl").symlink_to(tmp_path / "secret.stl")
    (home / "meshes" / "folder").symlink_to(tmp_path)
    file = with_mesh(home / "robot.urdf", name.format(outside=tmp_path))
    for options in ({"source": file}, {"source": file.read_text(), "package_dirs": [home]}):
        with pytest.raises(ModelError, match="mesh"):
            load(**options, strict=True)
        try:
            with warnings.catch_warnings(record=True, action="always") as caught:
                shapes = load(**options).visual.ngeoms
            words = str(caught[0].message)
        except ModelError as error:  # it may not be read
            words, shapes = str(error), 0
        assert shapes == 0
        assert "mesh" in words
    assert any(f.code == "mesh" for f in robots.diagnose(file))


def write_stl(path: Path, *corners: float) -> None:
    """One triangle."""
    path.parent.mkdir(parents=True, exist_ok=True)
    numbers = np.array([0, 0, 1, *(corners or (0, 0, 0, 1, 0, 0, 0, 1, 0))], dtype="<f4")
    path.write_bytes(b"\0" * 80 + (1).to_bytes(4, "little") + numbers.tobytes() + b"\0\0")


def test_a_package_reads_its_files_however_they_are_installed(tmp_path, monkeypatch):
    """A workspace installs folders and files by links; its package.xml makes it a package."""
    source, share = tmp_path / "src/robot", tmp_path / "install/robot/share/robot"
    write_stl(source / "meshes/a.stl")
    write_stl(source / "single.stl")
    (share / "urdf/deep/er").mkdir(parents=True)
    (share / "meshes").symlink_to(source / "meshes")
    (share / "single.stl").symlink_to(source / "single.stl")
    (share / "package.xml").write_text("<package><name>robot</name></package>")
    file = share / "urdf/deep/er/robot.urdf"
    names = ["package://robot/meshes/a.stl", "../../../single.stl", f"{share}/meshes/a.stl"]
    for name in names:
        assert load(with_mesh(file, name)).visual.ngeoms == 1
    other = tmp_path / "else/where/robot.urdf"
    other.parent.mkdir(parents=True)
    for name in (names[0], names[2]):
        with_mesh(other, name)
        with pytest.raises(ModelError, match="package_dirs"):
            load(other, strict=True)
        assert load(other, package_dirs=[share]).visual.ngeoms == 1
        assert load(other, package_dirs=[share.parent]).visual.ngeoms == 1
        with monkeypatch.context() as patch:
            patch.setenv("AMENT_PREFIX_PATH", str(tmp_path / "install/robot"))
            assert load(other).visual.ngeoms == 1


def test_the_home_folder_is_no_package(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("secret.stl", "robots/ours.stl"):
        write_stl(tmp_path / name)
    (tmp_path / "package.xml").write_text(f"<package><name>{tmp_path.name}</name></package>")
    file = with_mesh(tmp_path / "robots/robot.urdf", "ours.stl")
    assert load(file).visual.ngeoms == 1
    for name in (f"package://{tmp_path.name}/secret.stl", "~/secret.stl", "../secret.stl"):
        with pytest.raises(ModelError, match="secret"):
            load(with_mesh(file, name), strict=True)
    words = rf"{tmp_path}/secret.stl, outside .*package_dirs=\['"
    with pytest.warns(FootworkWarning, match=words):
        assert load(file).visual.ngeoms == 0


def test_includes_stay_inside(tmp_path):
    """MJCF's includes once reached every folder by package://."""
    (tmp_path / "secret.xml").write_text("<mujocoinclude><worldbody/></mujocoinclude>")
    home = tmp_path / "above/robot"
    home.mkdir(parents=True)
    file = home / "robot.xml"
    for name in (f"package://{tmp_path.name}/secret.xml", "../../secret.xml", f"{tmp_path}/secret"):
        file.write_text(f'<mujoco><include file="{name}"/></mujoco>')
        with pytest.raises(ModelError, match=r"line 1: include .*secret"):
            load(file)


@pytest.mark.parametrize("suffix", [".stl", ".dae", ".obj", ".txt", ""])
def test_garbage_is_no_mesh(suffix, tmp_path):
    (tmp_path / f"m{suffix}").write_bytes(random.Random(1).randbytes(2000))
    with pytest.raises(ModelError, match="mesh"):
        load(with_mesh(tmp_path / "robot.urdf", f"m{suffix}"))


def test_a_mesh_that_only_looks_like_one_is_refused_when_it_is_read(tmp_path):
    dae = "<?xml version='1.0'?><COLLADA version='1.4.1'><oops></COLLADA>"
    for name, text in (("m.dae", dae), ("m.obj", "v 1 2\nf 1 2 99999999\n")):
        (tmp_path / name).write_text(text)
        robot = load(with_mesh(tmp_path / "robot.urdf", name))
        with pytest.raises(ModelError, match="meshes=False"):
            _ = robot.visual


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("m.gltf", '{{"asset": {{"version": "2.0"}}, "buffers": [{{"uri": "{}"}}]}}'),
        ("m.gltf", '{{"asset": {{"version": "2.0"}}, "images": [{{"uri": "{}"}}]}}'),
        ("m.obj", "v 0 0 0\nmtllib {}\n"),
    ],
)
def test_meshes_name_files_of_their_own_package_only(tmp_path, name, text):
    """Mesh libraries read the files that a mesh names."""
    (tmp_path / "secret").write_bytes(b"\0" * 64)
    path = tmp_path / "above/robot" / name
    path.parent.mkdir(parents=True)
    (path.parent / "mine").write_bytes(b"\0" * 64)
    for uri, problem in (("mine", ""), ("../../secret", "outside"), ("/etc/passwd", "outside")):
        path.write_text(text.format(uri))
        why = mesh_headers.why_unreadable(path)
        assert problem in why
        assert bool(why) == bool(problem)
    chunk = text.format(tmp_path / "secret").encode()
    glb = path.with_suffix(".glb")
    header = [0x46546C67, 2, 20 + len(chunk), len(chunk), 0x4E4F534A]
    glb.write_bytes(np.array(header, dtype="<u4").tobytes() + chunk)
    assert "outside" in mesh_headers.why_unreadable(glb) or name == "m.obj"


def collada_of_instances(levels: int, width: int) -> str:
    """A scene whose nodes instantiate each other, `width` to the power of `levels` in all."""
    nodes = "".join(
        f'<node id="k{i}">' + f'<instance_node url="#k{i + 1}"/>' * width + "</node>"
        for i in range(levels)
    )
    return (
        '<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" '
        f'version="1.4.1"><library_nodes>{nodes}<node id="k{levels}"/></library_nodes>'
        '<library_visual_scenes><visual_scene id="s"><node><instance_node url="#k0"/></node>'
        "</visual_scene></library_visual_scenes></COLLADA>"
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (collada_of_instances(10, 10), "instances of nodes"),
        (collada_of_instances(2, 3).replace("#k2", "#k0"), "instantiate one another"),
        (collada_of_instances(2, 3), ""),
    ],
)
def test_a_scene_that_instances_blow_up_is_refused(tmp_path, text, problem):
    """Kilobytes that mesh libraries would expand without end."""
    path = tmp_path / "m.dae"
    path.write_text(text)
    why = mesh_headers.why_unreadable(path)
    assert problem in why
    assert bool(why) == bool(problem)


@pytest.mark.parametrize(
    ("bad", "problem"), [(np.nan, "not finite"), (np.inf, "not finite"), (1e30, "1e\\+30 m away")]
)
def test_a_mesh_whose_vertices_cannot_be_is_refused(tmp_path, bad, problem):
    write_stl(tmp_path / "m.stl", 0, 0, bad, 1, 0, 0, 0, 1, 0)
    (tmp_path / "m.obj").write_text(f"v 0 0 {bad}\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    for name in ("m.stl", "m.obj"):
        file = with_mesh(tmp_path / "robot.urdf", name)
        with pytest.raises(ModelError, match=problem):
            _ = load(file).visual
        refused(file, problem)


def test_a_damaged_mesh_is_found_by_a_check(tmp_path):
    """Indices out of range, and a document type: `footwork check` once found nothing."""
    (tmp_path / "n.off").write_text("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n")
    assert mesh_headers.why_unreadable(tmp_path / "n.off") == ""
    off = "OFF\n3 1 0\n0 0 0\n1 0 0  # x\n0 1 0\n3 0 1 99\n"
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><COLLADA'
    scene = collada_of_instances(2, 3).replace("<COLLADA", bomb, 1)
    for name, text, message in (
        ("m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 99\n", "index out of range"),
        ("m.off", off, "a face of vertex 99, of 3"),
        ("m.dae", scene, "document type"),
    ):
        (tmp_path / name).write_text(text)
        file = with_mesh(tmp_path / "robot.urdf", name)
        refused(file, message)
    with pytest.raises(ModelError, match="document type"):
        load(file)


def test_a_triangle_count_that_promises_too_much_is_refused(tmp_path):
    (tmp_path / "m.stl").write_bytes(b"\0" * 80 + b"\xff\xff\xff\xff" + b"\0" * 500)
    with pytest.raises(ModelError, match="not an STL"):
        load(with_mesh(tmp_path / "robot.urdf", "m.stl"))


# --- whatever comes ----------------------------------------------------------------------------

WORDS = (
    "nan inf -1 0 1e308 -1e308 1e-308 1,5 1.5kg ${m} x universe base bar_1 root_joint joint_1 "
    "revolute continuous floating planar prismatic fixed spherical 1_0 0x10 ../../x "
    "file:///etc/passwd /dev/zero < & é ١"
)
PHRASES = ("", "0 0 0", "1 2", "1 2 3", "0 0 1e30", "1e-7 0 0", "a" * 300)
TAG_NAMES = (
    "link joint inertial mass inertia visual collision geometry box sphere mesh cylinder axis "
    "limit mimic parent child origin robot material color texture dynamics xacro:macro"
)
ATTRIBUTE_NAMES = (
    "name link type xyz rpy value ixx ixy radius length size filename scale lower upper effort "
    "velocity joint multiplier offset rgba damping"
)
VALUES = st.sampled_from([*WORDS.split(), *PHRASES])
TAGS = st.sampled_from(TAG_NAMES.split())
ATTRIBUTES = st.sampled_from(ATTRIBUTE_NAMES.split())
SOURCES = [(MODELS / f"{n}.urdf").read_text() for n in ("double_pendulum", "limb", "block")]


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A small URDF with one to four changes to its tree, and at times to its text."""
    root = parse(draw(st.sampled_from(SOURCES)))
    for _ in range(draw(st.integers(1, 4))):
        nodes = list(root.walk())
        node = nodes[draw(st.integers(0, len(nodes) - 1))]
        change = draw(st.sampled_from(("value", "value", "value", "drop", "twice", "tag", "add")))
        if change == "value":
            known = st.sampled_from(sorted(node.attrib)) if node.attrib else ATTRIBUTES
            node.attrib[draw(known)] = draw(VALUES)
        elif change == "drop" and node.children:
            node.children.pop(draw(st.integers(0, len(node.children) - 1)))
        elif change == "twice" and node.children:
            copy = node.children[draw(st.integers(0, len(node.children) - 1))]
            node.children.append(parse(serialize(copy)))
        elif change == "tag":
            node.tag = draw(TAGS)
        elif change == "add":
            node.children.append(Node(draw(TAGS), {draw(ATTRIBUTES): draw(VALUES)}))
    text = serialize(root)
    return text[: draw(st.integers(0, len(text)))] if draw(st.integers(0, 9)) == 0 else text


@settings(
    max_examples=200, deadline=5000, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
@given(mutated(), st.sampled_from(["floating", "fixed"]))
def test_mutated_descriptions_load_or_say_why_not(text, base):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FootworkWarning)
        try:
            robot = load(text, base=base)
        except FootworkError:
            return
    ones = np.ones(robot.nv)
    q = robot.random_configuration(0)
    tau = pin.rnea(robot.model, robot.model.createData(), q, ones, ones)
    assert np.isfinite(tau).all()
    assert robot.selection_matrix.shape == (robot.na, robot.nv)
    assert robot.visual.ngeoms >= 0
    assert not any(f.level == "error" for f in robots.diagnose(text))


@settings(max_examples=100, deadline=2000, derandomize=True)
@given(st.one_of(st.text(max_size=200), st.text(max_size=200).map(lambda s: "<" + s)))
def test_any_text_is_refused_with_a_reason(text):
    with pytest.raises(ModelError, match=r".+"):
        load(text if text not in robots.catalogue.names() and text != "-" else "<")


@settings(max_examples=200, deadline=2000, derandomize=True)
@given(
    st.one_of(
        st.lists(st.floats(), max_size=9),
        st.text(max_size=5),
        st.none(),
        st.integers(),
        st.lists(st.lists(st.floats(width=16), max_size=3), max_size=9),
        st.binary(max_size=9),
        st.dictionaries(st.text(max_size=2), st.floats(), max_size=2),
    )
)
def test_any_value_of_q_is_taken_or_refused(value):
    robot = load("block")
    try:
        q = robot.integrate(value, np.zeros(6))
    except FootworkError:
        return
    assert pin.isNormalized(robot.model, q, 1e-6)


def test_nothing_is_written_to_the_terminal_by_what_is_refused():
    code = (
        "import footwork as fw\n"
        'for s in (\'<robot\', \'<robot name="r"><link name="a"/><joint name="j"/></robot>\'):\n'
        "    try: fw.load(s)\n"
        "    except fw.ModelError: pass\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == done.stderr == ""
