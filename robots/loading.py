"""load(): a description becomes a Robot."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

import pinocchio as pin

from ..errors import ModelError, unknown
from . import meshes as mesh_files
from .catalogue import RobotInfo
from .feet import Foot, feet_of_end_effectors
from .hardened_xml import parse, serialize
from .postures import configurations
from .robot import BASE_JOINT, Robot
from .shapes import UrdfShapes
from .sources import Description, describe
from .srdf import Semantics, read_srdf
from .urdf_edits import lock_joints, use_base

Base = Literal["floating", "fixed"]


def load(
    source: str | os.PathLike[str],
    *,
    base: Base | None = None,
    package_dirs: Iterable[str | Path] = (),
    lock: Iterable[str] | Mapping[str, float] = (),
    passive: Iterable[str] = (),
    strict: bool = False,
    meshes: bool = True,
) -> Robot:
    """Return the robot that `source` describes.

    Args:
        source: path of a description, a description as text, "-" for standard input, or the name
            of a robot of the catalogue (`robots.available()`).
        base: "floating" (free to move) or "fixed" (welded to the world). Without it: what the
            catalogue says, else floating.
        package_dirs: folders in which `package://name/…` is looked for first.
        lock: joints to freeze, by name or pattern ("gripper_*"), at zero or at the nearest limit;
            or a mapping from names to positions [rad or m].
        passive: joints without a motor; all others are actuated.
        strict: refuse what would otherwise be one warning about an unphysical description.
        meshes: read the mesh files. Without them the dynamics are the same.

    Raises:
        ModelError: the description cannot be found or read, or describes no physical robot.
    """
    return build(
        describe(source, package_dirs),
        base=base,
        lock=lock,
        passive=tuple(passive),
        strict=strict,
        meshes=meshes,
    )


def build(
    description: Description,
    *,
    base: Base | None = None,
    lock: Iterable[str] | Mapping[str, float] = (),
    passive: tuple[str, ...] = (),
    strict: bool = False,
    meshes: bool = True,
) -> Robot:
    """Return the robot of a description that was read; the arguments are those of `load`."""
    tree = parse(description.data, description.origin)
    info = description.info
    floating = _is_floating(base, info)
    root_joint = use_base(tree, floating)
    locked = lock_joints(tree, lock)
    if meshes:
        mesh_files.resolve(tree, description.folders)
    else:
        mesh_files.without(tree)
    text = serialize(tree)
    model = _model(text, floating, root_joint)
    model.name = info.name if info else tree.get("name") or "robot"
    shapes = UrdfShapes(text)
    semantics = read_srdf(description.srdf) if description.srdf else Semantics()
    feet = _feet(model, text, semantics, info)
    postures = dict(semantics.postures)
    if info:
        postures.update({k: dict(v) for k, v in info.postures.items()})
    return Robot(
        name=model.name,
        model=model,
        shapes=shapes,
        actuated=_actuated(model, passive),
        postures=configurations(model, postures, semantics.base_joint, feet.values()),
        feet=feet,
        source=description.origin,
        locked=locked,
    )


def _is_floating(base: Base | None, info: RobotInfo | None) -> bool:
    if base is None:
        base = "fixed" if info and info.base == "fixed" else "floating"
    if base not in ("floating", "fixed"):
        raise ModelError(f"base: got {base!r}, expected 'floating', 'fixed' or None")
    return base == "floating"


def _model(text: str, floating: bool, root_joint: str | None) -> Any:
    """Return Pinocchio's model; `root_joint` is the file's own floating base, if it has one."""
    try:
        if floating and root_joint is None:
            return pin.buildModelFromXML(text, pin.JointModelFreeFlyer(), BASE_JOINT)
        return pin.buildModelFromXML(text)
    except (ValueError, RuntimeError) as error:
        raise ModelError(f"Pinocchio cannot build the model: {error}") from None


def _feet(model: Any, text: str, semantics: Semantics, info: RobotInfo | None) -> dict[str, Foot]:
    if info and info.feet:
        return {foot.name: foot for foot in info.feet()}
    if not semantics.end_effectors:
        return {}
    links = [f.name for f in model.frames if f.type == pin.FrameType.BODY]
    collision = UrdfShapes(serialize(mesh_files.without(parse(text)))).read(model, "collision")
    return feet_of_end_effectors(model, collision, semantics.end_effectors, links)


def _actuated(model: Any, passive: tuple[str, ...]) -> tuple[str, ...]:
    floats = model.njoints > 1 and model.joints[1].shortname() == "JointModelFreeFlyer"
    joints = tuple(model.names)[2 if floats else 1 :]
    for name in passive:
        if name not in joints:
            raise ModelError("passive: " + unknown("joint", name, joints))
    return tuple(name for name in joints if name not in passive)
