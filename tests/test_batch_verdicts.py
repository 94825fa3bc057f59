"""Batches of verdicts: the kernels against the conic solver and cvxpy, and every answer's proof."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from stances import posed

import footwork as fw
from footwork import ContactError, contacts, dynamics, robots
from footwork.contacts import PointForces, batch
from footwork.contacts.equilibrium import decision, problems
from footwork.contacts.equilibrium.balances import Balances
from footwork.contacts.equilibrium.certificate import certificate_value, certificate_violation
from footwork.contacts.equilibrium.decision import Wanted, decide, layout_of
from footwork.contacts.equilibrium.programs import Equilibrium
from footwork.contacts.equilibrium.reference import ReferenceEquilibrium
from footwork.contacts.kernels import contact_columns, verdict
from footwork.contacts.kernels.compiled import Kernels
from footwork.contacts.torque_limits import TorqueBounds
from footwork.dynamics.kernels import toolchain
from footwork.dynamics.workspace import KERNEL_MEMORY

pytest.importorskip("numba")


def terrain(rng, count):
    """Points with a load, of which some hold and some do not."""
    points = np.column_stack([rng.uniform(-0.4, 0.4, (count, 2)), 0.1 * rng.standard_normal(count)])
    normals = np.array([0, 0, 1]) + 0.3 * rng.standard_normal((count, 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    forces = PointForces.at(points, normals, rng.uniform(0.2, 0.9, count))
    x, y = rng.uniform(-0.2, 0.2, 2)
    return Equilibrium.of_body(forces, -np.array([*rng.normal(0, 0.1, 2), 1, y, -x, 0.02]))


def degenerate(rng, count):
    """Collinear or repeated points, parallel normals, no friction, loads along the cones' edges."""
    points = np.outer(rng.uniform(-0.4, 0.4, count), [1.0, 0.5, 0.0])
    if rng.random() < 0.5:
        points = np.vstack([points, points[:1]])
    mu = np.full(len(points), rng.choice([0.0, 0.5]))
    forces = PointForces.at(points, (0.0, 0.0, 1.0), mu)
    f = rng.uniform(0, 1, (len(points), 3))
    f[:, :2] = mu[:, None] * f[:, 2:] * rng.choice([0.0, 1.0]) * np.array([0.6, 0.8])
    return Equilibrium.of_body(forces, -forces.grasp @ f.ravel() * rng.choice([1.0, -0.5]))


def prove(balance, verdicts, i):
    """Check what is claimed with a few lines of NumPy."""
    if verdicts.feasible[i] == 1:
        x = verdicts.forces[i].ravel()
        assert balance.residual(x) < 1e-8 * balance.weight
        assert balance.limits.violation(x) < 1e-8 * balance.weight
    elif verdicts.feasible[i] == 0:
        y = verdicts.velocity[i]
        assert np.linalg.norm(y) == pytest.approx(1)
        assert certificate_violation(balance, y) <= 1e-8
        assert certificate_value(balance, y) > 0


def agree(balance, verdicts, i):
    """The margin and the forces of cvxpy; the same side of the edge."""
    reference = ReferenceEquilibrium.like(balance)
    margin = reference.margin().value
    edge = 1e-6 * balance.weight
    if np.isfinite(margin):
        assert verdicts.margin[i] == pytest.approx(margin, rel=1e-6, abs=0.1 * edge)
    if margin > 10 * edge and verdicts.feasible[i] == 1:
        least = reference.least_norm().unknowns
        assert np.abs(verdicts.forces[i].ravel() - least).max() < 1e-5 * balance.weight
    expected = {True: 1, False: 0}[margin > 0]
    assert verdicts.feasible[i] == expected or abs(margin) < 10 * edge or not np.isfinite(margin)


@pytest.mark.parametrize("count", [1, 2, 3, 4, 8, 12])
def test_random_contacts_agree_with_cvxpy(count):
    rng = np.random.default_rng(count)
    states = [terrain(rng, count) for _ in range(300)]
    verdicts = decide(Balances.of(states))
    assert verdicts.compiled.mean() > 0.99
    assert len(set(verdicts.feasible)) == (1 if count < 3 else 2)
    for i, balance in enumerate(states):
        prove(balance, verdicts, i)
        if i < 8:
            agree(balance, verdicts, i)


