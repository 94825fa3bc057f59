"""Poses of a base in files: their columns, and the order of quaternion components.

The norm of a quaternion is the same in both orders, and so is its continuity. What differs is how
the robot stands: read in the wrong order a heading becomes a lean, or a robot that looks along +x
one that looks along −x.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Array
from ...errors import DataError
from ...robots.robot import Robot
from ...robots.values import one_of
from ..spatial import up_in_base

ORDERS = ("xyzw", "wxyz")
NAMED = "named"  # order of quaternions whose parts the file names, or that were worked out
_ROUNDING = 1e-3  # of a norm: files with few digits
_UPRIGHT = 0.02  # difference in the mean cosine of the lean that decides
_FORWARD = 0.5  # difference in |w| at the start that decides where both stand upright


def split_pose(table: Array) -> tuple[Array, Array, Array, Array]:
    """Return (what comes before, place, quaternion, joints) of the columns of a table.

    The quaternion is where columns have unit norm: after the place, after a column before that (of
    frames or times), or before the place.

    Raises:
        DataError: no such columns.
    """
    for before, place, turn, joints in (
        (slice(0), slice(0, 3), slice(3, 7), 7),
        (slice(0, 1), slice(1, 4), slice(4, 8), 8),
        (slice(0), slice(4, 7), slice(0, 4), 7),
    ):
        if table.shape[1] >= joints and _is_unit(table[:, turn]):
            return table[:, before], table[:, place], table[:, turn], table[:, joints:]
    raise DataError(
        f"got {table.shape[1]} columns; expected x, y, z of the base, its quaternion of unit norm, "
        "and the joints: columns 3 to 6 have no unit norm, nor have 4 to 7 or 0 to 3"
    )


def _is_unit(quaternions: Array) -> bool:
    norms = np.linalg.norm(quaternions, axis=1)
    known = norms[np.isfinite(norms)]  # samples that are not are told of later
    return len(known) > 0 and bool(np.median(np.abs(known - 1)) < _ROUNDING)


def unit(turn: Array) -> tuple[Array, tuple[str, ...]]:
    """Return quaternions (n, 4) of unit norm, and what is to be said of it.

    Raises:
        DataError: one whose norm is off by more than rounding makes it; in which frame.
    """
    norms = np.linalg.norm(turn, axis=1)
    away = np.abs(norms - 1)
    worst = int(np.nan_to_num(away, nan=np.inf).argmax()) if len(away) else 0
    if len(away) and not away[worst] <= _ROUNDING:
        raise DataError(
            f"frame {worst}: got a quaternion of norm {norms[worst]:.6g}; expected 1 within "
            f"{_ROUNDING:g}"
        )
    said = f"quaternions are rounded: norms off by up to {away.max(initial=0):.2g}, divided by them"
    return turn / norms[:, None], (said,) if away.max(initial=0) > 1e-6 else ()


def in_order(
    robot: Robot, turn: Array, asked: str | None, known: str | None
) -> tuple[Array, tuple[str, ...]]:
    """Return quaternions x y z w (n, 4), and in which order they were.

    Args:
        robot: who stands.
        turn: (n, 4) as in the file.
        asked: the order that the caller asks for.
        known: the order of the file's layout.

    Raises:
        DataError: an order that nothing tells.
    """
    if known == NAMED:
        if asked is not None:
            raise DataError(
                f"quaternion: got {asked!r}; expected None, since the file names its parts"
            )
        return turn, ()
    if asked is not None:
        return _read(turn, one_of(asked, "quaternion", ORDERS)), (f"quaternions {asked}, as asked",)
    lean = {order: _upright(robot, _read(turn, order)) for order in ORDERS}
    if known is not None:
        other = next(order for order in ORDERS if order != known)
        said: tuple[str, ...] = (f"quaternions {known}, by the layout",)
        if lean[other] > lean[known] + 0.3:
            said += (f"read as {other} the robot would stand more upright: is that their order?",)
        return _read(turn, known), said
    likely, why = max(lean, key=lambda order: lean[order]), "the robot stands more upright so"
    if abs(lean["xyzw"] - lean["wxyz"]) < _UPRIGHT:
        ahead = {order: abs(float(_read(turn[:1], order)[0, 3])) for order in ORDERS}
        likely, why = max(ahead, key=lambda order: ahead[order]), "the robot starts along +x so"
        if abs(ahead["xyzw"] - ahead["wxyz"]) < _FORWARD:
            raise DataError("quaternions: neither order stands more upright; expected quaternion=")
    return _read(turn, likely), (f"quaternions {likely}: {why}",)


def _read(turn: Array, order: str) -> Array:
    return turn[:, [1, 2, 3, 0]] if order == "wxyz" else turn


def _upright(robot: Robot, turn: Array) -> float:
    """Mean cosine of the lean away from how the base stands."""
    stands = robot.posture()[3:7][None]
    return float((up_in_base(turn) * up_in_base(stands)).sum(axis=1).mean())
