"""MJCF as people write it means to us what it means to MuJoCo: M, bias, gravity, places, motors."""

import re
import warnings

import numpy as np
import pinocchio as pin
import pytest
from as_in_mujoco import moves_alike
from conftest import HEAVY_BASE

from footwork import FootworkWarning, ModelError, cli, load, robots
from footwork import dynamics as dyn

INERTIAL = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
BALL = '<geom type="sphere" size="0.1" pos="0.1 0.02 0.03" mass="1.5"/>'


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """MuJoCo writes its warnings into a file in the working folder."""
    monkeypatch.chdir(tmp_path)


def mjcf(body, before="", after=""):
    """A trunk that floats, with `body` in it."""
    return (
        f'<mujoco model="m">{before}<worldbody><body name="trunk" pos="0 0 1"><freejoint/>'
        f'<inertial pos="0 0.1 0" mass="5" diaginertia="0.1 0.2 0.15"/>{body}</body></worldbody>'
        f"{after}</mujoco>"
    )


def leg(inside, attributes='name="leg" pos="0.1 0 -0.1"'):
    return f"<body {attributes}>{inside}{BALL}</body>"


def one(before="", after="", joint='<joint name="a"/>', attributes='name="leg" pos="0.1 0 -0.1"'):
    """The trunk with one leg."""
    return mjcf(leg(joint, attributes), before, after)


TWO = leg('<joint name="a"/>') + leg('<joint name="b"/>', 'name="other"')


def quiet(source, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FootworkWarning)
        return load(source, **options)


def agree(source, tolerance=1e-11):
    """Compare M, bias and gravity with MuJoCo's at random states; return both models."""
    mujoco = pytest.importorskip("mujoco")
    read = mujoco.MjModel.from_xml_string if str(source).startswith("<") else None
    model = (read or mujoco.MjModel.from_xml_path)(str(source))
    model.opt.density = model.opt.viscosity = 0
    robot = quiet(source)
    for seed in range(3):
        moves_alike(model, robot, tolerance, seed)
    return robot, model


MESH = (
    'vertex="0 0 0 2 0 0 2 1 0 1 1 0 1 2 0 0 2 0  0 0 1 2 0 1 2 1 1 1 1 1 1 2 1 0 2 1" '
    'face="0 2 1 0 3 2 0 5 3 3 5 4 6 7 8 6 8 9 6 9 11 9 10 11 0 1 7 0 7 6 1 2 8 1 8 7 2 3 9 2 9 8 '
    '3 4 10 3 10 9 4 5 11 4 11 10 5 0 6 5 6 11"'
)  # an L: not convex


def with_mesh(asset, geom='type="mesh"'):
    return mjcf(
        f'<body name="leg" pos="0 0 -1"><joint name="a"/><geom mesh="l" {geom}/></body>',
        f'<asset><mesh name="l" {MESH} {asset}/></asset>',
    )


def two_classes(inner):
    return mjcf(
        '<body name="leg" childclass="b"><joint name="a" class="a"/><joint name="b"/>'
        f'<geom size="0.1 0.2 0.3"/><body name="c" pos="1 0 0">{inner}</body></body>',
        '<default><joint armature="0.1"/><geom density="300"/><default class="a">'
        '<joint axis="0 1 0" damping="1"/><default class="b"><joint type="slide"/>'
        '<geom type="box" euler="10 20 30"/></default></default></default>'
        '<default><geom density="400"/></default>',
    )


