"""Curves of configurations: q(t), filtered, interpolated and differentiated on the manifold.

Entries of q are numbers, unit quaternions and (cos, sin) pairs, so q(t) is a curve in R^nq. What is
linear in the samples (a filter, a spline, a finite difference) is applied to that curve, with the
signs of the quaternions made continuous first, and unit blocks are divided by their norm
afterwards. Quaternions multiply linearly: a rotation of the world or of the body commutes with all
of it, there is no largest angle, and a turn at a constant rate, to which a filter gives the same
gain in all four entries, passes as it is. C. Gramkow, "On averaging rotations" (2001): a normalised
sum of quaternions is the mean on the manifold up to the third order of their angles.

With q̇, q̈ the derivatives of the curve, a rotation turns at

    ω = 2 vec(q⁻¹ ∘ q̇)          ω̇ = 2 vec(q⁻¹ ∘ q̈)          (body axes)

the second because q̈ = ½ q̇ ∘ ω + ½ q ∘ ω̇ and ω ∘ ω = −‖ω‖² has no vector part. A base at p has
the velocity u = Rᵀ ṗ and the acceleration u̇ = Rᵀ p̈ − ω × u.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike

from ...arrays import Array
from ...errors import ConfigurationError
from ...robots.configuration import (
    UNIT_BLOCK,
    UNIT_TOLERANCE,
    check_configuration,
    check_reach,
    check_robot,
    simple_joints,
)
from ...robots.robot import Robot
from ...robots.values import array
from ..per_robot import per_robot
from ..topology import plain_coordinates
from .differences import POINTS, as_rate, differentiate
from .filters import lowpass

_AT_END = 4  # samples of a window at an end of a motion
_LOST = 0.5  # norm of a filtered quaternion below which a filter has lost the rotation


class Rotation(NamedTuple):
    """A unit block of q, its rates in v, and the position before it that it turns, if any."""

    block: slice
    rates: slice
    place: slice | None = None
    speeds: slice = slice(0)


@per_robot
def rotations(robot: Robot) -> tuple[Rotation, ...]:
    """Return where q has unit quaternions and (cos, sin) pairs, and where v has their rates."""
    found = []
    for joint in simple_joints(robot._model):
        if joint.nq != joint.nv:
            moved, stop = UNIT_BLOCK[joint.shortname()]  # what is before it moves along
            q, v = joint.idx_q, joint.idx_v
            block = slice(q + moved, q + stop), slice(v + moved, v + joint.nv)
            place = (slice(q, q + moved), slice(v, v + moved)) if moved else ()
            found.append(Rotation(*block, *place))
    return tuple(found)


def configurations(robot: Robot, q: ArrayLike) -> Array:
    """Return q as an array (n, nq) of valid configurations.

    Raises:
        ConfigurationError: another shape, values that are not finite, a quaternion that is no unit.
    """
    Q = array(q, "q", (None, check_robot(robot).nq))
    for start, stop in robot.unit_blocks:
        away = np.abs(np.linalg.norm(Q[:, start:stop], axis=1) - 1) > UNIT_TOLERANCE
        if away.any():
            check_configuration(robot, Q[away.argmax()], f"q[{away.argmax()}]")
    check_reach(robot, Q)
    return Q


def continuous(robot: Robot, q: Array) -> Array:
    """Return q (n, nq) with the signs of its quaternions such that each is near the one before."""
    x = np.array(q, dtype=float)
    for block in (r.block for r in rotations(robot) if r.block.stop - r.block.start == 4):
        away = (x[1:, block] * x[:-1, block]).sum(axis=1) < 0
        x[1:, block] *= np.where(np.cumsum(away) % 2, -1.0, 1.0)[:, None]
    return x


def onto_manifold(robot: Robot, x: Array) -> Array:
    """Return x (n, nq) with each unit block divided by its norm.

    Raises:
        ConfigurationError: a block of nearly no length: the robot turns faster than the filter.
    """
    for block in (r.block for r in rotations(robot)):
        norm = np.linalg.norm(x[:, block], axis=1)
        if len(norm) and norm.min() < _LOST:
            raise ConfigurationError(
                f"q: in frame {norm.argmin()} q[{block.start}:{block.stop}] turns so fast that the "
                "filter leaves little of it; expected a higher cut-off, or more frames a second"
            )
        x[:, block] /= norm[:, None]
    return x


def extended(robot: Robot, x: Array, frames: int) -> Array:
    """Return x (n, nq) with `frames` more at each end, reflected in the end's configuration.

    Numbers go on as 2 x₀ − x_k, rotations as q₀ ∘ q_k⁻¹ ∘ q₀, which continues a turn at a constant
    rate.
    """
    before = _reflected(robot, x[0], x[frames:0:-1])
    after = _reflected(robot, x[-1], x[-2 : -frames - 2 : -1])
    return np.concatenate([before, x, after])


def smoothed(robot: Robot, q: Array, rate: float, cutoff: float) -> tuple[Array, Array, Array]:
    """Return (q, v, a) of configurations (n, nq), low-pass filtered with zero phase lag.

    See `filters.lowpass`. Beyond its ends the motion is continued by reflection, so that the
    acceleration goes to zero there within about half a period of the cut-off.

    Raises:
        ConfigurationError: a bad rate or cut-off, too few frames.
    """
    pad = min(len(q) - 1, max(2 * POINTS, round(2 * rate / cutoff)))
    x = lowpass(extended(robot, continuous(robot, q), pad), rate, cutoff)
    x = onto_manifold(robot, x)
    v, a = _derived(robot, x, rate)
    inner = slice(pad, pad + len(q))
    return x[inner], v[inner], a[inner]


def interpolated(robot: Robot, t: Array, q: Array, times: Array) -> Array:
    """Return configurations (k, nq) at times [s] among t (n,), by quintic splines."""
    degree = min(5, (len(t) - 1) // 2 * 2 + 1 if len(t) > 2 else 1, len(t) - 1)
    spline = scipy.interpolate.make_interp_spline(
        t, continuous(robot, q), k=degree - (degree % 2 == 0)
    )
    return onto_manifold(robot, np.array(spline(times)))


def velocities_and_accelerations(robot: Robot, q: ArrayLike, rate: float) -> tuple[Array, Array]:
    """Return v and a (n, nv) along configurations q (n, nq), sampled at `rate` [Hz].

    Finite differences as in `differences.differentiate`, of nine frames.

    Raises:
        ConfigurationError: a bad q or rate, or fewer configurations than a window has.
    """
    Q, rate = configurations(robot, q), as_rate(rate)
    return _derived(robot, continuous(robot, Q), rate)


def rates_of_any(robot: Robot, q: Array, rate: float) -> tuple[Array, Array]:
    """Return v and a (n, nv) as above, of any number of configurations; they may be noisy.

    One-sided differences of nine samples make thirty times as much of noise as central ones do.
    Near the ends the windows are shorter instead: central ones of seven, five and three samples,
    and of four at the ends. Of two configurations the acceleration, and of one also the velocity,
    is zero.
    """
    if len(q) > 2:
        x = continuous(robot, q)
        return _rates(robot, x, *(short_ended(x, rate, order) for order in (1, 2)))
    v, a = np.zeros((2, len(q), robot.nv))
    if len(q) == 2:
        v[:] = robot.difference(q[0], q[1]) * rate
    return v, a


def short_ended(x: Array, rate: float, order: int) -> Array:
    """Return d^order x/dt^order of three samples (n, …) or more, as `rates_of_any` takes it."""
    points = POINTS if len(x) >= POINTS else min(len(x), _AT_END)
    slope = differentiate(x, rate, order, points)
    for k in range(POINTS // 2 if points == POINTS else 0):
        size = 2 * k + 1 if k else _AT_END
        slope[k] = differentiate(x[:size], rate, order, size)[k]
        slope[-1 - k] = differentiate(x[-size:], rate, order, size)[-1 - k]
    return slope


def tangent(robot: Robot, x: Array, rate: Array) -> Array:
    """Return the tangent vectors (n, nv) of curves through x (n, nq) that change at `rate` (n, nq).

    Linear in `rate`: small differences of configurations give small steps.
    """
    v = np.zeros((len(x), robot.nv))
    at, to = plain_coordinates(robot)
    v[:, to] = rate[:, at]
    for r in rotations(robot):
        q = x[:, r.block]
        v[:, r.rates] = _turning(q, rate[:, r.block])
        if r.place is not None:
            v[:, r.speeds] = _into(q, rate[:, r.place])
    return v


def world_turned(x: Array, v: Array) -> Array:
    """Return velocities (n, 6) of a floating base, given in world axes, in its own at x (n, nq)."""
    q = x[:, 3:7]
    return np.hstack([_into(q, v[:, :3]), _into(q, v[:, 3:6])])


def _rates(robot: Robot, x: Array, first: Array, second: Array) -> tuple[Array, Array]:
    """v and a of a curve x with these derivatives."""
    v, a = tangent(robot, x, first), tangent(robot, x, second)
    for r in rotations(robot):
        if r.place is not None:
            a[:, r.speeds] -= _cross(v[:, r.rates], v[:, r.speeds])
    return v, a


def _derived(robot: Robot, x: Array, rate: float) -> tuple[Array, Array]:
    return _rates(robot, x, differentiate(x, rate), differentiate(x, rate, 2))


def _reflected(robot: Robot, end: Array, x: Array) -> Array:
    out = 2 * end - x
    for r in rotations(robot):
        q0, q = np.broadcast_to(end[r.block], x[:, r.block].shape), x[:, r.block]
        out[:, r.block] = _times(_times(q0, _inverse(q)), q0)
    return out


def _turning(q: Array, rate: Array) -> Array:
    """Rates (n, 3) or (n, 1) of unit blocks (n, 4) or (n, 2) that change at `rate`."""
    turn = _times(_inverse(q), rate)
    return turn[:, 1:] if q.shape[1] == 2 else 2 * turn[:, :3]


def _inverse(q: Array) -> Array:
    sign = (1.0, -1.0) if q.shape[1] == 2 else (-1.0, -1.0, -1.0, 1.0)
    return np.asarray(q * np.array(sign))


def _times(p: Array, q: Array) -> Array:
    """Products of complex numbers (n, 2) or quaternions x y z w (n, 4), row by row."""
    if p.shape[1] == 2:
        real = p[:, 0] * q[:, 0] - p[:, 1] * q[:, 1]
        return np.stack([real, p[:, 0] * q[:, 1] + p[:, 1] * q[:, 0]], axis=1)
    (u, s), (w, m) = (p[:, :3], p[:, 3:]), (q[:, :3], q[:, 3:])
    vector = s * w + m * u + np.cross(u, w)
    return np.concatenate([vector, s * m - (u * w).sum(axis=1, keepdims=True)], axis=1)


def _into(q: Array, x: Array) -> Array:
    """Vectors of the world (n, 3) or (n, 2) in the axes that unit blocks q turn."""
    if q.shape[1] == 2:
        return _times(_inverse(q), x)
    u, s = q[:, :3], q[:, 3:]
    across = np.cross(u, x)
    return np.asarray(x - 2 * s * across + 2 * np.cross(u, across))


def _cross(omega: Array, u: Array) -> Array:
    if u.shape[1] == 2:
        return np.asarray(omega * np.stack([-u[:, 1], u[:, 0]], axis=1))
    return np.asarray(np.cross(omega, u))
