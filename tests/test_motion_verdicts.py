"""Verdicts along motions: torque bounds of every row, against programs written by hand."""

from __future__ import annotations

from dataclasses import replace

import cvxpy as cp
import numpy as np
import pytest

import footwork as fw
from footwork import ConfigurationError, ContactError, contacts, dynamics
from footwork.contacts import batch
from footwork.contacts.equilibrium.certificate import certificate_value, certificate_violation
from footwork.contacts.shortfall import radius_of
from footwork.contacts.torque_limits import TorqueBounds

pytest.importorskip("numba")


def motion(robot, count, seed=0, speed=0.5, push=3.0):
    """Rows near the posture to stand in, with accelerations of which some are too much."""
    rng = np.random.default_rng(seed)
    steps = 0.05 * rng.standard_normal((count, robot.nv))
    Q = np.array([robot.integrate(robot.posture(), step) for step in steps])
    V = speed * rng.standard_normal((count, robot.nv))
    A = push * rng.standard_normal((count, robot.nv)) * rng.choice([0.1, 1.0], (count, 1))
    return Q, V, A


def envelopes(robot, count, seed=1, share=0.3):
    """Bounds that are not symmetric, others in every row, some joints without limits in some."""
    rng = np.random.default_rng(seed)
    most = share * np.where(np.isfinite(robot.torque_limits), robot.torque_limits, 100.0)
    lower = -most * rng.uniform(0.05, 1.0, (count, robot.na))
    upper = most * rng.uniform(0.05, 1.0, (count, robot.na))
    free = rng.random((count, robot.na)) < 0.05
    return np.where(free, -np.inf, lower), np.where(free, np.inf, upper)


def touching(feet, active):
    """The contacts that touch."""
    return [contact for contact, on in zip(feet, active, strict=True) if on]


def by_hand(robot, q, v, a, some, lower, upper):
    """The margin, written as the equations say: τ itself between its bounds."""
    h = -dynamics.inverse_dynamics(robot, q, v, a)
    points = [(c, p) for c in some for p in c.points]
    f, tau, margin = cp.Variable((len(points), 3)), cp.Variable(robot.na), cp.Variable()
    given, limits = robot.selection_matrix.T @ tau + h, []
    for k, (contact, point) in enumerate(points):
        T, J = contact.pose(robot, q), contacts.ContactSet(robot, [contact]).jacobian(q)
        x, y, z = T.rotation @ point
        arm = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        given = given + (J[:3] - arm @ J[3:]).T @ (T.rotation @ f[k])
        limits.append(cp.norm(f[k, :2]) <= contact.friction * f[k, 2])
    for contact in some:
        J = contacts.ContactSet(robot, [contact]).jacobian(q)
        given = given + margin * (J[:3].T @ contact.pose(robot, q).rotation[:, 2])
    some = np.isfinite(lower)
    limits += [given == 0, tau[some] >= lower[some], tau[some] <= upper[some]]
    exactly = {name: 1e-10 for name in ("tol_gap_abs", "tol_gap_rel", "tol_feas")}
    cp.Problem(cp.Maximize(margin), limits).solve(solver="CLARABEL", **exactly)
    return -np.inf if margin.value is None else float(margin.value)


def test_torque_bounds_of_every_row_against_a_program_written_by_hand(biped):
    feet, count = contacts.at_feet(biped), 12
    Q, V, A = motion(biped, count, push=1.0)
    lower, upper = envelopes(biped, count, share=0.8)
    active = np.ones((count, len(feet)), dtype=bool)
    active[::3, 0] = False
    found = batch.contact_forces(biped, Q, V, A, feet, active=active, torque_limits=(lower, upper))
    assert found.compiled.sum() >= count - 1
    assert set(found.feasible) == {0, 1}
    assert np.isfinite(found.margin).sum() > count / 2
    for i in range(count):
        some = touching(feet, active[i])
        expected = by_hand(biped, Q[i], V[i], A[i], some, lower[i], upper[i])
        assert found.margin[i] == pytest.approx(expected, rel=1e-6, abs=1e-4)