def test_degenerate_contacts_and_the_edge():
    rng = np.random.default_rng(0)
    for count in (2, 3, 4):
        for _ in range(10):
            balance = degenerate(rng, count)
            verdicts = decide(Balances.of([balance]))
            prove(balance, verdicts, 0)
            agree(balance, verdicts, 0)


def odd(rng, kind):
    """Contacts of every number, with what is rare: see the names."""
    count = 1 if kind == "one" else int(rng.choice([2, 3, 4, 6, 32]))
    points = rng.uniform(-0.4, 0.4, (count, 3)) * [1, 1, 0.2]
    normals = np.array([0, 0, 1]) + 0.3 * rng.standard_normal((count, 3))
    if kind == "walls":
        normals = rng.standard_normal((count, 3))
    if kind == "coincident":
        points[1:], normals[1:] = points[0], normals[0]
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    mu = {"ice": 1e-3, "smooth": 0.0}.get(kind, 0.6) * np.ones(count)
    size, weight = 10 ** rng.uniform(-3, 3, 2) if kind == "scales" else (1.0, 1.0)
    forces = PointForces.at(size * points, normals, mu)
    f = rng.uniform(0, 1, (count, 3)) * rng.choice([0.0, 1.0], (count, 1))
    f[:, :2] *= mu[:, None] * f[:, 2:] * rng.choice([0.5, 1.0])
    w = forces.grasp @ f.ravel() + rng.choice([0.0, 0.3]) * rng.standard_normal(6)
    w[2] += 1e-3
    w[:3] *= weight
    w[3:] *= weight * (size if kind == "scales" else 1.0)
    return replace(Equilibrium.of_body(forces, -w), weight=float(np.linalg.norm(w[:3])))


@pytest.mark.parametrize(
    "kind", ["one", "walls", "coincident", "ice", "smooth", "scales", "inside and out"]
)
def test_odd_contacts_agree_with_the_conic_solver(kind):
    rng = np.random.default_rng(5)
    for i in range(25):
        balance = odd(rng, kind)
        many, edge = Balances.of([balance]), 1e-6 * balance.weight
        verdicts, plain = decide(many), decide(many, wanted=Wanted(margin=False))
        assert verdicts.feasible[0] == plain.feasible[0]
        assert np.isnan(plain.margin[0])
        prove(balance, verdicts, 0)
        prove(balance, plain, 0)
        solver = balance if i > 2 else ReferenceEquilibrium.like(balance)
        margin = solver.margin().value
        if np.isfinite(margin):
            assert verdicts.margin[0] == pytest.approx(margin, rel=1e-6, abs=0.1 * edge)
        if abs(margin) > 2 * edge and (np.isfinite(margin) or margin < 0):
            assert verdicts.feasible[0] == (margin > 0)


def test_the_forces_without_margins_are_the_same():
    rng = np.random.default_rng(6)
    many = Balances.of([terrain(rng, 4) for _ in range(100)])
    full, plain = decide(many), decide(many, wanted=Wanted(margin=False))
    assert plain.compiled.all()
    assert np.array_equal(full.feasible, plain.feasible)
    assert np.array_equal(full.forces, plain.forces, equal_nan=True)


def near_posture(robot, rng, count, size=0.05):
    steps = size * rng.standard_normal((count, robot.nv))
    return np.array([robot.integrate(robot.posture(), dq) for dq in steps])


def as_one_by_one(robot, qs, feet, many, *wrenches):
    """The margins of a batch are those of single calls."""
    for q, margin in zip(qs, many.margin, strict=True):
        one = contacts.static_hold(robot, q, feet, *wrenches, torque_limits=False)
        assert margin == pytest.approx(one.margin, rel=1e-6)


