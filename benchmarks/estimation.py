"""State estimation in closed loop: what an estimate takes, and what it is wrong by.

Robots trot and walk in MuJoCo on the estimate of their own IMU, encoders and torques. The time is
the processor's, of each call of the estimator; beside it, of the same run, that of Pinocchio's own
functions for what an estimate needs of the model, `computeJointJacobians` and `rnea`. Contact
forces from the same readings (`control.contact_wrenches`) are compared with those of the ground.

    python benchmarks/estimation.py
    python benchmarks/estimation.py --quick
"""

from __future__ import annotations

import time
from typing import Any

import measuring  # before NumPy: one thread
import numpy as np
import pinocchio as pin
import scipy

import footwork as fw
from footwork import control
from footwork.control.estimation.momentum_residual import gaussian

LONG = (
    ("go2", "trot", 0.5),
    ("anymal", "trot", 0.5),
    ("solo12", "trot", 0.5),
    ("talos", "walk", 0.4),
    ("g1", "walk", 0.3),
)
SEEDS, DURATION = 5, 8.0


class Timed:
    """An estimator, and the time of each call, its own and that of the bare functions [s]."""

    def __init__(self, estimator: control.Estimator) -> None:
        self.estimator, self.model = estimator, estimator.robot.model
        self.data, self.rest = self.model.createData(), np.zeros(self.model.nv)
        self.times, self.bare = list[float](), list[float]()

    def __call__(self, readings: control.Readings) -> control.Estimate:
        """Return the estimate."""
        began = time.thread_time()
        found = self.estimator(readings)
        ended = time.thread_time()
        pin.computeJointJacobians(self.model, self.data, found.q)
        pin.rnea(self.model, self.data, found.q, found.v, self.rest)
        self.times.append(ended - began)
        self.bare.append(time.thread_time() - ended)
        return found


def of_forces(run: control.ClosedLoop) -> tuple[float, float, float]:
    """The largest rms error of a contact's force along an axis, as a share of the weight: beside
    the ground's force, and beside what the filter leaves of it; and the time for a second of
    readings [s].
    """
    began = time.thread_time()
    found = control.contact_wrenches(run.log, run.contacts, start=run.q[0], progress=False)
    took = (time.thread_time() - began) / found.duration
    weights, errors = gaussian(found.rate, found.cutoff), []
    for name, f in found.forces.items():
        truth = run.forces[name].sum(axis=1)[: len(found)]
        alike = scipy.ndimage.convolve1d(truth, weights, axis=0, mode="reflect")
        errors.append([np.sqrt(((f - of) ** 2).mean(axis=0)) for of in (truth, alike)])
    whole, below = np.max(errors, axis=(0, 2)) / (run.robot.mass * 9.81)
    return float(whole), float(below), took


def measured(name: str, gait: str, speed: float, seeds: int, duration: float) -> dict[str, Any]:
    """Times and errors of a robot's estimates."""
    robot = fw.load(name)
    _, q = control.stand(robot, crouch=0.02 if gait == "walk" else 0.0)
    feet = fw.contacts.at_feet(robot, 0.7)
    runs, clocks = [], []
    for seed in range(seeds):
        clock = Timed(control.Estimator(robot, feet, q))
        walker = control.judging.walker(robot, q, (speed, 0.0, 0.0), gait=gait).controller
        run = control.simulate(
            robot, walker, duration=duration, step=5e-4, control_step=2e-3, q=q, contacts=feet,
            sensors=clock.estimator.sensors, estimator=clock, seed=seed, engine="mujoco",
            progress=False,
        )  # fmt: skip
        runs.append(run)
        clocks.append(clock)
    times = np.concatenate([clock.times[1:] for clock in clocks])
    whole, below, took = np.array([of_forces(run) for run in runs]).T
    speeds = np.concatenate([run.estimate_errors["velocity"] for run in runs])
    return {
        "robot": name, "gait": gait, "fell": sum(run.fell for run in runs), "runs": seeds,
        "tick": [float(x) for x in 1e6 * np.quantile(times, (0.5, 0.99))],
        "ratio": float(np.median(times) / np.median([x for c in clocks for x in c.bare])),
        "drift": float(np.mean([run.drift for run in runs])),
        "velocity": float(np.sqrt((speeds**2).mean())),
        "forces": [float(whole.mean()), float(below.mean())], "took": float(np.median(took)),
    }  # fmt: skip


def main() -> None:
    """Measure, and print the table."""
    options = measuring.flags(__doc__).parse_args()
    asked = LONG[:1] if options.quick else LONG
    seeds, duration = (1, 3.0) if options.quick else (SEEDS, DURATION)
    found = [measured(*given, seeds, duration) for given in asked]
    head = ["robot", "gait", "falls", "estimate, median [µs]", "99 %", "× Pinocchio's part"]
    head += [
        "drift [%]",
        "velocity, rms [mm/s]",
        "forces, rms [% of weight]",
        "below 30 Hz",
        "s per s of log",
    ]
    rows = [
        [
            f["robot"], f["gait"], f"{f['fell']} of {f['runs']}",
            *(f"{x:.0f}" for x in f["tick"]), f"{f['ratio']:.1f}",
            f"{100 * f['drift']:.2f}", f"{1e3 * f['velocity']:.1f}",
            *(f"{100 * x:.2f}" for x in f["forces"]), f"{f['took']:.2f}",
        ]
        for f in found
    ]  # fmt: skip
    measuring.show(options, head, rows, found)


if __name__ == "__main__":
    main()