def within(tau, lower, upper, tolerance):
    assert (tau >= lower - tolerance).all()
    assert (tau <= upper + tolerance).all()


def test_certificates_count_both_bounds(biped):
    """yᵀh + min over torques and forces of yᵀ(Sᵀτ + Jᵀf) > 0, and forces with torques in bounds."""
    feet, count = contacts.at_feet(biped), 64
    Q, V, A = motion(biped, count, seed=3)
    lower, upper = envelopes(biped, count, seed=4)
    found = batch.contact_forces(biped, Q, V, A, feet, torque_limits=(lower, upper))
    H = -dynamics.batch.inverse_dynamics(biped, Q, V, A)
    assert {0, 1} <= set(found.feasible)
    for i in range(count):
        h = H[i]
        G = feet.transmission(Q[i])[:, : 3 * feet.limits.point_count]
        columns = feet.jacobian(Q[i]).T @ G
        if found.feasible[i] == 1:
            tau = -(h + columns @ found.forces[i].ravel())
            assert np.abs(tau[:6]).max() < 1e-6
            within(tau[biped.actuated_rows], lower[i], upper[i], 1e-6)
        elif found.feasible[i] == 0:
            y = found.velocity[i]
            u = (columns.T @ y).reshape(-1, 3)
            mu = feet.limits.friction[:, 0]
            assert (u[:, 2] - mu * np.linalg.norm(u[:, :2], axis=1)).min() >= -1e-8
            spin = y[biped.actuated_rows]
            free = np.isinf(upper[i])
            assert np.abs(spin[free]).max(initial=0.0) <= 1e-8
            least = np.minimum(spin[~free] * lower[i, ~free], spin[~free] * upper[i, ~free])
            assert y @ h + least.sum() > 0


def test_rows_of_limits_are_those_of_single_calls(biped):
    feet, count = contacts.at_feet(biped), 8
    Q, V, A = motion(biped, count, seed=5)
    rows = biped.torque_limits * np.linspace(0.05, 1.0, count)[:, None]
    found = batch.contact_forces(biped, Q, V, A, feet, torque_limits=rows)
    pair = batch.contact_forces(biped, Q, V, A, feet, torque_limits=(-rows, rows))
    np.testing.assert_array_equal(found.margin, pair.margin)
    for i in range(count):
        hold = contacts.contact_forces(biped, Q[i], V[i], A[i], feet, torque_limits=rows[i])
        assert found.margin[i] == pytest.approx(hold.margin, rel=1e-6)
        assert found.status[i] == hold.status
    one = batch.static_hold(biped, Q[0], feet, torque_limits=rows)
    assert len(one) == count
    assert (np.diff(one.margin) >= -1e-6).all()


def test_the_conic_solver_takes_the_same_bounds(biped):
    """Hand holds are not the kernel's."""
    feet = contacts.at_feet(biped, bilateral=True)
    Q, V, A = motion(biped, 4, seed=6)
    lower, upper = envelopes(biped, 4, seed=7, share=0.8)
    found = batch.contact_forces(biped, Q, V, A, feet, torque_limits=(lower, upper))
    assert not found.compiled.any()
    for i in np.flatnonzero(found.feasible == 1):
        G = feet.transmission(Q[i])[:, : 3 * feet.limits.point_count]
        given = feet.jacobian(Q[i]).T @ (G @ found.forces[i].ravel())
        tau = (dynamics.inverse_dynamics(biped, Q[i], V[i], A[i]) - given)[biped.actuated_rows]
        within(tau, lower[i], upper[i], 1e-3)
    assert (found.feasible == 1).any()


