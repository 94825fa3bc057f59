"""Motions made for tests and pages: one that a robot can do, and one for each known fault.

`carrying()` is a G1 that squats, lifts a box, walks with it and puts it down: 322 samples at 30 Hz,
kept in `data/carrying_g1.npz`, which `python tests/motions_made.py` writes. The faults are those of
motions taken over from people: each function returns the motion with that fault alone;
`retargeted()` has several, and most of its samples cannot be done.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin

from footwork import dynamics, robots
from footwork.dynamics import Motion

FILE = Path(__file__).parent / "data" / "carrying_g1.npz"
RATE = 30.0  # [Hz]
SAMPLES = 322
BOX = 2.0  # [kg]
GRASPED, RELEASED = 1.7, 9.0  # when the box hangs from the hands [s]
HANDS = ("left_rubber_hand", "right_rubber_hand")
FEET = ("left_ankle_roll_link", "right_ankle_roll_link")
GRAVITY = np.array([0.0, 0.0, 9.81])


def load_g1() -> Any:
    return robots.load("g1")


# ------------------------------------------------------------------ paths of feet, hands, trunk
def ease(t: Any, begin: float, end: float) -> Any:
    """From 0 at `begin` to 1 at `end`, minimum jerk."""
    x = np.clip((np.asarray(t, dtype=float) - begin) / (end - begin), 0.0, 1.0)
    return x**3 * (10 - 15 * x + 6 * x**2)


def hump(t: Any, begin: float, end: float) -> Any:
    """From 0 up to 1 half-way and back to 0."""
    x = np.clip((np.asarray(t, dtype=float) - begin) / (end - begin), 0.0, 1.0)
    return 64 * x**3 * (1 - x) ** 3


class Step(NamedTuple):
    side: int  # 0 left, 1 right
    begin: float
    end: float
    length: float


STEPS = [
    Step(k % 2, 3.2 + 0.75 * k, 3.2 + 0.75 * k + 0.5, length)
    for k, length in enumerate([0.15, 0.3, 0.3, 0.3, 0.3, 0.15])
]
SOLE = 0.035  # from the ankle's frame down to the sole [m]
WIDTH = 0.1185  # half the distance of the feet [m]
AHEAD = 0.03  # from the ankle to where the foot is loaded [m]


def foot_path(t: np.ndarray, side: int) -> np.ndarray:
    """(n, 3), of the ankle's frame [m]."""
    path = np.tile([0.0, WIDTH * (1 - 2 * side), SOLE], (len(t), 1))
    for step in STEPS:
        if step.side == side:
            path[:, 0] += step.length * ease(t, step.begin, step.end)
            path[:, 2] += 0.05 * hump(t, step.begin, step.end)
    return path


def zmp_path(t: np.ndarray) -> np.ndarray:
    """(n, 2), under the foot that carries, moved between the steps [m]."""
    feet = [foot_path(t, side)[:, :2] + [AHEAD, 0.0] for side in (0, 1)]
    share = np.full(len(t), 0.5)  # on the left foot
    before, last = 2.8, 0.5
    for step in STEPS:
        goal = float(step.side == 1)
        share += (goal - last) * ease(t, before, step.begin)
        before, last = step.end, goal
    share += (0.5 - last) * ease(t, before, before + 0.4)
    return share[:, None] * feet[0] + (1 - share[:, None]) * feet[1]


def crouch(t: Any) -> Any:
    """From 0, standing, to 1, squatting."""
    return ease(t, 0.3, 1.5) - ease(t, 1.9, 3.0) + ease(t, 7.7, 8.8) - ease(t, 9.2, 10.4)


def com_path(t: np.ndarray, zmp: np.ndarray, height: np.ndarray) -> np.ndarray:
    """(n, 2): the solution of c − z/(g + z̈) c̈ = p that stays bounded [m]."""
    dt = t[1] - t[0]
    lift = np.gradient(np.gradient(height, dt), dt)
    k = height / (GRAVITY[2] + lift) / dt**2
    A = np.diag(1 + 2 * k) - np.diag(k[:-1], 1) - np.diag(k[1:], -1)
    A[0, 0] -= k[0]  # at rest at both ends
    A[-1, -1] -= k[-1]
    return np.linalg.solve(A, zmp)