def test_wrenches_at_links():
    """Each as `static_hold` answers it, in postures of which none is the first."""
    robot = robots.load("biped")
    feet, qs = contacts.at_feet(robot), near_posture(robot, np.random.default_rng(8), 3)
    names = [f.name for f in robot.model.frames if f.parentJoint > 0][:2]
    pushes = {
        names[0]: fw.Wrench([5.0, 1, 0], [0, 0.5, 0]),
        names[1]: fw.Wrench([0, 3.0, -4], [0, 0, 0.2], point=[0.1, 0, 0.3]),
    }
    turned = {names[1]: fw.Wrench([0, 3.0, -4], [0, 0, 0.2], axes="local")}
    for wrenches in (pushes, turned):
        many = batch.static_hold(robot, qs, feet, wrenches=wrenches, torque_limits=False)
        as_one_by_one(robot, qs, feet, many, wrenches)


def weak(rng, count, joints):
    """The same contacts under a robot whose joints have limits of which some are met."""
    balance = terrain(rng, count)
    grasp = np.vstack([balance.grasp, 0.5 * rng.standard_normal((joints, 3 * count))])
    load = np.append(balance.load, 0.1 * rng.standard_normal(joints))
    spin = np.vstack([balance.spin, np.zeros((joints, balance.spin.shape[1]))])
    limits = TorqueBounds.about(rng.uniform(0.1, 0.6, joints))
    added = {"actuated": np.arange(6, 6 + joints), "bounds": limits}
    return replace(balance, load=load, grasp=grasp, central=grasp, spin=spin, **added)


@pytest.mark.parametrize(("count", "joints"), [(1, 2), (3, 6), (4, 8), (8, 12), (12, 20)])
def test_torque_limits_are_met_by_the_kernel(count, joints):
    """As the conic solver decides; what the kernel leaves is little."""
    rng, left = np.random.default_rng(count), 0
    for _ in range(60):
        balance = weak(rng, count, joints)
        verdicts, margin = decide(Balances.of([balance])), balance.margin().value
        left += verdicts.asked_of_solver
        prove(balance, verdicts, 0)
        assert verdicts.margin[0] == pytest.approx(margin, rel=1e-6, abs=1e-7)
        if abs(margin) > 1e-5:
            assert verdicts.feasible[0] == (margin > 0)
        if verdicts.feasible[0] == 1:
            x = verdicts.forces[0].ravel()
            assert (np.abs(balance.torques(x)) <= balance.torque_limits + 1e-8).all()
            assert np.abs(x - balance.least_norm().unknowns).max() < 1e-5
    assert left <= 6


@pytest.mark.parametrize("joints", [0, 8])
def test_kernels_are_plain_python_on_rows_of_numpy(joints):
    rng = np.random.default_rng(10)
    states = [weak(rng, 6, joints) for _ in range(9)]
    many = Balances.of(states)
    layout = many.first.layout
    kernels = Kernels(verdict.verdicts, contact_columns.contact_columns, contact_columns.scale_rows)
    _, plain = many.problems(layout, kernels)
    with np.errstate(all="ignore"):  # both sides of every choice are worked out
        found = problems.decided(verdict.verdicts, plain.program, layout.sizes, verdict.VERDICT)
    verdicts, (feasible, margin, proved, _) = decide(many), found.verdict.T
    own = (proved > 0) & verdicts.compiled
    assert own.sum() > 6
    margin = problems.in_newtons(margin, layout.weight)
    assert margin[own] == pytest.approx(verdicts.margin[own], rel=1e-8, abs=1e-9)
    assert (feasible[own] == verdicts.feasible[own]).all()
    holds = own & (verdicts.feasible == 1)
    assert holds.any()
    least = found.least[holds][:, layout.entries] * layout.weight
    assert least == pytest.approx(verdicts.forces[holds].reshape(-1, 18), abs=1e-12)


def test_contacts_without_friction_are_compiled():
    """Their forces and speeds stay on the cones' axes, where rounding once made steps endless."""
    rng = np.random.default_rng(12)
    states = [odd(rng, "smooth") for _ in range(40)]
    answers = [decide(Balances.of([b])) for b in states]
    clear = [abs(b.margin().value) > 1e-5 * b.weight for b in states]
    assert sum(clear) > 20
    assert all(v.compiled[0] for v, far in zip(answers, clear, strict=True) if far)