CONSTRUCTS = {  # beside those of random models
    "ref": one(
        joint='<joint name="x" axis="1 0 0.2" pos="0.1 0.2 0.3" ref="30"/>'
        '<joint name="slide" type="slide" axis="1 1 0" ref="0.2"/>'
    ),
    "ball": one(joint='<joint name="x" type="ball" pos="0.1 0.2 0.3" armature="0.3"/>'),
    "classes": two_classes('<joint name="c"/><geom size="0.3 0.2 0.1"/>'),
    "class of an element": two_classes('<joint class="a"/><geom class="main" size="0.2"/>'),
    "eulerseq": one('<compiler eulerseq="zyx"/>', attributes='euler="10 20 30"'),
    **{
        f"settotalmass{words}": one(
            f'<compiler settotalmass="30" fusestatic="{fused}"/><worldbody><body name="box">'
            '<geom size="1"/></body></worldbody>'
        )
        for words, fused in (("", "false"), (" without scenery", "true"))
    },
    "inertiafromgeom without geoms": mjcf(
        leg("<joint/>") + '<body><joint/><inertial pos="0 0 1" mass="2" diaginertia="1 1 1"/>'
        '<geom size="1" group="4"/></body><geom size="1"/>',
        '<compiler inertiafromgeom="true" inertiagrouprange="0 3"/>',
    ),
    "bounds of inertia": one(
        '<compiler boundmass="0.5" boundinertia="0.02" balanceinertia="true"/>',
        joint='<joint/><inertial pos="0 0 1" mass="0.001" diaginertia="1e-9 2 9"/>',
    ),
    "bounds of inertia of nothing": mjcf(
        leg('<joint/><geom size="0.1"/><body pos="0 0.2 0.1"><geom size="0.1" mass="0"/></body>')
        + '<frame pos="1 0 0" euler="0 0 90"><body pos="0 0.3 0"><joint/></body></frame>',
        '<compiler boundmass="0.5" boundinertia="0.02"/>',
    ),
    "replicate": mjcf(
        '<replicate count="3" offset="0.1 0 0" euler="0 0 120">'
        '<body name="leg" pos="0.5 0 0"><joint name="hip" axis="0 1 0"/><geom size="0.1"/></body>'
        "</replicate>"
    ),
    "ten in two": mjcf(
        '<replicate count="2" offset="1 0 0" euler="40 50 60" sep="-"><replicate count="10" '
        'offset="0.1 0.2 0" euler="10 20 30"><body name="leg" pos="0.5 0 0">'
        '<joint name="hip" axis="0 1 0"/><geom size="0.1"/></body></replicate></replicate>'
    ),
    "orientation of a class": one(
        '<default><geom zaxis="1 2 3"/></default>',
        joint='<joint/><geom type="box" size="1 2 3" quat="1 2 3 4"/>',
    ),
    "no gravity": one('<option><flag gravity="disable"/></option>'),
    "flags": one('<option timestep="0.001"/><option><flag frictionloss="enable"/></option>'),
    "another body on the world": one(
        after='<worldbody><body name="door" pos="3 0 0"><joint name="hinge"/><geom size="0.3"/>'
        '</body><body name="table"><geom type="box" size="1 1 1"/></body></worldbody>',
    ),
    "armature of dampers and of motors of balls": mjcf(
        leg('<joint name="a"/>') + leg('<joint name="b" type="ball"/>', 'name="other"'),
        "",
        '<actuator><damper joint="a" gear="3" armature="0.2" ctrlrange="0 1" kv="1"/>'
        '<motor joint="b" gear="3 1" armature="0.2"/></actuator>',
    ),
    "no names": mjcf("<body><joint/><joint axis='1 0 0'/><geom size='0.1'/></body>"),
    **{
        f"{words}{inertia} mesh": with_mesh(f'inertia="{inertia}" {scale}')
        for words, scale in (("", ""), ("mirrored ", 'scale="1 -1 2"'))
        for inertia in ("legacy", "exact", "convex", "shell")
    },
    "shell of a mesh as a box": with_mesh("", 'type="box" shellinertia="true"'),
    "mirrored mesh as a box": with_mesh('inertia="exact" scale="-1 1 1"', 'type="box"'),
    "mesh in another place": with_mesh(
        'refpos="1 0 0" refquat="1 2 3 0" scale="0.2 0.1 0.1"', 'type="mesh" euler="1 2 3"'
    ),
    **{
        f"mesh as {kind} {around}": with_mesh("", f'type="{kind}" euler="1 2 3"').replace(
            "<worldbody>", f'<compiler fitaabb="{around}"/><worldbody>'
        )
        for kind in ("box", "sphere", "capsule", "cylinder", "ellipsoid")
        for around in ("true", "false")
    },
}


@pytest.mark.parametrize("name", CONSTRUCTS)
def test_equations_of_motion_are_those_of_mujoco(name):
    # MuJoCo turns meshes to their principal axes in single precision
    agree(CONSTRUCTS[name], 1e-7 if "mesh" in name else 1e-11)


def test_every_joint_is_a_row_with_its_name_motor_and_limits():
    motors = "".join(f'<motor joint="{name}" ctrlrange="-3 3"/>' for name in "xsy")
    joints = (
        '<joint name="x" axis="1 0 0" range="-90 90" armature="0.1" damping="2"/>'
        '<joint name="s" type="slide" axis="1 0 0" range="-0.1 0.2" frictionloss="3"/>'
        '<joint name="y" axis="0 1 0" range="-1 1" limited="false"/>'
    )
    robot, model = agree(one(after=f"<actuator>{motors}</actuator>", joint=joints))
    assert robot.joint_names == robot.actuated == ("x", "s", "y")
    np.testing.assert_allclose(robot.torque_limits, 3)
    low, high = robot.model.lowerPositionLimit[7:], robot.model.upperPositionLimit[7:]
    np.testing.assert_allclose(low, [-np.pi / 2, -0.1, -np.inf])
    np.testing.assert_allclose(high, [np.pi / 2, 0.2, np.inf])
    np.testing.assert_allclose(robot.model.armature[6:], model.dof_armature[6:])
    np.testing.assert_allclose(robot.model.damping[6:], model.dof_damping[6:])
    np.testing.assert_allclose(robot.model.upperDryFrictionLimit[6:], model.dof_frictionloss[6:])
    spring = quiet(CONSTRUCTS["ball"], lock=["x"])
    assert (spring.nv, spring.locked) == (6, ("x",))