# ------------------------------------------------------------------ inverse kinematics
class Targets(NamedTuple):
    feet: list[Any]
    hands: list[Any]
    trunk: Any  # rotation of the torso
    height: float  # of the pelvis [m]
    com: np.ndarray  # (2,)


def targets(t: np.ndarray, com: np.ndarray) -> list[Targets]:
    down = crouch(t)
    height = 0.745 - 0.24 * down
    feet = [foot_path(t, side) for side in (0, 1)]
    middle = com[:, 0] * 0.5 + 0.25 * (feet[0][:, 0] + feet[1][:, 0])
    ahead = middle + 0.27 + 0.06 * down
    up = height + 0.16 - 0.14 * down
    reach = ease(t, 0.3, 1.2) - ease(t, 9.4, 10.6)
    found = []
    for k in range(len(t)):
        hands = []
        for side in (1, -1):
            across = 0.9 * com[k, 1] + side * (0.15 + 0.04 * (1 - reach[k]))
            place = np.array([ahead[k], across, up[k]])
            place += (1 - reach[k]) * np.array([-0.12, 0.0, -0.13])
            hands.append(pin.SE3(np.eye(3), place))
        lean = pin.exp3(np.array([0.0, 0.12 + 0.45 * down[k], 0.0]))
        on_feet = [pin.SE3(np.eye(3), path[k]) for path in feet]
        found.append(Targets(on_feet, hands, lean, float(height[k]), com[k]))
    return found


def solve(robot: Any, wanted: list[Targets], q: np.ndarray, carried: np.ndarray) -> np.ndarray:
    """(n, nq), by Gauss-Newton steps from sample to sample."""
    rest, rows = robot.posture(), []
    for goal, mass in zip(wanted, carried, strict=True):
        for _ in range(12 if not rows else 5):
            q = robot.integrate(q, _newton(robot, q, goal, rest, mass))
        rows.append(q)
    return np.array(rows)


def _newton(robot: Any, q: np.ndarray, goal: Targets, rest: np.ndarray, mass: float) -> np.ndarray:
    model = robot._model
    data = _data(model)
    pin.computeJointJacobians(model, data, q)
    pin.framesForwardKinematics(model, data, q)
    J, r = [], []

    def pose(name: str, target: Any, weights: list[float]) -> None:
        k = model.getFrameId(name, pin.FrameType.BODY)
        error = data.oMf[k].actInv(target)
        W = np.array(weights)
        J.append(W[:, None] * np.array(pin.getFrameJacobian(model, data, k, pin.LOCAL)))
        r.append(W * pin.log6(error).vector)

    for name, target in zip(FEET, goal.feet, strict=True):
        pose(name, target, [300.0] * 6)
    for name, target in zip(HANDS, goal.hands, strict=True):
        pose(name, target, [30.0] * 3 + [1.0] * 3)
    pose("torso_link", pin.SE3(goal.trunk, data.oMf[model.getFrameId("torso_link")].translation),
         [0.0] * 3 + [10.0] * 3)  # fmt: skip
    com = np.array(pin.centerOfMass(model, data, q))
    J_com = np.array(pin.jacobianCenterOfMass(model, data, q))
    for name in HANDS:  # the box is part of the body that balances
        k = model.getFrameId(name, pin.FrameType.BODY)
        share = 0.5 * mass / (robot.mass + mass)
        com = com + share * (data.oMf[k].translation - np.array(data.com[0]))
        at_hand = np.array(pin.getFrameJacobian(model, data, k, pin.LOCAL_WORLD_ALIGNED))[:3]
        J_com = J_com + share * (at_hand - np.array(data.Jcom))
    J.append(200.0 * J_com[:2])
    r.append(200.0 * (goal.com - com[:2]))
    R = pin.Quaternion(q[3:7]).toRotationMatrix()
    J.append(np.hstack([100.0 * R[2:3], np.zeros((1, robot.nv - 3))]))
    r.append(np.array([100.0 * (goal.height - q[2])]))
    calm = np.concatenate([[0.0] * 3, [3.0] * 3, np.full(robot.na, 0.6)])
    calm[4], calm[6 + 12 : 6 + 15] = 0.5, 4.0  # the hips bend, not the waist
    rest = rest.copy()
    rest[[7 + 16, 7 + 23]] = 0.35, -0.35  # elbows away from the trunk
    J.append(np.diag(calm))
    r.append(-calm * robot.difference(rest, q))
    A, b = np.vstack(J), np.concatenate(r)
    return np.linalg.solve(A.T @ A + 1e-6 * np.eye(robot.nv), A.T @ b)


