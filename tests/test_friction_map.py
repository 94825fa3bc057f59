"""Friction maps: closed forms for a block, and polygons asked the other way round."""

from __future__ import annotations

import importlib
from dataclasses import replace
from functools import partial

import numpy as np
import pinocchio as pin
import pytest

from footwork import ContactError, Wrench, contacts, robots
from footwork.dynamics.kernels.toolchain import switched_off

WEIGHT = 98.1  # of the block [N]


def block():
    robot = robots.block(10.0, (0.4, 0.3, 0.2))
    return robot, robot.posture(), contacts.at_feet(robot, 0.1)


def test_a_pushed_block():
    """μ = F/(m g) wherever the ZMP c + h F/(m g) is in the sole, no friction at all elsewhere."""
    robot, q, sole = block()
    push, h = 20.0, 0.5
    x, y = np.linspace(-0.35, 0.25, 13), np.linspace(-0.2, 0.2, 9)
    found = contacts.friction_map(
        robot, q, sole, x, y, Wrench((push, 0, 0), np.zeros(3)), height=h, tolerance=1e-4
    )
    zmp = x + h * push / WEIGHT
    inside = (np.abs(zmp) < 0.2)[None, :] & (np.abs(y) < 0.15 - 1e-9)[:, None]
    edge = np.isclose(np.abs(y), 0.15)[:, None] & (np.abs(zmp) < 0.2)[None, :]
    assert found.friction[inside] == pytest.approx(push / WEIGHT, abs=1.1e-4)
    assert (found.lower[inside] <= push / WEIGHT).all()
    assert np.isinf(found.friction[~inside & ~edge]).all()
    assert (found.lower[np.isinf(found.friction)] >= found.most).all()
    assert found.at((0.0, 0.0)) == pytest.approx(push / WEIGHT, abs=1.1e-4)


def test_the_grid_covers_where_a_load_shifts_the_map():
    robot, q, sole = block()
    for load in (Wrench((30, -20, 0), np.zeros(3)), Wrench(np.zeros(3), (8.0, 5.0, 0))):
        found = contacts.friction_map(robot, q, sole, wrench=load, height=0.5)
        inside = np.isfinite(found.friction)
        assert inside.any()
        for border in (inside[0], inside[-1], inside[:, 0], inside[:, -1]):
            assert not border.any()


def test_a_block_on_a_slope():
    """μ = tan θ, wherever the weight's line meets the sole."""
    robot, _, sole = block()
    q, theta = robot.posture(), 0.3
    q[3:7] = pin.Quaternion(pin.exp3(np.array([0.0, theta, 0.0]))).coeffs()
    found = contacts.friction_map(robot, q, sole, tolerance=1e-5)
    feasible = np.isfinite(found.friction)
    assert 0.3 < feasible.mean() < 0.9
    assert found.friction[feasible] == pytest.approx(np.tan(theta), abs=2e-5)


def test_a_twisted_block():
    """In the middle all corners bear the same, at r = 0.25 m: M = μ m g r."""
    robot, q, sole = block()
    twist = Wrench(np.zeros(3), (0, 0, 5.0))
    found = contacts.friction_map(robot, q, sole, [0.0, 0.1], [0.0], twist, tolerance=1e-5)
    assert found.friction[0, 0] == pytest.approx(5.0 / (WEIGHT * 0.25), abs=1e-5)
    assert found.friction[0, 1] > found.friction[0, 0]


def test_level_ground_without_a_load_asks_for_none():
    robot = robots.load("quadruped")
    found = contacts.friction_map(robot, robot.posture(), contacts.at_feet(robot), tolerance=1e-3)
    inside = np.isfinite(found.friction)
    assert inside.any()
    assert (found.friction[inside] <= 1e-3).all()
    assert found.x.shape == found.y.shape == (20,)
    stance = robot, robot.posture(), contacts.at_feet(robot)
    region = contacts.static_equilibrium_polygon(*stance, tolerance=1e-5)
    for j, y in enumerate(found.y):
        for i, x in enumerate(found.x):
            if abs(region.distance((x, y))) > 1e-4:
                assert inside[j, i] == (region.distance((x, y)) < 0)


def on_uneven_ground(name):
    """A robot, its posture, its feet each on a slope of its own, a push."""
    robot = robots.load(name)
    tilted = []
    for i, contact in enumerate(contacts.at_feet(robot, 0.5)):
        turn = pin.exp3(0.4 * np.array([(-1.0) ** i, 0.5, 0.0]))
        if contact.dim == 3:
            tilted.append(replace(contact, normal=turn @ contact.normal))
        else:
            placement = contact.placement * pin.SE3(turn, np.zeros(3))
            tilted.append(replace(contact, placement=placement))
    push = Wrench(0.05 * 9.81 * robot.mass * np.array([1.0, -0.5, 0.2]), np.zeros(3))
    return robot, robot.posture(), tilted, push


