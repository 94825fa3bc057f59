"""The gravito-inertial wrench cone: motions of the whole robot that its contacts can carry.

Newton and Euler for the whole robot, about any fixed point O:

    Σ_k [f_k; p_k × f_k] + w_gi = 0,      w_gi = [m (g − c̈); (c − O) × m (g − c̈) − L̇_c]

with c the centre of mass and L_c the angular momentum about it. The contacts can carry the motion
exactly when w_gi lies in minus their net wrench cone: this is the gravito-inertial wrench cone. It
does not depend on the motion, so that one cone answers for a whole movement on fixed contacts.
Joint torques are not asked.

S. Caron, Q.-C. Pham, Y. Nakamura, "Leveraging cone double description for multi-contact stability
of humanoids with applications to statics and dynamics" (RSS 2015).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array
from ...dynamics import Wrench
from ...errors import ContactError
from ...options import names_checked
from ...robots import Robot
from ...robots.values import number, vector
from ..contact_set import Contacts, ContactSet
from ..limits import Kind
from .wrench_cone import WrenchCone, net_wrench_cone

_ZERO = (0.0, 0.0, 0.0)
_GRAVITY = (0.0, 0.0, -9.81)
_vector = partial(vector, error=ContactError)


def gravito_inertial_wrench(
    mass: float,
    com: ArrayLike,
    acceleration: ArrayLike = _ZERO,
    angular_momentum_rate: ArrayLike = _ZERO,
    point: ArrayLike = _ZERO,
    gravity: ArrayLike = _GRAVITY,
) -> Wrench:
    """Return w_gi, what gravity and inertia do to the contacts: minus what these must give.

    Args:
        mass: m > 0 [kg].
        com: c (3,), in the world [m].
        acceleration: c̈ (3,) [m/s²].
        angular_momentum_rate: L̇_c (3,), about the centre of mass [N·m].
        point: O (3,), about which the moment is taken [m].
        gravity: g (3,) [m/s²].

    Returns:
        Wrench at `point`, world axes.
    """
    kilograms = number(mass, "mass", above=0, unit="[kg]", error=ContactError)
    g, a = _vector(gravity, "gravity"), _vector(acceleration, "acceleration")
    force = kilograms * (g - a)
    origin = _vector(point, "point")
    moment = np.cross(_vector(com, "com") - origin, force)
    rate = _vector(angular_momentum_rate, "angular_momentum_rate")
    return Wrench(force, moment - rate, origin)


@dataclass(frozen=True, eq=False)
class GravitoInertialCone:
    """Minus the net wrench cone of some contacts: the wrenches w_gi that they can balance.

    Attributes:
        net: the net wrench cone of the contacts about `point`, world axes.
        mass: of the robot [kg].
        point: O (3,), where moments are taken, in the world [m].
        gravity: g (3,) [m/s²].
    """

    net: WrenchCone
    mass: float
    point: Array
    gravity: Array

    @property
    def faces(self) -> Array:
        """F (m, 6) with the cone = {w_gi : F w_gi ≤ 0}; raises `ContactError` if it is exact."""
        return -self.net.faces

    @property
    def rays(self) -> Array:
        """(r, 6), wrenches w_gi that span the cone; raises `ContactError` if it is exact."""
        return -self.net.rays

    def wrench(
        self,
        com: ArrayLike,
        acceleration: ArrayLike = _ZERO,
        angular_momentum_rate: ArrayLike = _ZERO,
    ) -> Wrench:
        """Return w_gi of a motion, about the cone's point: see `gravito_inertial_wrench`."""
        motion = (com, acceleration, angular_momentum_rate)
        return gravito_inertial_wrench(self.mass, *motion, self.point, self.gravity)

    def contains(
        self,
        com: ArrayLike,
        acceleration: ArrayLike = _ZERO,
        angular_momentum_rate: ArrayLike = _ZERO,
        tolerance: float = 1e-7,
    ) -> bool:
        """Whether contacts can carry c, c̈ and L̇_c, to `tolerance` of the wrench's size."""
        w = self.wrench(com, acceleration, angular_momentum_rate)
        return bool(self.net.contains(-w.vector, tolerance))

    def violation(
        self,
        com: ArrayLike,
        acceleration: ArrayLike = _ZERO,
        angular_momentum_rate: ArrayLike = _ZERO,
    ) -> float:
        """Return how far w_gi is from the cone [N], moments as for `WrenchCone`; 0 inside."""
        return self.net.violation(-self.wrench(com, acceleration, angular_momentum_rate).vector)


@names_checked
def gravito_inertial_cone(
    robot: Robot,
    q: ArrayLike,
    contacts: Contacts,
    point: ArrayLike = _ZERO,
    kind: Kind = "exact",
    sides: int = 8,
) -> GravitoInertialCone:
    """Return the gravito-inertial wrench cone of contacts that stay where they are at q.

    Args:
        robot: whose contacts and mass.
        q: configuration (nq,), for the places of the contacts.
        contacts: a ContactSet of this robot, or any contacts.
        point: O (3,), where moments are taken, in the world [m].
        kind, sides: as for `WrenchCone`.
    """
    contact_set = ContactSet.of(robot, contacts)
    net = net_wrench_cone(contact_set, q, point, kind, sides)
    gravity = np.array(robot._model.gravity.linear)
    return GravitoInertialCone(net, robot.mass, _vector(point, "point"), gravity)
