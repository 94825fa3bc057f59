"""Contact models: the constraints of one contact in a whole-body program, in contact axes.

    J a + J̇v = −damping J v        F w ≤ 0,        lower ≤ w_n ≤ upper

J (dim, nv) and the wrench w (dim,) are those of the contact in its own axes (two tangents, then the
normal), where the faces F of the cone are constant. F is an inner approximation: whatever it
accepts, Coulomb friction at the vertices can provide.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from ..contacts import Contact
from ..contacts.cones.inner_faces import inner_faces
from ..contacts.limits import ContactLimits
from ..dynamics import State
from ..robots.robot import Robot

Array = NDArray[np.float64]
Index = NDArray[np.intp]

FACING_UP = 0.3  # least vertical component of the normal of a contact that bears weight


class ContactModel:
    """The part of a contact's constraints that does not depend on the state.

    Attributes:
        contact, name, dim: the contact; its number of rows.
        faces: F (k, dim) of the inner cone, none if bilateral.
        wrench_rows: (dim,), which of [force; moment] it transmits.
        metric: (dim, dim), wᵀ metric w is the least Σ ‖f_k‖² over forces at the vertices that
            produce w.
        bounds: of the whole normal force [N], ∓inf for none.
        joint, placement: T_joint_contact, of contacts that are fixed to a link and on a surface at
            rest (`rigid`).
        axes: (3, 3), contact axes in the world where they do not rotate with the link, else None.
        offset: (3,), from the placement's origin to the lowest point of a ball, world axes [m].
    """

    def __init__(self, robot: Robot, contact: Contact, sides: int) -> None:
        self.robot, self.contact, self.name = robot, contact, contact.name
        self.dim = int(contact.dim)
        self.frame = robot.frame_id(contact.frame)
        limits = ContactLimits.of([contact])
        self.faces, self.wrench_rows = inner_faces(contact, sides), limits.components(0)
        self.metric, self.bounds = _metric(limits, self.wrench_rows), _normal_bounds(limits)
        self._place(robot, contact)

    def _place(self, robot: Robot, contact: Contact) -> None:
        frame = robot.model.frames[self.frame]
        self.joint, self.rigid = int(frame.parentJoint), contact.surface is None
        self.axes, self.offset = contact.axes_in_world, contact.ball_arm
        turn = np.eye(3) if contact.axes_in_frame is None else contact.axes_in_frame
        self.placement = frame.placement * pin.SE3(turn, np.array(contact.centre_in_frame))

    def constraint(self, state: State, damping: float) -> tuple[Array, Array]:
        """Return J (dim, nv) and k (dim,) of J a = k, in contact axes.

        k = s̈ − J̇v − damping (J v − ṡ), where s is the motion of the surface.
        """
        robot, q, v = self.robot, state.q, state.velocity
        Rt = self.rotation(q).T
        J = Rt @ self.contact.jacobian(robot, q)
        slip = J @ v - Rt @ self.contact.surface_velocity(robot, q)
        drift = self.contact.drift(robot, q, v) - self.contact.surface_acceleration(robot, q, v)
        return J, -Rt @ drift - damping * slip

    def up(self, q: Array) -> Array:
        """Return the world's vertical (3,) in contact axes."""
        return np.asarray(self.contact.pose(self.robot, q).rotation[2])

    def rotation(self, q: Array) -> Array:
        """Return (dim, dim), which takes w from contact axes to the rows of the contact's J."""
        rotation = np.eye(self.dim)
        R = self.contact.pose(self.robot, q).rotation
        rotation[:3, :3] = R
        if self.dim == 6:
            rotation[3:, 3:] = R
        return rotation


def _metric(limits: ContactLimits, rows: Index) -> Array:
    """(G Gᵀ)⁻¹, G (dim, n) from forces at the points, and moments of soft points, to w."""
    G = limits.wrench_rows[0][rows]
    G[:, 3 * limits.point_count :] /= limits.torsion[limits.soft]
    return np.asarray(np.linalg.inv(G @ G.T))


def _normal_bounds(limits: ContactLimits) -> tuple[float, float]:
    low = limits.lower[0] if limits.bilateral[0] else max(limits.lower[0], 0.0)
    return float(low), float(limits.upper[0])


def world_axes(models: Sequence[ContactModel], q: Array, w: Array) -> Array:
    """Return the contact forces w (dim,), given in contact axes, in the rows of the set's J."""
    out, start = np.empty_like(w), 0
    for model in models:
        own = slice(start, start + model.dim)
        out[own] = model.rotation(q) @ w[own]
        start += model.dim
    return out
