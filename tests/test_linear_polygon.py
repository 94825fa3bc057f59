"""Static-equilibrium polygons of linear cones: against linear programs and the exact cones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import linprog
from stances import posed

from footwork import ContactError, contacts
from footwork.contacts import PointForces
from footwork.contacts.geometry import polygon
from footwork.dynamics.kernels import toolchain
from footwork.dynamics.kernels.toolchain import switched_off
from footwork.errors import FootworkWarning

UP = (0.0, 0.0, 1.0)


def terrain(rng, count):
    points = np.column_stack([rng.uniform(-0.4, 0.4, (count, 2)), 0.1 * rng.standard_normal(count)])
    normals = np.array(UP) + 0.3 * rng.standard_normal((count, 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return PointForces.at(points, normals, rng.uniform(0.1, 0.9, count))


def reach(forces, kind, sides, d, load):
    """How far the centre of mass may be along d, by a linear program on world wrenches."""
    W = forces.rays(kind, sides).T
    balance, weight = W[[0, 1, 2, 5]], [0.0, 0.0, 1.0, 0.0] - load[[0, 1, 2, 5]]
    answer = linprog(d[0] * W[4] - d[1] * W[3], A_eq=balance, b_eq=weight, method="highs")
    if answer.status:
        return {2: -np.inf, 3: np.inf}[answer.status]
    return d[1] * load[3] - d[0] * load[4] - answer.fun


@pytest.mark.parametrize("seed", range(6))
def test_all_corners_agree_with_linear_programs(seed):
    rng = np.random.default_rng(seed)
    for _ in range(6):
        forces, sides = terrain(rng, rng.integers(1, 12)), int(rng.integers(3, 12))
        kind = str(rng.choice(["inner", "outer"]))
        load = rng.integers(2) * rng.normal(0, 0.1, 6)
        region = contacts.equilibrium_polygon(forces, kind=kind, sides=sides, load=load)
        corners = region.vertices
        for d in rng.standard_normal((2, 2)):
            expected = reach(forces, kind, sides, d, load)
            assert (corners @ d).max(initial=-np.inf) == pytest.approx(expected, abs=1e-8)
        if len(corners) >= 3:
            across = np.roll(corners, -1, axis=0) - corners
            assert (polygon.cross(across, np.roll(across, -1, axis=0)) > 0).all()  # to the left
            for normal, offset in zip(*polygon.sides(corners), strict=True):  # each side stands
                assert reach(forces, kind, sides, normal, load) == pytest.approx(offset, abs=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_inside_and_around_the_exact_polygon(seed):
    rng = np.random.default_rng(100 + seed)
    forces = terrain(rng, 3 + seed)
    load = rng.normal(0, 0.03, 6)
    exact = contacts.equilibrium_polygon(forces, 1e-4, load=load)
    for sides in (3, 4, 8, 32):
        inner = contacts.equilibrium_polygon(forces, kind="inner", sides=sides, load=load)
        outer = contacts.equilibrium_polygon(forces, kind="outer", sides=sides, load=load)
        tolerance = 1e-6
        assert all(
            polygon.signed_distance(exact.outer, x) < tolerance + 1e-4 for x in inner.vertices
        )
        assert all(outer.distance(x) < tolerance for x in exact.vertices)
        assert all(outer.distance(x) < tolerance for x in inner.vertices)
    assert inner.area == pytest.approx(outer.area, rel=0.05)


def test_level_ground_gives_the_hull_of_the_feet():
    robot, feet, q = posed("biped", 0.5)
    support = np.vstack([c.world_points(robot, q)[:, :2] for c in feet])
    for kind in ("inner", "outer"):
        region = contacts.static_equilibrium_polygon(robot, q, feet, kind=kind)
        assert region.status == "bounded"
        assert region.area == pytest.approx(polygon.area(support), rel=1e-9)
        assert len(region.vertices) == len(polygon.convex_hull(support, 1e-9))


def both_roads(forces, **options):
    compiled = contacts.equilibrium_polygon(forces, **options)
    with switched_off():
        return compiled, contacts.equilibrium_polygon(forces, **options)


def same(a, b):
    return a.shape == b.shape and np.abs(a[:, None] - b).max(axis=2).min(axis=1).max() < 1e-6


@pytest.mark.parametrize("seed", range(3))
def test_uncompiled_the_same(seed):
    rng = np.random.default_rng(seed)
    for kind in ("inner", "outer"):
        forces = terrain(rng, int(rng.integers(2, 6)))
        one, other = both_roads(forces, kind=kind, sides=5)
        assert one.status == other.status
        assert one.area == pytest.approx(other.area, abs=1e-7)


def test_without_area_empty_and_unbounded():
    line = np.array([[0.3, 0.2, 0], [0.0, 0.2, 0], [-0.25, 0.2, 0]])
    slope = np.array([np.sin(0.6), 0, np.cos(0.6)])
    pushed = PointForces.at(np.eye(3), np.eye(3), 0.5)
    pulled = replace(pushed, limits=replace(pushed.limits, bilateral=np.ones(3, dtype=bool)))
    cases = {
        "two points": (PointForces.at(line[:2], UP, 0.5), "flat", 2),
        "collinear": (PointForces.at(line, UP, 0.5), "flat", 2),
        "one point": (PointForces.at(line[:1], UP, 0.5), "flat", 1),
        "twice the same": (PointForces.at(line[[0, 0, 1, 1]], UP, 0.5), "flat", 2),
        "no friction": (PointForces.at(line, UP, 0.0), "flat", 2),
        "a wall": (PointForces.at([[0, 0, 1.0]], (1.0, 0.0, 0.0), 0.5), "empty", 0),
        "too steep": (PointForces.at(line, slope, 0.6), "empty", 0),
        "steep enough": (PointForces.at(line, slope, 0.8), "flat", 2),
        "nothing": (PointForces.at(np.zeros((0, 3)), UP, 0.5), "empty", 0),
        "hands": (pulled, "unbounded", 4),
    }
    for name, (forces, status, corners) in cases.items():
        for region in both_roads(forces, kind="inner"):
            assert (name, region.status, len(region.vertices)) == (name, status, corners)
    two = contacts.equilibrium_polygon(cases["two points"][0], kind="outer")
    assert same(two.vertices, line[:2, :2])
    assert same(
        contacts.equilibrium_polygon(cases["one point"][0], kind="inner").vertices, line[:1, :2]
    )


def test_where_and_how_large_does_not_matter():
    forces = terrain(np.random.default_rng(5), 5)
    here = contacts.equilibrium_polygon(forces, kind="inner").vertices
    for scale, shift in ((1e-3, [0, 0, 0]), (1e3, [0, 0, 0]), (1.0, [100.0, -50.0, 20.0])):
        points = scale * forces.points + shift
        moved = replace(forces, points=points, centres=points)
        there = contacts.equilibrium_polygon(moved, kind="inner").vertices
        assert np.abs(there - scale * here - np.array(shift)[:2]).max() < 1e-8 * max(scale, 1)


def test_without_numba_it_says_so_once(monkeypatch):
    monkeypatch.setattr(toolchain, "obstacle", lambda: "Numba is not installed")
    toolchain._warn_once.cache_clear()
    forces = terrain(np.random.default_rng(0), 3)
    try:
        with pytest.warns(FootworkWarning, match=r"footwork\[fast\]"):
            contacts.equilibrium_polygon(forces, kind="inner")
        contacts.equilibrium_polygon(forces, kind="outer")  # a second warning would be an error
    finally:
        toolchain._warn_once.cache_clear()


@pytest.mark.parametrize(
    ("options", "says"),
    [({"kind": "round"}, "'inner' or 'outer'"), ({"kind": "inner", "sides": 2}, "at least 3")],
)
def test_bad_options(options, says):
    with pytest.raises(ContactError, match=says):
        contacts.equilibrium_polygon(terrain(np.random.default_rng(0), 3), **options)
