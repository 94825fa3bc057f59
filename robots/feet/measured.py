"""Feet of the robots of the data packages, measured on their collision or visual shapes.

A sole is the part of the foot within 1 mm of its lowest plane; a ball is the collision ball. Where
a file has no shape, the size is the one stated in its SRDF.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from .foot import Foot, point_foot, rectangle, sole_foot

_QUADRUPED = {"lf_foot": "LF", "rf_foot": "RF", "lh_foot": "LH", "rh_foot": "RH"}
_UNITREE = {"lf_foot": "FL", "rf_foot": "FR", "lh_foot": "RL", "rh_foot": "RR"}
Feet = tuple[Foot, ...]
Postures = dict[str, dict[str, tuple[float, ...]]]


def _balls(
    legs: Mapping[str, Any], frame: str, radius: float, offset: ArrayLike = (0.0, 0.0, 0.0)
) -> Feet:
    """Return balls of {name: leg}, at `offset` in the frames that are called so."""
    return tuple(point_foot(name, frame.format(leg), offset, radius) for name, leg in legs.items())


def _soles(feet: Mapping[str, str], vertices: ArrayLike, placement: Any = None) -> Feet:
    """Return soles of {name: frame}, all alike."""
    return tuple(sole_foot(name, frame, vertices, placement) for name, frame in feet.items())


def unitree(robot: str) -> Feet:
    """Balls of the A1, Go1, Go2, B1 and Laikago (the Go2's mesh is a ball but for 1 mm)."""
    radius = {"a1": 0.02, "go1": 0.02, "go2": 0.022, "b1": 0.04, "laikago": 0.0265}[robot]
    return _balls(_UNITREE, "{}_foot", radius, (-0.002 if robot == "go2" else 0.0, 0.0, 0.0))


def anymal_b() -> Feet:
    """Balls, above the origin of their links."""
    return _balls(_QUADRUPED, "{}_FOOT", 0.031, (0, 0, 0.02325))


def anymal_c() -> Feet:
    """Balls, above the origin of their links."""
    return _balls(_QUADRUPED, "{}_FOOT", 0.03, (0, 0, 0.0225))


def solo() -> Feet:
    """Rounded discs of 16 mm radius about y."""
    legs = {"lf_foot": "FL", "rf_foot": "FR", "lh_foot": "HL", "rh_foot": "HR"}
    return _balls(legs, "{}_FOOT", 0.016)


def bolt() -> Feet:
    """The discs of Solo."""
    return _balls({"left_foot": "FL", "right_foot": "FR"}, "{}_FOOT", 0.016)


def hyq() -> Feet:
    """Balls."""
    return _balls({name: name for name in _QUADRUPED}, "{}", 0.02175)


def quadruped8() -> Feet:
    """Balls."""
    legs = {"lf_foot": "FL", "rf_foot": "FR", "lh_foot": "BL", "rh_foot": "BR"}
    return _balls(legs, "{}_contact", 0.025)


def centauro() -> Feet:
    """Wheels: the centre, which does not move with the wheel's rotation, and the radius."""
    legs = {"lf_wheel": 1, "rf_wheel": 2, "lh_wheel": 3, "rh_wheel": 4}
    return _balls(legs, "wheel_{}", 0.124)


def upkie() -> Feet:
    """Wheels, as Centauro's."""
    return _balls({"left_wheel": "left", "right_wheel": "right"}, "{}_wheel_tire", 0.05)


def jvrc() -> Feet:
    """Rectangles, the flat part of the foot meshes (rounded at heel and toes)."""
    feet = {"left_foot": "L_ANKLE_P_S", "right_foot": "R_ANKLE_P_S"}
    return _soles(feet, rectangle(-0.061, 0.137, -0.042, 0.042), _below(0.1077))


def talos() -> Feet:
    """Rounded rectangles of 195 mm by 120 mm in the plane of the sole frames."""
    feet = {"l_foot": "left_sole_link", "r_foot": "right_sole_link"}
    return _soles(feet, rectangle(-0.103, 0.092, -0.06, 0.06))


def g1() -> Feet:
    """Trapezoids, from the four small collision balls below each foot."""
    feet = {"left_foot": "left_ankle_roll_link", "right_foot": "right_ankle_roll_link"}
    sole = [(0.12, 0.03), (-0.05, 0.025), (-0.05, -0.025), (0.12, -0.03)]
    return _soles(feet, sole, _below(0.035))


def icub() -> Feet:
    """An octagon's inner rectangle; the meshes are turned by 90° about z, x leads to the toes."""
    feet = {"l_foot": "l_sole", "r_foot": "r_sole"}
    return _soles(feet, rectangle(-0.03, 0.09, -0.026, 0.026))


def romeo() -> Feet:
    """Hexagons wider in front and outside, without the toes (they have a joint of their own)."""
    left = [
        (0.112, 0.022), (0.085, 0.049), (-0.055, 0.034), (-0.066, 0.03), (-0.066, -0.026),
        (-0.055, -0.03), (0.085, -0.033), (0.112, -0.025),
    ]  # fmt: skip
    right = [(x, -y) for x, y in reversed(left)]
    up = _below(-0.0009)
    return (sole_foot("l_leg", "l_sole", left, up), sole_foot("r_leg", "r_sole", right, up))


def simple_humanoid() -> Feet:
    """Rectangles of 250 mm by 140 mm, 105 mm below the ankles: what the SRDF states."""
    feet = {"l_leg": "l_ankle", "r_leg": "r_ankle"}
    return _soles(feet, rectangle(-0.125, 0.125, -0.07, 0.07), _below(0.105))


def human() -> Feet:
    """Rectangles inside the outline of the foot meshes; y is up in the frames of this model."""
    up_is_y = np.column_stack([(1, 0, 0), (0, 0, -1), (0, 1, 0)]).astype(float)
    placement = pin.SE3(up_is_y, np.array([0.0, -0.0765, 0.0]))
    feet = {"left_foot": "left_foot", "right_foot": "right_foot"}
    return _soles(feet, rectangle(-0.045, 0.165, -0.035, 0.035), placement)


def alexander() -> Feet:
    """Rectangles with rounded corners."""
    feet = {"LEFT_FOOT": "LEFT_FOOT", "RIGHT_FOOT": "RIGHT_FOOT"}
    return _soles(feet, rectangle(-0.0512, 0.1492, -0.0435, 0.0435), _below(0.072))


def _below(depth: float) -> pin.SE3:
    return pin.SE3(np.eye(3), np.array([0.0, 0.0, -depth]))


# postures for robots whose descriptions name none: knees bent, soles flat
LAIKAGO_POSTURES: Postures = {
    "standing": {
        f"{leg}_{joint}_joint": (angle,)
        for leg in _UNITREE.values()
        for joint, angle in (("thigh", 0.7), ("calf", -1.4))
    }
}
QUADRUPED8_POSTURES: Postures = {
    "standing": {
        f"{leg}_{joint}": (angle,)
        for leg in ("FL", "FR", "BL", "BR")
        for joint, angle in (("HFE", 0.5), ("KFE", -1.0))
    }
}
G1_POSTURES: Postures = {
    "half_sitting": {
        f"{side}_{joint}_joint": (angle,)
        for side, out in (("left", 1), ("right", -1))
        for joint, angle in (
            ("hip_pitch", -0.35), ("knee", 0.7), ("ankle_pitch", -0.35),
            ("shoulder_roll", 0.25 * out), ("elbow", 1.5),  # hands clear of swinging legs
        )
    }
}  # fmt: skip
JVRC_POSTURES: Postures = {
    "half_sitting": {
        f"{side}_{joint}": (angle,)
        for side in ("L", "R")
        for joint, angle in (("HIP_P", -0.4), ("KNEE", 0.8), ("ANKLE_P", -0.4))
    }
}
HUMAN_POSTURES: Postures = {
    # four numbers for the base: its orientation only; the feet determine the height
    "standing": {"root_joint": (float(np.sqrt(0.5)), 0.0, 0.0, float(np.sqrt(0.5)))}
}
