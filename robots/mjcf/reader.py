"""MJCF (MuJoCo) descriptions: reading, and findings about contents that are left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...errors import counted, unknown
from ..closures import JointCoupling
from ..files.hardened_xml import Node
from ..findings import Finding, Level
from ..inertia import doubtful
from ..options import Options, Parts
from ..refusal import refuse_errors
from ..sources import Description
from ..urdf.physics import check_inertia_of_motion
from .actuators import UNLIMITED, of_limited
from .attached import read
from .joints import Joint
from .model import Builder
from .shapes import GeomShapes
from .tree import Attributes, Mjcf, values


def from_mjcf(tree: Node, description: Description, options: Options) -> Parts:
    """Return the parts of an MJCF model; `options.base` overrides the base of the file.

    Raises:
        ModelError: the description cannot be loaded.
    """
    file = read(tree, description.folders, description.origin)
    builder = Builder(file, description.folders, options)
    builder.build()
    model = builder.model
    keyframes = builder.keyframes()
    findings = (*file.findings, *builder.findings, *left_out(file, builder), *_examine(model))
    refuse_errors(findings, description.origin, options.strict)
    motors = _motors(builder)
    joints = tuple(model.names)[1:]
    driven = bool(file.sections.get("actuator"))
    undriven = {c.joint for c in builder.closures if isinstance(c, JointCoupling)}
    undriven |= {name for name in joints if model.joints[model.getJointId(name)].nv == 6}
    idle = {name for name in joints if name not in motors} if driven else undriven
    passive = tuple(name for name in joints if name in idle)
    under = (*file.sections.get("asset", ()), *file.sections.get("deformable", ()))
    shapes = GeomShapes(tuple(builder.geoms), any(node.tag == "skin" for node in under))
    return Parts(
        file.name,
        model,
        shapes if options.meshes else shapes.primitive(),
        shapes.primitive(),
        tuple(builder.locked),
        passive,
        findings,
        keyframes,
        tuple(
            (node.get("body1"), node.get("body2"))
            for node in file.sections.get("contact", ())
            if node.tag == "exclude"
            and all(model.existBodyName(node.get(key)) for key in ("body1", "body2"))
        ),
        builder.kept(),
        builder.closures,
    )


# --- findings ---------------------------------------------------------------------------------

# elements that are read, or that say how they are to be read
_READ = ("body", "joint", "freejoint", "geom", "site", "inertial", "frame", "worldbody", "mesh")
_DATA = ("material", "key", "exclude", "model")
_SETTINGS = ("compiler", "option", "size", "statistic", "visual", "default", "custom", "extension")
_ELASTIC = {"stiffness", "damping", "frictionloss"}
_BODIES = ("composite", "flexcomp", "flex")  # stand for bodies and joints


def left_out(file: Mjcf, builder: Builder) -> Iterator[Finding]:
    """Yield what of a file becomes no part of the robot; warnings where that moves it."""
    yield from _forces(file, builder)
    yield from _springs(file, builder)
    yield from _limits(file, builder)
    yield from _settings(file)
    yield from _excludes(file)
    if not any(node.tag == "body" for node in file.world.walk()):
        message = "no <body> in it: a robot without links, without mass"
        yield Finding("warning", "bodies", message, "load the file that has them")
    sections = {tag: nodes for tag, nodes in file.sections.items() if tag not in _SETTINGS}
    others = Counter[str]()
    for tag, nodes in sections.items():
        if tag in ("sensor", "tendon"):
            others[tag] += len(nodes)
        elif tag not in ("actuator", "equality"):
            others.update(node.tag for node in nodes if node.tag not in (*_READ, *_DATA))
    others.update(node.tag for node in file.world.walk() if node.tag not in _READ)
    for tag in _BODIES:
        if many := others.pop(tag, 0):
            message = f"{many} × <{tag}>: bodies and joints that are not read"
            yield Finding("warning", "bodies", message, "write them out as <body>")
    planes = sum(node.tag == "geom" for node in file.world.children)
    others.update({"geom of the world": planes} if planes else {})
    if others := +others:  # a section may be empty
        names = ", ".join(f"{many} × <{tag}>" for tag, many in sorted(others.items()))
        yield Finding("info", "scenery", f"no parts of the robot: {names}")


def _forces(file: Mjcf, builder: Builder) -> Iterator[Finding]:
    """Yield the forces and inertias of the file that are no terms of the robot's equations."""

    def left(level: Level, code: str, nodes: list[Node], what: str) -> Iterator[Finding]:
        if nodes:
            names = ", ".join(node.get("name") or f"<{node.tag}>" for node in nodes)
            yield Finding(level, code, f"{what}: {names}", line=nodes[0].line)

    nodes = (node for node in file.world.walk() if node.tag == "body")
    light = [node for node in nodes if values(node.attrib, "gravcomp", (0.0,)).any()]
    what = "gravcomp is left out: these bodies have their weight"
    yield from left("warning", "gravity", light, what)
    joints = ((joint.node, joint.attributes) for joint in builder.joints.values())
    damped = [*joints, *((n, file.attributes(n)) for n in file.sections.get("actuator", ()))]
    curved = [node for node, known in damped if values(known, "damping", (0.0,))[1:].any()]
    what = "damping is linear, its other coefficients are left out"
    yield from left("info", "damping", curved, what)
    tendons = file.sections.get("tendon", [])
    heavy = [t for t in tendons if values(file.attributes(t), "armature", (0.0,)).any()]
    yield from left("warning", "inertia", heavy, "the armature of tendons is left out")
    elastic = [t for t in tendons if _ELASTIC & set(file.attributes(t))]
    yield from left("info", "springs", elastic, "springs and dampers of tendons are left out")
    fluid = [key for key in ("density", "viscosity", "wind") if key in file.option]
    if fluid:
        message = f"<option {' '.join(fluid)}>: forces of a fluid are left out"
        yield Finding("info", "fluid", message)