@pytest.mark.parametrize(
    ("motor", "expected"),
    [
        ('<motor ctrlrange="-3 2"/>', 3),
        ('<motor ctrlrange="-3 2" gear="-10"/>', 30),
        ('<motor ctrlrange="-3 2" gear="10" forcerange="-1 1"/>', 10),
        ('<motor ctrlrange="-3 2" ctrllimited="false"/>', np.inf),
        ('<motor class="strong"/>', 40),
        ('<general class="strong" gainprm="2"/>', 80),
        ('<general ctrlrange="-3 3" gainprm="5"/>', 15),
        ('<general ctrlrange="-3 3" gainprm="5" biastype="affine" biasprm="0 -50"/>', np.inf),
        ('<position kp="100" ctrlrange="-1 1"/>', np.inf),
        ('<position kp="100" ctrlrange="-1 1" forcerange="-7 7" gear="2"/>', 14),
        ('<velocity kv="5" forcerange="-7 7"/>', 7),
        ('<motor ctrlrange="-3 3"/><motor ctrlrange="-1 1" gear="2"/>', 5),
        ('<motor ctrlrange="-3 3"/><position/>', np.inf),
        ('<motor ctrlrange="-3 3" gear="2 9 9"/>', 6),
        ('<motor ctrlrange="-9 1" forcerange="-2 30"/>', 2),
        ('<motor ctrlrange="-9 1"/><motor ctrlrange="-1 5"/>', 10),
        ('<general class="servo" biasprm="1 0 0" ctrlrange="-2 2"/>', 21),
        ('<motor class="servo" ctrlrange="-2 2"/>', 2),
        ('<dcmotor motorconst="1 1" resistance="2" saturation="4 0 0"/>', 4),
        ('<cylinder ctrlrange="-3 2" area="2" bias="1 0 0"/>', 5),
        ('<cylinder ctrlrange="-3 2" diameter="2"/>', 3 * np.pi),
    ],
)
@pytest.mark.parametrize("of_joint", ["", 'actuatorfrcrange="-20 20"'])
def test_torque_limits_are_those_of_mujoco(motor, expected, of_joint):
    mujoco = pytest.importorskip("mujoco")
    named = re.sub(r"<(\w+)", r'<\1 joint="a"', motor)
    text = mjcf(
        leg(f'<joint name="a" {of_joint}/>') + leg('<joint name="b"/>', 'name="other"'),
        '<default><default class="strong"><motor ctrlrange="-4 4" gear="10"/></default>'
        '<default class="servo"><position kp="10"/></default></default>',
        f"<actuator>{named}</actuator>",
    )
    robot = quiet(text)
    assert robot.actuated == ("a",)
    expected = min(expected, 20) if of_joint else expected
    assert robot.torque_limits[0] == expected
    model = mujoco.MjModel.from_xml_string(text)
    data, most = mujoco.MjData(model), 0.0
    for control, angle in ((-1e6, 9), (1e6, -9)):
        data.ctrl[:], data.qpos[7] = control, angle
        ends = [r if r.any() else (-np.inf, np.inf) for r in model.actuator_ctrlrange]
        if model.na:  # what a cylinder does is its control, filtered
            data.act[:] = np.clip(control, *ends[0])
        mujoco.mj_forward(model, data)
        most = max(most, abs(data.qfrc_actuator[6]))
    assert most == expected or (expected == np.inf and most >= 90)


def test_files_without_motors_have_them_everywhere_but_those_of_tendons_drive_none():
    assert quiet(mjcf(TWO)).actuated == ("a", "b")
    tendon = (
        '<tendon><fixed name="t"><joint joint="a" coef="1"/><joint joint="b" coef="1"/></fixed>'
        '</tendon><actuator><motor name="pull" tendon="t"/></actuator>'
    )
    with pytest.warns(FootworkWarning, match="<motor> 'pull' acts through the tendon 't'"):
        assert load(mjcf(TWO, after=tendon)).actuated == ()


def test_a_ball_joint_has_motors_when_each_axis_has_one():
    body = leg('<joint name="a" type="ball"/>') + leg('<joint name="b"/>', 'name="other"')
    axes = [f'<motor joint="a" gear="{gear}" ctrlrange="-1 1"/>' for gear in ("2", "0 3", "0 0 4")]
    robot = load(mjcf(body, after=f"<actuator>{''.join(axes)}</actuator>"))
    assert (robot.actuated, robot.kept["motors"]) == (("a",), (3, 3))
    np.testing.assert_allclose(robot.torque_limits, [2, 3, 4])
    with pytest.warns(FootworkWarning, match="joint 'a': not every axis of this ball joint"):
        robot = load(mjcf(body, after=f"<actuator>{axes[0]}</actuator>"))
    assert (robot.actuated, robot.kept["motors"]) == ((), (0, 1))
    slanted = '<actuator><motor joint="a" gear="1 1"/></actuator>'
    with pytest.warns(FootworkWarning, match="<motor> is no motor of 'a', a ball joint"):
        assert load(mjcf(body, after=slanted)).actuated == ()
    thrust = '<actuator><motor joint="root_joint" gear="0 0 1"/></actuator>'
    floating = mjcf(body, after=thrust).replace("<freejoint/>", '<freejoint name="root_joint"/>')
    with pytest.warns(FootworkWarning, match="is no motor of 'root_joint', a free joint"):
        assert load(floating).actuated == ()


def test_what_names_an_element_of_a_replicate_is_replicated_too():
    mujoco = pytest.importorskip("mujoco")
    body = '<body name="leg"><joint name="hip"/><geom size="0.1" mass="1"/></body>'
    text = mjcf(
        f'<replicate count="2" offset="1 0 0"><replicate count="2" sep="_">{body}</replicate>'
        "</replicate>",
        after='<actuator><motor name="m" joint="hip" ctrlrange="-3 3"/></actuator>'
        '<contact><exclude body1="trunk" body2="leg"/></contact>',
    )
    robot = load(text)
    model = mujoco.MjModel.from_xml_string(text)
    joints = [model.joint(i).name for i in range(1, 5)]
    assert list(robot.actuated) == joints == ["hip_00", "hip_10", "hip_01", "hip_11"]
    assert set(robot.never_collide) == {("trunk", name.replace("hip", "leg")) for name in joints}


