"""Limbs: which entries of v move a contact, and which it alone."""

import numpy as np
import pytest

import footwork as fw
from footwork.contacts import ContactSet
from footwork.control.limbs import limbs_of
from footwork.dynamics import State


@pytest.mark.parametrize("name", ["go2", "talos", "g1", "solo12"])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_limbs_are_the_columns_of_jacobians(name, count, random_state):
    robot = fw.load(name)
    feet = ContactSet(robot, list(fw.at_feet(robot))[:count])
    q, v, _ = random_state(robot)
    state = State(robot, q, v)
    moves = np.array([np.abs(foot.centre_jacobian(state)).max(axis=0) > 1e-9 for foot in feet])
    moves[:, :6] = False  # the base moves them all
    moving, alone = limbs_of(feet)
    np.testing.assert_array_equal(moving, moves)
    for i, own in enumerate(alone):
        others = np.delete(moves, i, axis=0).any(axis=0)
        np.testing.assert_array_equal(own, moves[i] & ~others)
