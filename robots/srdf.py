"""SRDF: named postures, end effectors, passive joints and disabled collisions."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from ..errors import ModelError
from .files.hardened_xml import Node, parse

# a posture: joint name -> values as in the file, including the base pose
Values = dict[str, tuple[float, ...]]


@dataclass(frozen=True)
class Semantics:
    """Contents of an SRDF.

    Attributes:
        postures: name -> {joint: values}; the base, if given, is the virtual joint `base_joint`
            with position and quaternion x y z w.
        end_effectors: name -> link.
        passive: joints declared passive.
        base_joint: name of the virtual joint of the base.
        never_collide: pairs of links excluded from collision checks.
        rotors: joint -> I N² of <rotor_params> [kg m²]: inertia (called mass there), gear ratio.
    """

    postures: dict[str, Values] = field(default_factory=dict)
    end_effectors: dict[str, str] = field(default_factory=dict)
    passive: tuple[str, ...] = ()
    base_joint: str = "root_joint"
    never_collide: tuple[tuple[str, str], ...] = ()
    rotors: dict[str, float] = field(default_factory=dict)


def read_srdf(text: str | bytes) -> Semantics:
    """Return the contents of an SRDF.

    Raises:
        ModelError: malformed XML, or a joint value that is not a list of finite numbers.
    """
    root = parse(text, "the SRDF")
    if root.tag != "robot":
        raise ModelError(f"the SRDF: got a <{root.tag}> element, expected <robot>")
    virtual = root.find("virtual_joint")
    return Semantics(
        {state.get("name"): _values(state) for state in root.all("group_state")},
        {e.get("name"): e.get("parent_link") for e in root.all("end_effector")},
        tuple(joint.get("name") for joint in root.all("passive_joint")),
        virtual.get("name") if virtual is not None else "root_joint",
        tuple((pair.get("link1"), pair.get("link2")) for pair in root.all("disable_collisions")),
        dict(_rotor(j) for group in root.all("rotor_params") for j in group.all("joint")),
    )


def _values(state: Node) -> Values:
    values: Values = {}
    for joint in state.all("joint"):
        text = joint.get("value")
        try:
            numbers = tuple(float(word) for word in text.split())
        except ValueError:
            numbers = ()
        if not numbers or not all(map(math.isfinite, numbers)):
            raise ModelError(
                f"the SRDF, line {joint.line}: posture {state.get('name')!r} gives joint "
                f"{joint.get('name')!r} the value {text!r}, expected finite numbers"
            )
        values[joint.get("name")] = numbers
    return values


def _rotor(joint: Node) -> tuple[str, float]:
    """A joint and I N² of its rotor."""
    try:
        inertia, ratio = (float(joint.get(key)) for key in ("mass", "gear_ratio"))
    except ValueError:
        inertia, ratio = math.nan, 1.0
    if not (inertia >= 0 and math.isfinite(inertia * ratio**2)):
        raise ModelError(
            f"the SRDF, line {joint.line}: the rotor of {joint.get('name')!r} has mass "
            f"{joint.get('mass')!r} and gear_ratio {joint.get('gear_ratio')!r}, expected finite "
            "numbers, no mass below 0"
        )
    return joint.get("name"), inertia * ratio**2
