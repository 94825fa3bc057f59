"""What is broken in this environment, and what to type: the examinations of `footwork doctor`.

Compiled libraries are tried in a process of their own, so that one that crashes is a finding too.
"""

from __future__ import annotations

import csv
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

FINE, BROKEN, OPTIONAL = "fine", "broken", "missing, optional"
SECONDS = 60

# what must work, and the smallest program that shows it
PROGRAMS = {
    "numpy": "import numpy; assert abs(numpy.linalg.eigvalsh(numpy.eye(3)) - 1).max() < 1e-12",
    "scipy": "from scipy.spatial import ConvexHull; ConvexHull([[0, 0], [1, 0], [0, 1]])",
    "pin": "import pinocchio as pin; m = pin.buildSampleModelHumanoid(); d = m.createData();"
    "pin.crba(m, d, pin.neutral(m)); assert abs(d.M).max() < 1e6",
    "cvxpy": "import cvxpy as cp; x = cp.Variable(2); p = cp.Problem(cp.Minimize(x[0]),"
    "[cp.norm(x) <= 1]); p.solve(solver='CLARABEL'); assert abs(p.value + 1) < 1e-6",
    "meshcat": "from importlib import resources as r;"
    "assert (r.files('meshcat') / 'viewer/dist/main.min.js').is_file()",
    "tornado": "import tornado.web, tornado.websocket",
    "pyyaml": "import yaml; assert yaml.safe_load('a: 1') == {'a': 1}",
}
# what makes more of footwork work: the extra that brings it, and what for
EXTRAS = {
    "numba": ("fast", "compiled kernels"),
    "matplotlib": ("plots", "plots"),
    "sympy": ("symbolic", "symbolic mechanics"),
    "daqp": ("control", "the fast solver of the whole-body controller"),
    "xarray": ("sweep", "sweeps as datasets"),
    "ezc3d": ("c3d", "C3D files"),
    "xacrodoc": ("xacro", "xacro files"),
    "example-robot-data": ("robots", "the models of the catalogue"),
}


@dataclass(frozen=True)
class Examination:
    """One thing looked at.

    Attributes:
        name: what was looked at.
        state: "fine", "broken" or "missing, optional".
        found: what was found.
        advice: what to type, when there is something to type.
    """

    name: str
    state: str
    found: str
    advice: str = ""

    def as_dict(self) -> dict[str, str]:
        """Return the same for JSON."""
        return asdict(self)


def examine(progress: Callable[[str], Any] = lambda name: None) -> Iterator[Examination]:
    """Yield the examinations, one after the other; `progress` hears what comes next."""
    yield Examination("python", FINE, sys.version.split()[0])
    for distribution, program in PROGRAMS.items():
        progress(distribution)
        yield _tried(distribution, program)
    progress("files of Pinocchio")
    yield _cmeel_files()
    yield _browser()
    yield _loopback()
    for distribution, (extra, purpose) in EXTRAS.items():
        yield _extra(distribution, extra, purpose)


def _tried(distribution: str, program: str) -> Examination:
    """Run a program that needs a distribution in a process of its own."""
    version = _version(distribution)
    if version is None:
        advice = f"pip install '{distribution}'"
        return Examination(distribution, BROKEN, "not installed", advice)
    trouble = _trouble(program)
    if trouble is None:
        return Examination(distribution, FINE, version)
    advice = f"pip install --force-reinstall --no-cache-dir '{distribution}=={version}'"
    return Examination(distribution, BROKEN, f"{version}: {trouble}", advice)


def _trouble(program: str) -> str | None:
    try:
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        return f"no answer in {SECONDS} s"
    if done.returncode == 0:
        return None
    if done.returncode < 0:
        return f"crashed with signal {-done.returncode}"
    return (done.stderr.strip().splitlines() or ["failed without a word"])[-1]


def _cmeel_files() -> Examination:
    """Look for files that another release of a cmeel package took away as it left.

    Packages of Pinocchio's family share one folder; going back and forth between releases (as
    installing placo or tsid does) leaves some whose libraries are gone, unseen by `pip check`.
    """
    family = [d for d in metadata.distributions() if _is_cmeel(d)]
    broken = sorted(
        d.metadata["Name"]
        for d in family
        if any(not Path(str(d.locate_file(f))).exists() for f in _files(d) if ".so" in f)
    )
    if not broken:
        return Examination("files of Pinocchio", FINE, f"{len(family)} packages complete")
    advice = f"pip install --force-reinstall --no-cache-dir {' '.join(broken)}"
    return Examination(
        "files of Pinocchio", BROKEN, f"libraries missing of {', '.join(broken)}", advice
    )


def _is_cmeel(distribution: metadata.Distribution) -> bool:
    return any("cmeel.prefix/" in file for file in _files(distribution)[:50])


def _files(distribution: metadata.Distribution) -> list[str]:
    """The files it came with, also those that are gone: `distribution.files` may leave them out."""
    record = distribution.read_text("RECORD") or ""
    return [row[0] for row in csv.reader(record.splitlines()) if row]


def _browser() -> Examination:
    from .errors import FootworkError
    from .robots.viewer.browser import find_browser

    try:
        return Examination("browser", FINE, find_browser())
    except FootworkError:
        words = "apt install chromium" if shutil.which("apt") else "install Chromium or Chrome"
        return Examination(
            "browser", OPTIONAL, "no Chromium or Chrome: no pictures (pages need none)", words
        )


def _loopback() -> Examination:
    try:
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
            with socket.create_connection(("127.0.0.1", port), timeout=2):
                return Examination("loopback", FINE, "the viewer can serve on 127.0.0.1")
    except OSError as error:
        return Examination(
            "loopback", BROKEN, f"no server on 127.0.0.1: {error}", "footwork show … --html FILE"
        )


def _extra(distribution: str, extra: str, purpose: str) -> Examination:
    version = _version(distribution)
    if version is not None:
        return Examination(distribution, FINE, version)
    return Examination(
        distribution, OPTIONAL, f"not installed: {purpose}", f"pip install 'footwork[{extra}]'"
    )


def _version(distribution: str) -> str | None:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None
