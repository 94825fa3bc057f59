"""Keyframes of an MJCF file, as configurations of the model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pinocchio as pin

from ...arrays import Array
from ..findings import Finding
from .joints import SIZES, Joint
from .tree import Mjcf, values


def keyframes_of(
    file: Mjcf, model: Any, joints: Sequence[Joint], added_base: bool, findings: list[Finding]
) -> dict[str, Array]:
    """Return name -> q (nq,) of the file's keyframes; missing values are those of the file.

    Args:
        file: the parsed file.
        model: of Pinocchio.
        joints: all, in the order of the file.
        added_base: whether the first of them is a free joint that the file does not have.
        findings: what is found out about them is appended.
    """
    found: dict[str, Array] = {}
    drawn = np.concatenate([np.zeros(0), *(joint.qpos0(file) for joint in joints)])
    extra = SIZES["free"] * added_base
    for k, node in enumerate(file.sections.get("keyframe", [])):
        qpos = values(node.attrib, "qpos", ())
        if len(qpos) > len(drawn) - extra:
            message = f"{len(qpos)} values, but the model has {len(drawn) - extra}; left out"
            findings.append(Finding("warning", "keyframe", message, line=node.line))
            continue
        whole = np.concatenate([drawn[:extra], qpos, drawn[extra + len(qpos) :]])
        found[node.get("name") or f"key_{k}"] = _configuration(model, joints, whole)
    return found


def _configuration(model: Any, joints: Sequence[Joint], qpos: Array) -> Array:
    """Return q (nq,) of MuJoCo's qpos; its joints are in the order of the file."""
    q: Array = pin.neutral(model)
    start = 0
    for joint in joints:
        stop = start + SIZES[joint.kind]
        if joint.index:
            joint.put(q, model.joints[joint.index].idx_q, qpos[start:stop])
        start = stop
    return q
