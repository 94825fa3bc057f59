"""Diagnosis of robot descriptions: `diagnose` lists their errors, warnings and remarks."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from ..errors import ModelError, counted
from .closing import unclosed
from .files import meshes as mesh_files
from .findings import LEVELS, Finding, listed, of_level
from .formats import read, tree_of
from .options import Base, Options
from .refusal import Refused
from .robot import Robot
from .sources import Description, describe
from .torque_need import without_need
from .xacro.expansion import Xacro


def diagnose(
    source: str | os.PathLike[str],
    *,
    base: Base | None = None,
    package_dirs: Iterable[str | Path] = (),
    xacro: bool | Xacro | None = None,
) -> tuple[Finding, ...]:
    """Return the findings about a description, the most severe first.

    Errors make `load` refuse the description; warnings do so with `strict=True`; infos are
    remarks for users of the robot. A description that cannot be read has the reason as its only
    finding. `base`, `package_dirs` and `xacro` are those of `load`.

    Raises:
        ModelError: there is no such file or robot.
    """
    return report(source, base=base, package_dirs=package_dirs, xacro=xacro)[0]


def report(
    source: str | os.PathLike[str],
    *,
    base: Base | None = None,
    package_dirs: Iterable[str | Path] = (),
    xacro: bool | Xacro | None = None,
) -> tuple[tuple[Finding, ...], Mapping[str, tuple[int, int]]]:
    """Return what `diagnose` does, and the robot's `kept` (empty where it does not load)."""
    description = describe(source, package_dirs)
    options = Options(base, xacro=xacro)
    options.check()
    findings, kept = _findings(description, options)
    return tuple(sorted(findings, key=lambda f: (LEVELS.index(f.level), f.line))), kept


def rows(kept: Mapping[str, tuple[int, int]]) -> dict[str, str]:
    """Return a robot's `kept` in words, for each kind of it."""
    what = {"joints": "are rows of q", "motors": "are rows of S", "closures": "are kept"}
    return {key: f"{some} of {many} {what[key]}" for key, (some, many) in kept.items()}


def _findings(
    description: Description, options: Options
) -> tuple[list[Finding], Mapping[str, tuple[int, int]]]:
    findings: list[Finding] = []
    try:
        tree = tree_of(description, options.xacro)
        if tree.tag == "robot":
            findings = mesh_files.examine(tree, description.folders, whole=True)
            options = replace(options, meshes=False)
        parts = read(description, options)
        for kind in ("visual", "collision"):
            parts.shapes.read(parts.model, kind)
        bare = Robot(parts.name, parts.model, (), closures=parts.closures)
        return [*findings, *parts.findings, *unclosed(bare), *without_need(bare)], parts.kept
    except Refused as error:
        return [*findings, *error.findings], {}
    except ModelError as error:
        return [Finding("error", "unreadable", str(error))], {}


def verdict(findings: Iterable[Finding]) -> str:
    """Return findings as text, by level, below a summary line."""
    findings = tuple(findings)
    counts = [(level, of_level(findings, level)) for level in LEVELS]
    if not findings:
        return "No problems found; the robot loads."
    summary = ", ".join(counted(len(some), level) for level, some in counts)
    parts = [f"{level}s:\n{listed(some, limit=200)}" for level, some in counts if some]
    return "\n".join([summary, *parts])


def passes(findings: Iterable[Finding], strict: bool = False) -> bool:
    """Whether `load` accepts the description: no errors; if `strict`, no warnings either."""
    findings = tuple(findings)
    return not of_level(findings, "error") and not (strict and of_level(findings, "warning"))
