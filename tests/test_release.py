"""Requirements of a release: one version, types, pins without addresses, the same checks."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import yaml

import footwork

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_one_version():
    assert PROJECT["version"] == footwork.__version__
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert str(citation["version"]) == footwork.__version__
    assert footwork.__version__ in (ROOT / "CHANGELOG.md").read_text()


def test_constraints_pin_every_dependency_without_an_address():
    """`uv pip compile --universal --all-extras --no-header --no-annotate` writes them."""
    text = (ROOT / "constraints.txt").read_text()
    assert "://" not in text
    pinned = {line.split("==")[0].lower() for line in text.splitlines() if "==" in line}
    extras = PROJECT["optional-dependencies"].values()
    asked = [*PROJECT["dependencies"], *(name for extra in extras for name in extra)]
    for requirement in asked:
        name = re.match(r"[A-Za-z0-9_.-]+", requirement)[0].lower()
        assert name in pinned or name == "footwork", name


def test_typed():
    assert (Path(footwork.__file__).parent / "py.typed").exists()


def test_workflow_runs_what_make_knows():
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "tests.yml").read_text())
    matrix = workflow["jobs"]["tests"]["strategy"]["matrix"]
    assert matrix["python"] == ["3.11", "3.12", "3.13"]
    makefile = (ROOT / "Makefile").read_text()
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    targets = [
        t
        for s in steps
        if (found := re.match(r"make (\w+)", s.get("run", "")))
        for t in found.groups()
    ]
    assert {"lint", "test", "docs"} <= set(targets)
    for target in targets:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)


def test_hooks_are_the_linters():
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"][0]["hooks"]
    assert [hook["id"] for hook in hooks] == ["ruff-format", "ruff", "mypy"]
    for hook in hooks:
        assert (ROOT / hook["entry"].split()[0]).name in {"ruff", "mypy"}
