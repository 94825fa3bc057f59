"""Primitive shapes are drawn in their own sizes, each of them."""

from __future__ import annotations

import pytest

from footwork import robots
from footwork.visualize.viewer import meshes


@pytest.mark.parametrize("name", ["biped", "quadruped", "block"])
def test_boxes_have_their_own_sizes(name):
    robot = robots.load(name)
    drawn = {}
    for visual in meshes.visuals(robot, robot.visual):
        (part,) = visual.object["geometries"]
        if part["type"] == "BoxGeometry":
            drawn[visual.name] = sorted([part["width"], part["height"], part["depth"]])
    given = {
        item.name: sorted(2 * item.geometry.halfSide)
        for item in robot.visual.geometryObjects
        if item.meshPath == "BOX"
    }
    assert drawn == {name: pytest.approx(size) for name, size in given.items()}
    assert drawn
