"""Pushes that are too hard to stand: a step to where the divergent component will be."""

from __future__ import annotations

import numpy as np
import pytest

from footwork import ConfigurationError, ContactError, contacts, control, dynamics, robots
from footwork.contacts.geometry.polygon import convex_hull, signed_distance
from footwork.control.capture import INSIDE, UNLOAD, _nearest


@pytest.fixture(scope="module")
def standing():
    robot = robots.load("biped")
    controller, q = control.stand(robot, crouch=0.03)
    return robot, controller, q


def moving(robot, q, velocity):
    """v at which the centre of mass, and all links with it, moves so (3,) [m/s]."""
    R = dynamics.frame_placement(robot, q, control.trunk(robot)).rotation
    v = np.zeros(robot.nv)
    v[:3] = R.T @ velocity
    return v


@pytest.mark.parametrize("seed", range(5))
def test_the_nearest_point_of_a_sole(seed):
    """Against a fine grid of a polygon drawn in."""
    rng = np.random.default_rng(seed)
    corners = convex_hull(rng.uniform(-0.1, 0.1, (8, 2)) + rng.standard_normal(2))
    x = corners.mean(axis=0) + 0.3 * rng.standard_normal(2)
    p = _nearest(corners, x, 0.0)
    assert signed_distance(corners, p) <= 1e-9
    assert np.linalg.norm(x - p) == pytest.approx(max(signed_distance(corners, x), 0.0), abs=1e-9)
    drawn = _nearest(corners, x, 0.01)
    assert signed_distance(corners, drawn) <= -0.009


@pytest.mark.parametrize("speed", [0.2, 0.7])
@pytest.mark.parametrize("angle", [0.0, 1.0, 2.5, 4.5])
def test_it_steps_when_the_divergent_component_leaves_the_feet(standing, speed, angle):
    """The foot is where ξ will be then, or as near as legs and the other foot allow."""
    robot, controller, q = standing
    walker = control.PushRecoveryController(robot, controller.contacts, q, reach=10.0)
    push = speed * np.array([np.cos(angle), np.sin(angle), 0.0])
    v = moving(robot, q, push)
    xi = (dynamics.com(robot, q) + push / walker.plan.omega)[:2]
    soles = [c.world_points(robot, q)[:, :2] for c in controller.contacts]
    inside = signed_distance(convex_hull(np.concatenate(soles)), xi) < -INSIDE
    assert walker(q, v, 0.0).solved
    assert walker.steps == (0 if inside else 1)
    if inside:
        return
    swing = walker.plan.phases[1]
    ((foot, goal),) = swing.swings.items()
    p, time = swing.start[:2], UNLOAD + walker.swing_time
    other = next(c for c in controller.contacts if c.name != foot)
    landing = xi  # integrated, ξ̇ = ω (ξ − p)
    for _ in range(10_000):
        landing = landing + time / 10_000 * walker.plan.omega * (landing - p)
    places = controller.contacts.placements(q)
    way = goal.translation - places[other.name].translation
    side = places[foot].translation[1] - places[other.name].translation[1]
    assert np.sign(way[1]) == np.sign(side)
    assert abs(way[1]) > 0.6 * abs(side)
    if abs(way[1]) > 0.7 * abs(side) + 1e-6:  # the feet are not in each other's way
        assert goal.translation[:2] == pytest.approx(landing, abs=1e-3)


@pytest.mark.slow
def test_a_push_that_nobody_stands_is_caught_by_a_step(standing):
    robot, controller, q = standing
    force = 0.6 * robot.mass / 0.1
    push = control.ForcePulse(control.trunk(robot), (force, 0.0, 0.0), 0.1)
    options = {
        "q": q, "contacts": controller.contacts, "step": 2e-3, "disturbances": [push],
    }  # fmt: skip
    stubborn = control.simulate(robot, controller, duration=1.5, **options)
    assert stubborn.fell
    walker = control.PushRecoveryController(robot, controller.contacts, q)
    caught = control.simulate(robot, walker, duration=2.2, **options)
    assert not caught.fell
    assert walker.steps == 1
    assert caught.com[-1][0] - caught.com[0][0] > 0.15
    assert np.abs(caught.v[-1]).max() < 0.2
    feet = walker.controller.contacts
    assert set(feet.names) == set(controller.contacts.names)


@pytest.mark.slow
@pytest.mark.parametrize("angle", [np.pi, -0.8])
def test_pushes_from_all_sides_are_caught(standing, angle):
    robot, controller, q = standing
    force = 0.7 * robot.mass / 0.1
    push = control.ForcePulse(
        control.trunk(robot), (force * np.cos(angle), force * np.sin(angle), 0.0), 0.1
    )
    walker = control.PushRecoveryController(robot, controller.contacts, q)
    motion = control.simulate(
        robot, walker, q=q, contacts=controller.contacts, step=2e-3, duration=2.5,
        disturbances=[push],
    )  # fmt: skip
    assert not motion.fell
    assert walker.steps >= 1
    assert np.abs(motion.v[-1]).max() < 0.5


def test_who_can_step(standing):
    robot, controller, q = standing
    dog = robots.load("quadruped")
    with pytest.raises(ContactError, match="two feet"):
        control.PushRecoveryController(dog, contacts.at_feet(dog), dog.posture())
    with pytest.raises(ConfigurationError, match="swing_time"):
        control.PushRecoveryController(robot, controller.contacts, q, swing_time=0.0)