def test_bounds_that_are_none(biped):
    feet, Q = contacts.at_feet(biped), np.tile(biped.posture(), (3, 1))
    most = np.ones(biped.na)
    for wrong, words in (
        ((most, -most), "above upper"),
        ((-most, np.inf * most), "one infinite bound"),
        ((-most, np.ones(3)), "torque_limits"),
        ((-np.ones((2, biped.na)), np.ones((3, biped.na))), "as many"),
        (-np.ones((3, biped.na)), "at least 0"),
    ):
        with pytest.raises(ConfigurationError, match=words):
            batch.static_hold(biped, Q, feet, torque_limits=wrong)
    for rows in (0, 2):
        with pytest.raises(ContactError, match="expected as many of each"):
            batch.static_hold(biped, Q, feet, torque_limits=np.ones((rows, biped.na)))
    still = np.zeros(biped.nv)
    with pytest.raises(ContactError, match=r"2 of torque_limits, .* expected as many of each"):
        batch.contact_forces(biped, Q, still, still, feet, torque_limits=np.ones((2, biped.na)))


# --- what is found besides ------------------------------------------------------------------------


def test_torques_forces_and_torque_margins_are_those_of_single_calls(biped):
    feet, count = contacts.at_feet(biped), 24
    Q, V, A = motion(biped, count, seed=8, push=1.0)
    active = np.ones((count, len(feet)), dtype=bool)
    active[::4, 1] = False
    found = batch.contact_forces(biped, Q, V, A, feet, active=active, torque_margin=True)
    assert {0, 1} <= set(found.feasible)
    for i in range(count):
        some = touching(feet, active[i])
        hold = contacts.contact_forces(biped, Q[i], V[i], A[i], some)
        assert found.torque_margin[i] == pytest.approx(hold.torque_margin, rel=1e-6, abs=1e-6)
        if hold.feasible:
            np.testing.assert_allclose(found.torques[i], hold.torques, atol=1e-6)
            forces = np.vstack([hold.forces[c.name] for c in some])
            own = active[i][feet.limits.owner]
            np.testing.assert_allclose(found.world_forces[i, own], forces, atol=1e-6)
            assert np.abs(found.world_forces[i, ~own]).max(initial=0.0) == 0
        else:
            assert np.isnan(found.torques[i]).all()


def test_torque_margins_with_bounds_and_with_limits_of_whole_contacts(biped):
    """Bounds that are not symmetric, and a load that bounds on normal forces and torsion know."""
    feet = contacts.at_feet(biped, max_normal=400.0, torsional_friction=0.01)
    Q, V, A = motion(biped, 8, seed=9, push=0.5)
    lower, upper = envelopes(biped, 8, seed=10, share=1.0)
    limits = {"torque_limits": (lower, upper), "torque_margin": True}
    found = batch.contact_forces(biped, Q, V, A, feet, **limits)
    for i in range(8):
        hold = contacts.contact_forces(biped, Q[i], V[i], A[i], feet)
        bounds = TorqueBounds(lower[i], upper[i])
        load = bounds.shifted(biped, -dynamics.inverse_dynamics(biped, Q[i], V[i], A[i]))
        expected = replace(hold.balance, load=load, bounds=bounds).torque_margin().value
        assert found.torque_margin[i] == pytest.approx(expected, rel=1e-5, abs=1e-6)


def test_the_reaction_is_the_sum_of_the_forces(biped):
    feet, count = contacts.at_feet(biped), 16
    Q, V, A = motion(biped, count, seed=11, push=1.0)
    found = batch.contact_forces(biped, Q, V, A, feet, wrenches=[3.0, 0, 20.0, 0, 1.0, 0])
    zmp = found.zmp(0.1)
    held = np.flatnonzero(found.feasible == 1)
    assert len(held) > 2
    for i in held:
        points = feet.attachment.world_points(dynamics.State(biped, Q[i]))
        arms = points - dynamics.com(biped, Q[i])
        moments = np.cross(arms, found.world_forces[i])
        expected = np.hstack([found.world_forces[i], moments]).sum(axis=0)
        np.testing.assert_allclose(found.reaction[i], expected, atol=1e-6)
        pairs = zip(points, found.world_forces[i], strict=True)
        wrenches = {str(k): fw.Wrench(f, np.zeros(3), p) for k, (p, f) in enumerate(pairs)}
        np.testing.assert_allclose(zmp[i], contacts.zero_moment_point(wrenches, 0.1)[:2], atol=1e-8)


