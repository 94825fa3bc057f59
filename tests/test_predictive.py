"""Predictive control: the subproblem against cvxpy, its data against other roads, closed loops."""

from __future__ import annotations

import pickle
import warnings
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
import stances
from scipy.linalg import null_space
from scipy.optimize import minimize

import footwork as fw
from footwork import control
from footwork.contacts import ContactSet, PointContact, at_feet
from footwork.control import judging
from footwork.control.kernels import gait_reference
from footwork.control.kernels.predictive import PREDICT, PREDICTIONS
from footwork.control.kernels.profiles import minimum_acceleration
from footwork.control.limbs import hips, lengths, limbs_of
from footwork.control.predictive import (
    Predictive,
    PredictiveGait,
    Reference,
    Stance,
    Weights,
    solve,
)
from footwork.control.predictive.centroidal import (
    bodies_of,
    body_of,
    inverse_inertia,
    products,
    turned_by_legs,
)
from footwork.control.predictive.legs import LegMomenta
from footwork.control.predictive.reference import by_cvxpy
from footwork.control.predictive.solving import solve_all
from footwork.control.predictive.subproblem import Subproblems
from footwork.control.references import swing
from footwork.control.whole_body.cvxpy_reference import by_cvxpy as program_by_cvxpy
from footwork.dynamics import State, Wrench
from footwork.dynamics.spatial import skew
from footwork.robots.ranges import ranges

needs_numba = pytest.mark.skipif(bool(fw.dynamics.kernels.toolchain.obstacle()), reason="Numba")


def standing(name):
    return stances.standing(name, 0.6, 0.02 if name in ("biped", "talos", "g1") else 0.0)


def upright(state, velocity=(0.0, 0.0, 0.0), rate=0.0):
    """The reference of a base that goes on as it is at a velocity."""
    R, c = state.joint_placements[1][:, :3], state.com

    def reference(times):
        turns = [pin.exp3(np.array([0.0, 0.0, rate * t])) @ R for t in times]
        v = np.tile(velocity, (len(times), 1))
        omega = np.tile([0.0, 0.0, rate], (len(times), 1))
        return Reference(c + times[:, None] * v, v, np.array(turns), omega)

    return reference


def stepping(feet, q, swings):
    """Stances in which these feet swing in turn, with all feet down between."""
    places = dict(feet.placements(q))
    found = [Stance(0.06, places)]
    for names in swings:
        found.append(Stance(0.2, {n: T for n, T in places.items() if n not in names}))
        found.append(Stance(0.06, places))
    return found


def pushed(name, swings, velocity=0.1, seed=0, **options):
    """A prediction of a robot that has been pushed."""
    robot, feet, q = standing(name)
    v = np.random.default_rng(seed).normal(scale=velocity, size=robot.nv)
    state = State(robot, q, v)
    predictive = Predictive(robot, feet, q, **options)
    stances = stepping(feet, q, [[feet.names[i] for i in group] for group in swings])
    return predictive, state, predictive(state, stances, upright(state, (0.3, 0.0, 0.0), 0.2))


CASES = [("go2", [(0, 3), (1, 2)]), ("talos", [(0,), (1,)])]


@needs_numba
@pytest.mark.parametrize(("name", "swings"), CASES)
def test_the_optimum_is_that_of_cvxpy(name, swings):
    PREDICT.compiled(*PREDICT.example())
    _, _, found = pushed(name, swings)
    problem = found.subproblem
    fast, slow = solve(problem, 1e-9), by_cvxpy(problem)
    assert fast.iterations < 40
    assert found.solution.solved
    assert fast.cost == pytest.approx(slow.cost, rel=1e-6)
    np.testing.assert_allclose(fast.x, slow.x, atol=1e-5)
    assert problem.violation(fast.u) < 1e-9
    np.testing.assert_allclose(problem.motion(fast.u), fast.x, atol=1e-9)
    assert problem.excess(fast.x).max() <= fast.eps.max() + 1e-9
    # the multipliers prove it: the gradient of the Lagrangian vanishes, z is in its cones
    for answer in (fast, slow):
        y = problem.costates(answer.x, answer.bounds)
        gradient = problem.gradient(answer.u, y, answer.rows, answer.cones)
        assert np.abs(gradient).max() < 1e-5
        norms = np.linalg.norm(answer.cones[..., :-1], axis=-1)
        assert (norms - answer.cones[..., -1]).max() < 1e-7


@needs_numba
def test_problems_side_by_side_have_the_same_optima():
    PREDICTIONS.compiled(*PREDICTIONS.example())
    name, swings = CASES[0]
    problems = [pushed(name, swings, 0.1, seed)[2].subproblem for seed in range(9)]
    found = side_by_side(problems)
    for i, alone in enumerate(map(solve, problems)):
        together = found.one(i)
        assert together.cost == pytest.approx(alone.cost, rel=1e-9)
        np.testing.assert_allclose(together.u, alone.u, atol=1e-7)


def side_by_side(problems):
    """The minimisers of problems with the same contacts at the same nodes."""
    one = problems[0]
    data = np.array([each.data for each in problems])
    return solve_all(Subproblems(data, one.sizes, one.first, one.at))


def rows_of_pushes(name, swings, count, velocity=0.1):
    """A Predictive, where it stands, and velocities of so many pushes."""
    robot, feet, q = standing(name)
    v = np.random.default_rng(5).normal(scale=velocity, size=(count, robot.nv))
    stances = stepping(feet, q, [[feet.names[i] for i in group] for group in swings])
    return Predictive(robot, feet, q), q, v, stances


def assert_alike(found, alone):
    """A prediction of a batch, and of a call."""
    difference = found.subproblem.data - alone.subproblem.data
    assert np.abs(difference).max() < 1e-11
    assert found.status == alone.status
    np.testing.assert_allclose(found.com, alone.com, atol=1e-9)
    np.testing.assert_allclose(found.momentum, alone.momentum, atol=1e-8)
    np.testing.assert_allclose(found.margins, alone.margins, atol=1e-5)
    np.testing.assert_allclose(found.torque_margins, alone.torque_margins, atol=1e-8)
    np.testing.assert_array_equal(found.times, alone.times)


