"""Inequality constraints of the whole-body program: derivatives, cvxpy, closed loops, slacks."""

from __future__ import annotations

import pickle
from types import SimpleNamespace

import numpy as np
import pinocchio as pin
import pytest
from differences import derivative

from footwork import ConfigurationError, contacts, control, dynamics
from footwork.control import constraints as kinds
from footwork.dynamics import State

HANDS = "left_hand", "right_hand"
AWAY = np.array([0.3, 0.1, 0.0])


@pytest.fixture(scope="module")
def posed(biped):
    """make(constraints, more tasks, …) -> a controller that stands; q: where."""
    usual, q = control.stand(biped)

    def make(constraints, tasks=(), **options):
        own = pickle.loads(pickle.dumps([*usual.tasks, *tasks]))
        options["constraints"] = constraints
        return control.WholeBodyController(biped, usual.contacts, own, **options)

    return SimpleNamespace(make=make, q=q)


def square(robot, q, size):
    corners = np.array([[1, 1], [1, -1], [-1, -1], [-1, 1]])
    return dynamics.com(robot, q)[:2] + size * corners


def several(robot, q):
    """Of each kind one that acts on the usual tasks."""
    ahead = dynamics.frame_placement(robot, q, "head").translation + np.array([3.0, 0.0, 0.6])
    return [
        kinds.ComConstraint(square(robot, q, 0.02), margin=0.005),
        kinds.DistanceConstraint(HANDS, least=0.3, most=1.0, points=[[0, 0, -0.1]] * 2),
        kinds.GazeConstraint(ahead, frame="head", angle=0.2),
        kinds.AccelerationConstraint(3.0, 1e3),
        kinds.SelfCollisionConstraint(0.03),
    ]


# --- derivatives -----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", range(3))
@pytest.mark.parametrize("seed", range(3))
def test_jacobian_and_drift_are_derivatives_on_the_manifold(biped, posed, kind, seed):
    """h' = J v and (J v)' = J̇v along q(t) = q ⊕ v t, by central differences of order 6."""
    rng, q = np.random.default_rng(seed), posed.q
    barrier = several(biped, q)[kind]
    barrier.bind(biped)
    v = rng.standard_normal(biped.nv)
    q = biped.integrate(q, 0.2 * rng.standard_normal(biped.nv))
    state = State(biped, q, v)

    def h(t):
        return barrier.value(State(biped, biped.integrate(q, t * v), v))

    def rate(t):
        there = State(biped, biped.integrate(q, t * v), v)
        return barrier.jacobian(there) @ v

    assert barrier.jacobian(state) @ v == pytest.approx(derivative(h), abs=1e-9)
    assert barrier.drift(state) == pytest.approx(derivative(rate), abs=1e-8)


def test_distances_of_links_have_their_derivatives(biped, posed):
    """Where they are smooth: from both sides the same, but for faces that begin to touch anew."""
    barrier = kinds.SelfCollisionConstraint(0.02, ahead=0.3)
    barrier.bind(biped)
    rng = np.random.default_rng(4)
    q = biped.integrate(posed.q, 0.1 * rng.standard_normal(biped.nv))
    v = rng.standard_normal(biped.nv)
    state = State(biped, q, v)
    near = [(one.links, one.points) for one in barrier.nearest(state)]

    def h(t):
        there = barrier.nearest(State(biped, biped.integrate(q, t * v), v))
        return np.array([next(x.distance - x.keep for x in there if x.links == p) for p, _ in near])

    ahead, behind = (h(1e-3) - h(0.0)) / 1e-3, (h(0.0) - h(-1e-3)) / 1e-3
    smooth = np.abs(ahead - behind) < 1e-2
    rates = barrier.jacobian(state) @ v
    assert smooth.sum() > 5
    # of cylinders coal is less exact
    assert rates[smooth] == pytest.approx(derivative(h)[smooth], abs=1e-3)
    assert barrier.value(state) == pytest.approx(h(0.0), abs=1e-12)
    rows, count = barrier.rows(state, 0.0, None), len(near)
    assert rows.L[:count] @ v == pytest.approx(rates, abs=1e-12)
    least = -barrier.drift(state) - 20 * rates - 100 * barrier.value(state)
    assert rows.least[:count] == pytest.approx(least, abs=1e-9)
    assert (rows.least[count:] == -np.inf).all()


