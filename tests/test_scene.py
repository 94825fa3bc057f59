"""The contact scene: what is drawn, where, how large; and that it is seen in a real browser."""

from __future__ import annotations

import io

import numpy as np
import pytest
from recorder import Recorder
from stances import posed

import footwork as fw
from footwork import ContactError, Wrench, contacts, control, dynamics, registry, robots, visualize
from footwork.contacts import PointContact, SurfaceContact
from footwork.contacts.geometry import polygon
from footwork.dynamics.motions import Motion
from footwork.visualize.scenes import cones as cone_scene
from footwork.visualize.scenes import hold as hold_scene
from footwork.visualize.scenes import scenario as scenario_scene
from footwork.visualize.scenes.motion import FORCE_OF_WEIGHT
from footwork.visualize.viewer import framing
from footwork.visualize.viewer.errors import ViewerError

SLOPE = np.array([-0.5, 0.0, np.sqrt(0.75)])


def quadruped_on_a_slope():
    robot = robots.load("quadruped")
    feet = [
        PointContact(f.frame, 0.5, normal=(0, 0, 1) if i else SLOPE, radius=f.radius, name=f.name)
        for i, f in enumerate(robot.feet.values())
    ]
    return contacts.static_hold(robot, robot.posture(), feet)


def recorded(hold):
    """What `draw_hold` draws."""
    viewer = Recorder(hold.contacts.robot)
    visualize.draw_hold(viewer, hold)
    return viewer


def test_cones_stand_on_the_real_normals():
    hold = quadruped_on_a_slope()
    cones = recorded(hold).of_kind("cone")
    assert len(cones) == 4
    for contact in hold.contacts:
        apex, axis, half_angle, height = cones[f"cones/{contact.name}/0"]
        assert apex == pytest.approx(contact.world_points(hold.contacts.robot, hold.q)[0])
        assert axis == pytest.approx(contact.normal)
        assert np.tan(half_angle) == pytest.approx(0.5)
        assert height > 2 * contact.radius  # taller than the foot that it stands in


def test_force_arrows_are_forces_to_scale():
    hold = quadruped_on_a_slope()
    viewer = recorded(hold)
    weight = hold.contacts.robot.mass * 9.81
    total = 0
    for contact in hold.contacts:
        point, vector = viewer.of_kind("arrow", "forces/")[f"forces/{contact.name}/sum"]
        assert point == pytest.approx(contact.pose(hold.contacts.robot, hold.q).translation)
        newtons = vector * weight / (FORCE_OF_WEIGHT * viewer.scale)
        assert newtons == pytest.approx(hold.forces[contact.name].sum(axis=0))
        total += newtons
    assert total == pytest.approx([0, 0, weight], abs=1e-6)


def test_a_soles_force_acts_at_its_centre_of_pressure():
    """About the arrow's foot the wrench has no moment in the plane of the sole."""
    robot = robots.load("biped")
    q, base = robot.posture(), robot.model.frames[2].name
    push = {base: Wrench([20, 5, 0])}
    hold = contacts.static_hold(robot, q, contacts.at_feet(robot), push)
    viewer = recorded(hold)
    for name, wrench in hold.wrenches.items():
        point, _ = viewer.of_kind("arrow")[f"forces/{name}/sum"]
        assert wrench.at(point).moment[:2] == pytest.approx([0, 0], abs=1e-9)
        _, (corners,), look = viewer.drawn[f"patches/{name}"]
        corners = corners @ look["placement"].rotation.T + look["placement"].translation
        assert polygon.signed_distance(corners[:, :2], point[:2]) <= 1e-9
    (point, vector) = viewer.of_kind("arrow")[f"loads/{base}"]
    assert point == pytest.approx(dynamics.frame_placement(robot, q, base).translation)
    assert np.cross(vector, [20, 5, 0]) == pytest.approx([0, 0, 0], abs=1e-12)
    assert any("external" in line for line in viewer.lines)


def test_the_centre_of_mass_and_where_it_may_be():
    hold = quadruped_on_a_slope()
    viewer = recorded(hold)
    com = dynamics.com(hold.contacts.robot, hold.q)
    assert viewer.of_kind("point")["com/centre"][0] == pytest.approx(com)
    ground = min(T.translation[2] for T in hold.contacts.placements(hold.q).values())
    below = viewer.of_kind("point")["com/on the ground"][0]
    assert below == pytest.approx([com[0], com[1], ground])
    corners = viewer.of_kind("polygon")["region"][0]
    region = contacts.static_equilibrium_polygon(hold.contacts.robot, hold.q, hold.contacts)
    assert corners[:, :2] == pytest.approx(region.vertices)
    assert region.contains(com)


class Page(Recorder):
    def display(self, q):
        """Posture and ground are not drawings."""


