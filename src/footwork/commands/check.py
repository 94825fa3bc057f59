"""`footwork check`: what is wrong or doubtful in a description?"""

from __future__ import annotations

import argparse
import json
from typing import Any

from . import flags


def add(commands: Any) -> None:
    """Say the flags of `footwork check`."""
    words = "what is wrong or doubtful in a description?"
    parser = flags.command(commands, "check", run, words)
    parser.add_argument("robot", metavar="ROBOT", help="a name, a file, or - for standard input")
    parser.add_argument("--strict", action="store_true", help="warnings too make the answer no")
    flags.json_flag(parser, "the findings as JSON")
    parser.add_argument(
        "--package-dir", action="append", default=[], metavar="DIR", help="where package:// leads"
    )


def run(options: argparse.Namespace) -> int:
    """Print the findings; the exit code says whether the description passes."""
    from ..robots import diagnose, diagnosis

    findings = diagnose(options.robot, package_dirs=options.package_dir)
    if options.json:
        print(json.dumps(diagnosis.as_json(findings), indent=2))
    else:
        print(diagnosis.verdict(findings))
    return flags.OK if diagnosis.passes(findings, options.strict) else flags.NO
