"""One contact: a point or a flat patch of the robot that touches the world.

A contact has a pose T_world_contact (origin at its centre, z the normal from the ground into the
robot) and points at which the ground may push. The motion constraint is written in world axes
at the centre: v_c = J(q) v, three rows for a point, six for a patch (linear first). On a surface
that moves, J v is that of the surface there.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, wraps
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ..arrays import Array
from ..dynamics import State
from ..dynamics.contact_derivatives import frame_acceleration_derivatives
from ..dynamics.per_robot import per_robot
from ..dynamics.spatial import cross, skew
from ..errors import ContactError
from ..options import names_checked
from ..reprs import given_fields
from ..robots import Robot, values
from ..robots.configuration import check_robot
from ..robots.values import array, boolean, instance, length, number, placement, text, vector
from .attachment import Attached, Attachment
from .cones.friction_cone import (
    Friction,
    FrictionCone,
    axes_along,
    check_friction,
    check_tangent,
    unit_vector,
)
from .moving_surface import MovingSurface

Answer = TypeVar("Answer")


def at_state(count: int) -> Callable[[Callable[..., Answer]], Callable[..., Answer]]:
    """Return the decorator of a method of a State that also takes (robot, q) or (robot, q, v).

    Args:
        count: 1 for q, 2 for q and v.
    """

    def decorate(method: Callable[..., Answer]) -> Callable[..., Answer]:
        @wraps(method)
        def either(contact: Any, state: State | Robot, *given: Any, **named: Any) -> Answer:
            if isinstance(state, State):
                return method(contact, state, *given, **named)
            robot = check_robot(state)
            if len(given) < count:
                raise ContactError("state: got a robot, expected a State, or a robot, q and v")
            return method(contact, State.of(robot, *given[:count]), *given[count:], **named)

        return either

    return decorate


@dataclass(frozen=True, eq=False, repr=False)
class Contact(Attached):
    """What every contact has; the kinds differ in their pose and points.

    Attributes:
        frame: of the robot, by name; a name shared by a link and a joint means the link.
        friction: Coulomb coefficient μ ≥ 0. Two for anisotropic friction, along the x and y axes of
            a patch, or along the `tangent` of a point and across it: ‖(f_x/μ_x, f_y/μ_y)‖ ≤ f_n.
        name: of the contact; the frame's when empty.
        bilateral: True for a hold that can also pull, without friction limit (a hand on a rung).
        torsional_friction: γ [m]: the moment about the normal at the centre is at most γ times the
            normal force. None: a point transmits no such moment, a patch whatever the forces at
            its points make. A point with γ > 0 is a soft finger: force and moment share one cone,
            ‖(f_t/μ, m_n/γ)‖ ≤ f_n.
        min_normal, max_normal: bounds of the contact's whole normal force [N]; None: no bound but
            the cones' f_n ≥ 0. A bilateral hold that pulls at most 200 N has min_normal=-200. Of
            the ε that margins take away, max_normal is the most with it, min_normal the least
            that is left without.
        surface: the motion of what is touched; None: it rests.
        part_of: what the contact is a part of, such as the foot of which it is a corner; empty:
            it is whole. The parts of one share the normal force that margins take away.
        weight: of a part among those of its whole that are in a set, in that sharing.

    Raises:
        ContactError: negative or not finite; torsional friction of what has no friction limit;
            bounds in the wrong order, or below zero for what cannot pull.
    """

    frame: str
    friction: Friction
    name: str = field(default="", kw_only=True)
    bilateral: bool = field(default=False, kw_only=True)
    torsional_friction: float | None = field(default=None, kw_only=True)
    min_normal: float | None = field(default=None, kw_only=True)
    max_normal: float | None = field(default=None, kw_only=True)
    surface: MovingSurface | None = field(default=None, kw_only=True)
    part_of: str = field(default="", kw_only=True)
    weight: float = field(default=1.0, kw_only=True)

    __repr__ = given_fields

    def __post_init__(self) -> None:
        object.__setattr__(self, "friction", check_friction(self.friction))
        text(self.frame, "frame", error=ContactError)
        text(self.name, "name", empty=True, error=ContactError)
        text(self.part_of, "part_of", empty=True, error=ContactError)
        object.__setattr__(
            self, "weight", number(self.weight, "weight", above=0, error=ContactError)
        )
        boolean(self.bilateral, "bilateral", error=ContactError)
        if (gamma := self.torsional_friction) is not None:
            gamma = length(gamma, "torsional_friction", zero=True, error=ContactError)
            object.__setattr__(self, "torsional_friction", gamma)
            if self.bilateral:
                raise ContactError(
                    "torsional_friction: got one for a bilateral contact, which has no friction "
                    "limit; expected None"
                )
        least, unit = (None, "[N]") if self.bilateral else (0.0, "[N]: it cannot pull")
        for name in ("min_normal", "max_normal"):
            if (value := getattr(self, name)) is not None:
                bound = number(value, name, at_least=least, unit=unit, error=ContactError)
                object.__setattr__(self, name, bound)
        low, high = self.normal_bounds
        if low > high:
            raise ContactError(f"min_normal: got {low} N, expected at most max_normal = {high} N")
        if self.surface is not None:
            instance(self.surface, "surface", MovingSurface, error=ContactError)

    @cached_property
    def dim(self) -> int:
        """Number of rows of the constraint: 3 a point, 4 a soft one, 5 a line, 6 a patch."""
        return 3 + len(self.angular_rows) + len(self.turning_axes)

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
    def whole(self) -> str:
        """The name of what it is a part of, its own where it is none."""
        return self.part_of or self.name

    # --- at a state ----------------------------------------------------------------------------

    @at_state(1)
    def pose(self, state: State) -> Any:
        """Return T_world_contact (`pin.SE3`): origin at the centre, z the normal into the robot."""
        at = self._attached(state)
        return pin.SE3(at.rotations(state)[0], at.positions(state)[0])

    @at_state(1)
    def world_points(self, state: State) -> Array:
        """Return the points where the ground may push, (k, 3), in the world [m]."""
        return self._attached(state).world_points(state)

    @at_state(1)
    def cone(self, state: State) -> FrictionCone:
        """Return the friction cone at each point, in world axes."""
        axes = self._attached(state).rotations(state)[0]
        return FrictionCone(self.friction, axes[:, 2], axes[:, 0])

    @at_state(1)
    def jacobian(self, state: State) -> Array:
        """Return J (dim, nv), v_c = J v: velocity of the centre, then the rows of ω; world axes."""
        return self._attached(state).jacobian(state)

    @at_state(1)
    def centre_jacobian(self, state: State) -> Array:
        """Return (6, nv), velocity of the centre and ω, world axes, whatever the rows of J."""
        return np.asarray(self._attached(state).centre_jacobians(state)[0])

    @at_state(2)
    def drift(self, state: State) -> Array:
        """Return (dJ/dt) v (dim,): the acceleration of the centre when a = 0, in world axes."""
        return self._attached(state).drift(state)

    @at_state(1)
    def hessian(self, state: State) -> Array:
        """Return H (dim, nv, nv), H[r, j, k] = ∂J[r, j]/∂(k-th tangent direction)."""
        return self._attached(state).hessian(state)

    @at_state(2)
    def acceleration_derivatives(self, state: State, a: ArrayLike) -> tuple[Array, Array]:
        """Return ∂/∂q and ∂/∂v (dim, nv) of J a + (dJ/dt) v, world axes.

        The centre at r in the body, and at c in the world from there (of a ball), accelerates by
        p̈ + α × (r + c) + ω × (ω × r); its body's axes y turn: d(yᵀα) = yᵀ dα + (y × α)ᵀ J_ω dq.

        Raises:
            ContactError: on a moving surface.
        """
        if self.surface is not None:
            raise ContactError(f"{self.name!r}: got a moving surface, expected one at rest")
        robot, frame = state.robot, self.frame
        dq, dv = frame_acceleration_derivatives(robot, state, None, a, frame)
        J, H = state.frame_jacobian(frame)[3:], state.frame_hessian(frame)[3:]
        omega, turned = J @ state.velocity, np.einsum("rjk,j->rk", H, state.velocity)
        alpha = J @ np.asarray(a) + state.frame_drift(frame)[3:]
        r = state.frame_placement(frame).rotation @ self.centre_in_frame
        moved, by_omega = -skew(r) @ J, -skew(cross(omega, r)) - skew(omega) @ skew(r)
        for d, along in ((dq, turned), (dv, J)):
            d[:3] += by_omega @ along - skew(r + self.ball_arm) @ d[3:]
        dq[:3] += (skew(alpha) + skew(omega) @ skew(omega)) @ moved
        P = self._attached(state).selection(state)
        rows = P @ dq
        self._add_turning(rows, P, alpha, J)
        return rows, P @ dv

    @at_state(1)
    def error(self, state: State, target: Any) -> Array:
        """Return how far it is from a placement T_world_target, (dim,), world axes.

        [p − p*; log(R R*ᵀ)], the rotation vector in the rows of ω; 0 for the spin of a soft point,
        which has no place.
        """
        at, target = self._attached(state), placement(target, "target", error=ContactError)
        error = np.zeros(6)
        error[:3] = at.positions(state)[0] - target.translation
        if self.axes_in_frame is not None:
            error[3:] = pin.log3(at.rotations(state)[0] @ target.rotation.T)
        return np.asarray(at.selection(state) @ error)

    @at_state(1)
    def error_jacobian(self, state: State, target: Any) -> Array:
        """Return the derivative (dim, nv) of `error` along tangent steps.

        A ball's place moves with its middle. With θ the rotation vector of R R*ᵀ, dθ = J_l⁻¹(θ) ω;
        along an axis y of the body, which turns, d(yᵀθ) = yᵀ dθ + (y × θ)ᵀ ω.
        """
        at, J = self._attached(state), self.centre_jacobian(state)
        target = placement(target, "target", error=ContactError)
        P, full = at.selection(state), np.zeros_like(J)
        full[:3] = J[:3] + skew(self.ball_arm) @ J[3:]
        if self.axes_in_frame is None:
            return np.asarray(P @ full)
        turn = at.rotations(state)[0] @ target.rotation.T
        full[3:] = np.array(pin.Jlog3(turn)) @ turn.T @ J[3:]
        rows = np.asarray(P @ full)
        self._add_turning(rows, P, np.array(pin.log3(turn)), J[3:])
        return rows

    def _add_turning(self, rows: Array, P: Array, x: Array, J: Array) -> None:
        """Add to the derivatives of y·x (dim, nv), y = P's axes of the body, (y × x)ᵀ J_ω."""
        if self.turning_axes:
            turning = slice(3 + len(self.angular_rows), None)  # the others stay in the world
            rows[turning] += np.cross(P[turning, 3:], x) @ J

    @at_state(1)
    def surface_velocity(self, state: State) -> Array:
        """Return s (dim,), what J v must be for the contact to stay on its surface, world axes."""
        if self.surface is None:
            return np.zeros(self.dim)
        at = self._attached(state)
        s = self.surface.velocity(at.positions(state)[0])
        return np.asarray(at.selection(state) @ np.concatenate([s, self.surface.angular]))

    @at_state(2)
    def surface_acceleration(self, state: State) -> Array:
        """Return what J a + (dJ/dt) v must be for the contact to stay there (dim,), world axes.

        The rate of s where the centre goes: of a contact that stays on its surface, whose points
        stay on those of the surface that they touch, the acceleration of the surface's own point.
        For an axis y of the body, or a normal that turns with the surface, the rate of
        y·(ω − ω_s) = 0: y·α = y·α_s + (ω × y)·ω_s.

        A ball touches at c = p − ρ n, which moves on both bodies, with ṗ of its middle and
        ṅ = ω_s × n: it accelerates by a₀ + α_s × (c − p₀) + ω_s × (ċ − v₀) + ρ ω × ṅ.
        """
        if (surface := self.surface) is None:
            return np.zeros(self.dim)
        at, arm = self._attached(state), self.ball_arm
        velocity, omega = np.split(at.twists(state)[0], 2)
        turned = cross(surface.angular, arm)
        a = surface.field_rate(at.positions(state)[0], velocity - cross(omega, arm) + turned)
        P = at.selection(state)
        wanted = P @ np.concatenate([a - cross(omega, turned), surface.angular_acceleration])
        if self.dim < 6:  # else the rows are along the world's axes
            wanted[3:] += np.cross(omega, P[3:, 3:]) @ surface.angular
        return np.asarray(wanted)

    @at_state(1)
    def grasp(self, state: State) -> Array:
        """Return G (dim, 3k): w = G f, from forces f at the points to the rows of J, world axes.

        Forces and wrench then do the same work: Σ J_kᵀ f_k = Jᵀ G f. `spread` is the way back.
        """
        at = self._attached(state)
        P = at.selection(state)
        return np.hstack([P @ np.vstack([np.eye(3), pin.skew(r)]) for r in at.arms(state)])

    @at_state(1)
    def spread(self, state: State, wrench: ArrayLike) -> Array:
        """Return the least forces (k, 3) at the points that add up to w (dim,), world axes.

        f = Gᵀ (G Gᵀ)⁻¹ w, the pseudo-inverse, which knows no friction: `contact_forces` finds the
        forces that friction allows. The moment of a soft point is no force at its point; the same
        for what no forces at the points can give: it is left out.
        """
        w = array(wrench, "wrench", (self.dim,), error=ContactError)
        return np.asarray(np.linalg.pinv(self.grasp(state)) @ w).reshape(-1, 3)

    @at_state(1)
    def point_jacobians(self, state: State) -> Array:
        """Return (k, 3, nv), the Jacobian of each point, world axes: J_i = J_v + J_ω × r_i."""
        return self._attached(state).point_jacobians(state)

    def _attached(self, state: State) -> Attachment:
        """Return itself on the robot's joints."""
        known = _attachments(state.robot)
        found = known.get(self)
        return known.setdefault(self, Attachment(state.robot, [self])) if found is None else found