def test_friction_used_is_that_of_each_point(biped):
    feet = contacts.at_feet(biped)
    Q, V, A = motion(biped, 8, seed=12, push=1.0)
    mu = np.linspace(0.4, 1.2, 8)
    found = batch.contact_forces(biped, Q, V, A, feet, friction=mu)
    f = found.forces
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = np.linalg.norm(f[:, :, :2], axis=2) / (mu[:, None] * f[:, :, 2])
    pressing = f[:, :, 2] > 1e-3 * biped.weight
    np.testing.assert_allclose(found.friction_used[pressing], expected[pressing], rtol=1e-9)
    assert (found.friction_used[pressing] <= 1 + 1e-6).all()
    assert np.isnan(found.friction_used[found.feasible == 0]).all()
    assert np.isnan(found.friction_used[~pressing]).all()
    np.testing.assert_allclose(found.normal_forces, f.reshape(8, len(feet), -1, 3)[..., 2].sum(2))


def test_flight_holds_where_the_robot_falls_freely(biped):
    """Nothing touches: by NumPy what the conic solver says."""
    feet, still = contacts.at_feet(biped), np.zeros(biped.nv)
    q = biped.posture()
    M, b = dynamics.mass_matrix(biped, q), dynamics.bias(biped, q, still)
    tau = np.zeros(biped.nv)
    rows = []
    for kind in ("falls", "stands", "strains"):
        tau[biped.actuated_rows] = 0.5 if kind != "strains" else 2 * biped.torque_limits.max()
        rows.append(still if kind == "stands" else np.linalg.solve(M, tau - b))
    none = np.zeros((3, len(feet)), dtype=bool)
    found = batch.contact_forces(biped, q, still, rows, feet, active=none, torque_margin=True)
    assert found.feasible.tolist() == [1, 0, 0]
    assert found.margin.tolist() == [np.inf, -np.inf, -np.inf]
    np.testing.assert_allclose(found.torques[0], 0.5, atol=1e-9)
    for i in range(3):
        hold = contacts.contact_forces(biped, q, still, rows[i], [])
        assert (hold.feasible, hold.margin) == (bool(found.feasible[i]), found.margin[i])
        assert found.torque_margin[i] == pytest.approx(hold.torque_margin, rel=1e-6)
        if not hold.feasible:
            y = found.velocity[i]
            assert certificate_value(hold.balance, y) > 0
            assert certificate_violation(hold.balance, y) <= 1e-12


# --- why not --------------------------------------------------------------------------------------

CAUSES = {  # how `Hold.reason` begins
    batch.Cause.TORQUES: "torque limits: ",
    batch.Cause.BOUNDS: "bounds on normal forces: ",
    batch.Cause.TORSION: "too little torsional friction ",
    batch.Cause.FRICTION: "too little friction",
    batch.Cause.PULL: "contacts can only push: ",
    batch.Cause.MISSING: "no forces at ",
    batch.Cause.FLIGHT: "nothing supplies",
}


