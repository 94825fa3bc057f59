"""Moments of inertia turn as R I Rᵀ and move by Steiner's theorem."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

import footwork as fw
from footwork import biomechanics
from footwork import dynamics as dyn
from footwork.biomechanics.frames import inertia


@pytest.fixture
def cloud():
    """Masses (40,) and places (40, 3) of points: the inertia by definition."""
    rng = np.random.default_rng(0)
    return rng.random(40), rng.standard_normal((40, 3))


def by_definition(cloud, point):
    masses, places = cloud
    return sum(
        m * (r @ r * np.eye(3) - np.outer(r, r))
        for m, r in zip(masses, places - point, strict=True)
    )


def test_steiner_from_and_to_any_point(cloud):
    masses, places = cloud
    com = masses @ places / masses.sum()
    P, Q = np.array([0.3, -1.0, 2.0]), np.array([-0.7, 0.1, 0.4])
    at_com = by_definition(cloud, com)
    assert biomechanics.moved_inertia(at_com, masses.sum(), com, P) == pytest.approx(
        by_definition(cloud, P), abs=1e-12
    )
    moved = biomechanics.moved_inertia(by_definition(cloud, P), masses.sum(), com, Q, about=P)
    assert moved == pytest.approx(by_definition(cloud, Q), abs=1e-12)
    added = np.linalg.eigvalsh(moved - at_com)  # nothing about the line to the centre of mass
    arm = np.linalg.norm(Q - com)
    assert added == pytest.approx(masses.sum() * arm**2 * np.array([0, 1, 1]), abs=1e-12)


def test_rotated(cloud):
    R = pin.exp3(np.array([0.4, -1.1, 0.6]))
    masses, places = cloud
    turned = biomechanics.rotated_inertia(by_definition(cloud, np.zeros(3)), R)
    assert turned == pytest.approx(by_definition((masses, places @ R.T), np.zeros(3)), abs=1e-12)
    assert (turned == turned.T).all()


@pytest.mark.parametrize(("name", "base"), [("biped", "floating"), ("tree", "fixed")])
def test_of_a_robot(load_robot, random_state, name, base):
    robot = load_robot(name, base)
    q, _, _ = random_state(robot)
    data = robot.model.createData()
    pin.ccrba(robot.model, data, q, np.zeros(robot.nv))
    about_com = biomechanics.inertia_about(robot, q)
    assert about_com == pytest.approx(np.array(data.Ig.inertia), abs=1e-10)
    frame = robot.frame_names[-1]
    R = dyn.frame_placement(robot, q, frame).rotation
    assert biomechanics.inertia_about(robot, q, axes=frame) == pytest.approx(
        R.T @ about_com @ R, abs=1e-10
    )


def test_of_one_body_is_what_its_joint_feels(load_robot, random_state):
    """About a hinge's axis, the inertia of all that it carries is its diagonal entry of M."""
    robot = load_robot("limb", "fixed")
    q, _, _ = random_state(robot)
    joints = list(robot.joint_names)
    for i, joint in enumerate(joints):
        point = dyn.frame_placement(robot, q, joint).translation
        about = biomechanics.inertia_about(robot, q, point, bodies=joints[i:])
        assert about[2, 2] == pytest.approx(dyn.mass_matrix(robot, q)[i, i], abs=1e-12)


def test_refusals(load_robot):
    robot = load_robot("limb", "fixed")
    with pytest.raises(fw.ConfigurationError, match="expected a symmetric matrix"):
        biomechanics.rotated_inertia([[1, 2, 3], [0, 1, 2], [0, 0, 1]], np.eye(3))
    with pytest.raises(fw.ConfigurationError, match="expected a rotation matrix"):
        biomechanics.rotated_inertia(np.eye(3), 2 * np.eye(3))
    with pytest.raises(fw.ConfigurationError, match="mass"):
        inertia.steiner(-1.0, np.zeros(3))
    with pytest.raises(fw.ConfigurationError, match="arm: got shape"):
        inertia.steiner(1.0, np.zeros(2))
    with pytest.raises(fw.ConfigurationError, match="did you mean 'joint_1'"):
        biomechanics.inertia_about(robot, np.zeros(3), bodies=["joint1"])
    with pytest.raises(fw.ConfigurationError, match="some mass"):
        biomechanics.inertia_about(robot, np.zeros(3), bodies=[])


@pytest.mark.parametrize("bad", ["abc", 1j, -1, float("nan")])
def test_what_is_no_mass_is_told(bad):
    still = biomechanics.MovingFrame()
    with pytest.raises(fw.ConfigurationError, match="mass: got"):
        inertia.steiner(bad, [0, 0, 1])
    with pytest.raises(fw.ConfigurationError, match="mass: got"):
        biomechanics.frames.moving_frames.fictitious_wrenches_of(bad, still, still)


def test_masses_of_every_kind_of_number():
    expected = inertia.steiner(2.0, [1, 2, 3])
    for mass in (2, np.int64(2), np.float32(2), np.array(2.0)):
        np.testing.assert_array_equal(inertia.steiner(mass, [1, 2, 3]), expected)
