"""Diagnosis of descriptions: every error is found, with its line, in one pass."""

import json
from functools import cache

import numpy as np
import pytest

from footwork import ModelError, dynamics, load, robots
from footwork.errors import FootworkWarning
from footwork.robots import diagnosis
from footwork.robots.files import meshes

SOUND = """<robot name="two">
<link name="a"><inertial><mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="b"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><origin xyz="0 0 1"/>
<axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="5" velocity="1"/></joint>
</robot>"""  # noqa: E501
SECOND_JOINT = '<joint name="k" type="fixed"><parent link="{}"/><child link="{}"/></joint></robot>'

# (code, level, line, replace this, by that)
CASES = [
    ("number", "error", 2, 'mass value="2"', 'mass value="nan"'),
    ("number", "error", 2, 'mass value="2"', 'mass value="inf"'),
    ("number", "error", 2, 'mass value="2"', 'mass value="1,5"'),
    ("number", "error", 2, 'mass value="2"', 'mass value="1.5kg"'),
    ("number", "error", 2, 'mass value="2"', 'mass value="${m}"'),
    ("number", "error", 2, 'mass value="2"', 'mass value="1e999"'),
    ("number", "error", 2, 'mass value="2"', 'mass value="1_0"'),
    ("number", "error", 2, 'mass value="2"', "mass "),
    ("inertial", "error", 2, '<mass value="2"/>', ""),
    ("inertial", "error", 2, 'mass value="2"', 'mass value="-2"'),
    ("number", "error", 2, 'ixx="0.1"', 'ixx="nan"'),
    ("number", "error", 2, ' ixx="0.1"', ""),
    ("inertia", "warning", 2, ' ixy="0"', ""),
    ("definite", "warning", 2, 'ixy="0"', 'ixy="0.3"'),
    ("definite", "warning", 2, 'izz="0.1"', 'izz="-0.001"'),  # as of Digit's elbows
    ("singular", "warning", 0, 'izz="0.1"', 'izz="-1"'),  # M is not positive definite
    ("triangle", "warning", 2, 'izz="0.1"', 'izz="0.5"'),
    ("massless", "warning", 2, 'mass value="2"', 'mass value="0"'),
    ("units", "warning", 2, 'mass value="2"', 'mass value="20000"'),
    ("units", "warning", 2, 'ixx="0.1" iyy="0.1"', 'ixx="100000" iyy="100000"'),
    ("units", "warning", 4, 'xyz="0 0 1"/>', 'xyz="0 0 1000"/>'),
    ("number", "error", 4, 'xyz="0 0 1"/>', 'xyz="0 1"/>'),
    ("axis", "error", 5, 'axis xyz="0 0 1"', 'axis xyz="0 0 0"'),
    ("axis", "warning", 5, 'axis xyz="0 0 1"', 'axis xyz="0 0 2"'),
    ("axis", "error", 4, 'type="revolute">', 'type="planar"><axis xyz="1 0 0"/>'),
    ("limits", "warning", 5, 'lower="-1"', 'lower="2"'),
    ("limits", "warning", 5, 'lower="-1"', 'lower="-90"'),
    ("limits", "warning", 5, 'effort="5"', 'effort="-5"'),
    ("limits", "error", 4, '<limit lower="-1" upper="1" effort="5" velocity="1"/>', ""),
    ("unlimited", "info", 0, 'effort="5"', 'effort="0"'),
    ("unlimited", "info", 0, ' effort="5"', ""),
    ("type", "error", 4, "revolute", "revolut"),
    ("ends", "error", 4, 'child link="b"', 'child link="c"'),
    ("ends", "error", 4, '<parent link="a"/>', ""),
    ("lost", "error", 4, 'child link="b"', 'child link="a"'),
    ("name", "error", 3, 'link name="b"', 'link name="a"'),
    ("name", "error", 4, 'joint name="j"', "joint "),
    ("name", "error", 3, '"b"', '"universe"'),
    ("name", "info", 1, ' name="two"', ""),
    ("roots", "error", 6, "</robot>", '<link name="c"/></robot>'),
    ("loop", "error", 6, "</robot>", SECOND_JOINT.format("a", "b")),
    (
        "lost", "error", 6, "</robot>",
        '<link name="c"/><link name="d"/><joint name="l" type="fixed"><parent link="c"/>'
        '<child link="d"/></joint>' + SECOND_JOINT.format("d", "c"),
    ),
    ("lost", "error", 6, "</robot>", '<robot name="other"/></robot>'),
    ("xacro", "error", 6, "</robot>", '<xacro:property name="x" value="1"/></robot>'),
    ("unreadable", "error", 0, "</robot>", "</robot><robot/>"),
    ("unreadable", "error", 0, "</robot>", ""),
    ("root", "error", 1, "robot", "machine"),
    ("mesh", "warning", 6, "</robot>", '<link name="c"><visual><geometry><mesh filename="x.stl"/>'
     "</geometry></visual></link>" + SECOND_JOINT.format("b", "c")),
    ("shape", "warning", 6, "</robot>", '<link name="c"><visual><geometry><sphere radius="-1"/>'
     "</geometry></visual></link>" + SECOND_JOINT.format("b", "c")),
    ("mimic", "warning", 5, "</joint>", '<mimic joint="nobody"/></joint>'),
    ("mimic", "warning", 5, "</joint></robot>".replace("</robot>", ""), '<mimic joint="k"/></joint>'
     '<link name="c"/><joint name="k" type="fixed"><parent link="b"/><child link="c"/>'
     '<mimic joint="l"/></joint><link name="d"/><joint name="l" type="fixed"><parent link="c"/>'
     '<child link="d"/><mimic joint="j"/></joint>'),
    ("mimic", "warning", 5, "</joint>", "<mimic/></joint>"),
    ("floating", "warning", 4, 'type="revolute"', 'type="floating"'),
    ("limits", "info", 0, "revolute", "continuous"),
    ("dynamics", "warning", 5, "</joint>", '<dynamics damping="-1"/></joint>'),
    ("dynamics", "warning", 5, "</joint>", '<dynamics friction="-1"/></joint>'),
    ("dynamics", "warning", 5, "</joint>", '<dynamics damping="1" armature="-1"/></joint>'),
    ("repeated", "warning", 5, "</joint>", '<axis xyz="1 0 0"/></joint>'),
    ("repeated", "warning", 5, "</joint>", '<limit lower="-2" upper="2"/></joint>'),
    ("repeated", "warning", 4, '<origin xyz="0 0 1"/>', '<origin xyz="0 0 1"/><origin/>'),
    ("repeated", "warning", 2, '<mass value="2"/>', '<mass value="2"/><mass value="3"/>'),
    ("repeated", "warning", 6, "</robot>", '<link name="c"><visual><geometry><sphere radius="1"/>'
     '</geometry><geometry/></visual></link>' + SECOND_JOINT.format("b", "c")),
]  # fmt: skip


