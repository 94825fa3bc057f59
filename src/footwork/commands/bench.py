"""`footwork bench`: the comparisons with other libraries, measured on this machine."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path
from typing import Any

from ..errors import ConfigurationError, unknown
from . import flags

FOLDER = Path(__file__).parents[3] / "benchmarks"


def add(commands: Any) -> None:
    """Say the flags of `footwork bench`."""
    words = "measure against other libraries, side by side (from a checkout)"
    parser = flags.command(commands, "bench", run, words)
    parser.add_argument("names", nargs="*", metavar="NAME", help="which ones; all without a name")
    parser.add_argument("--list", action="store_true", help="name them, and what each compares")


def run(options: argparse.Namespace) -> int:
    """Run the benchmarks one after the other; the exit code says whether all went through.

    Raises:
        ConfigurationError: there is no such benchmark, or none at all (an installed wheel).
    """
    scripts = {path.stem: path for path in sorted(FOLDER.glob("*.py")) if _is_program(path)}
    if not scripts:
        raise ConfigurationError(
            f"no benchmarks in {FOLDER}: they come with a checkout of footwork"
        )
    for name in options.names:
        if name not in scripts:
            raise ConfigurationError(unknown("benchmark", name, scripts))
    chosen = options.names or list(scripts)
    if options.list:
        width = max(map(len, chosen))
        for name in chosen:
            print(f"{name:{width}}  {_first_line(scripts[name])}")
        return flags.OK
    codes = []
    for name in chosen:
        print(f"--- {name}: {_first_line(scripts[name])}", flush=True)
        codes.append(subprocess.run([sys.executable, str(scripts[name])], check=False).returncode)
    return flags.OK if not any(codes) else flags.NO


def _is_program(path: Path) -> bool:
    return "__main__" in path.read_text(encoding="utf-8")


def _first_line(path: Path) -> str:
    return path.read_text(encoding="utf-8").split('"""')[1].splitlines()[0]
