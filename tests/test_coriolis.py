"""The Coriolis tensor as a connection: Christoffel symbols, structure constants, Koszul."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import each_robot
from differences import gradient

import footwork as fw
from footwork import dynamics as dyn

robot = each_robot(
    ("biped", "floating"),
    ("solo12", "fixed"),
    ("tree", "floating"),
    ("tree", "fixed"),
    ("heavy base", "floating"),
)


def metric(robot, q):
    """M without the armature of joints but free ones: rotors turn about axes of their own."""
    model = robot.model
    rotors = np.array(model.armature)
    for joint in model.joints:
        if joint.shortname() == "JointModelFreeFlyer":
            rotors[joint.idx_v : joint.idx_v + 6] = 0.0
    return dyn.mass_matrix(robot, q) - np.diag(rotors)


def test_koszul(robot, random_state):
    """2 C_ijk = ∂_k M_ij + ∂_j M_ik − ∂_i M_jk + brackets, with ∂M by finite differences."""
    q, _, _ = random_state(robot)
    dM, c = (
        gradient(robot, q, lambda p: dyn.mass_matrix(robot, p)),
        dyn.coriolis.structure_constants(robot),
    )
    B = np.einsum("il,ljk->ijk", metric(robot, q), c)  # ⟨e_i, [e_j, e_k]⟩
    terms = dM + dM.transpose(0, 2, 1) - dM.transpose(2, 0, 1)
    # ⟨[e_k, e_j], e_i⟩ − ⟨[e_j, e_i], e_k⟩ + ⟨[e_i, e_k], e_j⟩
    bracket = -B - np.einsum("kji->ijk", B) + np.einsum("jik->ijk", B)
    C = 0.5 * (terms + bracket)
    assert np.abs(C - dyn.coriolis_tensor(robot, q)).max() < 1e-6


def test_torsion_is_the_structure_of_the_basis(robot, random_state):
    q, _, _ = random_state(robot)
    C, c = dyn.coriolis_tensor(robot, q), dyn.coriolis.structure_constants(robot)
    B = np.einsum("il,ljk->ijk", metric(robot, q), c)
    assert np.abs(C.transpose(0, 2, 1) - C - B).max() < 1e-10


def test_derivatives_of_the_mass_matrix(robot, random_state):
    q, v, _ = random_state(robot)
    dM = gradient(robot, q, lambda p: dyn.mass_matrix(robot, p))
    assert np.abs(dM - dyn.coriolis.mass_matrix_gradient(robot, q)).max() < 1e-6
    assert np.abs(dM @ v - dyn.mass_matrix_derivative(robot, q, v)).max() < 1e-6


def test_coriolis_forces_do_no_work_in_the_energy_balance(robot, random_state):
    q, v, _ = random_state(robot)
    N = dyn.mass_matrix_derivative(robot, q, v) - 2 * dyn.coriolis_matrix(robot, q, v)
    assert abs(v @ N @ v) < 1e-9
    assert np.abs(N + N.T).max() < 1e-10


@pytest.mark.parametrize("name", ["solo12", "limb", "double_pendulum", "biped"])
def test_christoffel_symbols_are_the_tensor_of_coordinates(load_robot, random_state, name):
    robot = load_robot(name, "fixed")
    q, _, _ = random_state(robot)
    G = dyn.christoffel_symbols(robot, q)
    assert np.abs(G - dyn.coriolis_tensor(robot, q)).max() < 1e-11
    assert np.abs(G - G.transpose(0, 2, 1)).max() == 0
    dM = gradient(robot, q, lambda p: dyn.mass_matrix(robot, p))
    i, j, k = 1, 0, robot.nv - 1
    by_hand = 0.5 * (dM[i, j, k] + dM[i, k, j] - dM[j, k, i])
    assert G[i, j, k] == pytest.approx(by_hand, abs=1e-7)


def test_a_floating_base_has_no_christoffel_symbols(load_robot):
    robot = load_robot("biped", "floating")
    with pytest.raises(fw.ModelError, match="coordinate velocities"):
        dyn.christoffel_symbols(robot, robot.neutral())


def test_structure_constants_are_the_brackets_of_tangent_flows(load_robot, random_state):
    """Going along j, then k, then back along both, ends [e_j, e_k] t² away."""
    robot = load_robot("tree", "floating")
    q, _, _ = random_state(robot)
    c, t, one = dyn.coriolis.structure_constants(robot), 1e-4, np.eye(robot.nv)
    for j, k in [(0, 4), (3, 5), (4, 1), (8, 9), (10, 9), (13, 12), (0, 7), (6, 7)]:
        p = q
        for step in (one[j], one[k], -one[j], -one[k]):
            p = robot.integrate(p, t * step)
        assert robot.difference(q, p) / t**2 == pytest.approx(c[:, j, k], abs=1e-3)
    assert c[:6, :6, :6].any()
    assert not dyn.coriolis.structure_constants(load_robot("biped", "fixed")).any()
