"""`footwork bench`: which benchmarks there are, what they measure, and where it is written."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from types import SimpleNamespace

import pytest

from footwork import cli
from footwork.commands import bench


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(bench, "FOLDER", tmp_path)
    monkeypatch.setattr(bench, "PAGES", tmp_path)
    (tmp_path / "quick.py").write_text(
        '"""Nothing against nothing."""\n'
        "import pathlib, sys  # measuring.flags()\n"
        'if __name__ == "__main__":\n    print("as fast")\n'
        '    pathlib.Path(sys.argv[sys.argv.index("--json") + 1]).write_text("[1, 2]")\n'
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
    assert capfd.readouterr().out == "--- quick (1 of 1): Nothing against nothing.\nas fast\n"
    assert cli.main(["bench"]) == 1  # one of them failed


def test_json_and_pages(folder, capfd):
    page = folder / "performance-x.md"
    marks = "# x\n<!-- measured: {} -->\nold\n<!-- end of measured -->\n"
    page.write_text(marks.format("quick") + marks.format("wrong"))
    assert cli.main(["bench", "--json", "--write"]) == 1
    told = json.loads(capfd.readouterr().out)
    assert told["quick"]["text"] == "as fast\n"
    assert told["quick"]["data"] == [1, 2]
    assert told["wrong"]["code"] == 3
    new = marks.replace("old", "```text\nas fast\n```").format("quick")
    assert page.read_text() == new + marks.format("wrong")  # what failed is left as it was


def test_stops_when_the_time_is_over(folder, capfd):
    (folder / "slow.py").write_text(
        '"""Sleeps."""\nimport time\nif __name__ == "__main__":\n'
        '    print("begun", flush=True)\n    time.sleep(100)\n'
    )
    assert cli.main(["bench", "slow", "quick", "--minutes", "0.03"]) == 1
    told = capfd.readouterr()
    assert "begun" in told.out
    assert "as fast" not in told.out
    assert "slow: stopped, 0.03 minutes are over" in told.err
    assert "quick: left out" in told.err


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


@pytest.fixture
def benchmarks(monkeypatch):
    """The modules of benchmarks/, which are no package."""
    environment = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    for name in (*environment, "NUMEXPR_NUM_THREADS", "XLA_FLAGS"):
        monkeypatch.setenv(name, "1")  # measuring sets them; they go back to what they were
    monkeypatch.syspath_prepend(str(bench.FOLDER))
    before = set(sys.modules)
    import measuring
    import side_by_side
    from peers import environments

    yield SimpleNamespace(measuring=measuring, side_by_side=side_by_side, environments=environments)
    for name in set(sys.modules) - before:
        if name.split(".")[0] in ("measuring", "side_by_side", "urdf_export", "peers"):
            del sys.modules[name]


def test_turns_are_taken(benchmarks):
    asked = []
    clocks = {name: lambda name=name: asked.append(name) or float(len(asked)) for name in "ab"}
    times = benchmarks.measuring.take_turns(clocks, rounds=4)
    assert "".join(asked) == "abababab"
    assert times == {"a": [1, 3, 5, 7], "b": [2, 4, 6, 8]}
    late = benchmarks.measuring.take_turns(clocks, rounds=100, seconds=0.0)
    assert len(late["a"]) == 3  # the least from which quartiles can be told


def test_medians_and_tables(benchmarks):
    measuring = benchmarks.measuring
    assert measuring.quartiles([5, 1, 3, 2, 4]) == (2, 3, 4)
    assert measuring.with_spread([0.5, 0.25, 1234.5, 2, 1]) == "1 (0.5-2)"
    assert measuring.number(1234.5) == "1,230"
    assert measuring.table("ab", [["1", "2"]]) == "| a | b |\n| --- | --- |\n| 1 | 2 |"


@pytest.mark.slow
def test_engines_agree_before_they_are_timed(benchmarks):
    contenders = {
        "loop": ("pinocchio", None),
        "other": ("mujoco", "mujoco"),
        "nowhere": ("drake", "drake"),
    }
    found = benchmarks.side_by_side.Comparison("quadruped", contenders, count=20)
    found.run(rounds=3, seconds=60.0)
    assert set(found.times) == {
        (name, work) for name in ("loop", "other") for work in benchmarks.side_by_side.WORKS
    }
    assert all(len(times) == 3 and min(times) > 0 for times in found.times.values())
    assert not found.apart
    assert "--peers" in found.absent["nowhere"]
    lines = found.table().splitlines()
    assert len(lines) == 4
    assert lines[3].count("×") == 4


@pytest.mark.slow
def test_wrong_answers_are_not_timed(benchmarks, monkeypatch):
    side_by_side = benchmarks.side_by_side
    right = side_by_side.conventions.bias_to
    monkeypatch.setattr(side_by_side.conventions, "bias_to", lambda *a, **k: 1.001 * right(*a, **k))
    contenders = {"loop": ("pinocchio", None), "other": ("mujoco", "mujoco")}
    found = side_by_side.Comparison("quadruped", contenders, count=20)
    found.run(rounds=3, seconds=60.0)
    assert list(found.apart) == [("other", "bias")]
    assert ("other", "bias") not in found.times
    assert "differs by 1e-03" in found.table()


def test_a_library_that_cannot_be_installed(benchmarks, tmp_path, monkeypatch):
    environments = benchmarks.environments
    failed = subprocess.CompletedProcess([], 1, "", "ERROR: first\nERROR: No matching distribution")
    monkeypatch.setattr(environments.venv, "create", lambda place, **how: place.mkdir())
    monkeypatch.setattr(environments.subprocess, "run", lambda *a, **k: failed)
    with pytest.raises(environments.MissingPeerError, match="installed: No matching distribution"):
        environments.python_of("drake", tmp_path)
