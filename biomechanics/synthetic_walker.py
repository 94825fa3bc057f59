"""Synthetic walker with known joint wrenches, to test gait analysis.

A robot with the segments of `body_model` moves by harmonics: joint angles interpolate ten values
per stride of level walking; the pelvis moves forward over the stance foot, sways, yaws and rolls;
velocities and accelerations are analytical derivatives. The Newton-Euler equations
determine the total ground reaction, which is distributed to two feet such that each has a centre of
pressure near it. Markers are attached where `anatomical_frames` expects them. Measurements and
joint wrenches are both exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pinocchio as pin

from ..arrays import Array
from ..dynamics.equations import inverse_dynamics
from ..dynamics.kinematics import frame_placement
from ..dynamics.motions.differences import as_rate
from ..dynamics.spatial import rotations
from ..robots.robot import Robot
from ..robots.values import number, whole_number
from .axes import turning, up_vector
from .body_model import leg_segments, upper_body_segment
from .body_segment_tables import body_segment
from .lab.force_plates import ForcePlate
from .lab.trial import Trial
from .markers.marker_sets import BOTH_LEGS, OUTWARDS, SIDES
from .markers.markers import Markers
from .series.vectors import cross, turn
from .series.wrenches import WrenchSeries

# from the mid-hips to the iliac spines, consistent with Harrington's regression
_WIDTH, _DEPTH = 0.25, 0.15
_FRONT = np.array([0.24 * _DEPTH + 0.0099, 0.30 * _WIDTH + 0.0109, 0.0])
_HALF_HIPS = 0.33 * _WIDTH + 0.0073
_HEEL = np.array([-0.06, -0.05, 0.0])


@dataclass(frozen=True, eq=False, repr=False)
class SyntheticWalk:
    """Synthetic walking trial with known forces.

    Attributes:
        robot: the walker; z is up.
        rate: frames a second [Hz].
        q: (n, nq) configurations.
        v: (n, nv) velocities.
        a: (n, nv) accelerations.
        ground: {link: WrenchSeries} of the ground on the feet, world axes.
        attachments: {marker: (link, position on it (3,))}.
        mass: [kg].
    """

    robot: Robot
    rate: float
    q: Array
    v: Array
    a: Array
    ground: dict[str, WrenchSeries]
    attachments: dict[str, tuple[str, Array]]
    mass: float

    def trial(self, up: str = "y") -> Trial:
        """Return the measurements: markers, and a plate for each foot."""
        markers = np.empty((len(self.q), len(self.attachments), 3))
        for i, q in enumerate(self.q):
            placed = {
                link: frame_placement(self.robot, q, link)
                for link in {link for link, _ in self.attachments.values()}
            }
            markers[i] = [placed[link].act(p) for link, p in self.attachments.values()]
        plates = tuple(
            ForcePlate(foot, w.force, w.moment, w.point[0], self.rate, "z", threshold=0.0)
            for foot, w in self.ground.items()
        )
        measured = Markers(tuple(self.attachments), markers, self.rate, "z")
        return Trial(measured, plates, "walker").turned(up)

    def __repr__(self) -> str:
        return f"SyntheticWalk({self.mass:g} kg, {len(self.q)} frames at {self.rate:g} Hz)"


def synthetic_walk(
    mass: float = 70.0, sex: str = "male", rate: float = 400.0, strides: int = 2
) -> SyntheticWalk:
    """Return a synthetic walk with one stride per second.

    Args:
        mass: of the walker [kg].
        sex: of the body segment table: "male" or "female".
        rate: frames a second [Hz], whole.
        strides: number of strides.

    Raises:
        ConfigurationError: an invalid mass, rate or number of strides, or no such table.
    """
    rate = as_rate(rate)
    strides = whole_number(strides, "strides", at_least=1)
    robot = _robot(number(mass, "mass", above=0, unit="[kg]"), sex)
    t = np.arange(round(strides * rate) + 1) / rate
    q, v, a = walking_motion(robot, t)
    return SyntheticWalk(robot, rate, q, v, a, _ground(robot, t, q, v, a), _attachments(sex), mass)


def _lengths(sex: str) -> tuple[float, float]:
    return body_segment("thigh", sex).length, body_segment("shank", sex).length


def _robot(mass: float, sex: str) -> Robot:
    """Return a robot: pelvis with trunk, hips with three axes, knees with one, ankles with two."""
    model = pin.Model()
    model.name = "walker"
    trunk = upper_body_segment(1.0, mass, sex)
    base = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "root_joint")
    _carry(model, base, trunk)
    thigh, shank = _lengths(sex)
    for side in SIDES:
        parts = leg_segments(side, thigh, shank, _HEEL, mass, sex)
        at = np.array([0.0, 0.0, OUTWARDS[side] * _HALF_HIPS])
        parent = base
        for part, name, turns in zip(
            parts, ("hip", "knee", "ankle"), ("ZXY", "Z", "ZX"), strict=True
        ):
            for turn_about in turns:
                kind = getattr(pin, f"JointModelR{turn_about}")()
                joint_name = f"{side} {name} {turn_about.lower()}"
                parent = model.addJoint(parent, kind, pin.SE3(np.eye(3), at), joint_name)
                at = np.zeros(3)
            _carry(model, parent, part)
            at = np.array([0.0, -(thigh if name == "hip" else shank), 0.0])
    return Robot("walker", model, actuated=tuple(model.names)[2:])


def _carry(model: Any, joint: int, segment: Any) -> None:
    inertia = pin.Inertia(segment.mass, segment.com, segment.inertia)
    model.appendBodyToJoint(joint, inertia, pin.SE3.Identity())
    kind = pin.FrameType.BODY
    model.addFrame(pin.Frame(segment.name, joint, pin.SE3.Identity(), kind))


def _ground(robot: Robot, t: Array, q: Array, v: Array, a: Array) -> dict[str, WrenchSeries]:
    """Return {foot: ground reaction}: fractions w and 1 − w of the total wrench.

    The total force F acts at the point z of the ground where its moment is vertical (the ZMP); w F
    at z + (1 − w) d and (1 − w) F at z − w d, d from the left foot to the right one, are the same.
    """
    needed = np.array([inverse_dynamics(robot, *x)[:6] for x in zip(q, v, a, strict=True)])
    R = rotations(q[:, 3:7])
    total = WrenchSeries(turn(R, needed[:, :3]), turn(R, needed[:, 3:]), q[:, :3])
    plate = ForcePlate("all", total.force, total.at(np.zeros(3)).moment, np.zeros(3), 1.0, "z", 0.0)
    z, free = plate.centre_of_pressure, plate.free_moment[:, None] * up_vector("z")
    feet = {side: _places(robot, q, f"{side} foot") for side in SIDES}
    d = (feet["right"] - feet["left"]) * [1.0, 1.0, 0.0]
    w = _share(t)[:, None]
    return {
        "right foot": WrenchSeries(w * total.force, w * free, z + (1 - w) * d).at(np.zeros(3)),
        "left foot": WrenchSeries((1 - w) * total.force, (1 - w) * free, z - w * d).at(np.zeros(3)),
    }


def _places(robot: Robot, q: Array, link: str) -> Array:
    return np.array([frame_placement(robot, x, link).translation for x in q])


def _share(t: Array) -> Array:
    """Return the right foot's share: 1 from 0.1 to 0.5 of its stride, 0 from 0.6 on, smooth."""
    blend = np.clip(0.5 + np.sin(2 * np.pi * (t - 0.05)) / (2 * np.sin(0.1 * np.pi)), 0.0, 1.0)
    return np.asarray(blend**2 * (3 - 2 * blend))


