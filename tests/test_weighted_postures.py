"""Weighted and exact tasks of the inverse kinematics, all at once and tick by tick."""

from __future__ import annotations

from dataclasses import replace

import cvxpy as cp
import numpy as np
import pinocchio as pin
import pytest
from differences import derivative, in_vector
from scipy.optimize import minimize
from stances import inside, posed

from footwork import ConfigurationError, ContactError, contacts, control, dynamics, robots
from footwork.contacts.postures.inverse_kinematics import bounded_least_squares
from footwork.dynamics import State

TURN = pin.exp3(np.array([0.3, 0.5, 1.0]))
LIMB = robots.limb([1.0, 1.0], [1.0, 1.0])


def at(place):
    return pin.SE3(np.eye(3), np.array(place))


def stiff_limb():
    """Two hinged segments whose second hardly bends."""
    model = LIMB.model
    model.upperPositionLimit[1], model.lowerPositionLimit[1] = 0.5, -0.1
    return replace(LIMB, model=model)


def reach(robot, q, away, **options):
    T = dynamics.frame_placement(robot, q, "right_hand")
    return control.FrameTask(pin.SE3(TURN, T.translation + away), frame="right_hand", **options)


def balance(robot, q, **options):
    return control.ComTask(dynamics.com(robot, q), axes=("x", "y"), name="balance", **options)


def cost(robot, tasks, q):
    errors = [task.error(State(robot, q), 0.0) for task in tasks]
    return sum(np.sum(task.weight * e**2) for task, e in zip(tasks, errors, strict=True))


def by_slsqp(robot, feet, targets, tasks, start, tilt=None):
    """The posture of least cost with the feet at their targets, by SciPy."""
    lower = robot.model.lowerPositionLimit[7:] - start[7:]
    upper = robot.model.upperPositionLimit[7:] - start[7:]
    at = lambda x: robot.integrate(start, x)  # noqa: E731
    missed = lambda x: feet.error(at(x), targets)  # noqa: E731
    total = lambda x: cost(robot, tasks, at(x))  # noqa: E731
    constraints = [{"type": "eq", "fun": missed, "jac": lambda x: in_vector(x, missed)}]
    if tilt is not None:
        up = lambda x: np.array([pin.Quaternion(at(x)[3:7]).matrix()[2, 2] - np.cos(tilt)])  # noqa: E731
        constraints.append({"type": "ineq", "fun": up, "jac": lambda x: in_vector(x, up)})
    found = minimize(
        total,
        np.zeros(robot.nv),
        jac=lambda x: in_vector(x, total),
        bounds=[(None, None)] * 6 + list(zip(lower, upper, strict=True)),
        constraints=constraints,
        method="SLSQP",
        options={"maxiter": 300, "ftol": 1e-14},
    )
    return at(found.x), found.fun


# --- the whole way ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("away", "rest", "leans"),
    [((0.1, 0.1, 0.2), 1e-2, False), ((0.6, 0.1, 0.4), 1e-3, False), ((0.2, 0, -0.3), 1e-3, True)],
)
def test_the_sum_of_weighted_errors_is_the_least(away, rest, leans):
    """A hand, the centre of mass and a posture that contradict each other, against SciPy's SLSQP;
    the last reaches down so far that the trunk leans as far as it may."""
    robot, feet, q = posed("biped")
    rest = control.PostureTask(q, weight=rest)
    tasks = [reach(robot, q, away), balance(robot, q, weight=10.0), rest]
    posture = contacts.solve_posture(robot, feet, tasks=tasks)
    assert posture.converged, posture.reason
    assert feet.error(posture.q, posture.targets) == pytest.approx(0, abs=1e-9)
    tilt = np.deg2rad(75.0) - 1e-3 if leans else None
    start = contacts.solve_posture(robot, feet).q
    expected, least = by_slsqp(robot, feet, posture.targets, tasks, start, tilt)
    assert cost(robot, tasks, posture.q) == pytest.approx(least, rel=1e-4 if leans else 1e-9)
    assert robot.difference(expected, posture.q) == pytest.approx(0, abs=1e-2 if leans else 1e-4)
    assert list(posture.residuals) == ["right_hand", "balance", "posture"]
    missed = tasks[0].target.translation
    missed = missed - dynamics.frame_placement(robot, posture.q, "right_hand").translation
    assert posture.residuals["right_hand"][:3] == pytest.approx(missed)


