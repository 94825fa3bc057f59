"""Motion tasks: relative frames, impedance, weights of single rows, and tasks of one's own."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from unittest.mock import Mock

import numpy as np
import pinocchio as pin
import pytest
from differences import derivative
from scipy.linalg import expm

from footwork import ConfigurationError, contacts, control, dynamics, robots
from footwork.control.constraints import Barrier
from footwork.control.tasks import Task
from footwork.control.whole_body import task_targets
from footwork.control.whole_body.task_targets import VectorTarget
from footwork.dynamics import State, Wrench
from footwork.dynamics.kernels.toolchain import switched_off

HANDS = "left_hand", "right_hand"


@pytest.fixture(scope="module")
def stood(biped):
    return control.stand(biped)


def with_task(stood, *tasks, **options):
    base, _ = stood
    tasks = [*base.tasks, *tasks]
    return control.WholeBodyController(base.robot, base.contacts, tasks, **options)


def moved(stood, duration, *tasks, push=None, **options):
    """The motion with these tasks besides, ticks of 4 ms, from where it stands."""
    controller = with_task(stood, *tasks, **options)
    how = {"control_step": 4e-3, "disturbances": [push] if push else [], "progress": False}
    return control.simulate(controller.robot, controller, q=stood[1], duration=duration, **how)


def hand_at(robot, q):
    return dynamics.frame_placement(robot, q, HANDS[0])


def shifted(T, by):
    return pin.SE3(T.rotation, T.translation + np.array(by))


def along(robot, q, v, t):
    return State(robot, robot.integrate(q, t * v), v)


@pytest.mark.parametrize("seed", range(3))
def test_a_relative_frame_has_its_derivatives(biped, stood, seed):
    """Of the placement as Pinocchio gives it, and of J v."""
    rng = np.random.default_rng(seed)
    q = biped.integrate(stood[1], 0.3 * rng.standard_normal(biped.nv))
    v = rng.standard_normal(biped.nv)
    task = control.RelativeTask(pin.SE3.Random(), frame="left_hand", seen_from="torso")
    assert task.bind(biped) == 6
    model = biped.model
    data = model.createData()

    def pose(t):
        pin.framesForwardKinematics(model, data, biped.integrate(q, t * v))
        a, b = (data.oMf[model.getFrameId(name)] for name in ("torso", "left_hand"))
        return a.actInv(b)

    here, state = pose(0.0), State(biped, q, v)
    shift = derivative(lambda t: pose(t).translation)
    turn = derivative(lambda t: pin.log3(pose(t).rotation @ here.rotation.T))
    assert task.jacobian(state) @ v == pytest.approx(np.r_[shift, turn], abs=1e-9)
    rate = derivative(lambda t: task.jacobian(along(biped, q, v, t)) @ v)
    assert task.drift(state) == pytest.approx(rate, abs=1e-8)
    offset = task.target.translation - here.translation
    assert task.error(state, 0.0)[:3] == pytest.approx(offset, abs=1e-12)


def test_hands_keep_their_relative_pose_while_one_moves(biped, stood):
    """In closed loop: the left hand is lifted, the right one follows."""
    q = stood[1]
    T = State(biped, q).relative_placement(*HANDS)
    hand = {"frame": HANDS[0], "rows_of": "position"}
    apart = control.RelativeTask(T, **hand, seen_from=HANDS[1], weight=50.0)
    left = hand_at(biped, q)
    goal = control.references.swing(left, shifted(left, (0.05, 0.0, 0.06)), 0.25)
    end = moved(stood, 0.3, apart, control.FrameTask(goal, **hand, weight=20.0)).q[-1]
    assert hand_at(biped, end).translation[2] - left.translation[2] > 0.04
    found = State(biped, end).relative_placement(*HANDS)
    assert found.translation == pytest.approx(T.translation, abs=5e-3)


@pytest.mark.parametrize("wrench", [0.0, np.array([3.0, 0.0, -5.0])])
def test_an_impedance_balances_the_force_of_its_spring(biped, stood, wrench):
    """With the outer force −(K e + w) at the hand, it does not accelerate: by forward dynamics
    under contact, an independent computation; nor do the other tasks, which are soft, matter."""
    controller, q = stood
    away, K = np.array([0.02, -0.03, 0.04]), np.array([300.0, 200.0, 400.0])
    spring = {"stiffness": K, "wrench": wrench, "weight": 1e6, "rows_of": "position"}
    task = control.ImpedanceTask(shifted(hand_at(biped, q), away), frame=HANDS[0], **spring)
    made = with_task(stood, task, torque_limits=False, joint_limits=False)
    v = np.zeros(biped.nv)
    command = made(q, v)
    assert command.status == "optimal"
    outside = {HANDS[0]: Wrench(-(K * away + wrench), np.zeros(3))}
    given = biped, q, v, command.tau, controller.contacts, outside
    a, _ = contacts.constrained_forward_dynamics(*given)
    J = dynamics.frame_jacobian(biped, q, HANDS[0])[:3]
    assert np.abs(J @ command.a).max() > 5.0
    assert J @ a == pytest.approx(np.zeros(3), abs=1e-3)


@pytest.mark.parametrize(
    ("duration", "damped"), [(0.5, {}), (1.5, {"damping": 120.0, "tick": 4e-3})]
)
def test_a_hand_gives_way_as_its_stiffness_says(biped, stood, duration, damped):
    """In closed loop: 6 N at a hand of 600 N/m, critically damped, take it a centimetre away."""
    T, K = hand_at(biped, stood[1]), 600.0
    spring = {"rows_of": "position", "stiffness": K, "weight": 1e3} | damped
    task = control.ImpedanceTask(T, frame=HANDS[0], **spring)
    push = control.ForcePulse(HANDS[0], (6.0, 0.0, 0.0), start=0.0, duration=2 * duration)
    end = moved(stood, duration, task, push=push).q[-1]
    away = hand_at(biped, end).translation - T.translation
    assert away[0] == pytest.approx(6.0 / K, rel=0.05)


@pytest.mark.parametrize("rows", ["position", "pose"])
def test_a_damper_of_a_tick_does_what_one_does_in_that_time(biped, stood, rows):
    """By the matrix exponential: r ← exp(−Λ⁻¹D h) r; without a spring, and from any velocity."""
    q, rng, h = stood[1], np.random.default_rng(0), 4e-3
    T = hand_at(biped, q)
    state = State(biped, q, rng.standard_normal(biped.nv))
    for damping in (0.0, 0.3, 40.0, np.geomspace(1.0, 500.0, 3 if rows == "position" else 6)):
        damper = {"stiffness": 0.0, "damping": damping, "tick": h}
        task = control.ImpedanceTask(T, frame=HANDS[0], rows_of=rows, **damper)
        size = task.bind(biped)
        on = contacts.at_feet(biped)
        J, r, _ = task.rows(state, 0.0, on)
        rate = J @ state.velocity
        after = rate + h * (r + task.drift(state))
        Jc, M = on.jacobian(state), state.mass_matrix
        both = np.vstack([J, Jc])  # Λ⁻¹, by the inverse of the whole inertia at hand and feet
        whole = np.linalg.pinv(np.linalg.pinv(both @ np.linalg.solve(M, both.T), rcond=1e-10))
        A, B, C = whole[:size, :size], whole[:size, size:], whole[size:, size:]
        mobility = A - B @ np.linalg.pinv(C, rcond=1e-10) @ B.T
        D = np.diag(np.broadcast_to(damping, size))
        assert after == pytest.approx(expm(-mobility @ D * h) @ rate, abs=1e-7)


@pytest.mark.parametrize("damping", [5.0, 160.0])
def test_a_large_damping_is_stable_with_the_tick_and_not_without(biped, stood, damping):
    """In closed loop of 4 ms, pushed for a moment: of a hand's rotation Λ⁻¹ is 146 1/(kg m²)."""
    T = hand_at(biped, stood[1])
    push = control.ForcePulse(HANDS[0], (6.0, 0.0, 0.0), start=0.0, duration=0.05)
    fastest = []
    for tick in (0.0, 4e-3):
        task = control.ImpedanceTask(T, frame=HANDS[0], damping=damping, weight=1e3, tick=tick)
        motion = moved(stood, 0.3, task, push=push, torque_limits=False)
        fastest.append(np.abs(motion.v[-20:]).max())
    assert fastest[0] > 10.0
    assert fastest[1] < 1.0


