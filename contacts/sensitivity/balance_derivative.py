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


class Force(NamedTuple):
    """A force and moment on a link.

    Attributes:
        joint: that carries the link, Pinocchio's index.
        point: (3,), where it acts now, world.
        force, moment: (3,), world axes, about the point.
        stays: TURNING: nothing, both turn with the link; AT_BODY: force and moment in the world, at
            a point of the link; AT_PLACE: the point stays in the world as well.
    """

    joint: int
    point: Array
    force: Array
    moment: Array
    stays: int


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
    external: Mapping[str, Wrench] | None = None,
) -> Array:
    """Return ∂(h + Σ_c J_cᵀ w_c)/∂q (nv, nv).

    Args:
        contacts: of the robot.
        state: where, at which velocity.
        a: (nv,), the acceleration.
        wrenches: w_c (C, 6), at the centres, in contact axes.
        external: {frame: Wrench} of τ_ext.

    Raises:
        ConfigurationError: a wrench in the axes of a third frame.
        ModelError: a joint whose axes turn within its own body (no URDF has one).
    """
    forces = contact_forces(contacts, state, wrenches) + external_forces(state, external or {})
    return derivative_of(state, a, forces)


def derivative_of(state: State, a: Array, forces: list[Force]) -> Array:
    """Return ∂(τ_g − M a − vᵀCv + Σ Jᵀw)/∂q (nv, nv) of forces on links."""
    robot, T = state.robot, state.joint_placements
    require_fixed_axes(robot)
    carried = pin.StdVec_Force()
    carried.extend([pin.Force.Zero()] * robot.model.njoints)
    for joint, point, force, moment, _ in forces:
        R, p = T[joint, :, :3], T[joint, :, 3]
        carried[joint] += pin.Force(force @ R, (moment + cross(point - p, force)) @ R)
    data = workspace_of(robot).data
    pin.computeRNEADerivatives(robot.model, data, state.q, state.velocity, a, carried)
    change = -np.array(data.dtau_dq)
    for joint, point, force, moment, stays in forces:
        if stays == TURNING:
            continue
        S = state.joint_columns * carried_by(robot)[joint]
        u, omega = S[:3] - skew(point) @ S[3:], S[3:]
        across = skew(force)
        change += (u.T @ across + omega.T @ skew(moment)) @ omega
        if stays == AT_PLACE:
            change += omega.T @ across @ u
    return change


def contact_forces(contacts: ContactSet, state: State, wrenches: Array) -> list[Force]:
    """Return the contacts' wrenches (C, 6), given in contact axes, as forces on links."""
    at, robot = contacts.attachment, state.robot
    R, p = at.rotations(state), at.positions(state)
    world = (R[:, None] @ wrenches.reshape(-1, 2, 3, 1))[..., 0]
    table, found = frames_of(robot), []
    for k, contact in enumerate(contacts):
        force, moment = world[k]
        joint = table.joint[robot.frame_id(contact.frame)]
        point, stays = p[k], TURNING
        if contact.axes_in_frame is None:  # of a ball, the middle is what stays with the link
            arm, stays = contact.ball_arm, AT_BODY
            point, moment = point - arm, moment + cross(arm, force)
        found.append(Force(joint, point, force, moment, stays))
    return found


def external_forces(state: State, external: Mapping[str, Wrench]) -> list[Force]:
    """Return external wrenches as forces on links."""
    robot, found = state.robot, []
    for frame, wrench in external.items():
        if wrench.axes not in ("world", "local", frame):
            raise ConfigurationError(
                f'wrenches[{frame!r}]: got axes {wrench.axes!r}; expected "world" or "local" here'
            )
        T = state.frame_placement(frame).homogeneous[:3]
        w, origin = world_wrench(wrench, T, T), T[:, 3]
        stays = AT_BODY if wrench.point is None else AT_PLACE
        stays = stays if wrench.axes == "world" else TURNING
        joint = frames_of(robot).joint[robot.frame_id(frame)]
        found.append(Force(joint, origin, w[:3], w[3:], stays))
    return found


def placement_slopes(contacts: ContactSet, state: State, wrenches: Array, y: Array) -> Array:
    """Return the slopes (C, 6) of yᵀ J_cᵀ w_c along twists of the contacts in their axes.

    With u and ω, the velocities of its centre and of its link in the motion y:

        translation  f × ω          (ω·(δp × f))
        rotation     f × u + m × ω  (u·(δθ × f) + ω·(δθ × m))

    A ball is touched elsewhere when its ground turns: δp = −ρ δθ × n more.
    """
    at = contacts.attachment
    R = at.rotations(state)
    twists = (at.centre_jacobians(state) @ y).reshape(-1, 2, 3)
    u, omega = np.moveaxis(twists @ R, 1, 0)  # in contact axes
    f, m = wrenches[:, :3], wrenches[:, 3:]
    shift = np.cross(f, omega)
    turn = np.cross(f, u) + np.cross(m, omega)
    for k, contact in enumerate(contacts):
        if isinstance(contact, PointContact) and contact.radius:
            turn[k] -= contact.radius * np.cross([0.0, 0.0, 1.0], shift[k])
    return np.hstack([shift, turn])


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
