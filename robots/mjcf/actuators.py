"""Actuators of MJCF: actuated joints and their torque limits.

An actuator's force is gain · control + bias, cut at forcerange; its gear makes it the torque of a
joint, and what all actuators of the joint give is cut at actuatorfrcrange. A ball joint has motors
when there is one for each of its axes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from ...arrays import Array
from ...errors import ModelError
from ..files.hardened_xml import Node
from ..findings import Finding
from .tree import Attributes, Mjcf, law_of, values

_NO_MOTORS = ("damper", "adhesion", "plugin")
_AXES = {"hinge": 1, "slide": 1, "ball": 3}
Interval = tuple[float, float]
UNLIMITED: Interval = (-math.inf, math.inf)


@dataclass
class Drive:
    """What the actuators of a joint do to it.

    Attributes:
        kind: of the joint.
        torques: axis -> least and largest τ [N·m or N] of its motors.
        armature: reflected inertia of the actuators' rotors, on each axis [kg m² or kg].
        damping: of the actuators, on each axis [N·m·s or N·s/m].
        count: how many motors it has.
    """

    kind: str
    torques: dict[int, Interval] = field(default_factory=dict)
    armature: float = 0.0
    damping: float = 0.0
    count: int = 0

    def add(self, gear: Array, known: Attributes) -> None:
        """Add what an actuator does without a control."""
        armature, damping = (values(known, key, (0.0,))[0] for key in ("armature", "damping"))
        self.armature += gear[0] ** 2 * armature
        self.damping += gear[0] ** 2 * damping

    def add_motor(self, axis: int, gear: float, force: Interval) -> None:
        """Add a motor."""
        low, high = sorted(gear * end for end in force)
        before = self.torques.get(axis, (0.0, 0.0))
        self.torques[axis] = (before[0] + low, before[1] + high)
        self.count += 1

    @property
    def is_motor(self) -> bool:
        """Whether every axis has a motor."""
        return len(self.torques) == _AXES.get(self.kind, math.inf)


def drives_of(file: Mjcf, joints: Mapping[str, str], findings: list[Finding]) -> dict[str, Drive]:
    """Return what drives the joints (name -> kind); what drives none goes to the findings."""
    drives = {name: Drive(kind) for name, kind in joints.items()}
    for node in file.sections.get("actuator", ()):
        known = law_of(node.tag, file.inherited(node), node.attrib)
        name, gear = node.get("joint") or node.get("jointinparent"), values(known, "gear", (1.0,))
        if name not in joints:
            findings.append(_no_motor(node, name, joints))
            continue
        drives[name].add(gear, known)
        axis, force = _axis(node, gear, joints[name]), _force(file, known)
        if axis is None or node.tag in _NO_MOTORS or not (gear[axis] and any(force)):
            findings.append(_no_motor(node, name, joints))
        else:
            drives[name].add_motor(axis, float(gear[axis]), force)
            if known.get("gaintype") == "muscle" and force == UNLIMITED:
                message = f"<{node.tag}>: its force depends on its length; a motor without limit"
                findings.append(Finding("warning", "motor", message, joint=name, line=node.line))
    for name, drive in drives.items():
        if drive.count and not drive.is_motor:
            message = "not every axis of this ball joint has a motor; those it has are left out"
            findings.append(Finding("warning", "motor", message, joint=name))
    return drives


def _axis(node: Node, gear: Array, kind: str) -> int | None:
    """Return which axis of a joint an actuator drives; None: none, or several."""
    if kind in ("hinge", "slide"):
        return 0
    along = np.flatnonzero(gear[:3])
    return int(along[0]) if kind == "ball" and len(along) == 1 and node.get("joint") else None


def of_limited(file: Mjcf, known: Attributes, switch: str, key: str) -> Interval:
    """Return a range as (low, high); infinite where it is not limited."""
    low, high = values(known, key, (0.0, 0.0))
    auto = file.compiler.get("autolimits", "true") == "true" and low < high
    if key in known and not auto and known.get(switch, "auto") == "auto" and low < high:
        raise ModelError(
            f'{file.origin}: {key}="{known[key]}" without {switch}="true" or "false"; expected it '
            'said, or <compiler autolimits="true"/>'
        )
    limited = {"true": True, "false": False}.get(known.get(switch, "auto"), auto)
    return (float(low), float(high)) if limited and low < high else UNLIMITED


def cut(interval: Interval, limits: Interval) -> Interval:
    """Return an interval with its ends moved into limits."""
    low, high = (min(max(end, limits[0]), limits[1]) for end in interval)
    return low, high


def _force(file: Mjcf, known: Attributes) -> Interval:
    limits = of_limited(file, known, "forcelimited", "forcerange")
    bias = values(known, "biasprm", (0.0,)) * (known.get("biastype", "none") == "affine")
    if known.get("gaintype", "fixed") != "fixed" or bias[1:].any():
        return limits  # it depends on the motion
    gain = float(values(known, "gainprm", (1.0,))[0])
    ends = (gain * end if gain else 0.0 for end in _input(file, known))
    low, high = sorted(end + float(bias[0]) for end in ends)
    return cut((low, high), limits)


def _input(file: Mjcf, known: Attributes) -> Interval:
    """Return the range of what the gain multiplies: the control, or an activation."""
    control, activation = (
        of_limited(file, known, f"{key}limited", f"{key}range") for key in ("ctrl", "act")
    )
    if file.flags.get("clampctrl") == "disable":
        control = UNLIMITED
    law = known.get("dyntype", "none")
    if law == "none":
        return control
    return cut(control, activation) if law.startswith("filter") else activation


def _no_motor(node: Node, joint: str, joints: Mapping[str, str]) -> Finding:
    name = f"{node.get('name')!r} " if node.get("name") else ""
    how = next(
        (k for k in ("tendon", "site", "body", "cranksite", "slidersite") if node.get(k)), "joint"
    )
    if joint and joint not in joints:
        what = f"drives {joint!r}, which is no joint"
    elif joint:
        what = f"is no motor of {joint!r}, a {joints[joint]} joint"
    else:
        what = f"acts through the {how} {node.get(how)!r}: no motor of one joint"
    return Finding("warning", "motor", f"<{node.tag}> {name}{what}; left out", line=node.line)
