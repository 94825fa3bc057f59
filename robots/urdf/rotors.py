"""Inertias of rotors, as joints feel them: I N² for a rotor I behind a gear of ratio N.

They are added to the diagonal of M. R. Featherstone, "Rigid Body Dynamics Algorithms" (2008), 9.6.
"""

from __future__ import annotations

from ..files.hardened_xml import Node
from .values import numbers

ROTOR, GEAR = "drake:rotor_inertia", "drake:gear_ratio"


def reflected(tree: Node) -> dict[str, float]:
    """Return {joint: inertia of its rotors [kg m² or kg]} of the transmissions with `ROTOR`."""
    found: dict[str, float] = {}
    for transmission in tree.all("transmission"):
        for name, inertia in _of(transmission).items():
            found[name] = found.get(name, 0.0) + inertia
    return found


def left_out(tree: Node) -> list[Node]:
    """Return the rotors that `reflected` does not find a joint for, or no inertia in."""
    read = [n for t in tree.all("transmission") if _of(t) for n in t.walk() if n.tag == ROTOR]
    rotors = [node for node in tree.walk() if node.tag == ROTOR and _value(node) != 0]
    return [node for node in rotors if not any(node is other for other in read)]


def armatures(tree: Node) -> dict[str, float]:
    """Return {joint: α} of <dynamics armature>, an attribute that was checked before."""
    found = {}
    for joint in tree.all("joint"):
        for node in joint.all("dynamics"):
            alpha = numbers(node.get("armature"), 1)
            if alpha and alpha[0] > 0:
                found[joint.get("name")] = alpha[0]
    return found


def _of(transmission: Node) -> dict[str, float]:
    """{joint: I N²} of a transmission of one joint and one actuator, {} of any other."""
    joints, actuators = transmission.all("joint"), transmission.all("actuator")
    if len(joints) != 1 or len(actuators) != 1:
        return {}
    rotor, gear = actuators[0].find(ROTOR), actuators[0].find(GEAR)
    inertia, ratio = _value(rotor), 1.0 if gear is None else _value(gear)
    if inertia is None or ratio is None or not inertia > 0:
        return {}
    return {joints[0].get("name"): inertia * ratio**2}


def _value(node: Node | None) -> float | None:
    """The number of an element with `value`, None where there is none."""
    found = None if node is None else numbers(node.get("value") or node.text, 1)
    return found[0] if found else None
