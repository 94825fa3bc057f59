"""Foot of a walking robot: its contact where it carries, and the task of its frame elsewhere.

A ball rolls: from lift-off to touch-down its shank turns, and so does what of the frame is off the
ball's centre. It is the centre that swings to where the ball is to touch.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import Any

import numpy as np
import pinocchio as pin

from ...arrays import Array
from ...contacts import Contact, PointContact, Terrain
from ...contacts.attachment import placement_on_joint
from ...dynamics import State
from ..program.contact_model import facing
from ..references import Profile, continued
from ..tasks import FrameTask
from .footholds import over_ground
from .grip import needed
from .scale import Scale


class FootMode(Enum):
    """Where a foot is in its gait."""

    STANCE = auto()  # it carries, or is being unloaded
    HELD = auto()  # in the air, before its swing
    SWING = auto()
    SEARCH = auto()  # on its way down to ground that was not where it should be


class GaitFoot:
    """A foot of a walking robot.

    Args:
        contact: where it carries.
        state: where it stands.

    Attributes:
        contact: as it stands, or will where it lands.
        task: of its frame at the centre of its ball or at its origin, while it is no contact.
        mode: where it is in its gait.
        start, goal: of its swing, or of the last one, the `placement` (`pin.SE3`).
        foothold, planned: T_world_contact and the placement where it was to land; from there `goal`
            is moved.
        points: (k, 3), its lowest, from the placement's origin, in the axes of its frame [m].
        ends, duration, clearance: of its swing [s, s, m].
        missed: how far above or below its last goal it has stood [m].
        stopped: whether it goes down where it is before the end of its swing: it met the ground, or
            a riser held it back too late for another try.
        stumbled: whether a riser held it back in its swing.
        descends: whether it has gone down in its swing.
        needed: friction that it needed as it last stood, see `grip`; 0 of points.
    """

    def __init__(self, contact: Contact, state: State, scale: Scale) -> None:
        self.contact, self.mode = contact, FootMode.STANCE
        self._centre = contact.offset if isinstance(contact, PointContact) else None
        self.start = self.goal = self.planned = self.placement(state)
        self.foothold = contact.pose(state)
        self.points: Array = contact.points
        if contact.axes_in_frame is not None:
            own = pin.SE3(contact.axes_in_frame, contact.centre_in_frame)
            self._frame = own.inverse()  # T_contact_frame
            self.points = np.array([own.act(point) for point in contact.points])
        joint, T = placement_on_joint(state.robot, contact)
        self._sole = (joint, T.rotation[:, 2]) if contact.dim == 6 else None  # its normal there
        self._told = float(np.min(contact.friction))
        self.stopped = self.stumbled = self.descends = False
        self.missed = self.ends = self.duration = self.clearance = self.needed = 0.0
        rows, name = "position" if contact.dim < 6 else "pose", f"foot {contact.name}"
        self.task = FrameTask(
            self.start, frame=contact.frame, rows_of=rows, point=self._centre, weight=50.0,
            gain=400.0 / scale.length, name=name,
        )  # fmt: skip

    @property
    def name(self) -> str:
        """The contact's."""
        return self.contact.name

    def placement(self, state: State) -> Any:
        """Return the pose of its frame (`pin.SE3`), with its ball's centre as the origin."""
        T = state.frame_placement(self.contact.frame)
        return T if self._centre is None else pin.SE3(T.rotation, T.act(self._centre))

    def needed_friction(self, state: State, inscribed: float) -> float:
        """Return the friction of the pyramid that a sole needs as it lies, see `grip`; 0 of points.

        `inscribed` is the radius of the cone in a pyramid of the friction 1, cos(π/n).
        """
        if self._sole is None:
            return 0.0
        joint, normal = self._sole
        lies = state.joint_placements[joint, :, :3] @ normal
        return needed(lies, self.foothold.rotation[:, 2], inscribed * self._told) / inscribed

    def go(self, mode: FootMode, way: Any) -> None:
        """Move in the air, along a reference or at a pose."""
        self.mode, self.task.target = mode, way

    def lift(self, state: State, foothold: Any) -> None:
        """Take the way from where it is to T_world_contact."""
        contact, self.start, self.foothold = self.contact, self.placement(state), foothold
        self.missed = abs(float((self.start.translation - self.goal.translation)[2]))
        if isinstance(contact, PointContact):
            self.points = (self.start.rotation.T @ contact.ball_arm)[None]
            # the ground may be inclined differently there
            self.contact = facing(contact, foothold.rotation[:, 2])
            middle = foothold.translation - self.contact.ball_arm
            self.planned = pin.SE3(self.start.rotation, middle)
        else:
            self.planned = foothold * self._frame
        self.goal = self.planned

    def swing(
        self,
        begin: float,
        duration: float,
        height: float,
        terrain: Terrain | None,
        along: Profile,
        t: float | None = None,
    ) -> None:
        """Swing from `start` to `goal`, see `footholds.over_ground`; from t on as it swings now."""
        self.ends, self.duration, self.clearance = begin + duration, duration, height
        way = over_ground(
            self.points, self.start, self.goal, duration, begin, height, terrain, along
        )
        if t is not None and t < self.ends:
            way = continued(self.task.target, way, t, self.ends)
        self.go(FootMode.SWING, way)
