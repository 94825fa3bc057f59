"""Cycle of a gait at a steady velocity: where its feet and its centre of mass are at sample times.

Over a cycle of the duration T everything is carried along by the same motion of the ground,
X ↦ R X + d, a step ahead and a turn. The centre of mass is that of a pendulum of constant height
over the gait's centre of pressure p, which moves from foot to foot. In a phase p = p₀ + ṗ t and

    c̈ = ω² (c − p),    c(t) = p(t) + (c₀ − p₀) cosh ωt + (ċ₀ − ṗ)/ω sinh ωt,

so that (c, ċ) at the end of the cycle is linear in that at its beginning; the periodic motion is
the one with c(T) = R c(0) + d, ċ(T) = R ċ(0).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ..dcm import Phase
from ..gaits.locomotion import GaitController, Steady
from ..references import swing

SWING, DOUBLE = 13, 4  # samples of a phase with feet in the air, and of one without


class Cycle(NamedTuple):
    """Samples of a gait's cycle; both ends of each phase are among them.

    Attributes:
        t: (n,), since the beginning of the cycle [s].
        phase: (n,), which phase each sample is in.
        active: (n, C), which contacts stand.
        path: (n,), P(t) of the path (`pin.SE3`).
        turn: ω_z [rad/s].
        com: (3, n, 3), c, ċ, c̈ [m, m/s, m/s²].
        feet: (n, C, 4, 4), their places T_world_contact.
        moving: (2, n, C, 6), velocities and accelerations of the feet, linear first, world axes.
    """

    t: Array
    phase: NDArray[np.intp]
    active: NDArray[np.bool_]
    path: list[Any]
    turn: float
    com: Array
    feet: Array
    moving: Array


def cycle_of(walker: GaitController, velocity: Array) -> Cycle:
    """Return the cycle of a walker at a velocity (vx, vy, wz) [m/s, rad/s] that it keeps."""
    steady = walker.steady(velocity)
    names, phases = walker.feet.names, steady.phases
    times = np.concatenate([[0.0], np.cumsum([phase.duration for phase in phases])])
    counts = [SWING if phase.swings else DOUBLE for phase in phases]
    shares = [np.linspace(0.0, 1.0, count) for count in counts]
    which = np.repeat(np.arange(len(phases)), counts)
    since = np.concatenate([s * p.duration for s, p in zip(shares, phases, strict=True)])
    t = times[which] + since
    active = np.array([[name not in phases[k].swings for name in names] for k in which])
    feet, moving = _feet(walker, steady.places, phases, which, since)
    com = _pendulum(steady, phases, which, since, times[-1])
    path = [steady.path.at(steady.begin + s) for s in t]
    return Cycle(t, which, active, path, float(velocity[2]), com, feet, moving)


def _feet(
    walker: GaitController,
    places: dict[str, Any],
    phases: list[Phase],
    which: NDArray[np.intp],
    since: Array,
) -> tuple[Array, Array]:
    """Places of the feet, and their velocities and accelerations; see `Cycle`."""
    names = walker.feet.names
    count, places = (len(which), len(names)), dict(places)
    feet, moving = np.empty((*count, 4, 4)), np.zeros((2, *count, 6))
    for k, phase in enumerate(phases):
        rows = np.flatnonzero(which == k)
        for c, name in enumerate(names):
            if name not in phase.swings:
                feet[rows, c] = places[name].homogeneous
                continue
            way = swing(
                places[name], phase.swings[name], phase.duration, 0.0, walker.step_height,
                along=walker.stepping.profile,
            )  # fmt: skip
            # both ends from within: some accelerations jump there
            inside = np.clip(since[rows], 1e-9, phase.duration * (1 - 1e-9))
            for row, s in zip(rows, inside, strict=True):
                wanted = way(s)
                feet[row, c] = wanted.value.homogeneous
                moving[:, row, c] = wanted.velocity, wanted.acceleration
        places |= phase.swings
    return feet, moving


def _pendulum(
    steady: Steady, phases: list[Phase], which: NDArray[np.intp], since: Array, duration: float
) -> Array:
    """c, ċ, c̈ (3, n, 3) of the periodic motion."""
    omega = steady.omega
    lasting = np.array([phase.duration for phase in phases])
    starts = np.array([phase.start[:2] for phase in phases])
    slopes = (np.array([phase.end[:2] for phase in phases]) - starts) / lasting[:, None]
    F, g = np.eye(2), np.zeros((2, 2))  # (c, ċ) = F (c, ċ)(0) + g, one column an axis
    maps = []
    for time, p, slope in zip(lasting, starts, slopes, strict=True):
        maps.append((F, g))
        A = _growth(omega, time)
        g = A @ (g - [p, slope]) + [p + time * slope, slope]
        F = A @ F
    carried = steady.path.at(steady.begin + duration) * steady.path.at(steady.begin).inverse()
    R, d = carried.rotation[:2, :2], carried.translation[:2]
    # F x + g = x Rᵀ + (d, 0), for x (2, 2)
    left = np.kron(F, np.eye(2)) - np.kron(np.eye(2), R)
    x0 = np.linalg.solve(left, (np.array([d, np.zeros(2)]) - g).ravel()).reshape(2, 2)
    found = np.zeros((3, len(which), 3))
    for row, (k, s) in enumerate(zip(which, since, strict=True)):
        F, g = maps[k]
        p, slope = starts[k], slopes[k]
        c, dc = _growth(omega, s) @ (F @ x0 + g - [p, slope]) + [p + s * slope, slope]
        found[:, row, :2] = c, dc, omega**2 * (c - p - s * slope)
    found[0, :, 2] = steady.ground + steady.height
    return found


def _growth(omega: float, t: float) -> Array:
    """The map of (c − p, ċ − ṗ) over a time."""
    x = omega * t
    return np.array([[np.cosh(x), np.sinh(x) / omega], [omega * np.sinh(x), np.cosh(x)]])
