"""Footing: what one contact brings to a controller's tick, in contact axes.

    J a + J̇v = −damping J v        F w ≤ 0,        lower ≤ w_n ≤ upper

J (dim, nv) and the wrench w (dim,) are those of the contact turned into its own axes (two tangents,
then the normal), where the cone's faces F are constant. The cone is an inner one: what it accepts,
Coulomb's friction at every vertex gives.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from ..contacts import Contact, ContactSet, FrictionCone, PointContact, WrenchCone, rectangle_faces
from ..contacts.surface_contact import PlacedContact
from ..errors import ContactError
from ..robots.robot import Robot
from .situation import Situation

Array = NDArray[np.float64]

FACING_UP = 0.3  # a contact whose normal is steeper carries no share of the weight
LINE_ROWS = [0, 1, 2, 4, 5]  # of [force; moment]: an edge along x has no moment about x
# which of [force; moment] a contact of so many rows transmits; a soft point turns about its normal
_PICKS = {3: [0, 1, 2], 4: [0, 1, 2, 5], 5: LINE_ROWS, 6: [0, 1, 2, 3, 4, 5]}


class Footing:
    """A contact made ready for many ticks.

    Attributes:
        contact, name, dim: the contact; its rows.
        faces: F (k, dim) of the inner cone, none if bilateral.
        spread: (dim, dim), wᵀ spread w is the least Σ ‖f_k‖² of forces at the vertices that give w.
        bounds: of the whole normal force [N], ∓inf for none.
    """

    def __init__(self, robot: Robot, contact: Contact, sides: int) -> None:
        self.robot, self.contact, self.name = robot, contact, contact.name
        self.dim = int(contact.dim)
        self.frame = robot.frame_id(contact.frame)
        self.faces = inner_faces(contact, sides)
        G = _grasp(contact)
        self.spread: Array = np.asarray(np.linalg.inv(G @ G.T), dtype=np.float64)
        self.bounds = _normal_bounds(contact)
        self._place(robot, contact)

    def _place(self, robot: Robot, contact: Contact) -> None:
        """Where it is: `at` in its joint, its axes where they do not turn with it, its rows."""
        frame = robot.model.frames[self.frame]
        self.joint, self.axes, self.down = int(frame.parentJoint), None, np.zeros(3)
        self.picks = np.array(_PICKS[self.dim], dtype=np.intp)
        self.placed = contact.surface is None
        if isinstance(contact, PlacedContact):
            centre = pin.SE3(np.eye(3), contact.centre)
            self.at = frame.placement * contact.placement * centre
        elif isinstance(contact, PointContact):
            self.at = frame.placement * pin.SE3(np.eye(3), np.array(contact.offset))
            self.axes = contact.pose(robot, robot.posture()).rotation  # its normal is the world's
            self.down = -float(contact.radius) * np.array(contact.normal)
        else:
            self.placed = False

    def rows(self, now: Situation) -> tuple[Array, Array, Array]:
        """Return J (dim, nv), J̇v (dim,) and J v (dim,), all in contact axes.

        A ball's lowest point, r below its centre o, turns with no body: a_o + α × r.
        """
        if not self.placed:
            return self._by_contact(now)
        here = (now.desk.model, now.data, self.joint, self.at, pin.LOCAL_WORLD_ALIGNED)
        J = np.array(pin.getFrameJacobian(*here))
        drift = np.array(pin.getFrameClassicalAcceleration(*here).vector)
        v = np.array(pin.getFrameVelocity(*here).vector)
        if self.down.any():
            J[:3] -= _skew(self.down) @ J[3:]
            drift[:3] += np.cross(drift[3:], self.down)
            v[:3] += np.cross(v[3:], self.down)
        R = now.data.oMi[self.joint].rotation @ self.at.rotation
        turn = np.kron(np.eye(2), R if self.axes is None else self.axes).T[self.picks]
        return turn @ J, turn @ drift, turn @ v

    def _by_contact(self, now: Situation) -> tuple[Array, Array, Array]:
        """As the contact itself says, in its order of rows, relative to the surface it is on."""
        turn, robot, q, v = self.turn(now.q).T, self.robot, now.q, now.v
        J = turn @ self.contact.jacobian(robot, q)
        ahead = self.contact.drift(robot, q, v) - self.contact.surface_acceleration(robot, q, v)
        return J, turn @ ahead, J @ v - turn @ self.contact.surface_velocity(robot, q)

    def up(self, q: Array) -> Array:
        """Return the world's vertical (3,) in contact axes."""
        return np.asarray(self.contact.pose(self.robot, q).rotation[2])

    def turn(self, q: Array) -> Array:
        """Return (dim, dim) that takes w from contact axes to the rows of the contact's J."""
        R = self.contact.pose(self.robot, q).rotation
        turn = np.eye(self.dim)
        turn[:3, :3] = R
        if self.dim == 6:
            turn[3:, 3:] = R
        return turn


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


def footings(contacts: ContactSet, sides: int) -> list[Footing]:
    """Return a footing of each contact, in order."""
    return [Footing(contacts.robot, contact, sides) for contact in contacts]


def world_axes(footings: list[Footing], q: Array, w: Array) -> Array:
    """Return the contact forces w (dim,), given in contact axes, in the rows of the set's J."""
    out, start = np.empty_like(w), 0
    for footing in footings:
        own = slice(start, start + footing.dim)
        out[own] = footing.turn(q) @ w[own]
        start += footing.dim
    return out


def _skew(r: Array) -> Array:
    return np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])