def test_two_targets_of_one_tip_are_shared_by_their_weights():
    """p = (w₁ p₁ + w₂ p₂)/(w₁ + w₂), where that is in reach."""
    places, weights = np.array([[1.2, 0.4, 0.0], [0.5, 1.1, 0.0]]), (3.0, 1.0)
    tasks = [
        control.FrameTask(at(p), frame="tip", rows_of=("x", "y"), weight=w, name=name)
        for name, p, w in zip("01", places, weights, strict=True)
    ]
    posture = contacts.solve_posture(LIMB, [], q0=[0.1, 0.4], tasks=tasks)
    assert posture.converged
    tip = dynamics.frame_placement(LIMB, posture.q, "tip").translation
    assert tip == pytest.approx(np.average(places, axis=0, weights=weights), abs=1e-7)
    for name, p in zip("01", places, strict=True):
        assert posture.residuals[name] == pytest.approx((p - tip)[:2])


def test_what_is_in_reach_is_reached_and_what_is_not_is_pointed_at():
    asked = {"q0": np.array([0.1, 0.4]), "iterations": 1000}
    task = control.FrameTask(at((0.8, 0.9, 0.0)), frame="tip", rows_of="position")
    posture = contacts.solve_posture(LIMB, [], tasks=[task], **asked)
    assert posture.residuals["tip"] == pytest.approx(0, abs=1e-8)
    task.target = at((3.0, 3.0, 0.0))
    posture = contacts.solve_posture(LIMB, [], tasks=[task], **asked)
    assert posture.converged
    assert posture.q == pytest.approx([-np.pi / 4, 0.0], abs=1e-6)  # segments lie along y at zero


def test_a_heavier_task_misses_by_less():
    (robot, feet, q), missed = posed("biped"), []
    for weight in (0.1, 1.0, 10.0):
        hand = reach(robot, q, (0.5, 0, 0.2), rows_of="position", weight=weight)
        tasks = [hand, balance(robot, q), control.PostureTask(q, weight=1e-2)]
        posture = contacts.solve_posture(robot, feet, tasks=tasks)
        assert posture.converged
        missed.append(np.linalg.norm(posture.residuals["right_hand"]))
    assert missed[0] > 1.2 * missed[1] > 1.2**2 * missed[2]


def test_exact_tasks_are_met_to_rounding_beside_weighted_ones():
    robot, feet, q = posed("biped")
    hand = reach(robot, q, (0.9, 0.0, 0.2), rows_of="position")
    asked = {"rows_of": ("rx", "ry"), "name": "level torso", "weight": 0.0}
    level = control.FrameTask(pin.SE3.Identity(), frame="torso", **asked)
    posture = contacts.solve_posture(robot, feet, tasks=[hand], exact=[level, balance(robot, q)])
    assert posture.converged
    assert {"left_foot", "level torso", "balance"} <= posture.errors.keys()
    torso = dynamics.frame_placement(robot, posture.q, "torso").rotation
    assert torso[2] == pytest.approx([0, 0, 1], abs=1e-7)
    assert dynamics.com(robot, posture.q)[:2] == pytest.approx(dynamics.com(robot, q)[:2], abs=1e-8)
    assert np.linalg.norm(posture.residuals["right_hand"]) > 0.05


def test_exact_tasks_out_of_reach_are_named():
    robot, feet, q = posed("biped")
    far = reach(robot, q, (2.0, 0.0, 0.0), rows_of="position", name="far hand")
    posture = contacts.solve_posture(robot, feet, exact=[far], tasks=[control.PostureTask(q)])
    assert not posture.converged
    assert "'far hand' misses its target by" in posture.reason
    assert posture.errors["far hand"] == pytest.approx(np.abs(posture.residuals["far hand"]).max())
    twice = [
        control.ComTask(dynamics.com(robot, q) + np.array([0, side, 0]), name=f"com {side}")
        for side in (-0.05, 0.05)
    ]
    reason = contacts.solve_posture(robot, feet, exact=twice).reason
    assert "'com -0.05'" in reason
    assert "'com 0.05'" in reason


