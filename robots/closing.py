"""Loop closing: configurations that satisfy the closures of a robot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from ..arrays import Array
from ..errors import ConfigurationError, unknown
from .closure_rows import ClosureRows
from .findings import Finding
from .values import each_once

_CLOSED, _NEAR = 1e-13, 1e-11  # errors at which Newton's method stops, and that are accepted


def closed(robot: Any, q: Array, moving: Sequence[str] | None = None) -> Array:
    """Return the q (nq,) nearest to the given one with e(q) = 0: Newton's method, least steps.

        q ← q ⊕ −J_c⁺ e

    Args:
        robot: with closures, or without.
        q: configuration (nq,), checked.
        moving: joints that may move; None: those without a motor, or all joints where these do not
            suffice.

    Raises:
        ConfigurationError: it closes nowhere near.
    """
    if not robot.closures:
        return q.copy()
    rows, data = robot._closure_rows, robot._model.createData()
    idle = [n for n in robot.joint_names if n not in robot.actuated]
    # the base does not move loops, but those that end in the world
    tries = [idle, robot.joint_of_row] if moving is None else [moving]
    e, _ = rows.at_q(q, data)
    if np.abs(e).max() < _CLOSED:
        return q.copy()
    for joints in filter(None, tries):
        allowed = np.isin(robot.joint_of_row, list(joints))
        found, e = _newton(robot, q, allowed, rows, data)
        if np.abs(e).max() < _NEAR:
            return found
    name, by = rows.worst(e)
    raise ConfigurationError(
        f"{robot.name!r}: the closure {name!r} stays open by {by:.3g} [m or rad] near this q; "
        "expected a q from which its loops close"
    )


def _newton(
    robot: Any, q: Array, allowed: NDArray[np.bool_], rows: ClosureRows, data: Any
) -> tuple[Array, Array]:
    """Return the last q and its e; steps are at most 0.3 rad, and halved while e grows."""
    e, J = rows.at_q(q, data)
    for _ in range(100):
        size = np.abs(e).max()
        if size < _CLOSED:
            break
        step = -np.linalg.lstsq(J * allowed, e, rcond=1e-9)[0] * allowed
        step *= min(1.0, 0.3 / max(np.abs(step).max(), 1e-30))
        for _ in range(8):
            there = np.array(pin.integrate(robot._model, q, step))
            e_there, J_there = rows.at_q(there, data)
            if np.abs(e_there).max() < size:
                break
            step *= 0.5
        else:
            break  # as near as it gets: rounding, or a loop too short
        q, e, J = there, e_there, J_there
    return q, e


def unclosed(robot: Any) -> list[Finding]:
    """Return a warning about a robot whose closures close near none of eleven configurations."""
    if not robot.closures:
        return []
    try:
        robot.close(robot.neutral())
    except ConfigurationError:
        try:
            robot.random_configuration(0)
        except ConfigurationError as error:
            hint = "robot.with_closures(()) is the tree alone"
            return [Finding("warning", "closure", f"its loops do not close: {error}", hint)]
    return []


def check_closures(robot: Any) -> None:
    """Refuse closures of frames and joints that are not there, and one name twice.

    Raises:
        ConfigurationError, ModelError: what is wrong with which.
    """
    each_once([closure.name for closure in robot.closures], "closures")
    for closure in robot.closures:
        for joint in ("joint", "leader"):
            name = getattr(closure, joint, None)
            if name is not None and name not in robot.joint_names:
                raise ConfigurationError(
                    f"closure {closure.name!r}: " + unknown("joint", name, robot.joint_names)
                )
    if robot.closures:
        _ = robot._closure_rows  # refuses frames and joints that cannot be
