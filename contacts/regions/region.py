"""Regions: where the centre of mass, or the ZMP, may be; how the centre of mass may accelerate.

All are answers of one program, how far in a direction, under exact friction cones; polygons close
between an inner and an outer one. Those that ask only for contacts and a centre of mass also take
`PointForces.at(points, normals, friction)`, points of the world without a robot.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ... import registry
from ...arrays import Array
from ...dynamics import State, Wrench
from ...dynamics.closures import require_no_ties
from ...dynamics.link_forces import external_forces
from ...errors import ContactError, counted
from ...options import names_checked
from ...robots import Robot
from ...robots.configuration import check_floating, check_reach
from ...robots.values import array, instance, number, one_of, vector, whole_number
from ..contact_set import Contacts, ContactSet
from ..equilibrium.balance import down, weight
from ..equilibrium.programs import Equilibrium
from ..geometry import polygon
from ..geometry.planar import inner_and_outer
from ..kernels.compiled import VERDICTS
from ..limits import Kind
from ..point_forces import PointForces
from ..torque_limits import TorqueLimits, torque_bounds_of
from ..wrench_cones.wrench_cone import WrenchCone
from .linear_polygon import linear_polygon, static_section
from .rays import RAYS, Rays

_EYE = np.eye(6)
_FAR = 1e3  # [m], where an unbounded region is cut off


@dataclass(frozen=True, eq=False)
class Region:
    """A convex region of the plane between an inner and an outer polygon.

    Attributes:
        vertices: (k, 2), corners of a polygon inside the region, counter-clockwise; two for a
            region without area, none when it is empty [m, or m/s² for accelerations].
        outer: (m, 2), corners of a polygon around it.
        status: "bounded", "flat" (no area), "empty", or "unbounded" (cut off 1,000 away).
    """

    vertices: Array
    outer: Array
    status: str

    _repr_html_ = registry.html_of

    def __repr__(self) -> str:
        corners = counted(len(self.vertices), "vertex", "vertices")
        return f"Region({self.status!r}, {corners}, area {self.area:.4g})"

    @property
    def area(self) -> float:
        """Area of the inner polygon."""
        return polygon.area(self.vertices)

    def distance(self, point: ArrayLike) -> float:
        """Return the distance of (x, y) to the inner polygon's boundary; negative inside."""
        p = array(point, "point", (2,), (3,), meaning="(x, y) in the region", error=ContactError)
        return polygon.signed_distance(self.vertices, p[:2])

    def contains(self, point: ArrayLike, tolerance: float = 1e-9) -> bool:
        """Whether (x, y) lies within `tolerance` of the inner polygon."""
        return self.distance(point) <= number(tolerance, "tolerance", error=ContactError)


@names_checked
def static_equilibrium_polygon(
    robot: Robot,
    q: ArrayLike | State,
    contacts: Contacts,
    tolerance: float = 1e-3,
    kind: Kind = "exact",
    sides: int = 8,
    wrenches: Mapping[str, Wrench] | None = None,
) -> Region:
    """Return where the centre of mass may be, seen from above, for the contacts to hold the robot.

    The horizontal projections (x, y) of all centres of mass c with

        Σ_k f_k + m g + f = 0,    Σ_k p_k × f_k + c × m g + m_0 = 0,    f_k ∈ K_k (exact cones).

    The contacts stay where they are at q, and so does what acts besides, f and its moment m_0 about
    the world's origin; torque limits are not asked. Without loads the mass does not matter; the
    height of c does where gravity is not vertical, and is that of the robot's at q.

    Args:
        robot: whose contacts.
        q: configuration (nq,), or a State of this robot, for the places of the contacts.
        contacts: a ContactSet of this robot, or any contacts.
        tolerance: largest gap between inner and outer polygon, for exact cones [m].
        kind: "exact"; or "inner", "outer" for pyramids inside or around the cones: then all corners
            of that polygon at once, `vertices` and `outer` alike.
        sides: of the pyramids, at least 3.
        wrenches: external ones, as for `static_hold`.

    Raises:
        ModelError: closures that tie the robot to the world.

    Source: T. Bretl, S. Lall, "Testing static equilibrium for legged robots" (2008).
    """
    contact_set, gravity = ContactSet.of(robot, contacts), down(robot)
    require_no_ties(robot, "static_equilibrium_polygon")
    state = State.of(robot, q)
    points = PointForces.of(contact_set, state).in_units(weight(robot))
    height = 0.0 if gravity[2] == -1.0 else float(state.com[2])
    loads = external_forces(state, wrenches)
    load = None if loads is None else loads.wrenches.sum(axis=0) / weight(robot)
    return equilibrium_polygon(
        points, tolerance, kind, sides, gravity=gravity, height=height, load=load
    )


