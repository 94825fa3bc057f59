"""Reach of footholds: from beneath a robot that goes on, or beside its other feet."""

from __future__ import annotations

import numpy as np
import pytest
import stances

from footwork.control.gaits.reach import AROUND, Reach
from footwork.dynamics import State


def standing(name):
    robot, feet, q = stances.standing(name, 0.6)
    return robot, feet, q, Reach(feet, q, 0.2, beneath=len(feet) > 2)


def swings_of(feet, q, names):
    return {name: T for name, T in feet.placements(q).items() if name in names}


@pytest.mark.parametrize("name", ["go2", "anymal"])
def test_reach_from_beneath_goes_where_the_robot_will_be(name):
    """Bounds now that go ahead are those of a robot that is there, with the same footholds."""
    robot, feet, q, reach = standing(name)
    swings, v = swings_of(feet, q, feet.names[::3]), np.zeros(robot.nv)
    v[:2] = 0.7, -0.4
    now, there = State(robot, q, v), State(robot, robot.integrate(q, 0.3 * v), v)
    ahead, then = reach.ahead(reach.bounds(swings, now), now, 0.3), reach.bounds(swings, there)
    n = len(AROUND)  # what follows keeps legs from crossing, and does not move
    np.testing.assert_allclose(ahead.most[:n], then.most[:n], atol=1e-9)
    np.testing.assert_allclose(ahead.beneath, then.beneath, atol=1e-9)
    by = now.com_velocity[:2] * 0.3
    assert ahead.most[:n] == pytest.approx(0.2 + ahead.normals[:n] @ by, abs=1e-9)


def test_reach_beside_the_other_foot_stays():
    robot, feet, q, reach = standing("biped")
    v = np.full(robot.nv, 0.5)
    bounds = reach.bounds(swings_of(feet, q, feet.names[:1]), State(robot, q, v))
    assert reach.ahead(bounds, State(robot, q, v), 0.3) is bounds
    np.testing.assert_allclose(bounds.most[: len(AROUND)], 0.2, atol=1e-9)
