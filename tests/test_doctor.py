"""The doctor finds what is broken, and says what to type."""

from __future__ import annotations

import json
import sys
from importlib import metadata

from footwork import cli, doctor


def test_this_environment_is_fine(capsys):
    assert cli.main(["doctor", "--json"]) == 0
    found = {e["name"]: e for e in json.loads(capsys.readouterr().out)}
    assert found["pin"]["found"] == metadata.version("pin")
    assert {e["state"] for e in found.values()} <= {doctor.FINE, doctor.OPTIONAL}
    assert all(e["advice"] for e in found.values() if e["state"] != doctor.FINE)


def test_a_library_that_crashes_is_a_finding(monkeypatch, capsys):
    crash = "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"
    monkeypatch.setattr(doctor, "PROGRAMS", {"numpy": crash, "scipy": "import scipy.nothing"})
    assert cli.main(["doctor"]) == 1
    out = capsys.readouterr().out
    assert "crashed with signal 11" in out
    assert "No module named 'scipy.nothing'" in out
    assert f"--force-reinstall --no-cache-dir 'numpy=={metadata.version('numpy')}'" in out


def test_what_is_not_installed_is_named(monkeypatch):
    monkeypatch.setattr(doctor, "PROGRAMS", {"no-such-package": ""})
    monkeypatch.setattr(doctor, "EXTRAS", {"no-such-extra": ("fast", "speed")})
    found = {e.name: e for e in doctor.examine()}
    assert found["no-such-package"].state == doctor.BROKEN
    assert found["no-such-extra"].advice == "pip install 'footwork[fast]'"
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
