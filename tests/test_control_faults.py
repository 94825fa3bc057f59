"""Closed loops with something wrong at some ticks: robots go on, and commands say why."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from footwork import ConfigurationError, contacts, control, dynamics, robots
from footwork.control import gaits


class Disturbed:
    """A controller between which and the robot something breaks at every tenth tick."""

    gives_commands = True

    def __init__(self, controller, fault):
        self.controller, self.fault, self.reasons = controller, fault, []

    def __call__(self, q, v, t):
        now = t
        if round(500 * t) % 10 == 5:
            q, v, t, now = self.fault(q.copy(), v.copy(), t)
        command = self.controller(q, v, t, now=now)
        if command.reason:
            self.reasons.append(command.reason)
        return command


def nan_position(q, v, t):
    q[9] = np.nan
    return q, v, t, t


def no_quaternion(q, v, t):
    q[3:7] = 0.0
    return q, v, t, t


def infinite_speed(q, v, t):
    v[0] = np.inf
    return q, v, t, t


def short(q, v, t):
    return q[:-1], v, t, t


def nothing(q, v, t):
    return None, v, t, t


def late(q, v, t):
    return q, v, t, t + 0.05


def earlier(q, v, t):
    return q, v, t - 1.0, t - 1.0


def no_time(q, v, t):
    return q, v, np.nan, np.nan


FAULTS = {
    nan_position: "q: got nan",
    no_quaternion: "quaternion",
    infinite_speed: "v: got inf",
    short: "shape",
    nothing: "q",
    late: "late",
    earlier: "expected a later one",
    no_time: "t: got nan",
}


@pytest.fixture
def standing():
    """A quadruped, a controller by which it stands, its feet and posture."""
    robot = robots.load("quadruped")
    controller, q = control.stand(robot)
    return robot, controller, controller.contacts, q


@pytest.mark.parametrize("policy", ["hold", "damp"])
@pytest.mark.parametrize("fault", FAULTS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("walks", [False, True])
def test_a_robot_stands_on_through_faults(fault, policy, walks):
    robot = robots.load("quadruped")
    options = {"on_failure": policy, "deadline": 0.01}
    controller, q = control.stand(robot, **options)
    if walks:  # whose velocity is zero
        controller = control.GaitController(robot, controller.contacts, q, **options)
    broken = Disturbed(controller, fault)
    motion = control.simulate(robot, broken, q=q, duration=0.1, step=2e-3)
    expected = {"hold": "held", "damp": "damped"}[policy]
    assert motion.statuses.count(expected) == 5
    assert all(FAULTS[fault] in reason for reason in broken.reasons)
    assert len(broken.reasons) == 5
    assert not motion.fell
    # damped for a tenth of the time the robot sags a little, held it does not; a gait balances it
    still = policy == "hold" and not walks
    assert np.abs(motion.com - motion.com[0]).max() < (1e-3 if still else 2e-2)


@pytest.mark.parametrize(
    "fault", [nan_position, nothing, no_time, earlier], ids=lambda f: f.__name__
)
def test_a_fault_where_a_phase_begins_does_not_lose_the_step(standing, fault):
    """The tick at which a foot should lift is broken: it lifts at the next one."""
    robot, _, feet, q = standing
    phases = gaits.trot(feet, q, 2, settle=0.2)
    free = {"torque_rate": np.inf}  # which counts from the torques that were held
    walker, clean = (control.WalkingController(robot, feet, q, phases, **free) for _ in range(2))
    v = np.zeros(robot.nv)
    begin = float(walker.plan.times[1])
    for t in np.arange(0.0, begin, 0.01):
        walker(q, v, t)
        clean(q, v, t)
    broken = walker(*fault(q.copy(), v.copy(), begin)[:3])
    assert not broken.solved
    t = begin + 0.002
    assert walker(q, v, t).tau == pytest.approx(clean(q, v, t).tau, abs=1e-6)
    assert walker.controller.contacts.names == clean.controller.contacts.names
    assert len(walker.controller.contacts) == 2


def test_contacts_that_cannot_be_kept_are_told():
    """Feet on their way up and weak motors: ticks answer within the limits, and say what gives."""
    robot = robots.load("quadruped")
    controller, q = control.stand(robot, torque_limits=1.0)
    v, reasons = np.zeros(robot.nv), []
    v[2] = 3.0

    class Told:
        gives_commands = True

        def __call__(self, q, v, t):
            command = controller(q, v, t)
            reasons.append(command.reason)
            return command

    motion = control.simulate(robot, Told(), q=q, v=v, duration=0.1, step=2e-3)
    assert np.abs(motion.tau).max() <= 1.0 + 1e-9
    assert np.isfinite(motion.tau).all()
    assert "gave way: contact" in reasons[0]
    assert motion.statuses[0] == "relaxed"


def test_one_foot_twice_and_straight_legs_are_no_trouble():
    """Contacts that repeat each other, and a posture where legs cannot move lengthwise."""
    robot = robots.load("biped")
    controller, q = control.stand(robot)
    v = np.zeros(robot.nv)
    left, right = controller.contacts
    twice = replace(left, name="again")
    doubled = control.WholeBodyController(robot, [left, right, twice], controller.tasks)
    command = doubled(q, v)
    assert command.solved
    assert max(command.residuals.values()) < 1e-5
    straight, up = robot.neutral(), np.array([0.0, 0.0, 0.05])
    rise = control.ComTask(dynamics.com(robot, straight) + up)
    stretched = control.WholeBodyController(robot, contacts.at_feet(robot), [rise])
    command = stretched(straight, v)
    assert np.isfinite(command.tau).all()
    assert (np.abs(command.tau) <= robot.torque_limits + 1e-9).all()


def joystick(told):
    """A command of 0.1 m/s, and from a moment in mid-stride on something else."""
    return lambda t: told(t) if t >= 0.4 else (0.1, 0.0, 0.0)


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        (lambda t: (99.0, 0.0, 0.0), "TooFast: velocity: got"),
        (lambda t: (np.nan, 0.0, 0.0), "velocity: got nan"),
        (lambda t: 1 / 0, "ZeroDivisionError"),
    ],
)
def test_a_robot_goes_through_commands_that_are_none(standing, told, reason):
    robot, _, feet, q = standing
    gait = control.GaitController(robot, feet, q, velocity=joystick(told))
    motion = control.simulate(robot, gait, q=q, duration=1.0, control_step=2e-3)
    assert set(motion.statuses) == {"optimal"}
    assert not motion.ended
    assert gait.path.stands
    again = control.GaitController(robot, feet, q, velocity=joystick(told))
    assert not again(q, np.zeros(robot.nv), 0.09).reason
    assert reason in again(q, np.zeros(robot.nv), 0.4).reason
    raising = control.GaitController(robot, feet, q, velocity=joystick(told), on_failure="raise")
    with pytest.raises((ConfigurationError, ZeroDivisionError)):
        raising(q, np.zeros(robot.nv), 0.4)


def test_a_walker_that_has_walked_says_that_another_one_begins_anew(standing):
    robot, _, feet, q = standing
    gait = control.GaitController(robot, feet, q)
    assert gait(q, np.zeros(robot.nv), 1.0).solved
    assert "another GaitController" in gait(q, np.zeros(robot.nv), 0.0).reason


def test_a_controller_that_was_used_is_not_simulated_from_the_start_again(standing):
    """It would hold its last torques until the robot falls."""
    robot, controller, feet, q = standing
    gait = control.GaitController(robot, feet, q)
    for used, remedy in ((controller, "restart"), (gait, "another GaitController")):
        assert not control.simulate(robot, used, q=q, duration=0.1).ended
        with pytest.raises(ConfigurationError, match=f"from the start on it failed.*{remedy}"):
            control.simulate(robot, used, q=q, duration=0.1)
    controller.restart()
    assert not control.simulate(robot, controller, q=q, duration=0.1).ended
