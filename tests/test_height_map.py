"""Height maps: distances against samples, MuJoCo's rays and planes; footholds, files, pictures."""

from __future__ import annotations

import os
from itertools import pairwise

import numpy as np
import pinocchio as pin
import pytest
from scipy.spatial import cKDTree

from footwork import ContactError, FootworkError, Scenario, contacts, control, robots
from footwork.contacts import Box, HeightMap, Plane, Terrain
from footwork.contacts.kernels.height_map import DISTANCES
from footwork.contacts.terrain.draping import drape
from footwork.control.gaits.footholds import foothold
from footwork.control.simulation.mjcf import as_mjcf
from footwork.visualize.scenes.terrain import view_terrain

POINT = contacts.PointContact("foot", 0.7)
SOLE = contacts.SurfaceContact("foot", friction=0.7, half_length=0.1, half_width=0.05)
FEET = "contacts:\n  - foot: left_foot\n  - foot: right_foot\n"


def of_map(heights, cell, contacts=FEET):
    """A scenario file."""
    return (
        "version: 1\nrobot: biped\nterrain:\n  - map: rocks\n"
        f"    heights: {heights}\n    cell: {cell}\n{contacts}"
    )


def rough(seed=0, size=(9, 7), cell=0.1, height=0.3, **more):
    heights = np.random.default_rng(seed).uniform(0.0, height, size)
    return HeightMap("field", heights, cell, **{"at": (0.3, -0.2, 0.5), "heading": 30.0} | more)


def inclined(rises, towards=0.0, name="field"):
    """A map sampled from a plane through the origin."""
    x = np.arange(-1.0, 1.01, 0.1)
    slope = np.tan(np.radians(rises))
    along = np.cos(np.radians(towards)) * x[:, None] + np.sin(np.radians(towards)) * x
    return HeightMap(name, slope * along, 0.1)


def stones(width, gap, depth=0.3, cell=0.02, size=(4.0, 2.0), start=1.0):
    """Level ground, and square stones beside each other from `start` on."""
    x, y = (np.arange(0.0, side + cell / 2, cell) for side in size)
    apart = width + gap
    on = (x[:, None] % apart < width) & (y % apart < width) | (x < start)[:, None]
    return HeightMap("stones", np.where(on, 0.0, -depth), cell, (size[0] / 2 - start + 0.3, 0, 0))


def sampled(ground, spacing=0.004, lowest=-0.6):
    """Points of its triangles and of its upright sides."""
    a, b, c = (ground.vertices[ground.triangles[:, k]] for k in range(3))
    u, w = (g.ravel()[:, None, None] for g in np.meshgrid(*[np.linspace(0, 1, 40)] * 2))
    inside = (u + w <= 1).ravel()
    top = (a + u[inside] * (b - a) + w[inside] * (c - a)).reshape(-1, 3)
    table = ground.vertices.reshape(*ground.grid.shape, 3)
    walls = []
    for edge in (table[0], table[-1], table[:, 0], table[:, -1]):
        for p, q in pairwise(edge):
            rim = p + np.linspace(0, 1, 25)[:, None] * (q - p)
            down = np.arange(0, 1.2, spacing)[:, None, None] * [0, 0, 1]
            walls.append((rim - down).reshape(-1, 3))
    return np.vstack([top, *walls])


@pytest.mark.parametrize("seed", range(3))
def test_distance_is_that_to_the_nearest_sample(seed):
    ground = rough(seed)
    points = np.array(ground.at) + np.random.default_rng(seed).uniform(-0.6, 0.6, (300, 3))
    d = ground.signed_distance(points)
    nearest, _ = cKDTree(sampled(ground)).query(points)
    assert (np.abs(d) <= nearest + 1e-9).all()  # no sample is nearer
    assert np.abs(d) == pytest.approx(nearest, abs=2e-3)
    below = Terrain([ground]).height(points) > points[:, 2]
    assert ((d < 0) == below).all()
    assert below.sum() > 20


