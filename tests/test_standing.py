"""Robots that nobody prepared stand on their feet: found by shape, in a posture that is solved."""

from __future__ import annotations

import pickle
import re
import struct
from dataclasses import replace

import many_legs
import numpy as np
import pinocchio as pin
import pytest
from scipy.spatial import ConvexHull

import footwork as fw
from footwork import control, load, robots
from footwork.contacts import Plane, Terrain, at_feet, solve_posture, static_hold
from footwork.dynamics import frame_placement
from footwork.errors import ConfigurationError, ContactError, FootworkWarning, ModelError
from footwork.robots.feet import sole_shapes
from footwork.robots.feet.outlines import Outline

RANGE = 'range="-2 2"'


def biped(foot: str, *, turn: str = "1 0 0 0", zero: float = 0.0, assets: str = "") -> str:
    """Legs of six joints that end in `foot`, arms that hang down, as MJCF.

    The foot's body is turned by `turn`; at zero it is pitched by `zero` [rad].
    """

    def leg(side: str, y: float) -> str:
        axes = (("yaw", "0 0 1"), ("roll", "1 0 0"), ("pitch", "0 1 0"))
        hip = "".join(
            f'<body name="{side}_hip_{n}">'
            '<inertial pos="0 0 0" mass="1" diaginertia=".01 .01 .01"/>'
            f'<joint name="{side}_hip_{n}" axis="{a}" {RANGE}/>'
            for n, a in axes
        )
        pitch = f'<body quat="{np.cos(zero / 2)} 0 {np.sin(zero / 2)} 0"'
        return (
            f'<body pos="0 {y} -0.1" name="{side}_root">{hip}'
            '<geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.04" mass="3"/>'
            f'<body name="{side}_shank" pos="0 0 -0.4">'
            f'<joint name="{side}_knee" axis="0 1 0" range="0 2.4"/>'
            '<geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.03" mass="2"/>'
            f'{pitch} name="{side}_ankle" pos="0 0 -0.4">'
            f'<joint name="{side}_ankle_pitch" axis="0 1 0" {RANGE}/>'
            '<inertial pos="0 0 0" mass="0.3" diaginertia=".001 .001 .001"/>'
            f'<body name="{side}_foot" quat="{turn}">'
            f'<joint name="{side}_ankle_roll" axis="1 0 0" {RANGE}/>{foot}'
            "</body></body></body></body></body></body></body>"
        )

    def arm(side: str, y: float) -> str:
        return (
            f'<body name="{side}_arm" pos="0 {y} 0.4"><joint name="{side}_shoulder" axis="0 1 0" '
            f'{RANGE}/><geom type="capsule" fromto="0 0 0 0 0 -0.6" size="0.03" mass="2"/></body>'
        )

    parts = leg("left", 0.1) + leg("right", -0.1) + arm("left", 0.3) + arm("right", -0.3)
    return (
        f'<mujoco model="r"><compiler angle="radian"/><asset>{assets}</asset>'
        '<worldbody><body name="trunk"><freejoint/>'
        '<geom type="box" size="0.1 0.15 0.25" pos="0 0 0.15" mass="20"/>'
        f"{parts}</body></worldbody></mujoco>"
    )


def geoms(kind, size, *places, mass=1):
    """Geoms of a kind and a size at places, or from one to another."""
    at = [f'{"pos" if len(place.split()) == 3 else "fromto"}="{place}"' for place in places]
    return "".join(f'<geom type="{kind}" size="{size}" {where} mass="{mass}"/>' for where in at)


