"""Regions by rays in the compiled kernel: the same as by directions in the conic solver."""

from __future__ import annotations

import importlib

import numpy as np
import pytest
from stances import posed

from footwork import Wrench, contacts, dynamics, robots
from footwork.contacts import PointForces
from footwork.contacts.geometry import polygon
from footwork.contacts.kernels import hull

pytest.importorskip("numba")
region_module = importlib.import_module("footwork.contacts.regions.region")
FEET = np.array([[0.3, 0.2, 0.0], [-0.3, 0.2, 0.05], [-0.3, -0.2, 0.1], [0.3, -0.2, 0.0]])


def rough(seed, count=4):
    rng = np.random.default_rng(seed)
    normals = np.array([0, 0, 1]) + 0.4 * rng.standard_normal((count, 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    points = FEET[:count] + 0.1 * rng.standard_normal((count, 3))
    return PointForces.at(points, normals, rng.uniform(0.3, 0.9, count))


def both(monkeypatch, ask):
    """The answers by rays and by directions, and how many regions the rays left to the solver."""
    left, real = [], region_module.Rays.regions

    def counted(*arguments):
        found = real(*arguments)
        left.append(sum(polygons is None for polygons in found))
        return found

    with monkeypatch.context() as patch:
        patch.setattr(region_module.Rays, "regions", counted)
        rays = ask()
    with monkeypatch.context() as patch:
        patch.setattr(region_module.Rays, "of_body", lambda *_: None)
        patch.setattr(region_module.Rays, "of_balance", lambda *_: None)
        return rays, ask(), sum(left)


def check(one, other, tolerance):
    """What is inside for one is nowhere outside for the other, and both close."""
    assert one.status == other.status == "bounded"
    for a, b in ((one, other), (other, one)):
        assert max(polygon.signed_distance(b.outer, x) for x in a.vertices) < 1e-7
    assert max(polygon.signed_distance(one.vertices, x) for x in one.outer) <= 1.001 * tolerance


@pytest.mark.parametrize("tolerance", [1e-3, 1e-5])
@pytest.mark.parametrize("seed", [*range(10), 46, 260])  # the last two are slivers
def test_rays_and_directions_agree(monkeypatch, seed, tolerance):
    forces = rough(seed, 3 + seed % 2)
    asked = (
        lambda: contacts.equilibrium_polygon(forces, tolerance),
        lambda: contacts.zmp_area(forces, (0.05, -0.02, 0.8), 0.0, tolerance),
    )
    for ask in asked:
        rays, directions, left = both(monkeypatch, ask)
        if directions.status == "bounded":
            check(rays, directions, tolerance)
            assert left == 0 or seed == 9  # there the search for a point inside ends without one
        else:
            assert left == 1
            assert rays.status == directions.status


def test_a_start_that_is_not_inside_is_found_out(monkeypatch):
    """Then the point of the largest margin is the start, and the region the same."""
    asked, found = lambda: contacts.equilibrium_polygon(rough(0), 1e-4), []
    for shift in (0.0, 5.0):
        real = region_module.Rays.guesses

        def moved(self, real=real, shift=shift):
            x, inside = real(self)
            return x + shift, inside

        with monkeypatch.context() as patch:
            patch.setattr(region_module.Rays, "guesses", moved)
            rays, directions, left = both(monkeypatch, asked)
        assert left == 0
        check(rays, directions, 1e-4)
        found.append(rays)
    assert found[0].area == pytest.approx(found[1].area, rel=1e-3)


@pytest.mark.parametrize("name", ["biped", "quadruped"])
def test_robust_regions_too(monkeypatch, name):
    """With a push upward and a couple, each wrench moves the centre of mass in a way of its own."""
    robot, feet, q = posed(name, 0.6)
    unit = 9.81 * robot.mass
    wrenches = [
        Wrench(0.05 * unit * np.array([1, 0.5, 1.0]), np.zeros(3)),
        Wrench(0.05 * unit * np.array([-1, 0, -0.5]), (0, 0, 0.01 * unit), point=(0, 0, 1.0)),
    ]
    for disturbances in (wrenches, wrenches[:1]):
        rays, directions, left = both(
            monkeypatch,
            lambda d=disturbances: contacts.robust_equilibrium_polygon(robot, q, feet, d),
        )
        assert left == 0
        check(rays, directions, 2e-3)


def test_what_rays_leave_to_the_solver(monkeypatch):
    """Regions without area, and those without end."""
    flat = PointForces.at(FEET[:2] * [1, 1, 0], (0, 0, 1), 0.5)
    walls = PointForces.at(
        [[0, 1.0, 0.5], [0, -1.0, 0.5], [0.5, 0, 0]], [[0, -1, 0], [0, 1, 0], [0, 0, 1]], 0.8
    )
    for forces in (flat, walls):
        rays, directions, left = both(
            monkeypatch, lambda f=forces: contacts.equilibrium_polygon(f, 1e-3)
        )
        assert left == 1
        assert rays.status == directions.status != "bounded"
        assert np.array_equal(rays.vertices, directions.vertices)


@pytest.mark.parametrize("case", ["torque limits", "bounds", "off balance"])
def test_feasible_regions_too(monkeypatch, case):
    """Also where the robot's own centre of mass is outside: the start is found, not given."""
    robot = robots.load("quadruped")
    q, limits = robot.posture().copy(), {"max_normal": 80.0} if case == "bounds" else {}
    feet = contacts.at_feet(robot, 0.6, **limits)
    if case == "off balance":
        feet = list(feet)[:3]
        q[3:7] = [0.0, -np.sin(0.2), 0.0, np.cos(0.2)]
    options = {"torque_limits": 15.0 if case == "torque limits" else True, "tolerance": 1e-4}
    rays, directions, left = both(
        monkeypatch, lambda: contacts.feasible_region(robot, q, feet, **options)
    )
    assert left == 0
    check(rays, directions, 1e-4)
    inside = rays.contains(dynamics.com(robot, q))
    assert inside == (case != "off balance")


@pytest.mark.parametrize("seed", range(5))
def test_the_hull_of_kernels_is_that_of_polygons(seed):
    rng = np.random.default_rng(seed)
    clouds = rng.standard_normal((40, 2)), np.round(rng.standard_normal((60, 2))), FEET[:, :2]
    for points in (*clouds, np.outer([0.0, 2.0, 1.0, 1.0], [1.0, 2.0]), np.ones((3, 2))):
        for tolerance in (0.0, 0.05):
            found, expected = (
                hull.hull(points, tolerance),
                polygon.convex_hull(points, tolerance),
            )
            assert found.shape == expected.shape
            turn = np.argwhere((found == expected[0]).all(axis=1))[0, 0]  # any corner is the first
            assert np.allclose(np.roll(found, -turn, axis=0), expected, rtol=0, atol=1e-15)
    assert len(hull.hull(FEET[:0, :2], 0.0)) == 0
