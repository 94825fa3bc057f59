"""`footwork diff`: what differs between two descriptions of one robot, and what it does."""

from __future__ import annotations

import argparse
from typing import Any

from . import flags
from .output import answer, paint


def add(commands: Any) -> None:
    """Declare the flags of `footwork diff`."""
    words = "what differs between two descriptions of one robot, and what it does to M(q) and τ_g"
    parser = flags.command(commands, "diff", run, words)
    robot = "a name (see `footwork robots`) or a file"
    parser.add_argument("robot", metavar="ROBOT", help=f"A: {robot}")
    parser.add_argument("other", metavar="OTHER", help=f"B: {robot}")
    flags.shared(parser, "--tolerance", *flags.LOADING, "--json")
    parser.set_defaults(tolerance=1e-4)


def run(options: argparse.Namespace) -> int:
    """Print the differences; exit code 0: none, 1: some."""
    from .. import dynamics

    a, b = (flags.load(options, source) for source in (options.robot, options.other))
    found = dynamics.compare(a, b, options.tolerance)
    names = [f"{side}  {robot.name} ({robot.source})" for side, robot in (("A", a), ("B", b))]
    *table, summary = str(found).splitlines()
    last = paint(options, summary, "green" if found.same else "red")
    answer(options, found.as_dict(), "\n".join([*names, "", *table, last]))
    return flags.OK if found.same else flags.NO
