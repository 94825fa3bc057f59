"""Checks of the installation, with the command that repairs each: `footwork doctor`.

Compiled libraries are tested in separate processes, so that one that crashes is reported too.
"""

from __future__ import annotations

import csv
import json
import re
import shlex
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

FINE, BROKEN, OPTIONAL = "fine", "broken", "missing, optional"
SECONDS, PROCESSES = 240, 2
AGAIN = "footwork doctor (again, when the machine is less busy)"
NO_ANSWER = f"no answer in {SECONDS} s"

# required distributions, each with a minimal test program
PROGRAMS = {
    "numpy": "import numpy; assert abs(numpy.linalg.eigvalsh(numpy.eye(3)) - 1).max() < 1e-12",
    "scipy": "from scipy.spatial import ConvexHull; ConvexHull([[0, 0], [1, 0], [0, 1]])",
    "pin": "import pinocchio as pin; m = pin.buildSampleModelHumanoid(); d = m.createData();"
    "pin.crba(m, d, pin.neutral(m)); assert abs(d.M).max() < 1e6",
    "clarabel": "import clarabel; clarabel.DefaultSettings()",
    "cvxpy": "import cvxpy as cp; x = cp.Variable(2); p = cp.Problem(cp.Minimize(x[0]),"
    "[cp.norm(x) <= 1]); p.solve(solver='CLARABEL'); assert abs(p.value + 1) < 1e-6",
    "meshcat": "from importlib import resources as r;"
    "assert (r.files('meshcat') / 'viewer/dist/main.min.js').is_file()",
    "tornado": "import tornado.web, tornado.websocket",
    "u-msgpack-python": "import umsgpack; assert umsgpack.unpackb(umsgpack.packb([1])) == [1]",
    "defusedxml": "import defusedxml.ElementTree",
    "pyyaml": "import yaml; assert yaml.safe_load('a: 1') == {'a': 1}",
    "tqdm": "import tqdm",
}
# optional distributions: the extra that installs it, its purpose, and a test program
EXTRAS = {
    "numba": ("fast", "compiled kernels", "import numba"),
    "matplotlib": ("plots", "plots", "from matplotlib.figure import Figure; Figure().subplots()"),
    "sympy": ("symbolic", "symbolic mechanics", "import sympy; sympy.symbols('x')"),
    "daqp": ("control", "the fast solver of the whole-body controller", "import daqp"),
    "mujoco": ("judge", "footwork judge, and simulations with engine 'mujoco'", "import mujoco"),
    "xarray": ("sweep", "sweeps as datasets", "import xarray; xarray.Dataset()"),
    "ezc3d": ("c3d", "C3D files", "import ezc3d; ezc3d.c3d()"),
    "ipywidgets": ("notebook", "sliders in notebooks", "import ipywidgets; ipywidgets.IntSlider()"),
    "example-robot-data": ("robots", "the models of the catalogue", ""),
}
# system libraries that wheels need: their packages on Debian and Ubuntu
SYSTEM = {
    "libgomp": "libgomp1",
    "libGL": "libgl1",
    "libstdc++": "libstdc++6",
    "libEGL": "libegl1",
    "libglib-2": "libglib2.0-0",
}
# test program of the browser that takes pictures
PICTURE = """
from footwork.visualize.viewer.browser import find_browser, open_html
print(find_browser())
with open_html("<title>footwork</title>", 200, 100, timeout=30) as page:
    assert page.evaluate("document.title") == "footwork"
"""

# compiled kernels on disk whose checksum is another
KERNELS = """
from footwork.dynamics.kernels.code_on_disk import damaged, files
print(len(files()))
for path in damaged():
    print(path)
"""


@dataclass(frozen=True)
class Examination:
    """Result of one check.

    Attributes:
        name: what was checked.
        state: "fine", "broken" or "missing, optional".
        found: version, or description of the problem.
        advice: the command that repairs it, if any.
    """

    name: str
    state: str
    found: str
    advice: str = ""


def examine(progress: Callable[[str], Any] = lambda name: None) -> Iterator[Examination]:
    """Yield the results of the checks; `progress` is called with the name of the next one."""
    yield Examination("python", FINE, sys.version.split()[0])
    with ThreadPoolExecutor(PROCESSES) as pool:
        tried = {
            name: pool.submit(_tried, name, _wanted(name), program)
            for name, program in PROGRAMS.items()
        }
        browser = pool.submit(_browser)
        kernels = pool.submit(_compiled_kernels)
        extras = {
            name: pool.submit(_tried, name, _footwork(extra), program, purpose)
            for name, (extra, purpose, program) in EXTRAS.items()
        }
        for name, examination in tried.items():
            progress(name)
            yield examination.result()
        progress("files of Pinocchio")
        yield _cmeel_files()
        progress("browser")
        yield browser.result()
        yield _loopback()
        progress("compiled kernels")
        yield kernels.result()
        for name, examination in extras.items():
            progress(name)
            yield examination.result()


