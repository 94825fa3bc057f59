"""Whatever a user has, it loads, or the message says why not and what to do."""

import io
import sys
import warnings
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from footwork import FootworkWarning, ModelError, load, robots
from footwork.robots import builders, catalogue

INERTIAL = (
    '<inertial><mass value="{}"/>'
    '<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>'
)


def urdf(joint: str = '<axis xyz="0 0 1"/>', kind: str = "continuous", mesh: str = "") -> str:
    """Two links of 2 kg and 1 kg."""
    shape = f'<visual><geometry><mesh filename="{mesh}"/></geometry></visual>' if mesh else ""
    return f"""<robot name="two">
      <link name="a">{INERTIAL.format(2)}{shape}</link><link name="b">{INERTIAL.format(1)}</link>
      <joint name="j" type="{kind}"><parent link="a"/><child link="b"/>
        <origin xyz="0 0 1" rpy="0.3 0 0"/>{joint}</joint></robot>"""


LIMITS = '<axis xyz="0 0 1"/><limit lower="0.2" upper="0.6" effort="5" velocity="1"/>'


def test_the_base_is_fixed_where_the_root_is_no_body():
    """A link "world" without mass, or any root that could not have an acceleration."""
    below = urdf().replace('<robot name="two">', '<robot name="two"><link name="{0}"/>')
    tied = '<joint name="t" type="{1}"><parent link="{0}"/><child link="a"/><axis xyz="0 0 1"/>'
    text = below.replace("</robot>", f"{tied}<limit lower='-1' upper='1'/></joint></robot>")
    for root, kind, floating, nv in (
        ("world", "fixed", False, 1),
        ("world", "prismatic", False, 2),
        ("rail", "planar", False, 4),
        ("base_footprint", "fixed", True, 7),
        ("world", "floating", True, 7),
    ):
        robot = load(text.format(root, kind))
        assert (robot.is_floating, robot.nv) == (floating, nv)
        told = [f for f in robots.diagnose(text.format(root, kind)) if f.code == "base"]
        assert len(told) == (not floating)
    assert load(text.format("world", "fixed"), base="floating").is_floating


def test_a_rotation_by_a_quaternion():
    turned = urdf().replace('rpy="0.3 0 0"', 'quat_xyzw="0 0.6 0 0.8"')
    R = load(turned).model.jointPlacements[2].rotation
    np.testing.assert_allclose(R, pin.Quaternion(np.array([0, 0.6, 0, 0.8])).matrix(), atol=1e-15)
    for wrong in ("0.0 1.0 0.0 1.0", "0 0 1", "x"):
        with pytest.raises(ModelError, match=f"quat_xyzw='{wrong}'"):
            load(turned.replace("0 0.6 0 0.8", wrong))


def test_a_text_a_path_and_a_string_path_are_the_same_robot(tmp_path, monkeypatch):
    file = tmp_path / "two.urdf"
    file.write_text(urdf())
    from_text, from_path, from_str = load(urdf()), load(file), load(str(file))
    assert from_text.model == from_path.model == from_str.model
    assert from_path.source == str(file)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(urdf().encode())))
    assert load("-").model == from_text.model


def test_a_text_may_start_with_a_declaration_a_mark_or_blank_lines():
    text = '<?xml version="1.0" encoding="iso-8859-1"?>\n' + urdf().replace("two", "zweifüßig")
    assert load(text).name == "zweifüßig"
    assert load("\ufeff\n  " + urdf()).name == "two"


def test_bytes_are_read_in_the_encoding_that_they_declare(tmp_path):
    file = tmp_path / "latin.urdf"
    text = '<?xml version="1.0" encoding="iso-8859-1"?>' + urdf().replace("two", "zweifüßig")
    file.write_bytes(text.encode("iso-8859-1"))
    assert load(file).name == "zweifüßig"


def test_the_base_floats_unless_said_otherwise():
    assert load(urdf()).is_floating
    fixed = load(urdf(), base="fixed")
    assert not fixed.is_floating
    assert fixed.nv == 1
    assert fixed.mass == 3  # the root's 2 kg stay in the sum
    with pytest.raises(ModelError, match="'floating' or 'fixed'"):
        load(urdf(), base="loose")


def test_a_floating_joint_of_the_file_is_used_not_doubled():
    text = urdf(kind="floating", joint="").replace(INERTIAL.format(2), "")
    free = load(text)
    assert (free.nq, free.nv, free.na) == (7, 6, 0)
    assert free.is_floating
    assert free.joint_names == ()
    assert load(text, base="fixed").nv == 0


