"""Bodies: a robot as a list of bodies, each with the joint that carries it, parents first."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin

from ...arrays import Array
from ..configuration import rows_q, rows_v
from ..ranges import ENDLESS, magnitudes, velocity_limits
from ..robot import Robot

_LINKS = (pin.FrameType.BODY, pin.FrameType.OP_FRAME)


@dataclass(frozen=True, eq=False)
class Body:
    """Links that fixed joints weld together, and the joint that moves them.

    Attributes:
        joint: name of the joint; "" of the world, which is the first body.
        kind: "free", "hinge", "slide", "ball", or Pinocchio's name of another kind.
        parent: index of the body that carries it; −1 of the world.
        placement: T_parent_body with the joint at zero; of the world, in which it stands.
        axis, point: of a hinge or slide (3,): its direction and a point of it, in the body's frame.
        inertia: in the body's frame.
        frames: name -> T_body_frame of its links, joints and other frames.
        links: those of the names that are links or sites, the body's own first.
        limits: (lower, upper) of a hinge or slide [rad or m], infinite where there are none.
        velocity, effort: limits of the joint's rows, infinite where there are none.
        armature, damping, friction: of the joint's rows.
        motor: whether the joint is actuated.
        own: the `pin.JointModel`.
    """

    joint: str
    kind: str
    parent: int
    placement: Any
    axis: Array
    point: Array
    inertia: Any
    frames: Mapping[str, Any]
    links: tuple[str, ...]
    limits: Array
    velocity: Array
    effort: Array
    armature: Array
    damping: Array
    friction: Array
    motor: bool
    own: Any

    @property
    def link(self) -> str:
        """The name of the body: that of its first link, else of its joint."""
        return next(iter(self.links), self.joint or "world")

    @property
    def rows(self) -> int:
        """Degrees of freedom of its joint."""
        return len(self.armature)


class Machine(NamedTuple):
    """All that M(q) and τ_g(q) depend on: bodies, and gravity (3,) [m/s²]."""

    bodies: tuple[Body, ...]
    gravity: Array


def bodies_of(robot: Robot) -> tuple[Body, ...]:
    """Return the bodies of a robot, the world first."""
    frames: list[dict[str, Any]] = [{} for _ in range(robot._model.njoints)]
    links: list[list[str]] = [[] for _ in frames]
    for name in robot.frame_names:
        frame = robot._model.frames[robot.frame_id(name)]
        frames[frame.parentJoint][name] = pin.SE3(frame.placement)
        if frame.type in _LINKS:
            links[frame.parentJoint].append(name)
    return tuple(_body(robot, i, frames[i], links[i]) for i in range(robot._model.njoints))


def _body(robot: Robot, index: int, frames: dict[str, Any], links: list[str]) -> Body:
    model = robot._model
    joint, name = model.joints[index], model.names[index]
    kind, axis = _kind(model, joint) if index else ("world", np.zeros(3))
    v = rows_v(joint) if index else slice(0, 0)
    q = rows_q(joint) if kind in ("hinge", "slide") else slice(0, 0)
    low, high = (np.array(x[q]) for x in (model.lowerPositionLimit, model.upperPositionLimit))
    endless = joint.nq != joint.nv or not (np.abs([low, high]) < ENDLESS).all()
    return Body(
        joint=name if index else "",
        kind=kind,
        parent=int(model.parents[index]) if index else -1,
        placement=pin.SE3.Identity() if kind == "free" else pin.SE3(model.jointPlacements[index]),
        axis=axis,
        point=np.zeros(3),
        inertia=pin.Inertia(model.inertias[index]),
        frames=frames,
        links=tuple(links),
        limits=np.array([-np.inf, np.inf]) if endless else np.concatenate([low, high]),
        velocity=velocity_limits(model)[v],
        effort=magnitudes(model.upperEffortLimit[v]),
        armature=np.array(model.armature[v]),
        damping=np.array(model.damping[v]),
        friction=np.array(model.upperDryFrictionLimit[v]),
        motor=name in robot.actuated,
        own=joint,
    )


def _kind(model: Any, joint: Any) -> tuple[str, Array]:
    """Return the kind of a joint, and the direction of its axis (3,)."""
    short = joint.shortname().removeprefix("JointModel")
    if joint.nv == 1:
        data = joint.createData()
        joint.calc(data, pin.neutral(model))
        linear, angular = np.array(data.S).reshape(2, 3)
        if not linear.any():
            return "hinge", angular / np.linalg.norm(angular)
        if not angular.any():
            return "slide", linear / np.linalg.norm(linear)
    return {"FreeFlyer": "free", "Spherical": "ball"}.get(short, short), np.zeros(3)


def welded(
    bodies: tuple[Body, ...], joints: Collection[int], dropped: Collection[int] = ()
) -> tuple[Body, ...]:
    """Return the bodies with some joints welded at zero; inertia that is `dropped` is left out."""
    found = list(bodies)
    for i in sorted(joints, reverse=True):
        gone, parent = found[i], found[found[i].parent]
        T = gone.placement
        found[gone.parent] = replace(
            parent,
            inertia=parent.inertia if i in dropped else parent.inertia + T.act(gone.inertia),
            frames={**{k: T * frame for k, frame in gone.frames.items()}, **parent.frames},
            links=(*parent.links, *gone.links),
        )
        for k, body in enumerate(found):
            if body.parent == i:
                found[k] = replace(body, parent=gone.parent, placement=T * body.placement)
    kept = [i for i in range(len(found)) if i not in joints]
    number = {-1: -1} | {i: k for k, i in enumerate(kept)}
    return tuple(replace(found[i], parent=number[found[i].parent]) for i in kept)


def places(bodies: tuple[Body, ...]) -> dict[str, tuple[int, Any]]:
    """Return where each frame is: the index of its body, and T_body_frame."""
    return {name: (i, T) for i, body in enumerate(bodies) for name, T in body.frames.items()}


def below(bodies: tuple[Body, ...], index: int) -> set[int]:
    """Return the indices of a body and of all that it carries."""
    found = {index}
    for i, body in enumerate(bodies):
        if body.parent in found:
            found.add(i)
    return found


def model_of(machine: Machine) -> tuple[Any, list[int]] | None:
    """Return the `pin.Model` of a machine, and the index of each body's joint in it.

    Joints with an axis are plain hinges and slides there, whatever their limits. None where bodies
    carry each other in a circle.
    """
    bodies, gravity = machine
    model = pin.Model()
    model.gravity.linear = gravity
    index = [0] * len(bodies)
    children: list[list[int]] = [[] for _ in bodies]
    for i, body in enumerate(bodies[1:], 1):
        children[body.parent].append(i)
    waiting = children[0][::-1]  # depth first
    armature: list[Array] = []
    while waiting:
        i = waiting.pop()
        body, parent = bodies[i], bodies[bodies[i].parent]
        base = parent.placement if body.parent == 0 else pin.SE3.Identity()
        T = base * _shift(parent.point).inverse() * body.placement * _shift(body.point)
        index[i] = model.addJoint(index[body.parent], _joint(body), T, f"{i}")
        model.appendBodyToJoint(index[i], body.inertia, _shift(body.point).inverse())
        armature.append(body.armature)
        waiting += children[i][::-1]
    if model.njoints < len(bodies):
        return None
    model.armature = np.concatenate([np.zeros(0), *armature])
    return model, index


def _shift(point: Array) -> pin.SE3:
    return pin.SE3(np.eye(3), point)


def _joint(body: Body) -> Any:
    if body.kind == "hinge":
        return pin.JointModelRevoluteUnaligned(body.axis)
    return pin.JointModelPrismaticUnaligned(body.axis) if body.kind == "slide" else body.own
