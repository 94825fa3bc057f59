"""`footwork bench`: which benchmarks there are, and what their failure means."""

from __future__ import annotations

import ast

import pytest

from footwork import cli
from footwork.commands import bench


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(bench, "FOLDER", tmp_path)
    (tmp_path / "quick.py").write_text(
        '"""Nothing against nothing."""\nif __name__ == "__main__":\n    print("as fast")\n'
    )
    (tmp_path / "wrong.py").write_text(
        '"""Answers that differ."""\nif __name__ == "__main__":\n    raise SystemExit(3)\n'
    )
    (tmp_path / "shared.py").write_text('"""What both import."""\n')
    return tmp_path


def test_lists_and_runs(folder, capfd):
    assert cli.main(["bench", "--list"]) == 0
    assert capfd.readouterr().out.splitlines() == [
        "quick  Nothing against nothing.",
        "wrong  Answers that differ.",
    ]
    assert cli.main(["bench", "quick"]) == 0
    assert capfd.readouterr().out == "--- quick: Nothing against nothing.\nas fast\n"
    assert cli.main(["bench"]) == 1  # one of them failed


def test_what_does_not_exist(folder, capfd):
    assert cli.main(["bench", "quik"]) == 2
    assert "no benchmark 'quik'; did you mean 'quick'?" in capfd.readouterr().err
    for script in folder.glob("*.py"):
        script.unlink()
    assert cli.main(["bench"]) == 2
    assert "come with a checkout" in capfd.readouterr().err


def test_every_benchmark_says_what_it_compares():
    scripts = sorted(bench.FOLDER.glob("*.py"))
    assert scripts
    for script in scripts:
        assert bench._first_line(script).endswith("."), script
        ast.parse(script.read_text(encoding="utf-8"))