def test_locked_joints_leave_q_but_keep_their_mass():
    robot = load(urdf(), lock=["j"])
    assert (robot.nv, robot.mass, robot.locked) == (6, 3, ("j",))
    assert "b" in robot.frame_names


@pytest.mark.parametrize("angle", [0.0, 0.7, -1.2])
def test_a_joint_is_locked_where_it_is_asked_to_be(angle):
    free, locked = load(urdf()), load(urdf(), lock={"j": angle})
    q = free.neutral()
    q[7:] = np.cos(angle), np.sin(angle)
    data, fixed = free.model.createData(), locked.model.createData()
    pin.framesForwardKinematics(free.model, data, q)
    pin.framesForwardKinematics(locked.model, fixed, locked.neutral())
    expected = data.oMf[free.frame_id("b")]
    assert fixed.oMf[locked.frame_id("b")].isApprox(expected, 1e-9)


def test_a_sliding_joint_is_locked_where_it_is_asked_to_be():
    text = urdf(kind="prismatic", joint=LIMITS)
    locked = load(text, lock={"j": 0.4}, base="fixed")
    place = locked.model.frames[locked.frame_id("b")].placement
    np.testing.assert_allclose(np.linalg.norm(place.translation - [0, 0, 1]), 0.4, atol=1e-9)


def test_a_locked_joint_stays_within_its_limits():
    locked = load(urdf(kind="revolute", joint=LIMITS), lock="j", base="fixed")
    free = load(urdf(kind="revolute", joint=LIMITS), base="fixed")
    data = free.model.createData()
    pin.framesForwardKinematics(free.model, data, np.array([0.2]))
    assert locked.model.frames[locked.frame_id("b")].placement.isApprox(
        data.oMf[free.frame_id("b")], 1e-9
    )


def test_patterns_lock_many():
    robot = load("biped", lock=["*_shoulder_*", "*_elbow"])
    assert robot.nv == load("biped").nv - 6
    assert robot.mass == pytest.approx(load("biped").mass)
    assert "half_sitting" in robot.postures


@pytest.mark.parametrize("bad", [{"j": np.nan}, {"j": "up"}, {"k": 0.0}, ["k"]])
def test_what_cannot_be_locked_is_refused(bad):
    with pytest.raises(ModelError, match="lock"):
        load(urdf(), lock=bad)


def test_a_planar_root_joint_stays_what_it_is():
    robot = load(urdf(kind="planar", joint=""), base="fixed")
    assert (robot.nq, robot.nv) == (4, 3)
    assert robot.unit_blocks == ((2, 4),)


# --- meshes ------------------------------------------------------------------------------------


def stl(path: Path) -> Path:
    """One triangle."""
    path.parent.mkdir(parents=True, exist_ok=True)
    corners = np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0], [0, 1, 0]], dtype="<f4").tobytes()
    path.write_bytes(b"\0" * 80 + (1).to_bytes(4, "little") + corners + b"\0\0")
    return path


def test_packages_are_found_upwards_from_the_file(tmp_path):
    stl(tmp_path / "two_description/meshes/a.stl")
    file = tmp_path / "two_description/urdf/two.urdf"
    file.parent.mkdir()
    file.write_text(urdf(mesh="package://two_description/meshes/a.stl"))
    assert load(file).visual.ngeoms == 1
    file.write_text(urdf(mesh="../meshes/a.stl"))
    assert load(file).visual.ngeoms == 1
    stl(tmp_path / f"two_description/meshes/{'a' * 200}.stl")  # a long name hides no advice
    deeper = tmp_path / "two_description/robots/v1/two.urdf"
    deeper.parent.mkdir(parents=True)
    deeper.write_text(urdf(mesh=f"package://two_description/meshes/{'a' * 200}.stl"))
    with pytest.warns(FootworkWarning, match=r"(?s)outside the folders.*meshes=False") as caught:
        assert load(deeper).visual.ngeoms == 0
    _, _, advice = str(caught[0].message).partition("package_dirs=['")
    assert load(deeper, package_dirs=[advice.partition("'")[0]]).visual.ngeoms == 1


def test_a_package_may_have_another_name_than_its_folder(tmp_path):
    stl(tmp_path / "src/meshes/a.stl")
    (tmp_path / "src/package.xml").write_text("<package><name>two_pkg</name></package>")
    text = urdf(mesh="package://two_pkg/meshes/a.stl")
    assert load(text, package_dirs=[tmp_path / "src"]).visual.ngeoms == 1


