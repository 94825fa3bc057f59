"""Robust regions: against membership asked one disturbance at a time, and closed forms."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from stances import posed

from footwork import ContactError, Wrench, contacts, robots
from footwork.contacts.geometry import polygon
from footwork.contacts.geometry.directions import spread_directions


def block(mu=0.6):
    """A block of 0.4 × 0.3 m, 10 kg, standing on its sole."""
    robot = robots.block(10.0, (0.4, 0.3, 0.2))
    return robot, robot.posture(), contacts.at_feet(robot, mu)


def test_a_block_under_one_push_is_shifted():
    """The ZMP c + h F/(m g) must stay in the sole: the region is the sole moved by −h F/(m g)."""
    robot, q, sole = block()
    push, h = np.array([20.0, -10.0, 0.0]), 0.7
    robust = partial(contacts.robust_equilibrium_polygon, robot, q, sole, tolerance=1e-6)
    region = robust([Wrench(push, np.zeros(3))], height=h)
    corners = np.array([[0.2, 0.15], [-0.2, 0.15], [-0.2, -0.15], [0.2, -0.15]])
    shifted = polygon.convex_hull(corners - h * push[:2] / 98.1)
    assert region.status == "bounded"
    assert polygon.convex_hull(region.vertices, 1e-6) == pytest.approx(shifted, abs=1e-5)
    # a push that does not follow the centre of mass also asks for yaw, which corners cannot give
    at_point = robust([Wrench(push, np.zeros(3), point=(0, 0, h))])
    assert max(polygon.signed_distance(shifted, x) for x in at_point.vertices) < 1e-6
    assert 0.9 * region.area < at_point.area < region.area
    for middle in (shifted + np.roll(shifted, -1, axis=0)) / 2:  # of the sides: held all the same
        assert at_point.distance(middle) < 1e-5


def test_a_disc_of_pushes_shrinks_the_sole_evenly():
    """By h F/(m g) on every side, between the two polytopes; nothing is left beyond friction."""
    robot, q, sole = block()
    newtons, h, robust = 15.0, 0.6, contacts.robust_equilibrium_polygon
    pushes = contacts.Pushes(newtons, corners=24)
    region = robust(robot, q, sole, pushes, height=h, tolerance=1e-5)
    shift = h * newtons / 98.1
    exact = np.array([[0.2 - shift, 0.15 - shift]]) * [[1, 1], [-1, 1], [-1, -1], [1, -1]]
    for corner in exact:
        # the inner polygon lies inside, within 1/cos(π/24) of the push; the outer one outside
        assert region.distance(corner) >= -1e-9
        assert region.distance(corner) < 2 * shift * (1 / np.cos(np.pi / 24) - 1) + 1e-4
        assert polygon.signed_distance(region.outer, corner) <= 1e-9
    for corner in region.vertices:
        assert polygon.signed_distance(exact, corner) <= 1e-9
    beyond = robust(robot, q, sole, contacts.Pushes(0.61 * 98.1))
    assert beyond.status == "empty"
    assert len(beyond.vertices) == 0


@pytest.mark.parametrize("name", ["biped", "quadruped"])
def test_inside_is_held_and_outside_is_not(name):
    """Each place against static_hold's own program, by moving the centre of mass with a couple."""
    robot, feet, q = posed(name, 0.5)
    weight, rng = 9.81 * robot.mass, np.random.default_rng(0)
    loads = [
        Wrench(0.05 * weight * rng.standard_normal(3), 0.02 * weight * rng.standard_normal(3))
        for _ in range(3)
    ]
    region = contacts.robust_equilibrium_polygon(robot, q, feet, loads, tolerance=1e-4)
    assert region.status == "bounded"
    turning = np.diff(np.vstack([region.vertices, region.vertices[:1]]), axis=0)
    assert (polygon.cross(turning, np.roll(turning, -1, axis=0)) > 0).all()  # counter-clockwise

    def held(c, load):
        return holds_with_its_mass_at(robot, q, feet, c, load)

    middle = polygon.centroid(region.vertices)
    for corner in region.vertices[:: max(1, len(region.vertices) // 4)]:
        inside, outside = middle + 0.98 * (corner - middle), middle + 1.05 * (corner - middle)
        assert all(held(inside, load) for load in loads)
        # any mixture of them too
        shares = rng.dirichlet(np.ones(len(loads)))
        mixed = sum(s * w.vector for s, w in zip(shares, loads, strict=True))
        assert held(inside, Wrench(mixed[:3], mixed[3:]))
        assert not all(held(outside, load) for load in loads)


def holds_with_its_mass_at(robot, q, feet, c, load):
    """Whether forces exist: Newton and Euler about the origin, by cvxpy, cones written out here."""
    import cvxpy as cp

    from footwork import dynamics

    z = dynamics.com(robot, q)[2]
    place, weight = np.array([*c, z]), 9.81 * robot.mass
    total, moment, constraints = 0, 0, []
    for contact in feet:
        n = contact.pose(robot, q).rotation[:, 2]
        for p in contact.world_points(robot, q):
            f = cp.Variable(3)
            constraints.append(cp.norm(f - n * (n @ f)) <= contact.friction * (n @ f))
            total = total + f
            moment = moment + np.cross(np.eye(3), p).T @ f * -1
    push = np.array([0, 0, -weight]) + load.force
    constraints += [total + push == 0, moment + np.cross(place, push) + load.moment == 0]
    problem = cp.Problem(cp.Minimize(0), constraints)
    problem.solve(solver=cp.CLARABEL)
    return problem.status == "optimal"


def test_a_ball_asks_more_than_a_disc():
    robot, q, sole = block()
    options = {"height": 0.5, "tolerance": 1e-4}
    kinds = contacts.Pushes(10.0), contacts.Pushes(10.0, "all", corners=30), contacts.Pushes(0.0)
    disc, ball, still = (
        contacts.robust_equilibrium_polygon(robot, q, sole, pushes, **options) for pushes in kinds
    )
    assert ball.area < disc.area
    assert polygon.area(ball.outer) > ball.area
    plain = contacts.static_equilibrium_polygon(robot, q, sole, tolerance=1e-4)
    assert still.area == pytest.approx(plain.area, rel=1e-3)


def test_polytopes_of_pushes_lie_on_their_side():
    for pushes in (contacts.Pushes(7.0, corners=9), contacts.Pushes(7.0, "all", corners=40)):
        rng = np.random.default_rng(1)
        inner, outer = (np.array([w.force for w in pushes.wrenches(s)]) for s in ("inner", "outer"))
        assert np.linalg.norm(inner, axis=1) == pytest.approx(7.0)
        for _ in range(200):
            d = rng.standard_normal(3)
            d[2] *= pushes.directions == "all"
            d /= np.linalg.norm(d)
            assert (inner @ d).max() <= 7.0 + 1e-9
            assert (outer @ d).max() >= 7.0 - 1e-9
    assert np.linalg.norm(spread_directions(50), axis=1) == pytest.approx(1.0)


# --- polygons that meet ----------------------------------------------------------------------


def test_intersections_against_membership():
    rng = np.random.default_rng(2)
    for _ in range(30):
        a, b = rng.standard_normal((2, 8, 2))
        both = polygon.intersection(a, b + 0.5)
        for x in rng.standard_normal((100, 2)):
            depth = max(polygon.signed_distance(polygon.convex_hull(p), x) for p in (a, b + 0.5))
            if abs(depth) > 1e-9:
                assert (polygon.signed_distance(both, x) <= 1e-9) == (depth < 0)


def test_intersections_without_area():
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], dtype=float)
    segment = np.array([[-1.0, 0.5], [0.5, 0.5]])
    for a, b in ((square, segment), (segment, square)):
        assert polygon.intersection(a, b) == pytest.approx(np.array([[0, 0.5], [0.5, 0.5]]))
    crossing = np.array([[0.25, 0.0], [0.25, 1.0]])
    assert polygon.intersection(segment, crossing) == pytest.approx(np.array([[0.25, 0.5]]))
    assert len(polygon.intersection(square, square + 2.0)) == 0
    assert len(polygon.intersection(square, np.zeros((0, 2)))) == 0
    assert polygon.intersection(square, [[0.5, 0.5]]) == pytest.approx(np.array([[0.5, 0.5]]))


def test_refusals():
    robot, q, sole = block()
    turned, one = Wrench((0, 0, 0), np.zeros(3), axes="local"), contacts.Pushes(1.0)
    for pushes, options, words in (
        ([], {}, "expected at least one"),
        (["push"], {}, "expected a Wrench in world axes"),
        ([turned], {}, "expected a Wrench in world axes"),
        (one, {"height": np.nan}, "height"),
        (one, {"tolerance": 0.0}, "tolerance"),
    ):
        with pytest.raises(ContactError, match=words):
            contacts.robust_equilibrium_polygon(robot, q, sole, pushes, **options)
    for options in ({"newtons": -1.0}, {"newtons": 1.0, "corners": 2}):
        with pytest.raises(ContactError, match="expected"):
            contacts.Pushes(**options)
    with pytest.raises(ContactError, match="directions"):
        contacts.Pushes(1.0, "sideways")