def test_what_is_left_out_is_named():
    left = '<transmission name="t"/><gazebo/><gazebo/><loop_joint name="loop"/></robot>'
    text = SOUND.replace("</robot>", left).replace("</joint>", "<calibration/></joint>", 1)
    found = {f.code: f for f in robots.diagnose(text)}
    assert (found["closure"].level, found["unknown"].level) == ("warning", "info")
    for words in ("1 × <transmission>", "2 × <gazebo>", "1 × <joint/calibration>"):
        assert words in found["unknown"].message
    with pytest.warns(FootworkWarning, match="<loop_joint> 'loop': the constraint is left out"):
        load(text)


@pytest.mark.parametrize(("code", "level", "line", "old", "new"), CASES)
def test_each_defect_is_found_with_its_level_and_line(code, level, line, old, new):
    text = SOUND.replace(old, new) if old in ("robot", "0.1", '"b"') else SOUND.replace(old, new, 1)
    findings = robots.diagnose(text)
    found = [f for f in findings if f.code == code]
    assert found, [str(f) for f in findings]
    assert found[0].level == level
    assert found[0].line == line
    assert found[0].message
    assert diagnosis.passes(findings) == (level != "error")
    if level == "error":
        with pytest.raises(ModelError):
            load(text)
    elif level == "warning":
        with pytest.warns(FootworkWarning) as caught:
            robot = load(text)
        assert len(caught) == 1
        assert np.isfinite(robot.neutral()).all()
        with pytest.raises(ModelError):
            load(text, strict=True)
    else:
        load(text, strict=True)


