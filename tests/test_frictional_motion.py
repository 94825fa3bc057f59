"""Stick, slip and break: sliding blocks by hand, and other solvers for everything else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

import footwork as fw
from footwork import ConfigurationError, ContactError, contacts, dynamics, robots
from footwork.contacts import frictional_forward_dynamics as step_of
from footwork.contacts.limits import ContactLimits
from footwork.contacts.motion.coulomb import CoulombProblem

G, H = 9.81, 1e-3
MASS, SIZE = 3.0, (0.4, 0.2, 0.1)


def block_on(angle=0.0, friction=0.5):
    """A block that lies on a slope of this angle, uphill along x."""
    robot = robots.block(MASS, SIZE)
    q = robot.posture()
    R = pin.exp3(np.array([0.0, -angle, 0.0]))
    q[:7] = pin.SE3ToXYZQUAT(pin.SE3(R, R @ q[:3]))
    return robot, q, contacts.at_feet(robot, friction)


def checked(motion):
    """Every law of contact, from the answer's own impulses and velocity."""
    assert motion.converged
    robot, q, h = motion.contacts.robot, motion.q, motion.step
    for contact in motion.contacts:
        R, mu = contact.pose(robot, q).rotation, contact.friction
        points = contact.point_jacobians(robot, q) @ motion.v @ R
        for u, f in zip(points, motion.impulses[contact.name] @ R / h, strict=True):
            tangential, speed = np.linalg.norm(f[:2]), np.linalg.norm(u[:2])
            assert u[2] > -1e-8
            assert tangential <= mu * f[2] + 1e-6
            assert abs(f[2] * u[2]) < 1e-6  # what leaves is not pushed
            # friction takes out as much power as it can
            assert f[:2] @ u[:2] == pytest.approx(-mu * f[2] * speed, abs=1e-6)
    assert motion.residuals.momentum < 1e-9
    return motion


# --- a block, by hand ------------------------------------------------------------------------


@pytest.mark.parametrize("direction", [0.0, 0.7, 2.0])
def test_a_sliding_block_is_braked_by_its_friction(direction):
    """m ẍ = −μ m g against the velocity, as long as it slides."""
    robot, q, sole = block_on()
    heading = np.array([np.cos(direction), np.sin(direction), 0])
    v = np.concatenate([0.8 * heading, np.zeros(3)])
    motion = checked(step_of(robot, q, v, [], sole, H))
    assert motion.a == pytest.approx(np.concatenate([-0.5 * G * heading, np.zeros(3)]), abs=1e-9)
    assert set(motion.states["bottom"]) == {"slip"}
    force = motion.impulses["bottom"].sum(axis=0) / H
    assert force == pytest.approx(MASS * G * (np.array([0, 0, 1]) - 0.5 * heading), abs=1e-9)
    assert motion.f[:3] == pytest.approx(force)


@pytest.mark.parametrize("push", [0.0, 5.0, 14.0, 14.7, 14.8, 20.0, 40.0])
def test_a_pushed_block_sticks_until_its_friction_is_spent(push):
    """m ẍ = max(F − μ m g, 0) from rest; pushed at ground height, so that it does not tip."""
    robot, q, sole = block_on()
    wrench = {"block": fw.Wrench([push, 0, 0], point=[0, 0, 0])}
    motion = checked(step_of(robot, q, np.zeros(6), [], sole, H, wrench))
    expected = max(push - 0.5 * MASS * G, 0.0) / MASS
    assert motion.a == pytest.approx([expected, 0, 0, 0, 0, 0], abs=1e-9)
    assert set(motion.states["bottom"]) == {"slip" if expected else "stick"}


def test_static_friction_holds_what_kinetic_friction_does_not():
    """A block at rest holds up to μ_s m g; moving, or pushed beyond it, it has μ_k."""
    block, mu, static = robots.load("block"), 0.3, 0.5
    ground = [contacts.PointContact("block", friction=mu, name="foot")]

    def step(push, speed=0.0, **given):
        v = np.r_[speed, np.zeros(5)]
        wrench = {"block": fw.Wrench([push * block.mass * G, 0, 0])}
        return step_of(block, block.neutral(), v, [], ground, H, wrench, **given)

    given = {"static_friction": {"foot": static}}
    assert step(0.4).states["foot"] == ("slip",)
    rest = step(0.4, **given)
    assert rest.states["foot"] == ("stick",)
    assert np.abs(rest.v).max() < 1e-12
    assert rest.f[0] == pytest.approx(-0.4 * block.mass * G)
    for push, speed in ((0.6, 0.0), (0.4, 0.1)):
        slides = step(push, speed, **given)
        assert slides.states["foot"] == ("slip",)
        assert slides.v[0] == pytest.approx(speed + H * G * (push - mu), abs=1e-9)
        assert slides.converged
    for wrong, words in (({"foot": 0.1}, r"at least 0\.3"), ({"fot": 0.5}, "foot")):
        with pytest.raises(ContactError, match=words):
            step(0.4, static_friction=wrong)


