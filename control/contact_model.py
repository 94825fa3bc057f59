"""Contact models: the constraints of one contact in a whole-body program, in contact axes.

    J a + J̇v = −damping J v        F w ≤ 0,        lower ≤ w_n ≤ upper

J (dim, nv) and the wrench w (dim,) are those of the contact in its own axes (two tangents, then the
normal), where the faces F of the cone are constant. F is an inner approximation: whatever it
accepts, Coulomb friction at the vertices can provide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from ..contacts import Contact, FrictionCone, PointContact, WrenchCone, rectangle_faces
from ..contacts.surface_contact import PlacedContact
from ..dynamics import State
from ..errors import ContactError
from ..robots.robot import Robot

Array = NDArray[np.float64]

FACING_UP = 0.3  # least vertical component of the normal of a contact that bears weight
LINE_ROWS = [0, 1, 2, 4, 5]  # of [force; moment]: an edge along x has no moment about x
# which of [force; moment] a contact with so many rows transmits; a soft point: about its normal
_WRENCH_ROWS = {3: [0, 1, 2], 4: [0, 1, 2, 5], 5: LINE_ROWS, 6: [0, 1, 2, 3, 4, 5]}


class ContactModel:
    """The part of a contact's constraints that does not depend on the state.

    Attributes:
        contact, name, dim: the contact; its number of rows.
        faces: F (k, dim) of the inner cone, none if bilateral.
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
        self.faces = inner_faces(contact, sides)
        G = _grasp(contact)
        self.metric: Array = np.asarray(np.linalg.inv(G @ G.T), dtype=np.float64)
        self.bounds = _normal_bounds(contact)
        self._place(robot, contact)

    def _place(self, robot: Robot, contact: Contact) -> None:
        frame = robot.model.frames[self.frame]
        self.joint, self.axes, self.offset = int(frame.parentJoint), None, np.zeros(3)
        self.wrench_rows = np.array(_WRENCH_ROWS[self.dim], dtype=np.intp)
        self.rigid = contact.surface is None
        if isinstance(contact, PlacedContact):
            centre = pin.SE3(np.eye(3), contact.centre)
            self.placement = frame.placement * contact.placement * centre
        elif isinstance(contact, PointContact):
            self.placement = frame.placement * pin.SE3(np.eye(3), np.array(contact.offset))
            self.axes = contact.pose(robot, robot.posture()).rotation  # its normal is the world's
            self.offset = -float(contact.radius) * np.array(contact.normal)
        else:
            self.rigid = False

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


def inner_faces(contact: Contact, sides: int) -> Array:
    """Return F (k, dim), an inner cone {w : F w ≤ 0} of what the contact can transmit.

    Torsional friction γ adds |w_m| ≤ γ w_n to a patch; a soft point shares one cone,
    |f_x|/μ + |f_y|/μ + |m|/γ ≤ f_n.

    Raises:
        ContactError: fewer than three sides.
    """
    if int(sides) != sides or sides < 3:
        raise ContactError(f"sides: got {sides!r}, expected an integer of at least 3")
    dim, gamma = int(contact.dim), float(contact.torsion)
    if contact.bilateral:
        return np.zeros((0, dim))
    if dim == 3:
        faces = FrictionCone(contact.friction).faces(sides, "inner")
        return faces[:-1] if contact.friction > 0 else faces  # the sides add up to w_n ≥ 0
    if dim == 4:
        return _soft_faces(contact.friction, gamma)
    faces = _patch_faces(contact, sides)
    if np.isfinite(gamma):
        twist = np.array([[0, 0, -gamma, 0, 0, 1.0], [0, 0, -gamma, 0, 0, -1.0]])
        faces = np.vstack([faces, twist])
    faces = faces if dim == 6 else faces[:, LINE_ROWS]
    return np.asarray(faces[np.abs(faces).max(axis=1) > 1e-9])


def _patch_faces(contact: Contact, sides: int) -> Array:
    """For a rectangle and four sides the closed form: half as many as by the convex hull."""
    half = np.abs(contact.points[:, :2])
    if sides == 4 and contact.dim == 6 and len(half) == 4 and np.ptp(half, axis=0).max() < 1e-9:
        return rectangle_faces(float(half[0, 0]), float(half[0, 1]), contact.friction / np.sqrt(2))
    unbounded = replace(contact, min_normal=None, max_normal=None)
    return WrenchCone(unbounded, "inner", sides).faces


def _soft_faces(friction: float, gamma: float) -> Array:
    signs = np.array(np.meshgrid([1, -1], [1, -1], [1, -1])).reshape(3, -1).T.astype(float)
    x, y, m = signs.T
    one = np.full(8, -1.0)
    with np.errstate(divide="raise"):
        return np.column_stack([x / friction, y / friction, one, m / gamma])


def _grasp(contact: Contact) -> Array:
    """G (dim, 3k) in contact axes, from forces at the points to the rows."""
    if contact.dim in (3, 4):
        return np.eye(int(contact.dim))
    G = np.hstack([np.vstack([np.eye(3), pin.skew(p)]) for p in contact.points])
    return G if contact.dim == 6 else G[LINE_ROWS]


def _normal_bounds(contact: Contact) -> tuple[float, float]:
    low, high = contact.normal_bounds
    if contact.bilateral:
        return float(low), float(high)
    return max(float(low), 0.0), float(high)


def world_axes(models: Sequence[ContactModel], q: Array, w: Array) -> Array:
    """Return the contact forces w (dim,), given in contact axes, in the rows of the set's J."""
    out, start = np.empty_like(w), 0
    for model in models:
        own = slice(start, start + model.dim)
        out[own] = model.rotation(q) @ w[own]
        start += model.dim
    return out
