"""benchmarks/instructions.py: what it reads out of callgrind's files, and what it calls growth."""

from __future__ import annotations

import platform
import sys
from pathlib import Path

import pytest
from programs import module_of

PROGRAM = Path(__file__).parents[1] / "benchmarks" / "instructions.py"


@pytest.fixture
def instructions():
    return module_of(PROGRAM)


def test_growth_is_told(instructions):
    now = {"a": 103.0, "b": 101.0, "c": 50.0, "new": 7.0}
    text, grew = instructions.table(now, {"a": 100, "b": 100, "c": 100})
    assert grew == ["a"]
    assert "| a | 103 | 100 | +3.0% |" in text
    assert "| new | 7 | - | new |" in text


def test_a_file_of_callgrind(instructions, tmp_path):
    file = tmp_path / "counts.1"
    file.write_text("version: 1\nevents: Ir\n\nfn=(1)\n12 34\n\ntotals: 4321\n")
    assert instructions.total(file) == 4321


@pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64", reason="requests are for x86_64"
)
def test_outside_valgrind_a_request_does_nothing(instructions):
    request = instructions.requests()
    assert [request(number) for number in (instructions.START, instructions.DUMP)] == [0, 0]


def test_without_valgrind_nothing_is_counted(instructions, monkeypatch, capsys):
    monkeypatch.setattr(instructions.shutil, "which", lambda name: None)
    monkeypatch.setattr(sys, "argv", ["instructions.py"])
    instructions.main()
    assert "nothing counted" in capsys.readouterr().out


def test_the_stored_counts_are_of_works_there_are(instructions):
    stored = instructions.json.loads(instructions.STORED.read_text())
    source = PROGRAM.read_text()
    assert set(stored) == {"versions", "counts"}
    for work in stored["counts"]:
        assert f'"{work.split(": ")[1]}"' in source or f'"{work}"' in source
