"""Symbolic rigid bodies and joints: inertia, dynamic, fictitious and friction wrenches.

Newton-Euler equations of a body at its centre of mass, with its acceleration a' relative to `frame`
(ω and ω̇ relative to the inertial world, expressed in the frame's axes):

    [m a'; I ω̇ + ω × I ω] = joints + gravity + tip + friction + fictitious
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import sympy as sp

from ...errors import ConfigurationError
from ...robots.values import instance, text
from .closed_form import as_expression, closed_form
from .frames import WORLD, Frame, Matrix, matrix, rate, t, vector
from .wrench import Wrench


def steiner(mass: Any, arm: Any) -> Matrix:
    """Return m (r·r 1 − r rᵀ) (3, 3), the inertia of a point mass at r about 0.

    The bracket contains the identity, not the inertia. K. Lynch, F. Park, "Modern Robotics"
    (2017), section 8.2.
    """
    mass, r = as_expression(mass, "mass"), vector(arm, "arm")
    return closed_form(mass * (r.dot(r) * sp.eye(3) - r * r.T))


class Fictitious(NamedTuple):
    """Fictitious wrenches in an observer's frame, pure forces at the centre of mass."""

    dalembert: Wrench
    euler: Wrench
    centrifugal: Wrench
    coriolis: Wrench

    @property
    def total(self) -> Wrench:
        """Sum of the four."""
        return self.dalembert + self.euler + self.centrifugal + self.coriolis

    def translate(self, point: Any) -> Fictitious:
        """Return the four with their moments about `point` (3,), in the observer's axes."""
        return Fictitious(*(wrench.translate(point) for wrench in self))


@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body fixed to a frame.

    Attributes:
        name: of the body.
        frame: its own.
        mass: m [kg].
        com: centre of mass (3,), in its frame [m].
        inertia: I (3, 3) about the centre of mass, in its axes [kg m²]; None: a point mass.

    Raises:
        ConfigurationError: an inertia that is not symmetric (3, 3), a centre that is not (3,), no
            frame.
    """

    name: str
    frame: Frame
    mass: Any
    com: Matrix
    inertia: Matrix = None

    def __post_init__(self) -> None:
        text(self.name, "name")
        instance(self.frame, "frame", Frame)
        given = sp.zeros(3) if self.inertia is None else self.inertia
        I = matrix(given, "inertia")  # noqa: E741
        if I != I.T:
            raise ConfigurationError(f"{self.name}: got {I}; expected a symmetric inertia (3, 3)")
        object.__setattr__(self, "inertia", I)
        object.__setattr__(self, "com", vector(self.com, "com"))
        object.__setattr__(self, "mass", as_expression(self.mass, "mass"))

    def inertia_about(self, point: Any, frame: Frame | None = None) -> Matrix:
        """Return R (I + Steiner) Rᵀ (3, 3) about a point (3,) of the body, in the axes of `frame`.

        Without a frame: in its own axes.
        """
        I = self.inertia + steiner(self.mass, vector(point, "point") - self.com)  # noqa: E741
        R = sp.eye(3) if frame is None else instance(frame, "frame", Frame).turn(self.frame)
        return closed_form(R * I * R.T)

    def dynamic_wrench(self, observer: Frame | None = None) -> Wrench:
        """Return [m a'; I ω̇ + ω × I ω] at the centre of mass, in the axes of `observer`.

        a' is the acceleration relative to the observer; ω and ω̇ are inertial. Without an observer:
        the inertial acceleration, in the axes of the body.
        """
        omega, I = self.frame.angular_velocity, self.inertia  # noqa: E741
        moment = I * self.frame.angular_acceleration + omega.cross(I * omega)
        if observer is None:
            force = self.mass * self.frame.acceleration(self.com)
            return Wrench(force, moment, self.frame, self.com)
        place = instance(observer, "observer", Frame).coordinates(self.com, self.frame)
        turned = observer.turn(self.frame) * moment
        return Wrench(self.mass * place.diff(t, 2), turned, observer, place)

    def fictitious_wrenches(self, observer: Frame) -> Fictitious:
        """Return d'Alembert's, Euler's, the centrifugal and the Coriolis wrench, at the centre.

        −m a_O, −m Ω̇ × r, −m Ω × (Ω × r), −2 m Ω × u, in the axes of the observer.
        """
        r = instance(observer, "observer", Frame).coordinates(self.com, self.frame)
        turn, spin_up = observer.angular_velocity, observer.angular_acceleration
        accelerations = (
            observer.acceleration(),
            spin_up.cross(r),
            turn.cross(turn.cross(r)),
            2 * turn.cross(rate(r)),
        )
        return Fictitious(*(_force(-self.mass * a, observer, r) for a in accelerations))

    def gravity_wrench(self, gravity: Any) -> Wrench:
        """Return m g at the centre of mass, in the body's axes; `gravity` (3,) in the world's."""
        g = self.frame.turn(WORLD) * vector(gravity, "gravity")
        return _force(self.mass * g, self.frame, self.com)


@dataclass(frozen=True, eq=False)
class Joint:
    """A revolute joint between two bodies, at the origin of the child's frame.

    Attributes:
        name: of the joint.
        parent: the parent frame.
        child: the child body.
        axis: unit vector (3,), the same in the axes of both.
        angle: θ(t) of the child relative to the parent [rad].
    """

    name: str
    parent: Frame
    child: Body
    axis: Matrix
    angle: Any

    def __post_init__(self) -> None:
        text(self.name, "name")
        instance(self.parent, "parent", Frame)
        instance(self.child, "child", Body)
        object.__setattr__(self, "axis", vector(self.axis, "axis"))
        object.__setattr__(self, "angle", as_expression(self.angle, "angle"))

    def friction_wrench(self, viscous: Any = 0, dry: Any = 0) -> Wrench:
        """Return the moment of friction on the child, −(b θ̇ + c sign θ̇) along the axis.

        In the child's axes at the joint; the parent gets the reaction.

        Args:
            viscous: b [N·m·s/rad].
            dry: c [N·m].
        """
        speed = self.angle.diff(t)
        b, c = as_expression(viscous, "viscous"), as_expression(dry, "dry")
        moment = -(b * speed + c * sp.sign(speed)) * self.axis
        return Wrench((0, 0, 0), moment, self.child.frame)


def tip_wrench(body: Body, point: Any, force: Any = None, moment: Any = (0, 0, 0)) -> Wrench:
    """Return the wrench of the environment at a point (3,) of a body, in its axes.

    Without a force, its components are unknowns F_x, F_y, F_z.
    """
    unknowns = sp.symbols("F_x F_y F_z", real=True)
    return Wrench(unknowns if force is None else force, moment, body.frame, point)


def _force(force: Matrix, frame: Frame, point: Any) -> Wrench:
    return Wrench(force, (0, 0, 0), frame, point)
