"""Every example runs, says what its first line promises, and stays short."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs import module_of

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(path, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    module_of(path).main()
    out = capsys.readouterr().out
    assert len(out.splitlines()) >= 3
    assert "nan" not in out


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_is_short_and_introduces_itself(path):
    text = path.read_text()
    assert len(text.splitlines()) <= 60
    assert text.startswith('"""')


def test_equations_agree(capsys):
    """Every printed difference of the equations of motion is rounding (or that of differences)."""
    path = next(p for p in EXAMPLES if p.stem == "equations_of_motion")
    module_of(path).main("quadruped", seed=3)
    rows = [line for line in capsys.readouterr().out.splitlines() if line.rstrip()[-4:-2] == "e-"]
    assert len(rows) >= 10
    for row in rows[:-1]:
        assert float(row.split()[-1]) < (1e-7 if "differences" in row else 1e-10), row


def test_standing_example_proves_its_fall(tmp_path, monkeypatch, capsys):
    path = next(p for p in EXAMPLES if p.stem == "standing")
    monkeypatch.chdir(tmp_path)
    module_of(path).main("quadruped")
    out = capsys.readouterr().out
    assert "quadruped holds" in out
    assert "does not hold" in out
    watts = float(out.split("loads put ")[1].split(" W")[0])
    assert watts > 0
    assert (tmp_path / "quadruped-standing.html").exists()