def test_the_normal_is_the_gradient_and_leads_to_the_surface():
    ground = rough(4)
    points = np.array(ground.at) + np.random.default_rng(4).uniform(-0.6, 0.6, (300, 3))
    d, n = ground.signed_distance(points), ground.normal(points)
    ahead, behind = (
        [ground.signed_distance(points + w) for w in sign * np.eye(3)] for sign in (1e-6, -1e-6)
    )
    gradient = (np.array(ahead) - behind).T / 2e-6
    smooth = np.linalg.norm(gradient, axis=1) > 1 - 1e-6  # none where two points are as near
    assert smooth.sum() > 280
    assert n[smooth] == pytest.approx(gradient[smooth], abs=1e-6)
    assert ground.signed_distance(points - d[:, None] * n) == pytest.approx(0.0, abs=1e-12)
    on = points - d[:, None] * n
    assert np.linalg.norm(ground.normal(on), axis=1) == pytest.approx(1.0)


def test_compiled_and_plain_distances_agree():
    pytest.importorskip("numba")
    ground = rough(5)
    points = ground._local(np.random.default_rng(5).uniform(-0.5, 1.0, (50, 3)))
    found = [(np.empty(50), np.empty((50, 3))) for _ in range(2)]
    for run, out in zip((DISTANCES.compiled(), DISTANCES.function), found, strict=True):
        run(points, ground.grid, *ground._cells, ground.cell, *out)
    for one, other in zip(*found, strict=True):
        assert one == pytest.approx(other, abs=1e-14)


def test_heights_are_the_tables_and_linear_on_triangles():
    ground = rough(1)
    terrain, v = Terrain([ground]), ground.vertices
    inside = np.ones(ground.grid.shape, dtype=bool)
    inside[[0, -1]] = inside[:, [0, -1]] = False
    flat = ground.grid.ravel()[inside.ravel()]
    assert terrain.height(v[inside.ravel()]) == pytest.approx(flat + 0.5, abs=1e-12)
    middles = v[ground.triangles].mean(axis=1)
    assert terrain.height(middles) == pytest.approx(middles[:, 2], abs=1e-12)
    for p in middles[::9]:
        face, point = terrain.ground(*p[:2])
        assert point == pytest.approx(p, abs=1e-12)
        a, b, c = v[ground.triangles[np.abs(middles - p).sum(axis=1).argmin()]]
        n = np.cross(b - a, c - a)
        assert face.normal == pytest.approx(n / np.linalg.norm(n))
    assert terrain.height([[5.0, 0.0]]) == -np.inf
    assert terrain.ground(5.0, 0.0) is None


@pytest.mark.parametrize("points", [[[0.1, 0.05], [0.1, -0.05], [-0.1, 0.05], [-0.1, -0.05]],
                                    [[0.1, 0.05], [0.02, 0.01], [-0.06, -0.03]]])  # fmt: skip
def test_a_foot_stands_on_the_plane_of_least_squares(points):
    """Raised to touch, and where its points are in a line the least inclined one."""
    ground, under = rough(2), np.array(points)
    terrain, samples = Terrain([ground]), np.vstack([np.zeros(2), 0.5 * under, under])
    A = np.column_stack([np.ones(len(samples)), samples])
    for place in ground.at[:2] + np.random.default_rng(0).uniform(-0.1, 0.1, (20, 2)):
        face, p = terrain.ground(*place, None, under)
        heights = terrain.height(place + samples)
        slope = np.linalg.lstsq(A, heights, rcond=None)[0][1:]
        assert -face.normal[:2] / face.normal[2] == pytest.approx(slope, abs=1e-12)
        assert p[2] == pytest.approx((heights - samples @ slope).max(), abs=1e-12)


def test_points_in_a_solid_are_those_of_no_positive_distance():
    ground = rough(3)
    terrain = Terrain([ground, Box("lid", (0.4, 0.3, 0.2), ground.at), Plane("floor")])
    points = np.random.default_rng(0).uniform([-0.6, -1.0, -0.2], [1.2, 0.6, 1.1], (4, 500, 3))
    inside = terrain.signed_distance(points) <= 0
    assert 200 < inside.sum() < 1800
    assert (terrain.contains(points) == inside).all()
    assert not Terrain().contains(points).any()


