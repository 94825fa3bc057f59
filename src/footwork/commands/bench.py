"""`footwork bench`: performance comparisons with other libraries on this machine.

A benchmark is a program in `benchmarks/` that prints its tables. Those that call `measuring.flags`
understand `--quick`, `--peers DIR`, `--pictures DIR` and `--json FILE`.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..errors import ConfigurationError, unknown
from ..files import write
from . import flags

FOLDER = Path(__file__).parents[3] / "benchmarks"
PAGES = FOLDER.parent / "docs"
MINUTES = {"quick": 5.0, "full": 20.0}  # time limit of all benchmarks together


@dataclass
class Outcome:
    """Output and measurements of one benchmark."""

    text: str
    code: int | None  # None: time limit exceeded
    seconds: float
    data: Any = None  # measured numbers, where the benchmark records them


def add(commands: Any) -> None:
    """Declare the flags of `footwork bench`."""
    words = "measure against other libraries, side by side (from a checkout)"
    parser = flags.command(commands, "bench", run, words)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="names of benchmarks (default: all)"
    )
    parser.add_argument(
        "--list", action="store_true", help="list the benchmarks and what each compares"
    )
    parser.add_argument("--quick", action="store_true", help="fewer repetitions, smaller sizes")
    parser.add_argument(
        "--minutes",
        type=flags.positive,
        metavar="M",
        help="the most that all may take (20; 5 with --quick); the rest is said to be left out",
    )
    parser.add_argument(
        "--peers",
        type=Path,
        metavar="DIR",
        help="compare with other libraries in environments there, made with pip if missing",
    )
    parser.add_argument(
        "--write", action="store_true", help="update the tables and charts of the documentation"
    )
    flags.shared(parser, "--json")


def run(options: argparse.Namespace) -> int:
    """Run the benchmarks one after the other; the exit code tells whether all succeeded.

    Raises:
        ConfigurationError: there is no such benchmark, or none at all (an installed wheel).
    """
    scripts = {path.stem: path for path in sorted(FOLDER.glob("*.py")) if "__main__" in _text(path)}
    if not scripts:
        raise ConfigurationError(
            f"no benchmarks in {FOLDER}: they come with a checkout of footwork"
        )
    for name in options.names:
        if name not in scripts:
            raise ConfigurationError(unknown("benchmark", name, scripts))
    chosen = {name: scripts[name] for name in options.names or scripts}
    if options.list:
        width = max(map(len, chosen))
        for name, script in chosen.items():
            print(f"{name:{width}}  {_first_line(script)}")
        return flags.OK
    outcomes = _run_all(chosen, options)
    if options.json:
        print(json.dumps({name: asdict(outcome) for name, outcome in outcomes.items()}, indent=1))
    if options.write:
        for page in sorted(PAGES.glob("performance-*.md")):
            _renew(page, outcomes)
    return flags.OK if all(outcome.code == 0 for outcome in outcomes.values()) else flags.NO


def _run_all(chosen: dict[str, Path], options: argparse.Namespace) -> dict[str, Outcome]:
    if options.peers:
        make = [sys.executable, "-m", "peers.make", str(options.peers.absolute())]
        subprocess.run(make, cwd=FOLDER, check=False)
    minutes = options.minutes or MINUTES["quick" if options.quick else "full"]
    end, outcomes = time.monotonic() + 60 * minutes, {}
    for i, (name, script) in enumerate(chosen.items(), 1):
        head = f"--- {name} ({i} of {len(chosen)}): {_first_line(script)}"
        print(head, file=sys.stderr if options.json else sys.stdout, flush=True)
        outcomes[name] = _one(script, options, end - time.monotonic())
        if not options.json:
            print(outcomes[name].text, end="", flush=True)
        if outcomes[name].code is None:
            words = "stopped" if outcomes[name].seconds else "left out"
            print(f"{name}: {words}, {minutes:g} minutes are over (--minutes)", file=sys.stderr)
    return outcomes


def _one(script: Path, options: argparse.Namespace, seconds: float) -> Outcome:
    """Run a benchmark and return its tables; progress goes to standard error."""
    if seconds <= 0:
        return Outcome("", None, 0.0)
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder) / "numbers.json"
        call = [sys.executable, str(script)]
        call += _flags(options, kept) if "measuring.flags(" in _text(script) else []
        began, own = time.monotonic(), {**os.environ, "FOOTWORK_COMPILE": "now"}
        try:
            done = subprocess.run(
                call, stdout=subprocess.PIPE, text=True, check=False, timeout=seconds, env=own
            )
            text, code = done.stdout, done.returncode
        except subprocess.TimeoutExpired as late:
            text, code = os.fsdecode(late.stdout or b""), None
        data = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else None
        return Outcome(text, code, time.monotonic() - began, data)


def _flags(options: argparse.Namespace, kept: Path) -> list[str]:
    call = ["--json", str(kept)]
    call += ["--quick"] if options.quick else []
    call += ["--peers", str(options.peers.absolute())] if options.peers else []
    return call + (["--pictures", str(PAGES / "pictures")] if options.write else [])


def _renew(page: Path, outcomes: dict[str, Outcome]) -> None:
    """Replace the tables of a page between `<!-- measured: NAME -->` and its end mark."""
    text = page.read_text(encoding="utf-8")
    for name, outcome in outcomes.items():
        begin, end = f"<!-- measured: {name} -->\n", "<!-- end of measured -->"
        if outcome.code == 0 and begin in text:
            before, rest = text.split(begin)
            text = before + begin + _as_markdown(outcome.text) + end + rest.split(end, 1)[1]
            print(f"wrote {name} to {page}", file=sys.stderr)
    write(page, text)


def _as_markdown(text: str) -> str:
    """Return tables of Markdown unchanged, plain text as a code block."""
    return text if re.search(r"^\| ?---", text, re.MULTILINE) else f"```text\n{text.strip()}\n```\n"


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _first_line(path: Path) -> str:
    return _text(path).split('"""')[1].splitlines()[0]
