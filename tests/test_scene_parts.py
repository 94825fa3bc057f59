"""Drawings beside a Hold's: velocities, trails, wrenches, regions, cones, colours by margin."""

from __future__ import annotations

import numpy as np
import pytest
import umsgpack
from recorder import Recorder

import footwork as fw
from footwork import contacts, dynamics, visualize
from footwork.contacts import PointContact, SurfaceContact, WrenchCone
from footwork.contacts.geometry import polygon
from footwork.dynamics import Wrench
from footwork.errors import ConfigurationError, ContactError
from footwork.visualize.colors import contact_colors, margin_ramp
from footwork.visualize.scenes import motion as motion_scene
from footwork.visualize.scenes.cones import force_section

ROBOTS = ("biped", "quadruped")


def standing(name, load_robot, **loads):
    robot = load_robot(name, "floating")
    return contacts.static_hold(robot, robot.posture(), fw.at_feet(robot, friction=0.6), **loads)


# --- motion ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ROBOTS)
def test_arrows_of_velocities_end_where_their_points_will_be(name, load_robot, random_state):
    robot = load_robot(name, "floating")
    q, v, _ = random_state(robot, 3)
    viewer = Recorder(robot)
    frames = motion_scene.link_frames(robot)[::3]
    motion_scene.draw_velocities(viewer, robot, q, v, frames, seconds=0.2)
    assert set(viewer.drawn) == {f"velocities/{n}" for n in (*frames, "centre of mass")}
    step = 1e-6
    ahead, behind = robot.integrate(q, step * v), robot.integrate(q, -step * v)
    for frame in frames:
        _, (point, vector), _ = viewer.drawn[f"velocities/{frame}"]
        rate = [dynamics.frame_placement(robot, x, frame).translation for x in (ahead, behind)]
        assert vector == pytest.approx(0.2 * (rate[0] - rate[1]) / (2 * step), abs=1e-7)
        assert point == pytest.approx(dynamics.frame_placement(robot, q, frame).translation)
    _, (_, vector), _ = viewer.drawn["velocities/centre of mass"]
    rate = (dynamics.com(robot, ahead) - dynamics.com(robot, behind)) / (2 * step)
    assert vector == pytest.approx(0.2 * rate, abs=1e-7)


def test_the_longest_arrow_has_a_length_and_slow_frames_have_none(load_robot, random_state):
    robot = load_robot("quadruped", "floating")
    q, v, _ = random_state(robot, 0)
    viewer = Recorder(robot)
    motion_scene.draw_velocities(viewer, robot, q, v, rotations=True)
    arrows = [a[1] for kind, a, _ in viewer.drawn.values() if kind == "arrow"]
    assert max(np.linalg.norm(a) for a in arrows) == pytest.approx(0.25 * viewer.scale)
    arcs = [a[1] for kind, a, _ in viewer.drawn.values() if kind == "moment"]
    assert len(arcs) == len(arrows) - 1  # the centre of mass does not turn
    motion_scene.draw_velocities(viewer, robot, q, v, threshold=1e6)
    assert all(not a[1].any() for kind, a, _ in viewer.drawn.values() if kind == "arrow")


@pytest.mark.parametrize("name", ROBOTS)
def test_the_divergent_component_is_where_a_pendulum_would_come_to_rest(
    name, load_robot, random_state
):
    """A linear pendulum whose foot is below ξ approaches it: c̈ = ω² (c − ξ), solved."""
    robot = load_robot(name, "floating")
    q, v, _ = random_state(robot, 1)
    q[2] = 5.0
    xi = motion_scene.divergent_component(robot, q, v, ground=1.0)
    c, rate = dynamics.com(robot, q), dynamics.com_jacobian(robot, q) @ v
    omega = np.sqrt(9.81 / (c[2] - 1.0))
    t = np.linspace(0, 25 / omega, 4)
    grow, turn = np.cosh(omega * t)[:, None], np.sinh(omega * t)[:, None]
    course = xi + (c - xi) * grow + rate / omega * turn
    assert course[0] == pytest.approx(c)
    assert course[-1] == pytest.approx(xi, abs=1e-4)
    viewer = Recorder(robot)
    motion_scene.draw_dcm(viewer, robot, q, v, ground=1.0)
    assert viewer.drawn["dcm/point"][1][0] == pytest.approx(xi)
    assert viewer.drawn["dcm/on the ground"][1][0] == pytest.approx([*xi[:2], 1.0])
    with pytest.raises(ConfigurationError, match="below the centre of mass"):
        motion_scene.divergent_component(robot, q, v, ground=100.0)