def _springs(file: Mjcf, builder: Builder) -> Iterator[Finding]:
    """Yield the joints whose springs are left out: a warning where nothing else holds them."""
    joints = [j for j in builder.joints.values() if j.name not in builder.locked]
    joints = [joint for joint in joints if _is_spring(joint.attributes)]
    motors = _motors(builder) if file.sections.get("actuator") else {j.name for j in joints}
    slack = [joint for joint in joints if joint.name not in motors]
    held = [joint for joint in joints if joint.name in motors]
    told: list[tuple[Level, list[Joint], str, str]] = [
        ("warning", slack, " without a motor", "lock=[…] holds them where they are, "),
        ("info", held, "", ""),
    ]
    for level, those, without, hint in told:
        if those:
            names = ", ".join(joint.name for joint in those)
            damped = any(values(j.attributes, "springdamper", (0.0,)).any() for j in those)
            what = "springs and their dampers" if damped else "springs"
            left = f"{what} in {counted(len(those), 'joint')}{without} are left out: {names}"
            hint += "dynamics.JointSprings has their forces"
            yield Finding(level, "springs", left, hint, line=those[0].node.line)


def _motors(builder: Builder) -> set[str]:
    """The joints that a motor drives."""
    return {name for name, drive in builder.drives.items() if drive.is_motor}


def _is_spring(known: Attributes) -> bool:
    return any(values(known, key, (0.0,)).any() for key in ("stiffness", "springdamper"))


def _limits(file: Mjcf, builder: Builder) -> Iterator[Finding]:
    """Yield the limits of motion and of torque that the robot does not have as the file does."""
    limited = ("limited", "range")
    balls = [joint for joint in builder.joints.values() if joint.kind == "ball"]
    balls = [j for j in balls if of_limited(file, j.attributes, *limited) != UNLIMITED]
    tendons = [
        tendon
        for tendon in file.sections.get("tendon", ())
        if of_limited(file, file.attributes(tendon), *limited) != UNLIMITED
    ]
    doubts = {
        "ranges of ball joints are left out": [joint.name for joint in balls],
        "ranges of tendons are left out": [tendon.get("name") for tendon in tendons],
        "torque limits that differ by sign: the larger one counts": builder.one_sided,
    }
    for what, names in doubts.items():
        if names:
            yield Finding("info", "limits", f"{what}: {', '.join(names)}")
    for joint in builder.joints.values():
        if joint.has_axis and _is_empty(joint.attributes):
            between = joint.attributes.get("range", "0 0")
            message = f"nothing between the ends of range={between!r}: loaded without a range"
            where = "", joint.name, joint.node.line
            yield Finding("warning", "limits", message, "give one from low to high", *where)


def _is_empty(known: Attributes) -> bool:
    """Whether a joint has a range, not one of zeros that is none, that nothing lies in."""
    low, high = values(known, "range", (0.0, 0.0))
    limited = known.get("limited", "auto")
    return bool(low >= high and limited != "false" and (low or high or limited == "true"))


def _excludes(file: Mjcf) -> Iterator[Finding]:
    """Yield what is said of excludes that name no bodies."""
    bodies = [node.get("name") for node in file.world.walk() if node.tag == "body"]
    known, excludes = {"world", *bodies}, file.sections.get("contact", ())
    lost = [
        (node, name)
        for node in excludes
        if node.tag == "exclude"
        for name in (node.get("body1"), node.get("body2"))
        if name not in known
    ]
    for node, name in lost[:1]:  # alone, as finding the nearest names takes time
        more = f", nor those of {len(lost) - 1} more" * (len(lost) > 1)
        message = f"<exclude>: {unknown('body', name, bodies)}{more}; left out"
        yield Finding("warning", "exclude", message, line=node.line)


def _settings(file: Mjcf) -> Iterator[Finding]:
    """Yield the settings of the simulation that are not those of the robot."""
    switches = "actuation", "constraint", "equality", "limit"
    off = [key for key in switches if file.flags.get(key) == "disable"]
    off += ["actuatorgroupdisable"] * ("actuatorgroupdisable" in file.option)
    if off:
        message = f"<option>: {', '.join(off)}: what the file switches off is not off here"
        yield Finding("info", "option", message)
    free = [n for n in file.world.walk() if n.tag == "freejoint" and n.get("align") == "true"]
    if free or file.compiler.get("alignfree") == "true":
        message = "free bodies are not aligned with their inertia: q is that of their own frame"
        yield Finding("info", "align", message)


def _examine(model: Any) -> list[Finding]:
    findings = []
    for name, inertia in zip(list(model.names)[1:], list(model.inertias)[1:], strict=True):
        numbers = np.r_[inertia.mass, inertia.lever, inertia.inertia.ravel()]
        if not np.isfinite(numbers).all() or inertia.mass < 0:
            message = f"mass {inertia.mass:g} and an inertia that no body has"
            findings.append(Finding("error", "inertial", message, joint=name))
        else:
            moments = np.linalg.eigvalsh(inertia.inertia)
            findings += doubtful(inertia.mass, moments, joint=name)
    return findings or check_inertia_of_motion(model)
