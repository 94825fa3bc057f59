"""`footwork robots`: the catalogue of robots that load by name."""

from __future__ import annotations

import argparse
from typing import Any

from . import flags
from .output import answer, write_table


def add(commands: Any) -> None:
    """Declare the flags of `footwork robots`."""
    parser = flags.command(commands, "robots", run, "the robots that load by name")
    flags.shared(parser, "--json", "--csv")


def run(options: argparse.Namespace) -> int:
    """Print the catalogue."""
    from ..robots import available, table

    rows = [table.facts(info) for info in available()]
    answer(options, rows, table.table(rows))
    write_table(options, list(rows[0]), [list(row.values()) for row in rows])
    return flags.OK
