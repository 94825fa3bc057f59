"""The audit of wrench cones finds cones that are wrong, and lets sound ones pass."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

import numpy as np
import pytest

from footwork.contacts import SurfaceContact, WrenchCone
from footwork.contacts.wrench_cones.wrench_cone import rectangle_faces

FOLDER = Path(__file__).parents[1] / "benchmarks"
X, Y, MU = 0.1, 0.05, 0.5
CORNERS = np.array([[X, Y], [-X, Y], [-X, -Y], [X, -Y]])


@pytest.fixture(scope="module")
def soundness():
    """benchmarks/cone_soundness.py, which is no package."""
    before = list(sys.path)
    name = "cone_soundness"
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    yield module
    sys.path[:] = before
    for loaded in (name, "published_cones"):
        sys.modules.pop(loaded, None)


def sole():
    return SurfaceContact("sole", half_length=X, half_width=Y, friction=MU)


@pytest.mark.parametrize("claim", ["inner", "outer"])
@pytest.mark.parametrize("sides", [3, 4, 7])
def test_sound_cones_pass(soundness, claim, sides):
    found = soundness.audit(CORNERS, MU, WrenchCone(sole(), claim, sides).faces, claim, starts=8)
    assert found["sound"] is True
    key = {"inner": "accepts_forbidden", "outer": "refuses_allowed"}[claim]
    other = {"inner": "refuses_allowed", "outer": "accepts_forbidden"}[claim]
    assert found[key] < 1e-6
    assert found[other] > 1e-3  # no linear cone is the exact one


@pytest.mark.parametrize("stretch", [1.001, 1.1])
def test_a_little_too_much_friction_is_found(soundness, stretch):
    """Of Caron's inner cone, tan = μ/√2 in the corners of the pyramid, which are on Coulomb's."""
    faces = rectangle_faces(X, Y, stretch * MU / np.sqrt(2))
    found = soundness.audit(CORNERS, MU, faces, "inner", starts=8)
    assert found["sound"] is False
    slip = np.array(found["forbidden_wrench"])
    assert (faces @ slip <= 1e-7).all()
    # at least what the tangential force alone is too much: (s − 1) μ, seen across the cone
    assert found["accepts_forbidden"] > 0.99 * (stretch - 1) * MU * np.cos(np.arctan(MU)) ** 2


@pytest.mark.parametrize("row", range(16))
def test_every_missing_row_is_found(soundness, row):
    faces = np.delete(rectangle_faces(X, Y, MU / np.sqrt(2)), row, axis=0)
    assert soundness.audit(CORNERS, MU, faces, "inner", starts=4)["sound"] is False


def test_a_row_too_many_is_found(soundness):
    faces = np.vstack([rectangle_faces(X, Y, MU), [1, 0, -0.99 * MU, 0, 0, 0]])
    found = soundness.audit(CORNERS, MU, faces, "outer", starts=2)
    assert found["sound"] is False
    wrench = np.array(found["allowed_wrench"])
    assert WrenchCone(sole()).contains(wrench, 1e-6)
    assert (faces @ wrench).max() == pytest.approx(0.01 * MU, rel=1e-6)


def test_members_instead_of_rows(soundness):
    """A cone known by its membership alone: a sound one passes, a wrong one is found.

    The others as rows, below.
    """
    for sides, claim, friction, sound in (
        (8, "inner", MU, True),
        (8, "outer", 0.8 * MU, False),
    ):
        wider = SurfaceContact("sole", half_length=X, half_width=Y, friction=friction)
        faces = WrenchCone(wider, claim, sides).faces

        def accepts(w, faces=faces):
            return bool((faces @ w <= 1e-9).all())

        found = soundness.audit(CORNERS, MU, accepts, claim, starts=2)
        assert found["sound"] is sound


def test_published_rows(soundness):
    """Four sides: one cone in three libraries; more sides, and it is no longer inner."""
    published = soundness.published
    caron = published.caron_2015(X, Y, MU / np.sqrt(2))
    four = published.crocoddyl(X, Y, MU, 4, inner=True)
    ours = rectangle_faces(X, Y, MU / np.sqrt(2))
    for rows in (caron, four):
        assert all(np.abs(rows - row).max(axis=1).min() < 1e-12 for row in ours)
    verdicts = {
        name: soundness.audit(CORNERS, MU, rows, "inner", starts=8)["sound"]
        for name, rows in {
            "caron": caron,
            "crocoddyl 4": four,
            "crocoddyl 8": published.crocoddyl(X, Y, MU, 8, inner=True),
            "blf": published.bipedal_locomotion_framework(X, Y, MU, 2),
            "placo": published.placo(X, Y, MU),
        }.items()
    }
    assert verdicts == {
        "caron": True,
        "crocoddyl 4": True,
        "crocoddyl 8": False,
        "blf": False,
        "placo": False,
    }


def test_no_limit_is_said(soundness):
    found = soundness.audit(CORNERS, MU, soundness.published.placo(X, Y, MU), "inner", starts=2)
    assert found["accepts_forbidden"] > 0.5 * soundness.FAR


def test_same_seed_same_answer(soundness):
    faces = soundness.published.crocoddyl(X, Y, MU, 6, inner=True)
    one, other = (soundness.audit(CORNERS, MU, faces, "inner", seed=3, starts=3) for _ in "ab")
    assert one == other


def test_the_command_reads_rows(soundness, tmp_path, capsys):
    path = tmp_path / "rows.csv"
    np.savetxt(path, rectangle_faces(X, Y, MU), delimiter=",")
    soundness.main(["--faces", str(path), "--claim", "outer", "--starts", "2"])
    assert "sound" in capsys.readouterr().out
    soundness.main(["--faces", str(path), "--starts", "2", "--json"])
    assert json.loads(capsys.readouterr().out)[0]["sound"] is False
    np.savetxt(path, np.eye(5), delimiter=",")
    with pytest.raises(SystemExit, match="6 finite numbers"):
        soundness.main(["--faces", str(path)])
