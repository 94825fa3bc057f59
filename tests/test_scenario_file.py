"""Scenario files: what is read, what is refused and how it is told, and the command on them."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from programs import module_of

from footwork import (
    ConfigurationError,
    ContactError,
    FootworkWarning,
    Viewer,
    contacts,
    dynamics,
    robots,
)
from footwork.contacts import (
    Box,
    Payload,
    Plane,
    Push,
    Rope,
    Scenario,
    ScenarioContact,
    ScenarioError,
    Stairs,
    Start,
    Wall,
)
from footwork.contacts.geometry import polygon
from footwork.contacts.scenario import schema as schema
from footwork.contacts.terrain.draping import drape

GOOD = """\
version: 1
title: "A title: with a colon"
robot: biped
friction: 0.6

terrain:
  - plane: ground
  - box: stone
    size: [0.4, 0.2, 0.1]
    at: [0.02, 0.085]
    friction: 0.3

contacts:
  - foot: left_foot
    surface: stone
    at: [0.02, 0.085]
  - foot: right_foot

loads:
  - push: torso
    force: [5, 0, 0]
    at: com
"""


def refused(text, folder="."):
    with pytest.raises(ScenarioError) as error:
        Scenario.from_text(text, "s.yaml", folder)
    message = str(error.value)
    assert "\n" not in message
    return message


# --- what is read ------------------------------------------------------------------------------


def test_a_file_says_what_it_says():
    scenario = Scenario.from_text(GOOD)
    assert scenario.title == "A title: with a colon"
    stone = scenario.contact_set["left_foot"]
    assert stone.friction == 0.3  # the stone's own
    assert scenario.contact_set["right_foot"].friction == 0.6  # the scenario's
    places = scenario.contact_set.placements(scenario.q)
    assert places["left_foot"].translation == pytest.approx([0.02, 0.085, 0.1], abs=1e-7)
    assert places["right_foot"].translation[2] == pytest.approx(0, abs=1e-7)
    wrench = scenario.wrenches_at(scenario.q)["torso"]
    assert wrench.point == pytest.approx(dynamics.com(scenario.machine, scenario.q))
    hold = scenario.check()
    total = sum(w.force for w in hold.wrenches.values())
    assert total == pytest.approx([-5, 0, 9.81 * scenario.machine.mass], abs=1e-6)


@pytest.mark.parametrize("name", contacts.scenarios())
def test_shipped_scenarios_survive_their_own_text(name, tmp_path):
    scenario = Scenario.load(name)
    again = Scenario.load(scenario.save(tmp_path / f"{name}.yaml"))
    assert again == scenario
    assert again.as_text() == scenario.as_text()
    assert again.name == scenario.name == name


def test_files_are_named_from_the_folder_that_a_scenario_is_saved_in(tmp_path, monkeypatch):
    for name in ("robots", "here", "there"):
        (tmp_path / name).mkdir()
    (tmp_path / "robots/legs.urdf").write_text(Path(robots.load("biped").source).read_text())
    (tmp_path / "robots/motors.yaml").write_text("left_knee: {peak: 20, no_load: 9}")
    (tmp_path / "here/flat.yaml").write_text(
        "version: 1\nrobot: ../robots/legs.urdf\nmotors: ../robots/motors.yaml\n"
        "contacts: [{frame: left_foot, kind: rectangle, half_length: 0.1, half_width: 0.05}]"
    )
    monkeypatch.chdir(tmp_path)
    first = Scenario.load("here/flat.yaml")
    for place in ("there/flat.yaml", "flat.yaml", tmp_path / "there/again.yaml"):
        again = Scenario.load(first.save(place))
        assert again.machine.motors.data == first.machine.motors.data != {}
        assert again.check().margin == pytest.approx(first.check().margin, abs=1e-9)
    assert "robot: robots/legs.urdf\n" in Path("flat.yaml").read_text()


def test_a_robot_that_no_file_describes_is_not_written_as_another():
    """A payload of the robot's own would be lost, and a sweep would answer without it."""
    plain = robots.load("biped")
    heavy = plain.with_payload("torso", 5.0)
    motors = plain.with_motors({"left_knee": {"peak": 20, "no_load": 9}})
    for robot, lacks in ((heavy, "mass of waist_yaw: 15.6 kg"), (motors, "motors")):
        scenario = Scenario.of(robot, robot.posture())
        for ask in (scenario.as_text, lambda s=scenario: contacts.sweep(s, {"friction": [0.7]})):
            with pytest.raises(ScenarioError, match=f"robot: not as .*biped.*{lacks}"):
                ask()
        with pytest.raises(ScenarioError, match=lacks):
            scenario.replaced(friction=0.5).moved().as_text()
    for robot in (plain, plain.with_gravity([0.0, 1.0, -9.0]), robots.load("biped", lock="waist*")):
        scenario = Scenario.of(robot, robot.posture())
        again = Scenario.from_text(scenario.as_text())
        assert again.check().margin == pytest.approx(scenario.check().margin, abs=1e-6)


