"""Derivatives of the balance of loads and contact forces with respect to q and contacts' places.

    h + Σ_c J_cᵀ w_c,      h = τ_g + τ_ext − M a − vᵀCv

with the forces and moments w_c held: in the contact's axes of a patch, which turn with it, and in
those of its ground of a point, see `dynamics.link_forces`. Forces of closures act on two bodies,
and turn with the first: see `closures_derivative`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin

from ...arrays import Array
from ...dynamics import State, closures
from ...dynamics.derivatives import inverse_dynamics_derivatives
from ...dynamics.kernels.rnea_gradient import AT_BODY, TURNING
from ...dynamics.link_forces import LinkForces, LinkPlaces, moved_forces
from ...dynamics.spatial import cross
from ...dynamics.topology import carried_by, moved_by
from ...robots.closures import coupling_law
from ..contact import Contact, PointContact
from ..contact_set import ContactSet
from ..surface_contact import PlacedContact


class ContactPlaces(NamedTuple):
    """Where contacts push on links.

    Attributes:
        links: a patch at its centre, in its axes, which turn with it; a point in the world's, at
            the link's point: of a ball its middle.
        turned: (C, 6, 6), from wrenches at the centre in contact axes to those; its transpose from
            twists there to twists of the contact.
    """

    links: LinkPlaces
    turned: Array


def contact_places(contacts: ContactSet) -> ContactPlaces:
    """Return where contacts push on links."""
    at = contacts.attachment
    frames, still = at.local_frames, at.world_fixed
    turned = np.tile(np.eye(6), (len(frames), 1, 1))
    for k in np.flatnonzero(still):
        R = frames[k, :, :3]
        turned[k, :3, :3] = turned[k, 3:, 3:] = R
        turned[k, 3:, :3] = cross(at.ball_arms[k][:, None], R)
    return ContactPlaces(LinkPlaces(at.joints, frames, np.where(still, AT_BODY, TURNING)), turned)


def balance_derivative(
    contacts: ContactSet,
    state: State,
    a: Array,
    wrenches: Array,
    external: LinkForces | None = None,
    inner: Array | None = None,
) -> Array:
    """Return ∂(h + Σ_c J_cᵀ w_c)/∂q (nv, nv).

    Args:
        contacts: of the robot.
        state: where, at which velocity.
        a: (nv,), the acceleration.
        wrenches: w_c (C, 6), at the centres, in contact axes.
        external: those of τ_ext.
        inner: (nv,), what closures give besides, along motions that they allow.

    Raises:
        ModelError: a joint whose axes turn within its own body (no URDF has one).
    """
    loads = contact_forces(contacts, state, wrenches)
    if external is not None:
        loads = LinkForces(*(np.concatenate(pair) for pair in zip(loads, external, strict=True)))
    change = loads.derivative(state) - inverse_dynamics_derivatives(state.robot, state, None, a).dq
    if inner is None or not state.robot.closures:
        return change
    return change + closures_derivative(state, closures.multipliers(state, inner))


def closures_derivative(state: State, multipliers: Array) -> Array:
    """Return ∂(J_cᵀλ)/∂q (nv, nv) of the closures' multipliers λ (m,), along what they allow.

    Of a loop W, [f; m] about the world's origin, acts on body 2, −W on body 1, and turns with body
    1. It gives ±S_j·W to each motion j that carries one body alone, so that

        ∂(S_j·W)/∂q_k = S_j·(S_k ×* W) (1 where k carries body 1, −1 where it carries j)
    """
    rows, S = state.robot._closure_rows, state.joint_columns
    carried, moved = carried_by(state.robot) > 0, moved_by(state.robot).astype(float)
    change, places = np.zeros_like(moved), rows.places(state.joint_placements)
    for (loop, own), bodies, ends in zip(rows.loops, rows.joints, places, strict=True):
        given = np.append(multipliers[own], np.zeros(6 - loop.dim)).reshape(2, 3)
        f, m = given @ ends[0, :, :3].T
        W = np.concatenate([f, m + cross(ends[1, :, 3], f)])
        products = S.T @ moved_forces(S, np.repeat(W[:, None], S.shape[1], axis=1))
        first, second = carried[bodies].astype(float)
        change += (second - first)[:, None] * products * (first - moved)
    for coupling, row, _, leader in rows.couplings:
        if leader:
            curvature = coupling_law(coupling, leader.position(state.q))[2]
            change[leader.row, leader.row] -= multipliers[row] * curvature
    return change


def contact_forces(contacts: ContactSet, state: State, wrenches: Array) -> LinkForces:
    """Return the contacts' wrenches (C, 6), given in contact axes, as forces on links."""
    places = contact_places(contacts)
    return places.links.forces(state, (places.turned @ wrenches[:, :, None])[:, :, 0])


def placement_slopes(contacts: ContactSet, state: State, wrenches: Array, y: Array) -> Array:
    """Return the slopes (C, 6) of yᵀ J_cᵀ w_c along twists of the contacts in their axes."""
    places = contact_places(contacts)
    twists = (places.links.twists(state, y)[:, None] @ places.turned)[:, 0]
    return slopes_of_twists(contacts, twists, wrenches)


def slopes_of_twists(contacts: ContactSet, twists: Array, wrenches: Array) -> Array:
    """Return the slopes (…, C, 6) of yᵀ J_cᵀ w_c along twists of the contacts in their axes.

    With twists u and ω (…, C, 6) of its centre and of its link in the motion y, contact axes:

        translation  f × ω          (ω·(δp × f))
        rotation     f × u + m × ω  (u·(δθ × f) + ω·(δθ × m))

    A ball is touched elsewhere when its ground turns: δp = −ρ δθ × n more.
    """
    u, w, f, m = twists[..., :3], twists[..., 3:], wrenches[..., :3], wrenches[..., 3:]
    along, radii = cross(f.T, w.T).T, contacts.attachment.radii
    turned = (cross(f.T, u.T) + cross(m.T, w.T)).T
    turned[..., 0] += radii * along[..., 1]
    turned[..., 1] -= radii * along[..., 0]
    return np.concatenate([along, turned], axis=-1)


def moved_contact(state: State, contact: Contact, friction: Array, twist: Array) -> Contact:
    """Return a contact with more friction (1,) or (2,), moved by a small twist (6,) in its axes."""
    mu = np.add(contact.friction, friction)
    changes: dict[str, Any] = {"friction": mu if np.ndim(contact.friction) else float(mu[0])}
    R = contact.pose(state).rotation
    if isinstance(contact, PointContact):
        axes = state.frame_placement(contact.frame).rotation
        changes["offset"] = contact.offset + axes.T @ R @ twist[:3]
        contact = contact.turned(pin.exp3(R @ twist[3:]))
    elif isinstance(contact, PlacedContact):
        centre = pin.SE3(np.eye(3), contact.centre)
        changes["placement"] = (
            contact.placement * centre * pin.exp6(pin.Motion(twist)) * centre.inverse()
        )
    return replace(contact, **changes)
