"""`footwork scenarios`: the scenarios shipped with footwork."""

from __future__ import annotations

import argparse
from typing import Any

from . import flags
from .output import answer


def add(commands: Any) -> None:
    """Declare the flags of `footwork scenarios`."""
    parser = flags.command(commands, "scenarios", run, "list the scenarios shipped with footwork")
    parser.add_argument(
        "scenario",
        metavar="SCENARIO",
        nargs="?",
        help="print the file of this scenario, as a template",
    )
    flags.shared(parser, "--json")


def run(options: argparse.Namespace) -> int:
    """Print names, robots and titles; or a file."""
    import yaml

    from .. import contacts

    if options.scenario:
        text = contacts.Scenario.load(options.scenario).as_text()
        answer(options, yaml.safe_load(text), text.rstrip("\n"))
        return flags.OK
    loaded = [contacts.Scenario.load(name) for name in contacts.scenarios()]
    rows = [{"name": s.name, "robot": s.robot, "title": s.title, "file": s.file} for s in loaded]
    answer(options, rows, "\n".join(f"{s.name:<22} {s.robot:<10} {s.title}" for s in loaded))
    return flags.OK