@needs_numba
@pytest.mark.parametrize(("name", "swings"), [*CASES, ("g1", [(0,), (1,)])])
def test_a_batch_has_the_predictions_of_calls(name, swings):
    for kernel in (PREDICT, PREDICTIONS):
        kernel.compiled(*kernel.example())
    predict, q, v, steps = rows_of_pushes(name, swings, 11)
    robot = predict.robot
    state = State(robot, q, np.zeros(robot.nv))
    pushes = np.random.default_rng(6).normal(scale=0.03 * robot.weight, size=(11, 6))
    ahead = upright(state, (0.3, 0.0, 0.0), 0.2)
    found = predict.batch(q, v, steps, ahead, wrenches=pushes)
    again = predict.batch(q, v, steps, ahead, wrenches=pushes, about=found)
    assert len(found) == len(found.status) == 11
    for i in range(11):
        own, predict._last = State(robot, q, v[i]), None
        push = Wrench(pushes[i, :3], pushes[i, 3:], own.com)
        assert_alike(found[i], predict(own, steps, ahead, wrenches=push))
        predict._last = found[i]
        assert_alike(again[i], predict(own, steps, ahead, wrenches=push))
    np.testing.assert_array_equal(found.com, [each.com for each in found])
    np.testing.assert_array_equal(found.velocity, [each.velocity for each in found])
    np.testing.assert_array_equal(found.margins[3], found[3].margins)


@needs_numba
def test_rows_of_a_batch_may_have_terrains_and_references_of_their_own():
    PREDICTIONS.compiled(*PREDICTIONS.example())
    predict, q, v, steps = rows_of_pushes(*CASES[0], 9)
    robot, rng = predict.robot, np.random.default_rng(7)
    state = State(robot, q, np.zeros(robot.nv))

    def lifted(stance, height):
        up = pin.SE3(np.eye(3), np.array([0.0, 0.0, height]))
        return replace(stance, places={n: up * T for n, T in stance.places.items()})

    terrains = [
        [steps[0]] + [replace(lifted(s, h), duration=s.duration * (1 + h)) for s in steps[1:]]
        for h in rng.uniform(-0.03, 0.03, 9)
    ]
    speeds = rng.uniform(-0.5, 0.5, (9, 3))
    references = [upright(state, (x, y, 0.0), z) for x, y, z in speeds]
    found = predict.batch(q, v, terrains, references)
    assert len(found.groups) == 2  # the last stances have other numbers of nodes
    np.testing.assert_array_equal(found.com, [each.com for each in found])
    for i, (steps_there, reference) in enumerate(zip(terrains, references, strict=True)):
        predict._last = None
        assert_alike(found[i], predict(State(robot, q, v[i]), steps_there, reference))
    # the arrays of one reference may have rows, too
    times = found.times

    def each(_):
        rows = [reference(t) for reference, t in zip(references, times, strict=True)]
        return Reference(*[
            np.array([getattr(row, name) for row in rows])
            for name in ("com", "velocity", "rotation", "rate")
        ])  # fmt: skip

    together = predict.batch(q, v, steps, each)
    for i, one in enumerate(together):
        np.testing.assert_array_equal(one.reference.com, found[i].reference.com)


@needs_numba
def test_some_rows_of_predictions_are_predictions():
    """By a slice, a mask and numbers, across groups: each as it was, and to be linearised about."""
    predict, q, v, steps = rows_of_pushes(*CASES[0], 6)
    ahead = upright(State(predict.robot, q, v[0]))
    longer = [steps[0], *(replace(s, duration=1.4 * s.duration) for s in steps[1:])]
    found = predict.batch(q, v, [steps, longer, steps, longer, steps, steps], ahead)
    assert len(found.groups) == 2
    mask = found.com[:, -1, 1] > np.median(found.com[:, -1, 1])
    chosen = [
        (slice(None), range(6)),
        (slice(4, 0, -2), [4, 2]),
        (mask, np.flatnonzero(mask)),
        ([5, 1, -3, 1], [5, 1, 3, 1]),
        (np.array([2]), [2]),
        (slice(0, 0), []),
        ([], []),
    ]
    for given, rows in chosen:
        part, rows = found[given], list(rows)
        assert isinstance(part, type(found))
        assert len(part) == len(rows)
        for name in ("com", "velocity", "status", "cost", "times", "margins", "exceeded"):
            np.testing.assert_array_equal(getattr(part, name), getattr(found, name)[rows])
        for one, i in zip(part, rows, strict=True):
            np.testing.assert_array_equal(one.solution.u, found[i].solution.u)
            np.testing.assert_array_equal(one.reference.com, found[i].reference.com)
            np.testing.assert_array_equal(one.subproblem.data, found[i].subproblem.data)
        if not rows:
            continue
        again = predict.batch(
            np.tile(q, (len(rows), 1)), v[rows], [longer if i in (1, 3) else steps for i in rows],
            ahead, about=part,
        )  # fmt: skip
        everything = predict.batch(
            q, v, [steps, longer, steps, longer, steps, steps], ahead, about=found
        )
        np.testing.assert_allclose(again.com, everything.com[rows], atol=1e-9)
    for bad in ([6], np.ones(5, dtype=bool), [0.5], np.zeros((2, 2), dtype=int)):
        with pytest.raises(fw.ConfigurationError, match=r"(?s)rows: got .*expected a mask \(6,\)"):
            found[bad]
    with pytest.raises(IndexError):
        found[6]


def test_a_reference_turns_by_rotations():
    predict, q, v, steps = rows_of_pushes(*CASES[0], 2)
    ahead = upright(State(predict.robot, q, v[0]))

    def bent(change):
        def reference(times):
            wanted = ahead(times)
            R = np.array(np.broadcast_to(wanted.rotation, (len(times), 3, 3)))
            R[5] = change @ R[5]
            return wanted._replace(rotation=R)

        return reference

    for change in (1.1 * np.eye(3), np.diag([1.0, 1.0, -1.0]), np.zeros((3, 3))):
        says = r"reference: rotation\[0?,? ?5\]: got a matrix of determinant .* no rotation"
        with pytest.raises(fw.ConfigurationError, match=says):
            predict.batch(q, v, steps, bent(change))
        with pytest.raises(fw.ConfigurationError, match=says):
            predict(State(predict.robot, q, v[0]), steps, bent(change))