def test_a_solid_above_hides_the_map():
    ground = rough(1)
    x, y = ground.at[:2]
    terrain = Terrain([ground, Box("lid", (0.3, 0.3, 0.9), (x, y, 0.4))])
    assert terrain.height([[x, y]]) == pytest.approx(1.3)
    assert terrain.ground(x, y)[0].name == "lid, top"
    cliff = Terrain([Plane("cliff", (0, 0, 0), rises=85), Plane("floor")])
    assert list(cliff.height([[-0.5, 0.0], [0.5, 0.0]])) == [0.0, -np.inf]  # inside of it


def test_mujoco_has_the_same_ground():
    mujoco = pytest.importorskip("mujoco")
    ground, robot = rough(2), robots.load("quadruped")
    text = as_mjcf(robot, contacts.at_feet(robot), Terrain([ground]))
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.qpos[2] = 9.0
    mujoco.mj_forward(model, data)
    half = 0.99 * ground.half_size
    local = np.random.default_rng(0).uniform(-half, half, (200, 2))
    R = ground.placement.rotation
    places = np.column_stack([local, np.full(200, 2.0)]) @ R.T + ground.placement.translation
    met = np.zeros(1, dtype=np.int32)
    heights = [
        p[2] - mujoco.mj_ray(model, data, p, np.array([0, 0, -1.0]), None, 1, -1, met)
        for p in places
    ]
    assert Terrain([ground]).height(places) == pytest.approx(np.array(heights), abs=1e-6)


def test_rays_end_where_sphere_tracing_does():
    ground, rng = rough(3), np.random.default_rng(3)
    terrain = Terrain([ground])
    hits = 0
    for _ in range(60):
        origin = ground.at + rng.uniform((-1.2, -1.2, -0.2), (1.2, 1.2, 1.0))
        if ground.signed_distance(origin[None])[0] < 0.02:
            continue
        aim = ground.at + rng.uniform((-0.4, -0.4, -0.3), (0.4, 0.4, 0.4))
        d = (aim - origin) / np.linalg.norm(aim - origin)
        t = 0.0
        while t < 4 and (gap := float(ground.signed_distance((origin + t * d)[None])[0])) > 1e-7:
            t += gap
        hit = terrain.cast(origin, d)
        assert (hit is None) == (t >= 4)
        if hit is not None:
            hits += 1
            assert np.linalg.norm(hit[1] - origin) == pytest.approx(t, abs=1e-4)
            n = ground.normal((hit[1] + 1e-5 * hit[0].normal)[None])[0]
            assert hit[0].normal == pytest.approx(n, abs=1e-6)
    assert hits > 30


def test_the_nearest_face_is_behind_the_point():
    ground, rng = rough(6), np.random.default_rng(6)
    terrain = Terrain([ground])
    names = set()
    for _ in range(60):
        p = ground.at + rng.uniform(-0.7, 0.7, 3)
        face, d = terrain.face(p), float(terrain.signed_distance(p))
        T = face.placement
        assert T.rotation @ T.rotation.T == pytest.approx(np.eye(3), abs=1e-12)
        assert face.height(p) == pytest.approx(d, abs=1e-9)
        assert terrain.signed_distance(p - d * face.normal) == pytest.approx(0.0, abs=1e-9)
        names.add(face.name)
    assert {"field, top", "field, front", "field, left"} <= names


@pytest.mark.parametrize(("rises", "towards"), [(0, 0), (20, 0), (15, 120)])
def test_a_sampled_plane_is_that_plane(rises, towards):
    solids = inclined(rises, towards), Plane(rises=rises, towards=towards)
    ground, plane = (Terrain([solid]) for solid in solids)
    points = np.random.default_rng(0).uniform(-0.4, 0.4, (100, 3))
    assert ground.signed_distance(points) == pytest.approx(plane.signed_distance(points), abs=1e-9)
    assert ground.normal(points) == pytest.approx(plane.normal(points), abs=1e-9)
    T = pin.SE3(pin.utils.rotate("z", 0.4), np.array([0.1, 0.05, 0.0]))
    there, wanted = (foothold(SOLE, T, np.array([0.1, 0, 0]), g) for g in (ground, plane))
    assert there.homogeneous == pytest.approx(wanted.homogeneous, abs=1e-9)