def test_the_margins_motion_proves_what_the_solver_denies(monkeypatch):
    rng = np.random.default_rng(13)
    many = Balances.of([terrain(rng, 4) for _ in range(10)])
    fast = decide(many)
    monkeypatch.setattr(decision, "kernels_for", lambda count: None)
    monkeypatch.setattr("footwork.contacts.equilibrium.certificate._motions", lambda balance: [])
    slow = decide(many)
    assert 0 < (fast.feasible == 0).sum() == (slow.feasible == 0).sum()


def test_no_numba_is_said_once(monkeypatch):
    monkeypatch.setattr(toolchain, "obstacle", lambda: "Numba is not installed")
    toolchain._warn_once.cache_clear()
    rng = np.random.default_rng(9)
    many = Balances.of([terrain(rng, 3)])
    with pytest.warns(fw.FootworkWarning, match=r"Numba is not.*footwork\[fast\]"):
        assert decide(many).asked_of_solver == 1
    assert decide(many).asked_of_solver == 1  # warnings are errors in these tests
    toolchain._warn_once.cache_clear()


def test_at_the_edge_nothing_is_guessed():
    """A load just inside, on and just outside the cone of one point of three."""
    points = np.array([[0.3, 0, 0], [-0.2, 0.2, 0], [-0.2, -0.2, 0]])
    forces = PointForces.at(points, (0.0, 0.0, 1.0), 0.5)
    # how far the centre of mass is over the edge's middle
    loads = [[0, 0, -1.0, 0.0, -0.2 - d, 0] for d in (-1e-4, -1e-8, 0.0, 1e-8, 1e-4)]
    state = Equilibrium.of_body(forces, np.zeros(6))
    verdicts = decide(Balances.of([state], loads=np.array(loads)))
    assert verdicts.feasible.tolist() in ([1, -1, -1, -1, 0], [0, -1, -1, -1, 1])


@pytest.mark.parametrize("torque_limits", [False, True, 45.0])
@pytest.mark.parametrize("name", ["biped", "quadruped"])
def test_the_same_as_one_by_one(name, torque_limits):
    robot, feet, q = posed(name, 0.6)
    rng = np.random.default_rng(1)
    weight = 9.81 * robot.mass
    wrenches = weight * rng.standard_normal((12, 6)) * [0.3, 0.3, 0.1, 0.02, 0.02, 0.02]
    verdicts = batch.static_hold(robot, q, feet, wrenches=wrenches, torque_limits=torque_limits)
    com, base = dynamics.com(robot, q), robot.model.names[1]
    link = next(f.name for f in robot.model.frames if f.parentJoint == 1 and f.name != base)
    for i, w in enumerate(wrenches):
        push = {link: fw.Wrench(w[:3], w[3:], point=com)}
        hold = contacts.static_hold(robot, q, feet, push, torque_limits=torque_limits)
        assert verdicts.feasible[i] == {True: 1, False: 0, None: -1}[hold.feasible]
        assert verdicts.margin[i] == pytest.approx(hold.margin, rel=1e-6)
        if hold.feasible:
            stacked = np.vstack(list(hold.forces.values()))
            axes = np.array([T.rotation for T in feet.placements(q).values()])
            ours = np.einsum("kij,kj->ki", axes[hold.balance.limits.owner], verdicts.forces[i])
            assert np.abs(ours - stacked).max() < 1e-5 * weight
        prove(hold.balance, verdicts, i)
    assert len(set(verdicts.feasible)) == 2


def test_many_states_and_frictions():
    robot = robots.load("quadruped")
    feet, qs = contacts.at_feet(robot), near_posture(robot, np.random.default_rng(2), 6, 0.1)
    many = batch.static_hold(robot, qs, feet, torque_limits=False)
    as_one_by_one(robot, qs, feet, many)
    asked = {"wrenches": [20.0, 0, 0, 0, 0, 0], "torque_limits": False}
    mus = np.linspace(0.05, 1.0, 6)
    by_friction = batch.static_hold(robot, robot.posture(), feet, friction=mus, **asked)
    assert (np.diff(by_friction.margin) > 0).all()
    assert by_friction.feasible[0] == 0
    assert by_friction.feasible[-1] == 1