@names_checked
def equilibrium_polygon(
    forces: PointForces,
    tolerance: float = 1e-3,
    kind: Kind = "exact",
    sides: int = 8,
    *,
    gravity: ArrayLike = (0.0, 0.0, -1.0),
    height: float = 0.0,
    load: ArrayLike | None = None,
) -> Region:
    """Return the static-equilibrium polygon of points of the world: see the function above.

    Args:
        forces, tolerance, kind, sides: as above.
        gravity: g/‖g‖ (3,), zero for none.
        height: of c [m].
        load: what acts besides (6,), about the world's origin, in units of the weight.

    Raises:
        ContactError: of linear cones, a gravity that does not point down.
    """
    instance(forces, "forces", PointForces, error=ContactError)
    g = vector(gravity, "gravity", error=ContactError)
    z = number(height, "height", unit="[m]", error=ContactError)
    one_of(kind, "kind", ("exact", "inner", "outer"), error=ContactError)
    sides = whole_number(sides, "sides", at_least=3, error=ContactError)
    middle = forces.points.mean(axis=0) if len(forces.points) else np.zeros(3)
    other = np.zeros(6) if load is None else array(load, "load", (6,), error=ContactError).copy()
    other[3:] -= np.cross(middle, other[:3])
    if kind != "exact":
        return _linear_region(forces, g, z, kind, sides, other)
    constant, columns = at_com(g, z - middle[2])
    return _body_region(forces.about(middle), constant + other, columns, tolerance, middle[:2])


def at_com(force: Array, height: float) -> tuple[Array, Array]:
    """Return h (6,), C (6, 2) of a force (3,) at c = (x, y, height): h + C (x, y) = [f; c × f]."""
    turns = np.cross(np.eye(3), force)
    return np.append(force, height * turns[2]), np.vstack([np.zeros((3, 2)), turns[:2].T])


@names_checked
def zmp_support_area(
    robot: Robot,
    q: ArrayLike | State,
    contacts: Contacts,
    height: float = 0.0,
    com: ArrayLike | None = None,
    tolerance: float = 1e-3,
) -> Region:
    """Return where the ZMP in the plane at `height` may be, the robot moving as a linear pendulum.

    With c̈_z = 0 and no angular momentum about the centre of mass, the contacts push it along
    Σ f_k = m ‖g_z‖ (c − z)/(c_z − h), away from the ZMP z in the plane; the area is that of all z
    for which contact forces f_k ∈ K_k (exact cones) give this acceleration.

    Args:
        robot, q, contacts, tolerance: as for `static_equilibrium_polygon`.
        height: h of the plane, not that of the centre of mass [m].
        com: c (3,), the robot's at q by default [m].

    Source: S. Caron, Q.-C. Pham, Y. Nakamura, "ZMP support areas for multi-contact mobility under
    frictional constraints" (2017).

    Raises:
        ContactError: gravity does not point down.
        ModelError: closures that tie the robot to the world.
    """
    state = State.of(robot, q)
    require_no_ties(robot, "zmp_support_area")
    c = state.com if com is None else vector(com, "com", error=ContactError)
    unit = -weight(robot) * float(down(robot)[2])  # Σ f_z when c̈_z = 0
    if not unit > 0:
        raise ContactError(
            f"gravity of {robot.name!r}: got {robot._model.gravity.linear.tolist()} m/s², expected "
            "one that points down: without it there is no zero-moment point"
        )
    points = PointForces.of(ContactSet.of(robot, contacts), state).in_units(unit)
    return zmp_area(points, c, height, tolerance)


