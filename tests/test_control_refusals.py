"""Refusals of controllers, tasks and disturbances, and their messages."""

from __future__ import annotations

import threading
from contextlib import nullcontext
from copy import deepcopy
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from stances import inside

from footwork import ConfigurationError, ContactError, contacts, control, dynamics, robots
from footwork.control import gaits
from footwork.control.constraints import Barrier
from footwork.control.tasks import Task
from footwork.dynamics.kernels.toolchain import switched_off


@pytest.fixture(scope="module")
def biped():
    return inside("biped")


def controller_of(biped, tasks=(), **options):
    robot, feet, q = biped
    posture = control.PostureTask(q, weight=0.1)
    return control.WholeBodyController(robot, feet, [posture, *tasks], **options)


def refused(biped, message, tasks=(), compiled=True, **options):
    """A tick at rest raises that message."""
    robot, _, q = biped
    with nullcontext() if compiled else switched_off():
        controller = controller_of(biped, tasks, on_failure="raise", **options)
        with pytest.raises(ConfigurationError, match=message):
            controller(q, np.zeros(robot.nv))


@pytest.mark.parametrize("t", [1e300, -1e300, 1e11])
def test_an_absurd_time_holds_no_later_tick(biped, t):
    robot, _, q = biped
    controller, v = controller_of(biped), np.zeros(robot.nv)
    assert controller(q, v, 0.0).solved
    assert "t: got" in controller(q, v, t).reason
    assert controller(q, v, 0.01).solved


def test_a_controller_starts_anew(biped):
    robot, feet, q = biped
    controller, v = controller_of(biped), np.zeros(robot.nv)
    assert controller(q, v, 5.0).solved
    assert "restart()" in controller(q, v, 0.0).reason
    controller.remove_contact(feet.names[0], ramp=1.0)
    controller.restart()
    assert controller.contacts.names == feet.names[1:]
    assert controller(q, v, 0.0).t == 0.0


@pytest.mark.parametrize("value", [-1.0, np.nan, np.array([1.0, -1.0, 1.0])])
@pytest.mark.parametrize("compiled", [True, False])
def test_weights_set_to_what_is_none_are_named(biped, value, compiled):
    """At the next tick, as they may be set at any time; the robot gets its last torques."""
    robot, feet, q = biped
    com = control.ComTask(dynamics.com(robot, q))
    force = control.ForceTask(np.zeros(3), contact=feet.names[0])
    with nullcontext() if compiled else switched_off():
        controller, v = controller_of(biped, [com, force]), np.zeros(robot.nv)
        assert controller(q, v).solved
        for task in (com, force):
            before, task.weight = task.weight, value
            assert f"weight of {task.name!r}" in controller(q, v).reason
            task.weight = before
            assert controller(q, v).solved
        com.gain = -1.0
        assert "gain of 'com'" in controller(q, v).reason


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize(
    ("reference", "message"),
    [
        (lambda x: x, r"got shape \(\), expected \(3,\), as of a reference"),  # the value alone
        (lambda x: (x[:1], 0 * x, 0 * x), r"got shape \(1,\), expected \(3,\)"),
        (lambda x: (x, 0.0, 0 * x), r"got shape \(\), expected \(3,\)"),
        (lambda x: (x, 0 * x, x[:2]), r"got shape \(2,\), expected \(3,\)"),
        (lambda x: (x, 0 * x), r"got .*; expected one that returns \(x\*, ẋ\*, ẍ\*\)"),
        (lambda _: None, "got a function that returns None"),
    ],
)
def test_a_reference_has_a_value_with_its_derivatives(biped, compiled, reference, message):
    robot, _, q = biped
    x = dynamics.com(robot, q)
    task = control.ComTask(lambda t: reference(x))
    refused(biped, f"target of 'com': {message}", [task], compiled)


