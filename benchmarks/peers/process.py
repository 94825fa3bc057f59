"""Contenders: libraries in processes of their own that answer and time themselves on request."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin

from .environments import MissingPeerError, python_of


class Contender:
    """An engine of this folder, served by `serve.py` in the environment that has it."""

    def __init__(self, engine: str, python: Path, folder: Path) -> None:
        """Start it on the robot of FOLDER/robot.urdf."""
        serve = Path(__file__).with_name("serve.py")
        self.scratch = tempfile.TemporaryDirectory()
        self.errors = open(Path(self.scratch.name) / "errors", "w+")  # noqa: SIM115
        self.process = subprocess.Popen(
            [python, serve, engine, folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
        )
        self.about = self.ask({})

    def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        """One line there, one line back.

        Raises:
            MissingPeerError: it died; the message is the last line that it said.
        """
        try:
            self.process.stdin.write(json.dumps(question) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            self.errors.seek(0)
            words = self.errors.read().strip().splitlines() or ["it said nothing"]
            raise MissingPeerError(f"does not run: {words[-1]}")
        return json.loads(line)

    def give(self, states: dict[str, np.ndarray]) -> list[str]:
        """Hand over the states, in its own convention; return what it can do with them."""
        path = Path(self.scratch.name) / "states.npz"
        np.savez(path, **states)
        return self.ask({"states": str(path)})["works"]

    def answers(self, work: str) -> np.ndarray:
        """The answers for all states, in its own convention."""
        path = Path(self.scratch.name) / "answers.npy"
        self.ask({"work": work, "answer": str(path)})
        return np.load(path)

    def seconds(self, work: str, calls: int) -> float:
        """CPU time of a call on all states."""
        return self.ask({"work": work, "calls": calls})["seconds"]

    def close(self) -> None:
        """Let it end."""
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()
        self.errors.close()
        self.scratch.cleanup()


class PinocchioCpp:
    """Pinocchio called from C++ (pinocchio_cpp.cpp); an answer is the sum of the last result."""

    COMMANDS = {  # noqa: RUF012
        "inverse dynamics": "rnea",
        "bias": "nle",
        "mass matrix": "crba",
        "forward dynamics": "aba",
    }

    def __init__(self, program: Path, model: pin.Model) -> None:
        """Keep what it takes to start once the states are there."""
        self.program, self.model, self.process = program, model, None
        self.about = {"convention": None, "joints": None, "version": f"Pinocchio {pin.__version__}"}

    def give(self, states: dict[str, np.ndarray]) -> list[str]:
        """Start it on these states."""
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            self.model.saveToBinary(str(place / "model"))
            numbers = np.hstack([states[name] for name in ("q", "v", "a", "forces")])
            numbers.tofile(place / "states")
            self.process = subprocess.Popen(
                [self.program, place / "model", place / "states", str(len(numbers))],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            self.ask("rnea")  # it has read its files now
        return list(self.COMMANDS)

    def ask(self, command: str) -> tuple[float, float]:
        """Seconds of a command on all states, and the sum of its last answer."""
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        seconds, total = self.process.stdout.readline().split()
        return float(seconds), float(total)

    def answers(self, work: str) -> float:
        """The sum of the last state's answer, six digits of it."""
        return self.ask(self.COMMANDS[work])[1]

    def seconds(self, work: str, calls: int) -> float:
        """CPU time of a batch."""
        return sum(self.ask(self.COMMANDS[work])[0] for _ in range(calls)) / calls

    def close(self) -> None:
        """Let it end."""
        if self.process:
            self.process.stdin.close()
            self.process.wait()
            self.process.stdout.close()


def cpp_program(folder: Path | None) -> Path:
    """Return the program of pinocchio_cpp.cpp, built from the headers in Pinocchio's wheel.

    Raises:
        MissingPeerError: no folder to keep it in, no headers of Eigen, or no compiler.
    """
    eigen = python_of("cpp", folder).parents[1]
    program = eigen / f"pinocchio_cpp-{pin.__version__}"
    if not program.exists():
        print("building pinocchio_cpp: some minutes", file=sys.stderr, flush=True)
        headers = next(eigen.glob("lib/python*/site-packages/cmeel.prefix/include/eigen3"))
        build(program, headers)
    return program


def build(program: Path, eigen: Path) -> None:
    """Compile pinocchio_cpp.cpp.

    Raises:
        MissingPeerError: the compiler does not.
    """
    prefix = Path(pin.__file__).parents[4]
    source = Path(__file__).parents[1] / "pinocchio_cpp.cpp"
    limits = ("LIST_SIZE=30", "VECTOR_SIZE=30")
    call = [
        *("g++", "-O3", "-march=native", "-std=c++17", "-w", "-DNDEBUG"),
        *(f"-DBOOST_MPL_LIMIT_{limit}" for limit in limits),
        *("-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS", "-DBOOST_FUSION_INVOKE_MAX_ARITY=12"),
        *(f"-I{prefix / 'include'}", f"-I{eigen}", str(source), "-o", str(program)),
        *(f"-L{prefix / 'lib'}", "-lpinocchio_default", "-lboost_serialization"),
        *(f"-Wl,-rpath,{prefix / 'lib'}", f"-Wl,-rpath-link,{prefix / 'lib'}"),
    ]
    try:
        subprocess.run(call, check=True, capture_output=True, text=True)
    except FileNotFoundError:
        raise MissingPeerError("needs g++") from None
    except subprocess.CalledProcessError as error:
        raise MissingPeerError(f"does not build: {error.stderr.splitlines()[-1]}") from None
