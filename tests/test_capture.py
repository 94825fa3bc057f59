"""Pushes that are too hard to stand: steps to where the divergent component will be."""

from __future__ import annotations

import numpy as np
import pytest

from footwork import ContactError, contacts, control, dynamics, robots
from footwork.contacts.geometry.polygon import convex_hull, signed_distance


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


@pytest.mark.parametrize("speed", [0.2, 0.9])
@pytest.mark.parametrize("angle", [0.0, 1.0, 2.5, 4.5])
def test_it_steps_when_the_divergent_component_leaves_the_feet(standing, speed, angle):
    """And not before."""
    robot, controller, q = standing
    walker = control.GaitController(robot, controller.contacts, q)
    push = speed * np.array([np.cos(angle), np.sin(angle), 0.0])
    v = moving(robot, q, push)
    xi = (dynamics.com(robot, q) + push / walker.plan.omega)[:2]
    places = controller.contacts.placements(q)
    share = walker.controller.sole_share
    used = [places[c.name].act(share * p)[:2] for c in controller.contacts for p in c.points]
    inside = signed_distance(convex_hull(used), xi) <= 0
    assert walker(q, v, 0.0).solved
    swings = [set(phase.swings) for phase in walker.plan.phases if phase.swings]
    assert bool(swings) != inside
    assert inside == (speed < 0.5)


@pytest.mark.slow
def test_a_push_that_nobody_stands_is_caught_by_steps(standing):
    """And it stands afterwards, on both feet, where it stepped to."""
    robot, controller, q = standing
    force = 0.6 * robot.mass / 0.1 * np.array([1.0, 0.0, 0.0])
    push = control.ForcePulse(control.trunk(robot), tuple(force), 0.1)
    options = {
        "q": q, "contacts": controller.contacts, "step": 2e-3, "disturbances": [push],
    }  # fmt: skip
    assert control.simulate(robot, controller, duration=1.5, **options).fell
    walker = control.GaitController(robot, controller.contacts, q)
    caught = control.simulate(robot, walker, duration=2.2, **options)
    assert not caught.fell
    assert walker.steps >= 1
    way = (caught.com[-1] - caught.com[0])[:2]
    assert way @ force[:2] / np.linalg.norm(force) > 0.1
    assert np.abs(caught.v[-1]).max() < 0.3
    assert set(walker.controller.contacts.names) == set(controller.contacts.names)


@pytest.mark.slow
def test_again_and_again_and_on_four_feet():
    """Pushes from two sides, of 1.1 m/s each."""
    robot = robots.load("go2")
    feet = contacts.at_feet(robot, 0.7)
    _, q = control.stand(robot, feet)
    walker = control.GaitController(robot, feet, q)
    size = 1.1 * robot.mass / 0.1
    pushes = [
        control.ForcePulse(control.trunk(robot), force, start)
        for force, start in (((size, 0.0, 0.0), 0.1), ((0.0, -size, 0.0), 1.3))
    ]
    motion = control.simulate(
        robot, walker, q=q, contacts=feet, duration=3.0, step=2e-3, disturbances=pushes
    )
    assert not motion.fell
    assert walker.steps >= 4
    assert np.abs(motion.v[-1]).max() < 0.5


def test_who_can_step(standing):
    robot, controller, q = standing
    one = contacts.ContactSet(robot, [next(iter(controller.contacts))])
    with pytest.raises(ContactError, match="two or more feet"):
        control.GaitController(robot, one, q)
