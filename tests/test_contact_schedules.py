"""Corners of soles as contacts, their margins, and which of them touch along a motion."""

import numpy as np
import pytest

import footwork as fw
from footwork import contacts
from footwork.contacts.geometry.polygon import centroid, centroid_weights, convex_hull
from footwork.contacts.schedules.corners import corner_points


def corners_of(robot, soles, q):
    """The corners of the soles as points, with the soles' own normals at q."""
    T = soles.placements(q)
    points = [p for s in soles for p in corner_points(s, T[s.name].rotation[:, 2])]
    return contacts.ContactSet(robot, points)


@pytest.mark.parametrize("name", ["g1", "talos", "biped"])
@pytest.mark.parametrize("torque_limits", [True, False])
def test_margins_of_corners_are_those_of_soles(name, torque_limits, load_robot):
    """On soles of any shape, held or not, in every solver; the heels' alone are an edge's."""
    robot = load_robot(name, "floating")
    soles, rng = contacts.at_feet(robot), np.random.default_rng(1)
    for solver in (None, None, None, "cvxpy"):
        step = np.r_[rng.normal(0, 0.1, 3), 0, 0, 0, rng.normal(0, 0.05, robot.nv - 6)]
        q = robot.integrate(robot.posture(), step)
        v, a = rng.normal(0, 0.3, robot.nv), rng.normal(0, 2, robot.nv)
        points = corners_of(robot, soles, q)
        options = {"torque_limits": torque_limits} | ({"solver": solver} if solver else {})
        sole, corner = (
            contacts.contact_forces(robot, q, v, a, some, **options) for some in (soles, points)
        )
        weight = 9.81 * robot.mass
        assert np.isfinite(sole.margin)
        assert corner.margin == pytest.approx(sole.margin, abs=(1e-6 if solver else 1e-9) * weight)
        many = contacts.batch.contact_forces(robot, q, v, a, points, torque_limits=torque_limits)
        assert many.margin[0] == pytest.approx(sole.margin, abs=1e-7 * weight)


def test_margins_of_the_corners_that_touch():
    """Of two corners the margin is that of the edge between them, whatever the others weigh."""
    robot = fw.load("biped")
    q, v, a = robot.posture(), np.zeros(robot.nv), np.zeros(robot.nv)
    points = contacts.at_corners(robot)
    active = np.ones((3, 8), dtype=bool)
    active[1, :4] = np.array([p.offset[0] > 0 for p in points][:4])  # a left toe, a right foot
    active[2, :4] = False
    toe, foot = (contacts.at_feet(robot)[name] for name in ("left_foot", "right_foot"))
    y = np.abs(toe.corners[:, 1]).max()
    ends = [[toe.corners[:, 0].max(), side] for side in (y, -y)]
    across = toe.placement * _line_along_y(np.array(ends))
    edge = contacts.LineContact(toe.frame, half_length=y, friction=0.7, placement=across)
    found = contacts.batch.contact_forces(robot, q, v, a, points, active=active)
    for row, alike in enumerate(([toe, foot], [edge, foot], [foot])):
        expected = contacts.contact_forces(robot, q, v, a, alike).margin
        assert found.margin[row] == pytest.approx(expected, abs=1e-7 * 9.81 * robot.mass)


def _line_along_y(ends):
    import pinocchio as pin

    x = np.append((ends[0] - ends[1]) / np.linalg.norm(ends[0] - ends[1]), 0.0)
    z = np.array([0.0, 0.0, 1.0])
    return pin.SE3(np.column_stack([x, np.cross(z, x), z]), np.append(ends.mean(axis=0), 0.0))


def test_what_corners_would_have_to_pull_is_said_of_their_foot():
    robot = fw.load("biped")
    q, v, a = robot.posture(), np.zeros(robot.nv), np.zeros(robot.nv)
    a[2] = -15.0  # faster than it falls
    hold = contacts.contact_forces(robot, q, v, a, contacts.at_corners(robot))
    assert hold.feasible is False
    assert "left_foot would have to pull" in hold.reason
    assert "left_foot.1 would" not in hold.reason


@pytest.mark.parametrize("seed", range(5))
def test_weights_of_corners_add_up_to_the_centroid(seed):
    points = convex_hull(np.random.default_rng(seed).standard_normal((4 + 3 * seed, 2)))
    weights = centroid_weights(points)
    assert (weights > 0).all()
    assert weights.sum() == pytest.approx(1, abs=1e-12)
    assert weights @ points == pytest.approx(centroid(points), abs=1e-12)
    assert centroid_weights(np.eye(2)) == pytest.approx([0.5, 0.5])