def test_what_predictions_are_linearised_about_is_shown_by_shapes():
    predict, q, v, steps = rows_of_pushes(*CASES[0], 2)
    found = predict.batch(q, v, steps, upright(State(predict.robot, q, v[0])))
    assert repr(found.nominal) == "Nominal(times (2, 17), com (2, 17, 3), forces (2, 16, 3))"


@needs_numba
def test_what_is_the_same_for_all_rows_of_a_batch_is_given_once():
    predict, q, v, steps = rows_of_pushes(*CASES[0], 3)
    ahead, push = upright(State(predict.robot, q, v[0])), np.array([5.0, 3.0, -8.0, 0.4, 0.2, 0.1])

    def data(stances=steps, reference=ahead, q=q, **options):
        found = predict.batch(q, v, stances, reference, **options)
        return np.array([each.subproblem.data for each in found])

    each, free = data(wrenches=np.tile(push, (3, 1))), data()
    assert np.abs(each - free).max() > 1e-3
    np.testing.assert_array_equal(data(wrenches=push), each)
    np.testing.assert_array_equal(data(wrenches=[push.tolist()] * 3), each)
    np.testing.assert_array_equal(data(wrenches=[]), free)
    held = Wrench(push[:3], push[3:], np.zeros(3))
    np.testing.assert_array_equal(data(wrenches=iter([held])), data(wrenches=[held]))
    np.testing.assert_array_equal(data(stances=iter(steps)), free)
    np.testing.assert_array_equal(data(stances=(iter(steps) for _ in range(3))), free)
    np.testing.assert_array_equal(data(reference=iter([ahead] * 3)), free)
    np.testing.assert_allclose(data(q=np.tile(q, (3, 1))), free, rtol=0, atol=1e-13)


def test_a_batch_of_no_states_and_inputs_that_do_not_fit():
    predict, q, v, steps = rows_of_pushes(*CASES[0], 3)
    robot, state = predict.robot, State(predict.robot, q, v[0])
    ahead = upright(state)
    none = predict.batch(np.empty((0, robot.nq)), np.empty((0, robot.nv)), steps, ahead)
    assert len(none) == 0
    assert none.com.shape == (0, 17, 3)
    assert none.times.shape == (0, 17)
    assert none.margins.shape == (0, 16)
    again = predict.batch(np.empty((0, robot.nq)), np.empty((0, robot.nv)), steps, [], about=none)
    assert len(again) == 0
    with pytest.raises(fw.ConfigurationError, match=r"got 1 of q, 3 of v, .* 2 of wrenches"):
        predict.batch(q, v, steps, ahead, wrenches=np.zeros((2, 6)))
    with pytest.raises(fw.ConfigurationError, match="reference: got com of shape"):
        predict.batch(q, v, steps, lambda times: ahead(times)._replace(com=np.zeros((5, 3))))
    with pytest.raises(fw.ConfigurationError, match=r"reference: got com of shape \(\)"):
        predict.batch(q, v, steps, lambda times: ahead(times)._replace(com=None))
    with pytest.raises(fw.ConfigurationError, match="reference: got None; expected a function"):
        predict.batch(q, v, steps, None)
    with pytest.raises(fw.ConfigurationError, match=r"reference\(times\): got None, expected"):
        predict.batch(q, v, steps, lambda times: None)
    usual = ahead(np.zeros(17))
    for name in ("com", "velocity", "rotation", "rate"):
        broken = usual._replace(**{name: getattr(usual, name) * np.nan})
        for asked in (lambda f: predict.batch(q, v, steps, f), lambda f: predict(state, steps, f)):
            with pytest.raises(fw.ConfigurationError, match=f"reference: {name}: got nan at index"):
                asked(lambda times, broken=broken: broken)


def test_parts_of_predictions_are_shown_in_a_line():
    predict, q, v, steps = rows_of_pushes(*CASES[0], 2)
    v[:, 0] = 5.0
    some = predict.batch(q, v, steps, upright(State(predict.robot, q, 0 * v[0])))
    one, (group,) = some[0], some.groups
    assert repr(one.subproblem).startswith(
        "Subproblem(h (16,), s (16, 3), K (16, 3, 3), e (16, 12)"
    )
    assert repr(one.solution).startswith("Solution(u (")
    assert repr(one.reference) == (
        "Reference(com (17, 3), velocity (17, 3), rotation (17, 3, 3), rate (17, 3), legs (17, 3))"
    )
    assert repr(one.certificate) == f"Certificate(value={one.certificate.value:.4g})"
    assert one.certificate.value > 0
    assert repr(group) == "Group(2 predictions)"
    assert repr(group.solutions).startswith("Solutions(u (2, ")
    for part in (one.subproblem, one.solution, group.solutions, group.subproblems):
        assert len(repr(part)) < 400


