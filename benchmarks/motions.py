"""Verdicts along a motion: G1, corners of its soles that come and go, and its audit.

    OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python benchmarks/motions.py [--quick]

106,000 frames (35 minutes at 50 Hz, with --quick a twentieth): joints and base move by a few sines,
feet roll from heel to toe in seven patterns of touching corners. CPU time of both threads together;
one by one a few frames are asked.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable

import measuring
import numpy as np

import footwork as fw
from footwork import Robot, contacts
from footwork.contacts import batch
from footwork.contacts.schedules.schedule import ContactSchedule
from footwork.dynamics.motions.motion import Motion

FRAMES, RATE, ALONE = 106_000, 50.0, 40
STEPS = [  # corners of the left sole, then of the right one
    ([0, 1, 2, 3], [0, 1, 2, 3]),
    ([0, 1, 2, 3], [0, 1]),
    ([0, 1, 2, 3], []),
    ([0, 1, 2, 3], [2, 3]),
    ([0, 1], [0, 1, 2, 3]),
    ([], [0, 1, 2, 3]),
    ([2, 3], [0, 1, 2, 3]),
]


def sines(robot: Robot, count: int) -> Motion:
    """About the posture to stand in, each joint by five sines of up to 0.8 Hz."""
    rng, t = np.random.default_rng(0), np.arange(count) / RATE
    d, v, a = (np.zeros((count, robot.nv)) for _ in range(3))
    for _ in range(5):
        w, phase = 2 * np.pi * rng.uniform(0.1, 0.8), rng.uniform(0, 2 * np.pi, robot.nv)
        size = 0.02 * rng.standard_normal(robot.nv)
        size[:6] *= 0.3
        angle = w * t[:, None] + phase
        d += size * np.sin(angle)
        v += w * size * np.cos(angle)
        a -= w**2 * size * np.sin(angle)
    q = np.array([robot.integrate(robot.posture(), step) for step in d])
    return Motion(robot, t, q, v, a)


def rolling(motion: Motion) -> ContactSchedule:
    """Patterns of corners, each for 80 to 280 ms, half of them on both soles."""
    corners, rng = contacts.at_corners(motion.robot), np.random.default_rng(1)
    touching, i = np.zeros((len(motion), len(corners)), dtype=bool), 0
    while i < len(motion):
        left, right = STEPS[0] if rng.random() < 0.5 else STEPS[rng.integers(len(STEPS))]
        stop = i + int(rng.integers(4, 15))
        touching[i:stop, [*left, *(4 + k for k in right)]] = True
        i = stop
    return ContactSchedule(corners, motion.t, touching, np.ones(touching.shape))


def one_by_one(motion: Motion, schedule: ContactSchedule) -> None:
    """Margin, forces and torque margin of some frames, each by itself."""
    for i in np.linspace(0, len(motion) - 1, ALONE).astype(int):
        some = [c for c, on in zip(schedule.contacts, schedule.touching[i], strict=True) if on]
        state = motion.q[i], motion.v[i], motion.a[i]
        _ = contacts.contact_forces(motion.robot, *state, some).torque_margin


def collisions_one_by_one(motion: Motion) -> None:
    """Self-collision of some frames, each by itself."""
    for q in motion.q[:: len(motion) // ALONE][:ALONE]:
        contacts.self_collisions(motion.robot, q)


def works(motion: Motion, schedule: ContactSchedule) -> dict[str, tuple[Callable[[], object], int]]:
    """{what: what is measured, of how many frames}."""
    asked = motion.robot, motion.q, motion.v, motion.a, schedule.contacts
    active, many = {"active": schedule.touching, "threads": 2}, len(motion)
    found = batch.contact_forces(*asked, torque_margin=True, **active)
    return {
        "contact_forces one by one, with torque margins": (
            lambda: one_by_one(motion, schedule),
            ALONE,
        ),
        "batch.contact_forces: verdicts, margins, forces or certificates": (
            lambda: batch.contact_forces(*asked, **active),
            many,
        ),
        "the same with torque margins": (
            lambda: batch.contact_forces(*asked, torque_margin=True, **active),
            many,
        ),
        "batch.causes of those that do not hold": (lambda: batch.causes(found, threads=2), many),
        "contacts.audit without self-collision": (
            lambda: contacts.audit(motion, schedule, self_collision=False, threads=2),
            many,
        ),
        "self_collisions one by one": (lambda: collisions_one_by_one(motion), ALONE),
        "batch.self_collisions": (
            lambda: batch.self_collisions(motion.robot, motion.q, threads=2),
            many,
        ),
    }


def first(motion: Motion, schedule: ContactSchedule, count: int) -> tuple[Motion, ContactSchedule]:
    """The first frames."""
    t, touching = motion.t[:count], schedule.touching[:count]
    short = Motion(motion.robot, t, motion.q[:count], motion.v[:count], motion.a[:count])
    return short, ContactSchedule(schedule.contacts, t, touching, np.ones(touching.shape))


def main() -> None:
    """Measure, and print a table."""
    options = measuring.flags(__doc__).parse_args()
    rounds, count = 3, FRAMES // 20 if options.quick else FRAMES
    motion = sines(fw.load("g1"), count)
    schedule = rolling(motion)
    for work, _ in works(*first(motion, schedule, 2000)).values():  # kernels are loaded
        work()
    asked = works(motion, schedule)
    clocks = {
        name: lambda work=work, frames=frames: 1e6 * measuring.cpu(work) / frames
        for name, (work, frames) in asked.items()
    }
    times = measuring.take_turns(clocks, rounds)
    rows = []
    for name, found in times.items():
        whole = f"{measuring.number(statistics.median(found) * count / 1e6)} s"
        rows.append([name, measuring.with_spread(found), whole])
    head = [f"G1, {count:,} frames", "µs a frame", "all frames"]
    print(f"{measuring.table(head, rows)}\n")
    print(f"{measuring.machine()}, {measuring.versions('numba', 'coal')}")
    measuring.keep(options, times)


if __name__ == "__main__":
    main()
