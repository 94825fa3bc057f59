"""Robust regions: where the centre of mass may be so that any of a set of disturbances is held.

For a fixed centre of mass c the wrenches w that contacts can hold form a convex set. So all of a
polytope of disturbances is held where each of its corners is: the region is the intersection of one
static-equilibrium polygon for each,

    Σ_k f_k + m g + w_f = 0,      Σ_k p_k × f_k + c × m g + p × w_f + w_m = 0,      f_k ∈ K_k

A ball of pushes lies between two polytopes, and its region between theirs.

Source: T. Bretl, S. Lall, "Testing static equilibrium for legged robots" (2008); H. Audren,
A. Kheddar, "3-D robust stability polyhedron in multicontact" (2018).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from typing import Literal

import numpy as np
import scipy
from numpy.typing import ArrayLike

from ...arrays import Array
from ...dynamics import State, Wrench
from ...dynamics.closures import require_no_ties
from ...errors import ContactError
from ...options import names_checked
from ...robots import Robot
from ...robots.values import number, one_of, vector, whole_number
from ..contact_set import Contacts, ContactSet
from ..equilibrium.balance import down, weight
from ..geometry import polygon
from ..geometry.directions import spread_directions
from ..point_forces import PointForces
from .region import Region, at_com, body_polygons, region_status

_ORIGIN = np.zeros(3)


@dataclass(frozen=True, eq=False)
class Pushes:
    """All pushes of up to so many newtons: a disc of horizontal ones, or a ball.

    Attributes:
        newtons: the largest push [N].
        directions: "horizontal" or "all".
        point: (3,), where they act in the world [m]; None: at the centre of mass.
        corners: of the polytopes between which the set is taken, at least 3 (4 for a ball); the gap
            between the two sides of a region shrinks with its square.
    """

    newtons: float
    directions: Literal["horizontal", "all"] = "horizontal"
    point: ArrayLike | None = None
    corners: int = 12

    def __post_init__(self) -> None:
        number(self.newtons, "newtons", at_least=0, unit="[N]", error=ContactError)
        one_of(self.directions, "directions", ("horizontal", "all"), error=ContactError)
        least = 3 if self.directions == "horizontal" else 4
        whole_number(self.corners, "corners", at_least=least, error=ContactError)
        if self.point is not None:
            vector(self.point, "point", error=ContactError)

    def wrenches(self, side: Literal["inner", "outer"]) -> list[Wrench]:
        """Return the corners of a polytope inside or around the set."""
        one_of(side, "side", ("inner", "outer"), error=ContactError)
        if self.directions == "horizontal":
            angles = 2 * np.pi * np.arange(self.corners) / self.corners
            units = np.column_stack([np.cos(angles), np.sin(angles), 0 * angles])
            depth = np.cos(np.pi / self.corners)
        else:
            units = spread_directions(int(self.corners))
            # of the nearest side of their hull
            depth = float(-scipy.spatial.ConvexHull(units).equations[:, 3].max())
        length = self.newtons / (depth if side == "outer" else 1.0)
        return [Wrench(length * u, np.zeros(3), point=self.point) for u in units]


@names_checked
def robust_equilibrium_polygon(
    robot: Robot,
    q: ArrayLike | State,
    contacts: Contacts,
    disturbances: Pushes | Iterable[Wrench],
    height: float | None = None,
    tolerance: float = 1e-3,
) -> Region:
    """Return where the centre of mass may be for the contacts to hold every disturbance.

    The cones are exact. `Region.vertices` lie inside and `Region.outer` around it: of wrenches at
    most `tolerance` apart; of `Pushes` the inner one holds more than was asked, the outer one less.

    Args:
        robot: whose contacts and weight.
        q: configuration (nq,), or a State of this robot, for the places of the contacts.
        contacts: a ContactSet of this robot, or any contacts.
        disturbances: `Pushes`, or wrenches in world axes at a point of the world, without a point
            at the centre of mass; all of their convex hull is held. Zero is one only if given.
        height: of the centre of mass [m], the robot's at q by default; pushes act there.
        tolerance: largest gap between the polygons of one wrench [m].

    Raises:
        ContactError: no disturbances, one that is not a `Wrench` in world axes, a bad height.
        ModelError: closures that tie the robot to the world.
    """
    state = State.of(robot, q)
    require_no_ties(robot, "robust_equilibrium_polygon")
    points = PointForces.of(ContactSet.of(robot, contacts), state).in_units(weight(robot))
    z = state.com[2] if height is None else height
    z = number(z, "height", unit="[m]", error=ContactError)
    tolerance = number(tolerance, "tolerance", above=0, unit="[m]", error=ContactError)
    origin = np.append(state.com[:2], 0.0)
    if isinstance(disturbances, Pushes):
        sides = [
            _of_all(robot, points, disturbances.wrenches(side), z, tolerance, origin)
            for side in ("outer", "inner")
        ]
        inner, outer = sides[0][0], sides[1][1]
    else:
        inner, outer = _of_all(robot, points, _checked(disturbances), z, tolerance, origin)
    return Region(inner + origin[:2], outer + origin[:2], region_status(inner))


def _checked(disturbances: Iterable[Wrench]) -> list[Wrench]:
    if not isinstance(disturbances, Iterable):
        raise ContactError(f"disturbances: got {disturbances!r}, expected Pushes or wrenches")
    wrenches = list(disturbances)
    for wrench in wrenches:
        check_disturbance(wrench, "disturbances")
    if not wrenches:
        raise ContactError("disturbances: got none, expected at least one Wrench")
    return wrenches


def _of_all(
    robot: Robot,
    points: PointForces,
    wrenches: list[Wrench],
    height: float,
    tolerance: float,
    origin: Array,
) -> tuple[Array, Array]:
    """The intersections of the inner and of the outer polygons of all wrenches, from `origin`."""
    programs = [disturbed(robot, wrench, height, origin) for wrench in wrenches]
    loads, columns = (np.array(arrays) for arrays in zip(*programs, strict=True))
    both = zip(*body_polygons(points.about(origin), loads, columns, tolerance), strict=True)
    inner, outer = (reduce(polygon.intersection, polygons) for polygons in both)
    return inner, outer


def check_disturbance(wrench: Wrench, name: str) -> None:
    """Refuse anything but a `Wrench` in world axes."""
    if not isinstance(wrench, Wrench) or wrench.axes != "world":
        raise ContactError(f"{name}: got {wrench!r}, expected a Wrench in world axes")


def disturbed(
    robot: Robot, wrench: Wrench | None, height: float, origin: Array = _ORIGIN
) -> tuple[Array, Array]:
    """Return h (6,), C (6, 2), in weights, of all c = origin + (x, y, height): h + C (x, y) acts.

    Args:
        robot: whose weight.
        wrench: in world axes at a point of the world, without a point at c.
        height: of c [m].
        origin: (3,), about which moments are, with z = 0.
    """
    if wrench is None:
        return at_com(down(robot), height)
    force, moment = wrench.force / weight(robot), wrench.moment / weight(robot)
    if wrench.point is None:
        load, columns = at_com(down(robot) + force, height)
        return load + np.append(np.zeros(3), moment), columns
    load, columns = at_com(down(robot), height)
    return load + np.append(force, moment + np.cross(wrench.point - origin, force)), columns
