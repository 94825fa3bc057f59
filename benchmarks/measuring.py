"""Common parts of the benchmarks: flags, single threading, CPU time, interleaved rounds, machine.

Import it before NumPy: it pins the numeric libraries to one thread.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMEXPR_NUM_THREADS": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
}
os.environ.update(ONE_THREAD)
# what is measured is compiled code: nothing takes the uncompiled way for a start
os.environ.setdefault("FOOTWORK_COMPILE", "now")


def flags(description: str) -> argparse.ArgumentParser:
    """The flags that `footwork bench` passes to every benchmark."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few rounds, small sizes")
    parser.add_argument(
        "--peers", type=Path, metavar="DIR", help="environments of other libraries, made if missing"
    )
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="where to keep the numbers that were measured"
    )
    parser.add_argument("--pictures", type=Path, metavar="DIR", help="where to draw the charts")
    return parser


def keep(options: argparse.Namespace, numbers: Any) -> None:
    """Write the numbers behind the tables, with the machine that they come from."""
    if options.json:
        kept = {"machine": machine(), "numbers": numbers}
        options.json.write_text(json.dumps(kept, indent=1), encoding="utf-8")


def show(
    options: argparse.Namespace, head: Iterable[str], rows: Iterable[Iterable[str]], numbers: Any
) -> None:
    """Print a table and the machine, and keep the numbers behind it."""
    print(table(head, rows))
    print(f"\n{machine()}; {load()}.")
    keep(options, numbers)


def cpu(work: Callable[[], object], calls: int = 1) -> float:
    """CPU seconds a call, all threads of this process together."""
    start = time.process_time()
    for _ in range(calls):
        work()
    return (time.process_time() - start) / calls


def take_turns(
    clocks: Mapping[str, Callable[[], float]], rounds: int, seconds: float = float("inf")
) -> dict[str, list[float]]:
    """Ask every clock once a round: {name: its answers}.

    What else the machine does then meets all of them alike. At least three rounds; no further one
    is begun after so many seconds of wall time.
    """
    answers: dict[str, list[float]] = {name: [] for name in clocks}
    began = time.monotonic()
    for turn in range(rounds):
        if turn >= 3 and time.monotonic() - began > seconds:
            break
        for name, clock in clocks.items():
            answers[name].append(clock())
    return answers


def quartiles(values: Iterable[float]) -> tuple[float, float, float]:
    """Lower quartile, median, upper quartile."""
    low, middle, high = statistics.quantiles(list(values), n=4, method="inclusive")
    return low, middle, high


def with_spread(values: Iterable[float], digits: str = ".3g") -> str:
    """The median and, in brackets, the quartiles."""
    low, middle, high = (number(x, digits) for x in quartiles(values))
    return f"{middle} ({low}-{high})"


def number(x: float, digits: str = ".3g") -> str:
    """Three digits, without an exponent."""
    return f"{float(f'{x:{digits}}'):,.10g}"


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table in Markdown."""
    head = list(head)
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def compare(
    title: str, works: Mapping[str, tuple[Callable[[], object], int, int]], rounds: int, unit: str
) -> dict[str, list[float]]:
    """Print a table of {name: (work, calls a round, items a call)} and their ratios to one of them.

    They take turns, after a call each; returned is {name: µs of CPU an item, round by round}.
    """
    for work, _, _ in works.values():
        work()
    clocks = {
        name: lambda work=work, calls=calls, items=items: 1e6 * cpu(work, calls) / items
        for name, (work, calls, items) in works.items()
    }
    times = take_turns(clocks, rounds)
    middle = {name: statistics.median(found) for name, found in times.items()}
    rows = [
        [name, with_spread(found), number(middle[name] / middle[unit])]
        for name, found in times.items()
    ]
    print(f"{table([title, 'µs', 'ratio'], rows)}\n")
    return times


def machine() -> str:
    """Processor and versions, in words."""
    cpus = Path("/proc/cpuinfo")
    lines = cpus.read_text().splitlines() if cpus.exists() else []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    said = next((line for line in lines if line.startswith("flags")), "").split()
    width = next((w for w in ("avx512f", "avx2", "avx") if w in said), "")
    kind = names[0] if names else platform.processor() or platform.machine()
    cores = ", ".join(filter(None, [f"{os.cpu_count()} cores", width]))
    return f"{kind} ({cores}), {platform.system()}, Python {platform.python_version()}"


def versions(*packages: str) -> str:
    """The versions of installed packages, in words."""
    found = []
    for package in packages:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            found.append(f"no {package}")
    return ", ".join(found)


def load() -> str:
    """How busy the machine is, for who reads wall times."""
    return f"{os.getloadavg()[0]:.1f} processes were running on {os.cpu_count()} cores"


def say(text: str) -> None:
    """A line on standard error, where progress goes."""
    print(text, file=sys.stderr, flush=True)
