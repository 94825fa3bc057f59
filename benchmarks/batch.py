"""Batches of states: dynamics.batch against a Python loop over Pinocchio, and Pinocchio in C++.

    python benchmarks/batch.py [--peers DIR] [--quick]

Values are compared before anything is timed. The methods take turns, round after round, on the same
states; CPU time of one thread; medians, and the quartiles of the ratio round by round. The loop
keeps its results, as the batch does. The C++ is pinocchio_cpp.cpp, built in the folder of peers.
"""

# ruff: noqa: B023
from __future__ import annotations

import statistics
import sys
import time

import measuring  # first: one thread
import numpy as np
import pinocchio as pin
from measuring import cpu, quartiles
from peers.environments import MissingPeerError
from peers.process import PinocchioCpp, cpp_program

import footwork as fw
from footwork import dynamics as dyn
from footwork.dynamics import batch

ROBOTS = ("talos", "solo12")
WORKS = {  # the command of the C++, the array
    "inverse dynamics": ("rnea", "vector"),
    "bias": ("nle", "vector"),
    "gravity torques": ("gravity", "vector"),
    "forward dynamics": ("aba", "vector"),
    "mass matrix, rows": ("crba", "matrix"),
    "mass matrix, lanes": ("crba", "lanes"),
    "Coriolis matrix": ("coriolis", "matrix"),
    "Coriolis tensor, chains (loop: one matrix)": ("coriolis", "chains"),
    "centroidal map": (None, "map"),
    "centre of mass": (None, "three"),
    "frame Jacobian": (None, "map"),
    "frame drift": (None, "six"),
}


class States:
    """Random states of a robot, arrays for answers, and every method to them."""

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
        self.arrays = {name: np.zeros(shape) for name, shape in sizes.items()}
        self.arrays["lanes"] = batch.mass_matrix(robot, self.Q, layout="lanes")
        self.kept = {name: np.zeros(shape) for name, shape in sizes.items()}

    def methods(self):
        """{work: (C++ command or None, batch, loop, kind of array)}: all write to their arrays."""
        batches, loops = self._batches(), self._loops()
        return {
            work: (command, batches[work], self._kept(loops[work.split(",")[0]], kind), kind)
            for work, (command, kind) in WORKS.items()
        }

    def _batches(self):
        """{work: call}."""
        Q, V = self.Q, self.V

        def call(function, kind, *values, **more):
            return lambda: function(self.robot, *values, out=self.arrays[kind], **more)

        return {
            "inverse dynamics": call(batch.inverse_dynamics, "vector", Q, V, self.A),
            "bias": call(batch.bias, "vector", Q, V),
            "gravity torques": call(batch.gravity_torques, "vector", Q),
            "forward dynamics": call(batch.forward_dynamics, "vector", Q, V, self.tau),
            "mass matrix, rows": call(batch.mass_matrix, "matrix", Q),
            "mass matrix, lanes": call(batch.mass_matrix, "lanes", Q, layout="lanes"),
            "Coriolis matrix": call(batch.coriolis_matrix, "matrix", Q, V),
            "Coriolis tensor, chains (loop: one matrix)": call(batch.coriolis_chains, "chains", Q),
            "centroidal map": call(batch.centroidal_map, "map", Q),
            "centre of mass": call(batch.com, "three", Q),
            "frame Jacobian": call(batch.frame_jacobian, "map", Q, self.frame),
            "frame drift": call(batch.frame_drift, "six", Q, V, self.frame),
        }

    def _loops(self):
        """{work: Pinocchio's call for the i-th state}."""
        model, data = self.robot.model, self.robot.model.createData()
        Q, V, A, forces = self.Q, self.V, self.A, self.forces
        frame, axes, zero = self.robot.frame_id(self.frame), pin.LOCAL_WORLD_ALIGNED, 0 * V[0]

        def drift(i):
            pin.forwardKinematics(model, data, Q[i], V[i], zero)
            pin.updateFramePlacement(model, data, frame)
            return pin.getFrameClassicalAcceleration(model, data, frame, axes).vector

        def coriolis(i):
            return pin.computeCoriolisMatrix(model, data, Q[i], V[i])

        return {
            "inverse dynamics": lambda i: pin.rnea(model, data, Q[i], V[i], A[i]),
            "bias": lambda i: pin.nonLinearEffects(model, data, Q[i], V[i]),
            "gravity torques": lambda i: -pin.computeGeneralizedGravity(model, data, Q[i]),
            "forward dynamics": lambda i: pin.aba(model, data, Q[i], V[i], forces[i]),
            "mass matrix": lambda i: pin.crba(model, data, Q[i]),
            "Coriolis matrix": coriolis,
            "Coriolis tensor": coriolis,
            "centroidal map": lambda i: pin.computeCentroidalMap(model, data, Q[i]),
            "centre of mass": lambda i: pin.centerOfMass(model, data, Q[i]),
            "frame Jacobian": lambda i: pin.computeFrameJacobian(model, data, Q[i], frame, axes),
            "frame drift": drift,
        }

    def _kept(self, function, kind):
        """The loop over a call for one state, which keeps what it returns."""
        out = self.kept["matrix" if kind in ("lanes", "chains") else kind]

        def run():
            for i in range(len(self.Q)):
                out[i] = function(i)

        return run

    def check(self, kind):
        """The two answers are the same."""
        ours, theirs = self.arrays[kind], self.kept["matrix" if kind == "lanes" else kind]
        if kind == "lanes":
            ours = batch.from_lanes(ours, self.count)
        worst = np.abs(ours - theirs).max() / np.abs(theirs).max()
        if not worst < 1e-12:
            sys.exit(f"answers differ by {worst:.1e}")