def test_what_the_kernels_do_not_know_goes_to_the_solver():
    robot = robots.load("quadruped")
    q, frames = robot.posture(), [foot.frame for foot in robot.feet.values()]
    hands = [contacts.PointContact(f, 0.5, bilateral=f == frames[0]) for f in frames]
    soft = [contacts.PointContact(f, 0.5, torsional_friction=0.01) for f in frames]
    for touching in (hands, soft, []):
        verdicts = batch.static_hold(robot, q, touching, torque_limits=False)
        hold = contacts.static_hold(robot, q, touching, torque_limits=False, solver="clarabel")
        assert not verdicts.compiled.any()
        assert verdicts.status[0] == hold.status
        assert verdicts.feasible[0] == {True: 1, False: 0, None: -1}[hold.feasible]
        assert verdicts.margin[0] == pytest.approx(hold.margin, rel=1e-6)


def test_threads_and_chunks_change_nothing(monkeypatch):
    rng = np.random.default_rng(3)
    many = Balances.of([terrain(rng, 4) for _ in range(50)])
    one = decide(many)
    monkeypatch.setattr(decision, "_NEAR", 7 * 72)  # seven problems of four contacts
    for threads in (1, 3):
        other = decide(many, threads)
        for name in ("feasible", "margin", "forces", "velocity"):
            assert np.array_equal(getattr(one, name), getattr(other, name), equal_nan=True)


def test_without_numba_the_same(monkeypatch):
    rng = np.random.default_rng(4)
    many = Balances.of([terrain(rng, 4) for _ in range(10)])
    fast = decide(many)
    monkeypatch.setattr(decision, "kernels_for", lambda count: None)
    slow = decide(many)
    assert not slow.compiled.any()
    assert (slow.feasible == fast.feasible).all()
    assert slow.margin == pytest.approx(fast.margin, rel=1e-6)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"wrenches": np.zeros((3, 5))}, "wrenches"),
        ({"wrenches": np.full((1, 6), np.nan)}, "wrenches"),
        ({"friction": [-0.1]}, "friction"),
        ({"threads": 0}, "threads"),
        ({"friction": [0.1, 0.2], "wrenches": np.zeros((3, 6))}, "as many of each"),
    ],
)
def test_bad_input(options, says):
    robot = robots.load("quadruped")
    with pytest.raises(ContactError, match=says):
        batch.static_hold(robot, robot.posture(), contacts.at_feet(robot), **options)


def test_no_states():
    with pytest.raises(ContactError, match="at least one"):
        Balances.of([])


@pytest.mark.parametrize("touching", [4, 0])
def test_batches_of_no_rows(touching):
    """Nothing is asked of nothing: empty arrays of the right shapes, as `dynamics.batch` has."""
    robot = robots.load("quadruped")
    feet, q = contacts.at_feet(robot).contacts[:touching], robot.posture()
    Q, V, frame = np.zeros((0, robot.nq)), np.zeros((0, robot.nv)), robot.frame_names[-1]
    for options in (
        {},
        {"friction": np.zeros(0), "torque_margin": True},
        {"wrenches": np.zeros((0, 6)), "threads": 2},
        {"wrenches": {"base": np.zeros((0, 6)), frame: fw.Wrench((1, 0, 0), axes="local")}},
        {"torque_limits": np.ones((0, robot.na))},
        {"torque_limits": (-np.ones(robot.na), np.full((0, robot.na), 2.0))},
    ):
        found = batch.static_hold(robot, Q, feet, **options)
        assert len(found) == 0
        assert repr(found) == "Verdicts(0 states)"
        assert found.forces.shape == (0, touching, 3)
        assert found.torques.shape == (0, robot.na)
        along = batch.contact_forces(robot, Q, V, V, feet, **options)
        assert along.world_forces.shape == (0, touching, 3)
        assert along.zmp().shape == (0, 2)
        assert batch.causes(along).missing.shape == (0, 6)
        gone = {k: v for k, v in options.items() if k != "torque_margin"}
        assert batch.margin_gradients(robot, Q, V, V, feet, **gone).q.shape == (0, robot.nv)
    # of one configuration and no frictions, or loads: no rows either, as arrays are broadcast
    assert len(batch.static_hold(robot, q, feet, friction=np.zeros(0))) == 0
    assert len(batch.static_hold(robot, q, feet, wrenches=np.zeros((0, 6)))) == 0
    assert batch.self_collisions(robot, Q).count == 0
    for options in ({"friction": np.zeros(0)}, {"wrenches": np.zeros((0, 6))}):
        with pytest.raises(ContactError, match="expected"):
            batch.static_hold(robot, np.tile(q, (3, 1)), feet, **options)


