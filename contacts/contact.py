"""One contact: a point or a flat patch of the robot that touches the world.

A contact has a pose T_world_contact (origin at its centre, z the normal from the ground into the
robot) and points at which the ground may push. The motion constraint is written in world axes
at the centre: v_c = J(q) v, three rows for a point, six for a patch (linear first).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike, NDArray

from .. import dynamics
from ..robots import Robot
from .friction_cone import (
    FrictionCone,
    axes_along,
    check_friction,
    check_length,
    finite_vector,
    unit_vector,
)

Array = NDArray[np.float64]


class Contact(ABC):
    """What every contact has; the kinds differ in their pose and points."""

    frame: str
    friction: float
    bilateral: bool
    name: str
    dim: int

    @property
    @abstractmethod
    def points(self) -> Array:
        """(k, 3), where the ground may push, in contact axes from the centre [m]."""

    @abstractmethod
    def pose(self, robot: Robot, q: ArrayLike) -> Any:
        """Return T_world_contact (`pin.SE3`): origin at the centre, z the normal into the robot."""

    def world_points(self, robot: Robot, q: ArrayLike) -> Array:
        """Return the points where the ground may push, (k, 3), in the world [m]."""
        T = self.pose(robot, q)
        return np.asarray(self.points @ T.rotation.T + T.translation)

    def cone(self, robot: Robot, q: ArrayLike) -> FrictionCone:
        """Return the friction cone at each point, in world axes."""
        return FrictionCone(self.friction, self.pose(robot, q).rotation[:, 2])

    def jacobian(self, robot: Robot, q: ArrayLike) -> Array:
        """Return J (dim, nv), v_c = J v: velocity of the centre, for a patch ω too; world axes.

        At r from the frame's origin, J_p = J_v − [r]× J_ω, column by column J_v + J_ω × r.
        """
        J = dynamics.frame_jacobian(robot, q, self.frame)
        J[:3] += cross(J[3:], self._arm(robot, q)[:, None])
        return J[: self.dim]

    def drift(self, robot: Robot, q: ArrayLike, v: ArrayLike) -> Array:
        """Return (dJ/dt) v (dim,): the acceleration of the centre when a = 0, in world axes.

        a_p = a_o + α × r + ω × (ω × r_b), the classical acceleration of a body's point, with r_b
        the part of r that turns with the body.
        """
        drift = dynamics.frame_drift(robot, q, v, self.frame)
        omega = dynamics.frame_jacobian(robot, q, self.frame)[3:] @ np.asarray(v, dtype=float)
        r = self._arm(robot, q)
        drift[:3] += np.cross(drift[3:], r)
        drift[:3] += np.cross(omega, np.cross(omega, self._turning_arm(robot, q)))
        return drift[: self.dim]

    def hessian(self, robot: Robot, q: ArrayLike) -> Array:
        """Return H (dim, nv, nv), H[r, j, k] = ∂J[r, j]/∂(k-th tangent direction).

        From J_p = J_v + J_ω × r with ∂r/∂k = J_ω,k × r_b, r_b being the part of r that turns with
        the body: H_p = H_v + H_ω × r + J_ω,j × (J_ω,k × r_b).
        """
        H = dynamics.frame_hessian(robot, q, self.frame)
        J_omega = dynamics.frame_jacobian(robot, q, self.frame)[3:]
        r = self._arm(robot, q)
        r_rates = cross(J_omega, self._turning_arm(robot, q)[:, None])
        H[:3] += cross(H[3:], r[:, None, None])
        H[:3] += cross(J_omega[:, :, None], r_rates[:, None, :])
        return H[: self.dim]

    def grasp(self, robot: Robot, q: ArrayLike) -> Array:
        """Return G (dim, 3k): w = G f, from forces f at the points to the rows of J, world axes.

        Forces and wrench then do the same work: Σ J_kᵀ f_k = Jᵀ G f. A wrench becomes the least
        forces that give it by the pseudo-inverse of G (which knows no friction).
        """
        arms = self.world_points(robot, q) - self.pose(robot, q).translation
        G = np.hstack([np.vstack([np.eye(3), pin.skew(r)]) for r in arms])
        return G[: self.dim]

    def point_jacobians(self, robot: Robot, q: ArrayLike) -> Array:
        """Return (k, 3, nv), the Jacobian of each point, world axes: J_i = J_v + J_ω × r_i."""
        J = dynamics.frame_jacobian(robot, q, self.frame)
        origin = dynamics.frame_placement(robot, q, self.frame).translation
        arms = self.world_points(robot, q) - origin
        return np.stack([J[:3] + cross(J[3:], r[:, None]) for r in arms])

    def _arm(self, robot: Robot, q: ArrayLike) -> Array:
        """From the frame's origin to the centre, (3,), world axes [m]."""
        origin = dynamics.frame_placement(robot, q, self.frame).translation
        return np.asarray(self.pose(robot, q).translation - origin)

    def _turning_arm(self, robot: Robot, q: ArrayLike) -> Array:
        """The part of the arm that is fixed to the body, (3,), world axes [m]."""
        return self._arm(robot, q)


@dataclass(frozen=True, eq=False)
class PointContact(Contact):
    """A point of the robot that touches the world: a fingertip, a corner, or a ball that rolls.

    Attributes:
        frame: of the robot, by name; a name shared by a link and a joint means the link.
        friction: Coulomb coefficient μ ≥ 0.
        normal: (3,), unit vector of the ground there, from the ground into the robot, world axes.
        offset: (3,), the point, or the ball's centre, in the axes of `frame` [m].
        radius: of a ball foot [m]: it touches the ground at its centre − radius · normal, and as
            it rolls another point of it does.
        name: of the contact; the frame's when empty.
        bilateral: True for a hold that can also pull, without friction limit (a hand on a rung).
    """

    frame: str
    friction: float
    normal: Array = (0.0, 0.0, 1.0)  # type: ignore[assignment]
    offset: Array = (0.0, 0.0, 0.0)  # type: ignore[assignment]
    radius: float = field(default=0.0, kw_only=True)
    name: str = field(default="", kw_only=True)
    bilateral: bool = field(default=False, kw_only=True)
    dim = 3

    def __post_init__(self) -> None:
        object.__setattr__(self, "friction", check_friction(self.friction))
        object.__setattr__(self, "normal", unit_vector(self.normal, "normal"))
        offset = finite_vector(self.offset, "offset").copy()
        offset.setflags(write=False)
        object.__setattr__(self, "offset", offset)
        object.__setattr__(self, "radius", check_length(self.radius, "radius", zero=True))

    @property
    def points(self) -> Array:
        """(1, 3): the point itself."""
        return np.zeros((1, 3))

    def pose(self, robot: Robot, q: ArrayLike) -> Any:
        """Return T_world_contact: where the ground is touched, and axes with its normal as z."""
        centre = dynamics.frame_placement(robot, q, self.frame).act(self.offset)
        return pin.SE3(axes_along(self.normal), centre - self.radius * self.normal)

    def _turning_arm(self, robot: Robot, q: ArrayLike) -> Array:
        return np.asarray(dynamics.frame_placement(robot, q, self.frame).rotation @ self.offset)


def cross(a: Array, b: Array) -> Array:
    """Return a × b along the first axis, with broadcasting."""
    return np.asarray(np.cross(a, b, axis=0))
