"""Every robot of the catalogue loads, has feet where it has legs, and can be asked about."""

from functools import cache

import numpy as np
import pinocchio as pin
import pytest

from footwork import load, robots
from footwork.robots.files.installed import package_folder
from footwork.robots.srdf import read_srdf
from footwork.robots.table import table

ENTRIES = robots.available()
LEGGED = [info.name for info in ENTRIES if info.kind not in ("mechanism", "upper body")]


@cache
def get(name):
    info = next(i for i in ENTRIES if i.name == name)
    if not info.installed:
        pytest.skip(f"needs {info.source}")
    return load(name, meshes=False, mimic="independent")


def test_names_are_unique_and_include_the_usual_ones():
    names = robots.catalogue.names()
    assert len(set(names)) == len(names) == sum(1 + len(i.aliases) for i in ENTRIES)
    usual = "talos talos_full anymal anymal_b anymal_c solo solo8 solo12 hyq a1 go1 go2 b1 laikago"
    more = "bolt g1 g1_hands icub icub_reduced romeo romeo_small simple_humanoid human centauro"
    assert {*usual.split(), *more.split(), "alexander", "biped", "quadruped"} <= set(names)


@pytest.mark.skipif(package_folder("example-robot-data") is None, reason="needs example-robot-data")
def test_no_legged_robot_of_the_data_is_forgotten():
    folder = package_folder("example-robot-data") / "robots"
    makers = "a1 alex alexander anymal_b_simple anymal_c_simple b1 bolt centauro g1 go1 go2"
    more = "human hyq icub laikago quadruped romeo simple_humanoid solo"
    legged = [*makers.split(), *more.split()]
    known = {info.urdf.split("/")[0] for info in ENTRIES}
    assert {f"{name}_description" for name in legged} | {"talos_data"} <= known
    assert all((folder / f"{name}_description").is_dir() for name in legged)


@pytest.mark.parametrize("name", [info.name for info in ENTRIES])
def test_it_loads_as_pinocchio_loads_it(name):
    robot = get(name)
    info = next(i for i in ENTRIES if i.name == name)
    text = (info.folder / info.urdf).read_text()
    free = [pin.JointModelFreeFlyer()] if info.base == "floating" else []
    model = pin.buildModelFromXML(text, *free)
    assert robot.name == name
    assert robot.is_floating == (info.base == "floating")
    assert robot.mass == pytest.approx(sum(i.mass for i in model.inertias))
    assert (robot.nq, robot.nv) == (model.nq, model.nv)
    q = pin.neutral(model)
    data, mine = model.createData(), robot.model.createData()
    np.testing.assert_allclose(pin.crba(robot.model, mine, q), pin.crba(model, data, q), atol=1e-12)
    assert robot.posture().shape == (robot.nq,)
    assert info.licence


@pytest.mark.parametrize("name", LEGGED)
def test_legged_robots_have_feet_on_frames_that_exist_and_stand_on_them(name):
    robot = get(name)
    assert robot.feet
    kind = next(i.kind for i in ENTRIES if i.name == name)
    assert len(robot.feet) == {"humanoid": 2, "biped": 2, "wheeled biped": 2}.get(kind, 4)
    q = robot.posture()
    data = robot.model.createData()
    pin.framesForwardKinematics(robot.model, data, q)
    com = pin.centerOfMass(robot.model, data, q)
    corners = []
    for foot in robot.feet.values():
        T_world_frame = data.oMf[robot.frame_id(foot.frame)]
        assert abs(foot.lowest(T_world_frame)) < 0.025  # makers round, and forget the ball
        T_world_sole = T_world_frame * foot.placement
        points = foot.vertices if len(foot.vertices) else np.zeros((1, 2))
        local = np.column_stack([points, np.zeros(len(points))])
        corners.extend(local @ T_world_sole.rotation.T + T_world_sole.translation)
        if not foot.is_point:
            assert T_world_sole.rotation[2, 2] > 0.99  # flat, and the right way up
    if kind in ("biped", "wheeled biped") and all(f.is_point for f in robot.feet.values()):
        return  # two points: no posture is a static one
    low, high = np.min(corners, axis=0), np.max(corners, axis=0)
    assert (low[:2] < com[:2]).all()
    assert (com[:2] < high[:2]).all()


@pytest.mark.parametrize("name", LEGGED)
def test_soles_point_where_the_robot_faces(name):
    robot = get(name)
    data = robot.model.createData()
    pin.framesForwardKinematics(robot.model, data, robot.posture())
    for foot in robot.feet.values():
        if not foot.is_point:
            x = (data.oMf[robot.frame_id(foot.frame)] * foot.placement).rotation[:, 0]
            assert x @ [1, 0, 0] > 0.95


@pytest.mark.parametrize("name", [i.name for i in ENTRIES if i.srdf and i.installed])
def test_postures_agree_with_pinocchio_where_the_srdf_says_all(name):
    robot = get(name)
    info = next(i for i in ENTRIES if i.name == name)
    text = (info.folder / info.srdf).read_text()
    semantics = read_srdf(text)
    assert set(semantics.postures) <= set(robot.postures)
    model = robot.model  # a copy
    pin.loadReferenceConfigurationsFromXML(model, text, False)
    assert len(model.referenceConfigurations)
    for entry in model.referenceConfigurations:
        key, q = entry.key(), entry.data()
        start = 0 if semantics.base_joint in semantics.postures[key] else 7 * robot.is_floating
        np.testing.assert_allclose(robot.postures[key][start:], q[start:], atol=1e-3)


def test_the_table_lists_what_a_user_chooses_by(monkeypatch):
    lines = table().splitlines()
    assert lines[0].split()[:4] == ["name", "kind", "nq", "nv"]
    assert len(lines) == 1 + len(ENTRIES)
    biped = next(line for line in lines if line.startswith("biped"))
    assert all(word in biped for word in ("humanoid", "26", "25", "36.4", "2 soles", "BSD", "yes"))
    monkeypatch.setattr(robots.catalogue, "package_folder", lambda *_: None)
    missing = next(line for line in table().splitlines() if line.startswith("talos "))
    assert missing.split()[2:] == ["-", "-", "-", "-", "BSD-3-Clause", "no", "example-robot-data"]


def test_our_own_robots_stand_exactly_on_the_ground():
    for name in ("biped", "quadruped", "block"):
        robot = load(name)
        for posture in robot.postures.values():
            data = robot.model.createData()
            pin.framesForwardKinematics(robot.model, data, posture)
            for foot in robot.feet.values():
                T_world_frame = data.oMf[robot.frame_id(foot.frame)]
                assert abs(foot.lowest(T_world_frame)) < 1e-12
                if not foot.is_point:
                    up = (T_world_frame * foot.placement).rotation[:, 2]
                    np.testing.assert_allclose(up, [0, 0, 1], atol=1e-12)