@pytest.mark.parametrize("name", ["quadruped", "biped"])
def test_penetrations_of_a_level_map_are_those_of_a_plane(name):
    robot = robots.load(name)
    level, plane = Terrain([inclined(0)]), Terrain([Plane()])
    rng = np.random.default_rng(0)
    depths = 0
    for _ in range(10):
        q = robot.random_configuration(rng)
        q[:3] = 0.0, 0.0, rng.uniform(0.0, 0.3)
        found, wanted = (
            {p.link: p.depth for p in contacts.penetrations(robot, q, ground)}
            for ground in (level, plane)
        )
        assert found.keys() <= wanted.keys()
        for link, depth in wanted.items():  # rings of points stand for round edges
            assert found.get(link, 0.0) == pytest.approx(depth, abs=6e-3)
        depths += len(wanted)
    assert depths > 20


def test_a_peak_within_a_link_is_found():
    robot = robots.load("quadruped")
    q = robot.posture()
    heights = np.full((41, 41), -1.0)
    heights[20, 20] = 0.02
    peak = HeightMap("peak", heights, 0.05, (q[0], q[1], q[2]))
    (found,) = contacts.penetrations(robot, q, Terrain([peak]))
    assert found.solid == "peak"
    assert found.depth > 0.02


def test_a_foothold_avoids_gaps_in_all_directions():
    terrain = Terrain([stones(0.3, 0.06)])
    rng = np.random.default_rng(0)
    moved = 0
    for _ in range(40):
        T = pin.SE3(np.eye(3), np.array([*rng.uniform((0.6, -0.5), (2.0, 0.5)), 0.0]))
        there = foothold(POINT, T, np.array([0.02, 0.0, 0.0]), terrain, 0.15)
        p = there.translation
        assert p[2] == pytest.approx(0.0, abs=1e-9)  # on a stone, not in a gap
        around = p + 0.01 * np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0]])
        assert terrain.height(around) == pytest.approx(0.0, abs=1e-9)
        off = np.linalg.norm(p[:2] - T.translation[:2] - [0.02, 0.0])
        assert off <= 0.09 + 1e-9
        moved += off > 1e-9
    assert 5 < moved < 35


def test_what_is_too_high_or_steep_or_rough_is_no_foothold():
    low, field = Box("low", (1, 1, 0.1), (0, 0, -0.4)), rough(0, (40, 40), 0.05, 0.2, at=(0, 0, 0))
    for foot, solid, step, said in (
        (POINT, low, 0.1, r"would step -0.3 m to 'low, top', and 0.1 m is"),
        (POINT, Plane(rises=50), 0.1, "on a slope of 50°"),
        (SOLE, field, None, "beyond where it can"),
    ):
        with pytest.raises(ContactError, match=said):
            foothold(foot, pin.SE3.Identity(), np.zeros(3), Terrain([solid]), step)


def test_a_sole_lies_on_the_highest_ground_under_it():
    ground = Terrain([rough(0, (40, 40), 0.05, 0.012, at=(0, 0, 0))])
    for x in np.linspace(-0.5, 0.5, 7):
        T = foothold(SOLE, pin.SE3.Identity(), np.array([x, 0, 0]), ground)
        d = ground.signed_distance(SOLE.points @ T.rotation.T + T.translation)
        assert d.min() > -1e-3
        assert d.max() < 0.012


@pytest.mark.parametrize(
    ("heights", "said"),
    [
        ([[0.0, np.nan], [0.0, 0.0]], "heights: got nan"),
        ([0.0, 1.0], r"heights: got shape \(2,\)"),
        ([[0.0, 1.0]], r"expected at least \(2, 2\)"),
        ("a field", "heights: got"),
    ],
)
def test_what_is_no_table_is_refused(heights, said):
    with pytest.raises(ContactError, match=said):
        HeightMap("field", heights, 0.1)
    with pytest.raises(ContactError, match="cell"):
        HeightMap("field", np.zeros((2, 2)), 0.0)


def test_maps_compare_by_their_values():
    assert rough(0) == rough(0)
    assert hash(Terrain([rough(0)])) == hash(Terrain([rough(0)]))
    assert rough(0) != rough(1)
    assert repr(rough(0)) == "HeightMap('field', 9 × 7 heights, 0.1 m apart)"


