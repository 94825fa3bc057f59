"""Cold start: imports and first answers in fresh processes, and what an installation weighs.

Medians of CPU seconds, kernel and user, of processes that begin with nothing in memory. "Cached"
has Python's byte code and the compiled kernels on disk, as after the first use; "nothing cached"
has neither.

"Kernels" are commands with Python's byte code on disk: without a compiled kernel, where nothing is
compiled that is sooner done uncompiled, and with all of them.

    python benchmarks/cold_start.py [--quick] [--json FILE]
"""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from importlib import metadata
from typing import Any

import measuring
from tqdm import tqdm

BATCH = (
    "import numpy as np, footwork as fw; from footwork.dynamics import batch;"
    "r = fw.load({robot!r}); batch.bias(r, r.neutral()[None], np.zeros((1, r.nv)))"
)
STARTS = {
    "`python -c pass`": ["-c", "pass"],
    "`import footwork`": ["-c", "import footwork"],
    "`footwork --help`": ["-m", "footwork", "--help"],
    "`import footwork.robots, footwork.dynamics`": [
        "-c",
        "import footwork.robots, footwork.dynamics",
    ],
    "`import footwork.contacts`": ["-c", "import footwork.contacts"],
    "`import footwork.control`": ["-c", "import footwork.control"],
    "load the biped, one mass matrix": [
        "-c",
        "import footwork as fw; r = fw.load('biped'); fw.dynamics.mass_matrix(r, r.neutral())",
    ],
    "load the biped, one verdict": [
        "-c",
        "import footwork as fw; r = fw.load('biped');"
        "fw.static_hold(r, r.posture(), fw.at_feet(r)).feasible",
    ],
    "load the biped, one batch": ["-c", BATCH.format(robot="biped")],
    "load talos, one batch": ["-c", BATCH.format(robot="talos")],
}
# what a user waits for when no kernel was ever compiled: the same once all of them lie on disk
COMMANDS = {
    "`footwork terms talos`": ["terms", "talos"],
    "`footwork hold talos --html`": ["hold", "talos", "--html", "hold.html"],
    "`footwork region stairs`": ["region", "stairs"],
    "`footwork sweep`, 8 points": ["sweep", "stairs", "--set", "friction", "0.3:0.8:8"],
    "`footwork simulate biped`": ["simulate", "biped"],
    "`footwork simulate biped --gait step`": ["simulate", "biped", "--gait", "step"],
}
IMPORTS = ("footwork", "footwork.robots", "footwork.dynamics", "footwork.contacts")
MODULES = "import sys; before = set(sys.modules); import {}; print(len(set(sys.modules) - before))"


def start(
    arguments: list[str], environment: dict[str, str], folder: str | None = None
) -> tuple[float, float]:
    """CPU and wall seconds of a fresh Python with these arguments, its children included."""
    began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    call = [sys.executable, *arguments]
    subprocess.run(call, check=True, env=environment, stdout=subprocess.DEVNULL, cwd=folder)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    busy = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return busy, time.perf_counter() - began


def caches(folder: str) -> dict[str, str]:
    """An environment whose byte code and compiled kernels are kept in a folder."""
    own = {"PYTHONPYCACHEPREFIX": f"{folder}/pyc", "PYTHONDONTWRITEBYTECODE": ""}
    own |= {"NUMBA_CACHE_DIR": f"{folder}/numba", "XDG_CACHE_HOME": folder, "FOOTWORK_COMPILE": ""}
    return {**os.environ, **own}


def commands(rounds: int) -> dict[str, dict[str, list[tuple[float, float]]]]:
    """{command: {"cold", "warm": (CPU, wall) of each run}}, cold without any compiled kernel."""
    with tempfile.TemporaryDirectory() as folder:
        for arguments in COMMANDS.values():  # Python's byte code
            start(["-m", "footwork", *arguments], caches(folder), folder)
        warm = caches(folder)
        start(["-m", "footwork", "compile", "--quiet"], warm)
        found: dict[str, Any] = {name: {"cold": [], "warm": []} for name in COMMANDS}
        for _ in tqdm(range(rounds), desc="commands", leave=False, disable=None):
            for name, arguments in COMMANDS.items():
                call = ["-m", "footwork", *arguments]
                with tempfile.TemporaryDirectory() as empty:
                    cold = {**warm, "NUMBA_CACHE_DIR": empty}
                    found[name]["cold"].append(start(call, cold, folder))
                found[name]["warm"].append(start(call, warm, folder))
    return found


