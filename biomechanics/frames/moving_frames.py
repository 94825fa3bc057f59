"""Moving frames: relative motion and fictitious forces.

In a frame with origin O, angular velocity Ω and angular acceleration Ω̇ (relative to the inertial
world), a point at r with relative velocity u has the relative acceleration

    a' = Rᵀ(a − a_O) − Ω̇ × r − Ω × (Ω × r) − 2 Ω × u

so that Newton's law holds there with four fictitious forces on a mass m:

    d'Alembert −m Rᵀa_O    Euler −m Ω̇ × r    centrifugal −m Ω × (Ω × r)    Coriolis −2 m Ω × u

With r the centre of mass and the body's angular velocity relative to the inertial world (expressed
in the axes of the frame), each is a pure force there: Euler's equation I ω̇ + ω × I ω has no
fictitious part.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import pinocchio as pin
from numpy.typing import ArrayLike

from ...arrays import Array
from ...dynamics.spatial import cross
from ...dynamics.workspace import workspace_of
from ...dynamics.wrench import Wrench
from ...robots import values
from ...robots.configuration import as_vector, check_configuration, check_velocity
from ...robots.robot import Robot

_VECTORS = {
    "velocity": "of the frame's origin [m/s]",
    "angular_velocity": "of the frame [rad/s]",
    "acceleration": "of the frame's origin [m/s²]",
    "angular_acceleration": "of the frame [rad/s²]",
}


@dataclass(frozen=True, eq=False, init=False)
class MovingFrame:
    """A frame and its motion at one instant, vectors in world axes; by default at rest.

    Attributes:
        placement: T_world_frame (`pin.SE3`).
        velocity: of its origin (3,) [m/s].
        angular_velocity: (3,) [rad/s].
        acceleration: classical, of its origin (3,) [m/s²].
        angular_acceleration: (3,) [rad/s²].
        name: of its axes, in wrenches.

    Raises:
        ConfigurationError: not a `pin.SE3`, vectors that are not three finite numbers, no name.
    """

    placement: Any
    velocity: Array
    angular_velocity: Array
    acceleration: Array
    angular_acceleration: Array
    name: str

    def __init__(
        self,
        placement: Any = None,
        velocity: ArrayLike = (0.0, 0.0, 0.0),
        angular_velocity: ArrayLike = (0.0, 0.0, 0.0),
        acceleration: ArrayLike = (0.0, 0.0, 0.0),
        angular_acceleration: ArrayLike = (0.0, 0.0, 0.0),
        name: str = "observer",
    ) -> None:
        object.__setattr__(self, "name", values.text(name, "name"))
        T = pin.SE3.Identity() if placement is None else placement
        T = values.placement(T, "placement", "T_world_frame")
        object.__setattr__(self, "placement", T)
        vectors = (velocity, angular_velocity, acceleration, angular_acceleration)
        for (field, meaning), value in zip(_VECTORS.items(), vectors, strict=True):
            object.__setattr__(self, field, values.vector(value, field, meaning, frozen=True))

    def at(self, point: ArrayLike) -> Self:
        """Return the frame with the same axes whose origin is `point` (3,), in axes of this one.

        v' = v + ω × r,  a' = a + ω̇ × r + ω × (ω × r): both are fixed to the same rigid body.
        """
        p = as_vector(point, 3, "point", "in the axes of the frame [m]")
        r = self.placement.rotation @ p
        swept = cross(self.angular_velocity, r)
        return replace(
            self,
            placement=pin.SE3(self.placement.rotation, self.placement.translation + r),
            velocity=self.velocity + swept,
            acceleration=self.acceleration
            + cross(self.angular_acceleration, r)
            + cross(self.angular_velocity, swept),
        )

    def seen_from(self, observer: MovingFrame) -> Self:
        """Return the motion of this frame relative to the observer, in the observer's axes.

        By differences of spatial velocities V and accelerations A: with X to the observer's frame,
            V' = X (V − V_O) and A' = X (A − A_O − V_O × (V − V_O)).
        """
        values.instance(observer, "observer", MovingFrame)
        V, A = _spatial(self)
        V_O, A_O = _spatial(observer)
        T = observer.placement.actInv(self.placement)
        seen_V = observer.placement.actInv(V - V_O)
        seen_A = observer.placement.actInv(A - A_O - (V_O ^ (V - V_O)))
        omega, alpha = seen_V.angular, seen_A.angular
        velocity = seen_V.linear + cross(omega, T.translation)
        return replace(
            self,
            placement=T,
            velocity=velocity,
            angular_velocity=omega,
            acceleration=seen_A.linear + cross(alpha, T.translation) + cross(omega, velocity),
            angular_acceleration=alpha,
        )

    def carrying(self, inner: MovingFrame) -> MovingFrame:
        """Return the motion in the world of a frame whose motion `inner` is relative to this one.

        Its acceleration is a_O + Ω̇ × r + Ω × (Ω × r) + 2 Ω × u + R a'. The inverse of `seen_from`.
        """
        values.instance(inner, "inner", MovingFrame)
        R, turn = self.placement.rotation, self.angular_velocity
        u, omega = R @ inner.velocity, R @ inner.angular_velocity
        carried = self.at(inner.placement.translation)
        return replace(
            inner,
            placement=self.placement * inner.placement,
            velocity=carried.velocity + u,
            angular_velocity=turn + omega,
            acceleration=carried.acceleration + 2 * cross(turn, u) + R @ inner.acceleration,
            angular_acceleration=self.angular_acceleration
            + R @ inner.angular_acceleration
            + cross(turn, omega),
        )


class FictitiousWrenches(NamedTuple):
    """Fictitious wrenches on a body, each a pure force at its centre of mass."""

    dalembert: Wrench
    euler: Wrench
    centrifugal: Wrench
    coriolis: Wrench

    @property
    def total(self) -> Wrench:
        """Sum of the four."""
        return self.dalembert + self.euler + self.centrifugal + self.coriolis

    def at(self, point: ArrayLike) -> FictitiousWrenches:
        """Return the four with their moments about `point` (3,), in the observer's axes."""
        return FictitiousWrenches(*(wrench.at(point) for wrench in self))


