"""Feet are where the shapes say they are."""

import numpy as np
import pinocchio as pin
import pytest

from footwork import contacts, load, robots
from footwork.robots.feet.foot import Foot, looks_like_a_foot, point_foot, rectangle, sole_foot

LEGGED = [i.name for i in robots.available() if i.kind not in ("mechanism", "upper body")]
# no shapes at all; or meshes that lie across the soles
UNSHAPED = ("simple_humanoid", "simple_humanoid_classical", "icub", "icub_reduced")
OTHER_HANDS = ("g1_hands", "romeo_small")  # the feet of g1 and romeo


@pytest.fixture(scope="module", params=[n for n in LEGGED if n not in UNSHAPED + OTHER_HANDS])
def robot(request):
    info = next(i for i in robots.available() if i.name == request.param)
    if not info.installed:
        pytest.skip(f"needs {info.source}")
    return load(request.param)


def outline(robot, foot: Foot) -> np.ndarray:
    """Points of the shapes on the foot's joint, in its placed frame: collision, else visual."""
    frame = robot._model.frames[robot.frame_id(foot.frame)]
    for kind in ("_collision", "_visual"):  # the public ones are copies, of large meshes too
        points = []
        for shape in getattr(robot, kind).geometryObjects:
            if shape.parentJoint == frame.parentJoint:
                T = foot.placement.inverse() * frame.placement.inverse() * shape.placement
                points.extend(surface(shape.geometry) @ T.rotation.T + T.translation)
        if points:
            return np.array(points)
    raise AssertionError(f"{robot.name}: {foot.frame} has no shape")


def surface(geometry) -> np.ndarray:
    if hasattr(geometry, "vertices"):
        return np.array(geometry.vertices())
    box = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
    kind = type(geometry).__name__
    if kind == "Box":
        return box * geometry.halfSide
    turn = np.linspace(0, 2 * np.pi, 721)
    circle = np.column_stack([np.cos(turn), np.sin(turn), 0 * turn])
    if kind == "Cylinder":
        ends = [
            circle * geometry.radius + [0, 0, h] for h in (-1, 1) * np.array(geometry.halfLength)
        ]
        return np.concatenate(ends)
    assert kind == "Sphere"
    return geometry.radius * np.concatenate([circle, circle[:, [0, 2, 1]], circle[:, [2, 0, 1]]])


@pytest.mark.slow
def test_soles_lie_in_the_lowest_plane_and_inside_the_outline(robot):
    for foot in robot.feet.values():
        if foot.is_point:
            continue
        points = outline(robot, foot)
        assert abs(points[:, 2].min()) < 1.5e-3
        low, high = points.min(axis=0)[:2], points.max(axis=0)[:2]
        # the four balls of the G1 touch the ground below their middles
        assert (foot.vertices > low - 1e-3).all()
        assert (foot.vertices < high + 1e-3).all()
        assert np.ptp(foot.vertices, axis=0).prod() > 0.5 * np.prod(high - low) or (
            robot.name in ("human", "g1", "romeo")  # rounded, or toes
        )


def test_balls_end_where_the_shapes_end(robot):
    for foot in robot.feet.values():
        if not foot.is_point:
            continue
        assert foot.radius > 0
        points = outline(robot, foot)
        lowest = points[:, 2].min()  # below the middle of the ball
        if robot.name in ("centauro", "upkie"):  # a wheel turns about the z of its frame
            lowest = points[:, 0].min()
        assert lowest == pytest.approx(-foot.radius, abs=1.5e-3)


@pytest.mark.slow
def test_robots_hold_where_they_stand(robot):
    """All but Bolt, whose makers' posture leaves it 2 cm beside the line of its two points."""
    feet = contacts.at_feet(robot, 0.7)
    hold = contacts.static_hold(robot, robot.posture(), feet, torque_limits=False)
    assert hold.feasible == (robot.name != "bolt"), hold.reason


def test_feet_found_from_primitive_shapes():
    biped, quadruped, block = load("biped"), load("quadruped"), load("block")
    assert list(biped.feet) == ["left_foot", "right_foot"]  # the hands are no feet
    np.testing.assert_allclose(
        sorted(map(tuple, biped.feet["left_foot"].vertices)),
        sorted(map(tuple, rectangle(-0.1, 0.1, -0.055, 0.055))),
    )
    placement = biped.feet["left_foot"].placement.homogeneous
    np.testing.assert_allclose(placement, np.eye(4), atol=1e-12)
    assert {f.radius for f in quadruped.feet.values()} == {0.02}
    assert np.abs(block.feet["bottom"].vertices).max(axis=0) == pytest.approx([0.2, 0.15])


def test_a_box_that_is_turned_still_makes_a_sole_with_its_normal_up():
    text = """<robot name="r"><link name="body"><inertial><mass value="1"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
      <collision><origin xyz="0 0 -1" rpy="1.5707963267948966 0 0"/>
      <geometry><box size="0.4 0.2 0.3"/></geometry></collision></link></robot>"""
    collision = robots.shapes.UrdfShapes(text)
    robot = load(text)
    feet = robots.feet.foot.feet_of_end_effectors(
        robot.model, collision.read(robot.model, "collision"), {"foot": "body", "left_foot": "left"}
    )
    foot = feet["foot"]
    assert foot.placement.isApprox(pin.SE3(np.eye(3), np.array([0, 0, -1.1])), 1e-9)
    assert np.abs(foot.vertices).max(axis=0) == pytest.approx([0.2, 0.15])
    assert list(feet) == ["foot"]  # there is no link called "left"


@pytest.mark.parametrize(
    ("name", "link", "expected"),
    [
        ("l_foot", "left_sole_link", True),
        ("r_leg", "r_sole", True),
        ("l_arm", "l_gripper", False),
        ("end_effector", "gripperMover", False),
        ("left_arm_end_effector", "LeftGripperYaw", False),
        ("bottom", "bottom", True),
    ],
)
def test_hands_are_told_from_feet_by_name(name, link, expected):
    assert looks_like_a_foot(name, link) is expected


def test_soles_are_counter_clockwise():
    for name in LEGGED:
        info = next(i for i in robots.available() if i.name == name)
        for foot in info.feet() if info.feet else ():
            x, y = foot.vertices.T
            area = 0.5 * np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y)
            assert foot.is_point or area > 1e-3


def test_lowest_point_of_a_tilted_sole_and_of_a_ball():
    tilt = pin.SE3(pin.utils.rotate("y", 0.1), np.array([0.0, 0.0, 1.0]))
    sole = sole_foot("s", "f", rectangle(-0.1, 0.2, -0.05, 0.05))
    assert sole.lowest(tilt) == pytest.approx(1 - 0.2 * np.sin(0.1))
    assert point_foot("p", "f", (0, 0, 0.1), 0.02).lowest(tilt) == pytest.approx(
        1 + 0.1 * np.cos(0.1) - 0.02
    )
