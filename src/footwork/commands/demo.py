"""`footwork demo`: verdicts, pages and pictures for two robots."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from . import flags, output


def add(commands: Any) -> None:
    """Declare the flags of `footwork demo`."""
    words = "a demonstration: verdicts and pages for two robots (in out/ without --out)"
    parser = flags.command(commands, "demo", run, words)
    flags.shared(parser, "--out")
    parser.add_argument("--no-png", action="store_true", help="pages only, no pictures")


def run(options: argparse.Namespace) -> int:
    """A humanoid on two feet; a quadruped with a foot on a slope; a push that topples."""
    from . import demonstration

    out = options.out or Path("out")
    expected = demonstration.run(out, not options.no_png, lambda text: output.say(options, text))
    return flags.OK if expected else flags.NO
