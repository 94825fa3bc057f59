"""Every element of a description is read or named: all that MuJoCo's schema and URDF's have."""

import re

import pytest

from footwork import FootworkWarning, ModelError, load, robots
from footwork.robots.mjcf import elements

# --- MJCF ----------------------------------------------------------------------------------------

# MuJoCo's settings of pictures and memory, that say nothing of a robot, and elements that are read
SETTINGS = {"compiler", "option", "size", "statistic", "visual", "default", "extension", "custom"}
READ = {"body", "joint", "freejoint", "geom", "site", "inertial", "mesh", "material", "key"}
READ |= {"exclude", "model"}
BODY = '<body name="leg"><joint name="a"/><geom size="0.1"/>{}</body>'


def schema():
    """Return (path of tags, attributes) of every element that MuJoCo knows."""
    mujoco = pytest.importorskip("mujoco")
    path, found = [], []
    for line in mujoco.mj_printSchema(False, False).splitlines():
        if match := re.match(r"( *)(?:\(world\))?(\w+) \(.\)(.*)", line):
            depth = len(match[1]) // 3
            path = [*path[:depth], match[2]]
            found.append((tuple(path[1:]), match[3].split()))
        elif found:
            found[-1][1].extend(line.split())
    return found


def mjcf(inside, after=""):
    return f"<mujoco><worldbody>{BODY.format(inside)}</worldbody>{after}</mujoco>"


def words_of(text):
    return "\n".join(f.message for f in robots.diagnose(text))


def warned_and_refused(text, words):
    """Loading warns with these words, and refuses where it is strict."""
    with pytest.warns(FootworkWarning, match=re.escape(words)):
        load(text)
    with pytest.raises(ModelError, match=re.escape(words)):
        load(text, strict=True)


def test_every_element_of_mujoco_is_read_or_named():
    checked = 0
    for path, _ in schema():
        if len(path) != 2 or path[0] in SETTINGS:
            continue
        section, tag = path
        element = f"<{tag}/>"
        if section == "body":
            words = words_of(mjcf("" if tag == "freejoint" else element))
        else:
            words = words_of(mjcf("", f"<{section}>{element}</{section}>"))
        assert "no element" not in words, path
        named = section in ("sensor", "tendon") and f"<{section}>" in words
        assert tag in READ or named or f"<{tag}>" in words, (path, words)
        checked += 1
    assert checked > 70


def test_every_attribute_of_mujoco_is_known():
    """Of elements that are read; the others have a name, and no part in the robot."""
    known = {tag: set(names.split()) for tag, names in elements.ATTRIBUTES.items()}
    for path, attributes in schema():
        if path and path[-1] in known and path[0] in (*SETTINGS, "body", "actuator", "asset"):
            assert set(attributes) <= known[path[-1]], path


@pytest.mark.parametrize(
    ("inside", "after", "words"),
    [
        ('<jont name="b"/>', "", "no element of <body> 'jont'; did you mean 'joint'"),
        ('<motor joint="a"/>', "", "no element of <body> 'motor'"),
        ("", '<actuators><motor joint="a"/></actuators>', "no element of <mujoco> 'actuators'"),
        ('<body><joint armatur="1"/><geom size="1"/></body>', "", "did you mean 'armature'"),
        ("", '<compiler angel="radian"/>', "no attribute of <compiler> 'angel'; did you mean 'ang"),
        ("", '<default><joint dampin="1"/></default>', "no attribute of <joint> 'dampin'"),
        ("", '<option><flag gravitation="enable"/></option>', "no attribute of <flag>"),
        ("<geom size='1'><joint/></geom>", "", "no element of <geom> 'joint'"),
        ("", '<default damping="1"/>', "no attribute of <default> 'damping'"),
        (
            '<joint name="b"/>',
            '<equality><joint joint1="b" polycoeff="1"/></equality>',
            "no attribute of <equality/joint> 'polycoeff'; did you mean 'polycoef'",
        ),
    ],
)
def test_names_that_mjcf_does_not_have_are_warned_of(inside, after, words):
    text = mjcf(inside, after)
    assert words in words_of(text)
    warned_and_refused(text, words)


def test_thousands_of_unknown_names_are_counted():
    text = "".join(f"<x{k}/>" for k in range(3000))
    assert "2980 more names" in words_of(mjcf(text))


def test_limits_and_settings_that_the_robot_does_not_have_are_named():
    ball = '<body><joint name="b" type="ball" range="0 90"/><geom size="0.1"/></body>'
    spring = '<body><joint name="c" springdamper="1 1"/><geom size="0.1"/></body>'
    tendon = '<tendon><fixed name="t" range="-1 1"><joint joint="a" coef="1"/></fixed></tendon>'
    motor = '<actuator><motor joint="a" ctrlrange="-1 3" damping="0 1"/></actuator>'
    option = '<option actuatorgroupdisable="1"><flag limit="disable"/></option>'
    damped = '<body><joint name="d" damping="1 2"/><geom size="0.1"/></body>'
    damped += '<body><joint name="e" damping="1 0"/><geom size="0.1"/></body>'
    inside = ball + spring + damped
    words = words_of(mjcf(inside, f'<compiler alignfree="true"/>{tendon}{motor}{option}'))
    for what in (
        "ranges of ball joints are left out: b",
        "ranges of tendons are left out: t",
        "differ by sign: the larger one counts: a",
        "springs and their dampers in 1 joint",
        "damping is linear, its other coefficients are left out: d, <motor>",
        "limit, actuatorgroupdisable",
        "not aligned with their inertia",
    ):
        assert what in words


