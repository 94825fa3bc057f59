"""Contact models: the constraints of one contact in a whole-body program, in contact axes.

    J a + J̇v = −damping J v        F w ≤ 0,        lower ≤ w_n ≤ upper

J (dim, nv) and the wrench w (dim,) are those of the contact in its own axes (two tangents, then the
normal), where the faces F of the cone are constant. F is an inner approximation: whatever it
accepts, Coulomb friction at the vertices can provide. Moments of forces at points that are nearer
to the centre by a share σ are smaller by σ, so that the faces of a patch that is smaller by it are
those of the whole patch for (f, m/σ).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import fields
from typing import Any

import numpy as np
import pinocchio as pin

from ...arrays import Array
from ...contacts import Contact, PointContact
from ...contacts.attachment import placement_on_joint
from ...contacts.limits import ContactLimits
from ...contacts.wrench_cones.wrench_cone import inner_faces
from ...dynamics import State
from ...robots.robot import Robot
from ...robots.unchecked import unchecked

FACING_UP = 0.3  # least vertical component of the normal of a contact that bears weight


def layout(contact: Contact) -> Hashable:
    """Return all that the model of a contact depends on but for the directions of its axes."""
    own = vars(contact)  # it is kept beside the fields, which do not change
    found: Hashable = own.get("_layout")
    if found is None:
        found = own["_layout"] = _described(contact, ("normal", "tangent"))
    return found


def _described(contact: Contact, without: tuple[str, ...]) -> Hashable:
    names = [f.name for f in fields(contact) if f.name not in without]
    return type(contact), *[_value(getattr(contact, name)) for name in names]


def facing(contact: PointContact, normal: Array) -> PointContact:
    """Return the contact on ground of another unit normal (3,), of the same layout; unchecked."""
    return unchecked(type(contact), **(vars(contact) | {"normal": np.array(normal)}))


def _value(x: Any) -> Hashable:
    if isinstance(x, pin.SE3):
        x = x.homogeneous
    return (x.shape, x.tobytes()) if isinstance(x, np.ndarray) else x


class ContactModel:
    """The part of a contact's constraints that does not depend on the state.

    Attributes:
        contact, name, dim: the contact; its number of rows.
        wrench_rows: (dim,), those of [force; moment] in contact axes that w consists of.
        faces: F (k, dim) of the inner cone of the share of a patch about its centre, none if
            bilateral.
        metric: (dim, dim), wᵀ metric w is the least Σ ‖f_k‖² (+ m²) over forces at the points, and
            moments of soft ones, that produce w.
        bounds: of the whole normal force [N], ∓inf for none.
        joint, placement: T_joint_contact, of contacts on a surface at rest (`rigid`).
        axes: (3, 3), contact axes in the world where they do not rotate with the link, else None.
        offset: (3,), from the placement's origin to the lowest point of a ball, world axes [m].
        layout: contacts of one layout differ in `axes` and `offset` alone.
        shape: contacts of one shape differ in `faces` too, which are as many.
    """

    def __init__(self, robot: Robot, contact: Contact, sides: int, sole_share: float = 1.0) -> None:
        self.robot, self.contact, self.name = robot, contact, contact.name
        self.layout = layout(contact)
        self.dim, self.rigid = int(contact.dim), contact.surface is None
        limits = ContactLimits.of([contact])
        self.wrench_rows = limits.components(0)
        self.faces = inner_faces(contact, sides)
        if len(contact.points) > 1:
            self.faces = self.faces / np.where(self.wrench_rows < 3, 1.0, sole_share)
        same = _described(contact, ("normal", "tangent", "friction"))
        self.shape: Hashable = same, self.faces.shape
        G = limits.wrench_rows[0][self.wrench_rows]
        G[:, 3 * limits.point_count :] /= limits.torsion[limits.soft]  # m/γ of soft points to m
        self.metric: Array = np.asarray(np.linalg.inv(G @ G.T), dtype=np.float64)
        low, high = float(limits.lower[0]), float(limits.upper[0])
        self.bounds = (low if limits.bilateral[0] else max(low, 0.0), high)
        self.joint, self.placement = placement_on_joint(robot, contact)
        self.axes, self.offset = contact.axes_in_world, contact.ball_arm

    def of(self, contact: Contact) -> ContactModel:
        """Return the model of a contact of the same layout."""
        if contact is self.contact:
            return self
        own = {"contact": contact, "axes": contact.axes_in_world, "offset": contact.ball_arm}
        return unchecked(ContactModel, **(vars(self) | own))

    def constraint(self, state: State, damping: float) -> tuple[Array, Array]:
        """Return J (dim, nv) and k (dim,) of J a = k, in contact axes.

        k = s̈ − J̇v − damping (J v − ṡ), where s is the motion of the surface.
        """
        contact, Rt = self.contact, self.rotation(state).T
        J = contact.jacobian(state)
        slip = J @ state.velocity - contact.surface_velocity(state)
        drift = contact.drift(state) - contact.surface_acceleration(state)
        return Rt @ J, Rt @ (-drift - damping * slip)

    def up(self, state: State) -> Array:
        """Return the world's vertical (3,) in contact axes."""
        return np.asarray(self.contact.pose(state).rotation[2])

    def rotation(self, state: State) -> Array:
        """Return (dim, dim), which takes w from contact axes to the rows of the contact's J."""
        rotation, R = np.eye(self.dim), self.contact.pose(state).rotation
        rotation[:3, :3] = R
        if self.dim == 6:  # else the rows of ω are along contact axes
            rotation[3:, 3:] = R
        return rotation


def world_axes(models: Sequence[ContactModel], state: State, w: Array) -> Array:
    """Return the contact forces w (dim,), given in contact axes, in the rows of the set's J."""
    out, start = np.empty_like(w), 0
    for model in models:
        own = slice(start, start + model.dim)
        out[own] = model.rotation(state) @ w[own]
        start += model.dim
    return out
