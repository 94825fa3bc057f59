"""Scaling of time and memory with the size of the robot, the number of states and of contacts.

Every size has a fresh process, in which the methods take turns: CPU time an item, medians; peak
memory is how much further the process grew, from small sizes to this one, inputs and answers
included.

    python benchmarks/scaling.py [--quick] [--pictures DIR] [--json FILE]
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median

import measuring  # first: one thread
import numpy as np
import pinocchio as pin
from tqdm import tqdm

import footwork as fw
from footwork.dynamics import batch

TITLES = {
    "nv": "nv of random trees, 1,024 states",
    "states": "states of talos (nv = 38)",
    "contacts": "contacts, 256 verdicts",
}
SIZES = {
    "nv": (6, 12, 20, 30, 50, 70, 100),
    "states": (1, 8, 64, 512, 4096, 32768, 100_000),
    "contacts": (1, 2, 4, 8, 16, 32),
}
QUICK = {"nv": (6, 30, 100), "states": (1, 512, 32768), "contacts": (1, 4, 32)}
FEW = 2000  # a loop in Python need not run over all states

Methods = dict[str, tuple[int, Callable[[], object]]]  # name: (items, what to time)


def random_tree(joints: int) -> fw.Robot:
    """A floating robot with so many hinges, each on one of the last four bodies."""
    rng, model = np.random.default_rng(joints), pin.Model()
    model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "root_joint")
    for i in range(joints + 1):
        if i > 0:
            parent = int(rng.integers(max(1, i - 3), i + 1))
            hinge = (pin.JointModelRX, pin.JointModelRY, pin.JointModelRZ)[i % 3]()
            place = pin.SE3(np.eye(3), 0.3 * rng.standard_normal(3))
            model.addJoint(parent, hinge, place, f"joint_{i}")
        box = pin.Inertia.FromBox(1.0, *rng.uniform(0.1, 0.5, 3))
        model.appendBodyToJoint(i + 1, box, pin.SE3.Identity())
    return fw.Robot(f"tree {joints}", model, shapes=None, actuated=tuple(model.names)[2:])


def terms(robot: fw.Robot, count: int) -> Methods:
    """Inverse dynamics, M and forward dynamics of so many states: Pinocchio's loop and ours."""
    rng, model, data = np.random.default_rng(0), robot.model, robot.model.createData()
    Q = np.array([robot.random_configuration(rng) for _ in range(min(count, 256))])
    Q = np.ascontiguousarray(np.resize(Q, (count, robot.nq)))
    V, A = rng.standard_normal((2, count, robot.nv))
    tau, few = A[:, 6:].copy(), min(count, FEW)
    forces, out = tau @ robot.selection_matrix, np.zeros_like(V)
    matrices = np.zeros((min(count, 4096), robot.nv, robot.nv))

    def loop(function):
        def run():
            for i in range(few):
                function(i)

        return few, run

    return {
        "rnea": loop(lambda i: pin.rnea(model, data, Q[i], V[i], A[i])),
        "inverse dynamics": (count, lambda: batch.inverse_dynamics(robot, Q, V, A, out=out)),
        "crba": loop(lambda i: pin.crba(model, data, Q[i])),
        "mass matrix": (
            len(matrices),
            lambda: batch.mass_matrix(robot, Q[: len(matrices)], out=matrices),
        ),
        "aba": loop(lambda i: pin.aba(model, data, Q[i], V[i], forces[i])),
        "forward dynamics": (count, lambda: batch.forward_dynamics(robot, Q, V, tau, out=out)),
    }


def verdicts(contacts: int, size: int = 256) -> Methods:
    """Verdicts on random contacts: cvxpy's re-solve, one by one, and a batch."""
    from verdicts import Balances, Parametrised, terrain, verdict

    from footwork.contacts.equilibrium.decision import decide

    rng = np.random.default_rng(contacts)
    states = [terrain(rng, contacts) for _ in range(size)]
    written, many = Parametrised(states[0]), Balances.of(states)
    return {
        "cvxpy re-solve": (5, lambda: [written.ask(state) for state in states[:5]]),
        "one by one": (20, lambda: [verdict(state) for state in states[:20]]),
        "batch": (size, lambda: decide(many)),
    }


def methods(kind: str, size: int) -> Methods:
    """What is timed at a size."""
    match kind:
        case "nv":
            return terms(random_tree(size - 6), 1024)
        case "states":
            return terms(fw.load("talos"), size)
    return verdicts(size)