@pytest.mark.parametrize(
    ("variable", "folder"), [("ROS_PACKAGE_PATH", "pkg"), ("AMENT_PREFIX_PATH", "share/pkg")]
)
def test_packages_of_a_ros_environment_are_found(tmp_path, monkeypatch, variable, folder):
    stl(tmp_path / folder / "a.stl")
    monkeypatch.setenv(variable, f"/nowhere:{tmp_path}")
    assert load(urdf(mesh="package://pkg/a.stl")).visual.ngeoms == 1


def test_a_missing_mesh_says_where_it_was_looked_for_and_what_to_do(tmp_path):
    text = urdf(mesh="package://pkg/a.stl")
    words = r"(?s)1 mesh is missing.*package://pkg/a.stl.*tried.*meshes=False"
    with pytest.warns(FootworkWarning, match=words) as caught:
        robot = load(text, package_dirs=[tmp_path])
    assert str(tmp_path / "pkg") in str(caught[0].message)
    assert (robot.visual.ngeoms, robot.mass) == (0, 3)
    assert load(text, meshes=False).mass == 3
    with pytest.raises(ModelError, match=words):
        load(text, package_dirs=[tmp_path], strict=True)
    (finding,) = (f for f in robots.diagnose(text) if f.code == "mesh")
    assert (finding.level, finding.link) == ("warning", "a")


def test_meshes_are_found_as_exporters_name_them(tmp_path):
    stl(tmp_path / "robot/Meshes/Leg.STL")
    (tmp_path / "robot/urdf").mkdir()
    file = tmp_path / "robot/urdf/robot.urdf"
    names = ("../meshes/leg.stl", "package:///Meshes/Leg.STL", "package:///meshes/LEG.stl")
    for name in (*names, r"..\Meshes\Leg.STL"):
        file.write_text(urdf(mesh=name))
        assert load(file, strict=True).visual.ngeoms == 1, name
    stl(tmp_path / "robot/urdf/foot.stl")
    file.write_text(urdf(mesh="package:///foot.stl"))  # as onshape-to-robot writes it
    assert load(file, strict=True).visual.ngeoms == 1
    (tmp_path / "robot/urdf/foot.stl").write_text("version https://git-lfs.github.com/spec/v1\n")
    with pytest.warns(FootworkWarning, match="git lfs pull"):
        assert load(file).visual.ngeoms == 0
    secret = f"../../../{tmp_path.name}_secret/a.stl"
    stl(tmp_path / "robot/urdf" / secret)
    for name in (secret, f"package:///{secret}", f"package:///{secret.upper()}"):
        file.write_text(urdf(mesh=name))
        words = "1 mesh is missing or may not be read, and left out: .*outside the folders"
        with pytest.warns(FootworkWarning, match=words):
            assert load(file).mass == 3
        with pytest.raises(ModelError, match="outside the folders"):
            load(file, strict=True)
        assert [f.level for f in robots.diagnose(file) if f.code == "mesh"] == ["warning"]


def test_primitive_shapes_stay_when_meshes_are_left_out():
    robot = load("biped", meshes=False)
    assert robot.visual.ngeoms == load("biped").visual.ngeoms


# --- messages ----------------------------------------------------------------------------------


def test_unknown_names_and_files_bring_what_exists(tmp_path):
    with pytest.raises(ModelError, match="'talos'"):
        load("talso")
    (tmp_path / "robot.urdf").write_text(urdf())
    with pytest.raises(ModelError, match=r"robot\.urdf"):
        load(tmp_path / "robbot.urdf")
    with pytest.raises(ModelError, match=r"folder.*robot\.urdf"):
        load(tmp_path)
    with pytest.raises(ModelError, match="no folder"):
        load(tmp_path / "nowhere" / "robot.urdf")
    with pytest.raises(ModelError, match="got int"):
        load(3)
    with pytest.raises(ModelError, match="package_dirs"):
        load(urdf(), package_dirs=[tmp_path / "nowhere"])


def test_a_missing_data_package_says_what_to_install(monkeypatch):
    monkeypatch.setattr(catalogue, "package_folder", lambda *_: None)
    catalogue._by_name.cache_clear()
    with pytest.raises(ModelError, match=r"pip install 'footwork\[robots\]'"):
        load("talos")
    assert not next(i for i in robots.available() if i.name == "talos").installed
    assert load("biped").mass > 0


# --- SRDF --------------------------------------------------------------------------------------


