"""Rigid-body engines side by side: the same plain URDF, the same states, in turns.

Every library runs in a process of its own, with one thread, in the way that its users are told to
run it for many states. Answers are compared first, in the library's own conventions, to 1e-9 of the
largest number; one that differs is said to differ and is not timed. Then the processes take turns,
round after round. CPU time a state, medians with quartiles; ratios are those of the medians.

    python benchmarks/side_by_side.py [--peers DIR] [--quick] [--json FILE]
"""

from __future__ import annotations

import hashlib
import sys
import tempfile
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path

import measuring  # first: one thread
import numpy as np
import urdf_export
from peers.environments import MissingPeerError, python_of
from peers.process import Contender, PinocchioCpp, cpp_program
from tqdm import tqdm

import footwork as fw
from footwork import dynamics as dyn
from footwork.dynamics import conventions
from footwork.robots.conventions import to_convention

ROBOTS = ("talos", "solo12")
WORKS = ("inverse dynamics", "bias", "mass matrix", "forward dynamics")
CONTENDERS = {  # name: (engine, environment)
    "footwork, `dynamics.batch`": ("footwork", None),
    "Pinocchio, loop in C++": ("cpp", "cpp"),
    "Pinocchio, loop in Python": ("pinocchio", None),
    "MuJoCo, loop in Python": ("mujoco", "mujoco"),
    "MuJoCo, `rollout`": ("mujoco_rollout", "mujoco"),
    "Drake, loop in Python": ("drake", "drake"),
    "frax, `jit(vmap)`": ("frax", "frax"),
    "adam on JAX, `jit(vmap)`": ("adam", "adam"),
    "CasADi, generated C": ("casadi", "casadi"),
}
CHECKED, AGREE = 16, 1e-9


@dataclass
class States:
    """Random states of a robot, and what its terms are there, in any convention."""

    robot: fw.Robot
    count: int
    given: dict[str, np.ndarray] = field(init=False)

    def __post_init__(self) -> None:
        rng, robot, size = np.random.default_rng(0), self.robot, (self.count, self.robot.nv)
        q = np.array([robot.random_configuration(rng) for _ in range(self.count)])
        v, a, forces = rng.standard_normal((3, *size))
        forces[:, :6] = 0.0  # nothing pushes the base
        self.given = {"q": q, "v": v, "a": a, "forces": forces}

    def in_convention(self, about: dict) -> dict[str, np.ndarray]:
        """The states as an engine wants them."""
        if about["convention"] is None:
            return self.given
        rows = [_state(self.robot, *row, about) for row in zip(*self.given.values(), strict=True)]
        columns = zip(*rows, strict=True)
        return {name: np.array(values) for name, values in zip(self.given, columns, strict=True)}

    def term(self, work: str, i: int, about: dict) -> np.ndarray:
        """A term at state i by our functions for one state, as an engine would give it."""
        robot, (q, v, a, forces) = self.robot, (x[i] for x in self.given.values())
        match work:
            case "mass matrix":
                ours, convert, at = dyn.mass_matrix(robot, q), conventions.mass_matrix_to, (q,)
            case "inverse dynamics":
                ours, convert = dyn.inverse_dynamics(robot, q, v, a), conventions.forces_to
                at = (q,)
            case "bias":
                ours, convert, at = dyn.bias(robot, q, v), conventions.bias_to, (q, v)
            case _:
                ours = dyn.forward_dynamics(robot, q, v, forces[6:])
                convert, at = conventions.acceleration_to, (q, v)
        if about["convention"] is None:
            return ours
        return convert(robot, *at, ours, about["convention"], joints=about["joints"])


def _state(robot, q, v, a, forces, about):
    as_they = {"convention": about["convention"], "joints": about["joints"]}
    return (
        *to_convention(robot, q, v, **as_they),
        conventions.acceleration_to(robot, q, v, a, **as_they),
        conventions.forces_to(robot, q, forces, **as_they),
    )


def disagreement(contender: Contender | PinocchioCpp, work: str, states: States) -> float:
    """The largest difference of its answers from ours, over the largest number."""
    answers = contender.answers(work)
    if isinstance(contender, PinocchioCpp):  # six digits of one sum
        ours = states.term(work, states.count - 1, contender.about).sum()
        return 0.0 if abs(answers - ours) < 1e-5 * max(1.0, abs(ours)) else abs(answers - ours)
    ours = np.array([states.term(work, i, contender.about) for i in range(CHECKED)])
    if answers.shape != (states.count, *ours.shape[1:]) or not np.isfinite(answers).all():
        return np.inf
    return float(np.abs(answers[:CHECKED] - ours).max() / np.abs(ours).max())