def test_rows_have_weights_of_their_own(biped, stood):
    """Each kind of task: the row of the larger weight has the smaller residual."""
    q, v = stood[1], np.zeros(biped.nv)
    there = shifted(hand_at(biped, q), 3 * [0.1])
    seen = shifted(State(biped, q).relative_placement(HANDS[0], "torso"), 3 * [0.1])
    hand = {"frame": HANDS[0], "rows_of": "position", "name": "own"}
    kinds = [
        control.ComTask(dynamics.com(biped, q) + 0.01, name="own"),
        control.FrameTask(there, **hand),
        control.RelativeTask(seen, **hand, seen_from="torso"),
        control.ImpedanceTask(there, **hand),
        control.MomentumTask(np.full(6, 1.0), rows_of="linear", name="own"),
    ]
    for task in kinds:
        sizes = []
        for weight in ([1e-4, 1e-2, 1e-2], [1e2, 1e-2, 1e-2]):
            task.weight = np.array(weight)
            controller = with_task(stood, task, torque_limits=False)
            sizes.append(abs(controller(q, v).task_residuals["own"][0]))
        assert sizes[1] < 0.5 * sizes[0], type(task).__name__


@pytest.mark.parametrize("kind", [int, float])
def test_weights_are_read_again_only_when_they_have_changed(biped, kind, monkeypatch):
    weight, taken = np.array([1, 2, 3], dtype=kind), np.zeros(3)
    read = Mock(wraps=task_targets.array)
    monkeypatch.setattr(task_targets, "array", read)
    target = VectorTarget(control.ComTask(np.zeros(3), weight=weight), np.zeros(26), taken)
    for changes in (True, False, True, False):
        target.task.weight[0] += changes  # in place
        read.reset_mock()
        target.update(0.0)
        assert taken.tolist() == target.task.weight.tolist()
        assert read.call_count == changes