@pytest.mark.parametrize("name", ["biped", "quadruped"])
def test_contact_forces_of_contacts_that_come_and_go(name):
    """Each row as `contact_forces` decides about the contacts that touch in it."""
    robot, rng = robots.load(name), np.random.default_rng(14)
    feet, count = contacts.at_feet(robot), 8
    Q = near_posture(robot, rng, count)
    V, A = 0.3 * rng.standard_normal((2, count, robot.nv))
    active = rng.random((count, len(feet))) < 0.7
    active[0], active[1] = True, False
    verdicts = batch.contact_forces(robot, Q, V, A, feet, active=active)
    assert len(set(verdicts.status)) > 1
    for i, touching in enumerate(active):
        some = [contact for contact, on in zip(feet, touching, strict=True) if on]
        hold = contacts.contact_forces(robot, Q[i], V[i], A[i], some, solver="clarabel")
        assert verdicts.status[i] == hold.status
        assert verdicts.margin[i] == pytest.approx(hold.margin, rel=1e-6)
        if hold.feasible:
            own = touching[feet.limits.owner]
            assert (verdicts.forces[i, ~own] == 0).all()
            x = verdicts.forces[i, own].ravel()
            assert np.abs(hold.balance.torques(x) - hold.torques).max() < 1e-4
        elif hold.feasible is False:
            assert np.isnan(verdicts.forces[i]).all()
            assert certificate_violation(hold.balance, verdicts.velocity[i]) <= 1e-8
    with pytest.raises(ContactError, match="active: got"):
        batch.contact_forces(robot, Q, V, A, feet, active=[1.0] * len(feet))
    with pytest.raises(ContactError, match="expected as many of each"):
        batch.contact_forces(robot, Q, V[:3], A, feet)


def test_what_an_earlier_call_left_in_memory_does_not_count():
    robot = robots.load("quadruped")
    feet, Q = contacts.at_feet(robot), near_posture(robot, np.random.default_rng(0), 9)
    before = batch.static_hold(robot, Q, feet)
    KERNEL_MEMORY.array[:] = np.nan
    after = batch.static_hold(robot, Q, feet)
    for name in ("feasible", "margin", "forces", "velocity", "compiled"):
        np.testing.assert_array_equal(getattr(before, name), getattr(after, name))


def test_memory_does_not_count_where_the_kernel_leaves_it_open():
    """At the edge neither proof writes whether it holds."""
    robot, mu = robots.block(mass=3.0, size=(0.4, 0.3, 0.2)), 0.5
    q, below = robot.neutral(), pin.SE3(np.eye(3), np.array([0.0, 0.0, -0.1]))
    q[3:7] = pin.Quaternion(pin.exp3(np.array([0.0, -np.arctan(mu), 0.0]))).coeffs()
    size = {"half_length": 0.2, "half_width": 0.15}
    sole = contacts.SurfaceContact(robot.frame_names[-1], friction=mu, placement=below, **size)
    slope = contacts.ContactSet(robot, [sole])
    layout_of(slope, robot.torque_limits).workspace().memory[:] = np.nan
    hold = contacts.static_hold(robot, q, slope)
    assert (hold.feasible, hold.status) == (None, "at the edge")
