"""Derivatives of the balance of loads and contact forces with respect to q and contacts' places.

    h + Σ_c J_cᵀ w_c,      h = τ_g + τ_ext − M a − vᵀCv

with the forces and moments w_c held: in the contact's axes of a patch, which turn with it, and in
those of its ground of a point. Pinocchio's derivatives of inverse dynamics have forces that turn
with their links. Of a force f and a moment m that stay in the world, at a point of the link,

    ∂(Jᵀw)_j/∂q_k = … + u_j·(f × ω_k) + ω_j·(m × ω_k)

is added, with u and ω the velocity of the point and of the link in the motions j and k; and of one
whose point p stays in the world too, ω_j·(f × u_k) more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from ...dynamics import State, Wrench
from ...dynamics.loads import world_wrench
from ...dynamics.spatial import cross, skew
from ...dynamics.topology import carried_by, frames_of, require_fixed_axes
from ...dynamics.workspace import workspace_of
from ...errors import ConfigurationError
from ..contact import Contact, PointContact
from ..contact_set import ContactSet
from ..surface_contact import PlacedContact

Array = NDArray[np.float64]

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

    joints: NDArray[np.intp]
    wrenches: Array
    points: Array
    stays: NDArray[np.intp]

    def generalised(self, state: State) -> Array:
        """Return Σ Jᵀw (nv,)."""
        carried = carried_by(state.robot)[self.joints]
        return np.asarray(((self.wrenches @ state.joint_columns) * carried).sum(axis=0))

    def on_joints(self, state: State) -> Any:
        """Return them as Pinocchio's f_ext: one `pin.Force` a joint, in its axes."""
        found = pin.StdVec_Force()
        found.extend([pin.Force.Zero()] * state.robot._model.njoints)
        T = state.joint_placements[self.joints]
        f, m = self.wrenches[:, :3], self.wrenches[:, 3:]
        about = np.stack([f, m - cross(T[:, :, 3].T, f.T).T], axis=1) @ T[:, :, :3]
        for joint, (force, moment) in zip(self.joints.tolist(), about, strict=True):
            found[joint] += pin.Force(force, moment)
        return found


def local_wrenches(
    contacts: ContactSet, x: Array, epsilon: float, wrench_rows: Array | None = None
) -> Array:
    """Return the wrenches (C, 6) at the centres, contact axes, of x (n,) and ε along the normals.

    Args:
        contacts: whose.
        x: unknowns, as in `Balance`.
        epsilon: normal force of each contact that presses, besides [N].
        wrench_rows: of other limits than those of the contacts.
    """
    rows = contacts.limits.wrench_rows if wrench_rows is None else wrench_rows
    wrenches = np.asarray(rows @ x)
    wrenches[:, 2] += epsilon * contacts.limits.presses
    return wrenches


def balance_derivative(
    contacts: ContactSet,
    state: State,
    a: Array,
    wrenches: Array,
    external: Forces | None = None,
) -> Array:
    """Return ∂(h + Σ_c J_cᵀ w_c)/∂q (nv, nv).

    Args:
        contacts: of the robot.
        state: where, at which velocity.
        a: (nv,), the acceleration.
        wrenches: w_c (C, 6), at the centres, in contact axes.
        external: those of τ_ext, as `external_forces` has them.

    Raises:
        ModelError: a joint whose axes turn within its own body (no URDF has one).
    """
    loads = contact_forces(contacts, state, wrenches)
    if external is not None:
        loads = Forces(*(np.concatenate(pair) for pair in zip(loads, external, strict=True)))
    return derivative_of(state, a, loads)


def derivative_of(state: State, a: Array, loads: Forces) -> Array:
    """Return ∂(τ_g − M a − vᵀCv + Σ Jᵀw)/∂q (nv, nv) of forces on links."""
    robot = state.robot
    require_fixed_axes(robot)
    data, v = workspace_of(robot).data, state.velocity
    pin.computeRNEADerivatives(robot._model, data, state.q, v, a, loads.on_joints(state))
    change = -np.array(data.dtau_dq)
    for i in np.flatnonzero(loads.stays != TURNING):
        S = state.joint_columns * carried_by(robot)[loads.joints[i]]
        point, w = loads.points[i], loads.wrenches[i]
        u, omega, across = S[:3] - skew(point) @ S[3:], S[3:], skew(w[:3])
        change += (u.T @ across + omega.T @ skew(w[3:] - cross(point, w[:3]))) @ omega
        if loads.stays[i] == AT_PLACE:
            change += omega.T @ across @ u
    return change


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
    u, omega = (V.T.reshape(-1, 2, 3) @ at.rotations(state)).transpose(1, 2, 0)  # (3, C)
    f, m = wrenches[:, :3].T, wrenches[:, 3:].T
    shift = cross(f, omega)
    turn = cross(f, u) + cross(m, omega)
    turn -= at.radii * cross(np.array([[0.0], [0.0], [1.0]]), shift)
    return np.concatenate([shift, turn]).T


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
