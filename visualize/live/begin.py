"""Initial scenarios of live scenes: of a robot, of contacts, of a Hold or of a name."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ... import robots
from ...contacts.contact_set import ContactSet
from ...contacts.equilibrium.balance import weight
from ...contacts.hold import Hold
from ...contacts.scenario.scenario import Scenario, scenario_or_robot
from ...dynamics import external_torques, gravity_torques
from ...errors import ContactError
from ...robots import Robot
from .scene import LiveScene

HERE = "127.0.0.1"


def live_robot(robot: Robot, q: ArrayLike | None = None, *, host: str = HERE) -> LiveScene:
    """Return a live scene of a robot on its feet, on level ground, in its posture or q (nq,).

    `host` is as for `LiveScene`, here and below.
    """
    return LiveScene(Scenario.of(robot, q), host=host)


def live_contacts(contacts: ContactSet, q: ArrayLike, *, host: str = HERE) -> LiveScene:
    """Return a live scene of contacts where they are at q (nq,)."""
    return LiveScene(Scenario.of(contacts.robot, q, contacts), host=host)


def live_hold(hold: Hold, *, host: str = HERE) -> LiveScene:
    """Return a live scene of a Hold at rest: its contacts, wrenches and torque limits.

    Raises:
        ContactError: the robot of the hold moves or accelerates, or its torque limits are none that
            scenarios have.
    """
    robot, limits = hold.contacts.robot, _torque_limits(hold)
    still = gravity_torques(robot, hold.q) + external_torques(robot, hold.q, hold.external)
    if np.any(hold.state.v) or np.abs(hold.balance.load - still).max() > 1e-9 * weight(robot):
        raise ContactError("hold: got one of a robot that moves, expected one at rest")
    scenario = Scenario.of(robot, hold.q, hold.contacts, hold.external)
    return LiveScene(scenario.replaced(torque_limits=limits), host=host)


def live_name(source: str | os.PathLike[str], *, host: str = HERE) -> LiveScene:
    """Return a live scene of a scenario or a robot, by its name or file."""
    if scenario := scenario_or_robot(source):
        return LiveScene(scenario, host=host)
    return live_robot(robots.load(source), host=host)


def _torque_limits(hold: Hold) -> Any:
    """As a scenario has them: whether there are any, or {joint: limit} of other than usual."""
    robot, balance = hold.contacts.robot, hold.balance
    limits, usual = balance.torque_limits, robot.torque_limits
    if not np.isfinite(limits).any():
        return False
    names = [robot.joint_of_row[row] for row in balance.actuated]
    lost = (balance.bounds.middle != 0) | (np.isinf(limits) & np.isfinite(usual))
    if lost.any():
        raise ContactError(
            f"torque_limits of {names[int(np.argmax(lost))]!r}: got none, or one that differs by "
            "sign, expected the largest |τ|, as a scenario has it; or none of any joint"
        )
    triples = zip(names, limits, usual, strict=True)
    return {name: float(got) for name, got, was in triples if got != was} or True