def _attachments(sex: str) -> dict[str, tuple[str, Array]]:
    thigh, shank = _lengths(sex)
    found: dict[str, tuple[str, Array]] = {}
    for side, leg in BOTH_LEGS.legs.items():
        out = np.array([0.0, 0.0, OUTWARDS[side]])
        toes = _HEEL + np.array([0.18, 0.0, 0.0])
        places: dict[str, tuple[str, Array]] = {
            "knee lateral": ("thigh", [0, -thigh, 0] + 0.05 * out),
            "knee medial": ("thigh", [0, -thigh, 0] - 0.05 * out),
            "ankle lateral": ("shank", [0, -shank, 0] + 0.035 * out),
            "ankle medial": ("shank", [0, -shank, 0] - 0.035 * out),
            "heel": ("foot", _HEEL),
            "toe lateral": ("foot", toes + 0.04 * out),
            "toe medial": ("foot", toes - 0.04 * out),
        }
        found |= {leg[k]: (f"{side} {segment}", p) for k, (segment, p) in places.items()}
        for spine, back, half in (("asis", 0.0, _WIDTH / 2), ("psis", _DEPTH, 0.05)):
            name = BOTH_LEGS.pelvis[f"{side} {spine}"]
            found[name] = ("pelvis", _FRONT - [back, 0, 0] + half * out)
    return found


