"""Robots on any number of feet."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from many_legs import SIX, around, urdf

import footwork as fw
from footwork import control

pytestmark = pytest.mark.filterwarnings("ignore:.*names no feet")


@cache
def standing(text):
    robot = fw.load(text)
    controller, q = control.stand(robot)
    return robot, controller.contacts, q


# --- standing --------------------------------------------------------------------------------


@pytest.mark.parametrize("hips", [SIX, around(3), around(5), around(6, 0.4)])
def test_legs_that_go_out_from_a_vertical_axis_stand_in_their_planes(hips):
    """No coxa is turned: each has its whole range to walk."""
    robot, feet, q = standing(urdf(hips))
    assert len(feet) == len(hips)
    coxas = [
        q[robot.model.joints[robot.model.getJointId(f"{leg}_coxa_joint")].idx_q] for leg in hips
    ]
    assert max(map(abs, coxas)) < 1e-3
    for foot, (x, y, yaw) in zip(feet.placements(q).values(), hips.values(), strict=True):
        out = foot.translation[:2] - [x, y]
        assert out / np.linalg.norm(out) == pytest.approx([np.cos(yaw), np.sin(yaw)], abs=1e-3)