def test_a_posture_beyond_ranges_is_told():
    robot = robots.load("biped")
    with pytest.warns(FootworkWarning, match="q is beyond the ranges of left_knee: "):
        Scenario.of(robot, robot.set(robot.posture(), left_knee=-0.3))


def test_links_that_overlap_are_told():
    robot = robots.load("biped")
    q = robot.set(robot.posture(), right_hip_yaw=0.5)
    assert contacts.self_collisions(robot, q)
    words = "left_shin and right_shin overlap by .* m: a scenario.s posture keeps links apart"
    with pytest.warns(FootworkWarning, match=words):
        scenario = Scenario.of(robot, q)
    assert abs(robot.difference(q, scenario.q)).max() > 0.01
    left = scenario.replaced(self_collision=False)
    np.testing.assert_allclose(left.q, q, atol=1e-9)


def test_every_kind_of_part_survives():
    touch, on_wall = ScenarioContact, {"surface": "wall"}
    scenario = Scenario(
        "biped",
        contacts=(
            touch(foot="left_foot", heading=12.5, friction=1e-7, clip=True, name="'quotes': #1"),
            touch(frame="right_sole", kind="polygon", vertices=((1.0, 0), (0, 0.5), (-1, 0))),
            touch(frame="left_hand", at=(0.5, 0, 0.9), bilateral=True, radius=0.1, **on_wall),
            touch(frame="right_hand", kind="disc", radius=0.03, turn=(0.0, 90.0, 0.0),
                  at=(0.5, -0.2, 0.9), heading=(0.0, 0.0, 1.0), **on_wall),
            touch(frame="pelvis", kind="line", half_length=0.1, offset=(0.0, 0.0, -0.5)),
        ),
        terrain=(
            Plane(friction=0.2),
            Plane("p", (0.0, 0.0, -9.0), 12.0, -30.0),
            Box("b/1", (1.0, 2.0, 3.0), (9.0, 9.0, -3.0), 10.0, -20.0),
            Stairs("on", 3, 0.1, 0.2, 0.3, (5.0, 5.0, 0.0), 90.0),
            Wall("wall", (0.5, 0.0, 0.0)),
        ),
        loads=(
            Push("torso", (1.0, 2.0, 3.0), (4.0, 5.0, 6.0), (0.1, 0.2, 0.3)),
            Rope("pelvis", (1e-5, 3.0, 1e3), 12.0, "com"),
            Payload("left_hand", 1.5),
        ),
        title="yes",
        about="no",
        passive=("waist_yaw",),
        lock=("left_elbow",),
        posture="half_sitting",
        start=Start((0.1, 0.0, 0.0), 5.0, (("left_knee", 30.0),)),
        com=(0.1, None, 0.5),
        friction=0.55,
        torque_limits={"left_knee": 0.0, "left_hip_pitch": 12.5},
        gravity=(0.0, 0.1, -1.62),
        view=(1.0, 2.0, 3.0),
    )  # fmt: skip
    assert Scenario.from_text(scenario.as_text()) == scenario


def test_lists_and_arrays_are_as_good_as_tuples():
    foot = ScenarioContact(foot="left_foot", at=[0.1, 0.2], heading=np.array([1.0, 0, 0]))
    ground = contacts.Terrain([Plane(at=[0, 0, 0])])
    scenario = Scenario("biped", [foot], ground, com=np.array([0.1, 0.2]))
    again = Scenario.from_text(scenario.as_text())
    assert again == scenario
    assert hash(again) == hash(scenario)
    with pytest.raises(ScenarioError, match=r"contacts\[0\]: got .*, expected a ScenarioContact"):
        Scenario("biped", contacts=("left_foot",))
    with pytest.raises(ScenarioError, match=r"loads\[0\]: got Plane"):
        Scenario("biped", loads=[Plane()])


def test_words_of_yaml_are_only_words():
    """YAML 1.1 would read these names as true, false, a number and a time."""
    text = (
        "{version: 1, robot: biped, terrain: [{plane: on}, {box: 1e3, size: [1, 1, 1], at: [5, 0]},"
        " {box: 12:30, size: [1, 1, 1], at: [9, 0]}], contacts: [{foot: left_foot, surface: on}]}"
    )
    scenario = Scenario.from_text(text)
    assert [part.name for part in scenario.terrain] == ["on", "1e3", "12:30"]


def test_a_robot_beside_the_file(tmp_path):
    model = (robots.catalogue.MODELS / "quadruped.urdf").read_text()
    (tmp_path / "mine.urdf").write_text(model)
    text = "version: 1\nrobot: mine.urdf\ncontacts:\n  - frame: LF_foot\n    radius: 0.02\n"
    (tmp_path / "s.yaml").write_text(text)
    scenario = Scenario.load(tmp_path / "s.yaml")
    assert scenario.machine.name == "quadruped"
    assert scenario.solved.converged
    message = refused("version: 1\nrobot: other.urdf\n", tmp_path)
    assert message.startswith("s.yaml:2: robot: no robot 'other.urdf'")
    assert str(tmp_path / "other.urdf") in message
    for source in ("-", "<robot/>", "go2_description", "/dev/null", "../mine"):
        assert "no robot" in refused(f"version: 1\nrobot: {source!r}\n", tmp_path / "below")


