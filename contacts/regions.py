"""Regions of the plane: where the centre of mass may be."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike, NDArray

from .. import dynamics
from ..errors import ContactError
from ..robots import Robot
from . import polygon
from .contact import Contact
from .contact_set import ContactSet
from .equilibrium import Equilibrium, weight
from .planar import inner_and_outer

Array = NDArray[np.float64]

_FAR = 1e3  # [m], where an unbounded region is cut off


@dataclass(frozen=True, eq=False)
class Region:
    """A convex region of the plane between an inner and an outer polygon.

    Attributes:
        vertices: (k, 2), corners of a polygon inside the region, counter-clockwise [m]; two for a
            region without area, none when it is empty.
        outer: (m, 2), corners of a polygon around it.
        status: "bounded", "flat" (no area), "empty", or "unbounded" (cut off at 1 km).
    """

    vertices: Array
    outer: Array
    status: str

    @property
    def area(self) -> float:
        """Area of the inner polygon [m²]."""
        return polygon.area(self.vertices)

    def distance(self, point: ArrayLike) -> float:
        """Return the distance of (x, y) to the inner polygon's boundary [m]; negative inside."""
        return polygon.signed_distance(self.vertices, np.asarray(point, dtype=float)[:2])

    def contains(self, point: ArrayLike, tolerance: float = 1e-9) -> bool:
        """Whether (x, y) lies within `tolerance` [m] of the inner polygon."""
        return self.distance(point) <= tolerance


def static_equilibrium_polygon(
    robot: Robot,
    q: ArrayLike,
    contacts: ContactSet | Contact | Iterable[Contact],
    tolerance: float = 1e-3,
) -> Region:
    """Return where the centre of mass may be, seen from above, for the contacts to hold the robot.

    The horizontal projections (x, y) of all centres of mass c with

        Σ_k f_k + m g = 0,      Σ_k p_k × f_k + c × m g = 0,      f_k ∈ K_k (exact cones).

    The contacts stay where they are at q; torque limits are not asked. The mass does not matter.

    Args:
        robot: whose contacts.
        q: configuration (nq,), for the places of the contacts.
        contacts: a ContactSet of this robot, or any contacts.
        tolerance: largest gap between inner and outer polygon [m].

    Source: T. Bretl, S. Lall, "Testing static equilibrium for legged robots" (2008).
    """
    if not (np.isfinite(tolerance) and tolerance > 0):
        raise ContactError(f"tolerance: got {tolerance}, expected a positive length [m]")
    balance, columns = _body_balance(ContactSet.of(robot, contacts), q)
    inner, outer = inner_and_outer(balance.planar_set(columns, reach=_FAR), tolerance)
    return Region(inner, outer, _status(inner))


def _body_balance(contacts: ContactSet, q: ArrayLike) -> tuple[Equilibrium, Array]:
    """Newton-Euler of the whole robot about the origin, and what 1 m of c_x, c_y does to it.

    c × m g is linear in c: the load is that of the centre of mass at (0, 0, c_z).
    """
    robot = contacts.robot
    gravity = robot.mass * np.asarray(robot.model.gravity.linear)
    height = np.array([0.0, 0.0, dynamics.com(robot, q)[2]])
    grasp, friction, bilateral, owner = [np.zeros((6, 0))], [], [], []
    for i, contact in enumerate(contacts):
        axes = contact.pose(robot, q).rotation
        for p in contact.world_points(robot, q):
            grasp.append(np.vstack([axes, pin.skew(p) @ axes]))
            friction.append(contact.friction)
            bilateral.append(contact.bilateral)
            owner.append(i)
    stacked = np.hstack(grasp)
    balance = Equilibrium(
        load=np.concatenate([gravity, np.cross(height, gravity)]),
        grasp=stacked,
        central=stacked,
        friction=np.array(friction, dtype=float),
        bilateral=np.array(bilateral, dtype=bool),
        actuated=np.zeros(0, dtype=np.intp),
        limits=np.zeros(0),
        weight=weight(robot),
        owner=np.array(owner, dtype=np.intp),
    )
    columns = np.zeros((6, 2))
    columns[3:] = np.column_stack([np.cross(axis, gravity) for axis in np.eye(3)[:2]])
    return balance, columns


def _status(inner: Array) -> str:
    if len(inner) == 0:
        return "empty"
    if np.abs(inner).max() > 0.99 * _FAR:
        return "unbounded"
    return "bounded" if len(inner) >= 3 else "flat"
