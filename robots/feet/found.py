"""Feet found by shape and the standing posture of a robot, both worked out at first use."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from ...arrays import Array
from ...errors import ConfigurationError, ModelError
from ..frozen_mapping import ReadOnlyMapping
from .by_hand import SIZED, GivenFoot
from .foot import Foot
from .outlines import Outline, lowest, placed
from .standing import Standing, carried, stand
from .support import beside, com_of, supports

_LEVEL = 0.02  # of the robot's height: feet of a posture that a file names as one to stand in


class FoundFeet(ReadOnlyMapping[Foot]):
    """Name -> Foot, found by shape at first use: reading meshes takes longer than the rest."""

    def __init__(
        self,
        given: tuple[GivenFoot, ...] = (),
        feet: dict[str, Foot] | None = None,
        robot: Any | None = None,
    ) -> None:
        self.given, self._feet, self._robot = given, feet, robot

    def of(self, robot: Any | None) -> FoundFeet:
        """Return these feet for a robot, or without one, as far as they are known."""
        return FoundFeet(self.given, self._feet, robot)

    @property
    def known(self) -> dict[str, Foot]:
        """The feet, found now if they were not yet."""
        if self._feet is None:
            self._feet = _feet(self._robot, self.given)
        return self._feet

    def __reduce__(self) -> tuple[Any, ...]:
        return FoundFeet, (self.given, self._feet if self._robot is None else self.known)


class SolvedPostures(ReadOnlyMapping[Array]):
    """Name -> q (nq,): those of the files; where it stands in none, "standing", solved."""

    def __init__(self, given: dict[str, Array], robot: Any) -> None:
        self.given, self._robot = given, robot

    @cached_property
    def stance(self) -> str | None:
        """The posture to stand in: the first of the files in which it does, else the solved one."""
        try:
            for name, q in self.given.items():
                if stands_in(self._robot, q):
                    return name
            if not self._robot.standing.problem:
                return "standing"
        except ModelError:  # a mesh that cannot be read: `robot.feet` raises it
            pass
        return next(iter(self.given), None)

    @property
    def known(self) -> dict[str, Array]:
        """The postures, solved now if they were not yet."""
        if self.stance != "standing":
            return self.given
        return {**self.given, "standing": self._robot.standing.q}

    def __getitem__(self, name: str) -> Array:
        return self.given[name] if name in self.given else self.known[name]


def standing_of(robot: Any) -> Standing:
    """Return how a robot stands, on its own feet where they are known."""
    if not robot.is_floating:
        return Standing(robot.neutral(), problem="its base is fixed")
    shapes = robot._outlines
    known = robot.feet.given if isinstance(robot.feet, FoundFeet) else robot.feet.values()
    if not known:
        return stand(robot, shapes)
    joints = {_joint(robot, foot.frame) for foot in known}
    for joint in joints:
        own = [foot for foot in known if _joint(robot, foot.frame) == joint]
        shapes = _only(robot, shapes, joint, own)
    return stand(robot, shapes, joints)


def _joint(robot: Any, frame: str) -> int:
    return int(robot._model.frames[robot.frame_id(frame)].parentJoint)


def _only(robot: Any, shapes: list[Outline], joint: int, feet: list[Any]) -> list[Outline]:
    """The outlines without those of a joint, but for its feet's."""
    kept, added = [shape for shape in shapes if shape.joint != joint], []
    for foot in feet:
        frame_id = robot.frame_id(foot.frame)
        own = [shape for shape in shapes if shape.joint == joint]
        of_link = [s for s in own if robot._model.frames[s.link].name == foot.frame]
        placed_foot = foot if isinstance(foot, Foot) else foot.foot
        if placed_foot is None and foot.size and not own:
            placed_foot = foot.on(None)
        if placed_foot is None:
            added += of_link or own
        else:
            points = placed_foot.points(robot._model.frames[frame_id].placement)
            added.append(Outline(frame_id, joint, points, placed_foot.radius))
    return [*kept, *added]


def _feet(robot: Any, given: tuple[GivenFoot, ...]) -> dict[str, Foot]:
    shown = robot.standing.feet
    if not given:
        return dict(shown)
    of_joint = {_joint(robot, foot.frame): foot for foot in shown.values()}
    shaped = {shape.joint for shape in robot._outlines}
    for foot in given:
        joint = _joint(robot, foot.frame)
        if not foot.size and foot.foot is None and joint in shaped and joint not in of_joint:
            raise ConfigurationError(
                f"feet: no posture to stand in shows where {foot.frame!r} touches the ground: "
                f"{robot.standing.problem}; expected {SIZED}"
            )
    return {foot.name: foot.on(of_joint.get(_joint(robot, foot.frame))) for foot in given}


def stands_in(robot: Any, q: Array) -> bool:
    """Whether a robot is on its feet at q (nq,): level, below its mass and all else of it."""
    if not robot.feet:
        return False
    model, feet = robot._model, robot.feet.values()
    data = placed(model, q)
    heights = _heights(robot, data)
    slack = _slack(robot, q, heights)
    ups = (data.oMf[robot.frame_id(f.frame)].rotation @ f.placement.rotation[:, 2] for f in feet)
    upright = all(f.is_point or up[2] > 0.95 for f, up in zip(feet, ups, strict=True))
    above = beside(supports(model, data, feet), com_of(model, data, q)[:2]) < slack
    return bool(np.ptp(heights) < slack and upright and above) and not lies_on(robot, q)


def stands_nowhere(robot: Any) -> str:
    """Return why a robot has feet and joints but no posture to stand in, in words; "" when not."""
    known = not isinstance(robot.postures, SolvedPostures)
    if known or not robot.joint_names or not robot.feet:
        return ""
    if robot.postures.stance:
        return ""
    standing = robot.standing
    up = "; the z axis of its base is taken as up" if standing.q[6] == 1.0 else ""
    return f"{standing.problem}{up}"


def lies_on(robot: Any, q: Array) -> str:
    """Return which link lies below the feet of a robot at q (nq,), in words; "" when none does.

    The ground is level; robots whose shapes cannot be read, or without feet, lie on nothing.
    """
    if not robot.feet or not robot.is_floating:
        return ""
    try:
        shapes = robot._outlines
    except ModelError:
        return ""
    data = placed(robot._model, q)
    ground = _heights(robot, data).min()
    joints = {_joint(robot, foot.frame) for foot in robot.feet.values()}
    own = (shape for shape in shapes if carried(robot._model, shape.joint))
    others = [shape for shape in own if shape.joint not in joints]
    if not others:
        return ""
    low = min(others, key=lambda shape: lowest([shape], data))
    depth = ground - lowest([low], data)
    if depth < _slack(robot, q, np.array([ground])):
        return ""
    return f"it lies on {robot._model.frames[low.link].name!r}, {depth:.3g} m below its feet"


def _heights(robot: Any, data: Any) -> Array:
    feet = robot.feet.values()
    return np.array([foot.lowest(data.oMf[robot.frame_id(foot.frame)]) for foot in feet])


def _slack(robot: Any, q: Array, heights: Array) -> float:
    origins = [T.translation[2] for T in list(placed(robot._model, q).oMi)[1:]]
    return float(_LEVEL * max(max(origins) - heights.min(), 1e-3))
