"""One contact: a point or a flat patch of the robot that touches the world.

A contact has a pose T_world_contact (origin at its centre, z the normal from the ground into the
robot) and points at which the ground may push. The motion constraint is written in world axes
at the centre: v_c = J(q) v, three rows for a point, six for a patch (linear first). On a surface
that moves, J v is that of the surface there.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike, NDArray

from .. import dynamics
from ..errors import ContactError
from ..robots import Robot
from .cones.friction_cone import (
    FrictionCone,
    axes_along,
    check_friction,
    check_length,
    finite_vector,
    unit_vector,
)
from .contact_values import check_whole
from .moving_surface import MovingSurface

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Contact(ABC):
    """What every contact has; the kinds differ in their pose and points.

    Attributes:
        frame: of the robot, by name; a name shared by a link and a joint means the link.
        friction: Coulomb coefficient μ ≥ 0.
        name: of the contact; the frame's when empty.
        bilateral: True for a hold that can also pull, without friction limit (a hand on a rung).
        torsional_friction: γ [m]: the moment about the normal at the centre is at most γ times the
            normal force. None: a point transmits no such moment, a patch whatever the forces at
            its points make. A point with γ > 0 is a soft finger: force and moment share one cone,
            ‖(f_t/μ, m_n/γ)‖ ≤ f_n.
        min_normal, max_normal: bounds of the contact's whole normal force [N]; None: no bound but
            the cones' f_n ≥ 0. A bilateral hold that pulls at most 200 N has min_normal=-200.
        surface: the motion of what is touched; None: it rests.
    """

    frame: str
    friction: float
    name: str = field(default="", kw_only=True)
    bilateral: bool = field(default=False, kw_only=True)
    torsional_friction: float | None = field(default=None, kw_only=True)
    min_normal: float | None = field(default=None, kw_only=True)
    max_normal: float | None = field(default=None, kw_only=True)
    surface: MovingSurface | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "friction", check_friction(self.friction))
        check_whole(self)

    @property
    @abstractmethod
    def dim(self) -> int:
        """Number of rows of the constraint: 3 a point, 4 a soft one, 5 a line, 6 a patch."""

    @property
    @abstractmethod
    def torsion(self) -> float:
        """γ [m] as a number: 0 where no moment is transmitted, inf where none is limited."""

    @property
    def normal_bounds(self) -> tuple[float, float]:
        """Bounds of the whole normal force [N], ∓inf for none."""
        low, high = self.min_normal, self.max_normal
        return (-np.inf if low is None else low, np.inf if high is None else high)

    @property
    @abstractmethod
    def on_frame(self) -> Any:
        """T_frame_contact (`pin.SE3`): where the centre is fixed, but for `shift`."""

    @property
    def shift(self) -> Array:
        """(3,), from there to the centre, constant in the world [m]."""
        return np.zeros(3)

    def angular_rows(self, axes: Array) -> Array:
        """Return (dim − 3, 3), which parts of ω are rows, from the axes (3, 3) of `on_frame`."""
        return np.eye(3)

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
        return self.centre_jacobian(robot, q)

    def centre_jacobian(self, robot: Robot, q: ArrayLike) -> Array:
        """Return (6, nv), velocity of the centre and ω, world axes, whatever the rows of J."""
        J = dynamics.frame_jacobian(robot, q, self.frame)
        J[:3] += cross(J[3:], self._arm(robot, q)[:, None])
        return J

    def drift(self, robot: Robot, q: ArrayLike, v: ArrayLike) -> Array:
        """Return (dJ/dt) v (dim,): the acceleration of the centre when a = 0, in world axes.

        a_p = a_o + α × r + ω × (ω × r_b), the classical acceleration of a body's point, with r_b
        the part of r that turns with the body.
        """
        return self._full_drift(robot, q, v)

    def _full_drift(self, robot: Robot, q: ArrayLike, v: ArrayLike) -> Array:
        drift = dynamics.frame_drift(robot, q, v, self.frame)
        omega = dynamics.frame_jacobian(robot, q, self.frame)[3:] @ np.asarray(v, dtype=float)
        r = self._arm(robot, q)
        drift[:3] += np.cross(drift[3:], r)
        drift[:3] += np.cross(omega, np.cross(omega, self._turning_arm(robot, q)))
        return drift

    def hessian(self, robot: Robot, q: ArrayLike) -> Array:
        """Return H (dim, nv, nv), H[r, j, k] = ∂J[r, j]/∂(k-th tangent direction).

        From J_p = J_v + J_ω × r with ∂r/∂k = J_ω,k × r_b, r_b being the part of r that turns with
        the body: H_p = H_v + H_ω × r + J_ω,j × (J_ω,k × r_b).
        """
        return self._full_hessian(robot, q)

    def _full_hessian(self, robot: Robot, q: ArrayLike) -> Array:
        H = dynamics.frame_hessian(robot, q, self.frame)
        J_omega = dynamics.frame_jacobian(robot, q, self.frame)[3:]
        r = self._arm(robot, q)
        r_rates = cross(J_omega, self._turning_arm(robot, q)[:, None])
        H[:3] += cross(H[3:], r[:, None, None])
        H[:3] += cross(J_omega[:, :, None], r_rates[:, None, :])
        return H

    def surface_velocity(self, robot: Robot, q: ArrayLike) -> Array:
        """Return s (dim,), what J v must be for the contact to stay on its surface, world axes."""
        if self.surface is None:
            return np.zeros(self.dim)
        s = self.surface.velocity(self.pose(robot, q).translation)
        return np.concatenate([s, self.surface.angular])

    def surface_acceleration(self, robot: Robot, q: ArrayLike, v: ArrayLike) -> Array:
        """Return what J a + (dJ/dt) v must be for the contact to stay there (dim,), world axes.

        The rate of s where the centre goes: of a contact that stays on its surface, whose points
        stay on those of the surface that they touch, the acceleration of the surface's own point.
        """
        if self.surface is None:
            return np.zeros(self.dim)
        moving = self.centre_jacobian(robot, q)[:3] @ np.asarray(v, dtype=float)
        s = self.surface.field_rate(self.pose(robot, q).translation, moving)
        return np.concatenate([s, self.surface.angular_acceleration])

    def grasp(self, robot: Robot, q: ArrayLike) -> Array:
        """Return G (dim, 3k): w = G f, from forces f at the points to the rows of J, world axes.

        Forces and wrench then do the same work: Σ J_kᵀ f_k = Jᵀ G f. `spread` is the way back.
        """
        arms = self.world_points(robot, q) - self.pose(robot, q).translation
        return np.hstack([np.vstack([np.eye(3), pin.skew(r)]) for r in arms])

    def spread(self, robot: Robot, q: ArrayLike, wrench: ArrayLike) -> Array:
        """Return the least forces (k, 3) at the points that add up to w (dim,), world axes.

        f = Gᵀ (G Gᵀ)⁻¹ w, the pseudo-inverse, which knows no friction: `contact_forces` finds the
        forces that friction allows. The moment of a soft point is no force at its point; the same
        for what no forces at the points can give: it is left out.
        """
        w = np.asarray(wrench, dtype=float)
        if w.shape != (self.dim,) or not np.isfinite(w).all():
            raise ContactError(f"wrench: got shape {w.shape}, expected ({self.dim},), finite")
        return np.asarray(np.linalg.pinv(self.grasp(robot, q)) @ w).reshape(-1, 3)

    def point_jacobians(self, robot: Robot, q: ArrayLike) -> Array:
        """Return (k, 3, nv), the Jacobian of each point, world axes: J_i = J_v + J_ω × r_i."""
        J = dynamics.frame_jacobian(robot, q, self.frame)
        origin = dynamics.frame_placement(robot, q, self.frame).translation
        arms = self.world_points(robot, q) - origin
        return (J[:3, None] + cross(J[3:, None], arms.T[:, :, None])).transpose(1, 0, 2)

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

    Three rows: the velocity of the point. A soft point (`torsional_friction` > 0) has a fourth one,
    the angular velocity about the normal, and transmits a moment about it.

    Attributes:
        frame, friction, name, bilateral, torsional_friction, min_normal, max_normal, surface: as
            for `Contact`.
        normal: (3,), unit vector of the ground there, from the ground into the robot, world axes.
        offset: (3,), the point, or the ball's centre, in the axes of `frame` [m].
        radius: of a ball foot [m]: it touches the ground at its centre − radius · normal, and as
            it rolls another point of it does.
    """

    normal: Array = (0.0, 0.0, 1.0)  # type: ignore[assignment]
    offset: Array = (0.0, 0.0, 0.0)  # type: ignore[assignment]
    radius: float = field(default=0.0, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "normal", unit_vector(self.normal, "normal"))
        offset = finite_vector(self.offset, "offset").copy()
        offset.setflags(write=False)
        object.__setattr__(self, "offset", offset)
        object.__setattr__(self, "radius", check_length(self.radius, "radius", zero=True))
        if self.soft and self.friction == 0:
            raise ContactError(
                f"torsional_friction: got {self.torsional_friction} with friction 0, expected a "
                "positive friction: what resists turning resists sliding"
            )

    @property
    def torsion(self) -> float:
        """γ [m]: 0 for a hard point, which transmits no moment."""
        return self.torsional_friction or 0.0

    @property
    def soft(self) -> bool:
        """Whether the point transmits a moment about its normal."""
        return self.torsion > 0

    @property
    def dim(self) -> int:
        """Number of rows: 3, or 4 for a soft point."""
        return 4 if self.soft else 3

    @property
    def on_frame(self) -> Any:
        """T_frame_point (`pin.SE3`): the point, or the ball's centre."""
        return pin.SE3(np.eye(3), self.offset)

    @property
    def shift(self) -> Array:
        """(3,), from a ball's centre to where it touches the ground [m]."""
        return -self.radius * self.normal

    def angular_rows(self, axes: Array) -> Array:
        """Return n (1, 3) of a soft point, nothing (0, 3) of a hard one."""
        return self.normal[None][: self.dim - 3]

    @property
    def points(self) -> Array:
        """(1, 3): the point itself."""
        return np.zeros((1, 3))

    def pose(self, robot: Robot, q: ArrayLike) -> Any:
        """Return T_world_contact: where the ground is touched, and axes with its normal as z."""
        centre = dynamics.frame_placement(robot, q, self.frame).act(self.offset)
        return pin.SE3(axes_along(self.normal), centre - self.radius * self.normal)

    def jacobian(self, robot: Robot, q: ArrayLike) -> Array:
        """Return J (3 or 4, nv): velocity of the point, world axes, and n·ω of a soft one."""
        return self._rows(self.centre_jacobian(robot, q))

    def drift(self, robot: Robot, q: ArrayLike, v: ArrayLike) -> Array:
        """Return (dJ/dt) v (3 or 4,): the acceleration of the point when a = 0, and n·α."""
        return self._rows(self._full_drift(robot, q, v))

    def hessian(self, robot: Robot, q: ArrayLike) -> Array:
        """Return H (3 or 4, nv, nv), H[r, j, k] = ∂J[r, j]/∂(k-th tangent direction)."""
        return self._rows(self._full_hessian(robot, q))

    def surface_velocity(self, robot: Robot, q: ArrayLike) -> Array:
        """Return s (3 or 4,), what J v must be for the contact to stay on its surface."""
        if self.surface is None:
            return np.zeros(self.dim)
        s = self.surface.velocity(self.pose(robot, q).translation)
        return self._rows(np.concatenate([s, self.surface.angular]))

    def surface_acceleration(self, robot: Robot, q: ArrayLike, v: ArrayLike) -> Array:
        """Return what J a + (dJ/dt) v must be for the contact to stay there (3 or 4,), world axes.

        The rate of J v = s where the surface is touched, c = p − ρ n, which for a ball moves on
        both bodies, with ṗ of its middle and ṅ = ω_s × n as the surface turns:

            a₀ + α_s × (c − p₀) + ω_s × (ċ − v₀) + ρ ω × ṅ,      n·α_s − ṅ·ω
        """
        if (surface := self.surface) is None:
            return np.zeros(self.dim)
        J = dynamics.frame_jacobian(robot, q, self.frame)
        twist, arm = J @ np.asarray(v, dtype=float), self._turning_arm(robot, q)
        omega, turn = twist[3:], np.cross(surface.angular, self.normal)
        moved = twist[:3] + np.cross(omega, arm) - self.radius * turn
        a = surface.field_rate(self.pose(robot, q).translation, moved)
        a += self.radius * np.cross(omega, turn)
        spin = self.normal @ surface.angular_acceleration - turn @ omega
        return np.append(a, spin)[: self.dim]

    def grasp(self, robot: Robot, q: ArrayLike) -> Array:
        """Return G (3 or 4, 3): w = G f; the moment of a soft point comes from no force."""
        return np.eye(self.dim, 3)

    def _rows(self, full: Array) -> Array:
        """Of rows [linear; angular] (6, …), the point's own."""
        spin = np.tensordot(self.normal, full[3:], axes=1)[None]
        return np.concatenate([full[:3], spin])[: self.dim]

    def _turning_arm(self, robot: Robot, q: ArrayLike) -> Array:
        return np.asarray(dynamics.frame_placement(robot, q, self.frame).rotation @ self.offset)


def cross(a: Array, b: Array) -> Array:
    """Return a × b along the first axis, with broadcasting."""
    return np.stack(
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    )
