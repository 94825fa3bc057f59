"""Feet found by shape are those that the catalogue has measured, and those that were drawn."""

from __future__ import annotations

import struct
from functools import partial
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from footwork import control, dynamics, load, robots
from footwork.contacts import SurfaceContact, at_feet, static_hold
from footwork.errors import ContactError, FootworkWarning
from footwork.robots import feet_of_shapes

# their shapes say where they stand (others are drawn without feet, or with shapes across them)
CLEAR = (
    "biped", "quadruped", "anymal_c", "solo12", "a1", "go2", "centauro", "talos", "g1", "jvrc",
    "bolt", "upkie", "hyq", "romeo", "alexander",
)  # fmt: skip


@pytest.mark.parametrize("name", CLEAR)
def test_as_the_catalogue_has_it(name):
    info = next(i for i in robots.available() if i.name == name)
    if not info.installed:
        pytest.skip(f"needs {info.source}")
    robot = load(name)
    data = robot.model.createData()
    pin.framesForwardKinematics(robot.model, data, robot.posture())

    def by_joint(feet):
        frames = robot.model.frames
        return {frames[robot.frame_id(f.frame)].parentJoint: f for f in feet.values()}

    known, found = by_joint(robot.feet), by_joint(feet_of_shapes(robot))
    assert known.keys() == found.keys()
    for joint, foot in known.items():
        other = found[joint]
        T, T_other = (data.oMf[robot.frame_id(f.frame)] for f in (foot, other))
        assert other.lowest(T_other) == pytest.approx(foot.lowest(T), abs=2e-3)
        assert other.is_point == foot.is_point
        boxes = [box(f, t) for f, t in ((foot, T), (other, T_other))]
        np.testing.assert_allclose(*boxes, atol=6e-3)


def box(foot, T):
    """Its corners' smallest and largest x and y in the world [m]; of a point, twice that point."""
    T = T * foot.placement
    corners = np.column_stack([foot.vertices, np.zeros(len(foot.vertices))])
    corners = np.zeros((1, 3)) if foot.is_point else corners
    world = corners @ T.rotation.T + T.translation
    return np.array([world.min(axis=0)[:2], world.max(axis=0)[:2]])


INERTIAL = (
    '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    "</inertial>"
)


def hinge(parent, child, xyz, turn="0 0 0", most=1):
    """A revolute joint about y."""
    return (
        f'<joint name="to {child}" type="revolute"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{xyz}" rpy="{turn}"/><axis xyz="0 1 0"/>'
        f'<limit lower="-{most}" upper="{most}" effort="99" velocity="9"/></joint>'
    )


def on_a_trunk(size: str, limbs: str, **how) -> robots.Robot:
    """A robot whose trunk is a box, with these limbs."""
    box = f'<collision><geometry><box size="{size}"/></geometry></collision>'
    return load(f'<robot name="r"><link name="trunk">{INERTIAL}{box}</link>{limbs}</robot>', **how)


def standing_on(shape: str, kind: str = "collision", origin: str = "", **how) -> robots.Robot:
    """A trunk on two legs that end in `shape`, turned as `origin` says."""
    legs = "".join(
        f'<link name="{side}">{INERTIAL}<{kind}><origin xyz="0 0 -0.5" {origin}/>'
        f"<geometry>{shape}</geometry></{kind}></link>{hinge('trunk', side, f'0 {y} 0')}"
        for side, y in (("left", 0.1), ("right", -0.1))
    )
    return on_a_trunk("0.2 0.2 0.2", legs, **how)


def on_legs(count: int, tail: float = 0.0) -> robots.Robot:
    """A trunk with legs alike around it, the first ahead, and perhaps a tail that hangs down."""
    around = [(np.cos(a), np.sin(a), 0.5) for a in np.arange(count) * 2 * np.pi / count]
    tails = [(-1.2, 0.0, tail)] if tail else []
    limbs = "".join(
        f'<link name="{k}">{INERTIAL}<collision><origin xyz="0 0 {-length}"/>'
        '<geometry><sphere radius="0.02"/></geometry></collision></link>'
        + hinge("trunk", k, f"{0.2 * x} {0.2 * y} 0", f"0 0 {np.arctan2(y, x)}")
        for k, (x, y, length) in enumerate(around + tails)
    )
    return on_a_trunk("0.2 0.2 0.1", limbs)


@pytest.mark.parametrize("count", [3, 5, 6])
def test_legs_around_a_trunk_need_not_come_in_pairs(count):
    assert len(feet_of_shapes(on_legs(count))) == count


def test_a_tail_beside_pairs_of_legs_is_none():
    assert len(feet_of_shapes(on_legs(4, tail=0.42))) == 4


def test_a_box_is_a_sole_also_turned():
    for origin, size in (("", (0.2, 0.08)), ('rpy="0 1.5707963267948966 0"', (0.04, 0.08))):
        feet = feet_of_shapes(standing_on('<box size="0.2 0.08 0.04"/>', origin=origin))
        assert list(feet) == ["left", "right"]
        for foot in feet.values():
            np.testing.assert_allclose(np.ptp(foot.vertices, axis=0), size, atol=1e-12)
            assert foot.placement.translation[2] == pytest.approx(-0.5 - (0.1 if origin else 0.02))


