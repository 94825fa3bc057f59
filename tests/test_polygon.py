"""Plane geometry against scipy's hull and against sampling."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from footwork.contacts.geometry import polygon


@pytest.mark.parametrize("seed", range(10))
def test_hull_area_and_centroid_agree_with_qhull(seed):
    rng = np.random.default_rng(seed)
    points = rng.standard_normal((rng.integers(3, 40), 2)) @ rng.standard_normal((2, 2))
    hull = ConvexHull(points)
    corners = polygon.convex_hull(points)
    assert {tuple(c) for c in corners} == {tuple(points[i]) for i in hull.vertices}
    assert polygon.area(points) == pytest.approx(hull.volume, rel=1e-12)
    assert (
        polygon.cross(np.roll(corners, -1, 0) - corners, np.roll(corners, -2, 0) - corners) > 0
    ).all()
    # the centroid by a fan of triangles, each of known area and mean
    fan = [(corners[0], corners[i], corners[i + 1]) for i in range(1, len(corners) - 1)]
    areas = np.array([polygon.cross(b - a, c - a) / 2 for a, b, c in fan])
    middles = np.array([np.mean(t, axis=0) for t in fan])
    expected = areas @ middles / areas.sum()
    assert polygon.centroid(points) == pytest.approx(expected, rel=1e-10, abs=1e-12)


def test_points_on_the_sides_and_inside_are_no_corners():
    square = np.array([[0, 0], [2, 0], [2, 2], [0, 2.0]])
    more = np.vstack([square, [[1, 0], [2, 1], [1, 1], [0.5, 0.5], [2, 2]]])
    assert {tuple(c) for c in polygon.convex_hull(more)} == {tuple(c) for c in square}


def test_flat_sets():
    assert len(polygon.convex_hull(np.zeros((0, 2)))) == 0
    assert polygon.convex_hull([[1, 2], [1, 2]]).tolist() == [[1, 2]]
    segment = polygon.convex_hull([[0, 0], [1, 1], [2, 2], [0.5, 0.5]])
    assert sorted(segment.tolist()) == [[0, 0], [2, 2]]
    assert polygon.area(segment) == 0
    assert polygon.signed_distance(segment, [0, 1]) == pytest.approx(np.sqrt(0.5))


def test_signed_distance():
    square = polygon.convex_hull([[0, 0], [2, 0], [2, 2], [0, 2]])
    assert polygon.signed_distance(square, [1, 0.5]) == pytest.approx(-0.5)
    assert polygon.signed_distance(square, [3, 1]) == pytest.approx(1)
    assert polygon.signed_distance(square, [3, 3]) == pytest.approx(np.sqrt(2))  # to the corner


@pytest.mark.parametrize("seed", range(20))
def test_rounding_loses_no_corner(seed):
    """Corners and middles of a rectangle's sides, shaken by rounding, give its four corners."""
    rng = np.random.default_rng(seed)
    corners = np.array([[0.2, 0.15], [-0.2, 0.15], [-0.2, -0.15], [0.2, -0.15]])
    middles = (corners + np.roll(corners, 1, axis=0)) / 2
    shaken = np.vstack([corners, middles, corners]) + 1e-12 * rng.standard_normal((12, 2))
    hull = polygon.convex_hull(shaken, tolerance=1e-7)
    assert len(hull) == 4
    assert all(np.linalg.norm(hull - c, axis=1).min() < 1e-9 for c in corners)
    assert polygon.area(hull) == pytest.approx(0.12, abs=1e-9)