@names_checked
def zmp_area(
    forces: PointForces, com: ArrayLike, height: float = 0.0, tolerance: float = 1e-3
) -> Region:
    """Return the ZMP support area of points of the world: see the function above."""
    instance(forces, "forces", PointForces, error=ContactError)
    c = vector(com, "com", error=ContactError)
    if abs(c[2] - number(height, "height", unit="[m]", error=ContactError)) < 1e-6:
        raise ContactError(f"height: got {height}, expected one apart from the centre's {c[2]} [m]")
    pull = 1.0 / (c[2] - height)  # per unit of weight
    return _body_region(forces.about(c), -_EYE[2], pull * np.eye(6, 2), tolerance, c[:2])


@names_checked
def feasible_region(
    robot: Robot,
    q: ArrayLike | State,
    contacts: Contacts,
    wrenches: Mapping[str, Wrench] | None = None,
    torque_limits: TorqueLimits = True,
    tolerance: float = 1e-3,
) -> Region:
    """Return where the centre of mass may be for contacts and joint torques to hold the robot.

    The static-equilibrium polygon with |τ| ≤ limits: the whole of Sᵀτ + Jᵀf + τ_g + τ_ext = 0 with
    the Jacobians of q, the weight being moved sideways by the couple (c − c(q)) × m g on the base,
    as if payload shifted inside it. Closures hold, J_cᵀλ joins the equations.

    Args:
        wrenches, torque_limits: as for `static_hold`; the others as above.

    Raises:
        ContactError: a fixed base, on which any centre of mass is held.
        ConfigurationError: a q in which closures are open.

    Source: R. Orsolino et al., "Feasible region" (IEEE TRO 2020).
    """
    contact_set = ContactSet.of(robot, contacts)
    check_floating(robot, error=ContactError)
    zero = np.zeros(robot.nv)
    limits, state = torque_bounds_of(robot, torque_limits), State.of(robot, q, zero)
    check_reach(robot, state.q)
    h = -state.inverse_dynamics(zero, wrenches)
    balance = Equilibrium.of(contact_set, state, h, limits)
    R = pin.Quaternion(np.array(state.q)[3:7]).matrix()
    newtons = robot.mass * np.asarray(robot._model.gravity.linear)
    columns = np.zeros((robot.nv, 2))
    columns[3:6] = R.T @ np.column_stack([np.cross(axis, newtons) for axis in np.eye(3)[:2]])
    _check_length(tolerance)
    rays = Rays.of_balance(balance, columns)
    (found,) = [None] if rays is None else rays.regions(tolerance)
    inner, outer = found or inner_and_outer(balance.planar_set(columns, _FAR), tolerance)
    c = state.com[:2]
    return Region(inner + c, outer + c, region_status(inner))


@dataclass(frozen=True, eq=False, repr=False)
class AccelerationCone:
    """The accelerations c̈ of the centre of mass that contacts can give, without turning the robot.

    c̈ = g + (1/m) Σ f_k with Σ (p_k − c) × f_k = 0, f_k ∈ K_k: a cone with its apex at g.

    Attributes:
        apex: g (3,) [m/s²].
        forces: the contact points seen from the centre of mass.
    """

    apex: Array
    forces: PointForces

    def __repr__(self) -> str:
        """The apex, and how many points push."""
        apex = ", ".join(f"{x:.4g}" for x in self.apex)
        return f"AccelerationCone(apex [{apex}], {self.forces!r})"

    def contains(self, acceleration: ArrayLike, tolerance: float = 1e-7) -> bool:
        """Whether the contacts can give c̈ (3,) [m/s²], exactly."""
        push = vector(acceleration, "acceleration", error=ContactError) - self.apex
        return bool(WrenchCone.of(self.forces).contains(np.append(push, np.zeros(3)), tolerance))

    def faces(self, kind: Kind = "inner", sides: int = 8) -> tuple[Array, Array]:
        """Return A (m, 3), b (m,) of the linear cone {c̈ : A c̈ ≤ b} with n-sided pyramids."""
        A = WrenchCone.of(self.forces, kind, sides).faces[:, :3]
        A = A[np.linalg.norm(A, axis=1) > 1e-9]
        return A, A @ self.apex

    def section(self, vertical: float = 0.0, tolerance: float = 1e-3) -> Region:
        """Return the horizontal accelerations (c̈_x, c̈_y) at c̈_z = `vertical`, exactly [m/s²]."""
        weight = float(np.linalg.norm(self.apex)) or 1.0
        constant = np.append((self.apex - [0.0, 0.0, vertical]) / weight, np.zeros(3))
        return _body_region(self.forces, constant, -np.eye(6, 2) / weight, tolerance)


