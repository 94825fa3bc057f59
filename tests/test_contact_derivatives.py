"""Derivatives of accelerations at frames and of contact forces, against differences."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from differences import close, gradient, in_vector

import footwork as fw
from footwork import contacts
from footwork import dynamics as dyn
from footwork.dynamics.contact_derivatives import frame_acceleration_derivatives


@pytest.mark.parametrize("base", ["floating", "fixed"])
def test_accelerations(load_robot, random_state, base):
    robot = load_robot("tree", base)
    q, v, a = random_state(robot)
    frame = robot.frame_names[-1]

    def acceleration(p, w):
        J = dyn.frame_jacobian(robot, p, frame)
        return J @ a + dyn.frame_drift(robot, p, w, frame)

    dq, dv = frame_acceleration_derivatives(robot, q, v, a, frame)
    close(dq, gradient(robot, q, lambda p: acceleration(p, v)), 1e-6)
    close(dv, in_vector(v, lambda w: acceleration(q, w)), 1e-6)


@pytest.mark.parametrize(
    ("name", "contacts"),
    [
        ("biped", {"left_foot": 6, "right_foot": 6}),
        ("biped", {"left_foot": 6}),
        ("solo12", {"FL_FOOT": 3, "HR_FOOT": 3}),
        ("solo12", {}),
    ],
)
def test_forces(load_robot, random_state, name, contacts):
    robot = load_robot(name, "floating")
    q, v, _ = random_state(robot)
    tau = np.random.default_rng(1).standard_normal(robot.na)

    def solve(p, w, t):
        d = dyn.contact_derivatives(robot, p, w, t, contacts)
        return np.r_[d.a, d.f]

    d = dyn.contact_derivatives(robot, q, v, tau, contacts)
    wrench, k = {}, 0
    for frame, size in contacts.items():
        f, k = np.r_[d.f[k : k + size], np.zeros(6 - size)], k + size
        wrench[frame] = dyn.Wrench(f[:3], f[3:])
    close(dyn.forward_dynamics(robot, q, v, tau, wrench), d.a, 1e-7)
    for frame, size in contacts.items():
        held = dyn.frame_jacobian(robot, q, frame) @ d.a + dyn.frame_drift(robot, q, v, frame)
        assert np.abs(held[:size]).max() < 1e-8 * (1 + np.abs(d.a).max())
    by_differences(robot, (q, v, tau), d, solve)


def by_differences(robot, at, d, solve):
    """The derivatives of solve(q, v, τ), which returns a and f."""
    q, v, tau = at
    close(np.vstack([d.da_dq, d.df_dq]), gradient(robot, q, lambda p: solve(p, v, tau)), 1e-5)
    close(np.vstack([d.da_dv, d.df_dv]), in_vector(v, lambda w: solve(q, w, tau)), 1e-5)
    close(np.vstack([d.da_dtau, d.df_dtau]), in_vector(tau, lambda t: solve(q, v, t)), 1e-5)


def on_many(robot):
    """A contact of each kind, away from the origins of their frames, on slopes."""
    tilted = pin.SE3(pin.exp3(np.array([0.3, -0.2, 0.5])), np.array([0.03, -0.02, 0.05]))
    edge = {"friction": 0.5, "half_length": 0.1, "placement": tilted}
    ground = {"friction": 0.5, "normal": np.array([0.6, 0.0, 0.8])}
    parts = [
        contacts.LineContact("left_foot", **edge),
        contacts.PointContact("right_hand", **ground, offset=(0.1, 0.0, 0.05)),
        contacts.PointContact("right_foot", **ground, radius=0.04, offset=(0, 0, 0.1)),
        contacts.PointContact("left_hand", **ground, torsional_friction=0.02),
        contacts.SurfaceContact("head", half_width=0.1, **edge),
    ]
    return contacts.ContactSet(robot, parts)


@pytest.mark.parametrize("k", range(5))
def test_accelerations_of_contacts(load_robot, random_state, k):
    robot = load_robot("biped", "floating")
    q, v, a = random_state(robot)
    contact = list(on_many(robot))[k]
    rows = lambda p, w: contact.jacobian(robot, p) @ a + contact.drift(robot, p, w)  # noqa: E731
    dq, dv = contact.acceleration_derivatives(robot, q, v, a)
    close(dq, gradient(robot, q, lambda p: rows(p, v)), 1e-5)
    close(dv, in_vector(v, lambda w: rows(q, w)), 1e-5)


def test_forces_of_contact_sets(load_robot, random_state):
    """Of constrained forward dynamics, another way to the same a and f."""
    robot = load_robot("biped", "floating")
    q, v, _ = random_state(robot)
    tau = np.random.default_rng(1).standard_normal(robot.na)
    many = contacts.ContactSet(robot, list(on_many(robot))[:4])  # independent

    def solve(p, w, t):
        return np.concatenate(contacts.constrained_forward_dynamics(robot, p, w, t, many))

    d = dyn.contact_derivatives(robot, q, v, tau, many)
    close(np.r_[d.a, d.f], solve(q, v, tau), 1e-7)
    by_differences(robot, (q, v, tau), d, solve)
    A, B = dyn.linearise(robot, q, v, tau, contacts=many)
    assert pytest.approx(d.da_dq) == A[robot.nv :, : robot.nv]
    assert pytest.approx(d.da_dtau) == B[robot.nv :]


@pytest.mark.parametrize("contacts", [None, {"FL_FOOT": 3, "HR_FOOT": 3}])
def test_linearisation_under_wrenches_and_with_contacts(load_robot, random_state, contacts):
    robot = load_robot("solo12", "floating")
    q, v, _ = random_state(robot)
    tau, h = np.random.default_rng(1).standard_normal(robot.na), 1e-2
    wrenches = {"FR_FOOT": dyn.Wrench([1.0, -2.0, 5.0], [0.1, 0.2, 0.0])}

    def acceleration(p, w, t):
        if contacts is None:
            return dyn.forward_dynamics(robot, p, w, t, wrenches)
        return dyn.contact_derivatives(robot, p, w, t, contacts, wrenches).a

    def step(p, w, t):
        w = w + h * acceleration(p, w, t)
        return robot.integrate(p, h * w), w

    q0, v0 = step(q, v, tau)

    def away(p, w, t):
        q1, v1 = step(p, w, t)
        return np.r_[robot.difference(q0, q1), v1 - v0]

    for frame in contacts or ():
        J, a = dyn.frame_jacobian(robot, q, frame), acceleration(q, v, tau)
        assert np.abs(J @ a + dyn.frame_drift(robot, q, v, frame))[:3].max() < 1e-8
    A, B = dyn.linearise(robot, q, v, tau, step=h, wrenches=wrenches, contacts=contacts)
    close(A[:, : robot.nv], gradient(robot, q, lambda p: away(p, v, tau)), 1e-5)
    close(A[:, robot.nv :], in_vector(v, lambda w: away(q, w, tau)), 1e-5)
    close(B, in_vector(tau, lambda t: away(q, v, t)), 1e-5)
    A, _ = dyn.linearise(robot, q, v, tau, wrenches=wrenches, contacts=contacts)
    below = gradient(robot, q, lambda p: acceleration(p, v, tau))
    close(A[robot.nv :, : robot.nv], below, 1e-5)


def test_refusals(load_robot, random_state):
    robot = load_robot("biped", "floating")
    q, v, _ = random_state(robot)
    tau = np.zeros(robot.na)
    belt = contacts.MovingSurface(linear=(0.1, 0.0, 0.0))
    riding = [replace(foot, surface=belt) for foot in contacts.at_feet(robot)]
    twice = {"left_foot": 6, "left_sole": 6}  # two names for one link
    others = contacts.at_feet(fw.load("quadruped"))
    none = "contacts: got .*expected a ContactSet, or"
    for bad, error, words in (
        ({"left_foot": 4}, fw.ConfigurationError, "expected 3 or 6"),
        (twice, fw.ModelError, "12 rows of these contacts have rank 6"),
        *((bad, fw.ConfigurationError, none) for bad in ("left_foot", [3], 6)),
        ({"left_fot": 3}, fw.ConfigurationError, "no frame 'left_fot'; did you mean"),
        (riding, fw.ContactError, "got a moving surface, expected one at rest"),
        (others, fw.ConfigurationError, "the robot 'quadruped', .* this 'biped'"),
    ):
        with pytest.raises(error, match=words):
            dyn.contact_derivatives(robot, q, v, tau, bad)


def test_contacts_of_the_same_robot_loaded_again_are_its_own(load_robot, random_state):
    """As everywhere: contacts are at frames by name."""
    robot = load_robot("biped", "floating")
    q, v, _ = random_state(robot)
    tau = np.ones(robot.na)
    expected = dyn.contact_derivatives(robot, q, v, tau, contacts.at_feet(robot))
    again = contacts.at_feet(pickle.loads(pickle.dumps(robot)))
    found = dyn.contact_derivatives(robot, q, v, tau, again)
    for one, other in zip(found, expected, strict=True):
        assert np.array_equal(one, other)
