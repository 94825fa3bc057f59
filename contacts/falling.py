"""Falling: the certificate of a "no" as a motion that one can look at.

A certificate is a virtual velocity y that contacts and torques cannot brake. Here the robot moves
along it, a little and again and again: what stays at a contact is held there, what slips glides
along its ground, and what lifts goes where y takes it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .. import dynamics
from ..errors import ContactError
from ..robots.values import number, whole_number
from .contact_set import ContactSet
from .hold import Hold

Array = NDArray[np.float64]

STILL = 0.02  # points slower than this share of the fastest one stay where they are
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
    torques, limits = np.abs(hold.balance.torques(best.unknowns)), hold.balance.torque_limits
    row = int(np.where(np.isfinite(limits), torques / limits, 0.0).argmax())
    joint = hold.contacts.robot.joint_of_row[hold.balance.actuated[row]]
    return f"{torques[row] - limits[row]:.3g} N·m missing at {joint}"


def falling_path(hold: Hold, distance: float, steps: int = _STEPS) -> Array:
    """Return configurations (steps + 1, nq) along the certificate of an infeasible Hold.

        dq/ds = y + δ,   with the least ‖δ‖ for which   J_k (y + δ) = 0      at points that stay,
                                                        n·J_k (y + δ) = 0    at points that slip

    integrated on the manifold. (A certificate lets what slips rise by μ times what it slips, the
    direction that friction resists least; a real foot glides along its ground.)

    Args:
        hold: that is infeasible.
        distance: how far the fastest of contact points and centre of mass goes [m].
        steps: of the integration.

    Raises:
        ContactError: the hold has no certificate, or a distance that is none.
    """
    y = _certificate(hold)
    distance = number(distance, "distance", above=0, unit="[m]", error=ContactError)
    steps = whole_number(steps, "steps", at_least=1, error=ContactError)
    robot, contacts, q = hold.contacts.robot, hold.contacts, hold.q
    held = _held_directions(contacts, q, y)
    places = _points(contacts, q)
    motion = _constrained(_rows(contacts, q, held), y)
    ds = _amplitude(hold, motion, distance) / steps
    path = [q]
    for _ in range(steps):
        q = robot.integrate(q, ds * _constrained(_rows(contacts, q, held), y))
        rows, drift = _rows(contacts, q, held), np.zeros(0)
        for N, p, p0 in zip(held, _points(contacts, q), places, strict=True):
            drift = np.append(drift, N @ (p - p0))
        q = robot.integrate(q, -np.linalg.lstsq(rows, drift, rcond=1e-6)[0])
        path.append(q)
    return np.array(path)


def _certificate(hold: Hold) -> Array:
    if hold.certificate is None:
        raise ContactError(
            f"hold: got one that is {hold.status}, expected an infeasible one: only what does not "
            "hold has a motion that nothing can stop"
        )
    return hold.certificate


def _held_directions(contacts: ContactSet, q: Array, y: Array) -> list[Array]:
    """World directions (0, 1 or 3, 3) along which each point may not move: all where it stays, the
    normal where it slips, none where it lifts."""
    robot, held = contacts.robot, []
    speeds = [contact.point_jacobians(robot, q) @ y for contact in contacts]
    fastest = max([float(np.linalg.norm(u, axis=1).max()) for u in speeds], default=0.0)
    fastest = max(fastest, float(np.linalg.norm(dynamics.com_jacobian(robot, q) @ y)))
    for contact, velocities in zip(contacts, speeds, strict=True):
        cone = contact.cone(robot, q)
        n = cone.normal
        for u in velocities:
            rise = n @ u
            if np.linalg.norm(u) <= STILL * fastest:
                held.append(np.eye(3))
            elif rise <= _SLIPS * cone.braking(u):
                held.append(n[None])
            else:
                held.append(np.zeros((0, 3)))
    return held


def _points(contacts: ContactSet, q: Array) -> list[Array]:
    return [p for contact in contacts for p in contact.world_points(contacts.robot, q)]


def _rows(contacts: ContactSet, q: Array, held: list[Array]) -> Array:
    """N J_k of all points, stacked (m, nv)."""
    robot = contacts.robot
    J = [Jk for contact in contacts for Jk in contact.point_jacobians(robot, q)]
    return np.vstack([np.zeros((0, robot.nv)), *(N @ Jk for N, Jk in zip(held, J, strict=True))])


def _constrained(rows: Array, y: Array) -> Array:
    """The velocity nearest to y that moves nothing along the rows."""
    return np.asarray(y - np.linalg.lstsq(rows, rows @ y, rcond=1e-6)[0])


def _amplitude(hold: Hold, motion: Array, distance: float) -> float:
    """How much of `motion` moves the fastest point by `distance`, no joint by too much."""
    robot, q = hold.contacts.robot, hold.q
    speeds = [dynamics.com_jacobian(robot, q) @ motion]
    for contact in hold.contacts:
        speeds += list(contact.point_jacobians(robot, q) @ motion)
    fastest = max(float(np.linalg.norm(u)) for u in speeds)
    turns = float(np.abs(motion[3:] if robot.is_floating else motion).max(initial=0.0))
    return min(distance / max(fastest, 1e-12), _LARGEST_TURN / max(turns, 1e-12))