# --- the program -----------------------------------------------------------------------------


@pytest.mark.parametrize("solver", ["daqp", "clarabel"])
def test_the_optimum_is_that_of_cvxpy(biped, posed, solver):
    controller, q = posed.make(several(biped, posed.q), solver=solver), posed.q
    controller.task("com").target = dynamics.com(biped, q) + AWAY
    v = 0.02 * np.random.default_rng(0).standard_normal(biped.nv)
    acted: set[str] = set()
    for t in (0.0, 0.002, 0.004):
        a, w, tau = control.by_cvxpy(controller, q, v, t)
        P, command = controller.program(q, v, t), controller(q, v, t)
        assert command.status == "optimal"
        assert command.residuals["constraints"] < 1e-8
        assert command.a == pytest.approx(a, abs=1e-6 * (1 + np.abs(a).max()))
        # of the forces, whose cost is small, the reference is less certain than we are
        assert P.cost(command.a, command.w) == pytest.approx(P.cost(a, w), rel=1e-9)
        assert command.tau == pytest.approx(tau, abs=1e-4 * (1 + np.abs(tau).max()))
        acted |= set(command.active())
    assert any(name.startswith("acceleration of") for name in acted)


def test_each_barrier_acts_where_tasks_alone_would_violate_it(biped, posed):
    """And is named; its rows hold with equality there."""
    v = np.zeros(biped.nv)
    v[6:] = 0.4 * np.random.default_rng(7).standard_normal(biped.na)
    acted = []
    for barrier in several(biped, posed.q)[:3]:
        free, kept = posed.make([]), posed.make([barrier])
        for controller in (free, kept):
            controller.task("com").target = dynamics.com(biped, posed.q) + AWAY
        L, least = barrier.rows(State(biped, posed.q, v), 0.0, None)
        command = kept(posed.q, v)
        lacking = (least - L @ free(posed.q, v).a).max()
        assert command.residuals["constraints"] < 1e-8
        assert (barrier.name in command.active()) == (lacking > 0)
        acted.append(bool(lacking > 0))
    assert acted[0]


def test_strict_levels_keep_constraints_too(biped, posed):
    barrier = kinds.ComConstraint(square(biped, posed.q, 0.005))
    controller = posed.make([barrier], strict=True)
    controller.task("com").target = dynamics.com(biped, posed.q) + AWAY
    command = controller(posed.q, np.zeros(biped.nv))
    assert command.status == "optimal"
    assert command.residuals["constraints"] < 1e-8
    assert "com" in command.active()


def test_what_cannot_be_kept_gives_way_by_name(biped, posed):
    """Two distances that contradict each other: these are relaxed, no contact and no joint is."""
    near = kinds.DistanceConstraint(HANDS, most=0.1, name="near")
    far = kinds.DistanceConstraint(HANDS, least=0.9, name="far")
    controller = posed.make([near, far], on_failure="raise")
    command = controller(posed.q, np.zeros(biped.nv))
    assert command.status == "relaxed"
    assert command.gave_way
    assert set(command.gave_way) <= {"near", "far"}
    assert any(name in command.reason for name in ("near", "far"))
    P = command.program
    assert sum(command.gave_way.values()) == pytest.approx(P.least.sum(), rel=1e-6)
    for kind, violation in P.violations(command.a, command.w).items():
        assert violation < 1e-5 or kind == "constraints", kind


def test_jerk_is_limited_from_tick_to_tick(biped, posed):
    controller = posed.make([kinds.AccelerationConstraint(5.0, 200.0)])
    before = np.zeros(biped.nv)
    com, v = dynamics.com(biped, posed.q), np.zeros(biped.nv)
    for k in range(6):
        controller.task("com").target = com + (-1) ** k * AWAY
        a = controller(posed.q, v, 0.005 * k).a
        assert np.abs(a[6:]).max() < 5.0 + 1e-8
        if k:
            assert np.abs(a - before)[6:].max() == pytest.approx(1.0, abs=1e-8)
        before = a
    controller.restart()
    assert np.abs(controller(posed.q, v).a - before)[6:].max() > 1.1


