"""`footwork doctor`: checks of the installation, with the commands that repair it."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from . import flags, output

MARKS = {"fine": ("ok ", "green"), "broken": ("BAD", "red"), "missing, optional": (" – ", "yellow")}


def add(commands: Any) -> None:
    """Declare the flags of `footwork doctor`."""
    words = "check the installation, and print the commands that repair it"
    flags.shared(flags.command(commands, "doctor", run, words), "--json")


def run(options: argparse.Namespace) -> int:
    """Print the result of every check; the exit code tells whether anything is broken."""
    from .. import doctor

    found = []
    telling = sys.stderr.isatty() and not options.quiet
    for examination in doctor.examine(_telling if telling else lambda name: None):
        found.append(examination)
        if not options.json:
            output.say(options, _line(options, examination))
    if options.json:
        output.answer(options, [vars(e) for e in found], "")
    return flags.NO if any(e.state == doctor.BROKEN for e in found) else flags.OK


def _telling(name: str) -> None:
    print(f"    {name} …\r", end="", file=sys.stderr, flush=True)


def _line(options: argparse.Namespace, examination: Any) -> str:
    mark, colour = MARKS[examination.state]
    line = f"{output.paint(options, mark, colour)} {examination.name:<20} {examination.found}"
    return f"{line}\n    {'type:':<20} {examination.advice}" if examination.advice else line
