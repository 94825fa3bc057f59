"""Which forces a hold gives: each objective against a program of its own."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest
from stances import posed

from footwork import ConfigurationError, ContactError, Wrench, contacts, dynamics, robots
from footwork.contacts import WrenchCone, at_feet, contact_forces, static_hold

OBJECTIVES = ["least_norm", "largest_margin", "least_torque", "centred"]


@pytest.fixture(scope="module", params=["biped", "quadruped"])
def loaded(request):
    robot = robots.load(request.param)
    load = {robot.model.frames[2].name: Wrench([15, 4, 0], [0, 1.0, 2.0])}
    return robot, robot.posture(), at_feet(robot, 0.6), load


class Admissible:
    """Contact wrenches in the rows of J and torques, from ContactSet alone."""

    def __init__(self, robot, q, feet, load):
        self.f, self.tau = cp.Variable(feet.dim), cp.Variable(robot.na)
        balance = robot.selection_matrix.T @ self.tau + dynamics.gravity_torques(robot, q)
        balance += feet.jacobian(q).T @ self.f + dynamics.external_torques(robot, q, load)
        self.limits = [balance == 0, cp.abs(self.tau) <= robot.torque_limits]
        self.limits += feet.friction_constraints(self.f, q)

    def least(self, cost):
        problem = cp.Problem(cp.Minimize(cost), self.limits)
        problem.solve(solver="CLARABEL")
        return problem.value


def moments_and_loads(feet, hold_or_f, q):
    """(‖m_t‖, F) of every sole, from a Hold's wrenches or from a cvxpy variable."""
    held = isinstance(hold_or_f, contacts.Hold)
    for contact in feet:
        T, name = contact.pose(feet.robot, q).rotation, contact.name
        w = hold_or_f.wrenches[name].vector if held else hold_or_f[feet.rows(name)]
        yield T[:, :2].T @ w[3:], T[:, 2] @ w[:3]


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_all_are_admissible(loaded, objective):
    robot, q, feet, load = loaded
    hold = static_hold(robot, q, feet, load, objective=objective)
    assert hold.feasible is True
    assert hold.objective == objective
    assert hold.residual < 1e-6
    assert (np.abs(hold.torques) <= robot.torque_limits + 1e-6).all()
    for contact in feet:
        n = contact.pose(robot, q).rotation[:, 2]
        f = hold.forces[contact.name]
        slip = np.linalg.norm(f - np.outer(f @ n, n), axis=1)
        assert (slip <= contact.friction * (f @ n) + 1e-5).all()
    assert hold.margin == pytest.approx(static_hold(robot, q, feet, load).margin, rel=1e-6)


def test_largest_margin(loaded):
    """Every wrench less the margin at its centre is in its exact cone."""
    robot, q, feet, load = loaded
    hold = static_hold(robot, q, feet, load, objective="largest_margin")
    plain = static_hold(robot, q, feet, load)
    worst = {"largest": 0.0, "plain": 0.0}
    for contact in feet:
        T, cone = contact.pose(robot, q).rotation, WrenchCone(contact)
        for name, answer in (("largest", hold), ("plain", plain)):
            w = answer.wrenches[contact.name]
            local = np.concatenate([T.T @ w.force, T.T @ w.moment])
            local[2] -= hold.margin
            worst[name] = max(worst[name], cone.violation(local))
    assert worst["largest"] < 1e-4 * hold.margin
    assert worst["plain"] > worst["largest"]


def test_least_torque(loaded):
    robot, q, feet, load = loaded
    hold = static_hold(robot, q, feet, load, objective="least_torque")
    program = Admissible(robot, q, feet, load)
    least = program.least(cp.sum_squares(program.tau))
    assert hold.torques @ hold.torques == pytest.approx(least, rel=1e-4)
    plain = static_hold(robot, q, feet, load)
    assert hold.torques @ hold.torques < plain.torques @ plain.torques * (1 + 1e-9)


def test_centred_soles():
    robot, feet, q = posed("biped", 0.6)
    load = {robot.model.frames[2].name: Wrench([15, 4, 0], [0, 1.0, 2.0])}
    program = Admissible(robot, q, feet, load)
    cost = sum(cp.quad_over_lin(m, F) for m, F in moments_and_loads(feet, program.f, q))
    least = program.least(cost)

    def spread(hold):
        return sum(m @ m / F for m, F in moments_and_loads(feet, hold, q))

    hold = static_hold(robot, q, feet, load, objective="centred")
    assert spread(hold) == pytest.approx(least, rel=1e-3, abs=1e-9)
    assert spread(hold) < spread(static_hold(robot, q, feet, load))


