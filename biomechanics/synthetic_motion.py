"""Motion of the synthetic walker: harmonics of the stride and their exact derivatives.

Joint angles interpolate ten values per stride of level walking; the pelvis moves forward over the
stance foot, sways, yaws and rolls. Velocities and accelerations are analytical derivatives.
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from ..arrays import Array
from ..robots.robot import Robot
from .axes import turning, up_vector
from .series import cross, turn

SIGN = {"right": 1.0, "left": -1.0}  # of the way outwards along z
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
            sign = 1.0 if name.endswith("z") else SIGN[side]
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
