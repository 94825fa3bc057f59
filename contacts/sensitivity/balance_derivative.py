"""Derivatives of the balance of loads and contact forces with respect to q and contacts' places.

    h + Σ_c J_cᵀ w_c,      h = τ_g + τ_ext − M a − vᵀCv

with the forces and moments w_c held: in the contact's axes of a patch, which turn with it, and in
those of its ground of a point. A wrench w on a link gives S_j·w to each motion j that carries it.
The motion k moves the axes S_j that it carries, by S_k × S_j, and w by S_k ×* w where it turns with
the link. With F_j the sum of the wrenches that the motion j carries that is

    ∂(Σ S_j·w)/∂q_k = S_j·(S_k ×* F_k)   of wrenches that turn, where k does not carry j
                      S_k·(S_j ×* F_j)   of those that stay in the world, where k carries j

and ω_j·(u_k × f) more where the point at which a force f acts moves with its link, by u_k. Forces
of closures act on two bodies, and turn with the first: see `closures_derivative`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin

from ...arrays import Array, Index
from ...dynamics import State, Wrench, closures
from ...dynamics.loads import world_wrench
from ...dynamics.spatial import cross, skew
from ...dynamics.topology import carried_by, frames_of, moved_by, require_fixed_axes
from ...dynamics.workspace import workspace_of
from ...errors import ConfigurationError
from ...robots.closures import coupling_law
from ..contact import Contact, PointContact
from ..contact_set import ContactSet
from ..surface_contact import PlacedContact

TURNING, AT_BODY, AT_PLACE = range(3)  # what of a force stays as the robot moves


class Forces(NamedTuple):
    """Forces and moments on links.

    Attributes:
        joints: (m,), that carry the links, Pinocchio's indices.
        wrenches: (m, 6), [f; m] about the world's origin, world axes.
        points: (m, 3), where they act now, world; of what turns with its link, any.
        stays: (m,), TURNING: nothing, they turn with the link; AT_BODY: force and moment stay in
            the world, at a point of the link; AT_PLACE: the point stays in the world as well.
    """

    joints: Index
    wrenches: Array
    points: Array
    stays: Index

    def generalised(self, state: State) -> Array:
        """Return Σ Jᵀw (nv,)."""
        carried = carried_by(state.robot)[self.joints]
        return np.asarray(((self.wrenches @ state.joint_columns) * carried).sum(axis=0))


def local_wrenches(
    contacts: ContactSet, x: Array, epsilon: float, wrench_rows: Array | None = None
) -> Array:
    """Return the wrenches (C, 6) at the centres, contact axes, of x (n,) and ε along the normals.

    Args:
        contacts: whose.
        x: unknowns, as in `Balance`.
        epsilon: of margin: normal forces besides, shared as the limits say [N].
        wrench_rows: of other limits than those of the contacts.
    """
    rows = contacts.limits.wrench_rows if wrench_rows is None else wrench_rows
    wrenches = np.asarray(rows @ x)
    wrenches[:, 2] += epsilon * contacts.limits.pulls
    return wrenches


def balance_derivative(
    contacts: ContactSet,
    state: State,
    a: Array,
    wrenches: Array,
    external: Forces | None = None,
    inner: Array | None = None,
) -> Array:
    """Return ∂(h + Σ_c J_cᵀ w_c)/∂q (nv, nv).

    Args:
        contacts: of the robot.
        state: where, at which velocity.
        a: (nv,), the acceleration.
        wrenches: w_c (C, 6), at the centres, in contact axes.
        external: those of τ_ext, as `external_forces` has them.
        inner: (nv,), what closures give besides, along motions that they allow.

    Raises:
        ModelError: a joint whose axes turn within its own body (no URDF has one).
    """
    loads = contact_forces(contacts, state, wrenches)
    if external is not None:
        loads = Forces(*(np.concatenate(pair) for pair in zip(loads, external, strict=True)))
    change = derivative_of(state, a, loads)
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


def derivative_of(state: State, a: Array, loads: Forces) -> Array:
    """Return ∂(τ_g − M a − vᵀCv + Σ Jᵀw)/∂q (nv, nv) of forces on links."""
    robot = state.robot
    require_fixed_axes(robot)
    data = workspace_of(robot).data
    pin.computeRNEADerivatives(robot._model, data, state.q, state.velocity, a)
    return np.asarray(forces_derivative(state, loads) - data.dtau_dq)


def forces_derivative(state: State, loads: Forces) -> Array:
    """Return ∂(Σ Jᵀw)/∂q (nv, nv) of forces on links."""
    S, moved, w = state.joint_columns, moved_by(state.robot), loads.wrenches
    carried, turning = carried_by(state.robot)[loads.joints], loads.stays == TURNING
    turned = moved_forces(S, w[turning].T @ carried[turning])
    change = np.asarray((S.T @ turned) * (moved.T & ~moved))
    if not turning.all():
        still = ~turning
        change += (moved_forces(S, w[still].T @ carried[still]).T @ S) * moved
    for i in np.flatnonzero(loads.stays == AT_BODY):
        own = S * carried[i]
        u = own[:3] - skew(loads.points[i]) @ own[3:]
        change -= own[3:].T @ skew(w[i, :3]) @ u
    return change


# products of S ×* F = [ω × f; v × f + ω × m], rows of S, rows of F, and where they are added up
_PRODUCTS = np.array(
    [
        (out + k, p + (k + a) % 3, q + (k + b) % 3, sign)
        for out, p, q in ((0, 3, 0), (3, 0, 0), (3, 3, 3))
        for k in range(3)
        for a, b, sign in ((1, 2, 1), (2, 1, -1))
    ]
)
_ADDED = (np.arange(6)[:, None] == _PRODUCTS[:, 0]) * _PRODUCTS[:, 3].astype(float)


def moved_forces(S: Array, F: Array) -> Array:
    """Return S ×* F (6, n) of motions and wrenches (6, n): [ω × f; v × f + ω × m]."""
    return np.asarray(_ADDED @ (S.take(_PRODUCTS[:, 1], 0) * F.take(_PRODUCTS[:, 2], 0)))


def contact_forces(contacts: ContactSet, state: State, wrenches: Array) -> Forces:
    """Return the contacts' wrenches (C, 6), given in contact axes, as forces on links."""
    at = contacts.attachment
    p = at.positions(state)
    world = wrenches.reshape(-1, 2, 3) @ at.rotations(state).transpose(0, 2, 1)
    world[:, 1] += cross(p.T, world[:, 0].T).T
    # of a ball, the middle is what stays with the link
    return Forces(
        at.joints,
        world.reshape(-1, 6),
        p - at.ball_arms,
        np.where(at.world_fixed, AT_BODY, TURNING),
    )


