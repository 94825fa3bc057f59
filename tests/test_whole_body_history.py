"""A whole-body controller answers the state it is in, whatever came before; so do its copies."""

from __future__ import annotations

import copy
import pickle
import threading
from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from stances import inside

from footwork import control, dynamics
from footwork.dynamics.kernels.toolchain import switched_off
from footwork.errors import ConfigurationError


@pytest.fixture(scope="module")
def biped():
    return inside("biped")


def controller_of(biped, **options):
    robot, feet, q = biped
    base = control.trunk(robot)
    tasks = [
        control.ComTask(dynamics.com(robot, q) + np.array([0.02, 0.01, 0.0]), weight=10.0),
        control.FrameTask(
            dynamics.frame_placement(robot, q, base), frame=base, rows_of="orientation"
        ),
        control.PostureTask(q, weight=0.1),
    ]
    return control.WholeBodyController(robot, feet, tasks, **options)


def states(robot, q, count, seed=0, size=0.05):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        yield robot.integrate(q, size * rng.normal(size=robot.nv)), size * rng.normal(size=robot.nv)


def test_a_new_controller_has_formulated_its_program(biped, monkeypatch):
    """Its first tick makes no tables and reads no kernels from disk."""
    robot, _, q = biped
    new = controller_of(biped, on_failure="raise")
    monkeypatch.delattr("footwork.control.whole_body.formulations.Formulations._formulated")
    assert new(q, np.zeros(robot.nv)).status == "optimal"


def test_a_task_that_comes_back_has_what_was_set_since(biped):
    """Another reference, another frame: as if it were new."""
    robot, feet, q = biped
    (x, v), (old, frame) = next(states(robot, q, 1)), (controller_of(biped), "left_foot")
    task = control.FrameTask(dynamics.frame_placement(robot, q, frame), frame=frame, name="foot")
    base, lifted = old.tasks, np.array([0.0, 0.0, 0.1])
    for frame, way in (("left_foot", lifted), ("left_foot", -lifted), ("right_foot", lifted)):
        place = dynamics.frame_placement(robot, q, frame)
        goal = pin.SE3(place.rotation, place.translation + way)
        task.frame, task.target = frame, control.references.swing(place, goal, 1.0, -0.5)
        old.set_tasks([*base, task])
        found = old(x, v)
        new = control.WholeBodyController(robot, feet, [*base, task])
        assert found.tau == pytest.approx(new(x, v).tau, abs=1e-9)
        old.set_tasks(base)
        old(x, v)


@pytest.mark.parametrize("compiled", [True, False])
def test_the_answer_is_that_of_a_new_controller(biped, compiled):
    """Soles tilt from state to state, and with them the share of the weight that is preferred."""
    robot, _, q = biped
    with nullcontext() if compiled else switched_off():
        old = controller_of(biped)
        for x, v in states(robot, q, 6):
            assert old(x, v).tau == pytest.approx(controller_of(biped)(x, v).tau, abs=1e-7)


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
def test_a_copy_answers_for_itself(biped, copied):
    robot, _, q = biped
    one = controller_of(biped)
    one(q, np.zeros(robot.nv))
    other = copied(one)
    for x, v in states(robot, q, 2):
        new = controller_of(biped)(x, v).tau
        assert other(x, v).tau == pytest.approx(new, abs=1e-7)
        assert one(x, v).tau == pytest.approx(new, abs=1e-7)


def test_ramps_and_contacts_go_with_a_copy(biped):
    robot, _, q = biped
    one, v = controller_of(biped), np.zeros(robot.nv)
    name = one.contacts.names[0]
    one.remove_contact(name, ramp=0.1)
    one(q, v, t=0.0)
    other = copy.deepcopy(one)
    for t in (0.05, 0.2):
        assert other(q, v, t).tau == pytest.approx(one(q, v, t).tau, abs=1e-7)
    assert name not in other.contacts.names


