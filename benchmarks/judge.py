"""Gaits and standing in the loop of `footwork judge`, for a few robots.

Trials with noise, delay, wrong masses and half of the friction that the controllers believe in, on
level ground, on boards and up ramps that they are not told of, and pushed; gaits that are told
their state, and predicted ones on what an estimator makes of sensors; falls, speed, energy, ticks.

    python benchmarks/judge.py
    python benchmarks/judge.py --quick
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import measuring  # before NumPy: one thread

import footwork as fw
from footwork import control
from footwork.commands.simulate import CROUCH


class Asked(NamedTuple):
    """A robot's gait: speed forward [m/s], turn [rad/s], height of boards [m], ramp [degrees], each
    trial's push [m/s] and whether it goes to the side; whether it is predicted, on an estimate."""

    name: str
    gait: str
    speed: float = 0.0
    turn: float = 0.0
    boards: float = 0.0
    ramp: float = 0.0
    shove: float = 0.0
    aside: bool = False
    predicted: bool = False


QUADRUPEDS, BIPEDS = ("go2", "anymal", "solo12", "quadruped"), ("talos", "g1", "biped")
LONG = (
    *(Asked(name, "stand") for name in (*BIPEDS, "go2", "solo12")),
    *(Asked(name, "trot", 0.6) for name in QUADRUPEDS),
    *(Asked(name, "trot", 0.3, boards=0.03) for name in QUADRUPEDS),
    *(Asked(name, "trot", 0.3, ramp=10.0) for name in QUADRUPEDS),
    Asked("go2", "trot", 0.3, turn=0.5),
    *(Asked(name, "walk", 0.6 if name == "talos" else 0.4) for name in BIPEDS),
    *(Asked(name, "walk", 0.3, boards=0.02) for name in BIPEDS),
    *(Asked(name, "walk", 0.3, ramp=10.0) for name in BIPEDS),
    *(Asked(name, "walk", 0.3 if name == "talos" else 0.2, turn=0.5) for name in BIPEDS),
    *(Asked(name, "walk", 0.3, shove=0.4, aside=True) for name in BIPEDS),
    *(Asked(name, "trot", 1.5, predicted=True) for name in ("go2", "anymal")),
    *(Asked(name, "trot", 1.0, predicted=True) for name in ("solo12", "quadruped")),
    *(Asked(name, "trot", 0.5, boards=0.06, predicted=True) for name in QUADRUPEDS),
    *(Asked(name, "trot", 0.5, shove=1.0, predicted=True) for name in QUADRUPEDS),
    *(Asked(name, "walk", 0.8 if name == "talos" else 0.6, predicted=True) for name in BIPEDS),
    *(Asked(name, "walk", 0.3, boards=0.04, predicted=True) for name in BIPEDS),
    *(Asked(name, "walk", 0.3, shove=0.5, aside=True, predicted=True) for name in BIPEDS),
)
QUICK = (Asked("biped", "stand"), Asked("go2", "trot", 0.3))


def judged(asked: Asked, quick: bool) -> Any:
    """The judgement of a robot's gait."""
    robot = fw.load(asked.name)
    _, q = control.stand(robot, crouch=CROUCH.get(asked.gait, 0.0))
    sensors = control.Sensors() if asked.predicted else None
    make = partial(
        control.judging.walker, gait=asked.gait, predictive=asked.predicted, sensors=sensors
    )
    seeds, duration = (1, 1.0) if quick else (20, 10.0)
    return control.judge(
        robot, make, (asked.speed, 0.0, asked.turn), duration=duration, seeds=seeds, told=0,
        directions=0, boards=asked.boards, ramp=asked.ramp, shove=asked.shove,
        headings=(90.0, -90.0) if asked.aside else None, sensors=sensors, q=q,
    )  # fmt: skip


def row(asked: Asked, found: Any) -> list[str]:
    """A judgement as cells."""
    (real,) = found.rows
    return [
        asked.name, asked.gait, f"{asked.speed:.1f}", f"{asked.turn:.1f}",
        f"{100 * asked.boards:.0f}", f"{asked.ramp:.0f}",
        f"{asked.shove:.1f}{' aside' if asked.aside else ''}",
        "predicted, on an estimate" if asked.predicted else "told its state",
        f"{real.failed} of {real.trials}",
        f"{real.speed:.2f}", f"{real.path_error:.2f}", f"{real.cost_of_transport:.2f}",
        f"{1e3 * real.slip:.0f}", f"{1e3 * real.tick_median:.2f}",
    ]  # fmt: skip


def main() -> None:
    """Judge, and print the table."""
    options = measuring.flags(__doc__).parse_args()
    found = {asked: judged(asked, options.quick) for asked in (QUICK if options.quick else LONG)}
    head = ["robot", "gait", "speed [m/s]", "turn [rad/s]", "boards [cm]", "ramp [degrees]"]
    head += ["push [m/s]", "controller", "failed", "reached [m/s]"]
    head += ["off path [m]", "cost of transport", "slip [mm]", "tick [ms]"]
    rows = [row(*each) for each in found.items()]
    measuring.show(options, head, rows, [each.as_dict()["rows"] for each in found.values()])


if __name__ == "__main__":
    main()