def test_limits_hold_the_weighted_tasks_back():
    """The angle of the first joint alone is free."""
    robot = stiff_limb()
    task = control.FrameTask(at((0.0, 0.8, 0.0)), frame="tip", rows_of="position")
    posture = contacts.solve_posture(robot, [], q0=[0.1, 0.2], tasks=[task])
    assert posture.converged
    assert posture.q[1] == pytest.approx(0.5)
    assert posture.q[0] == pytest.approx(-0.25, abs=1e-6)  # the tip is at π/2 + q₀ + q₁/2
    free = contacts.solve_posture(robot, [], q0=[0.1, 0.2], tasks=[task], limits=False)
    assert free.residuals["tip"] == pytest.approx(0, abs=1e-8)


def test_inside_keeps_the_robot_standing_as_a_hand_pulls_it_out():
    robot, feet, q = posed("biped")
    hand = reach(robot, q, (0.9, 0.0, 0.0), rows_of="position")
    tasks = [hand, control.PostureTask(q, weight=1e-3)]
    for com, holds in ((None, False), ("inside", True)):
        posture = contacts.solve_posture(robot, feet, com, tasks=tasks, iterations=300)
        assert posture.converged, posture.reason
        hold = contacts.static_hold(robot, posture.q, feet, torque_limits=False)
        assert hold.feasible is holds


def test_a_centre_of_mass_that_is_inside_is_told_as_any_other():
    """Whether tasks had to be given up for it, or none are asked for."""
    robot, feet, q = posed("biped")
    rest = control.PostureTask(q)
    for tasks in ([], [rest], [balance(robot, q), rest]):
        posture = contacts.solve_posture(robot, feet, com="inside", tasks=tasks)
        assert posture.converged
        assert posture.errors["com"] == pytest.approx(0, abs=1e-9)
        assert posture.com[:2] == pytest.approx(dynamics.com(robot, posture.q)[:2], abs=1e-9)
        assert len(posture.residuals) == len(tasks)


def test_closures_stay_closed_and_both_ways_lead_to_one_posture():
    """Forearms welded to each other: a hand takes the other arm along."""
    robot, q = robots.load("biped"), robots.load("biped").posture()
    left, right = (dynamics.frame_placement(robot, q, f"{s}_forearm") for s in ("left", "right"))
    weld = robots.LoopClosure("grip", "left_forearm", "right_forearm", "weld", left.actInv(right))
    robot = robot.with_closures([weld])
    feet, T = contacts.at_feet(robot), dynamics.frame_placement(robot, q, "left_hand")
    goal = pin.SE3(T.rotation, T.translation + np.array([0.1, 0.0, 0.1]))
    hand = control.FrameTask(goal, frame="left_hand", rows_of="position")
    tasks, places = [hand, control.PostureTask(q, weight=1e-3)], feet.placements(q)
    posture = contacts.solve_posture(robot, feet, targets=places, tasks=tasks)
    assert posture.converged
    assert posture.errors["closure grip"] < 1e-10
    assert np.abs(posture.residuals["left_hand"]).max() < 0.01
    for _ in range(300):
        step = contacts.solve_velocity(robot, feet, q, tasks, targets=places, rate=50.0)
        q = robot.integrate(q, 0.01 * step.v)
    assert robot.difference(posture.q, q) == pytest.approx(0, abs=1e-4)


def test_links_keep_their_clearance_from_what_a_weighted_task_wants():
    robot, q = robots.load("biped"), robots.load("biped").posture()
    step = 0.8 * np.random.default_rng(3).standard_normal(robot.nv)
    crossed = robot.integrate(q, step * (np.arange(robot.nv) > 5))
    tasks, found = [control.PostureTask(crossed)], []
    feet = contacts.at_feet(robot)
    places = feet.placements(q)
    for clearance in (False, 0.01):
        asked = {"targets": places, "tasks": tasks, "self_collision": clearance}
        posture = contacts.solve_posture(robot, feet, **asked)
        found.append((posture, contacts.self_collisions(robot, posture.q)))
    (careless, overlaps), (careful, none) = found
    assert careless.converged
    assert careful.converged
    assert overlaps
    assert not none
    assert cost(robot, tasks, careful.q) > cost(robot, tasks, careless.q)
    assert cost(robot, tasks, careful.q) < cost(robot, tasks, q)


