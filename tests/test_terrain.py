"""Terrain: distances, normals and heights against sampled surfaces and finite differences."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from scipy.spatial import cKDTree

from footwork import ContactError, contacts, robots
from footwork.contacts import Box, Plane, Stairs, Terrain, Wall
from footwork.contacts.postures.targets import ground_targets

PARTS = {
    "plane": Plane("slope", (0.1, 0.2, 0.3), rises=25, towards=40),
    "box": Box("stone", (0.6, 0.4, 0.3), (0.2, -0.1, 0.1), heading=30, rises=15),
    "stairs": Stairs("stairs", 3, 0.15, 0.3, 1.0, (0.2, 0.0, 0.0), heading=70),
    "wall": Wall("wall", (0.4, 0.1, 0.0), facing=200),
}


def sampled_surface(part, spacing=0.02):
    """Points (k, 3) that lie on the part's faces."""
    points = []
    for solid in part.solids:
        for face in solid.faces:
            half = np.minimum(face.half_size, 1.5)
            x, y = (np.arange(-h, h + spacing / 2, spacing) for h in half)
            grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
            local = np.column_stack([grid, np.zeros(len(grid))])
            points.append(local @ face.placement.rotation.T + face.placement.translation)
    return np.vstack(points)


@pytest.mark.parametrize("name", PARTS)
def test_distance_is_that_to_the_nearest_sample(name):
    terrain, surface = Terrain([PARTS[name]]), sampled_surface(PARTS[name])
    points = np.random.default_rng(0).uniform(-0.8, 0.8, (200, 3))
    d = terrain.signed_distance(points)
    nearest, _ = cKDTree(surface).query(points)
    outside = d > 0
    assert outside.any()
    assert d[outside] == pytest.approx(nearest[outside], abs=0.015)
    assert (d[outside] <= nearest[outside] + 1e-12).all()
    if name != "stairs":  # where boxes overlap, samples lie inside others
        assert -d[~outside] == pytest.approx(nearest[~outside], abs=0.015)
    assert terrain.signed_distance(surface).max() < 1e-12  # the surface is no gap


@pytest.mark.parametrize("name", PARTS)
def test_the_normal_is_the_gradient_and_leads_to_the_surface(name):
    terrain, h = Terrain([PARTS[name]]), 1e-6
    points = np.random.default_rng(1).uniform(-0.8, 0.8, (300, 3))
    ahead, behind = (
        [terrain.signed_distance(points + s) for s in sign * h * np.eye(3)] for sign in (1, -1)
    )
    gradient = (np.array(ahead) - behind).T / (2 * h)
    n, d = terrain.normal(points), terrain.signed_distance(points)
    smooth = np.abs(np.linalg.norm(gradient, axis=1) - 1) < 1e-6  # off the ridges
    assert smooth.mean() > 0.9
    assert n[smooth] == pytest.approx(gradient[smooth], abs=1e-5)
    assert np.linalg.norm(n, axis=1) == pytest.approx(1, abs=1e-12)
    outside = d > 0
    there = (points - d[:, None] * n)[outside]
    assert terrain.signed_distance(there) == pytest.approx(0, abs=1e-12)


def test_distance_and_normal_come_together_too():
    terrain = Terrain(list(PARTS.values()))
    points = np.random.default_rng(2).uniform(-0.8, 0.8, (10, 30, 3))
    d, n = terrain.distance_and_normal(points)
    assert np.array_equal(d, terrain.signed_distance(points))
    assert np.array_equal(n, terrain.normal(points))


def test_slopes_and_headings_point_where_they_say():
    uphill = Plane("slope", rises=30, towards=90)
    n = uphill.faces[0].normal
    assert n == pytest.approx([0, -0.5, np.sqrt(0.75)])
    assert Terrain([uphill]).height([[0, 1], [5, 0]]) == pytest.approx([np.tan(np.pi / 6), 0])
    for normal in ([1, 2, 3], [0, 0, 2], [-1, 0, 0], [0.3, -0.2, -0.5]):
        plane = Plane.through((1, 2, 3), normal)
        assert plane.faces[0].normal == pytest.approx(normal / np.linalg.norm(normal))
        assert Terrain([plane]).signed_distance([1, 2, 3]) == pytest.approx(0, abs=1e-12)
    wall = Wall("wall", (0.5, 0, 0), facing=180)
    front = wall.solids[0].faces[0]
    assert front.normal == pytest.approx([-1, 0, 0], abs=1e-12)
    assert front.height([0.5, 0.3, 0.7]) == pytest.approx(0, abs=1e-12)
    ramp = Box("ramp", (1, 1, 0.1), heading=90, rises=20)
    top = next(f for f in ramp.faces if f.name == "ramp, top")
    assert top.normal == pytest.approx([0, -np.sin(np.radians(20)), np.cos(np.radians(20))])


