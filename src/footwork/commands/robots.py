"""`footwork robots`: the robots that load by name."""

from __future__ import annotations

import argparse
import json
from typing import Any

from . import flags


def add(commands: Any) -> None:
    """Say the flags of `footwork robots`."""
    flags.json_flag(flags.command(commands, "robots", run, "the robots that load by name"))


def run(options: argparse.Namespace) -> int:
    """Print the catalogue."""
    from ..robots import available, table

    if options.json:
        print(json.dumps([table.facts(info) for info in available()], indent=2))
    else:
        print(table.table())
    return flags.OK
