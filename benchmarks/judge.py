"""Gaits and standing in the loop of `footwork judge`, for a few robots.

Trials with noise, delay, wrong masses and half of the friction that the controllers believe in, on
level ground and on boards that they are not told of; falls, speed, energy, slip, ticks.

    python benchmarks/judge.py
    python benchmarks/judge.py --quick
"""

from __future__ import annotations

from functools import partial
from typing import Any

import measuring  # before NumPy: one thread

import footwork as fw
from footwork import control

# robot, gait, speed forward [m/s], height of boards [m]
LONG = (
    *((name, "stand", 0.0, 0.0) for name in ("talos", "g1", "biped", "go2", "solo12")),
    *((name, "trot", 0.6, 0.0) for name in ("go2", "anymal", "solo12", "quadruped")),
    *((name, "trot", 0.3, 0.03) for name in ("go2", "anymal", "solo12", "quadruped")),
    ("talos", "walk", 0.6, 0.0),
    *((name, "walk", 0.4, 0.0) for name in ("g1", "biped")),
    *((name, "walk", 0.3, 0.02) for name in ("talos", "g1", "biped")),
)
QUICK = (("biped", "stand", 0.0, 0.0), ("go2", "trot", 0.3, 0.0))
CROUCH = {"walk": 0.02}  # [m]


def judged(name: str, gait: str, speed: float, boards: float, quick: bool) -> Any:
    """The judgement of a robot's gait."""
    robot = fw.load(name)
    _, q = control.stand(robot, crouch=CROUCH.get(gait, 0.0))
    make = partial(control.judging.walker, gait=gait)
    seeds, duration = (1, 1.0) if quick else (20, 10.0)
    return control.judge(
        robot, make, (speed, 0.0, 0.0), duration=duration, seeds=seeds, told=0, directions=0,
        boards=boards, q=q,
    )  # fmt: skip


def row(given: tuple[str, str, float, float], found: Any) -> list[str]:
    """A judgement as cells."""
    name, gait, speed, boards = given
    (real,) = found.rows
    return [
        name, gait, f"{speed:.1f}", f"{100 * boards:.0f}", f"{real.failed} of {real.trials}",
        f"{real.speed:.2f}", f"{real.path_error:.2f}", f"{real.cost_of_transport:.2f}",
        f"{1e3 * real.slip:.0f}", f"{1e3 * real.tick_median:.2f}",
    ]  # fmt: skip


def main() -> None:
    """Judge, and print the table."""
    options = measuring.flags(__doc__).parse_args()
    asked = QUICK if options.quick else LONG
    found = {given: judged(*given, options.quick) for given in asked}
    head = ["robot", "gait", "speed [m/s]", "boards [cm]", "failed", "reached [m/s]"]
    head += ["off path [m]", "cost of transport", "slip [mm]", "tick [ms]"]
    print(measuring.table(head, [row(*each) for each in found.items()]))
    print(f"\n{measuring.machine()}; {measuring.load()}.")
    measuring.keep(options, [each.as_dict()["rows"] for each in found.values()])


if __name__ == "__main__":
    main()
