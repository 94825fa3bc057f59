"""Footing: what one contact brings to a controller's tick, in contact axes.

    J a + J̇v = −damping J v        F w ≤ 0,        lower ≤ w_n ≤ upper

J (dim, nv) and the wrench w (dim,) are those of the contact turned into its own axes (two tangents,
then the normal), where the cone's faces F are constant. The cone is an inner one: what it accepts,
Coulomb's friction at every vertex gives.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from ..contacts import Contact, ContactSet, FrictionCone, PointContact, WrenchCone, rectangle_faces
from ..contacts.surface_contact import PlacedContact
from ..errors import ContactError
from ..robots.robot import Robot
from .situation import Situation

Array = NDArray[np.float64]

LINE_ROWS = [0, 1, 2, 4, 5]  # of [force; moment]: an edge along x has no moment about x


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
        place = robot.model.frames[self.frame]
        self._joint = int(place.parentJoint)
        self._patch = isinstance(contact, PlacedContact) and self.dim == 6
        self._point = isinstance(contact, PointContact) and self.dim == 3
        if contact.surface is not None:
            self._patch = self._point = False
        if self._patch:
            centre = pin.SE3(np.eye(3), contact.centre)  # type: ignore[attr-defined]
            self._at = place.placement * contact.placement * centre  # type: ignore[attr-defined]
        elif isinstance(contact, PointContact):
            self._axes = contact.pose(robot, robot.posture()).rotation  # its normal is the world's
            self._upright = bool(np.allclose(self._axes, np.eye(3), atol=1e-12))
            self._at = place.placement * pin.SE3(np.eye(3), np.array(contact.offset))
            self._down = -float(contact.radius) * np.array(contact.normal)

    def rows(self, now: Situation) -> tuple[Array, Array, Array]:
        """Return J (dim, nv), J̇v (dim,) and J v (dim,), all in contact axes."""
        if self._patch:
            return self._at_place(now, pin.LOCAL)
        return self._of_point(now) if self._point else self._by_contact(now)

    def _at_place(self, now: Situation, axes: Any) -> tuple[Array, Array, Array]:
        """The six rows of the placed frame, by Pinocchio."""
        here = (now.desk.model, now.data, self._joint, self._at, axes)
        return (
            pin.getFrameJacobian(*here),
            pin.getFrameClassicalAcceleration(*here).vector,
            pin.getFrameVelocity(*here).vector,
        )

    def _of_point(self, now: Situation) -> tuple[Array, Array, Array]:
        """A ball's lowest point, r below its centre o, turns with no body: a_o + α × r."""
        J, drift, v = self._at_place(now, pin.LOCAL_WORLD_ALIGNED)
        point, drift_p, v_p, r = J[:3], drift[:3], v[:3], self._down
        if r.any():
            point = point - _skew(r) @ J[3:]
            drift_p, v_p = drift_p + _cross(drift[3:], r), v_p + _cross(v[3:], r)
        if self._upright:
            return point, drift_p, v_p
        turn = self._axes.T
        return turn @ point, turn @ drift_p, turn @ v_p

    def _by_contact(self, now: Situation) -> tuple[Array, Array, Array]:
        """As the contact itself says, in its order of rows; slower."""
        turn = self.turn(now.q).T
        J = turn @ self.contact.jacobian(self.robot, now.q)
        return J, turn @ self.contact.drift(self.robot, now.q, now.v), J @ now.v

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


def _cross(a: Array, b: Array) -> Array:
    """a × b of two vectors, without np.cross's ten microseconds."""
    return np.array(
        [
            a[1] * b[2] - a[2] * b[1],
            a[2] * b[0] - a[0] * b[2],
            a[0] * b[1] - a[1] * b[0],
        ]
    )


def _skew(r: Array) -> Array:
    return np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])