def spread(ratios):
    low, middle, high = quartiles(ratios)
    return f"{middle:.1f} ({low:.1f}-{high:.1f})"


def compare(name, count, rounds, program):
    """Rows of the table of one robot."""
    states = States(name, count)
    cpp = PinocchioCpp(program, states.robot.model) if program else None
    if cpp:
        cpp.give({"q": states.Q, "v": states.V, "a": states.A, "forces": states.forces})
    rows = []
    for work, (command, ours, loop, kind) in states.methods().items():
        ours()
        loop()
        if kind != "chains":
            states.check(kind)
        times = {"ours": [], "loop": [], "cpp": []}
        for _ in range(rounds):
            times["ours"].append(cpu(ours, 3) / count * 1e6)
            times["loop"].append(cpu(loop) / count * 1e6)
            if cpp and command:
                times["cpp"].append(cpp.ask(command)[0] / count * 1e6)
            times["ours"][-1] = min(times["ours"][-1], cpu(ours, 3) / count * 1e6)
        rows.append((work, times))
    if cpp:
        cpp.close()
    return states.robot, rows


def table(robot, count, rows):
    lines = [
        f"**{robot.name}**, nv = {robot.nv}, {count:,} states",
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
    """One state: Pinocchio's own call, batch of one row, the function for one state."""
    lines = [
        "| robot | work | Pinocchio's call [µs] | batch of one [µs] | with out= [µs] | ratio "
        "| for one state [µs] |",
        "|---|---|---|---|---|---|---|",
    ]
    for name in ROBOTS:
        s = States(name, 1)
        robot, model, data = s.robot, s.robot.model, s.robot.model.createData()
        q, v, a, tau, f = s.Q[0], s.V[0], s.A[0], s.tau[0], s.forces[0]
        Q, V, A, T, x, M = s.Q, s.V, s.A, s.tau, s.arrays["vector"], s.arrays["matrix"]
        works = {
            "inverse dynamics": (
                lambda: pin.rnea(model, data, q, v, a),
                lambda: batch.inverse_dynamics(robot, Q, V, A),
                lambda: batch.inverse_dynamics(robot, Q, V, A, x),
                lambda: dyn.inverse_dynamics(robot, q, v, a),
            ),
            "bias": (
                lambda: pin.nonLinearEffects(model, data, q, v),
                lambda: batch.bias(robot, Q, V),
                lambda: batch.bias(robot, Q, V, x),
                lambda: dyn.bias(robot, q, v),
            ),
            "mass matrix": (
                lambda: pin.crba(model, data, q),
                lambda: batch.mass_matrix(robot, Q),
                lambda: batch.mass_matrix(robot, Q, M),
                lambda: dyn.mass_matrix(robot, q),
            ),
            "forward dynamics": (
                lambda: pin.aba(model, data, q, v, f),
                lambda: batch.forward_dynamics(robot, Q, V, T),
                lambda: batch.forward_dynamics(robot, Q, V, T, x),
                lambda: dyn.forward_dynamics(robot, q, v, tau),
            ),
        }  # fmt: skip
        for work, methods in works.items():
            times = [[] for _ in methods]
            for _ in range(rounds):
                for method, found in zip(methods, times, strict=True):
                    found.append(1e6 * cpu(method, 300))
            theirs, ours, reused, single = (f"{statistics.median(found):.2f}" for found in times)
            ratio = spread([a / b for a, b in zip(times[0], times[1], strict=True)])
            lines.append(f"| {name} | {work} | {theirs} | {ours} | {reused} | {ratio} | {single} |")
    return "\n".join(lines)


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
    for work, (function, values, kind, more) in works.items():
        wall, busy = {1: np.inf, 2: np.inf}, {1: np.inf, 2: np.inf}
        for threads in 2 * rounds * (1, 2):
            for _ in range(5):
                start, before = time.perf_counter(), time.process_time()
                function(s.robot, *values, out=s.arrays[kind], threads=threads, **more)
                busy[threads] = min(busy[threads], 1e3 * (time.process_time() - before))
                wall[threads] = min(wall[threads], 1e3 * (time.perf_counter() - start))
        times = f"{wall[1]:.2f} | {wall[2]:.2f} | {wall[1] / wall[2]:.2f}"
        lines.append(f"| {work} | {times} | {busy[1]:.2f} | {busy[2]:.2f} |")
    return "\n".join(lines)


def main():
    options = measuring.flags(__doc__).parse_args()
    count, rounds = (256, 3) if options.quick else (1024, 15)
    try:
        program = cpp_program(options.peers)
    except MissingPeerError as missing:
        program = measuring.say(f"no C++: {missing}")
    about = measuring.versions("pin", "numba", "llvmlite", "numpy")
    print(f"Measured on: {measuring.machine()}, {about}.\n")
    numbers = {}
    for name, states in [*((name, count) for name in ROBOTS), (ROBOTS[0], 64)]:
        robot, rows = compare(name, states, rounds, program)
        numbers[f"{name}, {states} states"] = dict(rows)
        print(f"{table(robot, states, rows)}\n")
    print(f"One state:\n\n{single_calls(rounds)}\n")
    print(f"Two threads, wall time, best of many rounds ({measuring.load()}):\n")
    print(two_threads(rounds))
    measuring.keep(options, numbers)


if __name__ == "__main__":
    main()