class OfHeight:
    """The height of a frame: one row."""

    def bind(self, robot):
        return 1

    def jacobian(self, state):
        return state.frame_jacobian(self.frame)[2:3]

    def drift(self, state):
        return state.frame_drift(self.frame)[2:3]


@dataclass(eq=False)
class Height(OfHeight, Task):
    """A task of one's own: the height of a frame."""

    frame: str = "torso"

    def error(self, state, t):
        return np.array([self.value_at(t) - state.frame_placement(self.frame).translation[2]])


@dataclass(eq=False)
class Above(OfHeight, Barrier):
    """A constraint of one's own: a frame stays above a height."""

    frame: str
    height: float

    def value(self, state):
        return state.frame_placement(self.frame).translation[2:] - self.height


def test_a_task_and_a_constraint_of_ones_own_are_a_few_lines(biped, stood):
    """The hand is sent down through a table, and stops above it."""
    q, v = stood[1], np.zeros(biped.nv)
    z = hand_at(biped, q).translation[2]
    down = Height(z - 0.3, HANDS[0], weight=50.0)
    table = Above(HANDS[0], z - 0.02)
    made = with_task(stood, down, constraints=[table])
    a, _, tau = control.by_cvxpy(made, q, v)
    command = made(q, v)
    assert command.a == pytest.approx(a, abs=1e-6 * (1 + np.abs(a).max()))
    assert command.tau == pytest.approx(tau, abs=1e-5 * (1 + np.abs(tau).max()))
    assert command.residuals["constraints"] < 1e-8
    assert "above" in command.active()
    J = dynamics.frame_jacobian(biped, q, HANDS[0])[2]
    assert J @ command.a == pytest.approx(-100.0 * 0.02, abs=1e-8)


def test_what_does_not_fit_is_refused(biped, stood):
    T = pin.SE3.Identity()
    with pytest.raises(ConfigurationError, match=r"stiffness of .*: got shape"):
        with_task(stood, control.ImpedanceTask(T, frame=HANDS[0], stiffness=np.ones(2)))
    with pytest.raises(ConfigurationError, match=r"tick of .*: got -1"):
        control.ImpedanceTask(T, frame=HANDS[0], tick=-1.0)
    with pytest.raises(ConfigurationError, match="torsoo"):
        with_task(stood, control.RelativeTask(T, frame=HANDS[0], seen_from="torsoo"))
    with pytest.raises(ConfigurationError, match="ImpedanceTask: no option 'gain'"):
        control.ImpedanceTask(T, frame=HANDS[0], gain=3.0)


@pytest.mark.parametrize("compiled", [True, False])
def test_a_task_serves_controllers_of_several_robots(compiled):
    """Two bipeds with another joint locked: names are at other places of v, and other frames."""
    two = [robots.load("biped", lock=[joint]) for joint in ("waist_yaw", "right_elbow")]

    def wanted():
        arms = ["left_elbow", "left_shoulder_pitch"]
        there = pin.SE3(np.eye(3), np.array([0.2, 0.3, 1.0]))
        return [
            control.PostureTask(two[0].posture(), joints=arms),
            control.FrameTask(there, frame=HANDS[0], rows_of="position"),
        ], [control.AccelerationConstraint(3.0, joints=arms)]

    def controller_of(robot, tasks, kept):
        feet = contacts.at_feet(robot)
        return control.WholeBodyController(robot, feet, tasks, constraints=kept)

    with nullcontext() if compiled else switched_off():
        shared = wanted()
        together = [controller_of(robot, *shared) for robot in two]
        alone = [controller_of(robot, *wanted()) for robot in two]
        for robot, one, other in zip(two, together, alone, strict=True):
            for controller in (one, other):
                controller.remove_contact(controller.contacts.names[0])  # formulated anew
            q, v = robot.posture(), np.zeros(robot.nv)
            found, expected = one(q, v), other(q, v)
            assert found.solved
            assert expected.solved
            assert found.a == pytest.approx(expected.a, abs=1e-9)
            assert found.task_residuals.keys() == expected.task_residuals.keys()
            for name, residual in expected.task_residuals.items():
                assert found.task_residuals[name] == pytest.approx(residual, abs=1e-9)
            assert found.active() == expected.active()
