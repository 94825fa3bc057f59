"""Actuators of MJCF: which joints have a motor, and how large its torque gets.

An actuator's force is gain · control + bias, cut at forcerange; its gear makes it the torque of a
joint, and what all actuators of the joint give is cut at actuatorfrcrange.
"""

from __future__ import annotations

import math
from collections.abc import Container
from dataclasses import dataclass

import numpy as np

from ..files.hardened_xml import Node
from ..findings import Finding
from .tree import Attributes, Mjcf, law_of, values

_NO_MOTORS = ("damper", "adhesion", "plugin")


@dataclass(frozen=True)
class Motor:
    """What drives a joint.

    Attributes:
        torque: largest |τ| [N·m or N]; inf: no limit.
        armature: reflected inertia of the actuators' rotors [kg m² or kg].
        count: how many actuators drive it.
    """

    torque: float = 0.0
    armature: float = 0.0
    count: int = 0


def motors_of(file: Mjcf, joints: Container[str], findings: list[Finding]) -> dict[str, Motor]:
    """Return joint -> motor; what drives no joint, or several, goes to the findings."""
    motors: dict[str, Motor] = {}
    for node in file.sections.get("actuator", ()):
        name = node.get("joint") or node.get("jointinparent")
        if not name or name not in joints or node.tag in _NO_MOTORS:
            findings.append(_no_motor(node, name, joints))
            continue
        known = {**file.attributes(node), **law_of(node.tag, node.attrib)}
        gear = float(np.abs(values(known, "gear", (1.0,))).max())
        armature = gear**2 * float(values(known, "armature", (0.0,))[0])
        before = motors.get(name, Motor())
        torque = gear * _largest_force(file, known)
        armature += before.armature
        motors[name] = Motor(before.torque + torque, armature, before.count + 1)
    return motors


def of_limited(file: Mjcf, known: Attributes, switch: str, key: str) -> tuple[float, float]:
    """Return a range as (low, high); infinite where it is not limited."""
    low, high = values(known, key, (0.0, 0.0))
    auto = file.compiler.get("autolimits", "true") == "true" and low < high
    limited = {"true": True, "false": False}.get(known.get(switch, "auto"), auto)
    return (float(low), float(high)) if limited and low < high else (-math.inf, math.inf)


def largest(limits: tuple[float, float]) -> float:
    """Return the largest magnitude within limits."""
    return max(abs(limits[0]), abs(limits[1]))


def _largest_force(file: Mjcf, known: Attributes) -> float:
    force = largest(of_limited(file, known, "forcelimited", "forcerange"))
    bias = values(known, "biasprm", (0.0,)) * (known.get("biastype", "none") == "affine")
    if known.get("gaintype", "fixed") != "fixed" or bias[1:].any():
        return force  # it depends on the motion
    control = largest(of_limited(file, known, "ctrllimited", "ctrlrange"))
    if known.get("dyntype", "none") == "integrator":
        control = largest(of_limited(file, known, "actlimited", "actrange"))
    gain = abs(float(values(known, "gainprm", (1.0,))[0]))
    return min(force, (gain * control if gain else 0.0) + abs(float(bias[0])))


def _no_motor(node: Node, joint: str, joints: Container[str]) -> Finding:
    name = f"{node.get('name')!r} " if node.get("name") else ""
    how = next(
        (k for k in ("tendon", "site", "body", "cranksite", "slidersite") if node.get(k)), "joint"
    )
    if joint and joint not in joints:
        what = f"drives {joint!r}, which is no joint"
    elif joint:
        what = f"is no motor of joint {joint!r}"
    else:
        what = f"acts through the {how} {node.get(how)!r}: no motor of one joint"
    return Finding("warning", "motor", f"<{node.tag}> {name}{what}; left out", line=node.line)