def test_plots_of_no_states_and_of_unsolved_ones():
    pytest.importorskip("matplotlib")
    predict, q, v, steps = rows_of_pushes(*CASES[0], 3)
    ahead = upright(State(predict.robot, q, v[0]))
    some, none = (predict.batch(q, rows, steps, ahead) for rows in (v, v[:0]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert fw.plot(none)[0, 0].get_legend() is None
        (group,) = some.groups
        found = group.solutions._replace(solved=np.zeros(3, dtype=bool))
        unsolved = replace(some, groups=(replace(group, solutions=found),))
        (label,) = fw.plot(unsolved)[0, 0].get_legend().get_texts()
    assert label.get_text() == "3 unsolved"
    assert repr(unsolved) == "Predictions(3 unsolved)"


def test_weights_and_durations_are_numbers_of_any_type():
    """Kernels read floats of double precision."""
    robot, feet, q = standing("go2")
    state, data = State(robot, q, np.zeros(robot.nv)), []
    for kind, number in ((float, float), (int, np.float32), (np.float32, np.int64)):
        weights = Weights(
            position=(kind(30), kind(200)), velocity=(kind(6), kind(6)), spin=kind(1),
            turn=(kind(60), kind(30)), force=kind(1), last=kind(1), excess=kind(100),
        )  # fmt: skip
        stances_ = [Stance(number(2), feet.placements(q))]
        predict = Predictive(robot, feet, q, weights=weights)
        data.append(predict(state, stances_, upright(state)).subproblem.data)
    np.testing.assert_array_equal(data[1], data[0])
    np.testing.assert_array_equal(data[2], data[0])


@needs_numba
@pytest.mark.parametrize("name", ["go2", "g1"])
def test_references_of_gaits_read_times_of_any_type(name):
    robot, feet, q = standing(name)
    walker = PredictiveGait(robot, feet, q, velocity=(0.3, 0.0, 0.0))
    state = State(robot, q, np.zeros(robot.nv))
    walker(q, state.v, 0.0)
    _, reference = walker.ahead(state, t=0.0)
    told = reference(np.array([0.0, 1.0, 2.0]))
    for times in ([0, 1, 2], np.arange(3), np.arange(6.0)[::2] / 2):
        found = reference(times)
        np.testing.assert_array_equal(found.com, told.com)
        np.testing.assert_array_equal(found.velocity, told.velocity)


@needs_numba
def test_pushes_that_no_forces_hold_are_solved_too():
    """Multipliers of limits that are met have large rounding errors: the best iterate is kept."""
    PREDICTIONS.compiled(*PREDICTIONS.example())
    predict, q, _, steps = rows_of_pushes(*CASES[0], 1)
    angles, speeds = np.meshgrid(np.linspace(0.0, 2 * np.pi, 24), np.linspace(1.0, 3.0, 11))
    v = np.zeros((angles.size, predict.robot.nv))
    v[:, 0], v[:, 1] = (speeds * np.cos(angles)).ravel(), (speeds * np.sin(angles)).ravel()
    ahead = upright(State(predict.robot, q, v[0]), (0.5, 0.0, 0.0))
    found = predict.batch(q, v, steps, ahead)
    found = predict.batch(q, v, steps, ahead, about=found)
    assert (found.status != "unsolved").all()
    assert (found.status == "exceeded").mean() > 0.3
    for each in sorted(found, key=lambda each: each.solution.error)[-3:]:
        assert each.solution.cost == pytest.approx(by_cvxpy(each.subproblem).cost, rel=1e-3)


def test_arrays_of_a_subproblem_are_parts_of_its_data():
    problem = pushed(*CASES[0], count=2)[2].subproblem
    for made in (problem, problem._replace(), pickle.loads(pickle.dumps(problem))):
        assert made.sizes == problem.sizes
        made.start[:] += 1.0  # what is written to an array is solved
        np.testing.assert_array_equal(np.concatenate(made, axis=None), made.data)
    np.testing.assert_array_equal(made.start, problem.start)  # and a copy has arrays of its own


@pytest.mark.parametrize("kernel", [PREDICT, PREDICTIONS])
def test_the_kernel_is_plain_python_too(kernel, monkeypatch):
    name, swings = CASES[0]
    problem = pushed(name, swings, count=2)[2].subproblem
    plain = np.errstate(all="ignore")(kernel.function)
    monkeypatch.setattr(kernel, "select", lambda count: plain)
    found = solve(problem) if kernel is PREDICT else side_by_side([problem, problem]).one(1)
    assert found.solved
    assert found.cost == pytest.approx(by_cvxpy(problem).cost, abs=1e-7)


@needs_numba
def test_a_push_that_cannot_be_held_names_the_node_and_proves_it():
    robot, feet, q = standing("go2")
    predictive = Predictive(robot, feet, q)
    v = np.zeros(robot.nv)
    v[2], v[3] = -4.0, 15.0  # it falls and rolls
    state = State(robot, q, v)
    places = dict(feet.placements(q))
    two = Stance(1.0, {n: places[n] for n in feet.names[::3]})
    found = predictive(state, [two], upright(state))
    assert found.status == "exceeded"
    assert found.node is not None
    assert found.node > 0
    assert f"node {found.node}" in found.reason
    least = found.certificate
    assert least is not None
    assert least.residual < 1e-5
    assert least.value > 1e-3
    # no motion exceeds less: that of the prediction does not, and cvxpy's least excess is as much
    excess = (least.problem.rho * found.subproblem.excess(found.solution.x)).sum()
    assert least.value <= excess + 1e-6
    assert by_cvxpy(least.problem).cost == pytest.approx(least.value, rel=1e-4)
    holds = predictive(State(robot, q, np.zeros(robot.nv)), [Stance(1.0, places)], upright(state))
    assert holds.node is None
    assert holds.certificate is None
    assert holds.status == "optimal"


@pytest.mark.parametrize(("name", "swings"), CASES)
def test_the_dynamics_are_those_of_newton_and_euler(name, swings):
    """m c̈ = Σ f + m g and L̇ = Σ (p − c) × f + τ, with the wrenches of the contacts."""
    _, state, found = pushed(name, swings)
    body, h = found.body, found.nodes.durations
    np.testing.assert_allclose(found.com[0], state.com, atol=1e-12)
    np.testing.assert_allclose(found.momentum[0], state.centroidal_momentum[3:], atol=1e-12)
    force, moment = np.zeros(3), np.zeros(3)
    for wrench in found.wrenches(0).values():
        force += wrench.force
        moment += wrench.moment + np.cross(wrench.point - state.com, wrench.force)
    acceleration = force / body.mass + body.gravity
    np.testing.assert_allclose(found.acceleration[0], acceleration, atol=1e-9)
    np.testing.assert_allclose(found.momentum_rate[0], moment, atol=1e-7)
    way = state.com_velocity * h[0] + 0.5 * acceleration * h[0] ** 2
    np.testing.assert_allclose(found.com[1] - found.com[0], way, atol=1e-12)


@pytest.mark.parametrize(("name", "swings"), CASES)
def test_forces_are_within_the_limits_of_the_contacts(name, swings):
    predictive, state, found = pushed(name, swings)
    feet, little = predictive.contacts, 1e-8 * predictive.robot.weight
    for k, stance in enumerate(found.nodes.stances):
        for contact, x in found.point_forces(k).items():
            assert contact in stance.places
            assert ContactSet(state.robot, [feet[contact]]).limits.violation(x) < little
    assert (found.margins > -little).all()
    assert (found.torque_margins > -1e-9).all()


def test_the_centre_of_pressure_stays_within_the_share_of_a_sole():
    """On the way to a stop it goes to the end of what is used of the soles, and not beyond."""
    robot, feet, q = standing("talos")
    v = np.zeros(robot.nv)
    v[0] = 0.5
    state, places = State(robot, q, v), dict(feet.placements(q))
    for share in (1.0, 0.5):
        found = Predictive(robot, feet, q, sole_share=share)(
            state, [Stance(1.0, places)], upright(state)
        )
        toe = max(w[0] for contact in feet for w in contact.points)
        ahead = max(-w[4] / w[2] for w in found.contact_wrenches(0).values())
        assert ahead == pytest.approx(share * toe, rel=1e-3)


def test_linearised_moments_are_exact_about_a_prediction():
    """Predicted again about itself, the moments are those of the forces about the moving centre."""
    robot, feet, q = standing("go2")
    v = np.zeros(robot.nv)
    v[0], v[1] = 0.5, 0.3
    state = State(robot, q, v)
    predictive, stances = Predictive(robot, feet, q), stepping(feet, q, [feet.names[::3]])
    for _ in range(8):
        found = predictive(state, stances, upright(state))
    for k in range(predictive.count):
        moment = np.zeros(3)
        for wrench in found.wrenches(k).values():
            moment += wrench.moment + np.cross(wrench.point - found.com[k], wrench.force)
        np.testing.assert_allclose(found.momentum_rate[k], moment, atol=1e-4)


@pytest.mark.parametrize("name", ["go2", "anymal", "talos", "g1"])
def test_the_angular_momentum_is_that_of_the_base_and_of_feet_that_do_not_turn(name, monkeypatch):
    monkeypatch.setattr("footwork.control.predictive.legs.DAMPED", 0.0)
    robot, feet, q = standing(name)
    rng, own = np.random.default_rng(2), limbs_of(feet).alone
    q = robot.integrate(q, rng.normal(scale=0.1, size=robot.nv))
    v = rng.normal(size=robot.nv)
    v[6:] *= own.any(axis=0)[6:]  # arms and waists do not move
    jacobians = [foot.centre_jacobian(State(robot, q)) for foot in feet]
    for foot, J, legs in zip(feet, jacobians, own, strict=True):
        if foot.dim == 6:  # soles keep their orientation
            off = np.append(np.zeros(3), J[3:] @ v)
            v[legs] -= np.linalg.solve(J[:, legs], off)
    state = State(robot, q, v)
    R, h = state.joint_placements[1][:, :3], state.centroidal_momentum
    momenta, inertia = LegMomenta(feet)(state)
    total = R @ inertia @ v[3:6]
    for J, K in zip(jacobians, momenta, strict=True):
        total += R @ K[:, :3] @ R.T @ (J[:3] @ v - h[:3] / robot.mass)
    np.testing.assert_allclose(total, h[3:], atol=1e-10)


def test_the_wanted_momentum_turns_the_base_as_the_reference_does():
    robot, feet, q = standing("go2")
    state, told = State(robot, q, np.zeros(robot.nv)), np.linspace([0.0] * 3, [0.1, 0.3, -0.2], 17)
    goes = upright(state, rate=0.4)
    found = Predictive(robot, feet, q)(
        state, stepping(feet, q, []), lambda times: goes(times)._replace(legs=told)
    )
    wanted = found.subproblem.target[:, 6:9] * found.body.mass * found.body.square
    turns = products(inverse_inertia(found.body, found.reference), wanted - told)
    np.testing.assert_allclose(turns, found.reference.rate, atol=1e-12)


def test_swings_have_the_momentum_of_their_reference():
    start, way = pin.SE3.Identity(), np.array([0.3, 0.1, 0.0])
    goal = pin.SE3(np.eye(3), way)
    reference = swing(start, goal, 0.2, 0.05, 0.06, along=minimum_acceleration)
    times = np.linspace(0.0, 0.4, 41)
    K = np.diag([1.0, 2.0, 3.0])
    each = gait_reference.Swings(
        K[None], np.zeros(1, np.intp), np.array([0.05]), np.array([0.2]), way[None], 0.06
    )
    found = np.empty((41, 3))
    for k, t in enumerate(times):
        gait_reference.swinging(each, t, np.zeros(3), np.eye(3), found[k])
    wanted = [K @ reference(t).velocity[:3] for t in times]
    np.testing.assert_allclose(found, wanted, atol=1e-12)


def test_what_is_wanted_ahead_goes_along_the_path():
    robot, feet, q = standing("go2")
    gait = PredictiveGait(robot, feet, q, "trot")
    state, times = State(robot, q, np.zeros(robot.nv)), np.linspace(0.0, 0.5, 5)
    momenta, _ = gait.predictive.legs(state)
    for velocity in ((0.4, -0.2, 0.6), (0.4, -0.2, 0.0)):
        gait.path = replace(gait.path, velocity=np.array(velocity), begin=0.1)
        gait.ground.slope = np.array([0.1, -0.05])
        found = gait._wanted(state, 0.3, [])(times)
        for k, t in enumerate(times):
            P = gait.path.at(0.3 + t)
            height = gait.ground.height(P.translation) + gait.plan.height
            np.testing.assert_allclose(found.com[k], [*P.translation[:2], height], atol=1e-12)
            np.testing.assert_allclose(
                found.velocity[k], P.rotation @ [*velocity[:2], 0.0], atol=1e-12
            )
            base = P.rotation @ gait._upright @ gait._root
            np.testing.assert_allclose(found.rotation[k], base, atol=1e-12)
            np.testing.assert_allclose(found.rate[k], [0.0, 0.0, velocity[2]], atol=1e-12)
            own = momenta[:, :, :3].sum(axis=0) @ base.T @ -found.velocity[k]
            np.testing.assert_allclose(found.legs[k], base @ own, atol=1e-12)


def test_on_soles_the_centre_of_mass_sways_to_the_plan():
    """c⁺ = ξ + e^{−ωh} (c − ξ), exact where ξ rests; else with ξ half-way through each node."""
    robot, feet, q = standing("biped")
    gait = PredictiveGait(robot, feet, q, "walk", velocity=(0.3, 0.0, 0.0))
    gait(q, np.zeros(robot.nv), 0.0)
    q = robot.integrate(q, np.append([0.01, 0.02, 0.0], np.zeros(robot.nv - 3)))
    state, plan, omega = State(robot, q, np.zeros(robot.nv)), gait.plan, gait.plan.omega
    times = np.linspace(0.0, 0.6, 1201)
    found = gait._wanted(state, 0.1, [])(times)
    xi = np.array([plan.dcm(0.1 + t - gait.begin)[0][:2] for t in times])
    np.testing.assert_allclose(found.com[0, :2], state.com[:2], atol=1e-12)
    np.testing.assert_allclose(found.velocity[:, :2], omega * (xi - found.com[:, :2]), atol=1e-12)
    middle = 0.5 * (found.velocity[1:, :2] + found.velocity[:-1, :2])
    way = np.vstack([np.zeros((1, 2)), np.cumsum(middle * np.diff(times)[:, None], axis=0)])
    np.testing.assert_allclose(found.com[:, :2], state.com[:2] + way, atol=1e-6)
    assert np.ptp(found.com[:, 1]) > 0.01  # to the side


@pytest.mark.parametrize(("name", "points"), [("go2", 1), ("biped", 4)])
def test_what_forces_cost_does_not_depend_on_how_many_points_share_them(name, points):
    robot, feet, q = standing(name)
    state = State(robot, q, np.zeros(robot.nv))
    found = Predictive(robot, feet, q)(state, stepping(feet, q, []), upright(state))
    problem, h = found.subproblem, found.nodes.durations
    for k in range(len(h)):
        R = problem.R[problem.first[k] : problem.first[k + 1]]
        np.testing.assert_allclose(R, points * Weights().force * h[k], rtol=1e-12)


def test_what_legs_turn_is_told_by_the_reference_and_the_rest_fades():
    robot, feet, q = standing("go2")
    state = State(robot, q, np.random.default_rng(3).normal(scale=0.3, size=robot.nv))
    terms, _, inertia = LegMomenta(feet).with_terms(state)
    body, times = body_of(bodies_of(robot, terms, inertia), 0), np.array([0.0, 0.1, 50.0])
    told = np.array([[0.1, 0.2, 0.0], [0.0, 0.3, 0.1], [0.2, -0.1, 0.0]])
    reference = upright(state)(times)._replace(legs=told)
    turned = turned_by_legs(body, reference, times)
    R = body.rotation
    inertia = R @ body.inertia @ R.T
    np.testing.assert_allclose(inertia @ (body.rate - turned[0]), body.momentum, atol=1e-12)
    np.testing.assert_allclose(inertia @ turned[2], -told[2], atol=1e-12)


def test_the_faster_a_trot_the_less_of_it_do_all_feet_stand():
    robot, feet, q = standing("go2")
    gait, times = PredictiveGait(robot, feet, q, "trot"), []
    for speed in (0.0, 0.3, 0.6):
        gait.path = replace(gait.path, velocity=np.array([speed, 0.0, 0.0]))
        times.append(gait._times())
    (swing0, double0), (swing1, double1), (swing2, double2) = times
    assert double0 > double1 > double2 > 0.0
    assert swing0 < swing1 < swing2
    assert swing0 + double0 == pytest.approx(swing2 + double2)


def test_known_wrenches_shift_the_forces():
    robot, feet, q = standing("anymal")
    state = State(robot, q, np.zeros(robot.nv))
    places = [Stance(1.0, dict(feet.placements(q)))]
    payload = Wrench((0.0, 0.0, -100.0), np.zeros(3), state.com)
    plain, loaded = (
        Predictive(robot, feet, q)(state, places, upright(state), wrenches=w)
        for w in (None, payload)
    )
    more = loaded.net[:, 2].mean() - plain.net[:, 2].mean()
    assert more == pytest.approx(100.0, rel=0.02)


def test_a_hand_on_a_wall_by_the_same_lines():
    """Feet and a hand: what the hand gives lies in its own cone, about the wall's normal.

    Cones of three and of four entries, of a friction of moments, and contacts with fewer cones.
    """
    robot = fw.load("talos")
    q = standing("talos")[2]
    frame = "wrist_right_ft_link"
    hand = PointContact(frame, 0.5, normal=(0.0, 1.0, 0.0), name="hand", torsional_friction=0.02)
    feet = ContactSet(robot, [*at_feet(robot, 0.6), hand])
    v = np.zeros(robot.nv)
    v[1] = -0.4
    state = State(robot, q, v)
    found = Predictive(robot, feet, q)(
        state, [Stance(1.0, dict(feet.placements(q)))], upright(state)
    )
    assert found.status == "optimal"
    force = found.wrenches(0)["hand"].force
    assert force[1] > 1.0  # it leans on the wall
    assert np.hypot(force[0], force[2]) <= 0.5 * force[1] + 1e-6
    assert found.solution.cost == pytest.approx(by_cvxpy(found.subproblem).cost, rel=1e-4)


def test_nodes_end_where_contacts_change():
    _, feet, q = standing("go2")
    grid = control.predictive.stances.nodes(stepping(feet, q, [feet.names[:2]]), 16, 0.03)
    assert len(grid.durations) == 16
    ends = grid.times
    for change in (0.06, 0.26, 0.32):
        assert np.abs(ends - change).min() < 1e-12
    assert grid.durations.max() < 0.05


def test_a_stance_may_last_for_years():
    """Nodes beyond the last one were counted too: memory for all of them ran out."""
    _, feet, q = standing("go2")
    places = feet.placements(q)
    last = [control.predictive.Stance(0.1, places), control.predictive.Stance(1e12, places)]
    grid = control.predictive.stances.nodes(last, 16, 0.03)
    assert len(grid.durations) == 16
    assert grid.durations[3:] == pytest.approx(np.full(13, 0.03), rel=1e-9)
    assert [stance.duration for stance in grid.stances] == 3 * [0.1] + 13 * [1e12]


def test_the_whole_body_program_follows_forces_that_its_tasks_leave_free():
    robot, feet, q = standing("go2")
    gait = PredictiveGait(robot, feet, q, "trot")
    state = State(robot, q, np.random.default_rng(4).normal(scale=0.05, size=robot.nv))
    gait(state, None, 0.0)
    T = [feet[name].pose(state) for name in feet.names]
    G = np.hstack([np.vstack([X.rotation, skew(X.translation) @ X.rotation]) for X in T])
    free = null_space(G)  # forces without a resultant: (12, 6)
    squeezed = {  # the prediction's forces, and what presses the feet together or apart
        name: w + 3.0 * free[3 * i : 3 * i + 3, 0]
        for i, (name, w) in enumerate(gait.controller.nominal_forces(0.0).items())
    }
    gait.controller.nominal_forces = lambda t: squeezed
    command = gait.controller(state, None, 0.0)
    wanted = np.concatenate([squeezed[name] for name in feet.names])
    np.testing.assert_allclose(free.T @ wanted, [3.0, 0, 0, 0, 0, 0], atol=1e-2)
    np.testing.assert_allclose(free.T @ command.w, free.T @ wanted, atol=1e-6)
    _, w, _ = program_by_cvxpy(gait.controller, q, state.v)
    np.testing.assert_allclose(command.w, w, atol=1e-3)


@needs_numba
def test_on_soles_the_point_of_capture_is_followed_between_two_predictions():
    """Here none comes after the first: what it foresaw is long gone when the gait ends."""
    robot, feet, q = standing("biped")
    gait = PredictiveGait(robot, feet, q, velocity=(0.3, 0.0, 0.0), every=10.0)
    motion = control.simulate(
        robot, gait, q=q, contacts=feet, duration=2.0, control_step=5e-3, progress=False
    )
    assert gait.prediction.t == 0.0
    assert gait.controller.nominal_forces is None
    assert not motion.fell
    assert motion.v[-1][0] == pytest.approx(0.3, abs=0.1)


@pytest.mark.parametrize("name", ["go2", "solo12"])
def test_nominal_forces_of_a_gait_are_those_of_its_first_node(name):
    robot, feet, q = standing(name)
    gait = PredictiveGait(robot, feet, q)
    assert gait.controller.nominal_forces(0.0) == {}  # nothing is predicted yet
    gait(q, np.full(robot.nv, 0.02), 0.0)
    given = gait.controller.nominal_forces(0.0)
    for contact, wrench in gait.prediction.wrenches(0).items():
        R = feet[contact].pose(State(robot, q)).rotation
        w = np.concatenate([R.T @ wrench.force, R.T @ wrench.moment])
        np.testing.assert_allclose(given[contact], w[: feet[contact].dim], atol=1e-9)


@needs_numba
def test_a_trot_in_closed_loop_keeps_its_speed():
    robot, feet, q = standing("go2")
    gait = PredictiveGait(robot, feet, q, "trot", velocity=(0.8, 0.0, 0.0))
    motion = control.simulate(
        robot, gait, q=q, contacts=feet, duration=1.5, control_step=5e-3, progress=False
    )
    assert not motion.fell
    assert motion.v[-1][0] == pytest.approx(0.8, abs=0.2)
    assert gait.prediction is not None
    assert gait.prediction.solution.solved


def trotted(velocity, **given):
    """A trial of Go2 in the real world, on what its estimator says."""
    robot, sensors = fw.load("go2"), control.Sensors()
    return judging.trial(
        robot,
        lambda *given: judging.walker(*given, gait="trot", predictive=True, sensors=sensors),
        judging.World.real(sensors=sensors), velocity=velocity, duration=3.0, seed=1, **given,
    )  # fmt: skip


@needs_numba
def test_a_trot_that_is_pushed_is_not_thrown_up():
    """Braking takes friction: a larger normal force has more, and takes the feet off the ground."""
    assert not trotted((0.5, 0.0, 0.0), impulse=judging.Impulse(1.0, 45.0, at=2.0)).ended


@needs_numba
def test_a_trot_that_is_pushed_ahead_keeps_its_legs_bent():
    """By the end of a step they are straight otherwise, and pull its feet off the ground."""
    assert not trotted((0.5, 0.0, 0.0), impulse=judging.Impulse(1.2, 0.0, at=1.0)).ended


@needs_numba
def test_a_trot_goes_sideways_as_fast_as_its_legs_reach():
    """Its feet land farther out then, and it is lower by the time it goes as fast."""
    assert not trotted((0.0, 0.8, 0.0)).ended


@pytest.mark.parametrize("velocity", [(0.8, 0.0, 0.0), (0.0, 0.8, 0.0), (0.0, 0.3, 0.0)])
def test_legs_are_no_longer_where_feet_land_than_where_the_robot_stands(velocity):
    """√(height² + d²) with d the way of a foot from beneath its hip, of a gait that goes on."""
    robot, feet, q = standing("go2")
    gait = PredictiveGait(robot, feet, q, "trot", velocity=velocity)
    steady = gait.steady(velocity)
    landed = steady.begin + sum(phase.duration for phase in steady.phases[:2])
    beneath = gait.placement.beneath(steady.path.at(landed))
    away = [
        float(np.linalg.norm((T.translation - beneath[name].translation)[:2]))
        for name, T in steady.phases[1].swings.items()
    ]
    assert np.hypot(steady.height, max(away)) < 1.001 * gait.height


@pytest.mark.parametrize("name", ["go2", "biped"])
def test_a_gait_predicts_normal_forces_that_do_not_make_it_jump(name):
    """In weights; a bound that a foot has already stays."""
    robot, feet, q = standing(name)
    gait = PredictiveGait(robot, feet, q)
    for contact in gait.predictive.contacts:
        assert contact.normal_bounds[1] == pytest.approx(1.2 * robot.weight)
    weak = ContactSet(robot, [replace(foot, max_normal=0.7 * robot.weight) for foot in feet])
    for contact in PredictiveGait(robot, weak, q).predictive.contacts:
        assert contact.normal_bounds[1] == pytest.approx(0.7 * robot.weight)


def from_hips(feet, q):
    """The distances of the feet from the joints by which their legs begin."""
    state = State(feet.robot, q)
    ways = feet.attachment.positions(state) - state.joint_placements[hips(feet), :, 3]
    return np.linalg.norm(ways, axis=1)


@pytest.mark.parametrize("name", ["go2", "talos", "g1"])
def test_no_leg_gets_longer_than_its_length(name):
    """Of a robot whose joints are at random, and as an optimiser stretches the first leg."""
    robot, feet, q = standing(name)
    found, rng = lengths(feet, q), np.random.default_rng(0)
    low, high = (np.clip(ends[7:], -3.0, 3.0) for ends in ranges(robot._model))
    for _ in range(50):
        posture = np.append(q[:7], rng.uniform(low, high))
        assert (from_hips(feet, posture) < found + 1e-9).all()
    best = minimize(
        lambda joints: -from_hips(feet, np.append(q[:7], joints))[0],
        q[7:], bounds=list(zip(low, high, strict=True)), options={"ftol": 1e-12},
    )  # fmt: skip
    assert -best.fun == pytest.approx(found[0], rel=1e-4)


def test_heights_are_those_that_legs_reach_from_where_feet_stand():
    """At a bound of the height a leg is as long as it may be, the others are shorter."""
    predictive, state, found = pushed("go2", [(0, 3), (1, 2)], velocity=0.4, rise=1.0)
    P, R = found.subproblem, state.joint_placements[1][:, :3]
    most = {name: float(block.lengths) for name, block in predictive.blocks.items()}
    np.testing.assert_allclose(list(most.values()), 0.98 * lengths(predictive.contacts, state.q))
    own = hips(predictive.contacts)
    from_com = (state.joint_placements[own, :, 3] - state.com) @ R
    free = found.reference.com[:, 2] - state.com[2] + predictive.rise
    nominal = found.reference.com  # the first prediction is linearised about the reference
    bounded = np.flatnonzero(P.d[1:-1, 1] < free[1:-1] - 1e-9) + 1
    assert len(bounded) > 3
    for k in bounded:
        com = np.append(nominal[k, :2], state.com[2] + P.d[k, 1])
        longest = []
        for node in (k - 1, k):
            for name, T in found.nodes.stances[node].places.items():
                hip = (
                    com
                    + found.reference.rotation[k] @ from_com[predictive.contacts.names.index(name)]
                )
                longest.append(np.linalg.norm(hip - T.translation) / most[name])
        assert max(longest) == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("name", ["solo12", "talos"])
def test_how_far_it_may_rise_and_sink_is_in_proportion_to_its_height(name):
    robot, feet, q = standing(name)
    predictive = Predictive(robot, feet, q)
    height = fw.dynamics.com(robot, q)[2] - min(
        T.translation[2] for T in feet.placements(q).values()
    )
    assert (predictive.sink, predictive.rise) == pytest.approx((0.3 * height, 0.1 * height))
    assert Predictive(robot, feet, q, rise=0.5).rise == 0.5


@needs_numba
def test_a_humanoid_whose_waist_turns_with_its_base_keeps_its_feet():
    """As the prediction takes waist and arms to do: G1 tilts by 50 degrees in 3 s otherwise.

    And joints near the ends of their ranges leave forces that hold: 7 ticks had none where they
    were braked by half as stiff a barrier.
    """
    pytest.importorskip("mujoco")
    robot = fw.load("g1")
    q, velocity = control.stand(robot, crouch=0.02)[1], (0.6, 0.0, 0.0)
    found = judging.trial(
        robot, lambda *given: judging.walker(*given, gait="walk", predictive=True),
        judging.World.real(), velocity=velocity, duration=3.0, q=q, seed=2,
    )  # fmt: skip
    assert not found.ended
    assert found.tilt < 15.0
    assert found.statuses["optimal"] > 1497


def test_a_stance_is_where_its_contacts_were_when_it_was_made():
    T = pin.SE3.Identity()
    places = {"a": T}
    stance = Stance(1.0, places)
    T.translation, places["b"] = np.ones(3), T
    kept = [T.homogeneous for T in stance.places.values()]
    np.testing.assert_array_equal(kept, stance.poses)
    with pytest.raises((ValueError, AttributeError)):
        stance.places["a"].translation = np.ones(3)


def test_what_does_not_fit_is_refused():
    robot, feet, q = standing("go2")
    predictive = Predictive(robot, feet, q)
    state = State(robot, q, np.zeros(robot.nv))
    with pytest.raises(fw.errors.ConfigurationError, match="stances"):
        predictive(state, [], upright(state))
    with pytest.raises(fw.errors.ContactError, match="tail"):
        predictive(state, [Stance(1.0, {"tail": pin.SE3.Identity()})], upright(state))
    stances = [Stance(1.0, dict(feet.placements(q)))]
    for given, reference, told in (
        (q, upright(state), r"state: got no velocity.*State\(robot, q, v\)"),
        (state, upright(state)(np.zeros(17)), "reference: got .*; expected a function of times"),
    ):
        with pytest.raises(fw.errors.ConfigurationError, match=told):
            predictive(given, stances, reference)
    with pytest.raises(fw.errors.ConfigurationError, match=r"tolerance: got 1.* 0.01"):
        Predictive(robot, feet, q, tolerance=1)  # it called postures tilted that were upright
    with pytest.raises(fw.errors.ContactError, match="contacts: got none"):
        Predictive(robot, ContactSet(robot, []), q)
    upside_down = q.copy()
    upside_down[3:7] = [1, 0, 0, 0]
    with pytest.raises(fw.errors.ConfigurationError, match=r"q: got .* below its lowest contact"):
        Predictive(robot, feet, upside_down)
    tall, far = 1.1 * np.eye(3), np.full(3, 1e9)
    for T in (None, pin.SE3(tall, np.zeros(3)), pin.SE3(np.eye(3), far), pin.SE3(0 * tall, far)):
        with pytest.raises(fw.errors.ConfigurationError, match=r"places\['b'\]: got "):
            Stance(1.0, {"a": pin.SE3.Identity(), "b": T})
    with pytest.raises(fw.errors.ConfigurationError, match="fixed base"):
        Predictive(fw.load("double_pendulum"), ContactSet(robot, []), q)
    nowhere = robot.with_gravity(np.zeros(3))
    for kind in (Predictive, control.PredictiveGait):
        with pytest.raises(fw.errors.ConfigurationError, match="gravity: 'go2' weighs nothing"):
            kind(nowhere, ContactSet(nowhere, list(feet)), q)


def test_a_prediction_is_drawn_with_its_margins():
    pytest.importorskip("matplotlib")
    _, _, found = pushed(*CASES[0])
    _, forces, margins = fw.plot(found)[0]
    assert len(forces.patches) == len(found.contacts)
    drawn = margins.patches[0].get_data().values
    np.testing.assert_allclose(drawn, found.margins)
