"""Forks of a process that has imported Numba and warmed its compiler up, for tests of kernels.

A line of standard input is a task, {"code", "folder", "environment", "said"}; the status of the
fork that runs it is a line of standard output.
"""

from __future__ import annotations

import json
import os
import sys
import traceback

import numba
import numpy as np

import footwork.dynamics.kernels.toolchain  # noqa: F401, for all forks

numba.njit(lambda x: x[0] + 1.0)(np.zeros(1))


def run(code: str, folder: str, environment: dict[str, str], said: str) -> None:
    """Run code as `python -B -c` does, with what it says in the files "out" and "err" of `said`."""
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.path[:0] = [folder]
    sys.dont_write_bytecode = True
    for number, name in ((1, "out"), (2, "err")):
        os.dup2(os.open(os.path.join(said, name), os.O_WRONLY | os.O_CREAT), number)
    exec(compile(code, "-c", "exec"), {"__name__": "__main__"})


def forked(task: dict[str, object]) -> int:
    """Run a task in a fork, and return its exit status."""
    if pid := os.fork():
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    status = 1
    try:
        run(**task)
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


if __name__ == "__main__":
    for line in sys.stdin:
        print(forked(json.loads(line)), flush=True)