def test_balls_and_wheels_are_balls():
    wheel = 'rpy="1.5707963267948966 0 0"'
    for shape, origin, radius, z in (
        ('<sphere radius="0.03"/>', "", 0.03, -0.5),
        ('<cylinder radius="0.08" length="0.02"/>', wheel, 0.08, -0.5),
    ):
        foot = feet_of_shapes(standing_on(shape, origin=origin))["left"]
        assert foot.is_point
        assert foot.radius == pytest.approx(radius)
        np.testing.assert_allclose(foot.placement.translation, [0, 0, z], atol=1e-12)


def test_capsules_end_in_balls():
    """Upright the lower end touches; lying both, as a narrow sole (URDF has no capsules)."""
    for rotation, z in (("1 0 0 0", -0.6), ("1 1 0 0", -0.5)):
        foot = f'<geom type="capsule" size="0.03 0.1" pos="0 0 -0.5" quat="{rotation}"/>'
        robot = load(
            '<mujoco model="r"><worldbody><body name="trunk"><freejoint/>'
            '<geom type="box" size="0.1 0.1 0.1"/><body name="leg"><joint type="hinge"/>'
            f"{foot}</body></body></worldbody></mujoco>"
        )
        (found,) = feet_of_shapes(robot).values()
        if rotation == "1 0 0 0":
            assert found.radius == pytest.approx(0.03)
            np.testing.assert_allclose(found.placement.translation, [0, 0, z], atol=1e-9)
        else:
            width = 2 * np.sqrt(2 * 0.03 * 0.003)  # what a ball presses by 3 mm
            np.testing.assert_allclose(np.sort(np.ptp(found.vertices, axis=0)), [width, 0.2])
            np.testing.assert_allclose(found.placement.translation, [0, 0, z - 0.03], atol=1e-9)


def test_an_upright_cylinder_is_a_sole_inside_its_disc():
    foot = feet_of_shapes(standing_on('<cylinder radius="0.05" length="0.02"/>', "visual"))["left"]
    assert len(foot.vertices) == 8
    np.testing.assert_allclose(np.linalg.norm(foot.vertices, axis=1), 0.05)


def stl(path, points):
    """A fan of triangles under an apex: a flat polygon whose corners are `points` (k, 2)."""
    corners = np.column_stack([points, np.zeros(len(points))])
    apex = np.array([0.0, 0.0, 100.0])
    fan = [(corners[0], corners[i], corners[i + 1]) for i in range(1, len(points) - 1)]
    sides = list(zip(corners, np.roll(corners, -1, axis=0), [apex] * len(points), strict=True))
    packed = (struct.pack("<12fH", 0, 0, 0, *np.ravel(t).tolist(), 0) for t in fan + sides)
    body = b"".join(packed)
    path.write_bytes(b"\0" * 80 + struct.pack("<I", len(fan + sides)) + body)


def test_a_mesh_in_millimetres_with_many_corners(tmp_path):
    turn = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    (tmp_path / "feet").mkdir()
    stl(tmp_path / "feet" / "foot.stl", np.column_stack([120 * np.cos(turn), 50 * np.sin(turn)]))
    mesh = '<mesh filename="package://feet/foot.stl" scale="0.001 0.001 0.001"/>'
    foot = feet_of_shapes(standing_on(mesh, package_dirs=[tmp_path]))["right"]
    assert 3 <= len(foot.vertices) <= 8
    corners = foot.vertices + foot.placement.translation[:2]
    np.testing.assert_allclose((corners / [0.12, 0.05]) ** 2 @ [1, 1], 1, atol=1e-5)
    assert foot.placement.translation[2] == pytest.approx(-0.5)


def test_robots_without_feet_or_meshes():
    assert feet_of_shapes(load("biped", base="fixed")) == {}
    assert feet_of_shapes(load("biped", meshes=False)).keys() == {"left_foot", "right_foot"}


@pytest.mark.parametrize(("first", "down"), [(0.0, 0.0), (np.pi / 6, 0.5)])
def test_six_legs_that_are_stretched_to_all_sides_have_six_feet(first, down):
    """Each leg has one opposite to it; what is left by rounding does not say where down is."""
    rod = '<collision><origin xyz="0.1 0 0" rpy="0 1.5707963267948966 0"/><geometry>'
    rod += '<cylinder radius="0.015" length="0.2"/></geometry></collision>'
    legs = "".join(
        f'<link name="thigh{k}">{INERTIAL}{rod}</link><link name="shank{k}">{INERTIAL}{rod}</link>'
        + hinge("trunk", f"thigh{k}", f"{0.15 * x} {0.15 * y} 0", f"0 {down} {way}", 2)
        + hinge(f"thigh{k}", f"shank{k}", "0.2 0 0", most=2)
        for k, way in enumerate(first + np.arange(6) * np.pi / 3)
        for x, y in [(np.cos(way), np.sin(way))]
    )
    robot = on_a_trunk("0.3 0.3 0.08", legs)
    assert list(feet_of_shapes(robot)) == [f"shank{k}" for k in range(6)]


