"""Falls: when a robot no longer stands, by height, tilt, depth in the ground, links that touch."""

from __future__ import annotations

import numpy as np

from ...arrays import Array
from ...contacts import ContactSet, Terrain, penetrations
from ...dynamics import State
from ...dynamics.spatial import up_in_base
from ...robots.robot import Robot

LOW = 0.5  # of the height of the base above the feet at the start
TILT = 60.0  # of the base against the start [degrees]
DEPTH = 0.1  # of that height, by which points of contacts may be inside of the ground
CHECKS = 0.01  # [s], from one check to the next
LOOKS = 5  # checks, from one look at the links to the next


class Fall:
    """A robot's fall: what tells it from standing where it started.

    Args:
        robot: floating base.
        contacts: it may stand on; links that carry them, and those of their limbs, may touch.
        terrain: the ground.
        q: how it starts (nq,).
    """

    def __init__(self, robot: Robot, contacts: ContactSet, terrain: Terrain, q: Array) -> None:
        self.robot, self.contacts, self.terrain = robot, contacts, terrain
        lowest = float(contacts.attachment.world_points(State(robot, q))[:, 2].min())
        above = self._above_ground(q)  # on a slope less than above the lowest point
        self.height = min(float(q[2]) - lowest, above if above > 0 else np.inf)
        self.up = up_in_base(q[3:7])
        self.limbs = self._limbs()
        self.touching = self._links(q, 0.0)
        self.deepest = max(DEPTH * abs(self.height), 1.01 * self._depth(q))

    def after(self, tick: int, ticks: int, period: float, q: Array) -> str:
        """Return the reason after a tick of so many, `period` seconds each, where it is checked."""
        every = max(1, round(CHECKS / period))
        last = tick + 1 == ticks
        if (tick + 1) % every and not last:
            return ""
        return self.reason(q, last or (tick + 1) % (LOOKS * every) == 0)

    def reason(self, q: Array, look: bool = True) -> str:
        """Return why the robot has fallen at q (nq,), in words; "" when it has not.

        The links are only looked at if `look`.
        """
        height = self._above_ground(q)
        if self.height > 0 and height < LOW * self.height:
            where = f"{height:.3g} m above" if height >= 0 else f"{-height:.3g} m under"
            return f"its base is {where} the ground, {self.height:.3g} m above its feet at first"
        tilt = float(np.degrees(np.arccos(np.clip(up_in_base(q[3:7]) @ self.up, -1.0, 1.0))))
        if tilt > TILT:
            return f"its base tilts by {tilt:.0f} degrees"
        if (depth := self._depth(q)) > self.deepest:
            return f"its feet are {depth:.3g} m inside of the ground"
        found = self._links(q, 0.02 * abs(self.height)) - self.touching if look else set()
        return f"{sorted(found)[0]} lies on the ground" if found else ""

    def _above_ground(self, q: Array) -> float:
        """The height of the base above the ground below it [m]."""
        ground = float(self.terrain.height(q[:3]))
        return float(q[2]) - (ground if np.isfinite(ground) else 0.0)

    def _depth(self, q: Array) -> float:
        """How far points of contacts are inside of the ground [m]."""
        points = self.contacts.attachment.world_points(State(self.robot, q))
        return -float(np.min(self.terrain.signed_distance(points)))

    def _limbs(self) -> set[int]:
        """The joints that move the contacts, also by loops; the base only where it carries one."""
        model, joints = self.robot._model, set()
        for joint in self.contacts.attachment.joints.tolist():
            joints |= {joint, *list(model.supports[joint])[2:]}  # without world and base
        for moved in self.robot._closure_rows.carried if self.robot.closures else ():
            loop = {self.robot.joint_id(self.robot.joint_of_row[i]) for i in np.flatnonzero(moved)}
            joints |= loop if loop & joints else set()
        return joints

    def _links(self, q: Array, depth: float) -> set[str]:
        """The links deeper in the ground than `depth` [m], those of the limbs with contacts not."""
        if not self.robot.has_collision_shapes:
            return set()
        model = self.robot._model
        found = penetrations(self.robot, q, self.terrain, max(depth, 5e-3))
        return {
            p.link
            for p in found
            if model.frames[self.robot.frame_id(p.link)].parentJoint not in self.limbs
        }