def test_numbers_with_commas_between_are_told_that_blanks_are():
    between, point = "blanks between the numbers, no commas", "a decimal point"
    for given, hint in {"0, 0, 1": between, "0,0,1": between, "0,5 0 1": point}.items():
        for text in ('origin xyz="0 0 1"', 'axis xyz="0 0 1"'):
            (finding,) = robots.diagnose(SOUND.replace(text, text.replace("0 0 1", given)))
            assert finding.suggestion.startswith(hint)
    shape = '<visual><geometry><box size="1, 1, 1"/></geometry></visual></link>'
    (finding,) = robots.diagnose(SOUND.replace("</link>", shape, 1))
    assert between in str(finding)


def test_of_what_is_repeated_the_first_is_read():
    text = SOUND.replace("</joint>", '<limit lower="-2" upper="2" effort="9"/></joint>')
    text = text.replace('<mass value="1"/>', '<mass value="1"/><mass value="nan"/>')
    with pytest.warns(FootworkWarning, match="2 × <limit> in its <joint>: the first one is read"):
        robot = load(text)
    assert (robot.mass, robot.torque_limits) == (3.0, [5.0])


@pytest.mark.parametrize(
    ("dynamics", "armature"),
    [("armature='0.3'", 0.3), ("spring_stiffness='0'", 0.0), ("", 0.0)],
)
def test_dynamics_without_damping_and_friction_load(dynamics, armature, capfd):
    robot = load(SOUND.replace("</joint>", f"<dynamics {dynamics}/></joint>"))
    assert robot.model.armature[-1] == armature
    assert capfd.readouterr() == ("", "")


def test_a_sound_robot_has_no_findings():
    assert robots.diagnose(SOUND) == ()
    assert "No problems found" in diagnosis.verdict(())
    load(SOUND, strict=True)
    full, none = 'ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0"', 'ixx="0" iyy="0" izz="0" ixy="0"'
    point, rounded = (SOUND.replace(full, f'{none} ixz="{x}"') for x in ("0", "2e-35"))
    assert robots.diagnose(rounded) == robots.diagnose(point) != ()


def test_one_warning_lists_everything():
    text = SOUND.replace('izz="0.1"', 'izz="0.5"')
    with pytest.warns(FootworkWarning, match=r"(?s)2 things.*link 'a'.*link 'b'") as caught:
        load(text)
    assert len(caught) == 1
    assert caught[0].filename == __file__


def test_findings_name_whom_they_concern_and_go_to_json():
    (finding,) = robots.diagnose(SOUND.replace('izz="0.1"', 'izz="0.5"', 1))
    assert (finding.link, finding.joint) == ("a", "")
    assert "line 2" in str(finding)
    assert finding.suggestion in str(finding)
    assert json.loads(json.dumps(finding.as_dict()))["code"] == "triangle"
    assert "1 warning" in diagnosis.verdict([finding])
    assert diagnosis.passes([finding])
    assert not diagnosis.passes([finding], strict=True)


def test_a_joint_that_moves_no_mass_is_found():
    text = SOUND.replace("</robot>", '<link name="c"/>' + SECOND_JOINT.format("b", "c"))
    assert robots.diagnose(text) == ()
    finding = robots.diagnose(text.replace('"k" type="fixed"', '"k" type="continuous"'))[0]
    assert (finding.code, finding.level, finding.joint) == ("massless", "warning", "k")


def test_the_joint_of_the_base_may_be_taken_by_name():
    """Pinocchio would move the inertia of the child to the base."""
    robot = load(SOUND.replace('"j"', '"root_joint"'))
    assert robot.is_floating
    assert [i.mass for i in robot.model.inertias] == [0, 2, 1]
    assert robot.joint_names == ("root_joint",)


