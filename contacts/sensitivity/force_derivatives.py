"""How what contact forces do to a robot changes with its posture and with the contacts' places.

∂(J_cᵀ w_c)/∂q,      J_c the contact's Jacobian, w_c its force and moment, constant in its axes
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from ... import dynamics
from ...dynamics import Wrench
from ...robots import Robot
from ..contact import Contact, PointContact
from ..contact_set import ContactSet
from ..equilibrium.balance import Balance
from ..surface_contact import PlacedContact

Array = NDArray[np.float64]


class LocalWrench(NamedTuple):
    """Force and moment (3,) of the environment at a contact's centre, in contact axes."""

    force: Array
    moment: Array


def local_wrenches(
    contacts: ContactSet, balance: Balance, x: Array, epsilon: float, shrunk: float = 1.0
) -> dict[str, LocalWrench]:
    """Return {contact: wrench} of the unknowns x (n,) and ε along the normals of A x + ε N.

    `shrunk`: how many times smaller the patches of the balance are than the contacts' own.
    """
    forces, moments = balance.limits.forces(x), balance.limits.moments(x)
    found = {}
    for i, contact in enumerate(contacts):
        f = forces[balance.limits.owner == i]
        moment = np.cross(contact.points / shrunk, f).sum(axis=0)
        moment[2] += moments[i]
        force = f.sum(axis=0)
        force[2] += epsilon * balance.limits.presses[i]
        found[contact.name] = LocalWrench(force, moment)
    return found


def force_derivative(robot: Robot, q: Array, contact: Contact, wrench: LocalWrench) -> Array:
    """Return ∂(J_cᵀ w_c)/∂q (nv, nv), the wrench constant in contact axes, which turn with a patch.

    The axes of a point stay those of its ground: Σ_r H[r] w_r.

    Raises:
        ModelError: a joint whose axes turn within its own body (no URDF has one).
    """
    if not isinstance(contact, PlacedContact):
        R = contact.pose(robot, q).rotation
        w = np.append(R @ wrench.force, wrench.moment[2])[: contact.dim]
        return np.asarray(np.einsum("rjk,r->jk", contact.hessian(robot, q), w))
    R = contact.placement.rotation
    point = contact.placement.act(contact.centre)
    local = Wrench(R @ wrench.force, R @ wrench.moment, point=point, axes="local")
    return np.asarray(dynamics.external_torques_derivative(robot, q, {contact.frame: local}))


def load_derivative(
    robot: Robot, q: Array, v: Array, a: Array, external: Mapping[str, Wrench]
) -> Array:
    """Return ∂h/∂q (nv, nv) of h = τ_g + τ_ext − M a − vᵀCv."""
    return np.asarray(-dynamics.inverse_dynamics_derivatives(robot, q, v, a, dict(external)).dq)


def placement_slope(
    robot: Robot, q: Array, contact: Contact, wrench: LocalWrench, y: Array
) -> Array:
    """Return the slope (6,) of yᵀ J_cᵀ w_c along a twist of the contact in its axes.

    With u and ω, the velocities of its centre and of its link in the motion y:

        translation  f × ω          (ω·(δp × f))
        rotation     f × u + m × ω  (u·(δθ × f) + ω·(δθ × m))

    A ball is touched elsewhere when its ground turns: δp = −ρ δθ × n more.
    """
    T = contact.pose(robot, q)
    J = dynamics.frame_jacobian(robot, q, contact.frame)
    arm = T.translation - dynamics.frame_placement(robot, q, contact.frame).translation
    omega = J[3:] @ y
    u, omega = T.rotation.T @ (J[:3] @ y + np.cross(omega, arm)), T.rotation.T @ omega
    shift = np.cross(wrench.force, omega)
    turn = np.cross(wrench.force, u) + np.cross(wrench.moment, omega)
    radius = contact.radius if isinstance(contact, PointContact) else 0.0
    return np.concatenate([shift, turn - radius * np.cross([0.0, 0.0, 1.0], shift)])


def moved_contact(
    robot: Robot, q: Array, contact: Contact, friction: float, twist: Array
) -> Contact:
    """Return a contact with more friction, moved by a small twist (6,) as in `placement_slope`."""
    changes: dict[str, Any] = {"friction": np.add(contact.friction, friction)}
    R = contact.pose(robot, q).rotation
    if isinstance(contact, PointContact):
        axes = dynamics.frame_placement(robot, q, contact.frame).rotation
        changes["offset"] = contact.offset + axes.T @ R @ twist[:3]
        contact = contact.turned(pin.exp3(R @ twist[3:]))
    elif isinstance(contact, PlacedContact):
        centre = pin.SE3(np.eye(3), contact.centre)
        changes["placement"] = (
            contact.placement * centre * pin.exp6(pin.Motion(twist)) * centre.inverse()
        )
    return replace(contact, **changes)
