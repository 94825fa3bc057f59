"""Environments of other libraries: made with pip where they are missing, kept, and used again.

Each has its own, because they need different releases of Pinocchio, JAX and NumPy. Versions are
pinned: those that run together and, of these, the fastest that was found.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import venv
from pathlib import Path

REQUIREMENTS = {
    "mujoco": ("mujoco==4.0.0",),
    "drake": ("drake==1.51.1",),
    "frax": ("frax==0.1.0", "jax==0.4.30", "jaxlib==0.4.30"),  # the JAX that its authors name
    "adam": ("adam-robotics[jax]==0.5.0", "jax==0.4.38", "jaxlib==0.4.38"),  # fails on 0.4.30, 0.7
    "casadi": ("adam-robotics[casadi]==0.5.0", "casadi==3.7.2"),
    "tsid": ("tsid==1.7.1", "pin==3.4.0", "cmeel-urdfdom<5", "cmeel-tinyxml2<11"),
    "placo": ("placo==0.10.2",),
    "pypoman": ("pypoman==2.0.0",),  # builds against the headers of GMP and cddlib
    "cpp": ("cmeel-eigen==3.4.1",),  # headers of Eigen; those of Pinocchio are in its wheel
}
HERE = ("pinocchio", "mujoco")  # modules that our own environment has too


class MissingPeerError(Exception):
    """A library that cannot be had; says why."""


def python_of(name: str, folder: Path | None) -> Path:
    """Return the interpreter that has the library.

    Args:
        name: a key of REQUIREMENTS.
        folder: where the environments are; without one only what is installed here can be used.

    Raises:
        MissingPeerError: there is none and none can be made.
    """
    if folder is None:
        if name in HERE and importlib.util.find_spec(name):
            return Path(sys.executable)
        raise MissingPeerError("needs an environment of its own: --peers DIR makes it there")
    place = (folder / name).absolute()
    made, wanted = place / "requirements.txt", "\n".join(REQUIREMENTS[name]) + "\n"
    python = place / "bin" / "python"
    if not (made.exists() and made.read_text() == wanted and python.exists()):
        print(f"{name}: making {place}", file=sys.stderr, flush=True)
        _make(place, REQUIREMENTS[name])
        made.write_text(wanted)
    return python


def _make(place: Path, requirements: tuple[str, ...]) -> None:
    venv.create(place, with_pip=True, clear=True)
    pip = (str(place / "bin" / "python"), "-m", "pip", "--disable-pip-version-check")
    done = subprocess.run(
        [*pip, "install", "--quiet", *requirements], capture_output=True, text=True, check=False
    )
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        reason = (lines or done.stderr.splitlines() or ["pip failed"])[-1].removeprefix("ERROR: ")
        raise MissingPeerError(f"cannot be installed: {reason}")
