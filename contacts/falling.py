"""Falling motions: configurations along the certificate of infeasibility.

A certificate is a virtual velocity y that contacts and torques cannot brake. Here the robot moves
along it, a little and again and again: what stays at a contact is held there, what slips glides
along its ground, and what lifts goes where y takes it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .. import dynamics
from ..arrays import Array
from ..dynamics import State
from ..errors import ContactError
from ..robots import Robot
from ..robots.values import number, whole_number
from .contact_set import ContactSet
from .equilibrium.reasons import STILL, weakest_joint
from .hold import Hold
from .point_forces import PointForces

_SLIPS = 1.5  # a point that rises less than this times μ times its slip is slipping
_STEPS = 24
_LARGEST_TURN = 0.35  # [rad], of the base or of any joint


def missing_words(hold: Hold) -> str:
    """Return in a few words what lacks: the normal force at every contact, −margin, or a torque.

    Raises:
        ContactError: the hold has no certificate.
    """
    _certificate(hold)
    if np.isfinite(hold.margin):
        return f"{-hold.margin:.3g} N missing at every contact"
    best = hold.balance.torque_margin()  # whatever the torques: is it the contacts or the joints?
    if best.unknowns is None or not best.value < 0:
        return "nothing holds it"
    joint, torque, limit = weakest_joint(hold.contacts, hold.balance, best.unknowns)
    return f"{torque - limit:.3g} N·m missing at {joint}"


def falling_path(hold: Hold, distance: float, steps: int = _STEPS) -> Array:
    """Return configurations (steps + 1, nq) along the certificate of an infeasible Hold.

        dq/ds = y + δ,   with the least ‖δ‖ for which   J_k (y + δ) = 0      at points that stay,
                                                        n·J_k (y + δ) = 0    at points that slip
                                                        J_c (y + δ) = 0      for closures

    integrated on the manifold. (A certificate lets what slips rise by μ times what it slips, the
    direction that friction resists least; a real foot glides along its ground.)

    Args:
        hold: that is infeasible.
        distance: how far the fastest of contact points and centre of mass goes [m].
        steps: of the integration.

    Raises:
        ContactError: the hold has no certificate, or an invalid distance.
    """
    y = _certificate(hold)
    distance = number(distance, "distance", above=0, unit="[m]", error=ContactError)
    steps = whole_number(steps, "steps", at_least=1, error=ContactError)
    robot, contacts, q = hold.contacts.robot, hold.contacts, hold.q
    axes = PointForces.of(contacts, q).axes
    J, places = _along(contacts, q, axes)
    held = _held(contacts, J @ y, dynamics.com_jacobian(robot, q) @ y)
    ds = _amplitude(hold, _constrained(_fixed(robot, q, J[held]), y), distance) / steps
    path = [q]
    for _ in range(steps):
        J, _ = _along(contacts, q, axes)
        q = robot.integrate(q, ds * _constrained(_fixed(robot, q, J[held]), y))
        J, p = _along(contacts, q, axes)
        off = np.append((p - places)[held], State(robot, q).closure_error)
        back = np.linalg.lstsq(_fixed(robot, q, J[held]), off, rcond=1e-6)[0]
        q = robot.integrate(q, -back)
        path.append(q)
    return np.array(path)


def _certificate(hold: Hold) -> Array:
    if hold.certificate is None:
        raise ContactError(
            f"hold: got one that is {hold.status}, expected an infeasible one: only what does not "
            "hold has a motion that nothing can stop"
        )
    return hold.certificate


def _along(contacts: ContactSet, q: Array, axes: Array) -> tuple[Array, Array]:
    """Jacobians (K, 3, nv) and places (K, 3) of all points at q, along fixed axes (K, 3, 3)."""
    state, turned = State(contacts.robot, q), axes.transpose(0, 2, 1)
    places = contacts.attachment.world_points(state)[:, :, None]
    return turned @ contacts.attachment.point_jacobians(state), (turned @ places)[:, :, 0]


def _held(contacts: ContactSet, u: Array, com_velocity: Array) -> NDArray[np.bool_]:
    """(K, 3), the axes along which points that would move at u (K, 3) may not.

    All of one that stays, the normal of one that slips, none of one that lifts.
    """
    speeds = np.linalg.norm(u, axis=1)
    fastest = max(float(speeds.max(initial=0.0)), float(np.linalg.norm(com_velocity)))
    stays = speeds <= STILL * fastest
    slips = u[:, 2] <= _SLIPS * np.linalg.norm(contacts.limits.friction * u[:, :2], axis=1)
    return np.column_stack([stays, stays, stays | slips])


def _fixed(robot: Robot, q: Array, rows: Array) -> Array:
    """Rows (…, nv) of points, and of the robot's closures below."""
    return np.vstack([rows, State(robot, q).closure_jacobian]) if robot.closures else rows


def _constrained(rows: Array, y: Array) -> Array:
    """The velocity nearest to y that moves nothing along the rows."""
    return np.asarray(y - np.linalg.lstsq(rows, rows @ y, rcond=1e-6)[0])


def _amplitude(hold: Hold, motion: Array, distance: float) -> float:
    """How much of `motion` moves the fastest point by `distance`, no joint by too much."""
    robot, q = hold.contacts.robot, hold.q
    points = hold.contacts.attachment.point_jacobians(hold.state) @ motion
    speeds = np.vstack([points, dynamics.com_jacobian(robot, q) @ motion])
    fastest = float(np.linalg.norm(speeds, axis=1).max())
    turns = float(np.abs(motion[3:] if robot.is_floating else motion).max(initial=0.0))
    return min(distance / max(fastest, 1e-12), _LARGEST_TURN / max(turns, 1e-12))