def start(
    contender: tuple[str, str | None], folder: Path, robot: fw.Robot, peers: Path | None
) -> Contender | PinocchioCpp:
    """Start a contender on FOLDER/robot.urdf, or say by MissingPeerError why not."""
    engine, environment = contender
    if engine == "cpp":
        return PinocchioCpp(cpp_program(peers), robot.model)
    python = python_of(environment, peers) if environment else Path(sys.executable)
    return Contender(engine, python, folder)


class Comparison:
    """Contenders on one robot: who is there, who agrees, and the times of all rounds.

    The first contender is the one that ratios are to.
    """

    def __init__(self, robot, contenders=CONTENDERS, *, count=1024, peers=None):
        """Give all of them the states of a robot by name; MissingPeerError if the first fails."""
        self.name, self.count, self.peers, self.contenders = robot, count, peers, contenders
        self.versions: dict[str, str] = {}
        self.absent: dict[str, str] = {}  # why one is not there
        self.apart: dict[tuple[str, str], float] = {}  # by how much an answer differs
        self.times: dict[tuple[str, str], list[float]] = {}

    def run(self, rounds: int, seconds: float) -> None:
        """Start them, compare their answers, and let those who agree take turns."""
        with tempfile.TemporaryDirectory() as scratch:
            folder = _folder(self.name, self.peers or Path(scratch))
            self.robot = fw.load(str(folder / "robot.urdf"), base="floating")
            started = self._start_all(folder)
            try:
                clocks = self._agreed(started, States(self.robot, self.count))
                self.times = measuring.take_turns(clocks, rounds, seconds)
            finally:
                for contender in started.values():
                    contender.close()

    def _start_all(self, folder):
        started = {}
        for name in _progress(self.contenders, f"{self.name}: starting"):
            try:
                started[name] = start(self.contenders[name], folder, self.robot, self.peers)
                self.versions[name] = started[name].about["version"]
            except MissingPeerError as missing:
                self.absent[name] = str(missing)
        return started

    def _agreed(self, started, states):
        """{(contender, work): its clock}, microseconds a state, of all whose answers are right."""
        clocks = {}
        for name in _progress(started, f"{self.name}: comparing answers"):
            contender = started[name]
            try:
                for work in contender.give(states.in_convention(contender.about)):
                    apart = disagreement(contender, work, states)
                    if apart < AGREE:
                        clocks[name, work] = self._clock(contender, work)
                    else:
                        self.apart[name, work] = apart
            except MissingPeerError as gone:
                self.absent[name] = str(gone)
        first = next(iter(self.contenders))
        works = [work for work in WORKS if (first, work) in clocks]
        if not works:
            why = self.absent.get(first, f"its answers differ: {self.apart}")
            raise MissingPeerError(f"{first}, on {self.name}: {why}")
        return {key: clocks[key] for work in works for key in clocks if key[1] == work}

    def _clock(self, contender, work):
        once = contender.seconds(work, 1)
        calls = min(100, ceil(0.01 / max(once, 1e-6)))
        return lambda: 1e6 * contender.seconds(work, calls) / self.count

    def table(self) -> str:
        """Medians with quartiles, and how many times those of the first they are."""
        return measuring.table(["µs a state", *WORKS], [self._row(name) for name in self.versions])

    def _row(self, name):
        return [name, *(self._cell(name, work) for work in WORKS)]

    def _cell(self, name, work):
        if (name, work) in self.apart:
            return f"differs by {self.apart[name, work]:.0e}"
        times, first = self.times.get((name, work)), next(iter(self.contenders))
        if not times:
            return "-"
        ratio = np.median(times) / np.median(self.times[first, work])
        text = measuring.with_spread(times)
        return text if name == first else f"{text}, {measuring.number(ratio, '.2g')}×"


def _progress(names, words):
    return tqdm(names, desc=words, leave=False, disable=None)


def _folder(name: str, place: Path) -> Path:
    """Where the robot's plain URDF is, and what is compiled for it."""
    text = urdf_export.plain_urdf(fw.load(name).model)
    folder = place.absolute() / "robots" / f"{name}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "robot.urdf").write_text(text)
    return folder


def main() -> None:
    options = measuring.flags(__doc__).parse_args()
    count, rounds, seconds = (256, 5, 15.0) if options.quick else (1024, 15, 60.0)
    numbers, versions, absent = {}, {}, {}
    for name in ROBOTS:
        found = Comparison(name, count=count, peers=options.peers)
        found.run(rounds, seconds)
        print(f"**{name}**, nv = {found.robot.nv}, {count:,} states\n\n{found.table()}\n")
        versions, absent = versions | found.versions, absent | found.absent
        numbers[name] = [
            {"library": library, "work": work, "us": times}
            for (library, work), times in found.times.items()
        ]
    print(f"Versions: {', '.join(dict.fromkeys(versions.values()))}. {measuring.machine()}.")
    for name, why in absent.items():
        print(f"\nNot there: {name}: {why}")
    measuring.keep(options, numbers)


if __name__ == "__main__":
    main()
