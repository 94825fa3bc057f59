"""Predictive control in closed loop: what a prediction takes, one at each tick.

Robots trot and walk in MuJoCo, as `footwork judge` has them, told the truth, and the prediction is
made anew at each tick of 2 ms. The time is the processor's, of the subproblem alone and of all that
leads to it and follows; the first one, with everything cold, is reported apart. Then a batch of
such states, pushed at random, beside as many calls: on the same ground, and each on its own.

    python benchmarks/predictive.py
    python benchmarks/predictive.py --quick
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import measuring  # before NumPy: one thread
import numpy as np
import pinocchio as pin

import footwork as fw
from footwork import control
from footwork.control.judging import OfState
from footwork.control.predictive import predictive, solving

LONG = (
    ("go2", "trot", 1.0),
    ("anymal", "trot", 1.0),
    ("solo12", "trot", 0.8),
    ("talos", "walk", 0.4),
)
TICKS = 10_000
BATCH, ROUNDS = 64, 25
PUSH = 0.1  # of each velocity [m/s, rad/s]
RISE = 0.03  # largest height of a ground of their own [m]


class Timed:
    """A function, and the time of each call [s]."""

    def __init__(self, function: Any) -> None:
        self.function, self.times, self.kept = function, list[float](), list[Any]()

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Call it."""
        began = time.thread_time()
        found = self.function(*arguments, **named)
        self.times.append(time.thread_time() - began)
        return found

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the function."""
        return getattr(self.function, name)


def measured(name: str, gait: str, speed: float, ticks: int) -> dict[str, Any]:
    """The times of so many predictions of a robot in closed loop."""
    robot = fw.load(name)
    _, q = control.stand(robot, crouch=0.02 if gait == "walk" else 0.0)
    feet = fw.contacts.at_feet(robot, 0.7)
    whole, alone = [], []
    while sum(map(len, whole)) < ticks:
        walker = control.PredictiveGait(robot, feet, q, gait, velocity=(speed, 0.0, 0.0), every=0.0)
        inner, outer = Timed(solving.solve), Timed(walker.predictive)
        predictive.solve, walker.predictive = inner, outer  # type: ignore[assignment]
        duration = min(20.0, 2e-3 * ticks)
        found = control.judging.trial(
            robot, lambda *_, w=walker: OfState(w), velocity=(speed, 0.0, 0.0),
            duration=duration, q=q,
        )  # fmt: skip
        whole.append(outer.times)
        alone.append(inner.times)
        if not found.survived:
            break
    return {
        "robot": name, "gait": gait, "ticks": sum(map(len, whole)), "ended": found.ended,
        "first": whole[0][0], "solve": quantiles(alone), "all": quantiles(whole),
        "batch": batch_ratios(robot, feet, q, gait, speed),
    }  # fmt: skip


def quantiles(times: list[list[float]]) -> list[float]:
    """Median and 99 % of all but the first of each run [ms]."""
    every = np.concatenate([each[1:] for each in times])
    return [float(x) for x in 1e3 * np.quantile(every, (0.5, 0.99))]


def batch_ratios(robot: Any, feet: Any, q: Any, gait: str, speed: float) -> list[float]:
    """How many times as long as a batch as many calls take, the least of some rounds each.

    The robot is pushed at random after a second of its gait; all is linearised about the reference.
    First all rows have the same stances and reference, then each has its own: ground of another
    height.
    """
    walker = control.PredictiveGait(robot, feet, q, gait, velocity=(speed, 0.0, 0.0))
    motion = control.simulate(
        robot, walker, q=q, contacts=feet, duration=1.0, control_step=2e-3, engine="mujoco",
        progress=False,
    )  # fmt: skip
    state = fw.dynamics.State(robot, motion.q[-1], motion.v[-1])
    ahead = walker.ahead(state, t=float(motion.t[-1]))
    rng = np.random.default_rng(0)
    v = state.v + rng.normal(scale=PUSH, size=(BATCH, robot.nv))
    heights = rng.uniform(-RISE, RISE, BATCH)
    stances = [[ahead[0][0], *(raised(s, z) for s in ahead[0][1:])] for z in heights]
    return [
        batch_ratio(walker.predictive, state.q, v, [ahead] * BATCH, ahead),
        batch_ratio(
            walker.predictive, state.q, v, [(each, ahead[1]) for each in stances],
            (stances, [ahead[1]] * BATCH),
        ),
    ]  # fmt: skip


def batch_ratio(predictive: Any, q: Any, v: Any, each: Any, all_: Any) -> float:
    """The ratio, of rows that are told `each`, and of a batch that is told `all_`."""

    def calls() -> None:
        for k, (row, told) in enumerate(zip(v, each, strict=True)):
            state = fw.dynamics.State(predictive.robot, q, row)
            predictive(state, *told, t=-float(k))  # a time that goes back: each is a first call

    one_by_one, together = Timed(calls), Timed(lambda: predictive.batch(q, v, *all_))
    for _ in range(ROUNDS):
        one_by_one()
        together()
    return min(one_by_one.times) / min(together.times)


def raised(stance: Any, height: float) -> Any:
    """A stance on ground that is higher."""
    up = pin.SE3(np.eye(3), np.array([0.0, 0.0, height]))
    return replace(stance, places={name: up * T for name, T in stance.places.items()})


def main() -> None:
    """Measure, and print the table."""
    options = measuring.flags(__doc__).parse_args()
    asked, ticks = (LONG[:1], 200) if options.quick else (LONG, TICKS)
    found = [measured(*given, ticks) for given in asked]
    head = ["robot", "gait", "predictions", "first [ms]", "subproblem, median [ms]", "99 %"]
    head += ["all, median [ms]", "99 %", "batch, times faster", "of rows with their own ground"]
    rows = [
        [
            f["robot"], f["gait"], str(f["ticks"]), f"{1e3 * f['first']:.0f}",
            *(f"{x:.2f}" for x in (*f["solve"], *f["all"], *f["batch"])),
        ]
        for f in found
    ]  # fmt: skip
    measuring.show(options, head, rows, found)


if __name__ == "__main__":
    main()
