"""`footwork scenarios`: the scenarios that come by name."""

from __future__ import annotations

import argparse
import json
from typing import Any

from . import flags


def add(commands: Any) -> None:
    """Say the flags of `footwork scenarios`."""
    parser = flags.command(commands, "scenarios", run, "the scenarios that come by name")
    parser.add_argument(
        "scenario", nargs="?", help="print the file of this one: a start for one's own"
    )
    flags.json_flag(parser)


def run(options: argparse.Namespace) -> int:
    """Print names, robots and titles; or a file."""
    from .. import contacts

    if options.scenario:
        print(contacts.Scenario.load(options.scenario).as_text(), end="")
        return flags.OK
    loaded = [contacts.Scenario.load(name) for name in contacts.scenarios()]
    if options.json:
        rows = [
            {"name": s.name, "robot": s.robot, "title": s.title, "file": s.file} for s in loaded
        ]
        print(json.dumps(rows, indent=2))
    else:
        for scenario in loaded:
            print(f"{scenario.name:<22} {scenario.robot:<10} {scenario.title}")
    return flags.OK