_SPEED = 1.25  # [m/s]

# angles [degrees] at every tenth of a stride from foot strike, as in level walking
_STRIDE = {
    "hip z": (22, 19, 12, 4, -4, -10, -6, 8, 20, 24),
    "hip x": (1, 5, 6, 4, 2, 1, -4, -6, -4, -1),
    "hip y": (-3, 0, 2, 3, 2, 0, -2, -3, -2, -3),
    "knee z": (-4, -16, -19, -13, -8, -14, -35, -60, -55, -22),
    "ankle z": (0, -4, 3, 8, 10, 6, -15, -12, -3, 2),
    "ankle x": (-2, 0, 1, 2, 1, -1, -3, -1, 0, -1),
}


def walking_motion(robot: Robot, t: Array) -> tuple[Array, Array, Array]:
    """Return q (n, nq), v and a (n, nv) of the walker at times t (n,), one stride per second."""
    q = np.tile(robot.neutral(), (len(t), 1))
    v, a = np.zeros((len(t), robot.nv)), np.zeros((len(t), robot.nv))
    q[:, :7], v[:, :6], a[:, :6] = _pelvis(t)
    for side, later in (("right", 0.0), ("left", 0.5)):
        for name, degrees in _STRIDE.items():
            joint = robot._model.joints[robot._model.getJointId(f"{side} {name}")]
            sign = 1.0 if name.endswith("z") else OUTWARDS[side]
            i = joint.idx_v
            q[:, joint.idx_q], v[:, i], a[:, i] = _through(sign * np.radians(degrees), t - later)
    return q, v, a


def _through(values: Array, t: Array) -> tuple[Array, Array, Array]:
    """Return the trigonometric interpolant of ten values per period, and its derivatives."""
    spectrum = np.fft.rfft(values) / len(values)
    harmonics = [(2 * abs(c), np.angle(c) + np.pi / 2) for c in spectrum[1:5]]
    return _wave(t, float(spectrum[0].real), *harmonics)


def _pelvis(t: Array) -> tuple[Array, Array, Array]:
    """Return the pelvis motion: forward, highest over the stance foot, with yaw and roll."""
    R0 = turning("y", "z")
    way = _wave(t, 0.0)
    aside = _wave(t, 0.0, (0.018, -1.1 * np.pi))
    height = _wave(t, 0.90, (0.0, 0.0), (0.02, -0.7 * np.pi))
    p, dp, ddp = (np.stack([way[i], aside[i], height[i]], axis=1) for i in range(3))
    p[:, 0] += _SPEED * t
    dp[:, 0] += _SPEED
    yaw, dyaw, ddyaw = _wave(t, 0.0, (0.06, np.pi / 2))
    roll, droll, ddroll = _wave(t, 0.0, (0.04, np.pi))
    R = np.stack(
        [
            R0 @ pin.exp3(y * up_vector("y")) @ pin.exp3(r * up_vector("x"))
            for y, r in zip(yaw, roll, strict=True)
        ]
    )
    # body rates: Rx(roll)ᵀ (0, ẏ, 0) + (ṙ, 0, 0), and their derivative
    c, s = np.cos(roll), np.sin(roll)
    omega = np.stack([droll, dyaw * c, -dyaw * s], axis=1)
    alpha = np.stack([ddroll, ddyaw * c - dyaw * droll * s, -ddyaw * s - dyaw * droll * c], axis=1)
    R_T = np.swapaxes(R, 1, 2)
    linear = turn(R_T, dp)
    acceleration = turn(R_T, ddp) - cross(omega, linear)
    quaternions = np.array([pin.Quaternion(r).coeffs() for r in R])
    return (
        np.concatenate([p, quaternions], axis=1),
        np.concatenate([linear, omega], axis=1),
        np.concatenate([acceleration, alpha], axis=1),
    )


def _wave(t: Array, mean: float, *harmonics: tuple[float, float]) -> tuple[Array, Array, Array]:
    """Return mean + Σ A_k sin(2π k t + φ_k) and its two derivatives, (A_k, φ_k) for k = 1, 2, …"""
    value, rate, acceleration = np.full_like(t, mean), np.zeros_like(t), np.zeros_like(t)
    for k, (size, phase) in enumerate(harmonics, start=1):
        w = 2 * np.pi * k
        value += size * np.sin(w * t + phase)
        rate += size * w * np.cos(w * t + phase)
        acceleration -= size * w**2 * np.sin(w * t + phase)
    return value, rate, acceleration