def test_start_and_joints():
    scenario = Scenario("biped", start=Start((1.0, 2.0, 0.0), 90.0, (("left_knee", 60.0),)))
    robot = scenario.machine
    assert scenario.q0[:2] == pytest.approx([1, 2])
    knee = robot.model.joints[robot.model.getJointId("left_knee")]
    assert scenario.q0[knee.idx_q] == pytest.approx(np.radians(60))
    forward = dynamics.frame_placement(robot, scenario.q0, "pelvis").rotation[:, 0]
    assert forward == pytest.approx([0, 1, 0], abs=1e-12)


@pytest.mark.parametrize("name", ["biped", "quadruped", "limb"])
def test_any_configuration_can_be_written_as_a_start(name):
    robot, rng = robots.load(name), np.random.default_rng(5)
    for _ in range(5):
        q = robot.random_configuration(rng)
        scenario = Scenario.from_text(Scenario(name, start=Start.of(robot, q)).as_text())
        assert robot.difference(scenario.q0, q) == pytest.approx(0, abs=1e-14)
    assert Start.of(robot, robot.posture()) == Start()
    with pytest.raises(ConfigurationError, match="q: got"):
        Start.of(robot, q[:-1])


_JOINTS = """<mujoco><worldbody><body name="base" pos="0 0 1"><freejoint/>
<geom type="box" size=".1 .1 .1" mass="3"/>
<body name="upper"><joint name="ball" type="ball"/><geom size=".03" pos="0 0 -.3" mass=".5"/>
<body name="lower" pos="0 0 -.3"><joint name="slide" type="slide" axis="0 0 1"/>
<geom size=".03" pos="0 0 -.1" mass=".2"/>
<body name="wheel" pos="0 0 -.2"><joint name="endless" type="hinge" axis="1 0 0"/>
<geom size=".02" mass=".1"/></body></body></body></body></worldbody></mujoco>"""


def test_ball_joints_and_sliders_of_a_start(tmp_path):
    (tmp_path / "balls.xml").write_text(_JOINTS)
    robot = robots.load(tmp_path / "balls.xml")
    assert max(joint.nq for joint in list(robot.model.joints)[2:]) == 4
    q = robot.integrate(robot.neutral(), np.random.default_rng(2).normal(size=robot.nv))
    text = Scenario("balls.xml", start=Start.of(robot, q)).as_text()
    read = Scenario.from_text(text, folder=tmp_path)
    assert robot.difference(read.q0, q) == pytest.approx(0, abs=1e-14)
    for value, words in ((3.0, "the 4 numbers of its q"), ((1.0, 0.0), "the 4 numbers")):
        with pytest.raises(ContactError, match=f"ball: got .*expected {words}"):
            Start(joints=(("ball", value),)).configuration(robot, None)
    with pytest.raises(ContactError, match=r"slide: got .*expected a number"):
        Start(joints=(("slide", (0.0, 1.0)),)).configuration(robot, None)
    with pytest.raises(ConfigurationError, match="start"):
        Start(joints=(("ball", (1.0, 1.0, 0.0, 0.0)),)).configuration(robot, None)


@pytest.mark.parametrize("name", ["docs/talos-stairs.yaml", "ladder", "tripod", "push"])
def test_the_start_of_a_posture_that_touches_is_the_answer(name):
    scenario = Scenario.load(DOCS.parent / name if "/" in name else name)
    start = Start.of(scenario.machine, scenario.q, scenario.posture)
    again = Scenario.from_text(scenario.replaced(start=start).as_text(), folder=scenario.folder)
    assert again.solved.iterations == 0
    assert scenario.machine.difference(again.q, scenario.q) == pytest.approx(0, abs=1e-12)
    assert again.check().margin == pytest.approx(scenario.check().margin, rel=1e-9)


def test_replaced_keeps_what_it_does_not_concern():
    scenario = Scenario.from_text(GOOD)
    other = scenario.replaced(friction=0.5, com=(0.0, 0.0))
    assert other == replace(scenario, friction=0.5, com=(0.0, 0.0))
    assert other.machine is scenario.machine
    assert other.ground is scenario.ground
    assert "friction" not in other.lines
    assert other.lines["robot"] == scenario.lines["robot"]
    assert scenario.replaced(terrain=(Plane(),)).ground is not scenario.ground
    assert scenario.replaced(robot="quadruped").machine.name == "quadruped"
    with pytest.raises(ScenarioError, match="no attribute 'frictoin'; did you mean 'friction'"):
        scenario.replaced(frictoin=0.5)


