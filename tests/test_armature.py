"""Inertias of rotors, I N² on the diagonal of M: what is read, and what moves by it."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

import footwork as fw
from footwork import ConfigurationError, ModelError, control, dynamics

ARM = """<robot name="arm" xmlns:drake="http://drake.mit.edu">
<link name="base"/>
<link name="upper"><inertial><mass value="2"/><origin xyz="0 0 -0.2"/>
<inertia ixx="0.02" iyy="0.02" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="lower"><inertial><mass value="1"/><origin xyz="0 0 -0.2"/>
<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
<limit lower="-3" upper="3" effort="50" velocity="9"/>{shoulder}</joint>
<joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/>
<origin xyz="0 0 -0.4"/><axis xyz="0 1 0"/>
<limit lower="-3" upper="3" effort="50" velocity="9"/></joint>
{beside}</robot>"""
GEARED = """<transmission name="t"><joint name="elbow"/><actuator name="m">
<drake:rotor_inertia value="2e-4"/><drake:gear_ratio value="-30"/>
<mechanicalReduction>50</mechanicalReduction></actuator></transmission>"""
Q = np.array([0.4, -0.7])


def arm(shoulder="", beside=""):
    return fw.load(ARM.format(shoulder=shoulder, beside=beside), base="fixed")


def added(robot):
    return np.diagonal(dynamics.mass_matrix(robot, Q) - dynamics.mass_matrix(arm(), Q))


def test_transmissions_and_dynamics_of_a_urdf_are_read():
    robot = arm('<dynamics damping="0" armature="0.05"/>', GEARED)
    assert added(robot) == pytest.approx([0.05, 2e-4 * 30**2], abs=1e-12)
    off = dynamics.mass_matrix(robot, Q) - dynamics.mass_matrix(arm(), Q)
    assert off[0, 1] == pytest.approx(0.0, abs=1e-15)
    v = np.array([0.3, 2.0])
    both = dynamics.bias(robot, Q, v), dynamics.bias(arm(), Q, v)
    assert both[0] == pytest.approx(both[1], abs=1e-12)  # no speed, no force of a rotor's own


def test_two_motors_of_one_joint_add_up():
    robot = arm("", GEARED + GEARED.replace('name="t"', 'name="u"'))
    assert added(robot)[1] == pytest.approx(2 * 0.18, abs=1e-12)


def test_what_is_not_read_is_warned_of():
    with pytest.warns(fw.errors.FootworkWarning, match="negative armature: -1"):
        assert added(arm('<dynamics armature="-1"/>')) == pytest.approx(0.0)
    lost = GEARED.replace('<joint name="elbow"/>', "")
    with pytest.warns(fw.errors.FootworkWarning, match="the inertia of rotors is left out"):
        assert added(arm("", lost)) == pytest.approx(0.0)
    # a gear alone has no inertia
    plain = GEARED.replace('<drake:rotor_inertia value="2e-4"/>', "")
    assert added(arm("", plain)) == pytest.approx(0.0)


def test_rotors_of_an_srdf_are_read_as_pinocchio_reads_them(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(ARM.format(shoulder="", beside=""))
    srdf = """<robot name="arm"><rotor_params>
    <joint name="shoulder" mass="1e-4" gear_ratio="20."/>
    <joint name="elbow" mass="0" gear_ratio="1"/>
    </rotor_params></robot>"""
    path.with_suffix(".srdf").write_text(srdf)
    model = pin.buildModelFromUrdf(str(path))
    pin.loadRotorParameters(model, str(path.with_suffix(".srdf")), False)
    theirs = np.asarray(model.rotorInertia) * np.asarray(model.rotorGearRatio) ** 2
    robot = fw.load(path, base="fixed")
    assert added(robot) == pytest.approx(theirs, abs=1e-12)
    assert theirs[0] == pytest.approx(0.04)
    path.with_suffix(".srdf").write_text(srdf.replace('"shoulder"', '"shuolder"'))
    with pytest.warns(fw.errors.FootworkWarning, match="joints that do not exist: 'shuolder'"):
        fw.load(path, base="fixed")
    path.with_suffix(".srdf").write_text(srdf.replace("20.", "nan"))
    with pytest.raises(ModelError, match="the rotor of 'shoulder'"):
        fw.load(path, base="fixed")


def test_with_armature_counts_in_dynamics_control_and_simulation(load_robot):
    """The same motors move a geared robot more slowly; the controller's equations know of it."""
    biped = load_robot("biped", "floating")
    geared = biped.with_armature(0.1).with_armature({"left_shoulder_*": 0.3})
    controller, q = control.stand(geared)
    rows = geared.rows_of_joint
    alpha = np.zeros(biped.nv)
    alpha[biped.actuated_rows] = 0.1
    for name in rows:
        alpha[list(rows[name])] = (
            0.3 if name.startswith("left_shoulder_") else alpha[list(rows[name])]
        )
    inertia = dynamics.mass_matrix(geared, q)
    assert inertia == pytest.approx(dynamics.mass_matrix(biped, q) + np.diag(alpha), abs=1e-12)
    v = 0.1 * np.random.default_rng(0).standard_normal(biped.nv)
    program = controller.program(q, v)
    assert inertia == pytest.approx(program.M, abs=1e-12)
    command = controller(q, v)
    forces = inertia @ command.a + dynamics.bias(geared, q, v)
    forces -= controller.contacts.jacobian(q).T @ command.f
    forces[biped.actuated_rows] -= command.tau
    assert forces == pytest.approx(np.zeros(biped.nv), abs=1e-7)
    swing = [
        dynamics.simulate(robot, Q, 0 * Q, duration=0.05, step=1e-3)
        for robot in (arm(), arm().with_armature(5.0))
    ]
    assert np.abs(swing[1].v[-1]).max() < 0.3 * np.abs(swing[0].v[-1]).max()
    with pytest.raises(ConfigurationError, match="joint"):
        biped.with_armature({"left_sholder": 0.1})
    with pytest.raises(ConfigurationError, match="armature of 'waist_yaw': got -1"):
        biped.with_armature({"waist_yaw": -1})