def test_trails_go_through_the_places_of_their_frames(load_robot):
    robot = load_robot("biped", "floating")
    qs = np.array([robot.integrate(robot.posture(), s * np.ones(robot.nv)) for s in (0, 0.1, 0.2)])
    viewer = Recorder(robot)
    motion_scene.draw_trails(viewer, robot, qs, ["torso"])
    for name, at in (
        ("torso", lambda q: dynamics.frame_placement(robot, q, "torso").translation),
        ("centre of mass", lambda q: dynamics.com(robot, q)),
    ):
        places = np.array([at(q) for q in qs])
        assert np.array(viewer.drawn[f"trails/{name}"][1][0]) == pytest.approx(places)


def test_wrenches_are_drawn_at_their_points_whatever_their_axes(load_robot, random_state):
    """The drawn force and moment give the torques that `external_torques` has."""
    robot = load_robot("biped", "floating")
    q, _, _ = random_state(robot, 2)
    wrenches = {
        "torso": Wrench([1.0, 2, 3], [4.0, 5, 6], [0.1, 0.2, 0.3], axes="local"),
        "right_foot": Wrench([-1.0, 0, 3], [0.0, 5, 0]),
        "head": Wrench([0.0, 7, 0], [1.0, 0, 0], [0.0, 0.0, 0.2], axes="left_foot"),
    }
    viewer = Recorder(robot)
    motion_scene.draw_wrenches(viewer, robot, q, wrenches, scale=0.01)
    drawn = {}
    for frame in wrenches:
        _, (point, arrow), _ = viewer.drawn[f"wrenches/{frame}"]
        _, (_, arc), _ = viewer.drawn[f"wrenches/{frame} moment"]
        lever = motion_scene.LEVER * viewer.scale
        drawn[frame] = Wrench(arrow / 0.01, arc * lever / 0.01, point)
    found, given = (dynamics.external_torques(robot, q, x) for x in (drawn, wrenches))
    assert found == pytest.approx(given, abs=1e-9)
    motion_scene.draw_wrenches(viewer, robot, q, wrenches, threshold=5.0)
    shown = {n for n, (_, a, _) in viewer.drawn.items() if a[1].any()}
    assert shown == {"wrenches/head", "wrenches/torso moment", "wrenches/right_foot moment"}


# --- contacts ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ROBOTS)
def test_the_zero_moment_point_is_the_mean_of_the_places_that_press(name, load_robot):
    robot = load_robot(name, "floating")
    base = robot.model.frames[2].name
    push = {base: Wrench(0.05 * robot.mass * np.array([9.81, 3.0, 0.0]))}
    for loads in ({}, push):
        hold = standing(name, load_robot, wrenches=loads)
        points = np.vstack([c.world_points(robot, hold.q) for c in hold.contacts])
        forces = np.vstack(list(hold.forces.values()))
        height = float(points[:, 2].mean())
        found = contacts.zero_moment_point(hold.wrenches, height)
        moment = np.cross(points - found, forces).sum(axis=0)
        assert moment[:2] == pytest.approx([0, 0], abs=1e-6)  # it does not tip about there
        if not loads:
            assert found[:2] == pytest.approx(dynamics.com(robot, hold.q)[:2], abs=1e-6)
        viewer = Recorder(robot)
        visualize.draw_zmp(viewer, hold, height)
        assert viewer.drawn["zmp"][1][0] == pytest.approx(found)
    assert contacts.zero_moment_point({"up": Wrench([0.0, 0, -3.0], point=[0, 0, 0])}) is None


def test_the_acceleration_cone_is_drawn_around_the_centre_of_mass(load_robot):
    hold = standing("biped", load_robot)
    robot, com = hold.contacts.robot, dynamics.com(hold.contacts.robot, hold.q)
    cone = contacts.com_acceleration_cone(robot, hold.q, hold.contacts)
    viewer = Recorder(robot)
    visualize.draw_acceleration_cone(viewer, cone, com, scale=0.05)
    kind, (apex, rim), _ = viewer.drawn["acceleration cone"]
    assert kind == "pyramid"
    assert apex == pytest.approx(com + np.array([0, 0, -0.05 * 9.81]))
    assert rim[:, 2] == pytest.approx(np.full(len(rim), com[2]))
    for corner in rim[::5]:
        a = (corner - com) / 0.05
        assert cone.contains(0.995 * a)
        assert not cone.contains(1.01 * a)


