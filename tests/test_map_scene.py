"""A friction map on the ground: every place has its tile, its shade and its entry."""

from __future__ import annotations

import numpy as np
import pytest
from recorder import Recorder

from footwork import ContactError, Wrench, contacts, robots, visualize
from footwork.contacts.regions.friction_map import FrictionMap
from footwork.visualize.scenes import region as map_scene
from footwork.visualize.scenes.region import draw_friction_map


def tiles(viewer):
    """(corners, colour) of each."""
    drawn = viewer.drawn.values()
    return [(np.array(corners), look["color"]) for _, (corners,), look in drawn]


def a_map():
    robot = robots.load("quadruped")
    push = Wrench((30.0, 10.0, 0.0), (0.0, 0.0, 6.0))
    x, y = np.linspace(-0.5, 0.4, 9), np.linspace(-0.4, 0.4, 7)
    feet = contacts.at_feet(robot)
    return contacts.friction_map(robot, robot.posture(), feet, x, y, push)


def test_every_place_is_under_one_tile_of_its_shade():
    found, viewer = a_map(), Recorder()
    draw_friction_map(viewer, found, ground=0.5)
    limits = {color: float(text.split()[-1]) for text, color in viewer.lines.items() if color}
    assert 1 < len(limits) <= len(map_scene.SHADES)
    assert list(limits.values()) == sorted(limits.values())
    for j, y in enumerate(found.y):
        for i, x in enumerate(found.x):
            over = [
                color
                for corners, color in tiles(viewer)
                if (corners[0, :2] < (x, y)).all() and (corners[2, :2] > (x, y)).all()
            ]
            if np.isinf(found.friction[j, i]):
                assert over == []
            else:
                (color,) = over
                assert found.friction[j, i] <= limits[color] * 1.01
    for corners, _ in tiles(viewer):
        assert (corners[:, 2] > 0.5).all()
        assert (corners[:, 2] < 0.51).all()


def test_it_fits_a_page():
    found = a_map()
    viewer = visualize.Viewer(robots.load("quadruped"))
    draw_friction_map(viewer, found, legend=False)
    assert any(name.startswith("friction map/") for name in viewer.names)
    assert len(viewer.html()) > 1000


def test_refusals():
    found = a_map()
    row = FrictionMap(
        found.x, found.y[:1], found.friction[:1], found.lower[:1], 1e-3, 2.0, found.com
    )
    with pytest.raises(ContactError, match="expected two each way"):
        draw_friction_map(Recorder(), row)


def test_what_differs_by_less_than_the_tolerance_has_one_shade():
    values = 0.15 + 1e-4 * np.arange(6.0).reshape(2, 3)
    places = np.arange(3.0), np.arange(2.0)
    found = FrictionMap(*places, values, values - 1e-3, 1e-3, 2.0, np.zeros(3))
    viewer = Recorder()
    draw_friction_map(viewer, found)
    assert len({color for _, color in tiles(viewer)}) == 1
    assert found.range == pytest.approx((0.15, 0.16))