@pytest.mark.parametrize("compiled", [True, False])
def test_contacts_and_tasks_may_take_each_others_place(compiled):
    """A step: other ground, other swings, other weights; the tables of earlier steps are kept."""
    robot, feet, q = inside("go2")
    usual = [control.ComTask(dynamics.com(robot, q), weight=10.0), control.PostureTask(q)]
    names, v = feet.names, 0.05 * np.ones(robot.nv)
    kept = control.WholeBodyController(robot, feet, usual)

    def swing(name, k, **options):
        T = dynamics.frame_placement(robot, q, feet[name].frame)
        T.translation[2] += 0.01 * k
        return control.FrameTask(
            T, frame=feet[name].frame, rows_of="position", name="swing", weight=5.0 + k, **options
        )

    with nullcontext() if compiled else switched_off():
        for k in range(6):
            name, tilted = names[k % 2], np.array([0.1 * k, 0.05, 1.0])
            other = replace(feet[names[2]], normal=tilted / np.linalg.norm(tilted))
            stance = [c for c in feet if c.name not in (name, names[2])] + [other]
            tasks = [*usual[:1], control.PostureTask(q, weight=1.0 + k), swing(name, k)]
            for contact in kept.contacts.names:
                kept.remove_contact(contact)
            for contact in stance:
                kept.add_contact(contact)
            kept.set_tasks(tasks)
            new = control.WholeBodyController(robot, stance, tasks)
            one, two = kept(q, v, 0.01 * k), new(q, v)
            assert one.tau == pytest.approx(two.tau, abs=1e-7)
            assert one.f == pytest.approx(two.f, abs=1e-6)
            assert one.task_residuals["swing"] == pytest.approx(two.task_residuals["swing"])
    assert len(kept._formulations) == 3  # all feet, and without one of two


def test_tasks_set_anew_are_looked_up_anew(biped):
    robot, _, q = biped
    controller = controller_of(biped)
    base = controller.task(control.trunk(robot))
    base.rows_of = "position"
    controller.set_tasks(controller.tasks)
    command = controller(q, np.zeros(robot.nv))
    new = controller_of(biped)
    new.set_tasks([*new.tasks[:1], base, *new.tasks[2:]])
    assert command.tau == pytest.approx(new(q, np.zeros(robot.nv)).tau, abs=1e-7)
    base.frame = "nowhere"
    with pytest.raises(ConfigurationError, match="nowhere"):
        controller.set_tasks(controller.tasks)


def test_commands_keep_what_they_said(biped):
    robot, _, q = biped
    controller = controller_of(biped)
    command = controller(q, np.zeros(robot.nv))
    before = {name: getattr(command, name).copy() for name in ("tau", "a", "w", "q", "v")}
    for x, v in states(robot, q, 3):
        controller(x, v)
    for name, value in before.items():
        assert (getattr(command, name) == value).all()
    assert max(command.residuals.values()) < 1e-6


def test_what_is_held_is_not_what_a_caller_wrote_into_a_command(biped):
    robot, _, q = biped
    controller = controller_of(biped)
    command = controller(q, np.zeros(robot.nv))
    before = command.tau.copy()
    command.tau[:] = np.nan
    held = controller(np.full(robot.nq, np.nan), np.zeros(robot.nv))
    assert held.status == "held"
    assert (held.tau == before).all()


def test_two_controllers_in_two_threads(biped):
    robot, _, q = biped
    batches = [list(states(robot, q, 100, seed)) for seed in (1, 2)]
    alone = [[controller_of(biped)(x, v).tau for x, v in batch[-3:]] for batch in batches]
    found: list[list[np.ndarray]] = [[], []]

    def run(i, controller):
        found[i] = [controller(x, v).tau for x, v in batches[i]]

    threads = [threading.Thread(target=run, args=(i, controller_of(biped))) for i in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i in (0, 1):
        assert np.array(found[i][-3:]) == pytest.approx(np.array(alone[i]), abs=1e-7)
