"""The certificate in motion: pivots stay, slipping feet glide, and nothing brakes the fall."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from recorder import Recorder

from footwork import ContactError, Wrench, contacts, dynamics, registry, robots, visualize
from footwork.contacts import PointContact, falling
from footwork.visualize.scenes import hold as hold_scene
from footwork.visualize.scenes.hold import animate_certificate

TILT = np.deg2rad(25)
NORMAL = np.array([-np.sin(TILT), 0.0, np.cos(TILT)])


def pushed(name="biped", newtons=400.0):
    """A robot on level ground that a push in +y, above its centre of mass, topples."""
    robot = robots.load(name)
    com = dynamics.com(robot, robot.posture())
    push = Wrench((0.0, newtons, 0.0), np.zeros(3), point=com + np.array([0, 0, 0.2]))
    link = robot.frame_names[2]
    return contacts.static_hold(
        robot, robot.posture(), contacts.at_feet(robot), {link: push}, torque_limits=False
    )


def sliding():
    """A quadruped on a slope that is too steep for its friction."""
    robot = robots.load("quadruped")
    ground = pin.SE3(pin.exp3(np.array([0, -TILT, 0])), np.zeros(3))
    feet = contacts.ContactSet(
        robot,
        [
            PointContact(
                f.frame, 0.3, normal=NORMAL, radius=f.radius, offset=f.placement.translation
            )
            for f in robot.feet.values()
        ],
    )
    posture = contacts.solve_posture(robot, feet, ground=ground, com="inside")
    return contacts.static_hold(robot, posture.q, feet, torque_limits=False)


def points(hold, q):
    return np.vstack([c.world_points(hold.contacts.robot, q) for c in hold.contacts])


def test_a_toppling_robot_turns_about_the_edge_of_a_sole():
    hold = pushed()
    path = falling.falling_path(hold, 0.2)
    robot, before, after = hold.contacts.robot, points(hold, path[0]), points(hold, path[-1])
    moved = np.linalg.norm(after - before, axis=1)
    assert (moved < 1e-3).sum() == 2  # the outer edge of the left sole is the pivot
    assert before[moved < 1e-3, 1] == pytest.approx(before[:, 1].max())
    assert (after[:, 2] > -1e-3).all()  # and nothing sinks into the ground
    fall = dynamics.com(robot, path[-1]) - dynamics.com(robot, path[0])
    assert np.linalg.norm(fall) == pytest.approx(0.2, rel=0.05)
    assert fall[1] > 0.9 * np.linalg.norm(fall)
    # ‖com − pivot‖ is kept: a rigid turn
    pivot = before[moved < 1e-3].mean(axis=0)
    radii = [np.linalg.norm((dynamics.com(robot, q) - pivot)[1:]) for q in path]
    assert np.ptp(radii) < 1e-2


def test_a_slipping_robot_glides_along_its_ground():
    hold = sliding()
    assert hold.feasible is False
    path = falling.falling_path(hold, 0.1)
    before, after = points(hold, path[0]), points(hold, path[-1])
    assert (after - before) @ NORMAL == pytest.approx(0, abs=1e-6)
    downhill = np.array([-np.cos(TILT), 0.0, -np.sin(TILT)])
    assert (after - before) @ downhill == pytest.approx(0.1, rel=0.1)


@pytest.mark.parametrize("make", [pushed, sliding])
def test_the_path_starts_along_the_certificate(make):
    """The first step is y itself, but for the rise of what slips; gravity and the push help it."""
    hold = make()
    path = falling.falling_path(hold, 1e-4, steps=1)
    step = hold.contacts.robot.difference(path[0], path[1])
    along = step @ hold.certificate / np.linalg.norm(step) / np.linalg.norm(hold.certificate)
    assert along > 0.9
    assert step @ hold.balance.load > 0


def test_the_animation_loops_and_says_what_is_missing():
    hold = pushed()
    viewer = registry.view(hold)  # a "no" is animated
    page = viewer.html()
    assert f"{-hold.margin:.3g} N missing" in falling.missing_words(hold)
    assert "missing" in viewer.names
    assert "motion/0" in viewer.names  # the arrows of the contact points
    assert len(page) > 1000
    times, shares = hold_scene._loop()
    assert shares[[0, -1]] == pytest.approx(0)
    assert shares.max() == pytest.approx(1)
    assert np.abs(np.diff(shares)).max() < 0.2  # eased: no jump
    assert (np.diff(times) > 0).all()


def test_the_robot_really_moves_in_the_page():
    hold = sliding()
    viewer = Recorder(hold.contacts.robot)
    animate_certificate(viewer, hold, distance=0.05)
    _, (_, qs), options = viewer.drawn["animation"]
    assert qs[0] == pytest.approx(hold.q)
    assert qs[-1] == pytest.approx(hold.q)
    far = max(np.linalg.norm(points(hold, q) - points(hold, hold.q), axis=1).max() for q in qs)
    assert far == pytest.approx(0.05, rel=0.1)
    assert options == {"repeat": True}
    assert "missing" in viewer.drawn["missing"][1][1]


def test_without_a_finite_margin_the_cause_is_named():
    robot = robots.load("block")
    weightless = contacts.static_hold(
        robot, robot.posture(), [], {robot.frame_names[2]: Wrench((0, 0, 0), np.zeros(3))}
    )
    assert weightless.margin == -np.inf
    assert falling.missing_words(weightless) == "nothing holds it"
    path = falling.falling_path(weightless, 0.1)
    fall = dynamics.com(robot, path[-1]) - dynamics.com(robot, path[0])
    assert fall == pytest.approx([0, 0, -0.1])


def test_a_weak_joint_says_how_much_it_lacks():
    """With that much more torque at every joint there is nothing left to say."""
    robot = robots.load("biped")
    feet, limits = contacts.at_feet(robot), np.full(robot.na, 5.0)
    weak = contacts.static_hold(robot, robot.posture(), feet, torque_limits=limits)
    assert weak.margin == -np.inf
    number, unit, _, _, joint = falling.missing_words(weak).split()
    assert unit == "N·m"
    assert joint in robot.joint_names
    enough = limits + float(number) * 1.01
    strong = contacts.static_hold(robot, robot.posture(), feet, torque_limits=enough)
    assert strong.torque_margin > 0


def test_refusals():
    hold = pushed(newtons=0.0)
    assert hold.feasible
    with pytest.raises(ContactError, match="expected an infeasible one"):
        falling.falling_path(hold, 0.1)
    with pytest.raises(ContactError, match="distance"):
        falling.falling_path(sliding(), -1.0)
    with pytest.raises(ContactError, match="another robot"):
        animate_certificate(visualize.Viewer(robots.load("block")), hold)
