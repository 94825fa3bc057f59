"""`footwork scenarios`: the scenarios that come by name."""

from __future__ import annotations

import argparse
import json
from typing import Any

from . import flags


def add(commands: Any) -> None:
    """Say the flags of `footwork scenarios`."""
    flags.json_flag(flags.command(commands, "scenarios", run, "the scenarios that come by name"))


def run(options: argparse.Namespace) -> int:
    """Print names, robots and titles."""
    from .. import contacts

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
