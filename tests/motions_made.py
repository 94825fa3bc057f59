"""Motions made for tests and pages: one that a robot can do, and one for each known fault.

`carrying()` is a G1 that squats, lifts a box of 2 kg, walks with it and puts it down: 322 samples
at 30 Hz by inverse kinematics, the ZMP beneath the feet that stand, kept in `data/carrying_g1.npz`.
The faults are those of motions taken over from people: each function returns the motion with that
fault alone; `retargeted()` has several, and most of its samples cannot be done.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from footwork import robots
from footwork.dynamics import Motion

FILE = Path(__file__).parent / "data" / "carrying_g1.npz"
RATE = 30.0  # [Hz]
SAMPLES = 322
HANDS = ("left_rubber_hand", "right_rubber_hand")
SWINGS = [(k % 2, 3.2 + 0.75 * k, 3.7 + 0.75 * k) for k in range(6)]  # side (0 left), from, to [s]


def load_g1() -> Any:
    return robots.load("g1")


def ease(t: Any, begin: float, end: float) -> Any:
    """From 0 at `begin` to 1 at `end`, minimum jerk."""
    x = np.clip((np.asarray(t, dtype=float) - begin) / (end - begin), 0.0, 1.0)
    return x**3 * (10 - 15 * x + 6 * x**2)


def hump(t: Any, begin: float, end: float) -> Any:
    """From 0 up to 1 half-way and back to 0."""
    x = np.clip((np.asarray(t, dtype=float) - begin) / (end - begin), 0.0, 1.0)
    return 64 * x**3 * (1 - x) ** 3


# ------------------------------------------------------------------ the carrying motion
def derivatives(robot: Any, t: np.ndarray, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """v and a by central differences on the manifold."""
    dt = t[1] - t[0]
    ahead = np.array([robot.difference(x, y) for x, y in pairwise(q)]) / dt
    v = np.vstack([ahead[:1] * 0, 0.5 * (ahead[1:] + ahead[:-1]), ahead[:1] * 0])
    a = np.vstack([ahead[:1] * 0, (ahead[1:] - ahead[:-1]) / dt, ahead[:1] * 0])
    return v, a


def touching(t: np.ndarray) -> np.ndarray:
    """(n, 2), whether the left and the right foot stand."""
    on = np.ones((len(t), 2), dtype=bool)
    for side, begin, end in SWINGS:
        on[(t > begin + 1e-9) & (t < end - 1e-9), side] = False
    return on


def _remade(motion: Motion, t: np.ndarray, q: np.ndarray, name: str) -> Motion:
    return Motion.of(motion.robot, t, q, cutoff=None, name=name)


def carrying(robot: Any = None) -> Motion:
    """The motion that holds: a G1 squats, lifts a box, walks with it and puts it down."""
    robot = load_g1() if robot is None else robot
    with np.load(FILE) as data:
        t, q = np.arange(SAMPLES) / RATE, data["q"].copy()
    q[:, 3:7] /= np.linalg.norm(q[:, 3:7], axis=1, keepdims=True)
    return Motion.of(robot, t, q, cutoff=None, name="carrying")


# ------------------------------------------------------------------ one fault each
def faster(motion: Motion, factor: float = 1.7) -> Motion:
    """The same samples in less time: a wrong frame rate."""
    return _remade(motion, motion.t / factor, motion.q.copy(), "too fast")


def floating(motion: Motion, height: float = 0.02) -> Motion:
    """Feet above the ground by `height` [m]."""
    q = motion.q.copy()
    q[:, 2] += height
    return _remade(motion, motion.t, q, "floating")


def sliding(motion: Motion, amplitude: float = 0.02, period: float = 2.0) -> Motion:
    """Soles that glide forward and back by `amplitude` [m], the whole body with them."""
    q = motion.q.copy()
    q[:, 0] += amplitude * np.sin(2 * np.pi * (motion.t - motion.t[0]) / period)
    return _remade(motion, motion.t, q, "sliding")


def heels_below_ground(motion: Motion, angle: float = 0.08) -> Motion:
    """Ankles turned by `angle` [rad]: of a long heel some millimetres are in the ground."""
    q = motion.q.copy()
    q[:, 7 + _joints(motion.robot, "ankle_pitch")] -= angle
    return _remade(motion, motion.t, q, "heels below ground")


def wobbling(motion: Motion, amplitude: float = 0.02) -> Motion:
    """A trunk that shakes: noise up to 4 Hz on the joints of the waist [rad, rms]."""
    q, rows = motion.q.copy(), 7 + _joints(motion.robot, "waist")
    q[:, rows] += amplitude * _noise(motion.t, len(rows))
    return _remade(motion, motion.t, q, "wobbling")


def out_of_range(motion: Motion) -> Motion:
    """An elbow bent beyond its range by 0.1 rad half-way."""
    q, row = motion.q.copy(), 7 + _joints(motion.robot, "left_elbow_joint")[0]
    upper = motion.robot._model.upperPositionLimit[row]
    q[:, row] += _there_and_back(motion.t) * (upper + 0.1 - q[:, row])
    return _remade(motion, motion.t, q, "out of range")


def arm_in_trunk(motion: Motion) -> Motion:
    """Upper arms turned inwards by 0.5 rad half-way: into the trunk."""
    q, there = motion.q.copy(), _there_and_back(motion.t)
    for row, inwards in zip(_joints(motion.robot, "shoulder_roll"), (-1, 1), strict=True):
        q[:, 7 + row] += 0.5 * inwards * there
    return _remade(motion, motion.t, q, "arms in the trunk")


def weak(robot: Any, joints: str = "knee", share: float = 0.1) -> np.ndarray:
    """Torque limits (na,) of motors that are too weak, to be given as `torque_limits`."""
    limits = np.array(robot.torque_limits)
    limits[_joints(robot, joints)] *= share
    return limits


def retargeted(robot: Any = None) -> Motion:
    """The carrying motion with the faults of motions taken over from people, all at once."""
    motion = sliding(faster(carrying(robot), 1.7))
    motion = wobbling(heels_below_ground(motion), 0.035)
    q = motion.q.copy()
    q[:, 2] += 0.004
    return _remade(motion, motion.t, q, "retargeted")


def _joints(robot: Any, word: str) -> np.ndarray:
    """Which of the joints (rows of v less 6) have this word in their names."""
    return np.array([k for k, name in enumerate(robot.joint_names) if word in name])


def _there_and_back(t: np.ndarray) -> np.ndarray:
    x = (t - t[0]) / (t[-1] - t[0])
    return np.asarray(ease(x, 0.05, 0.45) - ease(x, 0.55, 0.95))


def _noise(t: np.ndarray, width: int) -> np.ndarray:
    """(n, width), of unit root mean square, no part above 4 Hz."""
    rng = np.random.default_rng(0)
    span = t[-1] - t[0]
    waves = np.arange(1, max(2, int(4.0 * span)) + 1)
    angles = 2 * np.pi * waves[:, None] * (t - t[0]) / span
    raw = (rng.normal(size=(width, len(waves))) @ np.cos(angles)
           + rng.normal(size=(width, len(waves))) @ np.sin(angles)).T  # fmt: skip
    return np.asarray(raw / np.sqrt((raw**2).mean(axis=0)))