def test_under_a_tilted_gravity_the_region_is_where_the_weight_points_to(monkeypatch):
    """The centre of mass and where it may be go the same way down to the ground."""
    scenario = contacts.Scenario.load("flat").replaced(gravity=(0.0, 1.5, -9.0))
    hold, region = scenario.check(), scenario.region()
    monkeypatch.setattr(scenario_scene, "Viewer", lambda robot, **_: Page(robot))
    down = hold.state.com[2] * np.array([0.0, 1.5]) / 9.0
    for viewer in (recorded(hold), scenario.scene(animate=False)):
        below = viewer.of_kind("point")["com/on the ground"][0]
        assert below[:2] == pytest.approx(hold.state.com[:2] + down, abs=1e-6)
        ((corners, *_),) = viewer.of_kind("polygon", "region").values()
        middle = corners[:, :2].mean(axis=0)
        assert middle == pytest.approx(region.vertices.mean(axis=0) + down, abs=1e-6)


def test_the_first_look_is_not_at_the_back_of_a_wall():
    """The camera sees the centre of mass; a `view` of the file stays as it is."""
    scenario = contacts.Scenario.load("flat").replaced(view=())
    for facing, sign in ((180, 1.0), (0, -1.0)):
        wall = contacts.Wall("wall", at=(0.5 * sign, 0.0, 0.0), facing=facing, width=2, height=2)
        walled = scenario.replaced(terrain=(*scenario.terrain, wall))
        view = scenario_scene.view_of(walled)
        assert walled.ground.cast(dynamics.com(walled.machine, walled.q), view) is None
        shown = walled.replaced(view=(sign, 0.1, 0.2))
        assert scenario_scene.view_of(shown) == (sign, 0.1, 0.2)


@pytest.mark.parametrize(("x", "facing"), [(0.5, 180), (-0.5, 0)])
def test_a_motion_is_not_seen_from_behind_a_wall(x, facing):
    robot, feet, q = posed("biped")
    wall = contacts.Wall("wall", at=(x, 0.0, 0.0), facing=facing, width=3, height=3)
    ground = contacts.Terrain([contacts.Plane("ground"), wall])
    limp = lambda t, q, v: 0 * v[6:]  # noqa: E731
    motion = control.simulate(robot, limp, q=q, contacts=feet, terrain=ground, duration=0.1)
    audit = contacts.audit(motion, terrain=ground, self_collision=False)
    for viewer in (fw.view(motion), fw.view(audit)):
        camera = viewer._camera
        way = framing.VIEW if camera is None else camera.eye - camera.target
        assert ground.cast(motion.com[0], way) is None


def test_a_motion_of_one_sample_stands_still():
    """It was refused; the page's player needs a time that passes."""
    robot, feet, q = posed("biped")
    still = np.zeros((1, robot.nv))
    motion = Motion(robot, np.array([2.0]), q[None], still, still)
    hold = contacts.static_hold(robot, q, feet)
    audited = contacts.audit(motion, self_collision=False)
    for viewer in (fw.view(motion), fw.view(audited), visualize.animate_holds([2.0], [hold])):
        assert "/#animation" in viewer._store
    with pytest.raises(ViewerError, match="got a motion of no samples"):
        fw.Viewer(robot).animate([], np.zeros((0, robot.nq)))


def test_a_legend_names_no_region_that_is_not_drawn():
    robot, feet, q = posed("biped")
    held = [PointContact("left_hand", 0.5, bilateral=True), *feet]
    for contact_set in (held, [], feet):
        viewer = recorded(contacts.static_hold(robot, q, contact_set))
        assert ("support region" in viewer.lines) == ("region" in viewer.drawn)
    assert "region" in viewer.drawn


def test_the_legend_of_several_verdicts_names_what_any_of_them_shows(monkeypatch):
    robot, feet, q = posed("biped")
    pushes = [None, {"torso": Wrench([80.0, 0, 0])}]
    holds = [contacts.static_hold(robot, q, feet, push) for push in pushes]
    assert [hold.feasible for hold in holds] == [True, False]
    monkeypatch.setattr(hold_scene, "Viewer", lambda robot, **_: Page(robot))
    viewer = hold_scene.view_holds(holds)
    named = {"contact forces", "external wrenches", "falling motion"}
    assert named <= set(viewer.lines)
    assert f"at worst: does not hold, margin {holds[1].margin:.4g} N" in viewer.lines


@pytest.mark.parametrize("size", [0.01, 100.0])
def test_margins_of_small_and_large_robots_have_digits(size):
    robot = robots.block(500 * size**3, (size, size, size))
    sole = SurfaceContact("bottom", half_length=size / 2, half_width=size / 2, friction=0.5)
    viewer = recorded(contacts.static_hold(robot, robot.neutral(), [sole]))
    assert f"holds, margin {500 * size**3 * 9.81:.4g} N" in viewer.lines


