"""The models of gymnasium, which nobody prepared for us, have MuJoCo's equations of motion."""

from importlib.util import find_spec
from pathlib import Path

import pytest
from as_in_mujoco import moves_alike

from footwork import dynamics as dyn
from footwork import load

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
    moves_alike(model, robot, 1e-12, seed=4)
    assert robot.mass == pytest.approx(model.body_subtreemass[0])


@pytest.mark.filterwarnings("ignore:.*settotalmass.* is deprecated:UserWarning")  # MuJoCo's
def test_what_mujoco_writes_of_them_is_the_same_robot(file):
    mujoco = pytest.importorskip("mujoco")
    spec = mujoco.MjSpec.from_file(str(file))
    spec.compile()
    found = dyn.compare(load(file), load(spec.to_xml()))
    assert found.same, str(found)
    assert found.total.relative < 1e-5