def test_copies_may_be_called_as_other_elements_were():
    two = '<body name="b"><joint name="j"/><geom size="0.1"/><body name="b2"><joint name="j2"/>'
    two += '<geom size="0.1" pos="1 0 0"/></body></body>'
    text = mjcf(
        f'<replicate count="3" offset="1 0 0">{two}</replicate>',
        after='<actuator><motor joint="j2" ctrlrange="-2 2"/></actuator>'
        '<contact><exclude body1="b" body2="b2"/></contact>',
    )
    robot = load(text)
    assert robot.actuated == ("j20", "j21", "j22")
    assert robot.never_collide == (("b0", "b20"), ("b1", "b21"), ("b2", "b22"))


def test_an_arm_that_throws_a_ball_has_a_fixed_base():
    arm = '<body name="arm" pos="0 0 1"><joint name="a"/><geom size="0.1"/>'
    arm += '<body name="fore" pos="1 0 0"><joint name="b"/><geom size="0.1"/></body></body>'
    ball = '<body name="ball" pos="2 0 0"><freejoint name="free"/><geom size="0.1"/></body>'
    text = f"<mujoco><worldbody>{arm}{ball}</worldbody></mujoco>"
    robot, _ = agree(text)
    assert not robot.is_floating
    assert robot.actuated == ("a", "b")  # nothing drives a ball that flies
    assert load(text, base="floating").model.names[1] == "free"
    words = " ".join(f.message for f in robots.diagnose(text))
    assert "'arm' (2), 'ball' (1); all are in q" in words


SCENE = """<mujoco model="scene">
<include file="robot.xml"/>
<statistic center="0 0 0.1" extent="0.8"/>
<visual><headlight diffuse="0.6 0.6 0.6"/><map force="0.1"/></visual>
<option gravity="0 0 -3.7"/>
<asset><texture type="skybox" builtin="gradient" width="512" height="3072"/>
<texture name="grid" type="2d" builtin="checker" width="300" height="300"/>
<material name="grid" texture="grid" texrepeat="5 5" reflectance="0.2"/></asset>
<default><geom friction="0.5"/></default>
<worldbody><light pos="0 0 1.5" dir="0 0 -1" directional="true"/><camera name="side" pos="0 -3 1"/>
<geom name="floor" size="0 0 0.05" type="plane" material="grid"/>
<body name="box" pos="2 0 0"><geom type="box" size="1 1 1"/></body></worldbody>
<keyframe><key name="home" qpos="0 0 0.4 0 0 0 2 0.5"/><key qpos="0 0 0.7"/></keyframe><tendon/>
</mujoco>"""


def test_a_scene_is_the_robot_that_it_includes(tmp_path):
    folder = tmp_path / "project/scenes"
    folder.mkdir(parents=True)
    (tmp_path / "project/common").mkdir()
    body = leg('<joint name="a" class="a"/><site name="sole" pos="0 0 1" euler="90 0 0"/>')
    robot = mjcf(body, '<include file="../common/classes.xml"/><option timestep="0.01"/>')
    (folder / "robot.xml").write_text(robot)
    classes = '<default><default class="a"><joint axis="0 1 0"/></default></default>'
    (tmp_path / "project/common/classes.xml").write_text(f"<mujoco>{classes}</mujoco>")
    scene = folder / "scene.xml"
    scene.write_text(SCENE)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ours = load(scene)
    assert agree(scene)[0].mass == ours.mass == 6.5  # without the box
    assert (ours.name, ours.visual.ngeoms) == ("scene", 1)
    np.testing.assert_allclose(ours.model.gravity.linear, [0, 0, -3.7])
    np.testing.assert_allclose(ours.postures["home"], [0, 0, 0.4, 0, 0, 1, 0, 0.5])
    np.testing.assert_allclose(ours.postures["key_1"], [0, 0, 0.7, 0, 0, 0, 1, 0])
    assert {"sole", "leg", "trunk"} <= set(ours.frame_names)
    found = {(f.level, f.code): f.message for f in robots.diagnose(scene)}
    assert set(found) == {("info", "scenery")} or len(found) == 1
    words = " ".join(f.message for f in robots.diagnose(scene))
    for what in ("<light>", "<camera>", "<texture>", "geom of the world"):
        assert what in words
    assert "<tendon>" not in words  # of which there are none


def test_postures_of_mujoco_are_ours():
    mujoco = pytest.importorskip("mujoco")
    key = '<keyframe><key name="k" qpos="1 2 3 0 1 0 1 0.2 0.3"/></keyframe>'
    text = CONSTRUCTS["ref"].replace("</mujoco>", f"{key}</mujoco>")
    robot, model = agree(text)
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    q, _ = robots.conventions.from_mujoco(robot, data.qpos, data.qvel)
    np.testing.assert_allclose(robot.posture("k"), q, atol=1e-15)
    ends = robot.model.createData()
    pin.framesForwardKinematics(robot.model, ends, q)
    mujoco.mj_forward(model, data)
    at = ends.oMf[robot.frame_id("leg")].translation
    np.testing.assert_allclose(at, data.body("leg").xpos, atol=1e-14)
    drawn = quiet(text.replace('qpos="1 2 3 0 1 0 1 0.2 0.3"', "")).posture("k")
    assert (drawn[7], drawn[8]) == pytest.approx((np.radians(30), 0.2))
    with pytest.warns(FootworkWarning, match="10 values, but the model has 9"):
        assert "k" not in load(text.replace('0.3"/></keyframe', '0.3 4"/></keyframe')).postures


