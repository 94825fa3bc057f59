"""A Robot is a frozen value: sizes, names, S, postures, the manifold of configurations."""

import copy
import dataclasses
import pickle

import numpy as np
import pinocchio as pin
import pytest

from footwork import ConfigurationError, ModelError, load, robots
from footwork.errors import unknown


def test_sizes_agree_with_the_model(biped):
    assert (biped.nq, biped.nv, biped.na) == (biped.model.nq, biped.model.nv, biped.model.nv - 6)
    assert biped.mass == pytest.approx(pin.computeTotalMass(biped.model))
    assert biped.is_floating
    assert len(biped.joint_names) == biped.na
    assert "root_joint" not in biped.joint_names


def test_selection_matrix_has_a_row_for_each_actuated_joint_in_joint_order(biped):
    S = biped.selection_matrix
    assert S.shape == (biped.na, biped.nv)
    np.testing.assert_array_equal(S, np.eye(biped.nv)[6:])
    passive = load("biped", passive=["left_elbow", "waist_yaw"])
    assert passive.na == biped.na - 2
    assert "left_elbow" not in passive.actuated
    rows = passive.selection_matrix.argmax(axis=1)
    assert list(rows) == sorted(rows)
    assert not passive.selection_matrix[:, passive.model.joints[2].idx_v].any() or (
        passive.model.names[2] not in ("left_elbow", "waist_yaw")
    )
    idle = {passive.model.joints[passive.joint_id(n)].idx_v for n in ("left_elbow", "waist_yaw")}
    assert idle == set(range(6, passive.nv)) - set(rows)


def test_torque_limits_are_those_of_the_file_and_zero_means_unlimited(biped):
    limits = dict(zip(biped.actuated, biped.torque_limits, strict=True))
    assert limits["left_knee"] == 120
    assert limits["right_elbow"] == 30
    assert biped.unlimited_joints == ()
    text = robots.builders.double_pendulum_urdf().replace('effort="10000"', 'effort="0"', 1)
    pendulum = load(text, base="fixed")
    assert pendulum.unlimited_joints == ("joint_1",)
    np.testing.assert_array_equal(pendulum.torque_limits, [np.inf, 10000])


def test_it_is_frozen_and_hands_out_copies_or_read_only_arrays(biped):
    with pytest.raises(dataclasses.FrozenInstanceError):
        biped.name = "other"
    with pytest.raises(TypeError):
        biped.postures["half_sitting"] = biped.neutral()
    parts = biped.postures["half_sitting"], biped.feet["left_foot"].vertices
    for array in (biped.selection_matrix, biped.torque_limits, *parts):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    q = biped.posture()
    q[0] = 5
    assert biped.posture()[0] == 0


@pytest.mark.parametrize("kind", ["visual", "collision"])
def test_changes_to_shapes_and_placements_do_not_reach_the_robot(biped, kind):
    shapes = getattr(biped, kind)
    box = next(item for item in shapes.geometryObjects if hasattr(item.geometry, "halfSide"))
    size = box.geometry.halfSide.copy()
    box.geometry.halfSide *= 7
    box.placement = pin.SE3(np.eye(3), np.ones(3))
    again = getattr(biped, kind)
    same = again.geometryObjects[again.getGeometryId(box.name)]
    np.testing.assert_array_equal(same.geometry.halfSide, size)
    assert same.placement != box.placement
    shapes.removeGeometryObject(box.name)
    assert getattr(biped, kind).ngeoms == shapes.ngeoms + 1


def test_placements_are_read_only(biped):
    placement = biped.feet["left_foot"].placement
    for array in (placement.translation, placement.rotation):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 5
    with pytest.raises(AttributeError):
        placement.translation = np.ones(3)
    for call in (placement.setIdentity, placement.setRandom):
        with pytest.raises(AttributeError):
            call()
    for copied in (pickle.loads(pickle.dumps(placement)), copy.deepcopy(placement)):
        assert copied == placement
        assert type(copied) is type(placement)
    free = placement.copy()  # Pinocchio's own
    free.translation[0] = 5
    assert placement != free


def test_postures_by_name_and_the_default_one(biped):
    np.testing.assert_array_equal(biped.posture(), biped.posture("half_sitting"))
    np.testing.assert_array_equal(biped.posture("neutral"), biped.neutral())
    with pytest.raises(ConfigurationError, match="half_sitting"):
        biped.posture("half_siting")


