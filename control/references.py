"""Smooth references of tasks, t -> (x, ẋ, ẍ).

A minimum-jerk motion from rest to rest follows x₀ ⊕ s(θ) (x₁ ⊖ x₀) with θ = (t − t₀)/T and

    s = 10 θ³ − 15 θ⁴ + 6 θ⁵,

which has no velocity and no acceleration at either end. T. Flash, N. Hogan, "The coordination of
arm movements" (1985), eq. 11.

References are `partial` functions of this module, so that tasks with them can be pickled.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ..arrays import Array
from ..errors import ConfigurationError
from ..robots.configuration import check_configuration
from ..robots.robot import Robot
from ..robots.values import array, number, placement
from .kernels.profiles import bump, minimum_jerk


class Desired(NamedTuple):
    """A value with its velocity and acceleration."""

    value: Any
    velocity: Array
    acceleration: Array


Reference = Callable[[float], Desired]
Profile = Callable[[float], tuple[float, float, float]]  # θ -> s, s', s''


def between(start: ArrayLike, goal: ArrayLike, duration: float, begin: float = 0.0) -> Reference:
    """Return the minimum-jerk motion between two points (n,), as of a centre of mass [m].

    Args:
        start, goal: (n,).
        duration: [s].
        begin: when it starts [s].

    Raises:
        ConfigurationError: points of different sizes or not finite, or no positive duration.
    """
    a = array(start, "start")
    b = array(goal, "goal", a.shape, meaning="the shape of start")
    return partial(_between, a, b - a, _duration(duration), begin)


def _between(start: Array, way: Array, T: float, begin: float, t: float) -> Desired:
    s, ds, dds = minimum_jerk((t - begin) / T)
    return Desired(start + s * way, ds / T * way, dds / T**2 * way)


def between_postures(
    robot: Robot, start: ArrayLike, goal: ArrayLike, duration: float, begin: float = 0.0
) -> Reference:
    """Return the minimum-jerk motion between two configurations along the geodesic.

    The values are q (nq,), v and a (nv,).

    Raises:
        ConfigurationError: a bad configuration, or no positive duration.
    """
    q0 = check_configuration(robot, start, "start").copy()
    way = robot.difference(q0, check_configuration(robot, goal, "goal"))
    return partial(_between_postures, robot, q0, way, _duration(duration), begin)


def _between_postures(
    robot: Robot, start: Array, way: Array, T: float, begin: float, t: float
) -> Desired:
    s, ds, dds = minimum_jerk((t - begin) / T)
    return Desired(robot.integrate(start, s * way), ds / T * way, dds / T**2 * way)


def swing(
    start: Any,
    goal: Any,
    duration: float,
    begin: float = 0.0,
    height: float = 0.0,
    climb: float = 0.0,
    along: Profile = minimum_jerk,
) -> Reference:
    """Return the motion of a foot between two poses (`pin.SE3`): minimum jerk, and a bump upwards.

    Velocity and acceleration (6,) are [linear; angular] in world axes at the frame's origin.

    Args:
        start, goal: T_world_frame.
        duration: [s].
        begin: when it starts [s].
        height: of the bump half-way [m].
        climb: share of the time, in (−1, 1): so much later than the way up does the way along the
            ground begin, and so much earlier does the way up end; negative: the other way round.
        along: s, s', s'' by the share of its time, of the way along the ground.

    Raises:
        ConfigurationError: something that is no pose, no positive duration, or no such share.
    """
    if not -1 < climb < 1:
        raise ConfigurationError(f"climb: got {climb!r}; expected a share between -1 and 1")
    start, goal = placement(start, "start"), placement(goal, "goal")
    return swing_of(start, goal, _duration(duration), begin, height, climb, along)


def swing_of(
    start: Any, goal: Any, T: float, begin: float, height: float, climb: float, along: Profile
) -> Reference:
    """Return the `swing` of values that are known to be such, between poses that stay as they are.

    What checks them takes its time.
    """
    turn = pin.log3(goal.rotation @ start.rotation.T)
    x, y, z = (goal.translation - start.translation).tolist()
    # along the ground, up, over
    ways = np.array([[x, y, 0.0, *turn], [0, 0, z, 0, 0, 0], [0, 0, height, 0, 0, 0]])
    R, p = np.array(start.rotation), np.array(start.translation)
    return partial(_swing, R, p, turn, ways, T, begin, climb, along)


def _swing(
    R: Array,
    at: Array,
    turn: Array,
    ways: Array,
    T: float,
    begin: float,
    climb: float,
    along: Profile,
    t: float,
) -> Desired:
    theta, length = (t - begin) / T, (1 - abs(climb)) * T  # of the first two ways [s]
    late, early = max(climb, 0.0), max(-climb, 0.0)
    s, ds, dds = along((theta - late) * T / length)
    z, dz, ddz = minimum_jerk((theta - early) * T / length)
    p, dp, ddp = bump(theta)
    shares = np.array([
        [s, z, p],
        [ds / length, dz / length, dp / T],
        [dds / length**2, ddz / length**2, ddp / T**2],
    ])  # fmt: skip
    moved, velocity, acceleration = shares @ ways
    return Desired(pin.SE3(pin.exp3(s * turn) @ R, at + moved[:3]), velocity, acceleration)


def continued(before: Reference, after: Reference, t: float, until: float) -> Reference:
    """Return the motion of a frame that goes over from one to another by `until`, without a jump.

    What the one is off the other at t, with its velocity and acceleration, goes to rest at zero
    along the polynomial of the fifth degree, of least jerk. So a minimum-jerk motion whose goal or
    end is moved goes on as that from where it is; one that is not goes on as it did.

    Args:
        before, after: motions of poses (`pin.SE3`); the orientation is that of `after`.
        t, until: from when, and by when [s].
    """
    old, new, left = before(t), after(t), _duration(until - t)
    zero = np.zeros(3)
    off = np.append(old.value.translation - new.value.translation, zero)
    rate = left * np.append((old.velocity - new.velocity)[:3], zero)
    bend = left**2 / 2 * np.append((old.acceleration - new.acceleration)[:3], zero)
    # (1 − x)³ (c₀ + c₁ x + c₂ x²), with this value and these derivatives at x = 0
    c = np.array([off, rate + 3 * off, bend + 3 * rate + 6 * off])
    return partial(_continued, after, c, t, left)


def _continued(after: Reference, c: Array, begin: float, left: float, t: float) -> Desired:
    x, there = (t - begin) / left, after(t)
    if x >= 1:
        return there
    y, p = 1 - x, np.array([1.0, x, x**2])
    dp, ddp = np.array([0.0, 1.0, 2 * x]), np.array([0.0, 0.0, 2.0])
    way = y**3 * p @ c
    velocity = (y**3 * dp - 3 * y**2 * p) @ c / left
    acceleration = (y**3 * ddp - 6 * y**2 * dp + 6 * y * p) @ c / left**2
    return Desired(
        moved(there.value, way[:3]),
        there.velocity + velocity,
        there.acceleration + acceleration,
    )


def lowering(start: Any, begin: float, speed: float, depth: float) -> Reference:
    """Return the motion of a frame straight down from a pose (`pin.SE3`), as long as to a depth.

    Args:
        start: T_world_frame.
        begin: when it starts [s].
        speed, depth: [m/s], [m].
    """
    start, last = placement(start, "start"), depth / number(speed, "speed", above=0)
    down = np.array([0.0, 0.0, -speed, 0.0, 0.0, 0.0])
    return partial(_lowering, start, down, begin, last)


def _lowering(start: Any, down: Array, begin: float, last: float, t: float) -> Desired:
    time, zero = min(max(t - begin, 0.0), last), np.zeros(6)
    pose = pin.SE3(start.rotation, start.translation + time * down[:3])
    return Desired(pose, down if time < last else zero, zero)


def moved(T: Any, way: Array) -> Any:
    """Return T (`pin.SE3`) moved by (3,) [m]."""
    return pin.SE3(T.rotation, T.translation + way)


def _duration(duration: float) -> float:
    return number(duration, "duration", above=0, unit="[s]")
