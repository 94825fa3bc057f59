"""MuJoCo, another engine with other conventions, agrees on M and on the bias."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

import footwork.robots
from footwork import dynamics as dyn

mujoco = pytest.importorskip("mujoco")

MODELS = Path(footwork.robots.__file__).parent / "models"
OPTIONS = '<mujoco><compiler balanceinertia="false" discardvisual="true"/></mujoco>'
FREE = '<link name="world"/><joint name="free" type="floating"><parent link="world"/>{}</joint>'


def in_mujoco(name, base, root):
    text = (MODELS / f"{name}.urdf").read_text()
    extra = OPTIONS + (FREE.format(f'<child link="{root}"/>') if base == "floating" else "")
    return mujoco.MjModel.from_xml_string(text.replace("</robot>", extra + "</robot>"))


@pytest.mark.parametrize("name", ["biped", "quadruped"])
@pytest.mark.parametrize("base", ["floating", "fixed"])
def test_mass_matrix_and_bias(load_robot, random_state, name, base):
    robot = load_robot(name, base)
    q, v, _ = random_state(robot)
    floating = robot.is_floating
    root = robot.model.frames[2 if floating else 1].name
    model = in_mujoco(name, base, root)
    data = mujoco.MjData(model)
    assert model.nv == robot.nv

    # q: quaternion w x y z; v: linear velocity of the base in world axes, angular in its own
    T, dT_v = np.eye(robot.nv), np.zeros(robot.nv)
    if floating:
        R = pin.Quaternion(q[3:7]).toRotationMatrix()
        T[:3, :3], dT_v[:3] = R, R @ np.cross(v[3:6], v[:3])
        data.qpos[:7] = [*q[:3], q[6], *q[3:6]]
        data.qvel[:6] = (T @ v)[:6]
    rows = list(range(6)) if floating else []
    for joint in robot.joint_names:
        ours, theirs = robot.model.joints[robot.model.getJointId(joint)], model.joint(joint)
        data.qpos[theirs.qposadr[0]], data.qvel[theirs.dofadr[0]] = q[ours.idx_q], v[ours.idx_v]
        rows.append(theirs.dofadr[0])
    mujoco.mj_forward(model, data)
    M, identity = np.zeros((robot.nv, robot.nv)), np.eye(robot.nv)
    for k in range(robot.nv):
        mujoco.mj_mulM(model, data, M[k], identity[k])
    M, b = M[np.ix_(rows, rows)], data.qfrc_bias[rows]

    assert np.abs(T.T @ M @ T - dyn.mass_matrix(robot, q)).max() < 1e-8
    assert np.abs(T.T @ (b + M @ dT_v) - dyn.bias(robot, q, v)).max() < 1e-7
