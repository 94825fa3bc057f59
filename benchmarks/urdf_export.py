"""A robot as the plainest URDF: one link a joint, no fixed joints, no shapes, no rotors.

Every library reads this same text, so none works harder than another.
"""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pinocchio as pin

BASE = "base"


def plain_urdf(model: pin.Model) -> str:
    """Return the URDF of a floating robot with hinges and sliders.

    Raises:
        ValueError: a joint of another kind.
    """
    root = ElementTree.Element("robot", name=model.name or "robot")
    for i in range(1, model.njoints):
        link = ElementTree.SubElement(root, "link", name=_link(model, i))
        _inertial(link, model.inertias[i])
        if i > 1:
            _joint(root, model, i)
    return ElementTree.tostring(root, encoding="unicode")


def _link(model: pin.Model, i: int) -> str:
    return BASE if i == 1 else f"{model.names[i]}_link"


def _inertial(link: ElementTree.Element, body: pin.Inertia) -> None:
    inertial = ElementTree.SubElement(link, "inertial")
    ElementTree.SubElement(inertial, "origin", xyz=_numbers(body.lever), rpy="0 0 0")
    ElementTree.SubElement(inertial, "mass", value=repr(float(body.mass)))
    entries = dict(zip(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), _upper(body), strict=True))
    ElementTree.SubElement(inertial, "inertia", entries)


def _upper(body: pin.Inertia) -> list[str]:
    return [repr(float(x)) for x in body.inertia[np.triu_indices(3)]]


def _joint(root: ElementTree.Element, model: pin.Model, i: int) -> None:
    joint, place = model.joints[i], model.jointPlacements[i]
    data = joint.createData()
    joint.calc(data, np.zeros(joint.nq) if joint.nq == 1 else np.eye(joint.nq)[0], np.zeros(1))
    axis = np.asarray(data.S).ravel()
    turns = bool(np.any(axis[3:]))
    if joint.nv != 1:
        raise ValueError(f"{model.names[i]}: no hinge and no slider")
    kind = ("continuous" if joint.nq == 2 else "revolute") if turns else "prismatic"
    element = ElementTree.SubElement(root, "joint", name=model.names[i], type=kind)
    angles = _numbers(pin.rpy.matrixToRpy(place.rotation))
    ElementTree.SubElement(element, "origin", xyz=_numbers(place.translation), rpy=angles)
    ElementTree.SubElement(element, "parent", link=_link(model, model.parents[i]))
    ElementTree.SubElement(element, "child", link=_link(model, i))
    ElementTree.SubElement(element, "axis", xyz=_numbers(axis[3:] if turns else axis[:3]))
    if kind != "continuous":
        limits = {"lower": "-7", "upper": "7", "effort": "1000", "velocity": "100"}
        ElementTree.SubElement(element, "limit", limits)


def _numbers(values: np.ndarray) -> str:
    return " ".join(repr(float(x)) for x in values)
