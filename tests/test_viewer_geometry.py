"""The geometry of the viewer's drawings, without a browser."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footwork.visualize.viewer import Viewer, geometry
from footwork.visualize.viewer.framing import Camera, default_camera
from footwork.visualize.viewer.triangles import smooth

unit = st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda v: np.linalg.norm(v) > 1e-3).map(np.array)


def volume(mesh):
    """Of a closed mesh whose triangles turn counter-clockwise seen from outside."""
    vertices, triangles = mesh
    a, b, c = vertices[triangles].transpose(1, 0, 2)
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)


def is_rotation_to(direction, axis, tolerance):
    R = geometry.rotation_to(direction, axis)
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=tolerance)
    assert np.linalg.det(R) == pytest.approx(1)
    np.testing.assert_allclose(R[:, axis], direction / np.linalg.norm(direction), atol=tolerance)


@given(unit, st.sampled_from([0, 1, 2]))
def test_rotation_takes_the_axis_to_the_direction(direction, axis):
    is_rotation_to(direction, axis, 1e-9)


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("tilt", [0.0, 1e-12, 1e-9, 1e-7, 1e-4])
def test_rotation_to_nearly_the_opposite_direction(axis, tilt):
    is_rotation_to(-np.eye(3)[axis] + tilt * np.eye(3)[(axis + 1) % 3], axis, 1e-12)


@given(unit, unit, st.floats(1e-3, 0.1))
def test_arrow_starts_at_its_point_and_ends_at_its_tip(point, vector, radius):
    shaft, head = geometry.arrow_parts(point, vector, radius)
    bottom, top = np.array([0, -0.5, 0, 1]), np.array([0, 0.5, 0, 1])
    np.testing.assert_allclose((shaft @ bottom)[:3], point, atol=1e-9)
    np.testing.assert_allclose((head @ top)[:3], point + vector, atol=1e-9)
    np.testing.assert_allclose(shaft @ top, head @ bottom, atol=1e-9)
    side = np.array([1.0, 0, 0, 0])
    assert np.linalg.norm(head @ side) > np.linalg.norm(shaft @ side)  # wider than its shaft


def test_short_arrows_keep_their_shape_and_tiny_ones_vanish():
    shaft, head = geometry.arrow_parts(np.zeros(3), np.array([0, 0, 0.01]), 0.01)
    assert np.linalg.norm(head[:3, 0]) <= 0.005  # no head wider than the arrow is long
    assert np.linalg.norm(shaft[:3, 0]) <= np.linalg.norm(head[:3, 0]) / 2
    assert geometry.arrow_parts(np.zeros(3), np.zeros(3), 0.01) is None


def test_cone_has_its_angle_and_height():
    vertices, triangles = geometry.cone(np.arctan(0.7), 0.5)
    np.testing.assert_array_equal(vertices[0], 0)
    np.testing.assert_allclose(vertices[1:, 2], 0.5)
    np.testing.assert_allclose(np.linalg.norm(vertices[1:, :2], axis=1), 0.35)
    assert triangles.min() == 0
    assert triangles.max() == len(vertices) - 1


def test_a_cone_of_no_friction_is_a_line():
    vertices, _ = geometry.cone(0.0, 0.5)
    np.testing.assert_allclose(vertices[1:], [[0, 0, 0.5]] * (len(vertices) - 1))


def test_fan_covers_the_polygon():
    square = np.array([[0, 0, 1.0], [2, 0, 1], [2, 3, 1], [0, 3, 1]])
    vertices, triangles = geometry.fan(square)
    a, b, c = vertices[triangles].transpose(1, 0, 2)
    areas = np.cross(b - a, c - a)[:, 2] / 2
    assert (areas > 0).all()
    assert areas.sum() == pytest.approx(6)


def test_tube_is_a_pipe_around_its_line_turned_outward():
    radius, length = 0.1, 2.0
    line = np.array([[0, 0, -length / 2], [0, 0, length / 2]])
    vertices, triangles = geometry.tube(line, radius, sides=64)
    beyond = np.maximum(np.abs(vertices[:, 2]) - length / 2, 0)
    distance = np.hypot(np.linalg.norm(vertices[:, :2], axis=1), beyond)
    assert distance.max() == pytest.approx(radius)
    balls = 2 * 4 / 3 * np.pi * radius**3
    side = 2 / 3 * np.pi * radius**2 * length  # the share of an open cylinder in Σ a·(b × c)/6
    assert volume((vertices, triangles)) - balls == pytest.approx(side, rel=0.01)


def test_a_ball_is_round_and_turned_outward():
    vertices, triangles = geometry.tube(np.array([[1.0, 2, 3]]), 0.5, sides=64)
    np.testing.assert_allclose(np.linalg.norm(vertices - [1, 2, 3], axis=1), 0.5)
    assert volume((vertices, triangles)) == pytest.approx(4 / 3 * np.pi / 8, rel=0.01)


@pytest.mark.parametrize("size", [0.0, 1e-300, 1e-160, 1e-8])
@pytest.mark.parametrize("closed", [False, True])
def test_a_tube_of_no_length_has_finite_points(size, closed):
    ring = size * np.array([[1.0, 0, 0], [0, 1.0, 0], [-1.0, 0, 0], [0, -1.0, 0]])
    vertices, _ = geometry.tube(ring, 0.01, closed=closed)
    assert np.isfinite(vertices).all()


def test_tube_skips_repeated_points_and_closes():
    corners = np.array([[0, 0, 0], [0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 0, 0.0]])
    np.testing.assert_array_equal(geometry.without_repeats(corners, closed=True), corners[1:4])
    open_line = geometry.tube(corners[1:4], 0.01)
    ring = geometry.tube(corners, 0.01, closed=True)
    assert len(ring[0]) - len(open_line[0]) == 20  # one pipe more, no ball more
    assert np.isfinite(ring[0]).all()


@given(unit, unit)
def test_camera_projects_its_target_to_the_middle(eye, target):
    if np.linalg.norm(eye - target) < 1e-3:
        return
    pixel = Camera(eye, target, 40.0).project(target, 800, 600)
    np.testing.assert_allclose(pixel, [[400, 300]], atol=1e-6)


def test_camera_projection_has_the_right_hand_and_scale():
    camera = Camera(np.array([2.0, 0, 0]), np.zeros(3), 90.0)
    pixels = camera.project(np.array([[0, 0, 2.0], [0, 2.0, 0], [3.0, 0, 0]]), 800, 600)
    np.testing.assert_allclose(pixels[0], [400, 0], atol=1e-9)  # up is up, 45° is the edge
    np.testing.assert_allclose(
        pixels[1], [700, 300], atol=1e-9
    )  # +y is right of one who looks at −x
    assert np.isnan(pixels[2]).all()  # behind


@pytest.mark.parametrize("aspect", [0.5, 1.0, 1.6, 3.0])
@pytest.mark.parametrize("seed", range(5))
def test_default_camera_holds_everything(aspect, seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(30, 3)) * rng.uniform(0.01, 3, 3) + rng.normal(size=3) * 5
    pixels = default_camera(points, aspect).project(points, int(1000 * aspect), 1000)
    low, high = pixels.min(axis=0), pixels.max(axis=0)
    size = np.array([1000 * aspect, 1000])
    assert (low >= -1).all()
    assert (high <= size + 1).all()
    assert ((high - low) / size).max() > 0.7  # and does not lose it in the distance


def test_default_camera_says_how_narrow_a_window_may_be():
    points = np.random.default_rng(0).normal(size=(30, 3)) * [0.1, 0.1, 1.0]
    camera = default_camera(points, 1.6)
    assert camera.aspect < 0.8
    x, _ = camera.project(points, int(1000 * camera.aspect), 1000).T
    assert 0 <= x.min() < 150 * camera.aspect
    assert 850 * camera.aspect < x.max() <= 1000 * camera.aspect


def test_default_camera_of_nothing_and_of_one_point():
    for points in (Viewer()._points(), np.ones((1, 3))):
        camera = default_camera(points, 1.6)
        assert np.isfinite([camera.eye, camera.target]).all()
        assert np.linalg.norm(camera.eye - camera.target) > 0


def test_smoothing_keeps_the_edges_of_a_cube():
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])
    vertices, index, normals = smooth(corners, triangles)
    assert len(vertices) == 24  # each corner three times
    np.testing.assert_allclose(vertices[index], corners[triangles])
    a, b, c = vertices[index].transpose(1, 0, 2)
    flat = np.cross(b - a, c - a)
    np.testing.assert_allclose(normals[index], np.repeat(flat[:, None], 3, axis=1), atol=1e-12)


def test_smoothing_rounds_a_ball():
    ball = geometry.tube(np.zeros((1, 3)), 1.0, sides=40)
    vertices, index, normals = smooth(*ball)
    np.testing.assert_allclose(vertices[index], ball[0][ball[1]])
    assert len(vertices) == len(ball[0])
    assert np.einsum("ij,ij->i", normals, vertices).min() > 0.99


def test_a_moment_turns_as_the_right_hand_says():
    """Its arc lies on a circle of radius |vector| about the vector, its head ahead of its end."""
    vector = np.array([0.3, -0.2, 0.6])
    viewer = Viewer()
    viewer.moment("turn", [1.0, 2.0, 3.0], vector)
    matrix = viewer._shapes["turn"].pieces["arc"].matrix
    vertices, _ = geometry.turn(thickness=0.01)
    points = vertices @ matrix[:3, :3].T + matrix[:3, 3] - [1.0, 2.0, 3.0]
    size = np.linalg.norm(vector)
    np.testing.assert_allclose(points @ vector / size, 0, atol=0.05 * size)
    np.testing.assert_allclose(np.linalg.norm(points, axis=1), size, atol=0.06 * size)
    start, tip = np.eye(3)[0], vertices[len(vertices) - 49]  # the apex, before the 48 of the rim
    assert np.linalg.norm(tip) == pytest.approx(1, abs=0.01)
    swept = np.arctan2(np.cross(start, tip)[2], start @ tip) % (2 * np.pi)
    assert 1.5 * np.pi < swept < 1.6 * np.pi
    viewer.moment("turn", np.zeros(3), np.zeros(3))
    assert viewer._shapes["turn"].pieces == {}