@pytest.mark.parametrize("seed", range(2))
def test_a_force_pierces_its_slice_exactly_when_the_contact_can_give_the_wrench(seed):
    rng = np.random.default_rng(seed)
    corners = rng.uniform(-0.1, 0.1, size=(5, 2))
    contact = SurfaceContact("torso", friction=0.5, vertices=polygon.convex_hull(corners))
    exact = WrenchCone(contact)
    seen = 0
    for _ in range(6):
        moment = rng.uniform(-1, 1, size=3) * [0.04, 0.08, 0.03]
        section = force_section(exact, 1.0, moment)
        if len(section) < 3:
            continue
        seen += 1
        middle = section.mean(axis=0)
        for corner in section[::3]:
            inside, outside = (middle + s * (corner - middle) for s in (0.97, 1.1))
            assert exact.contains([*inside, 1.0, *moment])
            assert not exact.contains([*outside, 1.0, *moment])
    assert seen >= 2
    assert len(force_section(exact, 1.0, np.array([0.0, 0.2, 0.0]))) == 0  # it would tip


def test_slices_lie_on_the_real_slope(load_robot):
    robot = load_robot("quadruped", "floating")
    q, normal = robot.posture(), np.array([-0.5, 0.0, np.sqrt(0.75)])
    foot = next(iter(robot.feet.values()))
    contact = PointContact(foot.frame, 0.5, normal=normal)
    viewer = Recorder(robot)
    visualize.draw_wrench_cone(viewer, contact, robot, q, 100.0, 0.001, levels=2)
    corners = viewer.drawn["wrench cones/1"][1][0]
    corners = corners - contact.pose(robot, q).translation
    assert corners @ normal == pytest.approx(np.full(len(corners), 0.1))
    across = np.linalg.norm(corners - np.outer(corners @ normal, normal), axis=1)
    assert across == pytest.approx(np.full(len(corners), 0.05))  # inscribed: corners on the circle
    with pytest.raises(ContactError, match="normal_force"):
        visualize.draw_wrench_cone(viewer, contact, robot, q, 0.0, 0.001)


@pytest.mark.parametrize("name", ROBOTS)
def test_colours_by_margin_are_those_of_the_ramp(name, load_robot):
    robot = load_robot(name, "floating")
    base = robot.model.frames[2].name
    push = {base: Wrench([0.0, 0.06 * robot.mass * 9.81, 0.0])}
    hold = standing(name, load_robot, wrenches=push)
    ramp = margin_ramp(hold)
    assert (ramp.low, ramp.high) == (0.0, pytest.approx(robot.mass * 9.81 / len(hold.contacts)))
    viewer = Recorder(robot)
    visualize.draw_hold(viewer, hold, region=False, by_margin=True)
    shades = []
    for contact, margin in hold.contact_margins.items():
        color = ramp.color(margin)
        shades.append(ramp.tones().index(color))
        assert viewer.drawn[f"forces/{contact}/sum"][2]["color"] == color
        assert viewer.drawn[f"cones/{contact}/0"][2]["color"] == color
        assert viewer.drawn[f"patches/{contact}"][2]["color"] == color
    assert name == "quadruped" or len(set(shades)) > 1  # the push unloads one side
    assert viewer.drawn["com/centre"][2]["color"] == ramp.color(hold.margin)
    assert viewer.told["ramp"] == ramp
    assert viewer.told["shows"]["contact forces"] == "forces"


def test_what_does_not_hold_is_red_and_what_grips_is_green(load_robot):
    robot = load_robot("biped", "floating")
    fallen = contacts.static_hold(robot, robot.posture(), [fw.at_feet(robot)["left_foot"]])
    ramp = margin_ramp(fallen)
    assert contact_colors(fallen) == {"left_foot": ramp.tones()[0]}
    block = fw.load("block")
    frame = block.model.frames[2].name
    grip = SurfaceContact(frame, half_length=0.1, half_width=0.1, friction=0.5, bilateral=True)
    held = contacts.static_hold(block, block.posture(), grip)
    assert set(contact_colors(held).values()) == {margin_ramp(held).tones()[-1]}


