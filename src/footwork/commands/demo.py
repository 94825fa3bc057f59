"""`footwork demo`: the main job, two robots, verdicts and pages."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from . import flags


def add(commands: Any) -> None:
    """Say the flags of `footwork demo`."""
    words = "the main job: two robots, verdicts and pages"
    parser = flags.command(commands, "demo", run, words)
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder to write to (out)")
    parser.add_argument("--no-png", action="store_true", help="pages only, no pictures")


def run(options: argparse.Namespace) -> int:
    """A humanoid on two feet; a quadruped with a foot on a slope; a push that topples."""
    from .. import demo

    return flags.OK if demo.run(options.out, picture=not options.no_png) else flags.NO