def test_gravity_and_torque_limits_are_those_of_the_file():
    scenario = Scenario.load("tripod")
    moon = scenario.replaced(gravity=(0.0, 0.0, -1.62))
    assert moon.described is scenario.described
    robot, q = scenario.machine.with_gravity([0, 0, -1.62]), scenario.q
    np.testing.assert_array_equal(moon.machine._model.gravity.linear, [0, 0, -1.62])
    touching = contacts.ContactSet(robot, list(scenario.contact_set))
    alone = contacts.static_hold(robot, q, touching, torque_limits=scenario.torque_limits)
    assert moon.replaced(loads=()).check().margin == pytest.approx(alone.margin, rel=1e-6)
    assert moon.replaced(gravity=()).machine is moon.described

    limits, names = scenario.machine.torque_limits, list(scenario.machine.actuated)
    weak, broken = limits * 0.5, limits.copy()
    broken[names.index(names[2])] = 0.0
    for given, same in ((0.5, weak), ({names[2]: 0.0}, broken)):
        hold = scenario.replaced(torque_limits=given).check()
        where = scenario.machine, scenario.q, scenario.contact_set, scenario.wrenches_at(scenario.q)
        expected = contacts.static_hold(*where, torque_limits=same)
        assert hold.feasible is expected.feasible
        assert hold.margin == pytest.approx(expected.margin, rel=1e-6)
    assert expected.margin != pytest.approx(scenario.check().margin, rel=1e-3)


def test_headings_turn_soles():
    def heading(value):
        touch = ScenarioContact(foot="left_foot", heading=value)
        scenario = Scenario("biped", contacts=(touch, ScenarioContact(foot="right_foot")))
        return scenario.touching[1]["left_foot"].rotation[:, 0]

    assert heading(30.0) == pytest.approx([np.cos(np.pi / 6), 0.5, 0])
    assert heading((0.0, 2.0, 5.0)) == pytest.approx([0, 1, 0])
    assert heading(None) == pytest.approx([1, 0, 0], abs=1e-9)


def test_loads_on_one_link_add_up():
    push, rope = Push("torso", (1.0, 0, 0), at="com"), Rope("torso", (0.0, 0.0, 9.0), 2.0)
    loads = push, rope, Payload("torso", 3.0)
    scenario = Scenario("biped", contacts=(ScenarioContact(foot="left_foot"),), loads=loads)
    q, robot = scenario.q0, scenario.machine
    total = scenario.wrenches_at(q)["torso"]
    torso, com = dynamics.frame_placement(robot, q, "torso").translation, dynamics.com(robot, q)
    rope = np.array([0, 0, 9.0]) - torso
    force = np.array([1.0, 0, 0]) + 2 * rope / np.linalg.norm(rope) + [0, 0, -3 * 9.81]
    assert total.force == pytest.approx(force)
    assert total.at(torso).moment == pytest.approx(np.cross(com - torso, [1.0, 0, 0]), abs=1e-12)


