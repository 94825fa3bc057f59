"""Reference of a gait at the nodes of a prediction: poses along its path, and its legs' momentum.

On soles the centre of mass sways as that of a pendulum, from where it is, to the divergent
component ξ of the gait's plan (`control.dcm`): else the centre of pressure would have to be under
the path, along the inner edge of each sole. With ξ half-way through a node,

    ċ = ω (ξ − c),    c(t + h) = ξ + e^{−ωh} (c(t) − ξ).

The momentum of the legs is that of `predictive.legs`,

    L_legs = R Σ_i K_i Rᵀ (ṗ_i − v),

with ṗ_i of the feet that swing, each by `profiles.minimum_acceleration` along its way, and by
`profiles.bump` up and down.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...dynamics.kernels.toolchain import Kernel
from .centroidal import Reference, product
from .dcm import diverging
from .path import GroundPose, along, direction
from .profiles import bump, minimum_acceleration


class Path(NamedTuple):
    """A path on the ground, from now on.

    Attributes:
        start: where it begins, a `GroundPose`.
        velocity: (v_x, v_y, ω_z).
        since: when it began [s]; not yet, where that is negative.
        point, slope: (3,), (2,), of the ground.
        height: of the centre of mass above it [m].
        upright: (3, 3), from the axes of the base to those of the path.
    """

    start: Any
    velocity: Any
    since: Any
    point: Any
    slope: Any
    height: Any
    upright: Any


class Pendulum(NamedTuple):
    """What the centre of mass sways by, along the ground.

    Attributes:
        omega: ω [1/s].
        place: c (2,) now [m].
        since: how long ago its plan began [s].
        times, points, up: of the `DcmPlan`; no times: it does not sway.
    """

    omega: Any
    place: Any
    since: Any
    times: Any
    points: Any
    up: Any


class Swings(NamedTuple):
    """Swings of feet.

    Attributes:
        momenta: K of all feet (F, 3, 3), axes of the base [kg m].
        foot: (m,), which one swings.
        begin, duration: (m,), from now on [s].
        way: (m, 3), from where it stood to where it lands [m].
        height: half-way [m].
    """

    momenta: Any
    foot: Any
    begin: Any
    duration: Any
    way: Any
    height: Any


def gait_reference(path, pendulum, swings, times, out):
    """Write the reference at times (N + 1,) from now on [s]: `Reference`."""
    for k in range(len(times)):
        pose(path, times[k], out.com[k], out.velocity[k], out.rotation[k], out.rate[k])
    if len(pendulum.times) > 0:
        sway(pendulum, times, out.com, out.velocity)
    for k in range(len(times)):
        swinging(swings, times[k], out.velocity[k], out.rotation[k], out.legs[k])


def pose(path, t, com, velocity, rotation, rate):
    """Write the centre of mass and the base above the path at a time, and their velocities."""
    P = along(path.start, path.velocity, max(path.since + t, 0.0))
    moving = 1.0 if path.since >= 0.0 else 0.0
    vx, vy = direction(P, moving * path.velocity[0], moving * path.velocity[1])
    ahead, aside = P.x - path.point[0], P.y - path.point[1]
    ground = path.point[2] + path.slope[0] * ahead + path.slope[1] * aside
    com[0], com[1], com[2] = P.x, P.y, ground + path.height
    velocity[0], velocity[1], velocity[2] = vx, vy, 0.0
    rate[0], rate[1], rate[2] = 0.0, 0.0, moving * path.velocity[2]
    for j in range(3):
        x, y = direction(P, path.upright[0, j], path.upright[1, j])
        rotation[0, j], rotation[1, j], rotation[2, j] = x, y, path.upright[2, j]


def sway(pendulum, times, com, velocity):
    """Write the motion of a pendulum along the ground."""
    omega = pendulum.omega
    for i in range(2):
        c, before = pendulum.place[i], 0.0
        for k in range(len(times)):
            xi = planned(pendulum, pendulum.since + times[k], i)
            if k > 0:
                half_way = 0.5 * (before + xi)
                decay = np.exp(-omega * (times[k] - times[k - 1]))
                c = half_way + decay * (c - half_way)
            com[k, i], velocity[k, i], before = c, omega * (xi - c), xi


def planned(pendulum, t, i):
    """One coordinate of ξ of the plan, at a time since it began."""
    times, points, omega = pendulum.times, pendulum.points, pendulum.omega
    k, last = 0, len(points) - 1
    if t >= times[last + 1]:
        return pendulum.up[i] + points[last, 1, i]
    while k < last and times[k + 1] <= t:
        k += 1
    left, rate = times[k + 1] - t, (points[k, 1, i] - points[k, 0, i]) / (times[k + 1] - times[k])
    p = points[k, 1, i] - rate * left
    decay = np.exp(-omega * left)
    return pendulum.up[i] + diverging(p, rate, points[k, 2, i], left, omega, decay)


def swinging(swings, t, velocity, rotation, out):
    """Write the momentum of legs at a time, of a base with this velocity and orientation."""
    still = product(rotation.T, velocity)
    x, y, z = 0.0, 0.0, 0.0
    for i in range(len(swings.momenta)):
        dx, dy, dz = product(swings.momenta[i], still)
        x, y, z = x - dx, y - dy, z - dz
    for i in range(len(swings.foot)):
        T = swings.duration[i]
        share = (t - swings.begin[i]) / T
        _, along, _ = minimum_acceleration(share)
        _, over, _ = bump(share)
        x_rate, y_rate = along / T * swings.way[i, 0], along / T * swings.way[i, 1]
        foot = x_rate, y_rate, (along * swings.way[i, 2] + over * swings.height) / T
        dx, dy, dz = product(swings.momenta[swings.foot[i]], product(rotation.T, foot))
        x, y, z = x + dx, y + dy, z + dz
    momentum = product(rotation, (x, y, z))
    for i in range(3):
        out[i] = momentum[i]


def _example():
    x, row, table, cube = 0.0, np.empty(0), np.empty((0, 0)), np.empty((0, 0, 0))
    return (
        Path(GroundPose(x, x, x, x), row, x, row, row, x, table),
        Pendulum(x, row, x, row, cube, row),
        Swings(cube, np.empty(0, np.intp), row, row, table, x),
        row, Reference(table, table, cube, table, table),
    )  # fmt: skip


GAIT_REFERENCE = Kernel(gait_reference, 1, example=_example, each=2e-3, seconds=4.0)
