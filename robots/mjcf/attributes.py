"""Attributes of MJCF elements: how many numbers each has, or which words."""

from __future__ import annotations

import math
from collections.abc import Mapping

from ...errors import ModelError
from ..files.hardened_xml import Node
from ..urdf.values import has_commas, numbers, plain
from .elements import ACTUATORS, KEYWORDS

_MAX_ATTRIBUTES = 100  # of an element; MuJoCo knows 40
# how many numbers an attribute has; None: any number of them
_Counts = dict[str, int | None]
_POSE: _Counts = {"pos": 3, "quat": 4, "axisangle": 4, "xyaxes": 6, "zaxis": 3, "euler": 3}
_ACTUATOR: _Counts = {"gear": None, "ctrlrange": 2, "forcerange": 2, "actrange": 2, "area": 1}
_ACTUATOR |= {"armature": 1, "damping": None, "gainprm": None, "biasprm": None, "bias": None}
_ACTUATOR |= {"diameter": 1, "saturation": None, "kp": 1, "kv": None}
_TENDON: _Counts = {"armature": 1, "range": 2}
COUNTS: Mapping[str, _Counts] = {
    "compiler": {"boundmass": 1, "boundinertia": 1, "settotalmass": 1, "inertiagrouprange": 2},
    "option": {"gravity": 3},
    "body": {**_POSE, "gravcomp": 1},
    "frame": _POSE,
    "replicate": {"offset": 3, "euler": 3, "count": 1},
    "inertial": {**_POSE, "mass": 1, "diaginertia": 3, "fullinertia": 6},
    "joint": {"pos": 3, "axis": 3, "range": 2, "armature": 1, "ref": 1, "actuatorfrcrange": 2,
              "damping": None, "frictionloss": 1, "stiffness": None, "springref": 1,
              "springdamper": 2, "polycoef": None},
    "geom": {**_POSE, "size": None, "fromto": 6, "mass": 1, "density": 1, "rgba": 4, "group": 1,
             "contype": 1, "conaffinity": 1, "fitscale": 1},
    "site": {**_POSE, "fromto": 6},
    "mesh": {"scale": 3, "refpos": 3, "refquat": 4, "vertex": None, "face": None},
    "connect": {"anchor": 3},
    "weld": {"anchor": 3, "relpose": 7, "torquescale": 1},
    "material": {"rgba": 4},
    "key": {"qpos": None},
    **dict.fromkeys(("fixed", "spatial", "tendon"), _TENDON),
    **dict.fromkeys(ACTUATORS, _ACTUATOR),
}  # fmt: skip
_DIRECTIONS = ("quat", "axis", "zaxis", "xyaxes", "refquat")
_POSITIVE = ("mass", "armature", "density")
_UNLIMITED = {"inf": "1e300", "+inf": "1e300", "-inf": "-1e300"}


def check_numbers(node: Node, origin: str) -> None:
    """Rewrite the numeric attributes of an element in a canonical form."""
    if len(node.attrib) > _MAX_ATTRIBUTES:
        raise ModelError(f"{origin}, line {node.line}: more than {_MAX_ATTRIBUTES} attributes")
    check_keywords(node, origin)
    counts = COUNTS.get(node.tag, {})
    for key in counts.keys() & node.attrib.keys():
        text, count = node.get(key), counts[key]
        largest = 1e15
        if "range" in key:
            text = " ".join(_UNLIMITED.get(word.lower(), word) for word in text.split())
            largest = math.inf
        found = numbers(text, count, largest)
        where = f"{origin}, line {node.line}: <{node.tag} {key}={node.get(key)[:80]!r}>"
        if found is None or (key in _DIRECTIONS and not any(found)):
            raise ModelError(
                f"{where}: expected {count or 'some'} finite numbers"
                f"{', not all zero' * (key in _DIRECTIONS)}"
                f"{', blanks between, no commas' * has_commas(text, count)}"
            )
        if key in _POSITIVE and min(found) < 0:
            raise ModelError(f"{where} is negative")
        node.attrib[key] = plain(found)


def check_keywords(node: Node, origin: str) -> None:
    """Raise `ModelError` for a word in place of another, as angle="rad"."""
    for key in node.attrib if node.tag == "flag" else node.attrib.keys() & KEYWORDS.keys():
        words = ("enable", "disable") if node.tag == "flag" else KEYWORDS[key]
        if node.attrib[key] not in words and (key != "inertia" or node.tag == "mesh"):
            raise ModelError(
                f"{origin}, line {node.line}: <{node.tag} {key}={node.attrib[key][:80]!r}>: "
                f"expected {' or '.join(words)}"
            )