# --- what is refused ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("version: 1", "version: 2", "s.yaml:1: version: got '2', expected 1"),
        ("version: 1\n", "", "s.yaml:1: scenario: no version; expected `version: 1`"),
        ("robot: biped", "robto: biped", "s.yaml:3: robto: no key 'robto'; did you mean 'robot'"),
        ("robot: biped", "robot: bipde", "s.yaml:3: robot: no robot 'bipde'; did you mean 'biped'"),
        ("robot: biped\n", "", "s.yaml:1: scenario: no robot"),
        ("friction: 0.6", "friction: high", "s.yaml:4: friction: got 'high', expected a number"),
        ("friction: 0.6", "friction: -0.1", "s.yaml:4: friction: got '-0.1'"),
        ("friction: 0.6", "friction: 1e21", "expected a number from 0 to 1000"),
        ("friction: 0.6", "friction: .nan", "s.yaml:4: friction: got '.nan'"),
        ("friction: 0.6", "friction: 1e999", "s.yaml:4: friction: got '1e999'"),
        ("friction: 0.6", "friction: '0.6'", "s.yaml:4: friction: got '0.6', expected a number"),
        ("friction: 0.6", "friction:", "s.yaml:4: friction: got nothing, expected a number"),
        ("friction: 0.6", "robot: biped", "s.yaml:4: robot: given twice (first in line 3)"),
        ("plane: ground", "plan: ground", "s.yaml:7: terrain[0]: got plan, expected exactly one"),
        ("plane: ground", "plane: stone", "terrain: got the name 'stone' twice"),
        ("size: [0.4, 0.2, 0.1]", "size: [0.4, 0.2]", "s.yaml:9: terrain[1].size: got [0.4, 0.2]"),
        ("size: [0.4, 0.2, 0.1]", "size: [0.4, 0, 1]", "s.yaml:9: terrain[1].size: got [0.4, 0,"),
        ("    size: [0.4, 0.2, 0.1]\n", "", "s.yaml:8: terrain[1]: no size; expected the keys"),
        ("at: [0.02, 0.085]\n    fr", "at: [0.02, b]\n    fr", "terrain[1].at[1]: got 'b'"),
        ("surface: stone", "surface: ston", "s.yaml:14: contacts[0]: no surface 'ston'; did you"),
        ("foot: left_foot", "foot: left_fot", "no foot 'left_fot'; did you mean 'left_foot'"),
        ("foot: left_foot", "frame: left_sol", "no frame 'left_sol'; did you mean 'left_sole'"),
        ("foot: left_foot", "foot: left_foot\n    frame: x", "contacts[0]: contact: got foot="),
        ("foot: left_foot", "kind: disc", "contacts[0]: contact: got foot=''"),
        ("foot: left_foot", "frame: left_sole\n    kind: dsic", "contacts[0].kind: got 'dsic'"),
        ("foot: left_foot", "frame: left_sole\n    kind: disc", "s.yaml:14: contacts[0]: radius"),
        ("foot: left_foot", "foot: left_foot\n    kind: disc", "s.yaml:15: contacts[0].kind: got"),
        ("foot: left_foot", "foot: left_foot\n    radius: 0.1", "expected none for a foot:"),
        ("foot: left_foot", "frame: left_sole\n    turn: [0, 0, 9]", "expected none for 'point'"),
        ("foot: left_foot", "foot: left_foot\n    tangent: [1, 0, 0]", "for 'left_foot', a patch"),
        (
            "foot: left_foot",
            "frame: left_sole\n    kind: disc\n    radius: 0.1\n    tangent: [1, 0, 0]",
            "s.yaml:17: contacts[0].tangent: got [1, 0, 0], expected none for 'disc'",
        ),
        ("loads:", "view: [0, 0, 0]\nloads:", "s.yaml:19: view: got [0, 0, 0], expected a"),
        ("foot: right_foot", "foot: left_foot", "contacts: got the name 'left_foot' twice"),
        ("at: [0.02, 0.085]\n  - foot", "at: [0.15, 0.085]\n  - foot", "hangs 0.03 m over the"),
        ("at: [0.02, 0.085]\n  - foot", "at: [3, 3]\n  - foot", "nothing of 'stone' lies below"),
        ("push: torso", "push: torsoo", "s.yaml:20: loads[0]: no frame 'torsoo'; did you mean 'to"),
        ("at: com", "at: cmo", "s.yaml:22: loads[0].at: got 'cmo', expected [x, y, z]"),
        ("loads:", "posture: sitting\nloads:", "posture: no posture 'sitting'; did you mean"),
        ("loads:", "start: {joints: {left_kne: 1}}\nloads:", "no joint 'left_kne'; did you mean"),
        ("loads:", "com: outside\nloads:", "com: got 'outside', expected [x, y]"),
        ("loads:", "torque_limits: maybe\nloads:", "torque_limits: got 'maybe', expected true"),
        ("loads:", "torque_limits: 1.5\nloads:", "torque_limits: got '1.5', expected a"),
        ("loads:", "torque_limits: {left_kne: 5}\nloads:", "no actuated joint 'left_kne'; did you"),
        ("loads:", "torque_limits: {left_knee: -5}\nloads:", "left_knee: got -5"),
        ("loads:", "gravity: [0, 0]\nloads:", "gravity: got [0, 0], expected"),
        ("loads:", "view: &a [1, 2, 3]\nloads:", "s.yaml:19: anchors (&) and aliases (*)"),
        ("loads:", "view: *a\nloads:", "anchors (&) and aliases (*) are not read"),
        ("loads:", "about: !!python/object/apply:os.system [ls]\nloads:", "tags (!) are not read"),
        ("loads:", "---\nloads:", "a second document"),
        ("loads:", "about: [\nloads:", "no YAML"),
        ("loads:", "? [a, b]\n: 1\nloads:", "a key that is a single word"),
    ],
)  # fmt: skip
def test_errors_lead_to_line_and_key(old, new, says):
    assert GOOD.count(old) >= 1
    assert says in refused(GOOD.replace(old, new, 1))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "empty"),
        ("# nothing\n", "empty"),
        ("biped", "s.yaml:1: scenario: got 'biped', expected keys with values"),
        ("[1, 2]", "expected keys with values"),
        ("[" * 100_000, "too deep"),
        ("version: 1\nrobot: biped\ncontacts: [" + "1," * 10_000 + "]", "too deep or too long"),
        ("a" * 300_000, "at most 200000"),
        ("\x00", "no YAML"),
        ("a: \x07b", "no YAML"),
        ("a: b: c", "s.yaml:1: no YAML: mapping values are not allowed here"),
    ],
)
def test_hostile_texts_are_refused_at_once(text, says):
    assert says in refused(text)