def asked_of(monkeypatch):
    """Return a list that gets how many places the solver is asked for."""
    module = importlib.import_module("footwork.contacts.regions.friction_brackets")
    asked, solve = [], module._by_conic_solver
    count = lambda points, loads, *how: asked.append(len(loads)) or solve(points, loads, *how)  # noqa: E731
    monkeypatch.setattr(module, "_by_conic_solver", count)
    return asked


@pytest.mark.parametrize("name", ["biped", "quadruped", "block"])
@pytest.mark.parametrize("tolerance", [1e-2, 1e-4])
def test_kernels_and_the_solver_agree(monkeypatch, name, tolerance):
    """Brackets of both methods contain the same friction, and both are narrow."""
    pytest.importorskip("numba")
    robot, q, ground, push = on_uneven_ground(name)
    places = np.linspace(-0.3, 0.3, 7)
    given = robot, q, ground, places, places, push
    ask = partial(contacts.friction_map, *given, tolerance=tolerance)
    with monkeypatch.context() as patch:
        asked, fast = asked_of(patch), ask()
        assert sum(asked) == 0
    with monkeypatch.context() as patch, switched_off():
        asked, slow = asked_of(patch), ask()
        assert sum(asked) == 49
    held = np.isfinite(slow.friction)
    assert held.any()
    assert np.array_equal(held, np.isfinite(fast.friction))
    for one, other in ((fast, slow), (slow, fast)):
        assert (one.lower[held] <= other.friction[held] + 1e-6).all()
        assert (one.friction[held] - one.lower[held] <= tolerance).all()
        assert (one.lower[~held] >= one.most).all()


def test_contacts_that_squeeze_are_left_to_the_solver(monkeypatch):
    """Two walls that face each other bear any weight: margins have no end."""
    pytest.importorskip("numba")
    robot = robots.block(10.0, (0.4, 0.3, 0.2))
    walls = [
        contacts.PointContact("block", 0.5, normal=(-s, 0.0, 0.0), offset=(s * 0.2, 0, 0))
        for s in (1.0, -1.0)
    ]
    more = contacts.at_feet(robot, 0.1)
    asked = asked_of(monkeypatch)
    found = contacts.friction_map(robot, robot.posture(), [*walls, *more], [0.0], [0.0])
    assert found.friction[0, 0] <= found.tolerance
    assert sum(asked) == 1


@pytest.mark.parametrize("name", ["biped", "quadruped"])
def test_polygons_of_that_friction_contain_the_place(name):
    """And those of a little less do not: another program, asked from the other side."""
    robot, q, tilted, push = on_uneven_ground(name)
    found = contacts.friction_map(robot, q, tilted, wrench=push, tolerance=1e-3)
    places = np.argwhere(np.isfinite(found.friction) & (found.friction > 0.01))
    assert len(np.unique(np.round(found.friction[np.isfinite(found.friction)], 2))) > 5
    rng = np.random.default_rng(0)
    for j, i in rng.permutation(places)[:3]:
        c = (found.x[i], found.y[j])
        for mu in (found.friction[j, i] + 1e-3, found.lower[j, i] - 5e-3):
            feet = contacts.ContactSet(robot, [replace(t, friction=max(mu, 0.0)) for t in tilted])
            region = contacts.robust_equilibrium_polygon(robot, q, feet, [push], tolerance=1e-4)
            assert (region.distance(c) <= 1e-4) == (mu > found.lower[j, i])


def test_hands_that_hold_need_no_friction():
    robot = robots.load("biped")
    size = {"half_length": 0.05, "half_width": 0.05}
    grip = contacts.SurfaceContact("left_hand", **size, friction=0.0, bilateral=True)
    found = contacts.friction_map(robot, robot.posture(), grip, [0.0], [0.0])
    assert found.friction[0, 0] <= found.tolerance


def test_refusals():
    robot, q, sole = block()
    turned, weak = Wrench((0, 0, 1), axes="local"), replace(next(iter(sole)), max_normal=50.0)
    for contact, given, words in (
        (sole, {"x": [[0.0]]}, "x: got shape"),
        (sole, {"tolerance": 0.0}, "tolerance: got"),
        (sole, {"wrench": turned}, "expected a Wrench in world axes"),
        (weak, {}, "friction alone limits"),
    ):
        with pytest.raises(ContactError, match=words):
            contacts.friction_map(robot, q, contact, **given)
