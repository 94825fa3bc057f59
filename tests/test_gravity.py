"""Gravity of a robot: another magnitude, another direction, none at all."""

from __future__ import annotations

import numpy as np
import pytest

import footwork as fw
from footwork import ConfigurationError, ContactError, contacts, control, dynamics
from footwork.control import gaits
from footwork.control.dcm import DcmPlan, Phase
from footwork.control.tasks.dcm import DcmTask
from footwork.visualize.scenes.motion import divergent_component

MOON = (0.0, 0.0, -1.62)
TILTED = (1.2, -0.7, -9.3)
ROBOTS = ("biped", "quadruped")


def standing(name, gravity):
    robot = fw.load(name, gravity=gravity)
    controller, q = control.stand(robot)
    return robot, controller, q


@pytest.mark.parametrize("gravity", [MOON, TILTED, (0, 0, 0)])
@pytest.mark.parametrize("name", ROBOTS)
def test_the_forces_that_a_controller_asks_for_carry_the_weight(name, gravity):
    """Newton's law of the whole robot, Σ f = m (c̈ − g), and c̈ vanishes where it stands."""
    robot, controller, q = standing(name, gravity)
    command = controller(q, np.zeros(robot.nv))
    total = controller.contacts.jacobian(q)[:, :3].T @ command.f  # of the base, in its axes
    total = dynamics.frame_placement(robot, q, control.trunk(robot)).rotation @ total
    c_ddot = dynamics.com_jacobian(robot, q) @ command.a
    np.testing.assert_allclose(total, robot.mass * (c_ddot - gravity), rtol=0, atol=1e-8)
    np.testing.assert_allclose(c_ddot, 0, atol=1e-3)


@pytest.mark.parametrize("gravity", [MOON, TILTED, (0, 0, 0)])
@pytest.mark.parametrize("engine", ["pinocchio", "mujoco"])
def test_it_stands_in_a_closed_loop(engine, gravity):
    if engine == "mujoco":
        pytest.importorskip("mujoco")
    robot, controller, q = standing("biped", gravity)
    motion = control.simulate(
        robot, controller, q=q, duration=0.3, control_step=2e-3, engine=engine, progress=False
    )
    assert not motion.ended
    np.testing.assert_allclose(motion.com[-1], motion.com[0], atol=2e-3)


def test_what_holds_a_robot_on_the_moon_does_so_by_a_sixth():
    """Forces, torques and margins of a stance are linear in the weight."""
    moon, earth = (fw.load("quadruped", gravity=(0, 0, g)) for g in (-1.62, -9.72))
    assert 6 * moon.weight == pytest.approx(earth.weight) == earth.mass * 9.72
    assert earth.with_gravity((3.0, 0.0, -4.0)).weight == pytest.approx(5.0 * earth.mass)
    q = earth.posture()
    ours, six = (contacts.static_hold(r, q, contacts.at_feet(r)) for r in (moon, earth))
    np.testing.assert_allclose(6 * ours.torques, six.torques, atol=1e-6)
    assert 6 * ours.margin == pytest.approx(six.margin, rel=1e-6)
    assert 6 * ours.push_margin() == pytest.approx(six.push_margin(), rel=1e-4)


@pytest.mark.slow
def test_it_walks():
    gravity = (0.6, 0.3, -9.7)
    robot, controller, q = standing("biped", gravity)
    phases = gaits.footsteps(controller.contacts, q, 2, length=0.05, settle=0.5)
    walker = control.WalkingController(robot, controller.contacts, q, phases)
    motion = control.simulate(
        robot, walker, q=q, contacts=controller.contacts, duration=walker.plan.duration,
        step=2e-3, progress=False,
    )  # fmt: skip
    assert not motion.ended
    p = walker.plan.phases[-1].end
    leaning = p + np.asarray(gravity) * motion.com[-1][2] / gravity[2]  # its weight points to p
    np.testing.assert_allclose(motion.com[-1], leaning, atol=0.02)


def test_the_regions_of_a_tilted_gravity_are_those_of_a_tilted_ground():
    """Turning gravity, or turning ground and robot the other way, is one and the same."""
    robot = fw.load("quadruped", gravity=TILTED)
    q, feet = robot.posture(), contacts.at_feet(robot)
    c = dynamics.com(robot, q)
    for kind in ("exact", "inner", "outer"):
        region = contacts.static_equilibrium_polygon(robot, q, feet, kind=kind)
        polygon = region.vertices if kind != "outer" else region.outer
        for corner in polygon:
            held = [_held_at(robot, q, feet, corner, s, c, kind) for s in (0.98, 1.02)]
            assert held == [True, False], (kind, corner)


def _held_at(robot, q, feet, corner, share, c, kind):
    """Whether forces in the cones balance the weight at c + share (corner − c): by the net cone."""
    at = np.append(c[:2] + share * (corner - c[:2]), c[2])
    cone = contacts.net_wrench_cone(feet, q, at, kind, 8)
    weight = np.append(-robot.mass * np.asarray(TILTED), np.zeros(3))
    return cone.contains(weight, 1e-6 * robot.mass)