def test_arrows_below_the_threshold_are_not_seen_and_the_scale_is_kept(load_robot):
    hold = standing("biped", load_robot)
    viewer = Recorder(hold.contacts.robot)
    visualize.draw_hold(viewer, hold, region=False, scale=0.002, threshold=100.0, legend=False)
    for contact in hold.contacts:
        force = hold.wrenches[contact.name].force
        assert viewer.drawn[f"forces/{contact.name}/sum"][1][1] == pytest.approx(0.002 * force)
        assert not viewer.drawn[f"forces/{contact.name}/vertex 0"][1][1].any()  # a quarter of it
    assert viewer.told == {}


def test_what_twists_a_sole_is_an_arc_at_its_centre_of_pressure(load_robot):
    robot = load_robot("biped", "floating")
    hold = standing("biped", load_robot, wrenches={"torso": Wrench([0.0, 0, 0], [0.0, 0, 12.0])})
    viewer = Recorder(robot)
    visualize.draw_forces(viewer, hold, scale=0.01)
    lever = motion_scene.LEVER * viewer.scale
    total = np.zeros(3)
    for contact in hold.contacts:
        _, (point, arc), _ = viewer.drawn[f"forces/{contact.name}/moment"]
        force = hold.wrenches[contact.name].force
        total += arc * lever / 0.01 + np.cross(point, force)
        assert np.cross(arc, [0, 0, 1]) == pytest.approx(0, abs=1e-9)
    com = dynamics.com(robot, hold.q)
    weight = np.cross(com, [0, 0, -robot.mass * 9.81])
    assert total + weight + [0, 0, 12.0] == pytest.approx(0, abs=1e-5)


@pytest.mark.parametrize(("name", "told"), [("too-heavy", False), ("push", True)])
def test_the_legend_tells_of_the_loads_that_are_drawn(name, told):
    """A payload is a box, without an arrow."""
    viewer = contacts.Scenario.load(name).scene(animate=False)
    commands = [umsgpack.unpackb(data) for data in viewer._store.replay()]
    (legend,) = [c for c in commands if c["type"] == "legend"]
    assert ("external wrenches" in [text for text, _, _ in legend["lines"]]) is told
    folders = {path.split("/")[2] for _, _, path in legend["lines"] if path}
    assert folders <= {drawn.split("/")[0] for drawn in viewer.names}


# --- moving ------------------------------------------------------------------------------------


def pushed_holds(robot, count=4):
    """A robot that is pushed to the left, more and more."""
    standing = robot, robot.posture(), fw.at_feet(robot, friction=0.6)
    pushes = np.linspace(0.0, 0.12, count) * robot.mass * 9.81
    return [contacts.static_hold(*standing, {"torso": Wrench([0, p, 0])}) for p in pushes]


def test_forces_and_cones_move_with_the_holds(load_robot):
    robot = load_robot("biped", "floating")
    holds = pushed_holds(robot)
    viewer = visualize.animate_holds(np.arange(4.0), holds, by_margin=True, title="pushed")
    pieces = [p for s in ("left", "right") for p in viewer._shapes[f"forces/{s}_foot/sum"].pieces]
    assert len([name for name in pieces if name.startswith("shaft")]) > 2  # one a colour
    assert "cones/left_foot/0" in viewer.names
    pieces = [p for name in viewer.names for p in viewer._shapes[name].pieces.values()]
    assert all(np.isfinite(p.matrix).all() for p in pieces)
    with pytest.raises(ContactError, match="2 robots"):
        visualize.animate_holds([0, 1], [holds[0], standing("quadruped", load_robot)])


def test_pyramids_have_their_apex_and_their_corners():
    viewer = fw.Viewer(ground=None)
    corners = np.array([[1.0, 0, 0], [0, 1.0, 0], [-1.0, 0, 0.0], [0, -1.0, 0]])
    viewer.pyramid("p", [0, 0, -1], corners)
    shape = viewer._shapes["p"]
    assert set(shape.pieces) == {"side", "edge"}
    assert shape.extent == pytest.approx(np.vstack([[0, 0, -1], corners]))
    with pytest.raises(fw.FootworkError, match="at least 3"):
        viewer.pyramid("q", [0, 0, 0], corners[:2])
