"""Links that run into each other: told by Pinocchio's own distances on the shapes as they are."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from differences import gradient

from footwork import ContactError, contacts, robots
from footwork.contacts.postures import collisions_along
from footwork.contacts.postures.self_collision import Clearance, candidate_pairs

LINK = """<link name="{}"><inertial><mass value="1"/>
  <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><geometry><sphere radius="0.1"/></geometry></collision></link>"""
JOINT = """<joint name="{0}{1}" type="prismatic"><parent link="{0}"/><child link="{1}"/>
  <axis xyz="1 0 0"/><origin xyz="1 0 0"/>
  <limit lower="-3" upper="2" effort="1" velocity="1"/></joint>"""
PARTS = [*map(LINK.format, "abc"), JOINT.format("a", "b"), JOINT.format("b", "c")]
BALLS = f'<robot name="balls">{"".join(PARTS)}</robot>'  # three balls in a row, 1 m apart


def distances(robot, q):
    """{(link, link): distance} of all pairs of shapes, by Pinocchio, meshes as they are."""
    shapes = robot.collision.copy()
    shapes.addAllCollisionPairs()
    data, placed = robot.model.createData(), pin.GeometryData(shapes)
    pin.updateGeometryPlacements(robot.model, data, shapes, placed, q)
    found = {}
    for k, pair in enumerate(shapes.collisionPairs):
        links = tuple(
            robot.model.frames[shapes.geometryObjects[i].parentFrame].name
            for i in (pair.first, pair.second)
        )
        d = pin.computeDistance(shapes, placed, k).min_distance
        found[links] = min(d, found.get(links, np.inf))
    return found


def crossed(robot, seed):
    """The standing posture with its joints shaken, links in each other."""
    step = 0.8 * np.random.default_rng(seed).standard_normal(robot.nv)
    step[:6] = 0
    return robot.integrate(robot.posture(), step)


def test_balls_on_a_rail():
    robot = robots.load(BALLS, base="fixed")
    assert contacts.self_collisions(robot, [0.0, 0.0]) == ()
    (pair,) = contacts.self_collisions(robot, [0.1, -1.95])
    assert pair.links == ("a", "c")  # a and b are neighbours, which nobody watches
    assert pair.distance == pytest.approx(0.15 - 0.2)
    assert np.linalg.norm(pair.points[1] - pair.points[0]) == pytest.approx(0.05)
    assert str(pair) == "a and c overlap by 0.05 m"
    (pair,) = contacts.self_collisions(robot, [0.0, -1.75], clearance=0.1)
    assert str(pair) == "a and c are 0.05 m apart"
    assert contacts.self_collisions(robot, [0.0, -1.75], clearance=0.04) == ()


def test_what_an_srdf_allows_is_no_collision(tmp_path):
    (tmp_path / "balls.urdf").write_text(BALLS)
    (tmp_path / "balls.srdf").write_text(
        '<robot name="balls"><disable_collisions link1="c" link2="a" reason="Never"/></robot>'
    )
    robot = robots.load(tmp_path / "balls.urdf", base="fixed")
    assert robot.never_collide == (("c", "a"),)
    assert contacts.self_collisions(robot, [0.1, -1.95]) == ()


@pytest.mark.parametrize("name", ["biped", "quadruped"])
def test_distances_are_pinocchios(name):
    robot = robots.load(name)
    collided = 0
    for seed in range(10):
        q = crossed(robot, seed)
        expected = distances(robot, q)
        for pair in contacts.self_collisions(robot, q, clearance=0.02):
            assert pair.distance == pytest.approx(expected[pair.links], abs=1e-7)
            collided += pair.distance < 0
    assert collided > 3
    assert contacts.self_collisions(robot, robot.posture()) == ()


@pytest.mark.parametrize("name", ["biped", "quadruped"])
def test_the_jacobian_is_the_derivative_of_the_distances(name):
    robot = robots.load(name)
    links = Clearance(robot, 0.01)
    compared = 0
    for seed in range(6):
        q = crossed(robot, seed)
        by_difference = gradient(robot, q, links.error)
        close = np.abs(links.jacobian(q) - by_difference).max(axis=1) < 1e-3
        lacking = links.error(q) > 0
        # the nearest point of a cylinder's rim may jump, so that a distance can have a kink
        assert close[lacking].mean() > 0.8 if lacking.any() else close.all()
        compared += int(close[lacking].sum())
    assert compared > 5


@pytest.mark.parametrize("most", [1, 8, 1000])
def test_the_nearest_pairs_are_those_of_all(most):
    """Of all that are near, nearest to what each keeps first; looked for by distances that grow."""
    robot, rng = robots.load("g1"), np.random.default_rng(most)
    candidates = candidate_pairs(robot, 0.02)
    for ahead in (0.03, 0.1, 0.3):
        q = robot.integrate(robot.posture(), rng.normal(size=robot.nv) * 0.2)
        every = candidates.near(robot, q, 0.02, ahead)
        gaps = sorted(one.distance - one.keep for one in every)
        assert all(gap < ahead for gap in gaps)
        found = [one.distance - one.keep for one in candidates.near(robot, q, 0.02, ahead, most)]
        assert found == pytest.approx(gaps[:most], abs=1e-9)


@pytest.mark.parametrize("name", ["biped", "talos"])
def test_postures_keep_their_links_apart(name, load_robot):
    robot = load_robot(name, "floating")
    feet = contacts.at_feet(robot)
    targets, freed = feet.placements(robot.posture()), 0
    for seed in range(4):
        ask = {"targets": targets, "q0": crossed(robot, seed)}
        careless = contacts.solve_posture(robot, feet, **ask)
        careful = contacts.solve_posture(robot, feet, self_collision=0.01, **ask)
        assert careful.converged, careful.reason
        watched = {p.links for p in contacts.self_collisions(robot, careless.q)}
        freed += len(watched)
        apart = distances(robot, careful.q) if watched else {}
        assert all(apart[links] > 0 for links in watched)
        assert contacts.self_collisions(robot, careful.q) == ()
    assert freed > 0


def test_links_that_cannot_part_are_named():
    """The tip of c must go where c runs into a."""
    robot = robots.load(BALLS, base="fixed")
    tip = contacts.PointContact("c", 0.5, normal=(1, 0, 0))
    both = [tip, contacts.PointContact("b", 0.5, normal=(1, 0, 0))]
    targets = {"c": [0.1, 0, 0], "b": [1.0, 0, 0]}
    free = contacts.solve_posture(robot, both, targets=targets, q0=[0.0, -1.0])
    assert free.converged
    posture = contacts.solve_posture(
        robot, both, targets=targets, q0=[0.0, -1.0], self_collision=True
    )
    assert not posture.converged
    assert posture.errors["self-collision"] > 0.01
    assert "a and c" in posture.reason


def test_refusals():
    pendulum = robots.load("double_pendulum")
    with pytest.raises(ContactError, match="no collision shapes"):
        contacts.self_collisions(pendulum, [0.0, 0.0])
    biped = robots.load("biped")
    for clearance in (-0.1, np.nan, "wide"):
        with pytest.raises(ContactError, match="self_collision: got"):
            contacts.solve_posture(biped, contacts.at_feet(biped), self_collision=clearance)


def test_many_configurations_are_those_one_by_one():
    """Boxes only leave out what is apart; meshes, capsules, several shapes of a link."""
    rng = np.random.default_rng(0)
    for name in ("biped", "quadruped"):
        robot = robots.load(name)
        Q = np.array([crossed(robot, seed) for seed in range(30)])
        for clearance in (0.0, 0.03):
            found = contacts.batch.self_collisions(robot, Q, clearance)
            assert len(found) == len(Q)
            assert len(found.row) > 10
            for i, q in enumerate(Q):
                one = contacts.self_collisions(robot, q, clearance)
                assert [p.links for p in found.at(i)] == [p.links for p in one]
                for mine, other in zip(found.at(i), one, strict=True):
                    assert mine.distance == pytest.approx(other.distance, abs=2e-6)
                    np.testing.assert_allclose(mine.points, other.points, atol=1e-3)
                nearest = one[0].distance if one else np.nan
                assert found.nearest[i] == pytest.approx(nearest, abs=2e-6, nan_ok=True)
                assert (found.nearest_pair[i] >= 0) == bool(one)
    still = contacts.batch.self_collisions(robot, robot.posture())
    assert (len(still), len(still.row), still.at(0)) == (1, 0, ())
    assert np.isnan(still.nearest).all()
    with pytest.raises(ContactError, match="no collision shapes"):
        contacts.batch.self_collisions(robots.double_pendulum(1, 1, 1, 1), rng.random((3, 2)))


def test_many_configurations_without_the_kernel(monkeypatch):
    robot = robots.load(BALLS, base="fixed")
    Q = np.array([[0.0, 0.0], [0.1, -1.95], [0.0, -1.75]])
    fast = contacts.batch.self_collisions(robot, Q, clearance=0.1)
    monkeypatch.setattr(collisions_along.NEAR_BOXES, "select", lambda count: None)
    slow = contacts.batch.self_collisions(robot, Q, clearance=0.1)
    for found in (fast, slow):
        assert found.row.tolist() == [1, 2]
        assert found.links == (("a", "c"),)
        np.testing.assert_allclose(found.distance, [-0.05, 0.05], atol=1e-6)
    assert repr(fast) == "SelfCollisions(2 of 3 configurations, 1 pairs)"