def test_every_face_looks_out_of_its_box():
    box = PARTS["box"]
    sides = {f.name.split(", ")[1]: f.placement.rotation for f in box.faces}
    for R in sides.values():
        assert np.linalg.det(R) == pytest.approx(1)
    assert sides["front"][:, 2] == pytest.approx(-sides["back"][:, 2])
    for face in box.faces:
        o, n = face.placement.translation, face.normal
        assert box.signed_distance(np.array([o + 0.1 * n])) == pytest.approx(0.1)
        corner = o + face.placement.rotation[:, :2] @ face.half_size
        assert box.signed_distance(corner[None]) == pytest.approx(0, abs=1e-12)
        assert face.overhang(corner[None]) == pytest.approx(0, abs=1e-12)
        beyond = corner + 0.1 * face.placement.rotation[:, 0]
        assert face.overhang(beyond[None]) == pytest.approx(0.1)


def test_the_closest_point_of_a_face_is_the_nearest_sample():
    face = PARTS["box"].faces[4]
    x, y = (np.linspace(-h, h, 81) for h in face.half_size)
    grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    surface = grid @ face.placement.rotation[:, :2].T + face.placement.translation
    for p in np.random.default_rng(3).uniform(-0.8, 0.8, (30, 3)):
        least = np.linalg.norm(surface - p, axis=1).min()
        found = np.linalg.norm(face.closest(p) - p)
        assert least - 0.005 < found <= least + 1e-12
    plane = PARTS["plane"]
    there = plane.faces[0].closest([3, 4, 5])
    assert plane.signed_distance(there[None]) == pytest.approx(0, abs=1e-12)


def test_steps_rise_one_by_one():
    stairs = Stairs("stairs", 4, 0.17, 0.28, 1.0, (1.0, 2.0, 0.1), heading=90)
    terrain = Terrain([Plane(), stairs])
    ahead = 2.0 + 0.28 * (np.arange(-1, 5) + 0.5)
    heights = terrain.height(np.column_stack([np.full(6, 1.2), ahead]))
    assert heights == pytest.approx([0, 0.27, 0.44, 0.61, 0.78, 0])
    assert terrain.names == ("ground", "stairs/1", "stairs/2", "stairs/3", "stairs/4")
    assert terrain.among("stairs").names == terrain.names[1:]
    assert terrain.among("stairs/2").height([1.2, ahead[2]]) == pytest.approx(0.44)
    assert terrain.among("stairs/2").height([1.2, ahead[1]]) == -np.inf


def test_the_ground_is_where_rays_from_above_meet_it():
    rng, boards = np.random.default_rng(0), []
    for i, (x, y, heading, rises) in enumerate(rng.uniform(-1, 1, (40, 4)) * (1, 1, 180, 40)):
        size = tuple(rng.uniform(0.1, 0.5, 3))
        boards.append(Box(f"board {i}", size, (x, y, 0.1), heading, rises))
    terrain = Terrain([Plane(rises=10), *boards])
    places = rng.uniform(-1.2, 1.2, (200, 2))
    for place, height in zip(places, terrain.height(places), strict=True):
        face, hit = terrain.cast([*place, 9.0], [0, 0, -1])
        if face.normal[2] < 0.17:  # too steep to stand on: what is below it is in the solid
            continue
        found, p = terrain.ground(*place)
        assert found.name == face.name
        assert [height, terrain.height(place), *p] == pytest.approx([*hit[[2, 2]], *hit], abs=1e-9)


def test_the_highest_ground_counts_and_nothing_is_nothing():
    terrain = Terrain([Plane(), Box("table", (1, 1, 0.1), (0, 0, 0.7))])
    assert terrain.height([[0, 0], [2, 0]]) == pytest.approx([0.8, 0])
    assert terrain.ground(0, 0)[0].name == "table, top"
    assert terrain.ground(0, 0, near=0.3)[0].name == "ground"
    stone = Terrain([Plane(), Box("stone", (1, 1, 0.5))])
    assert stone.ground(0, 0, near=0.0)[0].name == "stone, top"  # there the ground is inside
    empty = Terrain()
    assert empty.signed_distance(np.zeros((2, 3))).tolist() == [np.inf, np.inf]
    assert empty.height([0.0, 0.0]) == -np.inf
    with pytest.raises(ContactError, match="empty"):
        empty.normal([0, 0, 0])