def test_files_that_are_none(tmp_path):
    def says(source):
        with pytest.raises(ScenarioError) as error:
            Scenario.load(source)
        return str(error.value)

    assert "did you mean 'stairs'" in says("stiars")
    assert "no such file" in says(tmp_path / "none.yaml")
    assert "a folder" in says(tmp_path)
    os.mkfifo(tmp_path / "pipe.yaml")
    assert "a pipe or device" in says(tmp_path / "pipe.yaml")
    (tmp_path / "bytes.yaml").write_bytes(b"version: \xff\xfe")
    assert "not UTF-8" in says(tmp_path / "bytes.yaml")
    (tmp_path / "large.yaml").write_text("#" * 300_000)
    assert "at most 200000" in says(tmp_path / "large.yaml")
    assert "bytes.yaml" not in says(tmp_path / "robot.yaml")


def test_parts_made_by_hand_are_checked_too():
    with pytest.raises(ContactError, match="expected one of them"):
        ScenarioContact()
    with pytest.raises(ContactError, match="did you mean 'disc'"):
        ScenarioContact(frame="a", kind="disk")
    scenario = Scenario("biped", loads=(Rope("torso", (0.0, 0.0, 0.0), 1.0, (0.0, 0.0, 0.0)),))
    there = dynamics.frame_placement(scenario.machine, scenario.q0, "torso").translation
    rope = Rope("torso", tuple(there), 1.0)
    with pytest.raises(ScenarioError, match=r"loads\[0\]: anchor: got .* where the rope begins"):
        replace(scenario, loads=(rope,)).wrenches_at(scenario.q0)
    with pytest.raises(ScenarioError, match="terrain: it is empty"):
        _ = Scenario("biped", (ScenarioContact(foot="left_foot"),), terrain=()).touching


def test_links_inside_the_terrain_are_named(run, tmp_path):
    """A shelf that cuts the shins: the verdict stands, with a note."""
    shelf = Box("shelf", (0.3, 0.6, 0.02), (0.0, 0.0, 0.2))
    feet = ("left_foot", "right_foot")
    on_ground = [ScenarioContact(foot=foot, surface="ground") for foot in feet]
    scenario = Scenario("biped", on_ground, (Plane(), shelf))
    found = scenario.penetrations()
    assert {(p.link, p.solid) for p in found} == {("left_shin", "shelf"), ("right_shin", "shelf")}
    path = scenario.save(tmp_path / "shelf.yaml")
    code, out, _ = run("hold", str(path))
    assert code == 0
    assert "note: left_shin lies" in out
    rows = json.loads(run("hold", str(path), "--json")[1])["penetrations"]
    assert {row["link"] for row in rows} == {"left_shin", "right_shin"}
    assert replace(scenario, terrain=(Plane(),)).penetrations() == ()


def test_depths_are_those_of_a_sunk_block():
    robot = robots.block()
    q = robot.posture()
    for sunk in (0.01, 0.03):
        q[2] = robot.posture()[2] - sunk
        (found,) = contacts.penetrations(robot, q, contacts.Terrain([Plane()]))
        assert found.depth == pytest.approx(sunk, abs=1e-6)
        assert found.solid == "ground"
    assert contacts.penetrations(robot, robot.posture(), contacts.Terrain([Plane()])) == ()
    with pytest.raises(ContactError, match="tolerance"):
        contacts.penetrations(robot, q, contacts.Terrain(), tolerance=-1)


def test_out_of_reach_is_said_and_drawn():
    far = ScenarioContact(foot="left_foot", surface="stone", at=(0.0, 0.085))
    stone = Box("stone", (0.4, 0.4, 0.1), (0.0, 0.085, 1.2))
    scenario = Scenario("biped", (far, ScenarioContact(foot="right_foot")), (Plane(), stone))
    assert not scenario.solved.converged
    for ask in (scenario.check, scenario.region):
        with pytest.raises(ScenarioError, match="no posture touches: out of reach"):
            ask()
    viewer = scenario.scene()
    assert "targets/left_foot" in viewer.names
    assert "no posture touches" in viewer.html() or viewer.names


# --- the scene ---------------------------------------------------------------------------------


def test_draping_covers_each_place_once():
    """By area, and by height: every piece lies on the highest ground under it."""
    stairs = Stairs("stairs", 3, 0.1, 0.3, 0.5, (0.2, 0.0, 0.0), 20.0)
    terrain = contacts.Terrain([Plane(), stairs, Plane("hill", rises=10, at=(2.0, 0.0, 0.0))])
    flat = contacts.Terrain([Plane(), stairs])
    region = np.array([[0.0, -0.3], [0.9, -0.2], [1.0, 0.35], [0.1, 0.3]])
    pieces = drape(flat, region)
    whole = polygon.area(region)
    assert sum(polygon.area(p[:, :2]) for p in pieces) == pytest.approx(whole)
    for piece in pieces:
        inner = 0.999 * piece + 0.001 * piece.mean(axis=0)
        assert flat.height(inner) == pytest.approx(inner[:, 2], abs=1e-9)
    assert len(drape(terrain, region)) > len(pieces)
    assert drape(flat, np.zeros((0, 2))) == []