@pytest.mark.parametrize("compiled", [True, False])
def test_references_of_poses_postures_and_momenta(biped, compiled):
    robot, feet, q = biped
    frame, still = feet[feet.names[0]].frame, np.zeros(6)
    pose = dynamics.frame_placement(robot, q, frame)
    of_frame = {"frame": frame, "rows_of": "position", "name": "task"}
    array = pose.homogeneous
    for task, message in (
        (control.FrameTask(lambda t: (array, still, still), **of_frame), "pinocchio.SE3"),
        (control.FrameTask(lambda t: (pose, still[:3], still), **of_frame), r"\(6,\)"),
        (control.PostureTask(lambda t: (q[7:], 0 * q, 0 * q), name="task"), r"\(26,\)"),
        (control.PostureTask(lambda t: (q, 0.0, 0.0), name="task"), r"\(25,\)"),
        (control.MomentumTask(lambda t: (still, 0.0, None), name="task"), r"\(6,\)"),
    ):
        refused(biped, f"(?s)target of 'task': got .*{message}", [task], compiled)


class Rows:
    """Rows of given shapes."""

    says, shapes = 3, ((3,), (3, 25), (3,))

    def bind(self, robot):
        return self.says

    def drift(self, state):
        return np.ones(self.shapes[2])


class Own(Rows, Task):
    def error(self, state, t):
        return np.ones(self.shapes[0])

    def jacobian(self, state):
        return np.ones(self.shapes[1])


class OwnBarrier(Rows, Barrier):
    def value(self, state):
        return np.ones(self.shapes[0])

    def jacobian(self, state):
        return np.zeros(self.shapes[1])


def test_a_reference_of_ones_own_task_has_derivatives_of_its_rows(biped):
    """The value alone, three numbers, is not three parts."""
    robot, _, q = biped

    class Place(Own):
        def error(self, state, t):
            return self.value_at(t) - state.com

    x = dynamics.com(robot, q)
    for reference, fits in ((lambda t: (x, 0 * x, 0 * x), True), (lambda t: x, False)):
        controller = controller_of(biped, [Place(reference, name="own")], on_failure="raise")
        with nullcontext() if fits else pytest.raises(ConfigurationError, match="'own': got ẋ"):
            assert controller(q, np.zeros(robot.nv)).solved


def with_own(biped, kind, says, *shapes):
    own = Own(None, name="own") if kind is Own else OwnBarrier(name="own")
    own.says, own.shapes = says, shapes
    if kind is Own:
        return controller_of(biped, [own], on_failure="raise")
    return controller_of(biped, constraints=[own], on_failure="raise")


@pytest.mark.parametrize("kind", [Own, OwnBarrier])
@pytest.mark.parametrize(
    ("says", "shapes"),
    [
        (3, ((), (3, 25), (3,))),
        (3, ((1,), (3, 25), (3,))),
        (3, ((3,), (25,), (3,))),
        (3, ((3,), (1, 25), (3,))),
        (3, ((1,), (1, 25), (1,))),
        (2, ((3,), (3, 25), (3,))),
        (3, ((3,), (25, 3), (3,))),
        (3, ((2,), (3, 25), (3,))),
        (3, ((3,), (3, 25), (1,))),
        (3, ((3,), (3, 25), ())),
    ],
)
def test_rows_of_ones_own_are_as_many_as_it_says(biped, kind, says, shapes):
    """One row would fit all three, as NumPy sees it."""
    robot, _, q = biped
    controller = with_own(biped, kind, says, *shapes)
    with pytest.raises(ConfigurationError, match="'own': got"):
        controller(q, np.zeros(robot.nv))


@pytest.mark.parametrize(
    ("error", "message"),
    [(None, "got None"), (np.ones(3) * 1j, "complex"), ([1.0, np.nan, 1.0], "got nan at index 1")],
)
def test_rows_of_ones_own_are_finite_numbers(biped, error, message):
    class Given(Own):
        def error(self, state, t):
            return error

    refused(biped, f"error of 'own': .*{message}", [Given(None, name="own")])


def test_rows_of_ones_own_may_be_lists(biped):
    robot, _, q = biped

    class Given(Own):
        def error(self, state, t):
            return [1.0, 1.0, 1.0]

    solved = [
        controller_of(biped, [kind(None, name="own")])(q, np.zeros(robot.nv)).a
        for kind in (Given, Own)
    ]
    assert np.array_equal(*solved)


def test_nominal_forces_are_by_contact(biped):
    refused(biped, "nominal_forces: got .* a mapping", nominal_forces=lambda t: [1.0, 2.0])


