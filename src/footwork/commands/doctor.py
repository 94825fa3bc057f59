"""`footwork doctor`: what is broken in this environment, and what to type."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from . import flags

MARKS = {"fine": "ok ", "broken": "BAD", "missing, optional": " – "}


def add(commands: Any) -> None:
    """Say the flags of `footwork doctor`."""
    words = "what is broken in this environment, and what to type"
    flags.json_flag(flags.command(commands, "doctor", run, words))


def run(options: argparse.Namespace) -> int:
    """Print every examination; the exit code says whether something is broken."""
    from .. import doctor

    found = []
    for examination in doctor.examine(_telling if sys.stderr.isatty() else lambda name: None):
        found.append(examination)
        if not options.json:
            print(_line(examination), flush=True)
    if options.json:
        print(json.dumps([e.as_dict() for e in found], indent=2, ensure_ascii=False))
    return flags.NO if any(e.state == doctor.BROKEN for e in found) else flags.OK


def _telling(name: str) -> None:
    print(f"    {name} …\r", end="", file=sys.stderr, flush=True)


def _line(examination: Any) -> str:
    line = f"{MARKS[examination.state]} {examination.name:<20} {examination.found}"
    return f"{line}\n    {'type:':<20} {examination.advice}" if examination.advice else line