@pytest.mark.parametrize("suffix", [".npy", ".csv", ".txt"])
def test_files_and_scenarios_have_maps(tmp_path, suffix):
    heights = np.round(np.random.default_rng(0).uniform(0, 0.005, (21, 21)), 6)
    path = tmp_path / f"field{suffix}"
    if suffix == ".npy":
        np.save(path, heights)
    else:
        np.savetxt(path, heights, delimiter="," if suffix == ".csv" else " ")
    loaded = HeightMap.load(path, 0.05, friction=0.6)
    assert loaded == HeightMap("field", heights, 0.05, friction=0.6)
    (tmp_path / "rocks.yaml").write_text(of_map(path.name, 0.05))
    scenario = Scenario.load(tmp_path / "rocks.yaml")
    assert scenario.ground == Terrain([HeightMap("rocks", heights, 0.05)])
    assert scenario.check().feasible
    assert Scenario.from_text(scenario.as_text()).ground == scenario.ground


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("none.npy", "No such file"),
        ("field.png", "expected .npy, .csv or .txt"),
        ("words.csv", "no table"),
        ("pipe.npy", "a pipe or device"),
    ],
)
def test_files_that_are_no_maps_are_refused(tmp_path, name, said):
    (tmp_path / "words.csv").write_text("a,b\nc,d\n")
    os.mkfifo(tmp_path / "pipe.npy")
    with pytest.raises(ContactError, match=said):
        HeightMap.load(tmp_path / name, 0.1)
    (tmp_path / "s.yaml").write_text(of_map(name, 0.1))
    with pytest.raises(FootworkError, match=rf"s.yaml:5: terrain\[0\].heights: .*{said}"):
        Scenario.load(tmp_path / "s.yaml")


def test_a_scenario_on_a_sampled_slope_is_that_on_the_slope():
    feet = FEET.replace("left_foot", "left_foot\n    at: [0, 0.1]")
    text = of_map(inclined(10).grid.tolist(), 0.1, feet)
    plane = "version: 1\nrobot: biped\nterrain:\n  - plane: slope\n    rises: 10\n" + feet
    one, other = (Scenario.from_text(given).check() for given in (plane, text))
    assert other.margin == pytest.approx(one.margin, rel=1e-6)


def test_a_scenario_refuses_a_foot_on_ground_that_is_too_rough():
    table = np.random.default_rng(0).uniform(0, 0.1, (30, 30)).round(3).tolist()
    with pytest.raises(FootworkError, match=r"the ground of 'rocks, top' is up to 0\.\d+ m from"):
        Scenario.from_text(of_map(table, 0.05)).check()


def test_a_map_is_drawn_and_regions_lie_on_it():
    ground = rough(1)
    viewer = view_terrain(Terrain([ground]))
    assert "terrain/field" in viewer.names
    square = 0.15 * np.array([[1, 1], [-1, 1], [-1, -1], [1, -1.0]]) + ground.at[:2]
    pieces = drape(Terrain([ground]), square)
    flat = 0.0
    for piece in pieces:
        assert Terrain([ground]).height(piece.mean(axis=0)) == pytest.approx(piece[:, 2].mean())
        x, y = piece[:, 0], piece[:, 1]
        flat += 0.5 * abs(x @ np.roll(y, -1) - y @ np.roll(x, -1))
    assert flat == pytest.approx(0.09)


def walked(robot, ground, speed, **more):
    """Where the feet are in the end, and how far it came, in 2.4 s at this speed along x [m/s]."""
    terrain, feet = Terrain([ground]), contacts.at_feet(robot)
    _, q = control.stand(robot, feet, terrain=terrain)
    gait = control.GaitController(robot, feet, q, velocity=(speed, 0, 0), terrain=terrain)
    motion = control.simulate(robot, gait, terrain, q=q, duration=2.4, **more)
    assert not motion.fell
    return feet.placements(motion.q[-1]), motion.q[-1][0] - q[0]


@pytest.mark.slow
def test_a_quadruped_trots_over_stepping_stones():
    ground = stones(0.3, 0.06, start=0.8)
    placements, along = walked(robots.load("quadruped"), ground, 0.5, step=2e-3)
    assert along > 0.5
    for name, T in placements.items():
        assert T.translation[2] > -0.05, name