def test_the_scene_has_terrain_ropes_loads_and_the_region():
    names = Scenario.load("rope").scene(animate=False).names
    assert {"ropes/0", "anchors/0", "loads/torso", "com/centre"} <= set(names)
    names = Scenario.load("stairs").scene().names
    assert {f"terrain/stairs/{k}" for k in (1, 2, 3, 4)} <= set(names)
    assert any(name.startswith("region/") for name in names)
    names = Scenario.load("too-heavy").scene(animate=False).names
    assert {"payloads/0", "masses/0"} <= set(names)
    assert "loads/torso" not in names
    names = Scenario.load("icy-ramp").scene(animate=False).names
    assert "terrain/ramp" in names
    assert not any(name.startswith("region") for name in names)  # it is empty
    assert any(name.startswith("motion/") for name in names)


def test_the_legend_keeps_its_side_of_the_picture():
    """All that is drawn lies right of it, and inside the picture."""
    viewer = Scenario.load("push").scene(animate=False)
    pixels = viewer._camera.project(viewer._points(), 1600, 1000)
    assert pixels[:, 0].min() > 0.3 * 1600
    assert pixels[:, 0].max() < 1600
    assert pixels[:, 1].min() > 0
    assert pixels[:, 1].max() < 1000


# --- the command -------------------------------------------------------------------------------


def test_hold_takes_names_and_files(run, tmp_path):
    (tmp_path / "mine.yaml").write_text(GOOD)
    holds = "biped holds on left_foot, right_foot"
    for name, words in (("stairs", holds), (str(tmp_path / "mine.yaml"), "A title")):
        code, out, _ = run("hold", name)
        assert code == 0
        assert words in out
    code, out, _ = run("hold", "tripod", "--json")
    assert code == 1
    assert json.loads(out)["feasible"] is False


def test_flags_change_a_scenario(run):
    def margin(*flags):
        return json.loads(run("hold", *flags, "--json")[1])["margin"]

    assert margin("icy-ramp", "--friction", "0.6") > 0 > margin("icy-ramp")
    assert margin("push", "--push", "torso", "0", "-90", "0") > 0
    assert margin("too-heavy", "--no-torque-limits") > 0
    code, out, _ = run("hold", "foot-on-wall", "--feet", "right_foot")
    assert code == 1
    assert "does not hold on right_foot" in out


def test_no_posture_is_a_no(run, tmp_path):
    (tmp_path / "far.yaml").write_text(GOOD.replace("0.085]\n    fr", "0.085, 2]\n    fr"))
    code, out, _ = run("hold", str(tmp_path / "far.yaml"), "--json")
    assert code == 1
    assert json.loads(out)["status"] == "no posture"
    assert "out of reach" in json.loads(out)["reason"]
    code, _, err = run("region", str(tmp_path / "far.yaml"))
    assert code == 2
    assert "no posture touches" in err


GRIPS = """
version: 1
robot: biped
contacts:
  - {frame: left_foot, bilateral: true}
  - {frame: right_foot, bilateral: true}
com: [0.05, free]
"""


def test_the_legend_of_a_region_names_it(run, tmp_path, monkeypatch):
    written, legend = [], Viewer.legend

    def noted(self, title, lines, **more):
        written.append(lines)
        legend(self, title, lines, **more)

    monkeypatch.setattr(Viewer, "legend", noted)
    for kind in ("static", "zmp"):
        page = str(tmp_path / f"{kind}.html")
        assert run("region", "biped", "--kind", kind, "--html", page)[0] == 0
        assert "support region" in written[-1]


def test_region_of_scenarios_and_robots(run, tmp_path):
    code, out, _ = run("region", "gap", "--json")
    facts, scenario = json.loads(out), Scenario.load("gap")
    assert code == 0
    assert facts["area"] == pytest.approx(scenario.region().area)
    assert facts["com_inside"]
    code, out, _ = run("region", "biped")
    robot = robots.load("biped")
    static = contacts.static_equilibrium_polygon(robot, robot.posture(), contacts.at_feet(robot))
    assert code == 0
    assert f"area {static.area:.4g} m²" in out
    assert len(out.splitlines()) == 3 + len(static.vertices)
    asked = ["region", "too-heavy", "--kind", "feasible", "--json"]
    weak, strong = (json.loads(run(*asked, *f)[1]) for f in ([], ["--no-torque-limits"]))
    assert weak["area"] < strong["area"]
    assert strong["com_inside"]
    assert not weak["com_inside"]
    assert run("region", "icy-ramp")[0] == 1
    assert "unbounded" in run("region", "ladder")[1]
    assert json.loads(run("region", "ladder", "--json")[1])["area"] is None
    (tmp_path / "grips.yaml").write_text(GRIPS)  # endless ahead, without any width
    code, out, _ = run("region", str(tmp_path / "grips.yaml"))
    assert out.startswith("unbounded")
    assert "outside" in out
    facts = json.loads(run("region", str(tmp_path / "grips.yaml"), "--json")[1])
    assert not facts["com_inside"]
    assert facts["area"] is None
    page = tmp_path / "region.html"
    assert run("region", "quadruped", "--kind", "zmp", "--html", str(page))[0] == 0
    assert page.stat().st_size > 100_000


