"""Regions of the centre of mass and of the ZMP: closed forms, sampling, and second formulations."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest
from stances import posed

from footwork import ConfigurationError, ContactError, Wrench, contacts, dynamics, robots
from footwork.contacts import PointContact, PointForces
from footwork.contacts.geometry import polygon
from footwork.contacts.geometry.planar import inner_and_outer, largest_disc

LEVEL = np.array([[0.3, 0.2, 0], [-0.25, 0.22, 0], [-0.3, -0.2, 0], [0.28, -0.24, 0]])


def holds(points, normals, friction, com, acceleration=(0, 0, 0)):
    """Whether forces in the cones give Σf = m (c̈ − g) without turning: a program of its own."""
    f = cp.Variable((len(points), 3))
    total = np.asarray(acceleration) + np.array([0, 0, 1.0])
    arms = points - np.asarray(com)
    moment = [
        cp.sum(cp.multiply(arms[:, i], f[:, j]) - cp.multiply(arms[:, j], f[:, i]))
        for i, j in ((1, 2), (2, 0), (0, 1))
    ]
    cones = []
    for k, n in enumerate(normals):
        fn = f[k] @ n
        cones.append(cp.norm(f[k] - fn * n) <= friction[k] * fn)
    slack = cp.Variable()
    equations = cp.hstack([cp.sum(f, axis=0) - total, *moment])
    problem = cp.Problem(cp.Minimize(slack), [cp.norm(equations) <= slack, *cones])
    problem.solve(solver="CLARABEL")
    return slack.value < 1e-6


def rough_terrain(seed, count=4):
    rng = np.random.default_rng(seed)
    points = LEVEL[:count] + 0.1 * rng.standard_normal((count, 3))
    normals = np.array([0, 0, 1]) + 0.4 * rng.standard_normal((count, 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return points, normals, rng.uniform(0.3, 0.9, count)


def around(region, rng, count, gap=3e-3):
    """Points inside the inner polygon, and outside the outer one, near both."""
    middle = region.vertices.mean(axis=0)
    some = region.vertices[rng.integers(len(region.vertices), size=count)]
    inside = [middle + (1 - gap / 0.1) * (v - middle) * rng.uniform(0.9, 1) for v in some]
    outside = []
    while len(outside) < count:
        x = middle + rng.standard_normal(2) * np.ptp(region.outer, axis=0)
        if polygon.signed_distance(region.outer, x) > gap:
            outside.append(x)
    return inside, outside


def test_level_ground_gives_the_hull_of_the_feet():
    """On level ground, with any friction, the polygon is the support polygon."""
    for mu in (0.05, 0.8):
        region = contacts.equilibrium_polygon(PointForces.at(LEVEL, (0, 0, 1), mu), 1e-5)
        assert region.status == "bounded"
        assert region.area == pytest.approx(polygon.area(LEVEL[:, :2]), abs=1e-5)
        assert polygon.area(region.outer) == pytest.approx(region.area, abs=1e-4)
        for corner in LEVEL[:, :2]:
            assert abs(region.distance(corner)) < 1e-4


@pytest.mark.parametrize("seed", range(5))
def test_polygon_agrees_with_a_program_of_its_own(seed):
    points, normals, friction = rough_terrain(seed, 3 + seed % 2)
    region = contacts.equilibrium_polygon(PointForces.at(points, normals, friction), 1e-3)
    if region.status in ("empty", "flat"):
        assert not holds(points, normals, friction, [*points.mean(axis=0)[:2], 0])
        return
    inside, outside = around(region, np.random.default_rng(seed), 8)
    assert all(holds(points, normals, friction, [*x, 0.7]) for x in inside)
    assert not any(holds(points, normals, friction, [*x, 0.7]) for x in outside)


@pytest.mark.parametrize("tolerance", [1e-1, 1e-2, 1e-3])
def test_inner_and_outer_close_to_the_tolerance(tolerance):
    forces = PointForces.at(*rough_terrain(0))
    region, fine = (contacts.equilibrium_polygon(forces, within) for within in (tolerance, 1e-5))
    assert all(polygon.signed_distance(region.outer, x) < 1e-6 for x in fine.vertices)
    assert all(fine.distance(x) < 2e-5 for x in region.vertices)
    assert all(region.distance(x) <= 1.01 * tolerance for x in region.outer)


def test_the_mass_does_not_matter_and_vertices_turn_left():
    areas = []
    for mass in (0.1, 10, 1e4):
        robot = robots.block(mass=mass, size=(0.4, 0.3, 0.2))
        block = robot, robot.posture(), contacts.at_feet(robot)
        region = contacts.static_equilibrium_polygon(*block, 1e-4)
        areas.append(region.area)
        sides = np.roll(region.vertices, -1, 0) - region.vertices
        assert (polygon.cross(sides, np.roll(sides, -1, 0)) > 0).all()
    assert areas == pytest.approx([0.12] * 3, rel=1e-3)


def test_the_polygon_decides_the_hold():
    """A quadruped on rough ground holds iff its centre of mass is inside (torques aside)."""
    robot = robots.load("quadruped")
    q, verdicts = robot.posture(), []
    for seed in range(24):
        rng = np.random.default_rng(seed)
        feet = []
        for foot in list(robot.feet.values())[: 3 + seed % 2]:
            n = np.array([0, 0, 1]) + 0.3 * rng.standard_normal(3)
            feet.append(PointContact(foot.frame, 0.6, normal=n / np.linalg.norm(n), name=foot.name))
        unit = 0.2 * (seed % 3) * robot.weight
        loads = {
            "base": Wrench(unit * rng.standard_normal(3), 0.1 * unit * rng.standard_normal(3)),
            "LF_foot": Wrench([0, 0, -0.3 * unit], point=rng.standard_normal(3)),
        }
        region = contacts.static_equilibrium_polygon(robot, q, feet, 1e-4, wrenches=loads)
        distance = region.distance(dynamics.com(robot, q))
        if abs(distance) < 1e-3:
            continue
        hold = contacts.static_hold(robot, q, feet, loads, torque_limits=False)
        verdicts.append((hold.feasible, seed % 3 > 0))
        assert hold.feasible == (distance < 0)
    assert len(set(verdicts)) == 4


def test_flat_empty_and_unbounded_regions():
    two = contacts.equilibrium_polygon(PointForces.at(LEVEL[:2], (0, 0, 1), 0.5))
    assert two.status == "flat"
    assert len(two.vertices) == 2
    assert np.ptp(two.vertices[:, 0]) == pytest.approx(0.55, abs=1e-4)
    wall = contacts.equilibrium_polygon(PointForces.at([[0, 0, 1]], (1, 0, 0), 0.5))
    assert wall.status == "empty"
    assert wall.distance([0, 0]) == np.inf
    robot = robots.load("quadruped")
    held = [PointContact(f.frame, 0.5, bilateral=True) for f in robot.feet.values()]
    assert contacts.static_equilibrium_polygon(robot, robot.posture(), held).status == "unbounded"


@pytest.mark.parametrize("height", [0.0, 0.3, 1.5])
def test_zmp_area_is_that_of_the_pendulum(height):
    points, normals, friction = rough_terrain(1)
    com = np.array([0.02, -0.01, 0.8])
    region = contacts.zmp_area(PointForces.at(points, normals, friction), com, height, 1e-3)
    assert region.status == "bounded"
    inside, outside = around(region, np.random.default_rng(1), 6)

    def moves(zmp):
        pull = (com[:2] - zmp) / (com[2] - height)  # c̈/g of the linear pendulum
        return holds(points, normals, friction, com, [*pull, 0])

    assert all(moves(x) for x in inside)
    assert not any(moves(x) for x in outside)


def test_zmp_area_on_level_rough_ground_is_the_support_polygon():
    """With friction to spare the ZMP may be wherever there is support."""
    forces = PointForces.at(LEVEL, (0, 0, 1), 5.0)
    region = contacts.zmp_area(forces, [0, 0, 0.8], 0.0, 1e-4)
    assert region.area == pytest.approx(polygon.area(LEVEL[:, :2]), rel=1e-3)
    robot = robots.load("biped")
    feet = contacts.at_feet(robot, 2.0)
    area = contacts.zmp_support_area(robot, robot.posture(), feet, tolerance=1e-4)
    support = np.vstack([c.world_points(robot, robot.posture())[:, :2] for c in feet])
    assert area.area == pytest.approx(polygon.area(support), rel=2e-3)
    with pytest.raises(ContactError, match="height"):
        contacts.zmp_area(forces, [0, 0, 0.8], 0.8)


@pytest.mark.parametrize("seed", range(3))
def test_acceleration_cone(seed):
    points, normals, friction = rough_terrain(seed)
    com = np.array([0.0, 0.0, 0.6])
    forces = PointForces.at(points, normals, friction).about(com)
    cone = contacts.regions.region.AccelerationCone(np.array([0, 0, -9.81]), forces)
    region = cone.section(0.0, 1e-2)
    A, b = cone.faces("inner", 8)
    outer_A, outer_b = cone.faces("outer", 8)
    rng = np.random.default_rng(seed)
    inside, outside = around(region, rng, 5, gap=0.05)
    for x in inside:
        a = np.array([*x, 0.0])
        assert cone.contains(a)
        assert holds(points, normals, friction, com, a / 9.81)
        assert (outer_A @ a <= outer_b + 1e-6).all()
    for x in outside:
        a = np.array([*x, 0.0])
        assert not cone.contains(a)
        assert not holds(points, normals, friction, com, a / 9.81)
        assert (A @ a > b - 1e-6).any()
    assert cone.contains([0, 0, -9.81])  # free fall needs no contact
    assert not cone.contains([0, 0, -9.9])


def test_feasible_region_shrinks_with_the_torque_limits():
    robot, feet, q = posed("quadruped")
    whole = contacts.static_equilibrium_polygon(robot, q, feet)
    free = contacts.feasible_region(robot, q, feet, torque_limits=False)
    assert free.area == pytest.approx(whole.area, rel=5e-3)
    hold = contacts.static_hold(robot, q, feet)
    needed = np.abs(hold.torques).max()
    weak = contacts.feasible_region(robot, q, feet, torque_limits=np.full(robot.na, 1.1 * needed))
    assert 0 < weak.area < 0.9 * free.area
    assert weak.contains(dynamics.com(robot, q))
    for x in weak.vertices:
        assert whole.distance(x) < 3e-3
    none = contacts.feasible_region(robot, q, feet, torque_limits=np.full(robot.na, 0.01 * needed))
    assert none.status == "empty"
    with pytest.raises(ContactError, match="fixed base"):
        contacts.feasible_region(robots.load("limb"), np.zeros(3), [])


def test_feasible_region_decides_the_hold():
    """At the robot's own centre of mass it says what static_hold says, for any torque limits."""
    robot, feet, q = posed("biped")
    com = dynamics.com(robot, q)
    strong = np.abs(contacts.static_hold(robot, q, feet).torques).max()
    verdicts = []
    for share in (0.2, 0.5, 0.8, 1.0, 1.5):
        limits = np.full(robot.na, share * strong)
        hold = contacts.static_hold(robot, q, feet, torque_limits=limits)
        region = contacts.feasible_region(robot, q, feet, torque_limits=limits)
        verdicts.append(hold.feasible)
        assert region.contains(com) == hold.feasible
    assert len(set(verdicts)) == 2


