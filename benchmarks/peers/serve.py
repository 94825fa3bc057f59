"""One library in a process of its own, which answers and times itself on request.

    python serve.py ENGINE FOLDER

It runs in the library's own environment, so it needs NumPy and nothing of ours. FOLDER has
robot.urdf. A line of JSON comes in, one goes out:

    {}                                              -> convention, joints (or null), version
    {"states": FILE}                                -> works: what it can do with these states
    {"work": name, "answer": FILE}                  -> the answers, N rows, written there
    {"work": name, "calls": n}                      -> seconds: CPU time a call

An engine is a file beside this one with `class Engine(folder)`: `convention`, `joints`, `version`,
and `works(q, v, a, forces) -> {name: function of nothing that returns the answers}`.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
from pathlib import Path

import numpy as np


def main() -> None:
    """Serve until standard input ends."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what the library prints is no answer
    engine = importlib.import_module(f"{sys.argv[1]}_engine").Engine(Path(sys.argv[2]))
    works = {}
    for line in sys.stdin:
        question = json.loads(line)
        answer = {}
        if "states" in question:
            saved = np.load(question["states"])
            states = (np.ascontiguousarray(saved[name]) for name in ("q", "v", "a", "forces"))
            works = engine.works(*states)
            answer["works"] = list(works)
        elif "answer" in question:
            np.save(question["answer"], np.asarray(works[question["work"]]()))
        elif "calls" in question:
            work = works[question["work"]]
            start = time.process_time()
            for _ in range(question["calls"]):
                work()
            answer["seconds"] = (time.process_time() - start) / question["calls"]
        else:
            answer = {
                "convention": engine.convention,
                "joints": engine.joints,
                "version": engine.version,
            }
        answers.write(json.dumps(answer) + "\n")


if __name__ == "__main__":
    main()
