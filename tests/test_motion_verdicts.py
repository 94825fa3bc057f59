"""Verdicts along motions: torque bounds of every row, against programs written by hand."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest

from footwork import ConfigurationError, ContactError, contacts, dynamics, robots
from footwork.contacts import batch

pytest.importorskip("numba")


@pytest.fixture(scope="module")
def biped():
    return robots.load("biped")


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
    cp.Problem(cp.Maximize(margin), limits).solve(
        solver="CLARABEL", tol_gap_abs=1e-10, tol_gap_rel=1e-10, tol_feas=1e-10
    )
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
        some = [c for c, on in zip(feet, active[i], strict=True) if on]
        expected = by_hand(biped, Q[i], V[i], A[i], some, lower[i], upper[i])
        assert found.margin[i] == pytest.approx(expected, rel=1e-6, abs=1e-4)


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
            torques = tau[biped.actuated_rows]
            assert (torques >= lower[i] - 1e-6).all()
            assert (torques <= upper[i] + 1e-6).all()
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
        assert (tau >= lower[i] - 1e-3).all()
        assert (tau <= upper[i] + 1e-3).all()
    assert (found.feasible == 1).any()


def test_bounds_that_are_none(biped):
    feet, Q = contacts.at_feet(biped), np.tile(biped.posture(), (3, 1))
    most = np.ones(biped.na)
    for wrong, words in (
        ((most, -most), "above upper"),
        ((-most, np.inf * most), "one infinite bound"),
        ((-most, np.ones(3)), "torque_limits"),
        ((-np.ones((2, biped.na)), np.ones((3, biped.na))), "as many"),
        (np.ones((0, biped.na)), "no rows"),
        (-np.ones((3, biped.na)), "at least 0"),
    ):
        with pytest.raises(ConfigurationError, match=words):
            batch.static_hold(biped, Q, feet, torque_limits=wrong)
    with pytest.raises(ContactError, match="expected one N"):
        batch.static_hold(biped, Q, feet, torque_limits=np.ones((2, biped.na)))
    still = np.zeros(biped.nv)
    with pytest.raises(ContactError, match=r"2 of torque_limits, .* expected one N, or 1"):
        batch.contact_forces(biped, Q, still, still, feet, torque_limits=np.ones((2, biped.na)))
