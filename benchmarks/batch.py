"""Batches of states: dynamics.batch against a Python loop over Pinocchio, and Pinocchio in C++.

    python benchmarks/batch.py [--cpp PROGRAM --eigen FOLDER] [--page docs/performance-dynamics.md]

Values are compared before anything is timed. The roads take turns, round after round, on the same
states; CPU time of one thread; medians, and the quartiles of the ratio round by round. The loop
keeps its results, as the batch does. --cpp names the program of pinocchio_cpp.cpp: it is built
there (some minutes) from the headers of the installed Pinocchio and of Eigen if it does not exist.
"""

# ruff: noqa: E402, B023
from __future__ import annotations

import argparse
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"  # before NumPy wakes up

import numpy as np
import pinocchio as pin

import footwork as fw
from footwork import dynamics as dyn
from footwork.dynamics import batch

ROBOTS = ("talos", "solo12")


class States:
    """Random states of a robot, room for answers, and every road to them."""

    def __init__(self, name, count):
        self.robot, self.count, rng = fw.load(name), count, np.random.default_rng(0)
        robot, nv = self.robot, self.robot.nv
        self.Q = np.array([robot.random_configuration(rng) for _ in range(count)])
        self.V, self.A = rng.standard_normal((2, count, nv))
        self.tau = rng.standard_normal((count, robot.na))
        self.forces = self.tau @ robot.selection_matrix
        self.frame = robot.frame_names[-1]
        entries = batch.coriolis_chains(robot, self.Q[:1]).squares.shape[1]
        blocks = -(-count // batch.LANES)
        sizes = {
            "vector": (count, nv),
            "matrix": (count, nv, nv),
            "lanes": (blocks, nv, nv, batch.LANES),
            "chains": (count, entries),
            "map": (count, 6, nv),
            "six": (count, 6),
            "three": (count, 3),
        }
        self.room = {name: np.zeros(shape) for name, shape in sizes.items()}
        self.room["lanes"] = batch.mass_matrix(robot, self.Q, layout="lanes")
        self.kept = {name: np.zeros(shape) for name, shape in sizes.items()}

    def roads(self):
        """{work: (C++ command or None, batch, loop, room)}: all write to their room."""
        robot, model, data = self.robot, self.robot.model, self.robot.model.createData()
        Q, V, A, tau, forces = self.Q, self.V, self.A, self.tau, self.forces
        room, kept, frame_id = self.room, self.kept, robot.frame_id(self.frame)
        axes = pin.LOCAL_WORLD_ALIGNED

        def loop(name, function):
            out = kept[name]

            def run():
                for i in range(len(Q)):
                    out[i] = function(i)

            return run

        def kernel(name, function, *values):
            return lambda: function(robot, *values, out=room[name])

        def matrices():
            return loop("matrix", lambda i: pin.crba(model, data, Q[i]))

        def lanes():
            batch.mass_matrix(robot, Q, out=room["lanes"], layout="lanes")

        def coriolis():
            return loop("matrix", lambda i: pin.computeCoriolisMatrix(model, data, Q[i], V[i]))

        def drift(i):
            pin.forwardKinematics(model, data, Q[i], V[i], zero)
            pin.updateFramePlacement(model, data, frame_id)
            return pin.getFrameClassicalAcceleration(model, data, frame_id, axes).vector

        zero = np.zeros(robot.nv)
        return {
            "inverse dynamics": (
                "rnea",
                kernel("vector", batch.inverse_dynamics, Q, V, A),
                loop("vector", lambda i: pin.rnea(model, data, Q[i], V[i], A[i])),
                "vector",
            ),
            "bias": (
                "nle",
                kernel("vector", batch.bias, Q, V),
                loop("vector", lambda i: pin.nonLinearEffects(model, data, Q[i], V[i])),
                "vector",
            ),
            "gravity torques": (
                "gravity",
                kernel("vector", batch.gravity_torques, Q),
                loop("vector", lambda i: -pin.computeGeneralizedGravity(model, data, Q[i])),
                "vector",
            ),
            "forward dynamics": (
                "aba",
                kernel("vector", batch.forward_dynamics, Q, V, tau),
                loop("vector", lambda i: pin.aba(model, data, Q[i], V[i], forces[i])),
                "vector",
            ),
            "mass matrix, rows": (
                "crba",
                kernel("matrix", batch.mass_matrix, Q),
                matrices(),
                "matrix",
            ),
            "mass matrix, lanes": ("crba", lanes, matrices(), "lanes"),
            "Coriolis matrix": (
                "coriolis",
                kernel("matrix", batch.coriolis_matrix, Q, V),
                coriolis(),
                "matrix",
            ),
            "Coriolis tensor, chains (loop: one matrix)": (
                "coriolis",
                kernel("chains", batch.coriolis_chains, Q),
                coriolis(),
                None,
            ),
            "centroidal map": (
                None,
                kernel("map", batch.centroidal_map, Q),
                loop("map", lambda i: pin.computeCentroidalMap(model, data, Q[i])),
                "map",
            ),
            "centre of mass": (
                None,
                kernel("three", batch.com, Q),
                loop("three", lambda i: pin.centerOfMass(model, data, Q[i])),
                "three",
            ),
            "frame Jacobian": (
                None,
                kernel("map", batch.frame_jacobian, Q, self.frame),
                loop("map", lambda i: pin.computeFrameJacobian(model, data, Q[i], frame_id, axes)),
                "map",
            ),
            "frame drift": (
                None,
                kernel("six", batch.frame_drift, Q, V, self.frame),
                loop("six", drift),
                "six",
            ),
        }

    def check(self, room):
        """The two answers are the same."""
        ours, theirs = self.room[room], self.kept["matrix" if room == "lanes" else room]
        if room == "lanes":
            ours = batch.from_lanes(ours, self.count)
        worst = np.abs(ours - theirs).max() / np.abs(theirs).max()
        if not worst < 1e-12:
            sys.exit(f"answers differ by {worst:.1e}")


class Cpp:
    """The C++ program on the same states; a command is one batch."""

    def __init__(self, program, states):
        folder = Path(tempfile.mkdtemp())
        states.robot.model.saveToBinary(str(folder / "model"))
        numbers = np.hstack([states.Q, states.V, states.A, states.forces])
        numbers.tofile(folder / "states")
        call = [program, folder / "model", folder / "states", str(states.count)]
        self.process = subprocess.Popen(
            call, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def seconds(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline().split()[0])

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def build(program, eigen):
    """Compile pinocchio_cpp.cpp against the headers in the wheel."""
    prefix = Path(pin.__file__).parents[4]
    source = Path(__file__).with_name("pinocchio_cpp.cpp")
    limits = ("LIST_SIZE=30", "VECTOR_SIZE=30")
    subprocess.run(
        [
            *("g++", "-O3", "-march=native", "-std=c++17", "-w", "-DNDEBUG"),
            *(f"-DBOOST_MPL_LIMIT_{limit}" for limit in limits),
            *("-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS", "-DBOOST_FUSION_INVOKE_MAX_ARITY=12"),
            *(f"-I{prefix / 'include'}", f"-I{eigen}", str(source), "-o", str(program)),
            *(f"-L{prefix / 'lib'}", "-lpinocchio_default", "-lboost_serialization"),
            *(f"-Wl,-rpath,{prefix / 'lib'}", f"-Wl,-rpath-link,{prefix / 'lib'}"),
        ],
        check=True,
    )


def cpu(work, calls=1):
    start = time.process_time()
    for _ in range(calls):
        work()
    return (time.process_time() - start) / calls


def quartiles(numbers):
    low, middle, high = statistics.quantiles(numbers, n=4)
    return low, middle, high


def spread(ratios):
    low, middle, high = quartiles(ratios)
    return f"{middle:.1f} ({low:.1f}-{high:.1f})"


def compare(name, count, rounds, program):
    """Rows of the table of one robot."""
    states = States(name, count)
    cpp = Cpp(program, states) if program else None
    rows = []
    for work, (command, ours, loop, room) in states.roads().items():
        ours()
        loop()
        if room:
            states.check(room)
        times = {"ours": [], "loop": [], "cpp": []}
        for _ in range(rounds):
            times["ours"].append(cpu(ours, 3) / count * 1e6)
            times["loop"].append(cpu(loop) / count * 1e6)
            if cpp and command:
                times["cpp"].append(cpp.seconds(command) / count * 1e6)
            times["ours"][-1] = min(times["ours"][-1], cpu(ours, 3) / count * 1e6)
        rows.append((work, times))
    if cpp:
        cpp.close()
    return states.robot, rows


def table(robot, rows):
    lines = [
        f"**{robot.name}**, nv = {robot.nv}",
        "",
        "| work | Python loop [µs] | C++ [µs] | batch [µs] | loop/batch | C++/batch |",
        "|---|---|---|---|---|---|",
    ]
    for work, times in rows:
        loop, ours = statistics.median(times["loop"]), statistics.median(times["ours"])
        ratio = spread([a / b for a, b in zip(times["loop"], times["ours"], strict=True)])
        cpp = cpp_ratio = "-"
        if times["cpp"]:
            cpp = f"{statistics.median(times['cpp']):.2f}"
            cpp_ratio = spread([a / b for a, b in zip(times["cpp"], times["ours"], strict=True)])
        lines.append(f"| {work} | {loop:.2f} | {cpp} | {ours:.3f} | {ratio} | {cpp_ratio} |")
    return "\n".join(lines)


def single_calls(rounds):
    """One state: batch of one row, the function for one state, Pinocchio's own call."""
    lines = [
        "| robot | work | Pinocchio's call [µs] | for one state [µs] | batch of one [µs] |",
        "|---|---|---|---|---|",
    ]
    for name in ROBOTS:
        s = States(name, 1)
        robot, model, data = s.robot, s.robot.model, s.robot.model.createData()
        q, v, a, tau, f = s.Q[0], s.V[0], s.A[0], s.tau[0], s.forces[0]
        works = {
            "inverse dynamics": (
                lambda: pin.rnea(model, data, q, v, a),
                lambda: dyn.inverse_dynamics(robot, q, v, a),
                lambda: batch.inverse_dynamics(robot, s.Q, s.V, s.A),
            ),
            "mass matrix": (
                lambda: pin.crba(model, data, q),
                lambda: dyn.mass_matrix(robot, q),
                lambda: batch.mass_matrix(robot, s.Q),
            ),
            "forward dynamics": (
                lambda: pin.aba(model, data, q, v, f),
                lambda: dyn.forward_dynamics(robot, q, v, tau),
                lambda: batch.forward_dynamics(robot, s.Q, s.V, s.tau),
            ),
        }  # fmt: skip
        for work, roads in works.items():
            times = [[] for _ in roads]
            for _ in range(rounds):
                for road, found in zip(roads, times, strict=True):
                    found.append(1e6 * cpu(road, 300))
            cells = " | ".join(f"{statistics.median(found):.2f}" for found in times)
            lines.append(f"| {name} | {work} | {cells} |")
    return "\n".join(lines)


def load():
    """What else the machine does, for who reads wall times."""
    return f"{os.getloadavg()[0]:.1f} processes were running on {os.cpu_count()} cores"


def two_threads(rounds):
    """Wall time of one thread over that of two, best of the rounds, and the work both do.

    One and two take turns, a few calls each (the first finds the states in the other core's cache).
    On cores that others use too the wall times say little; the CPU time of two threads together,
    next to that of one, says what they could gain at most. `chrt -f 10` before the command (root)
    keeps others off for these milliseconds.
    """
    s = States("talos", 8192)
    lines = [
        "| 8,192 states of talos | one thread [ms] | two [ms] | ratio | CPU of one | CPU of two |",
        "|---|---|---|---|---|---|",
    ]
    works = {
        "inverse dynamics": (batch.inverse_dynamics, (s.Q, s.V, s.A), "vector", {}),
        "forward dynamics": (batch.forward_dynamics, (s.Q, s.V, s.tau), "vector", {}),
        "mass matrix, rows": (batch.mass_matrix, (s.Q,), "matrix", {}),
        "mass matrix, lanes": (batch.mass_matrix, (s.Q,), "lanes", {"layout": "lanes"}),
    }
    for work, (function, values, room, more) in works.items():
        wall, busy = {1: np.inf, 2: np.inf}, {1: np.inf, 2: np.inf}
        for threads in 2 * rounds * (1, 2):
            for _ in range(5):
                start, before = time.perf_counter(), time.process_time()
                function(s.robot, *values, out=s.room[room], threads=threads, **more)
                busy[threads] = min(busy[threads], 1e3 * (time.process_time() - before))
                wall[threads] = min(wall[threads], 1e3 * (time.perf_counter() - start))
        times = f"{wall[1]:.2f} | {wall[2]:.2f} | {wall[1] / wall[2]:.2f}"
        lines.append(f"| {work} | {times} | {busy[1]:.2f} | {busy[2]:.2f} |")
    return "\n".join(lines)


def random_tree(joints):
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


def one_size(robot, count, rounds):
    """Median µs per state of inverse dynamics and M: (loop, batch) each; kilobytes of answers."""
    rng, model, data = np.random.default_rng(0), robot.model, robot.model.createData()
    Q = np.array([robot.random_configuration(rng) for _ in range(min(count, 256))])
    Q = np.ascontiguousarray(np.resize(Q, (count, robot.nq)))
    V, A = rng.standard_normal((2, count, robot.nv))
    tau, M = np.empty_like(V), np.empty((min(count, 4096), robot.nv, robot.nv))
    few = min(count, 2000)

    def loop(function):
        def run():
            for i in range(few):
                function(i)

        return run

    roads = {
        "rnea": (few, loop(lambda i: pin.rnea(model, data, Q[i], V[i], A[i]))),
        "inverse dynamics": (count, lambda: batch.inverse_dynamics(robot, Q, V, A, out=tau)),
        "crba": (few, loop(lambda i: pin.crba(model, data, Q[i]))),
        "mass matrix": (len(M), lambda: batch.mass_matrix(robot, Q[: len(M)], out=M)),
    }
    times = {road: [] for road in roads}
    for _ in range(rounds):
        for road, (states, work) in roads.items():
            calls = max(1, (2000 if road in ("rnea", "crba") else 20000) // states)
            times[road].append(1e6 * cpu(work, calls) / states)
    return {road: statistics.median(found) for road, found in times.items()}


def scaling(rounds):
    """Tables over nv and over N: {title: {size: times}}."""
    by_joints = {6 + n: one_size(random_tree(n), 1024, rounds) for n in (0, 6, 14, 24, 44, 64, 94)}
    talos = fw.load("talos")
    by_states = {n: one_size(talos, n, rounds) for n in (1, 8, 64, 512, 4096, 32768, 100000)}
    return {"nv, random trees, 1,024 states": by_joints, "states of talos": by_states}


def scaling_table(title, sizes):
    lines = [
        f"| {title} | rnea [µs] | inverse dynamics [µs] | crba [µs] | mass matrix [µs] |",
        "|---|---|---|---|---|",
    ]
    for size, times in sizes.items():
        cells = " | ".join(f"{t:.3g}" for t in times.values())
        lines.append(f"| {size:,} | {cells} |")
    return "\n".join(lines)


def draw(tables, path):
    """The scaling tables as a picture."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    matplotlib.rcParams["svg.hashsalt"] = "footwork"
    figure, axes = pyplot.subplots(1, 2, figsize=(9, 3.6), sharey=True, layout="constrained")
    styles = {"rnea": "C0--", "inverse dynamics": "C0-", "crba": "C1--", "mass matrix": "C1-"}
    for axis, (title, sizes) in zip(axes, tables.items(), strict=True):
        for road, style in styles.items():
            theirs = " (Pinocchio, Python)" if style.endswith("--") else " (batch)"
            values = [times[road] for times in sizes.values()]
            axis.loglog(list(sizes), values, style, marker="o", ms=3, label=road + theirs)
        axis.set_xlabel(title)
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("µs per state")
    axes[1].legend(fontsize=8)
    figure.savefig(path, metadata={"Date": None})


def cold_start():
    """Seconds from a new process to the first answer, its imports and kernels cached."""
    code = (
        "import numpy as np, footwork as fw; from footwork.dynamics import batch;"
        "r = fw.load('talos'); batch.bias(r, r.neutral()[None], np.zeros((1, r.nv)))"
    )
    with tempfile.TemporaryDirectory() as folder:
        # with Python's own byte code kept, as installed packages have it
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": folder, "PYTHONDONTWRITEBYTECODE": ""}
        wall, busy = [], []
        for _ in range(6):
            start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([sys.executable, "-c", code], check=True, env=environment)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            wall.append(time.perf_counter() - start)
            busy.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return (
        f"{statistics.median(busy[1:]):.2f} s of CPU, {min(wall[1:]):.2f} s at best; the first "
        f"time, before Python keeps its byte code, {busy[0]:.2f} s of CPU."
    )


def machine():
    """Kind of processor and versions, in words."""
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    kind = names[0] if names else platform.processor()
    flags = next((line for line in lines if line.startswith("flags")), "")
    width = next((w for w in ("avx512f", "avx2", "avx") if f" {w} " in flags + " "), "")
    packages = ", ".join(
        f"{name} {version(name)}" for name in ("pin", "numba", "llvmlite", "numpy")
    )
    return f"{kind} ({len(names)} cores, {width}), Python {platform.python_version()}, {packages}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--states", type=int, default=1024)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--cpp", type=Path, help="program of pinocchio_cpp.cpp; built if missing")
    parser.add_argument("--eigen", type=Path, default=Path("/usr/include/eigen3"))
    parser.add_argument("--picture", type=Path, help="where to draw how it scales (SVG)")
    parser.add_argument("--page", type=Path, help="Markdown page whose measured part is renewed")
    options = parser.parse_args()
    if options.cpp and not options.cpp.exists():
        build(options.cpp, options.eigen)
    parts = [f"Measured on: {machine()}."]
    for name in ROBOTS:
        parts.append(table(*compare(name, options.states, options.rounds, options.cpp)))
    small = [table(*compare(name, 64, options.rounds, options.cpp)) for name in ROBOTS[:1]]
    parts += ["The same with 64 states, whose answers stay in the cache:", *small]
    parts += ["One state:", single_calls(options.rounds)]
    parts += [
        f"Two threads, wall time, best of many rounds ({load()}):",
        two_threads(options.rounds),
    ]
    tables = scaling(max(3, options.rounds // 3))
    parts.append("How it grows, against the bare calls from Python:")
    parts += [scaling_table(title, sizes) for title, sizes in tables.items()]
    if options.picture:
        draw(tables, options.picture)
    parts.append(f"From a new process to the first answer, kernels compiled before: {cold_start()}")
    text = "\n\n".join(parts)
    print(text)
    if options.page:
        begin, end = "<!-- measured -->\n", "<!-- end of measured -->"
        before, rest = options.page.read_text().split(begin)
        options.page.write_text(before + begin + text + "\n" + end + rest.split(end)[1])


if __name__ == "__main__":
    main()