def test_robust_regions_and_friction_maps_know_its_direction():
    robot = fw.load("quadruped", gravity=TILTED)
    q, feet = robot.posture(), contacts.at_feet(robot)
    nothing = [dynamics.Wrench(np.zeros(3), np.zeros(3))]
    plain = contacts.static_equilibrium_polygon(robot, q, feet)
    robust = contacts.robust_equilibrium_polygon(robot, q, feet, nothing)
    assert robust.area == pytest.approx(plain.area, rel=1e-4)
    assert plain.contains(robust.vertices.mean(axis=0))
    needed = contacts.friction_map(robot, q, feet)
    slope = np.hypot(TILTED[0], TILTED[1]) / -TILTED[2]  # tan of the angle of repose
    assert needed.friction.min() == pytest.approx(slope, abs=2e-3)


def test_the_zmp_area_is_where_the_pendulum_is_pushed_from():
    """m (c̈ − g) acts along z → c, and c̈_z = 0: for tilted gravity as for the vertical one."""
    robot = fw.load("quadruped", gravity=TILTED)
    q, feet = robot.posture(), contacts.at_feet(robot)
    c, cone = dynamics.com(robot, q), contacts.com_acceleration_cone(robot, q, feet)
    area = contacts.zmp_support_area(robot, q, feet)
    for z in 0.99 * area.vertices + 0.01 * area.vertices.mean(axis=0):
        push = -TILTED[2] * (c - np.append(z, 0.0)) / c[2]
        assert cone.contains(push + TILTED)
    level = fw.load("quadruped", gravity=MOON)
    same = contacts.zmp_support_area(level, q, contacts.at_feet(level))
    assert area.area == pytest.approx(same.area, rel=1e-6)


def test_without_gravity_the_centre_of_mass_may_be_anywhere():
    robot = fw.load("quadruped", gravity=(0, 0, 0))
    q, feet = robot.posture(), contacts.at_feet(robot)
    assert contacts.static_equilibrium_polygon(robot, q, feet).status == "unbounded"
    with pytest.raises(ContactError, match="points down"):
        contacts.static_equilibrium_polygon(robot, q, feet, kind="inner")
    with pytest.raises(ContactError, match="no zero-moment point"):
        contacts.zmp_support_area(robot, q, feet)
    with pytest.raises(ConfigurationError, match="points down"):
        divergent_component(robot, q, np.zeros(robot.nv))


def test_gravity_upwards_holds_nothing():
    with pytest.raises(ContactError, match="finds no posture to stand in"):
        control.stand(fw.load("biped", gravity=(0, 0, 9.81)))


def test_a_plan_belongs_to_a_gravity():
    """c̈ = g + (what acts along p → c): on the plan, minus g, it is parallel to c − p."""
    phases = [Phase(0.4, np.zeros(3), np.array([0.1, 0.05, 0.0])), Phase(0.5, *np.ones((2, 3)))]
    plan = DcmPlan(phases, 0.8, TILTED)
    c = np.array([0.03, -0.02, 0.8])
    for t in (0.0, 0.3, 0.6):
        push = plan.omega**2 * (c - plan.pivot(t) - plan.up) - np.asarray(TILTED)
        np.testing.assert_allclose(np.cross(push, c - plan.pivot(t)), 0, atol=1e-12)
    task = DcmTask(plan)
    assert task.bind(fw.load("biped", gravity=TILTED)) == 3
    with pytest.raises(ConfigurationError, match="a plan for the gravity"):
        task.bind(fw.load("biped"))
    with pytest.raises(ConfigurationError, match="points down"):
        DcmPlan(phases, 0.8, (0, 0, 0))


def test_the_divergent_component_of_a_picture_is_the_plans():
    """ξ = c + ċ/ω, with the ω of a plan for the same height and gravity."""
    robot = fw.load("biped", gravity=TILTED)
    q, v = robot.posture(), np.random.default_rng(3).standard_normal(robot.nv)
    c, ground = dynamics.com(robot, q), 0.1
    plan = DcmPlan([Phase(1.0, *np.zeros((2, 3)))], c[2] - ground, TILTED)
    xi = divergent_component(robot, q, v, ground)
    np.testing.assert_allclose(xi, c + dynamics.com_jacobian(robot, q) @ v / plan.omega, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("gravity", "speed", "duration"), [(MOON, 0.25, 2.0), ((0.4, 0.2, -9.7), 0.4, 1.2)]
)
def test_it_catches_itself(gravity, speed, duration):
    """It steps onto the capture point of ω = √(−g_z/h), and stays on its feet."""
    robot = fw.load("biped", gravity=gravity)
    controller, q = control.stand(robot, crouch=0.03)
    catching = control.GaitController(robot, controller.contacts, q)
    v = np.zeros(robot.nv)
    v[:2] = speed, 0.3 * speed
    motion = control.simulate(
        robot, catching, q=q, v=v, contacts=controller.contacts, duration=duration,
        step=2e-3, progress=False,
    )  # fmt: skip
    assert not motion.ended
    assert catching.steps > 0
