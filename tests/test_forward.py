"""The axis of the base that points ahead, and gaits of robots that have another one than x."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from footwork import contacts, control, dynamics, robots
from footwork.robots.feet.sides import side


@pytest.mark.parametrize(
    ("wanted", "names"),
    [
        (1, "left_foot l_sole LeftFoot LAnkle_link leftFoot lfoot LLEG_5 FL_foot foot_RL lh LB lm"),
        (-1, "right_foot r_sole RightToe RAnkle rleg RR_foot FR fr_calf foot_rh HR RF r1 mr"),
        (0, "foot_1 wheel fl1 tarsus_front sole roll leg lift base"),
    ],
)  # fmt: skip
def test_names_tell_sides(wanted, names):
    found = {name: side(name) for name in names.split()}
    assert found == dict.fromkeys(found, wanted) | ({"fl1": 1} if wanted == 0 else {})


def turned(name, angle, words=()):
    """A robot of ours whose base is turned against its trunk, about the vertical; some words of its
    file are replaced."""
    text = Path(robots.load(name).source).read_text()
    for word in words:
        text = text.replace(word, words[word])
    trunk = {"biped": "pelvis", "quadruped": "base"}[name]
    joint = (
        '<link name="turned"/><joint name="welded" type="fixed"><parent link="turned"/>'
        f'<child link="{trunk}"/><origin rpy="0 0 {angle}"/></joint></robot>'
    )
    return robots.load(text.replace("</robot>", joint), base="floating")


@pytest.mark.parametrize("angle", [0.5 * np.pi, np.pi, -0.5 * np.pi])
@pytest.mark.parametrize(("name", "gait"), [("biped", "walk"), ("quadruped", "trot")])
def test_gaits_go_where_the_feet_point_however_the_base_is_turned(name, gait, angle):
    """The same torques and motion as with x ahead; what was commanded ahead went aside."""
    straight, other = robots.load(name), turned(name, angle)
    Z, (_, q) = pin.exp3(np.array([0.0, 0.0, -angle])), control.stand(straight, crouch=0.02)
    motions = []
    for robot, turn in ((straight, np.eye(3)), (other, Z)):
        feet, start = contacts.ContactSet(robot, list(contacts.at_feet(straight))), q.copy()
        R = pin.Quaternion(q[3:7]).toRotationMatrix() @ turn
        start[3:7] = pin.Quaternion(R).coeffs()
        assert turn @ feet.forward == pytest.approx([1.0, 0.0, 0.0], abs=1e-12)
        walker = control.GaitController(robot, feet, start, gait, velocity=(0.2, 0.1, 0.3))
        motions.append(
            control.simulate(robot, walker, q=start, contacts=feet, duration=0.5, control_step=2e-3)
        )
    one, two = motions
    assert two.q[:, :3] == pytest.approx(one.q[:, :3], abs=1e-7)
    assert two.tau == pytest.approx(one.tau, abs=1e-4)


@pytest.mark.parametrize("angle", [0.0, 0.5 * np.pi, np.pi, -0.5 * np.pi])
def test_audits_tell_directions_from_where_the_feet_point(angle):
    straight, robot = robots.load("biped"), turned("biped", angle)
    feet, q = contacts.ContactSet(robot, list(contacts.at_feet(straight))), straight.posture()
    R = pin.Quaternion(q[3:7]).toRotationMatrix() @ pin.exp3(np.array([0.0, 0.0, -angle]))
    q[3:7], t = pin.Quaternion(R).coeffs(), np.linspace(0.0, 0.2, 21)
    places = np.tile(q, (len(t), 1))
    places[:, 0] += 0.5 * 12.0 * t**2
    on = np.ones((len(t), 2), dtype=bool)
    schedule = contacts.ContactSchedule(feet, t, on, 1.0 * on)
    motion = dynamics.Motion.of(robot, t, places, cutoff=None)
    words = contacts.audit(motion, schedule, self_collision=False).explain()
    assert "behind the feet, the body accelerates forwards at 12.0 m/s²" in words


@pytest.mark.filterwarnings("ignore:.*names no feet:footwork.FootworkWarning")
@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("name", ["biped", "quadruped"])
@pytest.mark.parametrize("angle", [0.0, 0.5 * np.pi, np.pi, -0.5 * np.pi])
def test_robots_whose_posture_is_solved_stand_alike_however_the_base_is_turned(name, angle, named):
    """Facing x; without names nobody knows which of two ends is ahead: x, or else y."""
    words = {} if named else {"left": "a", "right": "b", "LF": "c", "LH": "d", "RF": "e", "RH": "f"}
    one, other = turned(name, 0.0, words), turned(name, angle, words)
    places = []
    for robot in (one, other):
        feet, q = contacts.at_feet(robot), robot.posture()
        R = pin.Quaternion(q[3:7]).toRotationMatrix()
        assert R @ feet.forward == pytest.approx([1.0, 0.0, 0.0], abs=1e-12)
        places.append([T.translation for T in feet.placements(q).values()])
    if named or angle in (0.0, 0.5 * np.pi):
        assert np.array(places[1]) == pytest.approx(np.array(places[0]), abs=1e-6)