def test_friction_is_the_surfaces_own_or_the_given_one():
    terrain = Terrain([Plane(), Box("ice", (1, 1, 0.1), (3, 0, 0), friction=0.05)])
    assert terrain.friction([[0, 0, 0.1], [3, 0, 0.2]], otherwise=0.6).tolist() == [0.6, 0.05]


def test_feet_are_brought_to_what_is_below_and_hands_to_the_wall():
    robot = robots.load("biped")
    hand = contacts.PointContact("right_hand", 0.5, normal=(-1, 0, 0))
    both = contacts.ContactSet(robot, [*contacts.at_feet(robot), hand])
    q = robot.posture()
    step = Box("step", (0.4, 0.2, 0.1), (0.02, 0.085, 0.0))
    terrain = Terrain([Plane(), step, Wall("wall", (0.4, 0, 0))])
    targets, places = terrain.targets(both, q), both.placements(q)
    assert targets["left_foot"].translation[2] == pytest.approx(0.1)
    assert targets["right_foot"].translation[2] == pytest.approx(0.0)
    assert targets["left_foot"].rotation == pytest.approx(places["left_foot"].rotation)
    hand_at = places["right_hand"].translation
    assert targets["right_hand"].translation == pytest.approx([0.4, *hand_at[1:]])
    slope = Plane("slope", rises=15, towards=30)
    tilted = Terrain([slope]).targets(contacts.at_feet(robot), q)
    kept = ground_targets(contacts.at_feet(robot), q, slope.faces[0].placement)
    for name, T in tilted.items():
        assert T.homogeneous == pytest.approx(kept[name].homogeneous, abs=1e-9)


def test_frames_lie_in_the_face_along_the_heading():
    face = PARTS["plane"].faces[0]
    T = face.frame([3.0, 4.0, 5.0], [0, 1, 0])
    assert face.height(T.translation) == pytest.approx(0, abs=1e-12)
    assert T.rotation[:, 2] == pytest.approx(face.normal)
    assert T.rotation[:, 0] @ [0, 1, 0] > 0.5
    assert isinstance(T, pin.SE3)
    assert T.rotation.T @ T.rotation == pytest.approx(np.eye(3), abs=1e-12)
    with pytest.raises(ContactError, match="across 'slope'"):
        face.frame([0, 0, 0], face.normal)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Terrain([1]), "expected a Plane"),
        (lambda: Terrain([Plane(), Plane()]), "'ground' twice"),
        (lambda: Terrain([Plane("a/1"), Stairs("a", 1, 1, 1, 1)]), "'a/1' twice"),
        (lambda: Terrain([Plane()]).among("groud"), "did you mean 'ground'"),
        (lambda: Plane("p", friction=-0.1), "friction"),
        (lambda: Plane.through((0, 0, 0), (0, 0, 0)), "zero vector"),
        (lambda: Box("b", (1, 0, 1)), "size"),
        (lambda: Stairs("s", 0, 1, 1, 1), "steps"),
        (lambda: Stairs("s", 2, -1, 1, 1), "rise"),
        (lambda: Wall("w", (0, 0, 0), thickness=0), "thickness"),
    ],
)
def test_bad_input_is_refused(make, says):
    with pytest.raises(ContactError, match=says):
        make()


@pytest.mark.parametrize("name", PARTS)
def test_a_ray_meets_the_surface_where_marching_along_it_does(name):
    terrain, rng, met = Terrain([PARTS[name]]), np.random.default_rng(2), 0
    for _ in range(60):
        origin, goal = rng.uniform(-1.5, 1.5, 3), rng.uniform(-0.3, 0.6, 3)
        if terrain.signed_distance(origin) < 0.01:
            continue
        d = (goal - origin) / np.linalg.norm(goal - origin)
        t = 0.0
        while t < 6 and (step := terrain.signed_distance(origin + t * d)) > 1e-9:
            t += step  # no surface is nearer
        hit = terrain.cast(origin, 3 * d)
        if t >= 6:
            assert hit is None or np.linalg.norm(hit[1] - origin) > 5.9
            continue
        face, point = hit
        met += 1
        assert point == pytest.approx(origin + t * d, abs=1e-6)
        assert face.height(point) == pytest.approx(0, abs=1e-9)
        assert face.normal @ d < 0
    assert met > 5


def test_a_ray_that_leaves_or_begins_inside_meets_no_inner_side():
    terrain = Terrain([PARTS["box"]])
    inside = PARTS["box"].placement.translation
    assert terrain.cast(inside, [0, 0, 1]) is None
    assert terrain.cast([5, 0, 0], [1, 0, 0]) is None
    with pytest.raises(ContactError, match="direction: got the zero vector"):
        terrain.cast([0, 0, 1], [0, 0, 0])