def cached(rounds: int) -> dict[str, list[tuple[float, float]]]:
    """(CPU, wall) of every start, in turns, all but the first of each."""
    with tempfile.TemporaryDirectory() as folder:
        found: dict[str, list[tuple[float, float]]] = {name: [] for name in STARTS}
        for _ in tqdm(range(rounds + 1), desc="starts", leave=False, disable=None):
            for name, arguments in STARTS.items():
                found[name].append(start(arguments, caches(folder)))
    return {name: times[1:] for name, times in found.items()}


def uncached(name: str) -> tuple[float, float]:
    """(CPU, wall) with empty caches."""
    with tempfile.TemporaryDirectory() as folder:
        return start(STARTS[name], caches(folder))


def modules(name: str) -> int:
    """How many modules an import brings."""
    done = subprocess.run(
        [sys.executable, "-c", MODULES.format(name)], capture_output=True, text=True, check=True
    )
    return int(done.stdout)


def base_install() -> dict[str, float]:
    """{distribution: megabytes on disk} of footwork's dependencies without extras, all the way."""
    sizes: dict[str, float] = {}
    waiting = ["footwork"]
    while waiting:
        name = waiting.pop()
        try:
            found = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue  # for another platform
        if name != "footwork":
            sizes[name] = sum(_size(file) for file in found.files or ()) / 1e6
        for line in found.requires or ():
            if "extra ==" not in line:
                other = re.match(r"[\w.-]+", line)[0].lower().replace("_", "-")
                if other not in sizes and other not in waiting:
                    waiting.append(other)
    return sizes


def _size(file: metadata.PackagePath) -> int:
    path = file.locate()
    return path.stat().st_size if path.exists() else 0


def _rows(timed: dict[str, dict[str, list[tuple[float, float]]]]) -> list[list[str]]:
    """A row for each command: the best wall times, and their ratio."""
    best = {
        name: [min(wall for _, wall in runs[key]) for key in ("cold", "warm")]
        for name, runs in timed.items()
    }
    return [
        [name, measuring.number(cold), measuring.number(warm), measuring.number(cold / warm)]
        for name, (cold, warm) in best.items()
    ]


def main() -> None:
    options = measuring.flags(__doc__).parse_args()
    times = cached(3 if options.quick else 9)
    first = {name: uncached(name) for name in tuple(STARTS)[-2:]}
    rows = [
        [
            name,
            measuring.with_spread([cpu for cpu, _ in found]),
            measuring.number(min(wall for _, wall in found)),
            measuring.number(first[name][0]) if name in first else "-",
        ]
        for name, found in times.items()
    ]
    head = ["in a fresh process", "cached [s of CPU]", "wall, best [s]", "nothing cached [s]"]
    print(measuring.table(head, rows), end="\n\n")
    timed = commands(1 if options.quick else 5)
    print(measuring.table(["kernels", "cold, wall [s]", "warm, wall [s]", "ratio"], _rows(timed)))
    print()
    counts = {name: modules(name) for name in IMPORTS}
    sizes = base_install()
    largest = sorted(sizes.items(), key=lambda item: -item[1])[:6]
    print(
        f"Modules that an import brings: {', '.join(f'`{n}` {c:,}' for n, c in counts.items())}. "
        f"The base install, without extras, is {len(sizes)} packages and {sum(sizes.values()):.0f}"
        f" MB; the largest are {', '.join(f'{n} {size:.0f}' for n, size in largest)} MB.\n\n"
        f"Measured on: {measuring.machine()}; {measuring.load()}."
    )
    numbers = {
        "commands": timed,
        "cached": times,
        "uncached": first,
        "modules": counts,
        "megabytes": sizes,
    }
    measuring.keep(options, numbers)


if __name__ == "__main__":
    main()
