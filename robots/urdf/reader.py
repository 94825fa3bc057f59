"""URDF descriptions: checks and edits of the tree, then the model by Pinocchio."""

from __future__ import annotations

from typing import Any

import pinocchio as pin

from ...errors import ModelError
from ..files import meshes as mesh_files
from ..files.hardened_xml import Node, serialize
from ..findings import Finding, of_level
from ..model_changes import set_armature
from ..options import Mimic, Options, Parts
from ..refusal import refuse_errors
from ..robot import BASE_JOINT
from ..shapes import UrdfShapes
from ..sources import Description
from . import closures, edits
from .extensions import check_extensions, strip_extensions
from .physics import check_inertia_of_motion, check_physics, repaired_limits
from .rotors import armatures, reflected
from .structure import check_structure
from .values import check_materials, check_values, joints_of


def from_urdf(tree: Node, description: Description, options: Options) -> Parts:
    """Return the parts of the robot that a URDF describes.

    Raises:
        ModelError: the description cannot be loaded.
    """
    motors, rotors = edits.driven_joints(tree), reflected(tree)
    findings = examine(tree)
    refuse_errors(findings, description.origin, options.strict)
    moving = [joint.get("name") for joint in joints_of(tree, *edits.MOVING)]
    floating = options.floating(description.info)
    if options.base is None and description.info is None and edits.stands_on_the_world(tree):
        floating = False
        message = f"the massless root {edits.root_link(tree)!r} is the world: the base is fixed"
        findings.append(Finding("info", "base", message, "base='floating' frees it"))
    free_flyer = edits.use_base(tree, floating) is None and floating
    followed, mode = closures.followed(edits.mimics(tree)), options.followers(description.info)
    locked = edits.lock_joints(tree, options.lock)
    loops, doubts = closures.loops(tree)
    findings += [*doubts, *(closures.held_back(followed, locked) if mode == "couple" else ())]
    locked |= edits.weld_at_rest(_resting(edits.mimics(tree), mode, findings))
    idle_joints = (*edits.mimics(tree), *joints_of(tree, "floating"))  # no motor drives these
    passive = tuple(joint.get("name") for joint in idle_joints)
    edits.drop_couplings(tree)
    model = _model(serialize(tree), free_flyer)
    doubts = check_inertia_of_motion(model)
    # without mass behind it, or with none but that of its followers
    light, idle = {finding.joint for finding in doubts}, closures.at_rest(followed, mode)
    if idle := {joint: at for joint, at in idle.items() if joint in light}:
        locked |= edits.lock_joints(tree, idle)
        model = _model(serialize(tree), free_flyer)
        doubts = check_inertia_of_motion(model)
    findings += doubts
    alphas = armatures(tree)
    set_armature(model, {n: rotors.get(n, 0.0) + alphas.get(n, 0.0) for n in {**rotors, **alphas}})
    if options.meshes:
        findings += mesh_files.resolve(tree, description.folders)
    refuse_errors(findings, description.origin, options.strict)
    shapes, primitives = _shapes(tree, options)
    name = tree.get("name") or "robot"
    rows = [joint for joint in moving if model.existJointName(joint)]
    coupled = closures.between(followed, rows, locked) if mode == "couple" else ()
    kept = {"joints": (len(rows), len(moving))}
    if motors:
        driven = sum(joint in motors and joint not in passive for joint in rows)
        kept["motors"] = driven, len(motors)
    if many := len(followed) + len(tree.all(closures.LOOP)):
        kept["closures"] = len(loops) + len(coupled), many
    parts = name, model, shapes, primitives, tuple(locked), passive, tuple(findings)
    return Parts(*parts, kept=kept, closures=(*loops, *coupled))


def _resting(followers: list[Node], mode: Mimic, findings: list[Finding]) -> list[Node]:
    """Return the mimic joints that are frozen at rest: all, those without a leader, or none."""
    if mode == "couple":
        lost = {f.joint for f in findings if (f.code, f.level) == ("mimic", "warning")}
        return [follower for follower in followers if follower.get("name") in lost]
    return followers if mode == "lock" else []


def _shapes(tree: Node, options: Options) -> tuple[UrdfShapes, ...]:
    """Return all shapes, and the primitive ones."""
    everything = UrdfShapes(serialize(tree))
    primitives = UrdfShapes(serialize(mesh_files.without(tree)))
    return (everything if options.meshes else primitives), primitives


def _model(text: str, free_flyer: bool) -> Any:
    try:
        if not free_flyer:
            return pin.buildModelFromXML(text)
        # with two joints of one name Pinocchio would assign inertias to the wrong one
        taken = f'<joint name="{BASE_JOINT}"' in text
        name = f"footwork_{BASE_JOINT}" if taken else BASE_JOINT
        return pin.buildModelFromXML(text, pin.JointModelFreeFlyer(), name)
    except (ValueError, RuntimeError) as error:
        raise ModelError(f"Pinocchio cannot build the model: {error}") from None


def examine(tree: Node) -> list[Finding]:
    """Return all findings about a URDF, and normalise the tree: plain numbers, no foreign elements.

    After an error the tree must not be loaded.
    """
    findings = check_structure(tree)
    if tree.tag == "robot":
        findings += check_extensions(tree)
    if of_level(findings, "error"):
        return findings
    strip_extensions(tree)
    tree.attrib["version"] = "1.1"  # from which on Pinocchio's reader knows capsules
    check_materials(tree)
    findings += check_values(tree)
    if not of_level(findings, "error"):
        findings += check_physics(tree)
        repaired_limits(tree)
    return findings