def test_unknown_names_bring_the_nearest_ones(biped):
    for find, name, words in (
        (biped.frame_id, "left_soel", "'left_sole'"),
        (biped.joint_id, "left_kne", "'left_knee'"),
        (biped.frame_id, ["left_sole"], "no frame"),
        (biped.frame_id, "zzzzzz", r"There are \d+: ('\w+', ){12}…$"),
        (biped.joint_id, None, "no joint"),
    ):
        with pytest.raises(ConfigurationError, match=words):
            find(name)
    foot = dataclasses.replace(biped.feet["left_foot"], name="paw")
    with pytest.raises(ConfigurationError, match="the foot of that name is at 'left_sole'"):
        dataclasses.replace(biped, feet={"paw": foot}).frame_id("paw")


def test_names_with_the_same_words_in_another_order_are_the_nearest_where_none_is_spelt_alike():
    names = ["wheel", "gripper_left_base_link", "gripper_left_joint", "gripper_right_joint"]
    words = "'gripper_left_joint' or 'gripper_left_base_link'"
    assert f"did you mean {words}?" in unknown("frame", "left_gripper", names)


def test_a_name_shared_by_a_link_and_a_joint_means_the_link():
    text = robots.builders.double_pendulum_urdf().replace('"joint_2"', '"bar_2"')
    robot = load(text, base="fixed")
    frame = robot.model.frames[robot.frame_id("bar_2")]
    assert frame.type == pin.FrameType.BODY
    assert robot.frame_names.count("bar_2") == 1


def test_integrate_and_difference_undo_each_other(biped):
    rng = np.random.default_rng(1)
    q0, q1 = biped.random_configuration(rng), biped.random_configuration(rng)
    q = biped.integrate(q0, biped.difference(q0, q1))
    np.testing.assert_allclose(biped.difference(q, q1), 0, atol=1e-10)


def test_the_base_part_of_a_tangent_step_is_in_the_base_frame(biped):
    q = biped.neutral()
    q[3:7] = [0, 0, np.sqrt(0.5), np.sqrt(0.5)]  # facing +y
    step = np.zeros(biped.nv)
    step[0] = 0.1
    np.testing.assert_allclose(biped.integrate(q, step)[:3], [0, 0.1, 0], atol=1e-12)


def test_random_configurations_respect_limits_and_unit_norms():
    for name in ("biped", "limb"):
        robot = load(name)
        for seed in range(20):
            q = robot.random_configuration(seed)
            assert pin.isNormalized(robot.model, q, 1e-12)
            assert (q >= robot.model.lowerPositionLimit - 1e-12).all()
            assert (q <= robot.model.upperPositionLimit + 1e-12).all()
        np.testing.assert_array_equal(robot.random_configuration(3), robot.random_configuration(3))
        assert (robot.random_configuration(3) != robot.random_configuration(4)).any()
    for seed in (-1, 1.5, "a"):
        with pytest.raises(ConfigurationError, match=f"rng: got {seed!r}, expected an integer"):
            robot.random_configuration(seed)


def test_robots_pickle_small(biped):
    data = pickle.dumps(biped)
    again = pickle.loads(data)
    assert len(data) < 500_000
    assert again.model == biped.model
    assert list(again.feet) == list(biped.feet)
    np.testing.assert_array_equal(again.posture(), biped.posture())
    np.testing.assert_array_equal(again.selection_matrix, biped.selection_matrix)
    assert again.visual.ngeoms == biped.visual.ngeoms > 20


def test_parts_of_robots_pickle_on_their_own(biped):
    for info in robots.available():
        again = pickle.loads(pickle.dumps(info))
        assert again.name == info.name
        assert (again.feet is None) == (info.feet is None)
    for name in ("feet", "postures", "kept", "motor_data"):
        value = getattr(biped, name)
        again = pickle.loads(pickle.dumps(value))
        assert list(again) == list(value)
        assert repr(again) == repr(value) == repr(dict(value))
        assert copy.deepcopy(value).keys() == value.keys()
        with pytest.raises(TypeError):
            value["new"] = None
        assert value | {"new": None} == {**value, "new": None} == {"new": None} | value