def test_a_block_slides_until_it_rests_and_then_stays():
    """v = v₀ − μ g t to zero; on the way v₀²/(2 μ g), to the first order in the step."""
    robot, q, sole = block_on()
    v, start = np.array([0.1, 0, 0, 0, 0, 0]), q.copy()
    for k in range(25):  # 25 ms; it stops after 20.4 ms
        motion = checked(step_of(robot, q, v, [], sole, H))
        v, q = motion.v, robot.integrate(q, H * motion.v)
        assert v[0] == pytest.approx(max(0.1 - 0.5 * G * H * (k + 1), 0.0), abs=1e-9)
    assert v == pytest.approx(0, abs=1e-12)
    assert set(motion.states["bottom"]) == {"stick"}
    assert q[0] - start[0] == pytest.approx(0.1**2 / G, abs=0.1 * H)


@pytest.mark.parametrize(("degrees", "slides"), [(10, False), (26, False), (27, True), (40, True)])
def test_a_slope_steeper_than_the_friction_angle(degrees, slides):
    """atan 0.5 = 26.57°; beyond it, a = g (sin α − μ cos α) downhill."""
    angle = np.deg2rad(degrees)
    robot, q, sole = block_on(angle)
    motion = checked(step_of(robot, q, np.zeros(6), [], sole, H))
    a = G * (np.sin(angle) - 0.5 * np.cos(angle)) if slides else 0.0
    assert motion.a == pytest.approx([-a, 0, 0, 0, 0, 0], abs=1e-9)  # in the block's axes


def test_a_block_that_is_lifted_breaks_away():
    robot, q, sole = block_on()
    pull = {"block": fw.Wrench([0, 0, 2 * MASS * G])}
    motion = checked(step_of(robot, q, np.zeros(6), [], sole, H, pull))
    assert motion.a == pytest.approx([0, 0, G, 0, 0, 0], abs=1e-9)
    assert set(motion.states["bottom"]) == {"break"}
    assert np.abs(motion.impulses["bottom"]).max() < 1e-12
    thrown = checked(step_of(robot, q, [0.1, 0, 1, 0, 0, 0], [], sole, H))
    assert thrown.a == pytest.approx([0, 0, -G, 0, 0, 0], abs=1e-9)


def test_a_block_that_falls_flat_stays_down():
    """Moreau: no bounce; friction impulses are bounded by μ times the normal ones."""
    robot, q, sole = block_on()
    motion = checked(step_of(robot, q, [0.3, 0, -1, 0, 0, 0], [], sole, H))
    assert motion.v == pytest.approx(np.zeros(6), abs=1e-12)  # μ 1 m/s > 0.3 m/s: it sticks
    fast = checked(step_of(robot, q, [3, 0, -1, 0, 0, 0], [], sole, H)).v
    # friction acts below the centre: it can tip the block or not, but never speeds it up
    assert 0 < fast[0] < 3 - 0.4
    assert dynamics.kinetic_energy(robot, q, fast) < 0.5 * MASS * 10


def test_a_tipping_block_turns_about_its_edge():
    """Pushed at its top, the far edge holds and the near one breaks: Gauss's principle there."""
    robot, q, sole = block_on(friction=5.0)
    push = {"block": fw.Wrench([150, 0, 0], point=[0, 0, SIZE[2] / 2])}
    motion = checked(step_of(robot, q, np.zeros(6), [], sole, H, push))
    corners = next(iter(sole)).points
    broken = [state == "break" for state in motion.states["bottom"]]
    assert broken == list(corners[:, 0] < 0)
    far = corners[corners[:, 0] > 0]
    edge = [contacts.PointContact("bottom", 5.0, offset=corner) for corner in far]
    a, _ = contacts.constrained_forward_dynamics(robot, q, np.zeros(6), [], edge, push)
    assert motion.a == pytest.approx(a, abs=1e-8)
    assert a[4] > 1  # about +y: forward