def test_references_are_read_at_a_time():
    moving = lambda t: (at((1.0, t, 0.0)), np.zeros(6), np.zeros(6))  # noqa: E731
    tip = control.FrameTask(moving, frame="tip", rows_of="position")
    posture = contacts.solve_posture(LIMB, [], q0=[0.1, 0.4], tasks=[tip], t=0.7)
    place = dynamics.frame_placement(LIMB, posture.q, "tip").translation
    assert place == pytest.approx([1.0, 0.7, 0.0], abs=1e-8)


def test_what_is_no_task_of_a_posture_is_refused():
    robot, feet, q = posed("biped")
    rest, T = control.PostureTask(q), dynamics.frame_placement(robot, q, "right_hand")
    heavy = control.ComTask(np.zeros(3), weight=(1.0, 2.0))
    soft = control.ImpedanceTask(T, frame="right_hand")
    for task, said in (
        (heavy, r"weight of 'com': got shape \(2,\), expected"),
        (soft, "asks for forces"),
    ):
        with pytest.raises(ConfigurationError, match=said):
            contacts.solve_velocity(robot, feet, q, [task])
    force = control.ForceTask(1.0, contact="left_foot")
    foot = control.FrameTask(T, frame="left_foot")
    spin = control.MomentumTask(np.zeros(6))
    for asked, error, said in (
        ({"tasks": ["hand"]}, ContactError, r"tasks\[0\]: got 'hand', expected a motion task"),
        ({"tasks": [control.PostureTask]}, ContactError, r"got <class .*expected a motion task"),
        ({"tasks": rest}, ContactError, "tasks: got PostureTask.*a sequence of motion tasks"),
        ({"exact": [rest, force]}, ContactError, r"exact\[1\]: got ForceTask"),
        ({"tasks": [spin]}, ConfigurationError, "expected tasks on the configuration"),
        ({"tasks": [rest], "exact": [rest]}, ContactError, "the name 'posture' twice"),
        ({"exact": [foot]}, ContactError, "the name 'left_foot' twice"),
        ({"tasks": [rest], "maximize": "margin"}, ContactError, "maximize: got 'margin' and tasks"),
    ):
        with pytest.raises(error, match=said):
            contacts.solve_posture(robot, feet, **asked)


# --- errors of tasks -------------------------------------------------------------------------


def kinds(robot):
    T, p = pin.SE3(TURN, np.array([0.3, -0.4, 1.2])), np.array([0.1, 0.0, 0.05])
    hand = {"frame": "right_hand"}
    return [
        control.FrameTask(T, **hand),
        control.FrameTask(T, **hand, rows_of=("x", "rz"), point=p),
        control.FrameTask(T, **hand, axes="frame", point=p),
        control.RelativeTask(T, frame="right_hand", seen_from="head", rows_of=("y", "rx")),
        control.GazeTask((1.0, 0.3, 0.8), frame="head", axis=(2.0, 0.0, 1.0)),
        control.ComTask(np.array([0.1, 0.2, 0.3]), axes=("x", "z")),
        control.PostureTask(robot.posture(), joints=robot.actuated[:4]),
        control.ImpedanceTask(T, **hand, rows_of="orientation"),
    ]


@pytest.mark.parametrize("k", range(8))
def test_errors_have_their_derivatives(biped, k):
    """Far from the target, where a rotation's error and its Jacobian are far from each other."""
    task, rng = kinds(biped)[k], np.random.default_rng(k)
    task.bind(biped)
    q = biped.integrate(biped.posture(), 0.4 * rng.standard_normal(biped.nv))
    error = lambda x: task.error(State(biped, biped.integrate(q, x)), 0.0)  # noqa: E731
    expected = in_vector(np.zeros(biped.nv), error)
    assert task.error_jacobian(State(biped, q), 0.0) == pytest.approx(expected, abs=1e-8)


