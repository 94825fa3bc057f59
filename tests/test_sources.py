"""MJCF and robot_descriptions: whatever a user has, it loads or says what to do."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from as_in_mujoco import moves_alike

from footwork import FootworkWarning, ModelError, load, robots

MJCF = """<mujoco model="hopper">
<compiler angle="radian"/>
<default><default class="strong"><motor forcerange="-30 30"/></default></default>
<worldbody>
  <body name="trunk" pos="0 0 1">
    <freejoint name="free"/><inertial pos="0 0 0.1" mass="5" diaginertia="0.1 0.2 0.1"/>
    <geom type="box" size="0.1 0.1 0.1"/>
    <body name="thigh" pos="0 0 -0.1">
      <joint name="hip" axis="0 1 0" range="-2 2" armature="0.02"/>
      <geom type="capsule" size="0.03" fromto="0 0 0 0 0 -0.4" mass="1"/>
      <body name="shank" pos="0 0 -0.4">
        <joint name="knee" axis="0 1 0" range="0 2"/>
        <geom type="capsule" size="0.02" fromto="0 0 0 0 0 -0.4" mass="0.5"/>
        <body name="toe" pos="0 0 -0.4"><joint name="spring" type="slide" axis="0 0 1"/>
          <geom type="sphere" size="0.03" mass="0.1"/></body>
      </body>
    </body>
  </body>
</worldbody>
<actuator><motor joint="hip" gear="2" ctrlrange="-10 10"/>
  <motor class="strong" joint="knee"/></actuator>
