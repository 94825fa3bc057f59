"""The models of gymnasium, which nobody prepared for us, have MuJoCo's equations of motion."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from footwork import dynamics as dyn
from footwork import load, robots

# rows of v, and motors
MODELS = {
    "ant": (14, 8),
    "half_cheetah": (9, 6),
    "hopper": (6, 3),
    "humanoid": (23, 17),
    "humanoidstandup": (23, 17),
    "inverted_double_pendulum": (3, 1),
    "pusher_v5": (11, 7),
    "swimmer": (5, 2),
    "walker2d_v5": (9, 6),
}


@pytest.fixture(params=MODELS)
def file(request, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # MuJoCo writes its warnings into a file there
    spec = find_spec("gymnasium")  # the package itself need not be imported
    if spec is None:
        pytest.skip("gymnasium is not installed")
    return Path(spec.submodule_search_locations[0], "envs/mujoco/assets", f"{request.param}.xml")


def test_models_of_gymnasium_load_without_a_word_and_move_as_in_mujoco(file):
    mujoco = pytest.importorskip("mujoco")
    model, robot = mujoco.MjModel.from_xml_path(str(file)), load(file)
    assert (robot.nv, robot.na) == (model.nv, model.nu) == MODELS[file.stem]
    model.opt.density = model.opt.viscosity = 0  # forces of a fluid are left out
    data = mujoco.MjData(model)
    rng = np.random.default_rng(4)
    q, v = robot.random_configuration(rng), rng.standard_normal(robot.nv)
    data.qpos[:], data.qvel[:] = robots.conventions.to_mujoco(robot, q, v)
    mujoco.mj_forward(model, data)
    theirs = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, theirs)
    M = dyn.conventions.mass_matrix_to(robot, q, dyn.mass_matrix(robot, q), "mujoco")
    np.testing.assert_allclose(M, theirs, atol=1e-12 * abs(theirs).max())
    b = dyn.conventions.bias_to(robot, q, v, dyn.bias(robot, q, v), "mujoco")
    np.testing.assert_allclose(b, data.qfrc_bias, atol=1e-12 * abs(data.qfrc_bias).max())
    assert robot.mass == pytest.approx(model.body_subtreemass[0])


@pytest.mark.filterwarnings("ignore:.*settotalmass.* is deprecated:UserWarning")  # MuJoCo's
def test_what_mujoco_writes_of_them_is_the_same_robot(file):
    mujoco = pytest.importorskip("mujoco")
    spec = mujoco.MjSpec.from_file(str(file))
    spec.compile()
    found = dyn.compare(load(file), load(spec.to_xml()))
    assert found.same, str(found)
    assert found.total.relative < 1e-5
