"""Steps on the ground by compiled kernels: the same numbers as without them."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np
import pinocchio as pin
import pytest

from footwork import contacts, robots
from footwork.contacts import Box, HeightMap, Plane, Terrain
from footwork.contacts.geometry.polygon import convex_hull
from footwork.contacts.terrain.edges import Outline, under
from footwork.control.simulation.ground import TOLERANCE, Ground
from footwork.dynamics.kernels.toolchain import switched_off

TERRAINS = {
    "plane": Terrain([Plane("ground", rises=4.0, towards=30.0)]),
    "board": Terrain([Plane("ground"), Box("board", (0.5, 0.25, 0.04), (0, 0.1, -0.035), 20.0)]),
    "patches": Terrain(
        [Plane("ground", friction=0.3), Box("ice", (0.6, 2.0, 0.1), (0.3, 0, -0.1), friction=0.0)]
    ),
    "map": Terrain([HeightMap("map", 0.01 * np.sin(np.arange(64.0)).reshape(8, 8), 0.2)]),
}


def thrown(name, terrain, seed):
    """A robot on the ground that moves, one of its joints at the end of its range."""
    robot, rng = robots.load(name), np.random.default_rng(seed)
    feet = contacts.at_feet(robot, (0.7, 0.4), tangent=[1.0, 0.5, 0.0])
    there = terrain.targets(feet, robot.posture())
    q = contacts.solve_posture(robot, feet, targets=there).q.copy()
    q[2] -= 0.002 * rng.random()
    q[-1] = robot.model.lowerPositionLimit[-1] + 1e-4 * rng.standard_normal()
    v = 0.3 * rng.standard_normal(robot.nv)
    v[2] = -0.8
    return robot, feet, q, v


@pytest.mark.parametrize(
    ("name", "ground"),
    [("biped", "plane"), ("biped", "board"), ("biped", "patches"), ("quadruped", "map")],
)
def test_steps_without_kernels_are_the_same(name, ground):
    terrain = TERRAINS[ground]
    for seed in range(3):
        robot, feet, q, v = thrown(name, terrain, seed)
        found = []
        for compiled in (True, False):
            physics = Ground(robot, feet, terrain)
            with nullcontext() if compiled else switched_off():
                steps = [physics.step(q, v, np.zeros(robot.nv), 1e-3) for _ in range(2)]
            found.append((steps, physics.unsolved))
        (ours, unsolved), (theirs, otherwise) = found
        assert unsolved == otherwise
        assert np.abs(ours[0].impulses).max() > 0
        for one, other in zip(ours, theirs, strict=True):
            for a, b in zip(one, other, strict=True):
                assert a == pytest.approx(b, rel=TOLERANCE, abs=TOLERANCE)  # of the solver


def test_the_nearest_of_many_solids_is_that_of_each_alone():
    rng, ground = np.random.default_rng(0), HeightMap("map", np.zeros((3, 3)), 0.4)
    parts = [Plane("slope", (0, 0, -0.5), rises=10.0), ground] + [
        Box(f"box/{i}", rng.uniform(0.1, 0.6, 3), rng.uniform(-1, 1, 3), 40.0 * i, 15.0 * i)
        for i in range(5)
    ]
    terrain, points = Terrain(parts), rng.uniform(-1, 1, (300, 3))
    alone = [Terrain([part]) for part in parts]
    every = np.array([part.signed_distance(points) for part in alone])
    owner = every.argmin(axis=0)
    assert len(set(owner)) >= 5
    normals = np.array([part.normal(points) for part in alone])[owner, np.arange(len(points))]
    for part in (*alone, terrain):
        compiled = part.distance_and_normal(points)
        with switched_off():
            plain = part.distance_and_normal(points)
        assert compiled[0] == pytest.approx(plain[0], abs=1e-12)
        assert compiled[1] == pytest.approx(plain[1], abs=1e-9)
    assert terrain.signed_distance(points) == pytest.approx(every.min(axis=0), abs=1e-12)
    assert (terrain.nearest(points) == owner).all()
    assert terrain.normal(points) == pytest.approx(normals, abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_edges_under_a_sole_are_those_of_numpy(seed):
    rng = np.random.default_rng(seed)
    outline = Outline.of(convex_hull(0.1 * rng.standard_normal((7, 2))))
    boxes = [
        Box(f"box/{i}", 0.3 * rng.random(3) + 0.01, 0.1 * rng.standard_normal(3), 50.0 * i)
        for i in range(4)
    ]
    T = pin.exp6(0.1 * rng.standard_normal(6)).homogeneous[:3]
    T[2, 3] = boxes[0].at[2] + boxes[0].size[2]
    edges = Terrain(boxes).edges
    places, names = under(edges, T, outline, 0.05)
    with switched_off():
        otherwise, same = under(edges, T, outline, 0.05)
    assert len(names)
    assert (names == same).all()
    assert places == pytest.approx(otherwise, abs=1e-12)