def test_a_cylinder_that_a_loop_leads_back_to_the_thigh_is_no_leg():
    def link(name, x, y, z):
        box = f'<origin xyz="0 0 {-z / 2}"/><geometry><box size="{x} {y} {abs(z)}"/></geometry>'
        return f'<link name="{name}">{INERTIAL}<collision>{box}</collision></link>'

    def joint(kind, parent, child, *place, axis="0 1 0"):
        return (
            f'<joint name="to {child}" type="{kind}"><parent link="{parent}"/><child link="{child}"'
            f'/><origin xyz="{place[0]} {place[1]} {place[2]}"/><axis xyz="{axis}"/>'
            '<limit lower="-2" upper="2" effort="99" velocity="9"/></joint>'
        )

    def leg(k, y):
        return "".join([
            link(f"thigh{k}", 0.05, 0.05, 0.3), link(f"shank{k}", 0.05, 0.05, 0.3),
            link(f"foot{k}", 0.2, 0.1, 0.04), link(f"cylinder{k}", 0.02, 0.02, -0.2),
            link(f"piston{k}", 0.02, 0.02, -0.3), joint("revolute", "trunk", f"thigh{k}", 0, y, 0),
            joint("revolute", f"thigh{k}", f"shank{k}", 0, 0, -0.3),
            joint("revolute", f"shank{k}", f"foot{k}", 0, 0, -0.3),
            joint("revolute", f"shank{k}", f"cylinder{k}", -0.05, 0, -0.25),
            joint("prismatic", f"cylinder{k}", f"piston{k}", 0, 0, 0.2, axis="0 0 1"),
            f'<loop_joint name="{k}"><link1 link="piston{k}" xyz="0 0 0.3"/>'
            f'<link2 link="thigh{k}" xyz="-0.05 0 -0.05"/></loop_joint>',
        ])  # fmt: skip

    text = f'<robot name="r">{link("trunk", 0.2, 0.3, 0.1)}{leg(0, -0.1)}{leg(1, 0.1)}</robot>'
    assert list(load(text).feet) == ["foot0", "foot1"]


def test_it_stands_on_them():
    """As on the same sole given by hand; and it is said that the shapes decided."""
    robot = standing_on('<box size="0.2 0.08 0.04"/>')
    with pytest.warns(FootworkWarning, match=r"names no feet.*left \(a sole\), right \(a sole\)"):
        feet = at_feet(robot, 0.6)
    sole = {"half_length": 0.1, "half_width": 0.04, "friction": 0.6}
    low = pin.SE3(np.eye(3), np.array([0.0, 0.0, -0.52]))
    by_hand = [SurfaceContact(name, placement=low, **sole) for name in ("left", "right")]
    found, given = (static_hold(robot, robot.neutral(), c) for c in (feet, by_hand))
    assert found.margin == pytest.approx(given.margin, rel=1e-9)
    chosen = at_feet(robot, feet={"left": feet_of_shapes(robot)["left"]})
    assert chosen.names == ("left",)
    with pytest.raises(ContactError, match="no feet that we know of"):
        at_feet(load("limb"))


def test_legs_whose_shapes_are_missing_are_not_said_to_be_none():
    shapeless = standing_on('<mesh filename="missing.stl"/>', meshes=False)
    assert not shapeless.feet
    with pytest.raises(ContactError, match="show no legs, and 2 of its 3 bodies have none"):
        at_feet(shapeless)


def test_the_warning_of_feet_by_shape_is_of_the_users_line():
    robot = on_legs(3)
    still = partial(control.simulate, controller=lambda t, q, v: 0 * q[7:], duration=0.002)
    for call in (at_feet, control.stand, still):
        with pytest.warns(FootworkWarning, match="names no feet") as caught:
            call(robot)
        assert {note.filename for note in caught} == {__file__}


@pytest.mark.parametrize(
    ("name", "hip", "foot", "bent"),
    [("quadruped", "LF_thigh", "LF_foot", 0.2), ("biped", "left_thigh", "left_ankle_link", 0.1)],
)
def test_legs_are_bent_and_those_of_four_so_far_that_they_can_trot(name, hip, foot, bent):
    """A Mini Cheetah whose hips had come down by a tenth of its legs fell at 0.8 m/s."""
    robot = load(Path(robots.load(name).source).read_text(), base="floating")

    def reach(q):
        at = (dynamics.frame_placement(robot, q, frame).translation for frame in (hip, foot))
        return np.linalg.norm(np.subtract(*at))

    assert 1 - reach(robot.posture()) / reach(robot.neutral()) == pytest.approx(bent, abs=0.03)
