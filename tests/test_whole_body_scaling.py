"""Whole-body programs whose numbers lie far apart, or that have next to none, are answered too."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from stances import inside

from footwork import contacts, control, dynamics, robots
from footwork.control.gaits.scale import Scale
from footwork.control.program.solvers import Clarabel, Daqp


@pytest.mark.parametrize("weight", [1e-6, 1.0, 1e6])
def test_what_gives_way_does_not_depend_on_the_unit_of_weights(weight):
    """Feet on their way up at 3 m/s, and motors that cannot stop them."""
    robot, feet, q = inside("biped")
    v = np.zeros(robot.nv)
    v[2] = 3.0
    tasks = [control.ComTask(dynamics.com(robot, q), weight=10 * weight)]
    tasks.append(control.PostureTask(q, weight=0.1 * weight))
    options = {"force_weight": 1e-3 * weight, "regularisation": 1e-6 * weight}
    command = control.WholeBodyController(robot, feet, tasks, torque_limits=20.0, **options)(q, v)
    assert command.status == "relaxed"
    assert set(command.gave_way) == {"contact left_foot", "contact right_foot"}
    assert np.abs(command.tau).max() <= 20.0
    assert command.residuals["torque balance"] < 1e-5


def grown(name, times):
    """A robot of the catalogue, larger in all directions and as strong for its weight."""
    text = (Path(robots.__file__).parent / "models" / f"{name}.urdf").read_text()
    root = ElementTree.fromstring(text)
    powers = {
        "xyz": 1,
        "size": 1,
        "radius": 1,
        "length": 1,
        "value": 3,
        "effort": 4,
        "velocity": -0.5,
    }
    powers |= dict.fromkeys(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), 5)
    for element in root.iter():
        for key in set(element.attrib) & (powers.keys() if element.tag != "axis" else set()):
            numbers = [float(x) * times ** powers[key] for x in element.attrib[key].split()]
            element.set(key, " ".join(map(repr, numbers)))
    return robots.load(ElementTree.tostring(root, encoding="unicode"))


@pytest.mark.filterwarnings("ignore::footwork.errors.FootworkWarning")
def test_what_gives_way_does_not_depend_on_the_size_of_the_robot():
    """Entries of M of one of 40 m are moments of inertia, thousands of times its mass."""
    small, _, q = inside("quadruped")
    robot = grown("quadruped", 100.0)
    q = np.r_[100.0 * q[:3], q[3:]]
    feet, v = contacts.at_feet(robot), np.zeros(robot.nv)
    controller, _ = control.stand(robot, feet, q)
    momentum = control.MomentumTask(np.zeros(6), weight=1e-3, gain=5.0)
    controller.set_tasks([*controller.tasks, momentum])
    assert robot.mass == pytest.approx(1e6 * small.mass)
    for seed in range(60):
        rng = np.random.default_rng(seed)
        moved, v = 0.3 * rng.normal(size=robot.nv), 2.0 * rng.normal(size=robot.nv)
        moved[:3] *= 100.0
        v[:3], v[3:] = 10.0 * v[:3], 0.1 * v[3:]
        command = controller(robot.integrate(q, moved), v)
        assert command.solved, command.reason
        assert command.residuals["dynamics"] < 1e-8 * 100.0 * robot.weight


@pytest.mark.filterwarnings("ignore::footwork.errors.FootworkWarning")
@pytest.mark.parametrize("kind", [control.GaitController, control.PredictiveGait])
def test_robots_of_any_size_trot_alike(kind):
    """Lengths grow as the size, times as its root: a few steps at 0.3 m/s of one of 0.4 m."""
    way = trotted(kind, 1.0)
    assert way[0] > 0.2
    assert trotted(kind, 30.0) == pytest.approx(way, abs=0.06)


def trotted(kind, size):
    """How far a trot has gone, in sizes of the robot, after as many ticks of any size."""
    robot, pace = grown("quadruped", size), np.sqrt(size)
    feet = contacts.at_feet(robot)
    q = contacts.solve_posture(robot, feet, com="inside").q
    walker = kind(robot, feet, q, velocity=(0.3 * pace, 0.0, 0.0))
    motion = control.simulate(robot, walker, q=q, duration=1.6 * pace, step=2e-3 * pace)
    assert motion.ended == ""
    assert set(motion.statuses) == {"optimal"}
    assert walker.steps >= 3
    return (motion.q[-1, :3] - q[:3]) / size


@pytest.mark.filterwarnings("ignore::footwork.errors.FootworkWarning")
def test_robots_of_usual_size_have_the_gains_they_were_tuned_with(load_robot):
    for name in ("biped", "quadruped", "talos", "solo12"):
        robot = load_robot(name, "floating")
        assert Scale.of(*_standing(robot)) == Scale()
    length, time, moment = Scale.of(*_standing(grown("quadruped", 10.0)))
    assert time**2 == pytest.approx(length)
    assert Scale.of(*_standing(grown("quadruped", 40.0))).length == pytest.approx(4 * length)
    assert Scale.of(*_standing(grown("quadruped", 40.0))).moment == pytest.approx(256 * moment)


def _standing(robot):
    return contacts.at_feet(robot), robot.posture()


@pytest.mark.parametrize("seed", range(3))
def test_heavy_tasks_on_contacts_that_contradict_each_other(seed):
    robot, feet, q = inside("quadruped")
    rng, foot = np.random.default_rng(seed), next(iter(feet)).frame
    held = contacts.SurfaceContact(
        foot, half_length=0.1, half_width=0.05, friction=0.6, name="held"
    )
    tasks = [control.PostureTask(q, weight=2.5e5), control.ComTask(dynamics.com(robot, q))]
    controller = control.WholeBodyController(robot, [*feet, held], tasks)
    for _ in range(4):
        command = controller(q, 5.0 * rng.normal(size=robot.nv))
        assert command.solved
        assert command.residuals["dynamics"] < 1e-5


def test_a_robot_without_motors(load_robot):
    """No contacts leave a program without rows, three points one without unknowns."""
    block = robots.block(10.0, (0.4, 0.4, 0.2))
    q, v = block.neutral(), np.zeros(block.nv)
    falling = control.WholeBodyController(block, [], [control.ComTask(np.zeros(3))])
    point = contacts.PointContact(block.feet["bottom"].frame, 0.6, offset=(0.1, 0.1, -0.1))
    held = control.WholeBodyController(block, [point], [control.ComTask(np.zeros(3))])
    for _ in range(2):
        assert falling(q, v).status == "optimal"
        assert dynamics.com_jacobian(block, q) @ falling(q, v).a == pytest.approx([0, 0, -9.81])
        assert held(q, v).solved


def test_without_weights_an_answer_still_keeps_the_program():
    block = robots.block(10.0, (0.4, 0.4, 0.2))
    frame = block.feet["bottom"].frame
    corners = [(0.2, 0.2, -0.1), (0.2, -0.2, -0.1), (-0.2, 0.2, -0.1), (-0.2, -0.2, -0.1)]
    points = [contacts.PointContact(frame, 0.6, offset=p, name=str(p)) for p in corners]
    sole = contacts.SurfaceContact(frame, half_length=0.2, half_width=0.2, friction=0.6)
    up = dynamics.frame_placement(block, block.neutral(), frame)
    tasks = [control.FrameTask(up, frame=frame, weight=1e5)]
    options = {"regularisation": 0.0, "force_weight": 0.0}
    controller = control.WholeBodyController(block, [sole, *points], tasks, **options)
    rng = np.random.default_rng(0)
    for _ in range(4):
        q = block.integrate(block.neutral(), 0.3 * rng.normal(size=6))
        command = controller(q, np.zeros(6))
        assert command.solved
        assert command.residuals["dynamics"] < 1e-5
        assert command.status == "relaxed" or max(command.residuals.values()) < 1e-5


@pytest.mark.parametrize("solver", [Daqp, Clarabel])
def test_programs_without_rows_or_unknowns(solver):
    if solver is Daqp:
        pytest.importorskip("daqp")
    H, none = np.diag([1e6, 1e-6]), np.zeros(0)
    ask = solver()
    for _ in range(2):
        y = ask(H, np.array([1e6, 1e-6]), np.zeros((0, 2)), none, none).y
        assert y == pytest.approx([-1.0, -1.0])
    if solver is Daqp:
        free = np.zeros((1, 0)), np.array([-1.0]), np.array([1.0])
        assert ask(np.zeros((0, 0)), none, *free).status == "optimal"
        assert ask(np.zeros((0, 0)), none, free[0], free[2], 2 * free[2]).status == "infeasible"
