"""`footwork check`: errors and warnings about a robot description."""

from __future__ import annotations

import argparse
from typing import Any

from . import flags
from .output import answer, paint, typed


def add(commands: Any) -> None:
    """Declare the flags of `footwork check`."""
    words = "check a robot description for errors and doubtful values"
    parser = flags.command(commands, "check", run, words)
    parser.add_argument("robot", metavar="ROBOT", help="a name, a file, or - for standard input")
    parser.add_argument("--strict", action="store_true", help="treat warnings as errors")
    flags.shared(parser, "--base", "--package-dir", "--xacro-arg", "--json")


def run(options: argparse.Namespace) -> int:
    """Print the findings; the exit code tells whether the description passes."""
    from ..robots import diagnosis
    from ..robots.findings import Finding

    findings, kept = diagnosis.report(
        options.robot,
        base=options.base,
        package_dirs=options.package_dir,
        xacro=flags.xacro(options),
    )
    passes = diagnosis.passes(findings, options.strict)
    summary, *listed = diagnosis.verdict(findings).splitlines()
    rows = [f"{kind} of the file: {words}" for kind, words in diagnosis.rows(kept).items()]
    lines = [paint(options, summary, "green" if passes else "red"), *listed, *rows]
    counts = tuple(Finding("info", "rows", row) for row in rows)
    answer(
        options, [finding.as_dict() for finding in (*findings, *counts)], typed("\n".join(lines))
    )
    return flags.OK if passes else flags.NO
