"""MJCF (MuJoCo) descriptions: checked here, then parsed by Pinocchio.

Not supported, and ignored: solver options, tendons, equality constraints, contact pairs, sensors.
Joints without an actuator are passive; keyframes become postures.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import filter as matching
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin

from ..errors import ModelError, unknown
from . import mjcf_text
from .findings import Finding
from .hardened_xml import Node, serialize
from .options import Options, Parts
from .postures import floats
from .robot import BASE_JOINT
from .shapes import Kind
from .sources import Description
from .urdf_checks import refuse_errors
from .urdf_physics import check_inertia_of_motion, impossible
from .urdf_structure import MAX_DOF, MAX_LINKS


def from_mjcf(tree: Node, description: Description, options: Options) -> Parts:
    """Return the parts of an MJCF model; `options.base` overrides the base of the file.

    Raises:
        ModelError: the description cannot be loaded.
    """
    mjcf_text.include(tree, description.folders)
    mjcf_text.check_numbers(tree, description.origin)
    mjcf_text.check_names(tree, description.origin)
    _check_size("bodies", sum(node.tag == "body" for node in tree.walk()), MAX_LINKS)
    _check_size("degrees of freedom", mjcf_text.degrees_of_freedom(tree), MAX_DOF)
    mjcf_text.resolve_meshes(tree, description.folders, options.meshes)
    motors = mjcf_text.actuators(tree)
    mjcf_text.strip(tree)
    if options.base == "floating":
        mjcf_text.add_base(tree, BASE_JOINT)
    text = serialize(tree)
    whole = _Source(text).model()
    locked = _locked(whole, options)
    source = _Source(text, tuple(locked.items()))
    model = source.reduced(whole)
    findings = tuple(_examine(model))
    refuse_errors(findings, description.origin, options.strict)
    joints = tuple(model.names)[2 if floats(model) else 1 :]
    _set_limits(model, motors)
    passive = tuple(name for name in joints if motors and name not in motors)
    name = tree.get("model") or "robot"
    frozen = tuple(joint for joint in locked if joint in whole.names)
    return Parts(name, model, source, source, frozen, passive, findings)


def _check_size(what: str, number: int, most: int) -> None:
    if number > most:
        raise ModelError(f"{number} {what}; at most {most} are loaded")


@dataclass(frozen=True)
class _Source:
    """An MJCF text and its frozen joints, from which model and shapes are built."""

    text: str
    locked: tuple[tuple[str, float], ...] = ()

    def _read(self, build: Any) -> Any:
        """Return build(path) for a temporary file: Pinocchio reads MJCF from files alone."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "robot.xml"
            path.write_text(self.text, encoding="utf-8")
            try:
                return build(str(path))
            except (ValueError, RuntimeError, IndexError, KeyError) as error:
                message = str(error).replace(str(path), "the file")
                raise ModelError(f"Pinocchio cannot build the model: {message[:500]}") from None

    def model(self) -> Any:
        """Return the model with every joint."""
        return self._read(pin.buildModelFromMJCF)

    def reduced(self, model: Any) -> Any:
        """Return the model without the frozen joints."""
        if not self.locked:
            return model
        try:
            return pin.buildReducedModel(model, *self._frozen(model))
        except (ValueError, RuntimeError) as error:
            raise ModelError(f"Pinocchio cannot freeze the joints: {error}") from None

    def _frozen(self, model: Any) -> tuple[list[int], Any]:
        q = pin.neutral(model)
        for name, position in self.locked:
            joint = model.joints[model.getJointId(name)]
            if joint.nq == 1:
                q[joint.idx_q] = position
        return [model.getJointId(name) for name, _ in self.locked], q

    def read(self, model: Any, kind: Kind) -> Any:
        """Return the shapes, a `pin.GeometryModel`."""
        whole = self.model()
        type_ = pin.GeometryType.VISUAL if kind == "visual" else pin.GeometryType.COLLISION
        shapes = self._read(lambda path: pin.buildGeomFromMJCF(whole, path, type_))
        if not self.locked:
            return shapes
        try:
            return pin.buildReducedModel(whole, shapes, *self._frozen(whole))[1]
        except (ValueError, RuntimeError) as error:
            raise ModelError(f"Pinocchio cannot freeze the joints: {error}") from None


def _locked(model: Any, options: Options) -> dict[str, float]:
    names = list(model.names)[1:]
    locked = {names[0]: 0.0} if options.base == "fixed" and floats(model) else {}
    patterns = [options.lock] if isinstance(options.lock, str) else options.lock
    for pattern in patterns:
        found = matching(names, pattern)
        if not found:
            raise ModelError("lock: " + unknown("joint", pattern, names))
        position = patterns[pattern] if isinstance(patterns, Mapping) else 0.0
        if not isinstance(position, int | float) or not np.isfinite(position):
            raise ModelError(f"lock: joint {pattern!r} at {position!r}, expected a finite number")
        locked.update(dict.fromkeys(found, float(position)))
    return locked


def _examine(model: Any) -> list[Finding]:
    findings = []
    for name, inertia in zip(list(model.names)[1:], list(model.inertias)[1:], strict=True):
        values = np.r_[inertia.mass, inertia.lever, inertia.inertia.ravel()]
        if not np.isfinite(values).all() or inertia.mass < 0:
            message = f"mass {inertia.mass:g} and an inertia that no body has"
            findings.append(Finding("error", "inertial", message, "", "", name))
            continue
        moments = np.linalg.eigvalsh(inertia.inertia)
        for code, message, hint in impossible(inertia.mass, moments):
            findings.append(Finding("warning", code, message, hint, "", name))
    return findings if findings else check_inertia_of_motion(model)


def _set_limits(model: Any, motors: Mapping[str, float]) -> None:
    limits = np.zeros(model.nv)
    for name, limit in motors.items():
        if model.existJointName(name):
            joint = model.joints[model.getJointId(name)]
            limits[joint.idx_v : joint.idx_v + joint.nv] = limit
    model.upperEffortLimit = limits
    model.lowerEffortLimit = -limits