@pytest.mark.parametrize("kind", [Own, OwnBarrier])
def test_a_single_row_of_ones_own_may_lack_its_axis(biped, kind):
    robot, _, q = biped
    for shapes in (((1,), (1, 25), (1,)), ((), (25,), ())):
        assert with_own(biped, kind, 1, *shapes)(q, np.zeros(robot.nv)).solved
    for says in (None, -1, 1.5, "3"):
        with pytest.raises(ConfigurationError, match="rows of 'own': got"):
            with_own(biped, kind, says, (1,), (1, 25), (1,))


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("weight", [[1.0], [1.0, 2.0], np.ones((3, 1))])
def test_a_weight_is_a_number_or_one_a_row(biped, compiled, weight):
    robot, _, q = biped
    task = control.ComTask(dynamics.com(robot, q), weight=weight)
    refused(biped, r"weight of 'com': got shape .*\(3,\)", [task], compiled)


def test_weights_of_forces_are_checked_like_others():
    with pytest.raises(ConfigurationError, match="weight of 'zmp': got -1"):
        control.ZmpTask(np.zeros(3), weight=-1.0)
    with pytest.raises(ConfigurationError, match=r"level: got 0\.5"):
        control.ZmpTask(np.zeros(3), level=0.5)


def test_a_force_task_of_no_contact(biped):
    robot, feet, q = biped
    with pytest.raises(ContactError, match=f"no contact 'typo'.*{feet.names[0]}"):
        controller_of(biped, [control.ForceTask([0.0, 0.0, 10.0], contact="typo")])
    task = control.ForceTask([0.0, 0.0, 10.0], contact=feet.names[0])
    controller = controller_of(biped, [task])
    controller.remove_contact(feet.names[0])  # which may come back
    controller.set_tasks(controller.tasks)
    assert controller(q, np.zeros(robot.nv)).solved


@pytest.mark.parametrize("ramp", [np.nan, -0.1, np.inf, "soon"])
def test_ramps_are_times(biped, ramp):
    controller, feet = controller_of(biped), biped[1]
    name = feet.names[0]
    with pytest.raises(ConfigurationError, match="ramp: got"):
        controller.remove_contact(name, ramp=ramp)
    assert controller.contacts.names == feet.names
    controller.remove_contact(name)
    with pytest.raises(ConfigurationError, match="ramp: got"):
        controller.add_contact(feet[name], ramp=ramp)
    assert controller.contacts.names == feet.names[1:]


def test_noise_and_pushes_are_not_negative():
    with pytest.raises(ConfigurationError, match="velocities: got"):
        control.Noise(velocities=-1.0)
    with pytest.raises(ConfigurationError, match="duration: got"):
        control.ForcePulse("base", (1.0, 0.0, 0.0), start=0.0, duration=-1.0)


def test_a_controller_serves_one_thread(biped):
    """A second one is refused while the first is in a tick, whatever on_failure says."""
    robot, _, q = biped
    inside, go_on, v = threading.Event(), threading.Event(), np.zeros(robot.nv)

    def target(t):
        inside.set()
        go_on.wait(60)
        return dynamics.com(robot, q), np.zeros(3), np.zeros(3)

    controller = controller_of(biped, [control.ComTask(target)])
    first = threading.Thread(target=controller, args=(q, v))
    first.start()
    assert inside.wait(60)
    with pytest.raises(ConfigurationError, match="one controller per thread"):
        controller(q, v)
    go_on.set()
    first.join()
    assert controller(q, v).solved


def test_each_tick_of_eight_threads_is_right_or_refused(biped):
    """One controller, eight states: torques are those of the state that was asked for."""
    robot, _, q = biped
    speeds = 0.1 * np.random.default_rng(0).standard_normal((8, robot.nv))
    expected = [controller_of(biped)(q, v).tau for v in speeds]
    shared, start, found = controller_of(biped), threading.Barrier(8), []
    shared(q, speeds[0])

    def run(i):
        start.wait()
        for _ in range(50):
            try:
                command = shared(q, speeds[i])
            except ConfigurationError as error:
                found.append("one controller per thread" in str(error))
            else:
                near = np.allclose(command.tau, expected[i], rtol=1e-5, atol=1e-4)
                found.append(command.solved and near)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 400
    assert all(found)


