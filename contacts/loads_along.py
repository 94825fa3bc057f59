"""Loads along a motion: what contacts and torques have to balance, in arrays.

h = τ_g + τ_ext − M a − vᵀCv
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..dynamics import Wrench, external_torques
from ..dynamics import batch as many_states
from ..dynamics.spatial import rotations
from ..errors import ContactError
from ..robots import Robot, values
from ..robots.configuration import check_floating
from ..robots.values import common_length
from .frames_along import frame_torques

Wrenches = Mapping[str, Wrench | ArrayLike] | ArrayLike  # along the rows of a motion


def loads_along(
    robot: Robot,
    qs: Array,
    vs: Array,
    accelerations: Array,
    wrenches: Wrenches | None = None,
    threads: int = 1,
) -> Array:
    """Return h (N, nv) for configurations (N, nq), velocities and accelerations (N, nv).

    Args:
        robot: with a floating base, if wrenches are given as an array.
        qs, vs, accelerations: checked.
        wrenches: as for `batch.static_hold`.
        threads: that share the work.
    """
    loads = -many_states.inverse_dynamics(robot, qs, vs, accelerations, threads=threads)
    if isinstance(wrenches, Mapping):
        return loads + _torques_of(robot, qs, wrenches)
    return loads if wrenches is None else loads + torques_on_base(robot, qs, wrenches)


def _torques_of(robot: Robot, qs: Array, wrenches: Mapping[str, Wrench | ArrayLike]) -> Array:
    """Return τ_ext (N, nv) of {frame: Wrench, or (N, 6)}, as `external_torques` for each row."""
    named: Any = {frame: w for frame, w in wrenches.items() if not is_rows(w)}
    first = qs[0] if len(qs) else robot.neutral()
    external_torques(robot, first, named)  # raises what there is to raise
    if any(wrench.axes != "world" for wrench in named.values()):
        each = [external_torques(robot, q, named) for q in qs]
        total = np.array(each).reshape(-1, robot.nv)
        wrenches = {frame: w for frame, w in wrenches.items() if frame not in named}
    else:
        total = np.zeros((len(qs), robot.nv))
    for frame, wrench in wrenches.items():
        total += frame_torques(robot, qs, frame, about_origin(robot, qs, frame, wrench))
    return total


def is_rows(wrench: object) -> bool:
    """Whether it is numbers along time, [force; moment about the frame's origin], world axes."""
    return isinstance(wrench, np.ndarray | list | tuple)


def about_origin(robot: Robot, qs: Array, frame: str, wrench: Wrench | ArrayLike) -> Array:
    """Return a wrench as rows (N, 6) about the origin of a frame, world axes."""
    if not isinstance(wrench, Wrench):
        rows = table(wrench, 6, f"wrenches[{frame!r}]")
        if len(rows) not in (1, len(qs)):
            raise ContactError(f"wrenches[{frame!r}]: got {len(rows)} rows, expected {len(qs)}")
        return np.broadcast_to(rows, (len(qs), 6))
    moment = wrench.moment
    if wrench.point is not None:
        origins = many_states.frame_placement(robot, qs, frame)[:, :3, 3]
        moment = moment + np.cross(wrench.point - origins, wrench.force)
    forces, moments = (np.broadcast_to(x, (len(qs), 3)) for x in (wrench.force, moment))
    return np.hstack([forces, moments])


def torques_on_base(robot: Robot, qs: Array, wrenches: ArrayLike) -> Array:
    """Return Rᵀf and Rᵀm in the rows of the base, (N or 1, nv), of wrenches as `about_base`."""
    rows, R = about_base(robot, qs, wrenches), rotations(qs[:, 3:7])
    out = np.zeros((len(rows), robot.nv))
    out[:, :6] = (rows.reshape(-1, 2, 3) @ R).reshape(-1, 6)
    return out


def about_base(robot: Robot, qs: Array, wrenches: ArrayLike) -> Array:
    """Return wrenches (N or 1, 6) about the centre of mass c as (N or 1, 6) about the base's p.

    World axes; m_p = m_c + (c − p) × f.

    Raises:
        ContactError: a fixed base, or numbers of rows that do not fit.
    """
    check_floating(robot, error=ContactError)
    rows = table(wrenches, 6, "wrenches")
    count = common_length(q=len(qs), wrenches=len(rows), error=ContactError)
    force, arms = rows[:, :3], many_states.com(robot, qs) - qs[:, :3]
    moment = rows[:, 3:] + np.cross(arms, force)
    return np.hstack([np.broadcast_to(x, (count, 3)) for x in (force, moment)])


def table(value: ArrayLike, width: int, name: str) -> Array:
    """Return (N, width) finite numbers, one row if one was given."""
    return values.table(value, width, name, error=ContactError)