@per_robot
def _attachments(robot: Robot) -> WeakKeyDictionary[Contact, Attachment]:
    """The contacts that were asked for at a state of this robot."""
    return WeakKeyDictionary()


@names_checked
@dataclass(frozen=True, eq=False, repr=False)
class PointContact(Contact):
    """A point of the robot that touches the world: a fingertip, a corner, or a ball that rolls.

    Three rows: the velocity of the point. A soft point (`torsional_friction` > 0) has a fourth one,
    the angular velocity about the normal, and transmits a moment about it.

    It has the attributes of `Contact`, too.

    Attributes:
        normal: (3,), unit vector of the ground there, from the ground into the robot, world axes.
        offset: (3,), the point, or the ball's centre, in the axes of `frame` [m].
        radius: of a ball foot [m]: it touches the ground at its centre − radius · normal, and as
            it rolls another point of it does.
        tangent: (3,), the first of the two tangents along which friction is given, world axes; of
            it the part along the normal is taken away. Needed for two coefficients.
    """

    normal: Array = (0.0, 0.0, 1.0)  # type: ignore[assignment]
    offset: Array = (0.0, 0.0, 0.0)  # type: ignore[assignment]
    radius: float = field(default=0.0, kw_only=True)
    tangent: ArrayLike | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "normal", unit_vector(self.normal, "normal"))
        check_tangent(self)
        offset = vector(self.offset, "offset", error=ContactError, frozen=True)
        object.__setattr__(self, "offset", offset)
        radius = length(self.radius, "radius", zero=True, error=ContactError)
        object.__setattr__(self, "radius", radius)
        if self.soft and not np.all(self.friction):
            raise ContactError(
                f"torsional_friction: got {self.torsional_friction} with friction {self.friction}, "
                "expected a positive friction: what resists turning resists sliding"
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
    def points(self) -> Array:
        """(1, 3): the point itself."""
        return np.zeros((1, 3))

    @property
    def centre_in_frame(self) -> Array:
        """(3,), the point, or the middle of the ball, in the axes of the frame [m]."""
        return self.offset

    @property
    def axes_in_world(self) -> Array:
        """(3, 3), with the ground's normal as z."""
        return axes_along(self.normal, self.tangent)

    def turned(self, rotation: Array) -> PointContact:
        """Return the contact on ground turned by a rotation (3, 3) in world axes."""
        rotation = values.rotation(rotation, "rotation", error=ContactError)
        tangent = None if self.tangent is None else rotation @ np.asarray(self.tangent)
        return replace(self, normal=rotation @ self.normal, tangent=tangent)

    @property
    def ball_arm(self) -> Array:
        """(3,), −ρ n [m]."""
        return np.asarray(-self.radius * self.normal)

    @property
    def angular_rows(self) -> Array:
        """(0 or 1, 3), the normal of a soft point."""
        return self.normal[None][: int(self.soft)]
