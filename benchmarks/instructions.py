"""Instruction counts of kernels and calls under valgrind, next to the recorded counts.

    python benchmarks/instructions.py            # the table; fails where something grew by 2 %
    python benchmarks/instructions.py --write    # and keep the numbers in instructions.json

Unlike times, counts hardly depend on what else the machine does: they repeat to 0.2 %. Kernels are
compiled for a processor that valgrind knows (Haswell), with four numbers in a vector register, not
eight: these are not the instructions that a newer processor runs. Needs Linux on x86_64, valgrind
and Numba; takes some minutes.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import json
import mmap
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

STORED = Path(__file__).with_name("instructions.json")
ROWS, GREW = 64, 0.02
SETTING = {
    "NUMBA_CPU_NAME": "haswell",
    "NUMBA_CPU_FEATURES": "+avx2,+fma,+bmi,+bmi2",
    "NUMBA_CACHE_DIR": str(Path(tempfile.gettempdir()) / "footwork-instructions"),
    "FOOTWORK_COMPILE": "now",
    "PYTHONHASHSEED": "0",
    **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"),
}

# valgrind's requests to callgrind: its number is ('C' << 24) + ('T' << 16) + one of these
DUMP, ZERO, START, STOP = 0, 1, 4, 5


# --- under valgrind ------------------------------------------------------------------------------


def works(name):
    """{work: (call, how many states it has)} of a robot."""
    import numpy as np

    import footwork as fw
    from footwork import dynamics as dyn
    from footwork.dynamics import batch

    robot, rng = fw.load(name), np.random.default_rng(0)
    Q = np.array([robot.random_configuration(rng) for _ in range(ROWS)])
    V, A = rng.standard_normal((2, ROWS, robot.nv))
    tau = rng.standard_normal((ROWS, robot.na))
    T, M, C = np.empty_like(V), np.empty((ROWS, robot.nv, robot.nv)), np.zeros((robot.nv,) * 3)
    lanes = batch.mass_matrix(robot, Q, layout="lanes")
    squares = batch.coriolis_chains(robot, Q).squares
    many = {
        "inverse dynamics": lambda: batch.inverse_dynamics(robot, Q, V, A, out=T),
        "bias": lambda: batch.bias(robot, Q, V, out=T),
        "forward dynamics": lambda: batch.forward_dynamics(robot, Q, V, tau, out=T),
        "mass matrix, rows": lambda: batch.mass_matrix(robot, Q, out=M),
        "mass matrix, lanes": lambda: batch.mass_matrix(robot, Q, out=lanes, layout="lanes"),
        "Coriolis matrix": lambda: batch.coriolis_matrix(robot, Q, V, out=M),
        "Coriolis chains": lambda: batch.coriolis_chains(robot, Q, out=squares),
    }
    q, v, a, t = Q[:1], V[:1], A[:1], tau[:1]
    one = {
        "inverse dynamics, one state": lambda: batch.inverse_dynamics(robot, q, v, a),
        "mass matrix, one state": lambda: batch.mass_matrix(robot, q),
        "forward dynamics, one state": lambda: batch.forward_dynamics(robot, q, v, t),
        "Coriolis tensor, one state": lambda: dyn.coriolis_tensor(robot, q[0], out=C),
        "terms, one state": lambda: dyn.terms(robot, q[0], v[0]),
    }
    found = {f"{name}: {work}": (call, ROWS) for work, call in many.items()}
    return found | {f"{name}: {work}": (call, 1) for work, call in one.items()}


def on_two_feet():
    """A verdict and a tick of a controller, of TALOS."""
    import numpy as np

    import footwork as fw
    from footwork import contacts, control, dynamics

    robot = fw.load("talos")
    q, feet, v = robot.posture(), contacts.at_feet(robot, 0.6), np.zeros(robot.nv)
    tasks = [
        control.ComTask(dynamics.com(robot, q), weight=10.0, gain=100.0),
        control.PostureTask(q, weight=0.1, gain=50.0),
    ]
    controller = control.WholeBodyController(robot, feet, tasks, joint_limits=False)
    return {
        "talos: static_hold on two feet": (lambda: fw.static_hold(robot, q, feet), 1),
        "talos: tick of a whole-body controller": (lambda: controller(q, v), 1),
    }


def requests():
    """The function that sends callgrind a request; outside valgrind it does nothing.

    Four turns of a register that leave it as it was, and an exchange with itself, mean to valgrind:
    read the six words at rax, answer in rdx.
    """
    code = bytes.fromhex(
        "4889f8 31d2"  # rax = the argument, rdx = 0
        "48c1c703 48c1c70d 48c1c73d 48c1c733 4887db"  # rdi turned by 3, 13, 61, 51; rbx and rbx
        "4889d0 c3"  # return rdx
    )
    page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(code)
    start = ctypes.c_char.from_buffer(page)
    words = ctypes.c_uint64 * 6
    ask = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.POINTER(words))(ctypes.addressof(start))
    ask.page = page, start  # which have to last as long
    base = (ord("C") << 24) + (ord("T") << 16)
    return lambda number: ask(ctypes.byref(words(base + number)))


def count_all():
    """Run every work, so that callgrind dumps two counts of it: of n calls, then of 2 n."""
    request = requests()
    found = {**works("talos"), **works("solo12"), **on_two_feet()}
    gc.disable()
    order = []
    for work, (call, states) in found.items():
        for _ in range(3):
            call()
        calls = 4 if states > 1 else 16
        request(START)
        for times in (calls, 2 * calls):
            call()
            request(ZERO)
            for _ in range(times):
                call()
            request(DUMP)
        request(STOP)
        order.append((work, calls * states))
    print(json.dumps(order))


# --- outside -------------------------------------------------------------------------------------


def counted():
    """{work: instructions a state}."""
    inside = [sys.executable, __file__, "--inside"]
    environment = {**os.environ, **SETTING}
    subprocess.run(inside, check=True, env=environment, stdout=subprocess.DEVNULL)  # compiles
    with tempfile.TemporaryDirectory() as folder:
        tool = ["valgrind", "-q", "--tool=callgrind", "--instr-atstart=no", "--combine-dumps=no"]
        place = f"--callgrind-out-file={folder}/counts"
        done = subprocess.run(
            [*tool, place, *inside], check=True, env=environment, capture_output=True, text=True
        )
        order = json.loads(done.stdout.splitlines()[-1])
        totals = [total(Path(folder) / f"counts.{k + 1}") for k in range(2 * len(order))]
    return {work: (totals[2 * k + 1] - totals[2 * k]) / per for k, (work, per) in enumerate(order)}


def total(path):
    """Instructions in a file of callgrind's."""
    return int(re.search(r"^(?:totals|summary): (\d+)", path.read_text(), re.M)[1])


