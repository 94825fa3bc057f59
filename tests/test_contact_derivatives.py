"""Derivatives of accelerations at frames and of contact forces, against differences."""

from __future__ import annotations

import numpy as np
import pytest
from differences import close, gradient, in_vector

import footwork as fw
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
    wrench = {
        frame: dyn.Wrench(f[:3], f[3:] if len(f) == 6 else (0, 0, 0))
        for frame, f in zip(
            contacts, np.split(d.f, np.cumsum(list(contacts.values()))[:-1]), strict=False
        )
    }
    close(dyn.forward_dynamics(robot, q, v, tau, wrench), d.a, 1e-7)
    for frame, size in contacts.items():
        held = dyn.frame_jacobian(robot, q, frame) @ d.a + dyn.frame_drift(robot, q, v, frame)
        assert np.abs(held[:size]).max() < 1e-8 * (1 + np.abs(d.a).max())
    close(np.vstack([d.da_dq, d.df_dq]), gradient(robot, q, lambda p: solve(p, v, tau)), 1e-5)
    close(np.vstack([d.da_dv, d.df_dv]), in_vector(v, lambda w: solve(q, w, tau)), 1e-5)
    close(np.vstack([d.da_dtau, d.df_dtau]), in_vector(tau, lambda t: solve(q, v, t)), 1e-5)


def test_refusals(load_robot, random_state):
    robot = load_robot("biped", "floating")
    q, v, _ = random_state(robot)
    tau = np.zeros(robot.na)
    with pytest.raises(fw.ConfigurationError, match="expected 3 or 6"):
        dyn.contact_derivatives(robot, q, v, tau, {"left_foot": 4})
    twice = {"left_foot": 6, "left_sole": 6}  # two names for one link
    with pytest.raises(fw.ModelError, match="12 rows of these contacts have rank 6"):
        dyn.contact_derivatives(robot, q, v, tau, twice)
