"""Motors whose torques depend on their speed: their bounds, and verdicts within them."""

import cvxpy as cp
import numpy as np
import pytest

from footwork import contacts, dynamics, robots


@pytest.fixture(scope="module", params=["g1", "go2", "talos"])
def robot(request, load_robot):
    """A robot whose motors give less at speed, all of them other ones."""
    plain = load_robot(request.param, "floating")
    rng, limits = np.random.default_rng(3), plain.torque_limits
    return plain.with_motors(
        {
            name: robots.Motor.of(x * most, 14.0, 2.0, braking=most)
            for name, most, x in zip(
                plain.actuated, limits, rng.uniform(0.4, 0.9, plain.na), strict=True
            )
            if np.isfinite(most)
        }
    )


def moving(robot, seed, share):
    """A state with fast joints, and an acceleration that asks motors for a share of their torques.

    M a + vᵀCv − τ_g is that at rest, and the share in the joints.
    """
    rng = np.random.default_rng(seed)
    v = np.concatenate([0.1 * rng.standard_normal(6), 5 * rng.standard_normal(robot.nv - 6)])
    q = robot.integrate(robot.posture(), 0.03 * rng.standard_normal(robot.nv))
    limits = np.where(np.isfinite(robot.torque_limits), robot.torque_limits, 10.0)
    asked = robot.selection_matrix.T @ (share * limits * rng.uniform(-1, 1, robot.na))
    fast = dynamics.bias(robot, q, v) - dynamics.bias(robot, q, 0 * v)
    return q, v, np.linalg.solve(dynamics.mass_matrix(robot, q), asked - fast)


def margins_by_hand(robot, q, v, a, feet, lower, upper):
    """ε and the torque margin, written with cvxpy as the equations stand."""
    weight, S = robot.mass * 9.81, robot.selection_matrix
    tau, epsilon, slack = cp.Variable(robot.na), cp.Variable(), cp.Variable()
    given, pull, cones = S.T @ tau, np.zeros(robot.nv), []
    for contact in feet:
        J, T = dynamics.frame_jacobian(robot, q, contact.frame), contact.pose(robot, q)
        origin = dynamics.frame_placement(robot, q, contact.frame).translation
        for point in contact.world_points(robot, q):
            f = cp.Variable(3)
            given = given + (J[:3] + np.cross(J[3:].T, point - origin).T).T @ T.rotation @ f
            cones.append(cp.norm(f[:2]) <= contact.friction * f[2])
        centre = J[:3] + np.cross(J[3:].T, T.translation - origin).T
        pull += centre.T @ T.rotation[:, 2]
    asked = dynamics.inverse_dynamics(robot, q, v, a) / weight
    low, high, bounded = lower / weight, upper / weight, np.isfinite(upper)
    within = [tau[bounded] <= high[bounded], tau[bounded] >= low[bounded]]
    half = ((high - low) / 2)[bounded]
    narrow = [
        tau[bounded] <= high[bounded] - cp.multiply(half, slack),
        tau[bounded] >= low[bounded] + cp.multiply(half, slack),
    ]
    values = []
    for best, equations, limits in (
        (epsilon, given + epsilon * pull == asked, within),
        (slack, given == asked, narrow),
    ):
        problem = cp.Problem(cp.Maximize(best), [equations, *cones, *limits])
        value = problem.solve(solver="CLARABEL", tol_gap_abs=1e-11, tol_gap_rel=1e-11)
        values.append(value)
    return weight * values[0], values[1]


@pytest.mark.parametrize(("seed", "share"), [(0, 0.3), (1, 0.3), (2, 0.8)])
def test_verdicts_at_speed_are_those_of_a_program_written_by_hand(robot, seed, share):
    feet, (q, v, a) = contacts.at_feet(robot, 0.7), moving(robot, seed, share)
    lower, upper = robot.motors.bounds(v)
    epsilon, slack = margins_by_hand(robot, q, v, a, feet, lower, upper)
    for solver in (None, "clarabel", "cvxpy"):
        hold = contacts.contact_forces(robot, q, v, a, feet, solver=solver)
        if np.isfinite(epsilon):
            assert hold.margin == pytest.approx(epsilon, abs=1e-6)
        else:
            assert not hold.margin > -np.inf  # nan where a solver does not find it
        assert hold.torque_margin == pytest.approx(slack, abs=1e-6)
        assert hold.feasible == (epsilon > 0)
        if hold.feasible:
            assert (hold.torques >= lower - 1e-9).all()
            assert (hold.torques <= upper + 1e-9).all()
        else:
            speeds = robot.selection_matrix @ hold.certificate
            least = np.minimum(lower * speeds, upper * speeds)[np.isfinite(upper)].sum()
            assert least - hold.certificate @ dynamics.inverse_dynamics(robot, q, v, a) > 0


def test_batches_ask_the_motors_of_every_row(robot):
    feet = contacts.at_feet(robot, 0.7)
    rows = [np.array(x) for x in zip(*(moving(robot, i, 0.2 * i) for i in range(5)), strict=True)]
    many = contacts.batch.contact_forces(robot, *rows, feet, torque_margin=True)
    for i, row in enumerate(zip(*rows, strict=True)):
        one = contacts.contact_forces(robot, *row, feet)
        assert many.feasible[i] == one.feasible
        assert many.torque_margin[i] == pytest.approx(one.torque_margin, abs=1e-6)
        if one.feasible:
            np.testing.assert_allclose(many.torques[i], one.torques, atol=1e-6)
