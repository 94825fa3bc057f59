"""Contacts that may lie anywhere on a face: on it, inside its edges, and nowhere else fixed."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from differences import gradient

from footwork import ContactError, contacts, dynamics, robots
from footwork.contacts.postures.inverse_kinematics import Goal
from footwork.contacts.terrain.faces import Face

LEVEL = np.eye(3)


def face(x=0.0, y=0.0, z=0.0, half=(0.3, 0.2), rotation=LEVEL):
    return Face("a step", pin.SE3(rotation, np.array([x, y, z])), np.array(half))


def corners(robot, q, contact):
    """By Pinocchio alone, in the world."""
    data = robot.model.createData()
    pin.framesForwardKinematics(robot.model, data, q)
    T = data.oMf[robot.frame_id(contact.frame)]
    if isinstance(contact, contacts.PointContact):
        return (T.act(contact.offset) - contact.radius * contact.normal)[None]
    flat = np.column_stack([contact.corners, np.zeros(len(contact.corners))])
    return np.array([(T * contact.placement).act(p) for p in flat])


def lies_on(robot, q, contact, step):
    local = np.array([step.placement.actInv(p) for p in corners(robot, q, contact)])
    on_plane = np.abs(local[:, 2]).max() < 1e-7
    return on_plane and (np.abs(local[:, :2]) <= step.half_size + 1e-7).all()


def test_a_foot_outside_comes_to_the_nearest_place_inside():
    robot = robots.load("biped")
    feet, q0 = contacts.at_feet(robot), robot.posture()
    before = corners(robot, q0, feet["left_foot"])
    step = face(before[:, 0].max() + 0.15, before[:, 1].mean(), 0.1, half=(0.15, 0.2))
    posture = contacts.solve_posture(robot, feet, targets={"left_foot": step})
    assert posture.converged, posture.reason
    assert lies_on(robot, posture.q, feet["left_foot"], step)
    after = corners(robot, posture.q, feet["left_foot"])
    # as little forward as it takes to be inside the near edge
    assert after[:, 0].min() == pytest.approx(step.placement.translation[0] - 0.15, abs=1e-6)
    assert posture.targets["left_foot"].translation == pytest.approx(
        feet.placements(posture.q)["left_foot"].translation, abs=1e-7
    )


def test_inside_it_goes_where_the_rest_wants_it():
    """A centre of mass that is out of reach with fixed feet, but not when they may step along."""
    robot = robots.load("biped")
    feet, q0 = contacts.at_feet(robot), robot.posture()
    x, y, _ = dynamics.com(robot, q0)
    far = (x + 1.0, y)
    assert not contacts.solve_posture(robot, feet, com=far).converged
    floor = face(half=(np.inf, np.inf))
    posture = contacts.solve_posture(robot, feet, com=far, targets=dict.fromkeys(feet.names, floor))
    assert posture.converged, posture.reason
    for contact in feet:
        assert lies_on(robot, posture.q, contact, floor)


def test_points_on_a_slope():
    robot = robots.load("quadruped")
    tilt = pin.exp3(np.array([0.0, -0.2, 0.0]))
    feet = contacts.ContactSet(
        robot,
        [
            contacts.PointContact(
                f.frame,
                0.7,
                normal=tilt[:, 2],
                offset=f.placement.translation,
                radius=f.radius,
                name=f.name,
            )
            for f in robot.feet.values()
        ],
    )
    places = {n: T.translation for n, T in feet.placements(robot.posture()).items()}
    steps = {
        name: Face(name, pin.SE3(tilt, np.array([p[0] + 0.05, p[1], 0.2 * p[0]])), np.full(2, 0.02))
        for name, p in places.items()
    }
    posture = contacts.solve_posture(robot, feet, targets=steps)
    assert posture.converged, posture.reason
    for contact in feet:
        assert lies_on(robot, posture.q, contact, steps[contact.name])


def test_feet_that_may_step_find_a_larger_margin():
    """With one foot far ahead the load is uneven; free to step, all carry the same."""
    robot = robots.load("quadruped")
    feet, q0 = contacts.at_feet(robot), robot.posture()
    places = {n: T.copy() for n, T in feet.placements(q0).items()}
    first = feet.names[0]
    places[first].translation[:] += [-0.12, -0.06, 0.0]
    uneven = contacts.solve_posture(robot, feet, targets=places, com=(0.08, 0.05))
    assert uneven.converged
    floor = face(z=float(places[first].translation[2]), half=(np.inf, np.inf))
    free = contacts.solve_posture(
        robot,
        feet,
        com=(0.08, 0.05),
        targets=dict.fromkeys(feet.names, floor),
        q0=uneven.q,
        maximize="margin",
        torque_limits=False,
    )
    before = contacts.static_hold(robot, uneven.q, feet, torque_limits=False)
    assert free.converged
    assert free.margins[-1] > 1.2 * before.margin
    assert free.margins[-1] == pytest.approx(9.81 * robot.mass / 4, rel=2e-2)
    assert dynamics.com(robot, free.q)[:2] == pytest.approx([0.08, 0.05], abs=1e-7)


def test_the_jacobian_is_the_derivative_of_the_error():
    """Of a patch and a point, both outside, at small tilts; the point in the middle is free."""
    robot = robots.load("biped")
    hand = contacts.PointContact("left_hand", 0.5, offset=(0.01, 0.02, 0.03))
    sole = next(iter(contacts.at_feet(robot)))
    both = contacts.ContactSet(robot, [hand, sole])
    q = robot.integrate(robot.posture(), 1e-4 * np.random.default_rng(0).standard_normal(robot.nv))
    places = both.placements(q)
    p, s = places["left_hand"].translation, places[sole.name].translation
    targets = {
        "left_hand": face(p[0] + 0.5, p[1], p[2] - 0.1, half=(0.3, 0.2)),
        sole.name: face(s[0], s[1] - 0.5, s[2] + 0.05, half=(0.3, 0.2)),
    }
    goal = Goal(both, targets, np.full(3, np.nan), 1.0)
    off = goal.jacobian(q) - gradient(robot, q, goal.error)
    turning = dynamics.frame_jacobian(robot, q, sole.frame)[5]  # the room that a turn takes
    off[4, np.abs(turning) > 1e-9] = 0.0
    assert off == pytest.approx(0, abs=2e-3)
    assert np.abs(goal.jacobian(q)[1]).max() < 1e-12  # y of the hand is free


def test_a_patch_that_sticks_out_is_no_answer():
    robot = robots.load("biped")
    feet = contacts.at_feet(robot)
    beam = face(half=(2.0, 0.01))  # long enough, too narrow
    posture = contacts.solve_posture(robot, feet, targets={"left_foot": beam})
    assert not posture.converged
    assert "left_foot" in posture.reason
    assert posture.errors["left_foot"] > 0.01


def test_refusals():
    robot = robots.load("biped")
    feet = contacts.at_feet(robot)
    with pytest.raises(ContactError, match="does not fit"):
        contacts.solve_posture(robot, feet, targets={"left_foot": face(half=(0.02, 0.02))})
    hand = contacts.PointContact("left_hand", 0.5, normal=(1, 0, 0))
    with pytest.raises(ContactError, match="normal"):
        contacts.solve_posture(robot, hand, targets={"left_hand": face()})
    edge = contacts.LineContact("left_foot", half_length=0.1, friction=0.5)
    with pytest.raises(ContactError, match="a face for a line"):
        contacts.solve_posture(robot, edge, targets={"left_foot": face()})