def test_a_bilateral_hold_pulls():
    robot, q, sole = block_on()
    held = [replace(c, bilateral=True) for c in sole]
    pull = {"block": fw.Wrench([100, 0, 200])}
    motion = step_of(robot, q, np.zeros(6), [], held, H, pull)
    assert motion.converged
    assert motion.a == pytest.approx(0, abs=1e-9)
    assert motion.f[:3] == pytest.approx([-100, 0, MASS * G - 200], abs=1e-7)


def test_a_gap_closes_no_faster_than_it_is_wide():
    robot, q, sole = block_on()
    falling = np.array([0, 0, -1.0, 0, 0, 0])
    for v, gap, after in (
        (falling, 0.0004, -0.4),
        (falling, 0.1, -1 - G * H),
        (0 * falling, [-1e-5] * 4, 0.01),  # driven out of the ground within the step
    ):
        motion = step_of(robot, q, v, [], sole, H, gaps={"bottom": gap})
        assert motion.v[2] == pytest.approx(after)
    for name, gap, words in (
        ("botom", 0.1, "bottom"), ("bottom", [0, 0], "gaps"), ("bottom", np.nan, "gaps")
    ):  # fmt: skip
        with pytest.raises(ContactError, match=words):
            step_of(robot, q, falling, [], sole, H, gaps={name: gap})


# --- robots ----------------------------------------------------------------------------------


def moving(robot, seed, speed=1.0):
    rng = np.random.default_rng(seed)
    q = robot.integrate(robot.posture(), 0.1 * rng.standard_normal(robot.nv))
    v = speed * rng.standard_normal(robot.nv)
    return q, v, 10 * rng.standard_normal(robot.na)


@pytest.mark.parametrize("friction", [0.0, 0.3, 0.7, 2.0])
@pytest.mark.parametrize("name", ["biped", "quadruped"])
def test_obeys_the_laws_and_loses_energy(name, friction):
    """Impacts and slips of all kinds, and pushes from rest."""
    robot = robots.load(name)
    feet = contacts.at_feet(robot, friction)
    seen = set()
    for seed in range(8):
        q, v, tau = moving(robot, seed, speed=seed % 3)
        motion = checked(step_of(robot, q, v, tau, feet, H))
        free = v + H * dynamics.forward_dynamics(robot, q, v, tau)
        lost = dynamics.kinetic_energy(robot, q, free) - dynamics.kinetic_energy(robot, q, motion.v)
        assert lost > -1e-9
        seen |= {state for of_points in motion.states.values() for state in of_points}
    assert "slip" in seen
    assert "break" in seen


def point_problem(robot, q, v, tau, feet):
    """W and w of all points in their contacts' axes, and what makes v⁺ of impulses."""
    axes = {c: c.pose(robot, q).rotation.T for c in feet}
    J = np.vstack([R @ P for c, R in axes.items() for P in c.point_jacobians(robot, q)])
    inverse = np.linalg.inv(dynamics.mass_matrix(robot, q))
    free = v + H * dynamics.forward_dynamics(robot, q, v, tau)
    return J @ inverse @ J.T, J @ free, lambda x: free + inverse @ J.T @ x


def by_pinocchio(robot, solver, W, w, friction):
    """Impulses (K, 3) by its PGS or ADMM solver, given the Delassus matrix."""
    models, datas = pin.StdVec_ConstraintModel(), pin.StdVec_ConstraintData()
    for mu in friction:
        model = pin.PointContactConstraintModel(robot.model, 1, pin.SE3.Identity())
        model.setFriction(mu)
        models.append(model)
    for model in models:
        datas.append(model.createData())
    settings = getattr(pin, f"{solver}SolverSettings")()
    for kind in ("feasibility", "complementarity"):
        for reference in ("absolute", "relative"):
            setattr(settings, f"{reference}_{kind}_tol", 1e-11)
    settings.max_iterations, settings.solve_ncp = 100_000, True
    result = getattr(pin, f"{solver}SolverResult")()
    answer = getattr(pin, f"{solver}ConstraintSolver")(len(w))
    assert answer.solve(pin.DelassusOperatorDense(W), w, models, datas, settings, result)
    return result.retrieveConstraintImpulses().reshape(-1, 3)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("solver", ["PGS", "ADMM"])