def test_geoms_are_where_mujoco_has_them():
    mujoco = pytest.importorskip("mujoco")
    geoms = "".join(
        f'<geom name="{name}" {attributes}/>'
        for name, attributes in {
            "ball": 'type="sphere" size="0.1" pos="1 2 3"',
            "rod": 'type="capsule" fromto="0 0 0 0.3 0.2 -0.4" size="0.05"',
            "tin": 'type="cylinder" fromto="0 0 0 0.3 0.2 -0.4" size="0.05"',
            "box": 'type="box" size="0.1 0.2 0.3" euler="10 20 30"',
            "egg": 'type="ellipsoid" size="0.1 0.2 0.3" euler="10 20 30" pos="1 0 0"',
        }.items()
    )
    robot, model = agree(one(joint=f'<joint name="a"/>{geoms}'))
    data, q = mujoco.MjData(model), robot.random_configuration(1)
    data.qpos[:], data.qvel[:] = robots.conventions.to_mujoco(robot, q, np.zeros(robot.nv))
    mujoco.mj_forward(model, data)
    places = robot.model.createData()
    pin.forwardKinematics(robot.model, places, q)
    kinds = {"rod": "Capsule", "tin": "Cylinder", "egg": "Ellipsoid", "box": "Box"}
    for item in robot.collision.geometryObjects:
        if item.name.startswith("leg"):
            continue
        T, theirs = places.oMi[item.parentJoint] * item.placement, data.geom(item.name)
        np.testing.assert_allclose(T.translation, theirs.xpos, atol=1e-14)
        np.testing.assert_allclose(T.rotation.ravel(), theirs.xmat, atol=1e-14)
        assert type(item.geometry).__name__ == kinds.get(item.name, "Sphere")
    rod = next(o.geometry for o in robot.visual.geometryObjects if o.name == "rod")
    assert rod.halfLength == pytest.approx(model.geom("rod").size[1])


def test_shapes_that_collide_are_not_drawn_over_those_that_are_seen():
    covered = leg(
        '<joint name="a"/><geom name="skin" size="0.1" contype="0" conaffinity="0"/>'
        '<geom name="hull" size="0.2"/><geom name="ghost" size="0.2" rgba="1 0 0 0"/>'
    )
    foot = '<body name="foot"><geom name="toe" size="0.1" material="red"/>'
    foot += '<geom name="sole" size="0.1" group="3"/></body>'
    red = '<asset><material name="red" rgba="1 0 0 1"/></asset>'
    robot = quiet(mjcf(covered + foot, red))
    assert [o.name for o in robot.visual.geometryObjects] == ["skin", "toe"]
    names = [o.name for o in robot.collision.geometryObjects]
    assert names == ["hull", "ghost", "leg_3", "toe", "sole"]
    np.testing.assert_allclose(robot.visual.geometryObjects[1].meshColor, [1, 0, 0, 1])
    bones = leg(
        '<joint name="a"/><geom name="bone" size="0.1" contype="0" conaffinity="0" group="5"/>'
        '<geom name="hull" size="0.2" group="3"/>'
    )
    eye = '<body name="eye"><geom name="eye" size="0.1"/></body>'
    skin = '<asset><skin name="fur" file="fur.skn"/></asset>'
    for more, drawn in (("", "leg_2"), (skin, "bone")):  # that covers them, undrawn
        shapes = quiet(mjcf(bones + eye, more)).visual.geometryObjects
        assert [o.name for o in shapes] == [drawn, "eye"]
    both = quiet(one(after='<contact><exclude body1="leg" body2="trunk"/></contact>'))
    assert both.never_collide == (("leg", "trunk"),)


def test_shapes_that_a_pair_names_collide():
    """As MuJoCo has it, whatever their contype and conaffinity: so files for MJX have feet."""
    foot = '<geom name="{0}_sole" type="box" size="0.1 0.04 0.01" pos="0 0 -0.3"/>'
    leg_at = (
        '<body name="{0}" pos="0 {1} 0"><joint name="{0}_hip" axis="0 1 0"/>'
        '<geom type="capsule" fromto="0 0 0 0 0 -0.25" size="0.03"/>' + foot + "</body>"
    )
    legs = leg_at.format("left", 0.1) + leg_at.format("right", -0.1)
    text = (
        '<mujoco><default><geom contype="0" conaffinity="0"/></default><worldbody>'
        '<geom name="floor" type="plane" size="1 1 1"/><body name="trunk" pos="0 0 1"><freejoint/>'
        f'<geom type="box" size="0.1 0.1 0.1" pos="0 0 0.1"/>{legs}</body></worldbody>{{}}</mujoco>'
    )
    pairs = "".join(f'<pair geom1="floor" geom2="{k}_sole"/>' for k in ("left", "right"))
    robot = quiet(text.format(f"<contact>{pairs}</contact>"))
    names = [item.name for item in robot.collision.geometryObjects]
    assert names == ["left_sole", "right_sole"]
    assert set(robot.feet) == {"left", "right"}
    assert not quiet(text.format("")).collision.geometryObjects.tolist()


@pytest.mark.parametrize("known", ['range="20 -20"', 'range="5 5"', 'limited="true"'])
def test_ranges_that_nothing_lies_in_are_told(known):
    text = one(joint=f'<joint name="a" {known} axis="0 1 0"/>')
    with pytest.warns(FootworkWarning, match="'a': nothing between the ends of range"):
        robot = load(text)
    assert np.isinf(robot.model.upperPositionLimit[-1])
    for none in ('range="0 0"', 'range="5 -5" limited="false"', 'type="ball" limited="true"'):
        load(mjcf(leg(f'<joint name="a" {none} axis="0 1 0"/>')))  # warnings are errors


