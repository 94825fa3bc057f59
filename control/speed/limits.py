"""Search for the speeds from which on a gait exceeds the limits of a robot."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array
from ...contacts import ContactSet, at_feet
from ...contacts.cones.friction_cone import Friction
from ...contacts.torque_limits import TorqueLimits
from ...errors import ConfigurationError
from ...options import check_options
from ...progress import progress_bar, with_progress
from ...robots.configuration import check_configuration, check_robot
from ...robots.robot import Robot
from ...robots.values import array, boolean, number, whole_number
from ..gaits.gait import Gait, gaits_on
from ..gaits.locomotion import GaitController
from ..predictive import PredictiveGait
from ..whole_body.controller import WholeBodyController
from ..whole_body.standing import stand
from .report import Direction, SpeedLimit, SpeedLimits, Velocity
from .utilisation import FRICTION, KINDS, REACH, TIMING, Utilisation, Utilisations

AHEAD: Velocity = (1.0, 0.0, 0.0)
MOST = 2.5  # largest speed that is looked at, in the gait's fastest
# shares of the largest speed that are looked at first: closer where robots that turn reach little
GRID = (0.0, 0.03, 0.06, 0.12, 0.25, 0.4, 0.55, 0.7, 0.85, 1.0)
TOLERANCE = 0.01  # of a speed, relative to it
NOWHERE = "not before its legs are too short"
CROUCH = 0.02  # of bipeds, which walk with bent knees [m]


@with_progress
def speed_limits(
    robot: Robot,
    contacts: ContactSet | None = None,
    q: ArrayLike | None = None,
    gait: str | Gait | None = None,
    *,
    directions: int | ArrayLike = AHEAD,
    predictive: bool = False,
    friction: Friction = 0.7,
    torque_limits: TorqueLimits = True,
    most: float | None = None,
    progress: bool | None = None,
    **options: Any,
) -> SpeedLimits:
    """Return how fast a robot can go with a gait, and what stops it from going faster.

    A gait at a steady velocity has a periodic motion: phases, footholds and swings, the centre of
    mass on a pendulum, and a base that moves as little as the contacts allow (see
    `control.speed.base_motion`). The whole body follows by inverse kinematics. For the samples of a
    cycle the utilisation of all limits is computed (`control.speed.utilisation`), and for each
    limit the speed above which its utilisation exceeds one:

        reach        a foot misses its place: a leg is straight, a joint at the end of its range
        joint speed  stance legs turn too fast, or swinging ones cannot land in time
        torque       no forces in the friction cones let all torques be within their limits
        friction     no forces in the friction cones give what the motion asks for
        swing        of the gait: its swings are faster than joints, so that feet lag behind them
        timing       of the gait: its longest steps in the least time

    These are limits of undisturbed motion, without reserves for pushes, noise or wrong masses.

    Args:
        robot: floating base. Its arms may have closures, its legs not.
        contacts: its feet; the robot's own when not given.
        q: where it stands (nq,); that of `control.stand` when not given, for bipeds with bent
            knees.
        gait: the name of one of `control.gaits.GAITS`, or a `Gait`; None: that of a GaitController.
        directions: (vx, vy, wz), or (D, 3), scaled to 1 m/s, or to 1 rad/s of pure turns: speeds
            are multiples of them; or a number of headings all around, to which both turns are
            added.
        predictive: whether steps, heights and swings are those of a `PredictiveGait`.
        friction: of the feet when contacts are not given.
        torque_limits: as of `contacts.static_hold`.
        most: largest speed to consider; 2.5 times the gait's fastest when not given.
        progress: whether to draw a progress bar; None: on a terminal.
        options: of the GaitController, such as `step_height`.

    Raises:
        ConfigurationError, ContactError: what does not fit the robot; no direction.

    References:
        T. McGeer, "Passive dynamic walking" (1990), of periodic motions that keep a speed;
        R. Orsolino et al., "Application of wrench-based feasibility analysis to the online
        trajectory optimization of legged robots" (2018), of torques that contacts let be.
    """
    ways = _ways(directions)
    kind = PredictiveGait if boolean(predictive, "predictive") else GaitController
    check_options(options, "speed_limits", speed_limits, kind, WholeBodyController)
    check_robot(robot)
    feet = at_feet(robot, friction) if contacts is None else ContactSet.of(robot, contacts)
    if q is None:
        q = stand(robot, feet, crouch=CROUCH if len(feet) == 2 else 0.0)[1]
    q = check_configuration(robot, q)
    walker = kind(robot, feet, q, gait, **options)
    utilisations = Utilisations(walker, q, feet, torque_limits)
    end = None if most is None else number(most, "most", above=0)
    with progress_bar(unit="speed") as bar:
        found = tuple(_along(utilisations, way, end, bar.update) for way in ways)
    least = float(feet.limits.friction.min(initial=math.inf))
    return SpeedLimits(robot.name, _name(gait, feet), predictive, least, found)


def _ways(directions: int | ArrayLike) -> list[Velocity]:
    """Velocities of the speed one."""
    if np.ndim(directions) == 0:
        count = whole_number(directions, "directions", at_least=1)
        angles = 2 * np.pi * np.arange(count) / count
        around = [(math.cos(x), math.sin(x), 0.0) for x in angles]
        return [_unit(np.round(way, 12)) for way in [*around, (0.0, 0.0, 1.0), (0.0, 0.0, -1.0)]]
    given = array(directions, "directions", (3,), (None, 3), meaning="(vx, vy, wz)")
    rows = np.atleast_2d(given)
    if not len(rows) or not rows.any(axis=1).all():
        raise ConfigurationError(f"directions: got {rows.tolist()}; expected ones that are not 0")
    return [_unit(row) for row in rows]


def _unit(way: Array) -> Velocity:
    along = math.hypot(way[0], way[1])
    vx, vy, wz = (float(x) for x in np.asarray(way) / (along or abs(way[2])))
    return vx, vy, wz


def _name(gait: str | Gait | None, feet: ContactSet) -> str:
    if isinstance(gait, str):
        return gait
    return "gait" if gait is not None else gaits_on(len(feet))[0]


def _along(
    utilisations: Utilisations, way: Velocity, most: float | None, done: Callable[[], Any]
) -> Direction:
    """The limits in a direction."""
    fastest = utilisations.walker.fastest / utilisations.walker.placement.speed(np.array(way))
    end = MOST * fastest if most is None else most
    known: dict[float, dict[str, Utilisation]] = {}

    def at(speed: float) -> dict[str, Utilisation]:
        if speed not in known:
            known[speed] = utilisations(speed * np.array(way))
            done()
        return known[speed]

    for share in GRID:
        found = at(share * end)
        if found[REACH].value > 1:
            break
    limits = {kind: _limit(kind, known, at, end) for kind in KINDS if kind != TIMING}
    for kind, limit in limits.items():  # legs that are nearly straight turn at any speed
        least = (1 - 2 * TOLERANCE) * limits[REACH].speed
        if kind != REACH and math.isfinite(limit.speed) and limit.speed >= least:
            limits[kind] = SpeedLimit(kind, math.inf, NOWHERE)
    limits[TIMING] = SpeedLimit(TIMING, fastest, utilisations.timing)
    speeds = sorted(known)
    values = {k: np.array([known[s][k].value for s in speeds]) for k in limits if k != TIMING}
    return Direction(way, limits, end, np.array(speeds), values)


def _limit(
    kind: str,
    known: Mapping[float, Mapping[str, Utilisation]],
    at: Callable[[float], Mapping[str, Utilisation]],
    end: float,
) -> SpeedLimit:
    """The speed at which a utilisation is one, between two known ones; words are of just above.

    Where legs do not reach there is no motion whose other utilisations could be told.
    """

    def there() -> list[float]:
        return [s for s in sorted(known) if kind == REACH or known[s][REACH].value <= 1]

    speeds = there()
    if not speeds:
        return SpeedLimit(kind, math.inf, NOWHERE)
    over = next((i for i, s in enumerate(speeds) if known[s][kind].value > 1), None)
    if over is None:
        last = known[speeds[-1]]
        if not last[kind].value and last[kind].none:
            return SpeedLimit(kind, math.inf, last[kind].none)
        before = speeds[-1] < end * (1 - 1e-9)
        why = NOWHERE if before else f"more than {end:.3g}"
        return SpeedLimit(kind, math.inf, why)
    if over == 0:
        return SpeedLimit(kind, 0.0, known[speeds[0]][kind].words)
    low, high = speeds[over - 1], speeds[over]
    side = 0
    while high - low > TOLERANCE * high:
        a, b = (known[s][kind].value for s in (low, high))
        # the same end moved twice, or no motion at the upper one
        sharp = kind in (REACH, FRICTION) or abs(side) > 1 or math.isnan(b)
        share = 0.5 if sharp else min(max((1 - a) / (b - a), 0.1), 0.9)
        middle = low + share * (high - low)
        if not at(middle)[kind].value <= 1:
            high, side = middle, max(side, 0) + 1
        else:
            low, side = middle, min(side, 0) - 1
    return SpeedLimit(kind, low, known[high][kind].words)
