"""The programs as matrices against the same programs as cvxpy writes them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

from footwork import contacts, dynamics, robots
from footwork.contacts import PointForces, conic_solver
from footwork.contacts.cones.friction_cone import axes_along
from footwork.contacts.equilibrium.programs import Equilibrium
from footwork.contacts.equilibrium.reference import ReferenceEquilibrium
from footwork.contacts.limits import ContactLimits
from footwork.contacts.torque_limits import TorqueBounds

QUESTIONS = ("margin", "least_norm", "torque_margin")


def agree(balance, question, *given):
    """The same status, value and, where there is only one, the same unknowns."""
    ours = getattr(balance, question)(*given)
    theirs = getattr(ReferenceEquilibrium.like(balance), question)(*given)
    both = {ours.status, theirs.status} == {"infeasible", "unbounded"}  # either name is right
    if theirs.status == "unsolved" or theirs.value == ours.value == np.inf or both:
        return ours.status
    assert ours.status == theirs.status
    assert ours.value == pytest.approx(theirs.value, rel=1e-6, abs=1e-7 * balance.weight)
    if question == "least_norm" and ours.unknowns is not None:
        assert np.abs(ours.unknowns - theirs.unknowns).max(initial=0) < 1e-6 * balance.weight
    return ours.status


def wild(rng):
    """Points of a body with everything that limits contacts: some hold, some do not."""
    count, points = int(rng.integers(1, 5)), int(rng.integers(1, 4))
    owner = np.repeat(np.arange(count), points)
    normals = np.array([0, 0, 1]) + 0.3 * rng.standard_normal((count, 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    places = rng.uniform(-0.4, 0.4, (count, 2)), 0.1 * rng.standard_normal(count)
    centres = np.column_stack(places)
    axes = np.array([axes_along(n) for n in normals])
    arms = 0.05 * rng.standard_normal((count * points, 2)) * (points > 1)
    places = centres[owner] + np.einsum("kij,kj->ki", axes[owner][:, :, :2], arms)
    limits = ContactLimits(
        np.tile(rng.choice([0.0, 0.4, 0.8], count)[owner, None], 2),
        (rng.random(count) < 0.15)[owner],
        owner,
        arms,
        rng.choice([0.0, 0.02, np.inf], count) if points > 1 else rng.choice([0.0, 0.02], count),
        np.where(rng.random(count) < 0.2, 0.1, -np.inf),
        np.where(rng.random(count) < 0.2, 0.6, np.inf),
    )
    forces = PointForces(places, axes[owner], centres, limits)
    x, y = rng.uniform(-0.2, 0.2, 2)
    return Equilibrium.of_body(forces, -np.array([*rng.normal(0, 0.1, 2), 1, y, -x, 0.02]))


@pytest.mark.parametrize("seed", range(10))
def test_contacts_of_every_kind(seed):
    rng = np.random.default_rng(seed)
    for _ in range(5):
        balance = wild(rng)
        agree(balance, "margin")
        agree(balance, "least_norm")
        agree(balance, "least_excess")
        agree(balance, "least_help", -balance.normals)
        agree(balance, "least_help", np.eye(6), True)


def at_rest(feet, q, limit):
    """The balance of a robot on its feet whose joints give at most `limit` each."""
    limits = np.full(feet.robot.na, limit)
    return Equilibrium.of(feet, q, dynamics.gravity_torques(feet.robot, q), limits)


@pytest.mark.parametrize("name", ["biped", "quadruped", "talos"])
def test_robots_with_torque_limits(load_robot, name):
    robot = load_robot(name, "floating")
    q = robot.posture()
    feet = contacts.at_feet(robot)
    strong = contacts.static_hold(robot, q, feet, torque_limits=False)
    most, statuses = np.abs(strong.torques).max(), set()
    for share in (0.1, 0.6, 1.0, np.inf):
        balance = at_rest(feet, q, share * most)
        statuses |= {agree(balance, question) for question in QUESTIONS}
    assert statuses >= {"optimal"}


def test_passive_joints_fixed_bases_rough_points_and_nothing():
    robot = robots.load("quadruped")
    q = robot.posture()
    balance = at_rest(contacts.at_feet(robot), q, np.inf)
    bounds = TorqueBounds.about(balance.torque_limits[1:])
    fewer = replace(balance, actuated=balance.actuated[1:], bounds=bounds)
    rough = balance.with_limits(balance.limits.with_friction(np.inf))
    slippery = balance.with_limits(balance.limits.with_friction(0.0))
    nothing = at_rest(contacts.ContactSet(robot), q, np.inf)
    arm = robots.load("limb")
    held = at_rest(contacts.ContactSet(arm), np.zeros(arm.nq), 1e-3)
    for case in (fewer, rough, slippery, nothing, held):
        for question in QUESTIONS[:2]:
            agree(case, question)


def test_planar_sets():
    robot = robots.load("quadruped")
    q = robot.posture()
    J = dynamics.com_jacobian(robot, q)
    balance = at_rest(contacts.at_feet(robot), q, 30.0)
    ours = balance.planar_set(J[:2].T, 1e4)
    theirs = ReferenceEquilibrium.like(balance).planar_set(J[:2].T, 1e4)
    for angle in np.linspace(0, 6, 7):
        d = np.array([np.cos(angle), np.sin(angle)])
        assert d @ ours(d) == pytest.approx(d @ theirs(d), rel=1e-6)


def test_a_solver_that_raises_is_no_answer(monkeypatch):
    balance = wild(np.random.default_rng(0))

    def broken(attempt):
        raise RuntimeError("boom")

    monkeypatch.setattr(conic_solver, "_settings", broken)
    assert balance.margin().status == "unsolved"
    assert np.isnan(balance.margin().value)


def test_forces_of_an_endless_squeeze_are_no_solution():
    """A patch that holds both ways gives whatever another one loses: its margin has no bound.

    The solver called forces of 1e24 weights solved here, with a margin of 0.11 of the weight.
    """
    rng, block = np.random.default_rng(220), robots.load("block")
    patches = []
    for name, friction in (("rung", 0.1), ("sole", 1.0)):
        place = pin.SE3(pin.exp3(rng.standard_normal(3)), 0.2 * rng.standard_normal(3))
        shape = {"vertices": 0.1 * rng.standard_normal((4, 2)), "placement": place, "name": name}
        kind = {"friction": friction, "bilateral": name == "rung"}
        patches.append(contacts.SurfaceContact(block.frame_names[-1], **shape, **kind))
    hold = contacts.static_hold(block, block.neutral(), patches, solver="clarabel")
    assert hold.feasible
    assert hold.margin == np.inf