<keyframe><key name="crouch" qpos="0 0 0.9 1 0 0 0 -0.5 1 0.1"/></keyframe>
</mujoco>"""


def test_mjcf_is_read_with_keyframes_actuators_and_limits(tmp_path):
    file = tmp_path / "hopper.xml"
    file.write_text(MJCF)
    robot = load(file)
    assert (robot.name, robot.nq, robot.nv, robot.mass) == ("hopper", 10, 9, pytest.approx(6.6))
    assert robot.is_floating
    assert robot.actuated == ("hip", "knee")  # nothing drives the spring
    np.testing.assert_allclose(robot.torque_limits, [20, 30])
    np.testing.assert_allclose(
        robot.posture("crouch"), [0, 0, 0.9, 0, 0, 0, 1, -0.5, 1, 0.1]
    )  # w x y z there, x y z w here
    assert list(robot.postures) == ["crouch", "standing"]  # it would fall from the crouch
    assert robot.visual.ngeoms == 4
    assert load(MJCF).model == robot.model
    assert robots.diagnose(MJCF) == ()


def test_mjcf_has_the_mass_matrix_of_mujoco():
    mujoco = pytest.importorskip("mujoco")
    robot, model = load(MJCF), mujoco.MjModel.from_xml_string(MJCF)
    moves_alike(model, robot, 1e-11)


def test_mjcf_bases_and_locks():
    fixed = load(MJCF, base="fixed", lock={"spring": 0.05})
    assert (fixed.nv, fixed.na, fixed.locked) == (2, 2, ("free", "spring"))
    np.testing.assert_allclose(fixed.posture("crouch"), [-0.5, 1])
    assert fixed.visual.ngeoms == 4
    welded = MJCF.replace('<freejoint name="free"/>', "").replace("0 0 0.9 1 0 0 0 ", "")
    assert not load(welded).is_floating  # as the file says
    freed = load(welded, base="floating")
    assert freed.is_floating
    np.testing.assert_allclose(freed.posture("crouch"), [0, 0, 1, 0, 0, 0, 1, -0.5, 1, 0.1])
    with pytest.raises(ModelError, match="'knee'"):
        load(MJCF, lock=["kneee"])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('mass="5"', 'mass="-5"', "line 6.*negative"),
        ('mass="5"', 'mass="nan"', "line 6.*finite"),
        ('mass="5"', 'mass="1,5"', "line 6.*finite"),
        ('pos="0 0 1"', 'pos="0 0 one"', "line 5.*finite"),
        ("<worldbody>", '<include file="../../etc/passwd"/><worldbody>', "include"),
        ('type="slide"', 'type="spiral"', "line 14.*'spiral'; expected free, ball, hinge, slide"),
    ],
)
def test_mjcf_that_cannot_be_is_refused(old, new, message):
    with pytest.raises(ModelError, match=message):
        load(MJCF.replace(old, new, 1))
    assert robots.diagnose(MJCF.replace(old, new, 1))[0].level == "error"


def test_meshes_that_may_not_be_read_are_left_out():
    asset = '<asset><mesh name="m" file="/etc/passwd"/></asset>'
    geom = '<geom type="mesh" mesh="m" mass="0"/><freejoint'
    text = MJCF.replace("<worldbody>", f"{asset}<worldbody>").replace("<freejoint", geom, 1)
    with pytest.warns(FootworkWarning, match="may not be read, and left out: .*outside"):
        robot = load(text)
    assert robot.visual.ngeoms == load(MJCF).visual.ngeoms
    with pytest.raises(ModelError, match="may not be read"):
        load(text, strict=True)


def test_mjcf_includes_are_read_and_circles_of_them_end(tmp_path):
    start, end = MJCF.index("<actuator>"), MJCF.index("<keyframe>")
    (tmp_path / "motors.xml").write_text(f"<mujocoinclude>{MJCF[start:end]}</mujocoinclude>")
    file = tmp_path / "hopper.xml"
    file.write_text(MJCF[:start] + '<include file="motors.xml"/>' + MJCF[end:])
    assert load(file).actuated == ("hip", "knee")
    (tmp_path / "motors.xml").write_text('<x><include file="motors.xml"/></x>')
    with pytest.raises(ModelError, match="includes"):
        load(file)


# --- others ------------------------------------------------------------------------------------


def test_what_describes_no_robot_says_what_is_expected():
    with pytest.raises(ModelError, match="<svg>, expected <robot>, <mujoco> or <sdf>"):
        load("<svg/>")
    with pytest.raises(ModelError, match=r"models of OpenSim are not read; .*make_subject"):
        load('<OpenSimDocument Version="40000"><Model/></OpenSimDocument>')


def test_names_of_robot_descriptions(tmp_path, monkeypatch):
    package = tmp_path / "robot_descriptions"
    (package / "data").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "data" / "toy.urdf").write_text(
        '<robot name="toy"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" '
        'izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>'
    )
    (package / "toy_description.py").write_text(
        "from pathlib import Path\nPACKAGE_PATH = str(Path(__file__).parent / 'data')\n"
        "URDF_PATH = PACKAGE_PATH + '/toy.urdf'\n"
    )
    (package / "broken_description.py").write_text("raise RuntimeError('no network')\n")
    with pytest.raises(ModelError, match="pip install robot_descriptions"):
        load("toy_description")
    monkeypatch.syspath_prepend(tmp_path)
    assert load("toy_description").mass == 1
    with pytest.raises(ModelError, match="no network"):
        load("broken_description")
    with pytest.raises(ModelError, match="no module"):
        load("missing_description")
    for name in [n for n in sys.modules if n.startswith("robot_descriptions")]:
        monkeypatch.delitem(sys.modules, name)


def test_importing_the_room_prints_and_downloads_nothing():
    code = "import footwork.robots, sys; print('meshcat' in sys.modules, 'cvxpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout.strip(), done.stderr) == ("False False", "")


def test_mjcf_numbers_that_pinocchio_would_make_up_are_refused():
    """Of pos="0 1" it reads the third number from uninitialised memory."""
    for old, new in (('pos="0 0 -0.4"', 'pos="0 1"'), ('axis="0 1 0"', 'axis="0 0 0"')):
        with pytest.raises(ModelError, match="expected 3 finite numbers"):
            load(MJCF.replace(old, new, 1))
    with pytest.raises(ModelError, match="<joint>: called 'hip', of which there are two"):
        load(MJCF.replace('"knee"', '"hip"'))


def test_a_folder_is_told_as_it_was_typed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "robot.urdf").write_text("<robot/>")
    with pytest.raises(ModelError) as caught:
        load(Path("mine"))
    assert str(caught.value).startswith("mine: a folder; expected a robot description, such as")