def one(kind: str, size: int, rounds: int) -> dict[str, dict[str, float]]:
    """{method: median µs an item and megabytes}: what a fresh process works out."""
    small = {"nv": ("nv", 6), "states": ("states", 1), "contacts": ("contacts", 1)}[kind]
    for _, work in methods(*small).values():
        work()  # compiled, imported
    before, clocks = _peak(), {}
    for method, (items, work) in methods(kind, size).items():
        seconds = max(measuring.cpu(work), 1e-6)
        calls = min(1000, int(0.01 / seconds) + 1)
        clocks[method] = lambda items=items, work=work, n=calls: measuring.cpu(work, n) / items
    megabytes = _peak() - before
    times = measuring.take_turns(clocks, rounds, 10.0)
    return {"us": {k: 1e6 * median(t) for k, t in times.items()}, "megabytes": megabytes}


def _peak() -> float:
    """The most memory that this process has had [MB]."""
    unit = 1e-6 if sys.platform == "darwin" else 1024e-6
    return unit * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def fresh(kind: str, size: int, rounds: int) -> dict:
    """`one` in a process of its own."""
    call = [sys.executable, __file__, "--one", kind, str(size), str(rounds)]
    done = subprocess.run(call, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def table(title: str, sizes: dict[int, dict]) -> str:
    """A row a size: µs an item on each method, and megabytes."""
    names = list(next(iter(sizes.values()))["us"])
    rows = [
        [
            f"{size:,}",
            *(measuring.number(found["us"][name]) for name in names),
            measuring.number(found["megabytes"]),
        ]
        for size, found in sizes.items()
    ]
    return measuring.table([title, *(f"{name} [µs]" for name in names), "memory [MB]"], rows)


STYLES = {
    "rnea": ("C0--", "rnea (Pinocchio, Python)"),
    "inverse dynamics": ("C0-", "inverse dynamics (batch)"),
    "crba": ("C1--", "crba (Pinocchio, Python)"),
    "mass matrix": ("C1-", "mass matrix (batch)"),
    "aba": ("C2--", "aba (Pinocchio, Python)"),
    "forward dynamics": ("C2-", "forward dynamics (batch)"),
    "cvxpy re-solve": ("C3:", "cvxpy, parametrised re-solve"),
    "one by one": ("C3--", "verdicts one by one"),
    "batch": ("C3-", "verdicts in a batch"),
}


def draw(found: dict[str, dict[int, dict]], path: Path) -> None:
    """Time above, memory below; a column each for nv, N and contacts."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    matplotlib.rcParams["svg.hashsalt"] = "footwork"
    figure, axes = pyplot.subplots(
        2, 3, figsize=(10, 5.2), sharex="col", height_ratios=(2, 1), layout="constrained"
    )
    for column, (kind, sizes) in enumerate(found.items()):
        time, memory = axes[:, column]
        for method in next(iter(sizes.values()))["us"]:
            style, label = STYLES[method]
            values = [at["us"][method] for at in sizes.values()]
            time.loglog(list(sizes), values, style, marker="o", ms=3, label=label)
        peaks = [at["megabytes"] or np.nan for at in sizes.values()]
        memory.loglog(list(sizes), peaks, "k-", marker="o", ms=3)
        memory.set_xlabel(TITLES[kind])
        few = [n for n in sizes if n in QUICK[kind] or kind == "contacts"]
        memory.set_xticks(few, [f"{n:,}" for n in few])
        memory.set_ylim(1, 1000)
        memory.minorticks_off()
        for axis in (time, memory):
            axis.grid(alpha=0.3)
    axes[0, 0].set_ylabel("µs of one core, each")
    axes[1, 0].set_ylabel("MB at the peak")
    lines = [line for axis in axes[0, ::2] for line in axis.get_lines()]
    figure.legend(handles=lines, loc="outside lower center", ncols=3, fontsize=8)
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    parser = measuring.flags(__doc__)
    parser.add_argument("--one", nargs=3, help="KIND SIZE ROUNDS, for a fresh process")
    options = parser.parse_args()
    if options.one:
        kind, size, rounds = options.one
        print(json.dumps(one(kind, int(size), int(rounds))))
        return
    rounds, sizes = (3, QUICK) if options.quick else (7, SIZES)
    jobs = [(kind, size) for kind in TITLES for size in sizes[kind]]
    found = {kind: {} for kind in TITLES}
    for kind, size in tqdm(jobs, desc="sizes", leave=False, disable=None):
        found[kind][size] = fresh(kind, size, rounds)
    print("\n\n".join(table(TITLES[kind], found[kind]) for kind in TITLES))
    if options.pictures:
        draw(found, options.pictures / "scaling.svg")
    measuring.keep(options, found)


if __name__ == "__main__":
    main()