def test_a_sibling_srdf_brings_postures_and_feet(tmp_path):
    (tmp_path / "two.urdf").write_text(urdf())
    (tmp_path / "two.srdf").write_text(
        '<robot name="two"><passive_joint name="j"/>'
        '<end_effector name="foot" parent_link="b" group="g"/>'
        '<group_state name="up" group="g"><joint name="j" value="0.5"/>'
        '<joint name="root_joint" value="0 0 2 0 0 0 1"/></group_state></robot>'
    )
    bare = "no collision box .* are points at the origins of their links: foot on 'b'"
    with pytest.warns(FootworkWarning, match=bare):
        robot = load(tmp_path / "two.urdf")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert load(tmp_path / "two.urdf", feet="b:0.02").feet["b"].radius == 0.02
    np.testing.assert_allclose(robot.posture("up")[7:], [np.cos(0.5), np.sin(0.5)])
    assert robot.posture("up")[2] == 2
    assert robot.feet["foot"].is_point
    assert robot.actuated == ()
    (tmp_path / "two.srdf").write_text(
        '<robot name="two"><group_state name="up"><joint name="j" value="1 nan"/>'
        "</group_state></robot>"
    )
    with pytest.raises(ModelError, match="line 1"):
        load(tmp_path / "two.urdf")


# --- our own models ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["double_pendulum", "block", "limb"])
def test_the_shipped_files_are_what_the_builders_write(name):
    text = (catalogue.MODELS / f"{name}.urdf").read_text()
    assert text == getattr(builders, f"{name}_urdf")()
    assert load(name).model == getattr(robots, name)().model


def test_double_pendulum_is_two_uniform_bars():
    l1, l2, m1, m2, g = 0.9, 0.6, 1.3, 0.7, 9.81
    robot = robots.double_pendulum(l1, l2, m1, m2)
    t1, t2 = 0.4, -1.1
    data = robot.model.createData()
    M = pin.crba(robot.model, data, np.array([t1, t2]))
    i1, i2 = m1 * l1**2 / 12, m2 * l2**2 / 12
    c = m2 * l1 * l2 / 2 * np.cos(t2)
    m22 = i2 + m2 * l2**2 / 4
    m11 = i1 + m1 * l1**2 / 4 + m2 * l1**2 + m22 + 2 * c
    np.testing.assert_allclose(M, [[m11, m22 + c], [m22 + c, m22]], atol=1e-9)
    V = pin.computePotentialEnergy(robot.model, data, np.array([t1, t2]))
    expected = -(m1 / 2 + m2) * g * l1 * np.cos(t1) - m2 / 2 * g * l2 * np.cos(t1 + t2)
    assert pytest.approx(expected, abs=1e-9) == V


def test_limb_is_point_masses_along_y_turning_about_z():
    robot = robots.limb([0.5, 0.4], [2.0, 3.0])
    data = robot.model.createData()
    com = pin.centerOfMass(robot.model, data, robot.neutral())
    np.testing.assert_allclose(com, [0, (2 * 0.25 + 3 * 0.7) / 5, 0], atol=1e-12)
    pin.framesForwardKinematics(robot.model, data, np.array([np.pi / 2, 0.0]))
    np.testing.assert_allclose(data.oMf[robot.frame_id("tip")].translation, [-0.9, 0, 0], atol=1e-9)
    M = pin.crba(robot.model, data, np.zeros(2))
    assert M[1, 1] == pytest.approx(3 * 0.2**2)


def test_block_has_its_centre_of_mass_at_its_origin():
    robot = robots.block(6.0, (1.0, 0.5, 0.2))
    inertia = robot.model.inertias[1]
    np.testing.assert_allclose(inertia.lever, 0)
    np.testing.assert_allclose(
        np.diag(inertia.inertia), [6 / 12 * (0.25 + 0.04), 6 / 12 * 1.04, 6 / 12 * 1.25]
    )
    assert robot.posture("standing")[2] == pytest.approx(0.1)


@pytest.mark.parametrize(
    "build",
    [
        lambda: robots.double_pendulum(l1=0),
        lambda: robots.double_pendulum(m2=float("nan")),
        lambda: robots.block(mass=-1),
        lambda: robots.block(size=(1, 2)),
        lambda: robots.limb([1.0], [1.0, 2.0]),
        lambda: robots.limb([], []),
        lambda: robots.limb(["long"], [1.0]),
    ],
)
def test_builders_refuse_what_cannot_be(build):
    with pytest.raises(ModelError, match="expected"):
        build()