BOX = geoms("box", "0.1 0.05 0.02", "0.03 0 -0.06")
ALONG = [f"-0.07 {y} -0.06 0.13 {y} -0.06" for y in (-0.03, 0.03)]
ACROSS = [f"{x} -0.04 -0.06 {x} 0.04 -0.06" for x in (-0.05, 0.11)]
CORNERS = [f"{x} {y} -0.07" for x in (-0.05, 0.11) for y in (-0.03, 0.03)]
TOES = "0.10 0.03 -0.06", "0.10 -0.03 -0.06"
FEET = {  # geoms of a foot: the extents of its sole, and where its middle is
    "box": (BOX, (0.2, 0.1), 0.03, 1e-6),
    "boxes": (
        geoms("box", "0.04 0.05 0.02", "-0.03 0 -0.06")
        + geoms("box", "0.03 0.04 0.01", "0.10 0 -0.07"),
        (0.2, 0.1), 0.03, 1e-6,
    ),
    "capsules": (geoms("capsule", "0.02", *ALONG), (0.2, 0.06), 0.03, 1e-3),
    "cylinders": (geoms("cylinder", "0.02", *ALONG), (0.2, 0.06), 0.03, 1e-3),
    "capsules across": (geoms("capsule", "0.02", *ACROSS), (0.16, 0.08), 0.03, 1e-3),
    "balls": (geoms("sphere", "0.01", *CORNERS), (0.16, 0.06), 0.03, 1e-3),
    "capsule that begins at the ankle": (
        geoms("capsule", "0.05", "0 0 0 0.2 0 0"),
        (0.2, 2 * np.sqrt(2 * 0.05 * 3e-3)), 0.1, 1e-3,
    ),
    "heel and toe balls": (
        geoms("sphere", "0.03", "-0.06 0 -0.05", mass=0.5)
        + geoms("sphere", "0.02", *TOES, mass=0.2),
        (0.16, 0.06), 0.02, 1e-3,
    ),
    "cylinder": (geoms("cylinder", "0.06 0.02", "0.03 0 -0.06"), (0.12, 0.12), 0.03, 1e-2),
    "long for its leg": (geoms("box", "0.35 0.1 0.02", "0.03 0 -0.06"), (0.7, 0.2), 0.03, 1e-6),
    "ellipsoid on a box": (
        BOX + geoms("ellipsoid", "0.09 0.05 0.04", "0.03 0 -0.02"), (0.2, 0.1), 0.03, 1e-6,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("kind", "zero"), [("box", 0.0), *((kind, 0.3) for kind in FEET)])
def test_soles_of_all_shapes(kind, zero):
    foot, extents, middle, tolerance = FEET[kind]
    robot = load(biped(foot, zero=zero))
    assert robot.feet_by_shape
    assert [foot.frame for foot in robot.feet.values()] == ["left_foot", "right_foot"]
    for foot in robot.feet.values():
        size = np.ptp(foot.vertices, axis=0)
        np.testing.assert_allclose(size, extents, atol=max(tolerance, 1e-3))
        place = foot.placement.translation
        box = 0.5 * (foot.vertices.min(axis=0) + foot.vertices.max(axis=0))
        centre = place + foot.placement.rotation @ [*box, 0.0]
        depth = -0.05 if "ankle" in kind else -0.08
        np.testing.assert_allclose(centre, [middle, 0, depth], atol=max(tolerance, 1e-3))
    check_that_it_stands(robot)


def test_feet_whose_shapes_show_neither_a_ball_nor_a_sole_are_said_to_be_bare(run, tmp_path):
    """As the sensors below NAO's feet, where its meshes are missing."""
    file = tmp_path / "robot.xml"
    file.write_text(biped(geoms("box", "0.005 0.005 0.002", "0.03 0 -0.06")))
    bare = "left_foot (a point: its shapes show neither a ball nor a sole)"
    with pytest.warns(FootworkWarning, match=re.escape(bare)):
        at_feet(load(file))
    assert "left_foot (left_foot, point, neither a ball nor a sole)" in run("info", str(file))[1]


def check_that_it_stands(robot, bent: str = "knee"):
    assert robot.standing.problem == ""
    assert "solved" in robot.stance
    q, model = robot.posture(), robot.model
    np.testing.assert_array_equal(q, robot.posture("standing"))
    joints = slice(7, None)
    assert (q[joints] >= model.lowerPositionLimit[joints] - 1e-9).all()
    assert (q[joints] <= model.upperPositionLimit[joints] + 1e-9).all()
    for name in robot.joint_names:
        if bent and bent in name:
            assert abs(q[model.joints[model.getJointId(name)].idx_q]) > 0.2
    data = model.createData()
    pin.framesForwardKinematics(model, data, q)
    points = []
    for foot in robot.feet.values():
        T = data.oMf[robot.frame_id(foot.frame)] * foot.placement
        assert foot.lowest(data.oMf[robot.frame_id(foot.frame)]) == pytest.approx(0, abs=2e-3)
        if not foot.is_point:
            assert T.rotation[2, 2] > 1 - 1e-9
            assert T.rotation[0, 0] > 0.99  # x forward
        corners = np.zeros((max(1, len(foot.vertices)), 3))
        corners[: len(foot.vertices), :2] = foot.vertices
        points.append((corners @ T.rotation.T + T.translation)[:, :2])
    hull = ConvexHull(np.vstack(points))
    com = pin.centerOfMass(model, data, q)[:2]
    assert (hull.equations[:, :2] @ com + hull.equations[:, 2]).max() < -5e-3
    assert held(robot).feasible


def held(robot):
    """Whether it holds where it stands, on feet found by shape."""
    with pytest.warns(UserWarning, match="names no feet.*by their shapes"):
        feet = at_feet(robot)
    return static_hold(robot, robot.posture(), feet, torque_limits=False)


def with_ranges(text, **ends):
    """Both legs with other ranges of some joints about y."""
    for joint, span in ends.items():
        for side in ("left", "right"):
            name = f'name="{side}_{joint}" axis="0 1 0"'
            text = text.replace(f"{name} {RANGE}", f'{name} range="{span}"')
    return text


def toes(low: float, high: float) -> str:
    """A foot of two boxes, 0.16 m and 0.1 m long, with a joint between them."""
    return (
        '<geom type="box" size="0.08 0.04 0.02" pos="0 0 -0.06" mass="1"/>'
        '<body name="TOE" pos="0.09 0 -0.06">'
        f'<joint name="toe_pitch" axis="0 1 0" range="{low} {high}"/>'
        '<geom type="box" size="0.05 0.04 0.02" pos="0.0477668 0 -0.0147760" euler="0 0.3 0" '
        'mass="0.1"/>'
        "</body>"
    )


def with_toes(low: float, high: float) -> str:
    left, right = biped(toes(low, high)).split('name="right_root"')
    names = [part.replace("TOE", f"{s}_toe").replace("toe_pitch", f"{s}_toe_pitch")
             for s, part in (("left", left), ("right", right))]  # fmt: skip
    return 'name="right_root"'.join(names)


def test_toes_lie_flat_behind_their_joint():
    """At zero they are pitched by 0.3 rad into the ground; the foot is the part behind them."""
    robot = load(with_toes(-1, 1))
    assert list(robot.feet) == ["left_foot", "right_foot"]
    for foot in robot.feet.values():
        np.testing.assert_allclose(np.ptp(foot.vertices, axis=0), [0.16, 0.08], atol=1e-3)
    assert robot.standing.toes == ("left_toe", "right_toe")
    assert "left_toe, right_toe" in robot.stance
    q = dict(zip(robot.joint_names, robot.posture()[7:], strict=True))
    assert q["left_toe_pitch"] == pytest.approx(-0.3, abs=1e-5)
    check_that_it_stands(robot)
    both = load(with_toes(-1, 1), feet="left_foot,left_toe,right_foot,right_toe")
    assert {round(float(np.ptp(f.vertices[:, 0])), 3) for f in both.feet.values()} == {0.16, 0.1}
    assert both.standing.problem == ""
    wide, narrow = (
        static_hold(r, r.posture(), at_feet(r, 0.7, feet=r.feet), torque_limits=False).push_margin()
        for r in (both, robot)
    )
    assert wide > 1.1 * narrow


def test_a_robot_whose_ankles_do_not_level_its_soles_stands_on_its_toes():
    """As dogs and cats do."""
    robot = load(with_ranges(with_toes(-1.8, 1), ankle_pitch="0.6 1.2", hip_pitch="-0.4 0.3"))
    assert list(robot.feet) == ["left_toe", "right_toe"]
    assert robot.standing.toes == ()
    for foot in robot.feet.values():
        np.testing.assert_allclose(np.ptp(foot.vertices, axis=0), [0.1, 0.08], atol=1e-3)
    check_that_it_stands(robot, bent="")


def test_balls_for_feet_are_exactly_below_the_centre_of_mass():
    """On two points it stands, if at all, where they are in one plane with it."""
    robot = load(biped('<geom type="sphere" size="0.05" pos="0.02 0 -0.05" mass="1"/>'))
    q = robot.posture()
    left, right = (
        fw.dynamics.frame_placement(robot, q, f.frame).act(f.placement.translation)
        for f in robot.feet.values()
    )
    com = fw.dynamics.com(robot, q)
    assert abs(np.cross((right - left), (com - left))[2]) < 1e-10
    assert held(robot).feasible


def test_axes_that_digits_tilt_do_not_take_the_balance_to_the_side():
    """A mass that no joint brings above the line of two balls leaves them below it all the same."""

    def leg(side: str, y: float) -> str:
        return (
            f'<body name="{side}_thigh" pos="0 {y} 0" euler="-1.5707 0.002 0">'
            f'<joint name="{side}_hip" axis="0 0 1" range="-2 2"/>'
            '<geom type="capsule" fromto="0 0 0 0 0.3 0" size="0.02" mass="1"/>'
            f'<body name="{side}_shank" pos="0 0.3 0"><joint name="{side}_knee" axis="0 0 1" '
            'range="-2 0"/><geom type="capsule" fromto="0 0 0 0 0.3 0" size="0.02" mass="1"/>'
            f'<body name="{side}_foot" pos="0 0.3 0"><geom size="0.06" mass="1"/></body>'
            "</body></body>"
        )

    robot = load(
        '<mujoco><compiler angle="radian"/><worldbody><body name="trunk"><freejoint/>'
        '<geom type="box" size="0.1 0.1 0.1" pos="0.05 0.02 0.1" mass="5"/>'
        f"{leg('left', 0.15)}{leg('right', -0.15)}</body></worldbody></mujoco>"
    )
    assert robot.standing.problem == ""
    assert held(robot).margin > 0.3 * robot.mass * 9.81


def test_knees_stay_straight_where_bent_ones_take_the_feet_from_under_it():
    """Hips and knees turn backwards only, ankles little."""
    text = biped(geoms("box", "0.05 0.05 0.02", "0.01 0 -0.06"))
    robot = load(with_ranges(text, hip_pitch="0 2", ankle_pitch="-0.8 0.8"))
    check_that_it_stands(robot, bent="")
    q = dict(zip(robot.joint_names, robot.posture()[7:], strict=True))
    assert max(q["left_knee"], q["right_knee"]) < 0.2


def test_legs_that_lie_to_one_side_at_zero_do_not_turn_the_base():
    """All point forwards, as if x were down; that way up its weight would be before the feet."""
    leg = (
        '<body name="{n}" pos="{x} {y} 0"><joint name="{n}_hip" axis="0 1 0" range="0 103"/>'
        '<geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02" mass="0.3"/></body>'
    )
    legs = "".join(
        leg.format(n=f"{end}_{side}", x=x, y=y)
        for end, x in (("front", 0.2), ("hind", -0.2))
        for side, y in (("left", 0.15), ("right", -0.15))
    )
    robot = load(
        '<mujoco model="r"><worldbody><body name="trunk"><freejoint/>'
        '<geom type="box" size="0.25 0.1 0.05" mass="9"/><geom size="0.05" pos="0 0 0.3" mass="5"/>'
        f"{legs}</body></worldbody></mujoco>"
    )
    assert len(robot.feet) == 4
    np.testing.assert_allclose(robot.posture()[3:7], [0, 0, 0, 1], atol=1e-12)
    check_that_it_stands(robot, bent="")


@pytest.mark.parametrize(("step", "is_ball"), [(3, True), (30, False)])
def test_corners_on_an_arc_are_a_ball_where_they_are_many(step, is_ball):
    """Each step [degrees] misses the arc by r (1 − cos(step/2)): 0.05 mm, or 5 mm."""
    a = np.radians(np.arange(-48 + step / 2, 48, step))
    arc = np.c_[0.15 * np.sin(a), 0 * a, -0.15 * np.cos(a)]
    shape = Outline(0, 1, np.vstack([arc + np.array([0, y, 0]) for y in (-0.01, 0.01)]))
    ball = sole_shapes._tip([shape], np.array([0.0, 0.0, -1.0]), np.array([1.0, 0.0, 0.0]))
    assert (ball is not None) == is_ball
    if ball is not None:
        assert ball[1] == pytest.approx(0.15, abs=1e-3)


def test_a_body_that_floats_beside_is_no_part_of_it():
    """Neither its shapes, below the feet, nor its weight count."""
    ball = '<body name="ball" pos="2 0 -2"><freejoint/><geom type="sphere" size="0.2"/></body>'
    alone = load(biped(BOX))
    robot = load(biped(BOX).replace("</worldbody>", ball + "</worldbody>"))
    assert robot.standing.problem == ""
    moving = [robot.joint_names.index(name) for name in alone.joint_names]
    np.testing.assert_allclose(robot.posture()[7:][moving], alone.posture()[7:], atol=1e-6)


def test_wings_are_no_legs():
    wings = "".join(
        f'<body name="{side}_wing" pos="0 {y} -0.1"><joint name="{side}_flap" axis="0 1 0"/>'
        '<geom type="capsule" fromto="0 0 0 -0.6 0 -0.2" size="0.02" mass="0.1"/></body>'
        for side, y in (("left", 0.12), ("right", -0.12))
    )
    first = '<body pos="0 0.1 -0.1" name="left_root">'
    robot = load(biped(BOX).replace(first, wings + first))
    assert list(robot.feet) == ["left_foot", "right_foot"]


def test_left_and_right_alike():
    robot = load(biped(BOX))
    left, right = robot.feet.values()
    mirrored = {(round(x, 6), round(-y, 6)) for x, y in left.vertices}
    assert mirrored == {(round(x, 6), round(y, 6)) for x, y in right.vertices}
    q = dict(zip(robot.joint_names, robot.posture()[7:], strict=True))
    for joint in ("knee", "hip_pitch", "ankle_pitch"):
        assert q[f"left_{joint}"] == pytest.approx(q[f"right_{joint}"], abs=1e-3)


def test_a_foot_turned_in_its_own_frame():
    """The body's x points down: the sole's normal is not its z."""
    foot = '<geom type="box" size="0.02 0.05 0.1" pos="0.06 0 0.03" mass="1"/>'
    robot = load(biped(foot, turn="0.7071067811865476 0 0.7071067811865476 0"))
    check_that_it_stands(robot)
    for foot in robot.feet.values():
        np.testing.assert_allclose(foot.placement.rotation[:, 2], [-1, 0, 0], atol=1e-3)
        np.testing.assert_allclose(np.ptp(foot.vertices, axis=0), [0.2, 0.1], atol=1e-3)


def test_a_foot_that_is_only_a_mesh(tmp_path):
    """Rounded by 5 mm all around its sole."""
    turn = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    sole = np.column_stack([0.1 * np.cos(turn) + 0.03, 0.04 * np.sin(turn)])
    rings = [(0.95, -0.08), (1.0, -0.075), (1.0, -0.05), (0.3, 0.0)]
    points = np.vstack([np.c_[(sole - [0.03, 0]) * s + [0.03, 0], 0 * turn + z] for s, z in rings])
    hull = ConvexHull(points)
    body = b"".join(
        struct.pack("<12fH", 0, 0, 0, *points[t].ravel().tolist(), 0) for t in hull.simplices
    )
    (tmp_path / "foot.stl").write_bytes(b"\0" * 80 + struct.pack("<I", len(hull.simplices)) + body)
    file = tmp_path / "robot.xml"
    geom = '<geom type="mesh" mesh="foot" mass="1"/>'
    file.write_text(biped(geom, assets='<mesh name="foot" file="foot.stl"/>'))
    robot = load(file)
    for foot in robot.feet.values():
        np.testing.assert_allclose(np.ptp(foot.vertices, axis=0), [0.19, 0.076], atol=4e-3)
    check_that_it_stands(robot)


def quadruped(shank: str, *, arm: str = "", knee: str = 'lower="0" upper="2.8"') -> str:
    """A trunk on four legs folded up at zero, so that its belly is lowest, as URDF."""
    inertial = (
        '<inertial><mass value="{m}"/><inertia ixx="{i}" iyy="{i}" izz="{i}" ixy="0" ixz="0" '
        'iyz="0"/></inertial>'
    )
    heavy, light = inertial.format(m=10, i=0.2), inertial.format(m=0.5, i=0.002)
    limit = '<limit lower="-3.1" upper="3.1" effort="50" velocity="9"/>'
    box = '<collision><geometry><box size="0.6 0.2 0.2"/></geometry></collision>'
    text = f'<link name="trunk">{heavy}{box}</link>'
    for x, end in ((0.3, "front"), (-0.3, "hind")):
        for y, side in ((0.15, "left"), (-0.15, "right")):
            n = f"{end}_{side}"
            text += (
                f'<link name="{n}_hip">{light}<collision><geometry><sphere radius="0.06"/>'
                f'</geometry></collision></link><link name="{n}_thigh">{light}</link>'
                f'<link name="{n}_shank">{light}{shank}</link>'
                f'<joint name="{n}_abduction" type="revolute"><parent link="trunk"/>'
                f'<child link="{n}_hip"/><origin xyz="{x} {y} 0"/><axis xyz="1 0 0"/>{limit}'
                "</joint>"
                f'<joint name="{n}_pitch" type="revolute"><parent link="{n}_hip"/>'
                f'<child link="{n}_thigh"/><axis xyz="0 1 0"/>{limit}</joint>'
                f'<joint name="{n}_knee" type="revolute"><parent link="{n}_thigh"/>'
                f'<child link="{n}_shank"/><origin xyz="-0.25 0 0"/><axis xyz="0 1 0"/>'
                f'<limit {knee} effort="50" velocity="9"/></joint>'
            )
    return f'<robot name="dog">{text}{arm}</robot>'


SHANK = (
    '<collision><origin xyz="0.125 0 0"/><geometry><box size="0.25 0.03 0.03"/></geometry>'
    '</collision><collision><origin xyz="0.25 0 0"/><geometry><sphere radius="0.025"/></geometry>'
    "</collision>"
)


def test_a_quadruped_folded_on_its_belly_stands_up():
    robot = load(quadruped(SHANK))
    assert all(foot.is_point and foot.radius == 0.025 for foot in robot.feet.values())
    frames = {foot.frame for foot in robot.feet.values()}
    assert frames == {f"{e}_{s}_shank" for e in ("front", "hind") for s in ("left", "right")}
    check_that_it_stands(robot)


def test_an_arm_on_its_back_is_no_leg():
    box = '<geometry><box size=".05 .05 1"/></geometry>'
    shape = f'<collision><origin xyz="0 0 0.5"/>{box}</collision>'
    arm = (
        '<link name="long"><inertial><mass value="1"/><inertia ixx=".1" iyy=".1" izz=".1" ixy="0" '
        f'ixz="0" iyz="0"/></inertial>{shape}</link><joint name="j" type="revolute">'
        '<parent link="trunk"/><child link="long"/><origin xyz="0.2 0 0.1"/><axis xyz="0 1 0"/>'
        '<limit lower="-3" upper="3" effort="9" velocity="9"/></joint>'
    )
    assert len(load(quadruped(SHANK, arm=arm)).feet) == 4


def test_who_has_no_legs_does_not_stand():
    limb = load("limb", base="floating")
    assert dict(limb.feet) == {}
    robot = replace(load("biped"), feet={}, postures={})
    np.testing.assert_array_equal(robot.posture(), robot.neutral())  # it has none, as was said
    folded = quadruped(SHANK, knee='lower="0" upper="0.01"')
    stuck = load(folded.replace('"-3.1"', '"-0.1"').replace('"3.1"', '"0.1"'))
    assert "do not reach below its hips" in stuck.standing.problem
    assert "standing" not in stuck.postures
    assert stuck.stance.startswith("none: ")


def test_feet_stay_found_when_a_robot_is_copied():
    robot = load(biped(BOX))
    for other in (pickle.loads(pickle.dumps(robot)), robot.with_gravity((0, 0, -1.6))):
        assert other.feet_by_shape
        assert list(other.feet) == ["left_foot", "right_foot"]
        np.testing.assert_allclose(other.posture(), robot.posture(), atol=1e-9)


def test_feet_by_hand(tmp_path):
    text = biped(BOX)
    sized = load(text, feet="left_foot:0.22x0.08,right_foot:0.22x0.08")
    assert not sized.feet_by_shape
    for foot in sized.feet.values():
        np.testing.assert_allclose(np.ptp(foot.vertices, axis=0), [0.22, 0.08])
        np.testing.assert_allclose(foot.placement.translation, [0.03, 0, -0.08], atol=1e-6)
    ball = load(text, feet=["left_foot:0.04", "right_foot"]).feet
    assert ball["left_foot"].radius == 0.04
    np.testing.assert_allclose(ball["left_foot"].placement.translation, [0.03, 0, -0.04], atol=1e-6)
    assert not ball["right_foot"].is_point
    assert list(load("biped", feet="left_foot").feet) == ["left_foot"]  # a foot of the SRDF

    file = tmp_path / "robot.xml"
    file.write_text(text)
    (tmp_path / "robot.feet.yaml").write_text(
        "l: {frame: left_foot, size: [0.2, 0.1], offset: [0.03, 0, -0.08]}\n"
        "r: {frame: right_foot, vertices: [[0.1, 0.05], [-0.1, 0.05], [-0.1, -0.05]],\n"
        "    offset: [0.03, 0, -0.08]}\n"
    )
    beside = load(file)
    assert list(beside.feet) == ["l", "r"]
    assert len(beside.feet["r"].vertices) == 3
    assert "solved" in beside.stance
    same = load(text, feet=dict(beside.feet))
    assert same.feet["l"].placement == beside.feet["l"].placement
    elsewhere = load(file, feet=str(tmp_path / "robot.feet.yaml"))
    assert list(elsewhere.feet) == ["l", "r"]


@pytest.mark.parametrize(
    ("feet", "error", "words"),
    [
        ("left_fot:0.2x0.1", ConfigurationError, "no link 'left_fot'; did you mean 'left_foot'"),
        ("left_foot:0.2x", ModelError, "expected LINK"),
        ("left_foot:-1", ModelError, "expected LINK"),
        (7, ModelError, "expected text"),
        ({"left_foot": {"sise": [1, 2]}}, ModelError, "did you mean 'size'"),
        ({"left_foot": {"size": [1, 2, 3]}}, ModelError, "size"),
        ("no-such.yaml", ModelError, "no such file"),
    ],
)
def test_feet_that_are_none(feet, error, words):
    with pytest.raises(error, match=words):
        load(biped(BOX), feet=feet)


@pytest.mark.parametrize("radius", [0.0, 0.008])
def test_a_robot_without_shapes_stands_on_feet_given_by_hand(run, tmp_path, radius):
    """In the posture in which it stands on balls of that radius that its description has."""
    shown = many_legs.urdf(many_legs.SIX)
    bare = re.sub("<(visual|collision)>.*?</\\1>", "", shown)
    names = [f"{leg}_foot:{radius}" for leg in many_legs.SIX]
    robot = load(bare, feet=names)
    assert robot.standing.problem == ""
    if radius:
        np.testing.assert_allclose(robot.posture(), load(shown).posture(), atol=1e-3)
    heights = [frame_placement(robot, robot.posture(), f).translation[2] for f in robot.feet]
    np.testing.assert_allclose(heights, radius, atol=1e-9)
    file = tmp_path / "bare.urdf"
    file.write_text(bare)
    assert run("hold", str(file), "--feet", *names)[0] == 0
    code, _, err = run("hold", str(file), "--feet", "lf_foot", "rf_foot", "lm_foot")
    assert code == 2
    assert "'lf_foot' has no shape" in err


def test_a_base_whose_z_is_not_up_is_why_no_feet_are_found():
    """The shapes of its feet are there, but nothing of them touches any ground."""

    def turned(match):
        R = pin.rpy.rpyToMatrix(-np.pi / 2, 0, 0) @ pin.rpy.rpyToMatrix(0, 0, float(match[4]))
        rpy = " ".join(map(str, pin.rpy.matrixToRpy(R)))
        return f'{match[1]}<origin xyz="{match[2]} 0 {-float(match[3])}" rpy="{rpy}"/>'

    text = many_legs.urdf(many_legs.SIX)
    hip = r'(<child link="\w+_coxa"/>)<origin xyz="(\S+) (\S+) \S+" rpy="0 0 (\S+)"/>'
    feet = [f"{leg}_foot" for leg in many_legs.SIX]
    robot = load(re.sub(hip, turned, text), feet=feet)
    problem = robot.standing.problem
    assert problem
    with pytest.raises(ConfigurationError, match=f"no posture.*{re.escape(problem)}"):
        print(list(robot.feet))


def test_a_keyframe_in_which_it_stands_is_where_it_stands():
    text = biped(BOX)
    q = load(text).posture()
    w = [*q[:3], q[6], *q[3:6], *q[7:]]
    key = " ".join(map(str, w))
    lying = " ".join(map(str, [*w[:2], 0.1, 0.7071067811865476, 0, 0.7071067811865476, 0, *w[7:]]))
    keys = f'<keyframe><key name="lying" qpos="{lying}"/><key name="up" qpos="{key}"/></keyframe>'
    robot = load(text.replace("</mujoco>", keys + "</mujoco>"))
    assert robot.stance == "up"
    assert list(robot.postures) == ["lying", "up"]
    np.testing.assert_allclose(robot.posture(), q, atol=1e-6)


def test_shapes_are_not_read_before_they_are_needed():
    robot = load(biped(BOX))
    repr(robot), robot.neutral(), replace(robot, name="other")
    assert "_collision" not in vars(robot)
    assert robots.feet_of_shapes(robot).keys() == robot.feet.keys()


def test_a_robot_on_its_belly_does_not_hold(run, tmp_path):
    file = tmp_path / "dog.urdf"
    file.write_text(quadruped(SHANK))
    code, out, err = run("hold", str(file), "--posture", "neutral")
    assert (code, out) == (2, "")
    assert "does not stand in its posture 'neutral': it lies on 'trunk'" in err
    assert run("hold", str(file))[0] == 0
    code, out, _ = run("info", str(file), "--feet", "front_left_shank:0.04", "hind_left_shank")
    assert code == 0
    assert "front_left_shank (front_left_shank, point, radius 0.04 m)" in out
    assert "solved" in run("info", str(file))[1]


def test_a_link_that_there_is_not_is_answered_by_the_feet_that_there_are():
    with pytest.raises(ConfigurationError, match="feet of its description are left_foot, right_f"):
        load("biped", feet="zzz")


def test_a_robot_that_cannot_stand_is_refused_with_the_reason(run, tmp_path):
    """All of it hangs to one side of its legs."""
    file = tmp_path / "leaning.xml"
    weight = '<geom type="sphere" size="0.1" pos="2 0 0.3" mass="200"/>'
    file.write_text(biped(BOX).replace("<freejoint/>", "<freejoint/>" + weight))
    robot = load(file)
    why = robot.standing.problem
    assert "beside its feet" in why
    code, _, err = run("simulate", str(file))
    assert code == 2
    assert f"'r' finds no posture to stand in: {why}" in err
    assert run("hold", str(file), "--posture", "neutral")[0] == 1


@pytest.mark.parametrize("terrain", [None, Terrain([Plane("ground")])])
def test_feet_move_on_the_ground_where_legs_without_ankle_roll_cannot_lay_them_flat_in_place(
    terrain,
):
    robot = load("biped", lock={"left_ankle_roll": 0.02, "right_ankle_roll": -0.02})
    feet = at_feet(robot)
    assert not solve_posture(robot, feet, com="inside").converged
    standing, q = control.stand(robot, feet, terrain=terrain, crouch=0.01)
    with pytest.raises(ContactError, match=r"no posture to start in: out of reach.*; give q"):
        control.simulate(robot, standing, duration=0.01)
    soles = feet.placements(q).values()
    assert [sole.translation[2] for sole in soles] == pytest.approx([0, 0], abs=1e-8)
    assert [sole.rotation[2, 2] for sole in soles] == pytest.approx([1, 1], abs=1e-12)
    assert static_hold(robot, q, feet).margin > 100


def test_a_body_that_flies_is_named_as_what_nothing_holds():
    ball = '<body name="ball" pos="3 0 1"><freejoint name="flies"/><geom size="0.1"/></body>'
    robot = load(biped(BOX).replace("</worldbody>", f"{ball}</worldbody>"))
    feet = at_feet(robot, feet=robot.feet)
    reason = static_hold(robot, robot.neutral(), feet, torque_limits=False).reason
    assert "would have to hold: flies with 41.09" in reason  # 4/3 π 0.1³ · 1000 kg/m³ · g


def test_motors_that_are_missing_are_named(run, tmp_path):
    file = tmp_path / "weak.xml"
    file.write_text(biped(BOX))
    code, out, _ = run("hold", str(file), "--passive", "left_knee", "right_knee")
    assert code == 1
    robot = load(biped(BOX))
    feet = at_feet(robot, 0.7, feet=robot.feet)
    torques = static_hold(robot, robot.posture(), feet, torque_limits=False).torques
    needed = abs(dict(zip(robot.actuated, torques, strict=True))["left_knee"])
    words = out.splitlines()[1]
    assert "joints without a motor would have to hold: " in words
    assert all(f"{side}_knee with {needed:.2f}"[:-1] in words for side in ("left", "right"))


def test_the_picture_of_a_robot_has_its_soles(monkeypatch):
    drawn = {}
    monkeypatch.setattr(fw.Viewer, "polygon", lambda self, name, *_, **__: drawn.update({name: 1}))
    robot = load(biped(BOX))
    fw.view(robot)
    assert list(drawn) == [f"feet/{name}" for name in robot.feet]


def test_legs_drawn_astride_are_down_and_not_the_arms_that_reach_ahead():
    leg = """<body name="{s}_thigh" pos="0 {y} 0"><joint name="{s}_splay" axis="1 0 0" {R}/>
        <joint name="{s}_hip" axis="0 1 0" {R}/>
        <geom type="capsule" size=".04" fromto="0 0 0 .4 {o} -.25"/>
        <body name="{s}_shin" pos=".4 {o} -.25"><joint name="{s}_knee" axis="0 1 0" {R}/>
        <geom type="capsule" size=".03" fromto="0 0 0 -.4 0 -.35"/>
        <body name="{s}_foot" pos="-.4 0 -.35"><joint name="{s}_ankle" axis="0 1 0" {R}/>
        <joint name="{s}_roll" axis="1 0 0" {R}/>
        <geom type="box" size=".1 .05 .02" pos="0 0 -.03"/></body></body></body>"""
    arm = """<body name="{s}_arm" pos="0 {y} .4"><joint name="{s}_shoulder" axis="0 1 0" {R}/>
        <geom type="capsule" size=".03" fromto="0 0 0 .4 0 0"/>
        <body name="{s}_forearm" pos=".4 0 0"><joint name="{s}_elbow" axis="0 1 0" {R}/>
        <geom type="capsule" size=".03" fromto="0 0 0 .45 0 0"/></body></body>"""
    sides = (("left", 0.1, 0.3), ("right", -0.1, -0.3))
    limbs = "".join(part.format(s=s, y=y, o=o, R=RANGE) for part in (leg, arm) for s, y, o in sides)
    trunk = '<freejoint/><geom type="box" size=".1 .15 .3" pos="0 0 .3" mass="10"/>'
    robot = load(
        '<mujoco><compiler angle="radian"/><worldbody>'
        f'<body name="trunk">{trunk}{limbs}</body></worldbody></mujoco>'
    )
    assert robot.posture("standing")[3:7] == pytest.approx([0, 0, 0, 1], abs=1e-12)
    assert list(robot.feet) == ["left_foot", "right_foot"]