def test_a_floating_joint_below_a_root_with_mass_is_no_base():
    """The root was once welded to the world: two kilograms, and gravity acted on one."""
    text = SOUND.replace('type="revolute"', 'type="floating"')
    with pytest.warns(FootworkWarning, match="each free to move"):
        robot = load(text)
    q = robot.neutral()
    assert (robot.nv, robot.na, robot.mass) == (12, 0, 3)
    push = dynamics.com_jacobian(robot, q).T @ [0, 0, -9.81 * 3]
    np.testing.assert_allclose(dynamics.gravity_torques(robot, q), push, atol=1e-12)
    fall = dynamics.forward_dynamics(robot, q, np.zeros(12), np.zeros(0))
    np.testing.assert_allclose(fall, [0, 0, -9.81, 0, 0, 0] + [0] * 6, atol=1e-9)
    with pytest.warns(FootworkWarning):
        assert load(text, base="fixed").nv == 6  # the root alone is fixed
    a, b = text.index('<link name="a">'), text.index('\n<link name="b')
    world = f'{text[:a]}<link name="a"/>{text[b:]}'
    assert (load(world).nv, load(world, base="fixed").nv) == (6, 0)


def test_followers_are_locked_or_free_but_have_no_motor():
    follower = (
        '<link name="c"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" '
        'ixz="0" iyz="0"/></inertial></link><joint name="k" type="continuous"><parent link="b"/>'
        '<child link="c"/><axis xyz="1 0 0"/><mimic joint="j" multiplier="2" offset="0.3"/></joint>'
    )
    text = SOUND.replace("</robot>", follower + "</robot>")
    locked, free = load(text, mimic="lock"), load(text, mimic="independent")
    coupled = load(text)
    assert (coupled.nv, coupled.na, coupled.locked) == (8, 1, ())
    assert [closure.joint for closure in coupled.closures] == ["k"]
    assert (locked.nv, locked.na, locked.locked) == (7, 1, ("k",))
    assert (free.nv, free.na, free.locked) == (8, 1, ())
    assert locked.actuated == free.actuated == ("j",)
    T = locked.model.frames[locked.frame_id("c")].placement
    assert np.arccos(T.rotation[1, 1]) == pytest.approx(0.3)
    with pytest.raises(ModelError, match="'independent'"):
        load(text, mimic="maybe")


@cache  # a family of robots has many meshes in common
def damaged(path, usual=meshes.damaged):
    """Of the largest files nothing: a few take longer than all others."""
    return usual(path) if path.stat().st_size < 2_000_000 else ""


@pytest.mark.slow
@pytest.mark.parametrize("name", [i.name for i in robots.available() if i.installed])
def test_robots_of_the_catalogue_have_no_errors_and_load_quietly(name, monkeypatch):
    monkeypatch.setattr(meshes, "damaged", damaged)
    findings = robots.diagnose(name)
    assert diagnosis.passes(findings)
    assert all(f.message for f in findings)
    load(name, meshes=False)  # a warning would be an error here


def test_romeo_lists_its_joints_without_limits():
    if not next(i for i in robots.available() if i.name == "romeo").installed:
        pytest.skip("needs example-robot-data")
    (finding,) = [f for f in robots.diagnose("romeo") if f.code == "unlimited"]
    assert finding.message.startswith("24 joints")
    assert load("romeo", mimic="independent").unlimited_joints == ("LHand", "RHand")


def test_point_masses_are_worth_knowing():
    found = {(f.level, f.code) for f in robots.diagnose("limb")}
    assert found == {("info", "effort"), ("info", "inertia")}


@pytest.mark.parametrize(
    ("said", "scale", "warned"),
    [
        ('<unit name="millimeter" meter="0.001"/>', "", True),
        ('<unit meter="0.001" name="mm"/>', ' scale="0.001 0.001 0.001"', False),
        ('<unit meter="1" name="meter"/>', "", False),
        ("", "", False),
    ],
)
def test_a_mesh_in_millimetres_that_nothing_scales_is_told(tmp_path, said, scale, warned):
    text = f'<?xml version="1.0"?><COLLADA><asset>{said}</asset></COLLADA>'
    (tmp_path / "box.dae").write_text(text)
    shape = f'<visual><geometry><mesh filename="box.dae"{scale}/></geometry></visual>'
    mass = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    file = tmp_path / "it.urdf"
    file.write_text(f'<robot name="it"><link name="a">{mass}</inertial>{shape}</link></robot>')
    found = [f for f in robots.diagnose(file) if f.code == "units"]
    assert len(found) == warned
    if warned:
        assert found[0].level == "warning"
        assert 'scale="0.001 0.001 0.001"' in found[0].suggestion