def test_show_writes_the_scene(run, tmp_path):
    page = tmp_path / "gap.html"
    assert run("show", "gap", "--html", str(page))[0] == 0
    assert "Across a gap" in page.read_text()
    assert run("show", "biped", "--push", "torso", "5", "0", "0", "--html", str(page))[0] == 0


def test_scenarios_are_listed(run):
    out = run("scenarios")[1]
    assert all(name in out for name in contacts.scenarios())
    assert Scenario.from_text(run("scenarios", "gap")[1]) == Scenario.load("gap")
    assert "did you mean 'gap'" in run("scenarios", "gapp")[2]
    rows = json.loads(run("scenarios", "--json")[1])
    assert [row["name"] for row in rows] == list(contacts.scenarios())


# --- the pages ---------------------------------------------------------------------------------

DOCS = Path(__file__).parent.parent / "docs"


def test_the_reference_has_every_key_and_its_example_holds():
    page = (DOCS / "scenarios.md").read_text()
    parts = (*schema.TERRAIN.values(), *schema.LOADS.values())
    for part in (Scenario, ScenarioContact, Start, *parts):
        for key in schema.keys_of(part):
            assert f"`{key}" in page, key
    for kind in (*schema.TERRAIN, *schema.LOADS):
        assert f"`{kind}: " in page, kind
    example = re.search(r"```yaml\n(.*?)```", page, flags=re.DOTALL)[1]
    assert Scenario.from_text(example).check().feasible
    wrong = example.replace("surface: stairs/2", "surface: stair/2")
    shown = re.search(r"^footwork: mine.yaml:\d+: (.*) …$", page, flags=re.MULTILINE)[1]
    assert shown in refused(wrong)


def test_the_gallery_says_what_the_scenarios_say(monkeypatch):
    """`python docs/gallery.py --text` writes the page anew."""
    monkeypatch.syspath_prepend(DOCS)
    gallery = module_of(DOCS / "gallery.py")
    assert set(gallery.ORDER) == set(contacts.scenarios())
    page = (DOCS / "gallery.md").read_text()
    sideless = re.sub("left_|right_", "", page)  # two knees as weak: either may be named
    for name in gallery.ORDER:
        scenario = Scenario.load(name)
        hold = scenario.check()
        assert f"## {scenario.title}\n" in page
        assert scenario.about in page
        cause = re.sub("left_|right_", "", hold.reason.split("; ")[0])
        assert ("**Feasible**" if hold.feasible else cause) in sideless
        image = DOCS / "pictures" / f"scenario-{name}.png"
        assert 10_000 < image.stat().st_size < 150_000
        assert f"(pictures/{image.name})" in page


# --- in a real browser -------------------------------------------------------------------------


@pytest.mark.browser
def test_the_picture_shows_steps_region_and_legend():
    """By colour, at the pixels where the steps' tops, the region and the centre of mass are."""
    import io

    from PIL import Image

    scenario = Scenario.load("stairs")
    viewer = scenario.scene(animate=False)
    width, height = 960, 600
    picture = Image.open(io.BytesIO(viewer.screenshot(width=width, height=height)))
    image = np.asarray(picture.convert("RGB")).astype(int)

    def colors(point):
        x, y = viewer._camera.project(np.asarray(point, dtype=float), width, height)[0]
        return image[int(y) - 3 : int(y) + 4, int(x) - 3 : int(x) + 4].reshape(-1, 3)

    for k in (3, 4):  # steps that nothing stands on
        faces = scenario.ground.among(f"stairs/{k}").solids[0].faces
        top = next(face for face in faces if "top" in face.name)
        r, g, b = colors(top.placement.act(np.array([0.0, -0.3, 0.0]))).mean(axis=0)
        assert r > g > b > 100, k  # of sand
    com = dynamics.com(scenario.machine, scenario.q)
    below = scenario.ground.height(com)
    spot = [com[0] + 0.03, com[1] - 0.03, below]
    assert any(g > r + 15 and b > r for r, g, b in colors(spot))  # teal
    assert any(r > g + 40 and b > g + 20 for r, g, b in colors([*com[:2], below]))  # magenta
    legend = image[: height // 4, : width // 4].reshape(-1, 3)
    assert (np.abs(legend - [0x2A, 0x9D, 0x5C]).max(axis=1) < 12).any()  # green: it holds


@pytest.mark.parametrize("pair", [("left_knee",), ("left_knee", 1.0, 2.0)])
def test_joints_of_a_start_are_pairs(pair):
    with pytest.raises(ContactError, match=r"joints: got .*expected \(name, value\)"):
        Start(joints=(pair,))