@pytest.mark.slow
def test_walking_on_rough_ground():
    pytest.importorskip("mujoco")
    rng = np.random.default_rng(1)
    x = np.arange(0, 3.2, 0.05)
    waves = sum(
        rng.uniform(-1, 1) * np.sin(k[0] * x[:, None] + k[1] * x + k[2])
        for k in rng.uniform(-8, 8, (12, 3))
    )
    ground = HeightMap("waves", 0.01 * waves, 0.05, (1.0, 0, 0))
    how = {"control_step": 2e-3, "engine": "mujoco"}
    assert walked(robots.load("biped"), ground, 0.25, **how)[1] > 0.3


# --- of a function ---------------------------------------------------------------------------


def waves(x, y):
    return 0.1 * np.sin(3 * x) + 0.05 * y


def test_a_map_of_a_function_has_its_heights_at_its_vertices():
    """And between them no more than the second derivative allows, 0.9 cell²/8."""
    ground = HeightMap.of(waves, 0.05, x=(-1.0, 3.0), y=(-0.5, 1.0))
    assert ground.name == "waves"
    assert ground.grid.shape == (81, 31)
    x, y, z = ground.vertices.T
    assert (x.min(), x.max(), y.min(), y.max()) == pytest.approx((-1.0, 3.0, -0.5, 1.0))
    assert z == pytest.approx(waves(x, y), abs=1e-12)
    places = np.random.default_rng(0).uniform((-1.0, -0.5), (3.0, 1.0), (200, 2))
    found = Terrain([ground]).height(places)
    assert found == pytest.approx(waves(*places.T), abs=0.9 * 0.05**2 / 8 + 1e-9)


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: 0.2 if x > 1.0 else 0.0,
        lambda x, y: np.where(x > 1.0, 0.2, 0.0),
        lambda x, y: 0.2 * (x > 1.0),
    ],
    ids=["of numbers", "of arrays", "of both"],
)
def test_functions_of_numbers_and_of_arrays_serve(function):
    ground = HeightMap.of(function, 0.1, x=(0.0, 2.0), y=(0.0, 1.0), name="step", friction=0.4)
    x, _, z = ground.vertices.T
    assert z == pytest.approx(np.where(x > 1.0, 0.2, 0.0))
    assert (ground.name, ground.friction) == ("step", 0.4)
    assert HeightMap.of(lambda x, y: 0.3, 0.1, (0, 1), (0, 1)).grid == pytest.approx(0.3)


def test_an_area_that_is_no_multiple_of_the_cell_is_covered():
    ground = HeightMap.of(waves, 0.3, x=(0.0, 1.0), y=(2.0, 2.1))
    x, y, z = ground.vertices.T
    assert sorted(set(x.round(9))) == pytest.approx([-0.1, 0.2, 0.5, 0.8, 1.1])
    assert sorted(set(y.round(9))) == pytest.approx([1.9, 2.2])
    assert z == pytest.approx(waves(x, y), abs=1e-12)


def test_what_is_no_function_of_the_ground_is_refused():
    with pytest.raises(ContactError, match=r"heights: got a function, .*HeightMap.of\(function"):
        HeightMap("waves", waves, 0.1)
    with pytest.raises(ContactError, match=r"x: got \[1.0, 0.0\], expected \(from, to\)"):
        HeightMap.of(waves, 0.1, x=(1.0, 0.0), y=(0.0, 1.0))
    for function, cell, said in (
        (np.zeros((3, 3)), 0.1, "function: got array"),
        (lambda x, y: np.log(x - 0.5), 0.25, r"got nan at \(0, 0\), expected a finite height"),
        (lambda x, y: 1 / 0, 0.25, r"at \(0, 0\) ZeroDivisionError: .*expected a height"),
        (lambda x, y: "high", 0.25, r"got .*'high'.* at \(0, 0\), expected a height"),
        (lambda x, y: [1, 2], 0.25, r"got \[1, 2\] at \(0, 0\), expected a height"),
        (lambda x, y: [1, 2] if y > 0.5 else 0.0, 0.25, r"got \[1, 2\] at \(0, 0.75\), expected"),
        (waves, 1e-6, "cell: got 1e-06 m, which is 1000001 × 1000001"),
        (waves, 0.0, "cell: got 0"),
    ):
        with pytest.raises(ContactError, match=said):
            HeightMap.of(function, cell, x=(0.0, 1.0), y=(0.0, 1.0))
