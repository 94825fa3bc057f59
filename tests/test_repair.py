"""Repairs of motions: the nearest motion that holds."""

from __future__ import annotations

import numpy as np
import pytest
from motions_made import carrying, load_g1, retargeted, touching, weak

from footwork import contacts


def share(motion, torque_limits=True) -> float:
    """Of the samples that hold on flat feet."""
    feet = contacts.at_feet(motion.robot)
    verdicts = contacts.batch.contact_forces(
        motion.robot, motion.q, motion.v, motion.a, feet,
        active=touching(carrying(motion.robot).t), torque_limits=torque_limits, margin=False,
    )  # fmt: skip
    return float(np.mean(verdicts.feasible == 1))


@pytest.fixture(scope="module")
def g1():
    return load_g1()


def test_the_made_motion_holds_and_its_faulty_twin_does_not(g1) -> None:
    motion = carrying(g1)
    assert share(motion) == 1.0
    assert share(motion, weak(g1)) < 0.9
    assert 0.3 < share(retargeted(g1)) < 0.45