def test_joints_that_turn_as_balls_do_have_theirs_too():
    ball = '<joint name="ball" type="ball"/><geom size="0.1" pos="0 0 0.2"/>'
    robot = robots.load(f"<mujoco><worldbody><body>{ball}</body></worldbody></mujoco>")
    rng = np.random.default_rng(0)
    task = control.PostureTask(robot.random_configuration(rng), joints=["ball"])
    task.bind(robot)
    q = robot.integrate(task.target, rng.standard_normal(3))
    error = lambda x: task.error(State(robot, robot.integrate(q, x)), 0.0)  # noqa: E731
    expected = in_vector(np.zeros(3), error)
    assert task.error_jacobian(State(robot, q), 0.0) == pytest.approx(expected, abs=1e-8)


def test_a_gaze_has_its_rates(biped):
    rng = np.random.default_rng(0)
    task = control.GazeTask((1.0, 0.3, 0.8), frame="head", axis=(0.0, 3.0, 0.0))
    assert task.bind(biped) == 3
    q = biped.integrate(biped.posture(), 0.3 * rng.standard_normal(biped.nv))
    v = rng.standard_normal(biped.nv)
    at = lambda t: State(biped, biped.integrate(q, t * v), v)  # noqa: E731
    assert -task.jacobian(at(0.0)) @ v == pytest.approx(
        derivative(lambda t: task.error(at(t), 0.0)), abs=1e-8
    )
    rate = derivative(lambda t: task.jacobian(at(t)) @ v)
    assert task.drift(at(0.0)) == pytest.approx(rate, abs=1e-8)
    T = dynamics.frame_placement(biped, q, "head")
    task.target = T.act(np.array([0.0, 2.0, 0.0]))
    assert task.error(at(0.0), 0.0) == pytest.approx(0, abs=1e-12)
    task.target = T.act(np.array([2.0, 2.0, 0.0]))  # 45° off
    assert np.linalg.norm(task.error(at(0.0), 0.0)) == pytest.approx(2 * np.sin(np.pi / 8))
    task.target = np.ones(2)
    with pytest.raises(ConfigurationError, match="target of 'gaze of head': got"):
        task.bind(biped)


def test_a_gaze_follows_what_moves(biped):
    """Its rows ask for ë = −damping ė − gain e, with the error's rates by finite differences."""
    rng = np.random.default_rng(1)
    p, w = np.array([1.0, 0.3, 0.8]), np.array([0.5, -2.0, 1.0])
    ball = lambda t: (p + np.sin(t) * w, np.cos(t) * w, -np.sin(t) * w)  # noqa: E731
    task = control.GazeTask(ball, frame="head", axis=(0.0, 3.0, 0.0), damping=7.0)
    assert task.bind(biped) == 3
    q = biped.integrate(biped.posture(), 0.3 * rng.standard_normal(biped.nv))
    v, now = rng.standard_normal(biped.nv), 0.7
    error = lambda t: task.error(State(biped, biped.integrate(q, t * v)), now + t)  # noqa: E731
    rate = derivative(error)
    still = derivative(lambda h: (error(h) - error(0.0)) / h)  # ½ ë at a = 0
    state = State(biped, q, v)
    J, r, e = task.rows(state, now)
    assert e == pytest.approx(error(0.0), abs=1e-12)
    assert task.error_jacobian(state, now) == pytest.approx(-J, abs=1e-12)
    assert r == pytest.approx(2 * still + 7.0 * rate + task.gain * e, abs=1e-6)
    J, asked = task.velocity_rows(state, now)  # for ė = −√gain e along the sphere
    y = np.array([0.0, 1.0, 0.0]) - e
    assert asked - J @ v == pytest.approx(rate + task.gain**0.5 * (e - y * (y @ e)), abs=1e-8)
    with pytest.raises(ConfigurationError, match=r"'gaze of head': got a reference, .*a point"):
        task.jacobian(state)


def test_what_nothing_can_look_at_is_refused_also_later(biped):
    state = State(biped, biped.posture())
    with pytest.raises(ConfigurationError, match=r"axis of 'gaze of head': got .*a direction"):
        control.GazeTask((1.0, 0.0, 0.0), frame="head", axis=(0.0, 0.0, 0.0))
    task = control.GazeTask((1.0, 0.0, 0.0), frame="head")
    constraint = control.GazeConstraint((1.0, 0.0, 0.0), frame="head", angle=0.3)
    for found, value in (
        (task, lambda: task.error(state, 0.0)),
        (constraint, lambda: constraint.value(state)),
    ):
        found.bind(biped)
        for target, said in (((1.0, 2.0), "shape"), ((np.nan, 0.0, 0.0), "nan")):
            found.target = target
            with pytest.raises(ConfigurationError, match=f"target of 'gaze of head': got {said}"):
                value()