def test_springs_that_nothing_else_replaces_are_warned_of():
    joint = '<joint name="{}" stiffness="9"/>'
    body = f'<body>{joint.format("hip")}<geom size="0.1"/><body>{joint.format("shin")}'
    tree = f'{body}<geom size="0.1"/></body></body>'
    text = f"<mujoco><worldbody>{tree}</worldbody>{{}}</mujoco>"
    driven = text.format('<actuator><motor joint="hip"/></actuator>')
    warned_and_refused(driven, "springs in 1 joint without a motor are left out: shin")
    load(driven, lock=["shin"], strict=True)
    load(text.format(""), strict=True)  # names no motor: every joint has one


def test_a_part_of_a_model_says_that_it_is_one():
    with pytest.raises(ModelError, match="a part of an MJCF model, which another <include>s"):
        load("<mujocoinclude><worldbody/></mujocoinclude>")


# --- URDF ----------------------------------------------------------------------------------------

LINK = '<link name="{}"><inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" '
LINK += 'iyz="0" izz="1"/></inertial>{}</link>'


def urdf(of_joint="", of_link="", beside=""):
    return (
        f'<robot name="r">{LINK.format("a", of_link)}{LINK.format("b", "")}'
        '<joint name="j" type="revolute"><parent link="a"/><child link="b"/>'
        f'<limit lower="-1" upper="1" effort="9" velocity="9"/>{of_joint}</joint>{beside}</robot>'
    )


ROTOR = (
    '<transmission name="t"><actuator name="m"><drake:rotor_inertia value="0.1"/></actuator>'
    "</transmission>"
)


def warnings_about(text):
    return [f.message for f in robots.diagnose(text) if f.level == "warning"]


OF_OTHERS = (
    "safety_controller calibration joint_properties gazebo transmission ros2_control sensor "
    "drake:joint contact self_collision_checking"
)


@pytest.mark.parametrize("element", OF_OTHERS.split())
def test_every_element_of_other_programs_is_named(element):
    for text in (
        urdf(of_joint=f"<{element}/>"),
        urdf(of_link=f"<{element}/>"),
        urdf(beside=f'<{element} name="x"/>'),
    ):
        words = words_of(text)
        assert re.search(rf"1 × <(joint/|link/)?{element}>", words), words
        assert not warnings_about(text)


def test_attributes_of_other_programs_are_named():
    text = urdf('<dynamics damping="1" friction="0" stiffness="3"/>')
    assert "1 × <dynamics stiffness=…>" in words_of(text)


@pytest.mark.parametrize(
    ("of_joint", "of_link", "beside", "words"),
    [
        ('<orgin xyz="0 0 1"/>', "", "", "<joint/orgin> is not read; did you mean origin"),
        ('<origin xzy="0 0 1"/>', "", "", "<origin xzy=…> is not read; did you mean xyz"),
        ('<Axis xyz="0 0 1"/>', "", "", "<joint/Axis> is not read; did you mean axis"),
        ('<origin xyz="0 0 1" quat_xyzw="0 0 1 0"/>', "", "", None),
        ("", "<inertail/>", "", None),  # there is one beside it
        ("", '<visual><orgin xyz="0 0 1"/></visual>', "", "<visual/orgin> is not read"),
        ("", "", '<joints name="k"/>', "<joints> is not read; did you mean joint"),
        ("", "", '<gazebo reference="b"><gravity>0</gravity></gazebo>', "gravity off 'b'"),
        ("", "", '<gazebo reference="b"><gravity>1</gravity></gazebo>', None),
        ("", "", '<gazebo reference="b"><turnGravityOff>true</turnGravityOff></gazebo>', "'b'"),
        ("", "", '<gazebo><joint name="loop"><parent>a</parent></joint></gazebo>', "joint 'loop'"),
        ("", "", '<drake:ball_constraint name="c"/>', "'c': its forces are left out"),
        ("", "", ROTOR, "the inertia of rotors is left out"),
    ],
)
def test_what_may_move_the_robot_is_warned_of(of_joint, of_link, beside, words):
    text = urdf(of_joint, of_link, beside).replace("<robot ", '<robot xmlns:drake="d" ')
    found = [line for line in warnings_about(text) if "shape" not in line]
    assert len(found) == (words is not None)
    if words:
        assert words in found[0]
        with pytest.warns(FootworkWarning, match=re.escape(words)):
            load(text)


def test_the_elements_of_urdf_are_read_without_a_word():
    joint = (
        '<origin xyz="0 0 1" rpy="0 0 1"/><axis xyz="0 1 0"/><dynamics damping="2" friction="3"/>'
    )
    link = '<visual name="v"><origin/><geometry><sphere radius="1"/></geometry><material name="m">'
    link += '<color rgba="1 0 0 1"/></material></visual><collision name="c"><geometry>'
    link += '<capsule radius="1" length="1"/></geometry></collision>'
    robot = load(urdf(joint, link), strict=True)
    assert not robots.diagnose(urdf(joint, link))
    assert (robot.model.damping[6], robot.model.upperDryFrictionLimit[6]) == (2, 3)
    (ball,), (capsule,) = robot.visual.geometryObjects, robot.collision.geometryObjects
    assert ball.geometry.radius == capsule.geometry.radius == 1
    assert capsule.geometry.halfLength == 0.5


def test_thousands_of_names_of_other_programs_take_no_time():
    many = "".join(f"<x{k}/>" for k in range(5000))
    words = words_of(urdf(beside=many))
    assert "1 × <x0>" in words
    assert len(words) < 3000