def test_a_fall_shows_its_motion_and_no_forces():
    robot = robots.load("biped")
    hold = contacts.static_hold(robot, robot.posture(), [contacts.at_feet(robot)["left_foot"]])
    viewer = recorded(hold)
    assert not viewer.of_kind("arrow", "forces/")
    motion = viewer.of_kind("arrow", "motion/")
    J = dynamics.com_jacobian(robot, hold.q)
    assert np.cross(motion["motion/0"][1], J @ hold.certificate) == pytest.approx(0, abs=1e-9)
    assert any("does not hold" in line for line in viewer.lines)
    assert any("left_foot would have to pull" in line for line in viewer.lines)


def test_loads_falls_and_verdicts_have_colours_of_their_own():
    robot, feet, q = posed("biped")
    push = Wrench([9e2, 0, 0], point=dynamics.com(robot, q))
    for verdict, force in (("does not hold", push), ("holds", push * 1e-3)):
        viewer = recorded(contacts.static_hold(robot, q, feet, {"torso": force}))
        lines = {line: color for line, color in viewer.lines.items() if color}
        assert any(line.startswith(verdict) for line in lines)
        assert "external wrenches" in lines
        assert len(set(lines.values())) == len(lines)


def test_grips_have_no_cone_and_foreign_viewers_are_refused():
    robot = robots.block()
    frame = robot.model.frames[2].name
    grip = SurfaceContact(frame, half_length=0.1, half_width=0.1, friction=0.5, bilateral=True)
    hold = contacts.static_hold(robot, robot.posture(), grip)
    viewer = recorded(hold)
    assert not viewer.of_kind("cone")
    assert "region" not in viewer.drawn  # it is unbounded
    with pytest.raises(ContactError, match="another robot"):
        visualize.draw_hold(Recorder(robots.block()), hold)


# --- in a real browser -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def seen():
    """The quadruped's scene: picture, hold, and where a world point is in the picture."""
    from PIL import Image

    from footwork.visualize.viewer.framing import Camera

    hold = quadruped_on_a_slope()
    viewer = registry.view(hold)
    eye, target, width, height = np.array([1.3, -1.1, 0.7]), np.array([0, 0, 0.15]), 1000, 700
    png = viewer.screenshot(width=width, height=height, eye=eye, target=target)
    image = np.asarray(Image.open(io.BytesIO(png)).convert("RGB")).astype(int)
    camera = Camera(eye, target, 30.0)
    return hold, viewer, image, lambda p: camera.project(np.asarray(p), width, height)[0]


def near(image, pixel, wanted, radius=6):
    """Whether some pixel within `radius` of a place satisfies wanted(r, g, b)."""
    x, y = np.round(pixel).astype(int)
    window = image[y - radius : y + radius + 1, x - radius : x + radius + 1]
    return bool(wanted(window[..., 0], window[..., 1], window[..., 2]).any())


def blue(r, g, b):
    return (b > r + 60) & (b > g + 30)


def yellow(r, g, b):
    return (r > b + 60) & (g > b + 40)


def teal(r, g, b):
    return (g > r + 20) & (b > r + 10)


@pytest.mark.browser
def test_force_arrows_are_seen(seen):
    hold, viewer, image, pixel = seen
    metres = FORCE_OF_WEIGHT * viewer.scale / hold.balance.weight
    for contact in hold.contacts:
        point = contact.pose(hold.contacts.robot, hold.q).translation
        arrow = metres * hold.forces[contact.name].sum(axis=0)
        assert any(near(image, pixel(point + s * arrow), blue) for s in (0.2, 0.5, 0.9)), contact


@pytest.mark.browser
def test_cones_are_seen_around_the_feet(seen):
    """Somewhere on the rim of every cone there is its colour, outside the foot."""
    hold, viewer, image, pixel = seen
    for contact in hold.contacts:
        T = contact.pose(hold.contacts.robot, hold.q)
        side = cone_scene.HEIGHTS[3] * viewer.scale
        angles = np.linspace(0, 2 * np.pi, 24, endpoint=False)
        half = np.arctan(contact.friction)
        circle = np.sin(half) * np.array([np.cos(angles), np.sin(angles)])
        rim = side * np.vstack([circle, np.full(24, np.cos(half))]).T
        hits = [near(image, pixel(T.act(p)), yellow, radius=3) for p in rim]
        assert sum(hits) >= 8, contact.name


@pytest.mark.browser
def test_region_and_centre_of_mass_are_seen(seen):
    hold, _, image, pixel = seen
    robot = hold.contacts.robot
    com = dynamics.com(robot, hold.q)
    assert near(image, pixel(com), lambda r, g, b: (r > g + 40) & (b > g + 20))
    region = contacts.static_equilibrium_polygon(robot, hold.q, hold.contacts)
    ground = min(T.translation[2] for T in hold.contacts.placements(hold.q).values())
    inside = 0.6 * region.vertices + 0.4 * region.vertices.mean(axis=0)
    hits = [near(image, pixel([*p, ground]), teal) for p in inside]
    assert np.mean(hits) >= 0.5


@pytest.mark.browser
def test_the_page_has_the_robot_and_reports_no_error(seen, look, tab):
    _, viewer, _, _ = seen
    look(viewer)  # raises on what the page reports as an error
    assert tab.errors == []