def lacks():
    """What this machine has not got for counting; "" where all is there."""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        return f"{platform.system()} on {platform.machine()}, not Linux on x86_64"
    if shutil.which("valgrind") is None:
        return "no valgrind"
    return "" if find_spec("numba") else "no Numba"


def table(now, stored):
    """The counts as lines, and the works that grew."""
    lines, grew = ["| work | instructions | before | change |", "|---|---|---|---|"], []
    for work, count in now.items():
        before = stored.get(work)
        change = count / before - 1 if before else 0.0
        if change > GREW:
            grew.append(work)
        cells = f"{before:,.0f} | {change:+.1%}" if before else "- | new"
        lines.append(f"| {work} | {count:,.0f} | {cells} |")
    return "\n".join(lines), grew


def versions():
    """What the counts depend on."""
    names = ("numba", "llvmlite", "numpy", "pin", "clarabel", "daqp")
    found = {"python": platform.python_version()}
    for name in names:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "none"
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help=f"keep the counts in {STORED.name}")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        return count_all()
    if lacking := lacks():
        return print(f"nothing counted: {lacking}")
    stored = json.loads(STORED.read_text()) if STORED.exists() else {"versions": {}, "counts": {}}
    now, with_ = counted(), versions()
    moved = [
        f"{name} {stored['versions'].get(name)} -> {now_}"
        for name, now_ in with_.items()
        if stored["versions"].get(name) != now_
    ]
    if moved:
        print(f"The counts before were made with other versions: {', '.join(moved)}.\n")
    text, grew = table(now, stored["counts"])
    print(f"Instructions a state:\n\n{text}")
    if options.write:
        counts = {work: round(count) for work, count in now.items()}
        STORED.write_text(json.dumps({"versions": with_, "counts": counts}, indent=1) + "\n")
    elif grew and not moved:
        sys.exit(f"\ngrew by more than {GREW:.0%}: {', '.join(grew)}")


if __name__ == "__main__":
    main()
