"""<attach>: parts of other MJCF models mean what they mean in their own file, as in MuJoCo."""

import numpy as np
import pytest
from as_in_mujoco import moves_alike

from footwork import FootworkWarning, ModelError, load, robots
from footwork import dynamics as dyn

# settings, defaults and units of its own
CHILD = """<mujoco model="leg"><compiler angle="radian"/>
<default><joint armature="0.5"/><geom density="500"/>
  <default class="bent"><joint axis="0 1 0" range="-1 1"/></default></default>
<asset><mesh name="m" file="m.obj"/><material name="red" rgba="1 0 0 1"/></asset>
<worldbody><geom name="floor" size="1"/>
  <body name="thigh" pos="1 2 3" euler="0 0 0.5"><joint name="hip" class="bent" ref="0.1"/>
    <geom size="0.1" material="red"/>
    <body name="shin" pos="1 0 0"><joint name="knee"/><geom type="mesh" mesh="m"/>
      <site name="toe" pos="0 0 -1"/></body></body>
  <frame name="side" pos="0 0 5">
    <body name="tail"><joint name="wag"/><geom size="1"/></body></frame>
</worldbody>
<tendon><fixed name="cord"><joint joint="hip" coef="1"/></fixed></tendon>
<actuator><motor name="m_hip" joint="hip" ctrlrange="-3 3"/>
  <motor name="m_wag" joint="wag"/></actuator>
<contact><exclude body1="thigh" body2="shin"/></contact>
<keyframe><key name="k" qpos="0.5 0.6 0.7"/></keyframe></mujoco>"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # MuJoCo writes its warnings into a file there
    parts = tmp_path / "parts/meshes"
    parts.mkdir(parents=True)
    meshdir = CHILD.replace('angle="radian"', 'angle="radian" meshdir="meshes"')
    (tmp_path / "parts/leg.xml").write_text(meshdir)
    corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
    (parts / "m.obj").write_text(f"{corners}f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n")
    middle = '<mujoco><asset><model name="l" file="leg.xml"/></asset><worldbody><body name="mid">'
    middle += '<joint/><geom size="1"/><attach model="l" body="thigh" prefix="in_"/></body>'
    (tmp_path / "parts/mid.xml").write_text(f"{middle}</worldbody></mujoco>")
    return tmp_path


def main(folder, inside, before="", after=""):
    file = folder / "main.xml"
    models = '<model name="leg" file="parts/leg.xml"/><model name="mid" file="parts/mid.xml"/>'
    file.write_text(
        f'<mujoco>{before}<asset>{models}</asset><worldbody><body name="trunk" pos="0 0 1">'
        f'<freejoint/><geom size="1"/>{inside}</body></worldbody>{after}</mujoco>'
    )
    return file


PARTS = {
    "body": '<attach model="leg" body="thigh" prefix="l_"/>',
    "body of a body": '<attach model="leg" body="shin" prefix="l_"/>',
    "body of a frame": '<attach model="leg" body="tail" prefix="l_"/>',
    "frame": '<attach model="leg" frame="side" prefix="l_"/>',
    "all": '<attach model="leg" prefix="l_"/>',
    "twice": '<attach model="leg" body="thigh" prefix="l_"/>'
    '<frame euler="0 0 90"><attach model="leg" body="thigh" prefix="r_"/></frame>',
    "part of a part": '<attach model="mid" body="mid" prefix="l_"/>',
}


@pytest.mark.parametrize(
    "before", ["", '<compiler meshdir="x"/><default><joint armature="9"/></default>']
)
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.filterwarnings("ignore:(?s).*a mass of:footwork.FootworkWarning")
def test_parts_move_as_in_mujoco(folder, part, before):
    mujoco = pytest.importorskip("mujoco")
    file = main(folder, PARTS[part], before)
    model, robot = mujoco.MjModel.from_xml_path(str(file)), load(file)
    theirs = {model.joint(i).name for i in range(1, model.njnt)}
    assert theirs - {""} <= set(robot.joint_names)
    assert robot.na == (model.nu or model.njnt - 1)  # without an actuator all joints have one
    # MuJoCo turns meshes to their principal axes in single precision
    q, data = moves_alike(model, robot, 1e-7)
    for i in range(model.nsite):
        T = dyn.frame_placement(robot, q, model.site(i).name)
        np.testing.assert_allclose(T.translation, data.site_xpos[i], atol=1e-11)


def test_what_refers_to_a_part_comes_with_it(folder):
    motor = '<actuator><motor joint="l_knee"/></actuator>'
    robot = load(main(folder, PARTS["body"], after=motor))
    assert robot.joint_names == robot.actuated == ("l_hip", "l_knee")
    np.testing.assert_allclose(robot.torque_limits, [3, np.inf])
    np.testing.assert_allclose(robot.model.lowerPositionLimit[7:], [-1, -np.inf])
    assert robot.never_collide == (("l_thigh", "l_shin"),)
    red = next(o for o in robot.visual.geometryObjects if o.name.startswith("l_thigh"))
    np.testing.assert_allclose(red.meshColor, [1, 0, 0, 1])


def test_what_is_not_taken_is_said(folder):
    file = main(folder, PARTS["body"])
    words = [f.message for f in robots.diagnose(file)]
    assert "<attach>: the keyframes of the other model are left out" in words
    with pytest.warns(FootworkWarning, match="fitaabb: the settings of the main file are taken"):
        load(main(folder, PARTS["body"], '<compiler fitaabb="true"/>'))


INERTIAL = '<inertial pos="0 0 1" mass="2" diaginertia="1 2 2"/>'
OF_INERTIA = {
    'boundmass="9"': INERTIAL,
    'boundinertia="3"': INERTIAL,
    'inertiafromgeom="true"': INERTIAL,
    'inertiagrouprange="0 1"': '<geom size="0.1" group="2"/>',
    'balanceinertia="true"': INERTIAL.replace("1 2 2", "1 2 4"),
}


@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize("setting", OF_INERTIA)
@pytest.mark.filterwarnings("ignore:(?s).*a mass of:footwork.FootworkWarning")
def test_inertias_are_by_the_settings_of_the_file_of_a_body(folder, setting, own):
    """In MuJoCo each body keeps the settings of its own file, also where it is replicated."""
    mujoco = pytest.importorskip("mujoco")
    more = OF_INERTIA[setting]
    if not own:  # the main file's would not be needed
        more = more.replace("1 2 4", "1 2 3")
    child, leg = folder / "parts/leg.xml", '<geom size="0.1" material="red"/>'
    text = child.read_text().replace(leg, leg + more)
    child.write_text(text.replace("<compiler", f"<compiler {setting}") if own else text)
    twice = f'<replicate count="2" offset="0 0 1">{PARTS["body"]}</replicate>'
    shapes = '<geom group="1" size="0.1"/>'
    file = main(folder, shapes + twice, "" if own else f"<compiler {setting}/>")
    moves_alike(mujoco.MjModel.from_xml_path(str(file)), load(file), 1e-7)


@pytest.mark.parametrize(
    ("inside", "message"),
    [
        ('<attach model="lge" body="thigh" prefix="l_"/>', "no model 'lge'; did you mean 'leg'"),
        ('<attach model="leg" body="thig" prefix="l_"/>', "no body 'thig'; did you mean 'thigh'"),
        ('<attach model="leg" body="thigh" prefix=""/>' * 2, "two"),
    ],
)
def test_parts_that_are_not_there_are_refused(folder, inside, message):
    with pytest.raises(ModelError, match=message):
        load(main(folder, inside))


def test_models_that_attach_themselves_or_lie_outside_are_refused(folder):
    file = main(folder, "")
    text = '<mujoco><asset><model name="x" file="parts/loop.xml"/></asset><worldbody><body>'
    text += '<geom size="1"/><attach model="x" prefix="x_"/></body></worldbody></mujoco>'
    file.write_text(text)
    (folder / "parts/loop.xml").write_text(text.replace("parts/", ""))
    with pytest.raises(ModelError, match="deeper than 5"):
        load(file)
    file.write_text(text.replace("parts/loop.xml", "../../secret.xml"))
    with pytest.raises(ModelError, match="outside the folders"):
        load(file)


def test_models_in_the_folder_above_have_their_meshes_there(folder):
    mujoco = pytest.importorskip("mujoco")
    (folder / "scenes").mkdir()
    middle = (folder / "parts/mid.xml").read_text().replace("leg.xml", "../parts/leg.xml")
    (folder / "scenes/mid.xml").write_text(middle)
    text = main(folder, PARTS["part of a part"]).read_text()
    file = folder / "scenes/main.xml"
    file.write_text(text.replace("parts/mid.xml", "mid.xml").replace("parts/", "../parts/"))
    robot = load(file)
    assert not [f for f in robots.diagnose(file) if "mesh" in f.message]
    moves_alike(mujoco.MjModel.from_xml_path(str(file)), robot, 1e-7)