def test_of_equal_ones_the_least_norm():
    """Points have no moments: all admissible forces are centred, the least-norm ones are given."""
    robot, feet, q = posed("quadruped", 0.6)
    least = static_hold(robot, q, feet)
    centred = static_hold(robot, q, feet, objective="centred")
    for name, f in least.forces.items():
        assert centred.forces[name] == pytest.approx(f, abs=1e-3)


def test_preferred_forces_that_hold_are_given(loaded):
    """The wrenches of another objective are admissible, so the nearest ones are these."""
    robot, q, feet, load = loaded
    other = static_hold(robot, q, feet, load, objective="largest_margin")
    wanted = {name: w.force if feet[name].dim == 3 else w for name, w in other.wrenches.items()}
    hold = static_hold(robot, q, feet, load, preferred=wanted)
    assert hold.objective == "preferred"
    for name, w in other.wrenches.items():
        assert hold.wrenches[name].force == pytest.approx(w.force, abs=1e-2)
        assert hold.wrenches[name].moment == pytest.approx(w.moment, abs=1e-2)


def test_the_nearest_to_forces_that_do_not_hold(loaded):
    robot, q, feet, load = loaded
    name = feet.names[0]
    wanted = np.array([10.0, -20.0, 0.3 * 9.81 * robot.mass])
    program = Admissible(robot, q, feet, load)
    least = program.least(cp.sum_squares(program.f[feet.rows(name)][:3] - wanted))
    hold = static_hold(robot, q, feet, load, preferred={name: wanted})
    missed = hold.wrenches[name].force - wanted
    assert missed @ missed == pytest.approx(least, rel=1e-4, abs=1e-4)


def test_preferred_in_motion(loaded):
    robot, q, feet, _ = loaded
    v, a, wish = np.zeros(robot.nv), np.eye(robot.nv)[2], {feet.names[0]: [0, 0, 1]}
    hold = contact_forces(robot, q, v, a, feet, torque_limits=False, preferred=wish)
    assert hold.feasible is True
    assert hold.residual < 1e-6


def test_squeezing_has_a_largest_margin_of_one_weight():
    robot = robots.block()
    link, x = robot.model.frames[2].name, np.array([1.0, 0, 0])
    sides = ("left", x), ("right", -x)
    pinch = [contacts.PointContact(link, 1.0, n, -0.2 * n, name=name) for name, n in sides]
    hold = static_hold(robot, robot.neutral(), pinch, objective="largest_margin")
    weight = 9.81 * robot.mass
    assert hold.margin == np.inf
    assert hold.normal_forces == pytest.approx(dict.fromkeys(hold.forces, 1.5 * weight), rel=1e-4)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"objective": "least_norms"}, "did you mean 'least_norm'"),
        ({"preferred": {"nose": [0, 0, 1]}}, "no contact 'nose'"),
        ({"preferred": {"left_foot": [0, 0]}}, "a force"),
        ({"preferred": {"left_foot": "up"}}, "a force"),
        ({"preferred": {"left_foot": [0, 0, np.nan]}}, "expected finite"),
        ({"preferred": {"left_foot": [0, 0, 1]}, "objective": "centred"}, "expected one of them"),
    ],
)
def test_bad_wishes(given, says):
    robot, feet, q = posed("biped")
    with pytest.raises(ContactError, match=says):
        static_hold(robot, q, feet, **given)


def test_a_hard_point_takes_no_wrench():
    robot = robots.load("quadruped")
    feet = at_feet(robot)
    with pytest.raises(ContactError, match="no moment"):
        static_hold(robot, robot.posture(), feet, preferred={feet.names[0]: np.ones(6)})


Q, TOE = np.zeros(3), contacts.PointContact("toe", 0.5)


@pytest.mark.parametrize("call", [static_hold, TOE.jacobian])
def test_a_name_is_no_robot(call):
    with pytest.raises(ConfigurationError, match=r"footwork.load\('biped'\)"):
        call("biped", *([Q, TOE] if call is static_hold else [Q]))