@names_checked
def com_acceleration_cone(
    robot: Robot, q: ArrayLike | State, contacts: Contacts, com: ArrayLike | None = None
) -> AccelerationCone:
    """Return how the centre of mass can be accelerated by the contacts: see `AccelerationCone`.

    `com` (3,) is the robot's at q by default [m].

    Raises:
        ModelError: closures that tie the robot to the world.
    """
    state = State.of(robot, q)
    require_no_ties(robot, "com_acceleration_cone")
    c = state.com if com is None else vector(com, "com", error=ContactError)
    forces = PointForces.of(ContactSet.of(robot, contacts), state, c).in_units(weight(robot))
    return AccelerationCone(np.array(robot._model.gravity.linear), forces)


def body_polygons(
    forces: PointForces, loads: Array, columns: Array, tolerance: float
) -> list[tuple[Array, Array]]:
    """Return (inner, outer) of all x with load + C x balanced, for each load (n, 6), C (n, 6, 2).

    Newton-Euler of the whole robot, in units of its weight: Σ [f_k; p_k × f_k] + load + C x = 0.
    The kernel answers for all loads at once, the conic solver for those that it leaves.
    """
    rays, polygons = Rays.of_body(forces, loads, columns), []
    answers = [None] * len(loads) if rays is None else rays.regions(tolerance)
    for found, h, C in zip(answers, loads, columns, strict=True):
        if found is None:
            with VERDICTS.uncompiled(RAYS):
                body = Equilibrium.of_body(forces, h)
                found = inner_and_outer(body.planar_set(C, _FAR), tolerance)
        polygons.append(found)
    return polygons


def _body_region(
    forces: PointForces,
    load: Array,
    columns: Array,
    tolerance: float,
    origin: Array | tuple[float, float] = (0.0, 0.0),
) -> Region:
    """The region of origin + x with load + C x balanced; unbounded is what is far from `origin`."""
    _check_length(tolerance)
    inner, outer = body_polygons(forces, load[None], columns[None], tolerance)[0]
    return Region(inner + origin, outer + origin, region_status(inner))


def _check_length(tolerance: float) -> None:
    number(tolerance, "tolerance", above=0, unit="[m]", error=ContactError)


def _linear_region(
    forces: PointForces,
    gravity: Array,
    height: float,
    kind: Literal["inner", "outer"],
    sides: int,
    load: Array,
) -> Region:
    """The region of the linear cones: its polygon is known, inside and outside are one."""
    vertices, bounded = linear_polygon(forces, static_section(gravity), kind, sides, _FAR, load)
    if len(forces.points):  # on the line of action through the points' middle, at that height
        above = height - forces.points[:, 2].mean()
        vertices = vertices + above / gravity[2] * gravity[:2]
    status = _bounded_status(vertices) if bounded else "unbounded"
    return Region(vertices, vertices.copy(), status)


def region_status(inner: Array) -> str:
    """Return what `Region.status` says of an inner polygon, seen from the contacts or the robot."""
    if len(inner) and np.abs(inner).max() > 0.99 * _FAR:
        return "unbounded"
    return _bounded_status(inner)


def _bounded_status(inner: Array) -> str:
    return ("empty", "flat", "flat")[len(inner)] if len(inner) < 3 else "bounded"