def test_a_head_looks_where_it_should():
    robot, feet, q = posed("biped")
    place = np.array([1.0, -0.2, 0.9])
    gaze = control.GazeTask(place, frame="head", axis=(1.0, 0.0, 0.0))
    rest = control.PostureTask(q, weight=1e-6)
    posture = contacts.solve_posture(robot, feet, tasks=[rest], exact=[gaze])
    assert posture.converged, posture.reason
    T = dynamics.frame_placement(robot, posture.q, "head")
    seen = T.actInv(place)
    assert seen / np.linalg.norm(seen) == pytest.approx([1, 0, 0], abs=1e-7)


def test_a_head_turns_where_it_should_look_though_its_rows_depend_on_each_other():
    robot, feet, q = posed("biped")
    gaze, places = control.GazeTask((1.0, 1.0, 1.0), frame="head"), feet.placements(q)
    for _ in range(100):
        step = contacts.solve_velocity(robot, feet, q, exact=[gaze], targets=places)
        assert step.feasible, step.reason
        q = robot.integrate(q, 0.01 * step.v)
    assert gaze.error(State(robot, q), 0.0) == pytest.approx(0, abs=1e-3)


def test_a_head_follows_what_moves():
    robot, feet, q = posed("biped")
    places, dt, speed = feet.placements(q), 0.01, np.array([0.0, 0.6, 0.2])

    def passing(t):
        return np.array([1.0, -0.3, 1.0]) + speed * t, speed, np.zeros(3)

    for exact in (True, False):
        q = robot.posture()
        gaze = control.GazeTask(passing, frame="head", gain=400.0)
        asked = {"exact": [gaze]} if exact else {"tasks": [gaze]}
        for k in range(100):
            step = contacts.solve_velocity(robot, feet, q, targets=places, t=k * dt, **asked)
            assert step.feasible, step.reason
            q = robot.integrate(q, dt * step.v)
        # without the target's own velocity it would stay 0.6 / 20 = 0.03 behind
        assert gaze.error(State(robot, q), 1.0) == pytest.approx(0, abs=2e-3)


# --- tick by tick ----------------------------------------------------------------------------


def by_cvxpy(robot, feet, q, tasks, rate, lower, upper):
    state, v = State(robot, q), cp.Variable(robot.nv)
    total = 1e-6 * cp.sum_squares(v)
    for task in tasks:
        gap = task.jacobian(state) @ v - np.sqrt(task.gain) * task.error(state, 0.0)
        total += cp.sum(cp.multiply(task.weight, cp.square(gap)))
    held = [feet.jacobian(q) @ v == 0, v >= lower, v <= upper]
    cp.Problem(cp.Minimize(total), held).solve("CLARABEL", tol_gap_abs=1e-12, tol_gap_rel=1e-12)
    return v.value


@pytest.mark.parametrize("speed_limits", [False, True])
def test_a_velocity_is_that_of_the_program(speed_limits):
    robot, feet, q = posed("biped")
    rest = control.PostureTask(q, weight=1e-2)
    tasks = [reach(robot, q, (0.4, 0.1, 0.2)), balance(robot, q, weight=10.0), rest]
    found = contacts.solve_velocity(robot, feet, q, tasks, speed_limits=speed_limits)
    model = robot.model
    upper, lower = np.full(robot.nv, 1e3), np.full(robot.nv, -1e3)
    if speed_limits:
        upper = np.minimum(upper, model.upperVelocityLimit)
        lower = -upper
    upper[6:] = np.minimum(upper[6:], 10.0 * (model.upperPositionLimit[7:] - q[7:]))
    lower[6:] = np.maximum(lower[6:], 10.0 * (model.lowerPositionLimit[7:] - q[7:]))
    expected = by_cvxpy(robot, feet, q, tasks, 10.0, lower, upper)
    assert found.feasible
    assert found.v == pytest.approx(expected, abs=1e-4)
    state = State(robot, q)
    for task in tasks:
        residual = 10.0 * task.error(state, 0.0) - task.jacobian(state) @ found.v
        assert found.residuals[task.name] == pytest.approx(residual, abs=1e-12)


