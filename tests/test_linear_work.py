"""Work on hostile files grows as the files do: calls of functions are counted, not seconds."""

from __future__ import annotations

import sys
import warnings

import pytest

from footwork import ModelError, load, robots
from footwork.robots.files import mesh_headers
from footwork.robots.files.hardened_xml import _Builder
from footwork.robots.findings import Finding

INERTIAL = (
    '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    "</inertial>"
)


def calls(work, *args) -> int:
    """The functions that are called, Python's own included."""
    count = 0

    def tick(frame, event, arg):
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(tick)
    try:
        work(*args)
    finally:
        sys.setprofile(None)
    return count


def misnamed(n: int) -> str:
    links = "".join(f'<link name="link_number_{i}">{INERTIAL}</link>' for i in range(n + 1))
    joints = "".join(
        f'<joint name="j{i}" type="fixed"><parent link="link_number_{i}"/>'
        f'<child link="lnik_number_{i + 1}"/></joint>'
        for i in range(n)
    )
    return f'<robot name="r">{links}{joints}</robot>'


def shapes(n: int) -> str:
    shape = '<visual><geometry><sphere radius="-1"/></geometry><material name="m{}"/></visual>'
    colour = '<material name="c{}"><color rgba="1 1 1 1"/></material>'
    inside = "".join(shape.format(i) for i in range(n))
    named = "".join(
        f'<visual><geometry><sphere radius="1"/></geometry>{colour.format(i)}</visual>'
        for i in range(n)
    )
    return f'<robot name="r"><link name="a">{INERTIAL}{inside}{named}</link></robot>'


def several(n: int) -> str:
    joints = "".join(f'<joint name="j{i}" type="turns"/>' for i in range(n))
    return f'<robot name="r"><link name="a"/>{joints}</robot>'


@pytest.mark.parametrize("text", [misnamed, shapes, several])
def test_findings_are_linear_work(text):
    small, large = (calls(robots.diagnose, text(n)) for n in (50, 200))
    assert large < 5 * small


def test_errors_are_linear_work():
    def refused(text):
        with pytest.raises(ModelError):
            load(text)

    comparisons = []
    original = Finding.__eq__
    Finding.__eq__ = lambda a, b: comparisons.append(1) or original(a, b)
    try:
        refused(several(500))
    finally:
        Finding.__eq__ = original
    assert len(comparisons) < 5000


def test_text_in_pieces_is_not_copied_again_and_again():
    """The parser gives a text with entities in pieces."""
    copied = 0

    class Piece(str):
        def __radd__(self, other):
            nonlocal copied
            copied += len(other)
            return str(other) + str(self)

    class Lines:
        def getLineNumber(self):
            return 1

    builder = _Builder(Lines(), 10)
    builder.startElement("robot", {})
    for _ in range(1000):
        builder.characters(Piece("a"))
    builder.endElement("robot")
    assert builder.root.text == "a" * 1000
    assert copied == 0


def test_a_long_name_is_cut():
    text = misnamed(20).replace("lnik_number_1", "x" * 10**5)
    with pytest.raises(ModelError) as caught:
        load(text)
    assert len(str(caught.value)) < 20_000
    with pytest.raises(ModelError) as caught:
        load("block", lock=["x" * 10**5])
    assert len(str(caught.value)) < 2_000


def test_nested_collada_nodes_are_linear_work(tmp_path):
    def scene(n):
        path = tmp_path / f"{n}.dae"
        nodes = "".join(f'<node id="n{i}">' for i in range(n)) + "</node>" * n
        uses = "".join(f'<instance_node url="#n{i}"/>' for i in range(n))
        path.write_text(
            '<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema"><library_nodes>'
            f'{nodes}</library_nodes><library_visual_scenes><visual_scene id="s">{uses}'
            "</visual_scene></library_visual_scenes></COLLADA>"
        )
        return path

    small, large = (calls(mesh_headers.why_unreadable, scene(n)) for n in (50, 200))
    assert large < 5 * small


@pytest.mark.parametrize("classes", ["", '<default><joint type="ball"/></default>'])
def test_joints_of_mjcf_are_limited(classes):
    def arm(n):
        joints = "".join(
            f'<body name="b{i}" pos="0 0 {i}"><joint name="j{i}"/>'
            '<geom type="sphere" size="0.1" mass="1"/></body>'
            for i in range(n)
        )
        trunk = f'<body name="trunk"><geom type="sphere" size="1" mass="1"/>{joints}</body>'
        return f'<mujoco model="m">{classes}<worldbody>{trunk}</worldbody></mujoco>'

    with pytest.raises(ModelError, match=r"degrees of freedom; at most 200"):
        load(arm(1000))
    with pytest.raises(ModelError, match=r"bodies; at most 5000"):
        load(arm(5001))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert load(arm(60)).nv in (60, 180)
    shapes = '<geom type="sphere" size="0.1"/>' * 2001
    with pytest.raises(ModelError, match=r"more than 2000 geoms"):
        load(f'<mujoco><worldbody><body name="a">{shapes}</body></worldbody></mujoco>')
    many = " ".join(f'a{i}="1"' for i in range(101))
    with pytest.raises(ModelError, match=r"more than 100 attributes"):
        load(f"<mujoco>{classes}<default><geom {many}/></default><worldbody/></mujoco>")