def external_forces(state: State, external: Mapping[str, Wrench]) -> Forces | None:
    """Return external wrenches as forces on links; None if there are none.

    Raises:
        ConfigurationError: a wrench in the axes of a third frame.
    """
    robot, rows = state.robot, []
    if not external:
        return None
    for frame, wrench in external.items():
        if wrench.axes not in ("world", "local", frame):
            raise ConfigurationError(
                f'wrenches[{frame!r}]: got axes {wrench.axes!r}; expected "world" or "local" here'
            )
        T = state.frame_placement(frame).homogeneous[:3]
        w, origin = world_wrench(wrench, T, T), T[:, 3]
        w[3:] += cross(origin, w[:3])
        stays = AT_BODY if wrench.point is None else AT_PLACE
        stays = stays if wrench.axes == "world" else TURNING
        rows.append((frames_of(robot).joint[robot.frame_id(frame)], w, origin, stays))
    joints, wrenches, points, kinds = zip(*rows, strict=True)
    return Forces(np.array(joints), np.array(wrenches), np.array(points), np.array(kinds))


def placement_slopes(contacts: ContactSet, state: State, wrenches: Array, y: Array) -> Array:
    """Return the slopes (C, 6) of yᵀ J_cᵀ w_c along twists of the contacts in their axes.

    With u and ω, the velocities of its centre and of its link in the motion y:

        translation  f × ω          (ω·(δp × f))
        rotation     f × u + m × ω  (u·(δθ × f) + ω·(δθ × m))

    A ball is touched elsewhere when its ground turns: δp = −ρ δθ × n more.
    """
    at = contacts.attachment
    V = (state.joint_columns * y) @ carried_by(state.robot)[at.joints].T  # about the origin
    V[:3] += cross(V[3:], at.positions(state).T)
    local = (V.T.reshape(-1, 2, 3) @ at.rotations(state)).reshape(-1, 6)
    slopes = -moved_forces(local.T, wrenches.T).T
    slopes[:, 3] += at.radii * slopes[:, 1]
    slopes[:, 4] -= at.radii * slopes[:, 0]
    return slopes


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