def test_feet_found_by_shape_pickle_without_their_robot():
    body = f'{UNIT}<collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision>'
    robot = load(
        f'<robot name="r"><link name="trunk">{body}</link><link name="leg">{body}</link>'
        '<joint name="hip" type="prismatic"><parent link="trunk"/><child link="leg"/>'
        '<origin xyz="0 0 -0.5"/><axis xyz="0 0 1"/>'
        '<limit lower="-0.1" upper="0.1" effort="99" velocity="9"/></joint></robot>'
    )
    again = pickle.loads(pickle.dumps(robot.feet))  # before anybody asked for them
    assert list(again) == list(robot.feet) == ["leg"]


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (np.zeros(3), r"got shape \(3,\), expected \(26,\)"),
        (np.zeros(26), "norm 0"),
        (np.r_[np.zeros(6), 2.0, np.zeros(19)], "norm 2"),
    ],
)
def test_configurations_that_cannot_be_are_refused(biped, bad, message):
    with pytest.raises(ConfigurationError, match=message):
        biped.integrate(bad, np.zeros(biped.nv))


def test_numbers_whose_products_overflow_are_refused(biped):
    q = biped.neutral()
    q[:3] = 1e50  # their norm is beyond what each of them may be
    assert biped.integrate(q, np.zeros(biped.nv))[0] == 1e50
    q[0] = 1e200  # its square overflows
    with pytest.raises(ConfigurationError, match=r"1e\+200 at index 0.*at most 1e\+50"):
        biped.integrate(q, np.zeros(biped.nv))


def test_the_wrong_passive_or_locked_joint_is_refused_by_name():
    for option in ("passive", "lock"):
        with pytest.raises(ModelError, match="'waist_yaw'"):
            load("biped", **{option: ["waist_yav"]})


# --- joints by name -------------------------------------------------------------------------


def test_joints_are_set_by_name_and_nothing_else_moves(biped):
    q = biped.random_configuration(2)
    before = q.copy()
    moved = biped.set(q, left_knee=0.3, waist_yaw=-0.2)
    np.testing.assert_array_equal(q, before)
    at = {name: biped.model.joints[biped.joint_id(name)].idx_q for name in biped.joint_names}
    assert (moved[at["left_knee"]], moved[at["waist_yaw"]]) == (0.3, -0.2)
    assert set(np.flatnonzero(moved != q)) == {at["left_knee"], at["waist_yaw"]}
    np.testing.assert_array_equal(biped.set(q, {"left_knee": [0.3]}, waist_yaw=-0.2), moved)
    np.testing.assert_array_equal(biped.set(), biped.posture())
    base = biped.set(q, root_joint=[1, 2, 3, 0, 0, 0, 1])
    np.testing.assert_array_equal(base[:7], [1, 2, 3, 0, 0, 0, 1])


UNIT = (
    '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    "</inertial>"
)
JOINTED = f"""<robot name="odd"><link name="a"/><link name="b">{UNIT}</link>
<link name="c">{UNIT}</link>
<joint name="left-wheel" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/>
</joint>
<joint name="table" type="planar"><parent link="b"/><child link="c"/><axis xyz="0 0 1"/></joint>
</robot>"""


def test_an_angle_will_do_where_q_has_a_cosine_and_a_sine():
    robot = load(JOINTED, base="fixed")
    c, s = np.cos(0.4), np.sin(0.4)
    q = robot.set(None, {"left-wheel": 0.4, "table": [1, 2, 0.4]})
    np.testing.assert_array_equal(q, [c, s, 1, 2, c, s])
    np.testing.assert_array_equal(robot.set(None, {"left-wheel": [c, s], "table": q[2:]}), q)
    with pytest.raises(ConfigurationError, match="'table': got 2 values, expected 3, the last an"):
        robot.set(q, table=[1, 2])
    with pytest.raises(ConfigurationError, match=r"\(cos, sin\) pair .* has norm 2"):
        robot.set(q, {"left-wheel": [2, 0]})


def test_joints_that_cannot_be_set_are_refused(biped):
    q = biped.posture()
    with pytest.raises(ConfigurationError, match="joint 'left_knee' is locked"):
        load("biped", lock=["left_knee"]).set(left_knee=0.3)
    for joint, value, words in (
        ("left_nee", 0.3, "did you mean 'left_knee'"),
        ("left_knee", [0.3, 0.2], "'left_knee': got 2 values, expected 1"),
        ("left_knee", np.nan, "'left_knee': got nan"),
        ("left_knee", "0.3", "'left_knee': got '0"),
        ("root_joint", np.zeros(6), "'root_joint': got 6 values, expected 7"),
    ):
        with pytest.raises(ConfigurationError, match=words):
            biped.set(q, {joint: value})
    for bad in (0.3, ["left_knee"]):
        with pytest.raises(ConfigurationError, match="joints: got"):
            biped.set(q, bad)