def test_velocities_lead_to_the_posture():
    robot, feet, q = inside("biped", 0.7)
    places = feet.placements(q)
    tasks = [
        reach(robot, q, (0.2, 0.1, 0.2)),
        control.GazeTask((1.5, -0.5, 1.0), frame="head", weight=0.1),
        control.PostureTask(q, weight=1e-2),
    ]
    asked = {"targets": places, "tasks": tasks, "exact": [balance(robot, q)]}
    posture = contacts.solve_posture(robot, feet, q0=q, **asked)
    for _ in range(400):
        step = contacts.solve_velocity(robot, feet, q, rate=50.0, **asked)
        assert step.feasible, step.reason
        q = robot.integrate(q, 0.01 * step.v)
    assert robot.difference(posture.q, q) == pytest.approx(0, abs=1e-4)
    assert feet.error(q, places) == pytest.approx(0, abs=1e-9)


def test_joint_limits_are_never_left():
    robot, q = stiff_limb(), np.array([0.1, 0.2])
    task = control.FrameTask(at((0.0, 0.8, 0.0)), frame="tip", rows_of="position")
    for _ in range(1000):
        step = contacts.solve_velocity(robot, [], q, [task], rate=100.0)
        q = robot.integrate(q, 0.01 * step.v)
        assert q[1] <= 0.5
    assert q == pytest.approx([-0.25, 0.5], abs=1e-6)
    assert step.limited == (robot.joint_names[1],)


def test_exact_rates_out_of_reach_are_named():
    away = {"tip": np.array([1.0, 1.0, 0.5])}
    step = contacts.solve_velocity(LIMB, [], np.array([0.1, 0.4]), frames=away)
    assert not step.feasible
    assert "the rate of 'frame tip' is missed by 5 m/s" in step.reason
    assert step.errors["frame tip"] == pytest.approx(5.0)


def test_a_momentum_is_one_of_velocities():
    robot = robots.load("quadruped")
    h = np.array([0, 0, 0, 0.1, -0.2, 0.3])
    spin = control.MomentumTask(h, rows_of="both")
    q = robot.posture()
    step = contacts.solve_velocity(robot, [], q, exact=[spin])
    assert step.feasible
    assert dynamics.centroidal_momentum(robot, q, step.v) == pytest.approx(h, abs=1e-9)


def test_feet_ride_on_what_moves():
    robot, q = robots.load("biped"), robots.load("biped").posture()
    moving = contacts.MovingSurface(linear=(0.2, 0.0, 0.0))
    feet = contacts.ContactSet(robot, [replace(c, surface=moving) for c in contacts.at_feet(robot)])
    step = contacts.solve_velocity(robot, feet, q, [control.PostureTask(q)])
    assert step.feasible
    assert feet.jacobian(q) @ step.v == pytest.approx([0.2, 0, 0, 0, 0, 0] * 2, abs=1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_least_squares_with_bounds_and_equations_is_cvxpys(seed):
    rng = np.random.default_rng(seed)
    n, m = 12, int(rng.integers(1, 6))
    A = np.vstack([rng.standard_normal((8, n)), 1e-2 * np.eye(n)])
    b, C = np.append(rng.standard_normal(8), np.zeros(n)), rng.standard_normal((m, n))
    lower, upper = rng.uniform(-0.4, -0.1, n), rng.uniform(0.1, 0.4, n)
    C[-1] = C[0]  # redundant, as of feet on one plate
    d = C @ rng.uniform(lower / 2, upper / 2)
    x = bounded_least_squares(A, b, lower, upper, C, d)
    assert pytest.approx(d, abs=1e-9) == C @ x
    assert ((lower <= x) & (x <= upper)).all()
    y = cp.Variable(n)
    equations = C[:-1] @ y == d[:-1] if m > 1 else C @ y == d
    held = [equations, y >= lower, y <= upper]
    problem = cp.Problem(cp.Minimize(cp.sum_squares(A @ y - b)), held)
    problem.solve("CLARABEL", tol_gap_abs=1e-12, tol_gap_rel=1e-12)
    assert np.sum((A @ x - b) ** 2) == pytest.approx(problem.value, rel=1e-7, abs=1e-9)