def test_excludes_of_bodies_that_there_are_not_are_told():
    exclude = '<contact><exclude body1="{}" body2="trunk"/></contact>'
    text = one(after=exclude)
    load(text.format("world"))
    load(text.format("leg"))
    with pytest.warns(FootworkWarning, match="<exclude>: no body 'lge'; did you mean 'leg'"):
        assert load(text.format("lge")).never_collide == ()
    many = "<contact>" + '<exclude body1="x" body2="y"/>' * 20_000 + "</contact>"
    with pytest.warns(FootworkWarning, match="no body 'x'.*nor those of 39999 more"):
        load(text.format("leg").replace("</mujoco>", many + "</mujoco>"))


def test_a_file_without_bodies_says_so():
    with pytest.warns(FootworkWarning, match="no <body> in it"):
        assert load("<mujoco><worldbody><geom size='1'/></worldbody></mujoco>").nv == 0


def test_robots_load_without_the_meshes_that_are_missing(tmp_path):
    """Where the mass does not come from them."""
    asset = '<compiler meshdir="../Assets"/><asset><mesh name="l" file="L.STL"/></asset>'
    geom = '<geom type="mesh" mesh="l"/>'
    inertial = '<inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/>'
    file = tmp_path / "robot/mjcf/robot.xml"
    file.parent.mkdir(parents=True)
    file.write_text(mjcf(leg(f'<joint name="a"/>{inertial}{geom}'), asset))
    with pytest.warns(FootworkWarning, match=r"1 mesh is missing and left out: 'l'.*L.STL"):
        assert load(file).mass == 7
    assert quiet(file, meshes=False).visual.ngeoms == 1  # the ball
    with pytest.raises(ModelError, match="1 mesh is missing"):
        load(file, strict=True)
    whole = mjcf(f'<body name="leg"><joint name="a"/>{geom}</body>', asset)
    file.write_text(whole)
    with pytest.raises(ModelError, match=r"link 'leg': its mass is that of a mesh.*L.STL"):
        load(file)
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    faces = points[[[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]].astype("<f4")
    records = b"".join(bytes(12) + face.tobytes() + bytes(2) for face in faces)
    stl = bytes(80) + (4).to_bytes(4, "little") + records
    (tmp_path / "robot/assets").mkdir()
    (tmp_path / "robot/assets/l.stl").write_bytes(stl)  # in other case
    robot = load(file, strict=True)
    assert robot.mass == pytest.approx(5 + 1000 / 6)
    assert robot.visual.ngeoms == 1
    (tmp_path / "robot/Assets").mkdir()
    (tmp_path / "robot/Assets/L.STL").write_bytes(stl)
    agree(file, 1e-7)


@pytest.mark.parametrize("meshdir", ["", "shapes"])
def test_files_are_beside_the_main_file_or_the_one_that_names_them(tmp_path, meshdir):
    main, parts = tmp_path / "main.xml", tmp_path / "parts"
    (parts / "more").mkdir(parents=True)
    compiler = f'<compiler meshdir="{meshdir}"/>' if meshdir else ""
    main.write_text(
        f'<mujoco>{compiler}<include file="parts/a.xml"/><worldbody><body><joint/>'
        '<geom type="mesh" mesh="m"/></body></worldbody></mujoco>'
    )
    (parts / "a.xml").write_text('<mujoco><include file="more/b.xml"/></mujoco>')
    asset = '<asset><mesh name="m" file="m.obj"/></asset>'
    (parts / "more/b.xml").write_text(f"<mujoco>{asset}</mujoco>")
    with pytest.raises(ModelError, match=r"m\.obj' not found"):
        load(main)
    for size, folder in ((3, "parts/more"), (2, meshdir)):  # the second goes before the first
        file = tmp_path / folder / "m.obj"
        file.parent.mkdir(parents=True, exist_ok=True)
        corners = f"v 0 0 0\nv {size} 0 0\nv 0 {size} 0\nv 0 0 {size}\n"
        file.write_text(f"{corners}f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n")
        robot, _ = agree(main, 1e-7)
        assert robot.mass == pytest.approx(1000 * size**3 / 6)


def test_a_base_that_is_to_float_has_no_other_joints():
    """As of planar walkers: sliders and a hinge besides a free joint would have no inertia."""
    axes = {"x": 'slide" axis="1 0 0', "z": 'slide" axis="0 0 1', "y": 'hinge" axis="0 1 0'}
    plane = "".join(f'<joint name="root{n}" type="{kind}"/>' for n, kind in axes.items())
    text = (
        f'<mujoco><worldbody><body name="trunk" pos="0 0 1">{plane}<geom size="0.1"/>'
        '<body name="leg"><joint name="hip" axis="0 1 0"/><geom size="0.05" pos="0 0 -0.5"/></body>'
        '</body></worldbody><keyframe><key name="k" qpos="1 2 0.1 0.3"/></keyframe></mujoco>'
    )
    planar, free = load(text), load(text, base="floating")
    assert (planar.nv, planar.is_floating) == (4, False)
    assert (free.nv, free.joint_names, free.locked) == (7, ("hip",), ("rootx", "rootz", "rooty"))
    assert free.posture("k")[7] == 0.3
    found = [f for f in robots.diagnose(text, base="floating") if f.code == "base"]
    assert "rootx, rootz, rooty" in found[0].message
    M, in_plane = (dyn.mass_matrix(robot, robot.neutral()) for robot in (free, planar))
    assert np.linalg.eigvalsh(M)[0] > 1e-3
    rows = [0, 2, 4, 6]  # x, z, pitch, hip
    np.testing.assert_allclose(M[np.ix_(rows, rows)], in_plane, atol=1e-12)


def test_a_free_joint_has_no_place():
    text = mjcf(leg("<joint/>")).replace("<freejoint/>", '<freejoint pos=""/>')
    with pytest.warns(FootworkWarning, match="no attribute of <freejoint> 'pos'"):
        assert load(text).is_floating


def test_one_joint_held_by_an_equality_has_a_posture():
    body = '<body><joint name="a" ref="20"/><geom size="0.1" pos="1 0 0"/></body>'
    held = '<equality><joint joint1="a"/></equality><keyframe><key name="k"/></keyframe>'
    robot, _ = agree(f"<mujoco><worldbody>{body}</worldbody>{held}</mujoco>")
    np.testing.assert_allclose(robot.posture("k"), np.radians([20]), atol=1e-12)


def test_bases_are_those_that_are_asked_for():
    arm = '<mujoco><worldbody><body name="b" pos="0 0 1"><geom size="0.1"/>'
    arm += '<body name="c"><joint name="x" type="slide"/><geom size="0.1"/></body></body>'
    arm += "</worldbody></mujoco>"
    assert not load(arm).is_floating
    assert load(arm, base="floating").nv == 7
    ball = '<body name="ball"><freejoint name="free"/><geom size="0.1"/></body>'
    robot = quiet(one(f"<worldbody>{ball}</worldbody>"))
    assert robot.is_floating
    assert robot.model.names[1] == "root_joint"  # it carries more
    assert robot.nv == 13
    fixed = quiet(one(), base="fixed")
    np.testing.assert_allclose(dyn.com(fixed, fixed.neutral())[2], 1 - 0.07 * 1.5 / 6.5)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (one(joint='<joint class="none"/>'), "line 1: <joint>: no class of defaults 'none'"),
        (one('<default><default class="a"/><default class="a"/></default>'), "two"),
        (one(joint="<freejoint/>"), "free joint stands alone"),
        (one(joint='<joint name="a"/><joint name="a"/>'), "called 'a', of which there are two"),
        (one(attributes='name="world"'), "called 'world', the name of the world"),
        (one(joint='<joint name="universe"/>'), "called 'universe', the name of the world"),
        *(
            (one(after=f"<{section}>{elements}</{section}>"), "k', of which there are two")
            for section, elements in (
                ("keyframe", 2 * '<key name="k"/>'),
                ("actuator", 2 * '<motor name="k" joint="a"/>'),
                ("actuator", '<motor name="k" joint="a"/><position name="k" joint="a"/>'),
                ("sensor", 2 * '<jointpos name="k" joint="a"/>'),
                ("asset", 2 * '<material name="k"/>'),
                ("contact", 2 * '<exclude name="k" body1="leg" body2="world"/>'),
            )
        ),
        *(
            (one(after=f"<equality>{equality}</equality>"), message)
            for equality, message in {
                '<connect body1="leg"/>': "<connect>: an anchor, or two sites, are missing",
                '<connect body1="leg" anchor="1 x 2"/>': "<connect anchor='1 x 2'>: expected 3",
                '<weld body1="leg" relpose="1 2"/>': "<weld relpose='1 2'>: expected 7",
                '<joint joint1="a" polycoef="nan"/>': "<joint polycoef='nan'>: expected some",
            }.items()
        ),
        (one(attributes='axisangle="0 0 0 9"'), "axisangle='.*' gives no rotation"),
        (one(attributes='xyaxes="1 0 0 2 0 0"'), "xyaxes='.*' gives no rotation"),
        (one('<compiler angle="rad"/>'), "expected radian or degree"),
        (one('<compiler autolimits="True"/>'), "expected true or false"),
        (one(joint='<joint limited="yes"/>'), "expected true or false or auto"),
        (one('<option><flag gravity="off"/></option>'), "enable or disable"),
        (one(joint=f"<joint/>{INERTIAL}{INERTIAL}"), "<inertial>: a body has one"),
        (one(joint=INERTIAL.replace('pos="0 0 0"', "")), "line 1: <inertial>: without pos; exp"),
        (one(joint=INERTIAL.replace('mass="1"', "")), "<inertial>: without mass; expected pos and"),
        (one(joint=INERTIAL.replace("diag", 'fullinertia="1 1 1 0 0 0" diag')), "full.*stands"),
        (one(joint='<joint/><geom type="mesh" mesh="x"/>'), "mesh 'x' is no asset"),
        (one(joint='<joint/><geom type="mesh"/>'), "mesh '' is no asset"),
        (with_mesh("", 'type="mesh" shellinertia="true"'), 'inertia="shell" of the <mesh>'),
        (with_mesh("").replace('face="0 2', 'face="0 200'), "indices of vertices"),
        (with_mesh("").replace('vertex="', 'vertex="0 '), "neither a file nor vertices|missing"),
        (with_mesh('scale="1 1 0"', 'type="box"'), "mesh 'l': a mesh that encloses no volume"),
        (one(joint='<joint/><geom type="box" size="1"/>'), "expected 3 positive sizes"),
        (one('<compiler eulerseq="abc"/>'), "eulerseq"),
        (
            one('<compiler coordinate="global"/>'),
            r"MuJoCo up to 2\.3\.3 converts the file",
        ),
        (one(attributes='pos="0, 0, 1"'), "pos='0, 0, 1'>: .* numbers, blanks between, no commas"),
        (one(attributes='pos="0,1 0 1"'), "pos='0,1 0 1'>: expected 3 finite numbers$"),
        (mjcf('<replicate count="1e9">' + leg("") + "</replicate>"), "more than 200000 elements"),
        (mjcf('<replicate count="300">' * 9 + leg("") + "</replicate>" * 9), "200000 elements"),
    ],
)
def test_what_mujoco_refuses_is_refused(text, message):
    with pytest.raises(ModelError, match=message):
        load(text)