@pytest.mark.parametrize("name", ["biped", "quadruped"])
def test_agrees_with_pinocchio(name, solver, seed):
    """On four balls to the last digits. Soles that slide and turn leave a choice of pressures among
    their corners, and so of motions: Pinocchio's two solvers differ there, yet obey our laws."""
    robot = robots.load(name)
    feet = contacts.at_feet(robot, 0.5)
    q, v, tau = moving(robot, seed, speed=0.3)
    motion = checked(step_of(robot, q, v, tau, feet, H))
    W, w, after = point_problem(robot, q, v, tau, feet)
    friction = np.full(len(w) // 3, 0.5)
    impulses = by_pinocchio(robot, solver, W, w, friction)
    laws = CoulombProblem(W, w, ContactLimits.of_points(friction))
    assert laws.residual(impulses, robot.mass) < 1e-9
    turning_soles = any(states == ("slip",) * 4 for states in motion.states.values())
    assert turning_soles == (name == "biped" and seed < 3)
    if not turning_soles:
        assert motion.v == pytest.approx(after(impulses.ravel()), abs=1e-8)


@pytest.mark.parametrize("name", ["biped", "quadruped"])
def test_what_sticks_moves_by_gauss_principle(name):
    """At rest on rough ground with torques that hold it: nothing slips, and a is the same."""
    robot = robots.load(name)
    feet, q, v = contacts.at_feet(robot, 2.0), robot.posture(), np.zeros(robot.nv)
    tau = contacts.static_hold(robot, q, feet, torque_limits=False).torques
    tau = tau + 0.1 * np.random.default_rng(0).standard_normal(robot.na)
    motion = checked(step_of(robot, q, v, tau, feet, H))
    a, f = contacts.constrained_forward_dynamics(robot, q, v, tau, feet)
    assert {state for of_points in motion.states.values() for state in of_points} == {"stick"}
    assert motion.a == pytest.approx(a, abs=1e-8)
    assert motion.f == pytest.approx(f, abs=1e-6)  # both sets have one answer for f


def test_a_quadruped_that_is_pushed_goes_on_standing():
    """200 steps with stiff joints and a push of a third of its weight: no foot sinks or leaves."""
    robot = robots.load("quadruped")
    feet, q0 = contacts.at_feet(robot, 0.7), robot.posture()
    still = contacts.static_hold(robot, q0, feet, torque_limits=False).torques
    q, v = q0.copy(), np.zeros(robot.nv)
    for k in range(200):
        push = {robot.frame_names[2]: fw.Wrench([60, 0, 0])} if 20 < k < 70 else None
        spring = 400 * robot.difference(q0, q) + 2 * v
        tau = still - robot.selection_matrix @ spring
        gaps = {c.name: c.world_points(robot, q)[:, 2] for c in feet}
        motion = step_of(robot, q, v, tau, feet, H, push, gaps=gaps)
        assert motion.converged
        v, q = motion.v, robot.integrate(q, H * motion.v)
    heights = [c.world_points(robot, q)[:, 2] for c in feet]
    assert np.max(heights) < 1e-4
    assert np.min(heights) > -1e-5
    assert np.abs(robot.difference(q0, q)).max() < 0.05


def test_a_motion_that_blows_up_is_refused():
    robot, q, sole = block_on()
    with pytest.raises(fw.FootworkError, match=r"blew up|expected finite values of at most"):
        step_of(robot, q, np.zeros(6), [], sole, 100.0, {"block": fw.Wrench([1e308, 0, 0])})


def test_nothing_to_touch_is_free_flight():
    robot = robots.load("quadruped")
    q, v, tau = moving(robot, 0)
    motion = step_of(robot, q, v, tau, [], H)
    assert motion.a == pytest.approx(dynamics.forward_dynamics(robot, q, v, tau), abs=1e-9)
    assert motion.converged
    assert motion.f.shape == (0,)
    floating = robots.block(1.0, SIZE).with_gravity([0.0, 0.0, 0.0])
    still = step_of(floating, floating.posture(), np.zeros(6), [], contacts.at_feet(floating), H)
    assert still.converged
    assert still.v == pytest.approx(0, abs=0)


def test_an_answer_that_did_not_converge_says_so():
    robot = robots.load("biped")
    q, v, tau = moving(robot, 2)
    motion = step_of(robot, q, v, tau, contacts.at_feet(robot), H, tolerance=1e-300, iterations=3)
    assert not motion.converged
    assert motion.iterations == 3
    assert np.isfinite(motion.residual)


@pytest.mark.parametrize("h", [0.0, -1e-3, np.nan, np.inf])
def test_bad_steps_are_refused(h):
    robot, q, sole = block_on()
    with pytest.raises(ConfigurationError, match="step"):
        step_of(robot, q, np.zeros(6), [], sole, h)