_DATA: dict[int, Any] = {}


def _data(model: Any) -> Any:
    return _DATA.setdefault(id(model), model.createData())


# ------------------------------------------------------------------ the carrying motion
def derivatives(robot: Any, t: np.ndarray, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """v and a by central differences on the manifold."""
    dt = t[1] - t[0]
    ahead = np.array([robot.difference(x, y) for x, y in pairwise(q)]) / dt
    v = np.vstack([ahead[:1] * 0, 0.5 * (ahead[1:] + ahead[:-1]), ahead[:1] * 0])
    a = np.vstack([ahead[:1] * 0, (ahead[1:] - ahead[:-1]) / dt, ahead[:1] * 0])
    return v, a


def box_forces(robot: Any, t: np.ndarray, q: np.ndarray) -> np.ndarray:
    """(n, 2, 3), of the box on each hand, half of its weight and inertia, world axes [N]."""
    held = carried(t)
    dt = t[1] - t[0]
    out = np.zeros((len(t), 2, 3))
    for side, name in enumerate(HANDS):
        p = dynamics.batch.frame_placement(robot, q, name)[:, :3, 3]
        a = np.gradient(np.gradient(p, dt, axis=0), dt, axis=0)
        out[:, side] = -0.5 * held[:, None] * (a + GRAVITY)
    return out


def carried(t: np.ndarray) -> np.ndarray:
    """(n,), the mass in the hands [kg]; taken and left within 0.2 s."""
    return BOX * (ease(t, GRASPED, GRASPED + 0.2) - ease(t, RELEASED - 0.2, RELEASED))


def make_carrying(robot: Any, rounds: int = 4) -> np.ndarray:
    """(n, nq): inverse kinematics, and the ZMP of the result corrected some times."""
    t = np.arange(SAMPLES) / RATE
    wanted, height = zmp_path(t), 0.66 - 0.2 * crouch(t)
    asked, q = wanted.copy(), robot.posture()
    for _ in range(rounds):
        rows = solve(robot, targets(t, com_path(t, asked, height)), q, carried(t))
        asked = asked + 0.8 * (wanted - zmp_of(robot, t, rows))
    return rows


def zmp_of(robot: Any, t: np.ndarray, q: np.ndarray) -> np.ndarray:
    """(n, 2), from the wrench that the ground has to give, of robot and box [m]."""
    v, a = derivatives(robot, t, q)
    tau = dynamics.batch.inverse_dynamics(robot, q, v, a)
    forces, out = box_forces(robot, t, q), np.zeros((len(t), 2))
    for k in range(len(t)):
        R = pin.Quaternion(q[k, 3:7]).toRotationMatrix()
        f, m = R @ tau[k, :3], R @ tau[k, 3:6]
        m = m + np.cross(q[k, :3], f)
        for side, name in enumerate(HANDS):
            p = dynamics.frame_placement(robot, q[k], name).translation
            f, m = f - forces[k, side], m - np.cross(p, forces[k, side])
        out[k] = -m[1] / f[2], m[0] / f[2]
    return out


def touching(t: np.ndarray) -> np.ndarray:
    """(n, 2), whether the left and the right foot stand."""
    on = np.ones((len(t), 2), dtype=bool)
    for step in STEPS:
        on[(t > step.begin + 1e-9) & (t < step.end - 1e-9), step.side] = False
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


def wobbling(motion: Motion, amplitude: float = 0.02, cutoff: float = 4.0, seed: int = 0) -> Motion:
    """A trunk that shakes: noise up to `cutoff` [Hz] on the joints of the waist [rad, rms]."""
    q, rows = motion.q.copy(), 7 + _joints(motion.robot, "waist")
    q[:, rows] += amplitude * _noise(motion.t, len(rows), cutoff, seed)
    return _remade(motion, motion.t, q, "wobbling")


def out_of_range(motion: Motion, joint: str = "left_elbow_joint", by: float = 0.1) -> Motion:
    """A joint bent beyond its range by `by` [rad] half-way."""
    q, row = motion.q.copy(), 7 + _joints(motion.robot, joint)[0]
    upper = motion.robot._model.upperPositionLimit[row]
    there = _there_and_back(motion.t)
    q[:, row] += there * (upper + by - q[:, row])
    return _remade(motion, motion.t, q, "out of range")


def arm_in_trunk(motion: Motion, angle: float = 0.5) -> Motion:
    """Upper arms turned inwards by `angle` [rad] half-way: into the trunk."""
    q, there = motion.q.copy(), _there_and_back(motion.t)
    for row, inwards in zip(_joints(motion.robot, "shoulder_roll"), (-1, 1), strict=True):
        q[:, 7 + row] += inwards * angle * there
    return _remade(motion, motion.t, q, "arms in the trunk")


def weak(robot: Any, joints: str = "knee", share: float = 0.1) -> np.ndarray:
    """Torque limits (na,) of motors that are too weak, to be given as `torque_limits`."""
    limits = np.array(robot.torque_limits)
    limits[_joints(robot, joints)] *= share
    return limits


def retargeted(robot: Any = None, factor: float = 1.7, shake: float = 0.035) -> Motion:
    """The carrying motion with the faults of motions taken over from people, all at once."""
    motion = faster(carrying(robot), factor)
    motion = wobbling(heels_below_ground(sliding(motion)), shake)
    q = motion.q.copy()
    q[:, 2] += 0.004
    return _remade(motion, motion.t, q, "retargeted")


FAULTS: list[Callable[[Motion], Motion]] = [
    faster, floating, sliding, heels_below_ground, wobbling, out_of_range, arm_in_trunk,
]  # fmt: skip


def _joints(robot: Any, word: str) -> np.ndarray:
    """Which of the joints (rows of v less 6) have this word in their names."""
    return np.array([k for k, name in enumerate(robot.joint_names) if word in name])


def _there_and_back(t: np.ndarray) -> np.ndarray:
    x = (t - t[0]) / (t[-1] - t[0])
    return np.asarray(ease(x, 0.05, 0.45) - ease(x, 0.55, 0.95))


def _noise(t: np.ndarray, width: int, cutoff: float, seed: int) -> np.ndarray:
    """(n, width), of unit root mean square, no part above `cutoff` [Hz]."""
    rng = np.random.default_rng(seed)
    span = t[-1] - t[0]
    waves = np.arange(1, max(2, int(cutoff * span)) + 1)
    angles = 2 * np.pi * waves[:, None] * (t - t[0]) / span
    raw = (rng.normal(size=(width, len(waves))) @ np.cos(angles)
           + rng.normal(size=(width, len(waves))) @ np.sin(angles)).T  # fmt: skip
    return np.asarray(raw / np.sqrt((raw**2).mean(axis=0)))


if __name__ == "__main__":
    np.savez_compressed(FILE, q=np.round(make_carrying(load_g1()), 8))