def test_a_mass_without_rotational_inertia_is_warned_of():
    """MuJoCo refuses it in a body that moves."""
    joint = '<joint axis="0 1 0"/><inertial pos="0 0 -1" mass="1"/>'
    with pytest.warns(FootworkWarning, match="line 1: link 'leg': .* without rotational inertia"):
        load(one(joint=joint))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load(one('<compiler boundinertia="0.1"/>', joint=joint))


def test_joints_and_motors_that_become_rows_are_counted(tmp_path, capfd):
    tendon = (
        '<tendon><fixed name="t"><joint joint="a" coef="1"/></fixed></tendon><actuator>'
        '<motor tendon="t"/><motor joint="a"/><motor joint="a"/><motor joint="b"/></actuator>'
    )
    text = mjcf(TWO, after=tendon)
    assert quiet(text).kept == {"joints": (3, 3), "motors": (3, 4)}
    assert quiet(text, lock=["b"]).kept == {"joints": (2, 3), "motors": (2, 4)}
    assert load("quadruped").kept["joints"] == (12, 12)
    file = tmp_path / "robot.xml"
    file.write_text(text)
    for command in ("check", "info"):
        cli.main([command, str(file)])
        out = capfd.readouterr().out
        assert "3 of 3 are rows of q" in out
        assert "3 of 4 are rows of S" in out