@pytest.mark.parametrize(
    ("limits", "share", "expected"),
    [
        ({}, 0.2, {"TORQUES", "PULL", "FLIGHT"}),
        ({"friction": 0.05}, 1.0, {"FRICTION", "PULL", "FLIGHT"}),
        ({"max_normal": 250.0}, 1.0, {"BOUNDS", "PULL", "FLIGHT"}),
        ({"torsional_friction": 1e-3}, 1.0, {"TORSION", "PULL", "FLIGHT"}),
    ],
)
def test_causes_are_those_of_the_reasons_one_by_one(biped, limits, share, expected):
    feet, count = contacts.at_feet(biped, **limits), 40
    Q, V, A = motion(biped, count, seed=13, speed=0.3, push=1.0)
    active = np.ones((count, len(feet)), dtype=bool)
    active[::3, 1] = False
    active[::11] = False
    most = share * biped.torque_limits
    asked = {"active": active, "torque_limits": most, "torque_margin": True}
    found = batch.contact_forces(biped, Q, V, A, feet, **asked)
    causes = batch.causes(found)
    names = {batch.Cause(code).name for code in causes.code}
    assert expected <= names
    asked: list[batch.Cause] = []
    for i in np.flatnonzero(found.feasible != 1):
        cause = batch.Cause(causes.code[i])
        if asked.count(cause) == 2:
            continue
        asked.append(cause)
        some = touching(feet, active[i])
        hold = contacts.contact_forces(biped, Q[i], V[i], A[i], some, torque_limits=most)
        assert hold.reason.startswith(CAUSES[cause]), (i, cause, hold.reason)
        assert causes.words(i)
        if cause is batch.Cause.TORQUES:
            name = biped.joint_of_row[biped.actuated_rows[causes.joint[i]]]
            assert name in causes.words(i)
            assert found.torque_margin[i] < 0
        else:
            assert causes.joint[i] == -1
        y, balance = causes.velocity[i], hold.balance.without_torque_limits()
        if cause in (batch.Cause.PULL, batch.Cause.FRICTION):
            y = y if cause is batch.Cause.FRICTION else found.velocity[i]
            assert np.isfinite(y).all()
            assert causes.feet[causes.foot[i]] in [c.name for c in some]
        if cause is batch.Cause.FRICTION:  # proved without torque limits
            assert certificate_value(balance, y) > 0
            assert certificate_violation(balance, y) <= 1e-8
    holds = found.feasible == 1
    assert (causes.code[holds] == batch.Cause.HOLDS).all()
    assert all(causes.words(i) == "" for i in np.flatnonzero(holds))


def test_what_contacts_lack_is_the_least_there_is(biped):
    """Against cvxpy, and: with it as a load the row is on the edge of what holds."""
    feet, count = contacts.at_feet(biped), 12
    Q, V, A = motion(biped, count, seed=16, push=1.0)
    active = np.ones((count, len(feet)), dtype=bool)
    active[::3, 1], active[5] = False, False
    found = batch.contact_forces(biped, Q, V, A, feet, active=active, torque_limits=False)
    causes, radius = batch.causes(found), radius_of(biped, biped.posture())
    holds = found.feasible == 1
    assert not causes.missing[holds].any()
    assert causes.missing[~holds].any(axis=1).all()
    np.testing.assert_allclose(causes.missing[5], found.reaction[5], rtol=1e-12)
    for i in np.flatnonzero(~holds):
        some = contacts.ContactSet(biped, touching(feet, active[i]))
        com, w = dynamics.com(biped, Q[i]), cp.Variable(6)
        given, limits = w, []
        if len(some):
            x = cp.Variable(some.limits.size)
            points = some.attachment.world_points(dynamics.State(biped, Q[i]))
            R = some.attachment.rotations(dynamics.State(biped, Q[i]))[some.limits.owner]
            arms = zip(R, points - com, strict=True)
            grasp = np.hstack([np.vstack([r, np.cross(arm, r.T).T]) for r, arm in arms])
            given, limits = w + grasp @ x, some.limits.constraints(x)
        units = np.repeat([1.0, 1 / radius], 3)
        cost = cp.norm(cp.multiply(units, w))
        cp.Problem(cp.Minimize(cost), [*limits, given == found.reaction[i]]).solve("CLARABEL")
        assert np.linalg.norm(units * causes.missing[i]) == pytest.approx(cost.value, rel=1e-6)
        np.testing.assert_allclose(causes.missing[i], w.value, atol=1e-3 * cost.value)
