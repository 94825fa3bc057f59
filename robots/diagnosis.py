"""diagnose(): everything that can be said against a description, without loading it for good."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..errors import ModelError
from . import meshes as mesh_files
from .findings import LEVELS, Finding, listed, of_level
from .formats import read
from .hardened_xml import parse
from .options import Options
from .sources import Description, describe
from .urdf_checks import Refused


def diagnose(
    source: str | os.PathLike[str], *, package_dirs: Iterable[str | Path] = ()
) -> tuple[Finding, ...]:
    """Return what is wrong, doubtful or worth knowing about a description, the worst first.

    Errors are what `load` refuses; warnings what it warns of, and refuses with `strict=True`;
    infos what a user of the robot should know. A description that cannot be read at all has the
    reason as its only finding.

    Raises:
        ModelError: there is no such file or robot.
    """
    description = describe(source, package_dirs)
    findings = _findings(description)
    return tuple(sorted(findings, key=lambda f: (LEVELS.index(f.level), f.line)))


def _findings(description: Description) -> list[Finding]:
    try:
        tree = parse(description.data, description.origin)
        findings = mesh_files.examine(tree, description.folders) if tree.tag == "robot" else []
        return [*findings, *read(description, Options(meshes=tree.tag != "robot")).findings]
    except Refused as error:
        return [*findings, *error.findings]
    except ModelError as error:
        return [Finding("error", "unreadable", str(error))]


def verdict(findings: Iterable[Finding]) -> str:
    """Return findings as text, by level, with a first line that sums them up."""
    findings = tuple(findings)
    counts = [(level, of_level(findings, level)) for level in LEVELS]
    if not findings:
        return "nothing found: a robot that can be loaded"
    summary = ", ".join(f"{len(some)} {level}{'s' * (len(some) != 1)}" for level, some in counts)
    parts = [f"{level}s:\n{listed(some, limit=200)}" for level, some in counts if some]
    return "\n".join([summary, *parts])


def passes(findings: Iterable[Finding], strict: bool = False) -> bool:
    """Whether `load` would take it: no errors, and no warnings either if `strict`."""
    findings = tuple(findings)
    return not of_level(findings, "error") and not (strict and of_level(findings, "warning"))


def as_json(findings: Iterable[Finding]) -> list[dict[str, Any]]:
    """Return findings as what `json.dumps` takes."""
    return [finding.as_dict() for finding in findings]