def test_what_is_left_out_is_said():
    tendons = '<equality><tendon name="pull" tendon1="a" tendon2="b"/></equality>'
    with pytest.warns(FootworkWarning, match="<tendon> 'pull': the constraint is left out"):
        load(one(after=tendons))
    with pytest.warns(FootworkWarning, match="1 × <composite>"):
        load(one(joint='<joint/><composite type="cable"/>'))
    with pytest.warns(FootworkWarning, match="gravcomp is left out.*leg"):
        load(one(attributes='name="leg" gravcomp="1"'))
    tendon = '<tendon><fixed name="t"{}><joint joint="a" coef="1"/></fixed></tendon>'
    default = '<default><tendon armature="1"/></default>'
    for text in (one(after=tendon.format(' armature="1"')), one(default, tendon.format(""))):
        with pytest.warns(FootworkWarning, match="the armature of tendons is left out: t"):
            load(text)
    text = one('<option viscosity="1"/>', joint='<joint name="a" stiffness="3"/>')
    words = " ".join(f.message for f in robots.diagnose(text))
    assert "springs in 1 joint" in words
    assert "viscosity" in words
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load(text)


@pytest.mark.parametrize("free", ["base and ball", "base"])
def test_free_joints_have_the_armature_of_mujoco(free):
    second = re.search('<body name="ball">.*?</body>', HEAVY_BASE)[0]
    text = HEAVY_BASE if free == "base and ball" else HEAVY_BASE.replace(second, "")
    robot, _ = agree(text)
    assert robot.model.armature[0] == 0.7
    assert robot.mass == pytest.approx(8.0 if robot.nv == 8 else 9.5)  # it has no weight


@pytest.mark.filterwarnings("ignore:.*state by state:footwork.FootworkWarning")
def test_batches_know_the_armature_of_free_joints(load_robot, random_state):
    robot = load_robot("heavy base", "floating")
    q, v, a = random_state(robot)
    Q, V, A = np.array([q, q]), np.array([v, -v]), np.array([a, a])
    batch, M = dyn.batch, dyn.mass_matrix(robot, q)
    np.testing.assert_allclose(batch.bias(robot, Q, V)[1], dyn.bias(robot, q, -v), atol=1e-12)
    tau = dyn.inverse_dynamics(robot, q, v, a)
    np.testing.assert_allclose(batch.inverse_dynamics(robot, Q, V, A)[0], tau, atol=1e-12)
    np.testing.assert_allclose(batch.mass_matrix(robot, Q)[0], M, atol=1e-12)
    C = dyn.coriolis_matrix(robot, q, v)
    np.testing.assert_allclose(batch.coriolis_matrix(robot, Q, V)[0], C, atol=1e-12)
    found = batch.forward_dynamics(robot, Q, V, np.zeros((2, robot.na)))[0]
    np.testing.assert_allclose(found, np.linalg.solve(M, -dyn.bias(robot, q, v)), atol=1e-11)


def test_ranges_that_nothing_makes_limits_are_refused():
    """As MuJoCo does: with autolimits="false" a range alone says nothing."""
    text = one('<compiler autolimits="false"/>', joint='<joint name="a" range="-1 1"/>')
    with pytest.raises(ModelError, match=r"range=.* without limited="):
        load(text)
    load(text.replace('range="-1 1"', 'range="-1 1" limited="true"'))


def test_a_muscle_is_said_to_be_a_motor_without_limit():
    muscle = '<actuator><muscle joint="a" lengthrange="0 1"/></actuator>'
    with pytest.warns(FootworkWarning, match="its force depends on its length"):
        robot = load(one(after=muscle))
    assert robot.unlimited_joints == ("a",)