def _tried(distribution: str, requirement: str, program: str, purpose: str = "") -> Examination:
    """Run the test program of a distribution in a separate process; optional ones have a purpose.

    Without a program its presence is all that is checked.
    """
    version, advice = _version(distribution), f"{_pip()} '{requirement}'"
    if version is None:
        found = "not installed" + (f": {purpose}" if purpose else "")
        return Examination(distribution, OPTIONAL if purpose else BROKEN, found, advice)
    if not _new_enough(version, requirement):
        found = f"{version}, expected {requirement.removeprefix(distribution)}"
        return Examination(distribution, BROKEN, found, advice)
    trouble = _answer(program)[1] if program else None
    if trouble is None:
        return Examination(distribution, FINE, version)
    same = requirement if purpose else f"{distribution}=={version}"
    return Examination(distribution, BROKEN, f"{version}: {trouble}", _remedy(trouble, same))


def _remedy(trouble: str, requirement: str) -> str:
    """Return the command that repairs a library that is installed but fails."""
    if trouble == NO_ANSWER:
        return AGAIN
    if "CLARABEL is not installed" in trouble:
        return f"{_pip()} clarabel"
    library = re.search(r"(lib[\w+-]+)[\w.+-]*: cannot open shared object file", trouble)
    package = library and next(
        (SYSTEM[known] for known in SYSTEM if library[0].startswith(known)), None
    )
    if package:
        return f"apt install {package}" if shutil.which("apt") else f"install {package}"
    return f"{_pip()} --force-reinstall --no-cache-dir '{requirement}'"


def _pip() -> str:
    """Return the pip command of this environment, independent of the shell's."""
    found = shutil.which("pip")
    if found and Path(found).parent == Path(sys.executable).parent:
        return "pip install"
    return f"{sys.executable} -m pip install"


def _wanted(distribution: str) -> str:
    """Return footwork's requirement, such as "pin>=4"."""
    for requirement in metadata.requires("footwork") or ():
        name = re.match(r"[\w.-]+", requirement)
        if name and name[0].lower() == distribution:
            return requirement.split(";")[0].strip()
    return distribution


def _new_enough(version: str, wanted: str) -> bool:
    """Whether a version is at least that of "name>=version"."""
    least = re.search(r">=([\d.]+)", wanted)
    return least is None or _numbers(version) >= _numbers(least[1])


def _numbers(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", version.split("+")[0])][:3]


def _answer(program: str) -> tuple[str, str | None]:
    """Return the output of a program, and the last line of its error, if any."""
    try:
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        return "", NO_ANSWER
    if done.returncode == 0:
        return done.stdout, None
    if done.returncode < 0:
        return done.stdout, f"crashed with signal {-done.returncode}"
    return done.stdout, (done.stderr.strip().splitlines() or ["failed without an error message"])[
        -1
    ]


def _cmeel_files() -> Examination:
    """Find files of cmeel packages that uninstalling another release has removed.

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
    advice = f"{_pip()} --force-reinstall --no-cache-dir {' '.join(broken)}"
    return Examination(
        "files of Pinocchio", BROKEN, f"libraries missing of {', '.join(broken)}", advice
    )


def _is_cmeel(distribution: metadata.Distribution) -> bool:
    return any("cmeel.prefix/" in file for file in _files(distribution)[:50])


def _files(distribution: metadata.Distribution) -> list[str]:
    """Return all files of a distribution, missing ones too (`distribution.files` may omit them)."""
    record = distribution.read_text("RECORD") or ""
    return [row[0] for row in csv.reader(record.splitlines()) if row]


def _browser() -> Examination:
    printed, trouble = _answer(PICTURE)
    if trouble is None:
        return Examination("browser", FINE, printed.strip())
    words = "apt install chromium" if shutil.which("apt") else "install Chromium or Chrome"
    if printed.strip():  # it is installed
        found = f"{printed.strip()}: {trouble}"
        return Examination("browser", BROKEN, found, words if trouble != NO_ANSWER else AGAIN)
    if "BrowserError" in trouble:
        found = "no Chromium or Chrome: no pictures (pages need none)"
        return Examination("browser", OPTIONAL, found, words)
    found = "not checked: the viewer needs the libraries reported as broken above"
    return Examination("browser", OPTIONAL, found, "footwork doctor")


def _compiled_kernels() -> Examination:
    printed, trouble = _answer(KERNELS)
    if trouble is not None:
        found = "not examined: they are found when what is broken above works"
        return Examination("compiled kernels", OPTIONAL, found, "footwork doctor")
    count, *paths = printed.split("\n")[:-1]
    if not paths:
        return Examination("compiled kernels", FINE, f"{count} files on disk, none damaged")
    found = f"{len(paths)} of {count} files damaged, made anew when used: {', '.join(paths)}"
    return Examination("compiled kernels", BROKEN, found, f"rm {shlex.join(paths)}")


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


def _footwork(extra: str) -> str:
    """Return the requirement of an extra; for an editable install, the path of the checkout."""
    try:
        origin = json.loads(metadata.distribution("footwork").read_text("direct_url.json") or "{}")
    except (metadata.PackageNotFoundError, ValueError):
        origin = {}
    if origin.get("dir_info", {}).get("editable"):
        return f"-e{unquote(urlsplit(origin['url']).path)}[{extra}]"
    return f"footwork[{extra}]"


def _version(distribution: str) -> str | None:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None