def test_laws_that_remember_serve_one_thread(biped):
    """PID's integral and a walk's phase: a second thread is refused, and a copy is another law."""
    robot, feet, q = biped
    arm = robots.load("double_pendulum")
    inside, go_on = threading.Event(), threading.Event()

    def wait(*_):
        inside.set()
        go_on.wait(60)

    pid = control.PID(arm, [0.1, 0.2], kp=1.0, kd=0.1, ki=0.5)
    walker = control.WalkingController(robot, feet, q, gaits.footsteps(feet, q, 2))
    calls = {
        pid: ("_integral", (0.0, np.zeros(2), np.zeros(2))),
        walker: ("_advance", (q, np.zeros(robot.nv), 0.0)),
    }
    for law, (held, arguments) in calls.items():
        copied, own = deepcopy(law), getattr(type(law), held)
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(type(law), held, lambda *a, own=own: (wait(), own(*a))[1])
            first = threading.Thread(target=law, args=arguments)
            first.start()
            assert inside.wait(60)
            go_on_later = threading.Timer(0.2, go_on.set)
            with pytest.raises(ConfigurationError, match="one controller per thread"):
                law(*arguments)
            go_on_later.start()
            copied(*arguments)
            first.join()
        inside.clear()
        go_on.clear()
    with pytest.raises(ConfigurationError, match=r"t: got 1e\+300"):
        pid(1e300, np.zeros(2), np.zeros(2))


def test_gravity_is_the_robots(biped):
    """On the moon, feet carry a sixth: no constant of the earth is left in a plan or a command."""
    model = biped[0].model.copy()
    model.gravity.linear = np.array([0.0, 0.0, -1.62])
    moon = replace(biped[0], model=model)
    feet = contacts.at_feet(moon, 0.6)
    q = biped[2]
    phases = gaits.footsteps(feet, q, 2)
    walker = control.WalkingController(moon, feet, q, phases)
    height = dynamics.com(moon, q)[2]
    assert walker.plan.omega**2 * walker.plan.height == pytest.approx(1.62)
    assert walker.plan.height == pytest.approx(height, abs=0.05)
    standing = control.WholeBodyController(moon, feet, [control.PostureTask(q)])
    command = standing(q, np.zeros(moon.nv))
    normal = sum(wrench.force[2] for wrench in command.wrenches.values())
    assert normal == pytest.approx(1.62 * moon.mass, rel=0.05)


def test_arguments_that_are_missing_or_in_each_others_places_are_named(biped):
    robot, feet, q = biped
    standing, _ = control.stand(robot, feet, q)
    with pytest.raises(ConfigurationError, match=r"got a tuple.*\(control.stand returns one and q"):
        control.simulate(robot, (standing, q), duration=0.01)
    with pytest.raises(ConfigurationError, match="controller: got a ContactSet"):
        control.simulate(robot, feet, duration=0.01)
    with pytest.raises(ContactError, match=r"contacts: got an array of shape \(26,\)"):
        contacts.static_hold(robot, feet, q)
    for walker in (partial(control.WalkingController, phases=[]), control.PredictiveGait):
        with pytest.raises(ContactError, match="contacts: got none of 'biped', expected its feet"):
            walker(robot, [], q)
    with pytest.raises(ConfigurationError, match=r"robot.posture\('half_sitting'\)"):
        contacts.static_hold(robot, "half_sitting", feet)


def test_options_that_nobody_takes_are_refused_with_the_nearest_names(biped):
    robot, feet, q = biped
    for call, option, told in (
        (control.GaitController, "step_hight", "GaitController: no option 'step_hight'.*height"),
        (control.GaitController, "phases", "GaitController: no option 'phases'"),  # its base's
        (control.PredictiveGait, "gripp", "PredictiveGait: no option 'gripp'.*'grip'"),
        (control.stand, "crouched", "stand: no option 'crouched'.*'crouch'"),
        (control.stand, "torque_limit", "stand: no option 'torque_limit'.*torque_limits"),
    ):
        with pytest.raises(ConfigurationError, match=told):
            call(robot, feet, q, **{option: 0.1})
    with pytest.raises(ConfigurationError, match=r"no option 'direction'.*'directions'"):
        control.speed_limits(robot, direction=(0.0, 1.0, 0.0))
