"""The first ticks of a process find all that they need loaded."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from footwork import contacts, control
from footwork.control import gaits

SOURCES = Path(__file__).parents[1] / "src"

SCRIPT = """
import copy, sys
import numpy as np
from footwork import contacts, control, robots
from footwork.control import estimation, gaits
from footwork.control.kernels import assembly, grip, invariant, levels, minimum, predictive, touch

KERNELS = [assembly.ASSEMBLE, grip.SLIDES, levels.HIERARCHY, minimum.MINIMUM, touch.UNPLANNED]
KERNELS += [predictive.PREDICT, invariant.ESTIMATE]

def loaded():
    overloads = [overload for kernel in KERNELS for overload in kernel._overloads.values()]
    code = [overload for overload in overloads if overload._function is not None]
    return {module for module in sys.modules if "." not in module}, len(code)

robot = robots.load("solo12")
feet = contacts.at_feet(robot, 0.7)
q, v = contacts.solve_posture(robot, feet, com="inside").q, np.zeros(robot.nv)
strict = control.WholeBodyController(robot, feet, [control.PostureTask(q)], strict=True)
plain = control.WholeBodyController(robot, feet, [control.PostureTask(q)])
walk = control.WalkingController(robot, feet, q, gaits.trot(feet, q, 2, length=0.05))
ahead = control.PredictiveGait(robot, feet, q, "trot", velocity=(0.2, 0.0, 0.0))
estimator = control.Estimator(robot, feet, q)
readings = estimation.Measurements(estimator.sensors, robot, np.random.default_rng(0)).read
before = loaded()
for t in np.arange(0.0, 2.4, 0.002):
    estimator(readings(t, q, v, np.zeros(robot.na), {}))
statuses = {controller(q, v).status for controller in (strict, plain, copy.deepcopy(strict))}
statuses |= {ahead(q, v, t).status for t in np.arange(0.0, 0.2, 0.02)}
statuses |= {walk(q, v, t).status for t in np.arange(0.0, walk.plan.duration, 0.02)}
after = loaded()
statuses.add(plain(q, np.full(robot.nv, 30.0), 1.0).status)  # beyond its limits: by other solvers
print(sorted(statuses), before[1], after[1] - before[1], sorted(loaded()[0] - before[0]))
"""


def test_no_tick_loads_kernels_or_imports_modules(load_robot):
    """Not even in the command, which does without Numba for work that is done sooner so."""
    pytest.importorskip("numba")
    robot = load_robot("solo12", "floating")
    feet = contacts.at_feet(robot, 0.7)
    q = contacts.solve_posture(robot, feet, com="inside").q
    control.WalkingController(robot, feet, q, gaits.trot(feet, q, 2))  # its kernels are on disk now
    control.WholeBodyController(robot, feet, [control.PostureTask(q)], strict=True)
    control.PredictiveGait(robot, feet, q, "trot")
    control.Estimator(robot, feet, q)
    paths = os.pathsep.join([str(SOURCES), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "FOOTWORK_COMPILE": "later", "PYTHONPATH": paths}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=100, env=environment
    )
    assert done.stdout.strip() == "['optimal', 'unsafe'] 7 0 []", done.stderr
