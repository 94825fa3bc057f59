"""The doctor finds what is broken, and says what to type."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from footwork import cli, doctor


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_this_environment_is_fine(capsys):
    assert cli.main(["doctor", "--json"]) == 0
    found = {e["name"]: e for e in json.loads(capsys.readouterr().out)}
    assert found["pin"]["found"] == metadata.version("pin")
    assert {e["state"] for e in found.values()} <= {doctor.FINE, doctor.OPTIONAL}
    assert all(e["advice"] for e in found.values() if e["state"] != doctor.FINE)


def test_damaged_code_of_kernels_is_a_finding(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert doctor._compiled_kernels().state == doctor.FINE
    (tmp_path / "footwork").mkdir()
    (tmp_path / "footwork" / "a.kernel").write_bytes(b"cut sh")
    found = doctor._compiled_kernels()
    assert found.state == doctor.BROKEN
    assert "1 of 1 files damaged" in found.found
    assert found.advice == f"rm {tmp_path}/footwork/a.kernel"


@pytest.fixture
def little(monkeypatch):
    """Of the rest nothing is started: that is what `test_this_environment_is_fine` is for."""
    monkeypatch.setattr(doctor, "EXTRAS", {})
    monkeypatch.setattr(doctor, "PICTURE", "print('browser')")
    monkeypatch.setattr(doctor, "KERNELS", "print(0)")


@pytest.mark.usefixtures("little")
def test_a_library_that_crashes_is_a_finding(monkeypatch, capsys):
    crash = "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"
    monkeypatch.setattr(doctor, "PROGRAMS", {"numpy": crash, "scipy": "import scipy.nothing"})
    assert cli.main(["doctor"]) == 1
    out = capsys.readouterr().out
    assert "crashed with signal 11" in out
    assert "No module named 'scipy.nothing'" in out
    assert f"--force-reinstall --no-cache-dir 'numpy=={metadata.version('numpy')}'" in out


@pytest.mark.usefixtures("little")
def test_what_is_not_installed_is_named(monkeypatch):
    monkeypatch.setattr(doctor, "PROGRAMS", {"no-such-package": ""})
    monkeypatch.setattr(doctor, "EXTRAS", {"no-such-extra": ("fast", "speed", "")})
    found = {e.name: e for e in doctor.examine()}
    assert found["no-such-package"].state == doctor.BROKEN
    assert found["no-such-extra"].advice.startswith(doctor._pip())
    assert re.search(r"(footwork|-e/.*)\[fast\]'$", found["no-such-extra"].advice)
    assert found["no-such-extra"].state == doctor.OPTIONAL


def test_a_library_that_left_its_folder(tmp_path, monkeypatch):
    """The release of a cmeel package that took the files of another with it."""
    info = tmp_path / "cmeel_tinyxml9-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: cmeel-tinyxml9\nVersion: 1.0\n")
    (info / "RECORD").write_text("cmeel.prefix/lib/libtinyxml9.so.1,,\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    found = doctor._cmeel_files()
    assert found.state == doctor.BROKEN
    assert "cmeel-tinyxml9" in found.advice
    library = tmp_path / "cmeel.prefix" / "lib" / "libtinyxml9.so.1"
    library.parent.mkdir(parents=True)
    library.touch()
    assert doctor._cmeel_files().state == doctor.FINE


@pytest.mark.parametrize(
    ("trouble", "advice"),
    [
        (
            "ImportError: libgomp.so.1: cannot open shared object file: No such file or directory",
            "install libgomp1",
        ),
        ("No module named 'pinocchio'", "--force-reinstall --no-cache-dir 'pin==4.1.0'"),
        (doctor.NO_ANSWER, "again"),
    ],
)
def test_what_to_type_depends_on_the_trouble(trouble, advice):
    """A library of the system is no business of pip's."""
    assert advice in doctor._remedy(trouble, "pin==4.1.0")


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_broken_pinocchio_is_a_finding_and_not_an_accident(tmp_path):
    """As with a library of the system that is missing: everything else is examined all the same."""
    (tmp_path / "pinocchio.py").write_text("raise ImportError('libgomp.so.1: cannot open')")
    path = os.pathsep.join([str(tmp_path), str(Path(doctor.__file__).parents[1])])
    code = (  # of the rest little is tried, as elsewhere
        "from footwork import cli, doctor; doctor.EXTRAS, doctor.KERNELS = {}, 'print(0)';"
        "doctor.PROGRAMS = {name: doctor.PROGRAMS[name] for name in ('numpy', 'pin')};"
        "raise SystemExit(cli.main(['doctor', '--json']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    found = {e["name"]: e for e in json.loads(done.stdout)}
    assert found["pin"]["state"] == doctor.BROKEN
    assert "libgomp" in found["pin"]["found"]
    assert found["numpy"]["state"] == doctor.FINE
    assert "not checked" in found["browser"]["found"]


def test_an_old_release_is_a_finding(monkeypatch):
    """Such as the Pinocchio that another library pins."""
    monkeypatch.setattr(doctor, "_version", lambda name: "3.8.0")
    found = doctor._tried("pin", doctor._wanted("pin"), "")
    assert found.state == doctor.BROKEN
    assert found.found == "3.8.0, expected >=4"
    assert found.advice.endswith("install 'pin>=4'")
    assert doctor._new_enough("4.1.0rc1", "pin>=4")
    assert doctor._new_enough("10.0", "pin>=4")


def test_without_a_browser(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("FOOTWORK_BROWSER", raising=False)
    found = doctor._browser()
    assert found.state == doctor.OPTIONAL
    assert "install Chromium or Chrome" in found.advice
    broken = tmp_path / "chromium"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    assert doctor._browser().state == doctor.BROKEN


def test_every_dependency_is_examined():
    """What pyproject.toml asks for, and every extra."""
    asked = metadata.requires("footwork")
    base = {re.match(r"[\w.-]+", line)[0].lower() for line in asked if "extra ==" not in line}
    assert base <= doctor.PROGRAMS.keys()
    extras = set(re.findall(r"extra == .(\w+)", " ".join(asked))) - {"all", "docs", "test"}
    assert {extra for extra, *_ in doctor.EXTRAS.values()} == extras
