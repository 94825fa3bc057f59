"""World of a trial: what differs from what the controller believes, noise, delay and ground."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ...contacts import ContactSet, Plane, Terrain
from ...contacts.terrain.solids import Box
from ...errors import ConfigurationError
from ...options import names_checked
from ...robots.values import instance, length, number, whole_number
from ..disturbances import Noise
from ..estimation import Sensors
from ..gaits.grip import with_friction

TOLD = Noise(velocities=0.05, base_orientation=5e-3, base_velocity=0.03)
FLAT = 0.6  # before the first board and the ramp, from the start [m]
STEEPEST = 45.0  # [degrees]


@names_checked
@dataclass(frozen=True)
class World:
    """The world of a trial: how it differs from the robot, contacts and friction that the
    controller knows.

    Attributes:
        masses: each body but the trunk is heavier or lighter by up to this share, at random.
        trunk: the trunk is heavier by this share.
        armature: added to each joint, as a share of its diagonal entry of M at the start.
        friction: of the ground, as a share of what the controller assumes.
        joint_friction: damping and dry friction of the joints, which the controller does not know
            of, as a share of those in the robot's description (`damping`, `friction`,
            `frictionloss`).
        noise: on q and v that the controller gets at each tick.
        sensors: the controller gets their readings instead: joints and an IMU, nothing of the base.
        delay: number of ticks until its torques are applied.
        boards: height of boards across the way that the controller does not know of [m]; 0: none.
        slope: of the ground along x, which the starting posture takes into account [degrees].
        ramp: additional slope from 0.6 m ahead on, which the controller does not know of [degrees].
        terrain: the ground instead of the slope, which the controller knows; None: level.

    Raises:
        ConfigurationError: shares that are negative or, of masses, 1 and more; no such numbers;
            boards on a ramp; a terrain and something else.
    """

    masses: float = 0.0
    trunk: float = 0.0
    armature: float = 0.0
    friction: float = 1.0
    joint_friction: float = 0.0
    noise: Noise = field(default=TOLD)
    sensors: Sensors | None = None
    delay: int = 1
    boards: float = 0.0
    slope: float = 0.0
    ramp: float = 0.0
    terrain: Terrain | None = None

    def __post_init__(self) -> None:
        number(self.masses, "masses", at_least=0, at_most=0.99)
        number(self.trunk, "trunk", at_least=-0.99, at_most=10.0)
        number(self.armature, "armature", at_least=0, at_most=10.0)
        number(self.friction, "friction", at_least=0, at_most=10.0)
        number(self.joint_friction, "joint_friction", at_least=0, at_most=10.0)
        instance(self.noise, "noise", Noise)
        if self.sensors is not None:
            instance(self.sensors, "sensors", Sensors)
        whole_number(self.delay, "delay", at_least=0)
        length(self.boards, "boards", zero=True)
        number(self.slope, "slope", at_least=-STEEPEST, at_most=STEEPEST, unit="[degrees]")
        number(self.ramp, "ramp", at_least=0, at_most=STEEPEST, unit="[degrees]")
        if self.boards and self.ramp:
            raise ConfigurationError(
                f"boards, ramp: got {self.boards:g} m and {self.ramp:g} degrees; expected one of "
                "them"
            )
        if self.terrain is not None:
            instance(self.terrain, "terrain", Terrain)
            if self.boards or self.slope or self.ramp:
                raise ConfigurationError(
                    "terrain: got one and boards, a slope or a ramp; expected one of them"
                )

    @classmethod
    def real(cls, **changes: Any) -> World:
        """Return a world with other masses and armature, and half the friction."""
        return replace(cls(masses=0.1, trunk=0.05, armature=0.05, friction=0.5), **changes)

    @property
    def told(self) -> Terrain:
        """The ground without its boards and its ramp."""
        return Terrain([self._plane]) if self.terrain is None else self.terrain

    @property
    def _plane(self) -> Plane:
        return Plane("ground", rises=self.slope)

    def ground(self, rng: np.random.Generator, ahead: float) -> Terrain:
        """Return the ground as it is, boards up to a distance ahead of the origin [m]."""
        if self.ramp > 0:
            foot = (FLAT, 0.0, FLAT * float(np.tan(np.radians(self.slope))))
            return Terrain([self._plane, Plane("ramp", foot, self.slope + self.ramp)])
        if self.boards == 0:
            return self._rubbed(self.told)
        boards: list[Box] = []
        x = FLAT
        while x < ahead:
            deep, wide = rng.uniform(0.15, 0.5), rng.uniform(0.2, 0.6)
            y, turned = rng.uniform(-0.4, 0.4), rng.uniform(-20.0, 20.0)
            up = float(np.tan(np.radians(self.slope)))
            at = (x + deep / 2, y, up * (x + deep / 2))
            size = (deep, wide, self.boards)
            name = f"board {len(boards) + 1}"
            # a turned box is tilted about its own axis: level ground alone has turned ones
            heading = 0.0 if self.slope else turned
            boards.append(Box(name, size, at, heading, self.slope))
            x += deep + rng.uniform(0.1, 0.3)
        return Terrain([self._plane, *boards])

    def _rubbed(self, ground: Terrain) -> Terrain:
        """The ground with the friction that it has; where it has none of its own, see `feet`."""
        own = [
            part if part.friction is None else replace(part, friction=self.friction * part.friction)
            for part in ground
        ]
        return Terrain(own)

    def feet(self, contacts: ContactSet) -> ContactSet:
        """Return the contacts with the friction that they have."""
        feet = [with_friction(contact, self.friction) for contact in contacts]
        return ContactSet(contacts.robot, feet)