# --- closed loops ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def closed_loops(biped, posed):
    """Configurations without and with constraints, of tasks that nothing but these stops."""
    q = posed.q
    places = {name: dynamics.frame_placement(biped, q, name) for name in (*HANDS, "head")}
    middle = (places[HANDS[0]].translation + places[HANDS[1]].translation) / 2
    ahead, moved = middle + np.array([0.25, 0.0, 0.25]), {"rows_of": "position", "weight": 5.0}
    goals = {hand: (pin.SE3(places[hand].rotation, ahead), moved) for hand in HANDS}
    turned = pin.SE3(pin.utils.rotate("z", 0.8), places["head"].translation)
    goals["head"] = turned, {"rows_of": "orientation", "weight": 1.0}
    tasks = [control.FrameTask(T, frame=f, gain=30.0, **how) for f, (T, how) in goals.items()]
    constraints = [
        kinds.ComConstraint(square(biped, q, 0.01)),
        kinds.GazeConstraint(ahead_of(biped, q), frame="head", angle=0.2),
        kinds.SelfCollisionConstraint(0.03),
    ]
    found = []
    for kept in ([], constraints):
        controller = posed.make(kept, tasks)
        controller.task("com").target = dynamics.com(biped, q) + np.array([0.04, 0.02, 0.0])
        how = {"duration": 0.6, "control_step": 4e-3, "progress": False}
        motion = control.simulate(biped, controller, q=q, **how)
        assert set(motion.statuses) == {"optimal"}
        assert not motion.fell
        found.append(motion.q[::5])
    return found


def ahead_of(robot, q):
    return dynamics.frame_placement(robot, q, "head").translation + np.array([2.0, 0.0, 0.0])


def test_the_centre_of_mass_stays_in_its_polygon(biped, posed, closed_loops):
    com = dynamics.com(biped, posed.q)
    free, kept = (
        max(np.abs(dynamics.com(biped, q) - com)[:2].max() for q in Q) for Q in closed_loops
    )
    assert free > 0.015
    assert 0.008 < kept < 0.0101


def test_links_do_not_collide(biped, closed_loops):
    """Hands that are pulled together take the forearms to the torso."""
    free, kept = (contacts.batch.self_collisions(biped, Q, 0.1) for Q in closed_loops)
    assert free.distance.min() < 0.02
    assert kept.distance.min() > 0.0299


def test_the_gaze_stays_in_its_cone(biped, posed, closed_loops):
    ahead = ahead_of(biped, posed.q)

    def angle(q):
        T = dynamics.frame_placement(biped, q, "head")
        r = ahead - T.translation
        return np.arccos(r @ T.rotation[:, 0] / np.linalg.norm(r))

    free, kept = (max(map(angle, Q)) for Q in closed_loops)
    assert free > 0.4
    assert 0.15 < kept < 0.2001


# --- refusals --------------------------------------------------------------------------------


def test_what_does_not_fit_is_refused(biped, posed):
    corners = square(biped, posed.q, 0.1)

    def apart(*frames):
        return posed.make([kinds.DistanceConstraint(frames, least=0.1)])

    for call, words in (
        (lambda: kinds.ComConstraint(corners, damping=1.0), r"damping of 'com': got 1.0"),
        (lambda: kinds.ComConstraint([[0.0, 0.0], [1.0, 0.0]]), "vertices of 'com': got 2 corners"),
        (lambda: kinds.DistanceConstraint(HANDS), "got neither least nor most"),
        (lambda: posed.make([kinds.ComConstraint(corners)] * 2), "got the name 'com' twice"),
        (lambda: apart("left_hnad", "torso"), "left_hand"),
        (lambda: apart("left_hand", "left_hand"), "of one body"),
        (lambda: apart("left_hand", "left_forearm"), "of one body"),
    ):
        with pytest.raises(ConfigurationError, match=words):
            call()