@pytest.mark.parametrize("seed", range(4))
def test_disc_inside_a_known_polygon(seed):
    """Against the distance to the sides, for polygons known corner by corner."""
    rng = np.random.default_rng(seed)
    corners = polygon.convex_hull(rng.standard_normal((7, 2)) + 0.3)
    farthest = lambda d: corners[np.argmax(corners @ d)]  # noqa: E731
    expected = max(-polygon.signed_distance(corners, np.zeros(2)), 0.0)
    across, offsets = polygon.sides(corners)

    def shoot(d):
        with np.errstate(divide="ignore"):
            t = np.where(d @ across.T > 0, offsets / (d @ across.T), np.inf)
        t = np.where((offsets > 0).all(), t, 0.0)
        return t.min(axis=1)[:, None] * d, across[t.argmin(axis=1)], np.ones(len(d), dtype=bool)

    radius, normal = largest_disc(shoot, 1e-9)
    assert radius == pytest.approx(expected, abs=1e-9)
    assert radius == 0 or normal == pytest.approx(across[offsets.argmin()])
    inner, outer = inner_and_outer(farthest, 1e-6)
    assert polygon.area(inner) == pytest.approx(polygon.area(corners), rel=1e-4)
    assert polygon.area(outer) == pytest.approx(polygon.area(corners), rel=1e-4)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((LEVEL, (0, 0, 2), 0.5), "unit vector"),
        ((LEVEL, np.zeros((3, 3)), 0.5), "one each"),
        ((LEVEL, (0, 0, 1), -0.5), "at least 0"),
        ((LEVEL, (0, 0, 1), [0.5, 0.5]), "one each"),
    ],
)
def test_bad_points(arguments, says):
    with pytest.raises(ContactError, match=says):
        PointForces.at(*arguments)


def test_bad_tolerance():
    with pytest.raises(ContactError, match="tolerance"):
        contacts.equilibrium_polygon(PointForces.at(LEVEL, (0, 0, 1), 0.5), tolerance=0.0)


@pytest.mark.parametrize("name", ["biped", "quadruped"])
def test_regions_of_a_state_are_those_of_its_configuration(name):
    robot, feet, q = posed(name, 0.6)
    state = dynamics.State(robot, q)
    for region, *more in (
        (contacts.static_equilibrium_polygon,),
        (contacts.zmp_support_area,),
        (contacts.feasible_region,),
        (contacts.robust_equilibrium_polygon, contacts.Pushes(5.0)),
    ):
        one, other = (region(robot, x, feet, *more) for x in (state, q))
        assert np.array_equal(one.vertices, other.vertices)
        assert np.array_equal(one.outer, other.outer)
    cone, same = (contacts.com_acceleration_cone(robot, x, feet) for x in (state, q))
    assert np.array_equal(cone.forces.points, same.forces.points)
    with pytest.raises(ConfigurationError, match="a State of the robot"):
        contacts.static_equilibrium_polygon(robot.with_gravity((0, 0, -1.6)), state, feet)