def fictitious_wrenches_of(
    mass: float, com: MovingFrame, observer: MovingFrame
) -> FictitiousWrenches:
    """Return d'Alembert's, Euler's, the centrifugal and the Coriolis wrench of one body.

    Args:
        mass: of the body [kg].
        com: a frame that moves with its centre of mass.
        observer: the moving frame.

    Raises:
        ConfigurationError: a mass that is negative or not finite, or not a `MovingFrame`.
    """
    m = values.number(mass, "mass", at_least=0, unit="[kg]")
    values.instance(com, "com", MovingFrame)
    values.instance(observer, "observer", MovingFrame)
    R = observer.placement.rotation
    turn, spin_up = R.T @ observer.angular_velocity, R.T @ observer.angular_acceleration
    r = observer.placement.actInv(com.placement.translation)
    u = R.T @ (com.velocity - observer.velocity) - cross(turn, r)
    accelerations = (
        R.T @ observer.acceleration,
        cross(spin_up, r),
        cross(turn, cross(turn, r)),
        2.0 * cross(turn, u),
    )
    return FictitiousWrenches(*(Wrench(-m * a, point=r, axes=observer.name) for a in accelerations))


def frame_motion(
    robot: Robot,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    frame: str,
    point: ArrayLike = (0.0, 0.0, 0.0),
) -> MovingFrame:
    """Return the motion of a frame of a robot, its origin moved to `point` (3,) in its axes.

    Raises:
        ConfigurationError: a bad q, v, a or point, or no such frame.
    """
    q = check_configuration(robot, q)
    v, a = check_velocity(robot, v), check_velocity(robot, a, "a")
    frame_id, data = robot.frame_id(frame), workspace_of(robot).data
    pin.forwardKinematics(robot._model, data, q, v, a)
    T = pin.updateFramePlacement(robot._model, data, frame_id)
    aligned = (robot._model, data, frame_id, pin.LOCAL_WORLD_ALIGNED)
    twist, drift = pin.getFrameVelocity(*aligned), pin.getFrameClassicalAcceleration(*aligned)
    motion = MovingFrame(T, twist.linear, twist.angular, drift.linear, drift.angular, name=frame)
    return motion.at(point)


def joint_motion(robot: Robot, data: Any, joint: int) -> MovingFrame:
    """Return the motion of a joint's frame, from the `pin.Data` of q, v and a."""
    aligned = (robot._model, data, joint, pin.LOCAL_WORLD_ALIGNED)
    twist, drift = pin.getVelocity(*aligned), pin.getClassicalAcceleration(*aligned)
    vectors = twist.linear, twist.angular, drift.linear, drift.angular
    return MovingFrame(data.oMi[joint], *vectors, name=robot._model.names[joint])


def _spatial(frame: MovingFrame) -> tuple[Any, Any]:
    """Return (V, A): of the body's point that passes the world's origin, as `pin.Motion`s."""
    p, omega = frame.placement.translation, frame.angular_velocity
    V = pin.Motion(frame.velocity - cross(omega, p), omega)
    slip = frame.acceleration - cross(omega, frame.velocity)
    return V, pin.Motion(slip - cross(frame.angular_acceleration, p), frame.angular_acceleration)
