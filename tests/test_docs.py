"""Documentation: the code and commands of the README run, its links resolve."""

from __future__ import annotations

import re
import shlex
from importlib import metadata
from pathlib import Path

import pytest

from footwork import cli

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


def needs_robot_data():
    try:
        metadata.distribution("example-robot-data")
    except metadata.PackageNotFoundError:
        pytest.skip("needs example-robot-data")


def test_python_blocks_run(tmp_path, monkeypatch, capsys):
    needs_robot_data()
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})
    out = capsys.readouterr().out
    assert "talos holds" in out
    assert "would have to pull" in out
    assert (tmp_path / "fall.html").exists()


def test_commands_exist(capsys):
    """Every `footwork …` line names a command, and flags that it has."""
    lines = re.findall(r"^\$ footwork (.*?)(?:#.*)?$", README, flags=re.MULTILINE)
    assert len(lines) >= 4
    parser = cli._parser()
    for line in lines:
        parser.parse_args(shlex.split(line))


def test_first_screen():
    """What it is, a picture that exists, two commands, a few lines of Python: in that order."""
    head = README.split("## Install")[0]
    picture = re.search(r"!\[.*\]\((.*)\)", head)
    assert (ROOT / picture[1]).stat().st_size > 50_000
    assert head.index("![") < head.index("make demo") < head.index("make test")
    assert head.index("make test") < head.index("```python")
    assert len(re.findall(r"^\$ ", head, flags=re.MULTILINE)) == 2
    code = re.search(r"```python\n(.*?)```", head, flags=re.DOTALL)[1]
    assert len([line for line in code.splitlines() if line.strip()]) <= 13


def test_links_lead_somewhere():
    for target in re.findall(r"\]\((?!http)(.*?)\)", README):
        assert (ROOT / target).exists(), target


def test_make_targets_exist():
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"^\$ make (\w+)", README, flags=re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE)
